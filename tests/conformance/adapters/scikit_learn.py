"""scikit-learn: metrics of true grades and scores for the same documents, which the caller chooses."""

from sklearn import metrics as package

from tests.conformance.adapters.common import Qrels, Run, parts


def value(qrels: Qrels, run: Run, measure: str) -> float | None:
    """With the documents retrieved, those that have a score."""
    return _value(qrels, run, measure)


def judged_too(qrels: Qrels, run: Run, measure: str) -> float | None:
    """With all judged documents; those not retrieved have a score below the others."""
    below = min((score for scores in run.values() for score in scores.values()), default=0.0) - 1
    whole = {topic: {**dict.fromkeys(grades, below), **run.get(topic, {})} for topic, grades in qrels.items()}
    return _value(qrels, whole, measure)


def _value(qrels: Qrels, run: Run, measure: str) -> float | None:
    name, k = parts(measure)
    if name not in ("nDCG", "DCG", "AP") or (name == "AP" and k is not None):
        return None
    values = []
    for topic, grades in qrels.items():
        scores = run.get(topic, {})
        truth = [max(grades.get(document, 0), 0) for document in scores]
        if name == "AP":
            values.append(package.average_precision_score([grade > 0 for grade in truth], list(scores.values())))
        else:
            score = package.ndcg_score if name == "nDCG" else package.dcg_score
            values.append(score([truth], [list(scores.values())], k=k))
    return float(sum(values) / len(values))
