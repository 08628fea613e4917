"""The values of a measure, as tests compare them."""

from __future__ import annotations

from typing import Any

from evalsql import Warehouse
from evalsql.catalog.measure_names import parse_measures


def call(warehouse: Warehouse, measure: str) -> str:
    return parse_measures([measure], warehouse.catalog)[0].call


def values(warehouse: Warehouse, measure: str, keys: str = "qrels, topic", column: str = "value") -> dict[Any, float]:
    """By judgment set and topic, where each judgment set has one run, or by the columns named."""
    rows = warehouse.rows(f"select {keys}, {column} from {call(warehouse, measure)}")
    return {key[0] if len(key) == 1 else tuple(key): value for *key, value in rows}


def by_topic(warehouse: Warehouse, measure: str, column: str = "value") -> dict[str, float]:
    """Where there is one judgment set with one run."""
    return values(warehouse, measure, "topic", column)
