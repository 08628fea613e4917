"""How much one reads to understand a measure: ``python -m tests.tools.depth`` prints a line for each, and the medians.

Relations are counted with the measure itself, base tables and scalar functions are not. Levels are the longest way from
the measure to a relation that reads base tables only. Lines are those of SQL, without headers. The form at the defaults
is the one that knows no order of ties; all is with what serves other orders of tied documents. ``--write`` puts the
summary into ``sql/README.md``.
"""

import statistics
import sys
from collections.abc import Mapping

from sqlglot import exp

from evalsql.catalog import SQL_ROOT
from evalsql.catalog.relations import Catalog, read_catalog
from tests.tools.marked import write_part

PAGE = SQL_ROOT / "README.md"
HEAD = ("relations", "levels", "lines", "relations in all", "levels in all", "lines in all")
# At commit 1c5848e, counted in the same way; every form of a measure was one then.
BEFORE = ("when every measure had each order of ties", *("9", "4", "247.5") * 2, 14)


def readings(catalog: Catalog) -> dict[str, tuple[int, ...]]:
    """By measure what it reaches at its defaults and in all, and whether its own file holds a window."""
    return {
        measure.name: (
            *_reached(catalog, measure.name, every_order=False),
            *_reached(catalog, measure.name, every_order=True),
            measure.tree().find(exp.Window) is not None,
        )
        for measure in catalog.measures
    }


def _reached(catalog: Catalog, measure: str, *, every_order: bool) -> tuple[int, int, int]:
    """Relations, levels and lines."""
    levels: dict[str, int] = {}

    def visit(name: str) -> int:
        if name not in levels:
            served = catalog[name].header.ties.values() if every_order else ()
            read = {each for each in (*catalog[name].reads, *served) if each in catalog.relations}
            levels[name] = 1 + max((visit(each) for each in sorted(read) if catalog[each].kind != "tables"), default=0)
        return levels[name]

    deepest = visit(measure)
    return len(levels), deepest, sum(len(catalog[name].body.splitlines()) for name in levels)


def summary(found: Mapping[str, tuple[int, ...]]) -> str:
    """The medians as a Markdown table, beside those of the first version."""
    *numbers, windows = zip(*found.values(), strict=True)
    lines = [
        (f"Medians of {len(found)} measures", *HEAD, "show a window of their own"),
        ("---", *["--:"] * 7),
        BEFORE,
        ("now", *(f"{statistics.median(each):g}" for each in numbers), sum(windows)),
    ]
    return "\n".join(f"| {' | '.join(map(str, cells))} |" for cells in lines)


def main() -> None:
    found = readings(read_catalog())
    if "--write" in sys.argv[1:]:
        write_part(PAGE, "depth", summary(found))
        return
    for name, (*numbers, has_window) in found.items():
        shown = (f"{number} {unit}" for number, unit in zip(numbers, HEAD, strict=True))
        print(f"{name}: {', '.join(shown)}{', a window' if has_window else ''}")
    print(f"\n{summary(found)}")


if __name__ == "__main__":
    main()
