"""Options that all commands spell in the same way, and what people type in their place."""

import io
import json
import shlex
import sys
from pathlib import Path
from typing import get_args

import pytest

from evalsql.cli import output
from evalsql.cli.compare import Correction, Test
from evalsql.cli.declare import meant_word
from evalsql.cli.output import Format
from tests.conftest import Command, own_measure
from tests.long_cases import few_of, rows_of


@pytest.mark.parametrize(("typed", "meant", "said"), few_of(rows_of(Path(__file__).with_name("meant.tsv")), 2))
def test_old_names_and_other_spellings_mean_the_same(
    command: Command, sample_file: Path, tmp_path: Path, typed: str, meant: str, said: str
) -> None:
    own_measure(tmp_path / "half.sql", "Half", "select qrels, run, topic, value / 2 as value from ap")
    before, now = (command(*shlex.split(words), "--db", sample_file) for words in (typed, meant))
    assert now.returncode == before.returncode == meant.startswith("ties"), now.stderr + before.stderr
    assert before.stdout == now.stdout != ""
    assert before.stderr == (f"{said}\n" if said else "") + now.stderr


@pytest.mark.long
def test_runs_are_arguments(command: Command, sample_file: Path, tmp_path: Path) -> None:
    """Names and globs; --run is what some commands had."""
    asked = ("-m", "AP", "--db", sample_file)
    every, some = (
        json.loads(command("leaderboard", *asked, "--format", "json", *runs).stdout)
        for runs in ((), ("rerank-*", "bm25"))
    )
    chosen = {"rerank-large", "rerank-small", "bm25"}
    assert some == [row for row in every if row["run"] in chosen]
    assert (len(some), len(every)) == (3, 8)
    done = command("report", "rerank-*", "--run", "bm25", "-o", "report.json", *asked)
    assert (done.returncode, done.stderr) == (0, "wrote report.json\n")
    assert command("chart", "leaderboard", "-o", "board.svg", *asked).stderr.endswith("wrote board.svg\n")
    assert {row["run"] for row in json.loads((tmp_path / "report.json").read_text())["leaderboard"]} == chosen


def test_help_shows_the_names_of_now(command: Command) -> None:
    for name in ("eval", "leaderboard", "topics", "compare", "explain", "report", "chart", "sql", "shell"):
        shown = command(name, "--help").stdout
        assert "--measure-file PATH" in shown, name
        assert "--measures" not in shown, name
        assert name != "leaderboard" or ("--run" not in shown and "md" not in shown)
    assert "--run" not in command("curve", "--help").stdout
    assert "\n  ties " in command("--help").stdout


@pytest.mark.long
def test_quiet_leaves_out_notes_and_no_error(command: Command, sample_file: Path, tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("1 0 a 1\n")
    (tmp_path / "r.run").write_text("1 Q0 a 1 1.00000000001 x\n1 Q0 b 2 1.00000000002 x\n")
    for words in (("leaderboard", "--db", sample_file), ("eval", "q.txt", "r.run")):
        full, quiet = command(*words), command(*words, "--quiet")
        assert full.stderr
        assert (quiet.stdout, quiet.stderr) == (full.stdout, "")
    assert "unknown measure" in command("leaderboard", "-m", "none", "--quiet", "--db", sample_file).stderr


def test_h_is_help(command: Command) -> None:
    for name in ((), ("load",), ("load", "runs"), ("leaderboard",), ("compare",), ("shell",)):
        short, long = command(*name, "-h"), command(*name, "--help")
        assert (short.returncode, short.stdout) == (0, long.stdout)
        assert "Usage: " in short.stdout
    assert command("--version").stdout.startswith("evalsql ")


def test_h_of_trec_eval_is_its_own(command: Command) -> None:
    assert command("trec_eval", "-h", "-m", "map").stdout == command("measures", "AP").stdout + "\n"


WORDS = {
    **{"format": get_args(Format), "test": get_args(Test), "correction": get_args(Correction)},
    "intervals": ("t", "percentile", "bca"),
}


@pytest.mark.parametrize(("option", "word", "typed"), rows_of(Path(__file__).with_name("spelled.tsv")))
def test_words_as_people_type_them(option: str, word: str, typed: str) -> None:
    assert {meant_word(each, WORDS[option]) for each in (word, *typed.split())} == {word}
    assert meant_word("nosuch", WORDS[option]) is None


def test_spellings_are_taken_by_the_shell(command: Command, sample_file: Path) -> None:
    lines = ".format Markdown\nselect 1 as one;\n"
    assert command("shell", "--db", sample_file, stdin=lines).stdout == "| one |\n| ---: |\n| 1 |\n"


def test_work_has_a_bar_on_a_terminal_once_it_takes_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    for patience, is_drawn in ((1000, False), (-1, True)):
        screen = io.StringIO()
        monkeypatch.setattr(screen, "isatty", lambda: True)
        monkeypatch.setattr(sys, "stderr", screen)
        monkeypatch.setattr(output, "_PATIENCE", patience)
        with output.progress_bar() as progress:
            progress("reading", 1, 2)
        assert ("reading" in screen.getvalue()) == is_drawn
