"""What measures give beside the value, against plain loops on random collections."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import pytest

from evalsql import Warehouse
from evalsql.catalog.measure_names import parse_measures
from tests.conftest import new_warehouse, random_warehouse
from tests.measures.test_diversity import load, together
from tests.oracles import brute_force
from tests.oracles import brute_force_diversity as diverse
from tests.oracles import brute_force_user_models as plain
from tests.random_collections import collection

SEEDS = range(60)
EXACT = 1e-9
Topic = Callable[[dict[str, int], dict[str, float], int], float]
Onward = Callable[[int, float, float], float]
Looked = Callable[[Sequence[float]], tuple[float, float]]


def down_to(depth: int, onward: Onward) -> Looked:
    return lambda gains: plain.examined(gains, onward, depth)[:2]


def endlessly(onward: Callable[[Sequence[float]], Onward], shift: Callable[[Sequence[float]], float]) -> Looked:
    return lambda gains: plain.examined_endlessly(gains, onward(gains), shift(gains))


def stopping(t: float, k: int) -> Looked:
    return down_to(k, lambda rank, gain, total: float(total < t))


def of_reader(looked: Looked, min_rel: int = 0, max_rel: int | None = None) -> dict[str, Topic]:
    """Both columns of a reader who gains and looks at so much."""

    def column(place: int) -> Topic:
        return lambda grades, scores, greatest: looked(plain.scaled(grades, scores, max_rel or greatest, min_rel))[
            place
        ]

    return {"expected_total_utility": column(0), "expected_items": column(1)}


def num_pairs(grades: dict[str, int], scores: dict[str, float], k: int | None) -> float:
    hits = [grade >= 1 for grade in plain.graded(grades, scores)[:k]]
    return float(sum(one != other for at, one in enumerate(hits) for other in hits[at + 1 :]) if any(hits) else 0)


# Those of rankings, by measure and column.
COLUMNS: dict[str, dict[str, Topic]] = {
    "NERR8@5": of_reader(down_to(5, plain.nerr8_onward)),
    "NERR9@20": of_reader(down_to(20, plain.nerr9_onward)),
    "NERR10(p=0.7,depth=5)": of_reader(down_to(5, plain.nerr10_onward(0.7))),
    "NERR10(depth=null)": of_reader(down_to(400, plain.nerr10_onward(0.9))),
    "NERR11(t=1.5,depth=7)": of_reader(down_to(7, plain.nerr11_onward(1.5))),
    "NERR11(t=2,depth=null)": of_reader(endlessly(lambda gains: plain.nerr11_onward(2), lambda gains: 4)),
    "BPM@5": of_reader(stopping(1, 5)),
    "BPM(t=2.5,max_rel=4)@30": of_reader(stopping(2.5, 30), 0, 4),
    "IFT(depth=20)": of_reader(down_to(20, plain.ift_onward(2, 0.9, 1))),
    "IFT(t=1,b=1e8,r=0.01,depth=90)": of_reader(down_to(90, plain.ift_onward(1, 1e8, 0.01))),
    "INST(t=3,depth=12)": of_reader(down_to(12, plain.inst_onward(3))),
    "INST(t=0.5,min_rel=1,max_rel=3)": of_reader(down_to(1000, plain.inst_onward(0.5)), 1, 3),
    "INST(depth=null)": of_reader(endlessly(lambda gains: plain.inst_onward(1), lambda gains: 2 - math.fsum(gains))),
    "Accuracy": {"num_pairs": lambda grades, scores, greatest: num_pairs(grades, scores, None)},
    "Accuracy@4": {"num_pairs": lambda grades, scores, greatest: num_pairs(grades, scores, 4)},
    "nERR(max_rel=1)@5": {
        "err": lambda grades, scores, greatest: plain.err(grades, scores, 5, 1),
        "ideal_err": lambda grades, scores, greatest: plain.cascade(plain.ideal(grades), 5, 1),
    },
    "nDCG@3": {
        "dcg": lambda grades, scores, greatest: brute_force.dcg(
            grades,
            {document: scores[document] for document in brute_force.ranking(scores)[:3]},
            {at: at for at in range(5)},
        ),
        "idcg": lambda grades, scores, greatest: plain.ideal_dcg(grades, 3),
    },
    "Compat(p=0.3,normalize=false)": {
        "num_ideal": lambda grades, scores, greatest: float(len(plain.ideal(grades))),
    },
}


def alpha_dcg(judged: diverse.Judged, scores: diverse.Scores) -> float:
    return diverse.total(
        diverse.gains(brute_force.ranking(scores), diverse.relevant_to(judged, 1), 0.3), diverse.logarithmic, 4
    )


def ideal_alpha_dcg(judged: diverse.Judged, scores: diverse.Scores) -> float:
    relevant = diverse.relevant_to(judged, 1)
    order = diverse.ideal_order(relevant, 0.3) if relevant else []
    return diverse.total(diverse.gains(order, relevant, 0.3), diverse.logarithmic, 4)


OF_SUBTOPICS = {"alpha_nDCG(alpha=0.3)@4": {"dcg": alpha_dcg, "idcg": ideal_alpha_dcg}}


@pytest.fixture(scope="module")
def loaded() -> Iterator[Warehouse]:
    with random_warehouse() as warehouse:
        yield warehouse


def column_values(warehouse: Warehouse, measure: str, column: str) -> dict[tuple[str, str], float]:
    call = parse_measures([measure], warehouse.catalog)[0].call
    return {
        (qrels, topic): value for qrels, topic, value in warehouse.rows(f"select qrels, topic, {column} from {call}")
    }


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_equal_plain_loops(loaded: Warehouse, name: str) -> None:
    for column, value in COLUMNS[name].items():
        ours = column_values(loaded, name, column)
        differing = set()
        for seed in SEEDS:
            one = collection(seed)
            greatest = max(max(grades.values()) for grades in one.qrels.values())
            for topic, grades in one.qrels.items():
                expected = value(grades, one.run.get(topic, {}), greatest)
                assert ours[f"{seed}", topic] == pytest.approx(expected, rel=1e-10, abs=EXACT), (column, seed, topic)
                differing.add(round(expected, 9))
        assert len(differing) > 2, column


def test_columns_of_subtopics_equal_plain_loops() -> None:
    with new_warehouse() as warehouse:
        for tied in (True, False):
            load(warehouse, together(tied=tied), f"tied {tied}")
        for name, columns in OF_SUBTOPICS.items():
            for column, value in columns.items():
                ours = column_values(warehouse, name, column)
                for tied in (True, False):
                    one = together(tied=tied)
                    for topic, judged in one.judged.items():
                        expected = value(judged, one.run.get(topic, {}))
                        assert ours[f"tied {tied}", topic] == pytest.approx(expected, abs=EXACT), (column, topic)
                assert len({round(number, 6) for number in ours.values()}) > 30
