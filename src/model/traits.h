// traits: what a rendered kernel may depend on: the architecture, never the card. card: what only the launch may use.
#pragma once

#include <cstdint>
#include <string>

#include "rowsmith/tensor_view.h"

namespace rowsmith {

struct traits {
  device_kind vendor = device_kind::host;
  std::string arch;           // canonical target: "sm_90", "gfx906", "x86-64:avx512f,…"; goes into cache keys
  int wave = 1;               // lanes of a wave; 1 on the host
  int max_threads = 1;        // threads of a block
  int shared_bytes = 0;       // shared memory (LDS) a block can get
  int unit_shared_bytes = 0;  // of a whole multiprocessor / compute unit
  int registers = 0;          // 32-bit vector registers a thread can have
  int unit_registers = 0;     // of a whole multiprocessor, counted in threads × registers
  int unit_threads = 0;       // threads resident on a multiprocessor
  bool bulk_copy = false;     // cp.async.bulk and mbarrier (sm_90+)
  int largest_cluster = 1;    // blocks of a thread-block cluster (sm_90+)
  int vector_bytes = 16;      // the host's native vector; 16 on GPUs (the widest access)
};

struct card {
  std::string name;
  int units = 1;  // multiprocessors, compute units, or host threads
  std::int64_t l2_bytes = 0;
  std::int64_t memory_bytes = 0;
};

}  // namespace rowsmith
