// call_cost: what a call costs the host on a real device, beside the driver's own launch.
#pragma once

#include <nlohmann/json.hpp>

#include "graph_timer.h"

namespace rowsmith::bench {

// {first_call_ms, first_call_source, empty_launch_ns, same_launch_ns, softmax_call_ns, over_raw_ns, null_call_ns,
// context_query_ns}. The first call is timed with the driver loaded, a context made and memory allocated; run in a
// fresh process, with the kernel on disk, for the figure of a warm deploy. The others are medians over batches of
// back-to-back calls on [8, 128] f16, which the device outruns: the driver's own launch of an empty kernel, and of the
// very kernel that softmax() launches, with its arguments ready; the call; its excess over that launch; the call
// without a driver (null device); and the driver's answer to what context is current, which every call asks.
result<nlohmann::json> measure_calls(const graph_timer& timer);

// {load_ms, raw_start_ms}: the same first call by the driver alone, with the machine code in memory: loaded, launched,
// waited for. In a fresh process: what first_call_ms is to be held against.
result<nlohmann::json> measure_raw_start(const graph_timer& timer);

}  // namespace rowsmith::bench
