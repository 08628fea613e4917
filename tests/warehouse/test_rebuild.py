"""Views and macros put into an older file: copied from a template or made by statements, they are the same."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import platformdirs
import pytest

import evalsql
from evalsql import CatalogError, InputWarning, WarehouseError
from evalsql.warehouse import attached_relations, schema
from tests.conftest import new_file, write
from tests.long_cases import few_of
from tests.warehouse.conftest import Crafted
from tests.warehouse.test_own_measures import MEASURE, STEP

OBJECTS = """
    select schema_name, 'view' as kind, view_name as name, sql, comment, '' as parameters from duckdb_views()
    where not internal
    union all
    select schema_name, function_type, function_name, macro_definition, comment, (parameters, parameter_types)::varchar
    from duckdb_functions() where not internal
    union all
    select schema_name, 'table', table_name, sql, comment, '' from duckdb_tables()
    union all
    select schema_name, 'column', table_name || '.' || column_name, data_type, comment, column_index::varchar
    from duckdb_columns() where not internal
    union all
    select 'main', 'measure', measure, definition, example, parameters from measures
    union all
    select 'main', 'relation', relation, kind, title, '' from relations
    order by all
"""
OLDER = "update warehouse set sql_digest = 'older'"
STAGE = "making views"


@pytest.fixture
def older(crafted: Crafted) -> Crafted:
    """A copy of the sample's warehouse that seems to be made with other SQL, after more statements."""
    return lambda *statements, **name: crafted(*statements, OLDER, **name)


def objects(path: Path, tables: bool = True) -> list[tuple[Any, ...]]:
    """What a file holds beside its data, as the engine reads it from the disk."""
    with duckdb.connect(str(path), read_only=True) as connection:
        rows = connection.execute(OBJECTS).fetchall()
    views = {name for _, kind, name, *_ in rows if kind == "view"}
    return [
        row
        for row in rows
        if tables
        or row[1] in ("view", "macro", "table_macro")
        or (row[1] == "column" and row[2].split(".")[0] in views)
    ]


@cache
def new_objects(few: bool = True, tables: bool = True) -> list[tuple[Any, ...]]:
    """The same of a new file, with all relations or those of ``few_measures``."""
    path = new_file().with_suffix(".new")
    evalsql.open(path).close()
    return objects(path, tables)


def stages(path: Path) -> set[str]:
    """What is told of the progress while a file is opened for writing."""
    told: set[str] = set()
    evalsql.open(path, progress=lambda stage, done, total: told.add(stage)).close()
    return told


def own(folder: Path) -> list[str | Path]:
    return [write(folder / "fullness.sql", MEASURE), write(folder / "half_full_rankings.sql", STEP)]


def test_an_older_file_gets_what_a_new_file_has(older: Crafted) -> None:
    path = older(
        *("drop view ap", "drop macro table ndcg", "create or replace view rr as select 1 as one"),
        *("create view gone as select 1 as x", "insert into relations values ('gone', 'measures', 'of before')"),
        *("comment on view p is 'other'", "drop view steps.evaluated_topics"),
    )
    assert objects(path) != new_objects(few=False)
    assert STAGE not in stages(path)
    assert objects(path) == new_objects(few=False)
    with evalsql.open(path) as warehouse:
        assert warehouse.rows("select count(*) > 0 from scores") == [(True,)]


@pytest.mark.long
@pytest.mark.usefixtures("few_measures")
@pytest.mark.filterwarnings("ignore:.*beside those of evalsql")
def test_copied_relations_are_those_that_statements_make(
    older: Crafted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    views = ("create view board as from summary", "create macro double_of(x) as 2 * x")
    for measures in ([], own(tmp_path)):
        found = []
        for name in ("copied", "made"):
            path = older(*views, name=f"{name}.duckdb")
            with monkeypatch.context() as patch:
                if name == "made":
                    patch.setattr(attached_relations, "relations_file", lambda *_, **__: None)
                with evalsql.open(path) as warehouse:
                    if measures:
                        warehouse.load_measures(measures)
                with duckdb.connect(str(path)) as connection:
                    connection.execute(OLDER)
                assert (STAGE in stages(path)) == (name == "made")
            found.append(objects(path))
        assert found[0] == found[1]
        names = {name for _, _, name, *_ in found[0]}
        assert {"board", "double_of"} <= names
        assert ("fullness" in names) == bool(measures)


# What is in the way


@pytest.mark.usefixtures("few_measures")
def test_other_views_and_macros_with_our_names_are_replaced(older: Crafted) -> None:
    """The file does not list them as its own. What is no view or macro stays."""
    path = older(
        "delete from relations where relation in ('ap', 'ndcg', 'rr')",
        "drop view ap",
        'create view "AP" as select 1 as one',
        "create or replace macro ndcg() as table select 1 as one",
        "create macro rr() as 1",
        "create sequence rr",
        "create type rr as enum ('rr')",
        "create index ap on topics (topic)",
    )
    assert STAGE not in stages(path)
    assert objects(path) == new_objects()


@pytest.mark.usefixtures("few_measures")
def test_a_table_with_the_name_of_a_view_is_refused_and_stays(older: Crafted) -> None:
    path = older("drop view ap", "create table ap as select 1 as one")
    before = objects(path)
    with pytest.raises(CatalogError, match=r'w\.duckdb: .*Table with name "ap" already exists'):
        evalsql.open(path)
    assert objects(path) == before


@pytest.mark.usefixtures("few_measures")
def test_without_a_place_for_a_template_statements_make_them(
    older: Crafted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = older("drop view ap")
    expected = new_objects()
    place = write(tmp_path / "cache", "a file where the folder should be")
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda *_, **__: place)
    assert STAGE in stages(path)
    assert objects(path) == expected


# What stops half way


@pytest.mark.usefixtures("few_measures")
def test_an_interrupt_leaves_the_file_as_it_was(older: Crafted, monkeypatch: pytest.MonkeyPatch) -> None:
    path = older("drop view ap")
    before = objects(path)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(schema, "_sign", interrupt)
    with pytest.raises(KeyboardInterrupt):
        evalsql.open(path)
    assert objects(path) == before


@pytest.mark.long
def test_a_kill_leaves_the_file_as_it_was(older: Crafted) -> None:
    path = older("drop view ap")
    before = objects(path)
    program = (
        "import os, signal, sys, evalsql; from evalsql.warehouse import schema\n"
        "schema._sign = lambda database: os.kill(os.getpid(), signal.SIGKILL)\n"
        "evalsql.open(sys.argv[1])"
    )
    killed = subprocess.run([sys.executable, "-c", program, str(path)], env=dict(os.environ), check=False)
    assert killed.returncode == -signal.SIGKILL
    assert objects(path) == before
    assert STAGE not in stages(path)
    assert "ap" in {name for _, kind, name, *_ in objects(path) if kind == "view"}


# Files of strangers


@pytest.mark.usefixtures("few_measures")
def test_a_file_is_shut_in_while_it_is_remade(older: Crafted, tmp_path: Path) -> None:
    """What a file defines is not run for it."""
    written = tmp_path / "written.txt"
    path = older(
        f"create view board as select content from read_text('{tmp_path}/*')",
        "create macro main.current_database() as 'evalsql_template'",
        f"create macro main.duckdb_tables() as table select content from read_text('{written}')",
    )
    with pytest.warns(InputWarning, match="macro current_database, macro duckdb_tables, view board"):
        warehouse = evalsql.open(path)
    with warehouse:
        assert warehouse.rows("select count(*) > 0 from ap") == [(True,)]
        with pytest.raises(evalsql.EvalsqlError, match="disabled by configuration"):
            warehouse.rows("from board")


# Files that are open for reading only

BAD = (
    "create or replace view ap as select 'sample' as qrels, 'bm25' as run, 'T01' as topic, 0.5::double as value",
    "create or replace macro ap() as table select 'sample' as qrels, 'bm25' as run, 'T01' as topic, 0.5 as value",
    "create or replace view steps.evaluated_topics as select 1 as one",
    "create view main.evaluated_topics as select 1 as one",
    "drop view ndcg",
)


def values(warehouse: evalsql.Warehouse) -> dict[tuple[Any, ...], Any]:
    """Figures by several ways: views, macros, the library, statistics that read the view of scores."""
    found = {("scores", *row[:-1]): row[-1] for row in warehouse.rows("from scores")}
    found |= {("summary", *row[:3]): row[3] for row in warehouse.rows("from summary")}
    found |= {("ap", *row[:3]): row[3] for row in warehouse.rows("from ap(k := 10)")}
    found |= {("main", *row[:3]): row[3] for row in warehouse.rows("from main.ndcg")}
    found |= {("evaluate", *row[:2]): row[3] for row in warehouse.evaluate("AP nDCG@5").fetchall()}
    found[("steps",)] = warehouse.rows("select count(*) from steps.evaluated_topics")[0][0]
    return found


@pytest.mark.usefixtures("few_measures")
@pytest.mark.filterwarnings("ignore:.*(with other SQL|beside those of evalsql)")
@pytest.mark.parametrize("name", few_of(['we ird,"na\'me".duckdb', "w.duckdb", "main.duckdb", "scores.duckdb"], 1))
def test_an_older_file_is_read_by_this_versions_sql(older: Crafted, tmp_path: Path, name: str) -> None:
    with evalsql.open(shutil.copy(older(name="new.duckdb"), tmp_path / "current.duckdb")) as current:
        expected = values(current)
    path = older(*BAD, name=name)
    before = objects(path)
    told: set[str] = set()
    with evalsql.open(path, read_only=True, progress=lambda stage, done, total: told.add(stage)) as warehouse:
        assert values(warehouse) == pytest.approx(expected, abs=1e-12)
        for statement in ("create view mine as select 1 as one", "create table mine (one integer)", "delete from runs"):
            with pytest.raises(evalsql.EvalsqlError, match="read-only"):
                warehouse.execute(statement)
    assert told == set()
    assert objects(path) == before


@pytest.mark.usefixtures("few_measures")
@pytest.mark.filterwarnings("ignore:.*with other SQL")
def test_measures_of_ones_own_are_read_in_an_older_file(older: Crafted, tmp_path: Path) -> None:
    path = older()
    with evalsql.open(path) as warehouse:
        warehouse.load_measures(own(tmp_path))
        expected = warehouse.rows("from fullness order by all")
        scores = dict(warehouse.rows("select measure, count(*) from scores group by all"))
    with duckdb.connect(str(path)) as connection:
        connection.execute("drop view fullness")
        connection.execute(OLDER)
    more = [
        write(
            tmp_path / "more" / "fuller.sql",
            MEASURE.replace("Fullness", "Fuller").replace("aliases: full", "aliases: fuller_"),
        )
    ]
    with evalsql.open(path, read_only=True, measures=more) as warehouse:
        assert warehouse.rows("from fullness order by all") == expected
        assert warehouse.rows("from fuller order by all") == expected
        assert len(warehouse.evaluate("Fullness Fuller AP").fetchall()) == 8
        found = dict(warehouse.rows("select measure, count(*) from scores group by all"))
    assert {name: found[name] for name in scores} == scores


@pytest.mark.parametrize("name", ["steps.duckdb", "Steps.duckdb", "steps.2026.db", "steps"])
@pytest.mark.parametrize("read_only", [True, False])
def test_a_file_called_steps_is_refused_and_not_made(older: Crafted, name: str, read_only: bool) -> None:
    path = older(*BAD[:2], name=name) if read_only else older(*BAD[:2]).parent / "new" / name
    path.parent.mkdir(exist_ok=True)
    with pytest.raises(WarehouseError, match="steps is the name of a schema in every warehouse; call the file"):
        evalsql.open(path, read_only=read_only)
    assert path.exists() == read_only
