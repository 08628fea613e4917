"""Worst, best and expected values over all orders of tied documents, against every permutation tried."""

import math
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from evalsql import Warehouse
from evalsql.catalog.measure_names import parse_measures, tie_variants
from evalsql.catalog.relations import read_catalog
from evalsql.errors import QueryError
from tests.conftest import module_warehouse
from tests.long_cases import few_of, first_of_each, one_in, rows_of
from tests.measures import plain_measures, test_diversity, test_preferences
from tests.measures.tied import (
    EXACT,
    by_trec_eval,
    compare_orders,
    every_order,
    in_every_order,
    load_tied,
    orders,
    tied_collection,
)
from tests.measures.topic_values import by_topic, judged_only
from tests.oracles import brute_force, brute_force_user_models
from tests.oracles.brute_force import Topic
from tests.oracles.by_name import value_of

CATALOG = read_catalog()
# Name here, name in trec_eval 9.
PEERS = {row[0]: row[1] for row in rows_of(Path(__file__).with_name("tied_peers.tsv"))}

loaded = module_warehouse(load_tied)


@cache
def peer_values(only: bool) -> dict[str, dict[str, list[float]]]:
    return by_trec_eval(set(PEERS.values()), every_order(), judged_only=only)


@pytest.mark.parametrize("name", first_of_each(PEERS, 1))
def test_every_permutation_through_trec_eval(loaded: Warehouse, name: str) -> None:
    compare_orders(loaded, name, peer_values(False)[PEERS[name]])


@pytest.mark.parametrize("name", few_of((name for name in PEERS if judged_only(name)), 3))
def test_every_permutation_of_judged_documents(loaded: Warehouse, name: str) -> None:
    compare_orders(loaded, str(judged_only(name)), peer_values(True)[PEERS[name]], differing=0)


@pytest.mark.parametrize("name", one_in(3, first_of_each(plain_measures.TIED, 1)))
def test_every_permutation_by_plain_loops(loaded: Warehouse, name: str) -> None:
    compare_orders(loaded, name, in_every_order(value_of(name)))


GAINS_BELOW_0 = {0: -0.5, 1: 2.0, 2: 0.5, 3: 1.0}
LISTED = "{0:-0.5,1:2,2:0.5,3:1}"


def test_ndcg_rel_is_null_where_losses_make_it_unknown(loaded: Warehouse) -> None:
    """With gains below 0 the orders that are tried are the worst and the best only where no DCG is below 0."""
    least = in_every_order(lambda topic: min(0, *brute_force.dcgs(topic, GAINS_BELOW_0)))
    name = f"nDCG_rel(gains={LISTED})"
    losing = [topic for topic, numbers in least.items() if min(numbers) < 0]
    unknown = compare_orders(loaded, name, in_every_order(value_of(name)), unknown=losing, unknown_mean=losing)
    assert 10 < len(unknown) < len(least) - 20


def test_g_with_losses_is_known_where_none_is_tied(loaded: Warehouse) -> None:
    qrels, run = tied_collection()
    tied_losses = {
        topic
        for topic, scores in run.items()
        if any(qrels[topic].get(d) == 0 and list(scores.values()).count(score) > 1 for d, score in scores.items())
        and any(GAINS_BELOW_0.get(grade, 0) > 0 for grade in qrels[topic].values())
    }
    name = f"G(gains={LISTED})"
    assert compare_orders(loaded, name, in_every_order(value_of(name)), unknown=tied_losses) == tied_losses
    assert 20 < len(tied_losses) < len(run) - 20


# Goals of INST, and whether its worst and best values are unknown there.
GOALS = {0.25: True, 0.49: True, 0.5: False}


def test_inst_is_null_where_a_gain_can_make_the_reader_go_on(loaded: Warehouse) -> None:
    """With a goal of a quarter the reader goes on for sure below a first document of gain 1."""
    first, last = (
        brute_force_user_models.inst(Topic({"a": 10, "b": 9}, {"a": 1.5, "b": score}), 0.25, 7, 10) for score in (1, 2)
    )
    assert first["value"] < last["value"]  # type: ignore[operator]
    for t, unknown in GOALS.items():
        for ties in ("worst", "best"):
            found = by_topic(loaded, f"INST(t={t},ties='{ties}')").values()
            assert {value is None for value in found} == {unknown}
    assert None not in by_topic(loaded, "INST(t=0.25)").values()


FALLING_GAINS = "{1:0.5,2:0.2,3:1}"


def test_gap_is_null_where_a_greater_grade_is_less(loaded: Warehouse) -> None:
    """With grade 2 below grade 1 a document of it first is good for some least grades and bad for others."""
    falling = {topic for topic, grades in tied_collection()[0].items() if {1, 2} <= set(grades.values())}
    name = f"GAP(gains={FALLING_GAINS})"
    assert compare_orders(loaded, name, in_every_order(value_of(name)), unknown=falling) == falling


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
    topics = {}
    for shown in INFERRED:
        qrels, run = {"other": 0, "missed": 1}, {}
        score, tied = 20.0, False
        for place, grade in enumerate(shown):
            tied = grade == "[" or (tied and grade != "]")
            if grade in "01-":
                qrels[f"d{place}"] = -1 if grade == "-" else int(grade)
            if grade not in "[]":
                run[f"d{place}"] = score
            score -= not tied
        topics[shown] = Topic(qrels, run)
    every = {shown: [Topic(one.judged, order) for order in orders(one.scores)] for shown, one in topics.items()}
    tried = by_trec_eval({"infAP"}, every)["infAP"]
    empty.load_qrels({shown: one.judged for shown, one in topics.items()}, "tied")
    empty.load_run({shown: one.scores for shown, one in topics.items()}, "system")
    for ties, pick in (("worst", min), ("best", max)):
        expected = {topic: pick(numbers) for topic, numbers in tried.items()}
        assert by_topic(empty, f"infAP(ties='{ties}')") == pytest.approx(expected, abs=EXACT), ties


def test_all_measures_with_ties_are_tried() -> None:
    of_groups = [*test_preferences.TIED_MEASURES, *test_diversity.TIED]
    tried = {measure.relation.name for measure in parse_measures([*PEERS, *plain_measures.TIED, *of_groups], CATALOG)}
    known = {relation.name for relation in CATALOG.measures if any(each.name == "ties" for each in relation.parameters)}
    assert known - {"tap"} <= tried  # TAP has tests of its own


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.long)])
def test_what_was_ranked_by_rank_or_input_has_no_ties(empty: Warehouse, every: bool) -> None:
    qrels, run = tied_collection()
    empty.load_qrels(qrels, "tied")
    empty.load_run(run, "system", tie_rule="input")
    for name in [*PEERS][:: 1 if every else 7]:
        (measure,) = parse_measures([name], CATALOG)
        for variant in tie_variants(measure).values():
            assert by_topic(empty, variant.name) == pytest.approx(by_topic(empty, name), abs=EXACT), variant.name
    if every:
        names = [name for (name,) in empty.rows("select distinct measure from summary")]
        known = [measure for measure in parse_measures(names, CATALOG) if tie_variants(measure)]
        # The expected value is a sum in another order.
        differs = "worst <> value or best <> value or abs(expected - value) > 1e-12"
        assert empty.rows(f"select count(*), count(*) filter ({differs}) from tie_effects") == [(len(known), 0)]


@pytest.mark.long
def test_effects_of_one_measure_are_those_of_all_with_a_condition(empty: Warehouse) -> None:
    qrels, run = tied_collection()
    empty.load_qrels(qrels, "tied")
    empty.load_run(run, "system")
    every = sorted(empty.rows("from tie_effects"))
    assert every
    names = {measure for _, _, measure, *_ in every}
    assert sorted(row for name in names for row in empty.rows(f"from tie_effects(only_measure := '{name}')")) == every
    with pytest.raises(QueryError, match="only_measure is NumRel, but must be a measure of scores with worst and best"):
        empty.rows("from tie_effects(only_measure := 'NumRel')")


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
    precisions = sum((1 + (rank - 1) * 9 / 999) / rank for rank in range(1, 1001)) / 1000
    first = sum(math.comb(1000 - rank, 9) / math.comb(1000, 10) / rank for rank in range(1, 992))
    expected = {
        "P@20": 0.01,
        "ERR(max_rel=1)": sum((on[rank - 1] - on[rank]) / rank for rank in range(1, 1001)),
        "ERR(max_rel=1)@20": sum((on[rank - 1] - on[rank]) / rank for rank in range(1, 21)),
        "R@500": 0.5,
        "Success@20": 1 - none,
        "Accuracy@20": (1 - none) / 2,
        **dict.fromkeys(("RR", "O_measure(beta=0)"), first),
        **dict.fromkeys(("AP", "AP_IA", "GAP", "Q(beta=0)"), precisions),
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
