"""Measures of user models, and others of the literature, on collections that were made for them."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from functools import partial
from itertools import permutations
from typing import Any

import pytest
from cwl.ruler.measures.cwl_ift import IFTGoalCWLMetric
from cwl.ruler.measures.cwl_npv import NPVCWLMetric
from cwl.ruler.ranking import Ranking

from evalsql import Warehouse
from evalsql.catalog.measure_names import parse_measures
from tests.measures.tied import orders, tied_collection
from tests.measures.topic_values import values
from tests.oracles import brute_force
from tests.oracles import brute_force_user_models as plain
from tests.random_collections import Collection, Qrels, Run

EXACT = 1e-9


def test_without_gains_they_are_measures_of_relevance(random_file: Warehouse) -> None:
    assert values(random_file, "R_measure(beta=0)") == pytest.approx(values(random_file, "Rprec"), abs=EXACT)
    assert values(random_file, "O_measure(beta=0)") == pytest.approx(values(random_file, "RR"), abs=EXACT)
    assert values(random_file, "Q(beta=0)") == pytest.approx(values(random_file, "AP"), abs=EXACT)
    assert values(random_file, "GAP(gains={1:1,2:1,3:1,4:1})") == pytest.approx(values(random_file, "AP"), abs=EXACT)


def great_grades() -> Collection:
    """With grades so great that by them a reader is satisfied for sure, as far as a double tells."""
    chance = random.Random(8)
    qrels: Qrels = {}
    run: Run = {}
    for number in range(40):
        documents = [f"d{at}" for at in range(chance.randint(1, 9))]
        qrels[f"t{number}"] = {document: chance.choice((-1, 0, 1, 50, 53, 54, 59, 60)) for document in documents}
        run[f"t{number}"] = {document: chance.random() for document in [*documents[1:], "other"]}
    return Collection(qrels, run)


GREAT: dict[str, Callable[[dict[str, int], dict[str, float]], float]] = {
    "ERR(max_rel=60)": partial(plain.err, max_rel=60),
    "ERR(max_rel=54)@3": partial(plain.err, k=3, max_rel=54),
    "nERR(max_rel=60)": partial(plain.nerr, max_rel=60),
    "nERR(max_rel=54)@3": partial(plain.nerr, k=3, max_rel=54),
}


def test_great_grades_equal_plain_loops(empty: Warehouse) -> None:
    one = great_grades()
    empty.load_qrels(one.qrels, "great")
    empty.load_run(one.run, "system")
    for name, function in GREAT.items():
        expected = {("great", topic): function(grades, one.run[topic]) for topic, grades in one.qrels.items()}
        assert values(empty, name) == pytest.approx(expected, abs=EXACT), name
        assert len(set(expected.values())) > 10


def test_hits_are_averaged_and_relevant_documents_retrieved_are_summed(
    random_file: Warehouse, collections: dict[str, Collection]
) -> None:
    means = random_file.evaluate("Hits NumRelRet").fetchall()
    assert [hits for *_, hits, _ in means] == pytest.approx(
        [found / len(collections[qrels].qrels) for qrels, *_, found in means]
    )
    assert values(random_file, "NumRet(rel=2)") == values(random_file, "NumRelRet(rel=2)")


def mean_search_length(grades: dict[str, int], scores: dict[str, float], rest: list[str], wanted: int) -> float:
    """Over all orders of tied documents, with the rest below them in any order."""
    lengths = [
        plain.search_length([grades.get(d, 0) >= 1 for d in (*brute_force.ranking(order), *tail)], wanted)
        for order in orders(scores)
        for tail in permutations(rest)
    ]
    return math.fsum(lengths) / len(lengths)


@pytest.mark.parametrize("wanted", [1, 2, 4])
def test_search_length_is_the_mean_over_all_orders(empty: Warehouse, wanted: int) -> None:
    qrels, run = tied_collection()
    empty.load_qrels(qrels, "tied")
    empty.load_run(run, "system")
    ours = dict(empty.rows(f"select topic, value from esl(wanted := {wanted})"))
    for topic, grades in qrels.items():
        rest = [document for document, grade in grades.items() if grade >= 0 and document not in run[topic]]
        assert ours[topic] == pytest.approx(mean_search_length(grades, run[topic], rest, wanted), abs=EXACT), topic


@pytest.mark.parametrize("wanted", [1, 2, 3, 4])
@pytest.mark.parametrize("size", [5, 8])
def test_search_length_in_a_collection(empty: Warehouse, wanted: int, size: int) -> None:
    grades, scores = {"a": 1, "b": 0, "c": 1, "d": 2}, {"b": 1.0, "d": 1.0, "x": 0.5}
    empty.load_qrels({"t": grades}, "small")
    empty.load_run({"t": scores}, "system")
    rest = ["a", "c", "y", "z", "v"][: size - 3]
    ((value,),) = empty.rows(f"select value from esl(wanted := {wanted}, collection := {size})")
    assert value == pytest.approx(mean_search_length(grades, scores, rest, wanted), abs=EXACT)


def test_a_topic_left_out_costs_a_search_among_the_judged(empty: Warehouse) -> None:
    empty.load_qrels({"t": {"a": 1, "b": 0, "c": 0}, "u": {"a": 0}}, "judged")
    empty.load_run({"u": {"a": 1.0}}, "system")
    assert empty.rows("select topic, value from esl() order by topic") == [("t", 1.0), ("u", 1.0)]


def test_published_table_of_pres(empty: Warehouse) -> None:
    """Four relevant documents, a hundred looked at: four systems and their recalls 1/4, 1, 1, 1."""
    found = {"one": (1,), "middle": (50, 51, 53, 54), "top": (1, 2, 3, 4), "end": (1, 98, 99, 100)}
    qrels: Qrels = {topic: {f"r{nth}": 1 for nth in range(4)} for topic in found}
    run: Run = {}
    for topic, ranks in found.items():
        names = {rank: f"r{nth}" for nth, rank in enumerate(ranks)}
        run[topic] = {names.get(rank, f"d{rank}"): 1000.0 - rank for rank in range(1, 101)}
    empty.load_qrels(qrels, "patents")
    empty.load_run(run, "system")
    ours = dict(empty.rows("select topic, value from pres(k := 100)"))
    assert ours == pytest.approx({"one": 0.25, "middle": 0.505, "top": 1.0, "end": 0.28}, abs=EXACT)


def test_what_ir_measures_leaves_out_equals_cwl_eval(empty: Warehouse) -> None:
    chance = random.Random(5)
    grades = {f"d{at:02}": chance.choice((0, 1, 2, 4)) for at in range(40)}
    empty.load_qrels({"t": grades}, "judged")
    empty.load_run({"t": {document: float(-at) for at, document in enumerate(grades)}}, "system")
    ranking = Ranking("t", [grade / 4 for grade in grades.values()], [math.nan] * len(grades))
    for rate in (0.1, 1.0, 0.001):
        expected = NPVCWLMetric(rate).measure(ranking)
        assert empty.rows(f"select value from npv(rate := {rate}, max_rel := 4)") == [(pytest.approx(expected),)]
    for t, b, r in ((2.0, 0.9, 1.0), (10.0, 0.25, 2.0), (1.0, 100.0, 0.01), (100.0, 1.0, 7.0)):
        metric = IFTGoalCWLMetric(t, b, r)
        expected = metric.measure(ranking)
        ((value, items),) = empty.rows(f"select value, expected_items from ift(t := {t}, b := {b}, r := {r})")
        assert value == pytest.approx(expected, abs=EXACT)
        assert items == pytest.approx(metric.expected_items)


def test_long_rankings_and_great_grades_stay_finite(empty: Warehouse) -> None:
    documents = [f"d{at:05}" for at in range(20000)]
    empty.load_qrels({"t": dict.fromkeys(documents, 60), "u": {"d00001": 0}}, "many")
    empty.load_run({"t": {document: float(-at) for at, document in enumerate(documents)}}, "system")
    for name in ("ERR(max_rel=null)", "nERR(max_rel=null)", "NERR8", "NERR9", "NERR10(depth=null)", "BPM"):
        ((value,),) = empty.rows(f"select value from {parse_measures([name], empty.catalog)[0].call} where topic = 't'")
        assert value == pytest.approx(1), name
    for name in ("INST(depth=null)", "INSQ(depth=null)", "SDCG@30000", "Compat(p=0.9999)", "NPV(depth=null)"):
        ((value,),) = empty.rows(f"select value from {parse_measures([name], empty.catalog)[0].call} where topic = 't'")
        assert 0.5 < value <= 1 + EXACT, name


SHORT: dict[str, dict[str, Any]] = {
    "Compat": {"p": 0.95, "normalize": True},
    "Compat(p=0.6)": {"p": 0.6, "normalize": True},
    "Compat(normalize=false)": {"p": 0.95, "normalize": False},
}


def short(name: str) -> Collection:
    """Rankings that are all shorter than what is relevant, most of it of the lowest grade; or of two documents."""
    chance = random.Random(6)
    least, most = (9, 30) if name == "short" else (2, 2)
    qrels = {
        f"t{at}": {f"d{number:02}": chance.choice((0, 1, 1, 1, 2)) for number in range(chance.randint(least, most))}
        for at in range(12)
    }
    run = {
        topic: {d: float(chance.randint(1, 3)) for d in chance.sample(sorted(grades), chance.randint(1, min(least, 3)))}
        for topic, grades in qrels.items()
    }
    return Collection(qrels, run)


@pytest.mark.parametrize("name", ["short", "two"])
def test_rankings_shorter_than_the_ideal_one(empty: Warehouse, name: str) -> None:
    """What a depth adds is summed for all rankings of the warehouse, down to the longest."""
    one = short(name)
    empty.load_qrels(one.qrels, name)
    empty.load_run(one.run, name)
    for measure, options in SHORT.items():
        expected = {
            (name, topic): plain.compat(grades, one.run[topic], **options) for topic, grades in one.qrels.items()
        }
        assert values(empty, measure) == pytest.approx(expected, abs=EXACT), measure
