"""Warnings of loads: lost rows, rows that come together unasked, nothing relevant; and the line of the caller."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pandas
import pytest

import evalsql
from evalsql import InputError, InputWarning, UsageError, Warehouse
from tests.conftest import Command, warned, write
from tests.long_cases import few_of

QRELS = "1 0 d1 1\n1 0 d2 0\n2 0 d1 1\n"


# Rows that TREC files have behind a #


def test_rows_that_are_read_as_comments_are_told(empty: Warehouse, tmp_path: Path) -> None:
    comments = "# 1 Q0 d1 1 2 t\n#qid Q0 docno rank score tag\n#the run of system A\n# tag: BM25, k1 = 0.9\n"
    path = write(tmp_path / "some.run", f"{comments}1 Q0 d1 1 2 t\n{comments}")
    assert not [each for each in warned(lambda: empty.load_runs(path)) if "#" in each]
    empty.load_qrels(write(tmp_path / "q.txt", QRELS))
    cases: list[tuple[Callable[[Path], object], str, int, str]] = [
        (empty.load_runs, "1 Q0 d1 1 2 t\n#2 Q0 d1 1 2 t\n#2 Q0 d2 2 1 t\n", 2, ", and 1 more line like it"),
        (empty.load_runs, "#2\tQ0\td1\t1\t2\tt\n1\tQ0\td1\t1\t2\tt\n", 1, ""),
        (empty.load_qrels, "1 0 d1 1\n#2 0 d1 1\n#2 0 d2 0\n#3 0 d2 0\n", 2, ", and 2 more lines like it"),
        (lambda path: empty.load_qrels(path, form="preferences"), "1 1 d1 2\n#2 1 d1 1\n", 2, ""),
    ]
    for at, (load, text, line, more) in enumerate(cases):
        path = write(tmp_path / f"{at}.txt", text)
        (found,) = [each for each in warned(partial(load, path)) if "#" in each]
        reason = "starts with # and is left out as a comment, though it has the columns of a row"
        assert found.startswith(f"{path}:{line}: {reason}{more}; ")


# Columns that nobody reads, and such as tell several searches for one topic apart

WRITERS: dict[str, Callable[[pandas.DataFrame, Path], object]] = {
    "csv": lambda frame, path: frame.to_csv(path, index=False),
    "tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    "jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    "json": lambda frame, path: frame.to_json(path, orient="records"),
    "parquet": lambda frame, path: frame.to_parquet(path),
    "feather": lambda frame, path: frame.to_feather(path),
}
USUAL = {"query": "what is it", "text": "words", "title": "name", "docid": 3, "tag": "bm25", "iteration": "Q0"}


def left_out(act: Callable[[], object]) -> list[str]:
    return [each for each in warned(act) if "not loaded" in each]


@pytest.mark.long
def test_columns_that_are_not_read_are_named_once(empty: Warehouse, tmp_path: Path) -> None:
    rows = [{"qid": "1", "docno": f"d{at}", "score": 2.5 - at, "rank": at, "hop": 7, **USUAL} for at in (1, 2)]
    usual, further = pandas.DataFrame(rows), pandas.DataFrame([{**row, "latency_ms": 5, "cost": 0.5} for row in rows])
    judged = usual.drop(columns=["rank", "hop"]).rename(columns={"score": "rel"}).astype({"rel": int})
    for form, writer in WRITERS.items():
        writer(usual, tmp_path / f"usual.{form}")
        load = partial(empty.load_runs, replace=True)
        assert left_out(partial(load, tmp_path / f"usual.{form}")) == []
        files = [write(tmp_path / "two" / f"{each}.{form}", b"") for each in ("first", "second")]
        for at, file in enumerate(files):
            writer(further.assign(qid=str(at)), file)  # the same file twice would be told, too
        (told,) = left_out(partial(load, files))
        assert told.startswith(f"{files[0]} and 1 other: not loaded: latency_ms, cost; --columns MEANING=")
        writer(judged.assign(confidence=1), tmp_path / "judged")
        (told,) = left_out(lambda: empty.load_qrels(tmp_path / "judged", "q", replace=True))
        assert told.startswith(f"{tmp_path}/judged: not loaded: confidence; ")
    for data in (further, further.to_dict("records"), [{"qid": "1", "cost": 1, "docs": further.to_dict("records")}]):
        (told,) = left_out(partial(empty.load_run, data, "memory", replace=True))
        assert {*told.partition("; ")[0].removeprefix("memory: not loaded: ").split(", ")} == {"latency_ms", "cost"}


def test_rows_of_several_calls_are_refused_until_it_is_said_what_they_are(empty: Warehouse, tmp_path: Path) -> None:
    found = pandas.DataFrame({"qid": ["1", "1", "2"], "docno": ["d1", "d2", "d1"], "score": [1.0, 2.0, 1.0]})
    found["Hop"] = [1, 2, 2]
    for form, writer in WRITERS.items():
        writer(found, tmp_path / f"agent.{form}")
        with pytest.raises(
            InputError, match=r'looks like calls.*topic 1 has "1" and "2"; --call (Hop|NAME)'
        ) as refused:
            empty.load_runs(tmp_path / f"agent.{form}")
        assert refused.value.count == 1
    rankings = [{"qid": "1", "turn": turn, "docs": ["d1", "d2"]} for turn in ("first", "second")]
    pairs = [{"qid": "1", "docs": [{"id": "d1", "score": 1, "step": 1}, {"id": "d2", "score": 2, "step": 2}]}]
    for data in (found, found.to_dict("records"), rankings, pairs):
        with pytest.raises(InputError, match="looks like calls"):
            empty.load_run(data, "agent")
    assert empty.load_run(found.replace({"Hop": 2}, 1), "agent")  # one call of each topic


# Two columns of which either could be meant, and zero bytes


def test_which_of_two_columns_is_read_is_told(empty: Warehouse, tmp_path: Path) -> None:
    cases: list[tuple[Any, list[str]]] = [
        ("qid,docid,rel,grade\n1,d1,1,1\n1,d2,0,0\n", ["CSV: the grade could be grade or rel"]),
        ("qid docid rel label\n1 d1 1 yes\n1 d2 0 no\n", ["text with a header: the grade could be rel or label"]),
        ('{"qid": 1, "topic_id": "1", "docid": "d1", "rel": 1}\n', ["JSON lines: the topic could be qid or topic_id"]),
        ('[{"qid": 1, "doc_id": "d1", "docid": "d1", "rel": 1}]', ["JSON: the document could be doc_id or docid"]),
        # Words beside a key, numbers of PyTerrier, the score of a run.
        ("qid,topic,query,docno,docid,rel,score\n1,a b,c,d1,7,1,.5\n1,a,c,d2,8,0,.1\n", []),
    ]
    for text, expected in cases:
        path = write(tmp_path / "q", text)
        told = warned(partial(empty.load_qrels, path, replace=True))
        assert told == [f"{path}: {line}; the first one was taken" for line in expected]
        documents = empty.rows("select distinct document from judgments where qrels = 'q' order by all")
        assert documents == [("d1",), ("d2",)][: len(documents)]
    rows = {"qid": ["1", "1"], "topic": ["1", "2"], "docno": ["d1", "d2"], "rel": [1, 0]}
    pandas.DataFrame(rows).to_parquet(path)
    records = [dict(zip(rows, row, strict=True)) for row in zip(*rows.values(), strict=True)]
    for source in (path, pandas.DataFrame(rows), records):
        with pytest.raises(InputError, match="the topic could be qid or topic, which contradict each other"):
            empty.load_qrels(source, "q", replace=True)
        told = warned(partial(empty.load_qrels, source, "q", columns={"topic": "topic"}, replace=True))
        assert told == []
        assert empty.rows("select topic from judgments where qrels = 'q' order by all") == [("1",), ("2",)]


def test_zero_bytes_are_told_whatever_the_format(empty: Warehouse, tmp_path: Path) -> None:
    for head, row, place in (
        ("", "1 Q0 {} 1 2 t\n", ":2: "),
        ("qid,docid,score\n", "1,{},1\n", ":3: CSV: "),
        ("qid\tdocid\tscore\n", "1\t{}\t1\n", ":3: TSV: "),
        ("", "1\t{}\t1\n", ":2: MS MARCO run: "),
        ("", "1 {} 1\n", ":2: "),
    ):
        path = write(tmp_path / "r", head + row.format("a") + row.format("b\0c"))
        told = [text for text in warned(partial(empty.load_runs, path, replace=True)) if "zero" in text]
        assert told == [f"{path}{place}holds zero bytes, which are kept as part of their column"]
        assert empty.rows("select document from rankings order by all") == [("a",), ("b\0c",)]


# Runs of several tags in one file


def test_runs_in_one_file_are_told(empty: Warehouse, command: Command, tmp_path: Path) -> None:
    rows = "1 Q0 d1 1 2 bm25\n1 Q0 d3 2 1 bm25\n1 Q0 d2 1 4 dense\n1 Q0 d4 2 3 dense\n"
    path = write(tmp_path / "both.run", rows)
    reason = f"{path}: rows with 2 tags (bm25, dense), which are loaded as one run; split the file if they are several"
    assert reason in command("eval", write(tmp_path / "q.txt", QRELS), path).stderr
    assert f"1 file, the first being {reason}" in warned(lambda: empty.load_runs(path))
    one = write(tmp_path / "one.run", rows.replace("dense", "bm25"))
    assert warned(lambda: empty.load_runs(one)) == []


# A set has no order


def test_a_set_is_no_ranking() -> None:
    with pytest.raises(UsageError, match="topic 1: a set has no order, as a ranking without scores needs"):
        evalsql.evaluate({"1": {"d1": 1}}, {"1": {"d1", "d2"}}, "AP")
    assert evalsql.evaluate({"1": {"d1": 1}}, {"1": {("d1", 2.0), ("d2", 1.0)}}, "AP") == {"AP": 1.0}


# Judgments in which nothing is relevant: 0 for nearly every measure, and a gate that compares two 0s passes

SWAPPED = "T1 2 d1 0\nT1 1 d2 0\nT2 1 d1 -1\n"


def test_judgments_without_relevance_are_told(command: Command, tmp_path: Path) -> None:
    qrels, run = write(tmp_path / "q.txt", SWAPPED), write(tmp_path / "r.run", "T1 Q0 d1 1 2 x\n")
    found = command("eval", qrels, run, "-m", "AP", "--format", "csv")
    assert found.stdout.splitlines()[1] == "q,r,0.0"
    assert "judgments q: nothing is relevant, as the best of 3 grades is 0 and 1 is the least" in found.stderr


def test_only_judgments_without_relevance_are(empty: Warehouse) -> None:
    cases: list[tuple[Any, str, bool]] = [
        ({"T1": {"d1": 0}, "T2": {"d1": 1}}, "grades", False),
        ({"T1": {"d1": -2, "d2": -1}}, "grades", True),
        ([{"topic": "T1", "group": "g", "document": "d", "level": 0}], "preferences", False),
    ]
    for data, form, is_told in cases:
        told = warned(partial(empty.load_qrels, data, "q", form=form, replace=True))
        assert ["nothing is relevant" in each for each in told] == [True] * is_told, data


# The line of whoever called the package, whichever part of it warns

GRADES = {"t1": {"d1": 1, "d2": 0}}
FOREIGN = {"t1": {"x1": 2.0, "x2": 1.0}}  # documents that nobody judged
Act = Callable[[Warehouse, Path], Any]


FILES = {
    "file.run": "t1 Q0 x1 1 2 tag\nt1 Q0 x2 2 1 tag\n",
    "runs/a.run": "t1 Q0 d1 1 2 tag\n",
    "runs/README.md": "no run",
    "more.txt": "\ufefft1 0 d1 0\n\ufefft1 0 d2 0\n",
}
ACTS: dict[str, Act] = {
    "rows": lambda warehouse, _: warehouse.load_run(FOREIGN, "run"),
    "a file": lambda warehouse, folder: warehouse.load_runs(folder / "file.run"),
    "a folder": lambda warehouse, folder: warehouse.load_runs(folder / "runs"),
    "topics": lambda warehouse, _: warehouse.load_topics({"t1": "what", "t2": "who"}),
    "judgments": lambda warehouse, folder: warehouse.load_qrels(folder / "more.txt"),
    "evaluation": lambda *_: evalsql.evaluate(GRADES, FOREIGN, "AP"),
}


def test_a_warning_names_the_line_that_called(empty: Warehouse, tmp_path: Path) -> None:
    empty.load_qrels(GRADES, "judged")
    for name, text in FILES.items():
        write(tmp_path / name, text)
    for kind, act in ACTS.items():
        with pytest.warns(InputWarning) as found:
            act(empty, tmp_path)
        assert {each.filename for each in found} == {__file__}, kind


def test_a_warning_at_opening_names_the_line_that_called(tmp_path: Path) -> None:
    path = tmp_path / "own.duckdb"
    with evalsql.open(path) as warehouse:
        body = "-- title: a step\n-- columns:\n--   one   a number\nselect 1 as one\n"
        warehouse.execute("insert into added_relations values (1, 'ap', ?, now()::timestamp)", [body])
    with pytest.warns(InputWarning, match="left out") as found, evalsql.open(path):
        pass
    assert {each.filename for each in found} == {__file__}


def test_contradictions_are_seen_in_two_lines_and_in_a_large_file(empty: Warehouse, tmp_path: Path) -> None:
    long = "".join(f"t Q0 {d:0100} {d} {d} x\n" for d in range(1, 1000))  # a format is recognised by 64 KiB
    for text in ("t Q0 a 1 1 x\nt Q0 b 2 2 x", long):
        told = warned(partial(empty.load_runs, write(tmp_path / "r.run", text), replace=True))
        assert any("ranks and scores in the file contradict each other" in each for each in told), text[:30]


@pytest.mark.parametrize("form", few_of(WRITERS, 1))
def test_ranks_of_tables_that_contradict_scores_are_told(empty: Warehouse, tmp_path: Path, form: str) -> None:
    rows = [{"qid": topic, "docno": f"d{at}", "rank": at, "score": at / 4} for topic in "12" for at in (1, 2, 3)]
    frame, path = pandas.DataFrame(rows), tmp_path / "r.txt"
    for columns, lower_is_better, is_told in (
        ({"score": "score"}, False, True),
        ({"score": "score"}, True, False),
        ({"score": "evalue"}, False, False),  # of which lower ones are better
        ({"score": "left_out"}, False, False),
    ):
        WRITERS[form](frame.rename(columns=columns), path)
        in_memory = partial(empty.load_run, frame.rename(columns=columns), "r")
        loads: list[Any] = [partial(empty.load_runs, path, name="r"), in_memory]
        for load in loads:
            told = warned(partial(load, lower_is_better=lower_is_better, replace=True))
            assert any("ranks and scores in the file contradict each other" in each for each in told) == is_told
    with evalsql.Evaluator({"1": {"d1": 1}, "2": {"d1": 1}}, "RR") as evaluator:
        assert any("contradict each other" in each for each in warned(partial(evaluator.evaluate, frame)))
    WRITERS[form](frame, path)
    told = warned(partial(empty.load_runs, path, name="r", tie_rule="rank", replace=True))
    assert not any("contradict" in each for each in told)
