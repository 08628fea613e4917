"""Diversity measures straight from their definitions, and random collections for them; plain loops, no SQL."""

import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

from tests.oracles.brute_force import Columns, ranking
from tests.random_collections import LEVELS

# Grades by document, by subtopic.
Judged = dict[str, dict[str, int]]
Scores = dict[str, float]
Discount = Callable[[int], float]


class DiversityTopic(NamedTuple):
    judged: Judged
    scores: Scores

    def relevant(self, rel: int = 1) -> dict[str, set[str]]:
        """The documents relevant to each subtopic that has one."""
        found = {subtopic: {d for d, grade in each.items() if grade >= rel} for subtopic, each in self.judged.items()}
        return {subtopic: documents for subtopic, documents in found.items() if documents}

    def order(self, judged_only: bool = False) -> list[str]:
        graded = {document for grades in self.judged.values() for document, grade in grades.items() if grade >= 0}
        return [document for document in ranking(self.scores) if document in graded or not judged_only]


@dataclass(frozen=True)
class DiversityCollection:
    """Judgments of each topic, and one run."""

    judged: dict[str, Judged]
    run: dict[str, Scores]

    def topics(self) -> dict[str, DiversityTopic]:
        return {topic: DiversityTopic(judged, self.run.get(topic, {})) for topic, judged in self.judged.items()}

    def rows(self) -> list[tuple[str, str, str, int]]:
        return [
            (topic, subtopic, document, grade)
            for topic, judged in self.judged.items()
            for subtopic, grades in judged.items()
            for document, grade in grades.items()
        ]


def diversity_collection(seed: int, *, tied: bool, topics: int = 4) -> DiversityCollection:
    """The collection of that seed, with negative grades, unjudged documents, topics that the run leaves out and topics
    and subtopics without a relevant document."""
    chance = random.Random(seed)
    judged: dict[str, Judged] = {}
    run: dict[str, Scores] = {}
    for topic in (f"{seed}-{number}" for number in range(topics)):
        documents = [f"{chance.choice('dDé~')}{number}" for number in range(chance.choice((4, 12, 40)))]
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


@cache
def geometric(beta: float) -> Discount:
    return lambda rank: beta ** (rank - 1)


@cache
def ideal_gains(relevant: tuple[tuple[str, frozenset[str]], ...], alpha: float) -> list[float]:
    found = {subtopic: set(documents) for subtopic, documents in relevant}
    return gains(ideal_order(found, alpha), found, alpha) if found else []


@cache
def most(discount: Discount, k: int, alpha: float) -> float:
    """What one subtopic adds to which all documents are relevant."""
    return total([(1 - alpha) ** at for at in range(k)], discount, None)


def against_ideal(
    topic: DiversityTopic,
    discount: Discount,
    k: int | None,
    alpha: float = 0.5,
    rel: int = 1,
    judged_only: bool = False,
) -> Columns:
    """alpha_nDCG, nERR_IA and nNRBP, by their discounts."""
    relevant = topic.relevant(rel)
    found = total(gains(topic.order(judged_only), relevant, alpha), discount, k)
    best = total(ideal_gains(tuple((each, frozenset(relevant[each])) for each in relevant), alpha), discount, k)
    return {"value": found / best if best else 0.0, "dcg": found, "idcg": best}


def against_all_relevant(
    topic: DiversityTopic,
    discount: Discount,
    k: int | None,
    alpha: float = 0.5,
    rel: int = 1,
    judged_only: bool = False,
) -> float:
    """alpha_DCG, ERR_IA and NRBP, by their discounts; the sum without an end is cut where it changes no more."""
    relevant = topic.relevant(rel)
    if not relevant or (alpha == 0 and k is None):
        return 0.0
    found = total(gains(topic.order(judged_only), relevant, alpha), discount, k)
    return found / most(discount, k or 2000, alpha) / len(relevant)


def alpha_ndcg(topic: DiversityTopic, k: int | None = None, **options: Any) -> Columns:
    return against_ideal(topic, logarithmic, k, **options)


def alpha_dcg(topic: DiversityTopic, k: int | None = None, **options: Any) -> float:
    return against_all_relevant(topic, logarithmic, k, **options)


def nerr_ia(topic: DiversityTopic, k: int | None = None, **options: Any) -> float | None:
    return against_ideal(topic, reciprocal, k, **options)["value"]


def err_ia(topic: DiversityTopic, k: int | None = None, **options: Any) -> float:
    return against_all_relevant(topic, reciprocal, k, **options)


def nnrbp(topic: DiversityTopic, beta: float = 0.5, **options: Any) -> float | None:
    return against_ideal(topic, geometric(beta), None, **options)["value"]


def nrbp(topic: DiversityTopic, beta: float = 0.5, **options: Any) -> float:
    """Without the end that its own factor stands for the sum goes on to any length."""
    return against_all_relevant(topic, geometric(beta), 2000, **options)


def ap_ia(topic: DiversityTopic, rel: int = 1, judged_only: bool = False) -> float:
    order = topic.order(judged_only)
    values = []
    for documents in topic.relevant(rel).values():
        ranks = [rank for rank, document in enumerate(order, start=1) if document in documents]
        values.append(sum(nth / rank for nth, rank in enumerate(ranks, start=1)) / len(documents))
    return sum(values) / len(values) if values else 0.0


def p_ia(topic: DiversityTopic, k: int | None = 10, rel: int = 1, judged_only: bool = False) -> float:
    order, relevant = topic.order(judged_only), topic.relevant(rel)
    depth = k or len(order)
    found = sum(document in documents for documents in relevant.values() for document in order[:k])
    return found / depth / len(relevant) if relevant and depth else 0.0


def st_recall(topic: DiversityTopic, k: int | None = None, rel: int = 1) -> Columns:
    relevant = topic.relevant(rel)
    found = sum(bool(documents & set(topic.order()[:k])) for documents in relevant.values())
    return {"value": found / max(len(relevant), 1), "num_found": found, "num_subtopics": len(relevant)}
