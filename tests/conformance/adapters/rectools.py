"""rectools: measures of recommendations and interactions, whose users are topics here and items documents."""

import pandas
from rectools import metrics as package

from tests.conformance.adapters.common import Qrels, Run, has_grades, parts, ranked, relevant

NAMES = {"P": "Precision", "R": "Recall", "AP": "MAP", "RR": "MRR", "nDCG": "NDCG", "Success": "HitRate"}


def value(qrels: Qrels, run: Run, measure: str) -> float | None:
    return _value(qrels, run, measure)


def achievable(qrels: Qrels, run: Run, measure: str) -> float | None:
    """With ``divide_by_achievable``."""
    return _value(qrels, run, measure, divide_by_achievable=True) if parts(measure)[0] == "nDCG" else None


def _value(qrels: Qrels, run: Run, measure: str, **options: bool) -> float | None:
    name, k = parts(measure)
    if name not in NAMES or k is None or (name == "nDCG" and has_grades(qrels)):
        return None
    recommended = pandas.DataFrame(
        [(topic, each, rank) for topic in run for rank, each in enumerate(ranked(run[topic]), 1)],
        columns=["user_id", "item_id", "rank"],
    )
    interactions = pandas.DataFrame(
        [(topic, each) for topic, grades in qrels.items() for each in relevant(grades)], columns=["user_id", "item_id"]
    )
    return float(getattr(package, NAMES[name])(k=k, **options).calc(recommended, interactions))
