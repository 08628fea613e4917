"""Where the extra is missing, servers and their clients say what they need, and nothing else needs it."""

from pathlib import Path

import pytest

from evalsql.database import quack
from tests.conftest import Command, assert_refused


@pytest.fixture(autouse=True)
def _nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    # A name that no extension has stands for one that is not installed.
    monkeypatch.setattr(quack, "extension", lambda name: Path(f"/nosuch/{name}.duckdb_extension"))


@pytest.mark.parametrize("words", [["serve"], ["leaderboard", "--db", "quack:localhost:9494"]])
def test_without_the_extra_it_is_exit_code_3_and_a_sentence(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.setenv("EVALSQL_TOKEN", "x" * 20)
    assert_refused(command(*words), "pip install 'evalsql[server]'", code=3)
    assert list(tmp_path.iterdir()) == []


def test_without_the_extra_files_are_asked_as_before(demo: Command) -> None:
    assert demo("leaderboard", "-m", "AP").returncode == 0
