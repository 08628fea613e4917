"""Random collections built to hit what is easily got wrong."""

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from evalsql import Warehouse

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]

# Levels that tie as 32-bit floats though they differ as 64-bit ones, beside plain ones.
LEVELS = (0.0, -1.5, 0.1, 0.5, 0.5 + 1e-10, 1.0, 1.0 + 1e-9, 3.25, 16777216.0, 16777217.0, -1e-7, 7e5)


@dataclass(frozen=True)
class Collection:
    """Judgments and one run, with ties, negative grades, unjudged documents, and topics missing on either side."""

    qrels: Qrels
    run: Run


@cache
def collection(seed: int) -> Collection:
    """The collection of that seed: the same one every time."""
    chance = random.Random(seed)
    documents = [f"d{number}" for number in range(chance.choice((4, 12, 40, 150)))]
    topics = [f"q{number}" for number in range(chance.randint(1, 7))]
    highest = chance.choice((1, 1, 2, 4))
    qrels: Qrels = {}
    run: Run = {}
    for topic in topics:
        judged = chance.sample(documents, chance.randint(1, len(documents)))
        hopeless = chance.random() < 0.15
        grades = {
            document: chance.choice((-2, -1, 0)) if hopeless else chance.choice((-1, 0, 0, *range(highest + 1)))
            for document in judged
        }
        # pytrec_eval refuses a topic without a single judgment of 0 or more.
        grades[judged[0]] = max(grades[judged[0]], 0)
        qrels[topic] = grades
        if chance.random() > 0.15 or not run:
            run[topic] = _ranking(chance, documents)
    if chance.random() < 0.3:
        run["not-judged"] = _ranking(chance, documents)
    return Collection(qrels, run)


def together(seeds: Iterable[int]) -> Collection:
    """The collections of these seeds as one, their topics told apart by the seed."""
    qrels: Qrels = {}
    run: Run = {}
    for seed in seeds:
        one = collection(seed)
        qrels |= {f"{seed}-{topic}": grades for topic, grades in one.qrels.items()}
        run |= {f"{seed}-{topic}": scores for topic, scores in one.run.items()}
    return Collection(qrels, run)


def load_each(warehouse: Warehouse, count: int) -> None:
    """The first collections, each a judgment set; every run is evaluated with all that are there before it."""
    for seed in range(count):
        one = collection(seed)
        warehouse.load_qrels(one.qrels, f"judged {seed}")
        warehouse.load_run(one.run, f"system {seed}", qrels="*")


def load_together(warehouse: Warehouse, runs: Mapping[str, Run], **options: Any) -> None:
    """Load runs that no judgments are there for yet by one call: alone each takes a tenth of a second."""
    with TemporaryDirectory() as folder:
        for name, run in runs.items():
            rows = (f"{topic} Q0 {doc} 0 {score!r} x\n" for topic, docs in run.items() for doc, score in docs.items())
            (Path(folder) / f"{name}.run").write_text("".join(rows))
        warehouse.load_runs(f"{folder}/*.run", **options)


def _ranking(chance: random.Random, documents: list[str]) -> dict[str, float]:
    retrieved = chance.sample(documents, chance.randint(1, len(documents)))
    if chance.random() < 0.6:
        return {document: chance.choice(LEVELS) for document in retrieved}
    return {document: round(chance.gauss(0, 5), chance.choice((0, 1, 6))) for document in retrieved}
