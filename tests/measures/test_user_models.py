"""Measures of user models, and others of the literature, against plain loops on random collections with ties."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from functools import partial
from itertools import permutations

import pytest
from cwl.ruler.measures.cwl_ift import IFTGoalCWLMetric
from cwl.ruler.measures.cwl_npv import NPVCWLMetric
from cwl.ruler.ranking import Ranking

from evalsql import Warehouse
from evalsql.catalog.measure_names import parse_measures
from tests.conftest import random_warehouse
from tests.measures.test_ties import orders, tied_collection
from tests.measures.topic_values import values
from tests.oracles import brute_force
from tests.oracles import brute_force_user_models as plain
from tests.random_collections import Collection, Qrels, Run, collection

SEEDS = range(60)
EXACT = 1e-9
Topic = Callable[[dict[str, int], dict[str, float], int], float]


def of_gains(value: Callable[[list[float]], float], min_rel: int = 0, max_rel: int | None = None) -> Topic:
    """A function of the scaled gains as one of grades, scores and the greatest grade of the judgment set."""
    return lambda grades, scores, greatest: value(plain.scaled(grades, scores, max_rel or greatest, min_rel))


def of_grades(value: Callable[[dict[str, int], dict[str, float]], float]) -> Topic:
    return lambda grades, scores, greatest: value(grades, scores)


def bpm(gains: list[float], t: float, k: int) -> float:
    return plain.rate(gains, lambda rank, gain, total: float(total < t and rank < k), k)


PLAIN: dict[str, Topic] = {
    "ERR": of_grades(plain.err),
    "ERR@3": of_grades(partial(plain.err, k=3)),
    "ERR(max_rel=2)@10": of_grades(partial(plain.err, k=10, max_rel=2)),
    "ERR(max_rel=null)": lambda grades, scores, greatest: plain.err(grades, scores, max_rel=greatest),
    "nERR": of_grades(plain.nerr),
    "nERR(max_rel=1)@5": of_grades(partial(plain.nerr, k=5, max_rel=1)),
    "nERR(max_rel=null)@2": lambda grades, scores, greatest: plain.nerr(grades, scores, 2, greatest),
    "NERR8@5": of_gains(partial(plain.rate, onward=lambda rank, gain, total: 1 - gain, depth=5)),
    "NERR9@20": of_gains(
        partial(plain.rate, onward=lambda rank, gain, total: rank / (rank + 1) * (1 - gain), depth=20)
    ),
    "NERR10(p=0.7,depth=5)": of_gains(partial(plain.rate, onward=lambda rank, gain, total: 0.7 * (1 - gain), depth=5)),
    "NERR10(depth=null)": of_gains(partial(plain.rate, onward=lambda rank, gain, total: 0.9 * (1 - gain), depth=400)),
    "NERR11(t=1.5,depth=7)": of_gains(partial(plain.rate, onward=plain.nerr11_onward(1.5), depth=7)),
    "NERR11(depth=null)": of_gains(partial(plain.endless, onward=plain.nerr11_onward(1), last_shift=2)),
    "BPM@5": of_gains(partial(bpm, t=1, k=5)),
    "BPM(t=2.5,max_rel=4)@30": of_gains(partial(bpm, t=2.5, k=30), 0, 4),
    "IFT(depth=20)": of_gains(partial(plain.rate, onward=plain.ift_onward(2, 0.9, 1), depth=20)),
    "IFT(t=1,b=3,r=5)": of_gains(partial(plain.rate, onward=plain.ift_onward(1, 3, 5), depth=1000)),
    "IFT(t=0.5,b=0.1,r=0.2,depth=null)": of_gains(
        partial(plain.rate, onward=plain.ift_onward(0.5, 0.1, 0.2), depth=300)
    ),
    # Readers who go on nearly for sure: the items of a long stretch are all but its size.
    "IFT(t=1,b=1e8,r=0.01,depth=90)": of_gains(partial(plain.rate, onward=plain.ift_onward(1, 1e8, 0.01), depth=90)),
    "IFT(t=1,b=1e20,r=0,depth=90)": of_gains(partial(plain.rate, onward=plain.ift_onward(1, 1e20, 0), depth=90)),
    "INSQ(t=2,depth=10)": of_gains(partial(plain.rate, onward=plain.insq_onward(2), depth=10)),
    "INSQ(depth=null)": of_gains(partial(plain.endless, onward=plain.insq_onward(1), last_shift=2)),
    "INST(t=3,depth=12)": of_gains(partial(plain.rate, onward=plain.inst_onward(3), depth=12)),
    "INST(t=0.5,min_rel=1,max_rel=3)": of_gains(partial(plain.rate, onward=plain.inst_onward(0.5), depth=1000), 1, 3),
    "INST(t=0.25)": of_gains(partial(plain.rate, onward=plain.inst_onward(0.25), depth=1000)),
    # The depth at a document with a gain, so that what is still wanted below it can be less than nothing.
    "INST(t=0.25,depth=2)": of_gains(partial(plain.rate, onward=plain.inst_onward(0.25), depth=2)),
    "INST(t=0.5,depth=1)": of_gains(partial(plain.rate, onward=plain.inst_onward(0.5), depth=1)),
    "INST(depth=null)": of_gains(
        lambda gains: plain.endless(gains, plain.inst_onward(1), last_shift=2 - math.fsum(gains))
    ),
    "NPV(rate=0.5,depth=6)": of_gains(partial(plain.rate, onward=lambda rank, gain, total: 1 / 1.5, depth=6)),
    "NPV(depth=null)": of_gains(partial(plain.rate, onward=lambda rank, gain, total: 1 / 1.1, depth=400)),
    "RBP(p=0.8,rel=1)@10": of_gains(lambda gains: sum(0.2 * 0.8**at for at, gain in enumerate(gains[:10]) if gain)),
    "SDCG@7": of_gains(partial(plain.sdcg, k=7)),
    "SDCG(min_rel=1,max_rel=3)@1": of_gains(partial(plain.sdcg, k=1), 1, 3),
    "Compat": of_grades(partial(plain.compat, p=0.95, normalize=True)),
    "Compat(p=0.3,normalize=false)": of_grades(partial(plain.compat, p=0.3, normalize=False)),
    "Accuracy": of_grades(plain.accuracy),
    "Accuracy@4": of_grades(partial(plain.accuracy, k=4)),
    "Hits": of_grades(plain.hits),
    "CG@3": of_grades(partial(plain.cg, k=3)),
    "nCG": of_grades(plain.ncg),
    "nCG@3": of_grades(partial(plain.ncg, k=3)),
    "nCG(gains={0:-1,1:2,2:0.5})": of_grades(partial(brute_force.ncg, gains={0: -1.0, 1: 2.0, 2: 0.5})),
    "IDCG@3": of_grades(lambda grades, scores: plain.ideal_dcg(grades, 3)),
    "IDCG(gains={0:-1,1:2,2:0.5})": of_grades(
        plain.of_listed(lambda grades, scores: plain.ideal_dcg(grades), {0: -1.0, 1: 2.0, 2: 0.5})
    ),
    "nDCG_rel(gains={0:-0.1,1:2,2:0.5})": of_grades(partial(brute_force.ndcg_rel, gains={0: -0.1, 1: 2.0, 2: 0.5})),
    "Judged(k=null)": of_grades(lambda grades, scores: brute_force.judged(grades, scores, len(scores))),
    "Q": of_grades(plain.q_measure),
    "Q(beta=10)": of_grades(partial(plain.q_measure, beta=10)),
    "AWP": of_grades(plain.awp),
    "R_measure": of_grades(plain.r_measure),
    "R_measure(beta=3)": of_grades(partial(plain.r_measure, beta=3)),
    "O_measure": of_grades(plain.o_measure),
    "O_measure(beta=0.5)": of_grades(partial(plain.o_measure, beta=0.5)),
    "P_plus": of_grades(plain.p_plus),
    "P+(beta=5)": of_grades(partial(plain.p_plus, beta=5)),
    "GAP": of_grades(partial(plain.gap, chances=dict.fromkeys(range(1, 5), 0.25))),
    "GAP(gains={1:0.1,2:0.5,3:0.5,4:1})": of_grades(partial(plain.gap, chances={1: 0.1, 2: 0.4, 4: 0.5})),
    # A grade of 0 is never reached, whatever its gain.
    "GAP(gains={0:0.5,1:0.7,2:1,3:1,4:1})": of_grades(partial(plain.gap, chances={1: 0.7, 2: 0.3})),
    "PRES": of_grades(partial(plain.pres, k=1000)),
    "PRES@5": of_grades(partial(plain.pres, k=5)),
}


@pytest.fixture(scope="module")
def loaded() -> Iterator[Warehouse]:
    """All collections in one warehouse, each a judgment set of its own with one run."""
    with random_warehouse() as warehouse:
        yield warehouse


@pytest.mark.parametrize("name", PLAIN)
def test_measures_equal_plain_loops(loaded: Warehouse, name: str) -> None:
    ours = values(loaded, name)
    differing = set()
    for seed in SEEDS:
        one = collection(seed)
        greatest = max(max(grades.values()) for grades in one.qrels.values())
        for topic, grades in one.qrels.items():
            expected = PLAIN[name](grades, one.run.get(topic, {}), greatest)
            assert ours[f"{seed}", topic] == pytest.approx(expected, abs=EXACT), (seed, topic)
            differing.add(round(expected, 6))
    assert len(differing) > (1 if name.endswith(("@1", "depth=1)")) else 5)


def test_without_gains_they_are_measures_of_relevance(loaded: Warehouse) -> None:
    assert values(loaded, "R_measure(beta=0)") == pytest.approx(values(loaded, "Rprec"), abs=EXACT)
    assert values(loaded, "O_measure(beta=0)") == pytest.approx(values(loaded, "RR"), abs=EXACT)
    assert values(loaded, "Q(beta=0)") == pytest.approx(values(loaded, "AP"), abs=EXACT)
    assert values(loaded, "GAP(gains={1:1,2:1,3:1,4:1})") == pytest.approx(values(loaded, "AP"), abs=EXACT)


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


def load_great_grades(warehouse: Warehouse) -> None:
    one = great_grades()
    warehouse.load_qrels(one.qrels, "great")
    warehouse.load_run(one.run, "system")


GREAT: dict[str, Callable[[dict[str, int], dict[str, float]], float]] = {
    "ERR(max_rel=60)": partial(plain.err, max_rel=60),
    "ERR(max_rel=54)@3": partial(plain.err, k=3, max_rel=54),
    "nERR(max_rel=60)": partial(plain.nerr, max_rel=60),
    "nERR(max_rel=54)@3": partial(plain.nerr, k=3, max_rel=54),
}


def test_great_grades_equal_plain_loops(empty: Warehouse) -> None:
    load_great_grades(empty)
    one = great_grades()
    for name, function in GREAT.items():
        expected = {("great", topic): function(grades, one.run[topic]) for topic, grades in one.qrels.items()}
        assert values(empty, name) == pytest.approx(expected, abs=EXACT), name
        assert len(set(expected.values())) > 10


def test_hits_are_averaged_and_relevant_documents_retrieved_are_summed(loaded: Warehouse) -> None:
    ((_, _, hits, found),) = loaded.evaluate("Hits NumRelRet", runs=["run 11"]).fetchall()
    assert hits == pytest.approx(found / len(collection(11).qrels))
    assert values(loaded, "NumRet(rel=2)") == values(loaded, "NumRelRet(rel=2)")


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
