#!/usr/bin/env python3
"""An hour of random models of every language through every command.

    python3 bench/limits/soak.py target/release/selvedge [--minutes 60] [--seed 1] [--keep DIR]

Each turn writes a random model in a directory of its own and runs `check` with random options, two seconds and 200 MB on
it, `simulate`, now and then `swarm`; if there is a violation, `replay` and `view` of the trace that `check` has saved.
Wrong is: an exit code other than 0, 1, 2, 3, 4; a signal; a hang; more than 220 MB; four seconds of CPU time in a `check` that
may take two (not by the clock, see child.py: other work on the machine causes no false alarm), ten in any other command; a trace that `replay` does not confirm; a file
that nobody asked for, a temporary file, or a process that is left. What is wrong is kept and printed at once. Models and options depend on the seed alone. The exit code is 1 if anything was wrong.
"""

import argparse
import os
import pathlib
import random
import re
import shutil
import sys
import tempfile
import time
from collections import Counter

import child

SECONDS, MEGABYTES = 2, 200
LIMITS = ["--time-limit", f"{SECONDS}s", "--memory-limit", f"{MEGABYTES}M"]


def promela(chance):
    names = ["x", "y", "z"][:chance.randint(1, 3)]
    types = ["byte", "int", "bit", "short", "bool"]
    head = "".join(f"{chance.choice(types)} {name};\n" for name in names)
    head += "chan c = [%d] of { byte };\n" % chance.randint(0, 3)

    def statement(depth):
        name, other, number = chance.choice(names), chance.choice(names), chance.randint(0, 3)
        simple = [f"{name} = {number}", f"{name} = {other}", f"{name}++", f"{name}--", f"({name} == {number})",
                  f"assert({name} != {number} || {other} == {number})", f"c!{number}", f"c?{name}", "skip", "printf(\"%d\\n\", x)"]
        if depth == 0 or chance.random() < 0.6:
            return chance.choice(simple)
        body = "; ".join(statement(depth - 1) for _ in range(chance.randint(1, 3)))
        options = " ".join(f":: {statement(depth - 1)} -> {statement(depth - 1)}" for _ in range(chance.randint(1, 3)))
        return chance.choice([f"atomic {{ {body} }}", f"if {options} :: else fi", f"do {options} :: break od", f"{{ {body} }}"])

    processes = ""
    for number in range(chance.randint(1, 3)):
        body = ";\n  ".join(statement(2) for _ in range(chance.randint(1, 6)))
        processes += f"active [{chance.randint(1, 2)}] proctype p{number}() {{\n  {body}\n}}\n"
    formula = chance.choice(["[] (x < 3)", "<> (x == 1)", "[] <> (x == 0)", "(x == 0) U (x == 1)"])
    return head + processes + (f"ltl f {{ {formula} }}\n" if chance.random() < 0.3 else "")


def boolean(chance):
    names = [f"g{i}" for i in range(chance.randint(1, 6))]
    local = ["a", "b"]

    def expression(depth):
        if depth == 0 or chance.random() < 0.4:
            return chance.choice([*names, *local, "*", "T", "F"])
        return chance.choice([f"!{expression(depth - 1)}",
                              f"({expression(depth - 1)} {chance.choice(['&', '|', '^', '='])} {expression(depth - 1)})"])

    def statement(depth):
        target = chance.choice([*names, *local])
        if depth and chance.random() < 0.3:
            return f"if ({expression(1)}) then {statement(depth - 1)} else {statement(depth - 1)} fi"
        return chance.choice([f"{target} := {expression(2)};", f"assume({expression(1)});", "skip;", "f(a, b);",
                              f"assert({expression(2)});"])

    def body():
        return "\n".join(statement(1) for _ in range(chance.randint(1, 5)))

    threads = "".join(f"void thread{n + 1}()\nbegin\ndecl a, b;\n{body()}\nend\n" for n in range(chance.randint(1, 3)))
    calls = body() if chance.random() < 0.2 else "\n".join(line for line in body().splitlines() if "f(a" not in line) or "skip;"
    return f"decl {', '.join(names)};\nvoid f(a, b)\nbegin\n{calls}\nend\n{threads}"


def pushdown(chance):
    states, letters = [f"p{i}" for i in range(4)], ["a", "b", "d"]
    text = "pds\ninit p0\ntarget p3\n"
    for number in range(chance.randint(1, 3)):
        text += f"thread T{number} entry a\n"
        for _ in range(chance.randint(1, 6)):
            stack = " ".join(chance.choice(letters) for _ in range(chance.randint(0, 2)))
            after = f"({chance.choice(states)}, {stack})" if stack else f"({chance.choice(states)})"
            text += f"  ({chance.choice(states)}, {chance.choice(letters)}) -> {after}\n"
    return text


def network(chance):
    states, letters = ["s", "t", "u"], ["a", "b", "d"]
    text = "dcps\ninit s a\ntarget u\n"
    for _ in range(chance.randint(2, 8)):
        source = f"({chance.choice(states)}, {chance.choice(letters)})"
        target, letter = chance.choice(states), chance.choice(letters)
        text += chance.choice([f"rule {source} -> ({target}, {letter})\n", f"rule {source} -> ({target}, {letter}) spawn {letter}\n",
                               f"yield {source} -> ({target}, {letter})\n", f"yield {source} -> ({target})\n",
                               f"resume {chance.choice(states)} -> {target} on {letter}\n"])
    return text


def net(chance):
    places = [f"l{i}" for i in range(chance.randint(2, 6))]
    rules = ""
    for _ in range(chance.randint(1, 8)):
        source, target = chance.sample(places, 2)
        take, give = chance.randint(1, 2), chance.randint(1, 2)
        rules += f"{source} >= {take} -> {source}' = {source} - {take}, {target}' = {target} + {give};\n"
    start = ", ".join(f"{place} = {chance.randint(0, 3)}" for place in places)
    return f"vars\n{' '.join(places)}\nrules\n{rules}init\n{start}\ntarget\n{chance.choice(places)} >= {chance.randint(1, 9)}\n"


def transitions(chance):
    shared, local = chance.randint(2, 4), chance.randint(2, 4)
    text = f"{shared} {local}\n"
    for _ in range(chance.randint(1, 8)):
        arrow = chance.choice(["->", "->", "+>", "~>"])
        text += f"{chance.randrange(shared)} {chance.randrange(local)} {arrow} {chance.randrange(shared)} {chance.randrange(local)}\n"
    return text


LANGUAGES = {
    "pml": (promela, [[], ["--search", "dfs"], ["--search", "bfs"], ["--store", "compact"], ["--preemptions", "2"], ["--switches", "3"],
                      ["--unbounded"], ["--depth", "12"], ["--all-violations"], ["--recheck", "full"], ["--acceptance"], ["--non-progress"]]),
    "bp": (boolean, [[], ["--engine", "explicit"], ["--analysis", "eager"], ["--rounds", "2"], ["--print-reachable"], ["--engine", "dynamic"]]),
    "pds": (pushdown, [[], ["--engine", "explicit"], ["--rounds", "2"]]),
    "dcps": (network, [[], ["--thread-switches", "1"], ["--strata", "1"], ["--engine", "explicit"]]),
    "spec": (net, [[], ["--engine", "explicit"], ["--certificate", "c.json"]]),
    "tts": (transitions, [[], ["--engine", "explicit"]]),
}
OUTPUTS = [[], [], ["--json"], ["--html", "t.html", "--sarif", "t.sarif"], ["--junit", "t.xml", "--quiet"]]


class Wrong(Exception):
    pass


class Soak:
    def __init__(self, binary, keep):
        self.binary, self.keep = binary, keep
        self.exits, self.most, self.wrong, self.unsaved, self.errors = Counter(), Counter(), 0, 0, b""

    def run(self, directory, *words, limit=MEGABYTES):
        """Runs a command in a session of its own; its exit code."""
        seconds = 2 * SECONDS if words[0] == "check" else 10
        ran, line = child.run([self.binary, *words], directory, seconds), " ".join(words)
        self.exits[words[0], ran.code] += 1
        if words[0] == "check":
            self.errors = ran.errors
        self.most[words[0]] = max(self.most[words[0]], ran.megabytes)
        wrong = ran.defect(seconds, limit * 1.1)
        if wrong:
            raise Wrong(f"{line}: {wrong}")
        try:
            os.killpg(ran.group, 0)
        except ProcessLookupError:
            return ran.code
        raise Wrong(f"{line}: a process is left")

    def turn(self, chance, ending, directory):
        make, options = LANGUAGES[ending]
        model, asked = f"m.{ending}", {".selvedge", "c.json", "t.html", "t.sarif", "t.xml", "v.html"}
        pathlib.Path(directory, model).write_text(make(chance), encoding="utf-8")
        if ending == "tts":
            pathlib.Path(directory, "m.prop").write_text(f"{chance.randrange(2)}|{chance.randrange(2)},{chance.randrange(2)}\n")
        code = self.run(directory, "check", model, *LIMITS, *chance.choice(options), *chance.choice(OUTPUTS))
        self.run(directory, "simulate", model, "--seed", str(chance.randrange(1000)), "--steps", "300")
        # A swarm searches Promela models only.
        if ending == "pml" and chance.random() < 0.2:
            self.run(directory, "swarm", model, "--workers", "2", "--jobs", "4", "--time-limit", "1s", "--memory-limit", "200M")
        saved = sorted(pathlib.Path(directory, ".selvedge").glob("*.json"))
        if code == 1 and not saved:
            # By the clock, a busy machine leaves no time for it; then the answer says so.
            if b"ended before the run was written" not in self.errors:
                raise Wrong("the violation was not saved")
            self.unsaved += 1
        for trace in saved[:2]:
            if self.run(directory, "replay", str(trace.relative_to(directory))) not in (0, 1):
                raise Wrong(f"replay does not confirm {trace.name}")
            if self.run(directory, "view", str(trace.relative_to(directory)), "-o", "v.html") != 0:
                raise Wrong(f"no view of {trace.name}")
            if not pathlib.Path(directory, "v.html").read_text(encoding="utf-8").rstrip().endswith("</html>"):
                raise Wrong("the view is cut")
        # Several violations have numbered files.
        found = {re.sub(r"\.\d+\.", ".", path.name) for path in pathlib.Path(directory).iterdir()} - {model, "m.prop"} - asked
        found |= {path.name for path in pathlib.Path(directory, ".selvedge").glob("*") if path.suffix != ".json" and path.name != ".gitignore"}
        if found:
            raise Wrong(f"files are left: {', '.join(sorted(found))}")

    def soak(self, minutes, seed):
        end, number = time.monotonic() + 60 * minutes, 0
        while time.monotonic() < end:
            number += 1
            chance = random.Random(f"{seed}-{number}")
            ending = chance.choice(list(LANGUAGES))
            directory = tempfile.mkdtemp(prefix="selvedge-soak-")
            try:
                self.turn(chance, ending, directory)
            except Wrong as wrong:
                self.wrong += 1
                kept = pathlib.Path(self.keep, f"{seed}-{number}")
                shutil.copytree(directory, kept, dirs_exist_ok=True)
                print(f"{kept}: {wrong}", flush=True)
            shutil.rmtree(directory)
            if number % 500 == 0:
                print(f"{number} models, {sum(self.exits.values())} runs, {self.wrong} wrong", file=sys.stderr, flush=True)
        return number


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", default="target/soak")
    options = parser.parse_args()
    soak = Soak(os.path.abspath(options.binary), options.keep)
    models = soak.soak(options.minutes, options.seed)
    print(f"{models} models, {sum(soak.exits.values())} runs in {options.minutes:g} minutes: {soak.wrong} wrong")
    if soak.unsaved:
        print(f"{soak.unsaved} runs were found so late that they were not written, which the answer says")
    for command in sorted(soak.most):
        codes = ", ".join(f"{count} × {code}" for (name, code), count in sorted(soak.exits.items()) if name == command)
        print(f"{command}: exit codes {codes}; at most {soak.most[command]} MB")
    return 1 if soak.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
