"""What the tests compare with something independent: the measures they ask for, and the data they ask on.

The names come from the tables of the tests themselves, so that a case that is taken out there is missing here too.
A value that the tests compare, within the same tolerance, must change for a mutant to be caught.
"""

import csv
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial

import evalsql
from evalsql import Warehouse
from evalsql.catalog.measure_names import Measure, parse_measures, tie_variants
from evalsql.catalog.relations import read_catalog
from tests.conftest import FIXTURES, loaded_once
from tests.measures import (
    conftest,
    plain_measures,
    test_diversity,
    test_golden,
    test_ir_measures,
    test_levels,
    test_plain_loops,
    test_preferences,
    test_samples,
    test_spans,
    test_tap,
    test_ties,
    test_user_models,
    tied,
)
from tests.measures.topic_values import judged_only
from tests.oracles import peers

CATALOG = read_catalog()
EXACT = 1e-9
# What tests compare beside the value.
COLUMNS = {
    "tap": ("threshold", "num_kept", "reached", "weight"),
    "break_even": ("rank",),
    "max_f": ("rank",),
    **dict.fromkeys(
        ("nerr8", "nerr9", "nerr10", "nerr11", "bpm", "ift", "inst"), ("expected_items", "expected_total_utility")
    ),
    "nerr": ("err", "ideal_err"),
    "compat": ("num_ideal",),
    "accuracy": ("num_pairs",),
    "ndcg": ("dcg", "idcg"),
    "alpha_ndcg": ("dcg", "idcg"),
    "p_plus": ("preferred_rank",),
    "xinfap": ("num_rel",),
    "statap": ("num_rel", "standard_error"),
    "infndcg": ("dcg", "idcg"),
    "statndcg": ("dcg", "idcg", "standard_error"),
    "st_recall": ("num_found", "num_subtopics"),
}
Values = dict[tuple[str, ...], float | None]

DATA: Mapping[str, Callable[[Warehouse], None]] = {
    "golden": test_golden.load_golden,
    "tied": tied.load_tied,
    "random": partial(conftest.load_sets, size="few"),
    "weighted": test_tap.load_weighted,
    "lists": test_tap.load_lists,
    **{name: partial(test_user_models.load, one=one) for name, (one, _) in test_user_models.MADE.items()},
    "subtopics": test_diversity.load_all,
    "preferred": test_preferences.load_random,
    "sampled": test_samples.load_samples,
    "spanned": test_spans.load_all,
    "judged anew": test_plain_loops.load_judged_anew,
    "numbered": test_plain_loops.load_numbered,
    "numbered apart": test_plain_loops.load_numbered_apart,
    "tied preferences": partial(test_preferences.load, sets=test_preferences.TIES),
}


@cache
def opened(data: str) -> Warehouse:
    """The data of that name, loaded once for the folder that EVALSQL_TEST_CACHE names."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", evalsql.InputWarning)
        path = loaded_once(f"mutation-{data}.duckdb", DATA[data])
    warehouse = evalsql.open(path, read_only=True)
    warehouse.execute("set threads = 1")
    return warehouse


@cache
def cases() -> Mapping[str, list[tuple[str, Measure, float]]]:
    """By relation of a measure the data, the measure with its arguments and the tolerance of each comparison."""
    found: dict[str, dict[tuple[str, str], tuple[str, Measure, float]]] = {}
    for data, measure, within in _cases():
        found.setdefault(measure.relation.name, {}).setdefault((data, measure.call), (data, measure, within))
    return {name: list(each.values()) for name, each in found.items()}


def _cases() -> Iterator[tuple[str, Measure, float]]:
    yield from _printed()
    yield from _of_made_measures()
    for data, names in _names():
        for measure in parse_measures(names, CATALOG):
            yield data, measure, EXACT


def _printed() -> Iterator[tuple[str, Measure, float]]:
    """Values of ``fixtures`` and of the headers' examples."""
    printed: list[tuple[str, str]] = []
    for table in sorted(FIXTURES.glob("*/expected*.tsv")):
        with table.open(newline="") as stream:
            rows = csv.DictReader(stream, delimiter="\t")
            printed += [(row["measure"], row["expected"]) for row in rows if row["column"] == "value"]
    for example in (example for relation in CATALOG.measures for example in relation.header.examples):
        match = re.fullmatch(r"\S+ (\S+) = (\S+)", example)
        assert match is not None
        printed.append((match[1], match[2]))
    for name, value in printed:
        yield "golden", parse_measures([name], CATALOG)[0], test_golden.tolerance(value)


def _of_made_measures() -> Iterator[tuple[str, Measure, float]]:
    """Every order of ties of the names that are tried in all, and arguments that tests put together."""
    unknown = [*(f"INST(t={t})" for t in test_ties.GOALS), f"GAP(gains={test_ties.FALLING_GAINS})"]
    for data, names in (
        ("tied", [*test_ties.PEERS, *of_judged(test_ties.PEERS), *plain_measures.TIED, *unknown]),
        ("tied preferences", test_preferences.TIED_MEASURES),
    ):
        for measure in parse_measures(names, CATALOG):
            for variant in tie_variants(measure).values():
                yield data, variant, EXACT
    for relation in test_levels.TAKING:
        defaults = {parameter.name: parameter.default for parameter in relation.parameters}
        yield "random", Measure(relation, {**defaults, "rel": 2}), EXACT


def _names() -> Iterator[tuple[str, Iterable[str]]]:
    """Names of measures by the data on which tests ask for them."""
    by_trec_eval = [*peers.at_level(1), *peers.at_level(2)]
    yield "random", [*by_trec_eval, *of_judged(by_trec_eval), *plain_measures.MEASURES]
    yield "random", [f"ESL(wanted={wanted})" for wanted in (1, 2, 4)]
    yield "random", ["Success(k=null)", "FPR(nonrelevant='judged',k=null)", "Specificity(k=null)"]
    yield "random", [name for measure in test_ir_measures.SPELLINGS for name in test_ir_measures.spelled(measure)]
    yield "random", [f"TAP(quantile={quantile})@{k}" for k in (1, 2, 5) for quantile in (0.5, 0.7, 1.0)]
    for data, (_, names) in test_user_models.MADE.items():
        yield data, names
    yield "weighted", [test_tap.rewarding_silence(name) for name in test_tap.NAMES]
    yield "lists", test_tap.NAMES_OF_LISTS
    yield "judged anew", plain_measures.USER_MODELS
    for data in ("numbered", "numbered apart"):
        yield data, test_plain_loops.OF_SUBTOPICS
    for rel, alpha, only in ((1, 0.5, False), (1, 0.0, True), (2, 0.5, True), (1, 1.0, False), (2, 0.9, False)):
        yield "subtopics", test_diversity.names_of_measures(rel, alpha, judged_only=only)
    yield "subtopics", ["alpha_nDCG(alpha=0.3)@4", "StRecall(rel=2)@5"]
    yield "sampled", test_samples.CALLS
    yield "spanned", test_spans.NAMES
    yield "preferred", ["NumPrefs", *test_preferences.TIED_MEASURES, *test_preferences.OF_GROUPS]


def of_judged(names: Iterable[str]) -> list[str]:
    return [name for name in map(judged_only, names) if name]


def values(warehouse: Warehouse, measure: Measure) -> Values:
    """The values of a measure, and of columns that tests compare, by judgment set, run, topic and column.

    A row that comes twice has a key of its own.
    """
    columns = ("value", *COLUMNS.get(measure.relation.name, ()))
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
