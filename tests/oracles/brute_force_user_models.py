"""Measures of user models straight from their definitions; plain loops, no SQL."""

import math
from collections.abc import Callable, Sequence

from tests.oracles.brute_force import Columns, Topic, discounted

# The chance to go on from a rank, a gain and the sum of the gains down to there.
Onward = Callable[[int, float, float], float]
ENDLESS = 3000


def cascade(order: Sequence[float], max_rel: int) -> float:
    total, left = 0.0, 1.0
    for rank, grade in enumerate(order, start=1):
        chance = (2 ** min(grade, max_rel) - 1) / 2**max_rel
        total += left * chance / rank
        left *= 1 - chance
    return total


def nerr(topic: Topic, k: int | None = None, max_rel: int | None = 4) -> Columns:
    most = max_rel or topic.greatest
    found, best = cascade(topic.grades[:k], most), cascade(topic.ideal[:k], most)
    return {"value": found / best if best else 0.0, "err": found, "ideal_err": best}


def err(topic: Topic, k: int | None = None, max_rel: int | None = 4) -> float | None:
    return nerr(topic, k, max_rel)["err"]


def scaled(topic: Topic, max_rel: int | None, min_rel: int = 0) -> list[float]:
    most = max_rel or topic.greatest
    if most <= min_rel:
        return [0.0] * len(topic.order)
    return [(min(max(grade, min_rel), most) - min_rel) / (most - min_rel) for grade in topic.grades]


def examined(gains: Sequence[float], onward: Onward, depth: int) -> tuple[float, float, float]:
    """What is gained and looked at down to the depth, and how likely the reader comes to the place after it."""
    coming, items, gained, total = 1.0, 0.0, 0.0, 0.0
    for rank in range(1, depth + 1):
        gain = gains[rank - 1] if rank <= len(gains) else 0.0
        total += gain
        items += coming
        gained += coming * gain
        coming *= onward(rank, gain, total)
    return gained, items, coming


def read(
    topic: Topic, onward: Onward, depth: int | None, max_rel: int | None, min_rel: int, goal: float | None = None
) -> Columns:
    """All columns of a reader. Without a depth the chance to come to place i falls below all gains, for a reader with a
    goal with 1 / (i + shift - 1)^2, for others so fast that nothing is left.

    What is below the depth is an integral with the first terms of the Euler-Maclaurin formula.
    """
    gains = scaled(topic, max_rel, min_rel)
    gained, items, coming = examined(gains, onward, depth or ENDLESS)
    if depth is None and goal is not None:
        x = ENDLESS + goal
        items += coming * x * x * (1 / x + 1 / (2 * x * x) + 1 / (6 * x**3))
    return {"value": gained / items, "expected_total_utility": gained, "expected_items": items}


def nerr8(topic: Topic, k: int, max_rel: int | None = None) -> Columns:
    return read(topic, lambda rank, gain, total: 1 - gain, k, max_rel, 0)


def nerr9(topic: Topic, k: int, max_rel: int | None = None) -> Columns:
    return read(topic, lambda rank, gain, total: rank / (rank + 1) * (1 - gain), k, max_rel, 0)


def nerr10(topic: Topic, p: float = 0.9, depth: int | None = 1000, max_rel: int | None = None) -> Columns:
    return read(topic, lambda rank, gain, total: p * (1 - gain), depth, max_rel, 0)


def nerr11(
    topic: Topic, t: float = 1, depth: int | None = 1000, max_rel: int | None = None, min_rel: int = 0
) -> Columns:
    def onward(rank: int, gain: float, total: float) -> float:
        return ((rank + 2 * t - 1) / (rank + 2 * t)) ** 2 * (1 - gain)

    return read(topic, onward, depth, max_rel, min_rel, 2 * t)


def bpm(topic: Topic, k: int, t: float = 1, max_rel: int | None = None) -> Columns:
    return read(topic, lambda rank, gain, total: float(total < t), k, max_rel, 0)


def ift(topic: Topic, t: float = 2, b: float = 0.9, r: float = 1, depth: int | None = 1000) -> Columns:
    return read(topic, lambda rank, gain, total: 1 - 1 / (1 + b * math.exp(r * (t - total))), depth, None, 0)


def inst(topic: Topic, t: float = 1, depth: int | None = 1000, max_rel: int | None = None, min_rel: int = 0) -> Columns:
    def onward(rank: int, gain: float, total: float) -> float:
        return ((rank + 2 * t - total - 1) / (rank + 2 * t - total)) ** 2

    return read(topic, onward, depth, max_rel, min_rel, 2 * t - math.fsum(scaled(topic, max_rel, min_rel)))


def insq(
    topic: Topic, t: float = 1, depth: int | None = 1000, max_rel: int | None = None, min_rel: int = 0
) -> float | None:
    def onward(rank: int, gain: float, total: float) -> float:
        return ((rank + 2 * t - 1) / (rank + 2 * t)) ** 2

    return read(topic, onward, depth, max_rel, min_rel, 2 * t)["value"]


def npv(topic: Topic, rate: float = 0.1, depth: int | None = 1000) -> float | None:
    return read(topic, lambda rank, gain, total: 1 / (1 + rate), depth, None, 0)["value"]


def sdcg(topic: Topic, k: int, max_rel: int | None = None, min_rel: int = 0) -> float:
    return discounted(scaled(topic, max_rel, min_rel)[:k]) / discounted([1] * k)
