"""The values of a measure, as tests compare them."""

from typing import Any

from evalsql import Warehouse
from evalsql.catalog.measure_names import Measure, parse_measures
from evalsql.catalog.relations import read_catalog


def call(warehouse: Warehouse, measure: str) -> str:
    return parse_measures([measure], warehouse.catalog)[0].call


def judged_only(name: str) -> str | None:
    """The name of the measure on judged documents only, if it can do without the others."""
    (measure,) = parse_measures([name], read_catalog())
    if "judged_only" not in measure.arguments:
        return None
    return Measure(measure.relation, {**measure.arguments, "judged_only": True}).name


def values(warehouse: Warehouse, measure: str, keys: str = "qrels, topic", column: str = "value") -> dict[Any, float]:
    """By judgment set and topic, where each judgment set has one run, or by the columns named."""
    rows = warehouse.rows(f"select {keys}, {column} from {call(warehouse, measure)}")
    return {key[0] if len(key) == 1 else tuple(key): value for *key, value in rows}


def by_topic(warehouse: Warehouse, measure: str, column: str = "value") -> dict[str, float]:
    """Where there is one judgment set with one run."""
    return values(warehouse, measure, "topic", column)
