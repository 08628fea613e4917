"""Compared pairs as the tables of a paper take them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evalsql.catalog.ddl import relation_query
from evalsql.report.comparison import Comparison
from evalsql.report.table import Table
from evalsql.warehouse.warehouse import Warehouse


def by_judgments(table: Table, otherwise: Sequence[tuple[str, str, str]], **how: Any) -> list[Comparison]:
    """The pairs of each judgment set; ``otherwise`` is that of ``averaged_otherwise``, ``how`` goes into all."""
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in table.rows:
        rows.setdefault(str(row[0]), []).append(dict(zip(table.columns, row, strict=True)))
    return [
        Comparison(
            name,
            pairs,
            otherwise=[(each, way) for held, each, way in otherwise if held == name],
            has_others=len(rows) > 1,
            **how,
        )
        for name, pairs in rows.items()
    ]


def with_changes(warehouse: Warehouse, compared: Sequence[Comparison], pairs: str, baseline: str) -> list[Comparison]:
    """The comparisons with the change of each mean relative to a baseline; ``pairs`` is the SELECT of their pairs."""
    found: dict[str, dict[tuple[str, str], float | None]] = {}
    query = relation_query(warehouse.catalog, "relative_changes", {"pairs": pairs}, baseline=baseline)
    for qrels, measure, run, change in warehouse.rows(query):
        found.setdefault(qrels, {})[run, measure] = change
    return [one._replace(changes=found.get(one.qrels, {}), changed_from=baseline) for one in compared]


def in_order(
    compared: Sequence[Comparison], order: Sequence[str], names: Mapping[str, str], beside: str | None = None
) -> list[Comparison]:
    """The comparisons with these runs on top, with other names, and daggers beside the letters of all pairs."""
    return [
        one._replace(
            order=[run for run in order if run in {*one.runs}],
            names=names,
            beside=beside if beside in {*one.runs} else None,
        )
        for one in compared
    ]
