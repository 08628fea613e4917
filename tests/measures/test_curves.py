"""Curves and what is read from them, against scikit-learn, plain loops and invariants."""

import math
from fractions import Fraction
from itertools import chain, pairwise

import pytest
from sklearn.metrics import roc_auc_score, roc_curve

from evalsql import Warehouse
from tests.long_cases import few_of
from tests.measures.conftest import Topics
from tests.measures.topic_values import values
from tests.oracles import brute_force_curves as plain
from tests.oracles.brute_force import single

EXACT = 1e-9
UNIVERSES = few_of([("retrieved", None), ("judged", None), ("retrieved", 300)])
POINTS = "fpr, tpr, threshold, false_positives, true_positives"


def universe(nonrelevant: str, number: int | None) -> str:
    return f"nonrelevant := '{nonrelevant}', collection := {'null' if number is None else number}"


def curves(warehouse: Warehouse, columns: str, call: str, order: str) -> dict[tuple[str, ...], list[tuple[float, ...]]]:
    """The points of each curve in their order, by judgment set, run and, if there is one, topic."""
    keys = "qrels, topic" if "pooled" not in call else "qrels"
    found: dict[tuple[str, ...], list[tuple[float, ...]]] = {}
    for row in warehouse.rows(f"select {keys}, {columns} from {call} order by {keys}, {order}"):
        cut = len(keys.split(", "))
        found.setdefault(row[:cut], []).append(row[cut:])
    return found


def area(points: list[tuple[float, ...]]) -> float:
    return math.fsum((x - x0) * (y + y0) / 2 for (x0, y0, *_), (x, y, *_) in pairwise(points))


@pytest.mark.parametrize(("nonrelevant", "number"), UNIVERSES)
def test_auc_and_roc_curve_equal_scikit_learn(
    random_file: Warehouse, topics: Topics, nonrelevant: str, number: int | None
) -> None:
    """Every point is one of theirs, and no corner of theirs is wanting."""
    call = f"roc_curve({universe(nonrelevant, number)})"
    ours = curves(random_file, POINTS, call, "fpr, tpr")
    arguments = f"nonrelevant='{nonrelevant}',collection={'null' if number is None else number}"
    areas = values(random_file, f"AUC({arguments})")
    compared = 0
    for key, topic in topics.items():
        labels, strengths = plain.labelled(topic, nonrelevant, number)
        points = ours.get(key, [])
        assert bool(points) == (len(set(labels)) == 2)
        if points:
            compare_with_scikit_learn(points, labels, strengths, thresholds=nonrelevant == "retrieved")
            assert area(points) == pytest.approx(areas[key], abs=EXACT)
            theirs = roc_auc_score(labels, strengths)
            compared += 1
        else:
            retrieved = sum(label for label, at in zip(labels, strengths, strict=True) if at > plain.NOWHERE)
            theirs = retrieved / len(labels) if any(labels) else 0.0
        assert areas[key] == pytest.approx(theirs, abs=EXACT), key
    assert compared == len(ours) > 150


def compare_with_scikit_learn(
    points: list[tuple[float, ...]], labels: list[int], strengths: list[float], *, thresholds: bool
) -> None:
    fpr, tpr, at = roc_curve(labels, strengths, drop_intermediate=False)
    wrong_right = [(round(x * labels.count(0)), round(y * labels.count(1))) for x, y in zip(fpr, tpr, strict=True)]
    every = dict(zip(wrong_right, at, strict=True))
    steps = [(x - x0, y - y0) for (x0, y0), (x, y) in pairwise(wrong_right)]
    turns = [dx * after_y != dy * after_x for (dx, dy), (after_x, after_y) in pairwise(steps)]
    corners = {point for point, turn in zip(wrong_right[1:-1], turns, strict=True) if turn}
    ours = {(wrong, right): threshold for _, _, threshold, wrong, right in points}
    assert len(ours) == len(points)
    assert corners <= ours.keys() <= every.keys()
    assert (points[0][:2], points[-1][:2]) == ((0, 0), (1, 1))
    assert all(x >= x0 and y >= y0 for (x0, y0, *_), (x, y, *_) in pairwise(points))
    if thresholds:
        assert all(threshold is None or single(threshold) == every[key] for key, threshold in ours.items())


@pytest.mark.parametrize(("nonrelevant", "number"), UNIVERSES)
def test_pooled_curve_and_areas_equal_scikit_learn(
    random_file: Warehouse, topics: Topics, nonrelevant: str, number: int | None
) -> None:
    call = f"roc_curve_pooled({universe(nonrelevant, number)})"
    ours = curves(random_file, POINTS, call, "fpr, tpr")
    areas = {
        qrels: areas
        for qrels, *areas in random_file.rows(
            "select qrels, auc_pooled, auc_mean, roc_n_pooled, roc_n_mean "
            f"from roc_areas(n := 7, {universe(nonrelevant, number)})"
        )
    }
    auc_means = means(random_file, f"auc({universe(nonrelevant, number)})")
    roc_means = means(random_file, f"roc(n := 7, nonrelevant := '{nonrelevant}')")
    compared = 0
    for qrels in dict.fromkeys(qrels for qrels, _ in topics):
        listed = [plain.labelled(topic, nonrelevant, number) for (name, _), topic in topics.items() if name == qrels]
        labels, strengths = (list(chain.from_iterable(each)) for each in zip(*listed, strict=True))
        auc, auc_mean, truncated, truncated_mean = areas[qrels]
        assert auc_mean == pytest.approx(auc_means[qrels], abs=EXACT)
        assert truncated_mean == pytest.approx(roc_means[qrels], abs=EXACT)
        assert truncated == pytest.approx(plain.roc_of_pool(labels, strengths, 7), abs=EXACT)
        if len(set(labels)) == 2:
            compare_with_scikit_learn(ours[(qrels,)], labels, strengths, thresholds=True)
            assert auc == pytest.approx(roc_auc_score(labels, strengths), abs=EXACT)
            assert auc == pytest.approx(area(ours[(qrels,)]), abs=EXACT)
            compared += 1
    assert compared == len(ours) > 10


def means(warehouse: Warehouse, call: str) -> dict[str, float]:
    return dict(warehouse.rows(f"select qrels, avg(value) from {call} group by qrels"))


def test_saw_tooth_has_the_ends_of_every_step(random_file: Warehouse, topics: Topics) -> None:
    ours = curves(random_file, "rank, recall, precision, interpolated", "pr_curve()", "rank")
    for key, topic in topics.items():
        found, relevant = plain.found_at(topic), topic.num_rel()
        hits = [rank for rank, (before, now) in enumerate(pairwise([0, *found]), start=1) if now > before]
        ranks = sorted({*hits, *(rank - 1 for rank in hits if rank > 1), *([len(found)] if found else [])})
        points = ours.get(key, [])
        assert [rank for rank, *_ in points] == ranks
        for rank, recall, precision, interpolated in points:
            hits_here = found[int(rank) - 1]
            assert recall == pytest.approx(hits_here / relevant if relevant else 0)
            assert precision == pytest.approx(hits_here / rank)
            expected = plain.iprec_textbook(topic, Fraction(hits_here, relevant or 1))
            assert interpolated == pytest.approx(expected, abs=EXACT), (key, rank)


def test_mean_curve_is_the_mean_of_the_measure(sample: Warehouse) -> None:
    rows = sample.rows("select run, recall, precision, num_topics from pr_curve_mean()")
    assert len(rows) == 8 * 11
    recalls = sorted({recall for _, recall, *_ in rows})
    means = sample.evaluate([f"IPrec_textbook@{recall}" for recall in recalls]).fetchall()
    expected = {
        (run, recall): value for _, run, *values in means for recall, value in zip(recalls, values, strict=True)
    }
    for run, recall, precision, num_topics in rows:
        assert precision == pytest.approx(expected[run, recall], abs=EXACT)
        assert num_topics == 40
    averages = sample.evaluate("IPrecAvg_textbook").fetchall()
    assert {run for _, run, _ in averages} == {run for run, *_ in rows}
    for _, run, average in averages:
        curve = [precision for name, _, precision, _ in sorted(rows) if name == run]
        assert curve == sorted(curve, reverse=True)
        assert average == pytest.approx(sum(curve) / 11, abs=EXACT)


def test_lower_scores_and_ranks_that_stand_for_themselves(empty: Warehouse) -> None:
    empty.load_qrels({"t": {"a": 1, "b": 0, "c": 1, "d": 0}}, "judged")
    scores = {"t": {"a": 1e-9, "b": 1e-5, "c": 1e-5, "d": 0.1}}
    empty.load_run(scores, "e-values", lower_is_better=True)
    empty.load_run(scores, "as they stand", tie_rule="input")
    assert empty.rows("select run, value from auc() order by run") == [("as they stand", 0.75), ("e-values", 0.875)]
    for relation, order in (("roc_curve", "rank"), ("roc_curve_pooled", "fpr, tpr")):
        points = f"select threshold, false_positives, true_positives from {relation}() where run = 'e-values'"
        expected = [(None, 0, 0), (1e-9, 0, 1), (1e-5, 1, 2), (0.1, 2, 2)]
        assert empty.rows(f"{points} order by {order}") == expected
