"""evalsql as a provider of ir_measures: the values of its other providers, and their own tests through it."""

import subprocess
import sys
import tarfile
import types
import unittest
from pathlib import Path
from typing import Any

import ir_measures
import pytest

from evalsql.ir_measures import EvalsqlProvider, prefer, provider
from tests.random_collections import collection

NAMES = "AP P@5 nDCG@10 RR(rel=2) nDCG(gains={0:1,1:4}) SetF(beta=2.0) Bpref IPrec@0.5 SetF Judged@5 RBP(rel=1)"
Values = dict[tuple[str, str], float]


def _values(found: Any) -> Values:
    return {(each.query_id, str(each.measure)): each.value for each in found}


@pytest.mark.long
def test_values_are_those_of_the_other_providers(monkeypatch: pytest.MonkeyPatch) -> None:
    one = collection(3)
    measures = [ir_measures.parse_measure(name) for name in NAMES.split()]
    theirs: Values = {}
    for each in measures:  # one by one: together, its nDCG may take the gains that another nDCG lists
        theirs |= _values(ir_measures.iter_calc([each], one.qrels, one.run))
    assert len(set(theirs.values())) > 20
    assert _values(provider.iter_calc(measures, one.qrels, one.run)) == pytest.approx(theirs, abs=1e-9)
    monkeypatch.setattr(ir_measures.DefaultPipeline, "providers", [*ir_measures.DefaultPipeline.providers])
    prefer()
    asked: list[str] = []
    calculate = EvalsqlProvider._evaluator

    def noted(self: EvalsqlProvider, measures: Any, qrels: Any) -> Any:
        asked.extend(map(str, measures))
        return calculate(self, measures, qrels)

    monkeypatch.setattr(EvalsqlProvider, "_evaluator", noted)
    assert _values(ir_measures.iter_calc(measures, one.qrels, one.run)) == pytest.approx(theirs, abs=1e-9)
    assert sorted(asked) == sorted(map(str, measures))


def test_what_it_supports_and_reads() -> None:
    assert provider.supports(ir_measures.AP @ 5)
    assert not provider.supports(ir_measures.define_byquery(lambda qrels, run: 1.0, name="One"))
    assert provider.qrel_inputs([ir_measures.alpha_nDCG @ 5])[-1] == "iteration"
    assert list(provider.iter_calc([ir_measures.AP], [], [])) == []


class _Measures(unittest.TestCase):
    """What their tests of pytrec_eval are based on, which their package leaves out."""

    def assertMetrics(self, found: Any, expected: Any, not_equal: bool = False) -> None:  # noqa: N802
        there, here = _values(expected), _values(found)
        assert (here == pytest.approx(there, abs=1e-4)) != not_equal


@pytest.mark.long
@pytest.mark.parametrize("name", ["pytrec_eval", "pyndeval", "judged"])
def test_their_own_tests_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    release = f"ir-measures=={ir_measures.__version__}"
    words = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary", ":all:", "-d", str(tmp_path), release]
    subprocess.run(words, check=True, capture_output=True)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as files:
        files.extractall(tmp_path, filter="data")
    package, base = types.ModuleType("their_tests"), types.ModuleType("their_tests.base")
    package.__path__ = [str(archive.with_name(archive.name.removesuffix(".tar.gz")) / "tests")]
    base.BaseMeasureTest = _Measures  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "their_tests", package)
    monkeypatch.setitem(sys.modules, "their_tests.base", base)
    monkeypatch.setattr(ir_measures, name, provider)
    monkeypatch.setattr(ir_measures.providers, "PytrecEvalProvider", EvalsqlProvider)
    suite = unittest.defaultTestLoader.loadTestsFromName(f"their_tests.test_{name}")
    outcome = unittest.TestResult()
    suite.run(outcome)
    assert outcome.testsRun >= 1
    assert outcome.errors + outcome.failures == []
