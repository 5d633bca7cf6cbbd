#!/usr/bin/env python3
"""Who answers, and how soon: `selvedge check` in its default mode beside Spin's reduced search.

    python3 bench/answers/answers.py target/release/selvedge PATH… [--seconds 10] [--markdown F.md] [--results F.jsonl]

PATH is a model or a directory of models. Each tool has the same CPU seconds for all that it does: `spin -a`, `gcc -O2` and
`pan` with partial-order reduction until the first error, or `selvedge check`. pan runs again with a longer stack where it
says that its stack was too short; only its last run counts. CPU time is that of all processes, memory is the largest
resident size of pan or of Selvedge. Where a file has several `ltl` blocks, both check the first. With a claim in force pan does
not look for deadlocks: where Selvedge finds one beside a claim, or is interrupted (SIGINT) shortly before its time is over while it
looks for one, its verdict about the claim counts, and the reason says so.

`--results F.jsonl` appends a line for each model as soon as it is measured, and skips the models that the file already has, so
that a run can be interrupted and continued; `--again` measures them once more. The last line of a model counts. The summary and
the table are those of all models below PATH. `--spin F.jsonl` takes Spin's answers from an earlier run where that has the model, and
`--selvedge F.jsonl` takes Selvedge's; `--only-spin` and `--only-selvedge` make such files.

The exit code is 1 if a verdict differs or if Spin answers where Selvedge does not.
"""

import argparse
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

ENDINGS = (".pml", ".prom", ".promela", ".pm", ".pr", ".prm", ".spin")
EMBEDDED_C = re.compile(r"\bc_(code|decl|expr|state|track)\b")
LTL = re.compile(r"^\s*ltl\s+(\w+)?", re.MULTILINE)
CLAIM = re.compile(r"^\s*(never|ltl)\b", re.MULTILINE)
# CPU seconds that an interrupted check has for its answer.
NOTICE = 0.4
DEPTHS = (10_000, 1_000_000, 10_000_000)


class Usage:
    """What a process and its children used."""

    def __init__(self, status, usage, output):
        self.status, self.output = status, output
        self.seconds = usage.ru_utime + usage.ru_stime
        self.memory = usage.ru_maxrss * 1024


def cpu_seconds(pid):
    """What a process has used so far; 0 if it is gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def interrupt_later(child, seconds, over):
    """Interrupts a process once it has used these CPU seconds, as its user would."""
    while not over.wait(0.02):
        if cpu_seconds(child.pid) >= seconds:
            os.kill(child.pid, signal.SIGINT)
            return


def run(command, directory, seconds, messages=subprocess.STDOUT, interrupt=None):
    """Runs a command to its end or until it has used its CPU seconds; `interrupt`: those after which it is asked to end."""

    def limit():
        whole = max(1, int(seconds + 0.999))
        resource.setrlimit(resource.RLIMIT_CPU, (whole, whole + 1))

    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(command, cwd=directory, stdin=subprocess.DEVNULL, stdout=out, stderr=messages,
                                 preexec_fn=limit, start_new_session=True)
        over = threading.Event()
        if interrupt:
            threading.Thread(target=interrupt_later, args=(child, interrupt, over), daemon=True).start()
        try:
            os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
            # The process is not reaped yet, so that nobody else has its number.
            over.set()
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = status
        except BaseException:
            os.killpg(child.pid, signal.SIGKILL)
            raise
        out.seek(0)
        return Usage(os.waitstatus_to_exitcode(status), usage, out.read().decode("utf-8", "replace"))


class Answer:
    """A verdict (`None`: no answer, with the reason), with what it took."""

    def __init__(self, verdict, seconds, memory=0, states=0, reason=""):
        self.verdict, self.seconds, self.memory, self.states, self.reason = verdict, seconds, memory, states, reason


def pan_verdict(output):
    """What pan's output says, and why it says nothing."""
    found = re.search(r"errors: (\d+)", output)
    if not found:
        return None, "no summary"
    if int(found.group(1)) > 0:
        return "violated", ""
    for cut in ("max search depth too small", "Search not completed", "out of memory", "search was interrupted"):
        if cut in output:
            return None, cut
    return "holds", ""


def ask_spin(model, text, options):
    """`spin -a`, `gcc`, `pan`."""
    directory = tempfile.mkdtemp(prefix="selvedge-answers-")
    try:
        ltl = [name for name in LTL.findall(text) if name]
        select = ["-N", ltl[0]] if len(ltl) > 1 else []
        # The model's own directory is where its includes are.
        shutil.copytree(os.path.dirname(model), os.path.join(directory, "m"), symlinks=False)
        place = os.path.join(directory, "m")
        used = run(["spin", "-a", os.path.basename(model)], place, options.seconds)
        if not os.path.exists(os.path.join(place, "pan.c")):
            return Answer(None, used.seconds, reason="spin: " + first_line(used.output))
        seconds = used.seconds
        claimed = bool(CLAIM.search(text))
        flags = [] if claimed else ["-DSAFETY"]
        built = run(["gcc", "-O2", "-w", *flags, "-o", "pan", "pan.c"], place, options.seconds)
        seconds += built.seconds
        if built.status != 0:
            return Answer(None, seconds, reason="gcc: " + first_line(built.output))
        for depth in DEPTHS:
            left = options.seconds - seconds
            if left <= 0:
                return Answer(None, seconds, reason="time")
            ran = run(["./pan", *(["-a"] if claimed else []), *select, f"-m{depth}"], place, left)
            verdict, reason = pan_verdict(ran.output)
            if reason != "max search depth too small":
                break
        stored = re.search(r"([\d.e+]+) states, stored", ran.output)
        states = int(float(stored.group(1))) if stored else 0
        # RLIMIT_CPU counts whole seconds.
        if seconds + ran.seconds > options.seconds:
            return Answer(None, seconds + ran.seconds, ran.memory, states, "time")
        return Answer(verdict, seconds + ran.seconds, ran.memory, states, reason or first_line(ran.output))
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def ask_selvedge(binary, model, text, options):
    """`selvedge check --json`."""
    ltl = [name for name in LTL.findall(text) if name]
    select = ["--ltl", ltl[0]] if len(ltl) > 1 else []
    command = [binary, "check", "--json", "--no-save", "--language", "promela", "--memory-limit", "8G", *select, *options.option]
    interrupt = options.seconds - NOTICE if CLAIM.search(text) else None
    used = run([*command, os.path.basename(model)], os.path.dirname(model), options.seconds, subprocess.DEVNULL, interrupt)
    try:
        found = json.loads(used.output)
    except ValueError:
        reason = "time" if used.status in (-signal.SIGXCPU, -signal.SIGKILL) else f"exit {used.status}: {first_line(used.output)}"
        return Answer(None, used.seconds, used.memory, reason=reason)
    states = found.get("stats", {}).get("states", 0)
    verdict = found.get("verdict")
    claims = [p["verdict"] for p in found.get("properties", []) if p["kind"] in ("ltl", "never")]
    kinds = {violation["kind"] for violation in found.get("violations", [])}
    if verdict == "violated" and claims and "violated" not in claims and kinds == {"invalid-end-state"}:
        # With a claim in force, pan does not look for deadlocks.
        verdict = claims[0]
    if verdict == "inconclusive" and used.status == 3 and claims and claims[0] in ("holds", "violated") and used.seconds <= options.seconds:
        return Answer(claims[0], used.seconds, used.memory, states, "the claim only: interrupted while searching for deadlocks")
    if used.status in (0, 1) and verdict in ("violated", "holds") and used.seconds <= options.seconds:
        return Answer(verdict, used.seconds, used.memory, states, (found.get("violation") or {}).get("kind", ""))
    if used.status == 2:
        first = (found.get("diagnostics") or [{}])[0]
        return Answer(None, used.seconds, used.memory, states, f"refused: {first.get('code', '')} {first.get('message', '')}")
    if used.status == 4:
        return Answer("holds", used.seconds, used.memory, states, "nothing to check")
    return Answer(None, used.seconds, used.memory, states, "time" if used.status in (0, 1, 3) else f"exit {used.status}")


def first_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[0][:120] if lines else ""


def models(paths):
    """The models below the paths, in order."""
    for path in paths:
        if os.path.isfile(path):
            yield os.path.abspath(path)
            continue
        for directory, below, names in os.walk(path):
            below.sort()
            for name in sorted(names):
                if name.endswith(ENDINGS):
                    yield os.path.abspath(os.path.join(directory, name))


def outcome(spin, ours):
    """How the answers compare, in a word."""
    if spin.verdict is None and ours.verdict is None:
        return "neither"
    if spin.verdict is None:
        return "only selvedge"
    if ours.verdict is None:
        return "only spin"
    return "same" if spin.verdict == ours.verdict else "DIFFERENT"


def measure(model, binary, known, known_ours, options):
    with open(model, encoding="utf-8", errors="replace") as file:
        text = file.read()
    if options.only_selvedge:
        return {"model": model, "selvedge": vars(ask_selvedge(binary, model, text, options))}
    spin = known.get(model) or ask_spin(model, text, options)
    if options.only_spin:
        return {"model": model, "spin": vars(spin)}
    ours = known_ours.get(model) or ask_selvedge(binary, model, text, options)
    word = "embedded C" if EMBEDDED_C.search(text) else outcome(spin, ours)
    return {"model": model, "outcome": word, "spin": vars(spin), "selvedge": vars(ours)}


def summary(rows):
    """The figures that the table is about."""
    lines = []
    words = sorted({row["outcome"] for row in rows})
    lines.append(f"{len(rows)} models: " + ", ".join(f"{sum(r['outcome'] == w for r in rows)} {w}" for w in words))
    errors = [r for r in rows if r["outcome"] == "same" and r["spin"]["verdict"] == "violated"]
    if errors:
        ratios = sorted(r["selvedge"]["seconds"] / max(r["spin"]["seconds"], 1e-3) for r in errors)
        soon = sum(ratio <= 1 for ratio in ratios)
        lines.append(f"first error: {soon} of {len(ratios)} at most Spin's time ({100 * soon / len(ratios):.1f} %), "
                     f"median {ratios[len(ratios) // 2]:.3f}, worst {ratios[-1]:.2f} times Spin's")
    proofs = [r for r in rows if r["outcome"] == "same" and r["spin"]["verdict"] == "holds"]
    if proofs:
        ratios = sorted(r["selvedge"]["seconds"] / max(r["spin"]["seconds"], 1e-3) for r in proofs)
        lines.append(f"proofs: {len(ratios)}, median {ratios[len(ratios) // 2]:.3f}, worst {ratios[-1]:.2f} times Spin's")
    both = [r for r in rows if r["outcome"] == "same" and r["spin"]["memory"]]
    if both:
        ratios = sorted(r["selvedge"]["memory"] / r["spin"]["memory"] for r in both)
        over = sum(ratio > 2 for ratio in ratios)
        lines.append(f"peak memory: median {ratios[len(ratios) // 2]:.2f}, worst {ratios[-1]:.2f} times Spin's, {over} above 2")
    return lines


def earlier(path):
    """The rows of earlier runs, by model: the last of each."""
    if not path or not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return {row["model"]: row for row in map(json.loads, file)}


def keep(row, path):
    """Appends a row to the results."""
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def row_text(row):
    spin, ours = row["spin"], row["selvedge"]

    def cell(answer):
        return answer["verdict"] or f"– ({answer['reason'][:60]})"

    return (f"| {os.path.basename(row['model'])} | {row['outcome']} | {cell(spin)} | {cell(ours)} | {spin['seconds']:.2f} | "
            f"{ours['seconds']:.2f} | {spin['states']:,} | {ours['states']:,} | {spin['memory'] >> 20} | {ours['memory'] >> 20} |")


HEAD = """| model | | Spin | Selvedge | CPU s: Spin | ours | states: Spin | ours | MB: pan | ours |
| --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--markdown")
    parser.add_argument("--results", help="a file of JSON lines to continue")
    parser.add_argument("--again", action="store_true", help="measure also the models that the results have")
    parser.add_argument("--spin", help="results with Spin's answers")
    parser.add_argument("--selvedge", help="results with Selvedge's answers")
    parser.add_argument("--only-spin", action="store_true", help="measure Spin alone, for --results that a later run takes with --spin")
    parser.add_argument("--only-selvedge", action="store_true", help="the same for Selvedge and --selvedge")
    parser.add_argument("--option", action="append", default=[], help="an option for selvedge besides")
    options = parser.parse_args()
    if not shutil.which("spin"):
        print("skipped: spin is not installed")
        return 0
    binary = os.path.abspath(options.binary)
    known = {model: Answer(**row["spin"]) for model, row in earlier(options.spin).items()}
    known_ours = {model: Answer(**row["selvedge"]) for model, row in earlier(options.selvedge).items()}
    alone = "spin" if options.only_spin else "selvedge" if options.only_selvedge else None
    done = {} if options.again else earlier(options.results)
    rows = []
    if not alone:
        print(HEAD)
    for model in models(options.paths):
        row = done.get(model)
        if row is None:
            row = measure(model, binary, known, known_ours, options)
            keep(row, options.results)
        if alone:
            print(f"{os.path.basename(model)}: {row[alone]['verdict']}, {row[alone]['seconds']:.2f} s", flush=True)
            continue
        rows.append(row)
        print(row_text(row), flush=True)
    if alone:
        return 0
    lines = summary(rows)
    print("\n" + "\n".join(lines))
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8") as file:
            file.write("\n".join([*lines, "", HEAD, *map(row_text, rows), ""]))
    return int(any(row["outcome"] in ("DIFFERENT", "only spin") for row in rows))


if __name__ == "__main__":
    sys.exit(main())
