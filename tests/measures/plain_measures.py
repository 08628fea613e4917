"""Measures and what they give beside the value, each with a plain loop that computes it on random collections."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial

from tests.oracles import brute_force, brute_force_curves
from tests.oracles import brute_force_user_models as plain
from tests.oracles.brute_force_user_models import Grades, Scores, of_listed

# Grades, scores and the greatest grade of the judgment set.
Topic = Callable[[Grades, Scores, int], float]
Onward = Callable[[int, float, float], float]
Looked = Callable[[Sequence[float]], tuple[float, float]]


def of_gains(value: Callable[[list[float]], float], min_rel: int = 0, max_rel: int | None = None) -> dict[str, Topic]:
    """A function of the scaled gains."""
    return {"value": lambda grades, scores, greatest: value(plain.scaled(grades, scores, max_rel or greatest, min_rel))}


def of_grades(value: Callable[[Grades, Scores], float]) -> dict[str, Topic]:
    return {"value": lambda grades, scores, greatest: value(grades, scores)}


def of_reader(looked: Looked, min_rel: int = 0, max_rel: int | None = None) -> dict[str, Topic]:
    """All columns of a reader who gains and looks at so much."""

    def column(pick: Callable[[float, float], float]) -> Topic:
        return lambda grades, scores, greatest: pick(
            *looked(plain.scaled(grades, scores, max_rel or greatest, min_rel))
        )

    return {
        "value": column(lambda gained, items: gained / items),
        "expected_total_utility": column(lambda gained, items: gained),
        "expected_items": column(lambda gained, items: items),
    }


def down_to(depth: int, onward: Onward) -> Looked:
    return lambda gains: plain.examined(gains, onward, depth)[:2]


def endlessly(onward: Onward, shift: Callable[[Sequence[float]], float]) -> Looked:
    return lambda gains: plain.examined_endlessly(gains, onward, shift(gains))


def stopping(t: float, k: int) -> Looked:
    return down_to(k, lambda rank, gain, total: float(total < t))


def num_pairs(grades: Grades, scores: Scores, k: int | None) -> float:
    hits = [grade >= 1 for grade in plain.graded(grades, scores)[:k]]
    return float(sum(one != other for at, one in enumerate(hits) for other in hits[at + 1 :]) if any(hits) else 0)


def preferred_rank(grades: Grades, scores: Scores) -> float:
    order = plain.graded(grades, scores)
    return order.index(max(order)) + 1 if any(order) else 0


def shown(gains: dict[int, float]) -> str:
    return ",".join(f"{grade}:{gain}" for grade, gain in gains.items())


# Of every grade that the collections have, and of one that they lack. They lie within 0 to 1 or beyond on either side,
# touch these or all are one.
GAINS: tuple[dict[int, float], ...] = (
    {4: 3, 0: -1, 1: 1, 2: 0.5, 3: 2},
    {0: 0.1, 1: 0.5, 2: 1, 3: 0.2, 4: 0.9},
    {0: 0, 1: 0.25, 2: 0.5, 3: 0.4, 4: 0.1},
    {0: -1, 1: 1, 2: 0.5, 3: 0.25, 4: 0.75},
    {0: 0.5, 1: 1, 2: 2, 3: 3, 4: 4},
    {0: 0.5, 1: 0.75, 2: 1.5, 3: 1, 4: 1.25},
    {4: 7, 3: 2, 2: 3, 1: 1, 0: 0.5},
    {9: 8, 0: 0.5, 1: 1, 2: 2, 3: 3, 4: 4},
    {0: 2, 1: 2, 2: 2, 3: 2, 4: 2},
)
LOSSES = {0: -1.0, 1: 2.0, 2: 0.5, 3: 0.7, 4: -0.3}
FEW = {0: -1.0, 1: 2.0, 2: 0.5}

# Where no grade is above the least that is worth something, or all gains are one, nothing is.
WORTHLESS: dict[str, dict[str, Topic]] = {
    **{
        f"{name}(min_rel={least},max_rel={most},depth=20)": of_gains(
            partial(plain.rate, onward=onward, depth=20), least, most
        )
        for name, onward in (("INSQ", plain.insq_onward(1)), ("INST", plain.inst_onward(1)))
        for least, most in ((2, 2), (3, 2))
    },
    f"RBP_scaled(p=0.6,gains={{{shown(GAINS[-1])}}})": of_grades(
        partial(brute_force.rbp_scaled, p=0.6, gains=GAINS[-1])
    ),
}
READERS: dict[str, dict[str, Topic]] = {
    "NERR8@5": of_reader(down_to(5, plain.nerr8_onward)),
    "NERR9@20": of_reader(down_to(20, plain.nerr9_onward)),
    "NERR10(p=0.7,depth=5)": of_reader(down_to(5, plain.nerr10_onward(0.7))),
    "NERR10(depth=null)": of_reader(down_to(400, plain.nerr10_onward(0.9))),
    "NERR11(t=1.5,depth=7)": of_reader(down_to(7, plain.nerr11_onward(1.5))),
    "NERR11(depth=null)": of_reader(endlessly(plain.nerr11_onward(1), lambda gains: 2)),
    "NERR11(t=2,depth=null)": of_reader(endlessly(plain.nerr11_onward(2), lambda gains: 4)),
    "BPM@5": of_reader(stopping(1, 5)),
    "BPM(t=2.5,max_rel=4)@30": of_reader(stopping(2.5, 30), 0, 4),
    "IFT(depth=20)": of_reader(down_to(20, plain.ift_onward(2, 0.9, 1))),
    # Readers who go on nearly for sure: the items of a long stretch are all but its size.
    "IFT(t=1,b=1e8,r=0.01,depth=90)": of_reader(down_to(90, plain.ift_onward(1, 1e8, 0.01))),
    "INST(t=3,depth=12)": of_reader(down_to(12, plain.inst_onward(3))),
    "INST(t=0.5,min_rel=1,max_rel=3)": of_reader(down_to(1000, plain.inst_onward(0.5)), 1, 3),
    "INST(depth=null)": of_reader(endlessly(plain.inst_onward(1), lambda gains: 2 - math.fsum(gains))),
}
USER_MODELS: dict[str, dict[str, Topic]] = {
    **READERS,
    "ERR": of_grades(plain.err),
    "ERR@3": of_grades(partial(plain.err, k=3)),
    "ERR(max_rel=2)@10": of_grades(partial(plain.err, k=10, max_rel=2)),
    "ERR(max_rel=null)": {"value": lambda grades, scores, greatest: plain.err(grades, scores, max_rel=greatest)},
    "nERR": of_grades(plain.nerr),
    "nERR(max_rel=1)@5": {
        **of_grades(partial(plain.nerr, k=5, max_rel=1)),
        "err": lambda grades, scores, greatest: plain.err(grades, scores, 5, 1),
        "ideal_err": lambda grades, scores, greatest: plain.cascade(plain.ideal(grades), 5, 1),
    },
    "nERR(max_rel=null)@2": {"value": lambda grades, scores, greatest: plain.nerr(grades, scores, 2, greatest)},
    "IFT(t=1,b=3,r=5)": of_gains(partial(plain.rate, onward=plain.ift_onward(1, 3, 5), depth=1000)),
    "IFT(t=0.5,b=0.1,r=0.2,depth=null)": of_gains(
        partial(plain.rate, onward=plain.ift_onward(0.5, 0.1, 0.2), depth=300)
    ),
    "IFT(t=1,b=1e20,r=0,depth=90)": of_gains(partial(plain.rate, onward=plain.ift_onward(1, 1e20, 0), depth=90)),
    "INSQ(t=2,depth=10)": of_gains(partial(plain.rate, onward=plain.insq_onward(2), depth=10)),
    "INSQ(depth=null)": of_gains(partial(plain.endless, onward=plain.insq_onward(1), last_shift=2)),
    "INST(t=0.25)": of_gains(partial(plain.rate, onward=plain.inst_onward(0.25), depth=1000)),
    # The depth at a document with a gain, so that what is still wanted below it can be less than nothing.
    "INST(t=0.25,depth=2)": of_gains(partial(plain.rate, onward=plain.inst_onward(0.25), depth=2)),
    "INST(t=0.5,depth=1)": of_gains(partial(plain.rate, onward=plain.inst_onward(0.5), depth=1)),
    "NPV(rate=0.5,depth=6)": of_gains(partial(plain.rate, onward=lambda rank, gain, total: 1 / 1.5, depth=6)),
    "NPV(depth=null)": of_gains(partial(plain.rate, onward=lambda rank, gain, total: 1 / 1.1, depth=400)),
    "RBP(p=0.8,rel=1)@10": of_gains(lambda gains: sum(0.2 * 0.8**at for at, gain in enumerate(gains[:10]) if gain)),
    "SDCG@7": of_gains(partial(plain.sdcg, k=7)),
    "SDCG(min_rel=1,max_rel=3)@1": of_gains(partial(plain.sdcg, k=1), 1, 3),
    "Compat": of_grades(partial(plain.compat, p=0.95, normalize=True)),
    "Compat(p=0.3,normalize=false)": {
        **of_grades(partial(plain.compat, p=0.3, normalize=False)),
        "num_ideal": lambda grades, scores, greatest: float(len(plain.ideal(grades))),
    },
    "Accuracy": {
        **of_grades(plain.accuracy),
        "num_pairs": lambda grades, scores, greatest: num_pairs(grades, scores, None),
    },
    "Accuracy@4": {
        **of_grades(partial(plain.accuracy, k=4)),
        "num_pairs": lambda grades, scores, greatest: num_pairs(grades, scores, 4),
    },
    "Hits": of_grades(plain.hits),
    "CG@3": of_grades(partial(plain.cg, k=3)),
    "nCG": of_grades(plain.ncg),
    "nCG@3": of_grades(partial(plain.ncg, k=3)),
    f"nCG(gains={{{shown(FEW)}}})": of_grades(partial(brute_force.ncg, gains=FEW)),
    "nDCG@3": {
        "dcg": lambda grades, scores, greatest: brute_force.dcg(
            grades, {each: scores[each] for each in brute_force.ranking(scores)[:3]}, {at: at for at in range(5)}
        ),
        "idcg": lambda grades, scores, greatest: plain.ideal_dcg(grades, 3),
    },
    "IDCG@3": of_grades(lambda grades, scores: plain.ideal_dcg(grades, 3)),
    f"IDCG(gains={{{shown(FEW)}}})": of_grades(of_listed(lambda grades, scores: plain.ideal_dcg(grades), FEW)),
    "nDCG_rel(gains={0:-0.1,1:2,2:0.5})": of_grades(partial(brute_force.ndcg_rel, gains={0: -0.1, 1: 2.0, 2: 0.5})),
    "Judged(k=null)": of_grades(lambda grades, scores: brute_force.judged(grades, scores, len(scores))),
    "Q": of_grades(plain.q_measure),
    "Q(beta=10)": of_grades(partial(plain.q_measure, beta=10)),
    "AWP": of_grades(plain.awp),
    "R_measure": of_grades(plain.r_measure),
    "R_measure(beta=3)": of_grades(partial(plain.r_measure, beta=3)),
    "O_measure": of_grades(plain.o_measure),
    "O_measure(beta=0.5)": of_grades(partial(plain.o_measure, beta=0.5)),
    **{
        name: {
            **of_grades(partial(plain.p_plus, beta=beta)),
            "preferred_rank": lambda grades, scores, greatest: preferred_rank(grades, scores),
        }
        for name, beta in (("P_plus", 1), ("P+(beta=5)", 5))
    },
    "GAP": of_grades(partial(plain.gap, chances=dict.fromkeys(range(1, 5), 0.25))),
    "GAP(gains={1:0.1,2:0.5,3:0.5,4:1})": of_grades(partial(plain.gap, chances={1: 0.1, 2: 0.4, 4: 0.5})),
    # A grade of 0 is never reached, whatever its gain.
    "GAP(gains={0:0.5,1:0.7,2:1,3:1,4:1})": of_grades(partial(plain.gap, chances={1: 0.7, 2: 0.3})),
    "PRES": of_grades(partial(plain.pres, k=1000)),
    "PRES@5": of_grades(partial(plain.pres, k=5)),
}
BINARY: dict[str, Callable[[Grades, Scores], float]] = {
    "FRS": brute_force.frs,
    "FRS(base=1.024)": partial(brute_force.frs, base=1.024),
    "Judged@10": brute_force.judged,
    "RBP": brute_force.rbp,
    "RBP(p=0.5,gains={1:0.5,2:1})": partial(brute_force.rbp, p=0.5, gains={1: 0.5, 2: 1.0}),
    "RBP_residual": brute_force.rbp_residual,
    "nDCG(dcg='exp-log2')@10": partial(brute_force.ndcg, gains={1: 1, 2: 3, 3: 7, 4: 15}, k=10),
    "nDCG(gains={0:0.25,1:0.5,2:0.9})@5": partial(brute_force.ndcg, gains={0: 0.25, 1: 0.5, 2: 0.9}, k=5),
}
CURVES: dict[str, Callable[[Grades, Scores], float]] = {
    **{
        f"IPrec_textbook@{float(level)}": partial(brute_force_curves.interpolated, recall=level)
        for level in (Fraction(0), Fraction(3, 10), Fraction(7, 10), Fraction(37, 100), Fraction(1))
    },
    "IPrecAvg_textbook": brute_force_curves.eleven_points,
    "BreakEven": brute_force_curves.break_even,
    "MaxF": lambda grades, scores: brute_force_curves.max_f(grades, scores)[0],
    "MaxF(beta=2)": lambda grades, scores: brute_force_curves.max_f(grades, scores, 2)[0],
    "GSuccess@10": partial(brute_force_curves.generalized_success, k=10),
    "GSuccess@30": partial(brute_force.frs, base=2 ** (1 / 29)),
    "FPR@5": partial(brute_force_curves.false_positive_rate, k=5),
    "FPR(k=null)": partial(brute_force_curves.false_positive_rate, k=10**9),
    "FPR(nonrelevant='judged')@5": partial(brute_force_curves.false_positive_rate, k=5, nonrelevant="judged"),
    "FPR(collection=300)@5": partial(brute_force_curves.false_positive_rate, k=5, collection=300),
    "Specificity(nonrelevant='judged')@5": partial(brute_force_curves.specificity, k=5, nonrelevant="judged"),
    "ROC@1": partial(brute_force_curves.roc_n, n=1),
    "ROC@3": partial(brute_force_curves.roc_n, n=3),
    "ROC@50": partial(brute_force_curves.roc_n, n=50),
    "ROC(nonrelevant='judged')@3": partial(brute_force_curves.roc_n, n=3, nonrelevant="judged"),
}
ARGUMENTS: dict[str, Callable[[Grades, Scores], float]] = {
    **{f"RBP_scaled(p=0.6,gains={{{shown(g)}}})": partial(brute_force.rbp_scaled, p=0.6, gains=g) for g in GAINS[:-1]},
    "RBP_scaled(gains='0=2,3=5,*')": partial(brute_force.rbp_scaled, gains={0: 2, 3: 5}, others=True),
    "RBP_residual(p=0.7)@3": partial(brute_force.rbp_residual_at, k=3, p=0.7),
    "Utility(found=2,false_alarm=-0.5,missed=-0.75,rejected=0.25,collection=500)": partial(
        brute_force.utility, worth=(2, -0.5, -0.75, 0.25), size=500
    ),
    "Utility(rel=2,missed=-3)": partial(brute_force.utility, worth=(1, -1, -3, 0), size=0, rel=2),
    "Specificity(nonrelevant='judged',k=null)": partial(brute_force_curves.specificity, k=10**9, nonrelevant="judged"),
    "Rndcg(rel=2)": partial(brute_force.rndcg, rel=2),
    "Rndcg(gains={2:1,3:2})": partial(brute_force.rndcg, gains={2: 1, 3: 2}),
    "Rndcg(gains={0:0.5,1:1,2:3},rel=2)": partial(brute_force.rndcg, gains={0: 0.5, 1: 1, 2: 3}, rel=2),
    **{
        f"{name}(gains={{{shown(LOSSES)}}})": of_listed(value, LOSSES)
        for name, value in (
            ("P_plus", plain.p_plus),
            ("Q", plain.q_measure),
            ("R_measure", plain.r_measure),
            ("O_measure", plain.o_measure),
            ("AWP", plain.awp),
        )
    },
}
MEASURES: dict[str, dict[str, Topic]] = {
    **USER_MODELS,
    **{name: of_grades(value) for name, value in {**BINARY, **CURVES, **ARGUMENTS}.items()},
    **WORTHLESS,
}
