"""The benchmarks of runs that are in memory already, as in a training loop."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.bench.peers import Peers
from tests.bench.report import Goal, Measured, Result
from tests.bench.stage import Stage

PEER = "pytrec_eval-terrier, the same dicts and measures"


def from_memory(stage: Stage, peers: Peers) -> Iterator[Result]:
    """One run asked of an evaluator that is prepared, and of the peer's, by turns in one process."""
    for topics, documents in stage.sizes.memory:
        shape = f"{topics:,} topics x {documents:,} documents"
        stage.say(f"evaluating from memory, {shape}")
        output = stage.python("-m", "tests.bench.memory_work", stage.sizes.repeat, topics, documents).output
        seconds = {name: Measured(values) for name, values in json.loads(output).items()}
        is_small = topics * documents < 100_000
        peer = Measured([0.025]) if is_small else seconds["pytrec_eval"]
        shown = "25 ms" if is_small else PEER
        for kind, most in (("dicts", 1 if is_small else 2.5), ("Arrow", 1 if is_small else 1.5)):
            work = f"Evaluator.evaluate, three measures, {kind}, {shape}"
            yield Result("memory", work, seconds[kind], shown, peer, Goal("at most", most))
