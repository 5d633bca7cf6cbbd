"""Runs a command and measures it: used by mutate.py and soak.py.

Whether a run takes too long is judged by its CPU time, not by the clock: on a busy machine, a process waits for a core, and that is not
the fault of the command. The operating system ends a run that has used its CPU seconds (SIGXCPU). A run that waits without using any is a hang; it
is killed after five minutes by the clock.
"""

import os
import resource
import signal
import subprocess
import threading
from dataclasses import dataclass

HANG = 300


@dataclass
class Ran:
    code: int
    errors: bytes
    cpu_seconds: float
    megabytes: int
    hung: bool
    group: int

    def defect(self, cpu_seconds, megabytes):
        """What is wrong with a run that may take this much, if anything is."""
        if self.hung:
            return f"no end after {HANG} s, {self.cpu_seconds:.1f} s of them on a core"
        if self.code == -signal.SIGXCPU or self.cpu_seconds > cpu_seconds:
            return f"{self.cpu_seconds:.1f} s of CPU time"
        if self.code not in (0, 1, 2, 3, 4):
            return f"exit {self.code}: {self.errors[-300:]!r}"
        return f"{self.megabytes} MB" if self.megabytes > megabytes else None


def run(command, directory, cpu_seconds):
    """Runs a command in a session of its own."""
    # Limits are set from here: a function that runs before the command costs a copy of this process, three times a short run.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    child = subprocess.Popen(command, cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, start_new_session=True)
    try:
        resource.prlimit(child.pid, resource.RLIMIT_CPU, (cpu_seconds + 1, cpu_seconds + 2))
    except ProcessLookupError:
        pass
    hung = []
    timer = threading.Timer(HANG, lambda: (hung.append(True), os.killpg(child.pid, signal.SIGKILL)))
    timer.start()
    errors = child.stderr.read()
    child.stderr.close()
    _, status, used = os.wait4(child.pid, 0)
    timer.cancel()
    child.returncode = os.waitstatus_to_exitcode(status)
    return Ran(child.returncode, errors, used.ru_utime + used.ru_stime, used.ru_maxrss >> 10, bool(hung), child.pid)
