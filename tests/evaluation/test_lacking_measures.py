"""Runs of which only scores are stored, and not those of every measure that is asked for: dense has no RR."""

from __future__ import annotations

from pathlib import Path

import pytest

import evalsql
from tests.conftest import SAMPLE, Command, csv_rows, new_file
from tests.evaluation.test_stored_scores import KEPT, holding, scores_of
from tests.long_cases import few_of

LACKING = "RR,AP"


@pytest.fixture(scope="module")
def one_measure(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lacking")
    path = holding(new_file(folder), KEPT)
    with evalsql.open(path) as warehouse:
        warehouse.load_scores(scores_of(folder / "scores.parquet", ("dense",), measures=("AP",)))
    return path


@pytest.fixture
def lacking(command: Command, one_measure: Path) -> Command:
    return lambda *words: command(*words, "-m", LACKING, "--db", one_measure)


def test_leaderboard_and_comparisons_leave_the_place_empty(lacking: Command) -> None:
    rows = csv_rows(lacking("leaderboard", "--format", "csv").stdout)
    assert [(row["run"], row["RR"] == "", row["AP"] == "") for row in rows] == [
        ("bm25", False, False),
        ("random", False, False),
        ("dense", True, False),
    ]
    found = csv_rows(lacking("compare", "bm25", "--format", "csv").stdout)
    pairs = sorted((row["measure"], row["run"]) for row in found)
    assert pairs == [("AP", "dense"), ("AP", "random"), ("RR", "random")]
    dense = next(row for row in rows if row["run"] == "dense")
    printed = lacking("compare", "bm25", "--format", "md").stdout.splitlines()
    runs = [line.split(" | ") for line in printed if line.startswith("| ")][1:]
    assert [cells[0] for cells in runs] == ["| ---", "| bm25", "| random", "| dense"]
    assert runs[-1][1] == ""
    assert f"{float(dense['AP']):.4f}" in runs[-1][2]
    assert lacking("compare", "dense", "--format", "latex").stdout.count(r"dense &  & \textbf{") == 1


@pytest.mark.parametrize(
    "words",
    few_of([("report", "-o", "report.md"), ("report", "-o", "report.html"), ("site", "-o", "site")], 1, one_value=True),
)
def test_reports_leave_out_the_run(lacking: Command, tmp_path: Path, words: tuple[str, ...]) -> None:
    outcome = lacking(*words)
    assert outcome.returncode == 0, outcome.stderr
    assert "to compute it: RR of dense; left out, since a report has every measure of every run" in outcome.stderr
    written = [path for path in tmp_path.rglob("*.*") if path.suffix in (".html", ".md")]
    assert written
    assert not any("dense" in path.read_text() or "dense" in path.name for path in written)


def test_a_report_of_such_runs_alone_is_refused(command: Command, one_measure: Path, tmp_path: Path) -> None:
    path = new_file(tmp_path)
    with evalsql.open(path) as warehouse:
        warehouse.load_qrels(SAMPLE / "qrels.txt", "sample")
        warehouse.load_scores(one_measure.parent / "scores.parquet")
    outcome = command("report", "-m", LACKING, "-o", "report.html", "--db", path)
    assert outcome.returncode == 2
    assert "RR of dense; a report has every measure of every run: name other measures" in outcome.stderr
    assert not (tmp_path / "report.html").exists()
