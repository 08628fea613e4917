"""torcheval: retrieval precision of scores and targets, over the documents retrieved."""

import torch
from torcheval.metrics import functional as package

from tests.conformance.adapters.common import Qrels, Run, parts


def value(qrels: Qrels, run: Run, measure: str) -> float | None:
    name, k = parts(measure)
    if name != "P":
        return None
    values = []
    for topic, scores in run.items():
        target = torch.tensor([float(qrels.get(topic, {}).get(document, 0) > 0) for document in scores])
        found = package.retrieval_precision(torch.tensor(list(scores.values()), dtype=torch.float64), target, k=k)
        values.append(float(found))
    return sum(values) / len(values)
