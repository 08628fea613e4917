"""What a terminal shows: whole numbers and names within its width, the answer first, bars, marks by topic."""

import io
import itertools
import json
import random
import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

import evalsql
from evalsql.cli import main, tell
from evalsql.report import terminal
from evalsql.report.table import Table
from evalsql.report.writers import write
from tests.conftest import Command, csv_rows, module_file, open_held
from tests.long_cases import few_of
from tests.pseudo_terminal import Terminal, plain

MEASURES = ["nDCG@10", "AP", "P@10", "R@100", "RR", "Judged@10"]
BLOCKS = re.compile("[\u2581-\u258f]")
COLOURS = re.compile(r"\x1b\[(?:\d+;)*(?:3|4|9|10)\d")
LONG = [f"a-run-whose-name-is-far-too-long-for-a-terminal-{number}" for number in (1, 2)]
NATURAL = ("1", "2", "10", "q9", "q10")
Shown = Callable[..., list[str]]


class Screen(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., str]:
    """What a command shows on a terminal of so many columns, then its notes, within this process."""

    def run(*arguments: object, columns: int, encoding: str = "utf-8", db: Path) -> str:
        open_held(db)
        screen, notes = Screen(io.BytesIO(), encoding, write_through=True), io.StringIO()
        words = ["evalsql", *map(str, arguments), "--db", str(db)]
        with monkeypatch.context() as patch, warnings.catch_warnings():
            patch.chdir(tmp_path)
            patch.delenv("NO_COLOR", raising=False)
            patch.setenv("TERM", "xterm")
            patch.setenv("COLUMNS", str(columns))
            for name, stream in {"stdout": screen, "stderr": notes, "argv": words}.items():
                patch.setattr(sys, name, stream)
            with pytest.raises(SystemExit) as ended:
                main()
        assert not ended.value.code
        printed: bytes = screen.buffer.getvalue()  # type: ignore[attr-defined]
        return printed.decode() + notes.getvalue()

    return run


@pytest.fixture
def shown(screen: Callable[..., str], sample_file: Path) -> Shown:
    """The same as lines without colours, by default of the sample."""
    return lambda *arguments, db=sample_file, **options: plain(screen(*arguments, db=db, **options)).splitlines()


def test_a_rule_stands_below_a_group_of_rows_on_a_terminal_as_elsewhere() -> None:
    table = Table(["system", "mean"], [["a", 1.0], ["b", 0.5], ["c", 0.25]], rules=frozenset({1}))
    screen, text = Screen(io.BytesIO(), "utf-8", write_through=True), io.StringIO()
    for stream in (screen, text):
        terminal.write_table(table, stream, 2)
    printed: bytes = screen.buffer.getvalue()  # type: ignore[attr-defined]
    for shown in (printed.decode(), text.getvalue()):
        lines = plain(shown).splitlines()
        assert [line[0] for line in lines] == ["s", "\u2500", "a", "b", "\u2500", "c"]
        assert lines[4] == lines[1]


@pytest.mark.parametrize("form", ["csv", "tsv", "json", "jsonl", "spreadsheet", "markdown", "latex"])
def test_signs_that_a_terminal_acts_on_are_escaped_there_alone(form: str) -> None:
    table = Table(["run", "value"], [["a\x1b]0;t\x07\x9b31m\u202e", 0.5], ["b\r\x7f\U000e0001", None]])
    screen, text = Screen(io.BytesIO(), "utf-8", write_through=True), io.StringIO(newline="")
    for stream in (screen, text):
        write(table, form, stream, 2)
    printed = screen.buffer.getvalue().decode()  # type: ignore[attr-defined]
    assert all(char.isprintable() or char in "\t\n" for char in printed)
    held = text.getvalue()
    if form in ("csv", "tsv"):
        assert str(table.rows[0][0]) in held
    else:
        assert form == "spreadsheet" or held.replace("\n", "").isprintable()
    if form == "json":
        assert [row["run"] for row in json.loads(held)] == [row[0] for row in table.rows]
        assert json.loads(printed) == json.loads(held)


def load_odd(warehouse: evalsql.Warehouse) -> None:
    """Two judgment sets of one topic and two, and one each of long names, of topics in natural order, of one topic."""
    meta = {"branch": "main", "commit": "0123456789" * 4}
    with warnings.catch_warnings(action="ignore"):
        warehouse.load_qrels({"t": {"a": 1, "b": 0}}, "one")
        warehouse.load_qrels({"t": {"a": 0}, "u": {"b": 1}}, "two")
        for run, documents in (("x", {"a": 1.0, "b": 1.0}), ("<b>[bold]|y", {"b": 1.0, "z": 0.5})):
            warehouse.load_run({"t": documents}, run, qrels=["one", "two"])
        warehouse.load_qrels({f"t{nth}": {"a": 1, "b": 0} for nth in range(4)}, "long")
        for at, name in enumerate(LONG):
            ranked = {f"t{nth}": {"a": 1.0, "b": 2.0 * at * (nth % 2)} for nth in range(4)}
            warehouse.load_run(ranked, name, qrels="long", meta=meta)
        warehouse.load_qrels({topic: {"a": 1, "b": 0} for topic in NATURAL}, "natural")
        for run in ("v", "w"):
            warehouse.load_run({topic: {"a": 1.0} for topic in NATURAL}, run, qrels="natural")
        warehouse.load_qrels({"t": {"a": 1, "b": 0}}, "single")
        for run, score in (("base", 0.5), ("twin", 0.5), ("other", 2.0)):
            warehouse.load_run({"t": {"a": 1.0, "b": score}}, run, qrels="single")
        for table in ("runs", "qrels"):  # a column of one value in every row is left out first; a minute could end here
            warehouse.database.execute(f"update main.{table} set loaded_at = timestamp '2026-01-02 03:04:05'")


odd = module_file(load_odd)


def values(sample: evalsql.Warehouse) -> dict[str, list[float]]:
    return {row[1]: list(row[2:]) for row in sample.evaluate(MEASURES).fetchall()}


@pytest.mark.parametrize(
    ("columns", "measures", "said"),
    few_of(
        [
            (40, 3, ("R@100, RR, Judged@10", "qrels (sample in every row), place, bars of nDCG@10, marks by topic")),
            (120, 6, ("in 29 groups, the mean of each",)),
            (80, 6, ("qrels (sample in every row), place, marks by topic",)),
            (160, 6, ("by topic: nDCG@10 of the 40 topics, from the lowest mean over these systems to the highest",)),
        ],
        1,
    ),
)
def test_a_leaderboard_fits_the_terminal(
    sample: evalsql.Warehouse, shown: Shown, columns: int, measures: int, said: tuple[str, ...]
) -> None:
    lines = shown("leaderboard", columns=columns)
    assert max(map(len, lines[:10])) <= columns
    for word in said:
        assert word in "\n".join(lines)
    found = {}
    for line in lines[2:10]:
        run, *words = re.sub("^ *[0-9]*  sample  ", "", line).split()
        found[run] = [float(word) for word in words if not BLOCKS.search(word)]
    assert found == {run: [round(value, 4) for value in row[:measures]] for run, row in values(sample).items()}


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo terminals")
@pytest.mark.parametrize("environment", few_of([{}, {"NO_COLOR": "1"}, {"TERM": "dumb"}], 1))
def test_a_terminal_of_its_own_has_the_same_with_colours_where_they_are_wanted(
    sample_file: Path, shown: Shown, environment: dict[str, Any]
) -> None:
    asked = ("leaderboard", "-m", "AP")
    with Terminal(*asked, "--db", sample_file, columns=100, **environment) as running:
        text = running.to_the_end()
    expected = "\n".join(shown(*asked, columns=100))
    # A slow machine has shown a bar before; notes are broken between words.
    assert " ".join(plain(text).split()).endswith(" ".join(expected.split()))
    lines = [line for line in plain(text).splitlines() if "making views" not in line]
    assert len(max(lines, key=len)) <= 100 < max(map(len, expected.splitlines()))
    assert bool(COLOURS.search(text)) == (not environment)


def test_errors_end_between_words_and_commands_stay_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen(io.BytesIO(), "utf-8", write_through=True)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("COLUMNS", "40")
    command = '  evalsql sql "from ap order by value limit 3" --db a-long-name.duckdb'
    marked = "LINE 1: select a_column_that_is_not_there from ap\n               ^"
    tell(f"{'words ' * 20}\n{command}\n{marked}")
    printed: bytes = screen.buffer.getvalue()  # type: ignore[attr-defined]
    *lines, shown, first, second = printed.decode().splitlines()
    assert (shown, f"{first}\n{second}") == (command, marked)
    assert " ".join(" ".join(lines).split()) == f"evalsql: {'words ' * 20}".strip()
    assert len(lines) > 1
    assert max(map(len, lines)) <= 40


def test_bars_and_marks_are_those_of_the_values(sample: evalsql.Warehouse, shown: Shown) -> None:
    """Bars are of 64 eighths for the best; marks of eight heights from 0 to the greatest value of a topic."""
    by_run: dict[str, dict[str, float]] = {}
    for _, run, topic, _, value in sample.evaluate("AP", per_topic=True).fetchall():
        by_run.setdefault(run, {})[topic] = value
    topics = sorted(by_run["bm25"], key=lambda topic: (sum(values[topic] for values in by_run.values()), topic))
    greatest = max(max(values.values()) for values in by_run.values())
    means = {run: fmean(values.values()) for run, values in by_run.items()}
    for line in shown("leaderboard", "-m", "AP", columns=100)[2:10]:
        _, _, run, _, bar, marks = line.split()
        eighths = sum(8 - (ord(char) - 0x2588) for char in bar)
        assert eighths == pytest.approx(64 * means[run] / max(means.values()), abs=0.51)
        heights = [ord(char) - 0x2581 for char in marks]
        assert heights == pytest.approx([7 * by_run[run][topic] / greatest for topic in topics], abs=0.51)


@pytest.mark.long
def test_elsewhere_nothing_is_drawn(sample: evalsql.Warehouse, demo: Command, screen: Any, sample_file: Path) -> None:
    head = "place  qrels   run           nDCG@10      AP    P@10   R@100      RR  Judged@10"
    expected = f"{head}\n{chr(0x2500) * len(head)}\n"
    for place, (run, row) in enumerate(values(sample).items(), 1):
        cells = [f"{value:.4f}".rjust(size) for value, size in zip(row, (7, 6, 6, 6, 6, 9), strict=True)]
        expected += "  ".join([f"{place:5}", "sample", run.ljust(12), *cells]) + "\n"
    outcome = demo("leaderboard")
    assert outcome.stdout == expected
    assert "by topic" not in outcome.stderr
    assert "narrow" not in outcome.stderr
    for format_name in ("csv", "markdown"):
        asked = ("leaderboard", "-m", "AP", "bm25", "--format", format_name)
        assert screen(*asked, columns=40, db=sample_file).startswith(demo(*asked).stdout)
    text = screen("leaderboard", "-m", "AP", columns=100, encoding="ascii", db=sample_file)
    assert text.isascii()
    assert "rerank-large" in text
    assert "narrow" not in text


@pytest.mark.long
def test_odd_boards(odd: Path, shown: Shown) -> None:
    """Two judgment sets, a measure of values below 0, one topic, a name with a meaning elsewhere."""
    lines = shown("leaderboard", "x", "<b>*", "-m", "Utility", db=odd, columns=100)
    assert "qrels" in lines[0]
    for words in ("<b>[bold]|y", "by topic: Utility of the topic, from", "(one)", "(two)"):
        assert words in "\n".join(lines)


def expected_pair(row: dict[str, str], *p_values: str) -> list[str]:
    """What a line says of a pair."""
    return [
        *(f"{float(row[name]):.4f}" for name in ("mean", "difference")),
        f"{float(row['low']):.4f}..{float(row['high']):.4f}",
        *("<0.0001" if float(row[name]) < 0.00005 else f"{float(row[name]):.4f}" for name in p_values),
        "-".join(row[name] for name in ("wins", "ties", "losses")),
    ]


@pytest.mark.long
@pytest.mark.parametrize("measures", few_of(["nDCG@10,AP", "AP"], 1))
def test_compare_at_80_columns_shows_the_answer_and_at_160_everything(
    demo: Command, shown: Shown, measures: str
) -> None:
    asked = ("compare", "bm25", "-m", measures)
    rows = csv_rows(demo(*asked, "--format", "csv").stdout)
    assert len(rows) == 7 * len(measures.split(","))
    lines = shown(*asked, columns=80)
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
    wide = shown(*asked, columns=160)
    for line, row in zip(wide[2:], rows, strict=False):
        assert line.split()[:4] == [row[name] for name in ("qrels", "measure", "baseline", "run")]
        assert line.split()[-1] == expected_pair(row)[-1]
    assert "narrow" not in "\n".join(wide)


@pytest.mark.long
def test_names_are_cut_in_the_middle_and_a_run_has_a_line(odd: Path, shown: Shown) -> None:
    listed = shown("ls", "a-run*", db=odd, columns=80)
    at = next(at for at, line in enumerate(listed) if "a-run" in line)
    assert [line.split()[1:4] for line in listed[at : at + 2]] == [
        [f"a-run-whose-name-is-f..long-for-a-terminal-{number}", "long", "4"] for number in (1, 2)
    ]
    assert all(words in listed[at + 2] for words in ("meta", "whole names"))
    assert max(map(len, listed[: at + 2])) <= 80
    assert shown("compare", *LONG, "-m", "RR", db=odd, columns=60)[2].split()[:2] == ["a-run-w..inal-2", "-0.2500"]


@pytest.mark.long
def test_topics_stand_in_natural_order_everywhere(odd: Path, command: Command, shown: Shown) -> None:
    asked = ("topics", "--qrels", "natural", "-m", "AP,RR")
    found = [tuple(line.split()[1:4]) for line in shown(*asked, db=odd, columns=80)[2:22]]
    assert found == [*itertools.product("vw", NATURAL, ("AP", "RR"))]
    rows = command(*asked, "v", "--db", odd, "--format", "csv").stdout
    assert [row["topic"] for row in csv_rows(rows)][::2] == [*NATURAL]


def test_a_note_on_a_test_stays(odd: Path, shown: Shown) -> None:
    """One topic has no interval, and that a p value has a reason of its own is said beside it."""
    lines = shown("compare", "base", "--qrels", "single", "-m", "RR", db=odd, columns=80)
    rows = {line.split()[0]: line.split()[-2:] for line in lines[2:4]}
    assert rows == {"twin": ["0-1-0", "identical"], "other": ["one", "topic"]}


@pytest.mark.long
def test_what_changed_stays_beside_the_means_of_a_history(tmp_path: Path, shown: Shown) -> None:
    path = tmp_path / "years.duckdb"
    with evalsql.open(path) as made:
        made.load_qrels({"t": {"a": 1}}, "sample")
        for day, score in enumerate((1.0, 3.0), start=1):
            meta = {"system": "hybrid", "version": f"v{day}", "date": f"2026-10-0{day}"}
            made.load_run({"t": {"a": score, "b": 2.0}}, f"night-{day}", meta=meta)
    head, _, _, last, *told = shown("history", "-m", "RR", db=path, columns=100)
    assert (head.split()[-2:], last.split()[-2:]) == (["difference", "changed"], ["0.5000", "version"])
    assert "qrels (sample in every row)" in " ".join(told)


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
    names = {30: ["a name..words"], 20: ["a run..words", "b"]} if "whole names" in lacking else {}
    assert [row[0] for row in narrow.rows] == names.get(cells, [row[0] for row in narrow.rows])


def test_what_is_cut_and_drawn_in_cells() -> None:
    for cells, text in {10: "abcdefghij", 9: "abcd..hij", 8: "abc..hij", 5: "ab..j", 4: "a..j"}.items():
        assert terminal.cut("abcdefghij", cells) == text
    assert terminal.cut("BM25 and more words", 11) == "BM25..ords"
    assert terminal.cut("\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57", 8) == "\u6f22..\u6f22\u5b57"
    bars = {0: "", 1: "\u258f", 8: "\u2588", 13: "\u2588\u258b"}
    assert {eighths: terminal.bar(eighths) for eighths in bars} == bars
    assert terminal.sparkline([1, 8, 0]) == "\u2581\u2588?"


WORDS = (
    *("", "a", "bm25", "FSDM [d]", " lead", "trail ", "two  words"),
    *("\u6f22\u5b57", "e\u0301", "\u2014", "\t", "\U0001f600"),
)


def written(table: Table) -> list[str]:
    stream = io.StringIO()
    terminal.write_table(table, stream, 4)
    return stream.getvalue().splitlines()


@pytest.mark.fast
def test_aligned_columns_are_those_of_rich() -> None:
    chance = random.Random(1)
    for _ in range(100):
        kinds = chance.choices(["word", "number", "whole", "mixed"], k=chance.randint(1, 5))

        def value(kind: str) -> object:
            number = chance.choice([0.5, -12.25, 1e9, 3])
            whole = chance.choice([None, 1, 1_000_000])
            word = chance.choice(WORDS)
            return {"word": word, "number": number, "whole": whole, "mixed": chance.choice([number, word])}[kind]

        rows = [tuple(map(value, kinds)) for _ in range(chance.randint(0, 6))]
        table = Table([chance.choice(("run", "qrels", "nDCG@10", "\u540d", "a b", "")) for _ in kinds], rows)
        assert written(table) == [line.rstrip() for line in terminal._rendered(table, 4, io.StringIO())]


def test_long_texts_are_folded_and_names_of_several_lines_stay_one_column() -> None:
    assert max(map(len, written(Table(["x", "y"], [("a" * 25_000, "b")])))) <= 10_000
    assert written(Table(["a\nb"], [("x",)]))[-1] == "x"


def test_marks_of_topics_are_those_of_loaded_values_too(tmp_path: Path, shown: Shown) -> None:
    (tmp_path / "scores.csv").write_text("qrels,run,topic,measure,value\nq,loaded,1,AP,0.25\nq,loaded,2,AP,1\n")
    for name in ("both", "alone"):
        with evalsql.open(tmp_path / name) as warehouse:
            warehouse.load_qrels({"1": {"d": 1}, "2": {"d": 1}}, "q")
            warehouse.load_scores(tmp_path / "scores.csv")
            if name == "both":
                warehouse.load_run({"1": {"d": 1.0}, "2": {"e": 2.0, "d": 1.0}}, "computed")
    board = shown("leaderboard", "-m", "RR", "-m", "AP", db=tmp_path / "alone", columns=160)
    assert re.search(r"loaded/q +0\.6250", "\n".join(board))
    lines = map(str.split, shown("leaderboard", "-m", "AP", db=tmp_path / "both", columns=160))
    marks = {line[2]: line[-1] for line in lines if line[:1] in (["1"], ["2"])}
    # Topic 1 comes first, as its mean is lower, .625. Heights are 1 + 7 * value: of 1 and .5, and of .25 and 1.
    assert marks["computed"] in ("\u2588\u2584", "\u2588\u2585")
    assert marks["loaded/q"] == "\u2583\u2588", marks
