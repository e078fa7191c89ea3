// widths: which calls that leave it open get a kernel of their own width, and which are answered by their bucket's (see
// rowsmith/row_options.h). Thread-safe; asked on cold paths only.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "build/builder.h"
#include "model/facts.h"
#include "rowsmith/row_options.h"

namespace rowsmith {

class width_book {
 public:
  static constexpr std::size_t exact_at_once = 8;  // widths of a family that get kernels of their own at the first call
  static constexpr std::uint64_t calls_for_exact = 64;  // after which another width gets one too
  static constexpr std::size_t most_exact = 512;        // of all families

  // `automatic`: what a call means that says nothing.
  explicit width_book(width_mode automatic) : automatic_(automatic) {}

  width_mode automatic() const noexcept { return automatic_; }

  // What answers calls of class c, from now on. *first: it was not asked before.
  width_mode ask(const shape_class& c, bool* first);

  // The same, for a class whose kernel was found ready made (exact), or where nothing else can be had (any).
  void settle(const shape_class& c, width_mode m);

  bool is_by_any(const shape_class& c) const;

  // A call of c was answered by its bucket's kernel. True once: when it has come often enough to get its own.
  bool count(const shape_class& c);

  // The kernel that count() asked for is there.
  void promoted(const shape_class& c);

  // What ask would say, and why; remembers nothing.
  width_mode tell(const shape_class& c, std::string* why) const;

  // Classes that were answered by a bucket's kernel; kernels of their own that some of them got.
  std::uint64_t by_any() const;
  std::uint64_t promotions() const;

  void forget();

 private:
  bool takes_exact(const shape_class& c) const;
  void note_exact(const shape_class& c);

  const width_mode automatic_;
  mutable std::mutex mutex_;
  std::unordered_map<shape_class, std::unordered_set<std::int64_t>, shape_class_hash> exact_;  // widths of a family
  std::unordered_map<shape_class, std::uint64_t, shape_class_hash> by_any_;                    // calls of a class
  std::size_t exact_count_ = 0;
  std::uint64_t any_count_ = 0, promotions_ = 0;
};

}  // namespace rowsmith
