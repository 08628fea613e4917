"""Options that all commands spell in the same way, and what people type in their place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Command, write

HALF = """\
-- measure: Half
-- title: Half of the average precision
-- definition: AP / 2
-- range: 0 1
-- mean: arithmetic
select qrels, run, topic, value / 2 as value from ap
"""


@pytest.mark.parametrize("others", [(), ("--format", "csv")])
def test_the_old_name_of_measure_file_works_with_a_note(
    command: Command, sample_file: Path, tmp_path: Path, others: tuple[str, ...]
) -> None:
    own = write(tmp_path / "half.sql", HALF)
    asked = ("leaderboard", "-m", "Half", "--db", sample_file, *others)
    now = command(*asked, "--measure-file", own)
    before = command(*asked, "--measures", own)
    assert (now.returncode, before.returncode) == (0, 0), now.stderr + before.stderr
    assert before.stdout == now.stdout
    assert "Half" in now.stdout
    assert before.stderr.splitlines() == ["--measures is now called --measure-file", *now.stderr.splitlines()]


@pytest.mark.parametrize(
    "name", ["eval", "leaderboard", "topics", "compare", "explain", "report", "chart", "check", "sql", "shell"]
)
def test_help_shows_the_new_name_only(command: Command, name: str) -> None:
    shown = command(name, "--help").stdout
    assert "--measure-file PATH" in shown
    assert "--measures" not in shown


def test_check_ties_is_the_old_name_of_ties(command: Command, sample_file: Path) -> None:
    asked = ("-m", "RR", "--db", sample_file, "--format", "csv")
    now, before = command("ties", *asked), command("check", "--ties", *asked)
    assert now.returncode == before.returncode == 1
    assert before.stdout == now.stdout
    assert before.stderr == "evalsql check --ties is now called evalsql ties\n" + now.stderr
    assert "\n  ties " in command("--help").stdout
    bare = command("check", "-m", "RR")
    assert (bare.returncode, bare.stdout) == (2, "")
    assert "evalsql ties" in bare.stderr


@pytest.mark.parametrize("asked", [("leaderboard",), ("topics",), ("ties",), ("curve", "pr")])
def test_runs_are_arguments(command: Command, sample_file: Path, asked: tuple[object, ...]) -> None:
    """Names and globs; --run is what some commands had."""
    asked = (*asked, "--db", sample_file, "--format", "json")
    asked = (*asked, "-m", "AP") if "curve" not in asked else asked
    every, some = json.loads(command(*asked).stdout), command(*asked, "rerank-*", "bm25")
    assert len({row["run"] for row in every}) == 8
    expected = [row for row in every if row["run"] in ("rerank-large", "rerank-small", "bm25")]
    assert json.loads(some.stdout) == expected
    for old in (("--run", "rerank-*", "--run", "bm25"), ("rerank-*", "--run", "bm25")):
        assert command(*asked, *old).stdout == some.stdout
    assert "--run" not in command(asked[0], "--help").stdout


def test_runs_of_a_report_are_arguments(command: Command, sample_file: Path, tmp_path: Path) -> None:
    for number, runs in enumerate([("rerank-*", "bm25"), ("--run", "rerank-*", "--run", "bm25")]):
        done = command("report", *runs, "-m", "AP", "-o", f"{number}.json", "--db", sample_file)
        assert done.returncode == 0, done.stderr
    first, second = (json.loads((tmp_path / f"{number}.json").read_text()) for number in range(2))
    assert {row["run"] for row in first["leaderboard"]} == {"rerank-large", "rerank-small", "bm25"}
    assert first["leaderboard"] == second["leaderboard"]


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        (("report", "-o", "r.md", "--qrels", "a", "--qrels", "b"), "--qrels is given 2 times"),
        (("chart", "roc", "-o", "r.svg", "--qrels", "a", "--qrels", "b"), "--qrels is given 2 times"),
        (("explain", "bm25", "T01", "--qrels", "a", "--qrels", "b"), "--qrels is given 2 times"),
        (("explain", "bm25", "T01", "-m", "AP", "-m", "RR"), "-m is given 2 times"),
    ],
)
def test_what_takes_one_refuses_two(
    command: Command, sample_file: Path, asked: tuple[str, ...], complaint: str
) -> None:
    refused = command(*asked, "--db", sample_file)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert complaint in refused.stderr


@pytest.mark.parametrize("name", [(), ("load",), ("load", "runs"), ("leaderboard",), ("compare",), ("shell",)])
def test_h_is_help(command: Command, name: tuple[str, ...]) -> None:
    short, long = command(*name, "-h"), command(*name, "--help")
    assert short.returncode == 0
    assert short.stdout == long.stdout
    assert "Usage: " in short.stdout


def test_h_of_trec_eval_is_its_own(command: Command) -> None:
    assert command("trec_eval", "-h", "-m", "map").stdout == command("measures", "AP").stdout + "\n"


@pytest.mark.parametrize("typed", ["md", "MD", "Markdown"])
def test_formats_as_people_type_them(command: Command, sample_file: Path, typed: str) -> None:
    asked = ("leaderboard", "-m", "AP,nDCG@10", "--db", sample_file, "--format")
    assert command(*asked, typed).stdout == command(*asked, "markdown").stdout
    assert command(*asked, "tex").stdout == command(*asked, "latex").stdout != ""
    assert "md" not in command("leaderboard", "--help").stdout
    lines = f".format {typed}\nselect 1 as one;\n"
    assert command("shell", "--db", sample_file, stdin=lines).stdout == "| one |\n| ---: |\n| 1 |\n"


@pytest.mark.parametrize(
    ("canonical", "typed"),
    [
        (("--test", "t"), ("ttest", "t-test", "T-Test", "T", "student")),
        (("--test", "wilcoxon"), ("Wilcoxon", "WILCOXON", "wilcoxon-signed-rank")),
        (("--test", "randomisation"), ("randomization", "permutation")),
        (("--test", "tukey"), ("HSD", "Tukey_HSD")),
        (("--correction", "benjamini_hochberg"), ("bh", "BH", "fdr", "fdr_bh", "benjamini-hochberg")),
        (("--correction", "benjamini_yekutieli"), ("by", "fdr_by")),
        (("--correction", "bonferroni"), ("Bonferroni", "bonf")),
        (("--intervals", "bca"), ("BCa",)),
    ],
)
def test_statistics_as_people_type_them(
    command: Command, sample_file: Path, canonical: tuple[str, str], typed: tuple[str, ...]
) -> None:
    asked = ("compare", "bm25", "-m", "AP", "--samples", "50", "--format", "csv", "--db", sample_file)
    option, word = canonical
    expected = command(*asked, option, word)
    assert expected.returncode == 0
    for other in typed:
        found = command(*asked, option, other)
        assert (found.stdout, found.stderr) == (expected.stdout, expected.stderr), found.stderr


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        (("leaderboard", "--format", "xls"), '"xls" is none of table, csv, tsv, json, jsonl, markdown, latex'),
        (("compare", "a", "--test", "anova"), '"anova" is none of t, wilcoxon,'),
        (("ls", "--digits", "x"), "'--digits': \"x\": Input should be a valid integer"),
        (("ls", "--digits", "18"), '"18": Input should be less than or equal to 17'),
        (("explain", "a", "b", "--depth", "0"), '"0": Input should be greater than or equal to 1'),
        (("compare", "a", "--alpha", "x"), '"x": Input should be a valid number'),
        (("compare", "a", "--alpha", "nan"), '"nan": Input should be'),
        (("compare", "a", "--alpha", "1.5"), '"1.5": Input should be less than or equal to 1'),
        (("chart", "pie", "-o", "x.svg"), '"pie" is none of agreement, '),
        (("compare",), "Missing argument 'base'"),
        (("load", "runs"), "Missing argument 'files'"),
        (("chart", "roc"), "Missing option '--output'"),
        (("ls", "--db"), "requires an argument"),
    ],
)
def test_wrong_values_are_told_in_plain_words(command: Command, asked: tuple[str, ...], complaint: str) -> None:
    refused = command(*asked)
    assert (refused.returncode, refused.stdout) == (2, "")
    (said,) = [line for line in refused.stderr.splitlines() if line.startswith("Error: ")]
    assert complaint in said
    for word in ("Value error", "pydantic", "Literal"):
        assert word not in refused.stderr
