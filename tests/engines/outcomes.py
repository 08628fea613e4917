"""What came of executing measures on other engines, as the package keeps it: ``evalsql/engines/executed.tsv``."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from evalsql.catalog.measure_names import Measure
from evalsql.catalog.relations import Catalog
from evalsql.engines.compiling import EXECUTED, digest, executed
from evalsql.engines.inlining import Inlined, inlined
from tests.engines.runs import ENGINES, variants

NOT_RUN = "-"


def keep(catalog: Catalog, found: Mapping[str, Mapping[str, str]]) -> None:
    """Put outcomes by engine and measure beside what is known; a measure whose SQL is another one starts anew."""
    executed.cache_clear()
    known = dict(executed())
    every = {measure.name: measure for measure in variants(catalog)}
    for engine, outcomes in found.items():
        for name in outcomes.keys() & every.keys():
            known[name] = {**_row(catalog, every[name], known.get(name, {})), engine: outcomes[name]}
    lines = ["\t".join(("measure", "digest", *ENGINES))]
    rows = (_row(catalog, measure, known.get(name, {})) for name, measure in every.items())
    lines += ["\t".join(row.values()) for row in rows]
    EXECUTED.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _row(catalog: Catalog, measure: Measure, known: Mapping[str, str]) -> dict[str, str]:
    now = _digest(catalog.digest, measure.name, lambda: inlined(catalog, measure.relation, measure.arguments))
    before = known if known.get("digest") == now else {}
    return {"measure": measure.name, "digest": now} | {each: before.get(each, NOT_RUN) for each in ENGINES}


_DIGESTS: dict[tuple[str, str], str] = {}


def _digest(of_catalog: str, name: str, make: Callable[[], Inlined]) -> str:
    """Computed once: it takes longer than to execute most measures."""
    if (of_catalog, name) not in _DIGESTS:
        _DIGESTS[of_catalog, name] = digest(make())
    return _DIGESTS[of_catalog, name]
