#include "assembler.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "comgr_library.h"

namespace rowsmith::gcn::test {
namespace {

// The part of comgr that compiles. Handles are words, enumerations ints.
struct handle {
  std::uint64_t word = 0;
};
struct compiling {
  int (*create_data)(int kind, handle* data);
  int (*set_data)(handle data, std::size_t size, const char* bytes);
  int (*set_name)(handle data, const char* name);
  int (*get_data)(handle data, std::size_t* size, char* bytes);
  int (*release_data)(handle data);
  int (*create_set)(handle* set);
  int (*destroy_set)(handle set);
  int (*add)(handle set, handle data);
  int (*get)(handle set, int kind, std::size_t index, handle* data);
  int (*create_action)(handle* action);
  int (*destroy_action)(handle action);
  int (*set_isa)(handle action, const char* isa);
  int (*set_logging)(handle action, bool on);
  int (*run)(int kind, handle action, handle in, handle out);
};
enum { k_source = 1, k_log = 5, k_relocatable = 7, k_executable = 8 };
enum { k_link = 9, k_assemble = 10 };

const compiling& calls() {
  static const compiling bound = [] {
    compiling c{};
    const shared_object& library = comgr_library::get().library;
    library.bind(c.create_data, "amd_comgr_create_data");
    library.bind(c.set_data, "amd_comgr_set_data");
    library.bind(c.set_name, "amd_comgr_set_data_name");
    library.bind(c.get_data, "amd_comgr_get_data");
    library.bind(c.release_data, "amd_comgr_release_data");
    library.bind(c.create_set, "amd_comgr_create_data_set");
    library.bind(c.destroy_set, "amd_comgr_destroy_data_set");
    library.bind(c.add, "amd_comgr_data_set_add");
    library.bind(c.get, "amd_comgr_action_data_get_data");
    library.bind(c.create_action, "amd_comgr_create_action_info");
    library.bind(c.destroy_action, "amd_comgr_destroy_action_info");
    library.bind(c.set_isa, "amd_comgr_action_info_set_isa_name");
    library.bind(c.set_logging, "amd_comgr_action_info_set_logging");
    library.bind(c.run, "amd_comgr_do_action");
    return c;
  }();
  return bound;
}

std::string bytes_of(handle set, int kind) {
  handle data;
  std::size_t size = 0;
  if (calls().get(set, kind, 0, &data) != 0) return {};
  calls().get_data(data, &size, nullptr);
  std::string bytes(size, '\0');
  calls().get_data(data, &size, bytes.data());
  calls().release_data(data);
  return bytes;
}

}  // namespace

result<std::vector<std::byte>> assemble(const std::string& source, const std::string& arch) {
  const compiling& call = calls();
  if (call.run == nullptr) return status(code::unsupported, "comgr is not there");
  handle data, in, object, linked, action;
  call.create_data(k_source, &data);
  call.set_data(data, source.size(), source.data());
  call.set_name(data, "test.s");
  call.create_set(&in);
  call.add(in, data);
  call.create_set(&object);
  call.create_set(&linked);
  call.create_action(&action);
  call.set_isa(action, ("amdgcn-amd-amdhsa--" + arch).c_str());
  call.set_logging(action, true);
  const bool assembled = call.run(k_assemble, action, in, object) == 0;
  const bool done = assembled && call.run(k_link, action, object, linked) == 0;
  const std::string made = done ? bytes_of(linked, k_executable) : bytes_of(assembled ? linked : object, k_log);
  for (const handle set : {in, object, linked}) call.destroy_set(set);
  call.destroy_action(action);
  call.release_data(data);
  if (!done) return status(code::compile_failed, made + "\n" + source);
  std::vector<std::byte> bytes(made.size());
  std::memcpy(bytes.data(), made.data(), made.size());
  return bytes;
}

std::string source_of(const kernel_text& k) {
  return fmt::format(
      R"(.amdgcn_target "amdgcn-amd-amdhsa--{arch}"
.text
.globl k
.p2align 8
.type k,@function
k:
{body}
  s_endpgm
.Lend:
.size k, .Lend-k
.rodata
.p2align 6
.amdhsa_kernel k
  .amdhsa_next_free_vgpr 64
  .amdhsa_next_free_sgpr 72
  {accum}
  {scratch}
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_kernarg_size {kernarg}
  .amdhsa_group_segment_fixed_size {lds}
  .amdhsa_float_denorm_mode_32 {f32}
  .amdhsa_float_denorm_mode_16_64 {f16}
  .amdhsa_ieee_mode {ieee}
.end_amdhsa_kernel
)",
      fmt::arg("scratch", k.scratch_bytes == 0 ? std::string()
                                               : fmt::format(".amdhsa_user_sgpr_private_segment_buffer 1\n"
                                                             "  .amdhsa_private_segment_fixed_size {}\n"
                                                             "  .amdhsa_system_sgpr_private_segment_wavefront_offset 1",
                                                             k.scratch_bytes)),
      fmt::arg("arch", k.arch), fmt::arg("body", k.body), fmt::arg("kernarg", k.kernarg_bytes),
      fmt::arg("accum", k.arch == "gfx90a" ? ".amdhsa_accum_offset 64" : ""), fmt::arg("lds", k.lds_bytes),
      fmt::arg("f32", k.flush_f32 ? 0 : 3), fmt::arg("f16", k.flush_f16 ? 0 : 3), fmt::arg("ieee", k.ieee ? 1 : 0));
}

lanes same(std::uint32_t value) {
  lanes made;
  made.fill(value);
  return made;
}
std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }
lanes floats(float value) { return same(bits(value)); }

result<std::vector<lanes>> run(const lane_test& t) {
  std::string body;
  if (t.scratch_bytes != 0) {  // the wave's offset is behind the block's number
    body =
        "  s_add_u32 s64, s0, s7\n  s_addc_u32 s65, s1, 0\n  s_mov_b64 s[66:67], s[2:3]\n  s_mov_b64 s[0:1], s[4:5]\n";
  }
  body += "  s_load_dwordx4 s[0:3], s[0:1], 0x0\n  v_lshlrev_b32_e32 v62, 2, v0\n  s_waitcnt lgkmcnt(0)\n";
  for (std::size_t n = 0; n < t.inputs.size(); ++n) {
    body += fmt::format("  global_load_dword v{}, v62, s[0:1] offset:{}\n", n + 1, 256 * n);
  }
  body += "  s_waitcnt vmcnt(0)\n" + t.body + "\n  s_mov_b64 exec, -1\n";
  for (int n = 0; n < t.outputs; ++n) {
    body += fmt::format("  global_store_dword v62, v{}, s[2:3] offset:{}\n", 10 + n, 256 * n);
  }
  const kernel_text k{body, t.arch, 4096, 16, t.flush_f32, t.flush_f16, true, t.scratch_bytes};
  auto object = assemble(source_of(k), t.arch);
  if (!object) return object.status();
  std::vector<lanes> inputs = t.inputs, outputs(static_cast<std::size_t>(t.outputs));
  machine m(t.arch);
  if (!inputs.empty()) m.map(inputs.data(), inputs.size() * sizeof(lanes), access::read);
  if (!outputs.empty()) m.map(outputs.data(), outputs.size() * sizeof(lanes));
  auto program = m.load(*object);
  if (!program) return program.status();
  const void* arguments[2] = {inputs.data(), outputs.data()};
  dispatch d;
  d.program = program->get();
  d.kernel = "k";
  d.kernarg = std::as_bytes(std::span(arguments));
  d.perturb_transcendentals = t.perturb;
  d.seed = t.seed;
  auto counted = m.run(d);
  if (!counted) return counted.status();
  return outputs;
}

lanes output_of(const lane_test& t) {
  auto made = run(t);
  if (!made) {
    ADD_FAILURE() << made.status().to_string() << "\nin " << t.body;
    return same(0xbadbad);
  }
  return made->at(0);
}

lanes output_of(const std::string& body, std::vector<lanes> inputs) {
  lane_test t;
  t.body = body;
  t.inputs = std::move(inputs);
  return output_of(t);
}

std::string fault_of(const lane_test& t) {
  auto made = run(t);
  EXPECT_FALSE(made.ok()) << "no fault in " << t.body;
  if (made.ok()) return {};
  EXPECT_NE(made.status().error(), code::compile_failed) << made.status().to_string();
  return made.status().message();
}

}  // namespace rowsmith::gcn::test
