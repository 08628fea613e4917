"""ranx: measures compiled by Numba."""

import ranx as package

from tests.conformance.adapters.common import Qrels, Run, parts

NAMES = {"P": "precision", "R": "recall", "AP": "map", "RR": "mrr", "nDCG": "ndcg", "DCG": "dcg", "F": "f1"}
NAMES |= {"Success": "hit_rate", "Rprec": "r-precision", "Bpref": "bpref", "RBP": "rbp.8"}


def value(qrels: Qrels, run: Run, measure: str) -> float | None:
    return _value(qrels, run, measure, NAMES)


def burges(qrels: Qrels, run: Run, measure: str) -> float | None:
    return _value(qrels, run, measure, {"nDCG": "ndcg_burges", "DCG": "dcg_burges"})


def _value(qrels: Qrels, run: Run, measure: str, names: dict[str, str]) -> float | None:
    name, k = parts(measure)
    if name not in names:
        return None
    asked = f"{names[name]}@{k}" if k else names[name]
    return float(package.evaluate(package.Qrels(qrels), package.Run(run), asked, make_comparable=True))
