// DLPack tensors as views and back: what is taken over, and what is refused by which name.
#include "rowsmith/dlpack.h"

#include <gtest/gtest.h>

namespace rowsmith {
namespace {

// What <dlpack/dlpack.h> declares, as a stranger's translation unit sees it: its device type is an enumeration.
namespace stranger {
enum DLDeviceType : std::int32_t { kDLCPU = 1, kDLCUDA = 2 };
struct DLDevice {
  DLDeviceType device_type;
  std::int32_t device_id;
};
struct DLTensor {
  void* data;
  DLDevice device;
  std::int32_t ndim;
  dlpack::DLDataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};
}  // namespace stranger

struct fixture {
  float memory[64] = {};
  std::int64_t shape[9] = {2, 3, 4, 1, 1, 1, 1, 1, 1};
  std::int64_t strides[3] = {1, 2, -6};
  dlpack::DLTensor t{memory, {dlpack::device_cpu, 0}, 3, {dlpack::code_float, 32, 1}, shape, nullptr, 0};
};

TEST(dlpack, null_strides_are_dense) {
  fixture f;
  const auto v = dlpack::input(f.t);
  ASSERT_TRUE(v.ok()) << v.status().to_string();
  EXPECT_EQ(v->data, f.memory);
  EXPECT_EQ(v->rank, 3);
  EXPECT_EQ(v->dtype, dtype::f32);
  EXPECT_EQ(v->stride[0], 12);
  EXPECT_EQ(v->stride[1], 4);
  EXPECT_EQ(v->stride[2], 1);
}

TEST(dlpack, strides_and_byte_offset_are_honoured) {
  fixture f;
  f.t.strides = f.strides;
  f.t.byte_offset = 96;
  const auto v = dlpack::output(f.t);
  ASSERT_TRUE(v.ok());
  EXPECT_EQ(v->data, f.memory + 24);
  EXPECT_EQ(v->stride[2], -6);
}

TEST(dlpack, dtypes) {
  const struct {
    dlpack::DLDataType dl;
    dtype ours;
  } rows[] = {{{2, 32, 1}, dtype::f32}, {{2, 16, 1}, dtype::f16}, {{4, 16, 1}, dtype::bf16},
              {{2, 64, 1}, dtype::f64}, {{6, 8, 1}, dtype::b8},   {{0, 32, 1}, dtype::i32},
              {{0, 64, 1}, dtype::i64}, {{0, 8, 1}, dtype::i8},   {{1, 8, 1}, dtype::u8}};
  for (const auto& row : rows) {
    fixture f;
    f.t.dtype = row.dl;
    const auto v = dlpack::input(f.t);
    ASSERT_TRUE(v.ok()) << v.status().to_string();
    EXPECT_EQ(v->dtype, row.ours);
  }
}

TEST(dlpack, devices) {
  const struct {
    std::int32_t type;
    device ours;
  } rows[] = {{1, {device_kind::host, 0}}, {3, {device_kind::host, 0}},  {11, {device_kind::host, 0}},
              {2, {device_kind::cuda, 5}}, {13, {device_kind::cuda, 5}}, {10, {device_kind::hip, 5}}};
  for (const auto& row : rows) {
    fixture f;
    f.t.device = {row.type, 5};
    const auto v = dlpack::input(f.t);
    ASSERT_TRUE(v.ok());
    EXPECT_EQ(v->device, row.ours) << row.type;
  }
}

void expect_refusal(const dlpack::DLTensor& t, code c, const char* field) {
  const auto v = dlpack::input(t);
  ASSERT_FALSE(v.ok()) << field;
  EXPECT_EQ(v.status().error(), c) << field;
  EXPECT_EQ(v.status().message().rfind(field, 0), 0u) << v.status().message();
}

TEST(dlpack, refusals_name_the_field) {
  fixture f;
  auto t = f.t;
  t.dtype.lanes = 4;
  expect_refusal(t, code::unsupported, "dtype.lanes");
  t = f.t;
  t.dtype = {5, 64, 1};
  expect_refusal(t, code::unsupported, "dtype");
  t = f.t;
  t.ndim = 9;
  expect_refusal(t, code::invalid_argument, "ndim");
  t.ndim = -1;
  expect_refusal(t, code::invalid_argument, "ndim");
  t = f.t;
  t.device.device_type = 7;
  expect_refusal(t, code::unsupported, "device.device_type");
  t = f.t;
  t.data = nullptr;
  expect_refusal(t, code::invalid_argument, "data");
  t = f.t;
  t.shape = nullptr;
  expect_refusal(t, code::invalid_argument, "shape");
  f.shape[1] = -3;
  expect_refusal(f.t, code::invalid_argument, "shape[1]");
  f.shape[0] = f.shape[1] = f.shape[2] = std::int64_t{1} << 40;
  expect_refusal(f.t, code::invalid_argument, "shape");
}

TEST(dlpack, null_data_without_elements) {
  fixture f;
  f.t.data = nullptr;
  f.shape[1] = 0;
  const auto v = dlpack::output(f.t);
  ASSERT_TRUE(v.ok());
  EXPECT_EQ(v->data, nullptr);
}

TEST(dlpack, managed_and_versioned) {
  fixture f;
  dlpack::DLManagedTensor old{f.t, nullptr, nullptr};
  EXPECT_TRUE(dlpack::output(old).ok());
  dlpack::DLManagedTensorVersioned now{{1, 9}, nullptr, nullptr, 0, f.t};
  EXPECT_TRUE(dlpack::output(now).ok());
  now.flags = dlpack::flag_read_only;
  EXPECT_TRUE(dlpack::input(now).ok());
  EXPECT_EQ(dlpack::output(now).status().error(), code::invalid_argument);
  now.version.major = 2;
  EXPECT_EQ(dlpack::input(now).status().error(), code::unsupported);
}

TEST(dlpack, a_strangers_declarations) {
  fixture f;
  const stranger::DLTensor t{f.memory, {stranger::kDLCUDA, 1}, 1, {2, 32, 1}, f.shape, nullptr, 0};
  const auto v = dlpack::input(t);
  ASSERT_TRUE(v.ok());
  EXPECT_EQ(v->device, (device{device_kind::cuda, 1}));
}

TEST(dlpack, there_and_back) {
  float memory[24];
  tensor_view v = dense(memory, dtype::f32, {2, 3, 4}, {device_kind::hip, 3});
  v.stride[2] = -1;
  int released = 0;
  const auto m = dlpack::managed(
      v, [](void* n) { ++*static_cast<int*>(n); }, &released);
  ASSERT_TRUE(m.ok());
  const auto back = dlpack::output(**m);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->data, v.data);
  EXPECT_EQ(back->device, v.device);
  EXPECT_EQ(back->rank, v.rank);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(back->shape[i], v.shape[i]);
    EXPECT_EQ(back->stride[i], v.stride[i]);
  }
  EXPECT_EQ(released, 0);
  (*m)->deleter(*m);
  EXPECT_EQ(released, 1);
}

TEST(dlpack, views_to_read_are_flagged) {
  float memory[4];
  const auto m = dlpack::managed(const_tensor_view(dense(memory, dtype::f32, {4})));
  ASSERT_TRUE(m.ok());
  EXPECT_EQ((*m)->flags, dlpack::flag_read_only);
  (*m)->deleter(*m);
}

TEST(dlpack, what_dlpack_has_no_name_for) {
  float memory[4];
  EXPECT_EQ(dlpack::managed(dense(memory, dtype::f32, {4}, {device_kind::null, 0})).status().error(),
            code::unsupported);
  EXPECT_EQ(dlpack::managed(dense(memory, dtype::f8_e4m3, {4})).status().error(), code::unsupported);
}

}  // namespace
}  // namespace rowsmith
