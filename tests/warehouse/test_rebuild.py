"""Views and macros put into older files, and real files of earlier schemas, under fixtures/schemas."""

import csv
import lzma
import os
import signal
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import duckdb
import platformdirs
import pytest

import evalsql
from evalsql import CatalogError, InputWarning, Warehouse, WarehouseError
from evalsql.evaluation.notices import audits, findings
from evalsql.warehouse import schema
from evalsql.warehouse.schema import SCHEMA_VERSION
from tests.conftest import FIXTURES, Command, new_file, new_warehouse, write
from tests.long_cases import few_of
from tests.warehouse.conftest import OBJECTS, OTHER_SQL, Crafted
from tests.warehouse.test_own_measures import MEASURE, STEP

STAGE = "making views"


@pytest.fixture
def older(crafted: Crafted) -> Crafted:
    """A copy of the sample's warehouse that seems to be made with other SQL, after more statements."""
    return lambda *statements, **name: crafted(*statements, OTHER_SQL, **name)


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


@pytest.mark.usefixtures("few_measures")
def test_an_older_file_gets_what_a_new_file_has(older: Crafted) -> None:
    """Also where its own have our names and are not listed as its own. What is no view or macro stays."""
    path = older(
        *("drop macro table rr", "create or replace view rr as select 1 as one", "drop view steps.evaluated_topics"),
        *("create view gone as select 1 as x", "insert into relations values ('gone', 'measures', 'of before')"),
        *("comment on view tap is 'other'", "delete from relations where relation in ('ap', 'ndcg', 'rr')"),
        *("drop view ap", 'create view "AP" as select 1 as one', "create macro rr() as 1", "create sequence rr"),
        *("create or replace macro ndcg() as table select 1 as one", "create type rr as enum ('rr')"),
        *("create table mine (a integer)", "create index ap on mine (a)"),
    )
    assert objects(path) != new_objects()
    assert STAGE not in stages(path)
    mend(path, "drop table mine")
    assert objects(path) == new_objects()
    with evalsql.open(path) as warehouse:
        assert warehouse.rows("select count(*) > 0 from scores") == [(True,)]


# What is in the way


def mend(path: Path, statement: str) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute(statement)


@pytest.mark.long
@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize("view", few_of(["ap", "steps.evaluated_topics"], 1))
def test_a_table_with_the_name_of_a_view_is_refused_and_stays(older: Crafted, view: str) -> None:
    path = older(f"drop view {view}", f"create table {view} as select 1 as one")
    before, name = objects(path), view.removeprefix("steps.")
    with pytest.raises(CatalogError, match=rf'w\.duckdb: .*Table with name "{name}" already exists') as refused:
        evalsql.open(path)
    assert objects(path) == before
    mend(path, str(refused.value).partition("; ")[2].partition(", in another DuckDB client")[0])
    with evalsql.open(path) as warehouse:
        assert warehouse.rows(f"from w.{view.replace(name, 'another_name')}") == [(1,)]


@pytest.mark.long
def test_what_users_have_beside_our_tables_is_in_no_way(tmp_path: Path) -> None:
    """Only a view where a table is to be made is refused, and what is said lets the file be opened."""
    path = old_file(VERSIONS[0], tmp_path).rename(tmp_path / "w.duckdb")
    for made in ("schema mine", "view mine.topic_meta as select 1 as one", "view topic_meta as select 2 as two"):
        mend(path, f"create {made}")
    with pytest.raises(WarehouseError, match="topic_meta is a view where a warehouse has a table") as refused:
        evalsql.open(path)
    mend(path, str(refused.value).partition("; ")[2].partition(", in another DuckDB client")[0])
    mend(path, "create schema steps; create view steps.preferences as select 1 as one")
    with pytest.warns(InputWarning, match="view mine.topic_meta, view steps.preferences"), evalsql.open(path) as opened:
        assert opened.rows("from w.mine.topic_meta") == opened.rows("from w.steps.preferences") == [(1,)]


@pytest.mark.long
@pytest.mark.usefixtures("few_measures")
def test_without_a_template_statements_make_them(
    older: Crafted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A library reports their progress to who asks, and is silent."""
    path, expected = older("drop view ap"), new_objects()
    place = write(tmp_path / "cache", "a file where the folder should be")
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda *_, **__: place)
    reported: list[tuple[str, int, int]] = []
    evalsql.open(path, progress=lambda *report: reported.append(report)).close()
    assert {stage for stage, _, _ in reported} == {STAGE}
    assert [done for _, done, _ in reported] == list(range(reported[0][2] + 1))
    assert objects(path) == expected
    assert capfd.readouterr() == ("", "")


# What stops half way


@pytest.mark.usefixtures("few_measures")
def test_an_interrupt_leaves_a_file_as_it_was(older: Crafted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = older("drop view ap")
    before = objects(path)
    with monkeypatch.context() as patch:
        patch.setattr(schema, "signing", Mock(side_effect=KeyboardInterrupt))
        for each in (path, tmp_path / "new.duckdb"):
            with pytest.raises(KeyboardInterrupt):
                evalsql.open(each)
    assert objects(path) == before
    evalsql.open(tmp_path / "new.duckdb").close()
    assert objects(tmp_path / "new.duckdb") == new_objects()


@pytest.mark.long
def test_a_kill_leaves_the_file_as_it_was(older: Crafted) -> None:
    path = older("drop view ap")
    before = objects(path)
    program = (
        "import os, signal, sys, evalsql; from evalsql.warehouse import schema\n"
        "schema.signing = lambda catalog: os.kill(os.getpid(), signal.SIGKILL)\n"
        "evalsql.open(sys.argv[1])"
    )
    killed = subprocess.run([sys.executable, "-c", program, str(path)], env=dict(os.environ), check=False)
    assert killed.returncode == -signal.SIGKILL
    assert objects(path) == before
    assert STAGE not in stages(path)
    assert "ap" in {name for _, kind, name, *_ in objects(path) if kind == "view"}


@pytest.mark.usefixtures("few_measures")
def test_what_is_made_is_in_the_file_at_once(older: Crafted, tmp_path: Path) -> None:
    """DuckDB 1.5 cannot read our macros again out of the log that a killed process leaves."""
    with evalsql.open(older("drop view ap")) as warehouse:
        log = Path(f"{warehouse.path}.wal")
        assert not log.exists()
        warehouse.load_measures(own(tmp_path))
        assert not log.exists()


@pytest.mark.long
def test_a_file_whose_maker_is_killed_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "new.duckdb"
    program = "import os, signal, sys, evalsql; held = evalsql.open(sys.argv[1]); os.kill(os.getpid(), signal.SIGKILL)"
    killed = subprocess.run([sys.executable, "-c", program, str(path)], env=dict(os.environ), check=False)
    assert killed.returncode == -signal.SIGKILL
    assert "ap" in {name for _, kind, name, *_ in objects(path) if kind == "view"}
    with evalsql.open(path, read_only=True) as warehouse:
        assert warehouse.rows("from ap") == []


# Files that are open for reading only


@pytest.mark.long
@pytest.mark.usefixtures("few_measures")
@pytest.mark.filterwarnings("ignore:.*with different SQL")
def test_measures_of_ones_own_are_read_in_an_older_file(older: Crafted, tmp_path: Path) -> None:
    path = older()
    with evalsql.open(path) as warehouse:
        warehouse.load_measures(own(tmp_path))
        expected = warehouse.rows("from fullness order by all")
        scores = dict(warehouse.rows("select measure, count(*) from scores group by all"))
    with duckdb.connect(str(path)) as connection:
        connection.execute("drop view fullness")
        connection.execute(OTHER_SQL)
    other = MEASURE.replace("Fullness", "Fuller").replace("aliases: full", "aliases: fuller_")
    more = write(tmp_path / "more" / "fuller.sql", other)
    with evalsql.open(path, read_only=True, measures=more) as warehouse:
        assert warehouse.rows("from fullness order by all") == expected
        assert warehouse.rows("from fuller order by all") == expected
        assert len(warehouse.evaluate("Fullness Fuller AP").fetchall()) == 8
        found = dict(warehouse.rows("select measure, count(*) from scores group by all"))
    assert {name: found[name] for name in scores} == scores


@pytest.mark.parametrize("name", ["steps.duckdb", "Steps.duckdb", "steps.2026.db", "steps"])
@pytest.mark.parametrize("read_only", [True, False])
def test_a_file_called_steps_is_refused_not_made(older: Crafted, tmp_path: Path, name: str, read_only: bool) -> None:
    path = older(name=name) if read_only else tmp_path / "new" / name
    path.parent.mkdir(exist_ok=True)
    with pytest.raises(WarehouseError, match="steps is the name of a schema in every warehouse; call the file"):
        evalsql.open(path, read_only=read_only)
    assert path.exists() == read_only


@pytest.mark.parametrize("name", ["main", "Main", "system", "System", "temp", "TEMP"])
def test_a_file_called_as_a_database_of_the_engine_opens_or_is_refused_not_made(tmp_path: Path, name: str) -> None:
    """DuckDB 1.5 knows its own by small letters alone, and takes the others for them later."""
    path = tmp_path / f"{name}.duckdb"
    if name.islower():
        with evalsql.open(path) as warehouse:
            assert warehouse.rows("select count(*) from runs") == [(0,)]
    else:
        with pytest.raises(WarehouseError, match=f"called {name} for its own {name.lower()}; call the file otherwise"):
            evalsql.open(path)
        assert list(tmp_path.iterdir()) == []


CASE = FIXTURES / "schemas"
VERSIONS = (1, 2, 3, 4, 5, 6, 7)
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


@pytest.mark.parametrize("version", few_of(VERSIONS, 0))
def test_a_file_of_an_earlier_schema_has_its_texts(
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
