#!/usr/bin/env python3
"""How precise limits are: every engine, search and store, at several limits.

    cargo build --release -p selvedge-cli
    python3 bench/limits/matrix.py target/release/selvedge [--only time|memory|signals] [--row NAME] [--limit N] [--quick] [--results FILE]

For each row the model is one that no limit here is enough for. Printed is what was used: wall-clock time for
--time-limit, the peak of resident memory for --memory-limit, and by how much that is more than allowed. A row is
`over` where time is more than 5 % and more than 100 ms late, or memory more than 10 %; then the exit code is 1. A row whose run
ended for another reason says so. SIGINT and SIGTERM are sent after a second; the run must end within 200 ms.

Time and signals are measured by the clock, and on a busy machine a process also waits for a core when its time is over: a row that
is over is measured again, up to TRIES times in all, and the least counts; `tries` and the load average are noted in FILE. They take 14 minutes and 1 minute on an idle
machine. Memory does not depend on the load. Each result is appended to FILE at
once, and what FILE has for the same binary is not measured again, so that an interrupted run is resumed by the same command. At the end, the
results of FILE are printed as a table.
"""

import argparse
import hashlib
import itertools
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

COUNTERS = """
int a, b, c;
active proctype p() { do :: a++ :: b++ :: c++ :: assert(a != -1 || b != -1 || c != -1) od }
"""
ATOMIC = "int i; active proctype P() { atomic { do :: i++ od }; assert(i == 0) }\n"
CYCLES = COUNTERS + "ltl l { [] <> (a != -1) }\n"


def symbolic(size):
    """Threads that shuffle many globals: relations over all of them, round by round."""
    names = [f"g{i}" for i in range(size)]
    moves = "\n".join(
        f"    {a} := {b} & !{c} | {c} & *;" for a, b, c in zip(names, names[7:] + names[:7], names[size // 2:] + names[:size // 2])
    )
    threads = "".join(f"void thread{n}()\nbegin\nagain:\n{moves}\n    assert({' | '.join(names)} | !g0);\n    goto again;\nend\n"
                      for n in (1, 2, 3))
    return f"decl {', '.join(names)};\n{threads}"


def net():
    """Each level doubles: a run to the target has billions of steps."""
    levels = 40
    rules = "\n".join(f"l{i} >= 2 -> l{i}' = l{i} - 2, l{i + 1}' = l{i + 1} + 1;" for i in range(levels))
    more = "\n".join(f"l{i} >= 3 -> l{i}' = l{i} - 3, l{(i * 7 + 2) % levels}' = l{(i * 7 + 2) % levels} + 2;"
                     for i in range(levels) if (i * 7 + 2) % levels != i)
    start = ", ".join(f"l{i} = {2_000_000_000 if i == 0 else 0}" for i in range(levels + 1))
    return f"vars {' '.join(f'l{i}' for i in range(levels + 1))}\nrules\n{rules}\n{more}\ninit\n{start}\ntarget\nl{levels} >= 1\n"


# States of a few bytes, and few different steps: what the search packs.
PACKED = """
byte x[6];
active [6] proctype p() { do :: x[_pid]++ :: x[_pid] = x[(_pid + 1) % 6] od }
"""
# A violation that is soon found; everything after that takes long.
# Soon searched; the independent interpreter needs long.
HOLDS = """
byte a, b, c;
active proctype p() { do :: a < 90 -> a++ :: a == 90 -> a = 0 od }
active proctype q() { do :: b < 90 -> b++ :: b == 90 -> b = 0 od }
active proctype r() { do :: c < 90 -> c++ :: c == 90 -> c = 0; assert(a + b < 200) od }
"""
LONG_RUN = "int i;\nactive proctype p() { do :: i < 3000000 -> i++ :: else -> break od; assert(i == 0) }\n"


def network(locks):
    """Recursive threads that take locks and create others; whoever has a lock would have to see it free to reach the target."""
    rules = []
    for bits in itertools.product("fh", repeat=locks):
        state = "".join(bits)
        rules += [f"rule ({state}, main) -> ({state}, main) spawn w0", f"yield ({state}, main) -> ({state}, main)",
                  f"resume {state} -> {state} on main"]
        for i, bit in enumerate(bits):
            other = state[:i] + ("h" if bit == "f" else "f") + state[i + 1:]
            after = f"w{(i + 1) % locks}"
            rules += [f"rule ({state}, w{i}) -> ({other}, c{i} {after})", f"rule ({state}, c{i}) -> (t, c{i})"] \
                if bit == "f" else [f"rule ({state}, c{i}) -> ({other})"]
            rules += [f"rule ({state}, w{i}) -> ({state})", f"rule ({state}, w{i}) -> ({state}, {after} w{i})"]
            for letter in (f"w{i}", f"c{i}"):
                rules += [f"yield ({state}, {letter}) -> ({state}, {letter})", f"resume {state} -> {state} on {letter}"]
    return f"dcps\ninit {'f' * locks} main\ntarget t\n" + "\n".join(rules) + "\n"


MODELS = {
    "packed.pml": PACKED,
    "run.pml": LONG_RUN,
    "network.dcps": network(4),
    "small.bp": symbolic(12),
    "holds.pml": HOLDS,
    "counters.pml": COUNTERS,
    "atomic.pml": ATOMIC,
    "cycles.pml": CYCLES,
    "symbolic.bp": symbolic(30),
    "net.spec": net(),
    "labels.pml": "".join(f"active proctype p{p}() {{\n" + "".join(f"L{i}: skip;\n" for i in range(60_000)) + "assert(true) }\n"
                          for p in range(15)),
    "variables.pml": "".join(f"byte v{i};\n" for i in range(600_000)) + "active proctype p() { assert(true) }\n",
}

ROWS = [
    ("layered", "counters.pml", []),
    ("layered compact", "counters.pml", ["--store", "compact"]),
    ("layered bitstate", "counters.pml", ["--store", "bitstate"]),
    ("packed", "packed.pml", ["--preemptions", "20"]),
    ("packed bfs", "packed.pml", ["--search", "bfs", "--reduction", "none"]),
    ("packed dfs", "packed.pml", ["--search", "dfs", "--reduction", "none"]),
    ("interleaved", "packed.pml", []),
    ("rounds", "packed.pml", ["--rounds", "20"]),
    ("dfs", "counters.pml", ["--search", "dfs"]),
    ("bfs", "counters.pml", ["--search", "bfs"]),
    ("spin", "counters.pml", ["--search", "spin", "--preemptions", "3"]),
    ("depth", "counters.pml", ["--depth", "1000000"]),
    ("cycles", "cycles.pml", []),
    ("atomic", "atomic.pml", []),
    ("lazy", "symbolic.bp", ["--engine", "symbolic", "--analysis", "lazy"]),
    ("eager", "symbolic.bp", ["--engine", "symbolic", "--analysis", "eager"]),
    ("spds", "small.bp", ["--engine", "symbolic", "--analysis", "spds"]),
    ("dynamic", "net.spec", []),
    ("closure", "network.dcps", ["--thread-switches", "6"]),
    ("strata", "network.dcps", ["--strata", "8"]),
    ("run", "run.pml", ["--minimize", "none", "--unbounded", "--html", "o.html", "--sarif", "o.sarif", "--junit", "o.xml"]),
    ("recheck", "holds.pml", ["--recheck", "full", "--optimize", "none", "--reduction", "none", "--unbounded"]),
    ("swarm", "packed.pml", ["--workers", "2", "--jobs", "4"]),
    ("labels", "labels.pml", []),
    ("variables", "variables.pml", []),
]


COMMANDS = {"swarm": "swarm"}
TIMES, QUICK_TIMES = [1, 5, 30], [1, 5]
SIZES, QUICK_SIZES = [200, 1000, 4000], [200]
SIGNALS = [signal.SIGINT, signal.SIGTERM]
# Enough for every row to reach its memory on a busy machine.
LONGEST = "900s"
# How often a row is measured that is over by the clock.
TRIES = 3


def run(command, stop=None):
    """Exit code, why it stopped, seconds, peak of resident memory in bytes; `stop` is a signal to send after a second."""
    start = time.monotonic()
    child = subprocess.Popen([*command, "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if stop is not None:
        time.sleep(1)
        start = time.monotonic()
        # Not `send_signal`, which reaps a child that has ended.
        os.kill(child.pid, stop)
    text = child.stdout.read()
    _, status, used = os.wait4(child.pid, 0)
    seconds = time.monotonic() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    try:
        why = json.loads(text).get("stop", "refused")
    except ValueError:
        why = "no answer"
    return child.returncode, why, seconds, used.ru_maxrss * 1024


def least(measure):
    """Measures until a row is not over, which only waiting for a core may have made it; the least that was used."""
    best = None
    for tries in range(1, TRIES + 1):
        code, why, used, over = measure()
        if best is None or used < best["seconds"]:
            best = {"seconds": used, "exit": code, "stop": why, "over": over}
        if not over:
            break
    return {**best, "tries": tries, "load": os.getloadavg()[0]}


def measure_time(check, seconds):
    def measure():
        code, why, used, _ = run([*check, "--time-limit", f"{seconds}s", "--memory-limit", "6G"])
        return code, why, used, used > seconds * 1.05 and used - seconds > 0.1

    result = least(measure)
    return {"limit": f"{seconds} s", "used": f"{result['seconds']:.2f} s", "more": result["seconds"] / seconds - 1, **result}


def measure_memory(check, size):
    code, why, seconds, used = run([*check, "--memory-limit", f"{size}M", "--time-limit", LONGEST])
    more = used / (size << 20) - 1
    result = {"limit": f"{size} MB", "used": f"{used >> 20} MB", "more": more, "exit": code, "stop": why, "over": more > 0.10}
    return {**result, "seconds": round(seconds, 1)}


def measure_signal(check, stop):
    def measure():
        code, why, used, _ = run(check, stop)
        return code, why, used, why == "interrupted" and used > 0.2

    result = least(measure)
    return {"limit": stop.name, "used": f"{result['seconds'] * 1000:.0f} ms", "more": 0, **result}


def cases(options):
    """What to measure: kind, row, limit."""
    times, sizes = (QUICK_TIMES, QUICK_SIZES) if options.quick else (TIMES, SIZES)
    kinds = {"time": (measure_time, times), "memory": (measure_memory, sizes), "signals": (measure_signal, SIGNALS)}
    for kind, (measure, limits) in kinds.items():
        if options.only not in (None, kind):
            continue
        for row in ROWS:
            if options.row in (None, row[0]):
                yield from ((kind, row, measure, limit) for limit in limits if options.limit in (None, str(limit)))


EXPECTED = {"time": "time-limit", "memory": "memory-limit", "signals": "interrupted"}


# The verdict that is there before the limit stays, and a limit that ends the recheck is no reason why the search stopped.
KEEPS_VERDICT = {"recheck"}


def cell(result):
    """What was used; a run that ended for another reason has not met its limit."""
    kept = result["row"] in KEEPS_VERDICT and result["stop"] == "exhausted"
    if result["stop"] != EXPECTED[result["kind"]] and not kept:
        return f"({result['stop']})"
    return result["used"] + (" over" if result["over"] else "")


def line(result):
    more = f"{result['more']:>+7.1%}" if result["kind"] != "signals" else " " * 7
    return f"{result['row']:18} {result['limit']:>8} {result['used']:>10} {more}  {result['exit']} {cell(result)}"


def table(results):
    """The results as in docs/limits.md."""
    limits = list(dict.fromkeys(result["limit"] for result in results))
    lines = ["| search | " + " | ".join(limits) + " |", "| --- |" + " --- |" * len(limits)]
    for row, *_ in ROWS:
        used = {result["limit"]: cell(result) for result in results if result["row"] == row}
        if used:
            lines.append(f"| {row} | " + " | ".join(used.get(limit, "") for limit in limits) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--only", choices=["time", "memory", "signals"])
    parser.add_argument("--row", help="measure only this row")
    parser.add_argument("--limit", help="measure only this time in seconds or memory in megabytes")
    parser.add_argument("--quick", action="store_true", help="only 1 s, 5 s, 200 MB")
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path("target/limits.jsonl"))
    options = parser.parse_args()
    binary, path = os.path.abspath(options.binary), options.results.absolute()
    name = hashlib.sha256(pathlib.Path(binary).read_bytes()).hexdigest()[:16]
    known = [json.loads(text) for text in path.read_text().splitlines()] if path.exists() else []
    known = {(result["kind"], result["row"], result["limit"]): result for result in known if result["binary"] == name}
    os.chdir(tempfile.mkdtemp(prefix="selvedge-limits-"))
    for file, text in MODELS.items():
        pathlib.Path(file).write_text(text, encoding="utf-8")
    results = []
    for kind, (row, model, words), measure, limit in cases(options):
        shown = {"time": f"{limit} s", "memory": f"{limit} MB"}.get(kind) or limit.name
        result = known.get((kind, row, shown))
        if result is None:
            result = {"binary": name, "kind": kind, "row": row, **measure([binary, COMMANDS.get(row, "check"), model, "--no-save", *words], limit)}
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(result) + "\n")
        results.append(result)
        print(line(result), flush=True)
    failed = sum(result["over"] for result in results)
    print(f"{failed} rows are over\n\n{table(results)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
