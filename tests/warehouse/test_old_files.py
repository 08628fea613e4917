"""Real files of earlier schemas, under fixtures/schemas: they hold what the text files do that they were made from."""

from __future__ import annotations

import csv
import lzma
from pathlib import Path

import pytest

import evalsql
from evalsql import Warehouse, WarehouseError
from evalsql.evaluation.audits import audits, findings
from evalsql.warehouse.schema import SCHEMA_VERSION
from tests.conftest import FIXTURES, Command, new_warehouse
from tests.long_cases import few_of
from tests.warehouse.conftest import Crafted
from tests.warehouse.test_rebuild import new_objects, objects

CASE = FIXTURES / "schemas"
VERSIONS = (1, 2, 3, 4)
WITH_WEIGHTS = 3  # the first schema that has them


def old_file(version: int, folder: Path) -> Path:
    path = folder / f"schema-{version}.duckdb"
    path.write_bytes(lzma.decompress((CASE / f"{path.name}.xz").read_bytes()))
    return path


def lines(file: str) -> list[list[str]]:
    return [line.split() for line in (CASE / file).read_text().splitlines()]


@pytest.fixture(scope="module")
def fresh() -> Warehouse:
    """The same text files, loaded by this version."""
    warehouse = new_warehouse()
    warehouse.load_qrels(CASE / "qrels.txt", "judged")
    warehouse.load_runs(str(CASE / "runs" / "*.run"))
    return warehouse


def test_every_schema_before_this_one_has_a_file() -> None:
    assert {path.name for path in CASE.glob("*.xz")} >= {f"schema-{version}.duckdb.xz" for version in VERSIONS}
    assert max(VERSIONS) < SCHEMA_VERSION


@pytest.mark.parametrize("version", few_of(VERSIONS, 1))
def test_a_file_of_an_earlier_schema_holds_what_its_text_files_do(
    version: int, tmp_path: Path, fresh: Warehouse, command: Command
) -> None:
    path = old_file(version, tmp_path)
    with pytest.raises(WarehouseError, match="brings them up to date"):
        evalsql.open(path, read_only=True)
    with evalsql.open(path) as warehouse:
        judgments = warehouse.rows("select topic, document, grade from judgments where qrels = 'judged' order by all")
        assert judgments == sorted((topic, document, int(grade)) for topic, _, document, grade in lines("qrels.txt"))
        for run in ("first", "second"):
            held = warehouse.rows("select topic, document, score from rankings where run = ? order by all", [run])
            rows = lines(f"runs/{run}.run")
            assert held == sorted((topic, document, float(score)) for topic, _, document, _, score, _ in rows)
        if version >= WITH_WEIGHTS:
            weights = warehouse.rows("select topic, weight from topic_weights join topics using (topic_id) order by 1")
            assert weights == [(topic, float(weight)) for topic, weight in lines("weights.txt")]
        for row in csv.DictReader((CASE / "expected.tsv").open(), delimiter="\t"):
            if row["topic"] != "all":
                query = f"select value from {row['measure']} where run = ? and topic = ?"
                ((value,),) = warehouse.rows(query, [row["run"], row["topic"]])
                assert value == pytest.approx(float(row["expected"]), abs=1e-6), row
        unweighted = "from scores where measure not like 'TAP%' order by all"
        assert warehouse.rows(unweighted) == fresh.rows(unweighted)
        assert findings(warehouse.evaluation, audits(warehouse.catalog)) == []
    assert objects(path, tables=False) == new_objects(few=False, tables=False)
    outcome = command("leaderboard", "-m", "AP", "--format", "csv", "--db", path)
    assert outcome.returncode == 0, outcome.stderr
    board = list(csv.reader(outcome.stdout.splitlines()))
    assert [row[:2] for row in board] == [["qrels", "run"], ["judged", "second"], ["judged", "first"]]
    assert [float(row[2]) for row in board[1:]] == pytest.approx([1 / 2, 17 / 36], abs=1e-12)


@pytest.mark.usefixtures("few_measures")
def test_a_warehouse_of_the_first_schema_is_brought_to_this_one(crafted: Crafted) -> None:
    """The first schema made from this one by taking away what came later."""
    path = crafted()
    tables = ("judged_ranks", "judged_documents", "retrieved", "qrels", "runs", "preferences")
    with evalsql.open(path) as warehouse:
        before = {table: sorted(warehouse.rows(f"select * from {table}"), key=repr) for table in tables}
        for change in (
            "create or replace table retrieved as select * exclude (first_rank, tied_above) from retrieved",
            "create or replace table judged_ranks as select evaluation_id, rank, grade from judged_ranks",
            "create or replace table runs as select * exclude (depth, judged_by) from runs",
            "create or replace table qrels as select * exclude (form, replaced_at) from qrels",
            "drop table judged_documents",
            "drop table preferences",
            "drop table topic_meta",
            "drop table stored_scores",
            "drop table added_relations",
            "drop table topic_weights",
            "update warehouse set schema_version = 1, sql_digest = 'older'",
        ):
            warehouse.execute(change)
    with pytest.raises(WarehouseError, match="evalsql sql --write 'select 1' brings them up to date"):
        evalsql.open(path, read_only=True)
    with evalsql.open(path) as warehouse:
        for table in tables:
            assert sorted(warehouse.rows(f"select * from {table}"), key=repr) == before[table], table
        warehouse.load_weights({"T01": 1000}, "sample")
        ((of_topic,),) = warehouse.rows("select value from tap() where run = 'bm25' and topic = 'T01'")
        ((_, _, mean),) = warehouse.evaluate("TAP", runs="bm25").fetchall()
        assert mean == pytest.approx(of_topic, abs=0.04)
        uncommented = "select table_name from duckdb_tables() where comment is null and not temporary"
        assert warehouse.rows(uncommented) == []
