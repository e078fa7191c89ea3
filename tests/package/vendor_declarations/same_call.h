// same_call<A, B>: would a call through a pointer of type A to a function of type B pass and return the same machine
// values? Handles are pointers to different opaque structures on the two sides, and enumerations are int on ours. Where
// a pointer points to a number on both sides, the numbers have one size.
#pragma once

#include <cstddef>
#include <type_traits>

namespace rowsmith {

template <class T>
constexpr bool is_number = std::is_arithmetic_v<T> || std::is_enum_v<T>;

template <class A, class B>
constexpr bool same_pointer() {
  using X = std::remove_pointer_t<A>;
  using Y = std::remove_pointer_t<B>;
  if constexpr (is_number<X> && is_number<Y>) return sizeof(X) == sizeof(Y);
  return true;
}

template <class A, class B>
constexpr bool same_value() {
  if constexpr (std::is_void_v<A> || std::is_void_v<B>) {
    return std::is_void_v<A> && std::is_void_v<B>;
  } else if constexpr (std::is_pointer_v<A> || std::is_pointer_v<B>) {
    return std::is_pointer_v<A> && std::is_pointer_v<B> && same_pointer<A, B>();
  } else if constexpr (std::is_class_v<A> || std::is_class_v<B>) {
    return std::is_class_v<A> && std::is_class_v<B> && sizeof(A) == sizeof(B) && alignof(A) == alignof(B) &&
           std::is_trivially_copyable_v<A> && std::is_trivially_copyable_v<B>;
  } else if constexpr (std::is_enum_v<A> || std::is_enum_v<B>) {
    return sizeof(A) == sizeof(B);
  } else {
    return std::is_integral_v<A> && std::is_integral_v<B> && sizeof(A) == sizeof(B) &&
           std::is_signed_v<A> == std::is_signed_v<B>;
  }
}

template <class A, class B>
struct same_call : std::false_type {};

template <class R, class... P, class S, class... Q>
struct same_call<R (*)(P...), S (*)(Q...)> {
  static constexpr bool value = [] {
    if constexpr (sizeof...(P) != sizeof...(Q)) {
      return false;
    } else {
      return same_value<R, S>() && (same_value<P, Q>() && ...);
    }
  }();
};

// The test of the test.
static_assert(same_call<int (*)(int, char*), int (*)(int, const char*)>::value);
static_assert(!same_call<int (*)(int), int (*)(long)>::value);
static_assert(!same_call<int (*)(int), int (*)(int, int)>::value);
static_assert(!same_call<int (*)(unsigned*), int (*)(std::size_t*)>::value);
static_assert(!same_call<int (*)(int), int (*)(int*)>::value);

}  // namespace rowsmith

// Our member of `table` against the vendor's function.
#define SAME_CALL(table, member, function)                                                    \
  static_assert(::rowsmith::same_call<decltype(table::member), decltype(&(function))>::value, \
                #table "::" #member " is not " #function)
#define SAME_VALUE(ours, theirs) static_assert(static_cast<long long>(ours) == static_cast<long long>(theirs))
