// hipcc: compiles by running AMD's or Hygon's compiler driver, where no library of theirs compiles in this process.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "backend/hip/compiler.h"

namespace rowsmith::hip {

class hipcc final : public compiler {
 public:
  // Programs by path or name, the first that answers to --version is taken. Empty: where ROCm and DTK put it, then
  // PATH.
  explicit hipcc(std::vector<std::string> candidates = {});

  library_probe probe() override;
  result<compiler_id> identity(const std::string& arch) override;
  result<binary> compile(const source& s, const std::string& arch) override;

 private:
  status find_locked();
  result<binary> run(const source& s, const std::string& arch) const;

  std::mutex mutex_;  // guards everything below
  std::vector<std::string> candidates_;
  bool looked_ = false;
  status found_;
  library_probe probe_;
  compiler_id identity_;
  std::map<std::string, status> archs_;  // OK for those it was seen to compile for
};

}  // namespace rowsmith::hip
