"""Judgment sets, topics and subtopics that share names, and a run that is evaluated with several judgment sets."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from evalsql import Warehouse
from evalsql.catalog.measure_names import parse_measures
from tests.conftest import new_warehouse
from tests.measures.test_columns import COLUMNS
from tests.measures.test_diversity import load, plain_measures
from tests.measures.test_user_models import PLAIN
from tests.oracles.brute_force_diversity import DiversityCollection
from tests.random_collections import Qrels, Run, collection

EXACT = 1e-9
# Seeds of collections that judge other documents of the same topics.
SETS = (8, 21, 53)
# Iterations in which a document of each topic is relevant. As numbers among their topic's they are in the first topic 1
# to 4, in the second 1 and 2, in the last two 3 and 4.
NUMBERED = {"t": ("s1", "s2", "s3", "s4"), "u": ("s2", "s4"), "v": ("s00", "s01", "s1", "s3")}
BESIDE = [(name, column) for name, columns in COLUMNS.items() for column in columns]
OF_SUBTOPICS = dict(plain_measures(1, 0.5, judged_only=False))


@cache
def judged_anew() -> tuple[dict[str, Qrels], dict[str, Run]]:
    """Judgment sets and runs by name."""
    collections = {str(seed): collection(seed) for seed in SETS}
    return (
        {name: one.qrels for name, one in collections.items()},
        {f"run {name}": one.run for name, one in collections.items()},
    )


def load_judged_anew(warehouse: Warehouse) -> None:
    judgments, runs = judged_anew()
    for name, qrels in judgments.items():
        warehouse.load_qrels(qrels, name)
    for name, run in runs.items():
        warehouse.load_run(run, name, qrels=list(judgments))


@pytest.fixture(scope="module")
def loaded() -> Iterator[Warehouse]:
    with new_warehouse() as warehouse:
        load_judged_anew(warehouse)
        yield warehouse


def test_the_sets_judge_the_same_topics_and_documents() -> None:
    judgments, _ = judged_anew()
    shared = [set(one) & set(other) for one in judgments.values() for other in judgments.values() if one is not other]
    assert min(map(len, shared)) > 1


@pytest.mark.parametrize(("name", "column"), [*((name, "value") for name in PLAIN), *BESIDE])
def test_each_judgment_set_has_values_of_its_own(loaded: Warehouse, name: str, column: str) -> None:
    judgments, runs = judged_anew()
    function = PLAIN[name] if column == "value" else COLUMNS[name][column]
    call = parse_measures([name], loaded.catalog)[0].call
    ours = {
        (qrels, run, topic): value
        for qrels, run, topic, value in loaded.rows(f"select qrels, run, topic, {column} from {call}")
    }
    expected = {}
    for qrels, topics in judgments.items():
        greatest = max(max(grades.values()) for grades in topics.values())
        for topic, grades in topics.items():
            for run, rankings in runs.items():
                expected[qrels, run, topic] = function(grades, rankings.get(topic, {}), greatest)
    assert ours == pytest.approx(expected, rel=1e-10, abs=EXACT)


def numbered_alike(topic: str) -> DiversityCollection:
    """Topics whose subtopics have the same names, but not the same numbers in the order of these."""
    judged = {
        name: {iteration: {f"{name} {iteration}": 1} for iteration in iterations}
        for name, iterations in NUMBERED.items()
    }
    # Of the first topic two documents in two subtopics each, which have no subtopic in common.
    for document, iterations in (("first", ("s1", "s4")), ("second", ("s2", "s3"))):
        for iteration in iterations:
            judged["t"][iteration][document] = 1
    kept = {topic: judged[topic]} if topic else judged
    return DiversityCollection(kept, {name: {f"{name} s1": 2.0, "second": 1.0, "first": 0.5} for name in kept})


def alone() -> DiversityCollection:
    """A topic whose subtopics no other topic has."""
    judged = {"x1": {"a": 1, "b": 1}, "x2": {"c": 1, "d": 1}, "x3": {"d": 1}}
    return DiversityCollection({"w": judged}, {"w": {"b": 3.0, "a": 2.0, "c": 1.0}})


def load_numbered(warehouse: Warehouse) -> None:
    load(warehouse, numbered_alike(""), "of one set")
    load(warehouse, alone(), "alone")


def load_numbered_apart(warehouse: Warehouse) -> None:
    """The same, with one topic in each judgment set."""
    for topic in NUMBERED:
        one = numbered_alike(topic)
        renamed = DiversityCollection({"t": one.judged[topic]}, {"t": one.run[topic]})
        load(warehouse, renamed, f"set {topic}")


@pytest.mark.parametrize("apart", [False, True])
def test_subtopics_are_told_apart_by_set_and_topic(empty: Warehouse, apart: bool) -> None:
    (load_numbered_apart if apart else load_numbered)(empty)
    one, other = numbered_alike(""), alone()
    for name, function in OF_SUBTOPICS.items():
        expected = {topic: function(judged, one.run[topic]) for topic, judged in one.judged.items()}
        if apart:
            expected = {f"set {topic}": value for topic, value in expected.items()}
        else:
            expected |= {topic: function(judged, other.run[topic]) for topic, judged in other.judged.items()}
        call = parse_measures([name], empty.catalog)[0].call
        assert dict(empty.rows(f"select {'qrels' if apart else 'topic'}, value from {call}")) == pytest.approx(
            expected, abs=EXACT
        ), name
