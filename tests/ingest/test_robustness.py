"""The litmus test of robustness and the ratings of tasks, against scipy and by hand; the names their sources use."""

import math
from collections import defaultdict

import pytest
from scipy.stats import ttest_rel

from evalsql import Warehouse
from evalsql.catalog.measure_names import parse_measures
from evalsql.catalog.relations import read_catalog

EXACT = 1e-9
RUNS = ("bm25", "bm25-rm3")
LITMUS = {
    **{"FRS": "FRS", "RR": "RR", "S10": "Success@10", "Rec0": "IPrec@0.0", "MAP": "AP"},
    **{"R-Prec": "Rprec", "gMAP": "GMAP", "P20": "P@20", "Rec10": "IPrec@0.1", "P10": "P@10"},
}


def test_litmus_equals_scipy(sample: Warehouse) -> None:
    rows = sample.rows("""
        select measure, baseline_mean, expanded_mean, difference, num_topics, t, direction, verdict
        from litmus(baseline := 'bm25', expanded := 'bm25-rm3') order by place
    """)
    assert len(rows) == len(LITMUS)
    values: dict[tuple[str, str], list[float]] = defaultdict(list)
    for _, run, _, measure, value in sample.evaluate(list(LITMUS), runs=list(RUNS), per_topic=True).fetchall():
        values[run, measure].append(value)
    means = {run: row for _, run, *row in sample.evaluate(list(LITMUS), runs=list(RUNS)).fetchall()}
    for at, (name, row) in enumerate(zip(LITMUS, rows, strict=True)):
        measure, before, after, difference, num_topics, t, direction, verdict = row
        assert parse_measures([name], sample.catalog) == parse_measures([measure], sample.catalog)
        assert [before, after] == pytest.approx([means[run][at] for run in RUNS], abs=EXACT)
        assert (difference, num_topics) == (pytest.approx(after - before), 40)
        old, new = (values[run, LITMUS[name]] for run in RUNS)
        if old == new:
            assert (t, direction, verdict) == (None, "stays", "open")
            continue
        if name == "gMAP":
            old, new = [math.log(value) for value in old], [math.log(value) for value in new]
        theirs = ttest_rel(new, old).statistic
        assert t == pytest.approx(theirs, abs=EXACT)
        assert direction == ("rises" if theirs > 0 else "falls")
        assert verdict == ("open" if abs(theirs) < 1.3 else "fails" if theirs > 0 else "passes")
    assert {direction for *_, direction, _ in rows} == {"rises", "falls", "stays"}


def test_litmus_by_hand(empty: Warehouse) -> None:
    """The first relevant document falls to rank 2 in three of four topics: RR differs by -1/2 -1/2 -1/2 0, on average
    -3/8 with deviation 1/4, so t = -3/8 / (1/4 / 2). These three find a second one: P@20 differs by 1/20 1/20 1/20 0,
    t = 3."""
    empty.load_qrels({f"t{at}": {"a": 1, "b": 1, "n": 0} for at in range(4)}, "judged")
    empty.load_run({f"t{at}": {"a": 9.0} for at in range(4)}, "plain")
    pushed = {f"t{at}": {"n": 9.0, "a": 8.0, "b": 7.0} for at in range(3)}
    empty.load_run({**pushed, "t3": {"a": 9.0}}, "expanded")
    rows = empty.rows("select measure, t, direction, verdict from litmus('plain', 'expanded')")
    found = {measure: rest for measure, *rest in rows}
    assert found["RR"] == [pytest.approx(-3), "falls", "passes"]
    assert found["P@20"] == [pytest.approx(3), "rises", "fails"]
    assert found["Success@10"] == [None, "stays", "open"]
    assert empty.rows("select t from litmus('plain', 'expanded', least_t := 4) where verdict <> 'open'") == []
    same = empty.rows("select distinct t, difference, direction, verdict from litmus('plain', 'plain')")
    assert same == [(None, 0.0, "stays", "open")]
    shorter = {f"t{at}": {"n": 9.0, "a": 8.0} for at in range(4)}
    empty.load_run(shorter, "all alike")
    ((t, direction),) = empty.rows("select t, direction from litmus('plain', 'all alike') where measure = 'RR'")
    assert (t, direction) == (None, "falls")


def test_tasks_are_rated_as_on_the_poster(empty: Warehouse) -> None:
    """Of five topics some are answered in first place, one may be at rank 10, the others are not answered."""
    ratings = {4: "easiest", 3: "medium", 2: "hardest", 1: "beyond hardest"}
    empty.load_qrels({f"t{at}": {"a": 1} for at in range(5)}, "judged")
    for answered in ratings:
        scores = {f"t{at}": {"a" if at < answered else "n": 1.0} for at in range(5)}
        empty.load_run(scores, f"{answered} of 5")
    late = {"t4": {"a": 1.0, **{f"n{at}": 2.0 + at for at in range(9)}}}
    empty.load_run(late, "late")
    rows = empty.rows("""
        select run, frs, rating, found_at_10, num_topics, success_at_10, success_at_1
        from task_ratings() order by frs desc
    """)
    assert rows == [
        *(
            (f"{answered} of 5", pytest.approx(answered / 5), rating, answered, 5, answered / 5, answered / 5)
            for answered, rating in ratings.items()
        ),
        ("late", pytest.approx(1.08**-9 / 5), "beyond hardest", 1, 5, 0.2, 0.0),
    ]


def test_names_of_the_sources() -> None:
    others = {
        **{"S1": "Success@1", "S@5": "Success@5", "P@1": "P@1", "MRR": "RR", "GS30": "FRS(base=1.024)"},
        **{"Sensitivity@7": "R@7", "Fallout@7": "FPR@7", "ROC_n@5": "ROC@5", "AUC_n": "ROC@50", "AUROC": "AUC"},
        "11-point": "IPrecAvg_textbook",
    }
    for written, meant in {**LITMUS, **others}.items():
        assert [measure.name for measure in parse_measures([written], read_catalog())] == [meant]
