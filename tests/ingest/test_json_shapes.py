"""JSON as rerankers and programs write it: names in objects, lists beside fields, a list for each column, records in
one object, rankings with and without scores; in files and in memory."""

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
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from evalsql import InputError, UsageError, Warehouse
from tests.conftest import write

Rows = list[tuple[str, str, float]]
Nested = dict[str, dict[str, Any]]
ROWS: Rows = [("1", "a", 3.0), ("1", "b", 2.0), ("2", "a", 1.0)]
PAIR: Rows = [("1", "a", 3.0), ("2", "b", 2.0)]
RECORDS = [{"qid": topic, "docno": document, "score": score} for topic, document, score in PAIR]
RANKINGS = [{"query_id": "1", "documents": ["a"], "scores": [3]}, {"query_id": "2", "docs": ["b"], "scores": [2]}]
QUESTIONS = [{"id": "1", "documents": ["a", "b"], "snippets": []}, {"id": "2", "documents": ["c"]}]
PLAIN = {"qid": "T1", "docs": ["a", "b"]}
OF_PLAIN: Rows = [("T1", "a", -1.0), ("T1", "b", -2.0)]
HIT = {"qid": "T1", "hits": [{"docid": "a", "score": 2.5, "title": "A"}]}
OF_HIT: Rows = [("T1", "a", 2.5)]


def grouped(record: Callable[[str, Rows], Any]) -> list[Any]:
    """A record for each topic of ROWS."""
    return [record(topic, [row for row in ROWS if row[0] == topic]) for topic in ("1", "2")]


# By name data and the rows it stands for; lists are also written as a line a record.
IN_MEMORY: dict[str, tuple[Any, Rows]] = {
    "topic in an object": (
        grouped(
            lambda topic, rows: {
                "query": {"text": "x", "qid": topic},
                "candidates": [{"docid": name, "score": score, "doc": {"t": "y"}} for _, name, score in rows],
            }
        ),
        ROWS,
    ),
    "topic in the documents": (
        grouped(
            lambda topic, rows: {
                "query": f"text of {topic}",
                "hits": [{"qid": int(topic), "docid": name, "score": score} for _, name, score in rows],
            }
        ),
        ROWS,
    ),
    "contexts, as DPR writes them": (
        grouped(
            lambda topic, rows: {
                **{"id": topic, "question": "x", "answers": ["y"]},
                "ctxs": [{"id": name, "score": str(score), "has_answer": True} for _, name, score in rows],
            }
        ),
        ROWS,
    ),
    "rows with a list beside": (
        [{"qid": topic, "docno": name, "score": score, "vector": [1, 2]} for topic, name, score in ROWS],
        ROWS,
    ),
    "columns": ({"qid": ["1", "1", "2"], "docno": ["a", "b", "a"], "score": [3.0, 2.0, 1.0]}, ROWS),
    "an object further down": (
        [{"qid": "1", "docs": ["a", "b"], "scores": [3, 2]}, {"qid": {"id": "2"}, "docs": ["a"], "scores": [1]}],
        ROWS,
    ),
}
IN_FILES: dict[str, tuple[Any, Rows]] = {
    "rows in an object": ({"results": RECORDS}, PAIR),
    "rankings in an object": ({"queries": RANKINGS}, PAIR),
    "questions with ids": ({"questions": QUESTIONS}, [("1", "a", -1.0), ("1", "b", -2.0), ("2", "c", -1.0)]),
    "rows by topic": ({row["qid"]: [row] for row in RECORDS}, PAIR),
    "one record, topic in an object": (
        {"query": {"qid": "1", "text": "x"}, "candidates": [{"docid": "a", "score": 3}]},
        PAIR[:1],
    ),
    "one record": ({"qid": "1", "docs": ["a"], "scores": [3]}, PAIR[:1]),
    "one record, topic in the documents": ({"query": "x", "hits": [{"qid": 1, "docid": "a", "score": 3}]}, PAIR[:1]),
    "topics called as fields are": (
        {"query": {"a": 3.0}, "documents": {"b": 2.0}},
        [("documents", "b", 2.0), ("query", "a", 3.0)],
    ),
    "names with signs": (
        {'q "1"': {"d\\1": 1, "d\n2": 2, "dé": 3, "😀": 4}, "": {}},
        [('q "1"', name, score) for name, score in (("d\n2", 2.0), ("d\\1", 1.0), ("dé", 3.0), ("😀", 4.0))],
    ),
    "numbers of all kinds": (
        {"T1": {"a": 1e-180, "b": 2.5e-16, "c": -3, "d": 0.1 + 0.2, "e": 12345678901234567}},
        [("T1", *row) for row in zip("abcde", (1e-180, 2.5e-16, -3.0, 0.1 + 0.2, 12345678901234568.0), strict=True)],
    ),
    "numbers as text": (
        {"T1": {"a": "1.5", "b": " 2 "}, "T2": {"a": 0}},
        [("T1", "a", 1.5), ("T1", "b", 2.0), ("T2", "a", 0.0)],
    ),
    "a topic without documents": ({"T1": {"a": 1}, "T2": {}}, [("T1", "a", 1.0)]),
    "blanks around names": ({" T1 ": {" a ": 1, "b": 2}}, [("T1", "a", 1.0), ("T1", "b", 2.0)]),
    "rankings by topic": (
        {"T1": ["b", 'a"', "[c"], "2": [7, "{d"], "T3": []},
        [("2", "7", -1.0), ("2", "{d", -2.0), ("T1", "[c", -3.0), ("T1", 'a"', -2.0), ("T1", "b", -1.0)],
    ),
    "very small scores of rankings": (
        [{"qid": "T1", "docs": ["a", "b"], "scores": [2.5, 1e-180]}],
        [("T1", "a", 2.5), ("T1", "b", 1e-180)],
    ),
    "rows with odd names": (
        [
            *(
                {"qid": "T1", "docno": name, "score": score}
                for name, score in (("[2", 2), ("d\\1", 1e-180), ("é", "0.1"))
            ),
            {"qid": 7, "docno": 8, "score": 3},
        ],
        [("7", "8", 3.0), ("T1", "[2", 2.0), ("T1", "d\\1", 1e-180), ("T1", "é", 0.1)],
    ),
    **{
        f"further down {second}": ([PLAIN, second], sorted([*OF_PLAIN, *rows]))
        for second, rows in (
            ({"qid": "T2", "docs": []}, []),
            ({"qid": "T2", "docs": [7, 1.5]}, [("T2", "7", -1.0), ("T2", "1.5", -2.0)]),
            ({"qid": 2, "docs": ["[c", "{d}"]}, [("2", "[c", -1.0), ("2", "{d}", -2.0)]),
            *(
                (record, [("T2", "c", -1.0), ("T2", "d", -2.0)])
                for record in (
                    {"qid": "T2", "docs": [{"id": "c"}, {"id": "d"}]},
                    {"qid": "T2", "hits": ["c", "d"]},
                    {"T2": ["c", "d"]},
                )
            ),
        )
    },
    **{
        f"hits further down {hits}": ([HIT, {"qid": 2, "hits": hits}], [*rows, *OF_HIT])
        for hits, rows in (
            ([{"docid": "b", "score": 1e-180}, {"score": "3", "docid": 7}], [("2", "7", 3.0), ("2", "b", 1e-180)]),
            ([], []),
            ([{"docid": "b", "score": 1, "more": [1, {"x": 2}]}], [("2", "b", 1.0)]),
        )
    },
}
SHAPES = {**IN_MEMORY, **IN_FILES}


def stored(warehouse: Warehouse, run: str = "r") -> Rows:
    return warehouse.rows(f"select topic, document, score from rankings where run = '{run}' order by topic, document")


def lines(data: list[Any]) -> str:
    return "".join(json.dumps(each) + "\n" for each in data)


def written(data: Any) -> dict[str, str]:
    """The forms in which a file may hold it."""
    return {"whole": json.dumps(data), "other": lines(data) if isinstance(data, list) else json.dumps(data, indent=2)}


@pytest.mark.parametrize("kind", SHAPES)
def test_records_have_the_rows_that_they_stand_for(empty: Warehouse, tmp_path: Path, kind: str) -> None:
    data, rows = SHAPES[kind]
    for form, text in written(data).items():
        empty.load_runs(write(tmp_path / f"{form}.json", text))
        assert stored(empty, form) == rows, form
    if kind in IN_MEMORY:
        empty.load_run(data, "memory")
        assert stored(empty, "memory") == rows


FRAME = pandas.DataFrame(ROWS, columns=["qid", "docno", "score"])


def test_keys_and_columns_of_numpy_are_taken(empty: Warehouse) -> None:
    empty.load_run({name: column.to_numpy() for name, column in FRAME.items()}, "columns")
    empty.load_run({numpy.int64(1): {"a": 3.0, "b": 2.0}, numpy.str_("2"): {"a": numpy.float32(1)}}, "dict")
    for run in ("columns", "dict"):
        assert stored(empty, run) == ROWS


def test_judgments_as_dicts_are_read_as_python_reads_them(empty: Warehouse, tmp_path: Path) -> None:
    judged: Nested = {"T1": {"a": 1, "b": 0, "c": -1}, "T2": {"a": "2"}}
    empty.load_qrels(write(tmp_path / "q.json", json.dumps(judged)), "q")
    rows = empty.rows("select topic, document, grade from judgments order by all")
    assert rows == [(topic, name, int(grade)) for topic, each in judged.items() for name, grade in each.items()]


def test_documents_of_questions_are_judgments_only_as_pairs(empty: Warehouse, tmp_path: Path) -> None:
    path = write(tmp_path / "q.json", json.dumps({"questions": QUESTIONS}))
    with pytest.raises(InputError, match="says nothing of their grade"):
        empty.load_qrels(path)
    empty.load_qrels(path, form="pairs")
    judged = empty.rows("select topic, document, grade from judgments order by topic, document")
    assert judged == [("1", "a", 1), ("1", "b", 1), ("2", "c", 1)]


HITS = [{"docid": "a", "evalue": 5.0}, {"docid": "b", "evalue": 1e-5}]
OF_EVALUES = {
    "by topic": {"1": HITS},
    "rankings": [{"qid": "1", "hits": HITS}],
    "rows in an object": {"results": [{"qid": "1"} | hit for hit in HITS]},
    "rows with a list beside": [{"qid": "1", "parts": [{"length": 3}]} | hit for hit in HITS],
}


@pytest.mark.parametrize("kind", OF_EVALUES)
def test_the_lowest_e_value_of_a_ranking_is_the_best(empty: Warehouse, tmp_path: Path, kind: str) -> None:
    empty.load_runs(write(tmp_path / "file.json", json.dumps(OF_EVALUES[kind])))
    empty.load_run(OF_EVALUES[kind], "memory")
    ranked = empty.rows("select document, rank from rankings order by run, rank")
    assert ranked == [("b", 1), ("a", 2)] * 2


OTHER_TOPIC = "stands where a topic is expected, and holds rows with another qid"
SEVERAL = "topic 1 has several rankings without scores, and nothing says how they go together"
REFUSED: dict[str, tuple[Any, str]] = {
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
    "columns of other lengths": (
        {"qid": ["1", "1", "2"], "docno": ["a", "b", "a"], "score": [1.0]},
        "the columns differ in length: 3 of the topic",
    ),
    "rows below names that are no topics": ({"new": RECORDS, "old": RECORDS}, OTHER_TOPIC),
    "rows below another topic": ({"1": RECORDS[:1], "3": RECORDS[1:]}, OTHER_TOPIC),
    **{
        f"several rankings of a topic, {second}": (
            [{"qid": "1", "docs": ["a"]}, {"qid": "2", "docs": ["a", "b"]}, second],
            SEVERAL,
        )
        for second in ({"qid": "1", "docs": ["b"]}, {"qid": 1, "docs": [{"docid": "b"}]})
    },
}


@pytest.mark.parametrize("kind", REFUSED)
def test_records_that_name_no_rows_are_refused(empty: Warehouse, tmp_path: Path, kind: str) -> None:
    data, reason = REFUSED[kind]
    for text in written(data).values():
        with pytest.raises(InputError, match=rf"r.json: JSON.*{reason}"):
            empty.load_runs(write(tmp_path / "r.json", text))
    with pytest.raises(UsageError, match=reason):
        empty.load_run(data, "r")
    assert empty.rows("select count(*) from runs") == [(0,)]


def test_several_rankings_of_a_topic_with_scores_are_one(empty: Warehouse, tmp_path: Path) -> None:
    scored = [{"qid": "1", "docs": ["a"], "scores": [1]}, {"qid": "1", "docs": ["b"], "scores": [2]}]
    empty.load_runs(write(tmp_path / "r.json", lines(scored)))
    assert empty.rows("select document, rank from rankings order by rank") == [("b", 1), ("a", 2)]


UNREAD = {
    "sparse": (FRAME.assign(score=pandas.arrays.SparseArray([3.0, 2.0, 1.0])), "Sparse"),
    "records of numpy": (FRAME.to_records(index=False), "data of type recarray is neither"),
    "an index": (FRAME.set_index(list(FRAME.columns[:2])), r"; the index has .*, which reset_index\(\) makes columns$"),
    "None": (None, "data of type NoneType is neither nested dicts nor a table to read$"),
    "text without UTF-8": ({"t1": {"d\udc80": 1.0}}, "column document holds text that has no UTF-8"),
    "rows without UTF-8": ([("t1", "d\udc80", 1.0)], "column document holds text that has no UTF-8"),
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


# Blanks of all kinds around a name are no part of it; of blanks only the usual one is tried.
LETTERS = some.one_of(
    some.characters(codec="utf-8", exclude_characters="\0", exclude_categories=["Zs"]), some.just(" ")
)
NAMES = some.text(LETTERS, min_size=1, max_size=6)
FORMS = some.sampled_from(["dicts", "rows", "hits", "lists"])
SCORES = some.one_of(some.floats(-1e300, 1e300), some.integers(-(10**15), 10**15))
SCORED_NAMES = some.dictionaries(NAMES, SCORES, min_size=1, max_size=4)


@settings(max_examples=10, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(some.dictionaries(NAMES, SCORED_NAMES, min_size=1, max_size=3), FORMS)
def test_json_has_the_rows_that_python_reads(empty: Warehouse, tmp_path: Path, data: Nested, form: str) -> None:
    trimmed: Nested = {}
    for topic, documents in data.items():
        for name, score in documents.items():
            trimmed.setdefault(topic.strip(" "), {})[name.strip(" ")] = score
    is_usable = "" not in trimmed and not any("" in each for each in trimmed.values())
    path = write(tmp_path / "r.json", as_json(data, form))
    if not is_usable or sum(map(len, trimmed.values())) < sum(map(len, data.values())):
        with pytest.raises(InputError):
            empty.load_runs(path, name="r", replace=True)
        return
    empty.load_runs(path, name="r", replace=True, tie_rule="trec_eval_10")
    expected = {
        (topic, name): float(-rank if form == "lists" else score)
        for topic, each in trimmed.items()
        for rank, (name, score) in enumerate(each.items(), start=1)
    }
    assert {row[:2]: row[2] for row in stored(empty)} == expected


def as_json(data: Nested, form: str) -> str:
    """The same rows as dicts of dicts, a list of rows, lines of hits or rankings."""
    if form == "dicts":
        return json.dumps(data, ensure_ascii=False)
    if form == "lists":
        return json.dumps({topic: list(each) for topic, each in data.items()})
    if form == "rows":
        rows = [(t, d, score) for t, each in data.items() for d, score in each.items()]
        return json.dumps([{"qid": t, "docno": d, "score": score} for t, d, score in rows])
    hits = {topic: [{"docid": d, "score": score} for d, score in each.items()] for topic, each in data.items()}
    return lines([{"qid": topic, "hits": each} for topic, each in hits.items()])
