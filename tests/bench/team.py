"""What it costs to ask and to load through a server on loopback, in the place of a file."""

import shutil
from collections.abc import Iterator
from functools import partial

from tests.bench.processes import EVALSQL, Outcome, run
from tests.bench.report import Goal, Measured, Result
from tests.bench.stage import Stage
from tests.server.served import HAS_SERVER, REASON, Served

_MOST_MORE = 0.05  # seconds that a leaderboard may take longer
_MANY = 5  # leaderboards for each load: the difference of two short times takes many


def team(stage: Stage) -> Iterator[Result]:
    through = f"through a server, {len(stage.covid.runs)} systems, {stage.covid.rows:,} rows"
    load = partial(Result, "team", f"load runs {through}", goal=Goal("at most", 1.5), peer="into a file")
    words = f"leaderboard, longer than on the file by {through}"
    board = partial(Result, "team", words, goal=Goal("at most", 1), peer=f"{_MOST_MORE * 1000:.0f} ms")
    if not HAS_SERVER:
        yield load(here=None, there=None, note=REASON)
        yield board(here=None, there=None, note=REASON)
        return
    path = stage.folder / "served.duckdb"
    served = Served(path)

    def asked(*words: object) -> Outcome:
        environment = {"EVALSQL_DB": served.url, "EVALSQL_TOKEN": served.write_token}
        return run([*EVALSQL, *words], stage.environment | environment)

    def load_served() -> Outcome:
        served.end()
        shutil.copy(stage.judgments_only, path)
        served.start()
        return asked("load", "runs", *stage.covid.runs)

    try:
        into_file, there = stage.in_turn("load runs into a file and through a server", stage.load_covid, load_served)
        yield load(here=there, there=into_file)
        asked("leaderboard")
        there, here = stage.in_turn(
            "leaderboard through a server and on the file",
            partial(asked, "leaderboard"),
            partial(stage.evalsql, "leaderboard", "--db", stage.warehouse),
            repeat=_MANY * stage.sizes.repeat,
        )
        longer = Measured([one - other for one, other in zip(there.values, here.values, strict=True)])
        note = f"{there.median:.3f} s there, {here.median:.3f} s on the file"
        yield board(here=longer, there=Measured([_MOST_MORE]), note=note)
    finally:
        served.end()
