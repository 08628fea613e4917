"""SIGKILL at random times of a load: all runs are in the file, or none, and what was there before is there."""

from __future__ import annotations

import random
import tempfile
import time
from collections import Counter
from pathlib import Path

import evalsql
from evalsql.evaluation.audits import audits, findings
from tests.trials._loads import NAMES, Loads, told


def main(trials: int = 300) -> int:
    """Print how many trials ended in which way; the number of those that ended wrong."""
    counts: Counter[str] = Counter()
    chance = random.Random(time.time_ns())
    with tempfile.TemporaryDirectory() as name:
        loads = Loads(Path(name), chance)
        started = time.monotonic()
        loads.start().communicate(timeout=300)
        whole = time.monotonic() - started
        for _ in range(trials):
            loading = loads.start()
            time.sleep(chance.uniform(0, 1.1) * whole)
            loading.kill()
            loading.communicate(timeout=60)
            outcome = _outcome(loads)
            counts[outcome] += 1
            if outcome.startswith("WRONG"):
                print(outcome)
    return told(counts)


def _outcome(loads: Loads) -> str:
    try:
        held = loads.held()
        with evalsql.open(loads.path) as warehouse:  # as the next load does
            found = findings(warehouse.evaluation, audits(warehouse.catalog, quick=True))
    except Exception as error:
        return f"WRONG: {error}"
    if found or held not in (set(), {*NAMES}):
        return f"WRONG: {len(held)} runs in the file, {found[:1]}"
    return "killed, all runs in the file" if held else "killed, nothing changed"
