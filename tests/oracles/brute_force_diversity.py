"""Diversity measures straight from their definitions, and random collections for them; plain loops, no SQL."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from tests.oracles.brute_force import ranking
from tests.random_collections import LEVELS

# Grades by document, by subtopic.
Judged = dict[str, dict[str, int]]
Scores = dict[str, float]
Discount = Callable[[int], float]


@dataclass(frozen=True)
class DiversityCollection:
    """Judgments of each topic, and one run."""

    judged: dict[str, Judged]
    run: dict[str, Scores]

    def rows(self) -> list[tuple[str, str, str, int]]:
        return [
            (topic, subtopic, document, grade)
            for topic, judged in self.judged.items()
            for subtopic, grades in judged.items()
            for document, grade in grades.items()
        ]


def diversity_collection(seed: int, *, tied: bool) -> DiversityCollection:
    """The collection of that seed, with negative grades, unjudged documents, topics that the run leaves out and topics
    and subtopics without a relevant document."""
    chance = random.Random(seed)
    documents = [f"{chance.choice('dDé~')}{number}" for number in range(chance.choice((4, 12, 40)))]
    judged: dict[str, Judged] = {}
    run: dict[str, Scores] = {}
    for number in range(chance.randint(1, 4)):
        topic = f"{seed}-{number}"
        hopeless = chance.random() < 0.1
        judged[topic] = {
            f"s{at}": {
                document: chance.choice((-2, 0)) if hopeless or at == 7 else chance.choice((-1, 0, 0, 1, 1, 2))
                for document in chance.sample(documents, chance.randint(1, len(documents)))
            }
            for at in chance.sample(range(12), chance.choice((1, 2, 4, 9)))
        }
        retrieved = chance.sample([*documents, "u1", "u2", "zz"], chance.randint(1, len(documents)))
        if chance.random() > 0.1:
            run[topic] = {
                document: chance.choice(LEVELS) if tied else float(-rank) for rank, document in enumerate(retrieved)
            }
    return DiversityCollection(judged, run)


def relevant_to(judged: Judged, rel: int) -> dict[str, set[str]]:
    """The documents relevant to each subtopic that has one."""
    found = {subtopic: {d for d, grade in grades.items() if grade >= rel} for subtopic, grades in judged.items()}
    return {subtopic: documents for subtopic, documents in found.items() if documents}


def kept(judged: Judged, scores: Scores, *, judged_only: bool) -> list[str]:
    graded = {document for grades in judged.values() for document, grade in grades.items() if grade >= 0}
    return [document for document in ranking(scores) if document in graded or not judged_only]


def gains(order: Sequence[str], relevant: dict[str, set[str]], alpha: float) -> list[float]:
    seen: Counter[str] = Counter()
    found = []
    for document in order:
        covered = [subtopic for subtopic, documents in relevant.items() if document in documents]
        found.append(math.fsum((1 - alpha) ** seen[subtopic] for subtopic in covered))
        seen.update(covered)
    return found


def ideal_order(
    relevant: dict[str, set[str]], alpha: float, number: type[Fraction] | type[float] = Fraction
) -> list[str]:
    """Always the document next that gains most; of equal ones that whose name comes last.

    What is equal is told by fractions exactly, by floats as ndeval does, which adds up subtopics in the order given.
    """
    left = sorted(set().union(*relevant.values()), key=str.encode, reverse=True)
    keeps = 1 - number(str(alpha))
    weights = dict.fromkeys(relevant, number(1))
    order = []
    while left:
        worth = dict.fromkeys(left, number(0))
        for subtopic, documents in relevant.items():
            for document in documents & worth.keys():
                worth[document] += weights[subtopic]
        best = max(left, key=worth.__getitem__)
        left.remove(best)
        order.append(best)
        for subtopic, documents in relevant.items():
            if best in documents:
                weights[subtopic] *= keeps
    return order


def total(values: Sequence[float], discount: Discount, k: int | None) -> float:
    return math.fsum(value * discount(rank) for rank, value in enumerate(values[:k], start=1))


def logarithmic(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def reciprocal(rank: int) -> float:
    return 1 / rank


def geometric(beta: float) -> Discount:
    return lambda rank: beta ** (rank - 1)


def against_ideal(
    judged: Judged,
    scores: Scores,
    discount: Discount,
    k: int | None = None,
    *,
    alpha: float = 0.5,
    rel: int = 1,
    judged_only: bool = False,
) -> float:
    """alpha_nDCG, nERR_IA and nNRBP, by their discounts."""
    relevant = relevant_to(judged, rel)
    if not relevant:
        return 0.0
    best = total(gains(ideal_order(relevant, alpha), relevant, alpha), discount, k)
    return total(gains(kept(judged, scores, judged_only=judged_only), relevant, alpha), discount, k) / best


def against_all_relevant(
    judged: Judged,
    scores: Scores,
    discount: Discount,
    k: int | None = None,
    *,
    alpha: float = 0.5,
    rel: int = 1,
    judged_only: bool = False,
) -> float:
    """alpha_DCG, ERR_IA and NRBP, by their discounts; the sum without an end is cut where it changes no more."""
    relevant = relevant_to(judged, rel)
    if not relevant or (alpha == 0 and k is None):
        return 0.0
    best = total([(1 - alpha) ** at for at in range(k or 2000)], discount, None) * len(relevant)
    return total(gains(kept(judged, scores, judged_only=judged_only), relevant, alpha), discount, k) / best


def ap_ia(judged: Judged, scores: Scores, *, rel: int = 1, judged_only: bool = False) -> float:
    order = kept(judged, scores, judged_only=judged_only)
    values = []
    for documents in relevant_to(judged, rel).values():
        ranks = [rank for rank, document in enumerate(order, start=1) if document in documents]
        values.append(sum(nth / rank for nth, rank in enumerate(ranks, start=1)) / len(documents))
    return sum(values) / len(values) if values else 0.0


def p_ia(judged: Judged, scores: Scores, k: int | None = 10, *, rel: int = 1, judged_only: bool = False) -> float:
    order = kept(judged, scores, judged_only=judged_only)
    relevant = relevant_to(judged, rel)
    depth = k or len(order)
    found = sum(document in documents for documents in relevant.values() for document in order[:k])
    return found / depth / len(relevant) if relevant and depth else 0.0


def st_recall(judged: Judged, scores: Scores, k: int | None = None, *, rel: int = 1) -> float:
    relevant = relevant_to(judged, rel)
    top = set(ranking(scores)[:k])
    return sum(bool(documents & top) for documents in relevant.values()) / len(relevant) if relevant else 0.0


# Measures that know what ties do to them.
TIED: dict[str, Callable[[Judged, Scores], float]] = {
    **{f"P_IA@{k}": partial(p_ia, k=k) for k in (1, 2, 4)},
    **{f"P_IA(judged_only=true)@{k}": partial(p_ia, k=k, judged_only=True) for k in (1, 2)},
    "P_IA(k=null,rel=2)": partial(p_ia, k=None, rel=2),
    "P_IA(k=null,judged_only=true)": partial(p_ia, k=None, judged_only=True),
    **{f"StRecall@{k}": partial(st_recall, k=k) for k in (1, 2, 4)},
    "StRecall(rel=2)@3": partial(st_recall, k=3, rel=2),
    "StRecall": st_recall,
    "AP_IA": ap_ia,
    "AP_IA(rel=2,judged_only=true)": partial(ap_ia, rel=2, judged_only=True),
    "alpha_DCG(alpha=0.3)@4": partial(against_all_relevant, discount=logarithmic, k=4, alpha=0.3),
    "alpha_nDCG": partial(against_ideal, discount=logarithmic),
    "alpha_nDCG(alpha=1,judged_only=true)@2": partial(
        against_ideal, discount=logarithmic, k=2, alpha=1.0, judged_only=True
    ),
    "ERR_IA(rel=2)": partial(against_all_relevant, discount=reciprocal, rel=2),
    "nERR_IA(alpha=0.2)@3": partial(against_ideal, discount=reciprocal, k=3, alpha=0.2),
    "NRBP(alpha=0.7,beta=0.8)": partial(against_all_relevant, discount=geometric(0.8), alpha=0.7),
    "nNRBP(alpha=0,beta=0.6)": partial(against_ideal, discount=geometric(0.6), alpha=0.0),
}
# Of these what is expected, but neither the worst nor the best.
EXPECTED_ONLY = ("StRecall", "AP_IA", "alpha_", "ERR_IA", "nERR_IA", "NRBP", "nNRBP")
