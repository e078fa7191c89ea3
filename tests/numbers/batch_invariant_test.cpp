// batch_invariant: a row's bits depend on its contents, the op, the width and the dtypes: rows are compared bit for bit
// over row counts, positions, bases, strides and layouts, in place and not.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "rowsmith/rowsmith.h"
#include "support/norm_check.h"
#include "support/softmax_check.h"
#include "support/tensor.h"
#include "support/values.h"

namespace rowsmith::test {
namespace {

constexpr std::int64_t contents = 7;  // rows that differ

// Where the rows of the inputs and of the output lie.
struct lie {
  std::string name;
  std::int64_t rows = contents;
  std::int64_t first = 0;  // row r has contents (first + r) % contents
  int x_phase = 0, y_phase = 0;
  std::int64_t gap = 0;   // elements between rows
  std::int64_t step = 1;  // elements between elements
  bool turned = false;    // rows are neighbours in memory
  bool in_place = false;
  bool repeated_mask = true;  // the masks are one row for all; else each row has its own copy
  int axes = 1;               // that make a row; 2 do not merge
};

struct op_case {
  std::string name, op;
  std::int64_t width;
  dtypes type;
  std::vector<std::string> inputs = {"x"};  // of the op's shape
  std::string output = "y";
  std::vector<std::pair<std::string, dtype>> columns = {};  // one row for all
  std::vector<std::pair<std::string, std::string>> settings = {};
  bool is_trailing = false;  // its rows are the last `axes` axes
  bool has_statistics = false;
  width_mode mode = width_mode::automatic;
};

dims stride_of(const lie& l, const dims& shape, std::int64_t width) {
  if (l.turned) return {1, l.rows};
  if (shape.size() == 3) return {shape[1] * (shape[2] + 3) + l.gap, shape[2] + 3, 1};
  return {(width - 1) * l.step + 1 + l.gap, l.step};
}

class batch_invariant : public on_device, public testing::WithParamInterface<op_case> {
 protected:
  // Every row's bits.
  std::vector<std::vector<unsigned char>> run(const op_case& c, const lie& l) {
    const device where = under_test().where;
    const bool split = l.axes == 2;
    const std::int64_t fast = split ? 8 : c.width;
    const dims shape = split ? dims{l.rows, c.width / fast, fast} : dims{l.rows, c.width};
    std::vector<std::unique_ptr<tensor>> all;
    const auto add = [&](dtype type, const dims& extents, dims stride, int phase, unsigned char poison) {
      placement at;
      at.phase = phase;
      all.push_back(std::make_unique<tensor>(where, type, extents, std::move(stride), at, poison));
      return all.back().get();
    };

    op_call call(c.op);
    call.batch_invariant().width(c.mode);
    if (c.is_trailing) call.axis(l.axes);
    tensor* first = nullptr;
    for (std::size_t i = 0; i < c.inputs.size(); ++i) {
      tensor* x = add(c.type.in, shape, stride_of(l, shape, c.width), l.x_phase, input_poison);
      x->write(rows_of(c, l, static_cast<unsigned>(i)));
      call.operand(c.inputs[i], const_tensor_view(x->view()));
      if (i == 0) first = x;
    }
    for (std::size_t i = 0; i < c.columns.size(); ++i) {
      const auto& [role, type] = c.columns[i];
      const bool alone = l.repeated_mask || role == "weight";
      dims extents = split ? dims{c.width / fast, fast} : dims{c.width};
      if (!alone) extents.insert(extents.begin(), l.rows);
      tensor* t = add(type, extents, {}, 0, input_poison);
      std::vector<float> values = normal(c.width, 1, 100 + static_cast<unsigned>(i));
      if (type == dtype::b8) {
        for (float& v : values) v = v > -1 ? 1 : 0;
      }
      t->write(values);
      call.operand(role, const_tensor_view(t->view()));
    }
    if (c.has_statistics) {
      for (const char* role : {"dweight", "dbias"}) {
        call.operand(role, add(dtype::f32, {c.width}, {}, 0, output_poison)->view());
      }
    }
    for (const auto& [name, choice] : c.settings) call.set(name, choice);
    tensor* y = first;
    if (!l.in_place) y = add(c.type.out, shape, stride_of(l, shape, c.width), l.y_phase, output_poison);
    call.operand(c.output, y->view());

    const status called = call.run();
    EXPECT_TRUE(called.ok()) << called.to_string();
    EXPECT_TRUE(synchronize(where).ok());
    y->fetch();
    EXPECT_TRUE(y->only_elements_changed());
    const std::vector<unsigned char> bits = y->bits();
    const std::size_t row_bytes = bits.size() / static_cast<std::size_t>(l.rows);
    std::vector<std::vector<unsigned char>> rows;
    for (std::int64_t r = 0; r < l.rows; ++r) {
      const auto at = bits.begin() + static_cast<std::ptrdiff_t>(r * static_cast<std::int64_t>(row_bytes));
      rows.emplace_back(at, at + static_cast<std::ptrdiff_t>(row_bytes));
    }
    return rows;
  }

  static std::vector<float> rows_of(const op_case& c, const lie& l, unsigned input) {
    std::vector<float> values;
    const std::int64_t distinct = std::min(l.rows, contents);  // what follows repeats them
    for (std::int64_t r = 0; r < distinct; ++r) {
      const auto row = normal(c.width, 2, static_cast<unsigned>((l.first + r) % contents) + 31 * input);
      values.insert(values.end(), row.begin(), row.end());
    }
    return values;
  }
};

TEST_P(batch_invariant, rows_have_the_same_bits_wherever_they_are) {
  const op_case& c = GetParam();
  const bool long_rows = c.width > 8192, few_forms = under_test().where.kind != device_kind::cuda;
  const bool simulated = under_test().where.kind == device_kind::hip;  // instruction by instruction, on a CPU
  if (simulated && long_rows) GTEST_SKIP() << "long rows take minutes on a simulated card";
  std::vector<std::vector<unsigned char>> want;
  for (std::int64_t r = 0; r < contents; ++r) {
    lie alone{"one row"};
    alone.rows = 1, alone.first = r;
    want.push_back(run(c, alone).front());
  }

  const int in_unit = 16 / static_cast<int>(size_of(c.type.in)), out_unit = 16 / static_cast<int>(size_of(c.type.out));
  std::vector<lie> all;
  const auto add = [&](const char* name, auto change) {
    lie l{name};
    change(l);
    all.push_back(l);
  };
  add("two rows", [](lie& l) { l.rows = 2; });
  add("other places", [](lie& l) { l.first = 3; });
  add("many rows", [&](lie& l) { l.rows = simulated ? 40 : long_rows ? 200 : 4096, l.first = 5; });
  // The host compiles a kernel for each alignment of each operand: two of them. A GPU has the time for every element.
  for (int k = 1; k < std::max(in_unit, out_unit); k = few_forms ? k * 4 : k + 1) {
    if (k < in_unit) add("x off", [&](lie& l) { l.x_phase = k; });
    if (k < out_unit) add("y off", [&](lie& l) { l.y_phase = k; });
    if (k < in_unit && k < out_unit) add("both off", [&](lie& l) { l.x_phase = l.y_phase = k; });
  }
  add("gaps", [](lie& l) { l.gap = 1; });
  add("wide gaps", [](lie& l) { l.gap = 16; });
  add("every second element", [](lie& l) { l.step = 2; });
  if (!c.is_trailing) add("neighbours", [](lie& l) { l.turned = true; });
  if (c.type.in == c.type.out && !c.has_statistics) {
    add("in place", [](lie& l) { l.in_place = true; });
    add("in place, off", [](lie& l) { l.in_place = true, l.x_phase = 1; });
  }
  if (!c.columns.empty()) add("masks of their own", [](lie& l) { l.repeated_mask = false; });
  if (c.is_trailing && c.width % 8 == 0 && !c.has_statistics) add("two axes", [](lie& l) { l.axes = 2; });

  for (const lie& l : all) {
    const auto got = run(c, l);
    for (std::int64_t r = 0; r < l.rows; ++r) {
      ASSERT_EQ(got[static_cast<std::size_t>(r)], want[static_cast<std::size_t>((l.first + r) % contents)])
          << l.name << " (x off by " << l.x_phase << ", y by " << l.y_phase << "), row " << r;
    }
  }
}

std::vector<op_case> cases() {
  std::vector<op_case> all;
  for (const std::int64_t width : {49, 512, 1000, 1023, 4096, 50257}) {
    all.push_back({"softmax", "softmax", width, f16});
  }
  all.push_back({"softmax", "softmax", 512, f32});
  all.push_back({"softmax", "softmax", 33000, f32});
  all.push_back({"softmax", "softmax", 1000, f16_to_f32});
  op_case masked{"masked_softmax", "softmax", 1000, f16};
  masked.columns = {{"mask", dtype::b8}, {"bias", dtype::f32}};
  masked.settings = {{"mask", "keep"}, {"mode", "masked"}};
  all.push_back(masked);
  masked.width = 12008;
  all.push_back(masked);
  all.push_back({"log_softmax", "log_softmax", 777, bf16});
  op_case norm{"layer_norm", "layer_norm", 768, bf16};
  norm.is_trailing = true;
  norm.columns = {{"weight", dtype::f32}};
  all.push_back(norm);
  norm.width = 197, norm.type = f16;
  all.push_back(norm);
  norm.width = 16384, norm.name = "rms_norm", norm.op = "rms_norm";
  all.push_back(norm);
  op_case added{"add_rms_norm", "add_rms_norm", 1024, f16, {"x", "residual"}};
  added.is_trailing = true;
  all.push_back(added);
  all.push_back({"softmax_backward", "softmax_backward", 1000, f16, {"y", "dy"}, "dx"});
  op_case backward{"layer_norm_backward", "layer_norm_backward", 1000, f16, {"x", "dy"}, "dx"};
  backward.is_trailing = true;
  all.push_back(backward);
  backward.has_statistics = true;
  all.push_back(backward);
  op_case any{"softmax_any_width", "softmax", 1000, f16};
  any.mode = width_mode::any;
  all.push_back(any);
  return all;
}

INSTANTIATE_TEST_SUITE_P(ops, batch_invariant, testing::ValuesIn(cases()), [](const auto& p) {
  return p.param.name + "_w" + std::to_string(p.param.width) + "_" + name_of(p.param.type) +
         (p.param.has_statistics ? "_statistics" : "");
});

// Within the bounds, too.
TEST_F(batch_invariant, numbers_keep_their_bounds) {
  for (const std::int64_t width : {7, 49, 1000, 1023, 4096, 33000}) {
    softmax_call c;
    c.batch_invariant = true;
    c.shape = {5, width};
    c.x_at.phase = 1, c.y_at.phase = 0;
    check_softmax(c, normal(5 * width, 3));
    norm_call n;
    n.shape = {5, width};
    n.weight = normal(width, 1, 3);
    n.options.batch_invariant();
    n.x_at.phase = 1, n.y_at.phase = 0;
    check_norm(n, normal(5 * width, 3));
  }
}

}  // namespace
}  // namespace rowsmith::test
