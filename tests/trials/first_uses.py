"""Eight first uses at once, on an empty cache: one set of relations stays, all find what they asked for."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.trials._loads import left, told

AT_ONCE = 8


def main(trials: int = 2) -> int:
    """Print how many uses ended in which way; the number of those that ended wrong."""
    counts: Counter[str] = Counter()
    for _ in range(trials):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "q.txt").write_text("q1 0 d1 1\n")
            environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
            using = [
                subprocess.Popen(
                    [sys.executable, "-m", "evalsql", "load", "qrels", "q.txt", "--db", f"{number}.duckdb"],
                    cwd=folder,
                    env=environment,
                    stderr=subprocess.PIPE,
                    text=True,
                )
                for number in range(AT_ONCE)
            ]
            for each in using:
                _, stderr = each.communicate(timeout=900)
                is_right = each.returncode == 0 and "loaded judgments q" in stderr and "Traceback" not in stderr
                counts["a first use that loaded" if is_right else f"WRONG: {stderr[-300:]}"] += 1
            kept = left(folder / "cache" / "evalsql")
            counts["one set of relations for all" if len(kept) == 1 else f"WRONG: {kept} in the cache"] += 1
    return told(counts)
