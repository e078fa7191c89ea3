#include "backend/hip/toolchain.h"

#include "backend/hip/comgr_compiler.h"
#include "backend/hip/hipcc.h"
#include "backend/hip/hiprtc.h"

namespace rowsmith::hip {
namespace {

source one_line() {
  source s;
  s.name = "probe.hip";
  s.text = probe_kernel;
  return s;
}

}  // namespace

toolchain::toolchain() : toolchain(the_environment().hip_compiler) {}

toolchain::toolchain(amd_compiler wanted) {
  const auto asks = [&](amd_compiler one) { return wanted == amd_compiler::automatic || wanted == one; };
  if (wanted == amd_compiler::automatic) members_.push_back(std::make_unique<comgr_compiler>(comgr_of::amd));
  if (asks(amd_compiler::hiprtc)) members_.push_back(std::make_unique<hiprtc>());
  if (asks(amd_compiler::comgr)) members_.push_back(std::make_unique<comgr_compiler>(comgr_of::anybody));
  if (asks(amd_compiler::hipcc)) members_.push_back(std::make_unique<hipcc>());
}

library_probe toolchain::probe() {
  library_probe all;
  for (const std::unique_ptr<compiler>& c : members_) {
    library_probe one = c->probe();
    all.tried.insert(all.tried.end(), one.tried.begin(), one.tried.end());
    all.found = std::move(one.found);
    all.version = std::move(one.version);
    if (!all.found.empty()) break;
  }
  all.purpose = "compiler";
  return all;
}

result<compiler*> toolchain::for_arch(const std::string& arch) {
  status first;  // the refusal that says most: an architecture nobody knows, rather than a compiler that is not there
  std::string others;
  for (const std::unique_ptr<compiler>& c : members_) {
    auto who = c->identity(arch);
    if (who) return c.get();
    others += (others.empty() ? "" : "\n") + who.status().to_string();
    if (!who.status().detail().empty()) others += "\n" + who.status().detail();
    if (first.ok() || (first.error() == code::not_found && who.status().error() != code::not_found)) {
      first = who.status();
    }
  }
  if (first.error() != code::not_found) return first.with_detail(others);
  return status(code::not_found,
                "no compiler for AMD and Hygon devices was found: neither hipRTC nor comgr nor hipcc; "
                "set ROWSMITH_HIP_LIBS or ROCM_PATH, or install ROCm or DTK")
      .with_detail(others);
}

result<compiler_id> toolchain::identity(const std::string& arch) {
  auto c = for_arch(arch);
  if (!c) return c.status();
  return (*c)->identity(arch);
}

result<binary> toolchain::compile(const source& s, const std::string& arch) {
  auto chosen = for_arch(arch);
  if (!chosen) return chosen.status();
  auto made = (*chosen)->compile(s, arch);
  if (made || made.status().error() != code::compile_failed || *chosen != members_.front().get()) return made;
  if ((*chosen)->compile(one_line(), arch)) return made;
  // It is not the source: who goes first for its speed does not compile at all, however sound it looked. Those behind
  // it may.
  for (std::size_t i = 1; i < members_.size(); ++i) {
    if (!members_[i]->identity(arch)) continue;
    if (auto by_another = members_[i]->compile(s, arch)) return by_another;
  }
  return made;
}

}  // namespace rowsmith::hip
