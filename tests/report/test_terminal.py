"""What a terminal shows of a leaderboard: whole numbers within its width, bars, and a mark for each topic."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import evalsql
from evalsql import Warehouse
from evalsql.catalog.ddl import relation_query
from evalsql.report import terminal
from evalsql.report.table import Table
from tests.conftest import Command
from tests.pseudo_terminal import Terminal, plain

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo terminals")
MEASURES = ["nDCG@10", "AP", "P@10", "R@100", "RR", "Judged@10"]
BLOCKS = re.compile("[\u2581-\u258f]")
COLOURS = re.compile(r"\x1b\[(?:\d+;)*(?:3|4|9|10)\d")


def shown(*arguments: object, columns: int, **environment: Any) -> str:
    with Terminal(*arguments, columns=columns, **environment) as running:
        return running.to_the_end()


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
def test_a_leaderboard_fits_the_terminal(sample_file: Path, columns: int, measures: int, said: list[str]) -> None:
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
    expected = {
        run: [round(value, 4) for value in row[:measures]] for run, row in values(sample_file, MEASURES).items()
    }
    assert found == expected


def test_bars_and_marks_are_those_of_the_values(sample_file: Path) -> None:
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


def test_elsewhere_nothing_is_drawn(sample_file: Path, command: Command) -> None:
    rows = values(sample_file, MEASURES)
    stream = io.StringIO()
    stream.write("qrels   run           nDCG@10      AP    P@10   R@100      RR  Judged@10\n" + "\u2500" * 72 + "\n")
    for run, row in rows.items():
        cells = [f"{value:.4f}".rjust(size) for value, size in zip(row, (7, 6, 6, 6, 6, 9), strict=True)]
        stream.write("  ".join(["sample", run.ljust(12), *cells]) + "\n")
    outcome = command("leaderboard", "--db", sample_file)
    assert outcome.stdout == stream.getvalue()
    assert "by topic" not in outcome.stderr
    assert "narrow" not in outcome.stderr


def test_without_blocks_there_are_no_bars(sample_file: Path) -> None:
    text = shown("leaderboard", "-m", "AP", "--db", sample_file, columns=100, PYTHONIOENCODING="ascii")
    assert text.isascii()
    assert "rerank-large" in text
    assert "narrow" not in text


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_colours_are_not_forced(sample_file: Path, environment: dict[str, str]) -> None:
    text = shown("leaderboard", "-m", "AP", "--db", sample_file, columns=100, **environment)
    assert not COLOURS.search(text)
    assert BLOCKS.search(text)


@pytest.mark.parametrize("extra", [("--format", "csv"), ("--format", "markdown")])
def test_other_formats_are_the_same_on_a_terminal(sample_file: Path, command: Command, extra: tuple[str, str]) -> None:
    asked = ("leaderboard", "-m", "AP", "bm25", "--db", sample_file, *extra)
    assert shown(*asked, columns=40).startswith(command(*asked).stdout)


def test_odd_boards(tmp_path: Path) -> None:
    """Two judgment sets, a measure of values below 0, one topic, a name with a meaning elsewhere."""
    file = tmp_path / "odd.duckdb"
    with evalsql.open(file) as warehouse:
        warehouse.load_qrels({"t": {"a": 1, "b": 0}}, "one")
        warehouse.load_qrels({"t": {"a": 0}, "u": {"b": 1}}, "two")
        for run, documents in (("x", {"a": 1.0, "b": 1.0}), ("<b>[bold]|y", {"b": 1.0, "z": 0.5})):
            warehouse.load_run({"t": documents}, run, qrels=["one", "two"])
    text = plain(shown("leaderboard", "-m", "Utility", "--db", file, columns=100))
    assert "<b>[bold]|y" in text
    assert "qrels" in text.splitlines()[0]
    assert "by topic: Utility of the topic, from" in text
    assert "(one)" in text
    assert "(two)" in text


def test_marks_of_groups_of_topics_and_of_what_is_not_known(empty: Warehouse) -> None:
    """Topics by their means: t3 (0.1), t1 (0.3), t2 (0.7); in two groups t3 with t1, from 0 to 0.8."""
    values = """
        select 'q' as qrels, * from (values
            ('a', 't1', 0.2), ('a', 't2', 0.6), ('a', 't3', 0.0), ('b', 't1', 0.4), ('b', 't2', 0.8), ('b', 't3', 0.2),
            ('c', 't1', null), ('c', 't2', 0.7), ('c', 't3', null)
        ) as given(run, topic, value)"""
    sql = relation_query(empty.catalog, "topic_marks", {"topic_values": values}, marks=2, levels=8)
    # Heights are 1 + 7 * value / 0.8: of 0.1, 0.6; 0.3, 0.8; 0.7.
    assert empty.rows(f"select run, mark, level, lowest, highest, num_topics from ({sql}) order by run, mark") == [
        ("a", 1, 2, 0, pytest.approx(0.8), 3),
        ("a", 2, 6, 0, pytest.approx(0.8), 3),
        ("b", 1, 4, 0, pytest.approx(0.8), 3),
        ("b", 2, 8, 0, pytest.approx(0.8), 3),
        ("c", 1, 0, 0, pytest.approx(0.8), 3),
        ("c", 2, 7, 0, pytest.approx(0.8), 3),
    ]


# Tables


def test_columns_go_from_the_right_and_numbers_stay_whole() -> None:
    table = Table(["name", "first", "second", "third"], [("a name of many words", 0.5, 1.25, 100.0)])
    assert terminal.fitted(table, 60, 4)[1] == []
    narrow, hidden = terminal.fitted(table, 30, 4)
    assert (narrow.columns, hidden) == (["name", "first", "second"], ["third", "whole names"])
    assert narrow.rows == [["a name.. words", 0.5, 1.25]]
    assert terminal.fitted(table, 5, 4)[1] == ["second", "third", "whole names"]


@pytest.mark.parametrize(("eighths", "text"), [(0, ""), (1, "\u258f"), (8, "\u2588"), (13, "\u2588\u258b")])
def test_bars(eighths: int, text: str) -> None:
    assert terminal.bar(eighths) == text


def test_marks() -> None:
    assert terminal.sparkline([1, 8, 0]) == "\u2581\u2588?"
