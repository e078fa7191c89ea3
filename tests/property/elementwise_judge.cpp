#include "property/judges.h"
#include "reference/expression.h"

namespace rowsmith::test {

void judge_elementwise(const trial& t, verdict* v) {
  struct side {
    std::vector<float> values;
    walk at;
    dtype type;
  };
  std::vector<side> in, out;
  for (const kernel_operand& o : t.of().operands) {
    if (o.output)
      out.push_back({t.result(o.role), t.where(o.role), o.type});
    else
      in.push_back({t.given(o.role), t.where(o.role), o.type});
  }
  const std::vector<double> params(std::begin(t.params), std::end(t.params));
  std::vector<double> args(in.size());
  const std::size_t elements = t.over().rows();  // nothing is reduced: each is a row
  for (std::size_t e = 0; e < elements && v->passed(); ++e) {
    for (std::size_t k = 0; k < in.size(); ++k) args[k] = in[k].values[in[k].at.row[e]];
    const std::vector<reference::bounded> want =
        reference::evaluate(*t.of().compute, std::span<const double>(args), params);
    for (std::size_t n = 0; n < want.size(); ++n) {
      v->rounded_number("elementwise (16)", want[n], out[n].type, out[n].values[out[n].at.row[e]], e, 0);
    }
  }
}

verdict judge(const trial& t) {
  verdict v;
  switch (t.of().kind) {
    case family::softmax:
      judge_softmax(t, &v);
      break;
    case family::softmax_backward:
      judge_softmax_backward(t, &v);
      break;
    case family::norm:
      judge_norm(t, &v);
      break;
    case family::norm_backward:
      judge_norm_backward(t, &v);
      break;
    case family::moments:
      judge_moments(t, &v);
      break;
    case family::gather:
      judge_gather(t, &v);
      break;
    case family::gather_backward:
      judge_gather_backward(t, &v);
      break;
    case family::copy:
      judge_copy(t, &v);
      break;
    case family::elementwise:
      judge_elementwise(t, &v);
      break;
  }
  return v;
}

}  // namespace rowsmith::test
