#!/usr/bin/env python3
"""Output files are whole or not there, whenever the command is killed.

    python3 bench/limits/kills.py target/release/selvedge [--kills 100] [--seed 1]

Runs `check` with every kind of output on a model with a long run, kills it (SIGKILL) at a random moment, and looks at
what is left: each file is complete or missing. Temporary files (`.selvedge-….tmp`) may be left, files of the names that
were asked for may not be cut. The exit code is 1 if one is. A kill counts only if the run was still going.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from xml.etree import ElementTree

MODEL = """
int i;
active proctype p() { do :: i < 3000 -> i++ :: else -> break od; assert(i == 0) }
"""
OUTPUTS = ["--trace-out", "t.json", "--html", "t.html", "--sarif", "t.sarif", "--junit", "t.xml"]


def complete(path):
    """Whether a file is what it should be to its end."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if path.endswith(".html"):
        return text.rstrip().endswith("</html>")
    if path.endswith(".xml"):
        ElementTree.fromstring(text)
        return True
    json.loads(text)
    return True


def is_whole(path):
    try:
        return complete(path)
    except (ValueError, ElementTree.ParseError):
        return False


def left_behind(directory):
    names = [name for name in os.listdir(directory) if not name.startswith(".") and name != "m.pml"]
    saved = os.path.join(directory, ".selvedge")
    if os.path.isdir(saved):
        names += [os.path.join(".selvedge", name) for name in os.listdir(saved) if name.endswith(".json")]
    return [os.path.join(directory, name) for name in names]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    binary, chance = os.path.abspath(options.binary), random.Random(options.seed)
    kills = cut = files = 0
    whole = None
    while kills < options.kills:
        directory = tempfile.mkdtemp(prefix="selvedge-kills-")
        with open(os.path.join(directory, "m.pml"), "w", encoding="utf-8") as file:
            file.write(MODEL)
        outputs = OUTPUTS if kills % 2 == 0 else OUTPUTS[2:]
        command = [binary, "check", "m.pml", "--quiet", *outputs]
        start = time.monotonic()
        child = subprocess.Popen(command, cwd=directory, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if whole is None:
            child.wait()
            whole = time.monotonic() - start
        else:
            time.sleep(chance.uniform(0, whole))
            if child.poll() is None:
                child.kill()
                kills += 1
            child.wait()
        for path in left_behind(directory):
            files += 1
            if not is_whole(path):
                cut += 1
                print(f"cut: {path}")
        if cut == 0:
            shutil.rmtree(directory)
    print(f"{kills} kills within {whole:.2f} s: {files} files were left, {cut} of them cut")
    return 1 if cut else 0


if __name__ == "__main__":
    sys.exit(main())
