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
using compile = comgr_compile_functions;

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
SAME_CALL(compile, set_name, amd_comgr_set_data_name);
SAME_CALL(compile, bytes_of, amd_comgr_get_data);
SAME_CALL(compile, create_set, amd_comgr_create_data_set);
SAME_CALL(compile, destroy_set, amd_comgr_destroy_data_set);
SAME_CALL(compile, add, amd_comgr_data_set_add);
SAME_CALL(compile, count, amd_comgr_action_data_count);
SAME_CALL(compile, item, amd_comgr_action_data_get_data);
SAME_CALL(compile, create_action, amd_comgr_create_action_info);
SAME_CALL(compile, destroy_action, amd_comgr_destroy_action_info);
SAME_CALL(compile, set_isa, amd_comgr_action_info_set_isa_name);
SAME_CALL(compile, set_language, amd_comgr_action_info_set_language);
SAME_CALL(compile, set_options, amd_comgr_action_info_set_option_list);
SAME_CALL(compile, set_logging, amd_comgr_action_info_set_logging);
SAME_CALL(compile, act, amd_comgr_do_action);
SAME_VALUE(success, AMD_COMGR_STATUS_SUCCESS);
SAME_VALUE(comgr_executable, AMD_COMGR_DATA_KIND_EXECUTABLE);
SAME_VALUE(comgr_source, AMD_COMGR_DATA_KIND_SOURCE);
SAME_VALUE(comgr_log, AMD_COMGR_DATA_KIND_LOG);
SAME_VALUE(comgr_bitcode, AMD_COMGR_DATA_KIND_BC);
SAME_VALUE(comgr_relocatable, AMD_COMGR_DATA_KIND_RELOCATABLE);
SAME_VALUE(comgr_compile_to_bitcode, AMD_COMGR_ACTION_COMPILE_SOURCE_TO_BC);
constexpr comgr_numbers numbers = AMD_COMGR_INTERFACE_VERSION_MAJOR >= 3 ? comgr_3_numbers : comgr_2_numbers;
SAME_VALUE(numbers.language_hip, AMD_COMGR_LANGUAGE_HIP);
SAME_VALUE(numbers.bitcode_to_relocatable, AMD_COMGR_ACTION_CODEGEN_BC_TO_RELOCATABLE);
SAME_VALUE(numbers.link_to_executable, AMD_COMGR_ACTION_LINK_RELOCATABLE_TO_EXECUTABLE);

}  // namespace
