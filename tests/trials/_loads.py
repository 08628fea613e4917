"""Loads of some runs into a warehouse with judgments, in processes of their own, for trials to disturb."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import evalsql

NAMES = ("one", "two", "three")
TOPICS, DEPTH = 60, 400


class Loads:
    """A folder with run files and a warehouse to load them into, which each load finds as it was first."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.folder = folder
        self.path = folder / "warehouse.duckdb"
        self.scratch = folder / "tmp"
        self.runs = [_written_run(folder / f"{name}.run", chance) for name in NAMES]
        self._first = folder / "first.duckdb"
        with evalsql.open(self._first) as warehouse:
            warehouse.load_qrels({f"t{topic}": {"d1": 1, "d2": 0} for topic in range(TOPICS)}, "judged")
            warehouse.load_run({"t1": {"d1": 1.0}}, "before")

    def start(self, prepare: Callable[[], None] | None = None) -> subprocess.Popen[str]:
        """Begin to load all runs; ``prepare`` is called in the new process."""
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.scratch.mkdir()
        self.path.with_suffix(".duckdb.wal").unlink(missing_ok=True)
        shutil.copy(self._first, self.path)
        return subprocess.Popen(
            [sys.executable, "-m", "evalsql", "load", "runs", *map(str, self.runs), "--db", str(self.path)],
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "TMPDIR": str(self.scratch)},
            preexec_fn=prepare,
        )

    def held(self) -> set[str]:
        """The runs that the file holds beside the one that was there, which must still be there whole."""
        with evalsql.open(self.path, read_only=True) as warehouse:
            names = {run for (run,) in warehouse.rows("select run from runs")}
            counted = dict(warehouse.rows("select run, count(*) from rankings group by run"))
        sizes = {name: 1 if name == "before" else TOPICS * DEPTH for name in names}
        if "before" not in names or counted != sizes:
            raise ValueError(f"the file holds {counted}")
        return names - {"before"}


def told(counts: Counter[str]) -> int:
    """Print how many trials ended in which way; the number of those that ended wrong."""
    for outcome, count in sorted(counts.items()):
        print(f"{count:4} {outcome}", flush=True)
    return sum(count for outcome, count in counts.items() if outcome.startswith("WRONG"))


def left(folder: Path) -> Sequence[str]:
    """Names of what is in a folder."""
    return sorted(path.name for path in folder.iterdir())


def _written_run(path: Path, chance: random.Random) -> Path:
    with path.open("w", encoding="utf-8") as stream:
        for topic in range(TOPICS):
            for rank in range(DEPTH):
                stream.write(f"t{topic} Q0 d{rank} {rank} {chance.random()} {path.stem}\n")
    return path
