"""evret: measures at a cutoff, averaged over a batch of queries."""

from evret import metrics as package

from tests.conformance.adapters.common import Qrels, Run, has_grades, parts, ranked, relevant

NAMES = {"P": "Precision", "R": "Recall", "RR": "MRR", "nDCG": "NDCG", "AP": "AveragePrecision"}
NAMES |= {"Success": "HitRate", "ERR": "ERR", "RBP": "RBP"}
LONGEST = 1000


def value(qrels: Qrels, run: Run, measure: str) -> float | None:
    name, k = parts(measure)
    if name not in NAMES or (name == "nDCG" and has_grades(qrels)):
        return None
    truths = [grades if name in ("ERR", "RBP") else set(relevant(grades)) for grades in qrels.values()]
    rankings = [ranked(run.get(topic, {})) for topic in qrels]
    return float(getattr(package, NAMES[name])(k=k or LONGEST).score(rankings, truths))
