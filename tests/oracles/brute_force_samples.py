"""Measures of judgments that are a sample, by plain loops; errors by derivatives that are found by trying.

Each function of a measure gives its columns by name, as those of ``brute_force`` do.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

Columns = dict[str, float | None]
Weights = Mapping[str, float]
Gains = Mapping[int, float]
LINEAR: Gains = {grade: float(grade) for grade in range(1, 10)}
_STEP = 1e-7


class Drawn(NamedTuple):
    grade: int
    stratum: str
    probability: float


class SampledTopic(NamedTuple):
    """A ranking, and the judgments by document; a negative grade is in the pool and not judged."""

    order: Sequence[str]
    pool: Mapping[str, Drawn]

    @property
    def judged(self) -> dict[str, Drawn]:
        return {name: each for name, each in self.pool.items() if each.grade >= 0}

    @property
    def weights(self) -> dict[str, float]:
        return {name: 1 / each.probability for name, each in self.judged.items()}


def xinfap(topic: SampledTopic, rel: int = 1) -> Columns:
    weights = topic.weights
    strata = {each.stratum for each in topic.pool.values()}
    total = 0.0
    for above, document in enumerate(topic.order):
        if document not in weights or topic.judged[document].grade < rel:
            continue
        precision = 1.0
        for stratum in strata:
            grades = [topic.pool[each].grade for each in topic.order[:above] if each in topic.pool]
            names = [each for each in topic.order[:above] if each in topic.pool]
            inside = [grade for grade, each in zip(grades, names, strict=True) if topic.pool[each].stratum == stratum]
            relevant, judged = sum(grade >= rel for grade in inside), sum(grade >= 0 for grade in inside)
            precision += len(inside) * (relevant + 0.00001) / (judged + 0.00003)
        total += weights[document] * precision / (above + 1)
    num_rel = sum(weight for document, weight in weights.items() if topic.judged[document].grade >= rel)
    return {"value": total / num_rel if num_rel else 0.0, "num_rel": num_rel}


def infndcg(topic: SampledTopic, k: int | None = None, gains: Gains = LINEAR) -> Columns:
    pooled, judged, gained = defaultdict[str, int](int), defaultdict[str, int](int), defaultdict[str, float](float)
    for rank, document in enumerate(topic.order[:k], start=1):
        if document in topic.pool:
            grade, stratum, _ = topic.pool[document]
            pooled[stratum] += 1
            judged[stratum] += grade >= 0
            gained[stratum] += (gains.get(grade, 0) if grade >= 0 else 0) / math.log2(rank + 1)
    dcg = sum(pooled[each] * gained[each] / judged[each] for each in pooled if judged[each])
    ideal = list[float]()
    for gain, number in sorted(_numbers(topic, topic.weights, gains).items(), reverse=True):
        ideal += [gain] * math.floor(number + 0.5 + 1e-9)
    idcg = sum(gain / math.log2(rank + 1) for rank, gain in enumerate(ideal[:k], start=1))
    return {"value": dcg / idcg if idcg else 0.0, "dcg": dcg, "idcg": idcg}


def statap(topic: SampledTopic, rel: int = 1) -> Columns:
    def value(weights: Weights) -> float:
        relevant = {each: weights[each] for each, drawn in topic.judged.items() if drawn.grade >= rel}
        above = total = 0.0
        for rank, document in enumerate(topic.order, start=1):
            if document in relevant:
                total += relevant[document] * (1 + above) / rank
                above += relevant[document]
        return total / sum(relevant.values()) if relevant else 0.0

    weights = topic.weights
    num_rel = sum(weight for each, weight in weights.items() if topic.judged[each].grade >= rel)
    return {"value": value(weights), "num_rel": num_rel, "standard_error": error(topic, value) if num_rel else None}


def statndcg(topic: SampledTopic, k: int | None = None, gains: Gains = LINEAR) -> Columns:
    last = k or len(topic.pool) * 1000

    def both(weights: Weights) -> tuple[float, float]:
        dcg = sum(
            weights[document] * gains.get(topic.judged[document].grade, 0) / math.log2(rank + 1)
            for rank, document in enumerate(topic.order[:k], start=1)
            if document in weights
        )
        # Documents are poured into the ranks, and a rank may hold parts of several.
        idcg, filled = 0.0, 0.0
        for gain, number in sorted(_numbers(topic, weights, gains).items(), reverse=True):
            left = number
            while left > 1e-12 and filled < last:
                part = min(left, math.floor(filled + 1e-12) + 1 - filled)
                idcg += part * gain / math.log2(math.floor(filled + 1e-12) + 2)
                filled, left = filled + part, left - part
        return dcg, idcg

    def value(weights: Weights) -> float:
        dcg, idcg = both(weights)
        return dcg / idcg if idcg else 0.0

    dcg, idcg = both(topic.weights)
    found = error(topic, value) if idcg else None
    return {"value": value(topic.weights), "dcg": dcg, "idcg": idcg, "standard_error": found}


def _numbers(topic: SampledTopic, weights: Weights, gains: Gains) -> dict[float, float]:
    """How many documents are estimated to have each gain above 0."""
    numbers = defaultdict[float, float](float)
    for document, (grade, *_) in topic.judged.items():
        if (gain := gains.get(grade, 0)) > 0:
            numbers[gain] += weights[document]
    return numbers


def error(topic: SampledTopic, value: Callable[[Weights], float]) -> float | None:
    """Standard error of a value of the weights: by its derivatives, and Hajek's variance in each stratum."""
    weights, variance = topic.weights, 0.0
    if topic.order and not value(weights) and any(each.probability < 1 for each in topic.judged.values()):
        return None
    strata = defaultdict[str, list[tuple[float, float]]](list)
    for document, (_, stratum, probability) in topic.judged.items():
        if probability < 1:
            more = {**weights, document: weights[document] + _STEP}
            derivative = (value(more) - value(weights)) / _STEP
            strata[stratum].append((1 - probability, derivative / probability))
    for drawn in strata.values():
        if len(drawn) == 1:
            return None
        centre = sum(share * expanded for share, expanded in drawn) / sum(share for share, _ in drawn)
        squares = sum(share * (expanded - centre) ** 2 for share, expanded in drawn)
        variance += squares * len(drawn) / (len(drawn) - 1)
    return math.sqrt(variance)
