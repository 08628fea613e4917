"""Measures of spans against plain loops over single characters, and what must hold of them whatever the spans."""

import random
from functools import cache
from statistics import fmean
from typing import Any

import pytest

from evalsql import Warehouse
from tests.conftest import module_warehouse, new_warehouse
from tests.measures.topic_values import call
from tests.oracles.brute_force_spans import Span, SpanTopic, spanp, spanr
from tests.oracles.by_name import value_of

RULES = ("any", "judged", "retrieved", "iou", "exact")
NAMES = (
    *(f"{name}(match='{rule}',share={share})" for name in ("SpanR", "SpanRR") for rule in RULES for share in (0.3, 1)),
    *(f"SpanP(match='{rule}')@{k}" for rule in RULES for k in (1, 3)),
    *("SpanR@1", "SpanR(rel=2)@3", "SpanR(match='judged',share=0.0)", "SpanP", "SpanP(k=null)", "SpanP(rel=2)@2"),
    *("SpanRR@2", "SpanRR(rel=2)", "UnitR", "UnitR@1", "UnitR(rel=2)@3", "UnitP", "UnitP@2", "UnitP(rel=2)@2"),
    *("UnitIoU", "UnitIoU@3", "UnitIoU(rel=2)"),
)
TOPICS, LENGTH = 60, 24


def topic_of(seed: int) -> SpanTopic:
    """Spans of three short documents, which often touch, overlap or are equal; scores often tie."""
    chance = random.Random(seed)

    def spans(most: int, values: tuple[float, ...]) -> list[Span]:
        made = []
        for _ in range(chance.randint(0, most) or 1):
            start = chance.randrange(LENGTH)
            made.append(Span(chance.choice("abc"), start, chance.randint(start + 1, LENGTH), chance.choice(values)))
        return made

    judged = {span[:3]: span for span in spans(6, (-1, 0, 1, 1, 2))}
    retrieved = spans(9, (0.25, 0.5, 0.75)) if seed % 10 else []  # the run leaves some topics out
    equal = [span._replace(value=0.5) for span in judged.values()][: seed % 3]
    retrieved = sorted([*retrieved, *equal] if retrieved else [], key=lambda each: each[1:3])
    retrieved.sort(key=lambda each: (each.value, each.document), reverse=True)
    return SpanTopic([*judged.values()], retrieved)


def load_topics(warehouse: Warehouse, topics: dict[str, SpanTopic], name: str = "spans") -> None:
    def rows(kind: str) -> list[dict[str, Any]]:
        value = "grade" if kind == "judged" else "score"
        named = (*Span._fields[:3], value)
        return [
            {"topic": topic, **dict(zip(named, span, strict=True))}
            for topic, one in topics.items()
            for span in getattr(one, kind)
        ]

    warehouse.load_qrels(rows("judged"), name, form="spans")
    warehouse.load_run(rows("retrieved"), name, qrels=name, collapse="max")


def compare(warehouse: Warehouse, topics: dict[str, SpanTopic], names: tuple[str, ...]) -> int:
    """Hold the values of a judgment set, the only one, against the loops; returns how many were above 0."""
    above = 0
    for name in names:
        ours = dict(warehouse.rows(f"select topic, value from {call(warehouse, name)}"))
        assert ours == pytest.approx({topic: value_of(name)(one) for topic, one in topics.items()}, abs=1e-12), name
        above += sum(value > 0 for value in ours.values())
    return above


@cache
def topics() -> dict[str, SpanTopic]:
    return {f"t{seed}": topic_of(seed) for seed in range(TOPICS)}


def load_all(warehouse: Warehouse) -> None:
    load_topics(warehouse, topics())


spanned = module_warehouse(load_all)


def test_values_equal_plain_loops(spanned: Warehouse) -> None:
    assert sum(len(one.judged) + len(one.retrieved) for one in topics().values()) > 300
    assert compare(spanned, topics(), NAMES) > len(NAMES) * TOPICS / 4


def test_of_a_list_of_cutoffs_each_has_its_own_values(spanned: Warehouse) -> None:
    for measure in ("span_r", "span_p", "span_rr", "unit_iou"):
        listed = spanned.rows(f"select * exclude (k) from {measure}(k := [1, 4]) where k = 4 order by all")
        assert listed == spanned.rows(f"from {measure}(k := 4) order by all") != []


def test_sensitivity_has_the_means_of_the_loops_and_recall_falls(spanned: Warehouse) -> None:
    rows = spanned.rows('select match, share, recall, "precision" from span_sensitivity(k := 3) order by all')
    assert len(rows) == 32
    for rule, share, *found in rows:
        how = {"k": 3, "match": rule, "share": share or 0.5}
        expected = [fmean(loop(one, **how) for one in topics().values()) for loop in (spanr, spanp)]
        assert found == pytest.approx(expected, abs=1e-12), (rule, share)
    for rule in ("judged", "retrieved", "iou"):
        falling = [recall for name, _, recall, _ in rows if name == rule]
        assert falling == sorted(falling, reverse=True)
        assert falling[0] > falling[-1]


def test_borders_that_move_change_no_figure_by_characters() -> None:
    """A run that is cut into single characters covers the same."""
    with new_warehouse() as warehouse:
        one = {"t": topic_of(2)}
        load_topics(warehouse, one, "whole")
        pieces = [
            {"topic": "t", "document": document, "start": place, "end": place + 1, "score": 1.0}
            for document, place in sorted({place for span in one["t"].retrieved for place in span.places})
        ]
        warehouse.load_run(pieces, "pieces", qrels="whole", collapse="sum")
        for measure in ("unit_r", "unit_p", "unit_iou"):
            (first,), (second,) = warehouse.rows(f"select value from {measure}()")
            assert first == pytest.approx(second)
            assert first > 0
