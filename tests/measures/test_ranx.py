"""The names of ranx, read as it spells them, give its values where it is right.

Not compared are its bpref, which takes negative grades for judged ones and divides by what there may not be, and its
rbp, which adds up grades as they are and so exceeds 1 (both said in ``differs``).
"""

import random

import pytest
import ranx

import evalsql
from evalsql import Warehouse
from tests.conftest import module_warehouse, new_warehouse
from tests.long_cases import first_of_each
from tests.measures.topic_values import by_topic
from tests.random_collections import Qrels, Run

CUT = ("hits", "hit_rate", "precision", "recall", "f1", "mrr", "map")
GAINS = ("dcg", "dcg_burges", "ndcg", "ndcg_burges")
NAMES = (
    *(f"{name}@{k}{level}" for name in CUT for k in (3, 1, 10) for level in ("-l2", "", "-l1")),
    *(f"{name}@{k}" for name in GAINS for k in (3, 1, 10)),
    *("map", "map-l2", "mrr", "mrr-l3", "r-precision", "r-precision-l2", *GAINS),
)


def collection() -> tuple[Qrels, Run]:
    """Topics with a relevant document at every level tried, in both files, without ties: what ranx demands."""
    chance = random.Random(11)
    qrels: Qrels = {}
    run: Run = {}
    for number in range(60):
        documents = [f"d{at}" for at in range(chance.randint(4, 40))]
        judged = chance.sample(documents, chance.randint(3, len(documents)))
        qrels[f"q{number}"] = {document: chance.choice((0, 0, 1, 2, 3)) for document in judged} | {judged[0]: 3}
        order = chance.sample(documents, chance.randint(1, len(documents)))
        run[f"q{number}"] = {document: float(len(order) - at) for at, document in enumerate(order)}
    return qrels, run


def load(warehouse: Warehouse) -> None:
    qrels, run = collection()
    warehouse.load_qrels(qrels, "random")
    warehouse.load_run(run, "system")


loaded = module_warehouse(load)


@pytest.mark.parametrize("name", first_of_each(NAMES))
def test_names_of_ranx_give_its_values(loaded: Warehouse, name: str) -> None:
    qrels, run = collection()
    ranked = ranx.Run(run)
    ranx.evaluate(ranx.Qrels(qrels), ranked, name)
    theirs = ranked.scores[name]
    assert len(theirs) == 60
    assert by_topic(loaded, name) == pytest.approx({topic: float(value) for topic, value in theirs.items()}, abs=1e-9)


def test_runs_and_qrels_of_ranx_are_taken_as_they_are() -> None:
    qrels, run = collection()
    theirs = ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), ["map", "ndcg@10"])
    ours = evalsql.evaluate(ranx.Qrels(qrels), ranx.Run(run), ["map", "ndcg@10"])
    assert ours == pytest.approx(theirs, abs=1e-12)
    with evalsql.Evaluator(ranx.Qrels(qrels), "map") as evaluator:
        assert evaluator.evaluate(ranx.Run(run)) == pytest.approx({"map": theirs["map"]}, abs=1e-12)
    with new_warehouse() as warehouse:
        warehouse.load_qrels(ranx.Qrels(qrels), "random")
        warehouse.load_run(ranx.Run(run), "system")
        (held,) = warehouse.rows("select count(*) from retrieved")
    assert held == (sum(map(len, run.values())),)
