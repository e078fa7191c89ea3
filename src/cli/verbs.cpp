#include "cli/verbs.h"

namespace rowsmith::cli {

void add_verbs(CLI::App& app, int* exit) {
  add_run(app, exit);
  add_explain(app, exit);
  add_devices(app, exit);
  add_doctor(app, exit);
  add_warm(app, exit);
  add_cache(app, exit);
  add_version(app, exit);
}

}  // namespace rowsmith::cli
