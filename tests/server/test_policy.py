"""Statements that tokens admit and what becomes of them, and parameters written out."""

import json
import time
import tracemalloc
from contextlib import suppress
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import product
from pathlib import Path

import duckdb
import pytest

from evalsql.database.quack import MEASURES
from evalsql.database.statement_calls import CallError, words_of
from evalsql.database.statement_text import rendered
from evalsql.server.policy import WRITE, RefusedError, admitted, check_definition
from evalsql.warehouse.file_checks import OBJECTS
from tests.conftest import own_measure
from tests.long_cases import content, rows_of
from tests.server.conftest import Watched

HERE = Path(__file__).parent


@pytest.mark.parametrize(("role", "text", "run"), rows_of(HERE / "admitted.tsv"))
def test_a_reader_changes_what_is_temporary_and_a_writer_the_warehouse(role: str, text: str, run: str) -> None:
    """What is run is in the last column of the file, nothing where it is refused."""
    text, run = (each.encode("latin-1").decode("unicode_escape") for each in (text, run))
    if run:
        assert admitted(text, role) == run
    else:
        with pytest.raises(RefusedError):
            admitted(text, role)


def test_a_name_in_backticks_is_what_it_names_where_the_engine_reads_them() -> None:
    for text in ("select `nextval`('ids')", "from main.`query` /* ( */ ('from range(1)')", "delete from `measures`"):
        with suppress(RefusedError):
            run = admitted(text, WRITE)
            with duckdb.connect() as connection, pytest.raises(duckdb.Error):  # DuckDB 1.5 reads none
                connection.execute(f"create sequence ids; create table measures (a integer); {run}")


DEFINED = (
    *(
        "CREATE VIEW v AS SELECT * FROM {}('x');",
        "SELECT {}('x') AS a",
        "SELECT * FROM {}(a, b)",
        '"{}"(x)',
        "(({}(x)) + 1)",
    ),
    "WITH x AS (SELECT * FROM main.{} ()) SELECT * FROM x",
)
CALLED = (
    "quack_stop",
    "quack_active_connections",
    "evalsql_server_authorise",
    "enable_logging",
    "query",
    "duckdb_logs",
    "finalize",
)


def test_what_a_served_file_defines_calls_nothing_that_clients_may_not() -> None:
    for form, name in product(DEFINED, CALLED):
        with pytest.raises(CallError, match=f"^{name}$"):
            check_definition(form.format(name))
    check_definition("CREATE VIEW v AS SELECT * FROM read_csv('x.csv');")  # which the engine refuses when it is asked
    check_definition("SELECT x AS query_table, 'query(1)' FROM query_table('runs')")


@pytest.mark.parametrize(
    "text",
    [
        "create view mine as select * from runs where run = 'combine'",
        "create table notes (id integer, table_scan integer, query varchar, x_logging integer)",
        "create view mine as select 'combine, finalize' as x, -1 as finalize",
    ],
)
def test_what_a_client_keeps_lets_the_next_start_be(sessions: Watched, text: str) -> None:
    assert sessions.authorise("a", text) == text
    with duckdb.connect() as connection:
        connection.execute("create table runs (run varchar)")
        connection.execute(text)
        made = connection.execute("select sql from duckdb_views() where not internal").fetchall()
        for (each,) in made + connection.execute("select sql from duckdb_tables()").fetchall():
            check_definition(each)


def test_what_the_next_start_would_refuse_is_not_kept(sessions: Watched) -> None:
    named = "create table e (a enum('pandas_scan', 'b'))"
    for text in ("create view v as select 1 as combine", "create table t (json_serialize_plan integer)", named):
        assert "is a function that is not for clients" in str(sessions.authorise("a", text))


TEXTS = (
    *(
        "'{name}'",
        "$${name}$$",
        "$a${name}$a$",
        "E'{name}'",
        "e'{escaped}'",
        "'{half}'\n '{rest}'",
        "'{half}' -- a\n'{rest}'",
    ),
    *(
        "$${half}$$\n'{rest}'",
        "x'{bytes}'",
        "'see {name} of it'",
        "'it''s {name}'",
        "['{name}', 'a']",
        "{{'{name}': 1}}",
    ),
    *("'{half}' || '{rest}'", "'{name}'::json", "date '{name}'", "'{name}'/* a */", "lower('{name}')", '1 as "{name}"'),
    *("{name} := 'a'", 'a."{name}"', "'a' collate \"{name}\"", "'a'::\"{name}\"", "'{upper}'", "'a' as '{name}'"),
)


@pytest.mark.parametrize("name", ["write_log", "enable_profiling", "pandas_scan", "export_state"])
@pytest.mark.parametrize("form", ["view v as select {}", "view v as with c as (select {} as x) from c"])
def test_strings_in_what_is_kept_let_the_next_start_be(sessions: Watched, name: str, form: str) -> None:
    """The next start looks into them, where an operator of a changed file may hide."""
    parts = {"name": name, "half": name[:5], "rest": name[5:], "upper": name.upper(), "bytes": name.encode().hex()}
    texts = [text.format(**parts, escaped=f"\\x{ord(name[0]):x}{name[1:]}") for text in TEXTS]
    num_kept = 0
    for text in ("'a name of the log'", "$$it's$$", *texts):
        asked = f"create {form.format(text)}"
        if sessions.authorise("a", asked) != asked:
            continue
        with duckdb.connect() as connection, suppress(duckdb.Error):
            connection.execute(asked)
            for (defined,) in connection.execute(f"select definition from ({OBJECTS})").fetchall():
                check_definition(defined)
                num_kept += 1
    assert num_kept > 2


@pytest.mark.parametrize("name", ["full_scan", '"quack_a (b".pragma_x', '"a"".query(""b"'])
def test_the_bracket_behind_the_name_of_a_view_in_a_file_is_no_call(name: str) -> None:
    """A server would not start with the file."""
    with duckdb.connect() as connection:
        connection.execute('create schema "quack_a (b"')
        connection.execute(f'create view {name}("a", query) as select 1, ln(2)')
        ((defined,),) = connection.execute(f"select definition from ({OBJECTS})").fetchall()
    check_definition(defined)
    assert "ln(2)" in defined


SIGNED = (
    *(
        "delete from {}",
        "delete from {} as m using runs",
        "truncate {}",
        "truncate table {}",
        "insert into {} select 1",
    ),
    *("update {} set mean = 'geometric'", "insert or replace into {} values (1)", "from runs; delete from {}"),
    *("merge into {} using runs on true when matched then delete", "with x as (delete from {} returning *) from x"),
    *("explain analyze delete from {}", "with x as (select 1) update {} set a = 1", "create temp table t as ({})"),
)


@pytest.mark.parametrize(
    "table", ["measures", "main.relations", "added_relations", 'w."main"."WAREHOUSE"', "main/**/. Measures"]
)
def test_rows_that_say_what_evalsql_is_are_written_by_evalsql_alone(sessions: Watched, table: str) -> None:
    """Others were locked out by another version in the table of versions, and told other means."""
    for text in SIGNED[:-1]:
        for changed in (text, SIGNED[-1].format(text) if text.startswith("with x as (d") else text.upper()):
            told = str(sessions.authorise("a", changed.format(table)))
            is_known = "CTE needs a SELECT" not in told  # to the engine, which DuckDB 1.5 is
            assert ("evalsql alone writes" in told) == is_known, told
    if "/" not in table:
        assert sessions.authorise("a", f"INSERT INTO {table} VALUES (NULL)") is None
    for text in ("insert into temp.measures select 1", "select mean from measures", "delete from runs where run = 'a'"):
        assert sessions.authorise("a", text) == text


@pytest.mark.parametrize("role", ["read", "write"])
def test_no_state_of_an_aggregate_is_made_of_bytes(role: str) -> None:
    """DuckDB 1.5 looks at the address in it: a token that reads could ask what the process has in memory."""
    for text in ("select finalize(x) from s", "select x.finalize() from s", "select count(combine(x, x)) from s"):
        with pytest.raises(RefusedError, match=r"finalize|combine"):
            admitted(text, role)


def test_to_look_at_a_text_reads_no_file(sessions: Watched, tmp_path: Path) -> None:
    """DuckDB 1.5 reads two files as it takes this apart; what is said does not tell whether they are there."""
    told = []
    for folder in ("absent", "present"):
        if folder == "present":
            (tmp_path / folder).mkdir()
            for name in ("schema.sql", "load.sql"):
                (tmp_path / folder / name).write_text("select 1;", encoding="utf-8")
        text = f"import database '{tmp_path / folder}'"
        told.append(str(sessions.authorise("a", text)).replace(folder, ""))
    assert told[0] == told[1]
    assert "is not for clients" in told[0] or "disabled by configuration" in told[0]


def test_a_text_is_not_looked_at_for_long(sessions: Watched) -> None:
    for characters, is_refused in ((150_000, False), (150_001, True)):
        told = str(sessions.authorise("a", f"select '{'x' * (characters - 9)}'"))
        assert ("a text has at most 150,000 characters, this one 150,001;" in told) == is_refused


SLOW = ("/*" * 1000, "/**/" * 200 + "select 1", f"select {'+' * 1000}1", f"select {'+-' * 400}1")


@pytest.mark.parametrize("text", [*SLOW, "select 1" + f" {'+' * 100}1" * 400])
def test_a_text_that_the_lexer_would_read_for_minutes_is_not_read(text: str, sessions: Watched) -> None:
    """Of 150,000 characters of these DuckDB 1.5 reads one for more than ten minutes, and others wait."""
    assert "too many signs in a row" in str(sessions.authorise("a", text))


RENAMED = "create view v as select " + '"rename" "to", ' * 9600 + "1"
INSERTED = "select " + "insert, " * 18_600 + "1"
DOTTED = "select insert or " + ".".join(["a"] * 74_000)


@pytest.mark.parametrize("text", [INSERTED, DOTTED])
def test_names_in_a_text_are_looked_at_within_seconds(text: str) -> None:
    """Each took a copy of all words behind it, which was half a minute, and others wait."""
    began = time.process_time()
    admitted(text, WRITE)
    assert time.process_time() - began < 7


def test_names_in_a_text_take_little_memory() -> None:
    """A token that reads had the server take gigabytes by one text."""
    tracemalloc.start()
    with suppress(RefusedError):
        admitted(RENAMED, "read")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 120e6


@pytest.mark.parametrize("before", ["", "select 1; ", "explain analyze ", "/* ( */ --\n"])
@pytest.mark.parametrize("name", ["show_tables", "PRAGMA", '"("', "import_database/**/"])
def test_to_look_at_a_text_computes_nothing_of_it(before: str, name: str, sessions: Watched) -> None:
    begun = time.perf_counter()
    told = str(sessions.authorise("a", f"{before}pragma {name}(sleep_ms(3000))"))
    assert "a PRAGMA takes no values here" in told
    assert time.perf_counter() - begun < 2
    assert sessions.authorise("a", text := 'select "pragma" from (select 1 as pragma)') == text


@pytest.mark.parametrize(
    "text", ["{0}pragma", "explain{0}PRAGMA", "select a{0}$$ ' $$; pragma", "select{0}e'\\''; pragma"]
)
def test_no_odd_blank_has_a_pragma_computed(text: str, sessions: Watched) -> None:
    """The engine's lexer takes the blank for a letter, and what begins there for a longer name."""
    for blank in BLANKS:
        begun = time.perf_counter()
        told = str(sessions.authorise("a", f"{text.format(blank)} show_tables(sleep_ms(3000)) --'"))
        assert "an odd blank" in told
        assert time.perf_counter() - begun < 2
    harmless = "select 'a\u00a0pragmatic choice, 5\u00a0$'"
    assert sessions.authorise("a", harmless) == harmless


WITH, CLOSED = "with x as (", ") select 1"
NESTED = [
    *(WITH * 40, WITH * 9 + "select 1", f"{WITH * 12}1{CLOSED * 12}", f"explain {WITH * 12}", "with x as ((" * 20),
    *("with x as (values (1)), y as (" * 6, f"create view v as {WITH.upper() * 12}", f"select '/*', ({WITH * 12}"),
    *("select " + "(" * 3000, "select * from " + "(a join " * 1000, "select " + "- " * 3000 + "1"),
]


@pytest.mark.parametrize("text", NESTED)
def test_a_text_that_the_parser_would_read_for_minutes_is_not_read(
    text: str, sessions: Watched, tmp_path: Path
) -> None:
    """DuckDB 2.0 tries each WITH in another one again and again where the text is no SQL."""
    begun = time.perf_counter()
    assert "the text has" in str(sessions.authorise("a", text))
    path = own_measure(tmp_path / "own.sql", "Own", text)
    announced = str(sessions.authorise("a", MEASURES + json.dumps([("own", path.read_text())])))
    assert announced.startswith("select system.main.error(")
    assert time.perf_counter() - begun < 2


def test_a_query_of_a_person_is_nested_less(sessions: Watched) -> None:
    beside = "with " + ", ".join(f"x{nth} as (with y as (select 1) from y)" for nth in range(500)) + " from x1"
    for text in (beside, f"{WITH * 3}select 1{CLOSED * 3}", "select " + "(" * 200 + "1" + ")" * 200):
        assert sessions.authorise("a", text) == text


def test_notes_that_are_drawn_are_read(sessions: Watched) -> None:
    table = f"-- +{'-' * 38}+{'-' * 38}+\n"
    for drawn in (f"/{'*' * 2000}/ ", f"--{'-' * 2000}\n", f"-- {'=' * 2000}\n", table * 50):
        assert str(sessions.authorise("a", f"{drawn}select 1")) == "select 1"


def test_rows_are_for_a_table_with_a_short_name_and_statements_are_few(sessions: Watched) -> None:
    """Python would look at a long name for minutes, and at many statements too; others wait."""
    assert sessions.authorise("a", f'INSERT INTO "{"a" * 150_000}" VALUES (NULL)') is None
    for num, is_refused in ((1000, False), (1001, True)):
        assert ("a text has 1 to 1,000 statements" in str(sessions.authorise("a", "select 1;" * num))) == is_refused


VALUES = [
    *(None, True, False, 0, -7, 2**40, 0.1, 1e-300, -2.5, float("inf"), float("-inf")),
    *("", "it's", "a?b $1", "line\nend", "naïve 漢字", "NUL\0in it", '"quoted"'),
    *([], [1, 2], ["a'b", None], [0.5, float("inf")], {"a": "b"}, {"it's": "1"}),
    *(Decimal("1.50"), date(2024, 2, 29), datetime(2024, 2, 29, 1, 2, 3, 456789), b"\x00\xff'"),
    datetime(2024, 2, 29, 1, 2, 3, tzinfo=UTC),
]


def test_values_are_what_they_are_as_parameters() -> None:
    with duckdb.connect() as connection:
        for value in VALUES:
            expected = connection.execute("select ? as a", [value]).fetchall()
            assert connection.execute(rendered("select ? as a", [value], connection)).fetchall() == expected, value
        types = connection.execute(rendered("select typeof(?), typeof($2)", [0.1, 2.0], connection)).fetchall()
        assert types == [("DOUBLE", "DOUBLE")]
        # Placeholders in text and comments stay.
        sql = "select '?' as \"a?\", ? /* ? $1 */ as b, 'it''s ?' as c, $$ ? $$ as d -- ?\n, ? as e"
        assert connection.execute(rendered(sql, [1, 2], connection)).fetchall() == [("?", 1, "it's ?", " ? ", 2)]
        # Those with numbers are used again.
        assert connection.execute(rendered("select $2, $1, $2", [1, 2], connection)).fetchall() == [(2, 1, 2)]


def test_a_value_of_no_known_type_is_refused() -> None:
    with duckdb.connect() as connection, pytest.raises(duckdb.NotImplementedException, match="object"):
        rendered("select ?", [object()], connection)


@pytest.mark.parametrize("around", [content(cell).decode() for (cell,) in rows_of(HERE / "around.tsv")])
def test_a_reader_changes_nothing_within_another_statement(around: str) -> None:
    for (change,) in rows_of(HERE / "within.tsv"):
        for written in (change, change.upper(), change.replace(" ", "/* select */ ", 1)):
            with pytest.raises(RefusedError):
                admitted(around.format(written), "read")


# A name in quotes ends at its own quote, and odd blanks are blanks once no comment with a quote is before them.
BEHIND = (' /*"*/ ', ' /*""*/', ' --"\n', ' /* " */ /*"*/ ', ' /*a"b"*/ ')
BLANKS = ("\u00a0", "\u3000", "\u2003", "\u200b", "\ufeff")


@pytest.mark.parametrize("role", ["read", "write"])
def test_no_comment_hides_a_call(role: str) -> None:
    for name, behind in product(("query", "quack_stop", "QUACK_active_connections", "enable_logging"), BEHIND):
        with pytest.raises(RefusedError, match="is not for clients"):
            admitted(f"from \"{name}\"{behind}('a')", role)
    for comment, blank in product(("/*'*/", '/*"*/', "--'\n", "/* it's */ "), BLANKS):
        with pytest.raises(RefusedError):
            admitted(f"{comment}from range(1) t, lateral{blank}quack_stop('quack:localhost:1')", role)
        # Behind another statement's comment the blank stays a letter of a longer name, in what is run too.
        called = f"from range(1) t, lateral{blank}quack_stop('quack:localhost:1')"
        with suppress(RefusedError):
            run = admitted(f"select 1 {comment}; {called}", role)
            assert "quack_stop" not in [word.text for word in words_of(run)]
