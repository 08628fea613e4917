"""Figures by a judge, corrected by what people judged: the papers' own program, plain numpy and what must hold."""

import random
import re
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from scipy import stats

from evalsql import UsageError, Warehouse
from evalsql.evaluation import judging
from tests.conftest import SAMPLE, Command, csv_rows
from tests.long_cases import few_of
from tests.statistics.scores import put_rows
from tests.trials import corrected as trial

TOPICS = [f"t{nth:02}" for nth in range(40)]
Values = Mapping[str, Mapping[str, float]]


def drawn(seed: int, num_human: int, likeness: float, shift: float = 0.1) -> tuple[Values, Values]:
    """Runs a, b and c by people on some topics and by a judge on all, whose values are more or less like theirs."""
    chance = random.Random(seed)
    true = {run: {topic: chance.random() for topic in TOPICS} for run in "abc"}
    judge = {
        run: {topic: shift + likeness * true[run][topic] + (1 - likeness) * chance.random() for topic in TOPICS}
        for run in true
    }
    some = set(chance.sample(TOPICS, num_human))
    return {run: {topic: true[run][topic] for topic in TOPICS if topic in some} for run in true}, judge


def corrected(warehouse: Warehouse, human: Values, judge: Values, how: str = "", base: str = "") -> dict[str, Any]:
    sets = {"human": human, "judge": judge}
    rows = ((name, run, topic, "AP", of[run][topic]) for name, of in sets.items() for run in of for topic in of[run])
    put_rows(warehouse, rows)
    relation = f"corrected_differences(baseline := '{base}', " if base else "corrected_means("
    columns, found = warehouse.database.table(f"from {relation}reference := 'human', judge := 'judge'{how})")
    return {row[columns.index("run")]: dict(zip(columns, row, strict=True)) for row in found}


def lists(human: Values, judge: Values, run: str, base: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values by people, by the judge on the same topics and on others, of a run or of its difference from another."""

    def values(of: Values, topic: str) -> float:
        return of[run][topic] - (of[base][topic] if base else 0)

    both = [topic for topic in TOPICS if topic in human[run]]
    alone = [values(judge, topic) for topic in TOPICS if topic not in human[run]]
    return (
        np.array([values(human, each) for each in both]),
        np.array([values(judge, each) for each in both]),
        np.array(alone),
    )


@pytest.mark.parametrize("base", ["", "b"])
@pytest.mark.parametrize(("num_human", "likeness"), few_of([(3, 0.9), (8, 0.5), (20, 0.9), (30, 0.0), (12, -0.5)], 2))
@pytest.mark.parametrize("weight", [1.0, None])
def test_estimates_are_those_of_the_papers(
    warehouse: Warehouse, num_human: int, likeness: float, weight: float | None, base: str
) -> None:
    human, judge = drawn(num_human, num_human, likeness)
    how = f", confidence := 0.9, weight := {weight or 'null'}"
    normal = corrected(warehouse, human, judge, f"{how}, intervals := 'normal'", base)
    by_t = corrected(warehouse, human, judge, how, base)
    assert set(normal) == set("abc") - {base}
    for run, row in normal.items():
        y, f, u = lists(human, judge, run, base)
        n, others = len(y), len(u)
        tuned = np.cov(y, f, ddof=0)[0, 1] / ((1 + n / others) * np.var(np.concatenate([f, u]), ddof=1))
        w = float(np.clip(tuned, 0, 1)) if weight is None else weight
        estimate, error = (y - w * f).mean() + w * u.mean(), np.sqrt(w**2 * u.var() / others + (y - w * f).var() / n)
        reach = stats.norm.ppf(0.95) * error
        assert [row["weight"], row["estimate"]] == pytest.approx([w, estimate], abs=1e-9)
        assert [row["low"], row["high"]] == pytest.approx([estimate - reach, estimate + reach], abs=1e-9)
        assert row["n_effective"] == pytest.approx(y.var() / error**2)
        assert [row["by_reference"], row["correction"]] == pytest.approx([y.mean(), (y - f).mean()])
        assert [row["num_topics"], row["num_judged"]] == [n, others]
        assert row["by_judge"] == pytest.approx(np.concatenate([f, u]).mean())
        df = n - 1 - (weight is None and w > 0)
        error = np.sqrt(w**2 * u.var(ddof=1) / others + (y - w * f).var() / df) if w else stats.sem(y)
        reach = stats.t.ppf(0.95, df) * error
        assert [by_t[run]["low"], by_t[run]["high"]] == pytest.approx([estimate - reach, estimate + reach], abs=1e-9)
        alone = stats.t.interval(0.9, n - 1, y.mean(), stats.sem(y))
        assert [by_t[run]["reference_low"], by_t[run]["reference_high"]] == pytest.approx(alone, abs=1e-9)
        assert by_t[run]["n_effective"] == pytest.approx((stats.sem(y) / error) ** 2 * n)
        assert (by_t[run]["note"] == "few topics") == (n < 10)
        if n >= 10:
            assert (by_t[run]["note"] == "people alone are surer") == (error > stats.sem(y) + 1e-12)


@pytest.mark.long
@pytest.mark.parametrize("weight", [1.0, None])
def test_estimates_are_those_of_ppi_python(warehouse: Warehouse, weight: float | None) -> None:
    ppi = import_module("ppi_py")  # it compiles while it is imported, which takes seconds
    human, judge = drawn(3, 15, 0.7)
    found = corrected(warehouse, human, judge, f", intervals := 'normal', weight := {weight or 'null'}")
    for run, row in found.items():
        y, f, u = lists(human, judge, run, "")
        ((low,), (high,)) = ppi.ppi_mean_ci(y, f, u, alpha=0.05, lam=weight)
        assert row["estimate"] == pytest.approx(ppi.ppi_mean_pointestimate(y, f, u, lam=weight).item(), abs=1e-9)
        assert [row["low"], row["high"]] == pytest.approx([low, high], abs=1e-9)


@pytest.mark.long
def test_a_right_judge_needs_no_correction_and_one_by_lot_gives_nothing(warehouse: Warehouse) -> None:
    human, judge = drawn(4, 15, 1, shift=0)
    for row in corrected(warehouse, human, judge).values():
        assert row["correction"] == pytest.approx(0, abs=1e-12)
        assert row["n_effective"] == pytest.approx(40, rel=0.35)
    widths = []
    for seed in range(20):
        for row in corrected(warehouse, *drawn(seed, 20, 0)).values():
            widths.append((row["high"] - row["low"]) / (row["reference_high"] - row["reference_low"]))
    assert np.mean(widths) == pytest.approx(1, abs=0.03)
    assert max(widths) < 1.05


def test_without_other_topics_people_are_all_there_is(warehouse: Warehouse) -> None:
    human, judge = drawn(5, 40, 0.9)
    for row in corrected(warehouse, human, judge).values():
        assert [row["weight"], row["num_judged"], row["note"]] == [0, 0, "no other topics"]
        assert [row["low"], row["high"]] == [row["reference_low"], row["reference_high"]]
    human = {run: dict(list(values.items())[:1]) for run, values in human.items()}
    for row in corrected(warehouse, human, judge).values():
        assert [row["low"], row["high"], row["note"]] == [None, None, "few topics"]


@pytest.mark.long
def test_the_commands_write_estimates(command: Command) -> None:
    lines = (SAMPLE / "qrels.txt").read_text().splitlines()
    some = [line for line in lines if line < "T13"]
    assert command("load", "qrels", "-", "--name", "llm", stdin="\n".join(lines)).returncode == 0
    for run in ("bm25", "dense", "hybrid"):
        assert command("load", "runs", SAMPLE / "runs" / f"{run}.run").returncode == 0
    assert command("load", "qrels", "-", "--name", "human", "--run", "*", stdin="\n".join(some)).returncode == 0
    sets = ("--estimate", "--reference", "human", "--judge", "llm", "--format", "csv")
    asked = command("leaderboard", *sets, "-m", "AP")
    rows = csv_rows(asked.stdout)
    assert [row["run"] for row in rows] == ["hybrid", "dense", "bm25"]
    assert {(row["num_topics"], row["num_judged"], row["correction"]) for row in rows} == {("12", "28", "0.0")}
    assert "12 topics of human and 28 more of llm" in asked.stderr
    found = csv_rows(command("compare", "bm25", "dense", *sets, "-m", "AP").stdout)
    assert [(row["baseline"], row["run"]) for row in found] == [("bm25", "dense")]
    assert float(found[0]["low"]) < float(found[0]["estimate"]) < float(found[0]["high"])
    assert len(csv_rows(command("compare", "bm25", *sets, "-m", "GMAP").stdout)) == 2
    assert len(csv_rows(command("compare", "bm25", "--all-pairs", *sets, "-m", "AP").stdout)) == 3
    assert 'no run is called "bm26"' in command("compare", "bm26", *sets).stderr
    for refused, words in (
        (("--estimate",), "--estimate takes --reference NAME and --judge NAME"),
        ((*sets, "--by", "length"), "leave one out"),
        ((*sets, "--qrels", "llm"), "not by --qrels"),
        ((*sets, "-m", "GMAP"), "GMAP is not averaged arithmetically"),
    ):
        outcome = command("leaderboard", *refused)
        assert outcome.returncode == 2
        assert words in outcome.stderr


def test_a_reference_of_few_documents_is_told(empty: Warehouse) -> None:
    """One of four documents of a topic is no estimate of it; two of four are half of what the judge has."""
    grades = {topic: {"a": 1, "b": 0, "c": 1, "d": 0} for topic in "tu"}
    empty.load_qrels(grades, "judge")
    empty.load_qrels({"t": {"a": 1}}, "one")
    empty.load_qrels({"t": {"a": 1, "d": 0}}, "two")
    empty.load_run({topic: {name: -ord(name) for name in "abcd"} for topic in "tu"}, "r", qrels=["judge", "one", "two"])
    (line,) = judging.on_few_judged(empty.evaluation, "one", "judge")
    assert line.startswith("Judged@10 is 0.25 by one and 1.00 by judge on the topics of both")
    assert judging.on_few_judged(empty.evaluation, "two", "judge") == []


def test_without_a_run_in_common_nothing_is_estimated(empty: Warehouse) -> None:
    for name in ("human", "llm"):
        empty.load_qrels({"q": {"a": 1}}, name)
    empty.load_qrels({"p": {"a": 1}}, "other")
    for sets, advice in (
        (("human", "llm"), "no run is loaded; evalsql load runs FILE brings one"),
        (("human", "llm"), "evalsql load qrels FILE --name NAME --run '*' --replace"),
        (("human", "other"), "they judge no topic in common that a run has"),
    ):
        with pytest.raises(UsageError, match=re.escape(f"{' and '.join(sets)} on the same topic: {advice}")):
            judging.corrected_query(empty.evaluation, "AP", *sets)
        empty.load_run({"q": {"a": 1.0}, "p": {"a": 1.0}}, "r", qrels=["human", "other"], replace=True)
    with pytest.raises(UsageError, match=re.escape("no run is evaluated with two of llm, human: evalsql load qrels")):
        judging.effects(empty.evaluation, ["llm"], "AP", show="systems", reference="human")


@pytest.mark.long
def test_intervals_hold_as_often_as_the_guide_says(real: Any) -> None:
    assert trial.main(200) == 0
