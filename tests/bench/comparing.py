"""The benchmarks of tests between systems, on the values of AP that a warehouse holds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial

from tests.bench.machine import installed_version
from tests.bench.report import Goal, Measured, Result
from tests.bench.stage import Stage


def statistics(stage: Stage) -> Iterator[Result]:
    """Tukey's HSD of all pairs and paired t beside a baseline; scipy has the values ready in memory."""
    systems, samples = len(stage.covid.runs), stage.sizes.samples
    command = ["compare", stage.covid.runs[0].stem, "--all-pairs", "-m", "AP", "--test", "tukey", "--samples", samples]
    command += ["--db", stage.need_warehouse(), "--format", "csv"]
    here = stage.repeated("compare --all-pairs --test tukey", partial(stage.evalsql, *command))
    work = f"compare --all-pairs --test tukey, whole command, {systems} systems, {samples:,} permutations"
    pairs = systems * (systems - 1) // 2
    yield _beside(stage, "pairs", work, here, f"scipy, permutation_test of {pairs:,} pairs in one call; once")
    peak, limit = Measured([here.peak or 0]), Measured([4 * 10**9])
    yield Result("statistics", f"peak memory of {work}", peak, "4 GB", limit, Goal("below", 1), "MB")
    work = f"the query alone, AP and paired t, {systems - 1} systems beside a baseline"
    here = _asked(stage, "evalsql", "t")
    yield _beside(stage, "t", work, here, "scipy, ttest_rel, all in one call, AP ready")


def _beside(stage: Stage, test: str, work: str, here: Measured, shown: str) -> Result:
    missing = installed_version("scipy") is None
    note = "not measured: scipy is not installed (pip install '.[bench]')" if missing else ""
    return Result("statistics", work, here, shown, None if missing else _asked(stage, "scipy", test), note=note)


def _asked(stage: Stage, who: str, test: str) -> Measured:
    stage.say(f"{who} tests the systems")
    repeat = 1 if test == "pairs" else stage.sizes.repeat
    outcome = stage.timed("tests", who, test, repeat, stage.sizes.samples, stage.warehouse)
    return Measured(json.loads(outcome.output), peak=outcome.peak)
