"""Names of measures, read and written: ``names.tsv`` has names with what is read, ``refused_names.tsv`` complaints."""

from pathlib import Path

import pytest

from evalsql.catalog.measure_names import default_measure, parse_measures
from evalsql.catalog.queries import grouped
from evalsql.catalog.relations import read_catalog
from evalsql.errors import UsageError
from tests.long_cases import rows_of

pytestmark = pytest.mark.fast

CATALOG, HERE = read_catalog(), Path(__file__).parent


@pytest.mark.parametrize(("text", "names", "calls"), rows_of(HERE / "names.tsv"))
def test_names_are_read_in_both_grammars(text: str, names: str, calls: str) -> None:
    measures = parse_measures([text], CATALOG)
    assert " ".join(measure.name for measure in measures) == names
    assert "; ".join(measure.call for measure in measures) == calls
    assert " ".join(measure.name for measure in parse_measures(names.split(), CATALOG)) == names


def test_every_default_name_reads_back() -> None:
    for relation in CATALOG.measures:
        measure = default_measure(relation)
        assert parse_measures([measure.name], CATALOG) == [measure]


def test_a_measure_named_twice_is_one() -> None:
    assert [measure.name for measure in parse_measures(["AP", "map", "MAP"], CATALOG)] == ["AP"]


def test_measures_that_differ_in_a_cutoff_are_one_call() -> None:
    named = parse_measures(["P@5", "P(rel=2)@5", "P@10", "AP"], CATALOG)
    calls = [measure.call for _, measure in grouped(CATALOG, [(each.name, each) for each in named])]
    assert calls == ["p(k := [5, 10])", "p(k := 5, rel := 2)", "ap()"]


@pytest.mark.parametrize(
    ("text", "complaint"), [*rows_of(HERE / "refused_names.tsv"), ("P@" + "1" * 5000, "but must be a whole number")]
)
def test_what_does_not_fit_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        parse_measures([text], CATALOG)


def test_all_names_that_do_not_fit_are_told_at_once() -> None:
    with pytest.raises(UsageError) as caught:
        parse_measures(["AP", "nDGC@10 P@0", "foo"], CATALOG)
    assert str(caught.value).count("\n") == 2


def test_names_of_trec_eval_differ_by_more_than_case() -> None:
    """Other names the catalogue refuses itself, where two measures share one."""
    names = [alias.name.lower() for relation in CATALOG.measures for alias in relation.header.trec_eval]
    assert len(names) == len(set(names))
