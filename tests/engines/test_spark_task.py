"""What Spark's tasks do, without Spark: rows they read, portions they evaluate, and what they say of bad rows."""

import gzip
import json
import re
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow
import pytest

from evalsql import InputError
from evalsql.catalog.measure_names import default_measure, parse_measures
from evalsql.catalog.relations import read_catalog, read_relations
from evalsql.ingest import parts
from evalsql.ingest.parts import READ, RunFile, arrow_schema, read_columns, read_lines
from evalsql.spark import meaning
from evalsql.warehouse.portions import (
    HANDED,
    Job,
    added_up,
    in_portions,
    judged_topics,
    portion_candidates,
    portion_values,
    run_thresholds,
    warehouse_of,
)
from tests.conftest import SAMPLE, Command, new_warehouse, own_measure, write
from tests.long_cases import few_of
from tests.random_collections import together

MEASURES = ("nDCG@10", "AP", "TAP@5", "NumRet", "P@5", "RR", "Judged@10")
RUNS = ("bm25", "dense", "random")
Values = dict[tuple[str, str, str], float]


def job(**options: Any) -> Job:
    given: dict[str, Any] = {"qrels": "sample", "qrels_file": "s3a://bucket/qrels.txt", "digest": read_catalog().digest}
    given |= {"qrels_bytes": (SAMPLE / "qrels.txt").read_bytes(), "measures": MEASURES, "whole_runs": True}
    return Job(**(given | options))


def text(run: str) -> bytes:
    return (SAMPLE / "runs" / f"{run}.run").read_bytes()


def lines(contents: Sequence[bytes], block: int, together: int = 700) -> Iterator[pyarrow.RecordBatch]:
    """Files as Spark hands them over: in blocks of so many bytes, a line belonging to where it begins."""
    for nth, content in enumerate(contents):
        at, rows = 0, []
        for line in content.splitlines(keepends=True):
            ended = line if line.endswith(b"\n") else line + b"\n"
            rows.append((ended, nth, at // block * block, len(content) <= block))
            at += len(line)
        for first in range(0, len(rows), together):
            columns = zip(*rows[first : first + together], strict=True)
            kinds = (pyarrow.binary(), pyarrow.int32(), pyarrow.int64(), pyarrow.bool_())
            arrays = [pyarrow.array(column, kind) for column, kind in zip(columns, kinds, strict=True)]
            yield pyarrow.RecordBatch.from_arrays(arrays, ["line", "evalsql_file", "start", "whole"])


def reading(sent: Job) -> tuple[Any, Any]:
    return warehouse_of(sent).database, sent.run_options


def batches(rows: Sequence[Mapping[str, Any]], columns: str) -> list[pyarrow.RecordBatch]:
    schema = arrow_schema(columns)
    return [pyarrow.RecordBatch.from_pylist(rows[at : at + 997], schema) for at in range(0, len(rows), 997)]


def thresholds(sent: Job, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What is handed to the portions, found in two passes as Spark does."""
    found = in_portions(sent, portion_candidates, batches(rows, READ))
    gathered = sorted((row for batch in found for row in batch.to_pylist()), key=lambda row: str(row["run"]))
    found = in_portions(sent, run_thresholds, batches(gathered, HANDED))
    return [row for batch in found for row in batch.to_pylist()]


def outcome(sent: Job, runs: Sequence[str], read: Iterator[Any]) -> tuple[Values, dict[str, dict[str, Any]]]:
    """Values and facts of rows that are read, brought together as Spark does."""
    rows = [row for batch in read for row in batch.to_pylist()]
    topics = [{"run": run, "topic": topic} for run in {*runs} for topic in judged_topics(sent)]
    rows = sorted(rows + topics, key=lambda row: (row["run"], row.get("topic") or "", row.get("place") or -1))
    if sent.crossing:
        given = {row["run"]: row["facts"] for row in thresholds(sent, rows)}
        assert given.keys() == {*runs}
        rows = [row | {"facts": given[row["run"]]} if row.keys() == {"run", "topic"} else row for row in rows]
    portions = in_portions(sent, portion_values, batches(rows, READ))
    found = [row for batch in portions for row in batch.to_pylist()]
    facts = [json.loads(row["facts"]) for row in found if row["facts"]]
    listed = [row for row in found if not row["facts"]]
    values = {(row["run"], row["topic"], row["measure"]): row["value"] for row in listed}
    assert len(values) == len(listed)
    return values, {run: added_up(run, run, [fact for fact in facts if fact["run"] == run]) for run in {*runs}}


def of_files(sent: Job, files: Mapping[str, tuple[str, bytes]], block: int = 1 << 40) -> Any:
    listed = [RunFile(run, nth, path, len(held)) for nth, (path, (run, held)) in enumerate(files.items())]
    contents = [gzip.decompress(held) if path.endswith(".gz") else held for path, (_, held) in files.items()]
    return outcome(sent, [file.run for file in listed], read_lines(*reading(sent), listed, lines(contents, block)))


@cache
def computed() -> Values:
    with new_warehouse() as warehouse:
        warehouse.load_qrels(SAMPLE / "qrels.txt", "sample")
        warehouse.load_runs([SAMPLE / "runs" / f"{run}.run" for run in RUNS])
        rows = warehouse.evaluate(MEASURES, per_topic=True).fetchall()
    return {(run, topic, measure): value for _, run, topic, measure, value in rows}


def expected(*runs: str, measures: Sequence[str] = MEASURES) -> Any:
    wanted = {key: value for key, value in computed().items() if key[0] in runs and key[2] in measures}
    return pytest.approx(wanted, abs=1e-12, rel=0)


@pytest.mark.long
@pytest.mark.parametrize(("block", "chunk"), few_of([(20_000, 5_000), (1 << 40, 1 << 40)], 1))
def test_lines_of_files_and_of_blocks_of_them_give_the_values_of_runs(
    monkeypatch: pytest.MonkeyPatch, block: int, chunk: int
) -> None:
    """In parts, packed, in a folder of one file which names it; blocks are read a chunk at a time."""
    monkeypatch.setattr(parts, "_CHUNK_BYTES", chunk)
    dense = text("dense").splitlines(keepends=True)
    files = {
        "s3a://bucket/bm25/all.txt": ("bm25", text("bm25").rstrip(b"\n")),
        "s3a://bucket/dense/part-0.txt": ("dense", b"".join(dense[:700])),
        "s3a://bucket/random.run": ("random", text("random")),
        "s3a://bucket/dense/part-1.txt": ("dense", b"".join(dense[700:])),
    }
    values, facts = of_files(job(), files, block)
    assert values == expected(*RUNS)
    assert {run: (fact["problem"], fact["num_rows"]) for run, fact in facts.items()} == dict.fromkeys(
        RUNS, (None, 1600)
    )


@pytest.mark.parametrize("portion", [pytest.param(1, marks=pytest.mark.long), 500])
def test_portions_of_topics_give_the_values_of_whole_runs(portion: int) -> None:
    sent = job(portion=portion, whole_runs=False)
    values, facts = of_files(sent, {f"/{run}.run": (run, text(run)) for run in RUNS})
    assert values == expected(*RUNS)
    assert facts["bm25"]["num_rows"] == 1600


def test_notes_of_portions_are_added_up() -> None:
    near = b"".join(b"T0%d Q0 a 1 1.00000001 x\nT0%d Q0 b 2 1 x\n" % (topic, topic) for topic in (1, 2, 3))
    _, facts = of_files(job(portion=1, whole_runs=False), {"/near.run": ("near", near)})
    assert "6 documents in 1 run tie only in 32-bit precision" in facts["near"]["notes"]


TAPS = ("TAP@1", "TAP@5", "TAP(quantile=0.28)@2", "TAP(insufficient=uncut)@40", "TAP(rel=2)@3", "TAP(threshold=0.5)@5")


@pytest.mark.long
@pytest.mark.parametrize("portion", [pytest.param(1, marks=pytest.mark.long), 300])
def test_one_threshold_cuts_all_portions_of_a_run(tmp_path: Path, portion: int) -> None:
    """With ties, rankings without scores, topics that a run lacks, and topics without relevant documents."""
    made = together(range(14))
    judged = "".join(f"{topic} 0 {each} {grade}\n" for topic in made.qrels for each, grade in made.qrels[topic].items())
    listed = [(topic, each, score) for topic in made.run for each, score in made.run[topic].items()]
    rows = {
        f"{name}.run": [f"{topic} Q0 {each} 0 {sign * score!r} x" for topic, each, score in listed]
        for name, sign in (("up", 1), ("down", -1))
    }
    rows["ranked.tsv"] = [
        "qid\tdocno\trank",
        *(f"{topic}\t{each}\t{nth}" for nth, (topic, each, _) in enumerate(listed, 1)),
    ]
    files = [write(tmp_path / name, "\n".join(some) + "\n") for name, some in rows.items()]
    with warnings.catch_warnings(action="ignore"), new_warehouse() as warehouse:
        warehouse.load_qrels(write(tmp_path / "sample.txt", judged), "sample")
        warehouse.load_runs(files)
        found = warehouse.evaluate(TAPS, per_topic=True).fetchall()
    names = [measure.name for measure in parse_measures(TAPS, read_catalog())]
    sent = job(portion=portion, measures=names, qrels_bytes=judged.encode(), whole_runs=False)
    values, _ = of_files(sent, {str(path): (path.stem, path.read_bytes()) for path in files})
    assert values == pytest.approx({tuple(row[1:4]): row[4] for row in found}, abs=1e-12, rel=0)


def test_lines_of_other_formats_are_read_where_the_file_is_whole() -> None:
    rows = [line.split() for line in text("bm25").decode().splitlines()]
    table = "qid,docno,score\n" + "".join(f"{row[0]},{row[2]},{row[4]}\n" for row in rows)
    ranked = "qid\tdocno\trank\n" + "".join(f"{row[0]}\t{row[2]}\t{row[3]}\n" for row in rows)
    files = {"/a.csv": ("bm25", table.encode()), "/b.tsv": ("ranked", ranked.encode())}
    values, facts = of_files(job(), files)
    assert {key: value for key, value in values.items() if key[0] == "bm25"} == expected("bm25")
    assert (facts["bm25"]["tie_rule"], facts["ranked"]["tie_rule"]) == ("trec_eval", "rank")
    listed = [RunFile("bm25", 0, "/a.csv", len(table))]
    found = read_lines(*reading(job()), listed, lines([table.encode()], 20_000))
    first = json.loads(next(found).to_pylist()[0]["facts"])
    assert first["again"]
    assert first["problem"].startswith("/a.csv: is no TREC text")


def test_a_run_that_is_refused_fails_alone_with_file_and_line() -> None:
    bad = b"T01 Q0 a 1 2.5 tag\nT01 Q0 b 2 much tag\n"
    twice = b"".join(b"T01 Q0 %s 1 2.5 tag\n" % document for document in (b"a", b"b", b"c", b"a", b"b", b"c"))
    files = {"hdfs://host/bm25.run": ("bm25", text("bm25")), "hdfs://host/bad.run": ("bad", bad)}
    values, facts = of_files(job(), files | {"hdfs://host/twice.run": ("twice", twice)})
    assert {key: value for key, value in values.items() if key[0] == "bm25"} == expected("bm25")
    assert facts["bm25"]["problem"] is None
    assert facts["bad"]["problem"] == 'hdfs://host/bad.run:2: score "much" is not a number'
    told = "run twice: document a of topic T01 stands more than once, and 2 more like it"
    assert facts["twice"]["problem"] == told


def test_rows_of_a_table_are_runs_and_one_that_is_refused_fails_alone() -> None:
    rows = [line.split() for line in text("bm25").decode().splitlines()]
    columns = {"topic": [row[0] for row in rows], "document": [row[2] for row in rows]}
    scores = [float(row[4]) for row in rows]
    both = {name: held + held for name, held in columns.items()} | {"score": scores + [None] * len(rows)}
    owners = ["bm25"] * len(rows) + ["odd"] * len(rows)
    table = pyarrow.table({"evalsql_run": owners, "evalsql_place": [0] * len(owners), **both})
    values, facts = outcome(job(), ["bm25", "odd"], read_columns(*reading(job()), [], table.to_batches()))
    assert {key: value for key, value in values.items() if key[0] == "bm25"} == expected("bm25")
    assert facts["bm25"]["problem"] is None
    assert facts["odd"]["problem"].startswith("run odd: score is missing")


def test_bad_judgments_and_other_versions_are_refused() -> None:
    with pytest.raises(InputError, match=r"s3a://bucket/qrels\.txt:1: "):
        judged_topics(job(qrels_bytes=b"T01 0 a much\n"))
    for other in ({"digest": "0" * 64}, {"engine": "0.1"}):
        with pytest.raises(RuntimeError, match=r"another version of .*install the same versions of evalsql and duckdb"):
            judged_topics(job(**other))


def test_measures_of_ones_own_go_along(tmp_path: Path) -> None:
    select = "select qrels, run, topic, cast(0 as double) as value from evaluated_topics"
    own = own_measure(tmp_path / "zero.sql", "Zero", select).read_bytes()
    digest = read_catalog().extended(read_relations(tmp_path)).digest
    sent = job(own={"zero.sql": own}, digest=digest, measures=["Zero", "AP"])
    values, facts = of_files(sent, {"file:/bm25.run": ("bm25", text("bm25"))})
    assert facts["bm25"]["problem"] is None
    assert {measure for _, _, measure in values} == {"Zero", "AP"}
    assert sum(value for (_, _, measure), value in values.items() if measure == "Zero") == 0


@pytest.mark.long
def test_topics_in_portions_have_their_values_by_every_measure() -> None:
    catalog = read_catalog()
    every = [default_measure(each).name for each in catalog.measures]
    with new_warehouse() as warehouse:
        warehouse.load_qrels(SAMPLE / "qrels.txt", "sample")
        warehouse.load_runs(SAMPLE / "runs" / "hybrid.run")
        rows = warehouse.evaluate(every, per_topic=True).fetchall()
    sent = job(portion=400, whole_runs=False, measures=every)
    values, _ = of_files(sent, {"/hybrid.run": ("hybrid", text("hybrid"))})
    assert values == pytest.approx({tuple(row[1:4]): row[4] for row in rows}, abs=1e-12, rel=0)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        ("ConnectionRefusedError: [Errno 111] Connection refused", "JVM .* has ended.*spark.driver.memory"),
        ("java.lang.OutOfMemoryError: Java heap space", "spark.executor.memory"),
        ("ModuleNotFoundError: No module named 'evalsql'", "executors has no evalsql.*PYSPARK_PYTHON"),
        ('java.io.IOException: Cannot run program "python9": error=2', "no program python9; PYSPARK_PYTHON"),
        ("Python worker exited unexpectedly (crashed)", "memoryOverhead"),
        ("evalsql.errors.QueryError: Out of Memory Error: could not allocate", "--memory-limit.*--portion"),
        ("RuntimeError: the executors have another version of SQL: install the same", "^the executors have another"),
        ('evalsql.errors.UsageError: /a.run:2: score "much" is not a number\n\nJVM stacktrace', r"^/a\.run:2: score"),
        ("something else", "^$"),
    ],
)
def test_errors_of_spark_are_said_in_a_sentence_with_the_setting_to_change(error: str, told: str) -> None:
    found = meaning(error)
    assert re.search(told, found)
    assert "Errno" not in found


def test_without_spark_one_sentence_says_what_is_missing(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    answer = command("spark", "eval", "--qrels", "q", "--runs", "r", "--out", tmp_path / "out")
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr == (
        "evalsql: Spark is not installed: pip install 'evalsql[spark]' brings it, and it needs Java 17 or newer\n"
    )
