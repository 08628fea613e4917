"""Measures of judgments that are a sample: against plain loops, and on judgments that are none."""

import itertools
import random
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from statistics import NormalDist, fmean, pvariance

import pytest

from evalsql import Warehouse
from evalsql.evaluation.notices import on_coverage
from tests.conftest import module_warehouse, write
from tests.long_cases import one_in
from tests.measures.topic_values import call, values
from tests.oracles import brute_force_samples as plain
from tests.oracles.brute_force_samples import Drawn, SampledTopic

GAINS = {-1: 3.0, 0: 0.5, 1: 1.0, 2: 4.0, 3: 4.0}  # of which a document that is not judged has none
CALLS: Mapping[str, Callable[[SampledTopic], plain.Columns]] = {
    "xinfAP": lambda topic: plain.xinfap(topic),
    "xinfAP(rel=2)": lambda topic: plain.xinfap(topic, 2),
    "infNDCG": lambda topic: plain.infndcg(topic),
    "infNDCG@5": lambda topic: plain.infndcg(topic, 5),
    "infNDCG(gains={-1:3,0:0.5,1:1,2:4,3:4})": lambda topic: plain.infndcg(topic, gains=GAINS),
    "statAP": lambda topic: plain.statap(topic),
    "statAP(rel=2)": lambda topic: plain.statap(topic, 2),
    "statnDCG": lambda topic: plain.statndcg(topic),
    "statnDCG@5": lambda topic: plain.statndcg(topic, 5),
    "statnDCG@1": lambda topic: plain.statndcg(topic, 1),
    "statnDCG(gains={-1:3,0:0.5,1:1,2:4,3:4})@9": lambda topic: plain.statndcg(topic, 9, GAINS),
    "statnDCG(gains={0:-0.5,1:1,2:2,3:3})": lambda topic: plain.statndcg(topic, gains={0: -0.5, **plain.LINEAR}),
}


def topic_of(seed: int, form: str) -> SampledTopic:
    """A ranking of which some documents are outside the pool, and a pool in strata or with probabilities."""
    chance = random.Random(f"{form} {seed}")
    documents = [f"d{number:02}" for number in range(chance.choice((6, 30, 60)))]
    pool: dict[str, Drawn] = {}
    rates = {"a": 1.0, "b": chance.choice((0.3, 0.6)), "c": chance.choice((0.1, 0.4, 0.9))}
    for document in chance.sample(documents, len(documents) * 2 // 3):
        grade, stratum = chance.choice((0, 0, 1, 1, 2, 3)), chance.choice("abc")
        if form == "strata":
            pool[document] = Drawn(grade if chance.random() < rates[stratum] else -1, stratum, 0.0)
        else:
            sure = chance.random() < 0.2
            pool[document] = Drawn(grade, chance.choice(("0", "2")) if sure else "1", round(chance.uniform(0.05, 1), 3))
    retrieved = chance.randint(1, len(documents)) if seed % 10 else 0  # the run leaves some topics out
    return SampledTopic(chance.sample(documents, retrieved), pool)


def known(topic: SampledTopic, form: str) -> SampledTopic:
    """The topic with the probabilities that are to be found: those of strata, and 1 by the methods 0 and 2."""
    pool = {}
    for document, each in topic.pool.items():
        grades = [other.grade for other in topic.pool.values() if other.stratum == each.stratum]
        share = sum(grade >= 0 for grade in grades) / len(grades)
        given = 1.0 if each.stratum in "02" else each.probability
        pool[document] = each._replace(probability=share if form == "strata" else given)
    return topic._replace(pool=pool)


@cache
def topics(form: str) -> Mapping[str, SampledTopic]:
    return {f"t{seed}": topic_of(seed, form) for seed in range(40)}


def load_samples(warehouse: Warehouse) -> None:
    for form in ("strata", "probabilities"):
        rows = [
            {"topic": topic, "document": document, "grade": each.grade, "stratum": each.stratum}
            | {"method": each.stratum, "probability": each.probability}
            for topic, one in topics(form).items()
            for document, each in one.pool.items()
        ]
        warehouse.load_qrels(rows, form, form=form)
        run = {
            name: {each: 1.0 - at for at, each in enumerate(one.order)}
            for name, one in topics(form).items()
            if one.order
        }
        warehouse.load_run(run, f"by {form}", qrels=form)


sampled = module_warehouse(load_samples)


@pytest.mark.parametrize("name", one_in(3, CALLS))
@pytest.mark.parametrize("form", ["strata", "probabilities"])
def test_values_and_errors_equal_plain_loops(sampled: Warehouse, form: str, name: str) -> None:
    expected = {topic: CALLS[name](known(one, form)) for topic, one in topics(form).items()}
    columns = list(next(iter(expected.values())))
    query = f"select topic, {', '.join(columns)} from {call(sampled, name)} where qrels = ?"
    ours = {topic: found for topic, *found in sampled.rows(query, [form])}
    assert ours.keys() == expected.keys()
    for topic, found in expected.items():
        for column, mine in zip(columns, ours[topic], strict=True):
            rel, within = (1e-5, 1e-6) if column == "standard_error" else (1e-9, 1e-9)
            value = found[column]
            assert mine == (value if value is None else pytest.approx(value, rel=rel, abs=within)), topic
    if "standard_error" in columns and name != "statnDCG@1":
        errors = [row[-1] for row in ours.values()]
        assert None in errors
        assert sum(each is not None and each > 0.01 for each in errors) > 5


def test_of_a_list_of_cutoffs_each_has_its_own_values(sampled: Warehouse) -> None:
    for measure in ("infndcg", "statndcg"):
        listed = sampled.rows(f"select * exclude (k) from {measure}(k := [2, 5]) where k = 5 order by all")
        alone = sampled.rows(f"from {measure}(k := 5) order by all")
        assert len(listed) == len(alone) > 0
        # The engine adds the parts of an estimate in any order, which may change the last digit.
        for ours, expected in zip(itertools.chain(*listed), itertools.chain(*alone), strict=True):
            assert ours == expected or ours == pytest.approx(expected, rel=1e-14)


def test_judgments_that_are_no_sample_give_ap_and_ndcg(random_file: Warehouse) -> None:
    """Some have negative grades, which only the measures of strata take for a part of the pool."""
    query = "select distinct qrels, topic from judgments where grade < 0"
    pooled = {(qrels, topic) for qrels, topic in random_file.rows(query)}
    for name, plain_name, within in (
        *(("statAP", "AP", 1e-12), ("statAP(rel=2)", "AP(rel=2)", 1e-12), ("statnDCG", "nDCG", 1e-12)),
        *(("statnDCG@3", "nDCG@3", 1e-12), ("infNDCG", "nDCG", 1e-12), ("infNDCG@3", "nDCG@3", 1e-12)),
        ("xinfAP", "AP", 1e-3),
    ):
        ours, expected = values(random_file, name), values(random_file, plain_name)
        if "inf" in name:
            ours, expected = ({key: one[key] for key in one.keys() - pooled} for one in (ours, expected))
        assert len(expected) > 20
        assert ours == pytest.approx(expected, abs=within), name
    for measure in ("statap", "statndcg"):
        errors = random_file.rows(f"select distinct standard_error from {measure} where value > 0")
        assert errors == [(0.0,)]


def test_the_variance_is_unbiased_under_simple_random_sampling(sampled: Warehouse) -> None:
    """Of each of the 20 samples of 3 out of 6 the variance of the estimated total, and the true one."""
    population = (3.0, 0.0, 1.0, 7.0, 2.0, 2.0)
    share = 0.5
    found, totals = [], []
    for drawn in itertools.combinations(population, 3):
        expanded = [each / share for each in drawn]
        totals.append(sum(expanded))
        sums = [sum(share * each**power for each in expanded) for power in (0, 1, 2)]
        ((variance,),) = sampled.rows("select sampled_variance(3, ?, ?, ?)", sums)
        found.append(variance)
    assert fmean(found) == pytest.approx(pvariance(totals))


def test_means_have_the_errors_of_independent_samples(sampled: Warehouse) -> None:
    found = sampled.rows("""
        select qrels, measure, num_topics, value, standard_error, low, high, num_unknown
        from sampled_means(k := 5, rel := 2, confidence := 0.9) order by all
    """)
    names = ("statAP(rel=2)", "statnDCG@5")
    assert [row[:2] for row in found] == [(form, name) for form in ("probabilities", "strata") for name in names]
    for form, name, num_topics, value, error, low, high, num_unknown in found:
        topics_of = [CALLS[name](known(one, form)) for one in topics(form).values()]
        errors = [one["standard_error"] for one in topics_of]
        assert (num_topics, num_unknown) == (len(errors), errors.count(None))
        assert value == pytest.approx(fmean(one["value"] or 0 for one in topics_of))
        assert error == pytest.approx(sum((each or 0) ** 2 for each in errors) ** 0.5 / num_topics, rel=1e-5)
        width = NormalDist().inv_cdf(0.95) * error
        assert (low, high) == pytest.approx((max(value - width, 0), value + width))


def test_loading_says_what_was_drawn_and_a_note_which_figures_mislead(empty: Warehouse, tmp_path: Path) -> None:
    empty.load_run({"1": {"b": 2.0, "a": 1.0}}, "run")
    empty.load_qrels(write(tmp_path / "a", "1 0 a top 1\n1 0 b rest -1\n1 0 c rest -1\n2 0 a top 0\n"), form="strata")
    assert empty.loader.notices[1:] == [
        "in the pool and not judged: 2 of 4 documents",
        "strata without a judged document: 1, such as rest of topic 1; estimates cannot see what is relevant among "
        "their documents, 2 in all",
    ]
    empty.load_qrels(write(tmp_path / "b", "1 a 1 0 0.5\n1 b 1 2 0\n1 c 0 1 .25\n"), form="probabilities", runs="*")
    assert empty.loader.notices[1:] == ["taken by the methods 0 or 2, and so judged for certain: 2 documents"]
    table = write(tmp_path / "c.csv", "topic,document,grade,iprob\n1,a,1,0.5\n")
    empty.load_qrels(table, form="probabilities", runs="*")
    found = empty.rows(
        "select qrels, stratum, probability from judgment_samples join qrels using (qrels_id) order by all"
    )
    assert found[:4] == [("a", "rest", 0.0), ("a", "rest", 0.0), ("a", "top", 1.0), ("a", "top", 1.0)]
    assert found[4:] == [("b", "0", 1.0), ("b", "1", 0.25), ("b", "2", 1.0), ("c", "1", 0.5)]
    notes = [notice.text for notice in on_coverage(empty.evaluation, ["a", "b"], ["run"])]
    assert any(text.startswith("  a holds strata: xinfAP, infNDCG, statAP and statnDCG estimate") for text in notes)
    assert any(text.startswith("  b holds probabilities: statAP and statnDCG estimate") for text in notes)
