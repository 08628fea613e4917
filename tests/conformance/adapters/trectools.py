"""trectools: measures of a run and judgments as pandas tables."""

import pandas
import trectools as package

from tests.conformance.adapters.common import Qrels, Run, parts

NAMES = {"P": "precision", "R": "recall", "AP": "map", "RR": "reciprocal_rank", "nDCG": "ndcg", "Rprec": "rprec"}
NAMES |= {"Bpref": "bpref", "RBP": "rbp"}
ALL = 1000


def value(qrels: Qrels, run: Run, measure: str) -> float | None:
    name, k = parts(measure)
    if name not in NAMES:
        return None
    judged, retrieved = package.TrecQrel(), package.TrecRun()
    judged.qrels_data = pandas.DataFrame(
        [(topic, "0", document, grade) for topic, grades in qrels.items() for document, grade in grades.items()],
        columns=["query", "q0", "docid", "rel"],
    )
    retrieved.run_data = pandas.DataFrame(
        [
            (topic, "Q0", document, rank, score, "run")
            for topic, scores in run.items()
            for rank, (document, score) in enumerate(scores.items(), 1)
        ],
        columns=["query", "q0", "docid", "rank", "score", "system"],
    )
    found = getattr(package.TrecEval(retrieved, judged), f"get_{NAMES[name]}")(depth=k or ALL)
    return float(found[0] if name == "RBP" else found)
