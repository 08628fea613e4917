"""Options that all commands spell in the same way, and what people type in their place."""

from __future__ import annotations

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
