// A static object that is built once and never destroyed, so that nothing runs at exit.
#pragma once

#include <new>
#include <utility>

namespace rowsmith {

template <class T>
class no_destructor {
 public:
  template <class... A>
  explicit no_destructor(A&&... args) {
    ::new (static_cast<void*>(bytes_)) T(std::forward<A>(args)...);
  }
  no_destructor(const no_destructor&) = delete;
  no_destructor& operator=(const no_destructor&) = delete;

  T& operator*() noexcept { return *get(); }
  T* operator->() noexcept { return get(); }
  T* get() noexcept { return std::launder(reinterpret_cast<T*>(bytes_)); }

 private:
  alignas(T) unsigned char bytes_[sizeof(T)];
};

}  // namespace rowsmith
