"""Options that all commands spell in the same way, and what people type in their place."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import pytest

from evalsql.cli.compare import Correction, Test
from evalsql.cli.declare import meant_word
from evalsql.cli.output import Format
from tests.conftest import Command, own_measure

FORMATS = get_args(Format)


def test_the_old_name_of_measure_file_works_with_a_note(command: Command, sample_file: Path, tmp_path: Path) -> None:
    own = own_measure(tmp_path / "half.sql", "Half", "select qrels, run, topic, value / 2 as value from ap")
    asked = ("leaderboard", "-m", "Half", "--db", sample_file)
    now, before = command(*asked, "--measure-file", own), command(*asked, "--measures", own)
    assert (now.returncode, before.returncode) == (0, 0), now.stderr + before.stderr
    assert "Half" in now.stdout
    assert before.stdout == now.stdout
    assert before.stderr.splitlines() == ["--measures is now called --measure-file", *now.stderr.splitlines()]


def test_help_shows_the_new_name_only(command: Command) -> None:
    for name in ("eval", "leaderboard", "topics", "compare", "explain", "report", "chart", "check", "sql", "shell"):
        shown = command(name, "--help").stdout
        assert "--measure-file PATH" in shown, name
        assert "--measures" not in shown, name


def test_check_ties_is_the_old_name_of_ties(command: Command, sample_file: Path) -> None:
    asked = ("-m", "RR", "--db", sample_file, "--format", "csv")
    now, before = command("ties", *asked), command("check", "--ties", *asked)
    assert now.returncode == before.returncode == 1
    assert before.stdout == now.stdout
    assert before.stderr == "evalsql check --ties is now called evalsql ties\n" + now.stderr
    assert "\n  ties " in command("--help").stdout


@pytest.mark.parametrize(
    ("asked", "old"),
    [
        (("leaderboard", "-m", "AP"), ("--run", "rerank-*", "--run", "bm25")),
        (("curve", "pr"), ("rerank-*", "--run", "bm25")),
    ],
)
def test_runs_are_arguments(command: Command, sample_file: Path, asked: tuple[str, ...], old: tuple[str, ...]) -> None:
    """Names and globs; --run is what some commands had."""
    asked = (*asked, "--db", str(sample_file), "--format", "json")
    every, some = json.loads(command(*asked).stdout), command(*asked, "rerank-*", "bm25")
    assert len({row["run"] for row in every}) == 8
    expected = [row for row in every if row["run"] in ("rerank-large", "rerank-small", "bm25")]
    assert json.loads(some.stdout) == expected
    assert command(*asked, *old).stdout == some.stdout
    assert "--run" not in command(asked[0], "--help").stdout


def test_runs_of_a_report_are_arguments(command: Command, sample_file: Path, tmp_path: Path) -> None:
    done = command("report", "rerank-*", "--run", "bm25", "-m", "AP", "-o", "report.json", "--db", sample_file)
    assert done.returncode == 0, done.stderr
    board = json.loads((tmp_path / "report.json").read_text())["leaderboard"]
    assert {row["run"] for row in board} == {"rerank-large", "rerank-small", "bm25"}


def test_h_is_help(command: Command) -> None:
    for name in ((), ("load",), ("load", "runs"), ("leaderboard",), ("compare",), ("shell",)):
        short, long = command(*name, "-h"), command(*name, "--help")
        assert (short.returncode, short.stdout) == (0, long.stdout)
        assert "Usage: " in short.stdout
    assert command("--version").stdout.startswith("evalsql ")


def test_h_of_trec_eval_is_its_own(command: Command) -> None:
    assert command("trec_eval", "-h", "-m", "map").stdout == command("measures", "AP").stdout + "\n"


SPELLINGS: list[tuple[Sequence[str], dict[str, str]]] = [
    (FORMATS, {"markdown": "md MD Markdown", "latex": "tex", "jsonl": "ndjson"}),
    (
        get_args(Test),
        {
            **{"t": "ttest t-test T-Test T student", "wilcoxon": "Wilcoxon WILCOXON wilcoxon-signed-rank"},
            **{"randomisation": "randomization permutation", "tukey": "HSD Tukey_HSD"},
        },
    ),
    (
        get_args(Correction),
        {
            "benjamini_hochberg": "bh BH fdr fdr_bh benjamini-hochberg",
            **{"benjamini_yekutieli": "by fdr_by", "bonferroni": "Bonferroni bonf"},
        },
    ),
    (("t", "percentile", "bca"), {"bca": "BCa"}),
]


def test_words_as_people_type_them() -> None:
    for words, spellings in SPELLINGS:
        for word, typed in spellings.items():
            assert {meant_word(each, words) for each in (word, *typed.split())} == {word}
        assert meant_word("nosuch", words) is None


def test_spellings_are_those_of_the_option_they_are_typed_for(command: Command, sample_file: Path) -> None:
    board = ("leaderboard", "-m", "AP", "--db", sample_file, "--format")
    assert command(*board, "MD").stdout == command(*board, "markdown").stdout != ""
    assert "md" not in command("leaderboard", "--help").stdout
    lines = ".format Markdown\nselect 1 as one;\n"
    assert command("shell", "--db", sample_file, stdin=lines).stdout == "| one |\n| ---: |\n| 1 |\n"
    pairs = ("compare", "bm25", "-m", "AP", "--samples", "50", "--format", "csv", "--db", sample_file)
    typed = command(*pairs, "--test", "HSD", "--correction", "fdr_by", "--intervals", "BCa")
    meant = command(*pairs, "--test", "tukey", "--correction", "benjamini_yekutieli", "--intervals", "bca")
    assert (typed.returncode, typed.stdout, typed.stderr) == (0, meant.stdout, meant.stderr)
