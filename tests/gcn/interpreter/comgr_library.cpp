#include "comgr_library.h"

#include "backend/symbol_binder.h"

namespace rowsmith::gcn {
namespace {

comgr_library* open() {
  auto* made = new comgr_library();
  const std::string names[] = {"libamd_comgr.so.3", "libamd_comgr.so.2", "libamd_comgr.so"};
  made->library = shared_object::open_first(names, nullptr);
  if (!made->library) {
    made->usable = status(code::unsupported, "AMD's disassembler, libamd_comgr.so, was not found");
    return made;
  }
  hip::comgr_functions& f = made->call;
  symbol_binder binder(made->library);
  binder.need(f.create_data, "amd_comgr_create_data")
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
  if (const std::string missing = binder.missing(); !missing.empty()) {
    made->usable = status(code::unsupported, "AMD's disassembler lacks " + missing);
  }
  return made;
}

}  // namespace

const comgr_library& comgr_library::get() {
  static const comgr_library* library = open();
  return *library;
}

}  // namespace rowsmith::gcn
