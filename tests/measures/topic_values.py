"""The values of a measure, as tests compare them."""

from __future__ import annotations

from evalsql import Warehouse
from evalsql.catalog.measure_names import parse_measures


def values(warehouse: Warehouse, measure: str, column: str = "value") -> dict[tuple[str, str], float]:
    """By judgment set and topic, where each judgment set has one run."""
    call = parse_measures([measure], warehouse.catalog)[0].call
    rows = warehouse.rows(f"select qrels, topic, {column} from {call}")
    return {(qrels, topic): value for qrels, topic, value in rows}


def values_by_run(warehouse: Warehouse, measure: str) -> dict[tuple[str, str, str], float]:
    """By judgment set, run and topic."""
    call = parse_measures([measure], warehouse.catalog)[0].call
    rows = warehouse.rows(f"select qrels, run, topic, value from {call}")
    return {(qrels, run, topic): value for qrels, run, topic, value in rows}


def values_by_topic(warehouse: Warehouse, measure: str) -> dict[str, float]:
    """By topic, where there is one judgment set and one run."""
    return {topic: value for (_, topic), value in values(warehouse, measure).items()}
