"""The GitHub Action: its steps run in a shell as a runner runs them."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT, SAMPLE, write

FOLDER = ROOT / ".github" / "actions" / "gate"
RULE = "AP not worse at p < 0.05"


def _outcome(folder: Path, **inputs: str) -> tuple[int, str, str]:
    """Exit code, summary and outputs of the step that decides."""
    write(folder / "bin" / "evalsql", f'#!/bin/sh\nexec {sys.executable} -m evalsql "$@"\n').chmod(0o755)
    runs = f"{SAMPLE}/runs/bm25.run\n\n{SAMPLE}/runs/rerank-*.run\n{SAMPLE}/runs/random.run\n"
    given = {"QRELS": f"{SAMPLE}/qrels.txt", "RUNS": runs, "BASELINE": "bm25", "MEASURES": "nDCG@10,AP", **inputs}
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    files = {"GITHUB_STEP_SUMMARY": str(folder / "summary.md"), "GITHUB_OUTPUT": str(folder / "output")}
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PATH": path, **given, **files}
    done = subprocess.run(
        ["bash", FOLDER / "gate.sh"], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return done.returncode, (folder / "summary.md").read_text(), (folder / "output").read_text()


@pytest.mark.long
def test_a_candidate_passes_breaks_a_rule_or_cannot_be_judged(tmp_path: Path) -> None:
    code, summary, output = _outcome(tmp_path / "good", CANDIDATE="rerank-large", RULES=f"{RULE}\nnDCG@10 >= 0.5")
    assert (code, "passes=true" in output) == (0, True)
    assert "rerank-large passes" in summary
    assert {"rules.md", "report.html", "junit.xml", "comment.md"} <= set(os.listdir(tmp_path / "good" / "evalsql-gate"))
    assert (tmp_path / "good" / "evalsql-gate" / "comment.md").read_text() == summary
    code, summary, output = _outcome(tmp_path / "bad", CANDIDATE="random", RULES=RULE)
    assert (code, "passes=false" in output) == (1, True)
    assert "random breaks a rule" in summary
    for heading in ("| rule |", "baseline\\_mean | mean | difference | low | high", "Topics that fell most"):
        assert heading in summary
    code, summary, output = _outcome(tmp_path / "odd", CANDIDATE="random", RULES="nDCG@10 is good")
    assert (code, "passes=false" in output) == (2, True)
    assert "random could not be judged" in summary
    assert 'rule "nDCG@10 is good" is not understood' in summary
    code, summary, output = _outcome(tmp_path / "none", CANDIDATE="random", RUNS="none.run", RULES=RULE)
    assert (code, "passes=false" in output) == (2, True)
    assert "random could not be judged" in summary
    assert "none.run: no such file" in summary


def test_the_action_hands_over_every_input() -> None:
    yaml: Any = pytest.importorskip("yaml")
    action = yaml.safe_load((FOLDER / "action.yml").read_text())
    (step,) = (each for each in action["runs"]["steps"] if each.get("id") == "gate")
    script = (FOLDER / "gate.sh").read_text()
    for name in set(action["inputs"]) - {"package", "upload", "artifact"}:
        assert step["env"][name.upper()] == f"${{{{ inputs.{name} }}}}"
        assert f"${name.upper()}" in script or f"${{{name.upper()}" in script
    assert set(action["outputs"]) == {"passes", "comment"}
