"""torchmetrics: retrieval metrics of predictions and targets, over the documents retrieved."""

import torch
from torchmetrics import retrieval as package

from tests.conformance.adapters.common import Qrels, Run, parts

NAMES = {"P": "Precision", "R": "Recall", "AP": "MAP", "RR": "MRR", "nDCG": "NormalizedDCG", "Success": "HitRate"}
NAMES |= {"Rprec": "RPrecision"}


def value(qrels: Qrels, run: Run, measure: str) -> float | None:
    name, k = parts(measure)
    if name not in NAMES:
        return None
    metric = getattr(package, f"Retrieval{NAMES[name]}")(**({} if name == "Rprec" else {"top_k": k}))
    rows = [
        (number, score, max(qrels.get(topic, {}).get(document, 0), 0))
        for number, topic in enumerate(run)
        for document, score in run[topic].items()
    ]
    target = torch.tensor([grade if name == "nDCG" else int(grade > 0) for _, _, grade in rows], dtype=torch.long)
    scores = torch.tensor([score for _, score, _ in rows], dtype=torch.float64)
    return float(metric(scores, target, indexes=torch.tensor([number for number, _, _ in rows], dtype=torch.long)))
