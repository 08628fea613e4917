"""Mutation testing of ``sql/measures``: ``python -m tests.mutation [RELATION...]``.

Each mutant of a measure, or of a step that measures of its folder share, replaces it in warehouses with the data of
the tests. It is caught where a value that a test compares with something independent changes by more than the test
lets pass, where the SQL fails, or where it does not end. Results are kept in a file, so that a second run goes on
where the first one stopped. Prints the share caught, and survivors that survivors.tsv does not explain; ends with 1
where less than 95 % are caught or one is not explained.
"""

import argparse
import csv
import json
import sys
import time
from collections import Counter
from pathlib import Path
from threading import Timer

import platformdirs

from evalsql import EvalsqlError, Warehouse
from evalsql.catalog import ddl
from evalsql.catalog.measure_names import Measure
from evalsql.catalog.relations import STEPS, Catalog, Relation
from tests.mutation.cases import CATALOG, Values, cases, differ, opened, values
from tests.mutation.mutants import Mutant, mutants, unchanged

EXPLAINED = Path(__file__).with_name("survivors.tsv")
ANY = "*"  # stands in it for every relation that has the same change
GOAL = 0.95
_LONGEST = 20.0  # seconds; none of them takes a tenth of that
_MOST_MEASURES = 6  # whose values are compared for a step


def subjects() -> dict[str, Relation]:
    """The measures and the steps that lie with them."""
    found = [*CATALOG.of_kind("measures"), *(each for each in CATALOG.of_kind(STEPS) if "measures" in each.path.parts)]
    return {relation.name: relation for relation in found}


class Trial:
    """One relation under test: the measures that read it, their values as they are, and places to put mutants."""

    def __init__(self, relation: Relation) -> None:
        self.relation = relation
        self.readers = _readers(relation)
        self.calls = [case for name in self.readers if name in CASES for case in CASES[name]]
        self.before = {(data, measure.call): values(opened(data), measure) for data, measure, _ in self.calls}
        self.catalog: Catalog = CATALOG.for_connection(self.readers)
        self.data = dict.fromkeys(data for data, _, _ in self.calls)
        for data in self.data:
            for name in self.readers:
                self._put(opened(data), CATALOG[name])

    def outcome(self, relation: Relation) -> str:
        """What became of a relation in the place of this one: caught, failed, endless or survived."""
        placed: set[str] = set()
        for data, measure, within in self.calls:
            warehouse = opened(data)
            try:
                if data not in placed:
                    self._put(warehouse, relation)
                    placed.add(data)
                found = _timed(warehouse, measure)
            except KeyboardInterrupt:
                return "endless"
            except EvalsqlError:
                return "failed"
            if differ(self.before[data, measure.call], found, within):
                return "caught"
        return "survived"

    def close(self) -> None:
        for data in self.data:
            for name in self.readers:
                kind = "view" if not CATALOG[name].parameters and not CATALOG[name].is_measure else "macro table"
                opened(data).execute(f"drop {kind} if exists temp.{name}")

    def _put(self, warehouse: Warehouse, relation: Relation) -> None:
        """Have the relation in the place of the file's, for the connection."""
        statement = next(ddl.creating_statements(self.catalog, relation, temporary=True))[1]
        warehouse.database.execute(statement)


CASES = cases()


def _readers(relation: Relation) -> list[str]:
    """The relation, and what reads it on the way to the measures that are asked, each after those it reads."""
    if relation.is_measure:
        users = [relation.name]
    else:
        order = {each.name: CATALOG.build_order([each.name]) for each in CATALOG.measures}
        users = [name for name, built in order.items() if relation in built][:_MOST_MEASURES]
    found: list[str] = []
    for each in CATALOG.build_order(users):
        reads = each.reads | frozenset(each.header.ties.values())
        if each is relation or reads & set(found):
            found.append(each.name)
    return found


def _timed(warehouse: Warehouse, measure: Measure) -> Values:
    """The values; KeyboardInterrupt where that takes too long."""
    timer = Timer(_LONGEST, warehouse.connection.interrupt)
    timer.start()
    try:
        return values(warehouse, measure)
    finally:
        timer.cancel()


def explained() -> dict[tuple[str, str], str]:
    """Reasons by relation and change."""
    with EXPLAINED.open(newline="", encoding="utf-8") as stream:
        return {
            (row["relation"], row["change"]): row["reason"]
            for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        }


def _tried(relation: Relation, known: dict[str, str], results: Path, sample: int) -> list[tuple[Mutant, str]]:
    made = [mutant for mutant in mutants(relation) if int(mutant.key, 16) % sample == 0]
    pending = [mutant for mutant in made if mutant.key not in known]
    if pending:
        trial = Trial(relation)
        if trial.calls and trial.outcome(unchanged(relation)) != "survived":
            raise SystemExit(f"{relation.path}: gives other values when its syntax tree is written out")
        with results.open("a", encoding="utf-8") as stream:
            for mutant in pending:
                known[mutant.key] = trial.outcome(mutant.relation)
                row = {"key": mutant.key, "relation": relation.name, "change": mutant.what}
                print(json.dumps({**row, "outcome": known[mutant.key]}), file=stream, flush=True)
        trial.close()
    return [(mutant, known[mutant.key]) for mutant in made]


def main() -> int:
    """Try the mutants of the relations named, by default of all, and print what came of them."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("relations", nargs="*", metavar="RELATION")
    default = platformdirs.user_cache_path("evalsql-tests") / "mutation.jsonl"
    parser.add_argument("--results", type=Path, default=default, help=f"where results are kept; by default {default}")
    parser.add_argument("--sample", type=int, default=1, metavar="N", help="every Nth mutant only; by default all")
    parser.add_argument("--again", action="store_true", help="try those again that survived")
    given = parser.parse_args()
    chosen = subjects()
    if given.relations:
        chosen = {name: chosen[name] for name in given.relations}
    given.results.parent.mkdir(parents=True, exist_ok=True)
    known, reasons = {}, explained()
    if given.results.exists():
        rows = map(json.loads, given.results.read_text(encoding="utf-8").splitlines())
        known = {row["key"]: row["outcome"] for row in rows if not (given.again and row["outcome"] == "survived")}
    total: Counter[str] = Counter()
    unexplained = 0
    started = time.monotonic()
    for relation in chosen.values():
        counts: Counter[str] = Counter()
        for mutant, outcome in _tried(relation, known, given.results, given.sample):
            is_explained = not reasons.keys().isdisjoint({(relation.name, mutant.what), (ANY, mutant.what)})
            counts["explained" if outcome == "survived" and is_explained else outcome] += 1
            if outcome == "survived" and not is_explained:
                print(f"  survived: {relation.name}\t{mutant.what}")
        total += counts
        unexplained += counts["survived"]
        told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
        print(f"{relation.name}: {told or 'no mutants'}", flush=True)
    number, able = total.total(), total.total() - total["explained"]
    caught = able - total["survived"]
    print(f"{caught} of {number} mutants caught, {caught / max(1, number):.1%}, in {time.monotonic() - started:.0f} s")
    print(f"{caught} of {able} that can be told apart, {caught / max(1, able):.1%}; {unexplained} not explained")
    return int(caught < GOAL * able or unexplained > 0)


if __name__ == "__main__":
    sys.exit(main())
