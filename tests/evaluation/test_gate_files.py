"""Rules and baselines of the gate that stand in files."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from evalsql import UsageError, Warehouse
from evalsql.evaluation import gate_decision as gates
from evalsql.evaluation.gate_rules import Figures, parse_rule, parse_rules, read_figures, read_rules, text_of
from tests.cli.test_compare_command import drawn, load, loaded, reciprocal
from tests.conftest import Command, csv_rows, write
from tests.evaluation.test_gate import gate
from tests.long_cases import few_of


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


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("{", "is no JSON file of figures"),
        ("[]", 'has no "measures"'),
        ('{"measures": {}}', 'has no "measures"'),
        ('{"measures": {"RR": 0.3}}', "RR has no values by topic"),
        ('{"measures": {"RR": {"t00": NaN}}}', "RR of topic t00 is nan, not a finite number"),
        ('{"measures": {"RR": {"t00": true}}}', "RR of topic t00 is True, not a finite number"),
        ('{"measures": {"RR": {"t00": "1"}}}', "RR of topic t00 is '1', not a finite number"),
        ('{"measures": {"RR": {"t00": 1, "t00": 0}}}', 'is no JSON file of figures: "t00" stands twice'),
        ('{"measures": {"RR": {"t00": 1}, "AP": {"t00": 1, "t01": 1}}}', "RR has no value of topic t01"),
        ('{"run": 3, "measures": {"RR": {"t00": 1}}}', "run must be a text"),
    ],
)
def test_files_of_figures_that_are_refused(tmp_path: Path, content: str, complaint: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_figures(write(tmp_path / "base.json", content))
    assert f"base.json: {complaint}" in str(refused.value)


@pytest.mark.parametrize(
    ("values", "measure", "failing"),
    [
        ({"t00": 1, "t01": 0.5, "t02": 1, "gone": 1}, "RR", {"missing topics <= 0": "missing: gone"}),
        ({"t00": 1, "t01": 0.5}, "RR", {}),
        (
            {"t00": 1, "t01": 0.5, "t02": 1},
            "AP",
            {"RR drop <= 0": "the baseline has no values of RR; --update-baseline"},
        ),
    ],
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
    assert not gates.decide(empty.evaluation, "run", rules, baseline=base).notes
    empty.load_qrels(write(tmp_path / "qrels.txt", "t 0 a 1\nu 0 b 2\n"), replace=True)
    assert gates.decide(empty.evaluation, "run", rules, baseline=base).notes == [
        "the judgments are not those that the baseline's figures were made with"
    ]


def test_a_run_that_is_not_whole_becomes_no_baseline(tmp_path: Path, command: Command) -> None:
    path = loaded(tmp_path, {"run": [1, 1]}, {"run": [0]})
    answer = gate(command, path, "run", "RR drop <= 0", options=["--update-baseline", "b.json"])
    assert (answer.returncode, (tmp_path / "b.json").exists()) == (1, False)
    assert "b.json: not written" in answer.stderr


def test_rules_in_a_file(tmp_path: Path, command: Command) -> None:
    path = loaded(tmp_path, {"run0": [1, 2, 1], "run1": [1, 2, 3]})
    own = tmp_path / "gates" / "last_rank.sql"
    measure = """\
        -- measure: Any
        -- title: Whether anything is retrieved
        -- definition: 1 if a document is retrieved, else 0.
        -- range: 0 1
        -- mean: arithmetic
        select qrels, run, topic, case when num_ret > 0 then cast(1 as double) else 0 end as value
        from evaluated_topics
    """
    write(own, "\n".join(line.strip() for line in measure.splitlines()))
    rules = 'rules = [\n  "RR drop <= 0.1",\n  "Any >= 1",\n]\nbaseline = "base.json"\nmeasure-file = "last_rank.sql"\n'
    write(tmp_path / "gates" / "gate.toml", rules)
    options = ["--rules", "gates/gate.toml"]
    assert gate(command, path, "run0", options=[*options, "--update-baseline", "gates/base.json"]).returncode == 0
    answer = gate(command, path, "run1", "RR >= 0.9", options=options)
    assert answer.returncode == 1
    assert {row["rule"]: row["verdict"] for row in csv_rows(answer.stdout)[3:]} == {
        "RR drop <= 0.1": "fails",
        "Any >= 1": "passes",
        "RR >= 0.9": "fails",
    }
    # What stands on the command line takes the place of the file's baseline.
    assert gate(command, path, "run0", options=[*options, "--baseline", "run1"]).returncode == 0


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("rules = [", "gate.toml: is no TOML"),
        ("rule = []", 'gate.toml: unknown key "rule", expected rules, measure-file, baseline'),
        ("rules = []", "gate.toml: has no rules"),
        ('rules = "AP >= 1"', "gate.toml: rules must be a list of texts"),
        ("rules = [3]", "gate.toml: rules must be a list of texts"),
        ('rules = ["AP >= 1"]\nbaseline = 3', "gate.toml: baseline must be one text"),
        ('rules = [\n"AP >= 1",\n"AP ~ 1",\n"P@5 = 1"]', 'gate.toml:3: rule "AP ~ 1" is not understood'),
        ('rules = [\n"AP >= 1",\n"AP ~ 1",\n"P@5 = 1"]', 'gate.toml:4: rule "P@5 = 1" is not understood'),
    ],
)
def test_files_of_rules_that_are_refused(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_rules(write(tmp_path / "gate.toml", text))
    assert complaint in str(refused.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nDCG@10>=.45", ("mean", ">=", 0.45, "nDCG@10", None)),
        ("AP(rel=2)@100 >= 4e-1", ("mean", ">=", 0.4, "AP(rel=2)@100", None)),
        ("RBP(p=0.5, rel=2) < 1", ("mean", "<", 1, "RBP(p=0.5, rel=2)", None)),
        ("  nDCG@10   drop<=0.01 ", ("drop", "<=", 0.01, "nDCG@10", None)),
        ("AP not worse at p<0.05", ("test", ">=", 0.05, "AP", None)),
        ("topic in first in first 10", ("topic", "<=", 10, "", "in first")),
    ],
)
def test_sentences(text: str, expected: tuple[object, ...]) -> None:
    rule = parse_rule(text)
    assert (rule.kind, rule.comparison, rule.bound, rule.asked, rule.topic) == expected


@pytest.mark.parametrize("text", ["AP drop >= 0.1", "AP >= nan", "AP >= inf", "topic T in first 0", "AP", ">= 3", ""])
def test_no_sentences(text: str) -> None:
    with pytest.raises(UsageError, match="is not understood"):
        parse_rules([text])
