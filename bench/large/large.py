#!/usr/bin/env python3
"""Selvedge beside pan on large models: CPU time and resident memory of whole runs, plain semantics on both sides.

    python3 bench/large/large.py [--pan] SELVEDGE MODEL...

For each model: the search without a bound (breadth-first and depth-first) and the layered search at bound 16. With --pan, pan
as well, compiled with -O2 and with its best flags (-O3 -march=native -DNOFAIR). States must agree. A ratio above 1 is in
our favour. Prints a Markdown table, ratios first, with the geometric mean and the worst case.
"""

import json
import math
import os
import re
import subprocess
import sys
import tempfile

PAN_FLAGS = {"-O2": ["-O2"], "best": ["-O3", "-march=native", "-DNOFAIR"]}
PLAIN = ["--language", "promela", "--no-claim", "--optimize", "none", "--continue", "--minimize", "none",
         "--recheck", "none", "--json"]
SEARCHES = {"bfs": ["--search", "bfs"], "dfs": ["--search", "dfs"], "bound 16": ["--preemptions", "16"]}


def measure(command, directory=None):
    """CPU seconds, peak resident bytes and output of a command."""
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(command, cwd=directory, stdout=output, stderr=subprocess.DEVNULL)
        _, _, usage = os.wait4(child.pid, 0)
        child.returncode = 0
        output.seek(0)
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, output.read().decode(errors="replace")


def ours(selvedge, model, options):
    seconds, memory, text = measure([selvedge, "check", model, *options, *PLAIN])
    stats = json.loads(text)["stats"]
    return {"seconds": seconds, "memory": memory, "states": stats["states"], "transitions": stats["transitions"]}


def pan(model, flags):
    with tempfile.TemporaryDirectory() as directory:
        generate = ["spin", "-o1", "-o2", "-o3", "-a", os.path.abspath(model)]
        subprocess.run(generate, cwd=directory, check=True, stdout=subprocess.DEVNULL)
        compiler = ["gcc", *flags, "-w", "-DNOREDUCE", "-DSAFETY", "-DMEMLIM=16000", "-o", "pan", "pan.c"]
        subprocess.run(compiler, cwd=directory, check=True)
        for depth in (100_000, 3_000_000, 30_000_000):
            seconds, memory, text = measure(["./pan", "-c0", "-n", "-w24", f"-m{depth}"], directory)
            if "max search depth too small" not in text:
                break
    states = int(re.search(r"(\d+) states, stored", text).group(1))
    return {"seconds": seconds, "memory": memory, "states": states}


def row(name, cells):
    print("| " + " | ".join([name, *cells]) + " |", flush=True)


def shown(ratios):
    """Geometric mean and worst case."""
    if not ratios:
        return "–", "–"
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    return f"{mean:.2f}", f"{min(ratios):.2f}"


def main():
    arguments = sys.argv[1:]
    with_pan = "--pan" in arguments
    selvedge, *models = [argument for argument in arguments if argument != "--pan"]
    heads = [f"pan {name} / bfs" for name in PAN_FLAGS] if with_pan else []
    heads += ["bfs / bound 16", "states", "transitions"]
    heads += [f"{name} s" for name in SEARCHES] + [f"{name} B a state" for name in SEARCHES]
    heads += [f"pan {name} s" for name in PAN_FLAGS] if with_pan else []
    row("model", heads)
    row("---", ["---:"] * len(heads))
    ratios = {}
    for model in models:
        found = {name: ours(selvedge, model, options) for name, options in SEARCHES.items()}
        peers = {name: pan(model, flags) for name, flags in PAN_FLAGS.items()} if with_pan else {}
        for name, other in [*found.items(), *peers.items()]:
            # At bound 16 there may be fewer.
            if name != "bound 16" and other["states"] != found["bfs"]["states"]:
                print(f"states of {model} differ: {name} {other['states']}", file=sys.stderr)
        bfs = found["bfs"]["seconds"]
        compared = {f"pan {name}": peer["seconds"] / bfs for name, peer in peers.items()}
        compared["bound"] = bfs / found["bound 16"]["seconds"]
        for name, ratio in compared.items():
            ratios.setdefault(name, []).append(ratio)
        figures = [f"{found['bfs']['states']:,}", f"{found['bfs']['transitions']:,}"]
        seconds = [f"{run['seconds']:.1f}" for run in found.values()]
        memory = [f"{run['memory'] / run['states']:.1f}" for run in found.values()]
        panned = [f"{peer['seconds']:.1f}" for peer in peers.values()]
        row(os.path.basename(model), [f"{r:.2f}" for r in compared.values()] + figures + seconds + memory + panned)
    for index, name in enumerate(("geometric mean", "worst")):
        cells = [shown(list_)[index] for list_ in ratios.values()]
        row(name, cells + [""] * (len(heads) - len(cells)))


if __name__ == "__main__":
    main()
