"""Measures of user models, and others of the literature, on collections that were made for them."""

import math
import random
from collections.abc import Mapping
from itertools import permutations

import pytest
from cwl.ruler.measures.cwl_ift import IFTGoalCWLMetric
from cwl.ruler.measures.cwl_npv import NPVCWLMetric
from cwl.ruler.ranking import Ranking

from evalsql import Warehouse
from tests.long_cases import few_of
from tests.measures.tied import every_order, load_tied, orders
from tests.measures.topic_values import by_topic
from tests.oracles.brute_force import Topic, search_length
from tests.oracles.by_name import value_of
from tests.random_collections import Collection, Qrels, Run

EXACT = 1e-9


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


def short(least: int, most: int) -> Collection:
    """Rankings that are all shorter than what is relevant, most of it of the lowest grade; or of two documents."""
    chance = random.Random(6)
    qrels = {
        f"t{at}": {f"d{number:02}": chance.choice((0, 1, 1, 1, 2)) for number in range(chance.randint(least, most))}
        for at in range(12)
    }
    run = {
        topic: {d: float(chance.randint(1, 3)) for d in chance.sample(sorted(grades), chance.randint(1, min(3, least)))}
        for topic, grades in qrels.items()
    }
    return Collection(qrels, run)


GREAT = ["ERR(max_rel=60)", "ERR(max_rel=54)@3", "nERR(max_rel=60)", "nERR(max_rel=54)@3"]
# What a depth adds to Compat is summed for all rankings of the warehouse, down to the longest.
SHORT = ["Compat", "Compat(p=0.6)", "Compat(normalize=false)"]
SHORT += [f"Compat(depth={depth}{more})" for depth in (7, 12, 1000) for more in ("", ",p=0.6,normalize=false")]
MADE = {"great": (great_grades(), GREAT), "short": (short(9, 30), SHORT), "two": (short(2, 2), SHORT)}


def load(warehouse: Warehouse, one: Collection) -> None:
    warehouse.load_qrels(one.qrels, "judged")
    warehouse.load_run(one.run, "system")


@pytest.mark.parametrize("data", few_of(MADE, 1))
def test_made_collections_equal_plain_loops(empty: Warehouse, data: str) -> None:
    one, names = MADE[data]
    load(empty, one)
    for name in names:
        expected = {topic: value_of(name)(Topic(grades, one.run[topic])) for topic, grades in one.qrels.items()}
        assert by_topic(empty, name) == pytest.approx(expected, abs=EXACT), name
        assert len(set(expected.values())) > (1 if data == "two" else 8)


def mean_search_length(grades: Mapping[str, float], tried: list[Topic], rest: list[str], wanted: int) -> float:
    """Over all orders of tied documents, with the rest below them in any order."""
    lengths = [
        search_length([grades.get(d, 0) >= 1 for d in (*topic.order, *tail)], wanted)
        for topic in tried
        for tail in permutations(rest)
    ]
    return math.fsum(lengths) / len(lengths)


@pytest.mark.parametrize("wanted", few_of([1, 2, 4], 1))
def test_search_length_is_the_mean_over_all_orders(empty: Warehouse, wanted: int) -> None:
    load_tied(empty)
    ours = by_topic(empty, f"ESL(wanted={wanted})")
    for topic, tried in every_order().items():
        grades, scores = tried[0].judged, tried[0].scores
        rest = [document for document, grade in grades.items() if grade >= 0 and document not in scores]
        assert ours[topic] == pytest.approx(mean_search_length(grades, tried, rest, wanted), abs=EXACT), topic


@pytest.mark.parametrize("wanted", few_of([1, 2, 3, 4], 1))
@pytest.mark.parametrize("size", [5, 8])
def test_search_length_in_a_collection(empty: Warehouse, wanted: int, size: int) -> None:
    grades, scores = {"a": 1, "b": 0, "c": 1, "d": 2}, {"b": 1.0, "d": 1.0, "x": 0.5}
    load(empty, Collection({"t": grades}, {"t": scores}))
    rest = ["a", "c", "y", "z", "v"][: size - 3]
    expected = mean_search_length(grades, [Topic(grades, order) for order in orders(scores)], rest, wanted)
    assert by_topic(empty, f"ESL(wanted={wanted},collection={size})") == pytest.approx({"t": expected}, abs=EXACT)


def test_a_topic_left_out_costs_a_search_among_the_judged(empty: Warehouse) -> None:
    load(empty, Collection({"t": {"a": 1, "b": 0, "c": 0}, "u": {"a": 0}}, {"u": {"a": 1.0}}))
    assert by_topic(empty, "ESL") == {"t": 1.0, "u": 1.0}


def test_published_table_of_pres(empty: Warehouse) -> None:
    """Four relevant documents, a hundred looked at: four systems and their recalls 1/4, 1, 1, 1."""
    found = {"one": (1,), "middle": (50, 51, 53, 54), "top": (1, 2, 3, 4), "end": (1, 98, 99, 100)}
    qrels: Qrels = {topic: {f"r{nth}": 1 for nth in range(4)} for topic in found}
    run: Run = {}
    for topic, ranks in found.items():
        names = {rank: f"r{nth}" for nth, rank in enumerate(ranks)}
        run[topic] = {names.get(rank, f"d{rank}"): 1000.0 - rank for rank in range(1, 101)}
    load(empty, Collection(qrels, run))
    expected = {"one": 0.25, "middle": 0.505, "top": 1.0, "end": 0.28}
    assert by_topic(empty, "PRES@100") == pytest.approx(expected, abs=EXACT)


def test_what_ir_measures_leaves_out_equals_cwl_eval(empty: Warehouse) -> None:
    chance = random.Random(5)
    grades = {f"d{at:02}": chance.choice((0, 1, 2, 4)) for at in range(40)}
    load(empty, Collection({"t": grades}, {"t": {document: float(-at) for at, document in enumerate(grades)}}))
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
        assert by_topic(empty, name)["t"] == pytest.approx(1), name
    for name in ("INST(depth=null)", "INSQ(depth=null)", "SDCG@30000", "Compat(p=0.9999)", "NPV(depth=null)"):
        assert 0.5 < by_topic(empty, name)["t"] <= 1 + EXACT, name
