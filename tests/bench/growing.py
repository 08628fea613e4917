"""The benchmarks on generated runs: how time and memory go with the number of rows, topics and systems."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path

from tests.bench.collection import Collection, generated
from tests.bench.machine import available_memory
from tests.bench.peers import Peers
from tests.bench.processes import Outcome
from tests.bench.report import Goal, Measured, Result
from tests.bench.stage import DEFAULTS, Stage, measured, options_of, trec_eval_measures
from tests.bench.works import WHOLE

ROWS_A_RUN = 50_000
# Of each topic in the warehouses of many systems.
_DOCUMENTS = 100
LIMIT, LIMIT_BYTES = "1GB", 10**9
_TEXT_A_ROW = 48
# Text, and with it a warehouse with what its loading puts aside.
_DISK_A_ROW = 2.5 * _TEXT_A_ROW
# From so many rows on a load is timed once.
_ONCE = 50_000_000


def growth(stage: Stage, peers: Peers) -> Iterator[Result]:
    """Time a row and the most memory of ``load runs`` with a limit, each size against the one before."""
    limited = "--memory-limit" in stage.evalsql("load", "runs", "--help").output
    options = ("--memory-limit", LIMIT) if limited else ()
    before: tuple[int, Measured] | None = None
    folder = stage.folder / "growth"
    for millions in stage.sizes.growth:
        systems = max(1, round(millions * 1e6 / ROWS_A_RUN))
        rows = systems * ROWS_A_RUN
        work = f"load runs --memory-limit {LIMIT}" if limited else "load runs"
        work += f", {rows:,} rows"
        if reason := lacking(folder.parent, rows):
            yield Result("growth", work, None, "", None, Goal("at most", 1.15), note=reason)
            return
        stage.say(f"generating {rows:,} rows")
        collection = generated(folder, range(1, systems + 1))
        times = 1 if rows >= _ONCE else stage.sizes.repeat
        here = stage.repeated(work, partial(stage.loaded, folder / "growth.duckdb", collection, *options), times)
        if before is None:
            yield Result("growth", work, here, "", None, note="what larger sizes are compared with")
        else:
            fewer, there = before
            part = Measured([seconds * rows / fewer for seconds in there.values])
            shown = f"{rows / fewer:g} x the time of {fewer:,} rows"
            yield Result("growth", work, here, shown, part, Goal("at most", 1.15), note="once" if times == 1 else "")
        yield _memory(work, here, limited)
        before = rows, here
    shutil.rmtree(folder)


def _memory(work: str, here: Measured, limited: bool) -> Result:
    peak = Measured([here.peak or 0])
    if not limited:
        return Result("growth", f"peak memory of {work}", peak, "", None, unit="MB", note="there is no --memory-limit")
    there = Measured([LIMIT_BYTES])
    return Result("growth", f"peak memory of {work}", peak, "the limit", there, Goal("below", 1), "MB")


def lacking(folder: Path, rows: int) -> str:
    """Why so many rows cannot be generated here; empty if they can."""
    free, memory = shutil.disk_usage(folder).free, available_memory()
    if free < rows * _DISK_A_ROW:
        return f"not measured: needs {rows * _DISK_A_ROW / 1e9:.0f} GB of disk, {free / 1e9:.0f} GB are free"
    if memory < rows * _TEXT_A_ROW + LIMIT_BYTES:
        needed = (rows * _TEXT_A_ROW + LIMIT_BYTES) / 1e9
        return f"not measured: needs {needed:.0f} GB of memory to hold the text, {memory / 1e9:.0f} GB are free"
    return ""


def many_topics(stage: Stage, peers: Peers) -> Iterator[Result]:
    """One run of very many topics, few documents judged for each, as MS MARCO has it."""
    stage.say("generating a run of many topics")
    folder = stage.folder / "topics"
    collection = generated(folder, [1], topics=stage.sizes.topics, judged=2)
    peer = peers.on("pytrec_eval", collection)
    goal = Goal("faster", 2)
    work = f"eval in memory, all its measures, {collection.kind}"
    if peer.missing:
        yield Result("many-topics", work, None, WHOLE, None, goal, note=peer.missing)
        return
    names = list(trec_eval_measures().values())
    command = ["eval", collection.qrels, *collection.runs, *options_of(names), "--format", "csv"]
    here = stage.repeated("eval of many topics", lambda: stage.evalsql(*command))
    yield Result("many-topics", work, here, WHOLE, peer.whole, goal)
    shutil.rmtree(folder)


def adding(stage: Stage, peers: Peers) -> Iterator[Result]:
    """A run more, in copies of the smaller and of the larger warehouse by turns."""
    copies = [
        Path(shutil.copy(database, stage.folder / f"adding-{database.name}")) for database, _ in warehouses(stage)
    ]
    numbers = range(5000, 5000 + stage.sizes.repeat)
    new = generated(stage.folder / "added", numbers, documents=_DOCUMENTS).runs
    outcomes: dict[Path, list[Outcome]] = {database: [] for database in copies}
    for number, path in enumerate(new, start=1):
        stage.say(f"adding a run ({number} of {len(new)})")
        for database in copies:
            outcomes[database].append(stage.evalsql("load", "runs", path, "--db", database))
    there, here = (measured(outcomes[database]) for database in copies)
    few, many = stage.sizes.warehouses
    work = f"load runs, one run more to {many:,}"
    yield Result("adding", work, here, f"one run more to {few}", there, Goal("at most", 1.15))


def one_system(stage: Stage, peers: Peers) -> Iterator[Result]:
    """All default measures of one run."""
    small, large = warehouses(stage)
    few, many = stage.sizes.warehouses
    system = small[1].runs[-1].stem
    goal = Goal("at most", 2)
    options = [*options_of(DEFAULTS), system]
    shown = f"one system of {few}"
    there, here = (
        stage.repeated(f"leaderboard of {shown}", partial(stage.evalsql, "leaderboard", *options, "--db", at[0]))
        for at in (small, large)
    )
    work = f"leaderboard, the {len(DEFAULTS)} default measures, one system of {many:,}"
    yield Result("one-system", work, here, shown, there, goal)
    (there, first_there), (here, first) = (stage.queried(at[0], DEFAULTS, system) for at in (small, large))
    details = {"first_query_seconds": first, "peer_first_query_seconds": first_there}
    work = f"the query alone, the {len(DEFAULTS)} default measures, one system of {many:,}"
    yield Result("one-system", work, here, shown, there, goal, details=details)


@cache
def warehouses(stage: Stage) -> tuple[tuple[Path, Collection], tuple[Path, Collection]]:
    """A small and a large warehouse of small runs, each with its runs."""
    small, large = (_warehouse(stage, systems) for systems in stage.sizes.warehouses)
    return small, large


def _warehouse(stage: Stage, systems: int) -> tuple[Path, Collection]:
    stage.say(f"making a warehouse of {systems:,} systems")
    collection = generated(stage.folder / f"systems-{systems}", range(1, systems + 1), documents=_DOCUMENTS)
    database = stage.folder / f"systems-{systems}.duckdb"
    stage.loaded(database, collection)
    return database, collection
