"""Rows in a stranger's file that no load writes."""

from pathlib import Path

import pytest

from tests.conftest import Command, assert_refused, csv_rows
from tests.warehouse.conftest import Crafted


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize("file", ["'/' || repeat('x', 5000)", "'a' || chr(0) || 'b'"])
def test_what_can_be_no_files_name_is_in_nobodys_way(
    command: Command, crafted: Crafted, tmp_path: Path, file: str
) -> None:
    path = crafted(f"update files set file = {file}")
    for _ in range(2):  # what is there already might be one of these files
        done = command("topics", "-m", "AP", "-o", "board.csv", "--db", path)
        assert (done.returncode, (tmp_path / "board.csv").exists()) == (0, True), done.stderr
    assert_refused(command("topics", "-m", "AP", "-o", path, "--format", "csv", "--db", path), "is in use here")


@pytest.mark.usefixtures("few_measures")
def test_a_run_of_an_empty_name_has_a_column(command: Command, crafted: Crafted) -> None:
    path = crafted("update runs set run = '' where run = 'bm25'")
    told = command("topics", "--wide", "-m", "AP", "--format", "csv", "--db", path)
    named = command("topics", "-m", "AP", "--format", "csv", "--db", path)
    expected = {row["topic"]: row["value"] for row in csv_rows(named.stdout) if row["run"] == ""}
    assert expected
    assert {row["topic"]: row[" "] for row in csv_rows(told.stdout)} == expected
