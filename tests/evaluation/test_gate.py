"""``evalsql gate``: scipy on the same values, loops over topics, and what must never pass."""

from __future__ import annotations

import json
import random
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import evalsql
from evalsql import Warehouse
from evalsql.evaluation import gate_decision as gates
from evalsql.evaluation.gate_rules import Figures, parse_rule
from tests.cli.test_compare_command import drawn, loaded, reciprocal
from tests.conftest import Command, Outcome, csv_rows, new_file, new_warehouse
from tests.statistics.scores import put_scores
from tests.statistics.test_statistics import CASES
from tests.trials import gate as trial

ALPHA = 0.05
TRIALS = 200


def verdicts(answer: Outcome) -> dict[str, dict[str, str]]:
    """The printed rows by rule."""
    return {row["rule"]: row for row in csv_rows(answer.stdout)}


def gate(command: Command, path: Path, candidate: str, *rules: str, options: Sequence[object] = ()) -> Outcome:
    given = [word for rule in rules for word in ("--rule", rule)]
    return command("gate", candidate, "--db", path, "--format", "csv", *given, *options)


@pytest.mark.parametrize("name", [name for name in CASES if name.endswith(("/0", "/8"))])
def test_one_sided_p_values_are_scipys(name: str) -> None:
    scores = CASES[name]
    topics = sorted(scores["a"])
    with new_warehouse() as warehouse:
        put_scores(warehouse, {"M": scores})
        rows = warehouse.rows("select run, p_less, p_greater, note from one_sided_t_tests(baseline := 'a')")
    found = {run: rest for run, *rest in rows}
    assert found.keys() == {"b", "c", "d", "e"}
    assert found["b"] == [1, 1, "identical"]
    assert found["e"] == [1, 0, "constant difference"]
    for run in ("c", "d"):
        values, base = ([scores[each][topic] for topic in topics] for each in (run, "a"))
        if found[run][2] is None:
            less, greater = (stats.ttest_rel(values, base, alternative=side).pvalue for side in ("less", "greater"))
            assert found[run][:2] == pytest.approx([less, greater], rel=1e-9, abs=1e-12)


def test_means_drops_and_corrected_tests_are_those_of_loops(tmp_path: Path, command: Command) -> None:
    ranks = drawn(6, 3, 30)
    path = loaded(tmp_path, ranks)
    before, after = reciprocal(ranks["run0"]), reciprocal(ranks["run2"])
    hits = [[float(0 < rank <= 2) for rank in ranks[run]] for run in ("run0", "run2")]
    rules = ("RR >= 0.1", "RR drop <= 0.02", "RR not worse at p < 0.05", "Success@2 not worse at p < 0.2")
    answer = gate(command, path, "run2", *rules, options=["--baseline", "run0"])
    found = verdicts(answer)
    assert list(found)[-len(rules) :] == list(rules)
    assert float(found["RR >= 0.1"]["value"]) == pytest.approx(sum(after) / 30, abs=1e-12)
    assert float(found["RR drop <= 0.02"]["value"]) == pytest.approx((sum(before) - sum(after)) / 30, abs=1e-12)
    plain = [
        stats.ttest_rel(after, before, alternative="less").pvalue,
        stats.ttest_rel(hits[1], hits[0], alternative="less").pvalue,
    ]
    tested = [found[rule] for rule in rules[2:]]
    assert [float(row["p"]) for row in tested] == pytest.approx(plain, rel=1e-9)
    corrected = multipletests(plain, method="holm")[1]
    assert [float(row["value"]) for row in tested] == pytest.approx(list(corrected), rel=1e-9)
    holds = {
        rules[0]: sum(after) / 30 >= 0.1,
        rules[1]: (sum(before) - sum(after)) / 30 <= 0.02,
        rules[2]: corrected[0] >= 0.05,
        rules[3]: corrected[1] >= 0.2,
    }
    assert {rule: found[rule]["verdict"] == "passes" for rule in rules} == holds
    assert answer.returncode == (0 if all(holds.values()) else 1)


def test_a_rise_is_a_loss_where_less_is_better(tmp_path: Path, command: Command) -> None:
    path = loaded(tmp_path, {"before": [1, 1, 2, 1], "after": [4, 3, 2, 5]})
    rules = ("ESL drop <= 1", "ESL not worse at p < 0.1")
    found = verdicts(gate(command, path, "after", *rules, options=["--baseline", "before"]))
    # Documents that are not relevant above the first relevant one: 3, 2, 1, 4 after 0, 0, 1, 0.
    assert float(found[rules[0]]["value"]) == pytest.approx(2.25)
    expected = stats.ttest_rel([3, 2, 1, 4], [0, 0, 1, 0], alternative="greater").pvalue
    assert float(found[rules[1]]["p"]) == pytest.approx(expected)
    assert [found[rule]["verdict"] for rule in rules] == ["fails", "fails"]
    back = gate(command, path, "before", *rules, options=["--baseline", "after"])
    assert back.returncode == 0, back.stderr


def test_bounds_count_rounding_as_nothing(tmp_path: Path, command: Command) -> None:
    path = loaded(tmp_path, {"before": [1, 2, 1], "after": [2, 2, 2]})
    # 5/6 - 1/2 is not 1/3 to the last bit.
    answer = gate(
        command, path, "after", "RR drop <= 0.3333333333333333", "RR >= 0.5", options=["--baseline", "before"]
    )
    assert answer.returncode == 0, answer.stderr
    assert gate(command, path, "after", "RR > 0.5").returncode == 1
    assert gate(command, path, "after", "RR <= 0.5").returncode == 0
    assert gate(command, path, "after", "RR < 0.5").returncode == 1


def test_a_relevant_document_stays_in_the_first_ranks(tmp_path: Path, command: Command) -> None:
    path = loaded(tmp_path, {"run": [3, 0, 1]})
    for rule, code, value in (
        ("topic t00 in first 3", 0, "3"),
        ("topic t00 in first 2", 1, "3"),
        ("topic t01 in first 9", 1, ""),
        ("topic t77 in first 9", 1, ""),
    ):
        answer = gate(command, path, "run", rule)
        assert (answer.returncode, verdicts(answer)[rule]["value"]) == (code, value), rule


def test_the_five_largest_drops_are_told(tmp_path: Path, command: Command) -> None:
    after = [1, 2, 3, 4, 5, 6, 7, 1]
    path = loaded(tmp_path, {"before": [1] * 8, "after": after})
    answer = gate(command, path, "after", "RR drop <= 0.1", options=["--baseline", "before"])
    drops = {"t06": "0.1429", "t05": "0.1667", "t04": "0.2000", "t03": "0.2500", "t02": "0.3333"}
    told = ", ".join(f"topic {topic} 1.0000 to {value}" for topic, value in drops.items())
    assert f"RR: largest drops: {told}\n" in answer.stderr
    assert verdicts(answer)["RR drop <= 0.1"]["note"] == f"largest drops: {told}"


def test_missing_topics_fail_unless_a_rule_allows_them(tmp_path: Path, command: Command) -> None:
    ranks = {"run": [1, 1, 1, 1]}
    path = loaded(tmp_path, ranks, {"run": [0, 2]})
    answer = gate(command, path, "run", "RR >= 0.1")
    assert answer.returncode == 1
    row = verdicts(answer)["missing topics <= 0"]
    assert (row["value"], row["verdict"], row["note"]) == ("2", "fails", "missing: t01, t03")
    assert gate(command, path, "run", "RR >= 0.1", "missing topics <= 2").returncode == 0
    assert gate(command, path, "run", "RR >= 0.1", "missing topics <= 1").returncode == 1


def test_what_cannot_be_right_fails(tmp_path: Path, command: Command) -> None:
    path = new_file(tmp_path)
    with evalsql.open(path) as warehouse:
        warehouse.load_qrels({"1": {"a": 1}, "2": {"b": 1}}, "set")
        warehouse.load_run({"1": {"x": 1.0}, "2": {"y": 2.0}}, "other ids")
        warehouse.load_run({"001": {"a": 1.0}, "002": {"b": 2.0}}, "other topics")
        warehouse.load_run({"1": {"a": 1.0}, "2": {"b": 2.0}}, "good")
    generous = "RR >= 0"
    assert gate(command, path, "good", generous).returncode == 0
    answer = gate(command, path, "other ids", generous)
    assert (answer.returncode, "are the ids of run and judgments the same?" in answer.stderr) == (1, True)
    answer = gate(command, path, "other topics", generous)
    assert answer.returncode == 1
    assert "the run has no documents for the topics of the judgments" in answer.stderr
    answer = gate(command, path, "good", "nDCX@10 >= 0")
    assert answer.returncode == 1
    assert 'nDCX@10 >= 0: unknown measure "nDCX@10"' in answer.stderr
    assert "stands for several measures" in gate(command, path, "good", "ndcg_cut >= 0").stderr


def test_rules_are_about_groups_of_topics(tmp_path: Path, command: Command) -> None:
    before, after = [1, 1, 2, 4, 1, 3], [2, 1, 4, 4, 1, 1]
    path = loaded(tmp_path, {"before": before, "after": after})
    with evalsql.open(path) as warehouse:
        warehouse.execute("""
            insert into topic_meta
            select qrels_id, topic_id, 'language', case when topic in ('t00', 't02', 't03') then 'de' else 'en' end
            from evaluations join topics using (topic_id) group by all
        """)
    group = {"de": (0, 2, 3), "en": (1, 4, 5)}
    means = {
        (run, language): sum(1 / ranks[nth] for nth in nths) / 3
        for run, ranks in (("before", before), ("after", after))
        for language, nths in group.items()
    }
    rules = [f"RR {rest} for language = {language}" for language in group for rest in ("drop <= 0.1", ">= 0.5")]
    tests = ["RR not worse at p < 0.4 for language = de", "RR not worse at p < 0.4 for language=en"]
    answer = gate(command, path, "after", *rules, *tests, "RR drop <= 0.1", options=["--baseline", "before"])
    found = verdicts(answer)
    for language in group:
        drop = means["before", language] - means["after", language]
        assert float(found[f"RR drop <= 0.1 for language = {language}"]["value"]) == pytest.approx(drop)
        mean = float(found[f"RR >= 0.5 for language = {language}"]["value"])
        assert mean == pytest.approx(means["after", language])
    assert found[rules[0]]["note"] == "largest drops: topic t00 1.0000 to 0.5000, topic t02 0.5000 to 0.2500"
    for rule, nths in zip(tests, group.values(), strict=True):
        pair = [[1 / ranks[nth] for nth in nths] for ranks in (after, before)]
        expected = stats.ttest_rel(*pair, alternative="less").pvalue
        assert float(found[rule]["p"]) == pytest.approx(expected)
    whole = sum(1 / first - 1 / second for first, second in zip(before, after, strict=True)) / 6
    assert float(found["RR drop <= 0.1"]["value"]) == pytest.approx(whole)
    unknown = gate(command, path, "after", "RR >= 0 for language = fr")
    assert unknown.returncode == 1
    assert "set has no topic with language = fr; there are: de, en" in unknown.stderr


def test_one_topic_is_not_tested(tmp_path: Path, command: Command) -> None:
    path = loaded(tmp_path, {"before": [1], "after": [5], "twin": [1]})
    rule = "RR not worse at p < 0.05"
    answer = gate(command, path, "after", rule, options=["--baseline", "before"])
    assert (answer.returncode, verdicts(answer)[rule]["note"]) == (1, "there are too few topics to tell")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["none", "--rule", "RR >= 0"], 'no run is called "none"'),
        (["run*", "--rule", "RR >= 0"], '"run*" stands for 2 runs: run0, run1; name one'),
        (["run*", "--rule", "RR drop <= 0", "--baseline", "latest"], '"run*" stands for 2 runs: run0, run1; name one'),
        (["run0"], "there is no rule; give --rule or --rules FILE"),
        (["run0", "--rule", "RR drop <= 0"], "compares with a baseline; name one with --baseline"),
        (["run0", "--rule", "RR drop <= 0", "--baseline", "none"], 'no run is called "none"'),
        (["run0", "--rule", "RR drop <= 0", "--baseline", "none.json"], "none.json: cannot be read"),
        (["run0", "--rule", "RR drop <= 0", "--baseline", "run0"], "run0 is candidate and baseline"),
        (["run0", "--rule", "RR better than 3"], 'rule "RR better than 3" is not understood'),
        (["run0", "--rule", "RR AP >= 3"], "is not understood"),
        (["run0", "--rule", "RR not worse at p < 5"], "the level of p is 5, it must be between 0 and 1"),
        (["run0", "--rule", "RR >= 0", "--rules", "none.toml"], "none.toml: cannot be read"),
        (["run0", "--rule", "RR >= 0", "--qrels", "other"], 'no judgment set is called "other"'),
        (["run0", "--rule", "RR >= 0", "--update-baseline", "b.json"], "no rule compares with a baseline"),
        (
            ["run0", "--rule", "RR drop <= 0", "--update-baseline", "b.txt"],
            "b.txt: a baseline is written as .json or .toml",
        ),
    ],
)
def test_what_cannot_be_decided_ends_with_2(
    tmp_path: Path, command: Command, arguments: list[str], complaint: str
) -> None:
    path = loaded(tmp_path, {"run0": [1, 2], "run1": [2, 2]})
    answer = command("gate", *arguments, "--db", path, "--junit", "out.xml")
    assert (answer.returncode, answer.stdout) == (2, "")
    assert complaint in answer.stderr
    # A build that reads the file alone stops as well.
    (suite,) = ElementTree.parse(tmp_path / "out.xml").getroot()
    assert suite.attrib["errors"] == "1"
    assert complaint.split(";")[0] in str(suite.find("testcase/error").attrib["message"])  # type: ignore[union-attr]


def test_several_judgment_sets_want_a_name(tmp_path: Path, command: Command) -> None:
    path = new_file(tmp_path)
    with evalsql.open(path) as warehouse:
        warehouse.load_qrels({"1": {"a": 1}}, "first")
        warehouse.load_qrels({"1": {"b": 1}}, "second")
        warehouse.load_qrels({"1": {"b": 1}}, "third")
        warehouse.load_run({"1": {"a": 2.0, "b": 1.0}}, "run", qrels=["first", "second"])
    answer = gate(command, path, "run", "RR >= 1")
    assert answer.returncode == 2
    assert "several judgment sets, name one with --qrels: first, second" in answer.stderr
    assert gate(command, path, "run", "RR >= 1", options=["--qrels", "first"]).returncode == 0
    assert gate(command, path, "run", "RR >= 1", options=["--qrels", "second"]).returncode == 1
    assert "run is not evaluated by third" in gate(command, path, "run", "RR >= 1", options=["--qrels", "third"]).stderr


def test_junit_and_formats(tmp_path: Path, command: Command) -> None:
    path = loaded(tmp_path, {"before": [1, 1, 1], "after": [1, 2, 1]})
    words = ("gate", "after", "--db", path, "--baseline", "before", "--rule", "RR drop <= 0.1", "--rule", "RR >= 0.8")
    answer = command(*words, "--junit", "out.xml", "--format", "json", "-o", "rows.json")
    assert answer.returncode == 1
    (suite,) = ElementTree.parse(tmp_path / "out.xml").getroot()
    assert {key: suite.attrib[key] for key in ("tests", "failures", "errors")} == {
        "tests": "5",
        "failures": "1",
        "errors": "0",
    }
    failed = [case for case in suite if case.find("failure") is not None]
    assert [case.attrib["name"] for case in failed] == ["RR drop <= 0.1"]
    failure = failed[0].find("failure")
    assert failure is not None
    assert failure.attrib["message"] == "value 0.1667 is not <= 0.1"
    assert failure.text == "largest drops: topic t01 1.0000 to 0.5000"
    rows = json.loads((tmp_path / "rows.json").read_text())
    assert list(rows[0]) == ["rule", "value", "limit", "p", "verdict", "note"]
    assert [(row["rule"], row["verdict"]) for row in rows[-2:]] == [
        ("RR drop <= 0.1", "fails"),
        ("RR >= 0.8", "passes"),
    ]
    shown = command(*words, "--format", "markdown").stdout
    assert shown.startswith("| rule | value | limit | p | verdict | note |\n")


@pytest.mark.long
def test_the_gate_says_no_as_rarely_and_as_often_as_it_should(tmp_path: Path) -> None:
    """Two rules that test; each trial is a judgment set, so that one query tests all; some go the whole way."""
    ranks = drawn(11, 1, 50)["run0"]
    values = {f"t{nth:02}": value for nth, value in enumerate(reciprocal(ranks))}
    drawing = random.Random(2026)
    drops = [0] * TRIALS + [1] * (TRIALS // 10)
    bases = [
        {name: {topic: value + drop + drawing.gauss(0, 1) for topic, value in values.items()} for name in ("RR", "AP")}
        for drop in drops
    ]
    with evalsql.open(loaded(tmp_path, {"run": ranks}), read_only=True) as warehouse:
        says_no = refused(warehouse, values, bases)
        wrong, right = sum(says_no[:TRIALS]), sum(says_no[TRIALS:])
        rules = [parse_rule(f"{name} not worse at p < {ALPHA}") for name in ("RR", "AP")]
        asked = [says_no.index(True), *range(4), TRIALS]
        for trial in asked:
            base = Figures("base", "set", "", "", bases[trial])
            decision = gates.decide(warehouse.evaluation, "run", rules, baseline=base)
            assert decision.passes is not says_no[trial]
    # At a chance of 0.05 more than 18 of 200 come in one of a hundred such tests, fewer than 3 likewise.
    assert stats.binom.ppf(0.005, TRIALS, ALPHA) <= wrong <= stats.binom.ppf(0.99, TRIALS, ALPHA)
    assert right == TRIALS // 10


def refused(
    warehouse: Warehouse, values: Mapping[str, float], bases: Sequence[Mapping[str, Mapping[str, float]]]
) -> list[bool]:
    """Whether the run is worse than each baseline by a measure, both tests together corrected by statsmodels."""
    rows = [
        (f"{trial:03}", run, topic, measure, of_run[topic])
        for trial, base in enumerate(bases)
        for measure, before in base.items()
        for run, of_run in (("run", values), ("base", before))
        for topic in values
    ]
    columns = ("qrels", "run", "topic", "measure", "value")
    warehouse.database.register("drawn", pandas.DataFrame(rows, columns=columns))
    warehouse.execute("create temp table scores as from drawn")
    found = warehouse.rows("""
        select list(p_less order by measure) from one_sided_t_tests(baseline := 'base')
        where run = 'run' group by qrels order by qrels
    """)
    warehouse.execute("drop table temp.scores")
    warehouse.database.unregister("drawn")
    return [bool(multipletests(p, alpha=ALPHA, method="holm")[0].any()) for (p,) in found]


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ("nDCG@10 >= -0.01", 'nDCG@10 is between 0 and 1, .* did you mean "nDCG@10 drop <= 0.01"?'),
        ("nDCG@10 >= 45", "nDCG@10 is between 0 and 1, so that every run has the same answer"),
    ],
)
def test_a_rule_that_decides_nothing_is_no_answer(tmp_path: Path, command: Command, rule: str, told: str) -> None:
    path = new_file(tmp_path)
    with evalsql.open(path) as warehouse:
        warehouse.load_qrels({"t": {"a": 1}}, "q")
        warehouse.load_run({"t": {"a": 1.0}}, "system")
    answer = gate(command, path, "system", rule)
    assert answer.returncode == 1
    assert re.search(re.escape(told).replace(r"\.\*", ".*"), answer.stdout + answer.stderr)


def test_replaced_judgments_decide_where_they_are_named(tmp_path: Path, command: Command) -> None:
    path = new_file(tmp_path)
    with evalsql.open(path) as warehouse:
        warehouse.load_qrels({"t": {"a": 1}}, "set")
        warehouse.load_run({"t": {"a": 2.0, "b": 1.0}}, "system")
        warehouse.load_qrels({"t": {"b": 1}}, "set", runs=["system"], replace=True)
    # The first document is relevant by the judgments before, the second one by those that took their place.
    for options, value in (([], 0.5), (["--qrels", "set"], 0.5), (["--qrels", "set@1"], 1.0)):
        answer = gate(command, path, "system", "RR >= 0.1", options=options)
        assert answer.returncode == 0, answer.stderr
        assert float(verdicts(answer)["RR >= 0.1"]["value"]) == value


@pytest.mark.long
def test_the_gate_is_wrong_no_more_often_than_alpha() -> None:
    found = trial.simulate(300, 60, whole=1)
    # At a chance of 0.05 more than 24 of 300 come in one of a hundred such tests.
    assert found.wrong <= 24
    assert found.right == found.drops
