"""Ctrl-C at random times of a load: ``python -m tests.tools.interrupts [TRIALS]`` prints what came of it.

Each trial loads generated runs into a warehouse with judgments, in a process of its own that gets SIGINT at a random
time. Either all is loaded, told, and the exit code is 0; or nothing is, and the exit code is 130. The exit code here is
1 if any trial ended otherwise, or printed a traceback. Only while Python starts and imports the package itself, before
the command begins, does it print one; the signal's own exit code stands for 130 then.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import evalsql

NAMES = ("one", "two", "three")
TOPICS, DEPTH = 60, 400
INTERRUPTED = {130, -signal.SIGINT}


def main(trials: int) -> int:
    """Print how many trials ended in which way; the number of those that ended wrong."""
    counts: Counter[str] = Counter()
    chance = random.Random(time.time_ns())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        runs = [_written_run(folder / f"{run}.run", chance) for run in NAMES]
        whole, _, _ = trial(folder, runs, None)
        print(f"a load without an interrupt takes {whole:.1f} s")
        for number in range(trials):
            after = chance.uniform(0, 1.1) * whole
            _, outcome, stderr = trial(folder, runs, after)
            counts[outcome] += 1
            if outcome.startswith("WRONG"):
                print(f"{number}: after {after:.2f} s: {outcome}\n{stderr}")
    for outcome, count in sorted(counts.items()):
        print(f"{count:4} {outcome}")
    return sum(count for outcome, count in counts.items() if outcome.startswith("WRONG"))


def trial(folder: Path, runs: Sequence[Path], after: float | None) -> tuple[float, str, str]:
    """Seconds that a load took, what came of it and what it printed, interrupted after some seconds or not."""
    path = folder / "warehouse.duckdb"
    shutil.rmtree(folder / "tmp", ignore_errors=True)
    (folder / "tmp").mkdir()
    path.unlink(missing_ok=True)
    path.with_suffix(".duckdb.wal").unlink(missing_ok=True)
    with evalsql.open(path) as warehouse:
        warehouse.load_qrels({f"t{topic}": {"d1": 1, "d2": 0} for topic in range(TOPICS)}, "judged")
    started = time.monotonic()
    loading = subprocess.Popen(
        [sys.executable, "-m", "evalsql", "load", "runs", *map(str, runs), "--db", str(path)],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(folder / "tmp")},
    )
    if after is not None:
        time.sleep(after)
        loading.send_signal(signal.SIGINT)
    _, stderr = loading.communicate(timeout=120)
    seconds = time.monotonic() - started
    with evalsql.open(path, read_only=True) as warehouse:
        held = {run for (run,) in warehouse.rows("select run from runs")}
    return seconds, _outcome(loading.returncode, held, stderr, [*(folder / "tmp").iterdir()]), stderr


def _outcome(code: int, held: set[str], stderr: str, left: Sequence[Path]) -> str:
    if "Traceback" in stderr and "evalsql" not in stderr and not held:
        return "interrupted before the command began"  # in Python's own start, which ends with 1 as well
    if "Traceback" in stderr and (code not in INTERRUPTED or "evalsql/cli" in stderr or "Exception ignored" in stderr):
        return "WRONG: a traceback"
    if left:
        return f"WRONG: left {left[0].name} behind"
    if code == 0 and held == {*NAMES} and "loaded 3 runs" in stderr:
        return "loaded, and told"
    if code in INTERRUPTED and not held:
        return (
            "interrupted before the command began"
            if "Traceback" in stderr or code < 0
            else "interrupted, nothing changed"
        )
    return f"WRONG: exit code {code} with {len(held)} runs in the file"


def _written_run(path: Path, chance: random.Random) -> Path:
    with path.open("w", encoding="utf-8") as stream:
        for topic in range(TOPICS):
            for rank in range(DEPTH):
                stream.write(f"t{topic} Q0 d{rank} {rank} {chance.random()} {path.stem}\n")
    return path


if __name__ == "__main__":
    sys.exit(min(1, main(int(sys.argv[1]) if len(sys.argv) > 1 else 30)))
