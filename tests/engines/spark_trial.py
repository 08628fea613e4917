"""The long form: ``python -m tests.engines.spark_trial`` evaluates 100 million generated rows on two workers.

An executor is killed, then a worker, and the figures are held against those of plain evalsql. Among the runs are one of
a single huge topic and one in several files. ``--rows`` asks for fewer, ``--calm`` kills nobody and times one and two
workers instead.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import duckdb

import evalsql
from evalsql.spark import evaluate
from tests.bench.collection import generated
from tests.engines.runs import missing
from tests.engines.spark_cluster import Killer, running, session_on

MEASURES = ("nDCG@10", "AP", "TAP@5", "NumRet")
_MEMORY, _OFFERED = "1g", "2g"  # of an executor, and what a worker offers
_TOPICS, _DOCUMENTS = 50, 1000
_HUGE = "'huge Q0 d' || i || ' ' || (i + 1) || ' ' || (1000000 - i) || ' single'"


class Trial(NamedTuple):
    """Generated files: the path or glob that stands for the runs, and how many rows they have."""

    qrels: Path
    runs: str
    rows: int


def make(folder: Path, *, systems: int, topics: int, documents: int, huge: int) -> Trial:
    """Systems of the same shape, a run of one topic with so many documents, and a system in five files.

    The judgments have the huge topic too, so that every run has values for it.
    """
    runs = folder / "runs"
    made = generated(folder / "made", range(systems + 1), topics=topics, documents=documents, judged=100)
    runs.mkdir()
    for path in made.runs[:-1]:
        path.rename(runs / path.name)
    lines = made.runs[-1].read_text().splitlines(keepends=True)
    parts = runs / "parts"
    parts.mkdir()
    for nth in range(5):
        (parts / f"part-{nth}.txt").write_text("".join(lines[nth::5]))
    (runs / "single").mkdir()
    with duckdb.connect() as connection:
        connection.execute(
            f"copy (select {_HUGE} from range({huge}) as t(i)) to '{runs}/single/all.txt' "
            "(format csv, header false, quote '')"
        )
        connection.execute(
            f"copy (select 'huge 0 d' || (i * 97 % {huge}) || ' ' || (i % 3) from range(2000) as t(i)) "
            f"to '{folder}/huge.txt' (format csv, header false, quote '')"
        )
    qrels = folder / "trial.txt"
    qrels.write_text(made.qrels.read_text() + (folder / "huge.txt").read_text())
    return Trial(qrels, f"{runs}/*", (systems + 1) * topics * documents + huge)


def differences(trial: Trial, out: Path, measures: Sequence[str] = MEASURES) -> tuple[int, float]:
    """How many values there are, and the greatest difference from those of plain evalsql; infinite where one lacks."""
    folder = Path(trial.runs).parent
    with tempfile.TemporaryDirectory() as name:
        plain = Path(name) / "plain.parquet"
        together = Path(name) / "together"
        together.mkdir()
        for part in ("parts", "single"):
            (together / f"{part}.run").write_bytes(b"".join(f.read_bytes() for f in sorted((folder / part).iterdir())))
        with evalsql.open(Path(name) / "plain.duckdb") as warehouse:
            warehouse.load_qrels(trial.qrels)
            warehouse.load_runs([f"{folder}/*.run", f"{together}/*.run"])
            rows = warehouse.evaluation.scores_query(measures, per_topic=True)
            warehouse.execute(f"copy ({rows}) to '{plain}' (format parquet)")
        with duckdb.connect() as connection:
            ((count, greatest),) = connection.execute(f"""
                select count(*), max(coalesce(abs(spark.value - plain.value), 'inf'::double))
                from read_parquet('{out}/scores/*/*.parquet') as spark
                full join '{plain}' as plain using (qrels, run, topic, measure)
            """).fetchall()
    return int(count), float(greatest)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--folder", type=Path, help="where to put files meanwhile; a gigabyte for 20 million rows")
    parser.add_argument("--calm", action="store_true", help="kill nobody, and time one worker and two")
    options = parser.parse_args()
    if lacking := missing("spark"):
        sys.exit(f"Spark needs {lacking}")
    with tempfile.TemporaryDirectory(prefix="evalsql-trial-", dir=options.folder) as name:
        huge = options.rows // 10
        systems = (options.rows - huge) // (_TOPICS * _DOCUMENTS) - 1
        trial = make(Path(name) / "trial", systems=systems, topics=_TOPICS, documents=_DOCUMENTS, huge=huge)
        print(f"{trial.rows:,} rows of {systems + 2:,} runs", flush=True)
        if options.calm:
            return _timed(trial, Path(name))
        return _killed(trial, Path(name))


def _killed(trial: Trial, folder: Path) -> int:
    with (
        running(folder / "cluster", memory=_OFFERED) as cluster,
        session_on(cluster, {"spark.executor.memory": _MEMORY}) as session,
    ):
        killer = Killer(session, cluster)
        killer.start()
        evaluate(session, qrels=trial.qrels, runs=trial.runs, measures=MEASURES, out=folder / "out")
        killer.end()
    count, greatest = differences(trial, folder / "out")
    print(f"killed: {', '.join(killer.killed)}; tasks that failed: {killer.num_failed}")
    print(f"{count:,} values, greatest difference from plain evalsql: {greatest:g}")
    return 0 if killer.killed == ["executor", "worker"] and killer.num_failed >= 2 and greatest <= 1e-12 else 1


def _timed(trial: Trial, folder: Path) -> int:
    for workers in (1, 2):
        with (
            running(folder / f"cluster{workers}", workers, _OFFERED) as cluster,
            session_on(cluster, {"spark.executor.memory": _MEMORY}) as session,
        ):
            started = time.perf_counter()
            evaluate(session, qrels=trial.qrels, runs=trial.runs, measures=MEASURES, out=folder / f"out{workers}")
            print(f"Spark, workers of one core: {workers}: {time.perf_counter() - started:.1f} s", flush=True)
    files = [str(path) for path in Path(trial.runs).parent.glob("*.run")]
    command = [sys.executable, "-m", "evalsql", "eval", str(trial.qrels), *files, "-m", ",".join(MEASURES)]
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    print(f"plain evalsql, without the run of one topic and the one in parts: {time.perf_counter() - started:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
