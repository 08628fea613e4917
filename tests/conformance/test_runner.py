"""The runner: programs that are right pass, those with a fault are caught, and the cause is the right one."""

import csv
import json
import os
import shlex
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from evalsql import conformance
from evalsql.conformance import check
from tests.conformance import plain
from tests.conftest import Command, assert_refused, write

SUITE = conformance.suite()
TREC_EVAL = os.environ.get("TREC_EVAL", "")
FOLDER = Path(__file__).resolve().parent
SOURCE = (FOLDER / "plain.py").read_text(encoding="utf-8")
with (FOLDER / "mutants.tsv").open(encoding="utf-8") as lines:
    MUTANTS = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def judged(function: Any, suite: check.Suite = SUITE) -> dict[str, check.Verdict]:
    return {verdict.measure: verdict for verdict in check.judge(check.values_of(function, suite), suite)}


def test_a_careful_program_follows_a_variant_of_each_measure() -> None:
    verdicts = judged(plain.mean)
    assert verdicts.keys() == SUITE.variants.keys()
    for verdict in verdicts.values():
        assert verdict.variant in SUITE.variants[verdict.measure], verdict
        assert verdict.failures == []
    assert verdicts["RR"].conventions == {
        "ties": ["trec_eval 10"],
        "topics": ["judged"],
        "without relevant": ["zero"],
        "unjudged": ["not relevant"],
    }


@pytest.mark.parametrize("each", [7, pytest.param(1, marks=pytest.mark.long)])
def test_mistakes_are_caught_and_their_causes_named(each: int) -> None:
    named = 0
    for mutant in MUTANTS[::each]:
        assert SOURCE.count(mutant["old"]) == 1, mutant
        wrong: dict[str, Any] = {}
        exec(compile(SOURCE.replace(mutant["old"], mutant["new"]), str(mutant), "exec"), wrong)
        mean, form = wrong["mean"], mutant["measure"]
        verdict = judged(lambda *asked, m=mean, f=form: m(*asked) if check.form_of(asked[2]) == f else None)[form]
        assert verdict.variant is None, mutant
        assert verdict.failures
        assert mutant["cause"] in (verdict.cause or "" if mutant["cause"] else ""), (mutant, verdict.cause)
        named += bool(mutant["cause"])
    assert named * each >= 40


def test_digits_decide_what_agrees() -> None:
    assert check.agrees("0.6309", 0.63093)
    assert not check.agrees("0.6310", 0.63093)
    assert check.agrees(0.5, 0.5)
    assert not check.agrees(0.5, 0.5002)
    assert check.agrees(0.63092977, 0.6309297535714574)  # a 32-bit number
    assert not check.agrees(0.63094, 0.6309297535714574)
    for wrong in ("nan", float("nan"), "error: no", None):
        assert not check.agrees(wrong, 0.0)


def test_values_of_a_table_are_judged_by_the_command(command: Command, tmp_path: Path) -> None:
    asked = [(name, measure) for name, measure in SUITE.asked() if measure == "R@2"]
    rows = ["case,measure,value", *(f"{name},{measure},1.43" for name, measure in asked)]
    table = write(tmp_path / "values.csv", "\n".join(rows))
    outcome = command("conformance", "--values", str(table), "--format", "json")
    assert outcome.returncode == 1
    (verdict,) = json.loads(outcome.stdout)
    assert (verdict["measure"], verdict["variant"], verdict["num_agreeing"]) == ("R@k", None, 0)
    assert [(failure["case"], failure["given"]) for failure in verdict["failures"]] == [
        (name, "1.43") for name, _ in asked
    ]
    junit = command("conformance", "--values", str(table), "--format", "junit")
    assert ElementTree.fromstring(junit.stdout)[0].attrib["failures"] == "1"
    markdown = command("conformance", "--values", str(table), "--format", "markdown")
    assert markdown.stdout.startswith("| measure | variant |")
    for text, told in (
        ("measure,value\nR@2,1\n", "the header has no columns case"),
        ("case,measure,value\nap-cut,AP@3\n", "2: 2 cells, the header has 3"),
        ("case,measure,value\nap-cut,AP@3,1\nap-cut,AP@3,1\n", "3: a second value for ap-cut AP@3"),
        ("case,measure,value\nap-cut,AP@99,1\n", "no case ap-cut asks for AP@99"),
        ("case,measure,value\n", "there is no value"),
        (f"case,measure,value\n{'x' * 200_000},AP,1\n", "values.csv:2: cannot be read: field larger"),
    ):
        assert_refused(command("conformance", "--values", str(write(table, text))), told)
    assert_refused(command("conformance"), "give one of --command")
    assert_refused(command("conformance", "--python", "no.such:thing"), "cannot be imported")
    assert_refused(command("conformance", "--python", "mine"), '"mine" names no function; expected package.module')
    for nth, fault in enumerate(("raise RuntimeError('of its own')", "import sys; sys.exit(3)", "def (:")):
        write(tmp_path / f"faulty{nth}.py", fault)
        assert_refused(command("conformance", "--python", f"faulty{nth}:f"), "cannot be imported")
    write(tmp_path / "colours.py", "def f(qrels, run, measure): raise ValueError('\\x1b[31m')")
    assert "\x1b" not in command("conformance", "--python", "colours:f").stdout
    write(tmp_path / "ends.py", "import sys\ndef f(qrels, run, measure): sys.exit('enough')")
    assert_refused(command("conformance", "--python", "ends:f"), "f(", "called sys.exit('enough')")
    assert_refused(command("conformance", "--command", "true"), "names its files")
    assert_refused(command("conformance", "--command", "no-such-program {qrels} {run} {measure}"), "cannot be run")


@pytest.mark.long
def test_trec_eval_passes_as_a_command(command: Command) -> None:
    """evalsql's own, which prints what trec_eval prints to the byte."""
    program = f"{sys.executable} -m evalsql trec_eval -m {{trec_eval}} {{qrels}} {{run}}"
    outcome = command("conformance", "--command", program, "--format", "json")
    verdicts = {each["measure"]: each for each in json.loads(outcome.stdout)}
    assert outcome.returncode == 0, outcome.stdout
    assert {each["variant"] for each in verdicts.values()} == {"trec_eval"}
    assert verdicts["AP"]["conventions"]["topics"] == ["answered"]


@pytest.mark.skipif(not TREC_EVAL, reason="TREC_EVAL names no program; it is for that of trec_eval 10")
@pytest.mark.parametrize(("options", "unjudged"), [("-c", "not relevant"), ("-c -J", "removed")])
def test_the_program_trec_eval_passes(command: Command, options: str, unjudged: str) -> None:
    asked = f"{shlex.quote(TREC_EVAL)} {options} -m {{trec_eval}} {{qrels}} {{run}}"
    outcome = command("conformance", "--command", asked, "--format", "json")
    assert outcome.returncode == 0, outcome.stdout
    verdicts = {each["measure"]: each for each in json.loads(outcome.stdout)}
    assert verdicts.keys() == {form for form, named in SUITE.variants.items() if "trec_eval" in named} - {"RR@k"}
    for form, verdict in verdicts.items():
        assert verdict["variant"] == "trec_eval"
        assert verdict["conventions"].get("unjudged", [unjudged]) == [unjudged], form
        assert "judged" in verdict["conventions"].get("topics", ["judged"]), form
        assert "trec_eval 10" in verdict["conventions"].get("ties", ["trec_eval 10"]), form
    assert verdicts["AP"]["conventions"]["ties"] == ["trec_eval 10"]
    assert verdicts["nDCG@k"]["conventions"]["negative"] == ["no judgment"]


@pytest.mark.parametrize("language", ["python", "node"])
def test_the_checker_stands_alone(command: Command, tmp_path: Path, language: str) -> None:
    cases = tmp_path / "cases"
    assert command("conformance", "--write", str(cases)).returncode == 0
    assert_refused(command("conformance", "--write", str(cases)), "not an empty folder")
    if language == "python":
        shutil.copy(FOLDER / "plain.py", tmp_path / "plain.py")
        asked = ["--python", "plain:mean"]
    else:
        if (node := shutil.which("node")) is None:
            assert not os.environ.get("EVALSQL_DEMAND_NODE"), "node is not installed"
            pytest.skip("node is not installed")
        values = subprocess.run([node, FOLDER / "measures.mjs", cases], capture_output=True, text=True, check=True)
        asked = [str(write(tmp_path / "values.tsv", values.stdout))]
    # -S and -I: no package that is installed, and no variable of the environment.
    alone = [sys.executable, "-S", "-I", str(cases / "check.py"), *asked, "--format", "json"]
    outcome = subprocess.run(alone, capture_output=True, text=True, cwd=tmp_path)
    assert outcome.returncode == 0, outcome.stderr + outcome.stdout
    verdicts = json.loads(outcome.stdout)
    assert {each["measure"] for each in verdicts} == SUITE.variants.keys()
    expected = "trec_eval 10" if language == "python" else "trec_eval 9"
    assert {each["conventions"]["ties"][0] for each in verdicts if each["measure"] in ("AP", "RR")} == {expected}
