"""What messages advise, where a newcomer takes a wrong turn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ir_measures
import pytest

import evalsql
from evalsql.errors import UsageError
from tests.conftest import Command, write

QRELS = "t1 0 a 1\nt1 0 b 0\n"
RUN = "t1 Q0 a 1 2 x\nt1 Q0 b 2 1 x\n"


def test_a_run_in_the_place_of_judgments_is_told(command: Command, tmp_path: Path) -> None:
    qrels, run = write(tmp_path / "qrels.txt", QRELS), write(tmp_path / "a.run", RUN)
    answer = command("eval", run, qrels)
    assert answer.returncode == 2
    assert "a line of six columns is one of a run; judgments come before runs" in answer.stderr


def test_other_bad_judgments_are_not_called_a_run(command: Command, tmp_path: Path) -> None:
    qrels, run = write(tmp_path / "qrels.txt", "t1 0 a\n"), write(tmp_path / "a.run", RUN)
    assert "judgments come before runs" not in command("eval", qrels, run).stderr


def test_a_cutoff_after_a_line_is_told_from_gains(command: Command, tmp_path: Path) -> None:
    qrels, run = write(tmp_path / "qrels.txt", QRELS), write(tmp_path / "a.run", RUN)
    assert "a cutoff is written @10" in command("eval", qrels, run, "-m", "NDCG_10").stderr


def test_where_only_some_names_are_listed_dots_say_so(empty: evalsql.Warehouse) -> None:
    empty.load_qrels({"t": {"a": 1}}, "q")
    for at in range(7):
        empty.load_run({"t": {"a": 1.0}}, f"run{at}")
    with pytest.raises(UsageError, match=r"there are: run0, run1, run2, run3, run4, [.]{3}$"):
        empty.leaderboard(runs="zzz", measures="AP")


def test_a_leaderboard_without_runs_says_what_to_load(command: Command, tmp_path: Path) -> None:
    command("load", "qrels", write(tmp_path / "qrels.txt", QRELS))
    answer = command("leaderboard", "-m", "AP")
    assert answer.stdout.split()[:3] == ["qrels", "run", "AP"]
    assert "evalsql load runs FILE brings one" in answer.stderr
    command("load", "runs", write(tmp_path / "a.run", RUN))
    assert "evalsql load runs" not in command("leaderboard", "-m", "AP").stderr


@pytest.mark.parametrize("columns", [80])
def test_the_help_of_a_chart_fits(command: Command, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = command("chart", "--help").stdout.splitlines()
    assert "leaderboard" in " ".join(lines)
    assert max(map(len, lines)) <= columns


def test_measures_of_ir_measures_are_names() -> None:
    measures: list[Any] = [ir_measures.nDCG @ 10, ir_measures.AP(rel=2) @ 100, "RR"]
    with evalsql.Evaluator({"t": {"a": 2, "b": 1}}, measures) as evaluator:
        found = evaluator.evaluate({"t": {"b": 2.0, "a": 1.0}})
    assert found == pytest.approx(
        {"nDCG@10": (1 + 2 / 1.584962500721156) / (2 + 1 / 1.584962500721156), "AP(rel=2)@100": 0.5, "RR": 1.0}
    )
    single: Any = ir_measures.RR
    assert evalsql.evaluate({"t": {"a": 1}}, {"t": {"a": 1.0}}, single) == {"RR": 1.0}


@pytest.mark.parametrize(
    ("query", "complaint"),
    [
        ("from comparisons(baseline = 'bm25')", "as in comparisons(baseline := ...)"),
        ("select run from nDCG ( /* ten */ K=10)", "as in ndcg(k := ...)"),
        ("from ap where value > (select avg(value) from p(rel := 1, k = 5))", "as in p(k := ...)"),
    ],
)
def test_a_parameter_behind_which_equals_stands_is_told(
    command: Command, sample_file: Path, query: str, complaint: str
) -> None:
    answer = command("sql", query, "--db", sample_file)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert complaint in answer.stderr
    assert complaint in command("shell", "--db", sample_file, stdin=query).stderr


@pytest.mark.parametrize(
    "query", ["from p(k => 5)", "from p(k := 5) where (run = 'bm25')", "select 'p(k = 5)' -- p(k = 5)", "from p((5))"]
)
def test_other_equals_are_let_through(command: Command, sample_file: Path, query: str) -> None:
    answer = command("sql", query, "--db", sample_file)
    assert answer.returncode == 0, answer.stderr


def test_sql_says_which_option_it_takes(command: Command, sample_file: Path, tmp_path: Path) -> None:
    table = write(tmp_path / "own.csv", "topic,words\nT01,3\n")
    assert "--external lets it reach other files" in command("sql", f"from '{table}'", "--db", sample_file).stderr
    query = "create table own as select 1 as a"
    answer = command("sql", query, "--external", "--db", sample_file)
    assert answer.returncode == 2
    assert "--write lets it change the warehouse" in answer.stderr


def test_rows_that_are_not_written_are_told(command: Command, sample_file: Path) -> None:
    told = "only the rows of the last statement are written"
    answer = command("sql", "select 1 as a; select 2 as b", "--db", sample_file, "--format", "csv")
    assert answer.stdout == "b\n2\n"
    assert told in answer.stderr
    assert told not in command("sql", "select 1 as a;", "--db", sample_file).stderr


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("ndcg10", "nDCG@10"), ("P5", "P@5"), ("TAP-5", "TAP@5"), ("map100", "AP@100"), ("recip_rank@10", "RR@10")],
)
def test_a_cutoff_written_otherwise_is_told(typed: str, meant: str) -> None:
    with pytest.raises(UsageError, match=f'unknown measure "{typed}"; with a cutoff it is {meant}$'):
        evalsql.evaluate({"t": {"a": 1}}, {"t": {"a": 1.0}}, typed)


def test_a_number_behind_what_takes_no_cutoff_is_no_cutoff() -> None:
    with pytest.raises(UsageError, match=r"nearest: .*Bpref"):
        evalsql.evaluate({"t": {"a": 1}}, {"t": {"a": 1.0}}, "Bpref10")


def test_a_measure_in_the_place_of_a_run_is_told(command: Command, tmp_path: Path) -> None:
    qrels, run = write(tmp_path / "qrels.txt", QRELS), write(tmp_path / "a.run", RUN)
    answer = command("eval", qrels, run, "nDCG@10")
    assert answer.returncode == 2
    assert "a measure is named by -m, as in -m nDCG@10" in answer.stderr
    assert "-m" not in command("eval", qrels, tmp_path / "b.run").stderr


def test_measures_in_the_place_of_measure_is_told(command: Command, sample_file: Path) -> None:
    answer = command("leaderboard", "--measures", "AP", "--db", sample_file)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert "--measures AP: no such file or directory; -m names measures" in answer.stderr


def test_a_word_that_is_no_guide_names_guides_that_speak_of_it(command: Command) -> None:
    answer = command("help", "LaTeX")
    assert answer.returncode == 2
    assert "guides that speak of it: reports" in answer.stderr


def test_a_file_called_as_a_function_is_to_have_another_name(
    command: Command, sample_file: Path, tmp_path: Path
) -> None:
    text = "-- measure: Lead\n-- title: L\n-- definition: AP\n-- range: 0 1\n-- mean: arithmetic\nfrom ap"
    own = write(tmp_path / "lead.sql", text)
    answer = command("leaderboard", "-m", "Lead", "--measure-file", own, "--db", sample_file)
    assert "give the file another name" in answer.stderr
