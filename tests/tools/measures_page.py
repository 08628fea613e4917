"""Writes ``sql/measures/README.md`` from the headers of the measures: ``python -m tests.tools.measures_page``."""

import csv
from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter

from evalsql.catalog import SQL_ROOT
from evalsql.catalog.relations import Catalog, Relation, read_catalog
from evalsql.literals import literal

COMPUTED = SQL_ROOT.parent / "fixtures" / "conformance" / "packages.tsv"
PAGE = SQL_ROOT / "measures" / "README.md"
# Headings of the families, in the order in which a reader meets them.
FAMILIES = {
    "binary": "Relevant or not",
    "graded": "Grades and gains",
    "user_models": "Models of a reader",
    "sessions": "Sessions of several calls",
    "spans": "Spans of documents",
    "threshold": "Score thresholds",
    "classification": "Classification",
    "diversity": "Diversity, over subtopics",
    "groups": "Groups of judgments",
    "preferences": "Preferences",
    "samples": "Samples",
    "nuggets": "Nuggets of answers",
    "citations": "Citations of answers",
    "counts": "Counts",
    "costs": "Costs",
}
HEAD = """\
# The measures

One file each, made into a view and a macro of its name. This page is written from their headers by
`python -m tests.tools.measures_page`. `evalsql measures NAME` prints one with its parameters, its reference and what
differs from other programs. The last column counts the packages that compute each variant under this name, or none that
has a name; the [guide](../../evalsql/docs/packages.md) names them.
"""


def page(catalog: Catalog) -> str:
    """The whole page: a table for each family, a row for each measure."""
    measures = sorted(catalog.measures, key=lambda each: list(FAMILIES).index(each.family))
    return HEAD + "".join(
        f"\n{part}" for name, each in groupby(measures, attrgetter("family")) for part in _table(name, each)
    )


def _table(family: str, measures: Iterator[Relation]) -> Iterator[str]:
    yield f"## {FAMILIES[family]}\n"
    with COMPUTED.open(encoding="utf-8", newline="") as lines:
        computed = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    rows = [_row(measure, computed) for measure in measures]
    heads = "| measure | what it is | definition | parameters | who computes what |"
    yield "\n".join([heads, "|---|---|---|---|---|", *rows, ""])


def who(measure: str, computed: list[dict[str, str]]) -> str:
    """How many packages compute which variant under the name of a measure, with a cutoff and without."""
    told = []
    for name in (measure, f"{measure}@k"):
        rows = [row for row in computed if row["measure"] == name]
        variants = dict.fromkeys(row["variant"] for row in rows)
        counts = {each: len({row["package"] for row in rows if row["variant"] == each}) for each in variants}
        if counts:
            order = sorted(counts.items(), key=lambda each: (not each[0], -each[1], each[0]))
            told.append(f"{name}: " + ", ".join(f"{variant or 'none'} {number}" for variant, number in order))
    return "; ".join(told)


def _row(measure: Relation, computed: list[dict[str, str]]) -> str:
    header = measure.header
    parameters = ", ".join(f"`{each.name} = {literal(each.default)}`" for each in measure.parameters)
    link = f"[`{header.measure}`]({measure.path.relative_to(PAGE.parent).as_posix()})"
    cells = (link, header.title, header.definition, parameters, who(header.measure, computed))
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


if __name__ == "__main__":
    PAGE.write_text(page(read_catalog()), encoding="utf-8")
