#!/usr/bin/env python3
"""How precise limits are: every engine, search and store, at several limits.

    cargo build --release -p selvedge-cli
    python3 bench/limits/matrix.py target/release/selvedge [--quick]

For each row the model is one that no limit here is enough for. Printed is what was used: wall-clock time for
--time-limit, the peak of resident memory for --memory-limit, and by how much that is more than allowed. A row is
`over` where time is more than 5 % and more than 100 ms late, or memory more than 10 %; then the exit code is 1.
The last rows stop a run by SIGINT and SIGTERM: it must end within 200 ms.
"""

import os
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
    ("dfs compact", "counters.pml", ["--search", "dfs", "--store", "compact"]),
    ("dfs bitstate", "counters.pml", ["--search", "dfs", "--store", "bitstate"]),
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


def run(command, stop=None):
    """Exit code, seconds, peak of resident memory in bytes; `stop` is a signal to send after a second."""
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if stop is not None:
        time.sleep(1)
        start = time.monotonic()
        # Not `send_signal`, which reaps a child that has ended.
        os.kill(child.pid, stop)
    child.stdout.read()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, time.monotonic() - start, used.ru_maxrss * 1024


def main():
    binary, quick = os.path.abspath(sys.argv[1]), "--quick" in sys.argv
    times = [1, 5] if quick else [1, 5, 30]
    sizes = [200] if quick else [200, 1000, 4000]
    directory = tempfile.mkdtemp(prefix="selvedge-limits-")
    os.chdir(directory)
    for name, text in MODELS.items():
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
    failed = 0
    print(f"{'what':18} {'limit':>8} {'used':>10} {'more':>7}  exit")
    for what, model, options in ROWS:
        check = [binary, "check", model, "--no-save", "--quiet", *options]
        for seconds in times:
            code, used, _ = run([*check, "--time-limit", f"{seconds}s", "--memory-limit", "6G"])
            more = used / seconds - 1
            over = more > 0.05 and used - seconds > 0.1
            failed += over
            print(f"{what:18} {seconds:>6} s {used:>8.2f} s {more:>+7.1%}  {code}{'  over' if over else ''}", flush=True)
        for size in sizes:
            limit = size << 20
            code, seconds, used = run([*check, "--memory-limit", f"{size}M", "--time-limit", "120s"])
            more = used / limit - 1
            failed += more > 0.10
            over = "  over" if more > 0.10 else ""
            print(f"{what:18} {size:>5} MB {used >> 20:>7} MB {more:>+7.1%}  {code} ({seconds:.1f} s){over}", flush=True)
    for what, model, options in ROWS:
        for stop in (signal.SIGINT, signal.SIGTERM):
            code, used, _ = run([binary, "check", model, "--no-save", "--quiet", *options], stop)
            over = used > 0.2
            failed += over
            print(f"{what:18} {stop.name:>8} {used * 1000:>7.0f} ms {'':7}  {code}{'  over' if over else ''}", flush=True)
    print(f"{failed} rows are over")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
