"""pyndeval: ndeval inside Python. Its measures average over subtopics; each topic here has one."""

import pyndeval as package

from tests.conformance.adapters.common import Qrels, Run, parts


def value(qrels: Qrels, run: Run, measure: str) -> float | None:
    name, k = parts(measure)
    if name != "P" and measure != "AP":
        return None
    asked = f"P-IA@{k}" if k else "MAP-IA"
    judged = [
        package.SubtopicQrel(topic, "1", document, grade)
        for topic, grades in qrels.items()
        for document, grade in grades.items()
    ]
    retrieved = [
        package.ScoredDoc(topic, document, score) for topic, scores in run.items() for document, score in scores.items()
    ]
    topics = package.RelevanceEvaluator(judged, [asked]).evaluate(retrieved)
    return float(sum(each[asked] for each in topics.values()) / len(topics))
