"""What the tests compare with something independent: the measures they ask for, and the data they ask on.

The names come from the tables of the tests themselves, so that a case that is taken out there is missing here too.
A value that the tests compare, within the same tolerance, must change for a mutant to be caught.
"""

from __future__ import annotations

import csv
import re
import shutil
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

import evalsql
from evalsql import Warehouse
from evalsql.catalog.measure_names import Measure, parse_measures, tie_variants
from evalsql.catalog.relations import read_catalog
from tests.conftest import FIXTURES, made_once, new_file
from tests.golden_cases import CASES, load_judgments
from tests.measures import (
    plain_measures,
    test_diversity,
    test_ir_measures,
    test_judged_only,
    test_levels,
    test_plain_loops,
    test_preferences,
    test_tap,
    test_ties,
    test_user_models,
    tied,
)
from tests.measures.test_golden import tolerance
from tests.oracles import brute_force_preferences, peers
from tests.random_collections import Collection, collection

CATALOG = read_catalog()
SEEDS = range(60)  # the fewest that one of these tests takes
EXACT = 1e-9
# What tests compare beside the value.
COLUMNS = {
    "tap": ("threshold", "num_kept", "reached", "weight"),
    "break_even": ("rank",),
    "max_f": ("rank",),
    "ift": ("expected_items",),
    "p_plus": ("preferred_rank",),
    "st_recall": ("num_found", "num_subtopics"),
}
# The same for some arguments only.
TESTED_COLUMNS: Mapping[str, Iterable[str]] = {**plain_measures.MEASURES, **test_diversity.COLUMNS}
COLUMNS_OF_CALLS = {parse_measures([name], CATALOG)[0].call: tuple(columns) for name, columns in TESTED_COLUMNS.items()}
Values = dict[tuple[str, ...], float | None]


def golden() -> Warehouse:
    """Every case of fixtures, each a judgment set."""
    warehouse = evalsql.open(new_file())
    for case in CASES:
        load_judgments(warehouse, case, case.name)
        for run in sorted((case / "runs").iterdir()):
            warehouse.load_runs(run, name=f"{case.name} {run.stem}", qrels=[case.name])
    return warehouse


def random_ones() -> Warehouse:
    warehouse = evalsql.open(new_file())
    for seed in SEEDS:
        one = collection(seed)
        warehouse.load_qrels(one.qrels, f"{seed}")
        warehouse.load_run(one.run, f"run {seed}", qrels=[f"{seed}"])
    return warehouse


def of_collection(name: str, make: Callable[[], Collection]) -> Callable[[Warehouse], None]:
    """Loads a collection as a judgment set and a run."""

    def load(warehouse: Warehouse) -> None:
        one = make()
        warehouse.load_qrels(one.qrels, name)
        warehouse.load_run(one.run, "system")

    return load


def load_subtopics(warehouse: Warehouse) -> None:
    for is_tied in (True, False):
        test_diversity.load(warehouse, test_diversity.together(tied=is_tied), f"tied {is_tied}")


def loaded_by(load: Callable[[Warehouse], None]) -> Callable[[], Warehouse]:
    """Makes a warehouse with the data that a test loads."""

    def make() -> Warehouse:
        warehouse = evalsql.open(new_file())
        load(warehouse)
        return warehouse

    return make


def load_preferences(warehouse: Warehouse, names: Iterable[str]) -> None:
    """Preferences, and judgments in groups, each in judgment sets of their own."""
    with TemporaryDirectory() as folder:
        for name in names:
            form, make = test_preferences.LOADED[name]
            sets = {f"{name} {each}": collection for each, collection in make().items()}
            test_preferences.load(warehouse, Path(folder), form, sets)


def load_tied_preferences(warehouse: Warehouse) -> None:
    with TemporaryDirectory() as folder:
        for name, one in test_preferences.TIES.items():
            if one.measures == "preferences":
                test_preferences.load(warehouse, Path(folder), one.form, {name: one.collection})


DATA: Mapping[str, Callable[[], Warehouse]] = {
    "golden": golden,
    "tied": loaded_by(of_collection("tied", lambda: Collection(*tied.tied_collection()))),
    "random": random_ones,
    "weighted": loaded_by(test_tap.load_weighted),
    "lists": loaded_by(test_tap.load_lists),
    "short": loaded_by(of_collection("short", lambda: test_user_models.short("short"))),
    "two": loaded_by(of_collection("two", lambda: test_user_models.short("two"))),
    "subtopics": loaded_by(load_subtopics),
    "preferred": loaded_by(partial(load_preferences, names=("preferences", "groups"))),
    "great": loaded_by(of_collection("great", test_user_models.great_grades)),
    "judged anew": loaded_by(test_plain_loops.load_judged_anew),
    "numbered": loaded_by(test_plain_loops.load_numbered),
    "numbered apart": loaded_by(test_plain_loops.load_numbered_apart),
    "below 0": loaded_by(partial(load_preferences, names=("below 0",))),
    "tied preferences": loaded_by(load_tied_preferences),
}


@cache
def opened(data: str) -> Warehouse:
    """The data of that name, loaded once for the folder that EVALSQL_TEST_CACHE names."""
    path = made_once(f"mutation-{data}.duckdb", lambda path: _make(data, path))
    warehouse = evalsql.open(path, read_only=True)
    warehouse.execute("set threads = 1")
    return warehouse


def _make(data: str, path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", evalsql.InputWarning)
        with DATA[data]() as warehouse:
            made = warehouse.path
    shutil.copy(made, path)


@cache
def cases() -> Mapping[str, list[tuple[str, Measure, float]]]:
    """By relation of a measure the data, the measure with its arguments and the tolerance of each comparison."""
    found: dict[str, dict[tuple[str, str], tuple[str, Measure, float]]] = {}
    for data, measure, within in _cases():
        found.setdefault(measure.relation.name, {}).setdefault((data, measure.call), (data, measure, within))
    return {name: list(each.values()) for name, each in found.items()}


def _cases() -> Iterator[tuple[str, Measure, float]]:
    yield from _printed()
    yield from _tied()
    yield from _on_random_collections()
    yield from _on_made_collections()


def _printed() -> Iterator[tuple[str, Measure, float]]:
    """Values of ``fixtures`` and of the headers' examples."""
    for table in sorted(FIXTURES.glob("*/expected*.tsv")):
        with table.open(newline="") as stream:
            for row in csv.DictReader(stream, delimiter="\t"):
                if row["column"] == "value":
                    yield from _named("golden", [row["measure"]], tolerance(row["expected"]))
    for relation in CATALOG.measures:
        for example in relation.header.examples:
            match = re.fullmatch(r"\S+ (\S+) = (\S+)", example)
            assert match is not None
            yield from _named("golden", [match[1]], tolerance(match[2]))


def _tied() -> Iterator[tuple[str, Measure, float]]:
    """Values under every order of tied documents."""
    for name in [*test_ties.PEERS, *test_ties.PLAIN]:
        for measure in parse_measures([name], CATALOG):
            for variant in tie_variants(measure).values():
                yield "tied", variant, EXACT
    unknown = [*(f"INST(t={t})" for t in test_ties.GOALS), f"GAP(gains='{test_ties.FALLING}')"]
    for measure in parse_measures(unknown, CATALOG):
        for variant in tie_variants(measure).values():
            yield "tied", variant, EXACT
    for name in brute_force_preferences.TIED["preferences"]:
        for variant in tie_variants(parse_measures([name], CATALOG)[0]).values():
            yield "tied preferences", variant, EXACT


def _on_random_collections() -> Iterator[tuple[str, Measure, float]]:
    """Values on the collections that most tests take."""
    yield from _named("random", [*peers.at_level(1), *peers.at_level(2), *plain_measures.MEASURES], EXACT)
    yield from _named("random", [f"ESL(wanted={wanted})" for wanted in (1, 2, 4)], EXACT)
    for relation in test_judged_only.TAKING:
        for measure in test_judged_only.variants(relation):
            arguments = {**measure.arguments, "judged_only": True}
            yield "random", Measure(relation, arguments), EXACT
    for relation in test_levels.TAKING:
        defaults = {parameter.name: parameter.default for parameter in relation.parameters}
        yield "random", Measure(relation, {**defaults, "rel": 2}), EXACT
    uncut = ["Success(k=null)", "FPR(nonrelevant='judged',k=null)", "Specificity(k=null)"]
    yield from _named("random", uncut, EXACT)
    for name, forms in test_ir_measures.SPELLINGS.items():
        yield from _named("random", [form.format(name) for form in forms], EXACT)
    for k in (1, 2, 5):
        yield from _named("random", [f"TAP(quantile={quantile})@{k}" for quantile in (0.5, 0.7, 1.0)], EXACT)


def _on_made_collections() -> Iterator[tuple[str, Measure, float]]:
    """Values on collections that were made for some measures."""
    yield from _named("subtopics", list(test_diversity.COLUMNS), EXACT)
    yield from _named("great", list(test_user_models.GREAT), EXACT)
    yield from _named("judged anew", list(plain_measures.USER_MODELS), EXACT)
    for apart in ("numbered", "numbered apart"):
        yield from _named(apart, list(test_plain_loops.OF_SUBTOPICS), EXACT)
    for options in test_tap.OPTIONS:
        yield "weighted", test_tap.measure({"reward_silence": True, **options}), EXACT
    for options in test_tap.OPTIONS_OF_LISTS:
        yield "lists", test_tap.measure(options), EXACT
    for data in ("short", "two"):
        yield from _named(data, list(test_user_models.SHORT), EXACT)
    for rel, alpha, judged_only in ((1, 0.5, False), (1, 0.0, True), (2, 0.5, True), (1, 1.0, False), (2, 0.9, False)):
        names = [name for name, _ in test_diversity.plain_measures(rel, alpha, judged_only)]
        yield from _named("subtopics", names, EXACT)
    for data in ("preferred", "below 0"):
        yield from _named(data, list(brute_force_preferences.PREFERENCES), EXACT)
    for given in ("rel=1,judged_only=false", "rel=2,judged_only=true"):
        names = [f"AP_groups({given})", *(f"P_groups({given})@{k}" for k in (1, 4, 50))]
        yield from _named("preferred", [*names, *(f"Rprec_groups({given})@{x}" for x in (0.1, 0.4, 1.0, 1.7))], EXACT)


def _named(data: str, names: list[str], within: float) -> Iterator[tuple[str, Measure, float]]:
    for measure in parse_measures(names, CATALOG):
        yield data, measure, within


def values(warehouse: Warehouse, measure: Measure) -> Values:
    """The values of a measure, and of columns that tests compare, by judgment set, run, topic and column.

    A row that comes twice has a key of its own.
    """
    beside = (*COLUMNS.get(measure.relation.name, ()), *COLUMNS_OF_CALLS.get(measure.call, ()))
    columns = ("value", *dict.fromkeys(beside))
    found: Values = {}
    for qrels, run, topic, *numbers in warehouse.rows(
        f"select qrels, run, topic, {', '.join(columns)} from {measure.call}"
    ):
        for column, number in zip(columns, numbers, strict=True):
            place = (qrels, run, topic, column)
            found[(*place, "again") if place in found else place] = number
    return found


def differ(one: Values, other: Values, within: float) -> bool:
    """Whether a comparison with the one would notice the other."""
    if one.keys() != other.keys():
        return True
    pairs = ((value, other[key]) for key, value in one.items())
    return any(a is None or b is None or not abs(a - b) <= within for a, b in pairs if a != b)
