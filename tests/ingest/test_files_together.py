"""Files that one statement reads together: each has the rows it would have alone, and only bad ones are blamed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from evalsql import InputError, Warehouse
from tests.conftest import write
from tests.ingest.variants import RUNS, parquet

RANX = ("q_id", "doc_id", "score")
ROWS = [(f"T{at % 3}", f"d{at}", at / 7) for at in range(60)]
KINDS = [
    "Parquet",
    "CSV",
    "JSON lines",
    "JSON dict of dicts",
    "JSON lines of hits",
    "MS MARCO",
    "Feather",
]
STORED = "select topic, document, rank, score from rankings where run = ? order by topic, rank"
Nested = dict[str, dict[str, Any]]


def stored(warehouse: Warehouse, run: str) -> list[tuple[Any, ...]]:
    """The rows of a run."""
    return warehouse.database.rows(STORED, [run])


def by_hand(data: Nested) -> list[tuple[Any, ...]]:
    """The same rows by a plain loop: higher scores first, equal ones by name in descending order."""
    rows = []
    for topic, documents in sorted(data.items()):
        ordered = sorted(documents.items(), key=lambda each: (float(each[1]), each[0]), reverse=True)
        rows += [(topic, document, rank, float(score)) for rank, (document, score) in enumerate(ordered, start=1)]
    return rows


@pytest.mark.parametrize("kind", KINDS)
def test_each_of_many_files_has_the_rows_it_has_alone(empty: Warehouse, tmp_path: Path, kind: str) -> None:
    name, content = RUNS[kind]
    alone = write(tmp_path / f"alone-{name}", content)
    many = [write(tmp_path / f"{at}-{name}", content) for at in range(5)]
    empty.load_runs(alone, name="alone")
    names = empty.load_runs(many)
    assert len(names) == 5
    for run in names:
        assert stored(empty, run) == stored(empty, "alone") != []


def test_files_of_all_formats_load_at_once(empty: Warehouse, tmp_path: Path) -> None:
    files = [write(tmp_path / f"{at}-{RUNS[kind][0]}", RUNS[kind][1]) for at, kind in enumerate(KINDS)]
    for file, run in zip(files, empty.load_runs(files), strict=True):
        empty.load_runs(file, name="alone", replace=True)
        assert stored(empty, run) == stored(empty, "alone")


def test_parquet_with_a_column_called_as_the_engine_calls_its_own(empty: Warehouse, tmp_path: Path) -> None:
    rows = [(*row, 7) for row in ROWS]
    files = [write(tmp_path / f"{at}.parquet", parquet((*RANX, "file_index"), rows)) for at in range(3)]
    alone = write(tmp_path / "alone.parquet", parquet(RANX, ROWS))
    empty.load_runs(alone)
    for run in empty.load_runs(files):
        assert stored(empty, run) == stored(empty, "alone")


def test_parquet_files_of_other_columns_and_types_load_at_once(empty: Warehouse, tmp_path: Path) -> None:
    whole = [(topic, int(document[1:]), at % 5) for at, (topic, document, _) in enumerate(ROWS)]
    turned = [(score, document, topic) for topic, document, score in whole]
    contents = [parquet(RANX, whole), parquet(RANX, ROWS), parquet(RANX[::-1], turned), parquet(RANX, whole)]
    files = [write(tmp_path / f"{at}.parquet", content) for at, content in enumerate(contents)]
    runs = empty.load_runs(files)
    for file, run in zip(files, runs, strict=True):
        empty.load_runs(file, name="alone", replace=True)
        assert stored(empty, run) == stored(empty, "alone") != []
    assert stored(empty, runs[0]) == stored(empty, runs[2]) != stored(empty, runs[1])


def test_only_the_bad_file_among_good_ones_is_blamed(empty: Warehouse, tmp_path: Path) -> None:
    good = [write(tmp_path / f"good-{at}.parquet", parquet(RANX, ROWS)) for at in range(3)]
    bad = write(tmp_path / "bad.parquet", parquet(RANX, [("T01", "d1", 1.0), ("T01", None, 2.0)]))
    cut = write(tmp_path / "cut.parquet", parquet(RANX, ROWS)[:400])
    twice = write(tmp_path / "twice.json", '{"T01": {"d1": 1, "d1": 2}}')
    fine = write(tmp_path / "fine.json", '{"T01": {"d1": 1, "d2": 2}}')
    with pytest.raises(InputError) as raised:
        empty.load_runs([*good, bad, cut, fine, twice])
    told = str(raised.value)
    assert "bad.parquet: Parquet, row 2: document is missing" in told
    assert "cut.parquet: cannot be read as Parquet" in told
    assert "twice.json: JSON: d1 stands more than once in one object" in told
    assert "good-" not in told
    assert "fine.json" not in told
    assert empty.database.rows("select count(*) from runs") == [(0,)]


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_a_line_of_the_second_file_is_found(empty: Warehouse, tmp_path: Path, ending: str) -> None:
    rows = [(f"T{at // 500}", f"d{at}", at % 7) for at in range(5000)]
    if ending == "csv":
        lines = ["qid,docno,score", *(f"{topic},{document},{score}" for topic, document, score in rows)]
    else:
        lines = [json.dumps({"qid": topic, "docno": document, "score": score}) for topic, document, score in rows]
    first = write(tmp_path / f"first.{ending}", "\n".join(lines) + "\n")
    second = write(tmp_path / f"second.{ending}", "\n".join([*lines, lines[-1]]) + "\n")
    with pytest.raises(InputError, match=rf"second.{ending}:{len(lines) + 1}: .*already stands at line {len(lines)}"):
        empty.load_runs([first, second])


def test_rows_keep_the_order_of_their_files(empty: Warehouse, tmp_path: Path) -> None:
    rows = [("T1", f"d{at * 7919 % 5000}", 1.0) for at in range(5000)]
    files = [write(tmp_path / f"{name}.parquet", parquet(RANX, rows)) for name in "ab"]
    text = write(tmp_path / "c.run", "".join(f"{topic} Q0 {document} 1 {score} t\n" for topic, document, score in rows))
    empty.load_runs(files, tie_rule="input")
    empty.load_runs([*files, text], replace=True, tie_rule="input")
    expected = [document for _, document, _ in rows]
    for run in ("a", "b", "c"):
        assert [document for _, document, _, _ in stored(empty, run)] == expected


NESTED: dict[str, Nested] = {
    "names with signs": {'q "1"': {"d\\1": 1, "d\n2": 2, "dé": 3, "😀": 4}, "": {}},
    "numbers of all kinds": {"T1": {"a": 1e-180, "b": 2.5e-16, "c": -3, "d": 0.1 + 0.2, "e": 12345678901234567}},
    "numbers as text": {"T1": {"a": "1.5", "b": " 2 "}, "T2": {"a": 0}},
    "a topic without documents": {"T1": {"a": 1}, "T2": {}},
    "blanks around names": {" T1 ": {" a ": 1, "b": 2}},
    "a topic called as columns are": {"query": {"a": 1, "b": 2}},
}


@pytest.mark.parametrize("kind", NESTED)
@pytest.mark.parametrize("indent", [None, 2])
def test_dicts_of_dicts_have_the_rows_that_python_reads(
    empty: Warehouse, tmp_path: Path, kind: str, indent: int | None
) -> None:
    data = NESTED[kind]
    path = write(tmp_path / "r.json", json.dumps(data, indent=indent))
    empty.load_runs(path, name="r", tie_rule="trec_eval_10")
    trimmed = {topic.strip(): {name.strip(): score for name, score in each.items()} for topic, each in data.items()}
    assert stored(empty, "r") == by_hand(trimmed)


def rankings(*records: dict[str, Any]) -> str:
    """Lines of records."""
    return "".join(json.dumps(record) + "\n" for record in records)


PLAIN = {"qid": "T1", "docs": ["a", "b"]}
SCORED = {"qid": "T1", "docs": ["a", "b"], "scores": [2.5, 1e-180]}


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        ({"qid": "T2", "docs": []}, []),
        ({"qid": "T2", "docs": [7, 1.5]}, ["7", "1.5"]),
        ({"qid": 2, "docs": ["[c", "{d}"]}, ["[c", "{d}"]),
        ({"qid": "T2", "docs": [{"id": "c"}, {"id": "d"}]}, ["c", "d"]),
        ({"qid": "T2", "hits": ["c", "d"]}, ["c", "d"]),
        ({"T2": ["c", "d"]}, ["c", "d"]),
    ],
)
def test_rankings_of_other_shapes_further_down_are_read(
    empty: Warehouse, tmp_path: Path, second: dict[str, Any], expected: list[str]
) -> None:
    empty.load_runs(write(tmp_path / "r.jsonl", rankings(PLAIN, second)), name="r")
    rows = [(topic, document, rank) for topic, document, rank, _ in stored(empty, "r")]
    other = "2" if second.get("qid") == 2 else "T2"
    want = [("T1", "a", 1), ("T1", "b", 2), *((other, name, at) for at, name in enumerate(expected, start=1))]
    assert rows == sorted(want, key=lambda row: (row[0], row[2]))


HIT = {"docid": "a", "score": 2.5, "title": "A"}


@pytest.mark.parametrize(
    ("hits", "expected"),
    [
        ([{"docid": "b", "score": 1e-180}, {"score": "3", "docid": 7}], [("7", 3.0), ("b", 1e-180)]),
        ([], []),
        ([{"docid": "b", "score": 1, "more": [1, {"x": 2}]}], [("b", 1.0)]),
    ],
)
def test_hits_with_fields_of_their_own_are_read(
    empty: Warehouse, tmp_path: Path, hits: list[dict[str, Any]], expected: list[tuple[str, float]]
) -> None:
    path = write(tmp_path / "r.jsonl", rankings({"qid": "T1", "hits": [HIT]}, {"qid": 2, "hits": hits}))
    empty.load_runs(path, name="r", tie_rule="trec_eval_10")
    assert [(document, score) for topic, document, _, score in stored(empty, "r") if topic == "2"] == expected


def test_very_small_scores_of_rankings_are_kept_whole(empty: Warehouse, tmp_path: Path) -> None:
    empty.load_runs(write(tmp_path / "r.jsonl", rankings(SCORED)), name="r", tie_rule="trec_eval_10")
    assert stored(empty, "r") == [("T1", "a", 1, 2.5), ("T1", "b", 2, 1e-180)]


def test_judgments_as_dicts_are_read_as_python_reads_them(empty: Warehouse, tmp_path: Path) -> None:
    judged: Nested = {"T1": {"a": 1, "b": 0, "c": -1}, "T2": {"a": "2"}}
    empty.load_qrels(write(tmp_path / "q.json", json.dumps(judged)), "q")
    rows = empty.rows("select topic, document, grade from judgments order by all")
    assert rows == [(topic, name, int(grade)) for topic, each in judged.items() for name, grade in each.items()]


@pytest.mark.parametrize("indent", [None, 1])
def test_a_list_of_rows_has_the_rows_that_python_reads(empty: Warehouse, tmp_path: Path, indent: int | None) -> None:
    data: Nested = {"T1": {"d\\1": 1e-180, "[2": 2, "é": "0.1"}, "7": {"8": 3}}
    rows = [{"qid": t, "docno": d, "score": score} for t, each in data.items() for d, score in each.items()]
    rows[-1] |= {"qid": 7, "docno": 8}
    empty.load_runs(write(tmp_path / "r.json", json.dumps(rows, indent=indent)), name="r", tie_rule="trec_eval_10")
    assert stored(empty, "r") == by_hand(data)


def test_rankings_by_topic_keep_odd_names(empty: Warehouse, tmp_path: Path) -> None:
    data: dict[str, list[Any]] = {"T1": ["b", 'a"', "[c"], "2": [7, "{d"], "T3": []}
    empty.load_runs(write(tmp_path / "r.json", json.dumps(data)), name="r")
    found = [(topic, document, rank) for topic, document, rank, _ in stored(empty, "r")]
    assert found == [(t, str(d), at) for t, each in sorted(data.items()) for at, d in enumerate(each, start=1)]


# Blanks of all kinds around a name are no part of it; of blanks only the usual one is tried.
LETTERS = some.one_of(
    some.characters(codec="utf-8", exclude_characters="\0", exclude_categories=["Zs"]), some.just(" ")
)
NAMES = some.text(LETTERS, min_size=1, max_size=6)
FORMS = some.sampled_from(["dicts", "rows", "hits", "lists"])
SCORES = some.one_of(some.floats(-1e300, 1e300), some.integers(-(10**15), 10**15))
SCORED_NAMES = some.dictionaries(NAMES, SCORES, min_size=1, max_size=4)


@settings(max_examples=30, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(some.dictionaries(NAMES, SCORED_NAMES, min_size=1, max_size=3), FORMS)
def test_json_has_the_rows_that_python_reads(empty: Warehouse, tmp_path: Path, data: Nested, form: str) -> None:
    trimmed: Nested = {}
    for topic, documents in data.items():
        for name, score in documents.items():
            trimmed.setdefault(topic.strip(" "), {})[name.strip(" ")] = score
    num_trimmed = sum(map(len, trimmed.values()))
    is_usable = "" not in trimmed and not any("" in each for each in trimmed.values())
    path = write(tmp_path / "r.json", as_json(data, form))
    if not is_usable or num_trimmed < sum(map(len, data.values())):
        with pytest.raises(InputError):
            empty.load_runs(path, name="r", replace=True)
        return
    empty.load_runs(path, name="r", replace=True, tie_rule="trec_eval_10")
    if form == "lists":
        found = [(topic, document, rank) for topic, document, rank, _ in stored(empty, "r")]
        assert sorted(found) == sorted((t, d, at) for t, each in trimmed.items() for at, d in enumerate(each, start=1))
    else:
        assert sorted(stored(empty, "r")) == sorted(by_hand(trimmed))


def as_json(data: Nested, form: str) -> str:
    """The same rows as dicts of dicts, a list of rows, lines of hits or rankings."""
    if form == "dicts":
        return json.dumps(data, ensure_ascii=False)
    if form == "lists":
        return json.dumps({topic: list(each) for topic, each in data.items()})
    rows = [(t, d, score) for t, each in data.items() for d, score in each.items()]
    if form == "rows":
        return json.dumps([{"qid": t, "docno": d, "score": score} for t, d, score in rows])
    return rankings(
        *({"qid": t, "hits": [{"docid": d, "score": score} for d, score in each.items()]} for t, each in data.items())
    )
