"""The benchmarks on the runs of one track, and the one of a single run."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.bench.collection import Collection, generated
from tests.bench.peer_work import IR_MEASURES
from tests.bench.peers import Peers, PeerTimes
from tests.bench.report import Goal, Measured, Result
from tests.bench.stage import DEFAULTS, Stage, options_of, trec_eval_measures

WHOLE = "pytrec_eval-terrier, all its measures, whole process"
INSIDE = "pytrec_eval-terrier, all its measures, reading and scoring"


def evaluating(stage: Stage, peers: Peers) -> Iterator[Result]:
    """Text to figures in one command, cold and in memory."""
    peer = peers.on("pytrec_eval", stage.covid)
    names = list(trec_eval_measures().values())
    work = f"eval in memory, all {len(names)} trec_eval measures, {_systems(stage)}"
    here = None if peer.missing else _eval(stage, stage.covid, names)
    yield Result("eval", work, here, WHOLE, peer.whole, Goal("faster", 2), note=peer.missing)
    for measure, most in (("all_trec", 1.15), ("map", 1)):
        program = peers.side_by_side(stage.covid, measure)
        shown = f"xargs -P2 trec_eval -q -m {measure}, the C program"
        work = f"eval in memory, -m {measure}, {_systems(stage)}"
        here = None if program.missing else _eval(stage, stage.covid, [measure])
        yield Result("eval", work, here, shown, program.whole, Goal("at most", most), note=program.missing)


def loading(stage: Stage, peers: Peers) -> Iterator[Result]:
    """The runs into a file that has the judgments, with everything that is kept ready."""
    here = stage.repeated("load runs", stage.load_covid)
    peer = peers.on("pytrec_eval", stage.covid)
    work = f"load runs into a file, {_systems(stage)}"
    note = peer.missing or "judgments loaded before"
    yield Result("load", work, here, WHOLE, peer.whole, Goal("faster", 2), note=note)


def one_measure(stage: Stage, peers: Peers) -> Iterator[Result]:
    peer = peers.on("pytrec_eval", stage.covid)
    yield _board(stage, peer, "one-measure", ["AP"], "AP", 10)
    for measure, goal in (("AP", 150), ("nDCG@10", 150), ("P@10", 150), ("TAP@5", 60)):
        yield _query(stage, peer, "one-measure", [measure], measure, goal)


def default_measures(stage: Stage, peers: Peers) -> Iterator[Result]:
    peer = peers.on("pytrec_eval", stage.covid)
    shown = f"the {len(DEFAULTS)} default measures"
    yield _board(stage, peer, "defaults", DEFAULTS, shown, 5)
    yield _query(stage, peer, "defaults", DEFAULTS, shown, 10)
    names = list(trec_eval_measures().values())
    yield _query(stage, peer, "defaults", names, f"all {len(names)} trec_eval measures", 15)


def size(stage: Stage, peers: Peers) -> Iterator[Result]:
    """Bytes of the warehouse, every row kept, against the runs zipped as they are usually kept."""
    here = stage.need_warehouse().stat().st_size
    stage.say("zipping the runs")
    with ThreadPoolExecutor(2) as pool:
        zipped = sum(pool.map(_zipped, stage.covid.runs))
    work = f"size of the warehouse, {_systems(stage)}"
    yield Result("size", work, Measured([here]), "the runs, gzip -9", Measured([zipped]), Goal("at most", 0.85), "MB")


def one_run(stage: Stage, peers: Peers) -> Iterator[Result]:
    """What a user waits for who has one run."""
    collection = generated(stage.folder / "one", [1])
    here = _eval(stage, collection, ["AP"])
    there = stage.repeated("import duckdb", lambda: stage.python("-c", "import duckdb"))
    work = f"eval -m AP of one run of {collection.rows:,} rows"
    yield Result("one-run", work, here, 'python -c "import duckdb"', there, Goal("below", 2.5))


def more_peers(stage: Stage, peers: Peers) -> Iterator[Result]:
    """Without goals: peers with other sets of measures."""
    names = list(IR_MEASURES)
    here = _eval(stage, stage.covid, names)
    work = f"eval in memory, {' '.join(names)}, {_systems(stage)}"
    for name, note in (("ir_measures", ""), ("ranx", "compiled by a first run that is not timed")):
        peer = peers.on(name, stage.covid)
        shown = f"{name}, these measures, reading and scoring"
        yield Result("peers", work, here, shown, peer.work, note=peer.missing or note)


def _eval(stage: Stage, collection: Collection, measures: list[str]) -> Measured:
    command = ["eval", collection.qrels, *collection.runs, *options_of(measures), "--format", "csv"]
    return stage.repeated(f"eval, {len(measures)} measures", lambda: stage.evalsql(*command))


def _board(stage: Stage, peer: PeerTimes, name: str, measures: list[str], shown: str, goal: float) -> Result:
    command = ["leaderboard", *options_of(measures), "--db", stage.need_warehouse()]
    here = stage.repeated(f"leaderboard, {shown}", lambda: stage.evalsql(*command))
    work = f"leaderboard of a warehouse, {shown}, {_systems(stage)}"
    return Result(name, work, here, WHOLE, peer.whole, Goal("faster", goal), note=peer.missing)


def _query(stage: Stage, peer: PeerTimes, name: str, measures: list[str], shown: str, goal: float) -> Result:
    here, first = stage.queried(stage.need_warehouse(), measures)
    work = f"the query alone, {shown}, {_systems(stage)}"
    details = {"first_query_seconds": first}
    return Result(name, work, here, INSIDE, peer.work, Goal("faster", goal), note=peer.missing, details=details)


def _systems(stage: Stage) -> str:
    return f"{len(stage.covid.runs)} systems"


def _zipped(path: Path) -> int:
    return len(gzip.compress(path.read_bytes(), 9))
