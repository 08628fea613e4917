"""Compares systems by AP: ``python -m tests.bench.statistics_work WHO TEST REPEAT SAMPLES SYSTEMS DB``.

WHO is evalsql, ranx or scipy. TEST is t, paired t tests beside the first system, or pairs, a sampled test of all pairs.
Prints as JSON the seconds of each time. evalsql asks an open warehouse, after a first time; the peers are given the
values of AP that the warehouse holds, and what they compile or load at first is done before.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable

import evalsql

Scores = dict[str, list[float]]


def scores(database: str) -> Scores:
    """AP by system, both in the order of names."""
    found: Scores = {}
    with evalsql.open(database, read_only=True) as warehouse:
        for _, run, _, _, value in warehouse.evaluate("AP", per_topic=True).fetchall():
            found.setdefault(run, []).append(value)
    return found


def ranx(test: str, values: Scores, samples: int) -> Callable[[], object]:
    """What its ``compare`` does after scoring: each pair both ways, whatever the baseline."""
    import numpy
    from ranx.statistical_tests import compute_statistical_significance

    given = {run: {"map": numpy.array(row)} for run, row in values.items()}
    name = {"t": "student", "pairs": "fisher"}[test]
    compute_statistical_significance(list(given)[:2], given, name, 10)
    return lambda: compute_statistical_significance(list(given), given, name, samples)


def scipy(test: str, values: Scores, samples: int) -> Callable[[], object]:
    """All pairs in one call each."""
    import numpy
    import scipy.stats

    table = numpy.array(list(values.values()))
    if test == "t":
        return lambda: scipy.stats.ttest_rel(table[1:], table[:1], axis=1)
    first, second = numpy.triu_indices(len(table), 1)
    differences = table[first] - table[second]
    return lambda: scipy.stats.permutation_test(
        (differences,),
        numpy.mean,
        permutation_type="samples",
        vectorized=True,
        axis=1,
        n_resamples=samples,
        batch=10,
        rng=numpy.random.default_rng(1),
    )


def timed(work: Callable[[], object], repeat: int) -> list[float]:
    seconds = []
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return seconds


def main() -> None:
    who, test, repeat, samples, systems, database = sys.argv[1:]
    values = dict(list(scores(database).items())[: int(systems)])
    if who == "evalsql":
        baseline = next(iter(values))
        with evalsql.open(database, read_only=True) as warehouse:
            seconds = timed(lambda: warehouse.compare(baseline, measures="AP").fetchall(), int(repeat) + 1)[1:]
    else:
        seconds = timed({"ranx": ranx, "scipy": scipy}[who](test, values, int(samples)), int(repeat))
    print(json.dumps(seconds))


if __name__ == "__main__":
    main()
