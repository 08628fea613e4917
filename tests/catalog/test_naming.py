"""Names of measures, read and written."""

from __future__ import annotations

import pytest

from evalsql.catalog.measure_names import default_measure, parse_measures
from evalsql.catalog.relations import read_catalog
from evalsql.errors import UsageError

pytestmark = pytest.mark.fast

CATALOG = read_catalog()
CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)


@pytest.mark.parametrize(
    ("text", "names", "calls"),
    [
        ("nDCG@10", ["nDCG@10"], ["ndcg(k := 10)"]),
        ("ndcg@10", ["nDCG@10"], ["ndcg(k := 10)"]),
        ("nDCG", ["nDCG"], ["ndcg()"]),
        ("AP(rel=2)@100", ["AP(rel=2)@100"], ["ap(k := 100, rel := 2)"]),
        ("AP(rel=1)", ["AP"], ["ap()"]),
        ("MAP", ["AP"], ["ap()"]),
        ("MRR@10", ["RR@10"], ["rr(k := 10)"]),
        ("P", ["P@10"], ["p()"]),
        ("P(k=null)", ["P(k=null)"], ["p(k := null)"]),
        ("ndcg_cut.10", ["nDCG@10"], ["ndcg(k := 10)"]),
        ("ndcg_cut_10", ["nDCG@10"], ["ndcg(k := 10)"]),
        ("P_5", ["P@5"], ["p(k := 5)"]),
        ("P.5,20", ["P@5", "P@20"], ["p(k := 5)", "p(k := 20)"]),
        ("map_cut.100", ["AP@100"], ["ap(k := 100)"]),
        ("recip_rank", ["RR"], ["rr()"]),
        ("success_1", ["Success@1"], ["success(k := 1)"]),
        ("gm_map", ["GMAP"], ["gmap()"]),
        ("TAP@5", ["TAP@5"], ["tap()"]),
        ("TAP-k", ["TAP@5"], ["tap()"]),
        ("RBP(p=0.5, gains={1: 0.5, 2: 1})", ["RBP(p=0.5,gains={1:0.5,2:1})"], ["rbp(p := 0.5, gains := '1=0.5,2=1')"]),
        ("nDCG(dcg='exp-log2')@20", ["nDCG(dcg='exp-log2')@20"], ["ndcg(k := 20, dcg := 'exp-log2')"]),
        ("AP P@5  RR", ["AP", "P@5", "RR"], ["ap()", "p(k := 5)", "rr()"]),
        ("AP,nDCG@10", ["AP", "nDCG@10"], ["ap()", "ndcg(k := 10)"]),
        ("AP, P@5", ["AP", "P@5"], ["ap()", "p(k := 5)"]),
        (" AP ,P@5, ", ["AP", "P@5"], ["ap()", "p(k := 5)"]),
        ("P.5,20,recall.5,map", ["P@5", "P@20", "R@5", "AP"], ["p(k := 5)", "p(k := 20)", "r(k := 5)", "ap()"]),
        ("map,11pt_avg", ["AP", "IPrecAvg"], ["ap()", "iprec_avg()"]),
        ("utility.2,-1,0,0,AP", ["Utility(found=2.0)", "AP"], ["utility(found := 2.0)", "ap()"]),
        ("ndcg.1=3,2=9,AP", ["nDCG(gains='1=3,2=9,*')", "AP"], ["ndcg(gains := '1=3,2=9,*')", "ap()"]),
        (
            "RBP(p=0.5,rel=2),AP(rel=2)@7",
            ["RBP(p=0.5,rel=2)", "AP(rel=2)@7"],
            ["rbp(p := 0.5, rel := 2)", "ap(k := 7, rel := 2)"],
        ),
        ("TAP@10(quantile=0.25)", ["TAP(quantile=0.25)@10"], ["tap(k := 10, quantile := 0.25)"]),
        (
            "nDCG@10(dcg='exp-log2'),AP@5()",
            ["nDCG(dcg='exp-log2')@10", "AP@5"],
            ["ndcg(k := 10, dcg := 'exp-log2')", "ap(k := 5)"],
        ),
        (
            "AP(rel=2)@5(judged_only=True)",
            ["AP(rel=2,judged_only=true)@5"],
            ["ap(k := 5, rel := 2, judged_only := true)"],
        ),
        ("AP(ties='worst')@5", ["AP(ties='worst')@5"], ["ap(k := 5, ties := 'worst')"]),
        ("IPrec@0.25", ["IPrec@0.25"], ["iprec(recall := 0.25)"]),
        ("iprec_at_recall.0.5,0", ["IPrec@0.0", "IPrec@0.5"], ["iprec(recall := 0.0)", "iprec(recall := 0.5)"]),
        ("P(cutoff=5)", ["P@5"], ["p(k := 5)"]),
        ("INST(T=2,max_rel=3)", ["INST(t=2.0,max_rel=3)"], ["inst(t := 2.0, max_rel := 3)"]),
        ("Recall(rel=2)@7", ["R(rel=2)@7"], ["r(k := 7, rel := 2)"]),
        ("map@100-l2", ["AP(rel=2)@100"], ["ap(k := 100, rel := 2)"]),
        ("recall@5-l2", ["R(rel=2)@5"], ["r(k := 5, rel := 2)"]),
        ("rbp.95", ["RBP(p=0.95)"], ["rbp(p := 0.95)"]),
        ("rbp.5-l2", ["RBP(p=0.5,rel=2)"], ["rbp(p := 0.5, rel := 2)"]),
        ("ndcg_burges@10", ["nDCG(dcg='exp-log2')@10"], ["ndcg(k := 10, dcg := 'exp-log2')"]),
        ("dcg_burges", ["DCG(dcg='exp-log2')"], ["dcg(dcg := 'exp-log2')"]),
        (
            "hits@3 hit_rate@5 f1@5 r-precision mrr",
            ["Hits@3", "Success@5", "F@5", "Rprec", "RR"],
            ["hits(k := 3)", "success(k := 5)", "f(k := 5)", "rprec()", "rr()"],
        ),
        ("iprec_at_recall_0.50", ["IPrec@0.5"], ["iprec(recall := 0.5)"]),
        ("success", ["Success@10"], ["success()"]),
        ("recall", [f"R@{k}" for k in CUTOFFS], [f"r(k := {k})" for k in CUTOFFS]),
        ("relative_P.5", ["P(relative=true)@5"], ["p(k := 5, relative := true)"]),
        ("\N{GREEK SMALL LETTER ALPHA}_nDCG@20", ["alpha_nDCG@20"], ["alpha_ndcg(k := 20)"]),
        ("alpha_nDCG(alpha=0.3)@10", ["alpha_nDCG(alpha=0.3)@10"], ["alpha_ndcg(k := 10, alpha := 0.3)"]),
        ("MAP_IA P_IA StRecall@5", ["AP_IA", "P_IA@10", "StRecall@5"], ["ap_ia()", "p_ia()", "st_recall(k := 5)"]),
        (
            "ERR-IA@20 strec@5 nNRBP",
            ["ERR_IA@20", "StRecall@5", "nNRBP"],
            ["err_ia(k := 20)", "st_recall(k := 5)", "nnrbp()"],
        ),
        ("SetRelP(rel=2)", ["P(k=null,rel=2,relative=true)"], ["p(k := null, rel := 2, relative := true)"]),
        ("set_F.0.5", ["F(recall_weight=0.5)"], ["f(recall_weight := 0.5)"]),
        ("ndcg.1=3.5,2=9", ["nDCG(gains='1=3.5,2=9,*')"], ["ndcg(gains := '1=3.5,2=9,*')"]),
        ("rbp.p=0.8,1=0.5", ["RBP_scaled(p=0.8,gains='1=0.5,*')"], ["rbp_scaled(p := 0.8, gains := '1=0.5,*')"]),
        ("utility.2,-1,0,0", ["Utility(found=2.0)"], ["utility(found := 2.0)"]),
        ("11pt_avg.0.2,0.5", ["IPrecAvg(points='0.2,0.5')"], ["iprec_avg(points := '0.2,0.5')"]),
        (
            "set",
            ["NumRet", "NumRel", "NumRelRet", "Utility", "P(k=null)", "P(k=null,relative=true)", "R", "SetAP", "F"],
            [
                *("num_ret()", "num_rel()", "num_rel_ret()", "utility()", "p(k := null)"),
                *("p(k := null, relative := true)", "r()", "set_ap()", "f()"),
            ],
        ),
    ],
)
def test_names_are_read_in_both_grammars(text: str, names: list[str], calls: list[str]) -> None:
    measures = parse_measures([text], CATALOG)
    assert [measure.name for measure in measures] == names
    assert [measure.call for measure in measures] == calls
    assert [measure.name for measure in parse_measures(names, CATALOG)] == names


def test_every_default_name_reads_back() -> None:
    for relation in CATALOG.measures:
        measure = default_measure(relation)
        assert parse_measures([measure.name], CATALOG) == [measure]


def test_a_measure_named_twice_is_one() -> None:
    assert [measure.name for measure in parse_measures(["AP", "map", "MAP"], CATALOG)] == ["AP"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("nDGC@10", 'unknown measure "nDGC@10"; nearest: nDCG'),
        ("precison@5", "nearest: P"),
        ("xyzzy", "evalsql measures lists them"),
        ("AP(", "not a measure|cannot read"),
        ("P@0", r"k is 0, it must be in \[1, inf\)"),
        ("P@ten", "k is ten, it must be of type integer"),
        ("AP(rel=-1)", r"rel is -1, it must be in \[0, inf\)"),
        ("RBP(p=1)", r"p is 1, it must be in \(0, 1\)"),
        ("AP(level=2)", "AP has no parameter level; it takes k, rel"),
        ("NumQ@5", "NumQ has no parameter k; it takes no parameters"),
        ("AP(2)", "arguments are given as parameter=value"),
        ("nDCG(dcg=log3)", "dcg is log3, it must be in {log2, exp-log2}"),
        ("nDCG(gains='1=a')", "gains are grade=gain pairs"),
        ("IPrecAvg(points='')", 'points are levels of recall such as "0,0.5,1", found ""'),
        ("IPrecAvg_textbook(points='0,half,1')", 'found "half"'),
        ("IPrecAvg(points='0,nan')", 'found "nan"'),
        ("Rprec.10", "Rprec takes no values"),
        ("P.5,5", "a cutoff stands twice"),
        ("utility.1,2", "utility takes 4 values: found, false_alarm, missed, rejected"),
        ("set_F.a", "recall_weight is a, it must be of type double"),
        ("ndcg_cot.10", "nearest: ndcg_cut"),
        ("all_terc", "nearest: all_trec"),
        ("IPrec@0.2@3", "recall is 0.2@3"),
        ("SetP@5", "k is given twice"),
        ("P(cutoff=5,k=3)", "k is given twice"),
        ("P(cutoff=5)@3", "k is given twice"),
        ("INST(T=1,t=2)", "t is given twice"),
        ("ndcg@5-l2", "nDCG has no parameter rel"),
        ("nosuch@5-l2", "unknown measure"),
        ("rbp.0", r"p is 0.0, it must be in \(0, 1\)"),
    ],
)
def test_what_does_not_fit_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        parse_measures([text], CATALOG)


def test_all_names_that_do_not_fit_are_told_at_once() -> None:
    with pytest.raises(UsageError) as caught:
        parse_measures(["AP", "nDGC@10 P@0", "foo"], CATALOG)
    assert str(caught.value).count("\n") == 2


def test_names_of_trec_eval_differ_by_more_than_case() -> None:
    """Other names the catalogue refuses itself, where two measures share one."""
    names = [alias.name.lower() for relation in CATALOG.measures for alias in relation.header.trec_eval]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", ["set_F.1e400", "set_F.-1", "SetF(beta=1e308)", "INST(T=1e300)", "nDCG@٣", "nDCG@1_0"])
def test_numbers_that_are_none_or_beyond_all_use_are_refused(name: str) -> None:
    with pytest.raises(UsageError):
        parse_measures([name], CATALOG)
