#!/usr/bin/env python3
"""Partial-order reduction beside Spin's: transitions of a complete search.

    python3 bench/reduction/reduction.py target/release/selvedge MODEL… [--bound 16] [--factor 1.2]

For each model `pan -DSAFETY -c0` with reduction, `selvedge check --no-claim --continue --reduction por` depth first without
a bound, and layer by layer within a bound on preemptions, with and without reduction. Prints a table. The exit code is 1 if
a search without a bound makes more than `--factor` times Spin's transitions.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile


def run(command, directory=None):
    return subprocess.run(command, cwd=directory, capture_output=True, text=True, errors="replace", check=False).stdout


def spin(model):
    """Transitions of pan with reduction; `None` if it gives no summary."""
    with tempfile.TemporaryDirectory(prefix="selvedge-reduction-") as directory:
        place = os.path.join(directory, "m")
        shutil.copytree(os.path.dirname(model), place, symlinks=False)
        run(["spin", "-a", os.path.basename(model)], place)
        run(["gcc", "-O2", "-w", "-DSAFETY", "-o", "pan", "pan.c"], place)
        output = run(["./pan", "-c0", "-m1000000"], place)
    found = re.search(r"(\d+) transitions", output)
    # pan counts one for the initial state.
    return int(found.group(1)) if found else None


def selvedge(binary, model, options):
    """Transitions of a complete search; `None` if it is not complete."""
    command = [binary, "check", "--json", "--no-save", "--language", "promela", "--no-claim", "--continue", *options, model]
    try:
        answer = json.loads(run(command))
    except ValueError:
        return None
    complete = answer.get("stop") in ("exhausted", "bound")
    return answer["stats"]["transitions"] if complete else None


def cell(number):
    return "–" if number is None else f"{number:,}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--bound", type=int, default=16)
    parser.add_argument("--factor", type=float, default=1.2)
    options = parser.parse_args()
    binary = os.path.abspath(options.binary)
    bound = ["--preemptions", str(options.bound)]
    over = False
    print(f"| model | Spin | Selvedge, no bound | / Spin | at most {options.bound} preemptions | the same, not reduced |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for model in map(os.path.abspath, options.models):
        theirs = spin(model)
        ours = selvedge(binary, model, ["--search", "dfs", "--reduction", "por"])
        reduced, full = (selvedge(binary, model, [*bound, "--reduction", how]) for how in ("por", "none"))
        ratio = ours / theirs if ours and theirs else None
        over |= ratio is None or ratio > options.factor
        shown = "–" if ratio is None else f"{ratio:.2f}"
        name = os.path.splitext(os.path.basename(model))[0]
        print(f"| {name} | {cell(theirs)} | {cell(ours)} | {shown} | {cell(reduced)} | {cell(full)} |", flush=True)
    return int(over)


if __name__ == "__main__":
    sys.exit(main())
