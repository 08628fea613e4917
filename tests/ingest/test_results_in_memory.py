"""Figures that other programs give in memory: PyTerrier's experiments, values of ir_measures, reports of ranx."""

from pathlib import Path
from typing import Any

import duckdb
import ir_measures
import pandas
import polars
import pyarrow
import pytest
import ranx

import evalsql
from evalsql import EvalsqlError, UsageError, Warehouse
from evalsql.evaluation.notices import audits, findings
from tests.ingest.test_results import VALUES
from tests.long_cases import few_of

# What pt.Experiment gives of two systems over two topics: means beside a baseline, and values with perquery=True.
OF_PYTERRIER = {
    **{"name": ["bm25", "dense"], "map": [0.75, 0.5], "ndcg_cut_10": [0.875, 0.625], "mrt": [3.5, 9.0]},
    **{"map +": [None, 0.0], "map -": [None, 1.0], "map p-value": [None, 0.25]},
}
BY_TOPIC = {
    **{
        "name": ["bm25"] * 2 + ["dense"] * 2,
        "qid": ["1", "2"] * 2,
        "measure": ["map"] * 4,
        "value": [1.0, 0.5, 0.0, 1.0],
    },
}


@pytest.mark.long
@pytest.mark.parametrize(
    "made", few_of([pandas.DataFrame, polars.DataFrame, pyarrow.table, duckdb.from_arrow, "csv"], 1)
)
def test_what_pyterrier_gives_is_loaded_as_it_is(empty: Warehouse, tmp_path: Path, made: Any) -> None:
    def given(columns: dict[str, Any]) -> Any:
        if made == "csv":
            pandas.DataFrame(columns).to_csv(tmp_path / "e.csv")
            return tmp_path / "e.csv"
        return made(pyarrow.table(columns) if made is duckdb.from_arrow else columns)

    empty.load_qrels({"1": {"a": 1}, "2": {"a": 1}}, "q")
    empty.load_scores(given(OF_PYTERRIER), collection="c")
    assert empty.loader.notices[1:] == ["not loaded: 4 measures that evalsql does not have, such as map +"]
    values = [("AP", 0.75), ("nDCG@10", 0.875), ("AP", 0.5), ("nDCG@10", 0.625)]
    held = [(name, *value) for name, value in zip(["bm25/c"] * 2 + ["dense/c"] * 2, values, strict=True)]
    assert empty.rows(VALUES) == held
    for again in (False, True):
        empty.load_scores(given(BY_TOPIC), qrels="q", replace=again)
    assert empty.evaluate("AP").fetchall() == [("q", "bm25/q", 0.75), ("q", "dense/q", 0.5)]
    assert empty.rows("select run, meta['system'] from runs where run like '%/q' order by run") == [
        *[("bm25/q", "bm25"), ("dense/q", "dense")]
    ]
    assert findings(empty.evaluation, audits(empty.catalog)) == []


def test_results_of_ir_measures_and_ranx_in_memory(empty: Warehouse) -> None:
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 2}}
    run = {"1": {"b": 2.0, "a": 1.0}, "2": {"a": 0.5}}
    asked = [ir_measures.AP, ir_measures.nDCG @ 10]
    empty.load_qrels(qrels, "q")
    empty.load_scores(ir_measures.iter_calc(asked, qrels, run), qrels="q", system="s", version="1")
    empty.load_scores(ir_measures.calc_aggregate(asked, qrels, run), collection="c", system="s")
    report = ranx.compare(ranx.Qrels(qrels), [ranx.Run(run, name="r")], ["map", "ndcg@10"])
    empty.load_scores(report, collection="c")
    means = pytest.approx(evalsql.evaluate(qrels, run, "AP nDCG@10"))
    assert dict(empty.rows("select measure, avg(value) from stored_scores group by all")) == means
    for name in ("s/c", "r/c"):
        assert {measure: value for run, measure, value in empty.rows(VALUES) if run == name} == means


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ([{"name": "a", "MAP": 0.5, "map": 0.6}], "in memory:1: has MAP twice"),
        ([{"name": "\udc80", "map": 0.5}], "has text without UTF-8"),
        (pyarrow.table([["a"], [0.5], [0.6]], ["name", "map", "map"]), "2 columns are called map"),
        ([{"name": "a", "map": 0.5}, {"name": "a", "AP": 0.6}], "in memory:2: AP of a/c is given twice"),
        ([{"name": "a", "map": None}], "in memory: holds no values of measures that evalsql has"),
        (pandas.DataFrame({"name": ["a"], "map": [float("nan")]}), "in memory:1: the value of AP is no finite number"),
        ({"AP": 0.5}, "in memory: does not say its system; --system NAME does, in Python system=NAME"),
        ([("a", "AP", 0.5)], "neither a table nor rows as dicts"),
        (pandas.DataFrame({"x": [1]}), "in memory: holds no results"),
    ],
)
def test_what_is_no_result_in_memory_is_refused(empty: Warehouse, given: Any, reason: str) -> None:
    with pytest.raises(EvalsqlError, match=reason):
        empty.load_scores(given, collection="c")
    assert empty.rows("from runs") == []


def test_a_frame_is_no_list_of_files(empty: Warehouse) -> None:
    with pytest.raises(UsageError, match="load_run takes a run in memory, with its name"):
        empty.load_runs(pandas.DataFrame(OF_PYTERRIER))
