"""Rankings of judged documents only: equal to rankings from which the others were taken, and to trec_eval's -J."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import pytrec_eval

from evalsql import Warehouse
from evalsql.catalog.measure_names import Measure, parse_measures
from evalsql.catalog.relations import Relation, read_catalog
from tests.conftest import new_warehouse
from tests.oracles import peers
from tests.random_collections import Collection, collection, load_together

CATALOG = read_catalog()
SEEDS = range(60)
OF_GROUPS = ("groups", "diversity")
TAKING = [
    relation
    for relation in CATALOG.measures
    if any(each.name == "judged_only" for each in relation.parameters) and relation.family not in OF_GROUPS
]


@pytest.fixture(scope="module")
def loaded() -> Iterator[tuple[Warehouse, dict[int, Collection]]]:
    """Each collection with two runs: as it is, and without the documents that have no grade of 0 or more."""
    collections = {seed: collection(seed) for seed in SEEDS}
    with new_warehouse() as warehouse:
        runs = {f"all {seed}": one.run for seed, one in collections.items()}
        for seed, one in collections.items():
            kept = {
                topic: {
                    document: score for document, score in scores.items() if one.qrels[topic].get(document, -1) >= 0
                }
                for topic, scores in one.run.items()
                if topic in one.qrels
            }
            if any(kept.values()):
                runs[f"kept {seed}"] = kept
        load_together(warehouse, runs)
        for seed, one in collections.items():
            warehouse.load_qrels(one.qrels, f"{seed}", runs=[f"* {seed}"])
        yield warehouse, collections


def variants(relation: Relation) -> Iterator[Measure]:
    """The measure at its default and another cutoff, in every order of ties."""
    defaults = {parameter.name: parameter.default for parameter in relation.parameters}
    choices = next((parameter.choices for parameter in relation.parameters if parameter.name == "ties"), ["rule"])
    for cut in ({}, {"k": 3} if "k" in defaults else {"rel": 2} if "rel" in defaults else {"p": 0.4}):
        for ties in choices:
            yield Measure(relation, {**defaults, **cut, **({"ties": ties} if "ties" in defaults else {})})


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.long)], ids=["two", "every"])
@pytest.mark.parametrize("relation", TAKING, ids=lambda relation: relation.name)
def test_others_left_out_here_or_before(
    loaded: tuple[Warehouse, dict[int, Collection]], relation: Relation, every: bool
) -> None:
    warehouse, _ = loaded
    differing = 0
    measures = list(variants(relation))
    for measure in measures if every else measures[:: max(1, len(measures) - 1)]:
        narrowed = Measure(relation, {**measure.arguments, "judged_only": True})
        ours = _values(warehouse, narrowed)["all"]
        found = _values(warehouse, measure)
        plain, before = found["all"], found["kept"]
        assert len(before) > 100
        for key, value in before.items():
            assert ours[key] == pytest.approx(value, abs=1e-12), (measure.name, key)
            differing += abs(plain[key] - value) > 1e-9
    assert differing > 20


def _values(warehouse: Warehouse, measure: Measure) -> dict[str, dict[tuple[str, str], float]]:
    """By the kind of the run, judgment set and topic."""
    found: dict[str, dict[tuple[str, str], float]] = {}
    for run, qrels, topic, value in warehouse.rows(f"select run, qrels, topic, value from {measure.call}"):
        found.setdefault(run.removesuffix(f" {qrels}"), {})[qrels, topic] = value
    return found


@pytest.mark.parametrize("level", [1, 2])
def test_trec_eval_says_the_same(loaded: tuple[Warehouse, dict[int, Collection]], level: int) -> None:
    warehouse, collections = loaded
    names = {name: theirs for name, theirs in peers.at_level(level).items() if "@" in name or name in ("AP", "RR")}
    narrowed = {}
    for name, theirs in names.items():
        (measure,) = parse_measures([name], CATALOG)
        narrowed[theirs] = Measure(measure.relation, {**measure.arguments, "judged_only": True}).call
    ours = {
        theirs: {
            (int(seed), topic): value
            for seed, topic, value in warehouse.rows(
                f"select qrels, topic, value from {call} where run = 'all ' || qrels"
            )
        }
        for theirs, call in narrowed.items()
    }
    compared = 0
    for seed, one in collections.items():
        evaluator = pytrec_eval.RelevanceEvaluator(
            one.qrels, set(pytrec_eval.supported_measures), relevance_level=level, judged_docs_only_flag=True
        )
        for topic, results in evaluator.evaluate(one.run).items():
            for theirs, values in ours.items():
                if theirs in results:
                    assert values[seed, topic] == pytest.approx(results[theirs], abs=1e-9), (theirs, seed, topic)
                    compared += 1
    assert compared > 1000
