"""rag-eval-lite: five measures of retrieved and relevant chunks."""

from rag_eval import metrics as package

from tests.conformance.adapters.common import Qrels, Run, has_grades, parts, ranked, relevant

NAMES = {"P": "mean_precision", "R": "mean_recall", "RR": "mean_mrr", "nDCG": "mean_ndcg", "Success": "mean_hit_rate"}


def value(qrels: Qrels, run: Run, measure: str) -> float | None:
    name, k = parts(measure)
    if name not in NAMES or k is None or (name == "nDCG" and has_grades(qrels)):
        return None
    queries = [
        package.QueryResult(topic, ranked(run.get(topic, {})), set(relevant(grades))) for topic, grades in qrels.items()
    ]
    return float(getattr(package.RAGEvaluator(k=k).evaluate(queries), NAMES[name]))
