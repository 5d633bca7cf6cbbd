#!/usr/bin/env python3
"""What the recheck of `holds` costs: instructions of a check with `--recheck none` and with `--recheck quick`.

    python3 bench/recheck/cost.py target/release/selvedge MODEL... [-- OPTIONS]

Counted by valgrind's callgrind, so that a busy machine does not matter. The bar: at most 10 % of the run without a recheck,
or 5 ms, whichever is larger. Milliseconds are instructions divided by those that the command executes in a second of CPU time
here, measured on the first model.
"""

import json
import re
import resource
import subprocess
import sys


def instructions(binary, recheck, model, options):
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", binary, "check", "--no-save", "--json"]
    run = subprocess.run(command + ["--recheck", recheck] + options + [model], capture_output=True, text=True)
    collected = re.search(r"Collected : (\d+)", run.stderr)
    answer = json.loads(run.stdout) if run.stdout.startswith("{") else {}
    return int(collected.group(1)), answer


def rate(binary, model, options, count):
    """Instructions in a second of CPU time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    times = 20
    for _ in range(times):
        command = [binary, "check", "--no-save", "--json", "--recheck", "none"]
        subprocess.run(command + options + [model], capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return count * times / (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def main():
    arguments = sys.argv[1:]
    options = []
    if "--" in arguments:
        options = arguments[arguments.index("--") + 1 :]
        arguments = arguments[: arguments.index("--")]
    binary, models = arguments[0], arguments[1:]
    speed = None
    over = 0
    for model in models:
        none, _ = instructions(binary, "none", model, options)
        quick, answer = instructions(binary, "quick", model, options)
        speed = speed or rate(binary, model, options, none)
        more = quick - none
        percent, milliseconds = 100 * more / none, 1000 * more / speed
        bad = percent > 10 and milliseconds > 5
        over += bad
        evidence = answer.get("evidence", {})
        print(
            f"{none / 1e6:9.1f} M {quick / 1e6:9.1f} M {percent:6.1f} % {milliseconds:7.2f} ms "
            f"{'OVER' if bad else '    '} {answer.get('verdict', '?'):18} {evidence.get('kind', '?'):12} {model}",
            flush=True,
        )
    print(f"{len(models)} models, {over} over the bar ({speed / 1e6:.0f} M instructions a second)")
    sys.exit(over > 0)


main()
