"""Every measure on two hundred random collections against trec_eval, the TAP-k program and plain loops."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import pytest
import pytrec_eval
import tapk

import evalsql
from evalsql import Warehouse
from evalsql.naming import parse_measures
from tests import brute_force
from tests.random_collections import Collection, collection

SEEDS = range(200)
CUTOFFS = (1, 5, 10, 100)
EXACT = 1e-9
# Name here, name there.
BINARY = {
    "AP": "map",
    "GMAP": "gm_map",
    "Rprec": "Rprec",
    "Bpref": "bpref",
    "RR": "recip_rank",
    "NumRet": "num_ret",
    "NumRel": "num_rel",
    "NumRelRet": "num_rel_ret",
    "R": "set_recall",
    "P(k=null)": "set_P",
    **{f"P@{k}": f"P_{k}" for k in CUTOFFS},
    **{f"R@{k}": f"recall_{k}" for k in CUTOFFS},
    **{f"AP@{k}": f"map_cut_{k}" for k in CUTOFFS},
    **{f"Success@{k}": f"success_{k}" for k in CUTOFFS},
}
GRADED = {"nDCG": "ndcg", **{f"nDCG@{k}": f"ndcg_cut_{k}" for k in CUTOFFS}}
OURS = {
    "FRS": brute_force.frs,
    "FRS(base=1.024)": partial(brute_force.frs, base=1.024),
    "Judged@10": brute_force.judged,
    "RBP": brute_force.rbp,
    "RBP(p=0.5,gains={1:0.5,2:1})": partial(brute_force.rbp, p=0.5, gains={1: 0.5, 2: 1.0}),
    "RBP_residual": brute_force.rbp_residual,
    "nDCG(dcg='exp-log2')@10": partial(brute_force.ndcg, gains={1: 1, 2: 3, 3: 7, 4: 15}, k=10),
    "nDCG(gains={0:0.25,1:0.5,2:0.9})@5": partial(brute_force.ndcg, gains={0: 0.25, 1: 0.5, 2: 0.9}, k=5),
}

Values = dict[tuple[int, str], float]


@pytest.fixture(scope="module")
def collections() -> dict[int, Collection]:
    return {seed: collection(seed) for seed in SEEDS}


@pytest.fixture(scope="module")
def loaded(collections: dict[int, Collection]) -> Iterator[Warehouse]:
    """All collections in one warehouse, each a judgment set of its own with one run."""
    with evalsql.open(":memory:") as warehouse:
        for seed, one in collections.items():
            warehouse.load_qrels(one.qrels, f"{seed}")
            warehouse.load_run(one.run, f"run {seed}", qrels=[f"{seed}"])
        yield warehouse


def values(warehouse: Warehouse, measure: str) -> Values:
    call = parse_measures([measure], warehouse.catalog)[0].call
    return {
        (int(qrels), topic): value
        for qrels, topic, value in warehouse.rows(f"select qrels, topic, value from {call}")
    }


def trec_eval(collections: dict[int, Collection], level: int) -> dict[str, Values]:
    """trec_eval's values by its name of the measure."""
    found: dict[str, Values] = {}
    names = {name.rsplit("_", 1)[0] if name[-1].isdigit() else name for name in [*BINARY.values(), *GRADED.values()]}
    wanted = {f"{name}.{','.join(map(str, CUTOFFS))}" if name in CUT else name for name in names}
    for seed, one in collections.items():
        evaluator = pytrec_eval.RelevanceEvaluator(one.qrels, wanted, relevance_level=level)
        for topic, results in evaluator.evaluate(one.run).items():
            for name, value in results.items():
                found.setdefault(name, {})[seed, topic] = math.exp(value) if name == "gm_map" else value
    return found


CUT = {"P", "recall", "map_cut", "success", "ndcg_cut"}


@pytest.mark.parametrize("level", [1, 2])
def test_measures_equal_trec_eval(loaded: Warehouse, collections: dict[int, Collection], level: int) -> None:
    theirs = trec_eval(collections, level)
    assert len(theirs["map"]) > 500
    measures = {**BINARY, **(GRADED if level == 1 else {})}
    for name, their_name in measures.items():
        ours = values(loaded, with_level(name, level))
        for key, value in theirs[their_name].items():
            assert ours[key] == pytest.approx(value, abs=EXACT), (name, level, key)


def with_level(name: str, level: int) -> str:
    """The name with ``rel`` where it is not the default."""
    if level == 1 or name == "NumRet" or name.startswith("nDCG"):
        return name
    if name.endswith(")"):
        return f"{name[:-1]},rel={level})"
    base, at, k = name.partition("@")
    return f"{base}(rel={level}){at}{k}"


def test_topics_missing_from_the_run_score_as_an_empty_ranking(
    loaded: Warehouse, collections: dict[int, Collection]
) -> None:
    missing = {(seed, topic) for seed, one in collections.items() for topic in one.qrels if topic not in one.run}
    assert len(missing) > 20
    for name in [*BINARY, *GRADED, *OURS, "TAP@5"]:
        if name == "NumRel":
            continue
        expected = {"GMAP": 0.00001, "RBP_residual": 1.0}.get(name, 0.0)
        ours = values(loaded, name)
        assert {ours[key] for key in missing} == {expected}, name


@pytest.mark.parametrize("name", OURS)
def test_measures_equal_plain_loops(loaded: Warehouse, collections: dict[int, Collection], name: str) -> None:
    ours = values(loaded, name)
    for seed, one in collections.items():
        for topic, grades in one.qrels.items():
            expected = OURS[name](grades, one.run.get(topic, {}))
            assert ours[seed, topic] == pytest.approx(expected, abs=EXACT), (seed, topic)


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("quantile", [0.5, 0.7, 1.0])
def test_tap_equals_every_threshold_tried(
    loaded: Warehouse, collections: dict[int, Collection], k: int, quantile: float
) -> None:
    ours = values(loaded, f"TAP(quantile={quantile})@{k}")
    for seed, one in collections.items():
        for topic, value in brute_force.tap(one.qrels, one.run, k, quantile).items():
            assert ours[seed, topic] == pytest.approx(value, abs=EXACT), (seed, topic)


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("quantile", [0.5, 0.7, 1.0])
def test_tap_equals_the_published_program(
    loaded: Warehouse, collections: dict[int, Collection], k: int, quantile: float
) -> None:
    ours = values(loaded, f"TAP(quantile={quantile},reward_silence=true)@{k}")
    thresholds = {
        int(qrels): threshold
        for qrels, threshold in loaded.rows(
            f"select distinct qrels, threshold from tap(k := {k}, quantile := {quantile})"
        )
    }
    compared = 0
    for seed, one in collections.items():
        try:
            result = tapk.tapk([retrieval_lists(one)], k=k, quantile=quantile, monotonicity="desc")
        except tapk.InputError:
            continue  # Too few false positives: the program stops, the definition takes the lowest score.
        compared += 1
        assert brute_force.single(thresholds[seed]) == result.e0
        for query in result.queries:
            assert ours[seed, query.query] == pytest.approx(query.tap, abs=EXACT), (seed, query.query)
    assert compared > 20


def retrieval_lists(one: Collection) -> list[str]:
    """The program's input, scores as the 32-bit floats by which they are ordered here."""
    lines = []
    for topic, grades in one.qrels.items():
        lines += [topic, str(sum(grade >= 1 for grade in grades.values()))]
        scores = one.run.get(topic, {})
        for document in brute_force.ranking(scores):
            lines.append(f"{int(grades.get(document, 0) >= 1)} {brute_force.single(scores[document])!r}")
        lines.append("")
    return lines


def test_means_of_counts_are_sums_and_geometric_means_have_a_floor(loaded: Warehouse) -> None:
    ((_, _, total, geometric),) = loaded.evaluate("NumRet GMAP", runs=["run 7"]).fetchall()
    per_topic = loaded.rows("select value from num_ret where run = 'run 7'")
    logs = [math.log(value) for (value,) in loaded.rows("select value from gmap where run = 'run 7'")]
    assert total == sum(value for (value,) in per_topic)
    assert geometric == pytest.approx(math.exp(sum(logs) / len(logs)), abs=EXACT)
