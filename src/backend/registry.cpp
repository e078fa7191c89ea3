#include <array>
#include <memory>

#include "backend/backend.h"
#include "base/no_destructor.h"

namespace rowsmith {

backend* backend_for(device_kind kind) noexcept {
  // Built together, since building touches no vendor library; never destroyed, since vendor runtimes may be gone by then.
  static no_destructor<std::array<std::unique_ptr<backend>, 4>> all(std::array<std::unique_ptr<backend>, 4>{
      make_host_backend(), make_cuda_backend(), make_hip_backend(), make_null_backend()});
  for (const std::unique_ptr<backend>& b : *all) {
    if (b->kind() == kind) return b.get();
  }
  return nullptr;
}

}  // namespace rowsmith
