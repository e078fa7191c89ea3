#!/usr/bin/env python3
"""peers.py CASES.json OUT.json: times PyTorch eager on the cases of `rowsmith_bench_device --list`.

As ours are timed: graph replays over rotating buffer sets that are larger than the L2 together, the median. Every call
writes a result of its own, which stays until the set's next turn. Eager gets what is best for it: indices are clamped
beforehand, so that padding costs it nothing (and is not zeroed), and masks are made beforehand.
"""
import datetime
import json
import statistics
import sys

import torch
import torch.nn.functional as F

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
ROTATE_BYTES, FEWEST_SETS, MOST_SETS, FEWEST_CALLS, ROUNDS = 400 << 20, 3, 64, 24, 9
TYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "b8": torch.bool,
         "i32": torch.int32, "i64": torch.int64}


# ---- operands ----

def product(numbers):
    result = 1
    for n in numbers:
        result *= n
    return result


def window_rows(w):
    """Rows of a grid in the order of its shifted windows, -1 for padding; or with `restores` the rows of those windows in the
    order of the grid."""
    dims, window = w["dims"], w["window"]
    grid = torch.arange(product(dims)).view(dims)
    pad = [n for front, back in reversed(list(zip(w["front"], w["back"]))) for n in (front, back)]
    grid = F.pad(grid, pad, value=-1).roll([-s for s in w["shift"]], list(range(len(dims))))
    split = [n for size, step in zip(grid.shape, window) for n in (size // step, step)]
    order = list(range(0, len(split), 2)) + list(range(1, len(split), 2))
    rows = grid.view(split).permute(order).reshape(-1)
    if not w["restores"]:
        return rows
    back = torch.empty(product(dims), dtype=rows.dtype)
    there = rows >= 0
    back[rows[there]] = torch.arange(rows.numel())[there]
    return back


def operand(case, tensor):
    dtype, count = TYPES[tensor["dtype"]], product(tensor["shape"])
    if tensor["role"] == "index":
        return window_rows(case["window"]).clamp(min=0).to(dtype).view(tensor["shape"]).to(DEVICE)
    if not dtype.is_floating_point:
        raise ValueError(f"no way to draw {tensor['role']} of {tensor['dtype']}")
    memory = torch.empty(count + 8, dtype=dtype, device=DEVICE).normal_()
    return memory.as_strided(tensor["shape"], tensor["strides"], case["shift"])


def operands(case):
    return {t["role"]: operand(case, t) for t in case["tensors"] if not t["output"]}


def bytes_of(case):
    return sum(product(t["shape"]) * TYPES[t["dtype"]].itemsize for t in case["tensors"])


# ---- ops: what somebody writes who has PyTorch alone ----

def output_type(case):
    return next(TYPES[t["dtype"]] for t in case["tensors"] if t["output"])


def logits(case, t):
    x = t["x"]
    if case["scalars"]["scale"] != 1:
        x = x * case["scalars"]["scale"]
    for role in ("mask", "bias"):
        if role in t:
            x = x + t[role]
    if "removed" in t:
        x = x.masked_fill(t["removed"], float("-inf"))
    return x


def softmax(of):
    def run(case, t):
        axis, dtype = case["axes"][0], output_type(case)
        x = logits(case, t)
        return of(x, axis) if dtype == x.dtype else of(x, axis, dtype=dtype)
    return run


def backward(of):
    return lambda case, t: of(t["dy"], t["y"], case["axes"][0], t["y"].dtype)


def picked(t):
    x = t["x"]
    return torch.index_select(x, 0, t["index"].view(-1)) if "index" in t else x


def layer_norm(case, x, t):
    return F.layer_norm(x, x.shape[-1:], t.get("weight"), t.get("bias"), case["scalars"]["eps"])


def rms_norm(case, x, t):
    return F.rms_norm(x, x.shape[-1:], t.get("weight"), case["scalars"]["eps"])


def norm(of):
    return lambda case, t: of(case, picked(t), t)


def add_norm(of):
    def run(case, t):
        total = picked(t) + t["residual"]
        return of(case, total, t), total
    return run


def copy(case, t):
    y = torch.empty(t["x"].shape, dtype=output_type(case), device=DEVICE)
    return y.copy_(t["x"])


EXPRESSIONS = {
    "silu(x)": lambda t: F.silu(t["x"]),
    "gelu_tanh(x)": lambda t: F.gelu(t["x"], approximate="tanh"),
    "sigmoid(x + in1)": lambda t: torch.sigmoid(t["x"] + t["in1"]),
}

OPS = {
    "softmax": softmax(torch.softmax),
    "log_softmax": softmax(torch.log_softmax),
    "softmax_backward": backward(torch._softmax_backward_data),
    "log_softmax_backward": backward(torch._log_softmax_backward_data),
    "layer_norm": norm(layer_norm),
    "rms_norm": norm(rms_norm),
    "add_layer_norm": add_norm(layer_norm),
    "add_rms_norm": add_norm(rms_norm),
    "gather_rows": lambda case, t: picked(t),
    "copy": copy,
    "elementwise": lambda case, t: EXPRESSIONS[case["expr"]](t),
}


# ---- time ----

def removed_by_causality(case):
    queries, keys = [int(n) for n in case["shape"].split("x")][-2:]
    return torch.arange(keys, device=DEVICE) > torch.arange(queries, device=DEVICE)[:, None] + case["causal"]


def median_us(calls):
    for call in calls[:2]:
        call()  # whatever is done once is done
    torch.cuda.synchronize()
    graph, results, count = torch.cuda.CUDAGraph(), [None] * len(calls), max(len(calls), FEWEST_CALLS)
    with torch.cuda.graph(graph):
        for i in range(count):
            results[i % len(calls)] = calls[i % len(calls)]()
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    times = []
    for i in range(-2, ROUNDS):
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        if i >= 0:
            times.append(begin.elapsed_time(end) * 1e3 / count)
    return statistics.median(times)


def measure(case):
    sets = min(max(ROTATE_BYTES // bytes_of(case) + 1, FEWEST_SETS), MOST_SETS)
    tensors = [operands(case) for _ in range(sets)]
    if case["causal"] is not None:
        tensors = [dict(t, removed=removed_by_causality(case)) for t in tensors]
    run = OPS[case["op"]]
    return median_us([lambda t=t: run(case, t) for t in tensors])


def main(cases_file, out_file):
    with open(cases_file) as f:
        cases = json.load(f)
    report = {"machine": torch.cuda.get_device_name(), "date": datetime.date.today().isoformat(),
              "torch": torch.__version__, "rows": []}
    failed = 0
    with torch.inference_mode():
        for case in cases:
            name = {key: case[key] for key in ("case", "op", "dtype", "shape")}
            try:
                report["rows"].append(dict(name, eager_us=measure(case)))
            except Exception as error:  # a case that cannot run must not hide the others
                print(f"{case['case']} {case['dtype']} {case['shape']}: {error}", file=sys.stderr)
                failed = 1
            torch.cuda.empty_cache()
    with open(out_file, "w") as f:
        json.dump(report, f, indent=1)
        f.write("\n")
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
