// {fmt}'s library, compiled once for the whole project. Header-only, every file that formats anything would compile all
// of it again, which was most of a build; and its own library would be a second one for librowsmith to bring along.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {
// What {fmt}'s headers leave to its library: templates for char, and for double and float.
template FMT_API auto dragonbox::to_decimal(float) noexcept -> dragonbox::decimal_fp<float>;
template FMT_API auto dragonbox::to_decimal(double) noexcept -> dragonbox::decimal_fp<double>;
template FMT_API auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl(locale_ref) -> char;
}  // namespace detail
FMT_END_NAMESPACE
