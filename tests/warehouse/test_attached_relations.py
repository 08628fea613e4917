"""Views and macros kept in the user's cache, and attached: they are what would have been made."""

from __future__ import annotations

import os
from pathlib import Path

import duckdb
import platformdirs
import pytest

import evalsql
from evalsql import Warehouse
from evalsql.warehouse import attached_relations, schema
from evalsql.warehouse.open import Reach, open_database
from evalsql.warehouse.warehouse import Warehouse as PlainWarehouse
from tests.conftest import SAMPLE, Command, new_file, write
from tests.long_cases import few_of

EVERYTHING = """
    select distinct 'table', table_name, sql, comment from duckdb_tables() where not temporary
    union all
    select distinct 'view', view_name, '', comment from duckdb_views() where not internal and not temporary
    union all
    select distinct 'macro', function_name, parameters::varchar, comment from duckdb_functions() where not internal
    union all
    select distinct 'column', table_name || '.' || column_name, data_type, comment from duckdb_columns()
    where not internal and database_name <> 'temp'
    union all
    select 'measure', measure, definition, example from measures
    union all
    select 'relation', relation, kind, title from relations
    order by all
"""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda *_, **__: tmp_path / "cache")
    return tmp_path / "cache"


def made(cache: Path) -> list[Path]:
    return sorted(path for path in cache.glob("*.duckdb") if path.exists())


def figures(warehouse: Warehouse) -> dict[str, float]:
    warehouse.load_qrels(SAMPLE / "qrels.txt", "sample")
    warehouse.load_runs(SAMPLE / "runs" / "bm25.run")
    return dict(warehouse.rows("select measure, value from summary"))


def rounded(relation: duckdb.DuckDBPyRelation) -> list[list[object]]:
    """Its rows; the last digits of sums hang on the order in which threads add."""
    return [[round(value, 12) if isinstance(value, float) else value for value in row] for row in relation.fetchall()]


@pytest.mark.long
def test_a_copy_is_what_would_have_been_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with evalsql.open(tmp_path / "file.duckdb") as file:
        contents = file.rows(EVERYTHING)
        values = figures(file)
        assert len(values) > 15
    with evalsql.open(":memory:") as memory:
        assert memory.rows(EVERYTHING) == contents
        assert figures(memory) == pytest.approx(values, abs=1e-12)
    monkeypatch.setattr(attached_relations, "relations_file", lambda *_, **__: None)
    with evalsql.open(":memory:") as direct:
        assert direct.rows(EVERYTHING) == contents
        assert figures(direct) == pytest.approx(values, abs=1e-12)


@pytest.mark.parametrize("asked", ["AP nDCG@10 P@5 Bpref", "TAP@5"])
def test_a_warehouse_that_is_asked_for_certain_measures_gives_their_figures(empty: Warehouse, asked: str) -> None:
    with PlainWarehouse(open_database(":memory:"), asked=[asked]) as small:
        for warehouse in (empty, small):
            warehouse.load_qrels(SAMPLE / "qrels.txt", "sample")
            warehouse.load_runs([SAMPLE / "runs" / "bm25.run", SAMPLE / "runs" / "dense.run"])
        for per_topic in (False, True):
            found, expected = (rounded(each.evaluate(asked, per_topic=per_topic)) for each in (small, empty))
            assert found == expected
        assert [rounded(each) for each in small.ties(asked)] == [rounded(each) for each in empty.ties(asked)]
        assert small.coverage().fetchall() == empty.coverage().fetchall()
        held = [warehouse.rows("select count(*) from retrieved") for warehouse in (small, empty)]
        assert (held[0] == held[1]) == (asked == "TAP@5")


def test_lists_and_leaderboards_take_few_relations_and_none_of_the_file(
    sample_file: Path, tmp_path: Path, command: Command
) -> None:
    path = tmp_path / "bare.duckdb"
    path.write_bytes(sample_file.read_bytes())
    views = "select schema_name || '.' || view_name from duckdb_views() where not internal"
    with duckdb.connect(path) as connection:
        for (view,) in connection.execute(views).fetchall():
            connection.execute(f"drop view {view}")
    for words in ("ls --long", "leaderboard -m AP,nDCG@10", "leaderboard -m INST"):
        expected = command(*words.split(), "--db", sample_file)
        found = command(*words.split(), "--db", path)
        assert (found.returncode, found.stdout) == (0, expected.stdout)


def test_a_list_of_a_file_with_own_measures_has_all_relations(sample_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "own.duckdb"
    path.write_bytes(sample_file.read_bytes())
    texts = ("title", "definition", "reference", "differs")
    header = "\n".join(["-- measure: Mine", *(f"-- {each}: made for this test" for each in texts)])
    own = write(tmp_path / "mine.sql", f"{header}\n-- range: 0 1000\n-- mean: arithmetic\nselect * from err\n")
    with evalsql.open(path) as warehouse:
        warehouse.load_measures(own)
    reach = Reach()
    with PlainWarehouse(open_database(path, read_only=True, asked=["AP"], reach=reach)) as warehouse:
        assert warehouse.evaluate("AP").fetchall()
        assert warehouse.rows("select count(*) from err")


@pytest.mark.usefixtures("few_measures")
def test_a_template_is_made_once_and_older_ones_go(cache: Path, tmp_path: Path) -> None:
    cache.mkdir()
    (cache / "of another process.duckdb").symlink_to(cache / "gone")  # listed, and not there
    for age in range(6):
        (cache / f"{age}.duckdb").touch()
        os.utime(cache / f"{age}.duckdb", (1_000_000 - age, 1_000_000 - age))
    with evalsql.open(tmp_path / "first.duckdb") as first, evalsql.open(":memory:") as second:
        *others, own = made(cache)
        assert [path.name for path in others] == ["0.duckdb", "1.duckdb", "2.duckdb"]
        written = own.stat().st_mtime_ns
        values = figures(first)
        # Warehouses side by side do not meet.
        assert second.rows("select count(*) from qrels") == [(0,)]
        assert figures(second) == pytest.approx(values, abs=1e-12)
        assert second.rows(EVERYTHING) == first.rows(EVERYTHING)
    assert own.stat().st_mtime_ns == written


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize("content", few_of([b"no database", b""], 1))
def test_a_template_that_cannot_be_read_is_passed_by(cache: Path, content: bytes) -> None:
    with evalsql.open(":memory:") as warehouse:
        contents = warehouse.rows(EVERYTHING)
    (kept,) = made(cache)
    kept.write_bytes(content)
    with evalsql.open(":memory:") as warehouse:
        assert warehouse.rows(EVERYTHING) == contents
        assert figures(warehouse)


@pytest.mark.long
@pytest.mark.usefixtures("few_measures")
def test_a_template_that_is_damaged_somewhere_is_made_anew(cache: Path, tmp_path: Path) -> None:
    evalsql.open(":memory:").close()
    (kept,) = made(cache)
    whole = kept.read_bytes()
    for block in range((len(whole) - 12288) // 262144):
        at = 12288 + 262144 * block + 5000
        kept.write_bytes(whole[:at] + bytes(255 - byte for byte in whole[at : at + 100]) + whole[at + 100 :])
        path = tmp_path / f"{block}.duckdb"
        for _ in range(2):
            with evalsql.open(path) as warehouse:
                assert warehouse.rows("select count(*) from measures") == [(len(warehouse.catalog.measures),)]
    kept.unlink(missing_ok=True)
    kept.mkdir()
    with evalsql.open(":memory:") as warehouse:
        assert figures(warehouse)


@pytest.mark.usefixtures("few_measures")
def test_a_file_whose_making_is_interrupted_is_made_when_it_is_opened_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: Warehouse) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(schema, "_sign", interrupt)
        with pytest.raises(KeyboardInterrupt):
            evalsql.open(tmp_path / "file.duckdb")
    with evalsql.open(tmp_path / "file.duckdb") as warehouse:
        assert figures(warehouse)


@pytest.mark.long
def test_many_warehouses_are_opened_beside_one_that_stays_open(tmp_path: Path) -> None:
    """The engine takes a new database for a closed one at the same address, which had the relations attached."""
    with evalsql.open(new_file(tmp_path)):
        for _ in range(60):
            with evalsql.open(":memory:") as warehouse:
                assert warehouse.rows("select count(*) from ap") == [(0,)]
