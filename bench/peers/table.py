#!/usr/bin/env python3
"""table.py H200.json [PEERS.json]: the rows of one run as a table, each with a verdict. A report: it always ends with 0.

goal     the case's goal is reached: × copy, or a time where it is one
floor    below the goal, not below the floor: 0.8 × copy; 0.7 for rows of more than 32768 elements, or of a number of them
         that is no multiple of 8
BELOW    below the floor
SLOWER   slower than PyTorch eager in the same run
"""
import json
import sys

LARGE, PACK = 32768, 8


def floor_of(row):
    width = int(row["shape"].split("x")[-1])
    return 0.7 if width > LARGE or width % PACK != 0 else 0.8


def verdict(row, eager_us):
    timed = row["goal_us"] > 0
    words = []
    if row["ours_us"] <= row["goal_us"] if timed else row["x_copy"] >= row["goal"]:
        words.append("goal")
    elif timed or row["x_copy"] >= floor_of(row):
        words.append("floor" if not timed else "over goal")
    else:
        words.append(f"BELOW {floor_of(row)}")
    if eager_us is not None and row["ours_us"] > eager_us:
        words.append("SLOWER than eager")
    return ", ".join(words)


def key(row):
    return row["case"], row["op"], row["dtype"], row["shape"]


def main(ours_file, peers_file=None):
    with open(ours_file) as f:
        ours = json.load(f)
    eager = {}
    if peers_file:
        with open(peers_file) as f:
            eager = {key(row): row["eager_us"] for row in json.load(f)["rows"]}
    print(f"{ours['machine']}, {ours['date']}")
    print(f"{'case':<29} {'op':<16} {'dtype':<8} {'shape':<20} {'strategy':<9} {'ours us':>9} {'copy us':>9} {'eager us':>9} "
          f"{'naive us':>10} {'empty':>5} {'GB/s':>5} {'x copy':>6} {'x eager':>7} {'goal':>6}  verdict")
    verdicts = []
    for row in ours["rows"]:
        copy_us = row["ours_us"] * row["x_copy"]
        eager_us = eager.get(key(row))
        verdicts.append(verdict(row, eager_us))
        goal = f"{row['goal_us']:.2f}us" if row["goal_us"] > 0 else f"{row['goal']:.2f}"
        eager_text, gain = (f"{eager_us:9.2f}", f"{eager_us / row['ours_us']:7.2f}") if eager_us else ("-", "-")
        naive = f"{row['naive_us']:10.1f}" if row["naive_us"] > 0 else "-"
        print(f"{row['case']:<29} {row['op']:<16} {row['dtype']:<8} {row['shape']:<20} {row['strategy']:<9} {row['ours_us']:9.2f} "
              f"{copy_us:9.2f} {eager_text:>9} {naive:>10} {row['empty_us']:5.2f} {row['ours_gbps']:5.0f} {row['x_copy']:6.3f} "
              f"{gain:>7} {goal:>6}  {verdicts[-1]}")
    count = {word: sum(word in v for v in verdicts) for word in ("goal", "over goal", "BELOW", "SLOWER")}
    compared = sum(key(row) in eager for row in ours["rows"])
    print(f"{len(verdicts)} rows: {count['goal'] - count['over goal']} reach their goal, {count['BELOW']} are below the floor; "
          f"of {compared} beside eager {count['SLOWER']} are slower")


if __name__ == "__main__":
    main(*sys.argv[1:3])
