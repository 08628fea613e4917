"""``--sort``, ``--limit`` and ``--wide``, and what a terminal shows in colour."""

import re
import sys
from pathlib import Path

import pytest

import evalsql
from evalsql.report.table import Table
from tests.conftest import Command, csv_rows, new_file, write
from tests.pseudo_terminal import Terminal, plain
from tests.random_collections import load_together

terminal_only = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo terminals")


def rows_of(command: Command, *arguments: object) -> list[dict[str, str]]:
    asked = command(*arguments, "--format", "csv")
    assert asked.returncode == 0, asked.stderr
    return csv_rows(asked.stdout)


@pytest.mark.long
def test_rows_are_sorted_by_any_column_and_cut(sample_file: Path, command: Command) -> None:
    board = ("leaderboard", "-m", "AP,RR", "--db", sample_file)
    every = rows_of(command, *board)
    for words, key, is_falling in (
        ("RR", lambda row: float(row["RR"]), True),
        ("rr:asc", lambda row: float(row["RR"]), False),
        ("run:desc", lambda row: row["run"], True),
    ):
        found = rows_of(command, *board, "--sort", words, "--limit", "3")
        assert [key(row) for row in found] == sorted(map(key, every), reverse=is_falling)[:3], words
    pairs = ("compare", "bm25", "-m", "AP", "--db", sample_file)
    compared = rows_of(command, *pairs, "--sort", "wins")
    wins = [int(row["wins"]) for row in compared]
    assert wins == sorted(wins, reverse=True) != sorted(wins)
    # They are corrected for all, however few are shown.
    least = sorted(compared, key=lambda row: float(row["p"]))
    assert rows_of(command, *pairs, "--sort", "p", "--limit", "3") == least[:3]


def test_topics_have_a_column_a_run(sample_file: Path, command: Command) -> None:
    asked = ("topics", "bm25", "tfidf", "-m", "AP,RR", "--db", sample_file)
    expected: dict[tuple[str, str], dict[str, str]] = {}
    for row in rows_of(command, *asked):
        expected.setdefault((row["measure"], row["topic"]), {})[row["run"]] = row["value"]
    wide = rows_of(command, *asked, "--wide")
    assert list(wide[0]) == ["qrels", "measure", "topic", "bm25", "tfidf"]
    assert {(row["measure"], row["topic"]): {"bm25": row["bm25"], "tfidf": row["tfidf"]} for row in wide} == expected
    assert [row["measure"] for row in wide] == ["AP"] * 40 + ["RR"] * 40
    (first,) = rows_of(command, *asked, "--wide", "--sort", "bm25:asc", "--limit", "1")
    assert first["bm25"] == min(row["bm25"] for row in wide)


@pytest.mark.long
def test_the_first_topics_are_the_same_in_every_format(tmp_path: Path, command: Command) -> None:
    file = new_file(tmp_path)
    with evalsql.open(file) as warehouse:
        names = [str(number) for number in range(1, 13)]
        warehouse.load_qrels({topic: {"a": 1} for topic in names}, "set")
        warehouse.load_run({topic: {"a": 1.0} for topic in names}, "run")
    for words in ((), ("--wide",)):
        found = rows_of(command, "topics", "-m", "RR", "--limit", "10", "--db", file, *words)
        assert [row["topic"] for row in found] == names[:10]
    qrels = write(tmp_path / "q.txt", "".join(f"{topic} 0 a 1\n" for topic in names))
    run = write(tmp_path / "r.run", "".join(f"{topic} Q0 a 1 1 r\n" for topic in names))
    assert [row["topic"] for row in rows_of(command, "eval", qrels, run, "-m", "RR", "-q")] == names
    said = command("topics", "-m", "RR", "--limit", "10", "--db", file).stderr
    assert said.startswith("10 of 12 rows\n")


@pytest.mark.long
@terminal_only
def test_significant_differences_are_in_colour(sample_file: Path, command: Command) -> None:
    asked = ("compare", "bm25", "-m", "AP", "--db", sample_file)
    with Terminal(*asked) as running:
        lines = running.to_the_end().splitlines()
    for row in rows_of(command, *asked):
        (line,) = [line for line in lines if plain(line).startswith(f"{row['run']} ")]
        is_sure = float(row["p_corrected"]) < 0.05
        colour = ("\x1b[32m" if float(row["difference"]) > 0 else "\x1b[31m") if is_sure else None
        difference = f"{float(row['difference']):.4f}"
        found = re.search(rf"(\x1b\[[0-9;]*m)? *{re.escape(difference)}", line)
        assert found is not None
        assert found[1] == colour, row


@pytest.mark.long
@terminal_only
def test_columns_that_do_not_fit_are_cut_in_the_middle_or_named_but_not_by_the_dozen(tmp_path: Path) -> None:
    def wide(names: list[str]) -> list[str]:
        """The lines of a wide table of these runs, at 80 columns."""
        file = new_file(tmp_path)
        with evalsql.open(file) as warehouse:
            warehouse.load_qrels({"t": {"a": 1}}, "set")
            load_together(warehouse, {name: {"t": {"a": 1.0}} for name in names})
        with Terminal("topics", "--wide", "-m", "RR", "--db", file, columns=80) as running:
            return plain(running.to_the_end()).splitlines()

    lines = wide([f"a-run-with-a-rather-long-name-{nth}" for nth in range(4)])
    assert lines[0].split() == ["qrels", "measure", "topic", *(f"a-ru..me-{nth}" for nth in range(4))]
    assert "too narrow for whole names of runs" in "\n".join(lines)
    lines = wide([f"system-{nth:02}" for nth in range(40)])
    num_shown = lines[0].count("system-")
    assert num_shown == 6
    told = " ".join(" ".join(lines[3:]).split())
    hidden = 40 - num_shown + 2  # judgment set and measure are gone too
    assert f"system-{num_shown:02}, " in told
    assert f"and {hidden - 12} more; --format csv has all columns" in told


def test_very_small_values_are_no_zeros() -> None:
    rows = [(1.2345e-87, 1.2e-17, 1e-9), (0.0, 0.0, 0.5), (-3e-9, -0.5, 0.01), (0.00005, 0.1, 0.2)]
    assert Table(("value", "difference", "p"), rows).texts(4) == [
        ["1.2e-87", "0.0000", "<0.0001"],
        ["0.0000", "0.0000", "0.5000"],
        ["-3e-09", "-0.5000", "0.0100"],
        ["0.0001", "0.1000", "0.2000"],
    ]


def test_measures_stand_by_family(command: Command) -> None:
    lines = command("measures").stdout.splitlines()
    assert lines[0].split()[:3] == ["family", "measure", "title"]
    families = [line.split()[0] for line in lines[2:] if not line.startswith(" ")]
    assert families == sorted(set(families))
    assert len(families) >= 9
    found = command("measures", "precision").stdout.splitlines()[2:]
    assert 3 < len(found) < len(lines) - 2
    by_name = rows_of(command, "measures")
    assert [row["measure"] for row in by_name] == sorted((row["measure"] for row in by_name), key=str.lower)
