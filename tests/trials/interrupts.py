"""Ctrl-C at random times of a load.

Each trial loads generated runs into a warehouse with judgments, in a process of its own that gets SIGINT at a random
time. Either all is loaded, told, and the exit code is 0; or nothing is, and the exit code is 130. Any other end, and
any traceback, is wrong; but what Python does before it calls this program, starting and importing its package, is
beyond this program: the signal's exit code, or a traceback without the function that is called, stands for 130 then.
"""

from __future__ import annotations

import random
import re
import signal
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.trials._loads import NAMES, Loads, left, told

INTERRUPTED = {130, -signal.SIGINT}
# How a traceback names evalsql.__main__.run, where the program begins.
BEGUN = re.compile(r'evalsql.__main__\.py", line \d+, in run$', re.MULTILINE)


def main(trials: int = 100) -> int:
    """Print how many trials ended in which way; the number of those that ended wrong."""
    counts: Counter[str] = Counter()
    chance = random.Random(time.time_ns())
    with tempfile.TemporaryDirectory() as name:
        loads = Loads(Path(name), chance)
        started = time.monotonic()
        loads.start().communicate(timeout=300)
        whole = time.monotonic() - started
        for number in range(trials):
            # Every fifth in the first tenth of a second, which is over sooner than it comes by chance.
            after = chance.uniform(0, 0.1 if number % 5 == 0 else 1.1 * whole)
            outcome, stderr = _trial(loads, after)
            counts[outcome] += 1
            if outcome.startswith("WRONG"):
                print(f"{number}: after {after:.2f} s: {outcome}\n{stderr}")
    return told(counts)


def _trial(loads: Loads, after: float) -> tuple[str, str]:
    """What came of a load that is interrupted after some seconds, and what it printed."""
    loading = loads.start()
    time.sleep(after)
    loading.send_signal(signal.SIGINT)
    _, stderr = loading.communicate(timeout=300)
    return _outcome(loading.returncode, loads.held(), stderr, bool(left(loads.scratch))), stderr


def _outcome(code: int, held: set[str], stderr: str, is_left: bool) -> str:
    if "Traceback" in stderr and not BEGUN.search(stderr) and not held:
        return "interrupted in Python's own start"  # which ends with 1 as well
    if "Traceback" in stderr:
        return "WRONG: a traceback"
    if is_left:
        return "WRONG: left something behind"
    if code == 0 and held == {*NAMES} and "loaded 3 runs" in stderr:
        return "loaded, and told"
    if code in INTERRUPTED and not held:
        return "interrupted in Python's own start" if code < 0 else "interrupted, nothing changed"
    return f"WRONG: exit code {code} with {len(held)} runs in the file"
