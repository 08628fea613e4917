"""Discriminative power of measures: scipy's tests, and the p values of comparisons."""

import random
from itertools import combinations

import pytest
from scipy import stats

from evalsql import Warehouse
from tests.long_cases import few_of
from tests.statistics.scores import put_rows


@pytest.mark.parametrize("alpha", few_of([0.05, 0.01], 1))
def test_discriminative_power_by_loops_over_scipys_tests(sample: Warehouse, alpha: float) -> None:
    """Of the view of scores, which is what is compared."""
    values: dict[str, dict[str, list[float]]] = {}
    for measure, run, value in sample.rows("select measure, run, value from scores order by topic"):
        values.setdefault(measure, {}).setdefault(run, []).append(value)
    powers = {measure: rest for _, measure, *rest in sample.rows(f"from discriminative_power(alpha := {alpha})")}
    curve: dict[str, list[tuple[float, ...]]] = {}
    for measure, *rest in sample.rows("select measure, place, share, p from asl_curve order by measure, place"):
        curve.setdefault(measure, []).append(tuple(rest))
    assert powers.keys() == curve.keys() == values.keys()
    # Linear scale, and measures by which no two runs are the same.
    for measure in ("AP", "nDCG", "RR", "RBP", "P@10"):
        runs = values[measure]
        levels = sorted(stats.ttest_rel(runs[one], runs[two]).pvalue for one, two in combinations(sorted(runs), 2))
        significant = sum(level < alpha for level in levels)
        assert powers[measure] == [28, significant, significant / 28]
        assert [level for _, _, level in curve[measure]] == pytest.approx(levels, rel=1e-9, abs=1e-12)
        assert [place[:2] for place in curve[measure]] == [(nth, nth / 28) for nth in range(1, 29)]
    assert powers["NumRel"] == [28, 0, 0]
    assert {level for _, _, level in curve["NumRel"]} == {1}


@pytest.mark.parametrize("test", few_of(["sign", "randomisation", "t", "wilcoxon", "bootstrap", "tukey"], 1))
def test_discriminative_power_by_every_test(warehouse: Warehouse, test: str) -> None:
    """Shares counted over the p values of comparisons by the same arguments; seed and samples reach the test."""
    chance = random.Random(12)
    rows = [
        ("set", f"run{run}", f"t{topic}", measure, chance.randint(0, 20 + 5 * run) / 45)
        for measure in ("AP", "RR")
        for run in range(5)
        for topic in range(24)
    ]
    put_rows(warehouse, rows)
    curves = []
    for arguments in ("samples := 60, seed := 5", "samples := 60, seed := 6", "samples := 80, tolerance := 0.2"):
        call = f"test := '{test}', {arguments}"
        expected: dict[str, list[float]] = {"AP": [], "RR": []}
        for measure, p in warehouse.rows(f"select measure, p from comparisons({call}) order by p"):
            expected[measure].append(p)
        power = warehouse.rows(f"select measure, num_pairs, power from discriminative_power(alpha := 0.1, {call})")
        assert {measure: rest for measure, *rest in power} == {
            measure: [10, sum(p < 0.1 for p in levels) / 10] for measure, levels in expected.items()
        }
        curve = warehouse.rows(f"select measure, p from asl_curve({call}) order by measure, place")
        assert curve == [(measure, p) for measure, levels in expected.items() for p in levels]
        curves.append(curve)
    sampled = test in ("randomisation", "bootstrap", "tukey")
    assert (curves[0] != curves[1]) == sampled
    assert (curves[1] != curves[2]) == (sampled or test == "sign")
