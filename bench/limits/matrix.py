#!/usr/bin/env python3
"""How precise limits are: every engine, search and store, at several limits.

    cargo build --release -p selvedge-cli
    python3 bench/limits/matrix.py target/release/selvedge [--only time|memory|signals] [--quick] [--results FILE]

For each row the model is one that no limit here is enough for. Printed is what was used: wall-clock time for
--time-limit, the peak of resident memory for --memory-limit, and by how much that is more than allowed. A row is
`over` where time is more than 5 % and more than 100 ms late, or memory more than 10 %; then the exit code is 1. A row whose run
ended for another reason says so. SIGINT and SIGTERM are sent after a second; the run must end within 200 ms.

Times and signals need an idle machine: they take 9 minutes and 1 minute. Memory does not depend on the load. Each result is appended to FILE at
once, and what FILE has for the same binary is not measured again, so that an interrupted run is resumed by the same command. At the end, the
results of FILE are printed as a table.
"""

import argparse
import hashlib
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


def symbolic():
    """Threads that shuffle many globals: relations over all of them, round by round."""
    names = [f"g{i}" for i in range(30)]
    moves = "\n".join(
        f"    {a} := {b} & !{c} | {c} & *;" for a, b, c in zip(names, names[7:] + names[:7], names[13:] + names[:13])
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


MODELS = {
    "counters.pml": COUNTERS,
    "atomic.pml": ATOMIC,
    "cycles.pml": CYCLES,
    "symbolic.bp": symbolic(),
    "net.spec": net(),
    "labels.pml": "active proctype p() {\n" + "".join(f"L{i}: skip;\n" for i in range(200_000)) + "assert(true) }\n",
    "variables.pml": "".join(f"byte v{i};\n" for i in range(600_000)) + "active proctype p() { assert(true) }\n",
}

ROWS = [
    ("layered", "counters.pml", []),
    ("layered compact", "counters.pml", ["--store", "compact"]),
    ("layered bitstate", "counters.pml", ["--store", "bitstate"]),
    ("dfs", "counters.pml", ["--search", "dfs"]),
    ("bfs", "counters.pml", ["--search", "bfs"]),
    ("spin", "counters.pml", ["--search", "spin", "--preemptions", "3"]),
    ("depth", "counters.pml", ["--depth", "1000000"]),
    ("cycles", "cycles.pml", []),
    ("atomic", "atomic.pml", []),
    ("lazy", "symbolic.bp", ["--engine", "symbolic", "--analysis", "lazy"]),
    ("eager", "symbolic.bp", ["--engine", "symbolic", "--analysis", "eager"]),
    ("dynamic", "net.spec", []),
    ("labels", "labels.pml", []),
    ("variables", "variables.pml", []),
]


TIMES, QUICK_TIMES = [1, 5, 30], [1, 5]
SIZES, QUICK_SIZES = [200, 1000, 4000], [200]
SIGNALS = [signal.SIGINT, signal.SIGTERM]
# Enough for every row to reach its memory on a busy machine.
LONGEST = "900s"


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


def measure_time(check, seconds):
    code, why, used, _ = run([*check, "--time-limit", f"{seconds}s", "--memory-limit", "6G"])
    more = used / seconds - 1
    over = why == "time-limit" and more > 0.05 and used - seconds > 0.1
    return {"limit": f"{seconds} s", "used": f"{used:.2f} s", "more": more, "exit": code, "stop": why, "over": over}


def measure_memory(check, size):
    code, why, seconds, used = run([*check, "--memory-limit", f"{size}M", "--time-limit", LONGEST])
    more = used / (size << 20) - 1
    result = {"limit": f"{size} MB", "used": f"{used >> 20} MB", "more": more, "exit": code, "stop": why, "over": more > 0.10}
    return {**result, "seconds": round(seconds, 1)}


def measure_signal(check, stop):
    code, why, used, _ = run(check, stop)
    return {"limit": stop.name, "used": f"{used * 1000:.0f} ms", "more": 0, "exit": code, "stop": why,
            "over": why == "interrupted" and used > 0.2}


def cases(options):
    """What to measure: kind, row, limit."""
    times, sizes = (QUICK_TIMES, QUICK_SIZES) if options.quick else (TIMES, SIZES)
    kinds = {"time": (measure_time, times), "memory": (measure_memory, sizes), "signals": (measure_signal, SIGNALS)}
    for kind, (measure, limits) in kinds.items():
        if options.only not in (None, kind):
            continue
        for row in ROWS:
            if options.row in (None, row[0]):
                yield from ((kind, row, measure, limit) for limit in limits)


EXPECTED = {"time": "time-limit", "memory": "memory-limit", "signals": "interrupted"}


def cell(result):
    """What was used; a run that ended for another reason has not met its limit."""
    if result["stop"] != EXPECTED[result["kind"]]:
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
            result = {"binary": name, "kind": kind, "row": row, **measure([binary, "check", model, "--no-save", *words], limit)}
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
