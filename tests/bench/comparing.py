"""The benchmarks of tests between systems, on the values of AP that a warehouse holds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial

from tests.bench.machine import installed_version
from tests.bench.report import Goal, Measured, Result
from tests.bench.stage import Stage

# ranx takes minutes for all pairs; the time for each pair is the same.
_FEW = 12


def statistics(stage: Stage) -> Iterator[Result]:
    """Tukey's HSD of all pairs and paired t beside a baseline; the peers have the values ready in memory."""
    systems, samples = len(stage.covid.runs), stage.sizes.samples
    command = ["compare", stage.covid.runs[0].stem, "--all-pairs", "-m", "AP", "--test", "tukey", "--samples", samples]
    command += ["--db", stage.need_warehouse(), "--format", "csv"]
    here = stage.repeated("compare --all-pairs --test tukey", partial(stage.evalsql, *command))
    work = f"compare --all-pairs --test tukey, whole command, {systems} systems, {samples:,} permutations"
    pairs = systems * (systems - 1) // 2
    yield _beside(stage, "scipy", "pairs", work, here, f"permutation_test of {pairs:,} pairs in one call; once")
    few = min(_FEW, systems)
    scale = systems * (systems - 1) / (few * (few - 1))
    shown = "compare by fisher, each pair both ways, without scoring; once"
    if few < systems:
        shown += f", of {few} systems, x {scale:.3g} for all pairs"
    yield _beside(stage, "ranx", "pairs", work, here, shown, systems=few, scale=scale)
    peak, limit = Measured([here.peak or 0]), Measured([4 * 10**9])
    yield Result("statistics", f"peak memory of {work}", peak, "4 GB", limit, Goal("below", 1), "MB")
    here = _asked(stage, "evalsql", "t", systems)
    work = f"the query alone, AP and paired t, {systems - 1} systems beside a baseline"
    yield _beside(stage, "scipy", "t", work, here, "ttest_rel, all in one call, AP ready")
    yield _beside(stage, "ranx", "t", work, here, "compare by student, AP ready; it tests all pairs, both ways")


def _beside(
    stage: Stage, peer: str, test: str, work: str, here: Measured, shown: str, *, systems: int = 0, scale: float = 1
) -> Result:
    shown = f"{peer}, {shown}"
    if installed_version(peer) is None:
        note = f"not measured: {peer} is not installed (pip install '.[bench]')"
        return Result("statistics", work, here, shown, None, note=note)
    times = _asked(stage, peer, test, systems or len(stage.covid.runs))
    there = Measured([seconds * scale for seconds in times.values], peak=times.peak)
    return Result("statistics", work, here, shown, there)


def _asked(stage: Stage, who: str, test: str, systems: int) -> Measured:
    stage.say(f"{who} tests {systems} systems")
    repeat = 1 if test == "pairs" else stage.sizes.repeat
    outcome = stage.timed("tests", who, test, repeat, stage.sizes.samples, systems, stage.warehouse)
    return Measured(json.loads(outcome.output), peak=outcome.peak)
