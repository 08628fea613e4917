"""Measures evaluated together, with the steps they share kept, have the values that each has alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from evalsql import Warehouse
from evalsql.catalog.measure_names import Measure, default_measure, parse_measures
from evalsql.errors import QueryError
from evalsql.evaluation import shared_steps
from tests.conftest import new_warehouse
from tests.random_collections import collection

EXACT = 1e-12
OTHERS = (
    "AP(rel=2)",
    "P(ties=worst)@5",
    "AP(ties=expected)",
    "nDCG(dcg='exp-log2')@10",
    "R(judged_only=true)@20",
    "RBP(p=0.5,rel=2)",
)


@pytest.fixture(scope="module")
def loaded() -> Iterator[Warehouse]:
    with new_warehouse() as warehouse:
        for seed in range(3):
            one = collection(seed)
            warehouse.load_qrels(one.qrels, f"judged {seed}")
            warehouse.load_run(one.run, f"system {seed}", qrels="*")
        yield warehouse


def every_measure(warehouse: Warehouse) -> list[Measure]:
    return [*map(default_measure, warehouse.catalog.measures), *parse_measures(OTHERS, warehouse.catalog)]


def held(warehouse: Warehouse) -> Counter[str]:
    """Names of what lives with the connection."""
    return Counter(
        name
        for (name,) in warehouse.rows("""
            select table_name from duckdb_tables() where temporary
            union all select view_name from duckdb_views() where temporary and not internal
            union all select function_name from duckdb_functions() where database_name = 'temp' and not internal
        """)
    )


def test_values_are_those_of_each_measure_alone(loaded: Warehouse) -> None:
    measures = every_measure(loaded)
    plan = shared_steps.planned(loaded.catalog, measures)
    assert len(plan.measures) >= len(measures) / 3
    before = held(loaded)
    loaded.evaluation.fill_scores("together", [(measure.name, measure) for measure in measures])
    together = {(m, q, r, t): v for q, r, t, m, v in loaded.rows("from together")}
    for measure in measures:
        alone = {
            (measure.name, *key): value
            for *key, value in loaded.rows(f"select qrels, run, topic, value from {measure.call}")
        }
        assert {key: together.pop(key) for key in alone} == pytest.approx(alone, abs=EXACT, nan_ok=False), measure.name
    assert not together
    loaded.execute("drop table together")
    assert held(loaded) == before


def test_other_arguments_never_read_what_is_kept_for_the_defaults(loaded: Warehouse) -> None:
    steps = [loaded.catalog[name] for name in ("topic_counts", "evaluated_topics")]
    before = held(loaded)
    with shared_steps.kept(loaded.database, loaded.catalog, steps, lambda query: query):
        assert held(loaded) - before == Counter(
            ["evalsql_topic_counts", "evalsql_evaluated_topics", "topic_counts", "evaluated_topics"]
        )
        assert loaded.rows("select count(*) from temp.topic_counts()") == loaded.rows(
            "select count(*) from steps.topic_counts()"
        )
        with pytest.raises(QueryError, match="topic_counts is kept for its defaults only"):
            loaded.rows("from temp.topic_counts(rel := 2)")
    assert held(loaded) == before
    assert loaded.rows("select count(*) from steps.topic_counts(rel := 2)")


def test_what_is_kept_goes_when_a_measure_fails(loaded: Warehouse) -> None:
    before = held(loaded)
    with (
        pytest.raises(QueryError),
        shared_steps.kept(loaded.database, loaded.catalog, [loaded.catalog["topic_counts"]], lambda query: query),
    ):
        loaded.rows("from no_such_measure()")
    assert held(loaded) == before


def test_a_measure_shares_only_steps_it_takes_at_their_defaults(loaded: Warehouse) -> None:
    measures = parse_measures(["AP", "AP(rel=2)", "P(ties=best)@5", "nDCG@10", "Judged@10"], loaded.catalog)
    plan = shared_steps.planned(loaded.catalog, measures)
    assert plan.measures == {"AP", "nDCG@10", "Judged@10"}
    assert {step.name for step in plan.steps} >= {"topic_counts", "gains_by_rank", "evaluated_topics"}
