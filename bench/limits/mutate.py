#!/usr/bin/env python3
"""Mutated inputs of every format: no panic, signal, hang or overrun.

    python3 bench/limits/mutate.py target/release/selvedge [--inputs 100000] [--seed 1] [--jobs 2] [--first 0] [--keep DIR]

Takes the corpus (and traces and certificates that the command writes for it), damages each text a little, and runs a
random command with random options on it, `check` with a second of time and 200 MB of memory. Wrong is: an exit code other
than 0, 1, 2, 3, 4; a signal; a hang; more than 3 s of CPU time (not by the clock, see child.py: other work on the machine
causes no false alarm); more than 220 MB. Wrong inputs are kept. The exit code is 1 if there is one. `--first N` starts at
input N: together with the seed, the number of an input decides what it is.
"""

import argparse
import concurrent.futures
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import child

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENDINGS = {".pml", ".bp", ".pds", ".dcps", ".spec", ".tts"}
LIMITS = ["--time-limit", "1s", "--memory-limit", "200M"]
CPU_SECONDS, MEGABYTES = 3, 220
OPTIONS = {
    ".pml": [[], ["--search", "dfs"], ["--search", "bfs"], ["--store", "compact"], ["--store", "bitstate"],
             ["--preemptions", "2"], ["--switches", "2"], ["--rounds", "2"], ["--depth", "20"], ["--unbounded"],
             ["--search", "spin", "--preemptions", "1"], ["--optimize", "none"], ["--all-violations"], ["--continue"],
             ["--acceptance"], ["--non-progress"], ["--fair", "--acceptance"], ["--recheck", "full"], ["--no-claim"]],
    ".bp": [[], ["--engine", "explicit"], ["--analysis", "eager"], ["--analysis", "spds"], ["--print-reachable"],
            ["--error-projection"], ["--engine", "dynamic"], ["--deadlock", "--engine", "explicit"]],
    ".pds": [[], ["--engine", "explicit"], ["--rounds", "2"], ["--print-reachable"]],
    ".dcps": [[], ["--thread-switches", "1"], ["--strata", "1"], ["--engine", "explicit"], ["--fresh-switches", "--thread-switches", "1"]],
    ".spec": [[], ["--engine", "explicit"]],
    ".tts": [[], ["--engine", "explicit"]],
}
WORDS = ["0", "-1", "4294967296", "99999999999999999999", "{", "}", "(", ")", "::", ";", "->", "atomic", "do", "od", "if", "fi",
         "chan c = [65535] of { int }", "byte a[255];", "#include \"x\"", "#define A A A", "rule", "init", "target", "null",
         "[[[[", "\"", "\u0000", "\u001b[2J", "\n::error::x\n", "é", "while", "goto", "assert(0)", "typedef T { T x }"]


def damaged(text, chance):
    for _ in range(chance.choice([1, 1, 2, 3, 8])):
        at, to = sorted(chance.randrange(len(text) + 1) for _ in range(2)) if text else (0, 0)
        to = min(to, at + chance.choice([1, 3, 20, 200]))
        kind = chance.randrange(5)
        if kind == 0:
            text = text[:at] + text[to:]
        elif kind == 1:
            text = text[:at] + text[at:to] * chance.choice([2, 3, 50]) + text[to:]
        elif kind == 2:
            text = text[:at] + chance.choice(WORDS) + text[at:]
        elif kind == 3:
            text = text[:at] + chance.choice(WORDS) + text[to:]
        else:
            text = text[:at] + chr(chance.randrange(1, 256)) + text[at + 1:]
    return text


def command(ending, name, chance):
    if ending == ".json":
        return chance.choice([["replay", name], ["view", name, "-o", "out.html"], ["simulate", "--replay", name],
                              ["swarm", "merge", name], ["certify", "m.spec", name]])
    if chance.random() < 0.15:
        return ["simulate", name, "--seed", str(chance.randrange(100)), "--steps", "200"]
    form = chance.choice([[], ["--json"], ["--quiet"], ["--html", "o.html", "--sarif", "o.sarif"]])
    return ["check", name, *LIMITS, *chance.choice(OPTIONS[ending]), *form]


def one(binary, sources, seed, number, keep):
    chance = random.Random(f"{seed}-{number}")
    path, text = sources[chance.randrange(len(sources))]
    with tempfile.TemporaryDirectory(prefix="selvedge-mutate-") as directory:
        ending = pathlib.Path(path).suffix
        name = f"m{ending}"
        if ending == ".json":
            pathlib.Path(directory, "m.spec").write_text("vars a\nrules\na >= 1 -> a' = a - 1;\ninit\na = 1\ntarget\na >= 2\n")
        mutant = damaged(text, chance)
        pathlib.Path(directory, name).write_text(mutant, errors="replace")
        words = command(ending, name, chance)
        ran = child.run([binary, *words], directory, CPU_SECONDS)
        wrong = ran.defect(CPU_SECONDS, MEGABYTES)
    if wrong:
        kept = pathlib.Path(keep, f"{seed}-{number}{ending}")
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(mutant, errors="replace")
        wrong = f"{kept} (from {path}): selvedge {' '.join(words)}: {wrong}"
    return wrong, ran


def documents(binary):
    """Traces and a certificate to damage."""
    made = []
    with tempfile.TemporaryDirectory() as directory:
        for model in ["corpus/promela/classic/lost_update.pml", "corpus/boolprog/classic/lost_update.bp", "corpus/nets/race.tts"]:
            out = os.path.join(directory, "t.json")
            subprocess.run([binary, "check", model, "--trace-out", out, "--quiet"], cwd=ROOT, capture_output=True, check=False)
            made.append(("trace.json", pathlib.Path(out).read_text()))
        out = os.path.join(directory, "c.json")
        subprocess.run([binary, "check", "corpus/nets/mutual_exclusion.spec", "--certificate", out, "--quiet"], cwd=ROOT,
                       capture_output=True, check=False)
        made.append(("certificate.json", pathlib.Path(out).read_text()))
        answer = subprocess.run([binary, "check", "corpus/promela/classic/lost_update.pml", "--json", "--no-save"], cwd=ROOT,
                                capture_output=True, check=False)
        made.append(("answer.json", answer.stdout.decode()))
    return made


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--keep", default="target/mutated")
    options = parser.parse_args()
    binary = os.path.abspath(options.binary)
    files = sorted(path for path in (ROOT / "corpus").rglob("*") if path.suffix in ENDINGS and path.stat().st_size < 20_000)
    sources = [(str(path), path.read_text(errors="replace")) for path in files]
    sources += documents(binary) * (len(sources) // 40)
    wrong, megabytes, seconds = 0, 0, 0.0
    numbers = range(options.first, options.first + options.inputs)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda number: one(binary, sources, options.seed, number, options.keep), numbers)
        for number, (defect, ran) in enumerate(results, 1):
            megabytes, seconds = max(megabytes, ran.megabytes), max(seconds, ran.cpu_seconds)
            if defect:
                wrong += 1
                print(defect, flush=True)
            if number % 1000 == 0:
                print(f"{number} inputs, {wrong} wrong", file=sys.stderr, flush=True)
    print(f"{options.inputs} mutated inputs: {wrong} wrong; at most {megabytes} MB and {seconds:.1f} s of CPU time")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
