// plan: how a class of calls will be answered: one to three launches, and why.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/facts.h"
#include "model/op_table.h"

namespace rowsmith {

// How a row is held and reduced (kernel_src/row/).
enum class mechanism : std::uint8_t {
  scalar,        // the fallback: run-time width and dtype, plain loops
  lanes,         // 1 … wave lanes own a row in registers
  block,         // a block owns a row in registers
  staged,        // a tile of whole rows travels through shared memory; any width, any base
  streamed,      // a block passes over a row that it cannot hold
  cluster,       // the blocks of a cluster own a row in registers
  simd,          // host: a thread owns a row; vector packs, the row kept in a scratch row
  simd_replay,   // host: the same, nothing kept: the row is read again
  columns,       // rows that are neighbours in memory: neighbouring threads own neighbouring rows
  split,         // a row is cut into parts, each a block's; a second launch merges what they found
  simd_columns,  // host: a block of neighbouring rows is transposed into the cache and back
  chained,       // rows of one number are found by a list, and added up in order
  simd_chained,  // host: the same
  flat,          // every element by itself: packs over all elements, sizes at run time
  crossed,       // a copy whose fastest axes differ: tiles are turned in shared memory
  simd_flat,     // host: every element by itself, vector packs
  totals,        // the second launch of a backward: what the first one summed over rows, in parts, is added up
  simd_totals,   // host: the same
  any_width,     // lanes, a block or neighbouring rows, of a width that is a number of the call
  simd_any,      // host: the same
};

std::string_view name_of(mechanism m) noexcept;

// One template argument of the row driver, in order: its name, for people, and its text, for the compiler.
struct template_constant {
  std::string name;
  std::string value;  // "512", "false", "keep::storage"
};

// Which of a call's expressions an argument block carries, word by word, for a kernel that is not compiled for it.
enum class carried : std::uint8_t { none, pre, post };

// The argument block of a kernel: how many operands and axes it has room for, and which of the call's operands stands
// where (max_operands: none).
struct argument_layout {
  int operands = 0;
  int outer = 1;
  int inner = 1;
  carried words = carried::none;
  std::uint16_t in_workspace = 0;  // bit k: what stands in place k lies in the workspace, in fp32, row after row
  std::array<std::uint8_t, max_operands> place{};
};

struct launch_plan {
  mechanism how = mechanism::scalar;
  std::string entry;                                // the kernel's symbol
  std::string driver;                               // the row driver; empty: the one named after `how`
  std::string header;                               // the kernel_src header that holds its algorithm: "op/softmax.h"
  std::string algorithm;                            // the functor that is run on every row: "softmax<exp_fast>"
  std::vector<template_constant> constants;         // of the row driver
  std::array<std::uint8_t, max_operands> access{};  // per operand: bytes that every pack of it is aligned to
  std::uint16_t shifted = 0;  // bit k: packs of input k begin anywhere, it is read by aligned words
  argument_layout layout;
  // Launch geometry. blocks = ceil(items / rows_per_block), at most blocks_per_unit × units where that is not 0.
  work items = work::rows;
  int threads = 1;
  int rows_per_block = 1;
  int parts = 1;  // pieces that each of the items is cut into, every one an item itself
  int blocks_per_unit = 0;
  // Bit k: operand k may repeat along the slowest axis. Where it does, blocks (then at most blocks_per_unit a unit,
  // else any number) step over whole periods of it: each meets the same rows of it in every turn, and finds them in its
  // L1.
  std::uint16_t repeating = 0;
  int resident_blocks = 0;  // registers are bounded so that so many fit a unit; 0: no bound
  // Launch attributes.
  int dynamic_shared = 0;  // bytes
  int cluster = 1;         // blocks of a cluster
  // Promises that the machine code is checked against.
  int register_budget = 0;   // and none is spilled; 0: no promise
  int barriers = 0;          // at least so many
  bool wide_access = false;  // interior by 16-byte accesses
};

struct rejection {
  std::string what;
  std::string why;
};

struct plan {
  op_id op = op_id::none;
  std::vector<launch_plan> launches;  // run in order on one stream
  // Memory between the launches: so many bytes, and so many for every block of the first launch, every block and
  // column, every row, and every row of the table that an index points into.
  std::size_t workspace_bytes = 0;
  std::size_t workspace_per_block = 0;
  std::size_t workspace_per_block_column = 0;
  std::size_t workspace_per_row = 0;
  std::size_t workspace_per_table_row = 0;
  std::vector<std::string> why;  // sentences, for `explain`
  std::vector<rejection> rejected;
};

std::string to_string(const plan& p);

}  // namespace rowsmith
