"""Measures of user models and others that no peer has, straight from their definitions; plain loops, no SQL."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from tests.oracles.brute_force import ranking

Grades = dict[str, int]
Scores = dict[str, float]


def graded(grades: Grades, scores: Scores) -> list[int]:
    """The grades in the order of the ranking, 0 for what has no judgment."""
    return [max(grades.get(document, 0), 0) for document in ranking(scores)]


def ideal(grades: Grades) -> list[int]:
    return sorted((grade for grade in grades.values() if grade > 0), reverse=True)


def cascade(order: Sequence[int], k: int | None, max_rel: int) -> float:
    total, left = 0.0, 1.0
    for rank, grade in enumerate(order[:k], start=1):
        chance = (2 ** min(grade, max_rel) - 1) / 2**max_rel
        total += left * chance / rank
        left *= 1 - chance
    return total


def err(grades: Grades, scores: Scores, k: int | None = None, max_rel: int = 4) -> float:
    return cascade(graded(grades, scores), k, max_rel)


def nerr(grades: Grades, scores: Scores, k: int | None = None, max_rel: int = 4) -> float:
    best = cascade(ideal(grades), k, max_rel)
    return err(grades, scores, k, max_rel) / best if best else 0.0


def scaled(grades: Grades, scores: Scores, max_rel: int, min_rel: int = 0) -> list[float]:
    if max_rel <= min_rel:
        return [0.0] * len(scores)
    clipped = (min(max(grade, min_rel), max_rel) for grade in graded(grades, scores))
    return [(grade - min_rel) / (max_rel - min_rel) for grade in clipped]


def examined(
    gains: Sequence[float], onward: Callable[[int, float, float], float], depth: int
) -> tuple[float, float, float]:
    """What is gained and looked at down to the depth, and how likely the reader comes to the place after it.

    ``onward`` gives the chance to go on from a rank, a gain and the sum of the gains down to there.
    """
    coming, items, gained, total = 1.0, 0.0, 0.0, 0.0
    for rank in range(1, depth + 1):
        gain = gains[rank - 1] if rank <= len(gains) else 0.0
        total += gain
        items += coming
        gained += coming * gain
        coming *= onward(rank, gain, total)
    return gained, items, coming


def rate(gains: Sequence[float], onward: Callable[[int, float, float], float], depth: int) -> float:
    gained, items, _ = examined(gains, onward, depth)
    return gained / items


def examined_endlessly(
    gains: Sequence[float], onward: Callable[[int, float, float], float], last_shift: float
) -> tuple[float, float]:
    """What is gained and looked at, the chance to come to place i falling with 1 / (i + shift - 1)^2 below all gains.

    What is below the depth is an integral with the first terms of the Euler-Maclaurin formula.
    """
    depth = 3000
    gained, items, coming = examined(gains, onward, depth)
    x = depth + last_shift
    return gained, items + coming * x * x * (1 / x + 1 / (2 * x * x) + 1 / (6 * x**3))


def endless(gains: Sequence[float], onward: Callable[[int, float, float], float], last_shift: float) -> float:
    gained, items = examined_endlessly(gains, onward, last_shift)
    return gained / items


def inst_onward(t: float) -> Callable[[int, float, float], float]:
    return lambda rank, gain, total: ((rank + 2 * t - total - 1) / (rank + 2 * t - total)) ** 2


def insq_onward(t: float) -> Callable[[int, float, float], float]:
    return lambda rank, gain, total: ((rank + 2 * t - 1) / (rank + 2 * t)) ** 2


def nerr8_onward(rank: int, gain: float, total: float) -> float:
    return 1 - gain


def nerr9_onward(rank: int, gain: float, total: float) -> float:
    return rank / (rank + 1) * (1 - gain)


def nerr10_onward(p: float) -> Callable[[int, float, float], float]:
    return lambda rank, gain, total: p * (1 - gain)


def nerr11_onward(t: float) -> Callable[[int, float, float], float]:
    return lambda rank, gain, total: ((rank + 2 * t - 1) / (rank + 2 * t)) ** 2 * (1 - gain)


def ift_onward(t: float, b: float, r: float) -> Callable[[int, float, float], float]:
    return lambda rank, gain, total: 1 - 1 / (1 + b * math.exp(r * (t - total)))


def sdcg(gains: Sequence[float], k: int) -> float:
    return sum(gain / math.log2(at + 2) for at, gain in enumerate(gains[:k])) / sum(
        1 / math.log2(at + 2) for at in range(k)
    )


def compat(grades: Grades, scores: Scores, p: float, *, normalize: bool) -> float:
    order = ranking(scores)
    places = {document: place for place, document in enumerate(order)}
    best = sorted((d for d in grades if grades[d] > 0), key=lambda d: (-grades[d], places.get(d, len(order))))
    depths = range(1, max(len(order), len(best)) + 1)

    def overlap(one: Sequence[str]) -> float:
        return sum(p ** (depth - 1) * len(set(one[:depth]) & set(best[:depth])) / depth for depth in depths)

    if not best:
        return 0.0
    return overlap(order) / (overlap(best) if normalize else sum(p ** (depth - 1) for depth in depths))


def accuracy(grades: Grades, scores: Scores, k: int | None = None) -> float:
    hits = [grade >= 1 for grade in graded(grades, scores)[:k]]
    pairs = [upper for at, upper in enumerate(hits) for lower in hits[at + 1 :] if upper != lower]
    return sum(pairs) / len(pairs) if pairs else float(any(hits))


def hits(grades: Grades, scores: Scores, k: int | None = None) -> float:
    return float(sum(grade >= 1 for grade in graded(grades, scores)[:k]))


def cg(grades: Grades, scores: Scores, k: int | None = None) -> float:
    return float(sum(graded(grades, scores)[:k]))


def ncg(grades: Grades, scores: Scores, k: int | None = None) -> float:
    best = sum(ideal(grades)[:k])
    return cg(grades, scores, k) / best if best else 0.0


def ideal_dcg(grades: Grades, k: int | None = None) -> float:
    return sum(gain / math.log2(at + 2) for at, gain in enumerate(ideal(grades)[:k]))


def q_measure(grades: Grades, scores: Scores, beta: float = 1.0) -> float:
    best = ideal(grades)
    found, gained, total = 0, 0, 0.0
    for rank, grade in enumerate(graded(grades, scores), start=1):
        if grade:
            found, gained = found + 1, gained + grade
            total += (found + beta * gained) / (rank + beta * sum(best[:rank]))
    return total / len(best) if best else 0.0


def blended(grades: Grades, order: Sequence[int], beta: float) -> list[float]:
    """The blended ratio at each place."""
    best = ideal(grades)
    return [
        (sum(grade > 0 for grade in order[:rank]) + beta * sum(order[:rank])) / (rank + beta * sum(best[:rank]))
        for rank in range(1, len(order) + 1)
    ]


def awp(grades: Grades, scores: Scores) -> float:
    order, best = graded(grades, scores), ideal(grades)
    ratios = [sum(order[: at + 1]) / sum(best[: at + 1]) for at, grade in enumerate(order) if grade]
    return sum(ratios) / len(best) if best else 0.0


def r_measure(grades: Grades, scores: Scores, beta: float = 1.0) -> float:
    relevant = len(ideal(grades))
    # A ranking that is shorter goes on with documents of no worth.
    order = [*graded(grades, scores), *([0] * relevant)]
    return blended(grades, order, beta)[relevant - 1] if relevant else 0.0


def o_measure(grades: Grades, scores: Scores, beta: float = 1.0) -> float:
    order = graded(grades, scores)
    return next((ratio for ratio, grade in zip(blended(grades, order, beta), order, strict=True) if grade), 0.0)


def p_plus(grades: Grades, scores: Scores, beta: float = 1.0) -> float:
    order = graded(grades, scores)
    if not any(order):
        return 0.0
    last = order.index(max(order))
    ratios = [ratio for at, ratio in enumerate(blended(grades, order, beta)) if order[at] and at <= last]
    return sum(ratios) / len(ratios)


def gap(grades: Grades, scores: Scores, chances: dict[int, float]) -> float:
    """By pairs of documents; ``chances`` of each least grade."""

    def reached(grade: int) -> float:
        return sum(chance for least, chance in chances.items() if least <= grade)

    order = graded(grades, scores)
    total = sum(
        sum(reached(min(order[upper], order[at])) for upper in range(at + 1)) / (at + 1) for at in range(len(order))
    )
    best = sum(reached(grade) for grade in ideal(grades))
    return total / best if best else 0.0


def pres(grades: Grades, scores: Scores, k: int) -> float:
    relevant = len(ideal(grades))
    ranks = [rank for rank, grade in enumerate(graded(grades, scores), start=1) if grade and rank <= k]
    ranks += [k + nth for nth in range(len(ranks) + 1, relevant + 1)]
    return 1 - (sum(ranks) / relevant - (relevant + 1) / 2) / k if relevant else 0.0


def search_length(relevant: Sequence[bool], wanted: int) -> int:
    """Others before the last that is wanted, or all others."""
    found = 0
    for place, hit in enumerate(relevant):
        found += hit
        if found == wanted:
            return place + 1 - wanted
    return len(relevant) - sum(relevant)


def of_gains(
    value: Callable[[list[float]], float], max_rel: int, min_rel: int = 0
) -> Callable[[Grades, Scores], float]:
    return lambda grades, scores: value(scaled(grades, scores, max_rel, min_rel))


def of_listed(value: Callable[[Any, Scores], float], gains: dict[int, float]) -> Callable[[Grades, Scores], float]:
    """Of measures for which a grade is its gain: with gains that are listed."""
    return lambda grades, scores: value({document: gains.get(grade, 0.0) for document, grade in grades.items()}, scores)


# Measures that know what ties do to them.
TIED: dict[str, Callable[[Grades, Scores], float]] = {
    "ERR": err,
    **{f"ERR(max_rel={most})@{k}": partial(err, k=k, max_rel=most) for most in (1, 2, 3) for k in (2, 4)},
    "nERR": nerr,
    "nERR(max_rel=2)@3": partial(nerr, k=3, max_rel=2),
    **{
        f"NERR8(max_rel={most})@{k}": of_gains(partial(rate, onward=nerr8_onward, depth=k), most)
        for most in (1, 2, 4)
        for k in (2, 3, 9)
    },
    **{
        f"NERR9(max_rel={most})@{k}": of_gains(partial(rate, onward=nerr9_onward, depth=k), most)
        for most in (1, 2, 4)
        for k in (2, 3, 9)
    },
    **{
        f"NERR10(p=0.6,max_rel={most},depth={depth})": of_gains(
            partial(rate, onward=nerr10_onward(0.6), depth=depth), most
        )
        for most, depth in ((1, 9), (2, 3), (5, 9))
    },
    **{
        f"NERR11(t={t},min_rel={least},max_rel=3,depth={depth})": of_gains(
            partial(rate, onward=nerr11_onward(t), depth=depth), 3, least
        )
        for t, least, depth in ((0.25, 0, 9), (1, 1, 3), (3, 0, 5))
    },
    **{
        f"INST(t={t},min_rel={least},max_rel={most},depth={depth})": of_gains(
            partial(rate, onward=inst_onward(t), depth=depth), most, least
        )
        for t, least, most, depth in ((0.5, 0, 3, 9), (0.5, 0, 2, 3), (0.6, 1, 3, 50), (1, 0, 1, 4), (2.5, 0, 3, 1000))
    },
    **{f"Q(beta={beta})": partial(q_measure, beta=beta) for beta in (0, 1, 10)},
    **{f"R_measure(beta={beta})": partial(r_measure, beta=beta) for beta in (0, 1, 3)},
    **{f"O_measure(beta={beta})": partial(o_measure, beta=beta) for beta in (0, 0.5, 4)},
    "AWP": awp,
    "Accuracy": accuracy,
    **{f"Accuracy@{k}": partial(accuracy, k=k) for k in (1, 2, 3, 4)},
    "GAP(gains={1:1,2:2,3:3})": partial(gap, chances={1: 1.0, 2: 1.0, 3: 1.0}),
    "GAP(gains={1:0.2,2:0.7,3:1})": partial(gap, chances={1: 0.2, 2: 0.5, 3: 0.3}),
    "GAP(gains={2:0.4,3:0.4})": partial(gap, chances={2: 0.4}),
    **{
        f"Compat(p={p},normalize={normalize})": partial(compat, p=p, normalize=normalize)
        for p in (0.3, 0.95)
        for normalize in (True, False)
    },
    **{
        f"{name}(gains={{0:-1,1:2,2:0.5,3:0.7}})": of_listed(value, {0: -1.0, 1: 2.0, 2: 0.5, 3: 0.7})
        for name, value in (("Q", q_measure), ("R_measure", r_measure), ("O_measure", o_measure), ("AWP", awp))
    },
}
