"""Relations that tell of runs, loads and cuts, beside what is worked out by hand or by plain loops."""

import pytest

import evalsql
from evalsql import Warehouse
from evalsql.literals import rows_query
from tests.conftest import warned
from tests.long_cases import few_of

# Name, system, collection and date, in the order of loading.
LOADS = [
    *(("a1", "a", "c", "2026-01-01"), ("b1", "b", "c", "2026-01-02"), ("a3", "a", "c", "2026-01-05")),
    *(("a2", "a", "c", "2026-01-03"), ("x1", "a", "x", "2026-01-04"), ("n1", None, "c", "2026-01-03")),
    *(("a4", "a", "c", "2026-01-05"), ("n2", None, "c", "2026-01-06")),
]


@pytest.fixture
def loads(empty: Warehouse) -> Warehouse:
    for run, system, collection, date in LOADS:
        meta = {"collection": collection, "date": date} | ({"system": system} if system else {})
        empty.load_run({"1": {"d": 1.0}}, run, meta=meta)
    return empty


def test_each_run_knows_the_load_just_after_it(loads: Warehouse) -> None:
    """Of the same system and collection; of loads of one date the later one in the file."""
    query = loads.database.query("run_places", {"chosen": "select run_id from runs"})
    by_date = sorted(LOADS, key=lambda load: load[3])
    expected = {}
    for run, system, collection, _ in LOADS:
        alike = [each[0] for each in by_date if each[1:3] == (system, collection)]
        after = alike[alike.index(run) + 1 :]
        expected[run] = (len(after) + 1, after[0] if system and after else None)
    found = loads.rows(f"select run, place, later_run from ({query})")
    assert {run: tuple(rest) for run, *rest in found} == expected


@pytest.mark.parametrize(
    ("before", "expected"),
    few_of([("a4", "a3 a2 a1"), ("n2", "a4 a3 a2 n1 b1 a1"), (None, "all"), ("a2", "a1"), ("x1", ""), ("b1", "")], 3),
)
def test_runs_before_another_are_of_its_system_and_collection(
    loads: Warehouse, before: str | None, expected: str
) -> None:
    query = loads.database.query("run_places", {"chosen": "select run_id from runs"}, before=before)
    found = [run for (run,) in loads.rows(f"select run from ({query})")]
    assert sorted(found) == sorted(expected.split() if before else [load[0] for load in LOADS])


def test_what_rankings_hold_is_counted(empty: Warehouse) -> None:
    empty.load_qrels({"1": {"a": 1}, "2": {"a": 1, "b": 0}, "3": {"c": 2}}, "set")
    empty.load_run({"2": {"a": 3.0, "b": 2.0, "z": 1.0}, "3": {"a": 1.0}, "9": {"a": 1.0}}, "run")
    (counts,) = empty.database.records(empty.database.query("ranking_counts"))
    assert counts == ("run", 5, 3, 1, 1, 2, 0)


def test_what_is_said_of_corrected_means(empty: Warehouse) -> None:
    columns = "num_topics, num_judged, note"
    few, surer, alone = "few topics", "people alone are surer", "no other topics"
    first = "{} topics of p and {} more of j; n_effective: topics of p that would be as sure without j"
    guess = "fewer than 10 topics by people: n_effective is a guess, see evalsql help judges"
    unsure = "less sure than people's topics alone: 1 of 2"
    for rows, told in (
        ([(12, 30, None), (11, 31, None)], [first.format(12, 31)]),
        (
            [(9, 30, few), (12, 30, surer)],
            [first.format(12, 30), guess, unsure],
        ),
        ([(12, 0, alone)], [first.format(12, 0), "j has no topic that p lacks; nothing is estimated"]),
    ):
        inputs = {"corrected": rows_query(columns, rows)}
        assert empty.database.remarks("correction_remarks", inputs, reference="p", judge="j") == told


def test_where_each_run_is_cut() -> None:
    columns = "nth, measure, k, qrels, run, threshold, reached"
    cuts = [
        *((0, "TAP@2", 2, "one", "near", 0.123456789, True), (0, "TAP@2", 2, "one", "far", None, True)),
        *((1, "TAP@5", 5, "one", "near", 2e-180, False), (1, "TAP@5", 5, "one", "far", 7.0, True)),
    ]
    near = "TAP@2 at 0.123457, TAP@5 at 2e-180 (too few topics show 5 false positives)"
    with evalsql.open(":memory:") as warehouse:
        remarks = warehouse.database.remarks("cut_remarks", {"cuts": rows_query(columns, cuts)})
        assert remarks == ["cut of far: TAP@2 nowhere, TAP@5 at 7", f"cut of near: {near}"]
        other = (0, "TAP@2", 2, "two", "near", 1.5, True)
        remarks = warehouse.database.remarks("cut_remarks", {"cuts": rows_query(columns, [*cuts[::2], other])})
        assert remarks == [f"cut of near (one): {near}", "cut of near (two): TAP@2 at 1.5"]


def test_topics_that_runs_to_be_fused_lack_are_counted(empty: Warehouse) -> None:
    empty.load_run({"1": {"a": 1.0}, "2": {"a": 1.0}, "3": {"a": 1.0}}, "whole")
    empty.load_run({"1": {"a": 1.0}, "4": {"a": 1.0}}, "part")
    told = warned(lambda: empty.fuse("rrf", ["whole", "part"], "new"))
    assert told == ["3 topics are not in all of these runs; they are fused from what has documents for them"]


@pytest.mark.parametrize(("num_weights", "expected"), [(0, []), (1, ["1 weight"]), (1200, ["1,200 weights"])])
def test_weights_of_judgments_that_are_replaced_are_told(
    empty: Warehouse, num_weights: int, expected: list[str]
) -> None:
    empty.load_qrels({"1": {"a": 1}}, "it's")
    empty.load_qrels({"1": {"a": 2}}, "it's", replace=True)
    told = empty.database.remarks("replaced_by", {}, qrels="it's", num_weights=num_weights)
    assert told == [
        *(f"{each} went with the judgments replaced" for each in expected),
        "the judgments before stay as it's@1; --qrels it's@1 evaluates with them",
        "relations in SQL have rows of both; where qrels = 'it''s' takes the new ones alone",
    ]
