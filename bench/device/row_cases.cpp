// Rows that an index picks: windows of a weather model's grid, whose padding is row -1, and the way back.
#include "bench_case.h"

namespace rowsmith::bench {

namespace {

// 131040 tokens in 940 windows of 144, and 32760 in 240.
window_order fine(bool restores) { return {{8, 182, 90}, {4, 4, 9}, {2, 2, 4}, {0, 3, 0}, {0, 3, 0}, restores}; }
window_order coarse(bool restores) { return {{8, 91, 45}, {4, 4, 9}, {2, 2, 4}, {0, 2, 0}, {0, 3, 0}, restores}; }

}  // namespace

std::vector<bench_case> row_cases() {
  const std::vector<std::string> index = {"index=i32"};
  const cli::op_words from_fine = {.dtype_of = index, .table_rows = "131040"},
                      from_coarse = {.dtype_of = index, .table_rows = "32760"},
                      from_windows = {.dtype_of = index, .table_rows = "135360"};
  cli::op_words norm_fine = from_fine, norm_coarse = from_coarse, add_norm = from_windows;
  norm_fine.with = norm_coarse.with = {"index"};
  add_norm.with = {"sum", "index"};
  // Tokens to channels, in fp32: what is in memory as [tokens, channels] is read as [channels, tokens].
  const cli::op_words turned = {.out_type = "f32", .permute = "1,0"};
  // [2,47,10] windows of [4,4,9] tokens, read in the order of the grid.
  const cli::op_words in_windows = {.permute = "0,2,4,1,3,5,6"};
  return {
      {"gather, -1 = zero", call("gather_rows", "135360x192", "f16", from_fine), {0.95}, fine(false)},
      {"gather, -1 = zero", call("gather_rows", "34560x384", "f16", from_coarse), {0.95}, coarse(false)},
      {"norm + gather", call("layer_norm", "135360x192", "f16", norm_fine), {0.95}, fine(false)},
      {"norm + gather", call("layer_norm", "34560x384", "f16", norm_coarse), {0.95}, coarse(false)},
      {"gather, add, norm", call("add_layer_norm", "131040x192", "f16", add_norm), {0.95}, fine(true)},
      {"window reverse + crop", call("gather_rows", "131040x192", "f16", from_windows), {0.93}, fine(true)},
      {"window reverse", call("copy", "2x4x47x4x10x9x192", "f16", in_windows), {0.93}, {}},
      {"permute + cast", call("copy", "192x131040", "f16", turned), {0.93}, {}},
  };
}

}  // namespace rowsmith::bench
