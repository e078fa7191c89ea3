#include "backend/hip/metadata.h"

#include <cstdlib>
#include <string>

#include "backend/hip/comgr.h"

namespace rowsmith::hip {
namespace {

// A metadata node that is given back.
class node {
 public:
  explicit node(const comgr_functions& call) : call_(call) {}
  ~node() {
    if (there) call_.destroy_metadata(value);
  }
  node(const node&) = delete;
  node& operator=(const node&) = delete;

  comgr_metadata value{};
  bool there = false;

 private:
  const comgr_functions& call_;
};

std::string text_of(const comgr_functions& call, comgr_metadata map, const char* key) {
  node found(call);
  found.there = call.lookup(map, key, &found.value) == success;
  std::size_t size = 0;
  if (!found.there || call.text(found.value, &size, nullptr) != success) return {};
  std::string text(size, '\0');
  if (call.text(found.value, &size, text.data()) != success) return {};
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

int number_of(const comgr_functions& call, comgr_metadata map, const char* key) {
  const std::string text = text_of(call, map, key);
  return text.empty() ? -1 : std::atoi(text.c_str());
}

}  // namespace

result<kernel_numbers> read_metadata(std::span<const std::byte> image, std::string_view entry) {
  const comgr& library = comgr::get();
  if (!library.usable().ok()) return library.usable();
  const comgr_functions& call = library.call();
  struct data_holder {
    const comgr_functions& call;
    comgr_data value{};
    bool there = false;
    ~data_holder() {
      if (there) call.release_data(value);
    }
  } data{call};
  data.there = call.create_data(comgr_executable, &data.value) == success;
  const char* begin = reinterpret_cast<const char*>(image.data());
  node root(call), kernels(call);
  if (!data.there || call.set_data(data.value, image.size(), begin) != success) {
    return status(code::out_of_memory, "comgr cannot take the machine code");
  }
  root.there = call.metadata(data.value, &root.value) == success;
  if (root.there) kernels.there = call.lookup(root.value, "amdhsa.kernels", &kernels.value) == success;
  std::size_t count = 0;
  if (kernels.there && call.list_size(kernels.value, &count) != success) count = 0;
  for (std::size_t i = 0; i < count; ++i) {
    node kernel(call);
    kernel.there = call.list_item(kernels.value, i, &kernel.value) == success;
    if (!kernel.there || text_of(call, kernel.value, ".name") != entry) continue;
    kernel_numbers numbers;
    numbers.registers = number_of(call, kernel.value, ".vgpr_count");
    numbers.wavefront_size = number_of(call, kernel.value, ".wavefront_size");
    const int vector = number_of(call, kernel.value, ".vgpr_spill_count");
    const int scalar = number_of(call, kernel.value, ".sgpr_spill_count");
    if (vector >= 0) numbers.spills = vector + (scalar > 0 ? scalar : 0);
    return numbers;
  }
  return status(code::not_found, "the machine code's notes do not name the kernel \"" + std::string(entry) + "\"");
}

}  // namespace rowsmith::hip
