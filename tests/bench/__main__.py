"""Loads and scores the same runs with evalsql and with pytrec_eval-terrier (trec_eval 9.0.8), and prints both times.

    python -m tests.bench [--repeat 5] [--systems 126] [--output FILE.json]

The runs are TREC-COVID round 5 if EVALSQL_REAL_DATA (or ../shared/data) has them, else generated ones of the
same shape. They are plain text, read once beforehand, so that the disk has no part in it.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

import duckdb
import pytrec_eval

import evalsql
from evalsql.catalog import read_catalog
from evalsql.naming import default_measure
from tests.conftest import real_data

DEFAULTS = [default_measure(relation).name for relation in read_catalog().measures if relation.header.in_scores]


@dataclass(frozen=True)
class Line:
    """One row of the report: medians in seconds; ``ratio`` above 1 is faster than the peer."""

    work: str
    seconds: float
    peer: str
    peer_seconds: float

    @property
    def ratio(self) -> float:
        return self.peer_seconds / self.seconds


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        qrels, runs, kind = _collection(folder, options.systems)
        rows = sum(path.read_bytes().count(b"\n") for path in runs)
        print(f"{len(runs)} systems, {rows:,} rows, {kind}; median of {options.repeat}; {_machine()}")
        lines = _measure(folder, qrels, runs, options.repeat)
        size = (folder / "bench.duckdb").stat().st_size
        zipped = sum(len(gzip.compress(path.read_bytes(), 6)) for path in runs)
    width = max(len(line.work) for line in lines)
    print(f"\n{'work':{width}}  evalsql s  peer s  ratio  peer")
    for line in lines:
        print(f"{line.work:{width}}  {line.seconds:9.3f}  {line.peer_seconds:6.2f}  {line.ratio:5.1f}  {line.peer}")
    print(f"\nwarehouse file {size / 1e6:.1f} MB, the same runs gzipped {zipped / 1e6:.1f} MB")
    if options.output:
        report = {"machine": _machine(), "systems": len(runs), "rows": rows, "lines": [asdict(line) for line in lines]}
        options.output.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--systems", type=int, default=126)
    parser.add_argument("--output", type=Path)
    return parser.parse_args()


def _measure(folder: Path, qrels: Path, runs: list[Path], repeat: int) -> list[Line]:
    database = folder / "bench.duckdb"

    def load() -> None:
        database.unlink(missing_ok=True)
        with evalsql.open(database) as warehouse:
            warehouse.load_qrels(qrels, "bench")
            warehouse.load_runs(runs)

    def evaluate_in_memory() -> None:
        with evalsql.open(":memory:") as warehouse:
            warehouse.load_qrels(qrels, "bench")
            warehouse.load_runs(runs)
            warehouse.evaluate(DEFAULTS).fetchall()

    read_seconds, score_seconds = _peer(qrels, runs)
    peer = "pytrec_eval-terrier, all its measures"
    both = read_seconds + score_seconds
    lines = [
        Line("load the runs into a file", _median(load, repeat), f"{peer}, reading and scoring", both),
        Line("read and score in memory, default measures", _median(evaluate_in_memory, repeat), f"{peer}, both", both),
    ]
    with evalsql.open(database, read_only=True) as warehouse:

        def query(*measures: str) -> Callable[[], object]:
            return lambda: warehouse.evaluate(measures).fetchall()

        lines += [
            Line(
                f"score, warehouse open: {', '.join(measures) if len(measures) < 3 else 'default measures'}",
                _median(query(*measures), repeat),
                f"{peer}, scoring only",
                score_seconds,
            )
            for measures in (["AP"], ["nDCG@10"], ["P@10"], ["TAP@5"], DEFAULTS)
        ]
    return lines


def _peer(qrels: Path, runs: list[Path]) -> tuple[float, float]:
    """Seconds of the peer for reading and for scoring, once over all runs."""
    with qrels.open() as stream:
        judged: dict[str, dict[str, int]] = {}
        for line in stream:
            topic, _, document, grade = line.split()
            judged.setdefault(topic, {})[document] = int(grade)
    evaluator = pytrec_eval.RelevanceEvaluator(judged, pytrec_eval.supported_measures)
    read = score = 0.0
    for path in runs:
        start = time.perf_counter()
        run: dict[str, dict[str, float]] = {}
        with path.open() as stream:
            for line in stream:
                topic, _, document, _, value = line.split()[:5]
                run.setdefault(topic, {})[document] = float(value)
        middle = time.perf_counter()
        evaluator.evaluate(run)
        read += middle - start
        score += time.perf_counter() - middle
    return read, score


def _median(work: Callable[[], object], repeat: int) -> float:
    seconds = []
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def _collection(folder: Path, systems: int) -> tuple[Path, list[Path], str]:
    real = real_data()
    if real is None:
        return *_generated(folder, systems), "generated"
    runs = []
    for path in sorted((real / "trec-covid-r5" / "runs").glob("*.gz"))[:systems]:
        runs.append(folder / path.name.removesuffix(".gz"))
        runs[-1].write_bytes(gzip.decompress(path.read_bytes()))
    return real / "trec-covid-r5" / "qrels.txt", runs, "TREC-COVID round 5"


def _generated(folder: Path, systems: int) -> tuple[Path, list[Path]]:
    chance = random.Random(1)
    documents = [f"{number:08x}" for number in range(190_000)]
    topics = range(1, 51)
    judged = {topic: chance.sample(documents, 460) for topic in topics}
    qrels = folder / "qrels.txt"
    qrels.write_text("".join(f"{t} 0 {d} {chance.choice((0, 0, 1, 2))}\n" for t in topics for d in judged[t]))
    runs = []
    for system in range(systems):
        runs.append(folder / f"system{system:03}.run")
        with runs[-1].open("w") as stream:
            for topic in topics:
                retrieved = {*chance.sample(judged[topic], 250), *chance.sample(documents, 750)}
                for rank, document in enumerate(retrieved, start=1):
                    stream.write(f"{topic}\tQ0\t{document}\t{rank}\t{100 - rank * 0.0921:.6f}\tsystem{system:03}\n")
    return qrels, runs


def _machine() -> str:
    return (
        f"{os.cpu_count()} cores {platform.machine()}, Python {platform.python_version()}, "
        f"duckdb {duckdb.__version__}, pytrec_eval-terrier {version('pytrec_eval-terrier')}"
    )


if __name__ == "__main__":
    sys.exit(main())
