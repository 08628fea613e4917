"""The bytes trec_eval 9.0.8 prints, put together from its values (pytrec_eval) and its rules for averages."""

import math
from dataclasses import dataclass

import pytrec_eval

from tests.oracles import brute_force
from tests.random_collections import Qrels, Run

COUNTS = ("num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret")
GEOMETRIC = ("gm_map", "gm_bpref")
FLOOR = math.log(0.00001)
# In the order of the program; the names are those printed, cutoffs ascending.
CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
ALL_TREC = (
    *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank"),
    *(f"iprec_at_recall_{tenth / 10:.2f}" for tenth in range(11)),
    *(f"P_{k}" for k in CUTS),
    "relstring",
    *(f"recall_{k}" for k in CUTS),
    *("infAP", "gm_bpref"),
    *(f"Rprec_mult_{fifth / 5:.2f}" for fifth in range(1, 11)),
    *("utility", "11pt_avg", "binG", "G", "ndcg", "ndcg_rel", "Rndcg"),
    *(f"ndcg_cut_{k}" for k in CUTS),
    *(f"map_cut_{k}" for k in CUTS),
    *(f"relative_P_{k}" for k in CUTS),
    *("success_1", "success_5", "success_10"),
    *("set_P", "set_relative_P", "set_recall", "set_map", "set_F", "num_nonrel_judged_ret"),
)


@dataclass(frozen=True)
class Settings:
    """trec_eval's options -c, -l, -M, -J."""

    complete: bool = False
    level: int = 1
    depth: int | None = None
    judged_only: bool = False

    @property
    def flags(self) -> list[str]:
        given = ["-c"] if self.complete else []
        given += ["-l", str(self.level)] if self.level != 1 else []
        given += ["-M", str(self.depth)] if self.depth else []
        return [*given, "-J"] if self.judged_only else given


def output(qrels: Qrels, run: Run, settings: Settings, *, tag: str, names: tuple[str, ...] = ALL_TREC) -> str:
    """What ``trec_eval -q -m ...`` prints for the names; where it divides 0 by 0 there is the 0 that is meant."""
    cut = {topic: _first(scores, settings.depth) for topic, scores in run.items()}
    wanted = set(pytrec_eval.supported_measures) - {"runid", "num_q", "relstring"}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, wanted, settings.level, settings.judged_only)
    found: dict[str, dict[str, float]] = {
        topic: {name: 0.0 if math.isnan(value) else value for name, value in values.items()}
        for topic, values in evaluator.evaluate(cut).items()
    }
    lines = []
    for topic in sorted(found, key=str.encode):
        for name in names:
            if name == "relstring":
                lines.append(f"{name:<22}\t{topic}\t'{_relevance_string(qrels[topic], cut[topic], settings)}'")
            elif name in found[topic] and name not in GEOMETRIC:
                lines.append(f"{name:<22}\t{topic}\t{_shown(name, found[topic][name])}")
    num_topics = len(qrels) if settings.complete else len(found)
    for name in names:
        if name == "runid":
            lines.append(f"{name:<22}\tall\t{tag}")
        elif name == "num_q":
            lines.append(f"{name:<22}\tall\t{num_topics}")
        elif name != "relstring":
            lines.append(f"{name:<22}\tall\t{_shown(name, _mean(name, found, qrels, num_topics, settings))}")
    return "".join(f"{line}\n" for line in lines)


def _mean(name: str, found: dict[str, dict[str, float]], qrels: Qrels, num_topics: int, settings: Settings) -> float:
    if name == "num_rel" and settings.complete:
        return sum(grade > 0 for grades in qrels.values() for grade in grades.values())
    total = 0.0
    for topic in sorted(found, key=str.encode):
        total += found[topic][name]
    if name in COUNTS:
        return total
    if name in GEOMETRIC:
        return math.exp((total + (num_topics - len(found)) * FLOOR) / num_topics)
    return total / num_topics


def _shown(name: str, value: float) -> str:
    return str(int(value)) if name in COUNTS else f"{value:6.4f}"


def _first(scores: dict[str, float], depth: int | None) -> dict[str, float]:
    return {document: scores[document] for document in brute_force.ranking(scores)[:depth]}


def _relevance_string(grades: dict[str, int], scores: dict[str, float], settings: Settings) -> str:
    signs = []
    for document in brute_force.ranking(scores):
        grade = grades.get(document)
        if grade is None or grade < 0:
            signs.append("-" if grade is None else ".")
        else:
            signs.append(">" if grade > 9 else str(grade))
    if settings.judged_only:
        signs = [sign for sign in signs if sign not in "-."]
    return "".join(signs[:10])
