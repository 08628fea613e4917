"""Warehouses from strangers: nothing in them runs SQL of its own, or reads or writes another file."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import evalsql
from evalsql import InputWarning, WarehouseError
from evalsql.cli.declare import complete_names
from tests.conftest import SAMPLE, Command, write
from tests.long_cases import few_of
from tests.warehouse.conftest import Crafted
from tests.warehouse.test_own_measures import MEASURE, STEP

SECRET = "the-secret-of-this-machine"
ONE_STEP = """\
-- title: What a step of one row holds
-- columns:
--   value   a number
{body}
"""


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    return write(tmp_path / "elsewhere" / "secret.txt", SECRET)


def kept(text: str, name: str = "strange") -> list[str]:
    """What puts a relation into a file as if it had been loaded, and has views and macros made anew."""
    quoted = text.replace("'", "''")
    return [
        f"insert into added_relations values (1, '{name}', '{quoted}', now()::timestamp)",
        "update warehouse set sql_digest = 'other'",
    ]


# What a header and a body can hold


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize(
    "text",
    [
        STEP.replace("half_full       whether", "v2/**/is/**/null;copy(select'x')to'{file}';--   whether"),
        ONE_STEP.format(body="select 1 as value); copy (select 'x') to '{file}'; select (2"),
        ONE_STEP.format(body="select 1 as value; copy (select 'x') to '{file}'"),
        ONE_STEP.format(body="copy (select 1 as value) to '{file}'"),
        ONE_STEP.format(body="select content as value from read_text('{secret}')"),
        ONE_STEP.format(body="select content as value from '{secret}'"),
        ONE_STEP.format(body="from query('select content as value from read_text(''{secret}'')')"),
        ONE_STEP.format(body="select 1 as value, map {{#1: (select content from read_text('{secret}'))}}"),
        ONE_STEP.format(body='with "{secret}" as (select 1) select 1 as value from "{secret}"'),
        ONE_STEP.format(body="with read_text as (select 1) select content as value from read_text('{secret}')"),
        ONE_STEP.format(body="select " + "(" * 20_000 + "1" + ")" * 20_000 + " as value"),
    ],
)
def test_a_kept_relation_is_one_select_of_relations(
    command: Command, crafted: Crafted, tmp_path: Path, secret: Path, text: str
) -> None:
    written = tmp_path / "written.txt"
    text = text.replace("{file}", str(written)).replace("{secret}", str(secret)).replace("{{", "{").replace("}}", "}")
    path = crafted(*kept(text))
    outcome = command("sql", "--write", "select 1 as one", "--db", path)
    assert "it is left out" in outcome.stderr
    assert "Traceback" not in outcome.stderr
    assert SECRET not in outcome.stdout + outcome.stderr
    assert not written.exists()


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize("name", ["../strange", "a b", "count", 'x"y'])
def test_a_kept_relation_has_a_name_of_its_own(crafted: Crafted, name: str) -> None:
    path = crafted(*kept(ONE_STEP.format(body="select 1 as value"), name))
    with pytest.warns(InputWarning, match="it is left out"):
        evalsql.open(path, read_only=True).close()


@pytest.mark.usefixtures("few_measures")
def test_columns_may_be_words_of_sql(tmp_path: Path) -> None:
    text = MEASURE.replace("-- definition", "-- columns:\n--   order   one\n-- definition")
    text = text.replace("as value\n", 'as value, 1 as "order"\n')
    own = [write(tmp_path / "fullness.sql", text), write(tmp_path / "half_full_rankings.sql", STEP)]
    with evalsql.open(tmp_path / "w.duckdb") as warehouse:
        assert warehouse.load_measures(own) == ["Fullness"]


# What a file can hold


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize(
    "arguments",
    few_of([("ls",), ("sql", "select 1"), ("leaderboard",), ("sql", "--external", "select 1")], 1, one_value=True),
)
@pytest.mark.parametrize("table", ["warehouse", "runs", "added_relations"])
def test_base_tables_are_tables(
    command: Command, crafted: Crafted, secret: Path, table: str, arguments: tuple[str, ...]
) -> None:
    read = f"(select content from read_text('{secret}'))"
    version = f"select 99 as schema_version, {read} as evalsql_version, 'x' as sql_digest"
    view = version if table == "warehouse" else f"select * replace ({read} as {{}}) from held"
    column = {"runs": "run", "added_relations": "text"}.get(table, "")
    path = crafted(f"alter table {table} rename to held", f"create view {table} as {view.format(column)}")
    outcome = command(*arguments, "--db", path)
    assert outcome.returncode == 3
    assert SECRET not in outcome.stdout + outcome.stderr
    said = "not an evalsql warehouse" if table == "warehouse" else f"{table} is a view where a warehouse has a table"
    assert said in outcome.stderr
    with pytest.raises(WarehouseError, match=said):
        evalsql.open(path)


def test_base_tables_have_their_columns(crafted: Crafted) -> None:
    with pytest.raises(WarehouseError, match="topics has other columns than a warehouse"):
        evalsql.open(crafted("create or replace table topics as select topic_id, 1 as topic from topics"))
    with pytest.raises(WarehouseError, match="topics is missing"):
        evalsql.open(crafted("drop table topics"), read_only=True)
    evalsql.open(crafted("alter table topics add column note varchar")).close()


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize(
    "arguments",
    [
        ("ls",),
        ("leaderboard", "-m", "AP"),
        ("topics", "-m", "AP"),
        ("load", "qrels", str(SAMPLE / "qrels.txt"), "--name", "again"),
        ("sql", "from ap"),
        ("sql", "--write", "select 1"),
    ],
)
def test_views_reach_no_other_file(
    command: Command, crafted: Crafted, tmp_path: Path, secret: Path, arguments: tuple[str, ...]
) -> None:
    reaches_no_other_file(command, crafted, tmp_path, secret, arguments)


def test_views_reach_no_other_file_in_a_report_of_all_measures(
    command: Command, crafted: Crafted, tmp_path: Path, secret: Path
) -> None:
    reaches_no_other_file(command, crafted, tmp_path, secret, ("report", "-o", "page.html"))
    assert (tmp_path / "page.html").exists()


def reaches_no_other_file(
    command: Command, crafted: Crafted, tmp_path: Path, secret: Path, arguments: tuple[str, ...]
) -> None:
    read = f"(select content from read_text('{secret}'))"
    path = crafted(
        f"create or replace view ap as select 'sample' as qrels, {read} as run, 'T01' as topic, 0.5::double as value",
        f"create or replace macro ap() as table select 'sample' as qrels, {read} as run, 'T01' as topic, 0.5 as value",
        f"create or replace view holdings as select 'run' as kind, {read} as name, 'x' as qrels, 1 as num_topics, "
        "1 as num_rows, 1 as missing_topics, 1 as extra_topics",
        f"create or replace macro coalesce_names() as {read}",
    )
    outcome = command(*arguments, "--db", path)
    assert SECRET not in outcome.stdout + outcome.stderr
    assert "Traceback" not in outcome.stderr
    assert not any(SECRET in page.read_text() for page in tmp_path.glob("*.html"))
    assert outcome.returncode == 0, outcome.stderr


def test_completion_in_a_shell_reaches_no_other_file(crafted: Crafted, secret: Path) -> None:
    path = crafted(
        "alter table runs rename to held",
        f"create view runs as select content as run from read_text('{secret}')",
        "update qrels set qrels = 'a' || chr(27) || '[31m'",
    )
    asked: Any = SimpleNamespace(params={"db": str(path)})
    assert complete_names("runs", asked, "") == complete_names("qrels", asked, "") == []
    assert complete_names("measures", asked, "TA") == ["TAP"]


def test_names_of_the_engine_taken_by_a_file_run_nothing(crafted: Crafted, tmp_path: Path) -> None:
    written = tmp_path / "written.txt"
    path = crafted(
        f"create macro main.current_setting(x) as $$true; copy (select 1) to '{written}'$$",
        "create macro main.duckdb_tables() as table select 1 as one",
        "create macro main.duckdb_views() as table select 1 as one",
    )
    with pytest.warns(InputWarning, match="macro current_setting, macro duckdb_tables, macro duckdb_views"):
        warehouse = evalsql.open(path)
    with warehouse:
        assert len(warehouse.evaluate("AP").fetchall()) == 8
    assert not written.exists()


# What goes on working


@pytest.mark.usefixtures("few_measures")
def test_the_library_reaches_files_after_opening(crafted: Crafted, tmp_path: Path) -> None:
    table = write(tmp_path / "x.csv", "a,b\n1,2\n")
    for change in ("select 1", "update warehouse set sql_digest = 'other'"):
        with evalsql.open(crafted(change)) as warehouse:
            assert warehouse.connection.sql(f"select * from '{table}'").fetchall() == [(1, 2)]


def test_a_command_loads_what_it_is_told_to(command: Command, tmp_path: Path) -> None:
    write(tmp_path / "in" / "q[1].txt", "q1 0 d1 1\n")
    write(tmp_path / "in" / "a.run", "q1 Q0 d1 1 3.0 t\n")
    write(tmp_path / "in" / "b.run", "q1 Q0  d1 1 3.0\tt\n")
    assert command("load", "qrels", "in/q[1].txt", "--db", "w.duckdb").returncode == 0
    loaded = command("load", "runs", "in/*.run", "--db", "w.duckdb")
    assert loaded.returncode == 0, loaded.stderr
    piped = command("load", "runs", "-", "--name", "c", "--db", "w.duckdb", stdin="q1 Q0 d1 1 3.0 t\n")
    assert piped.returncode == 0, piped.stderr
    named = command("sql", "select run, value from rr order by run", "--db", "w.duckdb", "--format", "csv")
    assert named.stdout.splitlines()[1:] == ["a,1.0", "b,1.0", "c,1.0"]


def test_external_reaches_files(command: Command, crafted: Crafted, secret: Path) -> None:
    path, query = crafted(), f"select content from read_text('{secret}')"
    assert SECRET in command("sql", "--external", query, "--db", path).stdout
    refused = command("sql", query, "--db", path)
    assert (refused.returncode, refused.stdout) == (2, "")
