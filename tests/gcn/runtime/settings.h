// settings: what the double is told by its environment. Read anew at every question: a test may change its mind.
//   HIPSIM_ARCH     gfx906 (default), gfx900, gfx908, gfx90a; the DTK face: gfx936 (default), gfx926, gfx928
//   HIPSIM_DEVICES  how many devices there are; default 1
//   HIPSIM_EAGER    1: work runs when it is enqueued, not first at a synchronization point
//   HIPSIM_THREADS  of the host, for one kernel; default 1
//   HIPSIM_PERTURB  a seed: exp, rcp, … are off by up to an ulp; 0 or unset: they are not
//   HIPSIM_ORDER    a seed for the order of waves between barriers; default 0
//   HIPSIM_WRONG    1: a card that is not made as the tests take it to be: row_mirror turns half rows
#pragma once

#include <cstdint>
#include <string>

namespace hipsim {

#ifdef HIPSIM_DTK
inline constexpr bool is_dtk = true;
#else
inline constexpr bool is_dtk = false;
#endif

std::string arch();           // "gfx906", what the device says it is
std::string executed_arch();  // "gfx906", what the interpreter runs in its place: no tool here knows Hygon's cards
std::string full_arch();      // with its features: "gfx906:sramecc+:xnack-"
int device_count();
bool eager();
int host_threads();
std::uint64_t perturbation();
std::uint64_t wave_order();
bool wrong();

}  // namespace hipsim
