// verbs: one function a verb adds itself to the command line; when it is chosen it runs and leaves its exit code.
#pragma once

namespace CLI {
class App;
}

namespace rowsmith::cli {

// All of them.
void add_verbs(CLI::App& app, int* exit);

void add_devices(CLI::App& app, int* exit);
void add_doctor(CLI::App& app, int* exit);
void add_run(CLI::App& app, int* exit);
void add_explain(CLI::App& app, int* exit);
void add_warm(CLI::App& app, int* exit);
void add_cache(CLI::App& app, int* exit);
// Verbs of `cache`.
void add_cache_coverage(CLI::App& cache, int* exit);
void add_cache_bundles(CLI::App& cache, int* exit);
void add_cache_care(CLI::App& cache, int* exit);
void add_version(CLI::App& app, int* exit);

}  // namespace rowsmith::cli
