"""Small files of which the rows are known: every form of TREC files, headers of all kinds, marks that hide no row."""

import json
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest

from evalsql import InputError, UsageError, Warehouse
from evalsql.ingest.files.input_files import stem
from tests.conftest import write
from tests.ingest.variants import PACKS
from tests.long_cases import content, rows_of

Rows = list[tuple[str, str, float]]
TWO_PACKS = [PACKS["gzip"], PACKS["zstd"]]
CASES = [
    (
        load,
        name,
        json.loads(options),
        content(text),
        [(topic, document, value) for topic, document, value in json.loads(rows)],
    )
    for load, name, options, text, rows in rows_of(Path(__file__).with_name("rows.tsv"))
]
RUNS: dict[str, tuple[dict[str, Any], bytes, Rows]] = {
    **{name: (options, text, rows) for load, name, options, text, rows in CASES if load == "runs"},
    **{
        f"packed {at} {number} {len(ending)}{ending}": ({}, pack(CASES[number][3]), CASES[number][4])
        for at, pack in enumerate(TWO_PACKS)
        for number in (0, 10)  # one for each reader
        for ending in (".run.gz", ".zst", "")
    },
}
HELD = "select topic, document, score from rankings where run = ? order by all"


def test_runs_have_the_rows_that_their_files_say(empty: Warehouse, tmp_path: Path) -> None:
    plain = {name: write(tmp_path / name, text) for name, (options, text, _) in RUNS.items() if not options}
    assert empty.load_runs([*plain.values()]) == list(map(stem, plain))
    for name, (options, text, _) in RUNS.items():
        if options:
            empty.load_runs(write(tmp_path / name, text), **options)
    found = {name: empty.rows(HELD, [stem(name)]) for name in RUNS}
    assert found == {name: sorted(rows) for name, (*_, rows) in RUNS.items()}
    assert empty.load_runs(plain["form 1.run"], name="alone") == ["alone"]
    assert empty.rows(HELD, ["alone"]) == RUNS["form 1.run"][2]
    headers = "select run, comments from runs where run in ('form 11', 'form 12') order by run"
    assert [comments for _, comments in empty.rows(headers)] == [
        RUNS[f"form {at}.run"][1].decode().partition("\n")[0] for at in (11, 12)
    ]


def test_judgments_have_the_grades_that_their_files_say(empty: Warehouse, tmp_path: Path) -> None:
    judgments = [(text, rows) for load, _, _, text, rows in CASES if load == "qrels"]
    for text, rows in [*judgments, *((pack(judgments[0][0]), judgments[0][1]) for pack in TWO_PACKS)]:
        empty.load_qrels(write(tmp_path / "q", text), replace=True)
        found: list[Any] = empty.rows("select topic, document, grade from judgments where qrels = 'q' order by all")
        assert found == sorted(rows), text


@pytest.mark.parametrize(
    ("path", "name"),
    [
        *(("runs/a.run", "a"), ("a.run.gz", "a"), ("a.csv.bz2", "a"), ("a.csv.xz", "a"), ("a.b.txt.run.gz", "a.b.txt")),
        *(("r5.fusion1", "r5.fusion1"), ("input.system", "input.system"), (".run", ".run")),
    ],
)
def test_a_run_is_called_by_its_files_stem(path: str, name: str) -> None:
    assert stem(path) == name


@pytest.mark.parametrize("kind", ["varchar", "decimal(38, 20)"])
def test_a_grade_of_a_column_of_numbers_is_not_rounded(empty: Warehouse, tmp_path: Path, kind: str) -> None:
    rows = f"select 't' as topic, 'd' as document, '{{}}'::{kind} as grade"
    duckdb.execute(f"copy ({rows.format('0.99999999999999999999')}) to '{tmp_path / 'q.parquet'}'")
    for judgments in (tmp_path / "q.parquet", duckdb.sql(rows.format("0.99999999999999999999"))):
        with pytest.raises(InputError, match=r'grade "0.99999999999999999999" is not a whole number'):
            empty.load_qrels(judgments, "q")
    empty.load_qrels(duckdb.sql(rows.format("2.00000000000000000000")), "q")
    assert empty.rows("select grade from judgments") == [(2,)]


@pytest.mark.parametrize("number", [Decimal, Fraction, str])
def test_a_grade_of_python_is_not_rounded(empty: Warehouse, number: Callable[[str], Any]) -> None:
    with pytest.raises((UsageError, InputError), match=r'grade ".+" is not a whole number'):
        empty.load_qrels({"t": {"d": number("0.99999999999999999999")}}, "q")
    empty.load_qrels({"t": {"d": number("2")}}, "q")
    assert empty.rows("select grade from judgments") == [(2,)]
