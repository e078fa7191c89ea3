#include "kernel_notes.h"

#include <cstdlib>

#include "comgr_library.h"

namespace rowsmith::gcn {
namespace {

// A node of the notes, given back at its end.
class node {
 public:
  node() = default;
  node(node&& other) noexcept : value_(other.value_), there_(std::exchange(other.there_, false)) {}
  node(const node&) = delete;
  node& operator=(const node&) = delete;
  ~node() {
    if (there_) comgr_library::get().call.destroy_metadata(value_);
  }

  static node root(hip::comgr_data of) {
    node made;
    made.there_ = comgr_library::get().call.metadata(of, &made.value_) == hip::success;
    return made;
  }
  node at(const char* key) const {
    node made;
    made.there_ = there_ && comgr_library::get().call.lookup(value_, key, &made.value_) == hip::success;
    return made;
  }
  node at(std::size_t index) const {
    node made;
    made.there_ = there_ && comgr_library::get().call.list_item(value_, index, &made.value_) == hip::success;
    return made;
  }
  std::size_t size() const {
    std::size_t count = 0;
    return there_ && comgr_library::get().call.list_size(value_, &count) == hip::success ? count : 0;
  }
  std::string text() const {
    std::size_t size = 0;
    const auto& call = comgr_library::get().call;
    if (!there_ || call.text(value_, &size, nullptr) != hip::success) return {};
    std::string made(size, '\0');
    if (call.text(value_, &size, made.data()) != hip::success) return {};
    return made.c_str();
  }
  std::uint32_t number(std::uint32_t otherwise) const {
    const std::string digits = text();
    return digits.empty() ? otherwise : static_cast<std::uint32_t>(std::strtoul(digits.c_str(), nullptr, 0));
  }

 private:
  hip::comgr_metadata value_{};
  bool there_ = false;
};

kernel_facts facts_of(const node& kernel) {
  kernel_facts facts;
  facts.name = kernel.at(".name").text();
  facts.vgprs = kernel.at(".vgpr_count").number(0);
  facts.sgprs = kernel.at(".sgpr_count").number(0);
  facts.max_threads = kernel.at(".max_flat_workgroup_size").number(1024);
  const node arguments = kernel.at(".args");
  for (std::size_t n = 0; n < arguments.size(); ++n) {
    const node one = arguments.at(n);
    facts.arguments.push_back({one.at(".offset").number(0), one.at(".size").number(0), one.at(".value_kind").text()});
  }
  return facts;
}

}  // namespace

std::map<std::string, kernel_facts> read_kernel_notes(std::span<const std::byte> code_object) {
  std::map<std::string, kernel_facts> all;
  const comgr_library& library = comgr_library::get();
  hip::comgr_data data{};
  if (!library.usable.ok() || library.call.create_data(hip::comgr_executable, &data) != hip::success) return all;
  if (library.call.set_data(data, code_object.size(), reinterpret_cast<const char*>(code_object.data())) ==
      hip::success) {
    const node root = node::root(data), kernels = root.at("amdhsa.kernels");
    for (std::size_t n = 0; n < kernels.size(); ++n) {
      kernel_facts facts = facts_of(kernels.at(n));
      all.emplace(facts.name, std::move(facts));
    }
  }
  library.call.release_data(data);
  return all;
}

}  // namespace rowsmith::gcn
