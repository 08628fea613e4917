"""Pools, what to judge next, and what a run's own documents are worth to it."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evalsql import UsageError, Warehouse
from evalsql.evaluation import judging
from tests.conftest import FIXTURES, SAMPLE, Command, new_warehouse
from tests.long_cases import few_of
from tests.random_collections import Qrels, Run

NAMES = ("one", "two", "three", "four")


@pytest.fixture(scope="module")
def golden() -> Iterator[Warehouse]:
    with new_warehouse() as warehouse:
        warehouse.load_qrels(FIXTURES / "judging" / "qrels.txt", "first")
        warehouse.load_runs(str(FIXTURES / "judging" / "runs" / "*.run"))
        yield warehouse


def test_the_pool_is_that_worked_out_by_hand(golden: Warehouse) -> None:
    rows = golden.rows(judging.pool_query(golden.database, depth=2))
    found = {(topic, document): numbers for topic, document, *numbers in rows}
    assert {key: numbers[:3] for key, numbers in found.items()} == {
        ("q1", "a"): [1, 2, 1],
        ("q1", "b"): [1, 1, 1],
        ("q1", "c"): [1, 1, 2],
        ("q1", "x"): [1, 2, 2],
        ("q2", "a"): [1, 1, 1],
        ("q2", "e"): [2, 2, 1],
        ("q2", "y"): [1, 1, 2],
    }
    assert found["q1", "x"][3:] == pytest.approx([0.288, 0.16, 0.032])
    assert found["q2", "y"][3:] == pytest.approx([0.16, 0.16, 0.16])


def test_what_is_still_to_be_judged_comes_in_the_order_asked_for(golden: Warehouse) -> None:
    def listed(first: judging.Priority) -> list[tuple[str, str]]:
        query = judging.pool_query(golden.database, depth=2, unjudged=True, first=first)
        return [(topic, document) for topic, document, *_ in golden.rows(query)]

    assert listed("total") == listed("runs") == listed("figure") == [("q1", "x"), ("q2", "y")]
    assert listed("order") == [("q2", "y"), ("q1", "x")]


def test_contributions_are_those_worked_out_by_hand(golden: Warehouse) -> None:
    a, b = judging.contributions(golden.evaluation, "AP", depth=2)
    assert a[:8] == ("first", "A", 4, 3, 4, 2, 3, 2)
    assert list(a[8:]) == ["AP", pytest.approx(3 / 4), 0, pytest.approx(-3 / 4)]
    assert b[:8] == ("first", "B", 4, 3, 2, 1, 1, 1)
    assert list(b[8:]) == ["AP", pytest.approx(5 / 12), pytest.approx(1 / 6), pytest.approx(-1 / 4)]


def collection(seed: int) -> tuple[Qrels, dict[str, Run]]:
    chance = random.Random(seed)
    topics = [f"q{number}" for number in range(5)]
    qrels = {
        topic: {f"d{at}": chance.choice((-1, 0, 0, 1, 2)) for at in chance.sample(range(40), 25)} for topic in topics
    }
    runs = {
        name: {
            topic: {f"d{at}": float(chance.randint(1, 12)) for at in chance.sample(range(40), chance.randint(5, 30))}
            for topic in topics
            if chance.random() < 0.9
        }
        for name in NAMES
    }
    return qrels, runs


MEASURES = "AP nDCG@5 Bpref R@5 RBP ERR Judged@5 infAP nDCG(judged_only=true) NERR8 RR Compat"


@pytest.mark.parametrize("seed", few_of([4, 5], 1))
def test_pool_and_contributions_are_those_of_plain_loops(seed: int) -> None:
    """Figures without a run's own documents are those of a warehouse that was loaded without their judgments."""
    qrels, runs = collection(seed)
    with new_warehouse() as warehouse:
        warehouse.load_qrels(qrels, "judged")
        for name, run in runs.items():
            warehouse.load_run(run, name)
        rankings: dict[tuple[str, str], list[str]] = {}
        for name, topic, document in warehouse.rows("select run, topic, document from rankings order by rank"):
            rankings.setdefault((name, topic), []).append(document)
        places = {
            (name, topic, document): rank
            for (name, topic), found in rankings.items()
            for rank, document in enumerate(found, start=1)
        }
        pool: dict[tuple[str, str], set[str]] = {}
        for (name, topic), found in rankings.items():
            for document in found[:6]:
                pool.setdefault((topic, document), set()).add(name)
        rows = warehouse.rows(judging.pool_query(warehouse.database, depth=6, p=0.7))
        assert len(rows) == len(pool)
        for topic, document, num_pooling, num_runs, best, total, figure, order in rows:
            gains = [
                0.3 * 0.7 ** (places[name, topic, document] - 1) if (name, topic, document) in places else 0
                for name in NAMES
            ]
            assert num_pooling == len(pool[topic, document])
            assert num_runs == len([gain for gain in gains if gain])
            assert best == min(places[name, topic, document] for name in pool[topic, document])
            assert (total, figure, order) == pytest.approx((sum(gains), max(gains), max(gains) - min(gains)))
        unjudged = warehouse.rows(judging.pool_query(warehouse.database, depth=6, unjudged=True))
        assert {(topic, document) for topic, document, *_ in unjudged} == {
            (topic, document) for topic, document in pool if qrels[topic].get(document, -1) < 0
        }
        found_by_run: dict[str, list[Any]] = {}
        for each in judging.contributions(warehouse.evaluation, MEASURES, depth=6):
            found_by_run.setdefault(each.run, []).append(each)
    assert set(found_by_run) == set(NAMES)
    for name, figures in found_by_run.items():
        own = {key for key, pooling in pool.items() if pooling == {name}}
        left = {
            topic: {each: grade for each, grade in grades.items() if (topic, each) not in own or grade < 1}
            for topic, grades in qrels.items()
        }
        assert figures[0].num_unique == len(own)
        assert figures[0].num_unique_relevant == sum(qrels[topic].get(each, 0) >= 1 for topic, each in own)
        with new_warehouse() as without:
            without.load_qrels(left, "judged")
            without.load_run(runs[name], name)
            ((_, _, *values),) = without.evaluate(MEASURES).fetchall()
        assert [each.value_without for each in figures] == pytest.approx(values, abs=1e-12)


def test_measures_of_groups_have_no_contributions(golden: Warehouse) -> None:
    with pytest.raises(UsageError, match=r"alpha_nDCG.* goes by groups or preferences"):
        judging.contributions(golden.evaluation, "alpha_nDCG")


def test_the_command_writes_what_is_to_be_judged(command: Command, tmp_path: Path) -> None:
    assert command("load", "qrels", SAMPLE / "qrels.txt", "--name", "sample").returncode == 0
    assert command("load", "runs", SAMPLE / "runs" / "bm25.run", SAMPLE / "runs" / "dense.run").returncode == 0
    asked = command("pool", "--depth", "10", "--unjudged", "-o", "to_judge.tsv")
    assert (asked.returncode, asked.stdout) == (0, "")
    rows = list(csv.DictReader((tmp_path / "to_judge.tsv").open(), delimiter="\t"))
    lines = [line.split() for line in (SAMPLE / "qrels.txt").read_text().splitlines()]
    judged = {(topic, document) for topic, _, document, grade in lines if int(grade) >= 0}
    assert rows
    assert not {(row["topic"], row["document"]) for row in rows} & judged
    assert f"{len(rows)} documents to judge of" in asked.stderr
    numbers = [int(row["num_pooling"]) for row in rows]
    assert numbers == sorted(numbers, reverse=True)
    table = command("pool", "bm25", "dense", "--contributions", "-m", "AP", "--format", "csv")
    assert [line.split(",")[1] for line in table.stdout.splitlines()] == ["run", "bm25", "dense"]
    assert command("pool", "-m", "AP").returncode == 2
    assert command("pool", "nosuch").returncode == 2
