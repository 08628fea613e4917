"""What ``compare`` and ``ls`` show where a terminal is narrow: the answer stays, constants go first."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import evalsql
from evalsql.report import terminal
from evalsql.report.table import Table
from tests.conftest import Command, csv_rows
from tests.pseudo_terminal import Terminal, plain

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo terminals")
LONG = "a-run-whose-name-is-far-too-long-for-a-terminal"


def shown(*arguments: object, columns: int) -> list[str]:
    with Terminal(*arguments, columns=columns) as running:
        return [line.rstrip() for line in plain(running.to_the_end()).splitlines()]


def pairs(command: Command, *arguments: object) -> list[dict[str, str]]:
    return csv_rows(command(*arguments, "--format", "csv").stdout)


def expected(row: dict[str, str], *p_values: str) -> list[str]:
    """What a line says of a pair."""
    return [
        *(f"{float(row[name]):.4f}" for name in ("mean", "difference")),
        f"{float(row['low']):.4f}..{float(row['high']):.4f}",
        *("<0.0001" if float(row[name]) < 0.00005 else f"{float(row[name]):.4f}" for name in p_values),
        "-".join(row[name] for name in ("wins", "ties", "losses")),
    ]


@pytest.mark.parametrize("measures", ["AP", "nDCG@10,AP"])
def test_compare_at_80_columns_shows_the_answer(sample_file: Path, command: Command, measures: str) -> None:
    asked = ("compare", "bm25", "-m", measures, "--db", sample_file)
    rows = pairs(command, *asked)
    assert len(rows) == 7 * len(measures.split(","))
    lines = shown(*asked, columns=80)
    assert max(map(len, lines[: len(rows) + 2])) <= 80
    for line, row in zip(lines[2:], rows, strict=False):
        if "," in measures:
            assert line.split() == [row["measure"], row["run"], *expected(row, "p_corrected")]
        else:
            assert line.split() == [row["run"], *expected(row, "p", "p_corrected")]
    said = "\n".join(lines[len(rows) + 2 :])
    for words in ("qrels (sample in every row)", "baseline (bm25 in every row)", "num_topics (40 in every row)"):
        assert words in said
    base = {row["measure"]: float(row["baseline_mean"]) for row in rows}
    assert f"sample: bm25 has {', '.join(f'{name} {base[name]:.4f}' for name in measures.split(','))}" in said


def test_compare_at_160_columns_shows_everything(sample_file: Path, command: Command) -> None:
    asked = ("compare", "bm25", "-m", "AP", "--db", sample_file)
    rows = pairs(command, *asked)
    lines = shown(*asked, columns=160)
    for line, row in zip(lines[2:], rows, strict=False):
        assert line.split()[:4] == [row[name] for name in ("qrels", "measure", "baseline", "run")]
        assert line.split()[-1] == expected(row)[-1]
    assert "narrow" not in "\n".join(lines)


def test_names_are_cut_in_the_middle_and_a_run_has_a_line(tmp_path: Path) -> None:
    file = tmp_path / "long.duckdb"
    names = (f"{LONG}-1", f"{LONG}-2")
    with evalsql.open(file) as warehouse:
        warehouse.load_qrels({f"t{nth}": {"a": 1, "b": 0} for nth in range(4)}, "set")
        for at, name in enumerate(names):
            ranked = {f"t{nth}": {"a": 1.0, "b": 2.0 * at * (nth % 2)} for nth in range(4)}
            warehouse.load_run(ranked, name, meta={"branch": "main", "commit": "0123456789" * 4})
    listed = shown("ls", "--db", file, columns=80)
    assert [line.split()[1:4] for line in listed[3:5]] == [
        ["a-run-whose-name-is-f..long-for-a-terminal-1", "set", "4"],
        ["a-run-whose-name-is-f..long-for-a-terminal-2", "set", "4"],
    ]
    assert "meta" in listed[5]
    assert "whole names" in listed[5]
    assert max(map(len, listed[:5])) <= 80
    compared = shown("compare", *names, "-m", "RR", "--db", file, columns=60)
    assert compared[2].split()[:2] == ["a-run-w..inal-2", "-0.2500"]


def test_constants_go_first_then_what_is_spare_then_names_are_cut() -> None:
    table = Table(
        ["run", "set", "first", "second"], [("a run of many words", "one", 0.5, 1.25), ("b", "one", 0.25, 2.5)]
    )
    dropped = terminal.DroppedColumns(("second", "set"), ("first",))
    assert terminal.fitted(table, 40, 4, dropped)[1] == []
    assert terminal.fitted(table, 36, 4, dropped)[1] == ["set (one in every row)"]
    assert terminal.fitted(table, 30, 4, dropped)[1] == ["set (one in every row)", "first"]
    narrow, lacking = terminal.fitted(table, 20, 4, dropped)
    assert lacking == ["set (one in every row)", "first", "whole names"]
    assert [row[0] for row in narrow.rows] == ["a run..words", "b"]


def test_a_column_without_values_goes_in_silence() -> None:
    table = Table(["run", "system", "first"], [("one", None, 0.5), ("two", None, 0.25)])
    narrow, lacking = terminal.fitted(table, 15, 4, terminal.DroppedColumns(("system",)))
    assert (narrow.columns, lacking) == (["run", "first"], [])


@pytest.mark.parametrize(
    ("cells", "text"), [(10, "abcdefghij"), (9, "abcd..hij"), (8, "abc..hij"), (5, "ab..j"), (4, "a..j")]
)
def test_cut(cells: int, text: str) -> None:
    assert terminal.cut("abcdefghij", cells) == text


def test_wide_characters_are_cut_by_their_cells() -> None:
    assert terminal.cut("\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57", 8) == "\u6f22..\u6f22\u5b57"


def test_topics_stand_in_natural_order_on_a_terminal_only(tmp_path: Path, command: Command) -> None:
    file = tmp_path / "topics.duckdb"
    with evalsql.open(file) as warehouse:
        topics = ("10", "2", "q9", "q10", "1")
        warehouse.load_qrels({topic: {"a": 1, "b": 0} for topic in topics}, "set")
        for run in ("x", "y"):
            warehouse.load_run({topic: {"a": 1.0} for topic in topics}, run)
    asked = ("topics", "-m", "AP,RR", "--db", file)
    lines = [line.split() for line in shown(*asked, columns=80)[2:22]]
    natural = ("1", "2", "10", "q9", "q10")
    assert [(run, topic, measure) for _, run, topic, measure, _ in lines] == [
        (run, topic, measure) for run in "xy" for topic in natural for measure in ("AP", "RR")
    ]
    assert [row["topic"] for row in pairs(command, *asked, "-m", "AP", "x")][::2] == sorted(topics)


def test_a_note_on_a_test_stays(tmp_path: Path) -> None:
    """One topic has no interval, and that a p value has a reason of its own is said beside it."""
    file = tmp_path / "one.duckdb"
    with evalsql.open(file) as warehouse:
        warehouse.load_qrels({"t": {"a": 1, "b": 0}}, "set")
        for run, score in (("base", 0.5), ("twin", 0.5), ("other", 2.0)):
            warehouse.load_run({"t": {"a": 1.0, "b": score}}, run)
    lines = shown("compare", "base", "-m", "RR", "--db", file, columns=80)
    rows = {line.split()[0]: line.split()[-2:] for line in lines[2:4]}
    assert rows == {"twin": ["0-1-0", "identical"], "other": ["one", "topic"]}
