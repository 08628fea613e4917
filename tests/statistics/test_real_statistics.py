"""All systems of TREC-COVID round 5 against one of them: scipy's figures, in little time."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import evalsql
from evalsql import Warehouse
from tests.conftest import new_file, real_data

REAL = real_data()
BASELINE = "BRPHJ_BM25"
SECONDS = 5  # of all cores together
pytestmark = [pytest.mark.long, pytest.mark.skipif(REAL is None, reason="no real data: see tests/conftest.py")]


@pytest.fixture(scope="module")
def covid(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warehouse]:
    assert REAL is not None
    folder = REAL / "trec-covid-r5"
    with evalsql.open(new_file(tmp_path_factory.mktemp("covid"))) as warehouse:
        warehouse.load_qrels(folder / "qrels.txt", "r5")
        warehouse.load_runs(str(folder / "runs" / "*.run.gz"))
        yield warehouse


def test_tests_of_125_systems_equal_scipy_and_take_seconds(covid: Warehouse) -> None:
    values: dict[str, dict[str, float]] = {}
    for run, topic, value in covid.rows("select run, topic, value from scores where measure = 'AP'"):
        values.setdefault(run, {})[topic] = value
    topics = sorted(values[BASELINE])
    base = np.array([values[BASELINE][topic] for topic in topics])
    gaps = {run: np.array([scores[topic] for topic in topics]) - base for run, scores in values.items()}
    oracles = {
        "t": lambda gap: stats.ttest_1samp(gap, 0).pvalue,
        "wilcoxon": lambda gap: stats.wilcoxon(np.round(gap, 12)).pvalue,
        "sign": lambda gap: stats.binomtest(int(np.sum(gap > 0)), np.count_nonzero(gap)).pvalue,
    }
    oracle: Any
    for test, oracle in oracles.items():
        begun = time.process_time()
        found = covid.rows(f"""
            select run, p, p_corrected, num_tests, note from comparisons('{BASELINE}', test := '{test}')
            where measure = 'AP' order by run
        """)
        assert time.process_time() - begun < SECONDS
        assert [run for run, *_ in found] == sorted(values.keys() - {BASELINE})
        assert len(found) == 125
        for run, p, _, num_tests, note in found:
            assert (num_tests, note) == (125, None)
            assert p == pytest.approx(oracle(gaps[run]), rel=1e-9), (test, run)
        expected = multipletests([p for _, p, *_ in found], method="holm")[1]
        assert [corrected for _, _, corrected, *_ in found] == pytest.approx(list(expected), rel=1e-9)


def test_sampled_tests_of_several_systems_are_scipys_within_chance(covid: Warehouse) -> None:
    """Some near the baseline and some far: p and ends of intervals by 10,000 samples of other generators."""
    chosen = [run for (run,) in covid.rows("select run from runs order by run")][::16]
    names = ", ".join(f"'{run}'" for run in {*chosen, BASELINE})
    covid.execute(f"""
        create or replace temp table scores as
        select qrels, run, topic, 'AP' as measure, value from ap() where run in ({names})
    """)
    values: dict[str, list[float]] = {}
    for run, value in covid.rows("select run, value from scores order by run, topic"):
        values.setdefault(run, []).append(value)
    call = f"comparisons('{BASELINE}', test := '%s', intervals := '%s') order by run"
    found = {
        (test, run): (p, low, high)
        for test, intervals in (("randomisation", "percentile"), ("bootstrap", "bca"))
        for run, p, low, high in covid.rows(f"select run, p, low, high from {call % (test, intervals)}")
    }
    covid.execute("drop table temp.scores")
    assert len(found) == 2 * len(values) - 2 >= 12
    drawing = np.random.default_rng(8)
    for run in sorted(values.keys() - {BASELINE}):
        gaps = np.array(values[run]) - np.array(values[BASELINE])
        peer = stats.permutation_test(
            (gaps,), np.mean, permutation_type="samples", vectorized=True, n_resamples=10_000, rng=drawing
        )
        assert abs(found["randomisation", run][0] - peer.pvalue) <= chance(peer.pvalue), run
        draws = gaps[drawing.integers(len(gaps), size=(10_000, len(gaps)))].mean(axis=1)
        share = float(np.mean(np.abs(draws - gaps.mean()) >= abs(gaps.mean()) - 1e-12))
        assert abs(found["bootstrap", run][0] - share) <= chance(share), run
        for test, method in (("randomisation", "percentile"), ("bootstrap", "BCa")):
            drawn = stats.bootstrap([gaps], np.mean, n_resamples=10_000, method=method, rng=drawing)
            assert found[test, run][1:] == pytest.approx(
                list(drawn.confidence_interval), abs=0.2 * drawn.standard_error
            ), (run, method)


def chance(share: float) -> float:
    """How far two shares of 10,000 samples each may lie apart: five standard errors and what is added to both."""
    return 5 * math.sqrt(2 * share * (1 - share) / 10_000) + 5e-4


def test_the_same_ranking_under_two_names_is_said_to_be_identical(covid: Warehouse) -> None:
    found = covid.rows("""
        select distinct p, p_corrected, note from comparisons('DoRA_MSMARCO_1k') where run = 'DoRA_NO_Judgments_1k'
    """)
    assert found == [(1, 1, "identical")]


def test_every_measure_of_all_systems_at_once(covid: Warehouse) -> None:
    """A table named scores in the place of the view: what is compared is then computed once."""
    covid.execute("create temp table scores as from main.scores")
    ((num_measures,),) = covid.rows("select count(distinct measure) from scores")
    assert num_measures > 15
    for test in ("t", "wilcoxon", "sign"):
        begun = time.process_time()
        found = covid.rows(f"select count(*), min(p) >= 0 from comparisons('{BASELINE}', test := '{test}')")
        assert time.process_time() - begun < SECONDS
        assert found == [(125 * num_measures, True)]
    (pairs,) = covid.rows("select count(*), count(distinct run) from t_tests() where measure = 'AP'")
    assert pairs == (126 * 125 // 2, 125)
