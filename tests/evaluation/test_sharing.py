"""Figures are the same together and alone, and what is told is so in whatever order the engine gives rows."""

import re
import shlex
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from evalsql import UsageError, Warehouse
from evalsql.catalog.measure_names import default_measure, parse_measures
from evalsql.database.database import Database
from evalsql.errors import QueryError
from evalsql.evaluation import shared_steps
from evalsql.evaluation.evaluation import Evaluation
from evalsql.evaluation.listings import wide_query
from tests.conftest import Command, module_warehouse
from tests.long_cases import few_of
from tests.random_collections import load_each

EXACT = 1e-12
OTHERS = (
    *("AP(rel=2)", "P(ties=worst)@5", "AP(ties=expected)", "nDCG(dcg='exp-log2')@10"),
    *("R(judged_only=true)@20", "RBP(p=0.5,rel=2)"),
)


loaded = module_warehouse(partial(load_each, count=3))


def held(warehouse: Warehouse) -> Counter[str]:
    """Names of what lives with the connection."""
    rows = warehouse.rows("""
        select table_name from duckdb_tables() where temporary
        union all select view_name from duckdb_views() where temporary and not internal
        union all select function_name from duckdb_functions() where database_name = 'temp' and not internal
    """)
    return Counter(name for (name,) in rows)


@pytest.mark.long
def test_values_are_those_of_each_measure_alone(loaded: Warehouse) -> None:
    measures = [*map(default_measure, loaded.catalog.measures), *parse_measures(OTHERS, loaded.catalog)]
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


def test_a_board_of_many_measures_holds_a_mean_of_each_and_no_topic(
    loaded: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    measures = ["AP", "P@5", "P@10", "nDCG@10", "RR", "Judged@10"]
    assert len(measures) >= shared_steps.FEWEST
    kept, numbers = Evaluation.keep, []

    def counted(self: Evaluation, query: str, *after: str) -> str:
        numbers.append(loaded.rows("select count(*), count(topic) from temp.evalsql_means"))
        return kept(self, query, *after)

    monkeypatch.setattr(Evaluation, "keep", counted)
    board = loaded.evaluate(measures).fetchall()
    assert numbers == [[(len(board) * len(measures), 0)]]
    values: dict[tuple[str, str, str], list[float]] = {}
    for qrels, run, _, measure, value in loaded.evaluate(measures, per_topic=True).fetchall():
        values.setdefault((qrels, run, measure), []).append(value)
    means = {(qrels, run, name): mean for qrels, run, *of in board for name, mean in zip(measures, of, strict=True)}
    assert means == pytest.approx({key: fmean(each) for key, each in values.items()}, abs=EXACT)


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
    with pytest.raises(QueryError), shared_steps.kept(loaded.database, loaded.catalog, steps, lambda query: query):
        loaded.rows("from no_such_measure()")
    assert held(loaded) == before  # also when a measure fails
    assert loaded.rows("select count(*) from steps.topic_counts(rel := 2)")


def test_a_measure_shares_only_steps_it_takes_at_their_defaults(loaded: Warehouse) -> None:
    measures = parse_measures(["AP", "AP(rel=2)", "P(ties=best)@5", "nDCG@10", "Judged@10"], loaded.catalog)
    plan = shared_steps.planned(loaded.catalog, measures)
    assert plan.measures == {"AP", "nDCG@10", "Judged@10"}
    assert {step.name for step in plan.steps} >= {"topic_counts", "gains_by_rank", "evaluated_topics"}


_ORDERED = re.compile(r"\border by\b|^\s*(describe|call|pragma)\b", re.IGNORECASE)


@pytest.fixture
def backwards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Queries without any ORDER BY give their rows the other way round."""
    table = Database.table

    def turned(self: Database, sql: str, parameters: Sequence[object] = ()) -> tuple[list[str], list[tuple[Any, ...]]]:
        columns, found = table(self, sql, parameters)
        return columns, found if _ORDERED.search(sql) else found[::-1]

    monkeypatch.setattr(Database, "table", turned)  # rows come by it


COMMANDS = (
    "gate bm25 --baseline dense --rule 'AP drop <= 0'",
    "report -m AP,RR --output report.json",
    "diff bm25 dense --documents",
    "report -m AP,RR --output report.html",
)


@pytest.mark.parametrize("words", few_of(COMMANDS, 1))
def test_a_command_says_the_same_whatever_the_order(
    demo: Command, tmp_path: Path, words: str, request: pytest.FixtureRequest
) -> None:
    def said() -> list[object]:
        answer = demo(*shlex.split(words))
        files = {path.name: path.read_text() for path in tmp_path.iterdir() if path.suffix != ".duckdb"}
        return [answer.returncode, answer.stdout, answer.stderr, files]

    expected = said()
    request.getfixturevalue("backwards")
    assert said() == expected


def test_pairs_that_hang_on_ties_are_in_order_where_means_are_equal(empty: Warehouse) -> None:
    """Of twins each was on top now and then."""
    empty.load_qrels({"t": {"a": 1}}, "set")
    for name in "fbdace":
        empty.load_run({"t": {"a": 1.0, "0": 1.0} if name in "bdf" else {"a": 1.0, "z": 1.0}}, name)
    _, swaps = empty.ties("RR")
    pairs = [(row[2], row[5]) for row in swaps.fetchall()]
    assert pairs == sorted(pairs) != []


def test_the_first_name_that_cannot_be_a_column_is_told(empty: Warehouse) -> None:
    empty.load_qrels({"t": {"a": 1}}, "set")
    for names, first in ((["topic", "qrels", "measure"], "measure"), (["Topic"], "topic")):
        for name in names:
            empty.load_run({"t": {"a": 1.0}}, name)
        with pytest.raises(UsageError, match=f'a run is called "{first}" as a column of the table is'):
            wide_query(empty.evaluation, ["AP"], qrels=(), runs=names)
