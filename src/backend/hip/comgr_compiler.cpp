#include "backend/hip/comgr_compiler.h"

#include <chrono>
#include <cstdint>

#include "backend/hip/comgr.h"
#include "backend/hip/runtime.h"
#include "backend/library_identity.h"
#include "backend/symbol_binder.h"
#include "base/no_destructor.h"

namespace rowsmith::hip {
namespace {

// Its compiling half, bound once.
struct half {
  comgr_compile_functions call{};
  comgr_numbers numbers = comgr_2_numbers;
  compiler_id identity;
  status usable;

  static const half& get() {
    static no_destructor<half> instance{half()};
    return *instance;
  }

 private:
  half() {
    const comgr& library = comgr::get();
    usable = library.usable();
    if (!usable.ok()) return;
    symbol_binder binder(library.library());
    binder.need(call.set_name, "amd_comgr_set_data_name")
        .need(call.bytes_of, "amd_comgr_get_data")
        .need(call.create_set, "amd_comgr_create_data_set")
        .need(call.destroy_set, "amd_comgr_destroy_data_set")
        .need(call.add, "amd_comgr_data_set_add")
        .need(call.count, "amd_comgr_action_data_count")
        .need(call.item, "amd_comgr_action_data_get_data")
        .need(call.create_action, "amd_comgr_create_action_info")
        .need(call.destroy_action, "amd_comgr_destroy_action_info")
        .need(call.set_isa, "amd_comgr_action_info_set_isa_name")
        .need(call.set_language, "amd_comgr_action_info_set_language")
        .need(call.set_options, "amd_comgr_action_info_set_option_list")
        .need(call.set_logging, "amd_comgr_action_info_set_logging")
        .need(call.act, "amd_comgr_do_action");
    const library_probe& probe = library.probe();
    if (!binder.missing().empty()) {
      usable = status(code::not_found, probe.found + " lacks " + binder.missing());
      return;
    }
    if (library.major_version() >= 3) numbers = comgr_3_numbers;
    identity = {"comgr", probe.version, library_identity({&probe.found, 1})};
  }
};

// A set of inputs or results. Items that are taken out of it are held and given back one by one.
class data_set {
 public:
  data_set() { made_ = half::get().call.create_set(&set_) == success; }
  ~data_set() {
    if (made_) half::get().call.destroy_set(set_);
  }
  data_set(const data_set&) = delete;
  data_set& operator=(const data_set&) = delete;

  comgr_data_set handle() const noexcept { return set_; }

  bool add(int kind, const char* name, const std::string& text) {
    const comgr_functions& base = comgr::get().call();
    comgr_data data{};
    if (base.create_data(kind, &data) != success) return false;
    const bool done = base.set_data(data, text.size(), text.data()) == success &&
                      half::get().call.set_name(data, name) == success && half::get().call.add(set_, data) == success;
    base.release_data(data);
    return done;
  }

  // The bytes of all items of a kind, one behind the other.
  bytes gather(int kind) const {
    const comgr_compile_functions& call = half::get().call;
    bytes all;
    std::size_t count = 0;
    if (call.count(set_, kind, &count) != success) return all;
    for (std::size_t i = 0; i < count; ++i) {
      comgr_data data{};
      if (call.item(set_, kind, i, &data) != success) continue;
      std::size_t size = 0;
      const std::size_t before = all.size();
      if (call.bytes_of(data, &size, nullptr) == success) {
        all.resize(before + size);
        if (call.bytes_of(data, &size, reinterpret_cast<char*>(all.data()) + before) != success) all.resize(before);
      }
      comgr::get().call().release_data(data);
    }
    return all;
  }

 private:
  comgr_data_set set_{};
  bool made_ = false;
};

class action {
 public:
  explicit action(const std::string& arch) {
    const half& h = half::get();
    made_ = h.call.create_action(&action_) == success;
    ready_ = made_ && h.call.set_isa(action_, (std::string(comgr::triple) + arch).c_str()) == success &&
             h.call.set_language(action_, h.numbers.language_hip) == success &&
             h.call.set_logging(action_, true) == success;
  }
  ~action() {
    if (made_) half::get().call.destroy_action(action_);
  }
  action(const action&) = delete;
  action& operator=(const action&) = delete;

  bool run(int kind, const std::vector<const char*>& options, const data_set& from, const data_set& to) {
    const comgr_compile_functions& call = half::get().call;
    std::vector<const char*> list = options;
    return ready_ && call.set_options(action_, list.data(), list.size()) == success &&
           call.act(kind, action_, from.handle(), to.handle()) == success;
  }

 private:
  comgr_action action_{};
  bool made_ = false, ready_ = false;
};

}  // namespace

bool comgr_compiler::stands_back() const {
  if (whose_ == comgr_of::anybody) return false;
  const bool hygons = runtime::get().usable().ok() && runtime::get().is_dtk();
  return hygons || comgr::get().major_version() != 2;
}

library_probe comgr_compiler::probe() {
  library_probe p = comgr::get().probe();
  p.purpose = "compiler";
  if (!half::get().usable.ok() || stands_back()) p.found.clear();
  return p;
}

result<compiler_id> comgr_compiler::identity(const std::string& arch) {
  const half& h = half::get();
  if (!h.usable.ok()) return h.usable;
  if (stands_back()) return status(code::not_found, "comgr " + h.identity.version + ": hipRTC is asked first");
  if (status known = comgr::get().check_arch(arch); !known.ok()) return known;
  return h.identity;
}

result<binary> comgr_compiler::compile(const source& s, const std::string& arch) {
  if (auto who = identity(arch); !who) return who.status();
  const half& h = half::get();
  const std::lock_guard alone(compiling_for_amd);
  const auto start = std::chrono::steady_clock::now();
  // No header of HIP's, no library of device functions: the sources need neither.
  std::vector<const char*> options = {"-nogpuinc", "-nogpulib"};
  for (const auto* list : {&common_options(), &s.options}) {
    for (const std::string& option : *list) options.push_back(option.c_str());
  }
  data_set text, bitcode, object, linked;
  action todo(arch);
  const char* step = "take";
  bool good = text.add(comgr_source, s.name.c_str(), s.text);
  const auto next = [&](const char* name, int kind, const std::vector<const char*>& with, const data_set& from,
                        const data_set& to) {
    if (!good) return;
    step = name;
    good = todo.run(kind, with, from, to);
  };
  next("compile", comgr_compile_to_bitcode, options, text, bitcode);
  // The bitcode is optimized; going over it again changes nothing.
  next("generate code for", h.numbers.bitcode_to_relocatable, {"-O3", "-Xclang", "-disable-llvm-passes"}, bitcode,
       object);
  next("link", h.numbers.link_to_executable, {}, object, linked);
  std::string log;
  for (const data_set* set : {&bitcode, &object, &linked}) {
    for (const std::byte b : set->gather(comgr_log)) log += static_cast<char>(b);
  }
  binary out;
  if (good) out.code = linked.gather(comgr_executable);
  if (out.code.empty()) return refused("comgr " + h.identity.version + " (to " + step + ")", s, arch, log);
  out.log = std::move(log);
  out.compile_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return out;
}

}  // namespace rowsmith::hip
