"""Warehouses from strangers: figures come from the package, and nothing in a file runs SQL or reaches another file."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest

import evalsql
from evalsql import InputWarning, QueryError, WarehouseError
from evalsql.cli.declare import complete_names
from tests.conftest import SAMPLE, Command, new_file, warned, write
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
OTHER_SQL = "update warehouse set sql_digest = 'other'"  # views and macros are made anew
TRUE_AP = "select value from ap where run = 'bm25' and topic = 'T23'"
BY_HAND = (1 / 1 + 2 / 13 + 3 / 16 + 4 / 28) / 5  # sql/README.md


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    return write(tmp_path / "elsewhere" / "secret.txt", SECRET)


def kept(text: str, name: str) -> str:
    """What puts a relation into a file as if it had been loaded."""
    name, text = (each.replace("'", "''") for each in (name, text))
    return f"insert into added_relations values (1, '{name}', '{text}', now()::timestamp)"


# What a header and a body can hold


@pytest.mark.usefixtures("few_measures")
def test_a_kept_relation_is_one_select_of_relations_under_a_name_of_its_own(
    command: Command, crafted: Crafted, tmp_path: Path, secret: Path
) -> None:
    file = tmp_path / "written.txt"
    bodies = (
        f"select 1 as value); copy (select 'x') to '{file}'; select (2",
        f"select 1 as value; copy (select 'x') to '{file}'",
        f"copy (select 1 as value) to '{file}'",
        f"select content as value from read_text('{secret}')",
        f"select content as value from '{secret}'",
        f"from query('select content as value from read_text(''{secret}'')')",
        f"select 1 as value, map {{1: (select content from read_text('{secret}'))}}",
        f"select 1 as value, (select content from read_text('{secret}')) as other",
        f'with "{secret}" as (select 1) select 1 as value from "{secret}"',
        f"with read_text as (select 1) select content as value from read_text('{secret}')",
        "select " + "(" * 20_000 + "1" + ")" * 20_000 + " as value",
    )
    header = f"v2/**/is/**/null;copy(select'x')to'{file}';--   whether"
    texts = [STEP.replace("half_full       whether", header), *(ONE_STEP.format(body=body) for body in bodies)]
    named = {f"strange{nth}": text for nth, text in enumerate(texts)}
    named |= dict.fromkeys(("../strange", "a b", "count", 'x"y'), ONE_STEP.format(body="select 1 as value"))
    path = crafted(*(kept(text, name) for name, text in named.items()), OTHER_SQL)
    outcome = command("sql", "--write", "select 1 as one", "--db", path)
    assert outcome.stderr.count("it is left out") == len(named)
    for name in named:
        assert f"{name}.sql" in outcome.stderr or repr(name) in outcome.stderr
    assert "Traceback" not in outcome.stderr
    assert SECRET not in outcome.stdout + outcome.stderr
    assert not file.exists()


@pytest.mark.usefixtures("few_measures")
def test_columns_may_be_words_of_sql(tmp_path: Path) -> None:
    text = MEASURE.replace("-- definition", "-- columns:\n--   order   one\n-- definition")
    text = text.replace("as value\n", 'as value, 1 as "order"\n')
    own = [write(tmp_path / "fullness.sql", text), write(tmp_path / "half_full_rankings.sql", STEP)]
    with evalsql.open(tmp_path / "w.duckdb") as warehouse:
        assert warehouse.load_measures(own) == ["Fullness"]


# What tables can be


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize(
    "arguments",
    few_of([("ls",), ("sql", "select 1"), ("leaderboard",), ("sql", "--external", "select 1")], 1, one_value=True),
)
@pytest.mark.parametrize(
    ("table", "read", "said"),
    [
        (
            "warehouse",
            "select 99 as schema_version, {} as evalsql_version, 'x' as sql_digest",
            "not an evalsql warehouse",
        ),
        ("runs", "select * replace ({} as run) from held", "runs is a view where a warehouse has a table"),
        (
            "added_relations",
            "select * replace ({} as text) from held",
            "added_relations is a view where a warehouse has",
        ),
    ],
)
def test_base_tables_are_tables(
    command: Command, crafted: Crafted, secret: Path, table: str, read: str, said: str, arguments: tuple[str, ...]
) -> None:
    view = read.format(f"(select content from read_text('{secret}'))")
    path = crafted(f"alter table {table} rename to held", f"create view {table} as {view}")
    outcome = command(*arguments, "--db", path)
    assert outcome.returncode == 3
    assert SECRET not in outcome.stdout + outcome.stderr
    assert said in outcome.stderr
    with pytest.raises(WarehouseError, match=said):
        evalsql.open(path)


def test_base_tables_have_their_columns(crafted: Crafted) -> None:
    for change, read_only, said in (
        (
            "create or replace table topics as select topic_id, 1 as topic from topics",
            False,
            "topics has other columns",
        ),
        ("drop table topics", True, "topics is missing"),
    ):
        with pytest.raises(WarehouseError, match=said):
            evalsql.open(crafted(change), read_only=read_only)
    evalsql.open(crafted("alter table topics add column note varchar")).close()


# What views and macros can be


@pytest.mark.usefixtures("few_measures")
def test_views_reach_no_other_file(command: Command, crafted: Crafted, tmp_path: Path, secret: Path) -> None:
    path = crafted(*reading(secret))
    for arguments in (
        ("ls",),
        ("leaderboard", "-m", "AP"),
        ("topics", "-m", "AP"),
        ("sql", "from ap"),
        ("sql", "--write", "select 1"),
        ("load", "qrels", str(SAMPLE / "qrels.txt"), "--name", "again"),
    ):
        reaches_no_other_file(command, path, arguments)


def test_views_reach_no_other_file_in_a_report_of_all_measures(
    command: Command, crafted: Crafted, tmp_path: Path, secret: Path
) -> None:
    reaches_no_other_file(command, crafted(*reading(secret)), ("report", "-o", "page.html"))
    assert SECRET not in (tmp_path / "page.html").read_text()


def reading(secret: Path) -> tuple[str, ...]:
    """Views and macros of evalsql's names that read a file."""
    read = f"(select content from read_text('{secret}'))"
    ap = f"select 'sample' as qrels, {read} as run, 'T01' as topic, 0.5::double as value"
    return (
        f"create or replace view ap as {ap}",
        f"create or replace macro ap() as table {ap}",
        f"create or replace view holdings as select 'run' as kind, {read} as name, 'x' as qrels, 1 as num_topics, "
        "1 as num_rows, 1 as missing_topics, 1 as extra_topics",
        f"create or replace macro coalesce_names() as {read}",
    )


def reaches_no_other_file(command: Command, path: Path, arguments: tuple[str, ...]) -> None:
    outcome = command(*arguments, "--db", path)
    assert SECRET not in outcome.stdout + outcome.stderr
    assert "Traceback" not in outcome.stderr
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


# Relations that lie

LIES = (
    "create or replace macro ap() as table select 'sample' as qrels, 'bm25' as run, 'T23' as topic, 0.99 as value",
    "create or replace view ap as from ap()",
    "create or replace view steps.evaluated_topics as select * from steps.evaluated_topics limit 1",
    "create view main.evaluated_topics as select 1 as one",
    "create or replace macro normal_cdf(z double := 1.0) as z",
    "create view steps.evaluations as select 1 as one",
    "create table steps.topics as select 1 as one",
    *(f"create macro {name}(x) as 42" for name in ("ln", "abs", "sum", "log2", "list_value")),
    *(f"create macro {name}(x, y) as 42" for name in ("power", "least", "greatest")),
    "create macro count_star() as 42",
    "drop view ndcg",
)
FIGURES = "select run, topic, measure, value from scores order by all"


@pytest.mark.parametrize(("read_only", "other"), few_of(product([True, False], repeat=2), 1))
@pytest.mark.filterwarnings("ignore:.*(with other SQL|beside those of evalsql)")
def test_relations_and_functions_that_lie_are_not_asked(
    crafted: Crafted, sample: evalsql.Warehouse, read_only: bool, other: bool
) -> None:
    expected = sample.rows(FIGURES)
    compared = sample.compare("bm25", measures="AP nDCG").fetchall()
    path = crafted(*LIES, *([OTHER_SQL] if other else []))
    with evalsql.open(path, read_only=read_only) as warehouse:
        assert warehouse.rows(TRUE_AP) == [(pytest.approx(BY_HAND),)]
        assert warehouse.rows(FIGURES) == [(*row, pytest.approx(value, abs=1e-12)) for *row, value in expected]
        found = warehouse.compare("bm25", measures="AP nDCG").fetchall()
        assert [row[:4] for row in found] == [row[:4] for row in compared]


@pytest.mark.usefixtures("few_measures")
def test_a_file_of_another_version_gets_true_views_for_other_clients(crafted: Crafted, command: Command) -> None:
    path = crafted(*LIES[:1], OTHER_SQL)
    outcome = command("sql", TRUE_AP, "--format", "csv", "--db", path)
    assert "with other SQL; that of this version is used instead" in outcome.stderr
    assert float(outcome.stdout.splitlines()[1]) == pytest.approx(BY_HAND)
    evalsql.open(path).close()
    with duckdb.connect(str(path), read_only=True) as connection:
        assert connection.execute(TRUE_AP).fetchall() == [(pytest.approx(BY_HAND),)]


def test_commands_ask_nothing_of_a_file_but_its_tables(crafted: Crafted, sample_file: Path, command: Command) -> None:
    """In a file without any view or macro they find all that they ask for."""
    path = crafted()
    with duckdb.connect(str(path)) as connection:
        drops = connection.execute("""
            select format('drop view {}.{}', schema_name, view_name) from duckdb_views() where not internal
            union all
            select distinct format(
                'drop macro {} {}.{}', if(function_type = 'macro', '', 'table'), schema_name, function_name
            ) from duckdb_functions() where not internal
        """).fetchall()
        connection.execute(";".join(statement for (statement,) in drops))
    for words in ("ls", "ls --long", "leaderboard", "leaderboard -m INST", "topics -m AP,P@5", "compare bm25 -m AP"):
        found, expected = (command(*words.split(), "--format", "csv", "--db", db) for db in (path, sample_file))
        assert found.returncode == 0, found.stderr
        assert found.stdout == expected.stdout
    assert command("load", "qrels", SAMPLE / "qrels.txt", "--name", "again", "--db", path).returncode == 0


def test_what_a_user_makes_goes_into_the_file(crafted: Crafted, command: Command) -> None:
    path = crafted()
    made = "create view best as from ap; create macro twice(x) as 2 * x; create table t as select twice(2) as four"
    assert command("sql", "--write", made, "--db", path).returncode == 0
    listed = command("sql", "show tables", "--db", path, "--format", "csv").stdout.splitlines()
    assert {"best", "t", "ap", "runs"} <= set(listed)
    assert len(listed) == len(set(listed))
    with duckdb.connect(str(path), read_only=True) as connection:
        assert connection.execute("select four, twice(3) from t").fetchall() == [(4, 6)]
        assert connection.execute("select count(*) from best").fetchall() == [(320,)]


# Which files SQL reaches


BOARD = "create view board as select content from read_text('{secret}')"


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize(
    ("change", "options", "reaches"),
    [
        ("select 1", {"read_only": True}, True),
        (OTHER_SQL, {}, True),
        ("select 1", {"external_access": False}, False),
        (BOARD, {"read_only": True}, False),
        (BOARD, {"read_only": True, "external_access": True}, True),
    ],
)
def test_sql_reaches_other_files_unless_the_file_or_the_caller_says_not(
    crafted: Crafted, secret: Path, change: str, options: dict[str, Any], reaches: bool
) -> None:
    path = crafted(change.format(secret=secret))
    opened: list[evalsql.Warehouse] = []
    told = warned(lambda: opened.append(evalsql.open(path, **options)))
    is_suspect = change == BOARD and not reaches
    assert [": view board. " in each and "external_access=True" in each for each in told] == [True] * is_suspect
    with opened[0] as warehouse:
        assert warehouse.rows(TRUE_AP) == [(pytest.approx(BY_HAND),)]
        query = "from board" if change == BOARD else f"select content from read_text('{secret}')"
        if reaches:
            assert warehouse.connection.sql(query).fetchall() == [(SECRET,)]
        else:
            with pytest.raises(QueryError, match="disabled by configuration"):
                warehouse.rows(query)


def test_external_reaches_files(command: Command, crafted: Crafted, secret: Path) -> None:
    path, query = crafted(), f"select content from read_text('{secret}')"
    assert SECRET in command("sql", "--external", query, "--db", path).stdout
    refused = command("sql", query, "--db", path)
    assert (refused.returncode, refused.stdout) == (2, "")


def test_a_command_loads_what_it_is_told_to(command: Command, tmp_path: Path) -> None:
    write(tmp_path / "in" / "q[1].txt", "q1 0 d1 1\n")
    write(tmp_path / "in" / "a.run", "q1 Q0 d1 1 3.0 t\n")
    write(tmp_path / "in" / "b.run", "q1 Q0  d1 1 3.0\tt\n")
    new_file(tmp_path).rename(tmp_path / "w.duckdb")
    for words, stdin in (
        (("qrels", "in/q[1].txt"), ""),
        (("runs", "in/*.run"), ""),
        (("runs", "-", "--name", "c"), "q1 Q0 d1 1 3.0 t\n"),
    ):
        loaded = command("load", *words, "--db", "w.duckdb", stdin=stdin)
        assert loaded.returncode == 0, loaded.stderr
    named = command("sql", "select run, value from rr order by run", "--db", "w.duckdb", "--format", "csv")
    assert named.stdout.splitlines()[1:] == ["a,1.0", "b,1.0", "c,1.0"]


# Files that this process has open


def test_a_file_that_this_process_has_open_is_opened_again_without_a_word(tmp_path: Path) -> None:
    """As where a cell of a notebook runs twice; the log beside the file holds what was loaded."""
    path = new_file(tmp_path)
    with evalsql.open(path) as first:
        first.load_qrels({"q": {"d": 1}}, "tiny")
        first.load_run({"q": {"d": 1.0}}, "a")
        opened: list[evalsql.Warehouse] = []
        assert warned(lambda: opened.append(evalsql.open(path))) == []
        with opened[0] as second:
            assert second.evaluate("AP").fetchall() == first.evaluate("AP").fetchall() == [("tiny", "a", 1.0)]
        with pytest.raises(WarehouseError, match="this process has it open already in another way"):
            evalsql.open(path, read_only=True)


def test_a_file_that_is_open_twice_is_still_known_to_define_relations_of_others(crafted: Crafted) -> None:
    path = crafted("create view mine as select 1 as one")
    with pytest.warns(InputWarning, match="view mine"):
        first = evalsql.open(path)
    first.load_run({"T01": {"doc-0133": 1.0}}, "a")
    with pytest.warns(InputWarning, match="view mine"):
        evalsql.open(path).close()
    first.close()
    with pytest.warns(InputWarning, match="view mine"):
        evalsql.open(path).close()
