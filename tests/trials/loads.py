"""Loads into a warehouse with judgments, in processes of their own, that are killed, interrupted or starved at random.

``first_uses`` begins eight at once on an empty cache.
"""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import evalsql
from evalsql.evaluation.notices import audits, findings

NAMES = ("one", "two", "three")
TOPICS, DEPTH = 60, 400
AT_ONCE = 8
# How a traceback names evalsql.__main__.run, where the program begins.
BEGUN = re.compile(r'evalsql.__main__\.py", line \d+, in run$', re.MULTILINE)

Process = subprocess.Popen[str]


class Loads:
    """A folder with run files and a warehouse to load them into, which each load finds as it was first."""

    def __init__(self, folder: Path) -> None:
        self.chance = random.Random(time.time_ns())
        self.path, self.scratch, self.first = (folder / name for name in ("warehouse.duckdb", "tmp", "first.duckdb"))
        self._runs = [folder / f"{name}.run" for name in NAMES]
        for path in self._runs:
            rows = ((topic, rank) for topic in range(TOPICS) for rank in range(DEPTH))
            lines = (f"t{topic} Q0 d{rank} {rank} {self.chance.random()} {path.stem}\n" for topic, rank in rows)
            path.write_text("".join(lines))
        with evalsql.open(self.first) as warehouse:
            warehouse.load_qrels({f"t{topic}": {"d1": 1, "d2": 0} for topic in range(TOPICS)}, "judged")
            warehouse.load_run({"t1": {"d1": 1.0}}, "before")
        started = time.monotonic()
        self.start().communicate(timeout=300)
        self.seconds = time.monotonic() - started  # of a load that nothing disturbs

    def start(self, prepare: Callable[[], None] | None = None) -> Process:
        """Begin to load all runs; ``prepare`` is called in the new process."""
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.scratch.mkdir()
        self.path.with_suffix(".duckdb.wal").unlink(missing_ok=True)
        shutil.copy(self.first, self.path)
        words = ["load", "runs", *map(str, self._runs), "--db", str(self.path)]
        return started(words, {"TMPDIR": str(self.scratch)}, preexec_fn=prepare)

    def held(self) -> set[str]:
        """The runs that the file holds beside the one that was there, which must still be there whole."""
        with evalsql.open(self.path, read_only=True) as warehouse:
            names = {run for (run,) in warehouse.rows("select run from runs")}
            counted = dict(warehouse.rows("select run, count(*) from rankings group by run"))
        sizes = {name: 1 if name == "before" else TOPICS * DEPTH for name in names}
        if "before" not in names or counted != sizes:
            raise ValueError(f"the file holds {counted}")
        return names - {"before"}


def started(words: Sequence[str], environment: dict[str, str], **options: object) -> Process:
    arguments = [sys.executable, "-m", "evalsql", *words]
    named = {"stderr": subprocess.PIPE, "text": True, "env": {**os.environ, **environment}, **options}
    return subprocess.Popen(arguments, **named)  # type: ignore[call-overload,no-any-return]


def disturbed(
    trials: int, disturb: Callable[[Loads, int], Process], judge: Callable[[Loads, int, str, set[str]], str]
) -> int:
    """Start and disturb so many loads; ``judge`` names an end by exit code, errors and the runs in the file."""
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        loads = Loads(Path(name))
        for number in range(trials):
            loading = disturb(loads, number)
            _, stderr = loading.communicate(timeout=300)
            try:
                outcome = judge(loads, loading.returncode, stderr, loads.held())
            except Exception as error:
                outcome = f"WRONG: {error}"
            counts[outcome] += 1
            if outcome.startswith("WRONG"):
                print(f"{number}: {outcome}\n{stderr}")
    return told(counts)


def told(counts: Counter[str]) -> int:
    """Print how many trials ended in which way; the number of those that ended wrong."""
    for outcome, count in sorted(counts.items()):
        print(f"{count:4} {outcome}", flush=True)
    return sum(count for outcome, count in counts.items() if outcome.startswith("WRONG"))


def left(folder: Path) -> Sequence[str]:
    """Names of what is in a folder."""
    return sorted(path.name for path in folder.iterdir())


def kills(trials: int = 300) -> int:
    """SIGKILL at a random time: all runs are in the file, or none, and what was there before is there."""

    def kill(loads: Loads, _number: int) -> Process:
        loading = loads.start()
        time.sleep(loads.chance.uniform(0, 1.1) * loads.seconds)
        loading.kill()
        return loading

    def judge(loads: Loads, _code: int, _stderr: str, held: set[str]) -> str:
        with evalsql.open(loads.path) as warehouse:  # as the next load does
            found = findings(warehouse.evaluation, audits(warehouse.catalog, quick=True))
        if found or held not in (set(), {*NAMES}):
            return f"WRONG: {len(held)} runs in the file, {found[:1]}"
        return "killed, all runs in the file" if held else "killed, nothing changed"

    return disturbed(trials, kill, judge)


def interrupts(trials: int = 100) -> int:
    """Ctrl-C at a random time: either all is loaded, told, and the exit code is 0; or nothing is, and it is 130.

    Any other end, and any traceback, is wrong. What Python does before it calls this program, starting and importing
    its package, is beyond it: the signal's exit code, or a traceback without the function that is called, stands for
    130 then.
    """

    def interrupt(loads: Loads, number: int) -> Process:
        # Every fifth in the first tenth of a second, which is over sooner than it comes by chance.
        after = loads.chance.uniform(0, 0.1 if number % 5 == 0 else 1.1 * loads.seconds)
        loading = loads.start()
        time.sleep(after)
        loading.send_signal(signal.SIGINT)
        return loading

    def judge(loads: Loads, code: int, stderr: str, held: set[str]) -> str:
        if "Traceback" in stderr and not BEGUN.search(stderr) and not held:
            return "interrupted in Python's own start"  # which ends with 1 as well
        if "Traceback" in stderr:
            return "WRONG: a traceback"
        if left(loads.scratch):
            return "WRONG: left something behind"
        if code == 0 and held == {*NAMES} and "loaded 3 runs" in stderr:
            return "loaded, and told"
        if code in (130, -signal.SIGINT) and not held:
            return "interrupted in Python's own start" if code < 0 else "interrupted, nothing changed"
        return f"WRONG: exit code {code} with {len(held)} runs in the file"

    return disturbed(trials, interrupt, judge)


def full_disks(trials: int = 60) -> int:
    """A disk that is full at a random size: a load is whole, or ends with exit code 3 and says what became of it.

    The size to which a process may write files stands for the disk; the engine is told "file too large" instead of "no
    space left", and takes both alike.
    """

    import resource

    def limit(loads: Loads, _number: int) -> Process:
        before, chance = loads.first.stat().st_size, loads.chance
        size = int(chance.choice((chance.uniform(1e3, 3e6), before + chance.uniform(0, 3e6))))
        return loads.start(partial(resource.setrlimit, resource.RLIMIT_FSIZE, (size, size)))

    def judge(loads: Loads, code: int, stderr: str, held: set[str]) -> str:
        if "Traceback" in stderr or left(loads.scratch):
            return "WRONG: a traceback, or something left behind"
        if code == 0 and held == {*NAMES}:
            return "loaded, the room was enough"
        if code == 3 and not held and "disk is full" in stderr:
            return "told with exit code 3, nothing changed"
        if code == 3 and held == {*NAMES} and ".wal holds the rest" in stderr:
            return "told with exit code 3, all runs in the file and the log beside it"
        return f"WRONG: exit code {code} with {len(held)} runs in the file"

    return disturbed(trials, limit, judge)


def first_uses(trials: int = 2) -> int:
    """Eight first uses at once, on an empty cache: one set of relations stays, all find what they asked for."""
    counts: Counter[str] = Counter()
    for _ in range(trials):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "q.txt").write_text("q1 0 d1 1\n")
            cache = {"XDG_CACHE_HOME": str(folder / "cache")}
            words = [["load", "qrels", "q.txt", "--db", f"{number}.duckdb"] for number in range(AT_ONCE)]
            for each in [started(each, cache, cwd=folder) for each in words]:
                _, stderr = each.communicate(timeout=900)
                is_right = each.returncode == 0 and "loaded judgments q" in stderr and "Traceback" not in stderr
                counts["a first use that loaded" if is_right else f"WRONG: {stderr[-300:]}"] += 1
            kept = left(folder / "cache" / "evalsql")
            counts["one set of relations for all" if len(kept) == 1 else f"WRONG: {kept} in the cache"] += 1
    return told(counts)
