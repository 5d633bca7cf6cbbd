#!/usr/bin/env python3
"""How precise limits are: every engine, search and store, at several limits.

    cargo build --release -p selvedge-cli
    python3 bench/limits/matrix.py target/release/selvedge [--only time|memory|signals] [--row NAME] [--limit N] [--quick] [--results FILE]

For each row the model is one that no limit here is enough for; where there is much memory, one whose states are large (LARGE). Printed is what was used: wall-clock time for
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
import threading
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


def net(levels=40):
    """Each level doubles: a run to the target has billions of steps."""
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
# Soon searched; the independent interpreter needs long.
HOLDS = """
byte a, b, c;
active proctype p() { do :: a < 90 -> a++ :: a == 90 -> a = 0 od }
active proctype q() { do :: b < 90 -> b++ :: b == 90 -> b = 0 od }
active proctype r() { do :: c < 90 -> c++ :: c == 90 -> c = 0; assert(a + b < 200) od }
"""
# A violation that is soon found; everything after that takes long.
LONG_RUN = "int i;\nactive proctype p() { do :: i < 3000000 -> i++ :: else -> break od; assert(i == 0) }\n"


# The same searches on states of some kilobytes, which differ from the initial one in every byte: a million of them are gigabytes.
FAT = 2000
FILL = f"d_step {{ i = 0; do :: i < {FAT} -> pad[i] = 1 + i % 255; i++ :: else -> break od; i = 0 }};"
FAT_COUNTERS = f"""
byte pad[{FAT}];
int a, b;
active proctype p() {{ int i; {FILL} do :: a++ :: b++ :: a + b < 0 -> assert(pad[a & 1023] != 0) od }}
"""
FAT_CYCLES = FAT_COUNTERS + "ltl l { [] <> (a != -1) }\n"
FAT_PROCESSES = f"""
byte pad[{FAT}];
int x[3];
active proctype p() {{ int i; {FILL} do :: x[0]++ :: x[0] < 0 -> assert(pad[x[1] & 1023] != 0) od }}
active [2] proctype q() {{ do :: x[_pid]++ od }}
"""
FAT_ATOMIC = f"""
byte pad[{FAT}];
int n;
active proctype p() {{ int i; {FILL} atomic {{ do :: n++ od }}; assert(pad[n & 1023] != 0) }}
"""


def fat_run(megabytes):
    """The search takes half of the memory; the run that it finds does not fit into the other half."""
    return f"""
byte pad[{FAT}];
int n;
active proctype p() {{ int i; {FILL} do :: n < {200 * megabytes} -> n++ :: else -> break od; assert(pad[n & 1023] == 0) }}
"""



def fat_holds(megabytes):
    """The search takes less than half of the memory; the states of the interpreter do not fit into the rest."""
    fill = FILL.replace(str(FAT), str(megabytes // 2))
    return f"""
byte pad[{megabytes // 2}];
byte a, b, c;
active proctype p() {{ int i; {fill} do :: a < 40 -> a++ :: a == 40 -> a = 0 od }}
active proctype q() {{ do :: b < 40 -> b++ :: b == 40 -> b = 0 od }}
active proctype r() {{ do :: c < 40 -> c++ :: c == 40 -> c = 0; assert(pad[a] + b < 600) od }}
"""


# Packed states of as many bits as there can be: each byte that was seen with two values takes one.
WIDE = """
byte pad[76];
byte a, b, c, d, e;
active proctype p() {
    d_step { do :: a < 76 -> pad[a] = 1; a++ :: else -> break od; a = 0 };
    do
    :: a < 250 -> a++
    :: else -> a = 0; if :: b < 250 -> b++ :: else -> b = 0; if :: c < 250 -> c++ :: else -> c = 0; d++; assert(pad[d & 63] == 1) fi fi
    od
}
active proctype q() { do :: e < 3 -> e++ :: else -> e = 0 od }
"""


def unequal(size):
    """Two vectors that are equal, in an order of variables in which the diagram doubles with each pair."""
    names = [[f"{letter}{number}" for number in range(size)] for letter in "ab"]
    pairs = " & ".join(f"({a} = {b})" for a, b in zip(*names))
    return f"decl {', '.join(names[0] + names[1])};\nvoid thread1()\nbegin\n    assume({pairs});\n    assert(a0 | !b0);\nend\n" \
           "void thread2()\nbegin\n    a0 := !a0;\n    b0 := !b0;\nend\n"


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


def labels(processes):
    """Processes of as many labelled statements as one may have, line by line."""
    for process in range(processes):
        yield f"active proctype p{process}() {{\n"
        yield from (f"L{i}: skip;\n" for i in range(60_000))
        yield "assert(true) }\n"


def variables(count):
    yield from (f"byte v{i};\n" for i in range(count))
    yield "active proctype p() { assert(true) }\n"


# Large ones are written line by line: the kernel counts the memory of this process at its start as that of each command.
MODELS = {
    "packed.pml": PACKED,
    "processes.pml": PACKED,
    "run.pml": LONG_RUN,
    "network.dcps": network(4),
    "small.bp": symbolic(12),
    "holds.pml": HOLDS,
    "fat.pml": FAT_COUNTERS,
    "fat_cycles.pml": FAT_CYCLES,
    "fat_processes.pml": FAT_PROCESSES,
    "fat_atomic.pml": FAT_ATOMIC,
    "run_of_1000.pml": fat_run(1000),
    "run_of_4000.pml": fat_run(4000),
    "holds_in_1000.pml": fat_holds(1000),
    "holds_in_4000.pml": fat_holds(4000),
    "wide.pml": WIDE,
    "unequal.bp": unequal(30),
    "counters.pml": COUNTERS,
    "atomic.pml": ATOMIC,
    "cycles.pml": CYCLES,
    "symbolic.bp": symbolic(30),
    "net.spec": net(),
    "large.spec": net(400),
    "large.dcps": network(6),
    "large.bp": symbolic(14),
    "labels.pml": lambda: labels(15),
    "more_labels.pml": lambda: labels(60),
    "variables.pml": lambda: variables(600_000),
    "more_variables.pml": lambda: variables(2_400_000),
}

# What takes the place of a model where there is more memory, so that it is used up within two minutes.
LARGE = {
    "counters.pml": "fat.pml",
    "cycles.pml": "fat_cycles.pml",
    "processes.pml": "fat_processes.pml",
    "packed.pml": "wide.pml",
    "atomic.pml": "fat_atomic.pml",
    "run.pml": "run_of_{}.pml",
    "holds.pml": "holds_in_{}.pml",
    "symbolic.bp": "unequal.bp",
    "small.bp": "large.bp",
    "net.spec": "large.spec",
    "network.dcps": "large.dcps",
    "labels.pml": "more_labels.pml",
    "variables.pml": "more_variables.pml",
}
# From this size on, in megabytes; models that fill even the least memory slowly are always replaced, and models that are read in less
# than 30 s are where there is that much time.
LARGE_SIZE = 1000
SLOW = {"symbolic.bp", "small.bp", "net.spec", "network.dcps"}
LARGE_TIME = {"small.bp", "labels.pml", "variables.pml"}

ROWS = [
    ("layered", "counters.pml", []),
    ("layered compact", "counters.pml", ["--store", "compact"]),
    ("layered bitstate", "counters.pml", ["--store", "bitstate"]),
    ("packed", "packed.pml", ["--preemptions", "20"]),
    ("packed bfs", "packed.pml", ["--search", "bfs", "--reduction", "none"]),
    ("packed dfs", "packed.pml", ["--search", "dfs", "--reduction", "none"]),
    ("interleaved", "packed.pml", []),
    ("rounds", "processes.pml", ["--rounds", "20"]),
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
    ("swarm", "processes.pml", ["--workers", "2", "--jobs", "4"]),
    ("labels", "labels.pml", []),
    ("variables", "variables.pml", []),
]


COMMANDS = {"swarm": "swarm"}
TIMES, QUICK_TIMES = [1, 5, 30], [1, 5]
SIZES, QUICK_SIZES = [200, 1000, 4000], [200]
SIGNALS = [signal.SIGINT, signal.SIGTERM]
# Enough for every row to reach its memory on a busy machine.
LONGEST = "900s"
# Where memory ends the exploration by the interpreter, random runs of it follow, which take little: they need not end.
LONGEST_RECHECK = "180s"
# How often a row is measured that is over by the clock.
TRIES = 3


def resident(process):
    """What is resident now of a process and its children, in bytes."""
    try:
        children = [each for of in pathlib.Path(f"/proc/{process}/task").glob("*/children") for each in of.read_text().split()]
        pages = sum(int(pathlib.Path(f"/proc/{each}/statm").read_text().split()[1]) for each in [process, *children])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def watch(process, over, most):
    """Adds what is resident of a process and its children to `most`, every now and then, until it is over."""
    while not over.wait(0.02):
        most[0] = max(most[0], resident(process))


def run(command, stop=None):
    """Exit code, why it stopped, seconds, peak of resident memory in bytes; `stop` is a signal to send after a second."""
    start = time.monotonic()
    child = subprocess.Popen([*command, "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    over, most = threading.Event(), [0]
    # A swarm has several processes, and the kernel knows the peak of each, not of all.
    if command[1] == "swarm" and stop is None:
        threading.Thread(target=watch, args=(child.pid, over, most)).start()
    if stop is not None:
        time.sleep(1)
        start = time.monotonic()
        # Not `send_signal`, which reaps a child that has ended.
        os.kill(child.pid, stop)
    text = child.stdout.read()
    _, status, used = os.wait4(child.pid, 0)
    seconds = time.monotonic() - start
    over.set()
    child.returncode = os.waitstatus_to_exitcode(status)
    try:
        why = json.loads(text).get("stop", "refused")
    except ValueError:
        why = "no answer"
    return child.returncode, why, seconds, max(used.ru_maxrss * 1024, *most)


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
    longest = LONGEST_RECHECK if "--recheck" in check else LONGEST
    code, why, seconds, used = run([*check, "--memory-limit", f"{size}M", "--time-limit", longest])
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


def model_for(kind, model, limit):
    """The model of a row, or the larger one."""
    large = kind == "memory" and (limit >= LARGE_SIZE or model in SLOW)
    large |= kind == "time" and limit >= max(TIMES) and model in LARGE_TIME
    return LARGE.get(model, model).format(limit) if large else model


def written(model):
    """The file of a model, which is written when it is needed first."""
    if not os.path.exists(model):
        with open(model, "w", encoding="utf-8") as file:
            text = MODELS[model]
            file.writelines(text() if callable(text) else [text])
    return model


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
    results = []
    for kind, (row, model, words), measure, limit in cases(options):
        shown = {"time": f"{limit} s", "memory": f"{limit} MB"}.get(kind) or limit.name
        result = known.get((kind, row, shown))
        if result is None:
            command = [binary, COMMANDS.get(row, "check"), written(model_for(kind, model, limit)), "--no-save", *words]
            result = {"binary": name, "kind": kind, "row": row, **measure(command, limit)}
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
