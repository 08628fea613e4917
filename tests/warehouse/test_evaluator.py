"""Runs evaluated from memory, one after another, against trec_eval and against a warehouse that holds them."""

import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import ir_measures
import pandas
import pyarrow
import pytest

import evalsql
from evalsql import Evaluator, InputError, InputWarning, UsageError, Warehouse
from evalsql.ingest import frames
from tests.conftest import SAMPLE
from tests.long_cases import few_of
from tests.oracles import peers
from tests.random_collections import Run, collection

NAMES = {"map": "map", "ndcg_cut_10": "ndcg_cut_10", "P_5": "P_5", "recip_rank": "recip_rank", "bpref": "bpref"}
QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 1}}
RUN = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"b": 2.0, "a": 1.0}}
SYSTEMS = pandas.DataFrame({"qid": ["q1", "q1"], "docno": ["a", "a"], "score": [1.0, 2.0], "System": ["x", "y"]})


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::evalsql.InputWarning")
@pytest.mark.parametrize("seed", few_of(range(12), 2))
def test_values_are_those_of_trec_eval_run_after_run(seed: int) -> None:
    first = collection(seed)
    with Evaluator(first.qrels, list(NAMES)) as evaluator:
        for run in (first.run, collection(seed + 100).run, first.run):
            expected = peers.trec_eval(first.qrels, run)
            found = evaluator.per_topic(run)
            assert list(found) == sorted(first.qrels)
            for topic, values in found.items():
                for name, value in values.items():
                    theirs = expected[NAMES[name]].get(topic, 0)
                    assert value == pytest.approx(theirs, abs=1e-6), (topic, name)
            means = evaluator.evaluate(run)
            for name, mean in means.items():
                assert mean == pytest.approx(sum(each[name] for each in found.values()) / len(found), abs=1e-12)


@pytest.mark.filterwarnings("ignore::evalsql.InputWarning")
@pytest.mark.parametrize(
    ("tie_rule", "lower_is_better"),
    few_of(zip(["trec_eval", "trec_eval_10", "input"] * 2, [False, True] * 3, strict=True), 1),
)
def test_values_are_those_of_a_warehouse_with_the_run(empty: Warehouse, tie_rule: str, lower_is_better: bool) -> None:
    asked = ["AP", "TAP@5", "RBP_resid", "ERR@10", "nDCG@3", "RR(ties='worst')", "infAP"]
    case = collection(4)
    with Evaluator(case.qrels, asked, tie_rule=tie_rule, lower_is_better=lower_is_better) as evaluator:
        found = evaluator.evaluate(case.run)
    empty.load_qrels(case.qrels, "q")
    empty.load_run(case.run, "r", tie_rule=tie_rule, lower_is_better=lower_is_better)
    ((_, _, *expected),) = empty.evaluate(asked).fetchall()
    assert list(found.values()) == pytest.approx(expected, abs=1e-12)


def test_rows_in_memory_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few and many, with and without numpy, by whole numbers; tests of formats have other kinds."""
    frame = pandas.DataFrame({"qid": ["q1", "q1", "q1", "q2"], "docno": ["a", "b", "c", "a"], "grade": [1, 0, 2, 1]})
    expected = pytest.approx({"AP": (1 + 2 / 3) / 4 + 0.25, "P@1": 0.5})
    assert evalsql.evaluate(frame, RUN, "AP P@1") == expected
    assert evalsql.evaluate({1: {10: 1}}, {1: {10: 0.5, 11: 0.7}}, "RR") == {"RR": 0.5}
    monkeypatch.setattr(frames, "_MANY", 1)
    for numpy in (sys.modules.get("numpy"), None):
        monkeypatch.setitem(sys.modules, "numpy", numpy)
        assert evalsql.evaluate(QRELS, RUN, "AP P@1") == expected


@pytest.mark.long
def test_files_of_judgments_and_runs_are_read(sample: Warehouse, tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("q1 0 a 1\nq1 0 b 0\nq1 0 c 2\nq2 0 a 1\n")
    assert evalsql.evaluate(str(tmp_path / "q.txt"), RUN, "P@1") == {"P@1": 0.5}
    found = evalsql.evaluate(SAMPLE / "qrels.txt", SAMPLE / "runs" / "bm25.run", ["AP", "nDCG@10"])
    ((_, _, *expected),) = sample.evaluate("AP nDCG@10", runs="bm25").fetchall()
    assert list(found.values()) == pytest.approx(expected, abs=1e-12)


@pytest.mark.long
def test_names_are_those_asked_for_and_groups_give_their_own() -> None:
    found = evalsql.evaluate(QRELS, RUN, ["map", "ndcg@10 P_5", "set"])
    assert list(found)[:3] == ["map", "ndcg@10", "P_5"]
    assert len(found) > 5
    of_ir_measures: Any = [ir_measures.nDCG @ 10, ir_measures.AP(rel=2) @ 100, "RR"]
    assert list(evalsql.evaluate(QRELS, RUN, of_ir_measures)) == ["nDCG@10", "AP(rel=2)@100", "RR"]
    assert list(evalsql.evaluate(QRELS, RUN, of_ir_measures[1])) == ["AP(rel=2)@100"]


def test_topics_on_one_side_alone_are_told() -> None:
    with Evaluator(QRELS, "AP") as evaluator:
        with pytest.warns(InputWarning, match="leaves out 1 of 2 topics"):
            assert evaluator.evaluate({"q1": RUN["q1"]}) == {"AP": pytest.approx((1 + 2 / 3) / 4)}
        with pytest.warns(InputWarning, match="the run has 1 topic without judgments"):
            evaluator.evaluate(RUN | {"q9": {"a": 1.0}})
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            evaluator.evaluate(RUN)


@pytest.mark.long
def test_what_is_refused_leaves_the_evaluator_as_it_was() -> None:
    repeated = pyarrow.table({"qid": ["q1", "q1"], "docno": ["a", "a"], "score": [1.0, 2.0]})
    with Evaluator(QRELS, "AP") as evaluator:
        expected = evaluator.evaluate(RUN)
        for run, error, reason in (
            ({"q1": {"a": None}}, UsageError, "topic q1"),
            ({"q1": {True: 1.0}}, UsageError, "names are text or whole numbers, found True"),
            ({"q1": [("a", 1.0, 2)]}, UsageError, "topic q1: expected pairs of document and score"),
            (repeated, InputError, "document a of topic q1 stands more than once"),
            ({"q1": {"1": 1.0, 1: 2.0}}, InputError, "document 1 of topic q1 stands more than once"),
            ({"1": {"a": 1.0}, 1: {"a": 2.0}}, InputError, "document a of topic 1 stands more than once"),
            (pyarrow.table({"qid": ["q1"]}), UsageError, "no column for the document"),
            (pyarrow.table({"qid": ["q1"], "docno": ["a"], "score": ["x"]}), InputError, "not a number"),
            (3, UsageError, "data of type int"),
            ("a.run", UsageError, '"a.run" stands where rows are expected; .* evalsql.evaluate read files'),
            ([repeated, repeated], UsageError, "a list, a Table first; evalsql.experiment takes several runs"),
            ([Path("a"), Path("b")], UsageError, "evalsql.experiment takes several runs"),
            ([RUN, RUN], UsageError, "a list, a dict first; evalsql.experiment takes several runs"),
            (SYSTEMS, UsageError, "the column System names several systems; make a run of each, as evalsql"),
            (
                [{"run": each, "topic": "q1", "document": each, "score": 1} for each in "ab"],
                UsageError,
                "the column run nam",
            ),
            (pandas.Series([1.0]), UsageError, "data of type Series is neither nested dicts nor a table"),
        ):
            with pytest.raises(error, match=reason):
                evaluator.evaluate(run)
            assert evaluator.evaluate(RUN) == expected
    for asked, reason in (("nope", "unknown measure"), ([], "no measure is named")):
        with pytest.raises(UsageError, match=reason):
            Evaluator(QRELS, asked)
    with pytest.raises(UsageError, match="tie rule best is unknown"):
        Evaluator(QRELS, "AP", tie_rule="best")


@pytest.mark.long
def test_columns_are_named_and_the_best_of_several_rows_is_kept(tmp_path: Path) -> None:
    run = pandas.DataFrame({"thema": ["1"] * 3, "hit": ["b", "a", "b"], "value": [3.0, 2.0, 1.0]})
    judged = pandas.DataFrame({"t": ["1", "1"], "d": ["a", "a"], "g": [0, 1]})
    how: dict[str, Any] = {
        "columns": {"topic": "thema", "document": "hit", "score": "value"},
        "qrels_columns": {"topic": "t", "document": "d", "grade": "g"},
    }
    with pytest.raises(UsageError, match=r"--columns topic=NAME,document=NAME,score=NAME, in Python .*'score': 'NAME'"):
        evalsql.evaluate(QRELS, run, "RR")
    with pytest.raises(InputError, match="in Python keep_best=True"):
        evalsql.evaluate(judged, run, "RR", **how)
    run.to_csv(tmp_path / "r.csv", index=False)
    for given in (run, tmp_path / "r.csv"):  # b is above a, the only relevant document, and stays there
        assert evalsql.evaluate(judged, given, "RR", **how, keep_best=True) == {"RR": 0.5}
    ((_, _, value),) = evalsql.experiment({"r": run}, judged, "RR", **how, keep_best=True).fetchall()
    assert value == 0.5
    (tmp_path / "s.csv").write_text((tmp_path / "r.csv").read_text())
    with pytest.raises(UsageError, match=r"stands for several runs: r, s; evalsql.experiment takes them"):
        evalsql.evaluate(judged, tmp_path / "*.csv", "RR", **how, keep_best=True)


@pytest.mark.long
def test_threads_that_share_an_evaluator_get_the_figures_of_their_own_runs() -> None:
    ranked: Run = {"q1": {"d": 3.0, "a": 2.0}, "q2": {"d": 3.0, "a": 2.0}}
    reversed_: Run = {"q1": {"d": 2.0, "a": 3.0}, "q2": {"d": 2.0, "a": 3.0}}
    with Evaluator(QRELS, "RR") as evaluator, ThreadPoolExecutor(4) as threads:
        found = list(threads.map(evaluator.evaluate, [ranked, reversed_] * 6))
        by_topic = list(threads.map(evaluator.per_topic, [ranked, reversed_] * 6))
    assert found == [{"RR": 0.5}, {"RR": 1.0}] * 6
    assert by_topic == [{topic: {"RR": value} for topic in QRELS} for value in (0.5, 1.0)] * 6
