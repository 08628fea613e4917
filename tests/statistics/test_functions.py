"""Distributions as scalar macros: against arbitrary precision (mpmath) and scipy, far into the tails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import special, stats
from statsmodels.stats.power import TTestPower

from evalsql import Warehouse
from tests.long_cases import few_of

pytestmark = pytest.mark.fast

mpmath.mp.dps = 40
TAILS = (1e-300, 1e-200, 1e-100, 1e-30, 1e-10, 1e-4)
DEGREES = (1, 2, 3, 4, 7, 20, 49, 99, 500, 10_000)


def check(warehouse: Warehouse, function: str, cases: Sequence[Sequence[float]], oracle: Callable[..., Any]) -> None:
    """Each value to 1e-12 of itself, as the last digits of an exponential of -690 are the thirteenth, or to 1e-16."""
    names = [f"x{nth}" for nth in range(len(cases[0]))]
    rows = ", ".join(f"({', '.join(f'{value!r}::double' for value in case)})" for case in cases)
    columns = ", ".join(names)
    found = warehouse.rows(f"select {columns}, {function}({columns}) from (values {rows}) as cases({columns})")
    assert len(found) == len(cases)
    for *case, value in found:
        expected = float(oracle(*case))
        exact = 1e-306 if abs(expected) < 1e-9 and not function.endswith("quantile") else 1e-16
        assert value == pytest.approx(expected, rel=1e-12, abs=exact), (function, case)


def regularised(x: object, a: float, b: float) -> object:
    return mpmath.betainc(a, b, 0, x, regularized=True)


def student_p(t: float, df: float) -> object:
    return regularised(1 / (1 + mpmath.mpf(t) ** 2 / df), mpmath.mpf(df) / 2, 0.5)


def f_p(f: float, df1: float, df2: float) -> object:
    return regularised(1 / (1 + mpmath.mpf(f) * df1 / df2), mpmath.mpf(df2) / 2, mpmath.mpf(df1) / 2)


def test_normal_probabilities(warehouse: Warehouse) -> None:
    points = [*np.linspace(-37.5, 9, 400), 0.0, 1e-12, -0.67448975, 0.67448976, -5.656854249492380, -5.65685424949239]
    check(warehouse, "normal_cdf", [(float(x),) for x in points], mpmath.ncdf)
    assert warehouse.rows("select normal_cdf('-inf'::double), normal_cdf('inf'::double), normal_cdf(null)") == [
        (0, 1, None)
    ]


def test_normal_quantiles(warehouse: Warehouse) -> None:
    points = [*TAILS, *np.linspace(0.001, 0.999, 333), 0.075, 0.925, 1 - 1e-9]
    check(warehouse, "normal_quantile", [(float(p),) for p in points], special.ndtri)
    assert warehouse.rows("select normal_quantile(0), normal_quantile(1)") == [(float("-inf"), float("inf"))]


def test_incomplete_beta_function(warehouse: Warehouse) -> None:
    shapes = (0.5, 1, 2.5, 10, 100, 3000)
    points = (1e-12, 0.001, 0.1, 0.37, 0.5, 0.8, 0.99)
    check(warehouse, "beta_cdf", list(product(points, shapes, shapes)), regularised)
    assert warehouse.rows("select beta_cdf(0, 2, 3), beta_cdf(1, 2, 3)") == [(0, 1)]


def test_trigamma(warehouse: Warehouse) -> None:
    points = [*np.geomspace(0.01, 1e9, 300), 0.5, 1, 2, 100]
    check(warehouse, "trigamma", [(float(x),) for x in points], lambda x: mpmath.polygamma(1, mpmath.mpf(x)))
    assert warehouse.rows("select trigamma(null)") == [(None,)]


def test_p_values_of_student(warehouse: Warehouse) -> None:
    points: tuple[float, ...] = (0, 1e-8, -0.01, 0.5, 0.99, 1, -1.01, 2, 3.3, 10, -50, 1e3, 1e6)
    check(warehouse, "student_p", list(product(points, DEGREES)), student_p)
    points = (0.001, 0.3, -1.7, 2.1, 4.4)
    check(warehouse, "student_p", list(product(points, DEGREES)), lambda t, df: 2 * stats.t.sf(abs(t), df))


@pytest.mark.parametrize("degrees", few_of([DEGREES[::4], DEGREES], 1, one_value=True))
def test_quantiles_of_student(warehouse: Warehouse, degrees: Sequence[int]) -> None:
    """Those whose p value is that of which they are the quantile; where scipy is precise, its quantiles."""
    upper = (0.5000001, 0.51, 0.75, 0.975, 0.9999)
    check(warehouse, "student_quantile", list(product(upper, degrees)), lambda p, df: _quantile(1 - mpmath.mpf(p), df))
    check(warehouse, "student_quantile", list(product(TAILS, degrees)), lambda p, df: -_quantile(mpmath.mpf(p), df))
    upper = (0.75, 0.9, 0.95, 0.975, 0.995)
    check(warehouse, "student_quantile", list(product(upper, DEGREES)), stats.t.ppf)
    assert warehouse.rows("select student_quantile(0.5, 3)") == [(0,)]


def _quantile(tail: Any, df: float) -> Any:
    """Bisection on the logarithm of t, by which the tail falls all the way."""
    low, high = mpmath.mpf(10) ** -9, mpmath.mpf(10) ** 301
    low, high = mpmath.log(low), mpmath.log(high)
    with mpmath.workdps(30):
        for _ in range(57):
            middle = (low + high) / 2
            low, high = (middle, high) if student_p(mpmath.exp(middle), df) > 2 * tail else (low, middle)
    return mpmath.exp(low)


def test_p_values_of_f(warehouse: Warehouse) -> None:
    points = (1e-6, 0.01, 0.5, 1, 1.7, 4, 30, 1000)
    check(warehouse, "f_p", list(product(points, (1, 2, 7, 125, 1000), (1, 2, 30, 49, 6125))), f_p)


def test_p_values_of_the_sign_test(warehouse: Warehouse) -> None:
    cases = [(k, n - k) for n in (1, 2, 3, 10, 50, 51, 300, 1000) for k in {0, 1, n // 4, n // 2, n}]
    check(warehouse, "sign_p", cases, lambda wins, losses: stats.binomtest(int(wins), int(wins + losses)).pvalue)
    assert warehouse.rows("select sign_p(0, 0)") == [(1,)]


def test_correction_of_hedges(warehouse: Warehouse) -> None:
    def factor(df: float) -> object:
        return mpmath.gamma(mpmath.mpf(df) / 2) / mpmath.sqrt(mpmath.mpf(df) / 2) / mpmath.gamma(mpmath.mpf(df - 1) / 2)

    check(warehouse, "hedges_correction", [(df,) for df in (2, 3, 10, 49, 199)], factor)


def test_power_of_the_t_test(warehouse: Warehouse) -> None:
    cases = list(product((0, 0.01, 0.1, 0.3, 0.8, 2, 10), (2, 3, 5, 10, 25, 50, 200), (0.05, 0.01, 0.001)))
    rows = ", ".join(map(str, cases))
    found = warehouse.rows(f"select e, n, a, t_test_power(e, n, a) from (values {rows}) as cases(e, n, a)")
    for effect, n, alpha, power in found:
        expected = TTestPower().power(float(effect), n, float(alpha))
        if not np.isnan(expected):  # where scipy's noncentral t gives up
            assert power == pytest.approx(expected, abs=1e-8), (effect, n, alpha)


@pytest.mark.parametrize("num_topics", few_of([10, 2, 3, 50], 1))
def test_detectable_effects_have_the_power_asked_for(warehouse: Warehouse, num_topics: int) -> None:
    cases = ", ".join(map(str, product((num_topics,), (0.05, 0.001), (0.8, 0.99))))
    found = warehouse.rows(f"""
        select n, a, p, detectable_effect(n, a, p), t_test_power(detectable_effect(n, a, p), n, a)
        from (values {cases}) as cases(n, a, p)
    """)
    for n, alpha, power, effect, reached in found:
        assert reached == pytest.approx(float(power), abs=1e-9)
        expected = TTestPower().power(effect, n, float(alpha))
        if not np.isnan(expected):
            assert expected == pytest.approx(float(power), abs=1e-8)


@pytest.mark.parametrize("sought", few_of([0.3, 0.01, 0.05, 0.5, -0.8, 2, 20], 1))
def test_topics_needed_are_the_fewest_with_the_power(warehouse: Warehouse, sought: float) -> None:
    cases = ", ".join(map(str, product((sought,), (0.05, 0.001), (0.5, 0.8, 0.95))))
    found = warehouse.rows(f"""
        with found as (
            select *, topics_needed(e, a, p) as n from (values {cases}) as cases(e, a, p)
        )
        select e, a, p, n, t_test_power(e, n, a), case when n > 2 then t_test_power(e, n - 1, a) else 0 end from found
    """)
    for effect, alpha, power, n, reached, short in found:
        assert short < power <= reached, (effect, alpha, power, n)
        if 0.05 <= abs(effect) <= 0.5:
            expected = TTestPower().solve_power(effect_size=abs(float(effect)), alpha=float(alpha), power=float(power))
            assert n == np.ceil(expected)
