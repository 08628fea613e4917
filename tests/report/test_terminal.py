"""What a terminal shows: whole numbers and names within its width, the answer first, bars, marks by topic."""

from __future__ import annotations

import io
import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import evalsql
from evalsql import Warehouse
from evalsql.catalog.ddl import relation_query
from evalsql.cli import main
from evalsql.report import terminal
from evalsql.report.table import Table
from tests.conftest import Command, csv_rows
from tests.pseudo_terminal import Terminal, plain

MEASURES = ["nDCG@10", "AP", "P@10", "R@100", "RR", "Judged@10"]
BLOCKS = re.compile("[\u2581-\u258f]")
COLOURS = re.compile(r"\x1b\[(?:\d+;)*(?:3|4|9|10)\d")
LONG = "a-run-whose-name-is-far-too-long-for-a-terminal"
Shown = Callable[..., str]


class Screen(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Shown:
    """What a command shows on a terminal of so many columns, then its notes, within this process."""

    def run(*arguments: object, columns: int, encoding: str = "utf-8", **environment: str) -> str:
        screen, notes = Screen(io.BytesIO(), encoding, write_through=True), io.StringIO()
        with monkeypatch.context() as patch, warnings.catch_warnings():
            patch.chdir(tmp_path)
            patch.delenv("NO_COLOR", raising=False)
            for name, value in {"TERM": "xterm", "COLUMNS": str(columns), **environment}.items():
                patch.setenv(name, value)
            for name, stream in {"stdout": screen, "stderr": notes, "argv": ["evalsql", *map(str, arguments)]}.items():
                patch.setattr(sys, name, stream)
            with pytest.raises(SystemExit) as ended:
                main()
        assert not ended.value.code
        shown: bytes = screen.buffer.getvalue()  # type: ignore[attr-defined]
        return shown.decode() + notes.getvalue()

    return run


def values(file: Path, measures: list[str]) -> dict[str, list[float]]:
    with evalsql.open(file, read_only=True) as warehouse:
        return {row[1]: list(row[2:]) for row in warehouse.evaluate(measures).fetchall()}


def table_of(text: str) -> list[str]:
    """Its lines down to the last system's."""
    lines = plain(text).splitlines()
    return lines[: 2 + sum(any(word in line for word in ("0.", "1.")) for line in lines[2:10])]


@pytest.mark.parametrize(
    ("columns", "measures", "said"),
    [
        (40, 3, ["R@100, RR, Judged@10", "qrels (sample in every row), bars of nDCG@10, marks by topic"]),
        (80, 6, ["qrels (sample in every row), marks by topic"]),
        (120, 6, ["in 36 groups, the mean of each"]),
        (160, 6, ["by topic: nDCG@10 of the 40 topics, from the lowest mean over these systems to the highest"]),
    ],
)
def test_a_leaderboard_fits_the_terminal(
    sample_file: Path, shown: Shown, columns: int, measures: int, said: list[str]
) -> None:
    text = shown("leaderboard", "--db", sample_file, columns=columns)
    lines = table_of(text)
    assert len(lines) == 10
    assert max(map(len, lines)) <= columns
    for word in said:
        assert word in plain(text)
    found = {}
    for line in lines[2:]:
        words = line.removeprefix("sample").split()
        found[words[0]] = [float(word) for word in words[1:] if not BLOCKS.search(word)]
    assert found == {
        run: [round(value, 4) for value in row[:measures]] for run, row in values(sample_file, MEASURES).items()
    }


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo terminals")
@pytest.mark.parametrize("environment", [{}, {"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_of_its_own_has_the_same_with_colours_where_they_are_wanted(
    sample_file: Path, shown: Shown, environment: dict[str, Any]
) -> None:
    asked = ("leaderboard", "-m", "AP", "--db", sample_file)
    with Terminal(*asked, columns=100, **environment) as running:
        text = running.to_the_end()
    for line, like in zip(plain(text).splitlines(), plain(shown(*asked, columns=100)).splitlines(), strict=True):
        assert line.rstrip() == like.rstrip()
    assert bool(COLOURS.search(text)) == (not environment)


def test_bars_and_marks_are_those_of_the_values(sample_file: Path, shown: Shown) -> None:
    """Bars are of 64 eighths for the best; marks of eight heights from 0 to the greatest value of a topic."""
    lines = table_of(shown("leaderboard", "-m", "AP", "--db", sample_file, columns=100))
    with evalsql.open(sample_file, read_only=True) as warehouse:
        by_topic = {
            (run, topic): value for _, run, topic, _, value in warehouse.evaluate("AP", per_topic=True).fetchall()
        }
    runs = sorted({run for run, _ in by_topic})
    topics = sorted(
        {topic for _, topic in by_topic}, key=lambda topic: (sum(by_topic[run, topic] for run in runs), topic)
    )
    greatest = max(by_topic.values())
    means = {run: sum(by_topic[run, topic] for topic in topics) / len(topics) for run in runs}
    for line in lines[2:]:
        _, run, _, bar, marks = line.split()
        eighths = sum(8 - (ord(char) - 0x2588) for char in bar)
        assert eighths == pytest.approx(64 * means[run] / max(means.values()), abs=0.51)
        heights = [ord(char) - 0x2581 for char in marks]
        assert heights == pytest.approx([7 * by_topic[run, topic] / greatest for topic in topics], abs=0.51)


def test_elsewhere_nothing_is_drawn(sample_file: Path, command: Command, shown: Shown) -> None:
    expected = "qrels   run           nDCG@10      AP    P@10   R@100      RR  Judged@10\n" + "\u2500" * 72 + "\n"
    for run, row in values(sample_file, MEASURES).items():
        cells = [f"{value:.4f}".rjust(size) for value, size in zip(row, (7, 6, 6, 6, 6, 9), strict=True)]
        expected += "  ".join(["sample", run.ljust(12), *cells]) + "\n"
    outcome = command("leaderboard", "--db", sample_file)
    assert outcome.stdout == expected
    assert "by topic" not in outcome.stderr
    assert "narrow" not in outcome.stderr
    for format_name in ("csv", "markdown"):
        asked = ("leaderboard", "-m", "AP", "bm25", "--db", sample_file, "--format", format_name)
        assert shown(*asked, columns=40).startswith(command(*asked).stdout)
    text = shown("leaderboard", "-m", "AP", "--db", sample_file, columns=100, encoding="ascii")
    assert text.isascii()
    assert "rerank-large" in text
    assert "narrow" not in text


def test_odd_boards(tmp_path: Path, shown: Shown) -> None:
    """Two judgment sets, a measure of values below 0, one topic, a name with a meaning elsewhere."""
    file = tmp_path / "odd.duckdb"
    with evalsql.open(file) as warehouse, warnings.catch_warnings(action="ignore"):
        warehouse.load_qrels({"t": {"a": 1, "b": 0}}, "one")
        warehouse.load_qrels({"t": {"a": 0}, "u": {"b": 1}}, "two")
        for run, documents in (("x", {"a": 1.0, "b": 1.0}), ("<b>[bold]|y", {"b": 1.0, "z": 0.5})):
            warehouse.load_run({"t": documents}, run, qrels=["one", "two"])
    text = plain(shown("leaderboard", "-m", "Utility", "--db", file, columns=100))
    assert "qrels" in text.splitlines()[0]
    for words in ("<b>[bold]|y", "by topic: Utility of the topic, from", "(one)", "(two)"):
        assert words in text


def test_marks_of_groups_of_topics_and_of_what_is_not_known(empty: Warehouse) -> None:
    """Topics by their means: t3 (0.1), t1 (0.3), t2 (0.7); in two groups t3 with t1, from 0 to 0.8."""
    values = """
        select 'q' as qrels, * from (values
            ('a', 't1', 0.2), ('a', 't2', 0.6), ('a', 't3', 0.0), ('b', 't1', 0.4), ('b', 't2', 0.8), ('b', 't3', 0.2),
            ('c', 't1', null), ('c', 't2', 0.7), ('c', 't3', null)
        ) as given(run, topic, value)"""
    sql = relation_query(empty.catalog, "topic_marks", {"topic_values": values}, marks=2, levels=8)
    # Heights are 1 + 7 * value / 0.8: of 0.1, 0.6; 0.3, 0.8; 0.7.
    levels = {("a", 1): 2, ("a", 2): 6, ("b", 1): 4, ("b", 2): 8, ("c", 1): 0, ("c", 2): 7}
    rows = empty.rows(f"select run, mark, level, lowest, highest, num_topics from ({sql}) order by run, mark")
    assert rows == [(*key, level, 0, pytest.approx(0.8), 3) for key, level in levels.items()]


# Comparisons and lists


def expected_pair(row: dict[str, str], *p_values: str) -> list[str]:
    """What a line says of a pair."""
    return [
        *(f"{float(row[name]):.4f}" for name in ("mean", "difference")),
        f"{float(row['low']):.4f}..{float(row['high']):.4f}",
        *("<0.0001" if float(row[name]) < 0.00005 else f"{float(row[name]):.4f}" for name in p_values),
        "-".join(row[name] for name in ("wins", "ties", "losses")),
    ]


@pytest.mark.parametrize("measures", ["AP", "nDCG@10,AP"])
def test_compare_at_80_columns_shows_the_answer_and_at_160_everything(
    sample_file: Path, command: Command, shown: Shown, measures: str
) -> None:
    asked = ("compare", "bm25", "-m", measures, "--db", sample_file)
    rows = csv_rows(command(*asked, "--format", "csv").stdout)
    assert len(rows) == 7 * len(measures.split(","))
    lines = plain(shown(*asked, columns=80)).splitlines()
    assert max(map(len, lines[: len(rows) + 2])) <= 80
    for line, row in zip(lines[2:], rows, strict=False):
        if "," in measures:
            assert line.split() == [row["measure"], row["run"], *expected_pair(row, "p_corrected")]
        else:
            assert line.split() == [row["run"], *expected_pair(row, "p", "p_corrected")]
    said = "\n".join(lines[len(rows) + 2 :])
    for words in ("qrels (sample in every row)", "baseline (bm25 in every row)", "num_topics (40 in every row)"):
        assert words in said
    base = {row["measure"]: float(row["baseline_mean"]) for row in rows}
    assert f"sample: bm25 has {', '.join(f'{name} {base[name]:.4f}' for name in measures.split(','))}" in said
    wide = plain(shown(*asked, columns=160)).splitlines()
    for line, row in zip(wide[2:], rows, strict=False):
        assert line.split()[:4] == [row[name] for name in ("qrels", "measure", "baseline", "run")]
        assert line.split()[-1] == expected_pair(row)[-1]
    assert "narrow" not in "\n".join(wide)


def test_names_are_cut_in_the_middle_and_a_run_has_a_line(tmp_path: Path, shown: Shown) -> None:
    file = tmp_path / "long.duckdb"
    names = (f"{LONG}-1", f"{LONG}-2")
    with evalsql.open(file) as warehouse:
        warehouse.load_qrels({f"t{nth}": {"a": 1, "b": 0} for nth in range(4)}, "set")
        for at, name in enumerate(names):
            ranked = {f"t{nth}": {"a": 1.0, "b": 2.0 * at * (nth % 2)} for nth in range(4)}
            warehouse.load_run(ranked, name, meta={"branch": "main", "commit": "0123456789" * 4})
    listed = plain(shown("ls", "--db", file, columns=80)).splitlines()
    assert [line.split()[1:4] for line in listed[3:5]] == [
        ["a-run-whose-name-is-f..long-for-a-terminal-1", "set", "4"],
        ["a-run-whose-name-is-f..long-for-a-terminal-2", "set", "4"],
    ]
    assert "meta" in listed[5]
    assert "whole names" in listed[5]
    assert max(map(len, listed[:5])) <= 80
    compared = plain(shown("compare", *names, "-m", "RR", "--db", file, columns=60)).splitlines()
    assert compared[2].split()[:2] == ["a-run-w..inal-2", "-0.2500"]


def test_topics_stand_in_natural_order_on_a_terminal_only(tmp_path: Path, command: Command, shown: Shown) -> None:
    file = tmp_path / "topics.duckdb"
    topics = ("10", "2", "q9", "q10", "1")
    with evalsql.open(file) as warehouse:
        warehouse.load_qrels({topic: {"a": 1, "b": 0} for topic in topics}, "set")
        for run in ("x", "y"):
            warehouse.load_run({topic: {"a": 1.0} for topic in topics}, run)
    asked = ("topics", "-m", "AP,RR", "--db", file)
    lines = [line.split() for line in plain(shown(*asked, columns=80)).splitlines()[2:22]]
    natural = ("1", "2", "10", "q9", "q10")
    assert [(run, topic, measure) for _, run, topic, measure, _ in lines] == [
        (run, topic, measure) for run in "xy" for topic in natural for measure in ("AP", "RR")
    ]
    rows = csv_rows(command(*asked, "-m", "AP", "x", "--format", "csv").stdout)
    assert [row["topic"] for row in rows][::2] == sorted(topics)


def test_a_note_on_a_test_stays(tmp_path: Path, shown: Shown) -> None:
    """One topic has no interval, and that a p value has a reason of its own is said beside it."""
    file = tmp_path / "one.duckdb"
    with evalsql.open(file) as warehouse:
        warehouse.load_qrels({"t": {"a": 1, "b": 0}}, "set")
        for run, score in (("base", 0.5), ("twin", 0.5), ("other", 2.0)):
            warehouse.load_run({"t": {"a": 1.0, "b": score}}, run)
    lines = plain(shown("compare", "base", "-m", "RR", "--db", file, columns=80)).splitlines()
    rows = {line.split()[0]: line.split()[-2:] for line in lines[2:4]}
    assert rows == {"twin": ["0-1-0", "identical"], "other": ["one", "topic"]}


# Tables

WIDE = Table(["name", "first", "second", "third"], [("a name of many words", 0.5, 1.25, 100.0)])
RUNS = Table(["run", "set", "first", "second"], [("a run of many words", "one", 0.5, 1.25), ("b", "one", 0.25, 2.5)])
SPARSE = Table(["run", "system", "first"], [("one", None, 0.5), ("two", None, 0.25)])
CONSTANTS_FIRST = terminal.DroppedColumns(("second", "set"), ("first",))
SET = "set (one in every row)"


@pytest.mark.parametrize(
    ("table", "dropped", "cells", "lacking"),
    [
        (WIDE, None, 60, []),
        (WIDE, None, 30, ["third", "whole names"]),
        (WIDE, None, 5, ["second", "third", "whole names"]),
        (RUNS, CONSTANTS_FIRST, 40, []),
        (RUNS, CONSTANTS_FIRST, 36, [SET]),
        (RUNS, CONSTANTS_FIRST, 30, [SET, "first"]),
        (RUNS, CONSTANTS_FIRST, 20, [SET, "first", "whole names"]),
        (SPARSE, terminal.DroppedColumns(("system",)), 15, []),  # a column without values goes in silence
    ],
)
def test_columns_go_and_numbers_stay_whole(
    table: Table, dropped: terminal.DroppedColumns | None, cells: int, lacking: list[str]
) -> None:
    narrow, found = terminal.fitted(table, cells, 4, dropped)
    assert found == lacking
    gone = {"system"} if table is SPARSE else {name.partition(" (")[0] for name in lacking}
    assert narrow.columns == [name for name in table.columns if name not in gone]
    names = {30: ["a name.. words"], 20: ["a run..words", "b"]} if "whole names" in lacking else {}
    assert [row[0] for row in narrow.rows] == names.get(cells, [row[0] for row in narrow.rows])


@pytest.mark.parametrize(
    ("name", "cells", "text"),
    [
        ("abcdefghij", 10, "abcdefghij"),
        ("abcdefghij", 9, "abcd..hij"),
        ("abcdefghij", 8, "abc..hij"),
        ("abcdefghij", 5, "ab..j"),
        ("abcdefghij", 4, "a..j"),
        ("\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57", 8, "\u6f22..\u6f22\u5b57"),
    ],
)
def test_cut(name: str, cells: int, text: str) -> None:
    assert terminal.cut(name, cells) == text


def test_bars_and_marks() -> None:
    bars = {0: "", 1: "\u258f", 8: "\u2588", 13: "\u2588\u258b"}
    assert {eighths: terminal.bar(eighths) for eighths in bars} == bars
    assert terminal.sparkline([1, 8, 0]) == "\u2581\u2588?"
