// nvrtc: finds NVIDIA's run-time compiler by name, tells which build it is, and compiles with it. Needs no GPU.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "backend/cuda/declarations.h"
#include "base/shared_object.h"

namespace rowsmith::cuda {

class nvrtc {
 public:
  using list_maker = std::function<std::vector<std::string>()>;

  // Looked for among `candidates`, then among those that `more` makes: it may search folders, and is only called where
  // none of the first is there.
  explicit nvrtc(std::vector<std::string> candidates, list_maker more = {})
      : candidates_(std::move(candidates)), more_(std::move(more)) {}

  // ROWSMITH_CUDA_LIBS, CUDA_HOME and /usr/local/cuda; then where other CUDA toolkits and Python's packages put it,
  // then the system's loader.
  static std::vector<std::string> usual_candidates();
  static std::vector<std::string> searched_candidates();

  library_probe probe();

  // Without loading the compiler where its file can be found by path. Asked of the files once, then remembered.
  result<compiler_id> identity();

  // Machine code for sm_NN. Where NVRTC does not know the architecture, `ptx_allowed` is asked: with it, PTX for the
  // newest one that NVRTC knows, and the log says so in its first line; otherwise `unsupported` with the known ones.
  result<binary> compile(const source& s, const std::string& arch, const std::function<bool()>& ptx_allowed);

 private:
  status load();  // once; every later call gets the first answer
  status load_locked();
  std::string bind();  // what the opened library lacks; empty when all is there
  void identify(const std::string& library, const std::string& builtins, const std::string& version);
  bool identify_by_files();
  void search_on();  // adds what `more_` makes
  std::vector<int> known_archs() const;

  std::mutex mutex_;  // guards everything below; what load() writes is only read after it
  std::vector<std::string> candidates_;
  list_maker more_;  // empty: called, or none
  bool loaded_ = false;
  status load_status_;
  library_probe probe_;
  shared_object builtins_, library_;
  nvrtc_functions functions_{};
  std::string builtins_path_;
  compiler_id identity_;
  std::string identified_file_;  // the library that identity_ tells of; empty: none yet
  std::atomic<bool> no_cache_accepted_{true};
};

}  // namespace rowsmith::cuda
