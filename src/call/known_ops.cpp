#include <string_view>
#include <vector>

#include "model/op_table.h"
#include "rowsmith/call.h"

namespace rowsmith {

namespace {

std::string_view name_of(reach r) noexcept {
  constexpr std::string_view names[] = {"full", "broadcast", "per_row", "per_column", "number"};
  return names[static_cast<int>(r)];
}

std::string_view name_of(reduces r) noexcept {
  constexpr std::string_view names[] = {"axis", "trailing", "set", "nothing"};
  return names[static_cast<int>(r)];
}

op_info describe_for_people(const op_row& op, const op_alias* as = nullptr) {
  op_info info{as != nullptr ? as->name : op.name, name_of(op.along), {}, {}, {}};
  for (const operand_spec& s : op.operands) {
    op_info::operand o{rowsmith::name_of(s.what),
                       {},
                       name_of(s.extent),
                       s.output,
                       s.optional && (as == nullptr || s.what != as->needs)};
    for (int value = 1; value < 32; ++value) {
      if ((s.dtypes >> value & 1) != 0) o.dtypes.push_back(static_cast<dtype>(value));
    }
    info.operands.push_back(std::move(o));
  }
  for (const option_field& f : op.options) info.settings.push_back({f.name, {f.values.begin(), f.values.end()}});
  for (const param_spec& p : op.params) info.scalars.push_back({p.name, p.otherwise});
  return info;
}

}  // namespace

std::vector<op_info> known_ops() {
  std::vector<op_info> all;
  for (const op_row& op : all_ops()) all.push_back(describe_for_people(op));
  for (const op_alias& a : all_aliases()) all.push_back(describe_for_people(describe(a.op), &a));
  return all;
}

}  // namespace rowsmith
