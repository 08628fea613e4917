"""A team on one server: readers and writers, each command a process, and what the readers saw.

The load number k of a writer puts three runs there: two that take the place of those of its load before, whose
reciprocal rank is 1/(k + 1), and one that stays. A reader that sees half a load, or one that was taken back, has a
figure that belongs to none.
"""

import csv
import io
import math
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import evalsql
from tests.server.served import Served
from tests.trials.loads import told

READERS, WRITERS = 8, 4
TOPICS, DEPTH = 5, 60
_PAIR = ("a", "b")


def main(num_loads: int = 20) -> int:
    """Each writer loads so many times; how many readings and loads went wrong."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        served = Served(folder / "team.duckdb")
        with evalsql.open(served.path) as warehouse:
            warehouse.load_qrels({f"t{topic}": {"relevant": 1} for topic in range(TOPICS)}, "judged")
        served.start()
        done = Event()
        try:
            with ThreadPoolExecutor(READERS + WRITERS) as threads:
                reading = [threads.submit(_read, served, done) for _ in range(READERS)]
                writing = [threads.submit(_write, served, folder, who, num_loads) for who in range(WRITERS)]
                try:
                    counts = sum((each.result() for each in writing), Counter())
                finally:
                    done.set()
                counts += sum((each.result() for each in reading), Counter())
            counts += _kept(served, num_loads)
        finally:
            code = served.end()
        counts[f"{'' if code == 0 else 'WRONG: '}the server ended with {code}"] += 1
        return told(counts)


def _write(served: Served, folder: Path, who: int, num_loads: int) -> Counter[str]:
    counts: Counter[str] = Counter()
    for nth in range(num_loads):
        files = []
        for name in (*_PAIR, str(nth)):
            files.append(folder / f"writer{who}-{name}.run")
            files[-1].write_text("".join(_lines(nth)), encoding="utf-8")
        loaded = served.command("load", "runs", *files, "--replace")
        counts["loads" if loaded.returncode == 0 else f"WRONG: a load said {loaded.stderr[-300:]}"] += 1
    return counts


def _lines(nth: int) -> Iterator[str]:
    for topic in range(TOPICS):
        for rank in range(1, DEPTH + 1):
            document = "relevant" if rank == nth + 1 else f"d{rank}"
            yield f"t{topic} Q0 {document} {rank} {DEPTH - rank} tag\n"


def _read(served: Served, done: Event) -> Counter[str]:
    counts: Counter[str] = Counter()
    last: dict[str, int] = {}
    while not done.is_set():
        asked = served.command("leaderboard", "-m", "RR", "--format", "csv", token=served.read_token)
        if asked.returncode:
            counts[f"WRONG: a reader was told {asked.stderr[-300:]}"] += 1
            continue
        values = {row["run"]: float(row["RR"]) for row in csv.DictReader(io.StringIO(asked.stdout))}
        counts[_judged(values, last)] += 1
    return counts


def _judged(values: Mapping[str, float], last: dict[str, int]) -> str:
    """Whether values belong to a committed state that is none before the last one seen."""
    for who in range(WRITERS):
        staying = {int(run.split("-")[1]) for run in values if run.startswith(f"writer{who}-") and run[-1].isdigit()}
        pair = [values[run] for name in _PAIR if (run := f"writer{who}-{name}") in values]
        nth = max(staying, default=-1)
        is_last = [math.isclose(value, 1 / (nth + 1)) for value in pair] == [True] * (len(_PAIR) if staying else 0)
        if staying != set(range(nth + 1)) or not is_last:
            return f"WRONG: writer {who}: {pair} beside {sorted(staying)}"
        if not all(math.isclose(values[f"writer{who}-{each}"], 1 / (each + 1)) for each in staying):
            return f"WRONG: figures of writer {who} are of no load"
        if nth < last.get(str(who), -1):
            return f"WRONG: load {last[str(who)]} of writer {who} was seen and is gone"
        last[str(who)] = nth
    return "readings of a committed state"


def _kept(served: Served, num_loads: int) -> Counter[str]:
    asked = served.command("leaderboard", "-m", "RR", "--format", "csv")
    held = {row["run"] for row in csv.DictReader(io.StringIO(asked.stdout))}
    expected = {f"writer{who}-{name}" for who in range(WRITERS) for name in (*_PAIR, *range(num_loads))}
    return Counter({"runs kept": len(held & expected)}) + Counter({"WRONG: runs lost": len(expected - held)})
