"""rank-eval: the predecessor of ranx."""

import rank_eval as package

from tests.conformance.adapters.common import Qrels, Run, parts

NAMES = {"P": "precision", "R": "recall", "AP": "map", "RR": "mrr", "nDCG": "ndcg", "Rprec": "r-precision"}


def value(qrels: Qrels, run: Run, measure: str) -> float | None:
    name, k = parts(measure)
    if name not in NAMES:
        return None
    asked = f"{NAMES[name]}@{k}" if k else NAMES[name]
    answered = [topic for topic in qrels if topic in run]  # it refuses topics without documents
    judged, retrieved = ({topic: each[topic] for topic in answered} for each in (qrels, run))
    return float(package.evaluate(judged, retrieved, asked))
