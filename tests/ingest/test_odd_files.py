"""Files as people have them: odd blanks, line ends and JSON are read as their TREC copies, or refused with advice."""

from __future__ import annotations

import json
from pathlib import Path

import pandas
import pytest

import evalsql
from evalsql import InputError
from tests.conftest import write
from tests.ingest.sample_rows import QRELS, RUN, TREC_QRELS, TREC_RUN
from tests.ingest.variants import BEIR, MEASURES, delimited, nested, ranked

RANKED = [(topic, name, rank) for topic, names in ranked().items() for rank, name in enumerate(names, start=1)]
THREE = [(topic, name, grade) for topic, name, grade, _ in QRELS]
OF_NTCIR = [(topic, name, f"L{grade}" if grade >= 0 else grade) for topic, name, grade in THREE]
JUDGMENTS = {
    "several blanks": "".join(f"{t}  {d}   {g}\n" for t, d, g in THREE),
    "a blank at the end": "".join(f"{t} {d} {g} \r\n" for t, d, g in THREE),
    "a tab at the end": "".join(f"{t}\t{d}\t{g}\t\n" for t, d, g in THREE),
    "tabs and blanks": "".join(f"{t} \t{d}\t {g}\n" for t, d, g in THREE),
    "a comment and a mark": "\ufeff# judged\n" + "".join(f"{t} {d}  {g}\n" for t, d, g in THREE),
    "a negative grade first": "T01 nowhere -1\n" + "".join(f"{t} {d} {g}\n" for t, d, g in THREE),
    "grades of NTCIR": "".join(f"{t} {d} {g}\n" for t, d, g in OF_NTCIR),
    "grades of NTCIR by subtopic": "".join(f"{t} 1 {d} {g}\n" for t, d, g in OF_NTCIR),
    "grades of NTCIR, TSV": delimited(BEIR, OF_NTCIR, "\t").decode(),
    "decimals": "".join(f"{t}\t{d}\t{g}.0\n" for t, d, g in THREE),
    "a column judgment": delimited(("topic", "document", "judgment"), THREE, ",").decode(),
}
DEEP = "[" * 5000 + "]" * 5000
COLUMNS = pandas.DataFrame([row[:3] for row in RUN], columns=["qid", "docno", "score"])


def figures(qrels: Path, run: Path) -> list[tuple[object, ...]]:
    with evalsql.open(":memory:") as warehouse:
        warehouse.load_qrels(qrels, "q")
        warehouse.load_runs(run, name="r", qrels="q")
        found = warehouse.rows(f"select topic, measure, value from scores where measure in {MEASURES} order by all")
    assert len(found) > 50
    return found


def assert_equal(found: list[tuple[object, ...]], expected: list[tuple[object, ...]]) -> None:
    """The same values but for the last digit, which hangs on the order in which threads add."""
    assert [row[:-1] for row in found] == [row[:-1] for row in expected]
    assert [row[-1] for row in found] == pytest.approx([row[-1] for row in expected], abs=1e-12)


@pytest.mark.parametrize("kind", JUDGMENTS)
def test_judgments_of_three_columns_are_those_of_trec(tmp_path: Path, kind: str) -> None:
    run, expected = write(tmp_path / "r.run", TREC_RUN), TREC_QRELS
    if kind == "a negative grade first":
        expected += "T01 0 nowhere -1\n"
    told = figures(write(tmp_path / "three.txt", JUDGMENTS[kind]), run)
    assert_equal(told, figures(write(tmp_path / "four.txt", expected), run))


@pytest.mark.parametrize("parted", [" ", "  ", " \t"])
def test_rankings_of_three_columns_are_those_of_trec(tmp_path: Path, parted: str) -> None:
    qrels = write(tmp_path / "q.txt", TREC_QRELS)
    three = "".join(f"{t}{parted}{d}{parted}{rank} \n" for t, d, rank in RANKED)
    trec = "".join(f"{t} Q0 {d} {rank} {-rank} x\n" for t, d, rank in RANKED)
    assert_equal(figures(qrels, write(tmp_path / "three", three)), figures(qrels, write(tmp_path / "six", trec)))


@pytest.mark.parametrize("parted", ["\t", " "])
def test_scores_in_the_third_column_are_those_of_trec(tmp_path: Path, parted: str) -> None:
    qrels = write(tmp_path / "q.txt", TREC_QRELS)
    three = write(tmp_path / "three", "".join(f"{t}{parted}{d}{parted}{score!r}\n" for t, d, score, _ in RUN))
    assert_equal(figures(qrels, three), figures(qrels, write(tmp_path / "six", TREC_RUN)))


def test_predictions_of_mteb_are_those_of_trec(tmp_path: Path) -> None:
    qrels, model = write(tmp_path / "q.txt", TREC_QRELS), {"model_name": "some/model", "revision": "1"}
    predictions = json.dumps({"mteb_model_meta": model, "default": {"test": nested(RUN)}})
    told = figures(qrels, write(tmp_path / "Some_predictions.json", predictions))
    assert_equal(told, figures(qrels, write(tmp_path / "six", TREC_RUN)))


@pytest.mark.parametrize("indent", [None, 1])
def test_json_that_is_not_utf8_is_refused_with_its_line(tmp_path: Path, indent: int | None) -> None:
    content = json.dumps({"T01": {"d1": 1.0, "dé": 2.0}}, ensure_ascii=False, indent=indent).encode("latin-1")
    line = 4 if indent else 1
    with evalsql.open(":memory:") as warehouse, pytest.raises(InputError, match=rf"r:{line}: JSON: not UTF-8 text"):
        warehouse.load_runs(write(tmp_path / "r", content))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_told_with_and_without_its_mark(tmp_path: Path, encoding: str) -> None:
    with evalsql.open(":memory:") as warehouse, pytest.raises(InputError, match=r"r: is text in UTF-16, .* as UTF-8"):
        warehouse.load_runs(write(tmp_path / "r", TREC_RUN.encode(encoding)))
