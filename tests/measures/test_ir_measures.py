"""Every name in ir_measures' registry is read here and gives the values of its providers.

These are trec_eval 9, cwl_eval, gdeval, compatibility, msmarco, judged and accuracy.
"""

import shutil
from functools import cache
from pathlib import Path
from typing import Any

import ir_measures
import pytest
from ir_measures.measures import registry

from evalsql import Warehouse
from evalsql.catalog.measure_names import parse_measures
from tests.conftest import module_warehouse
from tests.long_cases import first_of_each, rows_of
from tests.measures.topic_values import by_topic
from tests.oracles.brute_force import Topic, ranking
from tests.oracles.fresh_peer import Values, asked_alone, calculated
from tests.random_collections import Qrels, Run, collection

EXACT = 1e-9
GDEVAL = 0.5001e-5  # it prints five decimals
# Measures of subtopics, whose names and values have tests of their own.
ALPHA = "\N{GREEK SMALL LETTER ALPHA}"
SUBTOPICS = {
    *("ERR_IA", "nERR_IA", "alpha_DCG", f"{ALPHA}_DCG", "alpha_nDCG", f"{ALPHA}_nDCG"),
    *("NRBP", "nNRBP", "AP_IA", "MAP_IA", "P_IA", "StRecall"),
}
# A grade that gains do not list keeps itself there and is worth nothing here.
SPELLINGS = {
    name: forms.split() for names, forms in rows_of(Path(__file__).with_name("spellings.tsv")) for name in names.split()
}
GDEVAL_NDCG = ("nDCG(dcg='exp-log2')@5", "NDCG(dcg='exp-log2')@20")


def spelled(name: str) -> list[str]:
    return [form.format(name) for form in SPELLINGS[name]]


@cache
def gathered() -> tuple[Qrels, Run]:
    """The topics of many random collections, by number as gdeval wants them, without ties and above 0: the peers' rules
    for ties differ among themselves, and Compat's documents below 0 stand behind those not retrieved there."""
    qrels: Qrels = {}
    run: Run = {}
    for seed in range(40):
        one = collection(seed)
        for nth, (topic, grades) in enumerate(one.qrels.items()):
            key = str(100 * seed + nth)
            qrels[key] = grades
            if order := ranking(one.run.get(topic, {})):
                run[key] = {document: float(len(order) - place) for place, document in enumerate(order)}
    return qrels, run


def load(warehouse: Warehouse) -> None:
    qrels, run = gathered()
    warehouse.load_qrels(qrels, "gathered")
    warehouse.load_run(run, "system")


loaded = module_warehouse(load)


def theirs(spellings: list[str]) -> dict[str, Values]:
    return asked_alone(spellings, *gathered())


def test_no_measure_of_the_registry_is_forgotten() -> None:
    assert set(registry) == SPELLINGS.keys() | SUBTOPICS
    assert not SPELLINGS.keys() & SUBTOPICS


NAMED = sorted(SPELLINGS.keys() - {"ERR", "Accuracy"})


@pytest.mark.parametrize("spelling", first_of_each((each for name in NAMED for each in spelled(name)), 1))
def test_every_spelling_gives_the_values_of_ir_measures(loaded: Warehouse, spelling: str) -> None:
    (peer,) = theirs([spelling]).values()
    assert peer.keys() == gathered()[0].keys()
    if spelling in ("NumRel", "NumQ"):
        # ir_measures has 0 for every topic left out, which is not what the topic's judgments hold.
        peer = {topic: value for topic, value in peer.items() if topic in gathered()[1]}
    values = by_topic(loaded, spelling)
    assert {topic: values[topic] for topic in peer} == pytest.approx(peer, abs=EXACT)


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a Perl script")
@pytest.mark.parametrize("spelling", [*spelled("ERR"), *GDEVAL_NDCG])
def test_gdeval_gives_the_same_to_five_decimals(loaded: Warehouse, spelling: str) -> None:
    (peer,) = theirs([spelling]).values()
    assert len(set(peer.values())) >= 5
    found = by_topic(loaded, spelling)
    assert {topic: found[topic] for topic in peer} == pytest.approx(peer, abs=GDEVAL)


@pytest.mark.parametrize("spelling", spelled("Accuracy"))
def test_accuracy_where_ir_measures_has_one(loaded: Warehouse, spelling: str) -> None:
    """It divides by 0 where all retrieved are relevant, and leaves topics without a relevant document out."""
    qrels, run = gathered()
    (measure,) = parse_measures([spelling], loaded.catalog)
    rel, k = (int(str(measure.arguments[name] or 1000)) for name in ("rel", "k"))
    hits = {topic: Topic(grades, run.get(topic, {})).hits(rel)[:k] for topic, grades in qrels.items()}
    mixed = {topic: scores for topic, scores in run.items() if any(hits[topic]) and not all(hits[topic])}
    peer = calculated(spelling, qrels, mixed)
    assert len(peer) > 20
    expected = {topic: peer.get(topic, float(bool(each) and all(each))) for topic, each in hits.items()}
    assert by_topic(loaded, spelling) == pytest.approx(expected, abs=EXACT)


@pytest.mark.parametrize("beta", [0.5, 2.0])
def test_beta_of_f_is_squared_here_and_taken_as_it_is_there(loaded: Warehouse, beta: float) -> None:
    (peer,) = theirs([f"SetF(beta={beta})"]).values()
    assert by_topic(loaded, f"SetF(recall_weight={beta})") == pytest.approx(peer, abs=EXACT)
    squared = by_topic(loaded, f"SetF(recall_weight={beta**2})")
    assert by_topic(loaded, f"SetF(beta={beta})") == pytest.approx(squared, abs=EXACT)


def test_gains_of_a_third_add_up(empty: Warehouse) -> None:
    """cwl_eval adds rounded thirds: the sixth falls short of 2 and the reader goes on."""
    qrels = {"1": {f"d{at}": 1 for at in range(8)}}
    run = {"1": {f"d{at}": float(10 - at) for at in range(8)}}
    empty.load_qrels(qrels, "thirds")
    empty.load_run(run, "system")
    assert by_topic(empty, "BPM(T=2.0,max_rel=3)@8", "expected_items") == {"1": 6}
    metrics: Any = ir_measures.iter_calc([ir_measures.parse_measure("BPM(T=2.0,max_rel=3)@8")], qrels, run)
    (metric,) = metrics
    assert metric.expected_items == 7
