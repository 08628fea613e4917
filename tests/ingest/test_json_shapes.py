"""JSON as rerankers and programs write it: names in objects, lists beside fields, a list for each column, records in
one object, rankings with and without scores; in files and in memory."""

import gzip
import json
from pathlib import Path
from typing import Any

import duckdb
import numpy
import pandas
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from evalsql import EvalsqlError, InputError, UsageError, Warehouse
from tests.conftest import write
from tests.ingest.variants import lines
from tests.long_cases import content, rows_of

Rows = list[tuple[str, str, float]]
Nested = dict[str, dict[str, Any]]
ROWS: Rows = [("1", "a", 3.0), ("1", "b", 2.0), ("2", "a", 1.0)]
QUESTIONS = '{"questions": [{"id": "1", "documents": ["a", "b"], "snippets": []}, {"id": "2", "documents": ["c"]}]}'
# JSON, and the rows that it stands for in a file and in memory. Lists are also written as a line a record.
SHAPES: list[tuple[str, Rows]] = [
    (content(text).decode(), [(topic, document, score) for topic, document, score in json.loads(rows)])
    for text, rows in rows_of(Path(__file__).with_name("json_shapes.tsv"))
]
NUM_IN_MEMORY = 8  # the first of them are what Python may hold as well


def stored(warehouse: Warehouse, run: str = "r") -> Rows:
    return warehouse.rows("select topic, document, score from rankings where run = ? order by topic, document", [run])


def written(text: str) -> list[str]:
    """The forms in which a file may hold it."""
    data = json.loads(text)
    return [text, lines(data).decode() if isinstance(data, list) else json.dumps(data, indent=2)]


@pytest.mark.long
def test_records_have_the_rows_that_they_stand_for(empty: Warehouse, tmp_path: Path) -> None:
    files = [
        write(tmp_path / f"{at}{form}.json", text)
        for at, (whole, _) in enumerate(SHAPES)
        for form, text in zip("ab", written(whole), strict=True)
    ]
    empty.load_runs(files)
    for at, (text, rows) in enumerate(SHAPES):
        assert stored(empty, f"{at}a") == stored(empty, f"{at}b") == rows, text
    for text, rows in SHAPES[:NUM_IN_MEMORY]:
        empty.load_run(json.loads(text), "memory", replace=True)
        assert stored(empty, "memory") == rows, text


def test_keys_and_columns_of_numpy_and_series_of_pandas_are_taken(empty: Warehouse) -> None:
    frame = pandas.DataFrame(ROWS, columns=["qid", "docno", "score"])
    empty.load_run({name: column.to_numpy() for name, column in frame.items()}, "columns")
    empty.load_run({numpy.int64(1): {"a": 3.0, "b": 2.0}, numpy.str_("2"): {"a": numpy.float32(1)}}, "dict")
    for by in ("score", "qid"):  # whatever a Series of names is under
        by_topic = frame.set_index(by, drop=False).docno.groupby(frame.qid.to_numpy())
        empty.load_run(dict(iter(by_topic)), "rankings", replace=True)
        assert stored(empty, "rankings") == [("1", "a", -1.0), ("1", "b", -2.0), ("2", "a", -1.0)]
    assert stored(empty, "columns") == stored(empty, "dict") == ROWS


def test_documents_of_questions_are_judgments_as_pairs(empty: Warehouse, tmp_path: Path) -> None:
    of_llama_index = {
        "queries": {"1": "x", "2": "y"},
        "corpus": {"a": "x"},
        "relevant_docs": {"1": ["a", "b"], "2": ["c"]},
    }
    for text in (QUESTIONS, json.dumps(of_llama_index)):
        empty.load_qrels(write(tmp_path / "q.json", text), form="pairs", replace=True)
        held = empty.rows("select topic, document, grade from judgments order by topic, document")
        assert held == [("1", "a", 1), ("1", "b", 1), ("2", "c", 1)]


def test_what_was_retrieved_is_not_taken_for_what_is_relevant(empty: Warehouse, tmp_path: Path) -> None:
    """Exports of LlamaIndex, of Ragas and of programs have both in one record."""
    for expected in ("expected_ids", "reference_context_ids", "relevant", "gold"):
        record = {"qid": "1", "query": "x", expected: ["a", "b"], "retrieved_ids": ["z"], "results": ["y"]}
        empty.load_qrels(write(tmp_path / "q.jsonl", lines([record])), form="pairs", replace=True)
        assert empty.rows("select document from judgments order by all") == [("a",), ("b",)], expected
    with pytest.raises(InputError, match=r"no field for the documents .* --columns document=NAME"):
        empty.load_qrels(write(tmp_path / "q.jsonl", lines([{"qid": "1", "retrieved_ids": ["z"]}])), form="pairs")


RATED = [{"docId": "a", "rating": "3.000"}, {"docId": "b", "rating": "0.0"}]
# Forms of judgments, and what Quepid, OpenSearch, Elasticsearch and programs write in them.
JUDGED: list[tuple[str, Any, str]] = [
    ("grades", {"queries": [{"query": "x", "ratings": {"a": 3, "b": 0}}, {"query": "y", "ratings": {}}]}, "0a3 0b0"),
    ("grades", [{"query": "x", "ratings": RATED}], "0a3 0b0"),
    ("grades", {"requests": [{"id": "x", "ratings": [{"_id": "a", "_index": "i", "rating": 3}]}]}, "0a3"),
    ("grades", {"requests": [{"id": "x", "ratings": {"a": 3}}], "metric": {"dcg": {"k": 5}}, "name": "n"}, "0a3"),
    (
        "groups",
        [{"qid": "x", "docs": [{"docId": "a", "subtopic": "s", "grade": 1}, {"docId": "b", "grade": 0}]}],
        "0b0 sa1",
    ),
    ("spans", [{"qid": "x", "docs": [{"docid": "a", "start": 0, "end": 5, "grade": 2}]}], "0a2"),
    ("strata", [{"qid": "x", "docs": [{"docid": "a", "stratum": "s", "grade": 1}]}], "0a1"),
]


def test_judgments_of_a_topic_keep_all_that_is_said_of_them(empty: Warehouse, tmp_path: Path) -> None:
    for at, (form, data, expected) in enumerate(JUDGED):
        empty.load_qrels(write(tmp_path / f"{at}.json", json.dumps(data)), form=form)
        judged = "select iteration || document || grade from judgments where qrels = ? and topic = 'x' order by all"
        assert " ".join(row for (row,) in empty.rows(judged, [str(at)])) == expected, data
    hits = [{"docid": "a", "rank": 2}, {"docid": "b", "rank": "1"}]
    empty.load_run([{"qid": "1", "hits": hits}, {"qid": "2", "hits": [{"docid": "a", "rank": 1}]}], "r", qrels="0")
    assert stored(empty) == [("1", "a", -2.0), ("1", "b", -1.0), ("2", "a", -1.0)]


def test_the_lowest_e_value_of_a_ranking_is_the_best(empty: Warehouse, tmp_path: Path) -> None:
    hits = [{"docid": "a", "evalue": 5.0}, {"docid": "b", "evalue": 1e-5}]
    shapes: list[Any] = [
        {"1": hits},
        [{"qid": "1", "hits": hits}],
        {"results": [{"qid": "1"} | hit for hit in hits]},
        [{"qid": "1", "parts": [{"length": 3}]} | hit for hit in hits],
    ]
    for at, data in enumerate(shapes):
        empty.load_runs(write(tmp_path / f"{at}.json", json.dumps(data)))
        empty.load_run(data, f"{at} in memory")
    ranked = empty.rows("select document, rank from rankings order by run, rank")
    assert ranked == [("b", 1), ("a", 2)] * 2 * len(shapes)


def test_records_that_name_no_rows_are_refused(empty: Warehouse, tmp_path: Path) -> None:
    for whole, reason in rows_of(Path(__file__).with_name("refused_json_shapes.tsv")):
        for text in written(whole):
            with pytest.raises(InputError, match=rf"r.json: JSON.*{reason}"):
                empty.load_runs(write(tmp_path / "r.json", text))
        with pytest.raises(UsageError, match=reason):
            empty.load_run(json.loads(whole), "r")
    assert empty.rows("select count(*) from runs") == [(0,)]


def test_fields_are_named_wherever_hits_stand(empty: Warehouse, tmp_path: Path) -> None:
    hits = [{"id": 7, "name": "a", "near": 0.1}, {"id": 8, "name": "b", "near": 0.4}]
    children = [{"id": f"index:c/0/{at}", "relevance": 1, "fields": {"name": name}} for at, name in enumerate("ab")]
    columns = {"document": "name", "score": "near"}
    cases: list[tuple[Any, dict[str, str], Rows]] = [
        ({"1": hits}, columns, [("1", "a", 0.1), ("1", "b", 0.4)]),
        ({"1": {"data": hits}}, columns, [("1", "a", 0.1), ("1", "b", 0.4)]),
        ([{"qid": "1", "hits": hits}], columns, [("1", "a", 0.1), ("1", "b", 0.4)]),
        ([{"id": "1", "query": "how to", "hits": hits}], {"topic": "id"} | columns, [("1", "a", 0.1), ("1", "b", 0.4)]),
        ({"1": [{"id": "a", "doc": "a shoe", "score": 2}]}, {"document": "id"}, [("1", "a", 2.0)]),
        ({"1": {"root": {"relevance": 1, "children": children}}}, {"document": "name"}, [("1", "a", 1), ("1", "b", 1)]),
    ]
    for data, named, rows in cases:
        file = write(tmp_path / "r.json", json.dumps(data))
        empty.load_runs(file, columns=named, lower_is_better=True, replace=True)
        assert stored(empty) == rows
        with pytest.raises(InputError, match="there is no field nowhere for the document"):
            empty.load_runs(file, columns={"document": "nowhere"}, replace=True)


def test_types_that_hold_names_are_the_same_in_files_and_frames(empty: Warehouse, tmp_path: Path) -> None:
    uuid = "5e9c1fd0-6c00-424c-8210-b309a94a5f43"
    path = str(tmp_path / "r.parquet")
    for document, expected in (("'d1'::enum('d1', 'd2')", "d1"), ("7::utinyint", "7"), (f"'{uuid}'::uuid", uuid)):
        rows: Any = duckdb.sql(f"select 't1' as topic, {document} as document, 1.0 as score")
        rows.write_parquet(path)
        empty.load_runs(path, replace=True)
        empty.load_run(rows, "frame", replace=True)
        assert stored(empty, "r") == stored(empty, "frame") == [("t1", expected, 1.0)]
    is_no_name = "document is of type .*; names are text or whole numbers"
    for document, reason in (
        ("['a', 'b']", f"{is_no_name}|topic t1: expected a list of scores beside the documents, found"),
        ("1.5", is_no_name),
    ):
        rows = duckdb.sql(f"select 't1' as topic, {document} as document, 1.0 as score")
        rows.write_parquet(path)
        for load in (lambda: empty.load_runs(path, name="other"), lambda data=rows: empty.load_run(data, "other")):
            with pytest.raises(EvalsqlError, match=reason):
                load()


NESTED = [
    "select '1' as qid, ['a', 'b'] as docs, [3, 2] as scores union all select '2', ['a'], [1]",
    "select 1 as qid, ['a', 'b'] as docid, [3, 2]::decimal(4, 2)[] as score union all select 2, ['a'], [1]",
    "select '1' as qid, map(['a', 'b'], [3.0, 2.0]) as results union all select '2', map(['a'], [1.0])",
    """select '1' as qid, 'x' as run, [{'docid': 'a', 'score': 3.0}, {'docid': 'b', 'score': 2.0}] as hits
    union all select '2', 'x', [{'docid': 'a', 'score': 1.0}]""",
]


def test_a_row_of_parquet_may_hold_a_ranking(empty: Warehouse, tmp_path: Path) -> None:
    path = tmp_path / "r.parquet"
    for query in NESTED:
        duckdb.execute(f"copy ({query}) to '{path}'")
        for packed in (path, write(tmp_path / "r.parquet.gz", gzip.compress(path.read_bytes()))):
            empty.load_runs(packed, name="r", replace=True)
            assert stored(empty) == ROWS, query
    faulty = (
        ("['a', 'b'] as docs, [1] as scores", "topic 1: 2 documents and 1 scores"),
        ("['a', null] as docs, [1, 2] as scores", "document is missing"),
        ("['a'] as docs, 'x' as run union all select '2', ['a'], 'y'", "the column run names several systems"),
    )
    for lists, reason in faulty:
        duckdb.execute(f"copy (select '1' as qid, {lists}) to '{path}'")
        with pytest.raises(InputError, match=f"r.parquet: Parquet.*: {reason}"):
            empty.load_runs(path, replace=True)


# Blanks of all kinds around a name are no part of it; of blanks only the usual one is tried.
LETTERS = some.one_of(
    some.characters(codec="utf-8", exclude_characters="\0", exclude_categories=["Zs"]), some.just(" ")
)
NAMES = some.text(LETTERS, min_size=1, max_size=6)
FORMS = some.sampled_from(["dicts", "rows", "hits", "lists"])
SCORES = some.one_of(some.floats(-1e300, 1e300), some.integers(-(10**15), 10**15))
SCORED_NAMES = some.dictionaries(NAMES, SCORES, min_size=1, max_size=4)


@settings(max_examples=6, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
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
    return lines([{"qid": topic, "hits": each} for topic, each in hits.items()]).decode()
