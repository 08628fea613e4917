"""The peers' values: trec_eval 9 through pytrec_eval, and the published TAP-k program."""

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
    "SetAP": "set_map",
    "F": "set_F",
    "IPrecAvg": "11pt_avg",
    **{f"IPrec@{level}": f"iprec_at_recall_{level}0" for level in (0.0, 0.3, 1.0)},
    **{f"P@{k}": f"P_{k}" for k in CUTOFFS},
    **{f"R@{k}": f"recall_{k}" for k in CUTOFFS},
    **{f"AP@{k}": f"map_cut_{k}" for k in CUTOFFS},
    **{f"Success@{k}": f"success_{k}" for k in CUTOFFS},
}
GRADED = {"nDCG": "ndcg", **{f"nDCG@{k}": f"ndcg_cut_{k}" for k in CUTOFFS}}


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


def trec_eval(qrels: Qrels, run: Run, level: int = 1, *, judged_only: bool = False) -> dict[str, dict[str, float]]:
    """trec_eval's values by its measure and topic, for the topics in both; logarithms are undone.

    Where it divides 0 by 0 there is the 0 that is meant.
    """
    wanted = {*BINARY.values(), *GRADED.values()}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, wanted, level, judged_only)
    found: dict[str, dict[str, float]] = {}
    for topic, results in evaluator.evaluate(run).items():
        for name, value in results.items():
            shown = math.exp(value) if name == "gm_map" else 0.0 if math.isnan(value) else value
            found.setdefault(name, {})[topic] = shown
    return found


def tap(
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
