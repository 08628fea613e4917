"""The peers' values: trec_eval 9 through pytrec_eval, and the published TAP-k program."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pytrec_eval
import tapk

from tests.oracles import brute_force
from tests.random_collections import Qrels, Run

CUTOFFS = (1, 5, 10, 100)
# Name here, name in trec_eval.
BINARY = {
    "AP": "map",
    "GMAP": "gm_map",
    "Rprec": "Rprec",
    "Bpref": "bpref",
    "RR": "recip_rank",
    "NumRet": "num_ret",
    "NumRel": "num_rel",
    "NumRelRet": "num_rel_ret",
    "R": "set_recall",
    "P(k=null)": "set_P",
    **{f"P@{k}": f"P_{k}" for k in CUTOFFS},
    **{f"R@{k}": f"recall_{k}" for k in CUTOFFS},
    **{f"AP@{k}": f"map_cut_{k}" for k in CUTOFFS},
    **{f"Success@{k}": f"success_{k}" for k in CUTOFFS},
}
GRADED = {"nDCG": "ndcg", **{f"nDCG@{k}": f"ndcg_cut_{k}" for k in CUTOFFS}}
_CUT = ("P", "recall", "map_cut", "success", "ndcg_cut")
_WHOLE = ("map", "gm_map", "Rprec", "bpref", "recip_rank", "num_ret", "num_rel", "num_rel_ret", "set_recall", "set_P")
_WANTED = {*_WHOLE, "ndcg", *(f"{name}.{','.join(map(str, CUTOFFS))}" for name in _CUT)}


def at_level(level: int) -> dict[str, str]:
    """trec_eval's name of each measure here, with ``rel`` where it is not the default."""
    if level == 1:
        return {**BINARY, **GRADED}
    named = {}
    for name, theirs in BINARY.items():
        base, at, k = name.partition("@")
        if name == "NumRet":
            named[name] = theirs
        elif base.endswith(")"):
            named[f"{base[:-1]},rel={level})"] = theirs
        else:
            named[f"{base}(rel={level}){at}{k}"] = theirs
    return named


def trec_eval(qrels: Qrels, run: Run, level: int = 1) -> dict[str, dict[str, float]]:
    """trec_eval's values by its measure and topic, for the topics in both; logarithms are undone."""
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, _WANTED, relevance_level=level)
    found: dict[str, dict[str, float]] = {}
    for topic, results in evaluator.evaluate(run).items():
        for name, value in results.items():
            found.setdefault(name, {})[topic] = math.exp(value) if name == "gm_map" else value
    return found


def tap(
    qrels: Qrels, run: Run, k: int, quantile: float = 0.5, *, ascending: bool = False
) -> tuple[float, dict[str, float]] | None:
    """Threshold and values of the published program, or None where it stops for want of false positives."""
    result = tap_result(qrels, run, ascending=ascending, k=k, quantile=quantile)
    return result and (result.e0, {query.query: query.tap for query in result.queries})


def tap_result(
    qrels: Qrels, run: Run, weights: Mapping[str, float] | None = None, *, ascending: bool = False, **options: Any
) -> tapk.Result | None:
    """What the published program makes of these lists with its own options, or None where it stops.

    Scores go in as the 32-bit floats by which they are ordered here.
    """
    lines = []
    for topic, grades in qrels.items():
        weight = (weights or {}).get(topic)
        relevant = sum(grade >= 1 for grade in grades.values())
        lines += [topic if weight is None else f"{topic} {weight!r}", str(relevant)]
        sign = -1 if ascending else 1
        scores = {document: sign * score for document, score in run.get(topic, {}).items()}
        for document in brute_force.ranking(scores):
            lines.append(f"{int(grades.get(document, 0) >= 1)} {sign * brute_force.single(scores[document])!r}")
        lines.append("")
    try:
        return tapk.tapk([lines], monotonicity="asc" if ascending else "desc", **options)
    except tapk.InputError:
        return None
