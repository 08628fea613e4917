"""mteb: the scores of its retrieval tasks, by pytrec_eval except MRR."""

from mteb._evaluators.retrieval_metrics import calculate_retrieval_scores

from tests.conformance.adapters.common import Qrels, Run, parts

NAMES = {"P": "precision", "R": "recall", "AP": "map", "RR": "mrr", "nDCG": "ndcg", "Success": "hit_rate"}


def value(qrels: Qrels, run: Run, measure: str) -> float | None:
    name, k = parts(measure)
    if name not in NAMES or k is None:
        return None
    (found,) = getattr(calculate_retrieval_scores(run, qrels, [k]), NAMES[name]).values()
    return float(found)
