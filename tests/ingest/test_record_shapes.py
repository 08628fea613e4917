"""Records as rerankers and programs write them: names in objects, lists beside fields, a list for each column."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy
import pandas
import pytest

from evalsql import InputError, UsageError, Warehouse
from tests.conftest import write

ROWS = [("1", "a", 3.0), ("1", "b", 2.0), ("2", "a", 1.0)]
RECORDS = [
    {
        "query": {"text": "x", "qid": topic},
        "candidates": [
            {"docid": name, "score": score, "doc": {"t": "y"}} for each, name, score in ROWS if each == topic
        ],
    }
    for topic in ("1", "2")
]
HITS = [
    {
        "query": f"text of {topic}",
        "hits": [{"qid": int(each), "docid": name, "score": score} for each, name, score in ROWS if each == topic],
    }
    for topic in ("1", "2")
]
CONTEXTS = [  # as DPR writes them
    {
        "id": topic,
        "question": "x",
        "answers": ["y"],
        "ctxs": [{"id": name, "score": str(score), "has_answer": True} for each, name, score in ROWS if each == topic],
    }
    for topic in ("1", "2")
]
LISTS = [{"qid": topic, "docno": name, "score": score, "vector": [1, 2]} for topic, name, score in ROWS]
COLUMNS = {"qid": ["1", "1", "2"], "docno": ["a", "b", "a"], "score": [3.0, 2.0, 1.0]}
LATER = [{"qid": "1", "docs": ["a", "b"], "scores": [3, 2]}, {"qid": {"id": "2"}, "docs": ["a"], "scores": [1]}]
SHAPES: dict[str, Any] = {
    "topic in an object": RECORDS,
    "topic in the documents": HITS,
    "contexts": CONTEXTS,
    "rows with a list beside": LISTS,
    "columns": COLUMNS,
    "an object further down": LATER,
}
FRAME = pandas.DataFrame(ROWS, columns=["qid", "docno", "score"])


def stored(warehouse: Warehouse, run: str = "r") -> list[tuple[Any, ...]]:
    return warehouse.rows(f"select topic, document, score from rankings where run = '{run}' order by topic, document")


def lines(data: list[Any]) -> str:
    return "".join(json.dumps(each) + "\n" for each in data)


WRITTEN = [(kind, json.dumps) for kind in SHAPES] + [(kind, lines) for kind in SHAPES if kind != "columns"]


@pytest.mark.parametrize(("kind", "written"), WRITTEN)
def test_records_have_the_rows_they_stand_for(
    empty: Warehouse, tmp_path: Path, kind: str, written: Callable[[Any], str]
) -> None:
    empty.load_runs(write(tmp_path / "r.json", written(SHAPES[kind])))
    assert stored(empty) == ROWS


@pytest.mark.parametrize("kind", SHAPES)
def test_records_in_memory_have_them_too(empty: Warehouse, kind: str) -> None:
    empty.load_run(SHAPES[kind], "r")
    assert stored(empty) == ROWS


def test_keys_and_columns_of_numpy_are_taken(empty: Warehouse) -> None:
    empty.load_run({name: column.to_numpy() for name, column in FRAME.items()}, "columns")
    empty.load_run({numpy.int64(1): {"a": 3.0, "b": 2.0}, numpy.str_("2"): {"a": numpy.float32(1)}}, "dict")
    for run in ("columns", "dict"):
        assert stored(empty, run) == ROWS


REFUSED = {
    "no topic": (
        [{"question": "x", "hits": [{"docid": "a", "score": 1}]}],
        "there is no field for the topic; found question, hits; --columns topic=NAME, in Python",
    ),
    "no name in the object": (
        [{"query": {"text": "x"}, "docs": ["a"]}],
        "query has no field for the name of the topic",
    ),
    "two topics in one": (
        [{"query": "x", "hits": [{"qid": at, "docid": f"d{at}", "score": 1} for at in (1, 2)]}],
        "qid differs among the documents of x: 1, 2",
    ),
    "columns of other lengths": (COLUMNS | {"score": [1.0]}, "the columns differ in length: 3 of the topic"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_records_that_name_no_rows_are_refused(empty: Warehouse, tmp_path: Path, kind: str) -> None:
    data, reason = REFUSED[kind]
    with pytest.raises(InputError, match=f"r.json: JSON: {reason}"):
        empty.load_runs(write(tmp_path / "r.json", json.dumps(data)))
    with pytest.raises(UsageError, match=reason):
        empty.load_run(data, "r")
    assert empty.rows("select count(*) from runs") == [(0,)]


UNREAD = {
    "sparse": (FRAME.assign(score=pandas.arrays.SparseArray([3.0, 2.0, 1.0])), "Sparse"),
    "records of numpy": (FRAME.to_records(index=False), "data of type recarray is neither"),
    "an index": (FRAME.set_index(list(FRAME.columns[:2])), r"; the index has .*, which reset_index\(\) makes columns$"),
    "None": (None, "data of type NoneType is neither nested dicts nor a table to read$"),
}


@pytest.mark.parametrize("kind", UNREAD)
def test_data_that_the_engine_cannot_read_is_refused_by_its_type(empty: Warehouse, kind: str) -> None:
    data, reason = UNREAD[kind]
    with pytest.raises(UsageError, match=reason):
        empty.load_run(data, "r")
    empty.load_run({"1": {"a": 1.0}}, "r")  # the refusal has left nothing behind
    assert stored(empty) == [("1", "a", 1.0)]


NAME = "5e9c1fd0-6c00-424c-8210-b309a94a5f43"


@pytest.mark.parametrize("kind", ["file", "frame"])
@pytest.mark.parametrize(
    ("documents", "expected"),
    [
        ("'d1'::enum('d1', 'd2')", "d1"),
        ("7::utinyint", "7"),
        (f"'{NAME}'::uuid", NAME),
        ("['a', 'b']", None),
        ("1.5", None),
    ],
)
def test_types_that_hold_names_are_the_same_in_files_and_frames(
    empty: Warehouse, tmp_path: Path, kind: str, documents: str, expected: str | None
) -> None:
    rows: Any = duckdb.sql(f"select 't1' as topic, {documents} as document, 1.0 as score")
    data: Any = rows
    if kind == "file":
        data = tmp_path / "r.parquet"
        rows.write_parquet(str(data))
    load: Any = empty.load_runs if kind == "file" else partial(empty.load_run, name="r")
    if expected is None:
        with pytest.raises((UsageError, InputError), match=r"document is of type .*; names are text or whole numbers"):
            load(data)
    else:
        load(data)
        assert stored(empty) == [("t1", expected, 1.0)]


def test_text_that_is_not_utf_8_is_refused_in_dicts_as_in_rows(empty: Warehouse) -> None:
    for data in ({"t1": {"d\udc80": 1.0}}, [("t1", "d\udc80", 1.0)]):
        with pytest.raises(UsageError, match="column document holds text that has no UTF-8"):
            empty.load_run(data, "r")
