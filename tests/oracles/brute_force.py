"""Measures straight from their definitions, for those the peer packages lack; plain loops, no SQL."""

from __future__ import annotations

import math
import struct
from functools import lru_cache


@lru_cache
def single(score: float) -> float:
    """The score as a 32-bit float."""
    return float(struct.unpack("f", struct.pack("f", score))[0])


def ranking(scores: dict[str, float]) -> list[str]:
    """Documents as trec_eval 9 orders them."""
    return sorted(scores, key=lambda document: (single(scores[document]), document.encode()), reverse=True)


def frs(qrels: dict[str, int], scores: dict[str, float], base: float = 1.08, rel: int = 1) -> float:
    for rank, document in enumerate(ranking(scores), start=1):
        if qrels.get(document, -1) >= rel:
            return float(base ** (1 - rank))
    return 0.0


def judged(qrels: dict[str, int], scores: dict[str, float], k: int = 10) -> float:
    top = ranking(scores)[:k]
    return sum(document in qrels for document in top) / len(top) if top else 0.0


def rbp(
    qrels: dict[str, int], scores: dict[str, float], p: float = 0.8, gains: dict[int, float] | None = None
) -> float:
    total = 0.0
    for rank, document in enumerate(ranking(scores), start=1):
        grade = qrels.get(document)
        if grade is not None:
            gain = (1.0 if grade >= 1 else 0.0) if gains is None else gains.get(grade, 0.0)
            total += gain * p ** (rank - 1)
    return (1 - p) * total


def rbp_residual(qrels: dict[str, int], scores: dict[str, float], p: float = 0.8) -> float:
    order = ranking(scores)
    unseen = sum(p ** (rank - 1) for rank, d in enumerate(order, start=1) if qrels.get(d, -1) < 0)
    return (1 - p) * unseen + float(p ** len(order))


def rbp_residual_at(qrels: dict[str, int], scores: dict[str, float], k: int, p: float = 0.8) -> float:
    """With a cutoff, below which nothing counts as judged."""
    seen = sum(p ** (rank - 1) for rank, d in enumerate(ranking(scores)[:k], start=1) if qrels.get(d, -1) >= 0)
    return 1 - (1 - p) * seen


def utility(
    qrels: dict[str, int], scores: dict[str, float], worth: tuple[float, float, float, float], size: int, rel: int = 1
) -> float:
    """``worth`` is that of a document found, a false alarm, one missed and one rejected, ``size`` the collection's."""
    relevant = {document for document, grade in qrels.items() if grade >= rel}
    sets = (relevant & scores.keys(), scores.keys() - relevant, relevant - scores.keys())
    rest = size - len(relevant | scores.keys())
    return math.fsum(each * number for each, number in zip(worth, (*map(len, sets), rest), strict=True))


def rndcg(
    qrels: dict[str, int], scores: dict[str, float], gains: dict[int, float] | None = None, rel: int = 1
) -> float:
    worth = gains or {grade: float(grade) for grade in range(1, 10)}
    ideal = sorted((worth.get(grade, 0.0) for grade in qrels.values()), reverse=True)
    ideal = [gain for gain in ideal if gain > 0]
    found = [worth.get(qrels.get(document, -99), 0.0) for document in ranking(scores)]
    if not ideal or max(qrels.values()) < rel:
        return 0.0

    def dcg_at(values: list[float], place: int) -> float:
        return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(values[:place], start=1))

    places = [at for at in range(1, len(ideal) + 1) if at == len(ideal) or ideal[at] != ideal[at - 1]]
    if len(found) >= len(ideal) + 2:
        places.append(len(found))
    return math.fsum(dcg_at(found, place) / dcg_at(ideal, place) for place in places) / len(places)


def ndcg(qrels: dict[str, int], scores: dict[str, float], gains: dict[int, float], k: int) -> float:
    def total(values: list[float]) -> float:
        return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(values[:k], start=1))

    found = [gains.get(qrels.get(document, -99), 0.0) for document in ranking(scores)]
    ideal = sorted((gains.get(grade, 0.0) for grade in qrels.values()), reverse=True)
    best = total([gain for gain in ideal if gain > 0])
    return total(found) / best if best else 0.0


def dcgs(qrels: dict[str, int], scores: dict[str, float], gains: dict[int, float]) -> list[float]:
    """DCG down to each document."""
    found, total = [], 0.0
    for rank, document in enumerate(ranking(scores), start=1):
        total += gains.get(qrels.get(document, -99), 0.0) / math.log2(rank + 1)
        found.append(total)
    return found


def ndcg_rel(qrels: dict[str, int], scores: dict[str, float], gains: dict[int, float]) -> float:
    ideal = sorted((gains.get(grade, 0.0) for grade in qrels.values()), reverse=True)
    ideal = [gain for gain in ideal if gain > 0]
    best = [
        sum(gain / math.log2(rank + 1) for rank, gain in enumerate(ideal[:k], start=1)) for k in range(len(ideal) + 1)
    ]
    down_to = dcgs(qrels, scores, gains)
    total, found = 0.0, 0
    for rank, document in enumerate(ranking(scores), start=1):
        if gains.get(qrels.get(document, -99), 0.0) > 0:
            total += down_to[rank - 1] / best[min(rank, len(ideal))]
            found += 1
    if not ideal or not down_to:
        return 0.0
    return max((total + (len(ideal) - found) * down_to[-1] / best[-1]) / len(ideal), 0.0)


def ncg(qrels: dict[str, int], scores: dict[str, float], gains: dict[int, float]) -> float:
    best = sum(max(gains.get(grade, 0.0), 0.0) for grade in qrels.values())
    return sum(gains.get(qrels.get(document, -99), 0.0) for document in scores) / best if best else 0.0


def g(qrels: dict[str, int], scores: dict[str, float], gains: dict[int, float]) -> float:
    ideal = sorted((gains.get(grade, 0.0) for grade in qrels.values()), reverse=True)
    ideal = [gain for gain in ideal if gain > 0]
    total = gained = cost = 0.0
    for place, document in enumerate(ranking(scores)):
        gain = gains.get(qrels.get(document, -99), 0.0)
        gained += gain
        cost += max(ideal[place] if place < len(ideal) else 0.0, 1.0)
        total += gain / math.log2(2 + cost - gained)
    return total / sum(ideal) if ideal else 0.0


def reciprocal_rank(qrels: dict[str, int], scores: dict[str, float], k: int) -> float:
    for rank, document in enumerate(ranking(scores)[:k], start=1):
        if qrels.get(document, -1) >= 1:
            return 1 / rank
    return 0.0


def unjudged(qrels: dict[str, int], scores: dict[str, float], k: int) -> float:
    return sum(qrels.get(document, -1) < 0 for document in ranking(scores)[:k]) / k


def rbp_resid(qrels: dict[str, int], scores: dict[str, float], p: float) -> float:
    order = ranking(scores)
    places = [place for place, document in enumerate(order) if qrels.get(document, -1) < 0]
    return float(p ** len(order)) + (1 - p) * sum(p**place for place in places) if places else 0.0


def rbp_scaled(
    qrels: dict[str, int],
    scores: dict[str, float],
    p: float = 0.9,
    gains: dict[int, float] | None = None,
    *,
    others: bool = False,
) -> float:
    """``gains`` are those of all grades that may be found; with ``others``, and without gains, a grade is its gain."""
    worth = {**(gains or {})}
    if others or not gains:
        worth = {grade: float(grade) for grade in range(max(0, *qrels.values()) + 1)} | worth
    least, greatest = min(worth.values()), max(worth.values())
    if least < 0 or greatest > 1:
        span = greatest - least
        worth = {grade: (gain - least) / span if span else 0.0 for grade, gain in worth.items()}
    return rbp(qrels, scores, p, worth)


def f_measure(qrels: dict[str, int], scores: dict[str, float], beta: float, k: int) -> float:
    found = sum(qrels.get(document, -1) >= 1 for document in ranking(scores)[:k])
    relevant = sum(grade >= 1 for grade in qrels.values())
    if not found:
        return 0.0
    precision, recall = found / k, found / relevant
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def yaap(qrels: dict[str, int], scores: dict[str, float]) -> float:
    relevant = sum(grade >= 1 for grade in qrels.values())
    total = _sum_of_precisions(qrels, scores)[0]
    return math.log((1 + total) / (1 + relevant - total))


def dcg(qrels: dict[str, int], scores: dict[str, float], gains: dict[int, float]) -> float:
    places = enumerate(ranking(scores), start=1)
    return sum(gains.get(qrels.get(document, -99), 0.0) / math.log2(rank + 1) for rank, document in places)


def tap_of_list(qrels: dict[str, int], kept: dict[str, float], *, cut: bool = True) -> float:
    """TAP of one topic's list as it is cut; of one that is not cut the last place adds nothing."""
    total, found = _sum_of_precisions(qrels, kept)
    relevant = sum(grade >= 1 for grade in qrels.values())
    return (total + cut * found / len(kept)) / (relevant + 1) if kept else 0.0


def _sum_of_precisions(qrels: dict[str, int], scores: dict[str, float]) -> tuple[float, int]:
    """Sum of the precision at each relevant document, and how many there are."""
    hits = [rank for rank, document in enumerate(ranking(scores), start=1) if qrels.get(document, -1) >= 1]
    return sum(nth / rank for nth, rank in enumerate(hits, start=1)), len(hits)
