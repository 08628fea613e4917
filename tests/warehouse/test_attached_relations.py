"""Views and macros kept in the user's cache, and attached: they are what would have been made."""

from __future__ import annotations

import os
from pathlib import Path

import duckdb
import platformdirs
import pytest

import evalsql
from evalsql import UsageError, Warehouse
from evalsql.catalog.relations import read_catalog
from evalsql.warehouse import connecting, schema
from evalsql.warehouse.entry import open_to_ask
from tests.conftest import SAMPLE

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
    return sorted(cache.glob("*.duckdb"))


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
    monkeypatch.setattr(connecting, "_made", lambda **_: None)
    with evalsql.open(":memory:") as direct:
        assert direct.rows(EVERYTHING) == contents
        assert figures(direct) == pytest.approx(values, abs=1e-12)


def test_a_warehouse_for_common_measures_answers_as_a_whole_one() -> None:
    common = [relation.header.measure for relation in read_catalog().measures if relation.header.in_scores]
    with evalsql.open(":memory:") as whole, open_to_ask(common) as small, open_to_ask([*common, "INST"]) as other:
        for warehouse in (whole, small, other):
            warehouse.load_qrels(SAMPLE / "qrels.txt", "sample")
            warehouse.load_runs([SAMPLE / "runs" / "bm25.run", SAMPLE / "runs" / "dense.run"])
        assert len(common) > 15
        for per_topic in (False, True):
            expected = rounded(whole.evaluate(common, per_topic=per_topic))
            assert rounded(small.evaluate(common, per_topic=per_topic)) == expected
        assert rounded(small.evaluate("AP P", runs="bm25")) == rounded(whole.evaluate("AP P", runs="bm25"))
        assert [rounded(each) for each in small.ties(common)] == [rounded(each) for each in whole.ties(common)]
        assert small.coverage().fetchall() == whole.coverage().fetchall()
        assert rounded(other.evaluate("INST")) == rounded(whole.evaluate("INST"))
        assert other.rows(EVERYTHING) == whole.rows(EVERYTHING)
        assert len(small.rows(EVERYTHING)) < len(whole.rows(EVERYTHING))


def test_a_warehouse_for_certain_measures_is_asked_for_known_ones() -> None:
    with pytest.raises(UsageError, match='unknown measure "nope"'):
        open_to_ask(["AP", "nope"])
    with open_to_ask(["AP"], threads=1) as warehouse:
        assert warehouse.rows("select current_setting('threads')") == [(1,)]


@pytest.mark.usefixtures("few_measures")
def test_a_template_is_made_once(cache: Path, tmp_path: Path) -> None:
    with evalsql.open(tmp_path / "first.duckdb") as first:
        contents = first.rows(EVERYTHING)
        values = figures(first)
    assert len(made(cache)) == 1
    written = made(cache)[0].stat().st_mtime_ns
    with evalsql.open(":memory:") as memory:
        assert memory.rows(EVERYTHING) == contents
        assert figures(memory) == pytest.approx(values, abs=1e-12)
    assert made(cache)[0].stat().st_mtime_ns == written


@pytest.mark.usefixtures("few_measures")
def test_without_a_place_to_keep_it_all_is_made(cache: Path) -> None:
    cache.write_text("a file where the folder should be")
    with evalsql.open(":memory:") as warehouse:
        assert figures(warehouse)


@pytest.mark.usefixtures("few_measures")
def test_a_template_that_cannot_be_read_is_passed_by(cache: Path) -> None:
    evalsql.open(":memory:").close()
    (kept,) = made(cache)
    for content in (b"no database", b""):
        kept.write_bytes(content)
        with evalsql.open(":memory:") as warehouse:
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


@pytest.mark.usefixtures("few_measures", "cache")
def test_a_file_whose_making_is_interrupted_is_made_when_it_is_opened_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evalsql.open(":memory:").close()

    def interrupt(_: Warehouse) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(schema, "write_version", interrupt)
        with pytest.raises(KeyboardInterrupt):
            evalsql.open(tmp_path / "file.duckdb")
    with evalsql.open(tmp_path / "file.duckdb") as warehouse:
        assert figures(warehouse)


@pytest.mark.usefixtures("few_measures")
def test_a_few_are_kept_while_others_take_theirs_away(cache: Path) -> None:
    cache.mkdir()
    (cache / "of another process.duckdb").symlink_to(cache / "gone")  # listed, and not there
    for age in range(6):
        (cache / f"{age}.duckdb").touch()
        os.utime(cache / f"{age}.duckdb", (1_000_000 - age, 1_000_000 - age))
    evalsql.open(":memory:").close()
    assert [path.name for path in made(cache)][:3] == ["0.duckdb", "1.duckdb", "2.duckdb"]
    assert len(made(cache)) == 4


@pytest.mark.usefixtures("few_measures")
def test_warehouses_side_by_side_do_not_meet(cache: Path, tmp_path: Path) -> None:
    with evalsql.open(":memory:") as one, evalsql.open(":memory:") as two, evalsql.open(tmp_path / "w.duckdb") as three:
        one.load_qrels({"t": {"d": 1}}, "own")
        assert [len(each.rows("from qrels")) for each in (one, two, three)] == [1, 0, 0]
