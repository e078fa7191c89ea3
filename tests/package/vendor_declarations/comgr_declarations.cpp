// Compiled where comgr's header is installed: what src/backend/hip declares of it agrees.
#if __has_include(<amd_comgr/amd_comgr.h>)
#include <amd_comgr/amd_comgr.h>
#else
#include <amd_comgr.h>
#endif

#include "backend/hip/declarations.h"
#include "same_call.h"

namespace {

using namespace rowsmith::hip;
using C = comgr_functions;

SAME_CALL(C, version, amd_comgr_get_version);
SAME_CALL(C, isa_count, amd_comgr_get_isa_count);
SAME_CALL(C, isa_name, amd_comgr_get_isa_name);
SAME_CALL(C, create_data, amd_comgr_create_data);
SAME_CALL(C, set_data, amd_comgr_set_data);
SAME_CALL(C, release_data, amd_comgr_release_data);
SAME_CALL(C, metadata, amd_comgr_get_data_metadata);
SAME_CALL(C, destroy_metadata, amd_comgr_destroy_metadata);
SAME_CALL(C, lookup, amd_comgr_metadata_lookup);
SAME_CALL(C, list_size, amd_comgr_get_metadata_list_size);
SAME_CALL(C, list_item, amd_comgr_index_list_metadata);
SAME_CALL(C, text, amd_comgr_get_metadata_string);
SAME_CALL(C, create_disassembly, amd_comgr_create_disassembly_info);
SAME_CALL(C, destroy_disassembly, amd_comgr_destroy_disassembly_info);
SAME_CALL(C, disassemble, amd_comgr_disassemble_instruction);
SAME_VALUE(success, AMD_COMGR_STATUS_SUCCESS);
SAME_VALUE(comgr_executable, AMD_COMGR_DATA_KIND_EXECUTABLE);

}  // namespace
