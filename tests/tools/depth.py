"""How much one reads to understand a measure: ``python -m tests.tools.depth`` prints a line for each, and the medians.

Relations are counted with the measure itself, base tables and scalar functions are not. Levels are the longest way from
the measure to a relation that reads base tables only. Lines are those of SQL, without headers. The form at the defaults
is the one that knows no order of ties; all is with what serves other orders of tied documents. ``--write`` puts the
summary into ``sql/README.md``.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlglot import exp

from evalsql.catalog import SQL_ROOT
from evalsql.catalog.relations import Catalog, Relation, read_catalog
from tests.tools.marked import replaced

PAGE = SQL_ROOT / "README.md"
# At commit 1c5848e, counted in the same way; every form of a measure was one then.
BEFORE = ("when every order of ties stood in each measure", *("9", "4", "247.5") * 2, 14)


class Depth(NamedTuple):
    """What a measure reaches."""

    relations: int
    levels: int
    lines: int


class Reading(NamedTuple):
    """A measure with what it reaches at its defaults and in all, and whether its own file holds a window."""

    relation: Relation
    at_defaults: Depth
    in_all: Depth
    has_window: bool


def readings(catalog: Catalog) -> list[Reading]:
    """Every measure, by name."""
    return [
        Reading(
            relation,
            _depth(catalog, relation, every_order=False),
            _depth(catalog, relation, every_order=True),
            relation.tree().find(exp.Window) is not None,
        )
        for relation in catalog.measures
    ]


def _depth(catalog: Catalog, relation: Relation, *, every_order: bool) -> Depth:
    levels: dict[str, int] = {}

    def visit(name: str) -> int:
        if name not in levels:
            levels[name] = 1 + max(map(visit, _read(catalog, catalog[name], every_order)), default=0)
        return levels[name]

    return Depth(0, visit(relation.name), 0)._replace(
        relations=len(levels), lines=sum(len(catalog[name].body.splitlines()) for name in levels)
    )


def _read(catalog: Catalog, relation: Relation, every_order: bool) -> Iterable[str]:
    names = relation.reads | (frozenset(relation.header.ties.values()) if every_order else frozenset())
    return sorted(name for name in names if name in catalog.relations and catalog[name].kind != "tables")


def summary(found: Sequence[Reading]) -> str:
    """The medians as a Markdown table, beside those of the first version."""

    def median(numbers: Iterable[int]) -> str:
        return f"{statistics.median(numbers):g}"

    rows = [
        BEFORE,
        (
            "now",
            *(median(depth[at] for depth in (each.at_defaults for each in found)) for at in range(3)),
            *(median(depth[at] for depth in (each.in_all for each in found)) for at in range(3)),
            sum(each.has_window for each in found),
        ),
    ]
    head = (
        f"Medians of {len(found)} measures",
        *("relations", "levels", "lines"),
        *("relations in all", "levels in all", "lines in all"),
        "show a window of their own",
    )
    lines = [head, ("---", *["--:"] * 7), *rows]
    return "\n".join(f"| {' | '.join(map(str, cells))} |" for cells in lines)


def main() -> None:
    found = readings(read_catalog())
    if "--write" in sys.argv[1:]:
        PAGE.write_text(replaced(PAGE.read_text(encoding="utf-8"), "depth", summary(found)), encoding="utf-8")
        return
    print(f"{'measure':20s} {'at the defaults':>24s} {'in all':>24s}  window")
    for each in found:
        depths = (f"{d.relations:4d} in {d.levels} levels, {d.lines:4d} lines" for d in (each.at_defaults, each.in_all))
        print(f"{each.relation.header.measure:20s} {'  '.join(depths)}  {'yes' if each.has_window else 'no'}")
    print(f"\n{summary(found)}")


if __name__ == "__main__":
    main()
