"""rankereval: measures of label and ranking matrices, NaN where a topic has no relevant document."""

import rankereval as package

from tests.conformance.adapters.common import Qrels, Run, parts, ranked

NAMES = {"P": "Precision", "R": "Recall", "F": "F1", "AP": "AP", "RR": "ReciprocalRank"}
LONGEST = 1000


def value(qrels: Qrels, run: Run, measure: str) -> float | None:
    name, k = parts(measure)
    if name in NAMES:
        return _value(qrels, run, getattr(package, NAMES[name])(k or LONGEST), binary=True)
    if name in ("nDCG", "DCG"):
        return _value(qrels, run, getattr(package, name.upper())(k, log_base="2"), binary=False)
    return None


def power(qrels: Qrels, run: Run, measure: str) -> float | None:
    """With ``relevance_scaling="power"``."""
    name, k = parts(measure)
    if name not in ("nDCG", "DCG"):
        return None
    metric = getattr(package, name.upper())(k, log_base="2", relevance_scaling="power")
    return _value(qrels, run, metric, binary=False)


def _value(qrels: Qrels, run: Run, metric: object, binary: bool) -> float:
    documents = dict.fromkeys(each for topic in qrels for each in [*qrels[topic], *run.get(topic, {})])
    numbers = {document: at for at, document in enumerate(documents)}
    if binary:
        labels = package.BinaryLabels.from_positive_indices(
            [[numbers[each] for each, grade in grades.items() if grade > 0] for grades in qrels.values()]
        )
    else:
        labels = package.NumericLabels.from_matrix(
            [[max(grades.get(document, 0), 0) for document in documents] for grades in qrels.values()]
        )
    rankings = package.Rankings.from_ranked_indices(
        [[numbers[each] for each in ranked(run.get(topic, {}))] for topic in qrels]
    )
    return float(metric.mean(labels, rankings))
