"""What the user's shell completes behind the commands: names of runs, judgment sets and measures."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import evalsql
from evalsql.cli.declare import complete_names
from tests.conftest import SAMPLE, Command, new_file, write
from tests.long_cases import rows_of

RUNS = sorted(path.stem for path in (SAMPLE / "runs").glob("*.run"))


def context(path: Path | None) -> Any:
    return SimpleNamespace(params={"db": None if path is None else str(path)})


def test_names_of_the_warehouse(sample_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = context(sample_file)
    assert complete_names("runs", asked, "") == RUNS
    assert complete_names("runs", asked, "x") == []
    assert complete_names("measures", asked, "nDC") == ["nDCG", "nDCG_rel"]
    monkeypatch.setenv("EVALSQL_DB", str(sample_file))
    assert complete_names("runs", context(None), "bm25") == ["bm25", "bm25-rm3"]


@pytest.mark.long
def test_no_name_is_completed_that_a_shell_would_run(tmp_path: Path) -> None:
    path = new_file(tmp_path)
    runs = ("plain-1.0_x", "FSDM [d]", "\u00fc 2")
    run_by_shells = ("$(touch x)", "`touch x`", "a;touch x", "a|b", "a&b", "a>x", "!!", "-ox", "a -ox")
    with evalsql.open(path) as warehouse:
        warehouse.load_qrels({"t": {"d": 1}}, "q")
        for name in (*runs, *run_by_shells):
            warehouse.load_run({"t": {"d": 1.0}}, name)
    assert complete_names("runs", context(path), "") == sorted(runs)


@pytest.mark.parametrize("path", [None, Path("absent.duckdb"), Path("broken.duckdb"), Path()])
def test_without_a_warehouse_there_are_the_measures_of_the_package(
    path: Path | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("EVALSQL_DB", raising=False)
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "broken.duckdb", "not a database")
    before = sorted(tmp_path.iterdir())
    asked = context(path)
    assert complete_names("runs", asked, "") == complete_names("qrels", asked, "") == []
    assert complete_names("measures", asked, "TA") == ["TAP"]
    # A shell takes what begins as it was typed, and measures are known in any case.
    assert complete_names("measures", asked, "ta") == ["taP"]
    assert complete_names("measures", asked, "P@5,TA") == ["P@5,TAP"]
    assert complete_names("measures", asked, "nosuch") == []
    assert sorted(tmp_path.iterdir()) == before
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(("line", "expected"), rows_of(Path(__file__).with_name("completed.tsv")))
def test_a_shell_asks_for_them(
    command: Command, sample_file: Path, monkeypatch: pytest.MonkeyPatch, line: str, expected: str
) -> None:
    typed = f"evalsql {line.format(db=sample_file)}"
    monkeypatch.setenv("_EVALSQL_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split()) - 1))
    answer = command()
    assert answer.stdout.split() == expected.split()
    assert answer.stderr == ""
