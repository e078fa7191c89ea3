#include "backend/hip/comgr.h"

#include <algorithm>

#include "backend/hip/places.h"
#include "backend/hip/runtime.h"
#include "backend/library_search.h"
#include "backend/symbol_binder.h"
#include "base/no_destructor.h"

namespace rowsmith::hip {
namespace {

std::string bind(const shared_object& library, comgr_functions& f) {
  symbol_binder binder(library);
  binder.need(f.version, "amd_comgr_get_version")
      .need(f.isa_count, "amd_comgr_get_isa_count")
      .need(f.isa_name, "amd_comgr_get_isa_name")
      .need(f.create_data, "amd_comgr_create_data")
      .need(f.set_data, "amd_comgr_set_data")
      .need(f.release_data, "amd_comgr_release_data")
      .need(f.metadata, "amd_comgr_get_data_metadata")
      .need(f.destroy_metadata, "amd_comgr_destroy_metadata")
      .need(f.lookup, "amd_comgr_metadata_lookup")
      .need(f.list_size, "amd_comgr_get_metadata_list_size")
      .need(f.list_item, "amd_comgr_index_list_metadata")
      .need(f.text, "amd_comgr_get_metadata_string")
      .need(f.create_disassembly, "amd_comgr_create_disassembly_info")
      .need(f.destroy_disassembly, "amd_comgr_destroy_disassembly_info")
      .need(f.disassemble, "amd_comgr_disassemble_instruction");
  return binder.missing();
}

}  // namespace

comgr& comgr::get() {
  static no_destructor<comgr*> instance(new comgr());
  return **instance;
}

comgr::comgr() {
  probe_.purpose = "machine code reader";
  const std::string names[] = {"libamd_comgr.so.3", "libamd_comgr.so.2", "libamd_comgr.so"};
  // The one that belongs to the runtime, since it is the compiler behind hipRTC.
  for (const std::string& candidate : library_candidates(names, runtime::get().library().path())) {
    library_ = shared_object::open_first({&candidate, 1}, &probe_.tried);
    if (!library_) continue;
    if (const std::string missing = bind(library_, functions_); !missing.empty()) {
      probe_.tried.push_back(candidate + ": lacks " + missing);
      continue;
    }
    probe_.found = library_.path();
    std::size_t major = 0, minor = 0, count = 0;
    functions_.version(&major, &minor);
    major_ = static_cast<int>(major);
    probe_.version = std::to_string(major) + "." + std::to_string(minor);
    if (functions_.isa_count(&count) != success) count = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const char* name = nullptr;
      if (functions_.isa_name(i, &name) != success || name == nullptr) continue;
      std::string_view isa = name;
      if (isa.substr(0, triple.size()) == triple) archs_.emplace_back(isa.substr(triple.size()));
    }
    return;
  }
  library_ = {};
  usable_ = status(code::not_found,
                   "AMD's code object manager libamd_comgr.so was not found; set ROWSMITH_HIP_LIBS or "
                   "ROCM_PATH, or install ROCm or DTK")
                .with_detail("tried, in order:\n" + lines(probe_.tried));
}

bool comgr::knows(std::string_view arch) const noexcept {
  return std::find(archs_.begin(), archs_.end(), arch) != archs_.end();
}

status comgr::check_arch(const std::string& arch) const {
  if (knows(arch)) return {};
  std::string list;
  for (const std::string& a : archs_) list += (list.empty() ? "" : ", ") + a;
  return {code::unsupported,
          "target: the compiler of comgr " + probe_.version + " does not know " + arch + ", it knows " + list};
}

}  // namespace rowsmith::hip
