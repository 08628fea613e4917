"""``evalsql spark eval`` on a real cluster: a master and two workers on loopback, some of which are killed meanwhile.

The short form of ``python -m tests.engines.spark_trial``. It runs where pyspark and Java are;
``EVALSQL_DEMAND_ENGINES=1`` makes it fail elsewhere.
"""

import gzip
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import evalsql
from evalsql import InputError, UsageError
from evalsql.engines import spark_files
from evalsql.spark import evaluate
from tests.conftest import ROOT, SAMPLE, new_file, write
from tests.engines.runs import demand
from tests.engines.spark_cluster import Cluster, Killer, environment, running, session_on
from tests.engines.spark_trial import MEASURES, differences, make

pytestmark = pytest.mark.engines


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    demand("spark")
    with running(tmp_path_factory.mktemp("spark")) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def session(cluster: Cluster) -> Iterator[Any]:
    with session_on(cluster) as session:
        yield session


def text(run: str) -> str:
    return (SAMPLE / "runs" / f"{run}.run").read_text()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The sample's files: plain, packed, in parts, and one of an odd name."""
    runs = tmp_path / "runs"
    for name, run in (("bm25", "bm25"), ("tfidf", "tfidf"), ("[odd] name", "dense")):
        write(runs / f"{name}.run", text(run))
    write(runs / "random.run.gz", gzip.compress(text("random").encode()))
    lines = text("hybrid").splitlines(keepends=True)
    for part, held in (("part-0", lines[:333]), ("part-1", lines[333:]), ("_SUCCESS", [])):
        write(runs / "hybrid" / part, "".join(held))
    return runs


BAD = "T01 Q0 a 1 2.5 tag\nT01 Q0 b 2 much tag\n"
NAMES = ("[odd] name", "bm25", "hybrid", "random", "tfidf")


def asked(folder: Path, **options: Any) -> dict[str, Any]:
    given = {"qrels": SAMPLE / "qrels.txt", "runs": f"{folder}/*", "measures": MEASURES, "name": "sample"}
    return given | {"out": folder.parent / "out", "memory_limit": "512MB"} | options


def loaded(tmp_path: Path, out: Path) -> list[tuple[Any, ...]]:
    """The values by way of ``load scores``."""
    with evalsql.open(new_file(tmp_path)) as warehouse:
        warehouse.load_qrels(SAMPLE / "qrels.txt", "sample")
        warehouse.load_scores(out)
        return warehouse.rows("select run, topic, measure, value from stored_values order by all")


def computed(runs: Path) -> list[tuple[Any, ...]]:
    with evalsql.open(":memory:") as warehouse:
        warehouse.load_qrels(SAMPLE / "qrels.txt", "sample")
        for path in sorted(runs.iterdir()):
            if path.name != "bad.run":
                parts = sorted(path.glob("part-*"))
                warehouse.load_runs(parts or [str(path).replace("[", "[[]")], name=path.name.partition(".")[0])
        rows = warehouse.evaluate(MEASURES, per_topic=True).fetchall()
    return sorted(row[1:] for row in rows)


def agree(found: list[tuple[Any, ...]], expected: list[tuple[Any, ...]]) -> None:
    assert [row[:3] for row in found] == [row[:3] for row in expected]
    assert [row[3] for row in found] == pytest.approx([row[3] for row in expected], abs=1e-12, rel=0)


def test_one_bad_run_fails_alone_and_is_done_once_it_is_mended(session: Any, folder: Path, tmp_path: Path) -> None:
    bad = folder / "bad.run"
    bad.write_text(BAD)
    with pytest.raises(InputError, match=r"bad\.run:2: .*much"):
        evaluate(session, **asked(folder, strict=True))
    out = tmp_path / "out"
    assert not (out / "_SUCCESS").exists()
    assert list(out.glob("scores/*")) == []
    outcome = evaluate(session, **asked(folder))
    assert outcome.evaluated == list(NAMES)
    assert outcome.problems.keys() == {"bad"}
    assert f"{bad}:2: " in outcome.problems["bad"]
    agree(loaded(tmp_path, out), computed(folder))
    before = sorted(out.rglob("*.parquet"))
    bad.write_text(text("rerank-large"))
    again = evaluate(session, **asked(folder))
    assert (again.evaluated, again.kept, again.problems) == (["bad"], len(NAMES), {})
    assert set(before) < set(out.rglob("*.parquet"))
    assert {run for run, *_ in loaded(tmp_path, out)} == {*NAMES, "bad"}
    files = sorted(out.rglob("*"))
    assert evaluate(session, **asked(folder)).kept == len(NAMES) + 1
    assert sorted(out.rglob("*")) == files
    with pytest.raises(UsageError, match="holds scores of another job"):
        evaluate(session, **asked(folder, measures="RR"))
    bad.write_text(text("rerank-small"))
    with pytest.raises(UsageError, match="has scores of run bad from other files"):
        evaluate(session, **asked(folder))


@pytest.mark.parametrize("stopped", ["between portions", "within a portion"])
def test_a_job_that_was_stopped_looks_unfinished_and_goes_on(
    session: Any, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stopped: str
) -> None:
    out, calls = tmp_path / "out", 0
    monkeypatch.setattr(spark_files, "_TASK_BYTES", (1, 1))
    monkeypatch.setattr(spark_files, "_TASKS_A_SLOT", 1)
    # In portions of two tasks: the values of the second are there, and nothing says that they are whole.
    name, whole = ("write", 1) if stopped == "between portions" else ("_row", 2)
    method = getattr(spark_files.Output, name)

    def stop(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls > whole:
            raise KeyboardInterrupt
        return method(*arguments)

    monkeypatch.setattr(spark_files.Output, name, stop)
    with pytest.raises(KeyboardInterrupt):
        evaluate(session, **asked(folder))
    monkeypatch.setattr(spark_files.Output, name, method)
    assert not (out / "_SUCCESS").exists()
    assert len(list((out / "scores").iterdir())) == (1 if stopped == "between portions" else 2)
    with pytest.raises(InputError, match="the job that writes this folder has not ended"):
        loaded(tmp_path, out)
    outcome = evaluate(session, **asked(folder))
    assert (outcome.kept, len(outcome.evaluated)) == (2, 3)
    agree(loaded(tmp_path, out), computed(folder))


def test_a_parquet_table_with_a_column_of_runs(session: Any, folder: Path, tmp_path: Path) -> None:
    table = str(tmp_path / "table")
    rows = []
    for name in ("bm25", "tfidf"):
        for line in text(name).splitlines():
            topic, _, document, _, score, _ = line.split()
            rows.append((name, topic, document, float(score)))
    frame = session.createDataFrame(rows, "system string, topic string, document string, score double")
    frame.repartition(3).write.parquet(table)
    options = asked(folder, runs=table, run_column="system")
    assert evaluate(session, **options).evaluated == ["bm25", "tfidf"]
    assert evaluate(session, **options).kept == 2
    expected = [row for row in computed(folder) if row[0] in ("bm25", "tfidf")]
    agree(loaded(tmp_path, tmp_path / "out"), expected)
    with pytest.raises(UsageError, match="the table has no column run; it has system, topic, document, score"):
        evaluate(session, **(options | {"run_column": "run"}))


def test_the_command_writes_what_load_scores_reads(folder: Path, tmp_path: Path) -> None:
    demand("spark")
    words = ["spark", "eval", "--qrels", SAMPLE / "qrels.txt", "--runs", f"{folder}/*", "--name", "sample"]
    more = ["-m", ",".join(MEASURES), "--out", tmp_path / "out"]
    more += ["--master", "local[2]", "--conf", "spark.ui.enabled=false"]
    (folder / "bad.run").write_text(BAD)
    answer = subprocess.run(
        [sys.executable, "-m", "evalsql", *map(str, [*words, *more])],
        capture_output=True,
        text=True,
        env=environment(),
        cwd=ROOT,
    )
    assert (answer.returncode, answer.stdout) == (2, ""), answer.stderr
    assert f"{tmp_path / 'out'}: evaluated 5 runs" in answer.stderr
    assert "1 run refused:" in answer.stderr
    assert "bad.run:2: " in answer.stderr
    agree(loaded(tmp_path, tmp_path / "out"), computed(folder))


# The last one: the worker that it kills does not come back.
def test_figures_are_duckdbs_though_an_executor_and_a_worker_are_killed(
    session: Any, cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark_files, "_TASK_BYTES", (1, 1))  # a task a run
    trial = make(tmp_path / "trial", systems=18, topics=50, documents=1000, huge=100_000)
    assert trial.rows == 1_050_000
    killer = Killer(session, cluster)
    killer.start()
    try:
        outcome = evaluate(
            session, qrels=trial.qrels, runs=trial.runs, measures=MEASURES, out=tmp_path / "out", memory_limit="512MB"
        )
    finally:
        killer.end()
    assert killer.killed == ["executor", "worker"]
    assert killer.num_failed >= 2
    assert outcome.problems == {}
    num_values, greatest = differences(trial, tmp_path / "out")
    assert num_values == 20 * 51 * len(MEASURES)
    assert greatest <= 1e-12
