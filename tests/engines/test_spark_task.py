"""What a Spark task does, without Spark: the rows it gives, and what it says of files that are refused."""

import gzip
import hashlib
import json
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow
import pytest

from evalsql.catalog.relations import read_catalog, read_relations
from evalsql.engines import spark_task
from evalsql.engines.spark_files import File, Run, tasks, waves
from evalsql.engines.spark_task import Job, evaluate_files, evaluate_table
from tests.conftest import SAMPLE, Command, new_warehouse, own_measure

MEASURES = ("nDCG@10", "AP", "TAP@5", "NumRet", "P@5", "RR", "Judged@10")
RUNS = ("bm25", "dense", "random")


def job(**options: Any) -> Job:
    given: dict[str, Any] = {"qrels": "sample", "qrels_file": "s3a://bucket/qrels.txt", "digest": read_catalog().digest}
    given |= {"qrels_bytes": (SAMPLE / "qrels.txt").read_bytes(), "measures": MEASURES}
    return Job(**(given | options))


def text(run: str) -> bytes:
    return (SAMPLE / "runs" / f"{run}.run").read_bytes()


Values = dict[tuple[str, str, str], float]
Facts = dict[str, dict[str, Any]]


def outcome(files: Mapping[str, tuple[str, bytes]], sent: Job | None = None) -> tuple[Values, Facts]:
    """Values and facts of a task with files by path, each with the name of its run; a batch a file."""
    names = [name for name, _ in files.values()]
    runs = {path: (name, names.count(name)) for path, (name, _) in files.items()}
    batches = [
        pyarrow.RecordBatch.from_pydict({"path": [path], "content": pyarrow.array([content], pyarrow.binary())})
        for path, (_, content) in files.items()
    ]
    return gathered(evaluate_files(sent or job(), runs, batches))


def gathered(batches: Any) -> tuple[Values, Facts]:
    rows = [row for batch in batches for row in batch.to_pylist()]
    facts = [json.loads(row["facts"]) for row in rows if row["kind"] == "run"]
    values = [row for row in rows if row["kind"] == "value"]
    assert len(rows) == len(facts) + len(values)
    found = {(row["run"], row["topic"], row["measure"]): row["value"] for row in values}
    assert len(found) == len(values)
    return found, {fact["run"]: fact for fact in facts}


@cache
def computed() -> Values:
    with new_warehouse() as warehouse:
        warehouse.load_qrels(SAMPLE / "qrels.txt", "sample")
        warehouse.load_runs([SAMPLE / "runs" / f"{run}.run" for run in RUNS])
        rows = warehouse.evaluate(MEASURES, per_topic=True).fetchall()
    return {(run, topic, measure): value for _, run, topic, measure, value in rows}


def expected(*runs: str) -> Any:
    return pytest.approx({key: value for key, value in computed().items() if key[0] in runs}, abs=1e-12, rel=0)


@pytest.mark.parametrize("together", [pytest.param(1, marks=pytest.mark.long), spark_task._TOGETHER])
def test_a_task_gives_the_values_of_its_runs(monkeypatch: pytest.MonkeyPatch, together: int) -> None:
    """Of all its runs together, and run by run: in parts, packed, in a folder of one file, which names it."""
    monkeypatch.setattr(spark_task, "_TOGETHER", together)
    lines = text("dense").splitlines(keepends=True)
    values, facts = outcome(
        {
            "s3a://bucket/bm25/all.txt": ("bm25", text("bm25")),
            "s3a://bucket/dense/part-0.txt": ("dense", b"".join(lines[:700])),
            "s3a://bucket/random.run.gz": ("random", gzip.compress(text("random"))),
            "s3a://bucket/dense/part-1.txt": ("dense", b"".join(lines[700:])),
        }
    )
    assert values == expected(*RUNS)
    assert {run: fact["problem"] for run, fact in facts.items()} == dict.fromkeys(RUNS)
    parts = [f"s3a://bucket/dense/part-{nth}.txt" for nth in (0, 1)]
    assert [file["path"] for file in facts["dense"]["files"]] == parts
    assert facts["dense"]["num_rows"] == 1600
    (bm25,) = facts["bm25"]["files"]
    assert bm25["sha256"] == hashlib.sha256(text("bm25")).hexdigest()


def test_a_run_that_is_refused_fails_alone_with_file_and_line() -> None:
    bad = b"T01 Q0 a 1 2.5 tag\nT01 Q0 b 2 much tag\n"
    values, facts = outcome({"hdfs://host/a/bm25.run": ("bm25", text("bm25")), "hdfs://host/a/bad.run": ("bad", bad)})
    assert values == expected("bm25")
    assert facts["bm25"]["problem"] is None
    assert facts["bad"]["problem"].startswith("hdfs://host/a/bad.run:2: ")
    assert "much" in facts["bad"]["problem"]
    assert "\n" not in facts["bad"]["problem"]


def test_rows_of_a_table_are_a_run() -> None:
    rows = [line.split() for line in text("bm25").decode().splitlines()]
    columns = {"topic": [row[0] for row in rows], "document": [row[2] for row in rows]}
    table = pyarrow.table(columns | {"score": [float(row[4]) for row in rows]})
    values, facts = gathered(evaluate_table(job(), "table", "bm25", table))
    assert values == expected("bm25")
    assert facts["bm25"]["problem"] is None
    odd = table.set_column(2, "score", [[None] * len(rows)])
    values, facts = gathered(evaluate_table(job(), "table", "bm25", odd))
    assert values == {}
    assert facts["bm25"]["problem"]


def test_another_version_on_the_executors_is_refused() -> None:
    with pytest.raises(RuntimeError, match=r"another version of evalsql.*install the same version on all machines"):
        outcome({"file:/bm25.run": ("bm25", text("bm25"))}, job(digest="0" * 64))


def test_measures_of_ones_own_go_along(tmp_path: Path) -> None:
    select = "select qrels, run, topic, cast(0 as double) as value from evaluated_topics"
    own = own_measure(tmp_path / "zero.sql", "Zero", select).read_text()
    digest = read_catalog().extended(read_relations(tmp_path)).digest
    sent = job(own={"zero.sql": own}, digest=digest, measures=["Zero", "AP"])
    values, facts = outcome({"file:/bm25.run": ("bm25", text("bm25"))}, sent)
    assert facts["bm25"]["problem"] is None
    assert {measure for _, _, measure in values} == {"Zero", "AP"}
    assert sum(value for (_, _, measure), value in values.items() if measure == "Zero") == 0


def test_tasks_have_similar_bytes_and_all_files_of_a_run() -> None:
    runs = [
        Run(f"r{nth}", [File(f"/r{nth}/{part}", 1_000_000 * (1 + nth % 7), 0) for part in range(2)])
        for nth in range(50)
    ]
    groups = tasks(runs, slots=4)
    assert sorted(run.name for group in groups for run in group) == sorted(run.name for run in runs)
    sizes = [sum(run.weight for run in group) for group in groups]
    assert len(groups) == 16
    assert max(sizes) <= 1.2 * min(sizes)
    assert [len(portion) for portion in waves(groups, 2)] == [8, 8]
    assert tasks([], 4) == []


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
