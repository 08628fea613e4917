"""Judgments and runs of spans on their way in: which files are some, units, faults, and what becomes of documents."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import evalsql
from evalsql import InputError, UsageError, Warehouse
from evalsql.evaluation.notices import audits, findings
from tests.conftest import FIXTURES, Command, assert_refused, csv_rows, warned, write
from tests.long_cases import few_of

CASE = FIXTURES / "spans"
JUDGED, RUN = CASE / "spans.csv", CASE / "runs" / "system.csv"


def rows_of(path: Path) -> list[dict[str, Any]]:
    with path.open(newline="") as stream:
        return [
            {name: value if name in ("topic", "document") else json.loads(value) for name, value in row.items()}
            for row in csv.DictReader(stream)
        ]


def as_lines(rows: list[dict[str, Any]], path: Path) -> Path:
    return write(path.with_suffix(".jsonl"), "".join(json.dumps(row) + "\n" for row in rows))


def as_table(rows: list[dict[str, Any]], path: Path) -> Path:
    return write(
        path.with_suffix(".tsv"),
        "\n".join("\t".join(map(str, row)) for row in [[*rows[0]], *(r.values() for r in rows)]),
    )


def as_parquet(rows: list[dict[str, Any]], path: Path) -> Path:
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.Table.from_pylist(rows), path.with_suffix(".parquet"))
    return path.with_suffix(".parquet")


def as_rankings(rows: list[dict[str, Any]], path: Path) -> Any:
    """A record a topic, as retrieval in Python returns it."""
    if "grade" in rows[0]:
        return rows
    return [{"qid": "t1", "docs": [{name: row[name] for name in row if name != "topic"} for row in rows]}]


@pytest.mark.parametrize("made", few_of([as_lines, as_table, as_parquet, as_rankings, lambda rows, path: rows], 1))
def test_every_form_gives_the_same_spans(empty: Warehouse, tmp_path: Path, made: Callable[..., Any]) -> None:
    empty.load_qrels(JUDGED, "csv", form="spans")
    empty.load_qrels(made(rows_of(JUDGED), tmp_path / "judged"), "other", form="spans")
    empty.load_runs(RUN, name="csv", qrels="csv", collapse="max")
    run = made(rows_of(RUN), tmp_path / "run")
    load = empty.load_runs if isinstance(run, Path) else empty.load_run
    load(run, name="other", qrels="csv", collapse="max")
    for view, name in (("span_judgments", "qrels"), ("span_rankings", "run"), ("rankings", "run")):
        found = [
            empty.rows(f"select * exclude ({name}) from {view} where {name} = ? order by all", [each])
            for each in ("csv", "other")
        ]
        assert found[0] == found[1] != []
    assert findings(empty.evaluation, audits(empty.catalog)) == []


def test_lines_and_pages_include_their_end(empty: Warehouse, tmp_path: Path) -> None:
    """Line 7 alone is a span of one line; with line 8 it has two, of which the result has one."""
    spans = (("t", "a", 7, 7), ("t", "a", 20, 21))
    judged = [{"topic": t, "document": d, "start_line": s, "end_line": e} for t, d, s, e in spans]
    run = [{"topic": "t", "document": "a", "start": 7, "end": 8, "score": 1.0}]
    empty.load_qrels(judged, "q", form="spans", unit="lines")
    empty.load_run(run, "r", collapse="max", unit="lines")
    for given in (run, write(tmp_path / "r.jsonl", json.dumps(run[0]) + "\n")):
        found = evalsql.evaluate(judged, given, "UnitP", form="spans", unit="lines", collapse="max")
        assert found == {"UnitP": 0.5}
    assert empty.rows("select value from unit_p") == [(0.5,)]
    assert empty.rows("select value from unit_r") == [(pytest.approx(1 / 3),)]
    assert empty.rows("select span_start, span_end, unit from span_judgments order by 1") == [
        (7, 7, "lines"),
        (20, 21, "lines"),
    ]
    with pytest.raises(UsageError, match="have spans in lines and run s in characters"):
        empty.load_run([{"topic": "t", "document": "a", "start": 7, "end": 8, "score": 1.0}], "s", collapse="max")


@pytest.mark.parametrize(
    ("collapse", "expected"),
    [
        ("max", [("b", 0.9), ("c", 0.6), ("a", 0.5)]),
        ("first", [("b", 0.9), ("c", 0.6), ("a", 0.5)]),
        ("sum", [("a", 1.0), ("b", 0.9), ("c", 0.6)]),
    ],
)
def test_documents_are_ranked_by_their_spans(empty: Warehouse, collapse: str, expected: list[Any]) -> None:
    scores = [("a", 0.5), ("b", 0.9), ("a", 0.5), ("c", 0.6)]
    rows = [{"topic": "t", "document": d, "start": at, "end": at + 1, "score": s} for at, (d, s) in enumerate(scores)]
    empty.load_run(rows, "run", collapse=collapse)
    assert empty.rows("select document, score from rankings order by rank") == expected
    if collapse == "first":  # under the order of the rows the first one counts, whatever its score
        empty.load_run(rows, "as given", collapse=collapse, tie_rule="input")
        given = empty.rows("select document, score from rankings where run = 'as given' order by rank")
        assert given == [("a", 0.5), ("b", 0.9), ("c", 0.6)]


HEAD = "topic,document,start,end"


def test_judgments_with_places_name_the_form_that_takes_them(empty: Warehouse, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no column for the grade.*; --form spans takes start and end"):
        empty.load_qrels(write(tmp_path / "q.csv", f"{HEAD}\nt,a,0,4\n"))
    graded = write(tmp_path / "graded.csv", f"{HEAD},grade\nt,a,0,4,1\n")
    assert "--form spans takes start and end" in "".join(warned(lambda: empty.load_qrels(graded)))


def test_places_in_several_units_are_told_apart_by_their_columns(empty: Warehouse, tmp_path: Path) -> None:
    rows = write(tmp_path / "r.csv", "topic,document,start_byte,end_byte,start_line,end_line,score\nt,a,40,90,2,3,1\n")
    named = {"start": "start_line", "end": "end_line"}
    empty.load_runs(rows, collapse="max", unit="lines", columns=named)
    assert empty.rows("select span_start, span_end from span_rankings") == [(2, 3)]
    alone = write(tmp_path / "alone.csv", "topic,document,start_index,score\nt,a,40,1\n")
    assert "not loaded: start_index" in "".join(warned(lambda: empty.load_runs(alone)))


def test_runs_of_spans_are_refused_unless_it_is_said_what_they_are(empty: Warehouse, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--collapse max, first or sum"):
        empty.load_runs(RUN)
    with pytest.raises(InputError, match="--collapse is for results with a start and an end"):
        empty.load_runs(FIXTURES / "mixed" / "runs" / "system.run", collapse="max")
    faulty = write(tmp_path / "r.csv", f"{HEAD},score\nt,a,0,4,1\nt,a,9,3,1\n")
    with pytest.raises(InputError, match=":3: CSV: end 3 is before start 9"):
        empty.load_runs(faulty, collapse="max")
    ranked = write(tmp_path / "r.csv", f"{HEAD},rank\nt,a,0,4,1\n")
    with pytest.raises(UsageError, match="collapse max goes by scores"):
        empty.load_runs(ranked, collapse="max")
    for how, reason in (
        ({"collapse": "sum", "lower_is_better": True}, "collapse sum is for scores"),
        ({"collapse": "least"}, "collapse least is unknown; there are: max"),
        ({"collapse": "max", "unit": "inches"}, "unit inches is unknown"),
        ({"unit": "lines"}, "a unit is that of spans"),
        ({"collapse": "max", "meta": {"unit": "pages"}}, "meta unit=pages contradicts --unit characters"),
    ):
        with pytest.raises(UsageError, match=reason):
            empty.load_runs(RUN, **how)
    empty.load_runs(ranked, collapse="first")
    empty.load_runs(write(tmp_path / "of-times.csv", f"{HEAD},score\nt,a,0,-4,1\n"), collapse="none")
    assert empty.rows("select run, count(*) from span_rankings group by run") == [("r", 1)]


@pytest.mark.long
def test_spans_go_with_their_judgments_and_runs(empty: Warehouse, tmp_path: Path) -> None:
    """Replaced, kept as a version, copied in an archive, dropped; what is replaced by the same leaves no version."""
    empty.load_qrels(JUDGED, "q", form="spans")
    empty.load_runs(RUN, name="r", collapse="max")
    empty.load_qrels(JUDGED, "q", form="spans", replace=True)
    assert empty.rows("select qrels from qrels") == [("q",)]
    moved = [{**row, "end": row["end"] + 1} for row in rows_of(JUDGED)]
    empty.load_qrels(moved, "q", form="spans", replace=True)
    empty.load_runs(RUN, name="r", collapse="sum", replace=True)
    assert empty.rows("select qrels, count(*) from span_judgments group by 1 order by 1") == [("q", 4), ("q@1", 4)]
    assert empty.rows("select count(*) from retrieved_spans") == [(5,)]
    assert findings(empty.evaluation, audits(empty.catalog)) == []
    empty.drop_qrels(["q", "q@1"])
    empty.drop_runs("r")
    for table in ("judged_spans", "retrieved_spans", "documents", "topics"):
        assert empty.rows(f"from {table}") == [], table


@pytest.mark.long
@pytest.mark.parametrize("run", [RUN, rows_of(RUN)], ids=["file", "rows"])
def test_evaluating_in_one_go_takes_spans_too(run: Any) -> None:
    how: dict[str, Any] = {"form": "spans", "collapse": "max", "unit": "characters"}
    found = evalsql.evaluate(JUDGED, run, "SpanR@1 UnitP@2 P@5", **how)
    assert found == pytest.approx({"SpanR@1": 2 / 3, "UnitP@2": 0.7, "P@5": 0.4})
    with pytest.raises(InputError, match="--collapse max"):
        evalsql.evaluate({"t1": {"d1": 1}}, run, "AP")


@pytest.mark.long
def test_one_span_set_scores_two_chunkers_from_the_command_line(command: Command, tmp_path: Path) -> None:
    """Compared, gated and reported as any runs are, and written so that both come back."""
    chunks: list[dict[str, Any]] = [
        {"topic": f"t{n}", "document": "d", "start": 10 * at, "end": 10 * at + 10, "score": -at}
        for n in range(8)
        for at in range(6)
    ]
    halves = [
        {**row, "start": row["start"] // 2, "end": row["end"] // 2, "score": row["score"] - row["start"] % 7}
        for row in chunks
    ]
    judged = [{"topic": f"t{n}", "document": "d", "start": 3 * n, "end": 3 * n + 5} for n in range(8)]
    for name, rows in (("chunks", chunks), ("halves", halves), ("judged", judged)):
        as_lines(rows, tmp_path / name)
    done = [
        command("load", "qrels", "judged.jsonl", "--form", "spans", "--unit", "tokens"),
        command("load", "runs", "chunks.jsonl", "halves.jsonl", "--collapse", "max", "--unit", "tokens"),
        command("compare", "chunks", "-m", "SpanR@1,UnitP@2"),
        command("gate", "halves", "--baseline", "chunks", "--rule", "UnitP@2 drop <= 0.9"),
        command("report", "-m", "SpanR@1,UnitIoU@2", "--baseline", "chunks", "-o", "report.html"),
        command("export", "runs", "halves", "-o", "again.jsonl"),
        command("export", "qrels", "judged", "-o", "same.jsonl"),
        command("load", "qrels", "same.jsonl", "--form", "spans", "--unit", "tokens"),
        command("load", "runs", "again.jsonl", "--collapse", "max", "--unit", "tokens", "--qrels", "same"),
    ]
    assert [each.returncode for each in done] == [0] * len(done), [each.stderr for each in done if each.returncode]
    lengths = "runs differ in length of results, so figures may differ: 10 tokens (chunks), 5 tokens (halves)"
    assert lengths in done[2].stderr
    assert "--collapse max --unit tokens" in done[5].stderr
    assert "--form spans for it, with --unit tokens" in done[6].stderr
    board = command("leaderboard", "-m", "SpanR@2,UnitP@3,SpanRR,nDCG", "--format", "csv")
    values = {row["run"]: list(row.values())[2:] for row in csv_rows(board.stdout)}
    assert values["again"] == values["halves"] != values["chunks"]
    ours = command(
        "eval",
        "judged.jsonl",
        "halves.jsonl",
        "--form",
        "spans",
        "--collapse",
        "max",
        "-m",
        "SpanR@2,UnitP@3,SpanRR,nDCG",
        "--format",
        "csv",
    )
    assert [list(row.values())[2:] for row in csv_rows(ours.stdout)] == [values["halves"]]
    assert_refused(
        command("export", "qrels", "judged"), "hold spans, which the format trec has not; parquet, jsonl have"
    )
    assert_refused(
        command("explain", "halves", "t1", "-m", "SpanR"), "goes by spans", "from span_rankings where topic = 'TOPIC'"
    )
    write(tmp_path / "whole.run", "t1 Q0 d 1 1 x\n")
    loaded = command("load", "runs", "whole.run", "--qrels", "judged")
    assert loaded.returncode == 0
    assert "whole: results without start and end" in command("leaderboard", "-m", "SpanR", "--qrels", "judged").stderr
