"""The benchmarks on generated runs: how time and memory go with the number of rows, topics and systems."""

import json
import shutil
from collections.abc import Iterator
from functools import cache, partial
from itertools import pairwise
from pathlib import Path

from evalsql.catalog.relations import read_catalog
from tests.bench.collection import Collection, generated
from tests.bench.machine import available_memory
from tests.bench.processes import Outcome
from tests.bench.report import Goal, Measured, Result
from tests.bench.stage import DEFAULTS, Stage, options_of
from tests.bench.works import evaluated

ROWS_A_RUN = 50_000
# Of each topic in the warehouses of many systems.
_DOCUMENTS = 100
LIMIT, LIMIT_BYTES = "1GB", 10**9
_TEXT_A_ROW = 48
# Text, and with it a warehouse with what its loading puts aside.
_DISK_A_ROW = 2.5 * _TEXT_A_ROW
# From so many rows on a load is timed once.
_ONCE = 50_000_000


def growth(stage: Stage) -> Iterator[Result]:
    """Time a row and the most memory of ``load runs`` with a limit, each size against the one before."""
    before: tuple[int, Measured] | None = None
    folder = stage.folder / "growth"
    for millions in stage.sizes.growth:
        systems = max(1, round(millions * 1e6 / ROWS_A_RUN))
        rows = systems * ROWS_A_RUN
        work = f"load runs --memory-limit {LIMIT}, {rows:,} rows"
        if reason := lacking(folder.parent, rows):
            yield Result("growth", work, None, "", None, Goal("at most", 1.15), note=reason)
            return
        stage.say(f"generating {rows:,} rows")
        load = partial(stage.loaded, folder / "growth.duckdb", generated(folder, range(1, systems + 1)))
        times = 1 if rows >= _ONCE else stage.sizes.repeat
        here = stage.repeated(work, partial(load, "--memory-limit", LIMIT), times)
        if before is None:
            yield Result("growth", work, here, "", None, note="what larger sizes are compared with")
        else:
            fewer, there = before
            part = Measured([seconds * rows / fewer for seconds in there.values])
            shown = f"{rows / fewer:g} x the time of {fewer:,} rows"
            yield Result("growth", work, here, shown, part, Goal("at most", 1.15), note="once" if times == 1 else "")
        peak, most = Measured([here.peak or 0]), Measured([LIMIT_BYTES])
        yield Result("growth", f"peak memory of {work}", peak, "the limit", most, Goal("below", 1), "MB")
        before = rows, here
    shutil.rmtree(folder)


def lacking(folder: Path, rows: int) -> str:
    """Why so many rows cannot be generated here; empty if they can."""
    free, memory = shutil.disk_usage(folder).free, available_memory()
    if free < rows * _DISK_A_ROW:
        return f"not measured: needs {rows * _DISK_A_ROW / 1e9:.0f} GB of disk, {free / 1e9:.0f} GB are free"
    if memory < rows * _TEXT_A_ROW + LIMIT_BYTES:
        needed = (rows * _TEXT_A_ROW + LIMIT_BYTES) / 1e9
        return f"not measured: needs {needed:.0f} GB of memory to hold the text, {memory / 1e9:.0f} GB are free"
    return ""


def many_topics(stage: Stage) -> Iterator[Result]:
    """One run of very many topics, few documents judged for each, as MS MARCO has it."""
    stage.say("generating a run of many topics")
    folder = stage.folder / "topics"
    collection = generated(folder, [1], topics=stage.sizes.topics, judged=2)
    yield evaluated(stage, "many-topics", collection, f"all its measures, {collection.kind}")
    shutil.rmtree(folder)


def adding(stage: Stage) -> Iterator[Result]:
    """A run more, in copies of the smaller and of the larger warehouse by turns."""
    copies = [Path(shutil.copy(each, stage.folder / f"adding-{each.name}")) for each, _ in warehouses(stage)]
    numbers = range(5000, 5000 + stage.sizes.repeat)
    new = generated(stage.folder / "added", numbers, documents=_DOCUMENTS).runs
    few_more, many_more = (partial(_added, stage, database, iter(new)) for database in copies)
    there, here = stage.in_turn("adding a run", few_more, many_more)
    few, many = stage.sizes.warehouses
    work = f"load runs, one run more to {many:,}"
    yield Result("adding", work, here, f"one run more to {few}", there, Goal("at most", 1.15))


def _added(stage: Stage, database: Path, runs: Iterator[Path]) -> Outcome:
    return stage.evalsql("load", "runs", next(runs), "--db", database)


def one_system(stage: Stage) -> Iterator[Result]:
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
    there, here = (stage.queried(at[0], DEFAULTS, system) for at in (small, large))
    work = f"the query alone, the {len(DEFAULTS)} default measures, one system of {many:,}"
    yield Result("one-system", work, here, shown, there, goal)


def one_of_many(stage: Stage) -> Iterator[Result]:
    """All measures of one run by the session variable only_runs, among the runs of the track and copies of them."""
    relations = [relation.name for relation in read_catalog().measures]
    database = Path(shutil.copy(stage.need_warehouse(), stage.folder / "copies.duckdb"))
    run = min(path.stem for path in stage.covid.runs)
    few: dict[str, Measured] = {}
    for before, copies in pairwise((0, *stage.sizes.copies)):
        systems = copies * len(stage.covid.runs)
        stage.say(f"asking for one of {systems:,} systems")
        words = (database, stage.sizes.repeat, before or 1, copies - 1, run, *relations)
        times = json.loads(stage.timed("one_of_copies", *words).output)
        found = {name: Measured(values) for name, values in zip(relations, times, strict=True)}
        found[f"all {len(relations)} measures"] = Measured([sum(each.median for each in found.values())])
        few = few or found
        grown = max(relations, key=lambda name: min(found[name].values) / min(few[name].values))
        for name in dict.fromkeys(("ap", [*found][-1], *([grown] if copies > 1 else []))):
            shown = f"{name}, the one that grows most" if name == grown else name
            work = f"the query alone, {shown}, one system of {systems:,}"
            goal = Goal("at most", 3) if copies > 1 else None
            yield Result("one-of-many", work, found[name], f"one of {len(stage.covid.runs)}", few[name], goal)
    database.unlink()


@cache
def warehouses(stage: Stage) -> list[tuple[Path, Collection]]:
    """A small and a large warehouse of small runs, each with its runs."""
    made = []
    for systems in stage.sizes.warehouses:
        stage.say(f"making a warehouse of {systems:,} systems")
        collection = generated(stage.folder / f"systems-{systems}", range(1, systems + 1), documents=_DOCUMENTS)
        made.append((stage.folder / f"systems-{systems}.duckdb", collection))
        stage.loaded(*made[-1])
    return made
