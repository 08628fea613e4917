"""Writes ``sql/measures/README.md`` from the headers of the measures: ``python -m tests.tools.measures_page``."""

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter

from evalsql.catalog import SQL_ROOT
from evalsql.catalog.measure_names import literal
from evalsql.catalog.relations import Catalog, Relation, read_catalog

PAGE = SQL_ROOT / "measures" / "README.md"
# Headings of the families, in the order in which a reader meets them.
FAMILIES = {
    "binary": "Relevant or not",
    "graded": "Grades and gains",
    "user_models": "Models of a reader",
    "threshold": "Score thresholds",
    "classification": "Classification",
    "diversity": "Diversity, over subtopics",
    "groups": "Groups of judgments",
    "preferences": "Preferences",
    "samples": "Samples",
    "counts": "Counts",
}
HEAD = """\
# The measures

One file each, made into a view and a macro of its name. This page is written from their headers by
`python -m tests.tools.measures_page`. `evalsql measures NAME` prints one with its parameters, its reference and what
differs from other programs.
"""


def page(catalog: Catalog) -> str:
    """The whole page: a table for each family, a row for each measure."""
    measures = sorted(catalog.measures, key=lambda each: list(FAMILIES).index(each.family))
    return HEAD + "".join(
        f"\n{part}" for name, each in groupby(measures, attrgetter("family")) for part in _table(name, each)
    )


def _table(family: str, measures: Iterator[Relation]) -> Iterator[str]:
    yield f"## {FAMILIES[family]}\n"
    rows = [_row(measure) for measure in measures]
    yield "\n".join(["| measure | what it is | definition | parameters |", "|---|---|---|---|", *rows, ""])


def _row(measure: Relation) -> str:
    header = measure.header
    parameters = ", ".join(f"`{each.name} = {literal(each.default)}`" for each in measure.parameters)
    link = f"[`{header.measure}`]({measure.path.relative_to(PAGE.parent).as_posix()})"
    cells = (link, header.title, header.definition, parameters)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


if __name__ == "__main__":
    PAGE.write_text(page(read_catalog()), encoding="utf-8")
