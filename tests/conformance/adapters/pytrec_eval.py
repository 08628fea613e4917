"""pytrec-eval-terrier: trec_eval 9 inside Python."""

import pytrec_eval as package

from tests.conformance.adapters.common import Qrels, Run, parts

WHOLE = {"AP": "map", "RR": "recip_rank", "nDCG": "ndcg", "Rprec": "Rprec", "Bpref": "bpref"}
CUT = {"P": "P", "R": "recall", "AP": "map_cut", "nDCG": "ndcg_cut", "Success": "success"}


def value(qrels: Qrels, run: Run, measure: str) -> float | None:
    name, k = parts(measure)
    if name not in (WHOLE if k is None else CUT):
        return None
    asked, given = (WHOLE[name],) * 2 if k is None else (f"{CUT[name]}.{k}", f"{CUT[name]}_{k}")
    topics = package.RelevanceEvaluator(qrels, {asked}).evaluate(run)
    return float(package.compute_aggregated_measure(given, [each[given] for each in topics.values()]))
