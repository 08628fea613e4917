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


def stored_rows(table: str) -> str:
    return f"select columns(lambda name: name not like '%_id') from {table} order by all"


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
        for table in ("retrieved", "judged_ranks", "judged_documents"):
            assert warehouse.rows(stored_rows(table)) == fresh.rows(stored_rows(table)), table
        assert findings(warehouse.evaluation, audits(warehouse.catalog)) == []
        uncommented = "select table_name from duckdb_tables() where comment is null and not temporary"
        assert warehouse.rows(uncommented) == []
    assert objects(path, tables=False) == new_objects(few=False, tables=False)
    outcome = command("leaderboard", "-m", "AP", "--format", "csv", "--db", path)
    assert outcome.returncode == 0, outcome.stderr
    board = list(csv.reader(outcome.stdout.splitlines()))
    assert [row[:2] for row in board] == [["qrels", "run"], ["judged", "second"], ["judged", "first"]]
    assert [float(row[2]) for row in board[1:]] == pytest.approx([1 / 2, 17 / 36], abs=1e-12)
