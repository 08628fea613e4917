"""Worst, best and expected values over all orders of tied documents, against every permutation tried."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache, partial
from itertools import chain

import pytest
import pytrec_eval

from evalsql import Warehouse
from evalsql.catalog.measure_names import parse_measures, tie_variants
from evalsql.catalog.relations import read_catalog
from tests.conftest import new_warehouse
from tests.long_cases import first_of_each
from tests.measures.tied import EXACT, compare_orders, orders, tied_collection
from tests.oracles import brute_force, brute_force_curves, brute_force_diversity, brute_force_user_models
from tests.oracles.brute_force_preferences import TIED
from tests.oracles.brute_force_user_models import TIED as TIED_MODELS
from tests.random_collections import Qrels, Run

CATALOG = read_catalog()
# Name here, name in trec_eval 9.
PEERS = {
    **{f"AP{cut}": name for cut, name in (("", "map"), ("@1", "map_cut_1"), ("@3", "map_cut_3"))},
    **{f"P@{k}": f"P_{k}" for k in (1, 3, 5)},
    **{f"P(relative=true)@{k}": f"relative_P_{k}" for k in (1, 3)},
    **{f"R@{k}": f"recall_{k}" for k in (1, 3)},
    **{f"Success@{k}": f"success_{k}" for k in (1, 3)},
    "RR": "recip_rank",
    "Rprec": "Rprec",
    "Rprec(multiple=0.6)": "Rprec_mult_0.60",
    "Rprec(multiple=1.6)": "Rprec_mult_1.60",
    "Bpref": "bpref",
    "binG": "binG",
    "nDCG": "ndcg",
    "nDCG@2": "ndcg_cut_2",
    "Rndcg": "Rndcg",
    "nDCG_rel": "ndcg_rel",
    "G": "G",
    "IPrec@0.5": "iprec_at_recall_0.50",
    "IPrecAvg": "11pt_avg",
    "GMAP": "gm_map",
    "GMBpref": "gm_bpref",
    "infAP": "infAP",
}
WANTED = (
    *("map", "recip_rank", "Rprec", "Rprec_mult.0.6,1.6", "bpref", "binG", "ndcg", "Rndcg", "11pt_avg"),
    *("map_cut.1,3", "P.1,3,5", "relative_P.1,3", "recall.1,3", "success.1,3", "ndcg_cut.2", "iprec_at_recall.0.5"),
    *("gm_map", "gm_bpref", "infAP", "ndcg_rel", "G"),
)
PLAIN: dict[str, Callable[[dict[str, int], dict[str, float]], float]] = {
    "FRS": brute_force.frs,
    "RR@2": lambda grades, scores: brute_force.reciprocal_rank(grades, scores, 2),
    "Judged@3": partial(brute_force.judged, k=3),
    "Unjudged@3": partial(brute_force.unjudged, k=3),
    "RBP": brute_force.rbp,
    "RBP(p=0.5,gains={1:0.5,2:1})": partial(brute_force.rbp, p=0.5, gains={1: 0.5, 2: 1.0}),
    "RBP_residual": brute_force.rbp_residual,
    "RBP_resid(p=0.5)": partial(brute_force.rbp_resid, p=0.5),
    "F(beta=2)@3": partial(brute_force.f_measure, beta=2, k=3),
    "YAAP": brute_force.yaap,
    "nDCG(gains={0:-1,1:2,2:0.5})@3": partial(brute_force.ndcg, gains={0: -1.0, 1: 2.0, 2: 0.5}, k=3),
    "DCG(dcg='exp-log2')": partial(brute_force.dcg, gains={1: 1.0, 2: 3.0, 3: 7.0}),
    "RBP_scaled": brute_force.rbp_scaled,
    "GSuccess@3": partial(brute_force_curves.generalized_success, k=3),
    "IPrec_textbook@0.5": partial(brute_force_curves.interpolated, recall=Fraction(1, 2)),
    "IPrecAvg_textbook": brute_force_curves.eleven_points,
    "BreakEven": brute_force_curves.break_even,
    "MaxF": lambda grades, scores: brute_force_curves.max_f(grades, scores)[0],
    "FPR@3": partial(brute_force_curves.false_positive_rate, k=3),
    "FPR(nonrelevant='judged')@3": partial(brute_force_curves.false_positive_rate, k=3, nonrelevant="judged"),
    "Specificity@2": partial(brute_force_curves.specificity, k=2),
    "ROC@2": partial(brute_force_curves.roc_n, n=2),
    "ROC(nonrelevant='judged')@2": partial(brute_force_curves.roc_n, n=2, nonrelevant="judged"),
    "nDCG_rel(gains={1:2,2:0.5,3:0.7})": partial(brute_force.ndcg_rel, gains={1: 2.0, 2: 0.5, 3: 0.7}),
    "Hits@3": partial(brute_force_user_models.hits, k=3),
    "CG@2": partial(brute_force_user_models.cg, k=2),
    "nCG@3": partial(brute_force_user_models.ncg, k=3),
    "PRES@3": partial(brute_force_user_models.pres, k=3),
    "SDCG(max_rel=2)@3": lambda grades, scores: brute_force_user_models.sdcg(
        brute_force_user_models.scaled(grades, scores, 2), 3
    ),
    "INSQ(min_rel=1,max_rel=3,depth=4)": lambda grades, scores: brute_force_user_models.rate(
        brute_force_user_models.scaled(grades, scores, 3, 1), brute_force_user_models.insq_onward(1), 4
    ),
    "NPV(depth=5)": lambda grades, scores: brute_force_user_models.rate(
        brute_force_user_models.scaled(grades, scores, 3), lambda *_: 1 / 1.1, 5
    ),
    "G(gains={1:2,2:0.5,3:0.7})": partial(brute_force.g, gains={1: 2.0, 2: 0.5, 3: 0.7}),
    **TIED_MODELS,
}


@pytest.fixture(scope="module")
def every_order() -> dict[tuple[str, int], dict[str, float]]:
    """Scores by topic and number of the order."""
    _, run = tied_collection()
    return {(topic, nth): order for topic, scores in run.items() for nth, order in enumerate(orders(scores))}


@pytest.fixture(scope="module")
def peer_values(every_order: dict[tuple[str, int], dict[str, float]]) -> dict[str, dict[str, list[float]]]:
    """By trec_eval's measure and topic its value in each order."""
    qrels, _ = tied_collection()
    evaluator = pytrec_eval.RelevanceEvaluator({f"{t}/{nth}": qrels[t] for t, nth in every_order}, set(WANTED))
    found: dict[str, dict[str, list[float]]] = {}
    for key, results in evaluator.evaluate({f"{t}/{nth}": scores for (t, nth), scores in every_order.items()}).items():
        for name, value in results.items():
            shown = math.exp(value) if name.startswith("gm_") else value
            found.setdefault(name, {}).setdefault(key.partition("/")[0], []).append(shown)
    return found


@pytest.fixture(scope="module")
def loaded() -> Iterator[Warehouse]:
    qrels, run = tied_collection()
    with new_warehouse() as warehouse:
        warehouse.load_qrels(qrels, "tied")
        warehouse.load_run(run, "system")
        yield warehouse


def in_every_order(
    every_order: dict[tuple[str, int], dict[str, float]], value: Callable[[dict[str, int], dict[str, float]], float]
) -> dict[str, list[float]]:
    qrels, _ = tied_collection()
    values: dict[str, list[float]] = {}
    for (topic, _), scores in every_order.items():
        values.setdefault(topic, []).append(value(qrels[topic], scores))
    return values


@pytest.mark.parametrize("name", PEERS)
def test_every_permutation_through_trec_eval(
    loaded: Warehouse, peer_values: dict[str, dict[str, list[float]]], name: str
) -> None:
    compare_orders(loaded, name, peer_values[PEERS[name]])


@pytest.mark.parametrize("name", first_of_each(PLAIN))
def test_every_permutation_by_plain_loops(
    loaded: Warehouse, every_order: dict[tuple[str, int], dict[str, float]], name: str
) -> None:
    compare_orders(loaded, name, in_every_order(every_order, PLAIN[name]))


@pytest.mark.parametrize(
    "name",
    ["TAP@2", "TAP(threshold=2)", "TAP(quantile=0.9)@2", "TAP(weighted=false)@2", "TAP(insufficient='uncut')@50"],
)
def test_tap_in_every_permutation(
    empty: Warehouse, every_order: dict[tuple[str, int], dict[str, float]], name: str
) -> None:
    """The threshold is a score, so no order moves it; within what is kept every order is tried."""
    qrels, run = tied_collection()
    empty.load_qrels(qrels, "tied")
    empty.load_run(run, "system")
    chance = random.Random(4)
    weights = {topic: chance.choice((0.5, 2.0, 9.0)) for topic in qrels if chance.random() < 0.8}
    empty.load_weights(weights, "tied")
    (measure,) = parse_measures([name], CATALOG)
    ((threshold,),) = empty.rows(f"select distinct threshold from {measure.call}")
    values: dict[str, list[float]] = {}
    for (topic, _), order in every_order.items():
        kept = {document: score for document, score in order.items() if run[topic][document] >= (threshold or 0)}
        value = brute_force.tap_of_list(qrels[topic], kept, cut=threshold is not None)
        values.setdefault(topic, []).append(value)
    compare_orders(empty, name, values)
    effects, _ = empty.ties(name)
    ((_, _, _, ruled, worst, expected, best),) = effects.fetchall()
    total = math.fsum(weights.get(topic, 1.0) for topic in values)
    if "weighted=false" not in name:
        for ours, pick in ((worst, min), (best, max), (expected, lambda all_: math.fsum(all_) / len(all_))):
            mean = math.fsum(weights.get(topic, 1.0) * pick(numbers) for topic, numbers in values.items()) / total
            assert ours == pytest.approx(mean, abs=EXACT)
    assert worst < ruled < best


GAINS_BELOW_0 = {0: -0.5, 1: 2.0, 2: 0.5, 3: 1.0}
LISTED = "{0:-0.5,1:2,2:0.5,3:1}"


def test_ndcg_rel_is_null_where_losses_make_it_unknown(
    loaded: Warehouse, every_order: dict[tuple[str, int], dict[str, float]]
) -> None:
    """With gains below 0 the orders that are tried are the worst and the best only where no DCG is below 0."""
    least = in_every_order(every_order, lambda grades, scores: min(0, *brute_force.dcgs(grades, scores, GAINS_BELOW_0)))
    values = in_every_order(every_order, partial(brute_force.ndcg_rel, gains=GAINS_BELOW_0))
    losing = [topic for topic, numbers in least.items() if min(numbers) < 0]
    name = f"nDCG_rel(gains={LISTED})"
    unknown = compare_orders(loaded, name, values, unknown=losing, unknown_mean=True)
    assert 10 < len(unknown) < len(values) - 20


def test_g_with_losses_is_known_where_none_is_tied(
    loaded: Warehouse, every_order: dict[tuple[str, int], dict[str, float]]
) -> None:
    qrels, run = tied_collection()
    tied_losses = {
        topic
        for topic, scores in run.items()
        if any(qrels[topic].get(d) == 0 and list(scores.values()).count(score) > 1 for d, score in scores.items())
        and any(GAINS_BELOW_0.get(grade, 0) > 0 for grade in qrels[topic].values())
    }
    values = in_every_order(every_order, partial(brute_force.g, gains=GAINS_BELOW_0))
    assert compare_orders(loaded, f"G(gains={LISTED})", values, unknown=tied_losses) == tied_losses
    assert 20 < len(tied_losses) < len(values) - 20


# Goals of INST, and whether its worst and best values are unknown there.
GOALS = {0.25: True, 0.49: True, 0.5: False}
FALLING = "1=0.5,2=0.2,3=1"


def test_inst_is_null_where_a_gain_can_make_the_reader_go_on(loaded: Warehouse) -> None:
    """With a goal of a quarter the reader goes on for sure below a first document of gain 1."""
    gains = [1.0, 0.9]
    onward = brute_force_user_models.inst_onward(0.25)
    assert brute_force_user_models.rate(gains, onward, 7) < brute_force_user_models.rate(gains[::-1], onward, 7)
    for t, unknown in GOALS.items():
        for ties in ("worst", "best"):
            values = loaded.rows(f"select value from inst(t := {t}, ties := '{ties}')")
            assert {value is None for (value,) in values} == {unknown}
    assert loaded.rows("select count(*) from inst(t := 0.25) where value is null") == [(0,)]


def test_gap_is_null_where_a_greater_grade_is_less(
    loaded: Warehouse, every_order: dict[tuple[str, int], dict[str, float]]
) -> None:
    """With grade 2 below grade 1 a document of it first is good for some least grades and bad for others."""

    def gap(grades: dict[str, int], scores: dict[str, float]) -> float:
        # Where no document has grade 2, grade 3 takes its chance.
        chances = {1: 0.5, 2: -0.3, 3: 0.8} if 2 in grades.values() else {1: 0.5, 3: 0.5}
        return brute_force_user_models.gap(grades, scores, chances)

    falling = {topic for topic, grades in tied_collection()[0].items() if {1, 2} <= set(grades.values())}
    values = in_every_order(every_order, gap)
    assert compare_orders(loaded, f"GAP(gains='{FALLING}')", values, unknown=falling) == falling


# Grades of documents in the order of their ranks, one tie in brackets; "u" has no judgment, "-" a negative grade.
INFERRED = (
    "0--uu[111--]",
    "0-uu[111---]",
    "--u[1110--u]",
    "-uu[1110---]",
    "0--[111--uu]",
    "1uu[110--u]0[1-1u]",
    "[11-0u-]",
)


def test_unjudged_documents_between_relevant_ones_through_trec_eval(empty: Warehouse) -> None:
    """Where unjudged documents lower what one relevant document adds and raise what another does, best mixes them, and
    worst has some number of them above."""
    qrels: Qrels = {}
    run: Run = {}
    for topic in INFERRED:
        qrels[topic], run[topic] = {"other": 0, "missed": 1}, {}
        score = 20.0
        tied = False
        for place, grade in enumerate(topic):
            tied = grade == "[" or (tied and grade != "]")
            if grade in "01-":
                qrels[topic][f"d{place}"] = -1 if grade == "-" else int(grade)
            if grade not in "[]":
                run[topic][f"d{place}"] = score
            score -= not tied
    every = {f"{topic}/{nth}": order for topic, scores in run.items() for nth, order in enumerate(orders(scores))}
    evaluator = pytrec_eval.RelevanceEvaluator({key: qrels[key.partition("/")[0]] for key in every}, {"infAP"})
    values: dict[str, list[float]] = {}
    for key, results in evaluator.evaluate(every).items():
        values.setdefault(key.partition("/")[0], []).append(results["infAP"])
    empty.load_qrels(qrels, "tied")
    empty.load_run(run, "system")
    for ties, pick in (("worst", min), ("best", max)):
        ours = dict(empty.rows(f"select topic, value from infap(ties := '{ties}')"))
        assert ours == pytest.approx({topic: pick(numbers) for topic, numbers in values.items()}, abs=EXACT), ties


def test_all_measures_with_ties_are_tried() -> None:
    names = (*PEERS, *PLAIN, "TAP@2", *chain.from_iterable(TIED.values()), *brute_force_diversity.TIED)
    tried = {parse_measures([name], CATALOG)[0].relation.name for name in names}
    known = {relation.name for relation in CATALOG.measures if any(each.name == "ties" for each in relation.parameters)}
    assert known <= tried


def test_what_was_ranked_by_rank_or_input_has_no_ties(empty: Warehouse) -> None:
    qrels, run = tied_collection()
    empty.load_qrels(qrels, "tied")
    empty.load_run(run, "system", tie_rule="input")
    # The expected value is a sum in another order.
    differs = "worst <> value or best <> value or abs(expected - value) > 1e-12"
    names = [name for (name,) in empty.rows("select distinct measure from summary")]
    known = [measure for measure in parse_measures(names, empty.catalog) if tie_variants(measure)]
    assert len(known) > 10
    assert empty.rows(f"select count(*), count(*) filter ({differs}) from tie_effects") == [(len(known), 0)]


def test_longer_ties_through_the_hypergeometric_distribution(empty: Warehouse) -> None:
    """A thousand documents with one score, ten of them relevant: what is expected has a textbook form."""
    empty.load_qrels({"t": {f"d{at:04}": 1 for at in range(10)}}, "long")
    empty.load_run({"t": {f"d{at:04}": 1.0 for at in range(1000)}}, "flat")
    none = math.prod((990 - at) / (1000 - at) for at in range(20))
    # How likely a reader whom each relevant document stops with 1/2 goes on past so many documents.
    on = [
        sum(math.comb(10, hits) * math.comb(990, deep - hits) * 2 ** (10 - hits) for hits in range(min(deep, 10) + 1))
        / (math.comb(1000, deep) * 2**10)
        for deep in range(1001)
    ]
    expected = {
        "P@20": 0.01,
        "ERR(max_rel=1)": sum((on[rank - 1] - on[rank]) / rank for rank in range(1, 1001)),
        "ERR(max_rel=1)@20": sum((on[rank - 1] - on[rank]) / rank for rank in range(1, 21)),
        "R@500": 0.5,
        "Success@20": 1 - none,
        "Accuracy@20": (1 - none) / 2,
        "RR": sum(math.comb(1000 - rank, 9) / math.comb(1000, 10) / rank for rank in range(1, 992)),
        "AP": sum((1 + (rank - 1) * 9 / 999) / rank for rank in range(1, 1001)) / 1000,
        "AP_IA": sum((1 + (rank - 1) * 9 / 999) / rank for rank in range(1, 1001)) / 1000,
        "GAP": sum((1 + (rank - 1) * 9 / 999) / rank for rank in range(1, 1001)) / 1000,
        "Q(beta=0)": sum((1 + (rank - 1) * 9 / 999) / rank for rank in range(1, 1001)) / 1000,
        "O_measure(beta=0)": sum(math.comb(1000 - rank, 9) / math.comb(1000, 10) / rank for rank in range(1, 992)),
    }
    for name, value in expected.items():
        (measure,) = parse_measures([name], CATALOG)
        ((ours,),) = empty.rows(f"select value from {tie_variants(measure)['expected'].call}")
        assert ours == pytest.approx(value, abs=EXACT), name


def test_gains_in_longer_ties_by_plain_recursion(empty: Warehouse) -> None:
    """Two hundred documents with one score, of them eight with a gain of 1 and seven with 2; and too many."""
    grades = {f"d{at:03}": 1 if at < 8 else 2 for at in range(15)}
    many = {f"d{at:03}": at % 4 + 1 for at in range(40)}
    empty.load_qrels({"few": grades, "many": many}, "long")
    flat = {f"d{at:03}": 1.0 for at in range(200)}
    empty.load_run({"few": flat, "many": flat}, "flat")
    cost = [0.0]
    for place in range(200):
        cost.append(cost[-1] + (2 if place < 7 else 1))

    def added(place: int, gain: int, ones: int, twos: int) -> float:
        return gain / math.log2(2 + cost[place] - ones - 2 * twos - gain)

    @cache
    def extreme(ones: int, twos: int, top: int, pick: Callable[[list[float]], float]) -> float:
        place = top + ones + twos + 1
        choices = []
        if ones < 8:
            choices.append(added(place, 1, ones, twos) + extreme(ones + 1, twos, top, pick))
        if twos < 7:
            choices.append(added(place, 2, ones, twos) + extreme(ones, twos + 1, top, pick))
        return pick(choices) if choices else 0.0

    @cache
    def expected(ones: int, twos: int, others: int) -> float:
        left = 200 - ones - twos - others
        value = 0.0
        if ones < 8:
            value += (8 - ones) / left * (added(201 - left, 1, ones, twos) + expected(ones + 1, twos, others))
        if twos < 7:
            value += (7 - twos) / left * (added(201 - left, 2, ones, twos) + expected(ones, twos + 1, others))
        if others < 185:
            value += (185 - others) / left * expected(ones, twos, others + 1)
        return value

    for ties, value in (
        ("best", extreme(0, 0, 0, max)),
        ("worst", extreme(0, 0, 185, min)),
        ("expected", expected(0, 0, 0)),
    ):
        ours = dict(empty.rows(f"select topic, value from g(ties := '{ties}')"))
        assert ours == {"few": pytest.approx(value / 22, abs=EXACT), "many": None}, ties
