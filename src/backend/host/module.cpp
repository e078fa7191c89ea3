#include "backend/host/module.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#include "backend/host/temporary_folder.h"
#include "base/descriptor.h"
#include "base/environment.h"

namespace rowsmith::host {
namespace {

// A spelling of /proc/self/fd/N that was never used before. The loader takes a library for loaded when it knows its
// path, and descriptor numbers come again; so a counter is written into the path as segments that lead nowhere:
// "/." for a one, "/" for a zero.
std::string unique_path(int fd) {
  static std::atomic<std::uint64_t> counter{1};
  std::string path = "/proc/self/fd";
  for (std::uint64_t n = counter.fetch_add(1, std::memory_order_relaxed); n != 0; n >>= 1) {
    path += (n & 1) != 0 ? "/." : "/";
  }
  return path + "/" + std::to_string(fd);
}

void* open_library(const std::string& path, std::string* why) {
  void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  const char* text = handle == nullptr ? ::dlerror() : nullptr;
  if (handle == nullptr) *why = text != nullptr ? text : "no reason given";
  return handle;
}

void* from_memory(std::span<const std::byte> code, std::string* why) {
  const int fd = ::memfd_create("rowsmith", MFD_CLOEXEC);
  if (fd < 0) {
    *why = std::string("memfd_create: ") + std::strerror(errno);
    return nullptr;
  }
  void* handle = nullptr;
  if (write_all(fd, code.data(), code.size())) {
    handle = open_library(unique_path(fd), why);
  } else {
    *why = std::string("memory file: ") + std::strerror(errno);
  }
  ::close(fd);
  return handle;
}

void* from_file(std::span<const std::byte> code, std::string* why) {
  result<temporary_folder> folder = temporary_folder::make();
  if (!folder) {
    *why = folder.status().to_string();
    return nullptr;
  }
  const std::string path = folder->path() + "/kernel.so";
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
  const bool written = fd >= 0 && write_all(fd, code.data(), code.size());
  if (!written) *why = path + ": " + std::strerror(errno);
  if (fd >= 0) ::close(fd);
  return written ? open_library(path, why) : nullptr;
}

}  // namespace

result<module> module::load(std::span<const std::byte> code) {
  std::string memory, file;
  if (void* handle = from_memory(code, &memory)) return module(handle);
  if (void* handle = from_file(code, &file)) return module(handle);
  return status(code::device_error, "the kernel could not be loaded, neither from memory nor from a file", 0,
                fmt::format("{}; {}", memory, file));
}

module::~module() {
  if (handle_ != nullptr) ::dlclose(handle_);
}

void* module::symbol(const char* name) const noexcept { return ::dlsym(handle_, name); }

}  // namespace rowsmith::host
