"""Agreement of rankings by plain loops over the definitions."""

import math
from collections.abc import Iterator, Mapping, Sequence

from tests.oracles.brute_force import tied_orders

# Where nothing is left of p^d.
NOTHING = 1e-14


def orders(means: Mapping[str, float]) -> Iterator[list[str]]:
    return tied_orders(sorted(means, key=means.__getitem__, reverse=True), means.__getitem__)


def tau_ap_of_orders(true: Sequence[str], order: Sequence[str]) -> float:
    """tau_AP of an order without ties: at each place the share of those above that are above in truth too."""
    shares = []
    for at in range(1, len(order)):
        right = sum(1 for above in order[:at] if true.index(above) < true.index(order[at]))
        shares.append(right / at)
    return 2 * sum(shares) / len(shares) - 1


def tau_ap(true: Mapping[str, float], other: Mapping[str, float]) -> float:
    """The mean over all orders of the tied on both sides."""
    values = [tau_ap_of_orders(one, two) for one in orders(true) for two in orders(other)]
    return math.fsum(values) / len(values)


def rbo(one: Sequence[str], two: Sequence[str], p: float, *, same_below: bool = False) -> float:
    """Rank-biased overlap of rankings that go on with documents nobody shares, or with the same in the same order."""
    total, depth, overlap = 0.0, 1, 0
    length = max(len(one), len(two))
    while p**depth > NOTHING:
        if depth <= length:
            overlap = len(set(one[:depth]) & set(two[:depth]))
        elif same_below:
            overlap += 1
        total += (1 - p) * p ** (depth - 1) * overlap / depth
        depth += 1
    return total


def rbo_max(one: Sequence[str], two: Sequence[str], p: float) -> float:
    """Of rankings that overlap most below: each goes on with what only the other has, then both with the same."""
    first = [*one, *(document for document in two if document not in one)]
    second = [*two, *(document for document in one if document not in two)]
    return rbo(first, second, p, same_below=True)


def rbo_ext(one: Sequence[str], two: Sequence[str], p: float) -> float:
    """Equation 32 of Webber, Moffat and Zobel: rankings of lengths s <= l."""
    shorter, longer = sorted((one, two), key=len)
    s, l = len(shorter), len(longer)  # noqa: E741
    overlaps = [len(set(shorter[:depth]) & set(longer[:depth])) for depth in range(l + 1)]
    total = sum(overlaps[d] / d * p**d for d in range(1, l + 1))
    total += sum(overlaps[s] * (d - s) / (s * d) * p**d for d in range(s + 1, l + 1))
    return (1 - p) / p * total + ((overlaps[l] - overlaps[s]) / l + overlaps[s] / s) * p**l
