"""Names of measures that are held against plain loops: ``tests.oracles.by_name`` finds the loop of each."""

from __future__ import annotations


def listed(names: str) -> list[str]:
    return names.split()


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
LOSSES = "{0:-1,1:2,2:0.5,3:0.7,4:-0.3}"
# Where no grade is above the least that is worth something, or all gains are one, nothing is.
WORTHLESS = (
    *(f"{name}(min_rel={least},max_rel=2,depth=20)" for name in ("INSQ", "INST") for least in (2, 3)),
    f"RBP_scaled(p=0.6,gains={{{shown(GAINS[-1])}}})",
)
# With depths at a document with a gain, where what is still wanted below it can be less than nothing, and readers who
# go on nearly for sure, whose items are all but the size of a long stretch.
READERS = listed("""
NERR8@5 NERR9@20 NERR10(p=0.7,depth=5) NERR10(depth=null) NERR11(t=1.5,depth=7) NERR11(depth=null)
NERR11(t=2,depth=null) BPM@5 BPM(t=2.5,max_rel=4)@30 IFT(depth=20) IFT(t=1,b=1e8,r=0.01,depth=90) IFT(t=1,b=3,r=5)
IFT(t=0.5,b=0.1,r=0.2,depth=null) IFT(t=1,b=1e20,r=0,depth=90) INST(t=3,depth=12) INST(t=0.5,min_rel=1,max_rel=3)
INST(depth=null) INST(t=0.25) INST(t=0.25,depth=2) INST(t=0.5,depth=1) INSQ(t=2,depth=10) INSQ(depth=null)
NPV(rate=0.5,depth=6) NPV(depth=null)
""")
USER_MODELS = [
    *READERS,
    *listed("""
ERR ERR@3 ERR(max_rel=2)@10 ERR(max_rel=null) nERR nERR(max_rel=1)@5 nERR(max_rel=null)@2 RBP(p=0.8,rel=1)@10 SDCG@7
SDCG(min_rel=1,max_rel=3)@1 Compat Compat(p=0.3,normalize=false) Accuracy Accuracy@4 Hits CG@3 nCG nCG@3
nCG(gains={0:-1.0,1:2.0,2:0.5}) nDCG@3 IDCG@3 IDCG(gains={0:-1.0,1:2.0,2:0.5}) nDCG_rel(gains={0:-0.1,1:2,2:0.5})
Judged(k=null) Q Q(beta=10) AWP R_measure R_measure(beta=3) O_measure O_measure(beta=0.5) P_plus P_plus(beta=5) GAP
GAP(gains={1:0.1,2:0.5,3:0.5,4:1}) GAP(gains={0:0.5,1:0.7,2:1,3:1,4:1}) PRES PRES@5
"""),
]
BINARY = listed("""
FRS FRS(base=1.024) FRS(judged_only=true) RBP(judged_only=true) DCG(judged_only=true)@3
YAAP(judged_only=true) nDCG(judged_only=true)@5
Judged@10 RBP RBP(p=0.5,gains={1:0.5,2:1}) RBP_residual RBP_residual(p=0.7)@3
nDCG(dcg='exp-log2')@10 nDCG(gains={0:0.25,1:0.5,2:0.9})@5
""")
CURVES = listed("""
IPrec_textbook@0.0 IPrec_textbook@0.3 IPrec_textbook@0.7 IPrec_textbook@0.37 IPrec_textbook@1.0 IPrecAvg_textbook
BreakEven MaxF MaxF(beta=2) GSuccess@10 GSuccess@30 FPR@5 FPR(k=null) FPR(nonrelevant='judged')@5
FPR(collection=300)@5 Specificity(nonrelevant='judged')@5 Specificity(nonrelevant='judged',k=null) ROC@1 ROC@3 ROC@50
ROC(nonrelevant='judged')@3
""")
ARGUMENTS = [
    *(f"RBP_scaled(p=0.6,gains={{{shown(gains)}}})" for gains in GAINS[:-1]),
    *listed("""
RBP_scaled(gains='0=2,3=5,*') Utility(found=2,false_alarm=-0.5,missed=-0.75,rejected=0.25,collection=500)
Utility(rel=2,missed=-3) Rndcg(rel=2) Rndcg(gains={2:1,3:2}) Rndcg(gains={0:0.5,1:1,2:3},rel=2)
"""),
    *(f"{name}(gains={LOSSES})" for name in ("P_plus", "Q", "R_measure", "O_measure", "AWP")),
]
MEASURES = [*USER_MODELS, *BINARY, *CURVES, *ARGUMENTS, *WORTHLESS]
# Those that know what ties do to them, with cutoffs and depths for short rankings.
TIED = listed("""
FRS FRS(judged_only=true) RR(judged_only=true)@2 RBP(p=0.4,judged_only=true) DCG(judged_only=true)@3
YAAP(judged_only=true) F(beta=2,judged_only=true)@3 nDCG(gains={0:-1,1:2,2:0.5},judged_only=true)@3
RR@2 Judged@3 Unjudged@3 RBP RBP(p=0.5,gains={1:0.5,2:1}) RBP_residual RBP_resid(p=0.5) F(beta=2)@3 YAAP
nDCG(gains={0:-1,1:2,2:0.5})@3 DCG(dcg='exp-log2') RBP_scaled GSuccess@3 IPrec_textbook@0.5 IPrecAvg_textbook
BreakEven MaxF FPR@3 FPR(nonrelevant='judged')@3 Specificity@2 ROC@2 ROC(nonrelevant='judged')@2
nDCG_rel(gains={1:2,2:0.5,3:0.7}) Hits@3 CG@2 nCG@3 PRES@3 SDCG(max_rel=2)@3 INSQ(min_rel=1,max_rel=3,depth=4)
NPV(depth=5) G(gains={1:2,2:0.5,3:0.7}) ERR ERR(max_rel=1)@2 ERR(max_rel=1)@4 ERR(max_rel=2)@2 ERR(max_rel=2)@4
ERR(max_rel=3)@2 ERR(max_rel=3)@4 nERR nERR(max_rel=2)@3 NERR8(max_rel=1)@2 NERR8(max_rel=1)@9 NERR8(max_rel=2)@2
NERR8(max_rel=2)@3 NERR8(max_rel=4)@3 NERR8(max_rel=4)@9 NERR9(max_rel=1)@2 NERR9(max_rel=1)@9 NERR9(max_rel=2)@2
NERR9(max_rel=2)@3 NERR9(max_rel=4)@3 NERR9(max_rel=4)@9 NERR10(p=0.6,max_rel=1,depth=9)
NERR10(p=0.6,max_rel=2,depth=3) NERR10(p=0.6,max_rel=5,depth=9) NERR11(t=0.25,min_rel=0,max_rel=3,depth=9)
NERR11(t=1,min_rel=1,max_rel=3,depth=3) NERR11(t=3,min_rel=0,max_rel=3,depth=5) INST(t=0.5,max_rel=3,depth=9)
INST(t=0.5,max_rel=2,depth=3) INST(t=0.6,min_rel=1,max_rel=3,depth=50) INST(t=1,max_rel=1,depth=4)
INST(t=2.5,max_rel=3,depth=1000) Q(beta=0) Q(beta=1) Q(beta=10) R_measure(beta=0) R_measure(beta=1) R_measure(beta=3)
O_measure(beta=0) O_measure(beta=0.5) O_measure(beta=4) AWP Accuracy Accuracy@1 Accuracy@2 Accuracy@3 Accuracy@4
GAP(gains={1:1,2:2,3:3}) GAP(gains={1:0.2,2:0.7,3:1}) GAP(gains={2:0.4,3:0.4}) Compat(p=0.3,normalize=true)
Compat(p=0.3,normalize=false) Compat(p=0.95,normalize=true) Compat(p=0.95,normalize=false)
Q(gains={0:-1,1:2,2:0.5,3:0.7}) R_measure(gains={0:-1,1:2,2:0.5,3:0.7}) O_measure(gains={0:-1,1:2,2:0.5,3:0.7})
AWP(gains={0:-1,1:2,2:0.5,3:0.7})
""")
