// The ops: one declaration and one contract each, in a header a family.
//
// Common to all. Views may have any strides; an output may be one of the inputs when base, strides and element size are
// equal, any other overlap is refused. No byte outside a view is read or written. Accumulation is in fp32 with one
// rounding to nearest even per output. A failed call has written nothing. Every function may be called from any number
// of threads. The device comes from the views; `stream` must belong to it.
#pragma once

#include "rowsmith/elementwise.h"
#include "rowsmith/moments.h"
#include "rowsmith/rows.h"
#include "rowsmith/softmax.h"
