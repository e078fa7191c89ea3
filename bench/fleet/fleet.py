#!/usr/bin/env python3
"""A fleet that starts cold: what it compiles, moves and waits for, with nothing, with Redis and with a bundle.

fleet.py measure --rowsmith build/release/rowsmith --out measured.json
    Starts 8, 32, 64 and 128 real processes at once, each of which wants the same kernels of the null device: into a cache
    of its own (nothing), into one directory that all share (shared), and from a bundle (bundle). Fits what they did at
    8, 32 and 64 and compares its forecast with what 128 did.
fleet.py model [--nodes 10000 --kernels 200 ...]
    Simulates a fleet node by node and kernel by kernel.

Python 3.8 or later, its own library only. docs/fleet.md has the figures and what follows from them.
"""
import argparse
import fcntl
import heapq
import json
import math
import os
import random
import subprocess
import tempfile
import time

COUNTS = (8, 32, 64)
FORECAST = 128


# --- measuring -----------------------------------------------------------------------------------------------------

def write_manifest(path, kernels):
    with open(path, "w") as f:
        for width in range(64, 64 + 8 * kernels, 8):
            operands = [{"role": role, "dtype": "f16", "shape": [64, width]} for role in "xy"]
            f.write(json.dumps({"rowsmith": 1, "op": "softmax", "options": 0, "operands": operands}) + "\n")


def busy_seconds():
    """What all processes of this machine have used of its processors, since it started."""
    with open("/proc/stat") as f:
        user, nice, system, _, _, irq, softirq, steal = (int(word) for word in f.readline().split()[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def start_together(command, folder, environment, count):
    """Wall and processor seconds of `count` processes that begin at one moment, what each printed, and the processor seconds
    that the rest of the machine took meanwhile. {i} in a word is the process's number."""
    gate = os.path.join(folder, "gate")
    closed = os.open(gate, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(closed, fcntl.LOCK_EX)
    everything = dict(os.environ, **environment)
    children = []
    for i in range(count):
        pid = os.fork()
        if pid == 0:
            try:
                out = os.open(os.path.join(folder, "out%d" % i), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
                os.dup2(out, 1)
                fcntl.flock(os.open(gate, os.O_RDONLY), fcntl.LOCK_SH)
                os.execve(command[0], [word.replace("{i}", str(i)) for word in command], everything)
            finally:
                os._exit(127)
        children.append(pid)
    time.sleep(0.2)  # until the last of them stands at the gate
    start, busy = time.monotonic(), busy_seconds()
    fcntl.flock(closed, fcntl.LOCK_UN)
    cpu = 0.0
    for pid in children:
        _, ended, used = os.wait4(pid, 0)
        if ended != 0:
            raise SystemExit("a process ended with %d: %s" % (ended, " ".join(command)))
        cpu += used.ru_utime + used.ru_stime
    wall, others = time.monotonic() - start, max(0.0, busy_seconds() - busy - cpu)
    os.close(closed)
    answers = []
    for i in range(count):
        with open(os.path.join(folder, "out%d" % i)) as f:
            answers.append(json.load(f))
    return wall, cpu, others, answers


def measure_one(rowsmith, scenario, count, kernels, where):
    with tempfile.TemporaryDirectory(prefix="rowsmith-fleet-", dir=where) as folder:
        manifest = os.path.join(folder, "requests.jsonl")
        write_manifest(manifest, kernels)
        home = os.path.join(folder, "cache")
        warm = [rowsmith, "warm", manifest, "--target", "null", "--alignments", "recorded", "--jobs", "1", "--json"]
        environment = {"ROWSMITH_CACHE_DIR": home, "ROWSMITH_REMOTE": "", "ROWSMITH_SITE_DIRS": ""}
        if scenario == "bundle":
            site, file = os.path.join(folder, "site"), os.path.join(folder, "bundle")
            for step in (warm, [rowsmith, "cache", "export", file],
                         [rowsmith, "cache", "import", file, "--into", site]):
                subprocess.run(step, check=True, stdout=subprocess.DEVNULL, env=dict(os.environ, **environment))
            environment.update(ROWSMITH_CACHE_DIR=os.path.join(folder, "empty"), ROWSMITH_SITE_DIRS=site)
            command = [rowsmith, "cache", "coverage", manifest, "--target", "null", "--json"]
        else:
            command = warm + ["--cache-dir", home if scenario == "shared" else home + "{i}"]
        wall, cpu, others, answers = start_together(command, folder, environment, count)
        targets = [a["targets"][0] for a in answers]
        for t in targets:
            if t["kernels"] != kernels or t["present"] + t.get("built", 0) != kernels:
                raise SystemExit("a process is not warm: %s" % t)
        return {"scenario": scenario, "processes": count, "kernels": kernels, "cpu_s": cpu, "others_s": others,
                "wall_s": wall - others / os.cpu_count(),  # without what others took of the processors
                "compiles": sum(t.get("compiles", 0) for t in targets), "hits": sum(t["present"] for t in targets)}


def line(points):
    """a and b of y = a + b x through (x, y) by least squares: what is paid once, and by every process."""
    n, sx, sy = len(points), sum(x for x, _ in points), sum(y for _, y in points)
    b = (n * sum(x * y for x, y in points) - sx * sy) / (n * sum(x * x for x, _ in points) - sx * sx)
    return (sy - b * sx) / n, b


def measure(arguments):
    rows, forecasts = [], []
    for scenario in ("nothing", "shared", "bundle"):
        found = {}
        for count in COUNTS + (FORECAST,):
            runs = [measure_one(arguments.rowsmith, scenario, count, arguments.kernels, arguments.folder)
                    for _ in range(arguments.repeat)]
            found[count] = {key: sorted(r[key] for r in runs)[len(runs) // 2] for key in runs[0]}
            rows.append(found[count])
            print("%(scenario)-8s %(processes)4d processes: %(compiles)6d compiles, %(hits)6d hits, %(cpu_s)7.2f s of "
                  "processors, %(wall_s)6.2f s" % found[count], flush=True)
        for what in ("compiles", "cpu_s", "wall_s"):
            once, each = line([(n, found[n][what]) for n in COUNTS])
            guess, true = once + each * FORECAST, found[FORECAST][what]
            error = 0.0 if guess == true else (guess - true) / true
            forecasts.append({"scenario": scenario, "what": what, "once": once, "each": each, "forecast": guess, "measured": true,
                              "error": error})
            print("%-8s %-8s at %d: forecast %9.2f, measured %9.2f, off by %+.0f %%" %
                  (scenario, what, FORECAST, guess, true, 100 * error), flush=True)
    result = {"cores": os.cpu_count(), "load": os.getloadavg(), "rows": rows, "forecasts": forecasts}
    if arguments.out:
        with open(arguments.out, "w") as f:
            json.dump(result, f, indent=1)


# --- the model -----------------------------------------------------------------------------------------------------

def simulate(a, tier, outage=None, warmed=False):
    """Every node wants all kernels in the same order, and compiles `jobs` of them at a time. `warmed`: somebody filled the
    tier before."""
    draw = random.Random(1)
    published = [0.0 if warmed else math.inf] * a.kernels  # when a kernel is in the tier
    server_free, compiles, fetched, uploaded, refused = 0.0, 0, 0, 0, 0
    wire = a.kilobytes * 1e3 / (a.redis_gbit * 1e9 / 8)  # of the server, for one kernel
    compile_s = a.compile_s / a.jobs
    finished = []
    queue = [(draw.uniform(0, a.window_s), node, 0) for node in range(a.nodes)]
    arrived = sum(at for at, _, _ in queue)
    heapq.heapify(queue)
    while queue:
        now, node, k = heapq.heappop(queue)
        if k == a.kernels:
            finished.append(now)
            continue
        down = outage is not None and outage[0] <= now < outage[1]
        refused += down
        if tier and not down and published[k] <= now:
            start = max(now, server_free)
            if start - now < a.timeout_s:  # else the client gives up and compiles
                server_free = start + wire
                fetched += 1
                heapq.heappush(queue, (server_free + a.round_trip_s, node, k + 1))
                continue
            refused += 1
        compiles += 1
        done = now + compile_s
        if tier and not down and published[k] > done:
            published[k] = done + a.round_trip_s
            uploaded += 1
        heapq.heappush(queue, (done, node, k + 1))
    finished.sort()
    return {"compiles": compiles, "bytes": (fetched + uploaded) * a.kilobytes * 1e3, "refused": refused,
            "core_hours": compiles * a.compile_s / 3600, "last_s": finished[-1],
            "mean_s": (sum(finished) - arrived) / len(finished)}


def model(a):
    print("%d nodes x %d kernels of %.0f kB, %.2f s a compile, %d jobs a node, started over %.0f s; Redis: %.0f Gbit/s" %
          (a.nodes, a.kernels, a.kilobytes, a.compile_s, a.jobs, a.window_s, a.redis_gbit))
    print("%-26s %10s %10s %10s %14s %12s" % ("", "compiles", "core-hours", "GB moved", "node warm in s", "last at s"))

    def row(name, r):
        print("%-26s %10d %10.2f %10.2f %14.2f %12.1f" %
              (name, r["compiles"], r["core_hours"], r["bytes"] / 1e9, r["mean_s"], r["last_s"]))

    row("nothing", simulate(a, tier=False))
    row("Redis", simulate(a, tier=True))
    row("Redis, warmed before", simulate(a, tier=True, warmed=True))
    half = (a.window_s / 2, a.window_s)
    row("same, down in 2nd half", simulate(a, tier=True, outage=half, warmed=True))
    row("Redis, down in 2nd half", simulate(a, tier=True, outage=half))
    bundle = a.kernels * a.kilobytes * 1e3
    row("bundle", {"compiles": 0, "core_hours": 0, "bytes": a.nodes * bundle, "mean_s": a.kernels * a.lookup_s,
                   "last_s": a.window_s + a.kernels * a.lookup_s})
    print("bundle: one file of %.1f MB, shipped with the image; built once in %.1f s on %d cores" %
          (bundle / 1e6, a.kernels * a.compile_s / a.jobs, a.jobs))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    m = verbs.add_parser("measure")
    m.add_argument("--rowsmith", required=True, help="the command")
    m.add_argument("--kernels", type=int, default=200)
    m.add_argument("--repeat", type=int, default=5, help="the median of each figure counts")
    m.add_argument("--folder", default="/dev/shm" if os.path.isdir("/dev/shm") else None,
                   help="where the caches lie; /dev/shm when not given: the processes stand for nodes, and nodes have disks "
                        "of their own, while here all would wait for the syncs of one")
    m.add_argument("--out", help="JSON")
    s = verbs.add_parser("model")
    s.add_argument("--nodes", type=int, default=10000)
    s.add_argument("--kernels", type=int, default=200)
    s.add_argument("--jobs", type=int, default=2, help="compiles at a time on a node")
    s.add_argument("--compile-s", type=float, default=0.18, help="processor seconds of a compile")
    s.add_argument("--kilobytes", type=float, default=20, help="of a kernel's entry")
    s.add_argument("--window-s", type=float, default=60, help="over which the nodes start")
    s.add_argument("--redis-gbit", type=float, default=10)
    s.add_argument("--round-trip-s", type=float, default=0.0005)
    s.add_argument("--timeout-s", type=float, default=1.0)
    s.add_argument("--lookup-s", type=float, default=0.0001, help="reading one entry from a directory")
    arguments = parser.parse_args()
    measure(arguments) if arguments.verb == "measure" else model(arguments)


if __name__ == "__main__":
    main()
