"""Where the extra is missing, servers and their clients say what they need, and nothing else needs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalsql.database import quack
from tests.conftest import Command


@pytest.fixture(autouse=True)
def _nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    # A name that no extension has stands for one that is not installed.
    monkeypatch.setattr(quack, "extension", lambda name: Path(f"/nosuch/{name}.duckdb_extension"))


@pytest.mark.parametrize("words", [["serve"], ["leaderboard", "--db", "quack:localhost:9494"]])
def test_without_the_extra_it_is_exit_code_3_and_a_sentence(words: list[str], tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from evalsql.cli.app import app

    outcome = CliRunner().invoke(app, words, env={"EVALSQL_TOKEN": "x" * 20, "EVALSQL_DB": str(tmp_path / "w.duckdb")})
    assert outcome.exception is not None
    assert getattr(outcome.exception, "exit_code", None) == 3
    assert "pip install 'evalsql[server]'" in str(outcome.exception)
    assert list(tmp_path.iterdir()) == []


def test_without_the_extra_files_are_asked_as_before(command: Command) -> None:
    assert command("demo", "--db", "demo.duckdb").returncode == 0
    assert command("leaderboard", "-m", "AP", "--db", "demo.duckdb").returncode == 0
