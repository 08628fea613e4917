"""The relations a report is made of, each beside an independent calculation."""

import math
from collections import defaultdict
from fractions import Fraction

import numpy
import pytest
from scipy import stats

from evalsql import UsageError, Warehouse
from evalsql.catalog.measure_names import parse_measures
from evalsql.report.page import report_data, verdicts
from tests.conftest import module_warehouse
from tests.oracles.brute_force import ranking
from tests.random_collections import Collection, collection

EXACT = 1e-12
# Enough topics and documents for curves with many corners.
SEEDS = (2, 3, 5, 8, 13, 21)
DEPTHS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
COLLECTIONS: dict[str, Collection] = {f"judged {seed}": collection(seed) for seed in SEEDS}


def load(warehouse: Warehouse) -> None:
    for name, one in COLLECTIONS.items():
        warehouse.load_qrels(one.qrels, name)
        warehouse.load_run(one.run, f"of {name}", qrels=[name])


loaded = module_warehouse(load)


def by_run(warehouse: Warehouse, name: str) -> dict[str, list[float]]:
    (measure,) = parse_measures([name], warehouse.catalog)
    found = defaultdict(list)
    for run, value in warehouse.rows(f"select run, value from {measure.call} order by qrels, run, topic"):
        found[run].append(value)
    return found


@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_intervals_are_those_of_students_t(loaded: Warehouse, confidence: float) -> None:
    asked = f"select run, num_topics, mean, low, high from mean_intervals(confidence := {confidence})"
    found = {run: row for run, *row in loaded.rows(f"{asked} where measure = 'AP'")}
    values = by_run(loaded, "AP")
    assert found.keys() == values.keys()
    for run, (num_topics, mean, low, high) in found.items():
        ours = values[run]
        assert (num_topics, mean) == (len(ours), pytest.approx(numpy.mean(ours), abs=EXACT))
        if len(ours) == 1:
            assert low is high is None
        elif numpy.std(ours) == 0:
            assert low == high == pytest.approx(mean)
        else:
            theirs = stats.t.interval(confidence, len(ours) - 1, loc=numpy.mean(ours), scale=stats.sem(ours))
            assert (low, high) == pytest.approx(numpy.clip(theirs, 0, 1), abs=1e-9)


def test_counts_and_geometric_means_have_no_interval(loaded: Warehouse) -> None:
    with_one = {name for (name,) in loaded.rows("select distinct measure from mean_intervals()")}
    assert "AP" in with_one
    assert not with_one & {"NumRel", "NumRet", "NumRelRet", "GMAP", "TAP@5"}


def test_boxes_are_numpys_quantiles(loaded: Warehouse) -> None:
    values = by_run(loaded, "nDCG")
    rows = loaded.rows("select * exclude (qrels, measure) from value_boxes where measure = 'nDCG'")
    assert len(rows) == len(values)
    for run, num_topics, *numbers in rows:
        assert num_topics == len(values[run])
        assert numbers == pytest.approx(numpy.quantile(values[run], (0, 0.25, 0.5, 0.75, 1)), abs=EXACT)


def test_unjudged_documents_are_counted_down_to_each_rank(loaded: Warehouse) -> None:
    rows = loaded.rows("select qrels, k, num_ret, num_unjudged, unjudged from unjudged_by_rank")
    longest = {name: max(len(one.run.get(topic, {})) for topic in one.qrels) for name, one in COLLECTIONS.items()}
    wanted = [(name, k) for name in longest for at, k in enumerate(DEPTHS) if ([0, *DEPTHS][at]) < longest[name]]
    assert sorted((name, k) for name, k, *_ in rows) == sorted(wanted)
    for name, k, num_ret, num_unjudged, unjudged in rows:
        one = COLLECTIONS[name]
        seen = [
            document in grades
            for topic, grades in one.qrels.items()
            for document in ranking(one.run.get(topic, {}))[:k]
        ]
        assert (num_ret, num_unjudged) == (len(seen), seen.count(False))
        assert unjudged == pytest.approx(seen.count(False) / len(seen), abs=EXACT)


@pytest.mark.parametrize("points", [3, 100])
def test_roc_points_are_corners_and_leave_no_corner_far_away(loaded: Warehouse, points: int) -> None:
    corners = defaultdict(set)
    chosen = defaultdict(set)
    thresholds = {
        (run, *rates): at
        for run, at, *rates in loaded.rows("from (select run, threshold, fpr, tpr from roc_curve_pooled())")
    }
    for run, fpr, tpr in thresholds:
        corners[run].add((fpr, tpr))
    for run, threshold, *corner in loaded.rows(f"select run, threshold, fpr, tpr from roc_points(points := {points})"):
        assert thresholds[run, *corner] == threshold
        chosen[run].add(tuple(corner))
    assert chosen.keys() == corners.keys()
    for run, all_of_them in corners.items():
        assert chosen[run] <= all_of_them
        assert max(all_of_them) in chosen[run]
        assert len(chosen[run]) <= 2 * points + 1
        for fpr, tpr in all_of_them:
            assert any(abs(fpr - x) <= 1 / points and abs(tpr - y) <= 1 / points for x, y in chosen[run])


def by_threshold(warehouse: Warehouse, relation: str) -> dict[str, list[tuple[float, int, bool]]]:
    found = defaultdict(list)
    columns = "select run, threshold, false_positives, is_chosen"
    for run, *row in warehouse.rows(f"{columns} from {relation} where threshold is not null"):
        found[run].append(tuple(row))
    return found


def test_steps_of_tap_are_where_its_curve_rises(loaded: Warehouse) -> None:
    steps = by_threshold(loaded, "tap_steps(most := 4)")
    assert len(steps) == len(COLLECTIONS)
    for run, rows in by_threshold(loaded, "tap_curve()").items():
        strictest: dict[int, float] = {}
        for threshold, errors, _ in rows:
            strictest[errors] = max(threshold, strictest.get(errors, -math.inf))
        wanted = {
            (threshold, min(errors, 5), is_chosen)  # k is 5: no more are counted
            for threshold, errors, is_chosen in rows
            if is_chosen or (errors <= 4 and strictest[errors] == threshold)
        }
        assert sorted(steps[run]) == sorted(wanted)


def test_precision_at_levels_of_recall_is_the_highest_from_there_on(loaded: Warehouse) -> None:
    for name, one in COLLECTIONS.items():
        rows = loaded.rows(f"select topic, recall, precision from pr_curve_topics() where qrels = '{name}'")
        assert len(rows) == len(one.qrels) * 11
        for topic, recall, precision in rows:
            grades = one.qrels[topic]
            num_rel = sum(grade > 0 for grade in grades.values())
            hits = [grades.get(document, 0) > 0 for document in ranking(one.run.get(topic, {}))]
            places = [at for at, hit in enumerate(hits, start=1) if hit]
            reached = [
                nth / at for nth, at in enumerate(places, start=1) if Fraction(nth, num_rel) >= Fraction(str(recall))
            ]
            assert precision == pytest.approx(max(reached, default=0), abs=EXACT), (name, topic, recall)


def test_a_report_is_of_one_judgment_set_and_of_runs(loaded: Warehouse) -> None:
    with pytest.raises(UsageError, match="one judgment set, name it with --qrels: judged 2, judged 3"):
        report_data.gather_report(loaded, "AP")
    with pytest.raises(UsageError, match="a report needs a measure and a run evaluated with judged 2"):
        report_data.gather_report(loaded, "AP", qrels="judged 2", runs="of judged 3")
    with pytest.raises(UsageError, match="no judgment set is called"):
        report_data.gather_report(loaded, "AP", qrels="nothing")


def test_a_report_of_one_run_compares_nothing(loaded: Warehouse) -> None:
    found = report_data.gather_report(loaded, "AP NumRel", qrels="judged 3")
    assert found.comparison is None
    assert found.corrected == "0 comparisons, each measure by itself"
    assert found.runs == ["of judged 3"]
    assert found.topics == sorted(COLLECTIONS["judged 3"].qrels)
    assert {row[0] for row in found.tables["intervals"].rows} == {"AP"}
    assert not loaded.rows("select 1 from duckdb_tables() where temporary and table_name = 'scores'")


@pytest.mark.long
def test_the_best_is_told_beside_a_baseline(empty: Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    empty.load_qrels({"1": {"d": 1}, "2": {"d": 1}}, "q")
    empty.load_run({"1": {"d": 1.0}, "2": {"d": 1.0}}, "a")
    empty.load_run({"1": {"d": 1.0}, "2": {"e": 2.0, "d": 1.0}}, "b")
    found = report_data.gather_report(empty, "AP", baseline="b")
    assert not any("the baseline itself" in text for *_, text in verdicts.answers(found, 3))
    # After the outcome the place from the worst, and the one from where they differ most.
    assert found.outcomes == [("1", 1, 1, 0, "tied", 1, 2), ("2", 1, 0.5, 0.5, "won", 2, 1)]
    assert "tap" in found.tables
    monkeypatch.setattr(report_data, "MOST_THRESHOLDS", 1)
    assert "tap" not in report_data.gather_report(empty, "AP").tables
