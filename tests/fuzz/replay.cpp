// Runs the target on every file named, or in a folder named, and on a few short inputs: for builds without libFuzzer.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void run(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

void run_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  run({std::istreambuf_iterator<char>(file), {}});
}

}  // namespace

int main(int argc, char** argv) {
  for (int n = 0; n < 256; ++n) run(std::string(static_cast<std::size_t>(n), static_cast<char>(n * 37)));
  for (int i = 1; i < argc; ++i) {
    if (!std::filesystem::is_directory(argv[i])) {
      run_file(argv[i]);
      continue;
    }
    for (const auto& f : std::filesystem::recursive_directory_iterator(argv[i])) {
      if (f.is_regular_file()) run_file(f.path());
    }
  }
  return 0;
}
