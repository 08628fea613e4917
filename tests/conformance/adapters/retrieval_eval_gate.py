"""retrieval-eval-gate: four measures of a gold set and the documents found."""

from rag_eval_gate import backends, goldset
from rag_eval_gate import metrics as package

from tests.conformance.adapters.common import Qrels, Run, has_grades, ranked, relevant

NAMES = {"R@5": "recall@5", "R@10": "recall@10", "RR@10": "mrr@10", "nDCG@10": "ndcg@10"}


def value(qrels: Qrels, run: Run, measure: str) -> float | None:
    if measure not in NAMES or (measure == "nDCG@10" and has_grades(qrels)):
        return None
    scores = [
        package.score_query(
            goldset.GoldQuery(query_id=topic, text=topic, relevant=frozenset(relevant(grades))),
            [backends.Hit(document, run[topic][document]) for document in ranked(run.get(topic, {}))],
        )
        for topic, grades in qrels.items()
    ]
    return float(package.aggregate(scores)[NAMES[measure]])
