// judges: what the call of a trial must have given, family by family.
#pragma once

#include "property/trial.h"
#include "property/verdict.h"

namespace rowsmith::test {

void judge_softmax(const trial& t, verdict* v);
void judge_softmax_backward(const trial& t, verdict* v);
void judge_norm(const trial& t, verdict* v);
void judge_norm_backward(const trial& t, verdict* v);
void judge_moments(const trial& t, verdict* v);
void judge_gather(const trial& t, verdict* v);
void judge_gather_backward(const trial& t, verdict* v);
void judge_copy(const trial& t, verdict* v);
void judge_elementwise(const trial& t, verdict* v);

}  // namespace rowsmith::test
