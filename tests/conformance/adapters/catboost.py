"""catboost: metrics of learning to rank, over grades and scores of documents in groups."""

from catboost.utils import eval_metric

from tests.conformance.adapters.common import Qrels, Run, parts

NAMES = {"P": "PrecisionAt", "R": "RecallAt", "AP": "MAP", "RR": "MRR", "nDCG": "NDCG", "DCG": "DCG", "ERR": "ERR"}


def value(qrels: Qrels, run: Run, measure: str) -> float | None:
    """With the documents retrieved; gains and stops are the defaults."""
    return _value(qrels, run, measure, "")


def exponential(qrels: Qrels, run: Run, measure: str) -> float | None:
    """With ``type=Exp``."""
    return _value(qrels, run, measure, ";type=Exp") if parts(measure)[0] in ("nDCG", "DCG") else None


def _value(qrels: Qrels, run: Run, measure: str, how: str) -> float | None:
    name, k = parts(measure)
    if name not in NAMES:
        return None
    rows = [
        (topic, qrels.get(topic, {}).get(document, 0), score)
        for topic, scores in run.items()
        for document, score in scores.items()
    ]
    if not rows:
        return None  # the process ends with a segmentation fault otherwise
    greatest = max((grade for _, grade, _ in rows), default=1)
    truth = [max(grade, 0) / (max(greatest, 1) if name == "ERR" else 1) for _, grade, _ in rows]
    asked = f"{NAMES[name]}:top={k or -1}{how}" + (";denominator=LogPosition" if name.endswith("DCG") else "")
    names = list(run)
    found = eval_metric(truth, [each[2] for each in rows], asked, group_id=[names.index(each[0]) for each in rows])
    return float(found[0])
