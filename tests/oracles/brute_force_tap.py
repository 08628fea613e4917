"""TAP under each tie rule and with each of its options, straight from the definition; plain loops, no SQL."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tests.oracles.brute_force import single, tied_orders

LARGEST = 3.4028234663852886e38  # of 32-bit floats
PICK: dict[str, Callable[[list[float]], float]] = {
    "rule": lambda values: values[0],
    "worst": min,
    "best": max,
    "expected": lambda values: math.fsum(values) / len(values),
}
ROUNDED_BEYOND = 3.4028235677973366e38  # from here on the nearest 32-bit float is infinite


@dataclass(frozen=True)
class System:
    """Ranked lists by topic, in the order of the file, with how their scores are to be read."""

    lists: Mapping[str, Mapping[str, float]]
    tie_rule: str
    ascending: bool

    def strength(self, score: float) -> float:
        """What is compared of a score, more being better."""
        signed = -score if self.ascending else score
        if self.tie_rule != "trec_eval":
            return signed
        if abs(signed) >= ROUNDED_BEYOND:
            return math.copysign(math.inf, signed)
        return single(max(min(signed, LARGEST), -LARGEST))

    def order(self, topic: str) -> list[str]:
        scores = self.lists.get(topic, {})
        if not self.tie_rule.startswith("trec_eval"):
            return list(scores)
        return sorted(scores, key=lambda document: (self.strength(scores[document]), document), reverse=True)

    def orders(self, topic: str, kept: Sequence[str]) -> Iterator[list[str]]:
        """The documents kept in every order of those that are tied."""
        if not self.tie_rule.startswith("trec_eval"):
            return iter([list(kept)])
        scores = self.lists.get(topic, {})
        return tied_orders(kept, lambda document: self.strength(scores[document]))


class Row(NamedTuple):
    value: float
    threshold: float | None
    num_kept: int
    reached: bool | None
    weight: float


def tap(
    qrels: Mapping[str, Mapping[str, int]],
    system: System,
    weights: Mapping[str, float],
    *,
    k: int = 5,
    rel: int = 1,
    quantile: float = 0.5,
    weighted: bool = True,
    threshold: float | None = None,
    insufficient: str = "lowest",
    reward_silence: bool = False,
    ties: str = "rule",
) -> dict[str, Row]:
    """The row of each topic."""
    own = {topic: weights.get(topic, 1.0) if weighted else 1.0 for topic in qrels}
    if threshold is None:
        limit, reached = _strictest(qrels, system, own, k, rel, quantile), True
        if limit is None:
            limit, reached = -math.inf, False
    else:
        limit, reached = system.strength(threshold), None
    kept = {
        topic: [d for d in system.order(topic) if system.strength(system.lists[topic][d]) >= limit] for topic in qrels
    }
    is_cut = threshold is not None or reached or insufficient == "lowest"
    shown = threshold if threshold is not None else _weakest(system, kept) if is_cut else None
    rows = {}
    for topic, grades in qrels.items():
        relevant = {document for document, grade in grades.items() if grade >= rel}
        every = [kept[topic]] if ties == "rule" else system.orders(topic, kept[topic])
        if reward_silence and not relevant:
            value = 1 / (len(kept[topic]) + 1)
        else:
            value = PICK[ties]([_of_list(order, relevant, is_cut=is_cut) for order in every])
        rows[topic] = Row(value, shown, len(kept[topic]), reached, own[topic])
    return rows


def _strictest(
    qrels: Mapping[str, Mapping[str, int]],
    system: System,
    weights: Mapping[str, float],
    k: int,
    rel: int,
    quantile: float,
) -> float | None:
    """The strictest strength at which the quantile of all weight shows k documents that are not relevant."""
    shown = {}
    for topic, grades in qrels.items():
        order = system.order(topic)
        wrong = [place for place, document in enumerate(order) if grades.get(document, 0) < rel]
        if len(wrong) >= k:
            # Where ranks contradict scores, all that stands above has to be kept as well.
            shown[topic] = min(system.strength(system.lists[topic][d]) for d in order[: wrong[k - 1] + 1])
    needed = quantile * math.fsum(weights.values())
    for limit in sorted(set(shown.values()), reverse=True):
        if math.fsum(weights[topic] for topic, own in shown.items() if own >= limit) >= needed - 1e-9:
            return limit
    return None


def _weakest(system: System, kept: Mapping[str, Sequence[str]]) -> float | None:
    scores = [system.lists[topic][document] for topic, documents in kept.items() for document in documents]
    return (max(scores) if system.ascending else min(scores)) if scores else None


def _of_list(order: Sequence[str], relevant: set[str], *, is_cut: bool) -> float:
    hits = [rank for rank, document in enumerate(order, start=1) if document in relevant]
    total = math.fsum(nth / rank for nth, rank in enumerate(hits, start=1))
    return (total + (len(hits) / len(order) if order and is_cut else 0.0)) / (len(relevant) + 1)
