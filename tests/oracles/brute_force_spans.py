"""Measures of spans by plain loops over single characters: what overlaps is counted, and shares are exact fractions."""

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple


class Span(NamedTuple):
    document: str
    start: int
    end: int  # the first character behind
    value: float  # its grade, or its score

    @property
    def places(self) -> set[tuple[str, int]]:
        return {(self.document, place) for place in range(self.start, self.end)}


class SpanTopic(NamedTuple):
    judged: list[Span]
    retrieved: list[Span]  # by score, then by document from the last name on, then by place

    def relevant(self, rel: int) -> list[Span]:
        return [span for span in self.judged if span.value >= rel]


def matches(one: Span, other: Span, match: str, share: float) -> bool:
    """Whether a retrieved span matches a judged one, which comes first."""
    both, least = len(one.places & other.places), Fraction(str(share))
    if not both:
        return False
    if match == "exact":
        return one[:3] == other[:3]
    of = {"judged": len(one.places), "retrieved": len(other.places), "iou": len(one.places | other.places)}
    return match == "any" or Fraction(both, of[match]) >= least


def found(topic: SpanTopic, k: int | None, match: str, share: float, rel: int) -> dict[int, int]:
    """The place, from 0, of the first of k results that finds a span, by the number of the span."""
    first: dict[int, int] = {}
    for place, result in enumerate(topic.retrieved[:k]):
        for number, span in enumerate(topic.relevant(rel)):
            if number not in first and matches(span, result, match, share):
                first[number] = place
    return first


def spanr(topic: SpanTopic, k: int | None = None, match: str = "any", share: float = 0.5, rel: int = 1) -> float:
    spans = topic.relevant(rel)
    return len(found(topic, k, match, share, rel)) / len(spans) if spans else 0.0


def spanp(topic: SpanTopic, k: int | None = 10, match: str = "any", share: float = 0.5, rel: int = 1) -> float:
    results = k or len(topic.retrieved)
    return len({*found(topic, k, match, share, rel).values()}) / results if results else 0.0


def spanrr(topic: SpanTopic, k: int | None = None, match: str = "any", share: float = 0.5, rel: int = 1) -> float:
    first = found(topic, k, match, share, rel)
    return 1 / (1 + min(first.values())) if first else 0.0


def covered(spans: Iterable[Span]) -> set[tuple[str, int]]:
    return {place for span in spans for place in span.places}


def unitr(topic: SpanTopic, k: int | None = None, rel: int = 1) -> float:
    judged, retrieved = covered(topic.relevant(rel)), covered(topic.retrieved[:k])
    return len(judged & retrieved) / len(judged) if judged else 0.0


def unitp(topic: SpanTopic, k: int | None = None, rel: int = 1) -> float:
    judged, retrieved = covered(topic.relevant(rel)), covered(topic.retrieved[:k])
    return len(judged & retrieved) / len(retrieved) if retrieved else 0.0


def unitiou(topic: SpanTopic, k: int | None = None, rel: int = 1) -> float:
    judged, retrieved = covered(topic.relevant(rel)), covered(topic.retrieved[:k])
    return len(judged & retrieved) / len(judged | retrieved) if judged | retrieved else 0.0
