"""Measures straight from their definitions, for those the peer packages lack; plain loops, no SQL.

Here and in the modules beside this one the function of a measure has its name. It takes a topic, then the parameters of
the measure, that of the cutoff first, and gives the value, or by name all columns that are compared.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import accumulate, chain, groupby, permutations, product

Gains = Mapping[int, float]
Columns = dict[str, float | None]
LINEAR = {grade: float(grade) for grade in range(1, 61)}
EXPONENTIAL = {grade: 2.0**grade - 1 for grade in range(1, 10)}


@lru_cache
def single(score: float) -> float:
    """The score as a 32-bit float."""
    return float(struct.unpack("f", struct.pack("f", score))[0])


def ranking(scores: Mapping[str, float]) -> list[str]:
    """Documents as trec_eval 9 orders them."""
    return sorted(scores, key=lambda document: (single(scores[document]), document.encode()), reverse=True)


def tied_orders(ranked: Iterable[str], level: Callable[[str], float]) -> Iterator[list[str]]:
    """The ranking in every order of those that are on one level."""
    ties = [list(tie) for _, tie in groupby(ranked, key=level)]
    for choice in product(*map(permutations, ties)):
        yield list(chain.from_iterable(choice))


@dataclass(frozen=True)
class Topic:
    """Grades and scores of documents, and the greatest grade of the judgment set."""

    judged: Mapping[str, float]
    scores: Mapping[str, float]
    greatest: int = 0

    @cached_property
    def order(self) -> list[str]:
        return ranking(self.scores)

    @cached_property
    def grades(self) -> list[float]:
        """In the order of the ranking, 0 for what has no judgment."""
        return [max(self.judged.get(document, 0), 0) for document in self.order]

    @cached_property
    def ideal(self) -> list[float]:
        return sorted((grade for grade in self.judged.values() if grade > 0), reverse=True)

    def hits(self, rel: int = 1) -> list[bool]:
        return [self.judged.get(document, -1) >= rel for document in self.order]

    def num_rel(self, rel: int = 1) -> int:
        return sum(grade >= rel for grade in self.judged.values())

    def only_judged(self) -> Topic:
        scores = {document: score for document, score in self.scores.items() if self.judged.get(document, -1) >= 0}
        return replace(self, scores=scores)

    def graded(self, gains: Gains | None) -> Topic:
        """With gains as grades."""
        if gains is None:
            return self
        return replace(self, judged={document: gains.get(int(grade), 0.0) for document, grade in self.judged.items()})

    def gains(self, gains: Gains | None) -> list[float]:
        worth = gains or LINEAR
        return [worth.get(int(self.judged.get(document, -99)), 0.0) for document in self.order]

    def ideal_gains(self, gains: Gains | None) -> list[float]:
        return self.graded(gains).ideal


def discounted(gains: Sequence[float]) -> float:
    return math.fsum(gain / math.log2(place + 2) for place, gain in enumerate(gains))


def sum_of_precisions(hits: Sequence[bool]) -> float:
    """Of the precision at each relevant document."""
    return math.fsum(found / rank for rank, found in enumerate(accumulate(hits), start=1) if hits[rank - 1])


def frs(topic: Topic, base: float = 1.08) -> float:
    return next((base**-place for place, hit in enumerate(topic.hits()) if hit), 0.0)


def rr(topic: Topic, k: int) -> float:
    return next((1 / (place + 1) for place, hit in enumerate(topic.hits()[:k]) if hit), 0.0)


def hits(topic: Topic, k: int | None = None) -> float:
    return sum(topic.hits()[:k])


def accuracy(topic: Topic, k: int | None = None) -> Columns:
    found = topic.hits()[:k]
    pairs = [upper for at, upper in enumerate(found) for lower in found[at + 1 :] if upper != lower]
    value = sum(pairs) / len(pairs) if pairs else float(any(found))
    return {"value": value, "num_pairs": len(pairs) if any(found) else 0}


def f(topic: Topic, k: int, beta: float) -> float:
    found = sum(topic.hits()[:k])
    if not found:
        return 0.0
    precision, recall = found / k, found / topic.num_rel()
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def yaap(topic: Topic) -> float:
    total = sum_of_precisions(topic.hits())
    return math.log((1 + total) / (1 + topic.num_rel() - total))


def pres(topic: Topic, k: int = 1000) -> float:
    relevant = topic.num_rel()
    ranks = [rank for rank, hit in enumerate(topic.hits()[:k], start=1) if hit]
    ranks += [k + nth for nth in range(len(ranks) + 1, relevant + 1)]
    return 1 - (sum(ranks) / relevant - (relevant + 1) / 2) / k if relevant else 0.0


def judged(topic: Topic, k: int | None = 10) -> float:
    top = topic.order[:k]
    return sum(document in topic.judged for document in top) / len(top) if top else 0.0


def unjudged(topic: Topic, k: int) -> float:
    return sum(topic.judged.get(document, -1) < 0 for document in topic.order[:k]) / k


def rbp(topic: Topic, k: int | None = None, p: float = 0.8, gains: Gains | None = None, rel: int = 1) -> float:
    worth = topic.gains(gains) if gains else topic.hits(rel)
    return (1 - p) * math.fsum(gain * p**place for place, gain in enumerate(worth[:k]))


def rbp_residual(topic: Topic, k: int | None = None, p: float = 0.8) -> float:
    return 1 - (1 - p) * math.fsum(p**place for place, seen in enumerate(topic.hits(0)[:k]) if seen)


def rbp_resid(topic: Topic, p: float) -> float:
    return rbp_residual(topic, p=p) if not all(topic.hits(0)) else 0.0


def rbp_scaled(topic: Topic, p: float = 0.9, gains: Gains | str | None = None) -> float:
    """A grade is its gain where gains are not given, or given as text for some grades."""
    worth = {grade: float(grade) for grade in range(int(max(0, *topic.judged.values())) + 1)}
    if isinstance(gains, str):
        worth |= {int(grade): float(gain) for grade, _, gain in (each.partition("=") for each in gains.split(",")[:-1])}
    elif gains:
        worth = dict(gains)
    least, greatest = min(worth.values()), max(worth.values())
    if least < 0 or greatest > 1:
        span = greatest - least
        worth = {grade: (gain - least) / span if span else 0.0 for grade, gain in worth.items()}
    return rbp(topic, p=p, gains=worth)


def utility(
    topic: Topic,
    found: float = 1,
    false_alarm: float = -1,
    missed: float = 0,
    rejected: float = 0,
    collection: int = 0,
    rel: int = 1,
) -> float:
    relevant = {document for document, grade in topic.judged.items() if grade >= rel}
    retrieved = topic.scores.keys()
    value = found * len(relevant & retrieved) + false_alarm * len(retrieved - relevant)
    return value + missed * len(relevant - retrieved) + rejected * (collection - len(relevant | retrieved))


def ndcg(topic: Topic, k: int | None = None, gains: Gains | None = None, dcg: str = "log2") -> Columns:
    worth = EXPONENTIAL if dcg == "exp-log2" else gains
    found, best = discounted(topic.gains(worth)[:k]), discounted(topic.ideal_gains(worth)[:k])
    return {"value": found / best if best else 0.0, "dcg": found, "idcg": best}


def dcg(topic: Topic, k: int | None = None, gains: Gains | None = None, dcg: str = "log2") -> float | None:
    return ndcg(topic, k, gains, dcg)["dcg"]


def idcg(topic: Topic, k: int | None = None, gains: Gains | None = None) -> float | None:
    return ndcg(topic, k, gains)["idcg"]


def rndcg(topic: Topic, gains: Gains | None = None, rel: int = 1) -> float:
    found, ideal = topic.gains(gains), topic.ideal_gains(gains)
    if not ideal or not topic.num_rel(rel):
        return 0.0
    places = [at for at in range(1, len(ideal) + 1) if at == len(ideal) or ideal[at] != ideal[at - 1]]
    if len(found) >= len(ideal) + 2:
        places.append(len(found))
    return math.fsum(discounted(found[:place]) / discounted(ideal[:place]) for place in places) / len(places)


def dcgs(topic: Topic, gains: Gains | None) -> list[float]:
    """DCG down to each document."""
    return list(accumulate(gain / math.log2(place + 2) for place, gain in enumerate(topic.gains(gains))))


def ndcg_rel(topic: Topic, gains: Gains | None = None) -> float:
    ideal, down_to = topic.ideal_gains(gains), dcgs(topic, gains)
    if not ideal or not down_to:
        return 0.0
    shares = [
        down_to[place] / discounted(ideal[: place + 1]) for place, gain in enumerate(topic.gains(gains)) if gain > 0
    ]
    missed = (len(ideal) - len(shares)) * down_to[-1] / discounted(ideal)
    return max((math.fsum(shares) + missed) / len(ideal), 0.0)


def cg(topic: Topic, k: int | None = None, gains: Gains | None = None) -> float:
    return math.fsum(topic.gains(gains)[:k])


def ncg(topic: Topic, k: int | None = None, gains: Gains | None = None) -> float:
    best = math.fsum(topic.ideal_gains(gains)[:k])
    return cg(topic, k, gains) / best if best else 0.0


def g(topic: Topic, gains: Gains | None = None) -> float:
    ideal = topic.ideal_gains(gains)
    total = gained = cost = 0.0
    for place, gain in enumerate(topic.gains(gains)):
        gained += gain
        cost += max(ideal[place] if place < len(ideal) else 0.0, 1.0)
        total += gain / math.log2(2 + cost - gained)
    return total / sum(ideal) if ideal else 0.0


def compat(topic: Topic, p: float = 0.95, normalize: bool = True, depth: int | None = None) -> Columns:
    order, grades = topic.order, topic.judged
    places = {document: place for place, document in enumerate(order)}
    best = sorted((d for d in grades if grades[d] > 0), key=lambda d: (-grades[d], places.get(d, len(order))))
    depths = range(1, (depth or max(len(order), len(best))) + 1)

    def overlap(one: Sequence[str]) -> float:
        return sum(p ** (d - 1) * len(set(one[:d]) & set(best[:d])) / d for d in depths)

    if not best:
        return {"value": 0.0, "num_ideal": 0}
    whole = overlap(best) if normalize else sum(p ** (d - 1) for d in depths)
    return {"value": overlap(order) / whole, "num_ideal": len(best)}


def q(topic: Topic, beta: float = 1.0, gains: Gains | None = None) -> float:
    topic = topic.graded(gains)
    ratios = [ratio for ratio, gain in zip(blended(topic, topic.grades, beta), topic.grades, strict=True) if gain]
    return math.fsum(ratios) / len(topic.ideal) if topic.ideal else 0.0


def blended(topic: Topic, order: Sequence[float], beta: float) -> list[float]:
    """The blended ratio at each place."""
    return [
        (sum(gain > 0 for gain in order[:rank]) + beta * sum(order[:rank])) / (rank + beta * sum(topic.ideal[:rank]))
        for rank in range(1, len(order) + 1)
    ]


def awp(topic: Topic, gains: Gains | None = None) -> float:
    topic = topic.graded(gains)
    order, best = topic.grades, topic.ideal
    ratios = [sum(order[: at + 1]) / sum(best[: at + 1]) for at, gain in enumerate(order) if gain]
    return sum(ratios) / len(best) if best else 0.0


def r_measure(topic: Topic, beta: float = 1.0, gains: Gains | None = None) -> float:
    topic = topic.graded(gains)
    relevant = len(topic.ideal)
    # A ranking that is shorter goes on with documents of no worth.
    return blended(topic, [*topic.grades, *([0] * relevant)], beta)[relevant - 1] if relevant else 0.0


def o_measure(topic: Topic, beta: float = 1.0, gains: Gains | None = None) -> float:
    topic = topic.graded(gains)
    ratios = blended(topic, topic.grades, beta)
    return next((ratio for ratio, gain in zip(ratios, topic.grades, strict=True) if gain), 0.0)


def p_plus(topic: Topic, beta: float = 1.0, gains: Gains | None = None) -> Columns:
    topic = topic.graded(gains)
    order = topic.grades
    if not any(order):
        return {"value": 0.0, "preferred_rank": 0}
    last = order.index(max(order))
    ratios = [ratio for at, ratio in enumerate(blended(topic, order, beta)) if order[at] and at <= last]
    return {"value": sum(ratios) / len(ratios), "preferred_rank": last + 1}


def gap(topic: Topic, gains: Gains | None = None) -> float:
    """By pairs of documents, each with the chance that the reader's least grade is reached by both."""
    chances = {**(gains or LINEAR), 0: 0.0}
    order = topic.grades
    total = sum(
        sum(chances.get(int(min(order[upper], order[at])), 0) for upper in range(at + 1)) / (at + 1)
        for at in range(len(order))
    )
    best = sum(chances.get(int(grade), 0) for grade in topic.ideal)
    return total / best if best else 0.0


def search_length(relevant: Sequence[bool], wanted: int) -> int:
    """Others before the last that is wanted, or all others."""
    if sum(relevant) < wanted:
        return relevant.count(False)
    return list(accumulate(map(int, relevant))).index(wanted) + 1 - wanted
