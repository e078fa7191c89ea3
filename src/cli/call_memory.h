// call_memory: the operands of a call: drawn on the host, and their memory on a device.
#pragma once

#include <cstdint>
#include <vector>

#include "cli/op_setup.h"
#include "cli/random.h"
#include "cli/tensor_maker.h"

namespace rowsmith::cli {

// One a tensor, outputs without a value. The first input is the sequence of `seed` itself. Of an index every tenth
// entry is -1, of a flag mask every tenth removes its position, of an additive one every tenth is -inf.
std::vector<host_memory> draw_operands(const op_setup& s, const distribution& d, std::uint64_t seed);

class call_memory {
 public:
  // `in_place`: the main output lies where the main input does.
  static result<call_memory> make(const op_setup& s, device where, bool in_place);

  const std::vector<void*>& data() const noexcept { return data_; }

  // Between the host and the device, and waits.
  status write(const op_setup& s, const std::vector<host_memory>& drawn) const;  // the inputs
  status read(const op_setup& s, std::vector<host_memory>* found) const;         // the outputs

 private:
  explicit call_memory(device where) noexcept : where_(where) {}

  device where_;
  std::vector<device_memory> held_;
  std::vector<void*> data_;  // one a tensor
};

// What a call reads and writes, each byte once: of a table as many rows as are picked.
double bytes_moved(const op_setup& s);

}  // namespace rowsmith::cli
