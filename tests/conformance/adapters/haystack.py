"""haystack-ai: evaluators of lists of documents; they have no cutoff, so the caller cuts the list."""

from haystack import Document
from haystack.components import evaluators as package

from tests.conformance.adapters.common import Qrels, Run, parts, ranked, relevant


def value(qrels: Qrels, run: Run, measure: str) -> float | None:
    name, k = parts(measure)
    evaluator = {
        "AP": lambda: package.DocumentMAPEvaluator(),
        "RR": lambda: package.DocumentMRREvaluator(),
        "nDCG": lambda: package.DocumentNDCGEvaluator(),
        "R": lambda: package.DocumentRecallEvaluator(mode="multi_hit"),
        "Success": lambda: package.DocumentRecallEvaluator(mode="single_hit"),
    }.get(name)
    if evaluator is None or (name == "nDCG" and k is not None):
        return None
    graded = name == "nDCG"
    truth = [
        [Document(content=each, score=float(grades[each]) if graded else None) for each in relevant(grades)]
        for grades in qrels.values()
    ]
    found = [[Document(content=each) for each in ranked(run.get(topic, {}))[:k]] for topic in qrels]
    return float(evaluator().run(ground_truth_documents=truth, retrieved_documents=found)["score"])
