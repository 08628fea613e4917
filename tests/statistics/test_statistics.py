"""Comparing systems: scipy and statsmodels on the same scores, and what they have no answer for."""

import math
import random
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

import evalsql
from evalsql import Warehouse
from tests.conftest import new_warehouse
from tests.long_cases import few_of
from tests.statistics.scores import Scores, put_scores

CORRECTIONS = {
    "bonferroni": "bonferroni",
    "holm": "holm",
    "benjamini_hochberg": "fdr_bh",
    "benjamini_yekutieli": "fdr_by",
}
SIZES = (2, 3, 9, 14, 30, 51)
MORE_SIZES = (5, 13, 50, 60)
STEPS = (0, 8, 2)  # 0 stands for values of any size


def random_scores(seed: int, num_topics: int, steps: int | None) -> dict[str, dict[str, float]]:
    """Runs a to e: b equals a, c differs a little, e from a by the same everywhere; with steps values are few."""
    rng = random.Random(seed)

    def value() -> float:
        return rng.random() if steps is None else rng.randint(0, steps) / steps

    topics = [f"t{nth}" for nth in range(num_topics)]
    base = {topic: value() for topic in topics}
    return {
        "a": base,
        "b": dict(base),
        "c": {topic: base[topic] if rng.random() < 0.3 else value() for topic in topics},
        "d": {topic: value() for topic in topics},
        "e": {topic: score + 0.125 for topic, score in base.items()},
    }


def rows(warehouse: Warehouse, query: str) -> list[dict[str, Any]]:
    columns, answer = warehouse.database.table(query)  # planned once; a relation of ``sql`` is twice
    found = [dict(zip(columns, row, strict=True)) for row in answer]
    for row in found:
        assert not any(isinstance(value, float) and not math.isfinite(value) for value in row.values()), row
    return found


CASES: dict[str, Scores] = {
    f"{size}/{steps}": random_scores(size * 10 + nth, size, steps or None)
    for size in (*SIZES, *MORE_SIZES)
    for nth, steps in enumerate(STEPS)
}


@pytest.fixture(scope="module", params=few_of([SIZES, MORE_SIZES], 1, one_value=True), ids=["few", "more"])
def random_warehouse(request: pytest.FixtureRequest) -> Iterator[Warehouse]:
    with new_warehouse() as warehouse:
        put_scores(warehouse, {name: CASES[name] for name in (f"{n}/{s}" for n in request.param for s in STEPS)})
        yield warehouse


def differences(row: Mapping[str, Any]) -> np.ndarray:
    """To 12 decimals, as those that differ only by rounding would not tie otherwise."""
    base, other = (CASES[row["measure"]][row[name]] for name in ("baseline", "run"))
    return np.round(np.array([other[topic] - base[topic] for topic in base]), 12)


@cache
def wilcoxon(gaps: tuple[float, ...]) -> Any:
    """Of few topics with ties scipy goes through all signs, seconds together; two of the systems are identical."""
    return stats.wilcoxon(np.array(gaps))


def cases(warehouse: Warehouse) -> list[str]:
    return [name for (name,) in warehouse.rows("select distinct measure from scores")]


def assert_pairs(warehouse: Warehouse, found: list[dict[str, Any]], *, every: bool) -> None:
    """That there is a row for each pair asked for."""
    measures = cases(warehouse)
    wanted = {(b, r) for b in "abcde" for r in "abcde" if (b < r if every else b == "d" != r)}
    assert {(row["measure"], row["baseline"], row["run"]) for row in found} == {
        (m, *pair) for m in measures for pair in wanted
    }
    assert len(found) == len(measures) * len(wanted)


def test_all_pairs_of_many_runs_need_little_memory() -> None:
    """DuckDB 1.5 keeps 50 kB for each sum of rows in an order: these 1,770 pairs took it half a gigabyte."""
    rng = np.random.default_rng(60)
    values = rng.random((60, 20))
    with evalsql.open(":memory:", memory_limit="250MB") as warehouse:
        warehouse.execute("set threads = 2")  # each takes some of it, and machines have up to hundreds
        by_run = {
            f"{run:02}": {f"{at:02}": value for at, value in enumerate(row)} for run, row in enumerate(values.tolist())
        }
        put_scores(warehouse, {"AP": by_run})
        found = rows(warehouse, "select * from differences()")
    assert len(found) == 60 * 59 // 2
    for row in found:
        gaps = values[int(row["run"])] - values[int(row["baseline"])]
        assert row["difference"] == pytest.approx(gaps.mean(), rel=1e-12, abs=1e-15)
        assert row["deviation"] == pytest.approx(gaps.std(ddof=1), rel=1e-12)


@pytest.mark.parametrize("baseline", few_of(["null", "'d'"], 1))
def test_t_tests(random_warehouse: Warehouse, baseline: str) -> None:
    found = rows(random_warehouse, f"from t_tests(baseline := {baseline})")
    assert_pairs(random_warehouse, found, every=baseline == "null")
    for row in found:
        gaps = differences(row)
        if row["note"] is None:
            expected = stats.ttest_1samp(gaps, 0)
            assert row["t"] == pytest.approx(expected.statistic, rel=1e-9)
            assert row["p"] == pytest.approx(expected.pvalue, rel=1e-9)
            assert row["df"] == expected.df == row["num_topics"] - 1
        else:
            assert row["t"] is None
            assert (row["note"], row["p"]) == (("constant difference", 0) if gaps.any() else ("identical", 1))
            assert np.ptp(gaps) == 0


def test_signed_rank_tests(random_warehouse: Warehouse) -> None:
    found = rows(random_warehouse, "from wilcoxon_tests(baseline := 'd')")
    assert_pairs(random_warehouse, found, every=False)
    for row in found:
        gaps = differences(row)
        assert row["num_differing"] == np.count_nonzero(gaps)
        if row["note"] == "identical":
            assert not gaps.any()
            assert row["p"] == 1
            continue
        assert row["note"] is None
        expected = wilcoxon(tuple(gaps))
        assert min(row["positive_ranks"], row["negative_ranks"]) == expected.statistic
        assert row["p"] == pytest.approx(expected.pvalue, abs=1e-9, rel=1e-9), row
    assert {row["method"] for row in found} == {"exact", "normal"}
    every = rows(random_warehouse, "from wilcoxon_tests()")
    assert_pairs(random_warehouse, every, every=True)
    again = [row for row in every if row["baseline"] == "d"]
    assert len(again) == len(cases(random_warehouse))
    assert all(row in found for row in again)


@pytest.mark.parametrize("tolerance", few_of([0.125, 0], 1))
def test_sign_tests_and_wins(random_warehouse: Warehouse, tolerance: float) -> None:
    found = rows(random_warehouse, f"from sign_tests(tolerance := {tolerance})")
    assert_pairs(random_warehouse, found, every=True)
    for row in found:
        gaps = differences(row)
        wins, losses = int(np.sum(gaps > tolerance)), int(np.sum(gaps < -tolerance))
        assert (row["wins"], row["ties"], row["losses"]) == (wins, len(gaps) - wins - losses, losses)
        expected = stats.binomtest(wins, wins + losses).pvalue if wins + losses else 1
        assert row["p"] == pytest.approx(expected, rel=1e-9)
        assert row["note"] == (None if wins + losses else "only ties" if gaps.any() else "identical")


@pytest.mark.parametrize("confidence", few_of([0.8, 0.95], 1))
def test_differences(random_warehouse: Warehouse, confidence: float) -> None:
    found = rows(random_warehouse, f"from differences(baseline := 'd', confidence := {confidence})")
    assert_pairs(random_warehouse, found, every=False)
    for row in found:
        base, other = (np.array(list(CASES[row["measure"]][row[name]].values())) for name in ("baseline", "run"))
        gaps = other - base
        assert row["baseline_mean"] == pytest.approx(base.mean(), rel=1e-12)
        assert row["mean"] == pytest.approx(other.mean(), rel=1e-12)
        assert row["difference"] == pytest.approx(gaps.mean(), abs=1e-12)
        gaps = differences(row)
        assert row["superiority"] == pytest.approx(np.mean((gaps > 0) + (gaps == 0) / 2), rel=1e-12)
        if row["note"]:
            assert (row["low"], row["high"], row["deviation"]) == (row["difference"], row["difference"], 0)
            assert row["cohens_d"] is row["hedges_g"] is None
            continue
        low, high = stats.ttest_1samp(gaps, 0).confidence_interval(confidence)
        assert (row["low"], row["high"]) == pytest.approx((low, high), abs=1e-9, rel=1e-9)
        effect = gaps.mean() / gaps.std(ddof=1)
        assert row["cohens_d"] == pytest.approx(effect, rel=1e-9)
        df = len(gaps) - 1
        if df > 1:
            bias = math.gamma(df / 2) / math.sqrt(df / 2) / math.gamma((df - 1) / 2)
            assert row["hedges_g"] == pytest.approx(effect * bias, rel=1e-9)
        else:
            assert row["hedges_g"] is None


@pytest.mark.parametrize(("family", "test"), few_of(product(["measure", "all"], ["t", "sign", "wilcoxon"]), 1))
def test_corrections(random_warehouse: Warehouse, family: str, test: str) -> None:
    found = rows(random_warehouse, f"from corrected_p_values(test := '{test}', family := '{family}')")
    assert_pairs(random_warehouse, found, every=True)
    families: dict[str, list[dict[str, Any]]] = {}
    for row in found:
        families.setdefault(row["measure"] if family == "measure" else "", []).append(row)
    for together in families.values():
        assert {row["num_tests"] for row in together} == {len(together)}
        for ours, theirs in CORRECTIONS.items():
            expected = multipletests([row["p"] for row in together], method=theirs)[1]
            assert [row[ours] for row in together] == pytest.approx(list(expected), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize(
    ("test", "correction"), few_of([("sign", "benjamini_yekutieli"), ("t", "none"), ("wilcoxon", "holm")], 1)
)
def test_comparisons_put_the_rest_together(random_warehouse: Warehouse, test: str, correction: str) -> None:
    p_values, summaries = (
        {(row["measure"], row["run"]): row for row in rows(random_warehouse, f"from {call}")}
        for call in (f"corrected_p_values('a', '{test}', tolerance := 0.1)", "differences('a', 0.1, 0.9)")
    )
    arguments = f"'a', test := '{test}', correction := '{correction}', tolerance := 0.1, confidence := 0.9"
    found = rows(random_warehouse, f"from comparisons({arguments})")
    assert len(found) == 4 * len(cases(random_warehouse))
    for row in found:
        tested, summary = p_values[row["measure"], row["run"]], summaries[row["measure"], row["run"]]
        assert row["p"] == tested["p"]
        assert row["p_corrected"] == tested["p" if correction == "none" else correction]
        assert (row["num_tests"], row["note"]) == (4, tested["note"])
        for name in ("num_topics", "baseline_mean", "mean", "difference", "low", "high", "wins", "ties", "losses"):
            assert row[name] == summary[name]


def test_analysis_of_variance(random_warehouse: Warehouse) -> None:
    found = rows(random_warehouse, "from analysis_of_variance")
    assert len(found) == 4 * len(cases(random_warehouse))
    table = {(row["measure"], row["source"]): row for row in found}
    for measure in cases(random_warehouse):
        data = [(run, topic, value) for run, values in CASES[measure].items() for topic, value in values.items()]
        frame = pd.DataFrame(data, columns=["run", "topic", "value"])
        expected = anova_lm(ols("value ~ C(run) + C(topic)", frame).fit())
        for source, term in (("run", "C(run)"), ("topic", "C(topic)"), ("error", "Residual")):
            row = table[measure, source]
            assert row["df"] == expected.df[term]
            assert row["sum_squares"] == pytest.approx(expected.sum_sq[term], rel=1e-9)
            assert row["deviation"] == pytest.approx(math.sqrt(expected.mean_sq[term]), rel=1e-9)
            if source == "error":
                assert row["f"] is row["p"] is None
            else:
                assert row["f"] == pytest.approx(expected.F[term], rel=1e-9)
                assert row["p"] == pytest.approx(expected["PR(>F)"][term], rel=1e-9)
        assert table[measure, "total"]["sum_squares"] == pytest.approx(sum(expected.sum_sq), rel=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("size", few_of([5, 60, 30], 1))
def test_detectable_differences(empty: Warehouse, size: int) -> None:
    solve = TTestPower()
    put_scores(empty, {"AP": random_scores(size, size, None)})
    found = rows(empty, "from detectable_differences('d', alpha := 0.01, power := 0.9)")
    assert len(found) == 4
    for row in found:
        effect = row["detectable"] / row["deviation"]
        assert solve.power(effect, row["num_topics"], 0.01) == pytest.approx(0.9, abs=1e-6)
        effect, needed = abs(row["difference"]) / row["deviation"], row["topics_needed"]
        if needed < 10_000:  # beyond, scipy's noncentral t gives up
            assert solve.power(effect, needed - 1, 0.01) < 0.9 <= solve.power(effect, needed, 0.01)
    for row in rows(empty, "from detectable_differences('d', sought := 0.1)"):
        effect, needed = 0.1 / row["deviation"], row["topics_needed"]
        assert solve.power(effect, needed - 1, 0.05) < 0.8 <= solve.power(effect, needed, 0.05)


@pytest.mark.parametrize("test", few_of(["t", "wilcoxon", "sign"], 1))
def test_one_topic_and_one_run(empty: Warehouse, test: str) -> None:
    put_scores(empty, {"P@5": {"a": {"1": 0.2}, "b": {"1": 0.2}, "c": {"1": 0.6}}, "AP": {"a": {"1": 0.5, "2": 0.7}}})
    columns = "run, p, p_corrected, low, high, note"
    assert empty.rows(f"select {columns} from comparisons('a', test := '{test}') order by 1") == [
        ("b", 1, 1, None, None, "identical"),
        ("c", 1, 1, None, None, "one topic"),
    ]
    assert empty.rows("select f, p from analysis_of_variance where source in ('run', 'topic')") == [(None, 1)] * 4
    assert empty.rows("select detectable, topics_needed from detectable_differences('a')") == [(None, None)] * 2


def test_no_spread_is_no_proof_of_anything_but_itself(empty: Warehouse) -> None:
    """0.3 - 0.2 and 0.2 - 0.1 are not the same number, but the same difference."""
    a, b = {"1": 0.1, "2": 0.2, "3": 0.7}, {"1": 0.2, "2": 0.3, "3": 0.8}
    put_scores(empty, {"P@10": {"a": a, "b": b, "c": {topic: value + 1e-16 for topic, value in a.items()}}})
    assert rows(empty, "select run, t, p, note from t_tests('a') order by run") == [
        {"run": "b", "t": None, "p": 0, "note": "constant difference"},
        {"run": "c", "t": None, "p": 1, "note": "identical"},
    ]
    assert rows(empty, "select run, p from wilcoxon_tests('a') order by run") == [
        {"run": "b", "p": 0.25},
        {"run": "c", "p": 1},
    ]
    variance = {row["source"]: row for row in rows(empty, "from analysis_of_variance")}
    assert variance["error"]["sum_squares"] == 0
    assert variance["run"]["p"] == 0


def test_topics_are_matched_by_name(empty: Warehouse) -> None:
    a = {"1": 0.1, "2": 0.5, "10": 0.9, "only a": 0.4}
    b = {"10": 0.8, "2": 0.7, "only b": 0.2, "1": 0.4}
    put_scores(empty, {"AP": {"a": a, "b": b}})
    found = rows(empty, "select topic, difference from paired_differences('a') order by topic")
    assert {row["topic"]: row["difference"] for row in found} == pytest.approx({"1": 0.3, "10": -0.1, "2": 0.2})
    assert rows(empty, "select num_topics, wins from differences('a')") == [{"num_topics": 3, "wins": 2}]
    assert {row["num_topics"] for row in rows(empty, "from analysis_of_variance")} == {3}


def test_measures_with_a_geometric_mean_are_compared_by_ratios(empty: Warehouse) -> None:
    rng = random.Random(7)
    scores = {run: {str(topic): rng.uniform(0.00001, 1) for topic in range(20)} for run in "ab"}
    put_scores(empty, {"GMAP(rel=2)": scores, "AP": scores})
    plain, found = rows(empty, "from comparisons('a') order by measure")
    logs = {run: np.log(list(values.values())) for run, values in scores.items()}
    expected = stats.ttest_rel(logs["b"], logs["a"])
    assert found["p"] == pytest.approx(expected.pvalue, rel=1e-9)
    assert found["mean"] == pytest.approx(math.exp(logs["b"].mean()), rel=1e-12)
    assert found["difference"] == pytest.approx(math.log(found["mean"] / found["baseline_mean"]), rel=1e-9)
    assert plain["p"] == pytest.approx(stats.ttest_rel(*(list(scores[run].values()) for run in "ba")).pvalue, rel=1e-9)


@pytest.mark.parametrize("call", ["comparisons('bm25', test := 'wilcoxon')", "mean_intervals()", "value_boxes()"])
def test_values_that_a_query_names_scores_take_the_place_of_the_view(sample: Warehouse, call: str) -> None:
    own = f"with scores as (select *, 'AP' as measure from ap) from {call} order by all"
    expected = sample.rows(f"from {call} where measure = 'AP' order by all")
    found = [value for row in sample.rows(own) for value in row if isinstance(value, float)]
    assert found == pytest.approx([value for row in expected for value in row if isinstance(value, float)], rel=1e-12)
    assert sample.rows(own.replace("from ap", "from rr")) != expected


TESTS = ("t", "wilcoxon", "bootstrap", "tukey")
BESIDE_BM25 = (
    *("differences('bm25')", "corrected_p_values('bm25')", "wilcoxon_tests('bm25')"),
    *(f"comparisons('bm25', test := '{test}', intervals := 'bca')" for test in TESTS),
)


@pytest.mark.parametrize("call", few_of(BESIDE_BM25))
def test_the_engine_plans_the_values_once(sample: Warehouse, call: str) -> None:
    sample.execute("set explain_output = 'all'")
    unoptimized = [sample.rows(f"explain from {each}")[0][1] for each in ("scores", call)]
    # The last table that the view reads; DuckDB 1.5 cuts plans that are so wide.
    assert [plan.count("stored_scores") for plan in unoptimized] in ([1, 1], [0, 0])


@pytest.mark.parametrize("alpha", few_of([0.3, 0.05], 1))
def test_the_interval_of_a_pair_leaves_0_out_just_where_its_difference_is_significant(
    warehouse: Warehouse, alpha: float
) -> None:
    """Pairs of the report's page, by whatever chance of a false finding."""
    scores = random_scores(3, 12, None)
    put_scores(warehouse, {"AP": scores})
    query = warehouse.database.query("tested_pairs", qrels="q", alpha=alpha)
    found = warehouse.database.records(f"{query} order by baseline, run")
    assert {pair.is_sure for pair in found} == {True, False}
    for pair in found:
        differences = [value - scores[pair.baseline][topic] for topic, value in scores[pair.run].items()]
        half_width = stats.t.ppf(1 - alpha / 2, 11) * np.std(differences, ddof=1) / math.sqrt(12)
        assert pair.half_width == pytest.approx(half_width, abs=1e-12)
        assert (pair.widened_low > 0 or pair.widened_high < 0) == pair.is_sure
