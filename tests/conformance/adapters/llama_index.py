"""llama-index-core: metrics of expected and retrieved ids; they have no cutoff, so the caller cuts the list."""

from llama_index.core.evaluation.retrieval import metrics as package

from tests.conformance.adapters.common import Qrels, Run, has_grades, mean, parts, relevant

NAMES = {"P": "Precision", "R": "Recall", "AP": "AveragePrecision", "RR": "MRR", "nDCG": "NDCG", "Success": "HitRate"}


def value(qrels: Qrels, run: Run, measure: str) -> float | None:
    name, k = parts(measure)
    if name not in NAMES or (name == "nDCG" and has_grades(qrels)):
        return None
    score = getattr(package, NAMES[name])().compute
    return mean(
        qrels,
        run,
        lambda grades, ranking: score(query="", expected_ids=relevant(grades), retrieved_ids=ranking[:k]).score,
    )
