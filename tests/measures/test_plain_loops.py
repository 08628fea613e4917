"""Measures and their columns against plain loops: on random collections, and where judgment sets share names."""

from functools import cache
from typing import Any

import pytest

from evalsql import Warehouse
from tests.conftest import module_warehouse
from tests.long_cases import few_of, first_of_each
from tests.measures.conftest import Topics, greatest_grade
from tests.measures.plain_measures import CURVES, MEASURES, USER_MODELS, WORTHLESS
from tests.measures.test_diversity import load, names_of_measures
from tests.measures.topic_values import call, values
from tests.oracles.brute_force import Topic
from tests.oracles.brute_force_diversity import DiversityCollection
from tests.oracles.by_name import loop, value_of
from tests.random_collections import Collection, collection

EXACT = 1e-9
# Seeds of collections that judge other documents of the same topics.
SETS = (8, 21, 53)
# Iterations in which a document of each topic is relevant. As numbers among their topic's they are in the first topic 1
# to 4, in the second 1 and 2, in the last two 3 and 4.
NUMBERED = {"t": ("s1", "s2", "s3", "s4"), "u": ("s2", "s4"), "v": ("s00", "s01", "s1", "s3")}
OF_SUBTOPICS = names_of_measures(1, 0.5, judged_only=False)
Key = tuple[str, str, str]


def compare(warehouse: Warehouse, name: str, topics: dict[Key, Topic]) -> list[set[float]]:
    """Hold each column against the loop's, by judgment set, run and topic; returned are the values of each column."""
    expected = {key: loop(name)(topic) for key, topic in topics.items()}
    columns = list(next(iter(expected.values())))
    rows = warehouse.rows(f"select qrels, run, topic, {', '.join(columns)} from {call(warehouse, name)}")
    ours: dict[Any, Any] = {tuple(row[:3]): row[3:] for row in rows}
    assert ours.keys() == expected.keys()
    for key, found in expected.items():
        near = (each if each is None else pytest.approx(each, rel=1e-10, abs=EXACT) for each in found.values())
        assert list(ours[key]) == list(near), key
    return [{round(found[column] or 0, 6) for found in expected.values()} for column in columns]


# Of these users, who stop at one document or hardly ever, other columns than the value are nearly constant.
ONE_VARIES = ("IFT(t=1,b=1e20,r=0,depth=90)", "INST(t=0.5,depth=1)")


@pytest.mark.parametrize("name", first_of_each(MEASURES, 1))
def test_columns_equal_plain_loops(random_file: Warehouse, topics: Topics, name: str) -> None:
    found = compare(random_file, name, {(qrels, qrels, topic): one for (qrels, topic), one in topics.items()})
    if name in WORTHLESS:
        assert found[0] == {0.0}
    elif name not in CURVES:
        varying = found[:1] if name in ONE_VARIES else found
        assert all(len(values) > (1 if name.endswith(("@1", "depth=1)")) else 2) for values in varying)


# Judgment sets, topics and subtopics that share names, and a run that is evaluated with several judgment sets


@cache
def judged_anew() -> dict[str, Collection]:
    """By the name of judgment set and run."""
    return {f"{seed}": collection(seed) for seed in SETS}


def load_judged_anew(warehouse: Warehouse) -> None:
    for name, one in judged_anew().items():
        warehouse.load_qrels(one.qrels, name)
    for name, one in judged_anew().items():
        warehouse.load_run(one.run, name, qrels=[*judged_anew()])


shared_names = module_warehouse(load_judged_anew)


@pytest.mark.parametrize("name", first_of_each(USER_MODELS, 1))
def test_each_judgment_set_has_values_of_its_own(shared_names: Warehouse, name: str) -> None:
    sets = judged_anew()
    assert all(len(set(one.qrels) & set(other.qrels)) > 1 for one in sets.values() for other in sets.values())
    topics = {
        (qrels, run, topic): Topic(grades, retrieved.run.get(topic, {}), greatest_grade(one))
        for qrels, one in sets.items()
        for topic, grades in one.qrels.items()
        for run, retrieved in sets.items()
    }
    compare(shared_names, name, topics)


@cache
def numbered_alike() -> DiversityCollection:
    """Topics whose subtopics have the same names, but not the same numbers in the order of these."""
    judged = {
        name: {iteration: {f"{name} {iteration}": 1} for iteration in iterations}
        for name, iterations in NUMBERED.items()
    }
    # Of the first topic two documents in two subtopics each, which have no subtopic in common.
    for document, iterations in (("first", ("s1", "s4")), ("second", ("s2", "s3"))):
        for iteration in iterations:
            judged["t"][iteration][document] = 1
    return DiversityCollection(judged, {name: {f"{name} s1": 2.0, "second": 1.0, "first": 0.5} for name in judged})


@cache
def alone() -> DiversityCollection:
    """A topic whose subtopics no other topic has."""
    judged = {"x1": {"a": 1, "b": 1}, "x2": {"c": 1, "d": 1}, "x3": {"d": 1}}
    return DiversityCollection({"w": judged}, {"w": {"b": 3.0, "a": 2.0, "c": 1.0}})


def load_numbered(warehouse: Warehouse) -> None:
    load(warehouse, numbered_alike(), "of one set")
    load(warehouse, alone(), "alone")


def load_numbered_apart(warehouse: Warehouse) -> None:
    """The same, with one topic in each judgment set."""
    one = numbered_alike()
    for topic in NUMBERED:
        load(warehouse, DiversityCollection({"t": one.judged[topic]}, {"t": one.run[topic]}), f"set {topic}")


@pytest.mark.parametrize("apart", few_of([True, False], 1))
def test_subtopics_are_told_apart_by_set_and_topic(empty: Warehouse, apart: bool) -> None:
    (load_numbered_apart if apart else load_numbered)(empty)
    topics = numbered_alike().topics() | ({} if apart else alone().topics())
    for name in OF_SUBTOPICS:
        expected = {f"set {topic}" if apart else topic: value_of(name)(one) for topic, one in topics.items()}
        assert values(empty, name, "qrels" if apart else "topic") == pytest.approx(expected, abs=EXACT), name
