"""Distributions as scalar macros: against arbitrary precision (mpmath) and scipy, far into the tails."""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain, product
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


def hedges_factor(df: float) -> object:
    return mpmath.gamma(mpmath.mpf(df) / 2) / mpmath.sqrt(mpmath.mpf(df) / 2) / mpmath.gamma(mpmath.mpf(df - 1) / 2)


def each_alone(*points: Iterable[float]) -> list[tuple[float]]:
    return [(float(x),) for x in chain(*points)]


SHAPES = (0.5, 1, 2.5, 10, 100, 3000)
NEAR_EDGES = (0.0, 1e-12, -0.67448975, 0.67448976, -5.656854249492380, -5.65685424949239)
T_VALUES = (0, 1e-8, -0.01, 0.5, 0.99, 1, -1.01, 2, 3.3, 10, -50, 1e3, 1e6)
F_VALUES = (1e-6, 0.01, 0.5, 1, 1.7, 4, 30, 1000)
SIGNS = [(k, n - k) for n in (1, 2, 3, 10, 50, 51, 300, 1000) for k in {0, 1, n // 4, n // 2, n}]
# Function, its arguments, and what gives the same.
CASES: list[tuple[str, Sequence[Sequence[float]], Callable[..., Any]]] = [
    ("normal_cdf", each_alone(np.linspace(-37.5, 9, 400), NEAR_EDGES), mpmath.ncdf),
    ("normal_quantile", each_alone(TAILS, np.linspace(0.001, 0.999, 333), (0.075, 0.925, 1 - 1e-9)), special.ndtri),
    ("beta_cdf", [*product((1e-12, 0.001, 0.1, 0.37, 0.5, 0.8, 0.99), SHAPES, SHAPES)], regularised),
    (
        "trigamma",
        each_alone(np.geomspace(0.01, 1e9, 300), (0.5, 1, 2, 100)),
        lambda x: mpmath.polygamma(1, mpmath.mpf(x)),
    ),
    ("student_p", [*product(T_VALUES, DEGREES)], student_p),
    ("student_p", [*product((0.001, 0.3, -1.7, 2.1, 4.4), DEGREES)], lambda t, df: 2 * stats.t.sf(abs(t), df)),
    ("student_quantile", [*product((0.75, 0.9, 0.95, 0.975, 0.995), DEGREES)], stats.t.ppf),
    ("f_p", [*product(F_VALUES, (1, 2, 7, 125, 1000), (1, 2, 30, 49, 6125))], f_p),
    ("sign_p", SIGNS, lambda wins, losses: stats.binomtest(int(wins), int(wins + losses)).pvalue),
    ("hedges_correction", each_alone((2, 3, 10, 49, 199)), hedges_factor),
]


@pytest.mark.parametrize(("function", "cases", "oracle"), CASES)
def test_values(
    warehouse: Warehouse, function: str, cases: Sequence[Sequence[float]], oracle: Callable[..., Any]
) -> None:
    check(warehouse, function, cases, oracle)


def test_values_at_the_ends(warehouse: Warehouse) -> None:
    ends: dict[str, float | None] = {
        "normal_cdf('-inf'::double)": 0,
        "normal_cdf('inf'::double)": 1,
        "normal_cdf(null)": None,
        "normal_quantile(0)": float("-inf"),
        "normal_quantile(1)": float("inf"),
        "beta_cdf(0, 2, 3)": 0,
        "beta_cdf(1, 2, 3)": 1,
        "trigamma(null)": None,
        "student_quantile(0.5, 3)": 0,
        "sign_p(0, 0)": 1,
    }
    assert warehouse.rows(f"select {', '.join(ends)}") == [tuple(ends.values())]


@pytest.mark.parametrize("degrees", few_of([DEGREES[::4], DEGREES], 1, one_value=True))
def test_quantiles_of_student(warehouse: Warehouse, degrees: Sequence[int]) -> None:
    """Those whose p value is that of which they are the quantile, where scipy is not precise."""
    upper = (0.5000001, 0.51, 0.75, 0.975, 0.9999)
    check(warehouse, "student_quantile", list(product(upper, degrees)), lambda p, df: _quantile(1 - mpmath.mpf(p), df))
    check(warehouse, "student_quantile", list(product(TAILS, degrees)), lambda p, df: -_quantile(mpmath.mpf(p), df))


def _quantile(tail: Any, df: float) -> Any:
    """Bisection on the logarithm of t, by which the tail falls all the way."""
    low, high = mpmath.mpf(10) ** -9, mpmath.mpf(10) ** 301
    low, high = mpmath.log(low), mpmath.log(high)
    with mpmath.workdps(30):
        for _ in range(57):
            middle = (low + high) / 2
            low, high = (middle, high) if student_p(mpmath.exp(middle), df) > 2 * tail else (low, middle)
    return mpmath.exp(low)


def test_power_of_the_t_test(warehouse: Warehouse) -> None:
    cases = list(product((0, 0.01, 0.1, 0.3, 0.8, 2, 10), (2, 3, 5, 10, 25, 50, 200), (0.05, 0.01, 0.001)))
    rows = ", ".join(map(str, cases))
    found = warehouse.rows(f"select e, n, a, t_test_power(e, n, a) from (values {rows}) as cases(e, n, a)")
    for effect, n, alpha, power in found:
        expected = TTestPower().power(float(effect), n, float(alpha))
        if not np.isnan(expected):  # where scipy's noncentral t gives up
            assert power == pytest.approx(expected, abs=1e-8), (effect, n, alpha)


@pytest.mark.long  # by default detectable_differences reads both
@pytest.mark.parametrize("num_topics", [10, 2, 3, 50])
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


@pytest.mark.long
@pytest.mark.parametrize("sought", [0.3, 0.01, 0.05, 0.5, -0.8, 2, 20])
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


@pytest.mark.parametrize(("num", "expected"), [(0, "0 runs"), (1, "1 run"), (2, "2 runs"), (12_345, "12,345 runs")])
def test_a_noun_has_its_number(sample: Warehouse, num: int, expected: str) -> None:
    assert sample.rows(f"select count_of({num}, 'run')") == [(expected,)]
