"""What it costs to ask and to load through a server on loopback, in the place of a file."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

from tests.bench.peers import Peers
from tests.bench.processes import EVALSQL, Outcome, run
from tests.bench.report import Goal, Measured, Result
from tests.bench.stage import Stage
from tests.server.served import HAS_SERVER, REASON, Served

_MOST_MORE = 0.05  # seconds that a leaderboard may take longer
_MANY = 5  # leaderboards for each load: the difference of two short times takes many
_BOARD = ("leaderboard",)


def team(stage: Stage, peers: Peers) -> Iterator[Result]:
    work = "{} through a server, " + f"{len(stage.covid.runs)} systems, {stage.covid.rows:,} rows"
    load, board = work.format("load runs"), work.format("leaderboard, longer than on the file by")
    more = f"{_MOST_MORE * 1000:.0f} ms"
    if not HAS_SERVER:
        yield Result("team", load, None, "into a file", None, Goal("at most", 1.5), note=REASON)
        yield Result("team", board, None, more, None, Goal("at most", 1), note=REASON)
        return
    path = stage.folder / "served.duckdb"
    served = Served(path)

    def asked(*words: object) -> Outcome:
        return run(
            [*EVALSQL, *words],
            {**stage.environment, "EVALSQL_DB": served.url, "EVALSQL_TOKEN": served.write_token},
        )

    def load_served() -> Outcome:
        served.end()
        shutil.copy(stage.judgments_only, path)
        served.start()
        return asked("load", "runs", *stage.covid.runs)

    try:
        into_file, through = stage.in_turn("load runs into a file and through a server", stage.load_covid, load_served)
        yield Result("team", load, through, "into a file", into_file, Goal("at most", 1.5))
        asked(*_BOARD)
        there, here = stage.in_turn(
            "leaderboard through a server and on the file",
            lambda: asked(*_BOARD),
            lambda: stage.evalsql(*_BOARD, "--db", stage.warehouse),
            _MANY * stage.sizes.repeat,
        )
        longer = [one - other for one, other in zip(there.values, here.values, strict=True)]
        note = f"{there.median:.3f} s there, {here.median:.3f} s on the file"
        yield Result("team", board, Measured(longer), more, Measured([_MOST_MORE]), Goal("at most", 1), note=note)
    finally:
        served.end()
