"""ragas: precision and recall of context ids; they have no cutoff, so the caller cuts the list."""

import asyncio

from ragas import metrics as package
from ragas.dataset_schema import SingleTurnSample

from tests.conformance.adapters.common import Qrels, Run, mean, parts, relevant

NAMES = {"P": "IDBasedContextPrecision", "R": "IDBasedContextRecall"}


def value(qrels: Qrels, run: Run, measure: str) -> float | None:
    name, k = parts(measure)
    if name not in NAMES:
        return None
    metric = getattr(package, NAMES[name])()

    def score(grades: dict[str, int], ranking: list[str]) -> float:
        sample = SingleTurnSample(retrieved_context_ids=ranking[:k], reference_context_ids=relevant(grades))
        return float(asyncio.run(metric.single_turn_ascore(sample)))

    return mean(qrels, run, score)
