"""A cutoff or level may be a list: a measure then has, for each value, the rows that it has for it alone."""

import pytest

from evalsql import Warehouse
from evalsql.catalog.measure_names import default_measure, tie_variants
from evalsql.catalog.relations import read_catalog
from evalsql.errors import QueryError
from evalsql.literals import literal
from tests.conftest import module_warehouse
from tests.long_cases import one_in
from tests.measures import test_spans
from tests.random_collections import together

CATALOG = read_catalog()
VALUES = {"k": (1, 3, 7, 10, 1000), "recall": (0, 0.1, 0.55, 1), "multiple": (0.2, 1.0, 2.5), "n": (1, 3, 30)}
TAKING = [each for each in CATALOG.measures if CATALOG.list_parameter(each)]
ORDERS = [(each.name, ties) for each in TAKING for ties in ("", *tie_variants(default_measure(each)))]


def load(warehouse: Warehouse) -> None:
    one = together(range(12))
    warehouse.load_qrels(one.qrels, "judged")
    warehouse.load_run(one.run, "system")
    test_spans.load_all(warehouse)


loaded = module_warehouse(load)


@pytest.mark.parametrize(("name", "ties"), one_in(27, ORDERS))
def test_each_value_of_a_list_has_the_rows_that_it_has_alone(loaded: Warehouse, name: str, ties: str) -> None:
    listing = CATALOG.list_parameter(CATALOG[name])
    (parameter,) = (each for each in CATALOG[name].parameters if each.name == listing)
    values: list[float | None] = [each for each in VALUES[listing] if each >= 2 or "[2" not in (parameter.domain or "")]
    values += [None] * parameter.nullable
    order = f", ties := '{ties}'" if ties else ""
    listed = loaded.rows(f"from {name}({listing} := {literal([*values, values[0]])}{order})")
    alone = [
        (*row[:3], value, *row[3:])
        for value in values
        for row in loaded.rows(f"from {name}({listing} := {literal(value)}{order})")
    ]
    found = {row[:4]: row[4:] for row in listed}
    assert len(found) == len(listed) == len(alone)
    for row in alone:
        assert found[row[:4]] == pytest.approx(row[4:], abs=1e-12)
    assert len({row[4] for row in listed}) > 1


def test_one_value_has_the_columns_of_the_view_and_a_list_one_more(loaded: Warehouse) -> None:
    for relation in TAKING:
        listing = CATALOG.list_parameter(relation)
        value = VALUES[listing][-1]
        view, alone, listed = (
            [column for column, *_ in loaded.rows(f"describe from {asked}")]
            for asked in (relation.name, *(f"{relation.name}({listing} := {each})" for each in (value, [value])))
        )
        assert view == alone, relation.name
        assert listed == [*view[:3], listing, *view[3:]], relation.name


@pytest.mark.long
def test_all_at_cutoffs_are_the_measures(loaded: Warehouse) -> None:
    for call, column in (
        *((f"{name}(k := {{}})", name) for name in ("p", "r", "ap", "ndcg", "success")),
        ("p(relative := true, k := {})", "relative_p"),
    ):
        for given in ("[1, 3, 10, 1000]", "null"):
            pairs = loaded.rows(
                f"select one.value, every.{column} from {call.format(given)} as one "
                f"join at_cutoffs(k := {given}) as every using (qrels, run, topic{', k' * given.startswith('[')})"
            )
            assert len(pairs) == len(loaded.rows(f"from at_cutoffs(k := {given})"))
            assert [value for value, _ in pairs] == pytest.approx([every for _, every in pairs], abs=1e-12)
            assert len({value for value, _ in pairs}) > 1


@pytest.mark.parametrize("query", ["from (values (5)) as t (c), p(k := t.c)", "from p(k := (select 5))"])
def test_who_gives_a_column_or_a_query_is_told_what_to_give(loaded: Warehouse, query: str) -> None:
    with pytest.raises(QueryError, match=r"a list: from p\(k := \[5, 10\]\)"):
        loaded.rows(query)
    loaded.connection.execute("set variable ks = (select list(t.c) from (values (5), (7)) as t (c))")
    assert {k for (k,) in loaded.rows("select k from p(k := getvariable('ks'))")} == {5, 7}
