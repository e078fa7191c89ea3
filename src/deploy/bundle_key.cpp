#include "deploy/bundle_key.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/no_destructor.h"
#include "base/shared_object.h"

namespace rowsmith {

namespace {

constexpr std::size_t least_key = 16, longest_key = 4096;

// Two functions that have been the same since OpenSSL 0.9; LibreSSL has them, too.
struct libcrypto {
  const void* (*sha256)() = nullptr;
  unsigned char* (*hmac)(const void* type, const void* key, int key_bytes, const unsigned char* data, std::size_t bytes,
                         unsigned char* into, unsigned int* into_bytes) = nullptr;
  std::vector<std::string> tried;

  libcrypto() {
    const std::array<std::string, 3> names = {"libcrypto.so.3", "libcrypto.so.1.1", "libcrypto.so"};
    const shared_object library = shared_object::open_first(names, &tried);
    if (!library.bind(sha256, "EVP_sha256") || !library.bind(hmac, "HMAC")) hmac = nullptr;
  }
};

result<std::string> read_key(const std::string& file) {
  const auto failed = [&](const char* what) {
    const int error = errno;
    return status(error == ENOENT ? code::not_found : code::io_error, fmt::format("key file {}: {}", file, what), error,
                  std::strerror(error));
  };
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return failed("cannot be opened");
  std::string key(longest_key + 1, '\0');
  struct stat info = {};
  const bool known = ::fstat(fd, &info) == 0;
  const ssize_t n = known ? ::read(fd, key.data(), key.size()) : -1;
  status s = n < 0 ? failed("cannot be read") : status();
  ::close(fd);
  if (!s) return s;
  if ((info.st_mode & 077) != 0) {
    return status(code::invalid_argument,
                  fmt::format("key file {}: mode {:04o} lets others use it; chmod 600", file, info.st_mode & 07777));
  }
  key.resize(static_cast<std::size_t>(n));
  if (key.size() < least_key || key.size() > longest_key) {
    return status(code::invalid_argument,
                  fmt::format("key file {}: {} to {} bytes are needed", file, least_key, longest_key));
  }
  return key;
}

}  // namespace

result<cache::mac_function> bundle_key(const std::string& file) {
  static no_destructor<libcrypto> crypto;
  if (crypto->hmac == nullptr) {
    return status(code::not_found, "libcrypto, which signs bundles, was not found")
        .with_detail(fmt::format("tried, in order:\n{}", fmt::join(crypto->tried, "\n")));
  }
  result<std::string> key = read_key(file);
  if (!key) return key.status();
  return cache::mac_function([key = std::move(*key)](std::string_view bytes) -> result<std::string> {
    std::string code(cache::bundle_mac_bytes, '\0');
    unsigned int length = 0;
    const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
    auto* into = reinterpret_cast<unsigned char*>(code.data());
    if (crypto->hmac(crypto->sha256(), key.data(), static_cast<int>(key.size()), data, bytes.size(), into, &length) ==
            nullptr ||
        length != code.size()) {
      return status(rowsmith::code::internal, "libcrypto could not sign");
    }
    return code;
  });
}

}  // namespace rowsmith
