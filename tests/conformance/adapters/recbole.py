"""recbole: measures of recommended items, as a matrix of hits and the number of relevant items of each user."""

import torch
from recbole.evaluator import metrics as package
from recbole.evaluator.collector import DataStruct

from tests.conformance.adapters.common import Qrels, Run, has_grades, parts, ranked, relevant

NAMES = {"P": "Precision", "R": "Recall", "AP": "MAP", "RR": "MRR", "nDCG": "NDCG", "Success": "Hit"}
DECIMALS = 12


def value(qrels: Qrels, run: Run, measure: str) -> float | None:
    name, k = parts(measure)
    if name not in NAMES or k is None or (name == "nDCG" and has_grades(qrels)):
        return None
    rows = []
    for topic, grades in qrels.items():
        hits = [int(grades.get(document, 0) > 0) for document in ranked(run.get(topic, {}))[:k]]
        rows.append([*hits, *[0] * (k - len(hits)), len(relevant(grades))])
    data = DataStruct()
    data.set("rec.topk", torch.tensor(rows))
    metric = getattr(package, NAMES[name])({"topk": [k], "metric_decimal_place": DECIMALS})
    return float(metric.calculate_metric(data)[f"{NAMES[name].lower()}@{k}"])
