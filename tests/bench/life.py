"""The commands of a warehouse's life, on runs of more and more rows: each size against the one before."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from tests.bench.collection import Collection, generated
from tests.bench.growing import ROWS_A_RUN, lacking
from tests.bench.report import Goal, Measured, Result
from tests.bench.stage import Stage, measured

LIMIT = "2GB"
LIMIT_BYTES = 2 * 10**9
_FEW_DOCUMENTS = 100
_DROPPED = 10  # runs that drop takes out, and of those that keep does
_LIMITED = ("ls", "leaderboard", "compare", "history", "report")  # commands that take a limit of memory


def life(stage: Stage) -> Iterator[Result]:
    """Load, ask, report, keep, drop and vacuum, for few long runs and for many short ones."""
    yield from _growing(stage, 1000, [round(millions * 1e6) for millions in stage.sizes.growth])
    yield from _growing(stage, _FEW_DOCUMENTS, [50 * _FEW_DOCUMENTS * systems for systems in stage.sizes.short_runs])


def _growing(stage: Stage, documents: int, sizes: Sequence[int]) -> Iterator[Result]:
    """A line for each command and size, compared with the size before, which may take as much longer as it has rows."""
    before: tuple[int, Mapping[str, Measured]] | None = None
    for size in sizes:
        rows_a_run = ROWS_A_RUN * documents // 1000
        systems = max(2 * _DROPPED + 1, size // rows_a_run)
        rows = systems * rows_a_run
        if reason := lacking(stage.folder, rows):
            yield Result("life", f"{rows:,} rows", None, "", None, note=reason)
            return
        stage.say(f"generating {rows:,} rows")
        folder = stage.folder / "life"
        here = _lived(stage, generated(folder, range(systems), documents=documents))
        shutil.rmtree(folder)
        for command, seconds in here.items():
            work = f"{command}, {systems:,} runs, {rows:,} rows"
            if before is None:
                yield Result("life", work, seconds, "", None, note="what larger sizes are compared with")
                continue
            fewer, there = before
            scaled = Measured([each * rows / fewer for each in there[command].values])
            shown = f"{rows / fewer:g} x the time of {fewer:,} rows"
            yield Result("life", work, seconds, shown, scaled, Goal("at most", 1.15))
        peak, most = Measured([max(each.peak or 0 for each in here.values())]), Measured([LIMIT_BYTES])
        work = f"peak memory of all these, --memory-limit {LIMIT}, {rows:,} rows"
        yield Result("life", work, peak, "the limit", most, Goal("below", 1), "MB")
        before = rows, here


def _lived(stage: Stage, collection: Collection) -> Mapping[str, Measured]:
    """Seconds of each command, once; the runs are those of one system that gives a run a night."""
    database = collection.qrels.with_name("life.duckdb")
    names = [path.stem for path in collection.runs]
    load = partial(stage.loaded, database, collection, "--system", "nightly", "--memory-limit", LIMIT)
    some = names[: min(_DROPPED, len(names))]
    commands: Mapping[str, Sequence[object]] = {
        "ls": (),
        "leaderboard": (),
        "compare": (names[0], "-m", "AP"),
        "history": ("nightly", "-m", "AP"),
        "report": (*some, "-m", "AP", "-o", database.with_name("report.html")),
        "keep": ("--last", len(names) - _DROPPED),
        "drop": ("runs", *names[-_DROPPED:]),
        "vacuum": (),
    }
    found = {"load runs": measured(stage.outcomes("load runs", load, 1))}
    for command, options in commands.items():
        limit = ("--memory-limit", LIMIT) if command in _LIMITED else ()
        ask = partial(stage.evalsql, command, *options, "--db", database, *limit)
        found[command] = measured(stage.outcomes(command, ask, 1))
    return found
