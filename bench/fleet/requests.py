#!/usr/bin/env python3
"""Prints a manifest: the requests of a process that serves and trains language and vision models, every op among them.

requests.py [N]    the first N of them (all when not given)

    bench/fleet/requests.py > requests.jsonl
    time rowsmith warm requests.jsonl --target sm_80 --target sm_90 --target gfx906 --target gfx90a --alignments recorded --jobs 2 --cache-dir NEW
"""
import json
import sys

softmax_scale, additive_mask, keep_mask = 16, 12, 4  # options, as the op table has them
silu_of_x_times_in1 = [4294967297, 1, 281, 131138, 772]  # expressions, as the library writes them
gelu_of_x = [1, 27, 260]


def operand(role, dtype, shape, stride=None, **more):
    return {"role": role, "dtype": dtype, "shape": list(shape), **({"stride": stride} if stride else {}), **more}


def request(op, axis, operands, options=0, **more):
    return {"rowsmith": 1, "op": op, "axis": axis, "options": options, "device": "cuda", **more, "operands": operands}


def softmax(dtype, shape, op="softmax", mask=None, causal=False, scale=False):
    between = []
    if mask:
        between.append(operand("mask", dtype if mask == additive_mask else "b8", [1] * (len(shape) - 2) + list(shape[-2:])))
    if causal:
        stride = [0] * len(shape)
        stride[-2] = 1
        between.append(operand("causal", "i64", shape, stride))
    return request(op, -1, [operand("x", dtype, shape), *between, operand("y", dtype, shape)],
                   (mask or 0) | (softmax_scale if scale else 0))


def softmax_backward(dtype, shape, op="softmax_backward"):
    return request(op, -1, [operand(role, dtype, shape) for role in ("y", "dy", "dx")])


def norm(op, dtype, rows, width, bias=False, weight=None):
    """`weight`: its dtype where it is another one."""
    full, column = (rows, width), (width,)
    operands = [operand("x", dtype, full)]
    if op.startswith("add_"):
        operands.append(operand("residual", dtype, full))
    operands.append(operand("weight", weight or dtype, column))
    if bias:
        operands.append(operand("bias", weight or dtype, column))
    operands.append(operand("y", dtype, full))
    if op.startswith("add_"):
        operands.append(operand("sum", dtype, full))
    return request(op, 1, operands)


def norm_backward(op, dtype, rows, width):
    full, column = (rows, width), (width,)
    return request(op, 1, [operand("x", dtype, full), operand("dy", dtype, full), operand("weight", dtype, column),
                           operand("dx", dtype, full), operand("dweight", dtype, column)])


def gathered(op, dtype, rows, width, table):
    if op == "gather_rows":
        return request(op, 1, [operand("x", dtype, (table, width), rows_from=2), operand("y", dtype, (rows, width)),
                               operand("index", "i64", (rows, 1))])
    return request(op, 1, [operand("x", dtype, (table, width), rows_from=4), operand("weight", dtype, (width,)),
                           operand("bias", dtype, (width,)), operand("y", dtype, (rows, width)),
                           operand("index", "i64", (rows, 1))])


def elementwise(dtype, rows, width, two):
    operands = [operand("x", dtype, (rows, width))] + ([operand("in1", dtype, (rows, width))] if two else [])
    return request("elementwise", 1, operands + [operand("y", dtype, (rows, width))],
                   pre=silu_of_x_times_in1 if two else gelu_of_x)


def requests():
    hidden = (768, 1024, 4096, 5120, 8192)
    for dtype in ("f16", "bf16"):
        for keys in (197, 256, 512, 1024, 2048, 4096):  # attention
            yield softmax(dtype, (8, 16, keys, keys), causal=True, scale=True)
            yield softmax(dtype, (8, 16, keys, keys), mask=additive_mask, scale=True)
            yield softmax(dtype, (8, 16, keys, keys))
            yield softmax_backward(dtype, (8, 16, keys, keys))
        for keys in (49, 64, 144, 196):  # windows
            yield softmax(dtype, (940, 6, keys, keys), mask=keep_mask, scale=True)
            yield softmax(dtype, (940, 6, keys, keys))
        for experts in (8, 16, 160):  # routers
            yield softmax(dtype, (16384, experts))
        for width in hidden:
            yield norm("rms_norm", dtype, 16384, width)
            yield norm("add_rms_norm", dtype, 16384, width)
            yield norm("layer_norm", dtype, 16384, width, bias=True)
            yield norm("add_layer_norm", dtype, 16384, width, bias=True)
            yield norm("rms_norm", dtype, 16384, width, weight="f32")
        for width in hidden[:4]:
            yield norm_backward("rms_norm_backward", dtype, 16384, width)
            yield norm_backward("layer_norm_backward", dtype, 16384, width)
        for width in (192, 384, 768):
            yield gathered("layer_norm", dtype, 135360, width, 150528)
            yield gathered("gather_rows", dtype, 65536, width, 50257)
        yield elementwise(dtype, 16384, 14336, True)
        yield elementwise(dtype, 16384, 14336, False)
    for width in (1000, 32000, 50257, 128256):  # classes and vocabularies
        for dtype in ("f16", "bf16", "f32"):
            yield softmax(dtype, (2048, width), "log_softmax")
        yield softmax_backward("bf16", (2048, width), "log_softmax_backward")


def main():
    most = int(sys.argv[1]) if len(sys.argv) > 1 else sys.maxsize
    for number, one in enumerate(requests()):
        if number >= most:
            break
        print(json.dumps(one, separators=(",", ":")))


if __name__ == "__main__":
    main()
