"""Wrong arguments, lost files and a full disk end in a sentence, and no text of a file's commands the terminal."""

import errno
import os
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest

import evalsql
from evalsql import WarehouseError
from evalsql.report.page import report_data
from tests.conftest import Command, assert_refused, new_file, write
from tests.long_cases import few_of

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 2\n"
RUN = "q1 Q0 d1 1 3.0 t\nq1 Q0 d2 2 2.0 t\nq2 Q0 d3 1 1.0 t\n"


# Words for the terminal


@pytest.mark.long
def test_escape_sequences_do_not_reach_the_terminal(command: Command, tmp_path: Path) -> None:
    evil = "\x1b[31mred"
    write(tmp_path / "q.txt", QRELS + f"{evil} 0 d1 1\n")
    write(tmp_path / f"{evil}.run", RUN + f"{evil}x Q0 d1 1 1 t\n")
    new_file(tmp_path).rename(tmp_path / "evalsql.duckdb")
    for words in (
        ("eval", "q.txt", f"{evil}.run", "-m", "AP"),
        ("eval", "q.txt", f"{evil}.absent", "-m", "AP"),
        ("eval", "q.txt", f"{evil}.run", "-m", evil),
        ("load", "runs", f"{evil}.run"),
        ("sql", f"select 1 as \"{evil}\", '{evil}' as b"),
        ("sql", f"select '{evil}'::integer"),
        ("leaderboard", "--run", evil + "?"),
    ):
        outcome = command(*words)
        assert "\x1b" not in outcome.stdout + outcome.stderr
        assert r"\x1b[31mred" in outcome.stdout + outcome.stderr or words[0] == "load", words
    exact = command("sql", f'select 1 as "{evil}"', "--format", "csv")
    assert exact.stdout == f"{evil}\n1\n"


# One sentence and the right exit code


@pytest.mark.long
def test_explain_takes_options(command: Command, sample_file: Path, tmp_path: Path) -> None:
    for options in ("", "(analyze)", "(analyze, format json)"):
        told = command("sql", f"explain {options} select sum(a) from (select 1 as a)", "--db", sample_file)
        assert (told.returncode, "AGGREGATE" in told.stdout.upper()) == (0, True)
    refused = command("sql", f"explain (analyze) copy (select 1) to '{tmp_path}/x'", "--db", sample_file)
    assert_refused(refused)
    assert not (tmp_path / "x").exists()


def test_no_space_for_temporary_files(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "q.txt", QRELS)
    for code, arguments in ((errno.ENOSPC, ("eval", "q.txt", "q.txt")), (errno.EFBIG, ("load", "qrels", "q.txt"))):
        full = Mock(side_effect=OSError(code, os.strerror(code)))
        monkeypatch.setattr("evalsql.ingest.files.input_files.tempfile.TemporaryDirectory", full)
        assert_refused(command(*arguments), "no space is left for temporary files", code=3)


@pytest.mark.skipif(os.name == "nt", reason="no such paths there")
def test_some_paths_cannot_hold_a_warehouse(tmp_path: Path) -> None:
    """The engine puts the end of the log's name before a question mark, so that each change would fail."""
    (tmp_path / "who?").mkdir()
    for name, complaint in (
        ("a\0b", "cannot hold a NUL character"),
        ("which?.duckdb", "whose path has a question mark"),
        ("who?/w.duckdb", "whose path has a question mark"),
        ("a\\b.duckdb", "takes a backslash in a path for a slash"),
        (".steps.duckdb", "is the name of a schema"),
    ):
        with pytest.raises(WarehouseError, match=complaint):
            evalsql.open(f"{tmp_path}/{name}")
    assert [path.name for path in tmp_path.rglob("*")] == ["who?"]


@pytest.mark.long
@pytest.mark.parametrize("words", ["trec_eval -q -m map q.txt r.run", "eval q.txt r.run -q -m AP --format csv"])
def test_a_reader_that_has_enough_is_no_failure(tmp_path: Path, words: str) -> None:
    write(tmp_path / "q.txt", "".join(f"q{number} 0 d 1\n" for number in range(6000)))
    write(tmp_path / "r.run", "".join(f"q{number} Q0 d 1 1 t\n" for number in range(6000)))
    line = [sys.executable, "-m", "evalsql", *words.split()]
    with subprocess.Popen(line, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        told = process.stderr.read()
        assert process.wait(timeout=60) == 0
        assert b"Error" not in told
        assert words.startswith("eval") or told == b""


@pytest.mark.parametrize("words", few_of([("trec_eval", "-q", "-m", "map"), ("eval", "-m", "AP")], 1, one_value=True))
def test_standard_output_with_few_letters_has_a_table_or_says_what_to_do(tmp_path: Path, words: list[str]) -> None:
    """As Windows gives files that a shell opens; only with -q there is a topic that it cannot take."""
    write(tmp_path / "q.txt", "\u6587 0 d 1\n")
    write(tmp_path / "r.run", "\u6587 Q0 d 1 1 t\n")
    line = [sys.executable, "-m", "evalsql", *words, "q.txt", "r.run"]
    told = subprocess.run(
        line, cwd=tmp_path, capture_output=True, text=True, env={**os.environ, "PYTHONIOENCODING": "cp1252"}
    )
    if "-q" in words:
        assert told.returncode != 0
        assert told.stderr.startswith("evalsql: standard output cannot be written: ")
        assert "PYTHONIOENCODING=utf-8" in told.stderr
    else:
        assert (told.returncode, told.stdout.splitlines()[1:]) == (0, ["-" * 18, "q      r    1.0000"])


@pytest.mark.long
def test_a_report_of_too_many_runs_says_how_to_choose(
    sample_file: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    for most, named, ended in ((2, 3, 2), (3, 3, 0)):
        monkeypatch.setattr(report_data, "MOST_RUNS", most)
        outcome = command("report", "bm25", "dense", "tfidf", "-m", "AP", "--db", sample_file)
        assert outcome.returncode == ended
        assert (f"of at most 2 runs, and sample evaluates {named}: name some" in outcome.stderr) == (ended == 2)
