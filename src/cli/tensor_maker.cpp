#include "cli/tensor_maker.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "cli/number.h"
#include "cli/parallel.h"

namespace rowsmith::cli {

void host_memory::free_it::operator()(void* p) const noexcept { std::free(p); }

host_memory::host_memory(std::size_t bytes) : data_(std::malloc(std::max<std::size_t>(bytes, 1))) {
  if (data_ == nullptr) throw std::bad_alloc();
}

host_memory make_tensor(dtype type, std::int64_t count, const distribution& d, std::uint64_t seed) {
  host_memory memory(static_cast<std::size_t>(count) * size_of(type));
  void* const data = memory.data();
  parallel((count + 1) / 2, 1 << 14, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t pair = begin; pair < end; ++pair) {
      const two drawn = draw(d, seed, static_cast<std::uint64_t>(pair));
      store(data, type, 2 * pair, static_cast<float>(drawn.first));
      if (2 * pair + 1 < count) store(data, type, 2 * pair + 1, static_cast<float>(drawn.second));
    }
  });
  return memory;
}

result<device_memory> device_memory::make(device where, std::size_t bytes) {
  auto memory = allocate(where, bytes);
  if (!memory) return std::move(memory).status();
  return device_memory(where, *memory);
}

device_memory::~device_memory() {
  // A failure to give back memory has nobody to hear it, and the process is about to end.
  if (data_ != nullptr) (void)release(where_, data_);
}

}  // namespace rowsmith::cli
