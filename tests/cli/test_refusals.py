"""What is refused: with which exit code, and in which words; nothing goes to standard output then."""

import shlex
import shutil
from itertools import product
from pathlib import Path

import duckdb
import pytest

import evalsql
from evalsql import EvalsqlError, UsageError
from evalsql.cli.options import Statements
from evalsql.warehouse.writer import Writer
from tests.conftest import SAMPLE, Command, assert_refused, new_file, write
from tests.long_cases import one_in, rows_of

QRELS, RUN = SAMPLE / "qrels.txt", SAMPLE / "runs" / "dense.run"
FILES = {
    "q.txt": "t1 0 a 1\nt1 0 b 0\n",
    "a.run": "t1 Q0 a 1 2 x\nt1 Q0 b 2 1 x\n",
    "own.csv": "topic,words\nT01,3\n",
    "lead.sql": "-- measure: Lead\n-- title: L\n-- definition: AP\n-- range: 0 1\n-- mean: arithmetic\nfrom ap",
}
REFUSED = rows_of(Path(__file__).with_name("refused.tsv"))


@pytest.mark.parametrize(("words", "complaint"), one_in(4, REFUSED), ids=[words for words, _ in REFUSED])
def test_what_is_refused_is_told_in_plain_words(
    command: Command, sample_file: Path, tmp_path: Path, words: str, complaint: str
) -> None:
    for name, text in FILES.items():
        write(tmp_path / name, text)
    places = {"{sample}": sample_file, "{qrels}": QRELS, "{run}": RUN}
    refused = command(*(places.get(word, word) for word in shlex.split(words)))
    assert_refused(refused, complaint)
    marked = [line for line in refused.stderr.splitlines() if line.startswith("Error: ")]
    assert not marked or [complaint in line for line in marked] == [True]
    for word in ("Value error", "pydantic", "Literal"):
        assert word not in refused.stderr


@pytest.mark.long
def test_advice_is_given_only_where_it_fits(command: Command, tmp_path: Path) -> None:
    qrels, run = write(tmp_path / "q.txt", FILES["q.txt"]), write(tmp_path / "a.run", FILES["a.run"])
    assert "judgments come before runs" not in command("eval", write(tmp_path / "bad.txt", "t1 0 a\n"), run).stderr
    assert "-m" not in command("eval", qrels, tmp_path / "b.run").stderr
    assert_refused(command("leaderboard"), "evalsql.duckdb: no such file", code=3)
    new_file(tmp_path).rename(tmp_path / "evalsql.duckdb")
    command("load", "qrels", qrels)
    empty = command("leaderboard", "-m", "AP")
    assert empty.stdout.split()[:3] == ["qrels", "run", "AP"]
    assert "evalsql load runs FILE brings one" in empty.stderr
    command("load", "runs", run)
    assert "evalsql load runs" not in command("leaderboard", "-m", "AP").stderr


def test_refused_input_lists_its_lines(command: Command, tmp_path: Path) -> None:
    bad = write(tmp_path / "bad.run", "T01 Q0 d1 1 x tag\nT01 Q0 d1 2\n")
    outcome = command("eval", QRELS, bad)
    assert outcome.returncode == 2
    assert outcome.stderr.splitlines() == [
        f'evalsql: {bad}:1: score "x" is not a number',
        f"{bad}:2: 4 columns, expected 5 or 6: topic Q0 document rank score [tag]",
        "nothing was loaded",
    ]


def test_sql_cannot_leave_the_warehouse(command: Command, sample_file: Path, tmp_path: Path) -> None:
    before = sample_file.read_bytes()
    copy = f"copy (select 1) to '{sample_file}' (use_tmp_file false)"
    with Statements(db=str(sample_file), measure_file=[], measures=[]).open_for_sql() as warehouse:
        for query in (
            *("create table mine (x integer)", "delete from runs", "drop view ap", "copy runs to 'runs.csv'"),
            *("from read_csv('/etc/passwd')", "from '/etc/passwd'", "from read_text('/etc/passwd')", "from glob('/*')"),
            *("attach 'other.duckdb'", "install fts", "load fts", "export database 'folder'", "from query"),
            *("set enable_external_access = true", "set lock_configuration = false"),
            *(copy, f"copy (select 1) to '{sample_file}.wal'", f"select 1; copy (select 1) to '{sample_file}'"),
            *(f"explain analyze {copy}", f"/* */ explain analyze {copy}", f"prepare p as {copy}; execute p"),
        ):
            with pytest.raises(EvalsqlError) as refused:
                Writer(warehouse.database, external=False).run(query)
            assert refused.value.exit_code == 2, query
    assert_refused(command("sql", "copy runs to 'runs.csv'", "--db", sample_file))
    assert sample_file.read_bytes() == before
    assert list(tmp_path.iterdir()) == []


# DuckDB 1.5 logs and profiles by them under locked settings: to standard output, or so that the process ends.
CALLED = (
    *("enable_logging", "disable_logging", "enable_profiling", "disable_profiling", "truncate_duckdb_logs"),
    *("pandas_scan", "arrow_scan", "arrow_scan_dumb", "python_map_function"),  # they take an address of memory
    *("finalize", "combine"),  # so do they, in a state
)
CALLS = (
    *("from {}()", 'from "{}"()', "from system.main.{} /* ( */ ()", "from {} -- (\n ()", "from {}\u00a0()"),
    *('from "{}"\u3000()', "select (select count(*) from {}())", "with x as (from {}()) from x", "select 'a'.{}()"),
    *("explain analyze from {}()", "describe from {}()", "summarize from {}()", "from runs, lateral (from {}())"),
    *(
        "create temp view x as from {}()",
        "create temp macro x() as table from {}()",
        "create temp table x as from {}()",
    ),
    *("insert into files select * from {}()", "delete from runs where run_id in (from {}())", "select 1; from {}()"),
    *("from query('from {}()')", "from query('from query(''from {}()'')')", "from query(e'from {}()')"),
    *(
        "from query('from {}' || '()')",
        "from \"query\"('from {}'\n'()')",
        "from system.main.QUERY /* */ ($$from {}()$$)",
    ),
    *("set variable x = 'from {}()'; from query(getvariable('x'))", "from query(query := 'from {}()')"),
    *("create temp macro x(a) as table from query(a); from x('from {}()')", "from query(concat('from {}', '()'))"),
    "from json_execute_serialized_sql(json_serialize_sql('from {}()'))",
)


@pytest.mark.parametrize("read_only", [True, False])
def test_no_call_logs_or_profiles_however_it_is_written(sample_file: Path, read_only: bool, tmp_path: Path) -> None:
    path = Path(shutil.copy(sample_file, tmp_path / "w.duckdb"))
    with Statements(db=str(path), measure_file=[], measures=[], write=not read_only).open_for_sql() as warehouse:
        writer = Writer(warehouse.database, external=False)
        for form, name in product(CALLS, CALLED):
            for text in (form.format(name), form.format(name.upper())):
                with pytest.raises(EvalsqlError, match=r"not allowed here|[Pp]arser [Ee]rror|syntax error"):
                    writer.run(text)
        with pytest.raises(UsageError, match=r"^query\(\) of text that is not one string is not allowed here; "):
            writer.run("from query('from ' || 'ap')")
        assert warehouse.rows("select current_setting('enable_logging')") == [(False,)]
        # Names are no calls, and what a query is given is looked at.
        for text in (
            "from query('from ap')",
            "from query_table('ap')",
            "select 'enable_logging()' as query -- query(a)",
        ):
            assert writer.run(text)[1], text


@pytest.mark.parametrize("called", ["enable_logging('QueryLog', storage_path := 'x.csv')", "enable_profiling()"])
def test_no_view_of_a_file_logs_or_profiles(sample_file: Path, tmp_path: Path, command: Command, called: str) -> None:
    """DuckDB 1.5 let it, and its process ended in the middle of what came next."""
    path = shutil.copy(sample_file, tmp_path / "w.duckdb")
    with duckdb.connect(path) as connection:
        connection.execute(f"create view board as from {called}; create view v as from board")
    outcome = command("sql", "from v", "--db", path)
    assert (outcome.returncode in (2, 3), outcome.stdout, "Traceback" in outcome.stderr) == (True, "", False)


def test_equals_that_name_no_parameter_are_let_through(command: Command, sample_file: Path) -> None:
    query = "from p(k => 5); from p(k := 5) where (run = 'bm25'); select 'p(k = 5)' -- p(k = 5)\n; from p((5))"
    answer = command("sql", query, "--db", sample_file)
    assert answer.returncode == 0, answer.stderr
    refused = command("shell", "--db", sample_file, stdin="from p(k = 5)")
    assert "as in p(k := ...)" in refused.stderr


def test_where_only_some_names_are_listed_dots_say_so(empty: evalsql.Warehouse) -> None:
    empty.load_qrels({"t": {"a": 1}}, "q")
    for at in range(7):
        empty.load_run({"t": {"a": 1.0}}, f"run{at}")
    with pytest.raises(UsageError, match=r"there are: run0, run1, run2, run3, run4, [.]{3}$"):
        empty.leaderboard(runs="zzz", measures="AP")
