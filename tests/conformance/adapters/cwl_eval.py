"""cwl-eval: the C/W/L framework. Gains are given, so relevance is a gain of 1 or 0 here."""

from cwl.ruler import cwl_ruler as package
from cwl.ruler.ranking import RankingMaker
from cwl.seeker.trec_qrel_handler import TrecQrelHandler

from tests.conformance.adapters.common import Grades, Qrels, Run, mean, parts, relevant


def value(qrels: Qrels, run: Run, measure: str) -> float | None:
    name, k = parts(measure)
    if name not in (("P", "nDCG") if k else ("AP", "RR", "RBP")):
        return None
    metric = {
        "P": lambda: package.PrecisionCWLMetric(k),
        "nDCG": lambda: package.NDCGCWLMetric(k),
        "AP": lambda: package.APCWLMetric(),
        "RR": lambda: package.RRCWLMetric(),
        "RBP": lambda: package.RBPCWLMetric(0.8),
    }[name]()

    def score(grades: Grades, ranking: list[str]) -> float:
        gains = TrecQrelHandler()
        for document, grade in grades.items():
            gains.put_value("topic", document, max(grade, 0) if name == "nDCG" else document in relevant(grades))
        made = RankingMaker("topic", gains)
        for document in ranking:
            made.add(document, "Q0")
        return float(metric.measure(made.get_ranking()))

    return mean(qrels, run, score)
