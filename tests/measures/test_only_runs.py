"""The session variable only_runs: measures give the rows of the runs that it names, and read those of no other."""

import json
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import duckdb
import pytest

from evalsql import Warehouse
from evalsql.catalog.measure_names import default_measure, tie_variants
from evalsql.catalog.relations import read_catalog
from evalsql.errors import QueryError
from tests.conftest import Command, assert_refused, module_warehouse
from tests.long_cases import one_in
from tests.random_collections import load_each

# Those of what no run here has are tested where some do.
ELSEWHERE = ("costs", "nuggets", "citations")
MEASURES = [default_measure(relation) for relation in read_catalog().measures if relation.family not in ELSEWHERE]
DEFAULTS = [each.call for each in MEASURES]
UNDER_TIES = [variant.call for each in MEASURES for variant in tie_variants(each).values()]
JUDGED_ONLY = [f"{each.relation.name}(judged_only := true)" for each in MEASURES if "judged_only" in each.arguments]
LARGE = ("judged_ranks", "retrieved", "evaluations")


at_random = module_warehouse(partial(load_each, count=4))


@pytest.fixture
def asked(sample: Warehouse) -> Iterator[Warehouse]:
    yield sample
    sample.connection.execute("reset variable only_runs")


@pytest.mark.parametrize("call", [*one_in(12, DEFAULTS), *one_in(48, [*UNDER_TIES, *JUDGED_ONLY])])
def test_rows_are_those_of_the_runs_it_names(sample: Warehouse, at_random: Warehouse, call: str) -> None:
    for warehouse, named in ((sample, ["dense", "bm25"]), (at_random, ["system 1", "system 3"])):
        among_all = [row for row in warehouse.rows(f"from {call} order by all") if row[1] in named]
        assert len({run for _, run, *_ in among_all}) == 2
        warehouse.connection.execute(f"set variable only_runs = {named}")
        try:
            alone = warehouse.rows(f"from {call} order by all")
        finally:
            warehouse.connection.execute("reset variable only_runs")
        assert [row[:3] for row in alone] == [row[:3] for row in among_all]
        for row, expected in zip(alone, among_all, strict=True):
            assert row[3:] == pytest.approx(expected[3:], abs=1e-12)


def taken(warehouse: Warehouse, query: str) -> list[tuple[str, int]]:
    """The tables that a query reads, and the rows it takes from each."""
    ((_, plan),) = warehouse.rows(f"explain (analyze, format json) {query}")
    found, pending = [], [json.loads(plan)]
    while pending:
        node = pending.pop()
        pending.extend(node if isinstance(node, list) else node.get("children", []))
        for part in ("operator", "extra_info") if isinstance(node, dict) else ():
            inside = node.get(part)
            if part == "operator" and inside:
                pending.append(inside)
            elif isinstance(inside, dict) and "Table" in inside:
                rows = node.get("operator_cardinality", node.get("intermediate_rows"))
                found.append((inside["Table"].rsplit(".", 1)[-1], rows))
    return found


@pytest.mark.parametrize("call", one_in(3, DEFAULTS))
def test_no_more_is_read_than_of_the_run_it_names(asked: Warehouse, call: str) -> None:
    of_run = "from {} where run_id = (select run_id from runs where run = 'dense')"
    most = {name: len(asked.rows(of_run.format(name))) for name in ("retrieved", "evaluations")}
    judged = "select count(*) from judged_ranks join evaluations using (evaluation_id) join runs using (run_id)"
    most["judged_ranks"] = asked.rows(f"{judged} where run = 'dense'")[0][0]
    asked.connection.execute("set variable only_runs = ['dense']")
    read = [(table, rows) for table, rows in taken(asked, f"from {call}") if table in LARGE]
    assert read
    assert [each for each in read if each[1] > most[each[0]]] == []


def test_names_that_no_run_has_are_an_error_and_no_names_no_rows(asked: Warehouse) -> None:
    asked.connection.execute("set variable only_runs = ['dense', 'nosuch']")
    for relation in ("ap", "num_rel", "summary"):
        with pytest.raises(QueryError, match="only_runs names nosuch, and no run is called so"):
            asked.rows(f"from {relation}")
    asked.connection.execute("set variable only_runs = array(select run from runs where run glob 'x*')")
    assert asked.rows("from ap") == []
    asked.connection.execute("set variable only_runs = array(select run from runs where run glob 'bm25*')")
    assert {run for run, *_ in asked.rows("select distinct run from summary")} == {"bm25", "bm25-rm3"}


@pytest.mark.long
def test_it_is_the_session_s_own_and_any_client_has_it(tmp_path: Path, sample_file: Path, demo: Command) -> None:
    found = demo("sql", "set variable only_runs = ['dense']; select distinct run from scores", "--format", "csv")
    assert found.stdout.split() == ["run", "dense"]
    assert_refused(demo("sql", "set threads = 1"), "SET is not allowed here")
    pivot = "pivot (from p(k := [5, 10])) on k {} using avg(value) group by run"
    for asked in (pivot.format(""), "explain pivot runs on run"):
        assert_refused(demo("sql", asked), "a PIVOT has its columns named here, as in PIVOT ... ON k IN (5, 10)")
    assert demo("sql", pivot.format("in (5, 10)"), "--format", "csv").stdout.startswith("run,5,10\n")
    file = shutil.copy(sample_file, tmp_path / "held.duckdb")
    with duckdb.connect(file, read_only=True) as client, client.cursor() as other:
        client.execute("set variable only_runs = ['dense']")
        assert client.execute("select distinct run from ap").fetchall() == [("dense",)]
        assert other.execute("select count(distinct run) from ap").fetchall() == [(8,)]
