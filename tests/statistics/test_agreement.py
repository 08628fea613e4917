"""Agreement of rankings: scipy, plain loops over the definitions, and worked examples."""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Any

import pytest
from scipy import stats

from evalsql import QueryError, Warehouse
from tests.conftest import module_warehouse, new_warehouse
from tests.long_cases import few_of
from tests.oracles import brute_force, brute_force_agreement
from tests.random_collections import LEVELS
from tests.statistics.scores import put_rows

MEASURES = ("AP", "P@10", "RR", "nDCG@20")
RUNS = [f"run{nth}" for nth in range(60)]
PERSISTENCES = (0.1, 0.5, 0.9, 0.98)
# Means by judgment set, measure and run.
Means = Mapping[str, Mapping[str, Mapping[str, float]]]


def put_means(warehouse: Warehouse, means: Means) -> None:
    """Scores of a single topic each, so that they are the means, in the place of the view."""
    put_rows(
        warehouse,
        (
            (qrels, run, "t1", measure, value)
            for qrels, measures in means.items()
            for measure, runs in measures.items()
            for run, value in runs.items()
        ),
    )


def drawn(chance: random.Random, runs: int, levels: int) -> dict[str, float]:
    return {f"run{nth}": chance.randint(0, levels) / levels for nth in range(runs)}


def agreed(warehouse: Warehouse, call: str) -> dict[tuple[str, str, str], tuple[Any, ...]]:
    return {(row[0], row[1], row[2]): row[3:] for row in warehouse.rows(f"from {call}")}


def scipy_agreement(one: Sequence[float], two: Sequence[float]) -> tuple[float | None, float | None]:
    """tau-b and rho, None where scipy has no number."""
    if len(one) < 2 or len(set(one)) == 1 or len(set(two)) == 1:
        return None, None
    return stats.kendalltau(one, two).statistic, stats.spearmanr(one, two).statistic


def assert_like_scipy(found: Sequence[object], one: Mapping[str, float], two: Mapping[str, float]) -> None:
    runs = sorted(one.keys() & two.keys())
    tau_b, rho = scipy_agreement([one[run] for run in runs], [two[run] for run in runs])
    assert found[0] == len(runs)
    assert found[1] == (None if tau_b is None else pytest.approx(tau_b, abs=1e-9))
    assert found[2] == (None if rho is None else pytest.approx(rho, abs=1e-9))
    assert (found[5] is None) == (tau_b is not None)


def test_tau_b_and_rho_between_measures_are_scipys(warehouse: Warehouse) -> None:
    chance = random.Random(6)
    means = {
        f"set{seed}": {measure: drawn(chance, runs, chance.choice((1, 2, 5, 1000))) for measure in MEASURES}
        for seed, runs in enumerate([1, 2, 3] * 5 + [7, 20, 45] * 10)
    }
    put_means(warehouse, means)
    found = agreed(warehouse, "measure_agreement")
    pairs = list(combinations(MEASURES, 2))
    assert len(found) == len(means) * len(pairs)
    for qrels, by_measure in means.items():
        for one, two in pairs:
            assert_like_scipy(found[qrels, one, two], by_measure[one], by_measure[two])


def test_agreement_between_qrels_goes_by_the_runs_of_both(warehouse: Warehouse) -> None:
    chance = random.Random(7)
    means = {
        f"set{seed}": {
            measure: {run: mean for run, mean in drawn(chance, 12, 8).items() if chance.random() < 0.8}
            for measure in MEASURES
        }
        for seed in range(8)
    }
    put_means(warehouse, means)
    found = agreed(warehouse, "qrels_agreement")
    assert len(found) == 28 * len(MEASURES)
    for (measure, one, two), values in found.items():
        assert one < two
        assert_like_scipy(values, means[one][measure], means[two][measure])
    reversed_too = agreed(warehouse, "qrels_agreement(reference := 'set3')")
    assert len(reversed_too) == 7 * len(MEASURES)
    for (measure, one, two), (runs, tau_b, rho, tau_ap, tau_ap_other, note) in reversed_too.items():
        assert one == "set3"
        if two < one:
            tau_ap, tau_ap_other = tau_ap_other, tau_ap
        theirs = found[measure, min(one, two), max(one, two)]
        assert (runs, note) == (theirs[0], theirs[5])
        assert [tau_b, rho, tau_ap, tau_ap_other] == pytest.approx(list(theirs[1:5]), abs=1e-12)


def test_tau_ap_is_the_mean_over_all_orders_of_the_tied(warehouse: Warehouse) -> None:
    """And that of the two orders where nothing is tied, which may be long."""
    chance = random.Random(8)
    means = {
        f"set{seed}": {measure: drawn(chance, runs, chance.choice((1, 2, 4, 1000))) for measure in MEASURES[:2]}
        for seed, runs in enumerate([2, 3, 4, 5] * 25)
    }
    means["long"] = {m: dict(zip(chance.sample(RUNS, 60), range(60), strict=True)) for m in MEASURES}
    put_means(warehouse, means)
    for (qrels, one, two), values in agreed(warehouse, "measure_agreement").items():
        true, other = means[qrels][one], means[qrels][two]
        assert values[3] == pytest.approx(brute_force_agreement.tau_ap(true, other), abs=1e-9), qrels
        assert values[4] == pytest.approx(brute_force_agreement.tau_ap(other, true), abs=1e-9), qrels


def test_agreement_worked_by_hand(warehouse: Warehouse) -> None:
    """AP orders a b c d, RR orders b a d c, P@10 orders a, then b and c tied, then d.

    AP and RR: two of six pairs are the other way round, so tau is (4 - 2) / 6 and rho 1 - 6 * 4 / (4 * 15) = 0.6.
    tau_AP with AP as the truth: below b, a has 0 of 1 right; d has both of 2; c has a and b of 3. So
    2 / 3 * (0 + 1 + 2 / 3) - 1 = 1 / 9; RR as the truth gives the same: b 0 of 1, c 2 of 2, d 2 of 3.
    AP and P@10: five pairs agree, one is tied in P@10: tau-b is 5 / sqrt(5 * 6); rho is 4.5 / sqrt(5 * 4.5).
    tau_AP with AP as the truth: b above c is all right (1 + 1 + 1), c above b has 1, 1 of 2, 1; the mean of 1 and
    2 / 3 * 2.5 - 1 = 2 / 3 is 5 / 6. P@10 as the truth: c below a and b has 1 or 2 of 2 right, which is the same mean.
    """
    means = {
        "AP": {"a": 0.4, "b": 0.3, "c": 0.2, "d": 0.1},
        "RR": {"a": 0.3, "b": 0.4, "c": 0.1, "d": 0.2},
        "P@10": {"a": 0.3, "b": 0.2, "c": 0.2, "d": 0.1},
    }
    put_means(warehouse, {"set": means})
    found = agreed(warehouse, "measure_agreement(reference := 'AP')")
    assert found["set", "AP", "RR"] == (4, pytest.approx(1 / 3), pytest.approx(0.6), *[pytest.approx(1 / 9)] * 2, None)
    tied = (pytest.approx(5 / 30**0.5), pytest.approx(4.5 / 22.5**0.5), *[pytest.approx(5 / 6)] * 2)
    assert found["set", "AP", "P@10"] == (4, *tied, None)
    assert len(found) == 2


def test_means_that_differ_by_rounding_are_tied_and_others_where_asked(warehouse: Warehouse) -> None:
    means = {"AP": {"a": 0.1 + 0.2, "b": 0.3, "c": 0.3 + 1e-5}, "RR": {"a": 0.1, "b": 0.2, "c": 0.3}}
    assert means["AP"]["a"] > means["AP"]["b"]
    put_means(warehouse, {"set": means})
    assert agreed(warehouse, "measure_agreement")["set", "AP", "RR"][1] == pytest.approx(2 / 6**0.5)
    rounded = agreed(warehouse, "measure_agreement(digits := 4)")["set", "AP", "RR"]
    assert rounded == (3, None, None, pytest.approx(0), pytest.approx(0), "all tied")


def test_one_run_has_no_order(warehouse: Warehouse) -> None:
    put_means(warehouse, {"set": {"AP": {"a": 0.5}, "RR": {"a": 0.5}}})
    assert warehouse.rows("from measure_agreement") == [("set", "AP", "RR", 1, None, None, None, None, "one run")]


Lists = dict[str, dict[str, list[str]]]


def load_random_runs(warehouse: Warehouse) -> Lists:
    """Four runs over many topics, of any length, with ties, each leaving some topics out; their orders."""
    chance = random.Random(10)
    found: Lists = {}
    for name in ("a", "b", "c", "d"):
        run = {}
        for topic in range(40):
            documents = [f"d{nth}" for nth in range(chance.choice((2, 5, 12, 30)))]
            if chance.random() < 0.9:
                retrieved = chance.sample(documents, chance.randint(1, len(documents)))
                run[f"t{topic}"] = {document: chance.choice(LEVELS) for document in retrieved}
        warehouse.load_run(run, name)
        found[name] = {topic: brute_force.ranking(scores) for topic, scores in run.items()}
    return found


@pytest.fixture(scope="module")
def ranked() -> Iterator[tuple[Warehouse, Lists]]:
    with new_warehouse() as opened:
        yield opened, load_random_runs(opened)


def paired(lists: Lists, names: Iterable[tuple[str, str]]) -> list[tuple[str, str, str, list[str], list[str]]]:
    """Every topic that either has, with both rankings."""
    return [
        (one, two, topic, lists[one].get(topic, []), lists[two].get(topic, []))
        for one, two in names
        for topic in sorted(lists[one].keys() | lists[two].keys())
    ]


@pytest.mark.parametrize(("depth", "p"), few_of(product([None, 1, 4], PERSISTENCES), 3))
def test_rbo_by_the_definitions(ranked: tuple[Warehouse, Lists], depth: int | None, p: float) -> None:
    warehouse, lists = ranked
    found = agreed(warehouse, f"rbo(p := {p}, depth := {depth or 'null'})")
    expected = paired(lists, combinations(lists, 2))
    assert len(found) == len(expected)
    for one, two, topic, first, second in expected:
        baseline_ret, num_ret, least, residual, extrapolated = found[one, two, topic]
        left, right = first[:depth], second[:depth]
        assert (baseline_ret, num_ret) == (len(left), len(right))
        assert least == pytest.approx(brute_force_agreement.rbo(left, right, p), abs=1e-9)
        assert least + residual == pytest.approx(brute_force_agreement.rbo_max(left, right, p), abs=1e-9)
        if left and right:
            assert extrapolated == pytest.approx(brute_force_agreement.rbo_ext(left, right, p), abs=1e-9)
        else:
            assert (least, residual, extrapolated) == (0, pytest.approx(1), 0)
        assert 0 <= least <= extrapolated + 1e-12 <= least + residual + 2e-12


def test_rbo_worked_by_hand(empty: Warehouse) -> None:
    """abcde and bacfg at p = 0.9 share 0, 2, 3, 3, 3 documents at the depths from 1 to 5.

    Down to there this adds up to 0.1 * (0.9 * 2 / 2 + 0.81 * 3 / 3 + 0.729 * 3 / 4 + 0.6561 * 3 / 5) = 0.265041, the
    sum that is often taken for the least value. Equation 11 adds the three shared documents at all depths below,
    0.1 * 3 * (0.9^5 / 6 + 0.9^6 / 7 + ...). The extrapolated value adds 0.9^5 * 3 / 5 to it: 0.619335. At most the
    depth 6 shares 5 (6 - 5 more of each) and all from 7 on share everything.
    """
    for name, documents in (("one", "abcde"), ("two", "bacfg")):
        empty.load_run({"t": {document: 9.0 - at for at, document in enumerate(documents)}}, name)
    ((least, residual, extrapolated),) = empty.rows("select rbo_min, rbo_res, rbo_ext from rbo(p := 0.9)")
    below = sum(0.1 * 3 * 0.9 ** (depth - 1) / depth for depth in range(6, 500))
    assert least == pytest.approx(0.265041 + below, abs=1e-12)
    assert extrapolated == pytest.approx(0.265041 + 0.9**5 * 3 / 5, abs=1e-12)
    assert extrapolated == pytest.approx(0.619335, abs=5e-7)
    assert least + residual == pytest.approx(0.265041 + 0.1 * 0.9**5 * 5 / 6 + 0.9**6, abs=1e-12)


@pytest.mark.parametrize("k", [1, 3, 10, None])
def test_overlap_and_jaccard_by_loops(ranked: tuple[Warehouse, Lists], k: int | None) -> None:
    warehouse, lists = ranked
    found = agreed(warehouse, f"run_overlaps(k := {k or 'null'})")
    expected = paired(lists, combinations(lists, 2))
    assert len(found) == len(expected)
    for one, two, topic, first, second in expected:
        left, right = first[:k], second[:k]
        common = len(set(left) & set(right))
        assert found[one, two, topic] == (
            *(len(left), len(right), common),
            pytest.approx(common / max(len(left), len(right))),
            pytest.approx(common / len(set(left) | set(right))),
        )


@pytest.mark.parametrize("relation", ["rbo", "run_overlaps"])
def test_runs_asked_for_are_those_of_all_pairs(ranked: tuple[Warehouse, Lists], relation: str) -> None:
    warehouse, lists = ranked
    every = agreed(warehouse, relation)
    assert {(one, two) for one, two, _ in every} == set(combinations(lists, 2))
    asked = {
        "baseline := 'c'": [("c", name) for name in "abd"],
        "run := 'c'": [(name, "c") for name in "abd"],
        "baseline := 'c', run := 'a'": [("c", "a")],
        "baseline := 'c', run := 'c'": [],
    }
    for arguments, pairs in asked.items():
        found = agreed(warehouse, f"{relation}({arguments})")
        assert found.keys() == {(one, two, topic) for one, two, topic, *_ in paired(lists, pairs)}
        for (one, two, topic), (baseline_ret, num_ret, *rest) in found.items():
            theirs = every[min(one, two), max(one, two), topic]
            assert {baseline_ret, num_ret} == set(theirs[:2])
            assert rest == pytest.approx(list(theirs[2:]), abs=1e-12)


@pytest.mark.parametrize("relation", ["rbo", "run_overlaps"])
def test_an_unknown_baseline_is_no_empty_answer(ranked: tuple[Warehouse, Lists], relation: str) -> None:
    warehouse, _ = ranked
    value = "rbo_ext" if relation == "rbo" else "overlap"
    for asked in ("select *", "select count(*)", f"select avg({value})", "select run"):
        for condition in ("true", "topic = 'q1'", f"{value} > 0.5 and num_ret > 1"):
            with pytest.raises(QueryError, match="baseline is nobody, and no run is called so"):
                warehouse.rows(f"{asked} from {relation}(baseline := 'nobody') where {condition}")


def test_rbo_of_a_run_with_its_twin_is_one(empty: Warehouse) -> None:
    run = {"t": {f"d{nth:04}": float(-nth) for nth in range(1000)}}
    empty.load_run(run, "one")
    empty.load_run(run, "two")
    for p in (0.5, 0.9, 0.999, 0.999999):
        ((least, residual, extrapolated),) = empty.rows(f"select rbo_min, rbo_res, rbo_ext from rbo(p := {p})")
        assert least + residual == pytest.approx(1, abs=1e-9)
        assert extrapolated == pytest.approx(1, abs=1e-9)
        if p < 0.9999:
            seen = sum((1 - p) * p ** (depth - 1) * min(depth, 1000) / depth for depth in range(1, 60_000))
            assert least == pytest.approx(seen, abs=1e-9)


def load_many(warehouse: Warehouse) -> None:
    topics = [f"t{nth}" for nth in range(6000)]
    warehouse.load_qrels({topic: {"a": 1, "b": nth % 2} for nth, topic in enumerate(topics)}, "set")
    for run in range(2):
        scores = {"a": 1.0, "b": 1.1, "c": 1.2}
        warehouse.load_run(
            {topic: {**scores, "a": 1 + nth % (2 + run) / 6} for nth, topic in enumerate(topics)}, f"{run}"
        )
    values = "'t' || range as topic, 'AP' as measure, range % 7 / 7 as value"
    warehouse.execute(f"create temp table scores as select 'set' as qrels, 'run' as run, {values} from range(400000)")
    values = "'t' || range // 4 as topic, 'RR' as measure, 1 / (1 + range % 7 + range % 11) as value"
    warehouse.execute(f"insert into scores select 'set', 'run ' || range % 4, {values} from range(60000)")


many = module_warehouse(load_many)


CALLS = {
    "many": ("mean_intervals()", "pr_curve_mean", "analysis_of_variance where measure = 'RR'"),
    "sample": ("rbo()", "run_agreements(digits := 4)"),
}


@pytest.mark.long
@pytest.mark.parametrize(
    ("data", "relation"),
    [case for data, calls in CALLS.items() for case in few_of(((data, call) for call in calls), 1)],
)
def test_the_same_to_the_last_digit_by_any_number_of_threads(
    request: pytest.FixtureRequest, data: str, relation: str
) -> None:
    """Threads add fractions in the order in which they come, unless an order is given.

    Scores that a relation reads are a table here: those of a view may differ in their last digit themselves.
    """
    warehouse: Warehouse = request.getfixturevalue(data)
    found = []
    for threads in (1, 8, 8, 8):
        warehouse.execute(f"set threads = {threads}")
        found.append(warehouse.rows(f"from {relation} order by all"))
    assert found == found[:1] * 4
