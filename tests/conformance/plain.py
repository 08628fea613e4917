"""Measures as a careful program has them, in plain loops; ``mutants.tsv`` has what a careless one would write."""

import math
from collections.abc import Mapping, Sequence


def mean(qrels: Mapping[str, Mapping[str, int]], run: Mapping[str, Mapping[str, float]], measure: str) -> float | None:
    name, _, cutoff = measure.partition("@")
    values = [
        of_topic(name, int(cutoff) if cutoff else None, grades, run.get(topic, {})) for topic, grades in qrels.items()
    ]
    return sum(values) / len(values)


def of_topic(name: str, k: int | None, grades: Mapping[str, int], scores: Mapping[str, float]) -> float:
    documents = sorted(sorted(scores, reverse=True), key=lambda document: scores[document], reverse=True)
    whole = [grades.get(document, 0) for document in documents]
    found = whole[:k]
    judged = list(grades.values())
    num_rel = sum(grade >= 1 for grade in judged)
    hits = [rank for rank, grade in enumerate(found, 1) if grade >= 1]
    if name in ("nDCG", "DCG"):
        best = sorted(judged, reverse=True)[:k]
        return ndcg(found, best) if name == "nDCG" else dcg(found)
    if name in ("ERR", "RBP"):
        return err(found) if name == "ERR" else rbp(found)
    if name == "Bpref":
        return bpref([grades.get(document) for document in documents], judged, num_rel, hits)
    depth = k or len(found)
    if name == "P":
        return len(hits) / depth
    if name == "R":
        return over(len(hits), num_rel)
    if name == "F":
        precision, recall = len(hits) / depth, over(len(hits), num_rel)
        return over(2 * precision * recall, precision + recall)
    if name == "Success":
        return float(len(hits) >= 1)
    if name == "Rprec":
        return over(sum(rank <= num_rel for rank in hits), num_rel)
    if name == "Judged":
        return over(sum(document in grades for document in documents[:k]), len(found))
    return over(ap(hits), num_rel) if name == "AP" else rr(hits)


def over(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def ap(hits: Sequence[int]) -> float:
    return sum(at / rank for at, rank in enumerate(hits, 1))


def rr(hits: Sequence[int]) -> float:
    return 1 / hits[0] if hits else 0.0


def gain(grade: int) -> float:
    return max(grade, 0)


def dcg(found: Sequence[int]) -> float:
    return sum(gain(grade) / math.log2(rank + 1) for rank, grade in enumerate(found, 1))


def ndcg(found: Sequence[int], best: Sequence[int]) -> float:
    return over(dcg(found), dcg(best))


def bpref(order: Sequence[int | None], judged: Sequence[int], num_rel: int, hits: Sequence[int]) -> float:
    num_others = sum(grade == 0 for grade in judged)
    above, total = 0, 0.0
    for grade in order:
        if grade is not None and grade >= 1:
            total += 1 - over(min(above, num_rel), min(num_others, num_rel))
        elif grade == 0:
            above += 1
    return over(total, num_rel)


def err(found: Sequence[int], greatest: int = 4) -> float:
    reached, total = 1.0, 0.0
    for rank, grade in enumerate(found, 1):
        stops = (2 ** max(grade, 0) - 1) / 2**greatest
        total += reached * stops / rank
        reached *= 1 - stops
    return total


def rbp(found: Sequence[int], p: float = 0.8) -> float:
    return sum((1 - p) * (grade >= 1) * p ** (rank - 1) for rank, grade in enumerate(found, 1))
