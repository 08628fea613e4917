"""Curves and what is read from them, straight from the definitions; plain loops and exact fractions, no SQL."""

import math
from fractions import Fraction
from itertools import accumulate

from tests.oracles.brute_force import Columns, Topic, single

NOWHERE = -1e9  # below all scores


def found_at(topic: Topic) -> list[int]:
    """How many relevant documents stand among the first 1, 2, ... documents."""
    return list(accumulate(map(int, topic.hits())))


def iprec_textbook(topic: Topic, recall: float | Fraction) -> float:
    """The highest precision at any place where recall is at least that."""
    needed = math.ceil(Fraction(str(recall)) * topic.num_rel())
    found = enumerate(found_at(topic), start=1)
    return max((hits / rank for rank, hits in found if hits >= needed), default=0.0) if topic.num_rel() else 0.0


def iprec_avg_textbook(topic: Topic) -> float:
    return sum(iprec_textbook(topic, tenth / 10) for tenth in range(11)) / 11


def break_even(topic: Topic) -> Columns:
    """Precision where it equals recall, the ranking going on with documents that are not relevant."""
    relevant = topic.num_rel()
    return {"value": sum(topic.hits()[:relevant]) / max(relevant, 1), "rank": relevant or None}


def max_f(topic: Topic, beta: float = 1.0) -> Columns:
    """The highest F and its first place."""
    best: tuple[float, int | None] = (0.0, None)
    for rank, hits in enumerate(found_at(topic), start=1):
        if hits:
            precision, recall = hits / rank, hits / topic.num_rel()
            f = (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
            if f > best[0] + 1e-12:
                best = f, rank
    return {"value": best[0], "rank": best[1]}


def gsuccess(topic: Topic, k: int) -> float:
    return next((0.5 ** (place / (k - 1)) for place, hit in enumerate(topic.hits()) if hit), 0.0)


def is_negative(topic: Topic, document: str, nonrelevant: str) -> bool:
    grade = topic.judged.get(document)
    return grade == 0 if nonrelevant == "judged" else grade is None or grade < 1


def negatives(topic: Topic, nonrelevant: str, collection: int | None = None) -> int:
    if nonrelevant == "judged":
        return sum(grade == 0 for grade in topic.judged.values())
    retrieved = sum(is_negative(topic, document, nonrelevant) for document in topic.scores)
    return retrieved if collection is None else max(retrieved, collection - topic.num_rel())


def fpr(topic: Topic, k: int | None, nonrelevant: str = "retrieved", collection: int | None = None) -> float:
    wrong = sum(is_negative(topic, document, nonrelevant) for document in topic.order[:k])
    return wrong / negatives(topic, nonrelevant, collection) if wrong else 0.0


def specificity(topic: Topic, k: int | None, nonrelevant: str = "retrieved") -> float:
    return 1 - fpr(topic, k, nonrelevant)


def roc(topic: Topic, n: int, nonrelevant: str = "retrieved") -> float:
    """The mean over the first n false positives of the share of relevant documents above."""
    found = found_at(topic)
    above = [hits for hits, each in zip(found, topic.order, strict=True) if is_negative(topic, each, nonrelevant)]
    every = found[-1] if found else 0
    above = above[:n] + [every] * (n - len(above))
    return sum(above) / (n * topic.num_rel()) if every else 0.0


def labelled(topic: Topic, nonrelevant: str, collection: int | None = None) -> tuple[list[int], list[float]]:
    """Label and score of each document that counts; below all scores for what is not retrieved."""
    labels: list[int] = []
    values: list[float] = []
    for document, score in topic.scores.items():
        is_relevant = topic.judged.get(document, -1) >= 1
        if is_relevant or is_negative(topic, document, nonrelevant):
            labels.append(int(is_relevant))
            values.append(single(score))
    unseen = topic.num_rel() - sum(labels)
    wanting = negatives(topic, nonrelevant, collection) - labels.count(0)
    return labels + [1] * unseen + [0] * wanting, values + [NOWHERE] * (unseen + wanting)


def roc_of_pool(labels: list[int], values: list[float], n: int) -> float:
    """ROC_n of labelled scores: for each relevant document retrieved every number of tied false positives above it."""
    wrong = [value for label, value in zip(labels, values, strict=True) if not label]
    total = 0.0
    for label, value in zip(labels, values, strict=True):
        if label and value > NOWHERE:
            above, tied = sum(score > value for score in wrong), wrong.count(value)
            total += sum(max(n - above - more, 0) for more in range(tied + 1)) / (tied + 1)
    return total / (n * sum(labels)) if any(labels) else 0.0
