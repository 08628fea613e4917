"""toolkit-rag-quality: six measures of judgments and ranked ids."""

from toolkit_rag_quality import retrieval as package

from tests.conformance.adapters.common import Qrels, Run, parts, ranked

NAMES = {"P": "precision", "R": "recall", "RR": "mrr", "nDCG": "ndcg", "AP": "map", "Success": "hit_rate"}


def value(qrels: Qrels, run: Run, measure: str) -> float | None:
    name, k = parts(measure)
    if name not in NAMES or k is None:
        return None
    rankings = {topic: ranked(scores) for topic, scores in run.items()}
    return float(package.score_run(qrels=qrels, run=rankings, k=k).summary[f"{NAMES[name]}_at_k"])
