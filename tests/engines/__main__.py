"""Executes measures on other engines: ``python -m tests.engines [ENGINE ...] [-m MEASURE] [--write]``.

By default all engines and every variant of every measure, on random collections; ``--warehouse FILE`` takes those of a
warehouse, such as one of TREC-COVID. ``--write`` puts what came of it into ``evalsql/engines/executed.tsv``, from which
headers of compiled files and the guide are made (``python -m tests.tools.engines_page``).
"""

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack

import evalsql
from evalsql import Warehouse
from evalsql.catalog.measure_names import Measure, parse_measures
from evalsql.catalog.relations import Catalog
from evalsql.engines.compiling import EXECUTED, digest, executed, inlined
from tests.engines.conftest import small_warehouse
from tests.engines.runs import ENGINES, missing, outcome, running, values, variants


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engines", nargs="*", metavar="ENGINE")
    parser.add_argument("-m", "--measure", action="append")
    parser.add_argument("--warehouse")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    engines = given.engines or list(ENGINES)
    for engine in engines:
        if lacking := missing(engine):
            sys.exit(f"{engine} needs {lacking}")
    with evalsql.open(given.warehouse, read_only=True) if given.warehouse else small_warehouse() as warehouse:
        every = list(variants(warehouse.catalog))
        wanted = parse_measures(given.measure, warehouse.catalog) if given.measure else every
        failed = _run(warehouse, dict.fromkeys(engines, wanted), write=given.write)
    sys.exit(1 if failed else 0)


def _run(warehouse: Warehouse, wanted: Mapping[str, Sequence[Measure]], *, write: bool) -> int:
    """How many outcomes were neither equal nor refused; prints those that are not equal, and counts."""
    measures = {measure.name: measure for each in wanted.values() for measure in each}
    found: dict[str, dict[str, str]] = {engine: {} for engine in wanted}
    digests = _digests(warehouse.catalog) if write else {}
    with ExitStack() as stack:
        hosts = {engine: stack.enter_context(running(engine, warehouse)) for engine in wanted}
        for at, (name, measure) in enumerate(measures.items(), start=1):
            expected = values(warehouse, measure)
            for engine in (each for each in wanted if measure in wanted[each]):
                before = time.monotonic()
                found[engine][name] = outcome(hosts[engine], engine, measure, warehouse.catalog, expected)
                if found[engine][name] != "equal":
                    seconds = time.monotonic() - before
                    print(f"{engine}\t{name}\t{seconds:.1f} s\t{found[engine][name]}", flush=True)
            if write and (at % 20 == 0 or at == len(measures)):
                _keep(digests, found)
    return sum(_counted(engine, outcomes) for engine, outcomes in found.items())


def _digests(catalog: Catalog) -> dict[str, str]:
    return {each.name: digest(inlined(catalog, each.relation, each.arguments)) for each in variants(catalog)}


def _keep(digests: Mapping[str, str], found: Mapping[str, Mapping[str, str]]) -> None:
    """Put outcomes by engine and measure beside what is known; a measure whose SQL is another one starts anew."""
    executed.cache_clear()
    lines = ["\t".join(("measure", "digest", *ENGINES))]
    for name, now in digests.items():
        known = executed().get(name, {})
        before = known if known.get("digest") == now else {}
        outcomes = (found.get(engine, {}).get(name, before.get(engine, "-")) for engine in ENGINES)
        lines.append("\t".join((name, now, *outcomes)))
    EXECUTED.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _counted(engine: str, outcomes: Mapping[str, str]) -> int:
    equal, refused = (sum(each == word for each in outcomes.values()) for word in ("equal", "refused"))
    print(f"{engine}: {equal} equal, {refused} refused, of {len(outcomes)}", flush=True)
    return len(outcomes) - equal - refused


if __name__ == "__main__":
    main()
