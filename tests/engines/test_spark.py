"""``evalsql spark eval`` on a real cluster: a master and two workers on loopback, some of which are killed meanwhile.

The short form of ``python -m tests.engines.spark_trial``. It runs where pyspark and Java are;
``EVALSQL_DEMAND_ENGINES=1`` makes it fail elsewhere.
"""

import gzip
import subprocess
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import evalsql
from evalsql import InputError, UsageError, spark
from evalsql.catalog.measure_names import default_measure
from evalsql.catalog.relations import read_catalog
from evalsql.engines import spark_rows
from evalsql.spark import evaluate
from tests.conftest import ROOT, SAMPLE, new_file, new_warehouse, write
from tests.engines.runs import demand
from tests.engines.spark_cluster import Cluster, Killer, environment, running, session_on, spark_program
from tests.engines.spark_trial import MEASURES, differences, make
from tests.oracles.brute_force_diversity import diversity_collection
from tests.random_collections import together

pytestmark = pytest.mark.engines
CATALOG = read_catalog()
ALL = tuple(default_measure(each).name for each in CATALOG.measures)
# One threshold cuts all topics of a run.
TAPS = ("TAP@1", "TAP(quantile=0.28)@2", "TAP(insufficient='uncut')@40", "TAP(threshold=0.5)@5")
# What answers hold and cost, which no run says.
OF_ANSWERS = {f"{strict}{kind}Score" for strict in ("", "Strict") for kind in ("All", "Vital", "Weighted")}
OF_ANSWERS |= {"CitationPrecision", "CitationRecall", "Cost"}
# A task that takes longer than most is started a second time, as often as these tests can make it.
EAGER = {"spark.speculation": "true", "spark.speculation.quantile": "0.5", "spark.speculation.multiplier": "1.01"}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    demand("spark")
    with running(tmp_path_factory.mktemp("spark")) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def session(cluster: Cluster) -> Iterator[Any]:
    with session_on(cluster, EAGER) as session:
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


def computed(runs: Path, measures: Sequence[str] = MEASURES) -> list[tuple[Any, ...]]:
    with new_warehouse() as warehouse:
        warehouse.load_qrels(SAMPLE / "qrels.txt", "sample")
        for path in sorted(runs.iterdir()):
            if path.name != "bad.run":
                parts = sorted(path.glob("part-*"))
                warehouse.load_runs(parts or [str(path).replace("[", "[[]")], name=path.name.partition(".")[0])
        rows = warehouse.evaluate(measures, per_topic=True).fetchall()
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
    assert not (out / "job" / "_SUCCESS").exists()
    assert list(out.glob("scores/*")) == []
    outcome = evaluate(session, **asked(folder))
    assert outcome.evaluated == list(NAMES)
    assert outcome.problems.keys() == {"bad"}
    assert f"{bad}:2: " in outcome.problems["bad"]
    agree(loaded(tmp_path, out), computed(folder))
    before = sorted(out.glob("*/batch=*/*.parquet"))
    bad.write_text(text("rerank-large"))
    again = evaluate(session, **asked(folder))
    assert (again.evaluated, again.kept, again.problems) == (["bad"], len(NAMES), {})
    assert set(before) < set(out.glob("*/batch=*/*.parquet"))
    assert {run for run, *_ in loaded(tmp_path, out)} == {*NAMES, "bad"}
    files = sorted(out.rglob("*"))
    assert evaluate(session, **asked(folder)).kept == len(NAMES) + 1
    assert sorted(out.rglob("*")) == files
    with pytest.raises(UsageError, match=r"holds scores of another job.*measures there: .*; here: RR; name"):
        evaluate(session, **asked(folder, measures="RR"))
    bad.write_text(text("rerank-small"))
    with pytest.raises(UsageError, match="has scores of run bad from other files"):
        evaluate(session, **asked(folder))


@pytest.mark.parametrize("stopped", ["between batches", "within a batch"])
def test_a_job_that_was_stopped_looks_unfinished_and_goes_on(
    session: Any, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stopped: str
) -> None:
    out, calls = tmp_path / "out", 0
    monkeypatch.setattr(spark, "_WAVE_BYTES", 1)
    # In batches of one run: the values of another are there, and nothing says that they are whole.
    name, whole = ("write", 2) if stopped == "between batches" else ("_write_facts", 2)
    method = getattr(spark_rows.Output, name)

    def stop(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls > whole:
            raise KeyboardInterrupt
        return method(*arguments)

    monkeypatch.setattr(spark_rows.Output, name, stop)
    with pytest.raises(KeyboardInterrupt):
        evaluate(session, **asked(folder))
    monkeypatch.setattr(spark_rows.Output, name, method)
    assert not (out / "job" / "_SUCCESS").exists()
    assert len(list((out / "scores").iterdir())) == (2 if stopped == "between batches" else 3)
    with pytest.raises(InputError, match="the job that writes this folder has not ended"):
        loaded(tmp_path, out)
    monkeypatch.undo()
    outcome = evaluate(session, **asked(folder))
    assert (outcome.kept, len(outcome.evaluated)) == (2, 3)
    agree(loaded(tmp_path, out), computed(folder))


def test_a_file_of_several_blocks_is_one_run_and_its_bad_line_is_counted(
    session: Any, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key in ("maxPartitionBytes", "openCostInBytes"):
        session.conf.set(f"spark.sql.files.{key}", "8000")
    rows = [line.split() for line in text("bm25-rm3").splitlines()]
    write(folder / "table.csv", "qid,docno,score\n" + "".join(f"{row[0]},{row[2]},{row[4]}\n" for row in rows))
    write(folder / "bad.run", text("tfidf") + "T01 Q0 b 2 much tag\n")
    try:
        outcome = evaluate(session, **asked(folder))
        assert list(outcome.problems) == ["bad"]
        assert f"{folder}/bad.run:{len(text('tfidf').splitlines()) + 1}: " in outcome.problems["bad"]
        assert {session.conf.get(f"spark.sql.files.{key}") for key in ("maxPartitionBytes", "openCostInBytes")} == {
            "8000"
        }
    finally:
        for key in ("maxPartitionBytes", "openCostInBytes"):
            session.conf.unset(f"spark.sql.files.{key}")
    agree(loaded(tmp_path, tmp_path / "out"), computed(folder))


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
    # Frames of runs and of judgments, and what is computed when it is asked for.
    lines = [line.split() for line in (SAMPLE / "qrels.txt").read_text().splitlines()]
    listed = [(row[0], row[2], int(row[3])) for row in lines]
    judged = session.createDataFrame(listed, "qid string, docno string, rel int")
    values = evaluate(session, judged, frame, MEASURES, run_column="system", name="sample", memory_limit="512MB")
    assert values.columns == ["qrels", "run", "topic", "measure", "value"]
    agree(sorted(tuple(row)[1:] for row in values.collect()), expected)
    frame.where("system = 'bm25'").write.option("header", True).csv(f"{table}.csv")
    frame.where("system = 'tfidf'").write.json(f"{table}.jsonl")
    for ending, run in (("csv", "bm25"), ("jsonl", "tfidf")):
        given = asked(folder, runs=f"{table}.{ending}", run_column="system", out=None)
        found = evaluate(session, **given).collect()
        agree(sorted(tuple(row)[1:] for row in found), [row for row in expected if row[0] == run])
    refused = evaluate(session, judged, frame.union(frame), "AP", run_column="system")
    with pytest.raises(Exception, match=r"^\[USER_RAISED_EXCEPTION\] run bm25: document .* stands more than once"):
        refused.where("measure = 'RR' and value > 0").count()


def test_through_spark_connect(folder: Path, tmp_path: Path) -> None:
    demand("spark")
    pytest.importorskip("grpc", reason="Spark Connect needs grpcio")
    program = f"""
from pyspark.sql import SparkSession
from evalsql.spark import evaluate
session = SparkSession.builder.remote("local[2]").getOrCreate()
given = ({str(SAMPLE / "qrels.txt")!r}, {f"{folder}/*"!r}, {[*MEASURES]!r})
evaluate(session, *given, name="sample", out={str(tmp_path / "out")!r})
session.stop()
"""
    answer = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment(), cwd=ROOT
    )
    assert answer.returncode == 0, answer.stderr[-3000:]
    agree(loaded(tmp_path, tmp_path / "out"), computed(folder))


def test_spark_submit_takes_the_program_of_the_guide(tmp_path: Path) -> None:
    demand("spark")
    guide = (ROOT / "evalsql" / "docs" / "spark.md").read_text()
    shown = guide.partition("## From Python\n\n```text\n")[2].partition("```")[0]
    runs = write(tmp_path / "runs" / "bm25.run", text("bm25")).parent
    for there, here in (("s3a://bucket/qrels.txt", SAMPLE / "qrels.txt"), ("s3a://bucket/runs/*", f"{runs}/*")):
        assert there in shown
        shown = shown.replace(there, str(here))
    program = write(tmp_path / "evaluate.py", shown)
    words = [spark_program("spark-submit"), "--master", "local[2]", "--conf", "spark.ui.enabled=false", program]
    answer = subprocess.run(list(map(str, words)), capture_output=True, text=True, env=environment(), cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr[-3000:]
    rows = [line.strip("|").split("|") for line in answer.stdout.splitlines() if "bm25" in line]
    found = {(run.strip(), measure.strip()): float(value) for run, measure, value in rows}
    with new_warehouse() as warehouse:
        warehouse.load_qrels(SAMPLE / "qrels.txt")
        warehouse.load_runs(SAMPLE / "runs" / "bm25.run")
        ((_, run, *means),) = warehouse.evaluate("nDCG@10 AP").fetchall()
    expected = {(run, "nDCG@10"): means[0], (run, "AP"): means[1]}
    assert found == pytest.approx(expected, abs=1e-12, rel=0)


def test_the_command_writes_every_measure_as_load_scores_reads_it(folder: Path, tmp_path: Path) -> None:
    demand("spark")
    words = ["spark", "eval", "--qrels", SAMPLE / "qrels.txt", "--runs", f"{folder}/*", "--name", "sample"]
    more = ["-m", ",".join(ALL), "--out", tmp_path / "out"]
    more += ["--master", "local[2]", "--conf", "spark.ui.enabled=false"]
    (folder / "bad.run").write_text(BAD)
    answer = subprocess.run(
        [sys.executable, "-P", "-m", "evalsql", *map(str, [*words, *more])],
        capture_output=True,
        text=True,
        env=environment(),
        cwd=write(tmp_path / "here" / "socket.py", "raise ImportError('not Python's own')\n").parent,
    )
    assert (answer.returncode, answer.stdout) == (2, ""), answer.stderr
    assert f"{tmp_path / 'out'}: evaluated 5 runs" in answer.stderr
    assert "1 run refused:" in answer.stderr
    assert "bad.run:2: " in answer.stderr
    agree(loaded(tmp_path, tmp_path / "out"), computed(folder, ALL))


def lines(rows: Iterable[Sequence[object]]) -> str:
    return "".join(" ".join(map(str, row)) + "\n" for row in rows)


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, list[tuple[Any, ...]]]]:
    """By form of judgments a folder of two runs, with ties and topics left out, and the values by every measure."""
    graded, grouped = together(range(14)), diversity_collection(5, tied=True, topics=150)
    judged = [(topic, 0, *each) for topic, grades in graded.qrels.items() for each in grades.items()]
    found = {}
    for form, rows, run in (("grades", judged, graded.run), ("groups", grouped.rows(), grouped.run)):
        folder = tmp_path_factory.mktemp(form)
        qrels = write(folder / "qrels.txt", lines(rows))
        for name, sign in (("up", 1), ("down", -1)):
            ranked = ((topic, "Q0", each, 0, sign * run[topic][each], name) for topic in run for each in run[topic])
            write(folder / "runs" / f"{name}.run", lines(ranked))
        with warnings.catch_warnings(action="ignore"), new_warehouse() as warehouse:
            warehouse.load_qrels(qrels, form=form)
            warehouse.load_runs(f"{folder}/runs/*")
            rows = warehouse.evaluate([*ALL, *TAPS], per_topic=True).fetchall()
            found[form] = folder, sorted(row[1:] for row in rows)
    return found


@pytest.mark.parametrize(
    ("form", "portion", "small", "killed"),
    [
        ("grades", 1000, 0, ["executor"]),
        ("grades", 1_000_000, 0, []),
        ("grades", 1_000_000, 10**9, []),
        ("groups", 1000, 0, []),
    ],
    ids=["portions and a lost executor", "one portion", "whole runs", "portions of groups"],
)
def test_every_measure_is_duckdbs(
    session: Any,
    cluster: Cluster,
    trials: dict[str, tuple[Path, list[tuple[Any, ...]]]],
    monkeypatch: pytest.MonkeyPatch,
    form: str,
    portion: int,
    small: int,
    killed: list[str],
) -> None:
    monkeypatch.setattr(spark_rows, "_TASK_BYTES", 50_000)
    monkeypatch.setattr(spark_rows, "_SMALL_BYTES", small)
    folder, rows = trials[form]
    assert {row[2] for row in rows} == {*ALL, *TAPS} - OF_ANSWERS
    killer = Killer(session, cluster, killed)
    killer.start()
    try:
        how: dict[str, Any] = {"form": form, "portion": portion, "memory_limit": "512MB"}
        values = evaluate(session, folder / "qrels.txt", f"{folder}/runs/*", [*ALL, *TAPS], **how).collect()
    finally:
        killer.end()
    assert killer.killed == killed
    agree(sorted(tuple(row)[1:] for row in values), rows)


# The last one: the worker that it kills does not come back.
def test_figures_are_duckdbs_though_an_executor_and_a_worker_are_killed(
    session: Any, cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark_rows, "_TASK_BYTES", 4_000_000)
    trial = make(tmp_path / "trial", systems=18, topics=50, documents=1000, huge=100_000)
    assert trial.rows == 1_050_000
    options: dict[str, Any] = {"qrels": trial.qrels, "runs": trial.runs, "memory_limit": "512MB", "portion": 50_000}
    killer = Killer(session, cluster)
    killer.start()
    try:
        outcome = evaluate(session, **options, measures=MEASURES, out=tmp_path / "out")
    finally:
        killer.end()
    assert killer.killed == ["executor", "worker"]
    assert killer.num_failed >= 2
    assert outcome.problems == {}
    num_values, greatest = differences(trial, tmp_path / "out")
    assert num_values == 20 * 51 * len(MEASURES)
    assert greatest <= 1e-12
