"""Measures and their columns against plain loops: on random collections, and where judgment sets share names."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from evalsql import Warehouse
from evalsql.catalog.measure_names import parse_measures
from tests.conftest import new_warehouse
from tests.long_cases import first_of_each
from tests.measures.plain_measures import CURVES, MEASURES, USER_MODELS, WORTHLESS
from tests.measures.test_diversity import load, plain_measures
from tests.oracles.brute_force_diversity import DiversityCollection
from tests.random_collections import Collection, Qrels, Run, collection

EXACT = 1e-9
# Seeds of collections that judge other documents of the same topics.
SETS = (8, 21, 53)
# Iterations in which a document of each topic is relevant. As numbers among their topic's they are in the first topic 1
# to 4, in the second 1 and 2, in the last two 3 and 4.
NUMBERED = {"t": ("s1", "s2", "s3", "s4"), "u": ("s2", "s4"), "v": ("s00", "s01", "s1", "s3")}
OF_SUBTOPICS = dict(plain_measures(1, 0.5, judged_only=False))


def columns_of(warehouse: Warehouse, name: str) -> dict[tuple[str, str, str], tuple[float, ...]]:
    """The columns that have plain loops, by judgment set, run and topic."""
    call = parse_measures([name], warehouse.catalog)[0].call
    rows = warehouse.rows(f"select qrels, run, topic, {', '.join(MEASURES[name])} from {call}")
    return {tuple(row[:3]): tuple(row[3:]) for row in rows}


def greatest_grade(qrels: Qrels) -> int:
    return max(max(grades.values()) for grades in qrels.values())


@pytest.mark.parametrize("name", first_of_each(MEASURES))
def test_columns_equal_plain_loops(random_file: Warehouse, collections: dict[str, Collection], name: str) -> None:
    ours = columns_of(random_file, name)
    found: list[set[float]] = [set() for _ in MEASURES[name]]
    for seed, one in collections.items():
        greatest = greatest_grade(one.qrels)
        for topic, grades in one.qrels.items():
            scores = one.run.get(topic, {})
            expected = [function(grades, scores, greatest) for function in MEASURES[name].values()]
            assert list(ours[seed, f"run {seed}", topic]) == pytest.approx(expected, rel=1e-10, abs=EXACT), topic
            for values, value in zip(found, expected, strict=True):
                values.add(round(value, 6))
    if name in WORTHLESS:
        assert found == [{0.0}]
    elif name not in CURVES:
        assert all(len(values) > (1 if name.endswith(("@1", "depth=1)")) else 2) for values in found)


# Judgment sets, topics and subtopics that share names, and a run that is evaluated with several judgment sets


@cache
def judged_anew() -> tuple[dict[str, Qrels], dict[str, Run]]:
    """Judgment sets and runs by name."""
    collections = {str(seed): collection(seed) for seed in SETS}
    runs = {f"run {name}": one.run for name, one in collections.items()}
    return {name: one.qrels for name, one in collections.items()}, runs


def load_judged_anew(warehouse: Warehouse) -> None:
    judgments, runs = judged_anew()
    for name, qrels in judgments.items():
        warehouse.load_qrels(qrels, name)
    for name, run in runs.items():
        warehouse.load_run(run, name, qrels=list(judgments))


@pytest.fixture(scope="module")
def shared_names() -> Iterator[Warehouse]:
    judgments, _ = judged_anew()
    shared = [set(one) & set(other) for one in judgments.values() for other in judgments.values() if one is not other]
    assert min(map(len, shared)) > 1
    with new_warehouse() as warehouse:
        load_judged_anew(warehouse)
        yield warehouse


@pytest.mark.parametrize("name", first_of_each(USER_MODELS, 1))
def test_each_judgment_set_has_values_of_its_own(shared_names: Warehouse, name: str) -> None:
    judgments, runs = judged_anew()
    expected = {
        (qrels, run, topic): pytest.approx(
            [each(grades, rankings.get(topic, {}), greatest_grade(topics)) for each in MEASURES[name].values()],
            rel=1e-10,
            abs=EXACT,
        )
        for qrels, topics in judgments.items()
        for topic, grades in topics.items()
        for run, rankings in runs.items()
    }
    assert {key: list(row) for key, row in columns_of(shared_names, name).items()} == expected


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
    for name, function in OF_SUBTOPICS.items():
        expected = {
            f"set {topic}" if apart else topic: function(judged, one.run[topic])
            for one in ((numbered_alike(""),) if apart else (numbered_alike(""), alone()))
            for topic, judged in one.judged.items()
        }
        call = parse_measures([name], empty.catalog)[0].call
        found = dict(empty.rows(f"select {'qrels' if apart else 'topic'}, value from {call}"))
        assert found == pytest.approx(expected, abs=EXACT), name
