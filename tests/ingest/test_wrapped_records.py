"""Records inside one object of JSON, a single record, and E-values of documents in rankings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evalsql import InputError, UsageError, Warehouse
from tests.conftest import write

ROWS = [("1", "a", 3.0), ("2", "b", 2.0)]
RECORDS = [{"qid": topic, "docno": document, "score": score} for topic, document, score in ROWS]
RANKINGS = [{"query_id": "1", "documents": ["a"], "scores": [3]}, {"query_id": "2", "docs": ["b"], "scores": [2]}]
QUESTIONS = [{"id": "1", "documents": ["a", "b"], "snippets": []}, {"id": "2", "documents": ["c"]}]
WRAPPED: dict[str, tuple[Any, list[tuple[Any, ...]]]] = {
    "rows": ({"results": RECORDS}, ROWS),
    "rankings": ({"queries": RANKINGS}, ROWS),
    "questions with ids": ({"questions": QUESTIONS}, [("1", "a", -1.0), ("1", "b", -2.0), ("2", "c", -1.0)]),
    "rows by topic": ({row["qid"]: [row] for row in RECORDS}, ROWS),
    "one record, topic in an object": (
        {"query": {"qid": "1", "text": "x"}, "candidates": [{"docid": "a", "score": 3}]},
        ROWS[:1],
    ),
    "one record": ({"qid": "1", "docs": ["a"], "scores": [3]}, ROWS[:1]),
    "one record, topic in the documents": ({"query": "x", "hits": [{"qid": 1, "docid": "a", "score": 3}]}, ROWS[:1]),
    "topics called as fields are": (
        {"query": {"a": 3.0}, "documents": {"b": 2.0}},
        [("documents", "b", 2.0), ("query", "a", 3.0)],
    ),
}


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("kind", WRAPPED)
def test_an_object_has_the_rows_that_its_records_stand_for(
    empty: Warehouse, tmp_path: Path, kind: str, indent: int | None
) -> None:
    data, rows = WRAPPED[kind]
    empty.load_runs(write(tmp_path / "r.json", json.dumps(data, indent=indent)))
    assert empty.rows("select topic, document, score from rankings order by topic, document") == rows


@pytest.mark.parametrize("data", [{"new": RECORDS, "old": RECORDS}, {"1": RECORDS[:1], "3": RECORDS[1:]}])
def test_rows_below_the_name_of_another_topic_are_refused(
    empty: Warehouse, tmp_path: Path, data: dict[str, Any]
) -> None:
    reason = "stands where a topic is expected, and holds rows with another qid"
    with pytest.raises(InputError, match=reason):
        empty.load_runs(write(tmp_path / "r.json", json.dumps(data)))
    with pytest.raises(UsageError, match=reason):
        empty.load_run(data, "r")
    assert empty.rows("select count(*) from runs") == [(0,)]


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


@pytest.mark.parametrize("second", [{"qid": "1", "docs": ["b"]}, {"qid": 1, "docs": [{"docid": "b"}]}])
def test_several_rankings_of_a_topic_need_scores(empty: Warehouse, tmp_path: Path, second: dict[str, Any]) -> None:
    records = [{"qid": "1", "docs": ["a"]}, {"qid": "2", "docs": ["a", "b"]}, second]
    reason = "topic 1 has several rankings without scores, and nothing says how they go together"
    for text in (json.dumps(records), "".join(json.dumps(each) + "\n" for each in records)):
        with pytest.raises(InputError, match=f"r.json: JSON.*{reason}"):
            empty.load_runs(write(tmp_path / "r.json", text))
    with pytest.raises(UsageError, match=reason):
        empty.load_run(records, "r")
    scored = [{"qid": "1", "docs": ["a"], "scores": [1]}, {"qid": "1", "docs": ["b"], "scores": [2]}]
    empty.load_runs(write(tmp_path / "r.json", "".join(json.dumps(each) + "\n" for each in scored)))
    assert empty.rows("select document, rank from rankings order by rank") == [("b", 1), ("a", 2)]
