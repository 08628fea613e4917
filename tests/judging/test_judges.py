"""Judges held against a reference: figures as peers have them, by the very samples, and what no judge may do."""

import random
from collections.abc import Iterator, Mapping
from statistics import fmean
from typing import Any

import krippendorff
import numpy
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score
from statsmodels.api import OLS, add_constant

from evalsql import UsageError, Warehouse
from evalsql.evaluation import judging
from tests.conftest import Command, csv_rows, module_warehouse, new_warehouse
from tests.judging.test_judging import judges
from tests.oracles.sampled import hash32
from tests.random_collections import Qrels
from tests.statistics.scores import put_rows
from tests.statistics.test_agreement import scipy_agreement

Rows = list[dict[str, Any]]


def records(warehouse: Warehouse, query: str) -> Rows:
    columns, rows = warehouse.database.table(query)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def grades(one: Qrels, other: Qrels) -> dict[str, list[tuple[int, int]]]:
    """By topic the pairs of grades of documents that both judge."""
    found = {
        topic: [
            (one[topic][each], other[topic][each])
            for each in one[topic].keys() & other.get(topic, {}).keys()
            if min(one[topic][each], other[topic][each]) >= 0
        ]
        for topic in sorted(one)
    }
    return {topic: pairs for topic, pairs in found.items() if pairs}


def figures(pairs: list[tuple[int, int]]) -> list[float]:
    left, right = zip(*pairs, strict=True)
    labels = list(range(4))
    kappas = [cohen_kappa_score(left, right, labels=labels, weights=weights) for weights in (None, "quadratic")]
    return [*kappas, krippendorff.alpha(reliability_data=[left, right], level_of_measurement="ordinal")]


@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_figures_and_intervals_are_those_of_peers_over_the_same_samples(empty: Warehouse, missing: float) -> None:
    found = judges(7, missing=missing)
    for name, qrels in found.items():
        empty.load_qrels(qrels, name)
    names, _ = judging.judges(empty.database, (), "second")
    how: dict[str, Any] = {"samples": 30, "seed": 5, "confidence": 0.8}
    rows = records(empty, judging.agreement_query(empty.database, "statistics", names, reference="second", **how))
    assert sorted(row["other"] for row in rows) == ["first", "third"]
    assert rows[0]["kappa"] >= rows[1]["kappa"]
    for row in rows:
        by_topic = list(grades(found["second"], found[row["other"]]).values())
        pairs, num = [pair for each in by_topic for pair in each], len(by_topic)
        samples = [
            figures([pair for nth in range(1, num + 1) for pair in by_topic[hash32(hash32(5, draw), nth) % num]])
            for draw in range(1, 31)
        ]
        low, high = numpy.quantile(samples, [0.1, 0.9], axis=0)
        shares = [sum(check) / len(pairs) for check in zip(*((a == b, b > a, b < a) for a, b in pairs), strict=True)]
        assert [row["num_topics"], row["num_documents"]] == [num, len(pairs)]
        assert [row["agreement"], row["higher"], row["lower"]] == pytest.approx(shares)
        assert [row["kappa"], row["kappa_quadratic"], row["alpha"]] == pytest.approx(figures(pairs), abs=1e-12)
        assert [row["kappa_low"], row["kappa_high"]] == pytest.approx([low[0], high[0]], abs=1e-12)
        assert [row["alpha_low"], row["alpha_high"]] == pytest.approx([low[2], high[2]], abs=1e-12)
        for each in records(empty, f"from judge_grades(reference := 'second', names := '{row['other']}')"):
            given = [b - a for a, b in pairs if a == each["rating"]]
            assert each["mean_rating"] - each["rating"] == pytest.approx(fmean(given))
            assert each["num_documents"] * each["higher"] == pytest.approx(sum(step > 0 for step in given))
            assert each["equal"] + each["higher"] + each["lower"] == pytest.approx(1)


RUNS = {f"run{nth}": "own" if nth in (1, 4, 7, 10) else None if nth == 9 else "foreign" for nth in range(12)}
TOPICS = [f"t{nth:02}" for nth in range(25)]
Values = Mapping[str, Mapping[str, float]]


def load_standing(warehouse: Warehouse) -> None:
    """Runs, some of a family, and judgment sets: what is evaluated is put in their place by each test."""
    for name in ("human", "judge", "copy"):
        warehouse.load_qrels({"t00": {"d": 1}}, name)
    for run, family in RUNS.items():
        warehouse.load_run({"t00": {"d": 1.0}}, run, qrels=["human"], meta={"family": family} if family else {})


standing = module_warehouse(load_standing)


def drawn(seed: int, favour: float = 0, noise: float = 0.15) -> tuple[Values, Values]:
    """Values of runs by people, and by a judge who errs by lot and values the family more."""
    chance = random.Random(seed)
    people = {run: {topic: nth / 30 + chance.gauss(0.3, 0.2) for topic in TOPICS} for nth, run in enumerate(RUNS)}
    judge = {
        run: {
            topic: 0.1 + 0.6 * value + chance.gauss(0, noise) + favour * (RUNS[run] == "own")
            for topic, value in values.items()
        }
        for run, values in people.items()
    }
    return people, judge


def put(warehouse: Warehouse, **sets: Values) -> None:
    put_rows(
        warehouse,
        (
            (name, run, topic, "AP", value)
            for name, values in sets.items()
            for run, by_topic in values.items()
            for topic, value in by_topic.items()
        ),
    )


def test_orders_of_systems_are_compared_as_scipy_and_plain_loops_do(standing: Warehouse) -> None:
    people, judge = drawn(3, favour=0.3)
    put(standing, human=people, judge=judge, copy=people)
    found = {row["other"]: row for row in records(standing, "from judge_orders(reference := 'human', top := 5)")}
    assert set(found) == {"judge", "copy"}
    means = [{run: fmean(values[run].values()) for run in RUNS} for values in (people, judge)]
    orders = [sorted(RUNS, key=lambda run: -by[run]) for by in means]
    tops = [[by[run] for run in orders[0][:5]] for by in means]
    assert found["judge"]["tau_b"] == pytest.approx(scipy_agreement(*([by[run] for run in RUNS] for by in means))[0])
    assert found["judge"]["tau_top"] == pytest.approx(scipy_agreement(*tops)[0])
    gains = {run: orders[0].index(run) - orders[1].index(run) for run in RUNS}
    assert abs(found["judge"]["places"]) == max(map(abs, gains.values())) == abs(gains[found["judge"]["moved"]])
    kept = turned = 0
    differing = [holm_differing(values) for values in (people, judge)]
    for (one, two), direction in differing[0].items():
        kept += differing[1].get((one, two)) == direction
        turned += (means[1][one] > means[1][two]) != (direction > 0)
    counts = [found["judge"][name] for name in ("num_significant", "num_kept", "num_turned")]
    assert counts == [len(differing[0]), kept, turned]
    assert kept > 0 < turned
    copied = found["copy"]
    assert [copied[name] for name in ("tau_b", "tau_ap", "tau_top")] == pytest.approx([1, 1, 1])
    assert [copied[name] for name in ("moved", "places", "num_turned")] == [None, 0, 0]
    assert copied["num_kept"] == copied["num_significant"] == len(differing[0])


def test_topics_that_the_reference_lacks_do_not_count(empty: Warehouse) -> None:
    """On q both say the same; on r, which people did not judge, the other run is better."""
    empty.load_qrels({"q": {"a": 1}}, "human")
    empty.load_qrels({"q": {"a": 1}, "r": {"b": 1}, "s": {"b": 1}}, "judge")
    for run, document in (("one", "a"), ("two", "b")):
        empty.load_run({topic: {document: 1.0} for topic in "qrs"}, run, qrels=["human", "judge"])
    for show, column in (("systems", "tau_b"), ("figures", "value")):
        query, _ = judging.effects(empty.evaluation, ["judge"], "AP", show=show, reference="human")
        assert records(empty, query)[0][column] == 1, show
        assert records(empty, query)[-1].get("other_value", 0) == 0


def holm_differing(values: Values) -> dict[tuple[str, str], float]:
    """Pairs of runs whose means differ by t tests under Holm's correction, and in which direction."""
    runs = sorted(values)
    tests = {
        (one, two): stats.ttest_rel(list(values[one].values()), list(values[two].values()))
        for at, one in enumerate(runs)
        for two in runs[at + 1 :]
    }
    found = {}
    for nth, (pair, test) in enumerate(sorted(tests.items(), key=lambda item: item[1].pvalue)):
        if test.pvalue * (len(tests) - nth) >= 0.05:
            break
        found[pair] = test.statistic
    return {pair: float(numpy.sign(statistic)) for pair, statistic in found.items()}


def favours(warehouse: Warehouse) -> dict[tuple[str, str], dict[str, Any]]:
    rows = records(warehouse, "from judge_favours(reference := 'human')")
    return {(row["other"], row["run_group"]): row for row in rows}


def test_a_judge_who_favours_a_family_is_caught_and_others_are_not(standing: Warehouse) -> None:
    """The bias is the coefficient of a regression, whose variance and that over topics make the interval."""
    people, judge = drawn(1, favour=0.1)
    put(standing, human=people, judge=judge, copy=people)
    found = favours(standing)
    row = found["judge", "own"]
    means = [numpy.array([fmean(values[run].values()) for run in RUNS]) for values in (people, judge)]
    is_own = numpy.array([RUNS[run] == "own" for run in RUNS], dtype=float)
    fit = OLS(means[1], add_constant(numpy.column_stack([is_own, means[0]]))).fit()
    distinct = OLS(is_own, add_constant(means[0])).fit().resid
    weights = distinct / (distinct @ distinct)
    gains = [
        sum(weights[at] * (judge[run][topic] - fit.params[2] * people[run][topic]) for at, run in enumerate(RUNS))
        for topic in TOPICS
    ]
    error = numpy.sqrt(fit.bse[1] ** 2 + numpy.var(gains, ddof=1) / len(TOPICS)) * stats.t.ppf(0.975, 9)
    assert [row["num_runs"], row["num_others"], row["num_topics"]] == [4, 8, 25]
    assert [row["bias"], row["low"], row["high"]] == pytest.approx(
        [fit.params[1], fit.params[1] - error, fit.params[1] + error], abs=1e-9
    )
    assert row["low"] > 0
    assert row["places"] > 0
    copied = found["copy", "own"]
    assert [copied[name] for name in ("bias", "low", "high", "places")] == pytest.approx([0, 0, 0, 0], abs=1e-12)
    caught = 0
    for seed in range(10):
        people, judge = drawn(seed)
        put(standing, human=people, judge=judge)
        row = favours(standing)["judge", "own"]
        caught += not row["low"] < 0 < row["high"]
    assert caught <= 1


def test_a_judge_by_lot_agrees_as_chance_does(empty: Warehouse) -> None:
    chance = random.Random(1)
    for name in ("human", "lot"):
        empty.load_qrels({topic: {f"d{at}": chance.randint(0, 3) for at in range(60)} for topic in TOPICS}, name)
    (row,) = records(empty, "from judge_agreement(reference := 'human')")
    assert [row["kappa"], row["kappa_quadratic"], row["alpha"]] == pytest.approx([0, 0, 0], abs=0.05)
    assert row["kappa_low"] < 0 < row["kappa_high"]


@pytest.fixture
def strangers() -> Iterator[Warehouse]:
    with new_warehouse() as warehouse:
        warehouse.load_qrels({"q": {"a": 1, "b": 0}}, "human")
        warehouse.load_qrels({"q": {"a": 1}}, "near")
        warehouse.load_qrels({"q": {"c": 1}}, "far")
        warehouse.load_qrels({"r": {"a": 1}}, "away")
        yield warehouse


def test_judges_of_nothing_in_common_are_refused_or_left_out(strangers: Warehouse) -> None:
    names, apart = judging.judges(strangers.database, (), "human")
    assert names == ["near"]
    assert apart == [
        "away judges no document that human judges, and none of its topics",
        "far judges no document that human judges, and 1 of its topics",
    ]
    for name in ("far", "away"):
        with pytest.raises(UsageError, match=f"{name} judges no document that human judges"):
            judging.judges(strangers.database, ["near", name], "human")
    with pytest.raises(UsageError, match="no judgment set beside human"):
        judging.judges(strangers.database, "human", "human")
    strangers.load_run({"q": {"a": 1.0}}, "run", qrels=["human", "near"])
    with pytest.raises(UsageError, match="no run has the meta team"):
        judging.effects(strangers.evaluation, names, "AP", show="groups", reference="human", group_key="team")


@pytest.mark.long
def test_versions_of_a_judge_stand_in_the_order_in_which_they_were_loaded(command: Command) -> None:
    for name, step in (("human", 5), ("llm", 2), ("llm", 3), ("llm", 1)):
        text = "".join(f"q 0 d{at} {int(at % step == 0)}\n" for at in range(30))
        loaded = command("load", "qrels", "-", "--name", name, "--replace", stdin=text)
        assert loaded.returncode == 0, loaded.stderr
    for reference in ("llm", "human"):
        asked = command("agreement", "--reference", reference, "llm@*", "--sort", "loaded_at:asc", "--format", "csv")
        assert [row["other"] for row in csv_rows(asked.stdout)] == ["llm@1", "llm@2"]


@pytest.mark.long
def test_the_command_has_a_row_a_judge_and_bounds_all_pairs(command: Command) -> None:
    chance = random.Random(2)
    for name in ("human", *(f"judge{nth}" for nth in range(5)), "strange"):
        document = "x" if name == "strange" else "d"
        lines = [f"q{at % 4} 0 {document}{at} {chance.randint(0, 2)}" for at in range(40)]
        loaded = command("load", "qrels", "-", "--name", name, stdin="\n".join(lines) + "\n")
        assert loaded.returncode == 0, loaded.stderr
    asked = command("agreement", "--reference", "human", "--format", "csv", "--samples", "10")
    rows = csv_rows(asked.stdout)
    assert len(rows) == 5
    assert [float(row["kappa"]) for row in rows] == sorted((float(row["kappa"]) for row in rows), reverse=True)
    assert "left out: strange judges no document" in asked.stderr
    assert "--show systems" not in asked.stderr
    asked = command("agreement", "judge1", "--reference", "human", "--show", "confusion", "--format", "csv")
    counts = csv_rows(asked.stdout)
    assert {row["qrels"] for row in counts} == {"human"}
    assert sum(int(row["num_documents"]) for row in counts) == 40
    assert command("agreement", "strange", "--reference", "human").returncode == 2
    bounded = command("agreement", "human", "judge*")
    assert bounded.stdout.count("\nagreement ") == 10
    assert "the 10 pairs that agree most" in bounded.stderr
    assert "agree most" not in command("agreement", "judge*").stderr, "five judges have ten pairs"
    assert command("agreement", "human", "judge*", "--format", "csv").stdout.count("\nagreement,") == 15
