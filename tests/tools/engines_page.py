"""Writes the table measure x engine into ``evalsql/docs/engines.md``: ``python -m tests.tools.engines_page``.

It is made from what ``python -m tests.engines --write`` found.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from evalsql.catalog.relations import Catalog, read_catalog
from evalsql.engines.compiling import executed
from tests.engines.runs import ENGINES, variants
from tests.tools.readme import ROOT

PAGE = ROOT / "evalsql" / "docs" / "engines.md"
HEAD = "| measure | Spark | DataFusion | PostgreSQL | SQLite |"


def table(catalog: Catalog) -> str:
    """A row for each measure, and one for all."""
    found = executed()
    by_measure: dict[str, list[Mapping[str, str]]] = {}
    for variant in variants(catalog):
        by_measure.setdefault(variant.relation.header.measure, []).append(found.get(variant.name, {}))
    rows = [f"| `{name}` | " + " | ".join(_cells(outcomes)) + " |" for name, outcomes in by_measure.items()]
    every = [outcome for outcomes in by_measure.values() for outcome in outcomes]
    return "\n".join([HEAD, "|---|---|---|---|---|", *rows, "| all | " + " | ".join(_cells(every)) + " |"])


def _cells(outcomes: Sequence[Mapping[str, str]]) -> Iterator[str]:
    for engine in ENGINES:
        counts = Counter(each.get(engine, "not run").partition(":")[0] for each in outcomes)
        yield ", ".join(f"{number} {word}" for word, number in counts.items())


def with_table(text: str, catalog: Catalog) -> str:
    """The page with the table as it is now."""
    before, _, rest = text.partition(HEAD)
    after = rest.partition("\n\n")[2]
    return f"{before}{table(catalog)}\n\n{after}"


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8"), read_catalog()), encoding="utf-8")
