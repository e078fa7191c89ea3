// Compiled where comgr's header is installed: the compiling half that src/backend/hip declares of it agrees.
#if __has_include(<amd_comgr/amd_comgr.h>)
#include <amd_comgr/amd_comgr.h>
#define HAS_COMGR_HEADER
#elif __has_include(<amd_comgr.h>)
#include <amd_comgr.h>
#define HAS_COMGR_HEADER
#endif

#ifdef HAS_COMGR_HEADER
#include "backend/hip/declarations.h"
#include "package/vendor_declarations/same_call.h"

namespace {

using namespace rowsmith::hip;
using C = comgr_compile_functions;

SAME_CALL(C, set_name, amd_comgr_set_data_name);
SAME_CALL(C, bytes_of, amd_comgr_get_data);
SAME_CALL(C, create_set, amd_comgr_create_data_set);
SAME_CALL(C, destroy_set, amd_comgr_destroy_data_set);
SAME_CALL(C, add, amd_comgr_data_set_add);
SAME_CALL(C, count, amd_comgr_action_data_count);
SAME_CALL(C, item, amd_comgr_action_data_get_data);
SAME_CALL(C, create_action, amd_comgr_create_action_info);
SAME_CALL(C, destroy_action, amd_comgr_destroy_action_info);
SAME_CALL(C, set_isa, amd_comgr_action_info_set_isa_name);
SAME_CALL(C, set_language, amd_comgr_action_info_set_language);
SAME_CALL(C, set_options, amd_comgr_action_info_set_option_list);
SAME_CALL(C, set_logging, amd_comgr_action_info_set_logging);
SAME_CALL(C, act, amd_comgr_do_action);
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
#endif
