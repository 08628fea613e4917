"""ir-evaluation: measures of relevant and predicted lists in plain Python."""

from ir_evaluation import metrics as package

from tests.conformance.adapters.common import Qrels, Run, has_grades, mean, parts, relevant

NAMES = {"P": "precision", "R": "recall", "F": "f1_score", "AP": "average_precision", "nDCG": "ndcg"}
NAMES |= {"RR": "reciprocal_rank"}


def value(qrels: Qrels, run: Run, measure: str) -> float | None:
    name, k = parts(measure)
    if name not in NAMES or (name == "nDCG" and (k is None or has_grades(qrels))):
        return None
    score = getattr(package, NAMES[name])
    return mean(qrels, run, lambda grades, ranking: score(relevant(grades), ranking, k or len(ranking)))
