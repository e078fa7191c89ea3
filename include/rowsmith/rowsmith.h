// Everything of Rowsmith's C++ interface. The C interface is rowsmith_c.h, DLPack is dlpack.h.
#pragma once

#include "rowsmith/call.h"
#include "rowsmith/explain.h"
#include "rowsmith/expr.h"
#include "rowsmith/fusion.h"
#include "rowsmith/norm.h"
#include "rowsmith/ops.h"
#include "rowsmith/runtime.h"
#include "rowsmith/status.h"
#include "rowsmith/tensor_view.h"
#include "rowsmith/window.h"
