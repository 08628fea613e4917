"""All systems of TREC-COVID round 5 against one of them: scipy's figures, in little time."""

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
