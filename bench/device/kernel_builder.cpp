#include "kernel_builder.h"

namespace rowsmith::bench {

result<binary> compile_own(const std::string& entry, std::string text, const traits& target) {
  source s;
  s.name = entry + ".cu";
  s.entry = entry;
  s.text = std::move(text);
  auto made = backend_for(device_kind::cuda)->compile(s, target);
  if (!made) return status(made.status().error(), made.status().message() + "\n" + made.status().detail());
  return made;
}

result<std::unique_ptr<loaded_kernel>> build_own(const std::string& entry, std::string text) {
  backend& cuda = *backend_for(device_kind::cuda);
  const auto info = cuda.describe(0);
  if (!info) return info.status();
  const auto made = compile_own(entry, std::move(text), info->traits);
  if (!made) return made.status();
  launch_plan l;
  l.entry = entry;
  l.threads = own_threads;
  return cuda.load(0, made->code, l);
}

}  // namespace rowsmith::bench
