// hiprtc: finds HIP's run-time compiler, guards it, and compiles with it. Needs no GPU.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include "backend/hip/compiler.h"
#include "backend/hip/declarations.h"
#include "base/shared_object.h"

namespace rowsmith::hip {

class hiprtc final : public compiler {
 public:
  library_probe probe() override;
  // Nothing of hipRTC is called for an architecture that its compiler does not know: some versions abort the process
  // then.
  result<compiler_id> identity(const std::string& arch) override;
  result<binary> compile(const source& s, const std::string& arch) override;

 private:
  status load();  // once; every later call gets the first answer
  status load_locked();
  std::string bind();
  void introduce_this_thread() const;
  status guard(const std::string& arch) const;

  struct attempt {
    hiprtc_result result = success;
    const char* doing = "compile";
    std::string log;
    bytes code;
  };
  attempt try_compile(const std::string& text, const std::string& name, const std::string& arch,
                      const std::vector<std::string>& options, bool own_header) const;

  std::mutex mutex_;  // guards everything below; what load() writes is only read after it
  bool loaded_ = false;
  status load_status_;
  library_probe probe_;
  shared_object library_;
  hiprtc_functions functions_{};
  compiler_id identity_;
  std::atomic<bool> own_header_{true};  // false once this hipRTC turned out not to take ours in place of its own
};

}  // namespace rowsmith::hip
