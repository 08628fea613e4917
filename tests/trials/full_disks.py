"""A disk that is full at a random size of the files: a load is whole, or ends with exit code 3 and changes nothing.

The size to which a process may write files stands for the disk; the engine is told "file too large" instead of "no
space left", and takes both alike.
"""

from __future__ import annotations

import random
import resource
import tempfile
import time
from collections import Counter
from functools import partial
from pathlib import Path

from tests.trials._loads import NAMES, Loads, left, told


def main(trials: int = 60) -> int:
    """Print how many trials ended in which way; the number of those that ended wrong."""
    counts: Counter[str] = Counter()
    chance = random.Random(time.time_ns())
    with tempfile.TemporaryDirectory() as name:
        loads = Loads(Path(name), chance)
        before = loads.folder.joinpath("first.duckdb").stat().st_size
        for _ in range(trials):
            size = int(chance.choice((chance.uniform(1e3, 3e6), before + chance.uniform(0, 3e6))))
            loading = loads.start(partial(resource.setrlimit, resource.RLIMIT_FSIZE, (size, size)))
            _, stderr = loading.communicate(timeout=300)
            outcome = _outcome(loads, loading.returncode, stderr)
            counts[outcome] += 1
            if outcome.startswith("WRONG"):
                print(f"{size} bytes: {outcome}\n{stderr}")
    return told(counts)


def _outcome(loads: Loads, code: int, stderr: str) -> str:
    try:
        held = loads.held()
    except Exception as error:
        return f"WRONG: {error}"
    if "Traceback" in stderr or left(loads.scratch):
        return "WRONG: a traceback, or something left behind"
    if code == 0 and held == {*NAMES}:
        return "loaded, the room was enough"
    if code == 3 and not held and "disk is full" in stderr:
        return "told with exit code 3, nothing changed"
    return f"WRONG: exit code {code} with {len(held)} runs in the file"
