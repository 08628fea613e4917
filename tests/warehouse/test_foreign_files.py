"""Warehouses from strangers: figures come from the package, and nothing in a file runs SQL or reaches another file."""

from functools import cache
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest

import evalsql
from evalsql import InputWarning, QueryError, Warehouse, WarehouseError
from evalsql.cli.declare import complete_names
from tests.conftest import SAMPLE, Command, assert_refused, load_sample, new_file, warned, write
from tests.long_cases import few_of, one_in, rows_of
from tests.warehouse.conftest import OTHER_SQL, SECRET, Crafted, file_of_few
from tests.warehouse.test_rebuild import objects

BOARD = "create view board as select content from read_text('{secret}')"
TRUE_AP = "select value from ap where run = 'bm25' and topic = 'T23'"
BY_HAND = (1 / 1 + 2 / 13 + 3 / 16 + 4 / 28) / 5  # sql/README.md


# Files that are no warehouse, and what tables can be

OTHERS = (
    *("view mine as select 42 as x", "macro mine() as table select 42 as x", "table mine (x integer)"),
    "table warehouse (x integer)",
    "table warehouse (schema_version varchar, evalsql_version varchar, sql_digest varchar)",
)
UNFINISHED = "create table runs (run_id integer); create table warehouse (x integer)"


@pytest.mark.parametrize(
    ("made", "said"),
    one_in(
        3,
        [
            *((f"create {made}", "not an evalsql warehouse") for made in OTHERS),
            (UNFINISHED, "unfinished warehouse.*delete it, then evalsql load"),
            (f"{UNFINISHED}; insert into runs values (1)", "not an evalsql warehouse"),
            (b"plain text, no database, but long enough to look like one" * 99, "cannot be opened"),
            (None, "no such file"),
        ],
    ),
)
def test_files_that_are_no_warehouse_are_left_alone(tmp_path: Path, made: str | bytes | None, said: str) -> None:
    path = tmp_path / "w.duckdb"
    if isinstance(made, bytes):
        path.write_bytes(made)
    elif made:
        with duckdb.connect(str(path)) as connection:
            connection.execute(made)
    before = path.read_bytes() if made else None
    for read_only in (True, False) if made else (True,):
        with pytest.raises(WarehouseError, match=said):
            evalsql.open(path, read_only=read_only)
    assert (path.read_bytes() if path.exists() else None) == before


COMMANDS = ["ls", "sql select_1", "leaderboard", "sql --external select_1"]


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize("words", few_of(COMMANDS, 1))
@pytest.mark.parametrize(
    ("table", "read"),
    [
        ("warehouse", "select 99 as schema_version, {} as evalsql_version, 'x' as sql_digest"),
        ("runs", "select * replace ({} as run) from held"),
        ("added_relations", "select * replace ({} as text) from held"),
    ],
)
def test_tables_are_no_views(
    command: Command, crafted: Crafted, secret: Path, table: str, read: str, words: str
) -> None:
    view = read.format(f"(select content from read_text('{secret}'))")
    path = crafted(f"alter table {table} rename to held", f"create view {table} as {view}")
    outcome = command(*(word.replace("_", " ") for word in words.split()), "--db", path)
    said = "not an evalsql warehouse" if table == "warehouse" else f"{table} is a view where a warehouse has a table"
    assert_refused(outcome, said, code=3)
    assert SECRET not in outcome.stderr
    with pytest.raises(WarehouseError, match=said):
        evalsql.open(path)


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("create or replace table topics as select topic_id, 1 as topic from topics", "topics has different columns"),
        ("create or replace table topics (TOPIC_ID integer not null, topic varchar not null)", "topics has different"),
        ("drop table topics", "topics is missing"),
        ("update warehouse set schema_version = 99, evalsql_version = '9.9'", r"made by evalsql 9\.9, which is newer"),
        ("alter table topics add column note varchar", ""),
    ],
)
def test_base_tables_have_their_columns(crafted: Crafted, change: str, said: str) -> None:
    path = crafted(change)
    for read_only in (True, False):
        if said:
            with pytest.raises(WarehouseError, match=said):
                evalsql.open(path, read_only=read_only)
        else:
            evalsql.open(path, read_only=read_only).close()


FALSE_COLUMNS = rows_of(Path(__file__).with_name("false_columns.tsv"))


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize(("false", "hiding"), few_of(map(tuple, FALSE_COLUMNS), 2))
def test_a_false_column_is_found_whatever_stands_beside_it(crafted: Crafted, false: str, hiding: str) -> None:
    columns = hiding.format(f"document_id integer not null, {false}")
    path = crafted("drop table documents", f"create table documents ({columns})")
    with pytest.raises(WarehouseError, match="documents has different columns"):
        evalsql.open(path, read_only=True)


# What views and macros can be


@pytest.mark.long
def test_views_reach_no_other_file(command: Command, crafted: Crafted, tmp_path: Path, secret: Path) -> None:
    read = f"(select content from read_text('{secret}'))"
    ap = f"select 'sample' as qrels, {read} as run, 'T01' as topic, 0.5::double as value"
    path = crafted(
        f"create or replace view ap as {ap}",
        f"create or replace macro ap() as table {ap}",
        f"create or replace view holdings as select 'run' as kind, {read} as name, 'x' as qrels, 1 as num_topics, "
        "1 as num_rows, 1 as missing_topics, 1 as extra_topics",
        f"create or replace macro coalesce_names() as {read}",
        f"create macro abs(x) as {read}",
        *(
            f"create or replace view steps.{each} as select {read} as run"
            for each in ("evaluated_topics", "evaluations")
        ),
    )
    for arguments in (
        *(("ls",), ("leaderboard", "-m", "AP"), ("topics", "-m", "AP"), ("report", "-o", "page.html")),
        *(("sql", "from ap"), ("sql", "--write", "select 1")),
        ("load", "qrels", str(SAMPLE / "qrels.txt"), "--name", "again"),
    ):
        outcome = command(*arguments, "--db", path)
        assert SECRET not in outcome.stdout + outcome.stderr
        assert (outcome.returncode, "Traceback" in outcome.stderr) == (0, False), outcome.stderr
    assert SECRET not in (tmp_path / "page.html").read_text()


def test_completion_in_a_shell_reaches_no_other_file(crafted: Crafted, secret: Path) -> None:
    path = crafted(
        "alter table runs rename to held",
        f"create view runs as select content as run from read_text('{secret}')",
        "update qrels set qrels = 'a' || chr(27) || '[31m'",
    )
    asked: Any = SimpleNamespace(params={"db": str(path)})
    assert complete_names("runs", asked, "") == complete_names("qrels", asked, "") == []
    assert complete_names("measures", asked, "TA") == ["TAP"]


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize("change", ["select 1", OTHER_SQL])
def test_opening_runs_nothing_that_a_file_defines(crafted: Crafted, tmp_path: Path, secret: Path, change: str) -> None:
    """Nor while it is brought up to date; what is asked of it later reaches no other file."""
    written = tmp_path / "written.txt"
    path = crafted(
        f"create macro main.current_setting(x) as $$true; copy (select 1) to '{written}'$$",
        "create macro main.current_database() as 'evalsql_template'",
        f"create macro main.duckdb_tables() as table select content from read_text('{secret}')",
        "create macro main.duckdb_views() as table select 1 as one",
        BOARD.format(secret=secret),
        change,
    )
    named = "macro current_database, macro current_setting, macro duckdb_tables, macro duckdb_views, view board"
    with pytest.warns(InputWarning, match=named):
        warehouse = evalsql.open(path)
    with warehouse:
        assert len(warehouse.evaluate("AP").fetchall()) == 8
        with pytest.raises(QueryError, match="disabled by configuration"):
            warehouse.rows("from board")
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


def figures(warehouse: Warehouse) -> dict[tuple[Any, ...], Any]:
    """Figures by several ways: views, macros, the library, statistics that read the view of scores."""
    found = {("scores", *row[:-1]): row[-1] for row in warehouse.rows("from scores")}
    found |= {("summary", *row[:3]): row[3] for row in warehouse.rows("from summary")}
    found |= {("ap", *row[:3]): row[3] for row in warehouse.rows("from ap(k := 10)")}
    found |= {("main", *row[:3]): row[3] for row in warehouse.rows("from main.ndcg")}
    found |= {("evaluate", *row[:2]): row[3] for row in warehouse.evaluate("AP nDCG@5").fetchall()}
    found[("steps",)] = warehouse.rows("select count(*) from steps.evaluated_topics")[0][0]
    return found


@cache
def true_figures() -> dict[tuple[Any, ...], Any]:
    with evalsql.open(new_file(like=file_of_few(load_sample)), read_only=True) as warehouse:
        return figures(warehouse)


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize(
    ("read_only", "change", "name"),
    few_of(
        [
            (True, OTHER_SQL, 'we ird,"na\'me".duckdb'),
            (False, OTHER_SQL, "main.duckdb"),
            *product([True, False], ["select 1", OTHER_SQL], ["w.duckdb", "scores.duckdb"]),
        ],
        1,
    ),
)
def test_relations_that_lie_are_not_asked(crafted: Crafted, read_only: bool, change: str, name: str) -> None:
    expected = true_figures()
    path = crafted(*LIES, change, name=name)
    before = objects(path)
    told: set[str] = set()
    opened: list[Warehouse] = []
    options: dict[str, Any] = {"read_only": read_only, "progress": lambda stage, *_: told.add(stage)}
    said = warned(lambda: opened.append(evalsql.open(path, **options)))
    is_other = any("with different SQL. This version uses its own" in each for each in said)
    assert is_other == (read_only and change == OTHER_SQL)
    with opened[0] as warehouse:
        assert warehouse.rows(TRUE_AP) == [(pytest.approx(BY_HAND),)]
        assert figures(warehouse) == pytest.approx(expected, abs=1e-12)
        for statement in ("create view mine as select 1 as one", "create table mine (one integer)", "delete from runs"):
            if read_only:
                with pytest.raises(evalsql.EvalsqlError, match="read-only"):
                    warehouse.execute(statement)
    if read_only:
        assert told == set()
        assert objects(path) == before


@pytest.mark.usefixtures("few_measures")
def test_a_file_of_another_version_gets_true_views_for_other_clients(crafted: Crafted) -> None:
    path = crafted(*LIES[:1], OTHER_SQL)
    evalsql.open(path).close()
    with duckdb.connect(str(path), read_only=True) as connection:
        assert connection.execute(TRUE_AP).fetchall() == [(pytest.approx(BY_HAND),)]


WITHOUT = """
    select format('drop view {}.{}', schema_name, view_name) from duckdb_views() where not internal
    union all
    select distinct format(
        'drop macro {} {}.{}', if(function_type = 'macro', '', 'table'), schema_name, function_name
    ) from duckdb_functions() where not internal
"""


def asked(warehouse: Warehouse) -> tuple[list[Any], list[float]]:
    """Names, and numbers, in the rows of the verbs that commands are made of."""
    answers = (
        *(warehouse.holdings(), warehouse.leaderboard(), warehouse.evaluate("INST")),
        *(warehouse.evaluate("AP P@5", per_topic=True), warehouse.compare("bm25", measures="AP nDCG")),
    )
    values = [value for answer in answers for row in answer.fetchall() for value in row]
    numbers = [value for value in values if isinstance(value, float)]
    return [value for value in values if not isinstance(value, float)], numbers


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*beside those of evalsql")
@pytest.mark.parametrize("is_empty", few_of([False, True], 1))
def test_nothing_is_asked_of_a_file_but_its_tables(crafted: Crafted, sample: Warehouse, is_empty: bool) -> None:
    """Relations that lie change no figure, and in a file without any view or macro all is found."""
    path = crafted(*([] if is_empty else LIES))
    if is_empty:
        with duckdb.connect(str(path)) as connection:
            drops = connection.execute(WITHOUT).fetchall()
            connection.execute(";".join(statement for (statement,) in drops))
    with evalsql.open(path, read_only=True) as warehouse:
        (names, numbers), (true_names, true_numbers) = asked(warehouse), asked(sample)
    assert names == true_names
    assert numbers == pytest.approx(true_numbers, abs=1e-9)
    with evalsql.open(path) as warehouse:
        assert warehouse.load_qrels({"T01": {"d": 1}}, "again") == "again"


@pytest.mark.usefixtures("few_measures")
def test_what_a_user_makes_goes_into_the_file_and_outlives_an_upgrade(crafted: Crafted, command: Command) -> None:
    path = crafted()
    made = (
        "create view best as from ap; create macro twice(x) as 2 * x; create table t as select twice(2) as four; "
        "create macro rows_of(n) as table select n as n; create table main.u (a integer)"
    )
    assert command("sql", "--write", made, "--db", path).returncode == 0
    listed = command("sql", "show tables", "--db", path, "--format", "csv").stdout.splitlines()
    assert {"best", "t", "u", "ap", "runs"} <= set(listed)
    assert len(listed) == len(set(listed))
    for change in ("select 1", OTHER_SQL):
        with duckdb.connect(str(path)) as connection:
            connection.execute(change)
        with evalsql.open(path) as warehouse:
            assert warehouse.rows("select twice(n) from rows_of(21)") == [(42,)]
        with duckdb.connect(str(path), read_only=True) as connection:
            assert connection.execute("select four, twice(n) from t, rows_of(3)").fetchall() == [(4, 6)]
            assert connection.execute("select count(*) from best").fetchall() == [(320,)]
            assert connection.execute("select count(*) from u").fetchall() == [(0,)]


# Which files SQL reaches


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


@pytest.mark.usefixtures("few_measures")
def test_a_command_reaches_what_it_is_told_to(command: Command, crafted: Crafted, tmp_path: Path, secret: Path) -> None:
    path, query = crafted(), f"select content from read_text('{secret}')"
    assert SECRET in command("sql", "--external", query, "--db", path).stdout
    assert_refused(command("sql", query, "--db", path))
    write(tmp_path / "in" / "a.run", "T01 Q0 d1 1 3.0 t\n")
    write(tmp_path / "in" / "b.run", "T01 Q0  d1 1 3.0\tt\n")
    for words, stdin in ((["in/*.run"], ""), (["-", "--name", "c"], "T01 Q0 d1 1 3.0 t\n")):
        loaded = command("load", "runs", *words, "--db", path, stdin=stdin)
        assert loaded.returncode == 0, loaded.stderr
    with evalsql.open(path, read_only=True) as warehouse:
        assert warehouse.rows("select run from rankings where document = 'd1' order by run") == [("a",), ("b",), ("c",)]


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
    with first:
        first.load_run({"T01": {"doc-0133": 1.0}}, "a")
        with pytest.warns(InputWarning, match="view mine"):
            evalsql.open(path).close()
    with pytest.warns(InputWarning, match="view mine"):
        evalsql.open(path).close()
