"""ir-eval-numba: the measures of ir-evaluation, compiled by Numba over arrays of numbers."""

import numpy
from ir_eval_numba import metrics as package

from tests.conformance.adapters.common import Grades, Qrels, Run, has_grades, mean, parts, relevant

NAMES = {"P": "precision", "R": "recall", "F": "f1_score", "AP": "average_precision", "nDCG": "ndcg"}
NAMES |= {"RR": "reciprocal_rank"}


def value(qrels: Qrels, run: Run, measure: str) -> float | None:
    name, k = parts(measure)
    if name not in NAMES or (name == "nDCG" and (k is None or has_grades(qrels))):
        return None

    def score(grades: Grades, ranking: list[str]) -> float:
        numbers = {document: at for at, document in enumerate([*ranking, *grades])}
        actual, predicted = (
            numpy.array([numbers[each] for each in documents], dtype=numpy.int64)
            for documents in (relevant(grades), ranking)
        )
        return float(getattr(package, NAMES[name])(actual, predicted, k or len(ranking)))

    return mean(qrels, run, score)
