// call_cost: what a call costs the host on a real device, beside the driver's own launch.
#pragma once

#include <nlohmann/json.hpp>

#include "graph_timer.h"

namespace rowsmith::bench {

// {first_call_ms, first_call_source, raw_launch_ns, softmax_call_ns, over_raw_ns}. The first call is timed with the
// driver loaded, a context made and memory allocated; run in a fresh process, with the kernel on disk, for the figure
// of a warm deploy. The others are medians over batches of back-to-back calls on [8, 128] f16, which the device
// outruns.
result<nlohmann::json> measure_calls(const graph_timer& timer);

}  // namespace rowsmith::bench
