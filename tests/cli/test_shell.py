"""The shell: what Tab offers, a session on a terminal, statements from a pipe."""

import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from evalsql.catalog.relations import read_catalog
from evalsql.catalog.sql_text import tokens
from evalsql.cli import prompt
from evalsql.cli.sql_completion import Known, Vocabulary, complete, is_blank, known_in, split
from tests.conftest import Command, assert_refused, csv_rows, new_file, write
from tests.long_cases import few_of, rows_of
from tests.pseudo_terminal import Terminal

PROMPT = "evalsql>"
VOCABULARY = Vocabulary(
    {"notes": Known("made here", ["author", "text"]), **known_in(read_catalog())},
    {".format": ["csv", "json"], ".help": (), ".measures": ["AP", "nDCG"]},
)


def offered(text: str) -> list[str]:
    return [choice.text for choice in complete(text, VOCABULARY)]


# Completion


def test_what_can_follow() -> None:
    for text, expected in rows_of(Path(__file__).with_name("offered.tsv")):
        assert "|".join(offered(text)) == expected, text
    # A choice takes the place of what was typed.
    assert {choice.length for choice in complete("from nd", VOCABULARY)} == {2}
    (parameter,) = complete("from ndcg(k := 10, d", VOCABULARY)
    assert (parameter.length, parameter.meaning.startswith("varchar = 'log2': gain by grade")) == (1, True)


def test_every_relation_and_parameter_is_offered() -> None:
    everything, steps = offered("from "), offered("from steps.")
    assert "steps." in everything
    for relation in read_catalog().build_order():
        if relation.is_function or set(relation.header.inputs) - {"mean_values", "tied_means"}:
            continue
        called = f"{relation.name}(" if relation.parameters else relation.name
        assert called in (steps if relation.kind == "steps" else everything)
        assert relation.kind != "steps" or relation.name not in everything
        expected = [f"{parameter.name} := " for parameter in relation.parameters]
        schema = "steps." if relation.kind == "steps" else ""
        assert offered(f"from {schema}{relation.name}(") == expected or not expected


# Statements


# What is typed, the statements that are whole, and the rest.
STATEMENTS: list[tuple[str, list[str], str]] = [
    ("select 1", [], "select 1"),
    ("select 1; select 2;", ["select 1;", "select 2;"], ""),
    ("select ';' as \";\" -- ;\n; x", ["select ';' as \";\" -- ;\n;"], " x"),
    ("/* ; /* ; */ ; */ select 1;", ["/* ; /* ; */ ; */ select 1;"], ""),
    ("select $a$ ; $$ ; $a$; ;", ["select $a$ ; $$ ; $a$;"], ""),
    ("select e'\\';';", ["select e'\\';';"], ""),
    ("select 'a;", [], "select 'a;"),
    ("select $$ a;", [], "select $$ a;"),
    ("; ;\n-- only a word\n;", [], ""),
]


def test_statements_end_with_semicolons() -> None:
    for text, statements, rest in STATEMENTS:
        assert split(text) == (statements, rest)


def test_tokens_leave_nothing_out() -> None:
    text = "select 'a''b', \"c d\", e'\\'' /* x */ from f(k := 1.5e3) -- end"
    assert "".join(token.text for token in tokens(text)).replace(" ", "") == text.replace(" ", "")
    assert is_blank(" -- a\n ; /* b */")
    assert not is_blank("x")


# On a terminal


@pytest.fixture
def shell(sample_file: Path, tmp_path: Path) -> Iterator[Terminal]:
    if sys.platform == "win32":
        pytest.skip("no pseudo terminals")
    with Terminal("shell", "--db", sample_file, columns=120, XDG_DATA_HOME=str(tmp_path)) as running:
        told = running.until("commands.")  # folded where the path is long
        assert " ".join(told.split()).endswith("Statements end with ; and .help shows commands.")
        running.until(PROMPT)
        yield running


def asked(shell: Terminal, text: str, answer: str) -> None:
    """Type a line, and wait for its answer and the next prompt."""
    shell.send(text + "\r")
    shell.until(answer)
    shell.until(PROMPT)


def test_a_session(shell: Terminal, tmp_path: Path) -> None:
    shell.send("select count(*) + 900 as num_runs from tie_eff\t")
    shell.until("tie_effects")
    shell.send("\r")
    shell.until("...>")
    asked(shell, "where measure = 'AP';", "908\n")
    asked(shell, "selekt 1;", "evalsql: Parser Error")
    asked(shell, "delete from runs;", "--write allows statements that change the warehouse")
    shell.send(".format csv\r")
    shell.until(PROMPT)
    asked(shell, "select 1 as a, 'x' as b;", "a,b\n1,x\n")
    asked(shell, ".nothing", "unknown command .nothing; there are: .help")
    asked(shell, "select 3 as c; select 4 as d;", "c\n3\nd\n4\n")
    shell.send(".format table\r")
    shell.until(PROMPT)
    shell.send("from range(1000);\r")
    assert "\n  200\n" not in shell.until("the first 200 rows are shown; --limit 0, or .all in the shell, shows all")
    shell.until(PROMPT)
    shell.send(".all\r")
    shell.until(PROMPT)
    asked(shell, "from range(1000);", "\n  999\n")
    shell.send("exit\r")
    shell.to_the_end()
    assert shell.process.returncode == 0
    kept = (tmp_path / "evalsql" / "history").read_text(encoding="utf-8")
    assert "+select count(*) + 900 as num_runs from tie_effects\n+where measure = 'AP';" in kept


def test_ctrl_c_drops_the_line_or_stops_what_runs_and_ctrl_d_ends(shell: Terminal) -> None:
    shell.send("select nonsense")
    shell.until("nonsense")
    shell.send("\x03")
    shell.until(PROMPT)
    asked(shell, "select 42 as answer;", "\n    42\n")
    shell.send("select sum(a.range * b.range % 7) from range(10000000) as a, range(10000000) as b;\r")
    shell.until_keys_are_signals()
    time.sleep(0.4)  # the query is on its way
    shell.send("\x03")
    shell.until("evalsql: interrupted", seconds=20)
    shell.until(PROMPT)
    asked(shell, "select 43 as answer;", "\n    43\n")
    shell.send("\x04")
    shell.to_the_end()
    assert shell.process.returncode == 0


def test_a_history_that_cannot_be_kept_is_no_obstacle(sample_file: Path, tmp_path: Path) -> None:
    (tmp_path / "evalsql").write_text("in the way")
    with Terminal("shell", "--db", sample_file, XDG_DATA_HOME=str(tmp_path)) as running:
        assert "what is typed is not kept" in running.until(PROMPT)
        running.send("\x04")
        running.to_the_end()
        assert running.process.returncode == 0


@pytest.mark.parametrize("before", [None, 0o644])
def test_nobody_else_reads_what_was_typed(before: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    history = tmp_path / "evalsql" / "history"
    if before:
        write(history, "").chmod(before)
    prompt._history()
    assert history.stat().st_mode & 0o777 == 0o600


def test_tab_offers_no_name_that_turns_the_line_around_or_ends_it() -> None:
    names = ["turned", "turned \u202e txt", "turned\nselect 1;", "turned \x1b[2J"]
    completer = prompt._Completer(lambda: Vocabulary({name: Known("made here") for name in names}))
    found = completer.get_completions(Document("from tur"), CompleteEvent())
    assert [each.text for each in found] == ["turned"]


def test_tab_writes_names_that_are_no_word_in_quotes() -> None:
    """A stranger's table would be a statement of its own in the line."""
    known = {"turn; drop table runs": Known("made here"), 'tu"rn': Known("made here"), "t": Known("", ['a" b', "c"])}
    found = [choice.text for choice in complete("from tu", Vocabulary(known))]
    assert found == ['"tu""rn"', '"turn; drop table runs"']
    assert [choice.text for choice in complete("from t select t.", Vocabulary(known))] == ['"a"" b"', "c"]


# From a pipe


def test_a_script_runs_to_its_end(sample_file: Path, command: Command) -> None:
    script = "-- how many\nselect count(*) as n from runs;\n.format csv\nselect 1 as a,\n  ';' as b; select 2 as c"
    outcome = command("shell", "--db", sample_file, stdin=script)
    assert outcome.returncode == 0
    assert outcome.stderr == ""
    assert outcome.stdout == "n\n─\n8\na,b\n1,;\nc\n2\n"


def test_a_script_stops_at_the_first_error(sample_file: Path, command: Command) -> None:
    outcome = command("shell", "--db", sample_file, stdin="select 1 as a; selekt 2; select 3 as c;")
    assert outcome.returncode == command("sql", "selekt 2", "--db", sample_file).returncode == 2
    assert outcome.stdout == "a\n─\n1\n"
    assert "Parser Error" in outcome.stderr
    assert command("shell", "--db", sample_file, stdin=".format xml\n").returncode == 2
    assert command("shell", "--db", sample_file.parent / "none.duckdb", stdin="select 1").returncode == 3


def test_reading_only_unless_told_otherwise(tmp_path: Path, sample_file: Path, command: Command) -> None:
    copy = new_file(tmp_path, sample_file)
    outcome = command("shell", "--db", copy, stdin="create table notes as select 1 as a;")
    assert_refused(outcome, "--write allows statements that change the warehouse")
    script = "create table notes as select 1 as a; insert into notes values (2); select sum(a) as s from notes;"
    assert command("shell", "--write", "--db", copy, stdin=script).stdout.endswith("s\n─\n3\n")
    written = tmp_path / "out.csv"
    for options, code in (((), 2), (("--external",), 0)):
        outcome = command("shell", *options, "--db", copy, stdin=f"copy (select 1) to '{written}';")
        assert (outcome.returncode, written.exists()) == (code, code == 0)


def test_commands(sample_file: Path, command: Command) -> None:
    script = "help;\n.digits 2\nselect 0.123::double as x;\n.format csv\n.tables pr_*\n.measures\n Exit\nselect 1;\n"
    outcome = command("shell", "--db", sample_file, stdin=script)
    assert outcome.returncode == 0
    assert ".measures [NAME]" in outcome.stdout
    assert "\n0.12\n" in outcome.stdout
    _, _, listed = outcome.stdout.partition("relation,kind,title\n")
    tables, _, measures = listed.partition("measure,")
    names = [line.partition(",")[0] for line in tables.splitlines()]
    assert names == ["pr_curve", "pr_curve_mean", "pr_curve_topics"]
    assert len(csv_rows("measure," + measures)) == len(read_catalog().measures)
    page = command("shell", "--db", sample_file, stdin=".measures rr\n.tables\n")
    assert "Reciprocal rank of the first relevant document" in page.stdout
    assert "comparisons" in page.stdout
    assert "measures and steps of measures: .measures, or .tables *" in page.stderr


@pytest.mark.parametrize("form", few_of(["table", "csv", "tsv", "jsonl"], 1))
def test_rows_come_before_all_are_there(sample_file: Path, form: str) -> None:
    query = "select range as a, 'x' as b from range(1000000000000)"
    words = [sys.executable, "-m", "evalsql", "sql", query, "--db", str(sample_file), "--format", form]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        lines = [running.stdout.readline() for _ in range(25_000)]
        running.stdout.close()  # as head does
        assert running.wait(timeout=20) == 0
    numbers = [int(found[0]) for line in lines if (found := re.search("[0-9]+", line))]
    assert numbers == list(range(len(numbers)))
    assert len(numbers) >= 25_000 - 2  # a heading and a line below it


@pytest.mark.parametrize("seconds", few_of([0.3, 0.05, 1], 1))
def test_ctrl_c_stops_a_query_of_a_program(seconds: float) -> None:
    """Whichever of the engine's threads has the work."""
    program = """
import evalsql
warehouse = evalsql.open(":memory:")
try:
    print("asks", flush=True)
    warehouse.rows("select sum(a.range * b.range % 7) from range(10000000) as a, range(10000000) as b")
except KeyboardInterrupt:
    print(warehouse.rows("select 42"))
warehouse.close()
"""
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "asks\n"
        time.sleep(seconds)
        running.send_signal(signal.SIGINT)
        try:
            assert running.communicate(timeout=20) == ("[(42,)]\n", "")
        finally:
            running.kill()
