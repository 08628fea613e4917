"""Headers that name columns in other places than TREC files have them."""

from __future__ import annotations

import json
from pathlib import Path

import pandas
import pyarrow
import pytest
from pyarrow import feather

from evalsql import InputError, UsageError, Warehouse
from tests.conftest import write

JUDGMENTS = {
    "row query_id thing label\n0 5 25434 2\n": "the header calls column 2 query_id, .* topic in column 1",
    "topic passage iteration relevance\n5 a 0 1\n": "the header calls column 3 iteration, .* iteration in column 2",
}


@pytest.mark.parametrize("text", JUDGMENTS)
def test_judgments_whose_header_names_other_columns_are_refused(empty: Warehouse, tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match="q.txt:1: " + JUDGMENTS[text] + ".*; --columns .*grade=NAME says which"):
        empty.load_qrels(write(tmp_path / "q.txt", text))


def test_what_such_a_header_names_is_loaded_by_columns(empty: Warehouse, tmp_path: Path) -> None:
    path = write(tmp_path / "r.txt", "system query_id item rank score\nx 5 a 1 2.0\n")
    empty.load_runs(path, columns={"document": "item"})
    assert empty.rows("select topic, document, score from rankings") == [("5", "a", 2.0)]


@pytest.mark.parametrize(
    "header", ["query q0 name rank score run", "qid Q0 doc_x rank score", "topic iter doc rank score tag"]
)
def test_a_header_with_trec_columns_under_other_names_is_none_of_these(
    empty: Warehouse, tmp_path: Path, header: str
) -> None:
    empty.load_runs(write(tmp_path / "r.txt", f"{header}\n5 Q0 a 1 2.0 x\n"))
    assert empty.rows("select topic, document, score from rankings") == [("5", "a", 2.0)]


def test_products_are_documents(empty: Warehouse, tmp_path: Path) -> None:
    empty.load_qrels(write(tmp_path / "q.tsv", "id\tquery_id\tproduct_id\tlabel\n0\t5\t254\t2\n"))
    assert empty.rows("select topic, document, grade from judgments") == [("5", "254", 2)]


TWICE = "2 columns could be the topic: qid, QID; --columns topic=NAME"


def test_columns_that_differ_in_case_alone_are_refused(empty: Warehouse, tmp_path: Path) -> None:
    path = write(tmp_path / "r.csv", "qid,QID,docno,score\n1,2,a,3\n")
    with pytest.raises(InputError, match=f"r.csv:1: CSV: {TWICE}"):
        empty.load_runs(path)
    row = {"qid": "1", "QID": "2", "docno": "a", "score": 3}
    with pytest.raises(InputError, match=f"l.jsonl:1: JSON lines: {TWICE}"):
        empty.load_runs(write(tmp_path / "l.jsonl", json.dumps(row) + "\n"))
    for data in (pandas.DataFrame([row]), [row]):
        with pytest.raises(UsageError, match=TWICE):
            empty.load_run(data, "frame")
    empty.load_runs(path, columns={"topic": "QID"})
    assert empty.rows("select topic, document, score from rankings") == [("2", "a", 3.0)]


def test_two_columns_of_a_frame_under_one_name_are_refused(empty: Warehouse) -> None:
    frame = pandas.DataFrame([["1", "a", 1.0, 2.0]], columns=["qid", "docno", "score", "score"])
    with pytest.raises(UsageError, match="2 columns are called score"):
        empty.load_run(frame, "r")


@pytest.mark.parametrize("shape", ["table", "batch", "reader", "Feather"])
def test_columns_of_one_name_are_refused_in_arrow(empty: Warehouse, tmp_path: Path, shape: str) -> None:
    table = pyarrow.table([["other"], ["d1"], [2.0], ["q1"]], names=["qid", "docno", "score", "qid"])
    feather.write_feather(table, tmp_path / "r.feather")
    data = {"table": table, "batch": table.to_batches()[0], "reader": table.to_reader()}
    with pytest.raises((UsageError, InputError), match="2 columns are called qid"):
        empty.load_runs(tmp_path / "r.feather") if shape == "Feather" else empty.load_run(data[shape], "r")
