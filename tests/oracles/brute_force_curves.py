"""Curves and what is read from them, straight from the definitions; plain loops and exact fractions, no SQL."""

from __future__ import annotations

from fractions import Fraction

from tests.oracles.brute_force import ranking, single

Grades = dict[str, int]
Scores = dict[str, float]
ELEVEN = tuple(Fraction(tenth, 10) for tenth in range(11))


def found_at(grades: Grades, scores: Scores) -> list[int]:
    """How many relevant documents stand among the first 1, 2, ... documents."""
    found: list[int] = []
    for document in ranking(scores):
        found.append((found[-1] if found else 0) + (grades.get(document, -1) >= 1))
    return found


def num_relevant(grades: Grades) -> int:
    return sum(grade >= 1 for grade in grades.values())


def interpolated(grades: Grades, scores: Scores, recall: Fraction) -> float:
    """The highest precision at any place where recall is at least that."""
    relevant = num_relevant(grades)
    precisions = [
        Fraction(found, rank)
        for rank, found in enumerate(found_at(grades, scores), start=1)
        if relevant and Fraction(found, relevant) >= recall
    ]
    return float(max(precisions, default=Fraction(0)))


def eleven_points(grades: Grades, scores: Scores) -> float:
    return sum(interpolated(grades, scores, recall) for recall in ELEVEN) / len(ELEVEN)


def break_even(grades: Grades, scores: Scores) -> float:
    """Precision where it equals recall and is above 0, the ranking going on with documents that are not relevant."""
    relevant = num_relevant(grades)
    found = found_at(grades, scores)
    found += [found[-1] if found else 0] * max(relevant - len(found), 0)
    for rank, hits in enumerate(found, start=1):
        if hits and Fraction(hits, rank) == Fraction(hits, relevant):
            return hits / rank
    return 0.0


def max_f(grades: Grades, scores: Scores, beta: float = 1.0) -> tuple[float, int | None]:
    """The highest F and its first place."""
    best: tuple[float, int | None] = (0.0, None)
    for rank, hits in enumerate(found_at(grades, scores), start=1):
        if hits:
            precision, recall = hits / rank, hits / num_relevant(grades)
            f = (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
            if f > best[0] + 1e-12:
                best = f, rank
    return best


def generalized_success(grades: Grades, scores: Scores, k: int) -> float:
    for rank, hits in enumerate(found_at(grades, scores), start=1):
        if hits:
            return float(0.5 ** ((rank - 1) / (k - 1)))
    return 0.0


def is_negative(grades: Grades, document: str, nonrelevant: str) -> bool:
    grade = grades.get(document)
    return grade == 0 if nonrelevant == "judged" else grade is None or grade < 1


def negatives(grades: Grades, scores: Scores, nonrelevant: str, collection: int | None = None) -> int:
    if nonrelevant == "judged":
        return sum(grade == 0 for grade in grades.values())
    retrieved = sum(is_negative(grades, document, nonrelevant) for document in scores)
    return retrieved if collection is None else max(retrieved, collection - num_relevant(grades))


def false_positive_rate(
    grades: Grades, scores: Scores, k: int, nonrelevant: str = "retrieved", collection: int | None = None
) -> float:
    wrong = sum(is_negative(grades, document, nonrelevant) for document in ranking(scores)[:k])
    return wrong / negatives(grades, scores, nonrelevant, collection) if wrong else 0.0


def specificity(grades: Grades, scores: Scores, k: int, nonrelevant: str = "retrieved") -> float:
    return 1 - false_positive_rate(grades, scores, k, nonrelevant)


def roc_n(grades: Grades, scores: Scores, n: int, nonrelevant: str = "retrieved") -> float:
    """The mean over the first n false positives of the share of relevant documents above."""
    above: list[int] = []
    hits = 0
    for document in ranking(scores):
        hits += grades.get(document, -1) >= 1
        if is_negative(grades, document, nonrelevant):
            above.append(hits)
    above = above[:n] + [hits] * (n - len(above))
    return sum(above) / (n * num_relevant(grades)) if hits else 0.0


def labelled(
    grades: Grades, scores: Scores, nonrelevant: str, collection: int | None = None
) -> tuple[list[int], list[float]]:
    """Label and score of each document that counts; below all scores for what is not retrieved."""
    labels: list[int] = []
    values: list[float] = []
    for document, score in scores.items():
        if grades.get(document, -1) >= 1 or is_negative(grades, document, nonrelevant):
            labels.append(int(grades.get(document, -1) >= 1))
            values.append(single(score))
    unseen = num_relevant(grades) - sum(labels)
    wanting = negatives(grades, scores, nonrelevant, collection) - labels.count(0)
    return labels + [1] * unseen + [0] * wanting, values + [-1e9] * (unseen + wanting)


def roc_n_of_pool(labels: list[int], values: list[float], n: int) -> float:
    """ROC_n of labelled scores: for each relevant document retrieved every number of tied false positives above it."""
    total = 0.0
    for label, value in zip(labels, values, strict=True):
        if label and value > -1e9:
            above = sum(not other and score > value for other, score in zip(labels, values, strict=True))
            tied = sum(not other and score == value for other, score in zip(labels, values, strict=True))
            total += sum(max(n - above - more, 0) for more in range(tied + 1)) / (tied + 1)
    return total / (n * sum(labels)) if any(labels) else 0.0
