"""The benchmark of a report's page."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from tests.bench.peers import Peers
from tests.bench.report import Goal, Measured, Result
from tests.bench.stage import Stage

GOALS = ((126, 8.0), (10, 2.0))  # systems, and seconds of the processor
MOST_BYTES = 5_000_000


def report_page(stage: Stage, peers: Peers) -> Iterator[Result]:
    """Seconds that the processor works on a page, and its size, of all systems and of ten."""
    database = stage.need_warehouse()
    page = stage.folder / "report.html"
    names = [path.stem for path in stage.covid.runs]
    for systems, goal in GOALS:
        chosen = names[:systems]
        command = ["report", *chosen, "-o", page, "--db", database]
        found = stage.repeated(f"report, {len(chosen)} systems", partial(stage.evalsql, *command))
        work = f"report -o report.html, {len(chosen)} systems"
        processor = Measured(found.user, found.user, found.peak)
        yield Result(
            "report", f"{work}, seconds of the processor", processor, "the goal", Measured([goal]), Goal("at most", 1)
        )
        size = Measured([page.stat().st_size])
        yield Result("report", f"size of {work}", size, "the goal", Measured([MOST_BYTES]), Goal("at most", 1), "MB")
