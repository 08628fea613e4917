"""``evalsql gate``: scipy on the same values, loops over topics, what must never pass; rules and figures in files."""

import json
import re
import shlex
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from evalsql import UsageError, Warehouse
from evalsql.evaluation import gate_decision as gates
from evalsql.evaluation.gate_rules import Figures, parse_rule, read_figures, read_rules, text_of
from tests.cli.test_compare_command import drawn, load, loaded, reciprocal
from tests.conftest import Command, Outcome, assert_refused, csv_rows, module_file, own_measure, write
from tests.long_cases import few_of, one_in, refusals
from tests.statistics.scores import put_scores
from tests.statistics.test_statistics import CASES
from tests.trials import gate as trial


def judge(warehouse: Warehouse, candidate: str, *rules: str, **options: Any) -> dict[str, gates.Verdict]:
    """Verdicts by rule."""
    decision = gates.decide(warehouse.evaluation, candidate, [parse_rule(rule) for rule in rules], **options)
    assert decision.passes is all(each.passes for each in decision.verdicts)
    return {each.rule.text: each for each in decision.verdicts}


def gate(command: Command, path: Path, candidate: str, *rules: str, options: Sequence[object] = ()) -> Outcome:
    return command("gate", candidate, "--db", path, "--format", "csv", *[f"--rule={each}" for each in rules], *options)


def test_one_sided_p_values_are_scipys(empty: Warehouse) -> None:
    chosen = {name: scores for name, scores in CASES.items() if name.endswith(("/0", "/8"))}
    put_scores(empty, chosen)
    rows = empty.rows("select measure, run, p_less, p_greater, note from one_sided_t_tests(baseline := 'a')")
    found = {(name, run): rest for name, run, *rest in rows}
    assert found.keys() == {(name, run) for name in chosen for run in "bcde"}
    for name, scores in chosen.items():
        assert found[name, "b"] == [1, 1, "identical"]
        assert found[name, "e"] == [1, 0, "constant difference"]
        for run in "cd":
            values, base = ([scores[each][topic] for topic in sorted(scores["a"])] for each in (run, "a"))
            *p_values, note = found[name, run]
            if note is None:
                sides = ("less", "greater")
                expected = [stats.ttest_rel(values, base, alternative=side).pvalue for side in sides]
                assert p_values == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_means_drops_and_corrected_tests_are_those_of_loops(empty: Warehouse) -> None:
    ranks = drawn(6, 3, 30)
    load(empty, ranks)
    before, after = reciprocal(ranks["run0"]), reciprocal(ranks["run2"])
    hits = [[float(0 < rank <= 2) for rank in ranks[run]] for run in ("run0", "run2")]
    share = "RR drop <= 5%"
    rules = ("RR >= 0.1", "RR drop <= 0.02", "RR not worse at p < 0.05", "Success@2 not worse at p < 0.2", share)
    found = judge(empty, "run2", *rules, baseline="run0", family="all")
    assert list(found)[-len(rules) :] == list(rules)
    mean, drop, *tested, relative = (found[rule] for rule in rules)
    assert mean.value == pytest.approx(sum(after) / 30, abs=1e-12)
    assert drop.value == pytest.approx((sum(before) - sum(after)) / 30, abs=1e-12)
    assert relative.value == pytest.approx(1 - sum(after) / sum(before), abs=1e-12)
    assert (relative.rule.bound, relative.passes) == (0.05, sum(after) >= 0.95 * sum(before))
    means = f"mean {sum(before) / 30:.4f} to {sum(after) / 30:.4f}"
    assert all(found[rule].note.startswith(means) is (rule in (rules[1], rules[2], share)) for rule in rules)
    assert f"{means}; the drop is a share of the baseline's" in relative.note
    pairs = ((after, before), hits[::-1])
    plain = [stats.ttest_rel(*pair, alternative="less").pvalue for pair in pairs]
    assert [each.p for each in tested] == pytest.approx(plain, rel=1e-9)
    corrected = multipletests(plain, method="holm")[1]
    assert [each.value for each in tested] == pytest.approx(list(corrected), rel=1e-9)
    holds = [sum(after) / 30 >= 0.1, (sum(before) - sum(after)) / 30 <= 0.02, corrected[0] >= 0.05, corrected[1] >= 0.2]
    assert [found[rule].passes for rule in rules[:-1]] == holds
    apart = judge(empty, "run2", *rules, baseline="run0")  # each measure by itself
    assert [apart[rule].value for rule in rules[2:4]] == [apart[rule].p for rule in rules[2:4]] != list(corrected)


@pytest.mark.long
def test_a_rise_is_a_loss_where_less_is_better(empty: Warehouse) -> None:
    load(empty, {"before": [1, 1, 2, 1], "after": [4, 3, 2, 5]})
    rules = ("ESL drop <= 1", "ESL not worse at p < 0.1", "ESL drop <= 90 %")
    drop, test, relative = (judge(empty, "after", *rules, baseline="before")[rule] for rule in rules)
    # Documents that are not relevant above the first relevant one: 3, 2, 1, 4 after 0, 0, 1, 0.
    assert drop.value == pytest.approx(2.25)
    assert test.p == pytest.approx(stats.ttest_rel([3, 2, 1, 4], [0, 0, 1, 0], alternative="greater").pvalue)
    assert relative.value == pytest.approx(2.25 / 0.25)
    assert not any(each.passes for each in (drop, test, relative))
    assert all(each.passes for each in judge(empty, "before", *rules, baseline="after").values())


def test_bounds_count_rounding_as_nothing_and_topics_their_first_relevant_document(empty: Warehouse) -> None:
    load(empty, {"before": [1, 2, 1], "after": [2, 2, 2], "run": [3, 0, 1], "zero": [0, 0, 0]})
    # Of a mean of 0 no drop is a share; it is taken as it is.
    assert judge(empty, "after", "RR drop <= 5%", baseline="zero")["RR drop <= 5%"].value == pytest.approx(-0.5)
    # 5/6 - 1/2 is not 1/3 to the last bit.
    holds = ("RR drop <= 0.3333333333333333", "RR >= 0.5", "RR <= 0.5")
    found = judge(empty, "after", *holds, "RR > 0.5", "RR < 0.5", baseline="before")
    assert {rule for rule, each in found.items() if not each.passes} == {"RR > 0.5", "RR < 0.5"}
    expected = {
        "topic t00 in first 3": (True, 3),
        "topic t00 in first 2": (False, 3),
        "topic t01 in first 9": (False, None),
        "topic t77 in first 9": (False, None),
    }
    found = judge(empty, "run", *expected)
    assert {rule: (found[rule].passes, found[rule].value) for rule in expected} == expected


def test_the_five_largest_drops_are_told_and_one_topic_is_not_tested(empty: Warehouse) -> None:
    load(empty, {"before": [1] * 8, "after": [1, 2, 3, 4, 5, 6, 7, 1]})
    empty.execute("insert into topic_meta select 1, topic_id, 'part', 'one' from topics where topic = 't06'")
    drops = {"t06": "0.1429", "t05": "0.1667", "t04": "0.2000", "t03": "0.2500", "t02": "0.3333"}
    told = ", ".join(f"topic {topic} 1.0000 to {value}" for topic, value in drops.items())
    drop, test = "RR drop <= 0.1", "RR not worse at p < 0.05 for part = one"
    found = judge(empty, "after", drop, test, baseline="before")
    assert found[drop].note == f"mean 1.0000 to 0.4491; largest drops: {told}"
    assert (found[test].passes, found[test].note) == (
        False,
        "mean 1.0000 to 0.1429; one-sided paired t test; there are too few topics to tell",
    )


def test_missing_topics_fail_unless_a_rule_allows_them(empty: Warehouse) -> None:
    load(empty, {"run": [1, 1, 1, 1]}, {"run": [0, 2]})
    row = judge(empty, "run", "RR >= 0.1")["missing topics <= 0"]
    assert (row.value, row.passes, row.note) == (2, False, "missing: t01, t03")
    for allowed in (1, 2):
        found = judge(empty, "run", f"missing topics <= {allowed}")
        assert [each.passes for rule, each in found.items() if "missing" in rule] == [allowed == 2]


def test_a_rule_holds_the_judgments_against_another_set(empty: Warehouse) -> None:
    """Of four documents two are judged alike, where lots would have it so for 3/8: kappa is (4/8 - 3/8) / (1 - 3/8)."""
    for name, grades in (("llm", (1, 1, 0, 2)), ("human", (1, 0, 0, 1)), ("apart", None)):
        judged = {"b": 1, "e": 1} if grades is None else dict(zip("abcd", grades, strict=True))
        empty.load_qrels({"r" if grades is None else "q": judged}, name)
    empty.load_run({"q": {"a": 1.0}}, "run", qrels=["llm"])
    rules = [f"kappa with {name}" for name in ("human >= 0.2", "human > 0.2", "apart >= 0", "nobody >= 0")]
    found = judge(empty, "run", *rules)
    assert [found[rule].value for rule in rules] == [pytest.approx(0.2), pytest.approx(0.2), None, None]
    assert [found[rule].passes for rule in rules] == [True, False, False, False]
    notes = ["", "", "no document is judged by both sets, or all have one grade", 'no judgment set is called "nobody"']
    assert [found[rule].note for rule in rules] == notes


@pytest.mark.long
def test_topics_without_judgments_and_identical_runs_are_told(empty: Warehouse) -> None:
    topics = {"run": [0, 1, 2], "copy": [0, 1, 2], "other": [0, 2]}
    load(empty, {"run": [1, 2, 4], "copy": [1, 2, 4], "other": [2, 2, 4]}, topics)
    empty.load_run({"t00": {"good": 1.0}, **{f"u{at}": {"d": 1.0} for at in range(27)}}, "wide")
    found = gates.decide(empty.evaluation, "wide", [parse_rule("RR >= 0"), parse_rule("missing topics <= 2")])
    assert found.passes
    assert list(found.notes) == [
        "wide misses 2 of 3 topics (set)",
        "wide has 27 topics without judgments beside 1 with (set)",
    ]
    rules, same = [parse_rule("RR >= 0")], "RR: the same value as the baseline's for every topic"
    for baseline, note in (("copy", same), ("other", "other misses 1 of 3 topics (set)")):
        assert list(gates.decide(empty.evaluation, "run", rules, baseline=baseline).notes) == [note]


@pytest.mark.long
def test_what_cannot_be_right_fails(empty: Warehouse) -> None:
    empty.load_qrels({"1": {"a": 1}, "2": {"b": 1}}, "set")
    empty.load_run({"1": {"x": 1.0}, "2": {"y": 2.0}}, "other ids")
    empty.load_run({"001": {"a": 1.0}, "002": {"b": 2.0}}, "other topics")
    for name in ("good", "base"):
        empty.load_run({"1": {"a": 1.0}, "2": {"b": 2.0}}, name)
    cases = (
        ("good", "RR >= 0", ""),
        ("other ids", "RR >= 0", "are the ids of run and judgments the same?"),
        ("other topics", "RR >= 0", "the run has no documents for the topics of the judgments"),
        ("good", "nDCX@10 >= 0", 'unknown measure "nDCX@10"'),
        ("good", "ndcg_cut >= 0", "stands for several measures"),
        ("good", "nDCG@10 >= -0.01", "nDCG@10 is between 0 and 1, "),
        ("good", "nDCG@10 >= -0.01", 'did you mean "nDCG@10 drop <= 0.01"?'),
        ("good", "nDCG@10 drop <= 5", 'every run has the same answer; did you mean "nDCG@10 drop <= 5%"?'),
        ("good", "nDCG@10 drop < 1.5", 'did you mean "nDCG@10 drop <= 1.5%"?'),
        ("good", "nDCG@10 drop <= 0.9", ""),
        ("good", "NumRelRet drop <= 5", ""),
        ("good", "nDCG@10 >= 45", "nDCG@10 is between 0 and 1, so that every run has the same answer"),
    )
    for run in ("good", "other ids", "other topics"):
        rules = dict.fromkeys(rule for of, rule, _ in cases if of == run)
        found = judge(empty, run, *rules, baseline="base" if run == "good" else None)
        told = {rule: "" if found[rule].passes else found[rule].note for rule in rules}
        # Of a run without any document what stands beside the rules fails too.
        beside = "\n".join(each.note for rule, each in found.items() if rule not in rules and not each.passes)
        for _, rule, note in (case for case in cases if case[0] == run):
            assert note in told[rule] + beside, (run, rule)
            assert bool(told[rule] + beside) is bool(note), (run, rule)


def test_rules_are_about_groups_of_topics(empty: Warehouse) -> None:
    before, after = [1, 1, 2, 4, 1, 3], [2, 1, 4, 4, 1, 1]
    load(empty, {"before": before, "after": after})
    empty.execute("""
        insert into topic_meta
        select qrels_id, topic_id, 'language', case when topic in ('t00', 't02', 't03') then 'de' else 'en' end
        from evaluations join topics using (topic_id) group by all
    """)
    group = {"de": (0, 2, 3), "en": (1, 4, 5)}
    rules = [f"RR {rest} for language = {language}" for language in group for rest in ("drop <= 0.1", ">= 0.5")]
    tests = ["RR not worse at p < 0.4 for language = de", "RR not worse at p < 0.4 for language=en"]
    found = judge(empty, "after", *rules, *tests, "RR drop <= 0.1", baseline="before")
    for test, (language, nths) in zip(tests, group.items(), strict=True):
        new, old = ([1 / ranks[nth] for nth in nths] for ranks in (after, before))
        assert found[f"RR drop <= 0.1 for language = {language}"].value == pytest.approx((sum(old) - sum(new)) / 3)
        assert found[f"RR >= 0.5 for language = {language}"].value == pytest.approx(sum(new) / 3)
        assert found[test].p == pytest.approx(stats.ttest_rel(new, old, alternative="less").pvalue)
    plain = [found[test].p for test in tests]
    assert [found[test].value for test in tests] == pytest.approx(list(multipletests(plain, method="holm")[1]))
    assert (
        found[rules[0]].note
        == "mean 0.5833 to 0.3333; largest drops: topic t00 1.0000 to 0.5000, topic t02 0.5000 to 0.2500"
    )
    whole = sum(1 / first - 1 / second for first, second in zip(before, after, strict=True)) / 6
    assert found["RR drop <= 0.1"].value == pytest.approx(whole)
    unknown = judge(empty, "after", "RR >= 0 for language = fr")["RR >= 0 for language = fr"]
    assert (unknown.passes, unknown.note) == (False, "set has no topic with language = fr; there are: de, en")


three_runs = module_file(
    lambda warehouse: load(
        warehouse,
        {"run0": [1, 1, 1], "run1": [1, 2, 1], "half": [1, 1, 1]},
        {"run0": range(3), "run1": range(3), "half": [0]},
    )
)


@pytest.mark.parametrize(("asked", "complaint"), one_in(4, refusals(__file__, "gate")))
def test_what_cannot_be_decided_ends_with_2(
    three_runs: Path, tmp_path: Path, command: Command, asked: str, complaint: str
) -> None:
    assert_refused(command("gate", *shlex.split(asked), "--db", three_runs, "--junit", "out.xml"), complaint)
    # A build that reads the file alone stops as well.
    (suite,) = ElementTree.parse(tmp_path / "out.xml").getroot()
    assert suite.attrib["errors"] == "1"
    assert complaint.split(";")[0] in str(suite.find("testcase/error").attrib["message"])  # type: ignore[union-attr]


@pytest.mark.long
def test_replaced_judgments_decide_where_they_are_named(empty: Warehouse) -> None:
    empty.load_qrels({"t": {"a": 1}}, "set")
    empty.load_run({"t": {"a": 2.0, "b": 1.0}}, "system")
    empty.load_qrels({"t": {"b": 1}}, "set", runs=["system"], replace=True)
    # The first document is relevant by the judgments before, the second one by those that replaced them.
    for qrels, value in ((None, 0.5), ("set", 0.5), ("set@1", 1.0)):
        assert judge(empty, "system", "RR >= 0.1", qrels=qrels)["RR >= 0.1"].value == value


def test_junit_and_formats(three_runs: Path, tmp_path: Path, command: Command) -> None:
    rules = ("--rule", "RR drop <= 0.1", "--rule", "RR >= 0.8", "--rule", "RR drop <= 17%")
    words = ("gate", "run1", "--db", three_runs, "--baseline", "run0", *rules)
    answer = command(*words, "--junit", "out.xml", "--format", "json", "-o", "rows.json")
    assert answer.returncode == 1
    assert answer.stderr.startswith("wrote out.xml\nwrote rows.json\n")
    (suite,) = ElementTree.parse(tmp_path / "out.xml").getroot()
    assert [suite.attrib[key] for key in ("tests", "failures", "errors")] == ["6", "1", "0"]
    (failed,) = (case.attrib["name"] for case in suite if case.find("failure") is not None)
    (failure,) = suite.iter("failure")
    assert (failed, failure.attrib["message"]) == ("RR drop <= 0.1", "value 0.1667 is not <= 0.1")
    assert failure.text == "mean 1.0000 to 0.8333; largest drops: topic t01 1.0000 to 0.5000"
    assert suite.findtext("*/system-out") == "mean 1.0000 to 0.8333; the drop is a share of the baseline's"
    rows = json.loads((tmp_path / "rows.json").read_text())
    assert list(rows[0]) == ["rule", "value", "limit", "p", "verdict", "note"]
    assert {row["rule"]: row["verdict"] for row in rows[-3:-1]} == {"RR drop <= 0.1": "fails", "RR >= 0.8": "passes"}
    shown = command(*words, "--format", "markdown").stdout
    assert "| passes | mean 1.0000 to 0.8333; the drop" in shown
    # A value that reads like its limit has all of its digits.
    above = command("gate", "run1", "--db", three_runs, "--rule", "RR <= 0.8333", "--rule", "RR > 0.9").stderr
    assert f"value {5 / 6} is not <= 0.8333" in above
    assert "value 0.8333 is not > 0.9" in above
    assert max(map(len, lines := command(*words).stdout.splitlines())) <= lines[0].index("note") + 60  # in a pipe


@pytest.mark.long
def test_the_gate_says_no_as_rarely_and_as_often_as_it_should() -> None:
    found = trial.simulate(300, 30, whole=1)
    # At a chance of 0.05 more than so many of 300 come in one of a hundred such tests, fewer likewise.
    assert stats.binom.ppf(0.005, 300, trial.ALPHA) <= found.wrong <= stats.binom.ppf(0.99, 300, trial.ALPHA)
    assert found.right == 30


@pytest.mark.long
@pytest.mark.parametrize("extension", few_of(["json", "toml"], 1))
def test_a_baseline_in_a_file_decides_as_its_run_does(tmp_path: Path, command: Command, extension: str) -> None:
    ranks = drawn(7, 3, 25)
    path = loaded(tmp_path, ranks)
    rules = ("RR drop <= 0.01", "P@5 not worse at p < 0.05", "RR not worse at p < 0.05", "RR >= 0.2")
    name = f"base.{extension}"
    written = gate(command, path, "run0", *rules, options=["--update-baseline", name])
    assert (written.returncode, written.stdout) == (0, ""), written.stderr
    assert f"{name}: 2 measures of run0 on 25 topics" in written.stderr
    text = (tmp_path / name).read_text()
    content = json.loads(text) if extension == "json" else tomllib.loads(text)
    expected = {f"t{nth:02}": value for nth, value in enumerate(reciprocal(ranks["run0"]))}
    assert content["measures"]["RR"] == pytest.approx(expected, abs=1e-15)
    assert (content["run"], content["qrels"]) == ("run0", "set")
    by_run = gate(command, path, "run2", *rules, options=["--baseline", "run0"])
    by_file = gate(command, path, "run2", *rules, options=["--baseline", name])
    assert (by_file.returncode, by_file.stdout) == (by_run.returncode, by_run.stdout)
    # The run itself is not worse than its own figures.
    assert gate(command, path, "run0", *rules[:3], options=["--baseline", name]).returncode == 0


def test_names_of_topics_and_runs_survive_both_kinds_of_file(tmp_path: Path) -> None:
    odd = 'a "quoted" \\ name\n\x7f\x01 \N{GREEK SMALL LETTER ALPHA}\U0001f600'
    figures = Figures(odd, "q", "", "1", {"nDCG@10": {odd: 0.1, "2": 1e-05}, "AP": {odd: 1.0, "2": 0.0}})
    for name in ("b.json", "b.toml"):
        path = write(tmp_path / name, text_of(figures, Path(name)))
        assert read_figures(path) == figures


@pytest.mark.parametrize(("content", "complaint"), refusals(__file__, "figures"))
def test_files_of_figures_that_are_refused(tmp_path: Path, content: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=re.escape(f"base.json: {complaint}")):
        read_figures(write(tmp_path / "base.json", content))


@pytest.mark.parametrize(
    ("values", "measure", "failing"),
    few_of(
        [
            ({"t00": 1, "t01": 0.5, "t02": 1, "gone": 1}, "RR", {"missing topics <= 0": "missing: gone"}),
            ({"t00": 1, "t01": 0.5}, "RR", {}),
            (
                {"t00": 1, "t01": 0.5, "t02": 1},
                "AP",
                {"RR drop <= 0": "the baseline has no values of RR; --update-base"},
            ),
        ],
        1,
    ),
)
def test_a_baseline_with_other_topics_and_measures(
    empty: Warehouse, values: dict[str, float], measure: str, failing: Mapping[str, str]
) -> None:
    load(empty, {"run": [1, 2, 1]})
    base = Figures("old", "set", "", "", {measure: values})
    decision = gates.decide(empty.evaluation, "run", [parse_rule("RR drop <= 0")], baseline=base)
    found = {each.rule.text: each.note for each in decision.verdicts if not each.passes}
    assert found.keys() == failing.keys()
    assert all(found[rule].startswith(note) for rule, note in failing.items())
    lacks = "the baseline lacks 1 topic of the run; drops and tests leave these out"
    assert (lacks in decision.notes) == (len(values) < 3)


def test_other_judgments_than_the_baselines_are_told(empty: Warehouse, tmp_path: Path) -> None:
    empty.load_qrels(write(tmp_path / "qrels.txt", "t 0 a 1\nu 0 b 1\n"))
    empty.load_run({"t": {"a": 2.0}, "u": {"b": 2.0}}, "run")
    rules = [parse_rule("RR drop <= 0")]
    base = gates.measured(empty.evaluation, "run", rules, qrels=None)
    same = "RR: the same value as the baseline's for every topic"
    assert gates.decide(empty.evaluation, "run", rules, baseline=base).notes == [same]
    empty.load_qrels(write(tmp_path / "qrels.txt", "t 0 a 1\nu 0 b 2\n"), replace=True)
    assert gates.decide(empty.evaluation, "run", rules, baseline=base).notes == [
        "the judgments are not those that the baseline's figures were made with",
        same,
    ]


def test_a_run_that_is_not_whole_becomes_no_baseline(three_runs: Path, tmp_path: Path, command: Command) -> None:
    answer = gate(command, three_runs, "half", "RR drop <= 0", options=["--update-baseline", "b.json"])
    assert (answer.returncode, (tmp_path / "b.json").exists()) == (1, False)
    assert "b.json: not written" in answer.stderr


@pytest.mark.long
def test_rules_in_a_file(three_runs: Path, tmp_path: Path, command: Command) -> None:
    select = "select qrels, run, topic, case when num_ret > 0 then cast(1 as double) else 0 end as value"
    own_measure(tmp_path / "gates" / "last_rank.sql", "Any", f"{select} from evaluated_topics")
    rules = 'rules = [\n  "RR drop <= 0.1",\n  "Any >= 1",\n]\nbaseline = "base.json"\nmeasure-file = "last_rank.sql"\n'
    write(tmp_path / "gates" / "gate.toml", rules)
    options = ["--rules", "gates/gate.toml"]
    assert gate(command, three_runs, "run0", options=[*options, "--update-baseline", "gates/base.json"]).returncode == 0
    answer = gate(command, three_runs, "run1", "RR >= 0.9", options=options)
    verdicts = {row["rule"]: row["verdict"] for row in csv_rows(answer.stdout)[3:]}
    assert verdicts == {"RR drop <= 0.1": "fails", "Any >= 1": "passes", "RR >= 0.9": "fails"}
    assert answer.returncode == 1
    # What stands on the command line takes the place of the file's baseline.
    assert gate(command, three_runs, "run0", options=[*options, "--baseline", "run1"]).returncode == 0


@pytest.mark.parametrize(("text", "complaint"), refusals(__file__, "rules"))
def test_files_of_rules_that_are_refused(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=re.escape(complaint)):
        read_rules(write(tmp_path / "gate.toml", text))
