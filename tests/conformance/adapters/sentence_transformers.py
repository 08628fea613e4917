"""sentence-transformers: its evaluator of information retrieval, whose metrics are asked without a model."""

from sentence_transformers.sentence_transformer.evaluation import InformationRetrievalEvaluator

from tests.conformance.adapters.common import Qrels, Run, has_grades, parts, relevant

NAMES = {"P": "precision", "R": "recall", "AP": "map", "RR": "mrr", "nDCG": "ndcg", "Success": "accuracy"}
CUTOFFS = ("precision_recall_at_k", "map_at_k", "mrr_at_k", "ndcg_at_k", "accuracy_at_k")


def value(qrels: Qrels, run: Run, measure: str) -> float | None:
    name, k = parts(measure)
    if name not in NAMES or k is None or (name == "nDCG" and has_grades(qrels)):
        return None
    corpus = {document: document for each in [*qrels.values(), *run.values()] for document in each}
    truth = {topic: set(relevant(grades)) for topic, grades in qrels.items()}
    evaluator = InformationRetrievalEvaluator(
        {topic: topic for topic in qrels}, corpus, truth, **{each: [k] for each in CUTOFFS}
    )
    found = [
        [{"corpus_id": document, "score": score} for document, score in run.get(topic, {}).items()]
        for topic in evaluator.queries_ids
    ]
    return float(evaluator.compute_metrics(found)[f"{NAMES[name]}@k"][k])
