"""A warehouse that holds scores without rankings: each command shows what it can, or says that it needs rankings."""

from __future__ import annotations

from pathlib import Path

import pytest

import evalsql
from tests.conftest import SAMPLE, Command
from tests.evaluation.test_stored_scores import scores_of

NEEDS = "needs rankings, and only scores are stored of"
COMMANDS = (
    ("diff", "dense", "hybrid", "-m", "AP", "--documents"),
    ("export", "runs", "-o", "exported"),
    ("fuse", "rrf", "dense", "hybrid", "--name", "fused"),
    ("pool",),
    ("pool", "--contributions"),
)


@pytest.fixture
def scored(command: Command, tmp_path: Path) -> Command:
    """The command, in a folder with scores of three runs and no rankings."""
    with evalsql.open(tmp_path / "evalsql.duckdb") as warehouse:
        warehouse.load_qrels(SAMPLE / "qrels.txt", "sample")
        warehouse.load_scores(scores_of(tmp_path / "scores.parquet"))
    return command


@pytest.mark.parametrize("extension", [".md", ".html"])
def test_a_report_shows_scores_without_rankings(scored: Command, tmp_path: Path, extension: str) -> None:
    told = scored("report", "-o", f"report{extension}")
    assert told.returncode == 0, told.stderr
    assert "0.6566" in (tmp_path / f"report{extension}").read_text()  # AP of dense, as the guide on history prints it


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words[:2]))
def test_what_needs_rankings_says_so(scored: Command, words: tuple[str, ...]) -> None:
    told = scored(*words)
    assert (told.returncode, told.stdout) == (2, "")
    assert NEEDS in told.stderr
    assert "evalsql load runs FILE --replace brings the rankings" in told.stderr


def test_a_run_of_scores_is_left_out_beside_one_with_rankings(scored: Command, tmp_path: Path) -> None:
    assert scored("load", "runs", str(SAMPLE / "runs" / "bm25.run")).returncode == 0
    told = scored("fuse", "rrf", "bm25", "dense", "--name", "fused")
    assert told.returncode == 2
    assert f"fusion {NEEDS} dense" in told.stderr
    told = scored("export", "runs", "-o", "exported/")
    assert told.returncode == 0
    assert f"{NEEDS} dense, hybrid, tfidf; left out" in told.stderr
    assert [path.name for path in (tmp_path / "exported").iterdir()] == ["bm25.run"]
    told = scored("pool", "--depth", "1")
    assert told.returncode == 0
    assert f"a pool {NEEDS} dense, hybrid, tfidf; left out" in told.stderr
    assert told.stdout.count("\n") > 10
