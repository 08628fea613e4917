"""searcheval: measures of a vector of relevance."""

from searcheval import metrics as package

from tests.conformance.adapters.common import Grades, Qrels, Run, mean, parts, relevant


def value(qrels: Qrels, run: Run, measure: str) -> float | None:
    name, k = parts(measure)
    if name not in ("P", "R", "AP", "Rprec", "nDCG"):
        return None

    def score(grades: Grades, ranking: list[str]) -> float:
        gains = [max(grades.get(document, 0), 0) for document in ranking]
        hits = [int(gain > 0) for gain in gains]
        if name == "nDCG":
            ideal = sorted((grade for grade in grades.values() if grade > 0), reverse=True)
            return float(package.nDCG_at_rank(gains, ideal, k) if k else package.nDCG(gains, ideal))
        if name == "P":
            return float(package.precision_at_rank(hits, k) if k else package.precision(hits))
        if name == "AP":
            return float(package.avg_prec(hits[:k] if k else hits))
        total = len(relevant(grades))
        if name == "R":
            return float(package.recall_at_rank(hits, total, k) if k else package.recall(hits, total))
        return float(package.r_prec(hits, total))

    return mean(qrels, run, score)
