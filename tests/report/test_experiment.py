"""Experiments on runs and judgments at hand, as people have them who come from PyTerrier and ranx."""

from pathlib import Path
from statistics import fmean
from typing import Any

import pandas
import pytest
import pytrec_eval
import ranx
from ir_measures import ScoredDoc

import evalsql
from evalsql import InputError, InputWarning, UsageError
from evalsql.experiments import Experiment
from tests.conftest import SAMPLE, write
from tests.long_cases import few_of
from tests.report.conftest import trec_eval

RUNS = ("bm25", "dense", "tfidf")
FILES = {name: SAMPLE / "runs" / f"{name}.run" for name in RUNS}


def as_dicts() -> tuple[dict[str, Any], dict[str, Any]]:
    runs = {name: pytrec_eval.parse_run(file.open()) for name, file in FILES.items()}
    return runs, pytrec_eval.parse_qrel((SAMPLE / "qrels.txt").open())


def as_frames() -> tuple[dict[str, Any], Any]:
    """As PyTerrier has them: qid, docno and score, and label."""
    runs, grades = as_dicts()

    def rows(found: Any) -> list[tuple[Any, ...]]:
        return [(topic, document, value) for topic, inner in found.items() for document, value in inner.items()]

    frames = {name: pandas.DataFrame(rows(run), columns=["qid", "docno", "score"]) for name, run in runs.items()}
    return frames, pandas.DataFrame(rows(grades), columns=["qid", "docno", "label"])


def means() -> dict[str, float]:
    """Mean average precision as trec_eval has it; a topic that a run leaves out counts as 0."""
    return {run: fmean(trec_eval("map")[run].values()) for run in RUNS}


def found(experiment: Experiment) -> dict[str, float]:
    return {run: value for _, run, value in experiment}


@pytest.mark.long
@pytest.mark.parametrize("form", few_of(["glob", "list of ranx", "dicts", "list of frames", "files", "frames", "ranx"]))
def test_runs_may_be_what_one_has_at_hand(form: str) -> None:
    runs: Any
    grades: Any
    runs, grades = as_dicts()
    options: dict[str, Any] = {}
    if form in ("files", "glob"):
        runs, grades = FILES if form == "files" else str(SAMPLE / "runs" / "[bdt]*[5ef]*.run"), SAMPLE / "qrels.txt"
    elif "frames" in form:
        runs, grades = as_frames()
    elif "ranx" in form:
        runs = {name: ranx.Run(run, name=name) for name, run in runs.items()}
        grades = ranx.Qrels({topic: {d: g for d, g in row.items() if g >= 0} for topic, row in grades.items()})
    if "list" in form:
        options = {} if "ranx" in form else {"names": RUNS}
        runs = list(runs.values())
    experiment = evalsql.experiment(runs, grades, "AP", **options)
    ours = found(experiment)
    assert {name: ours[name] for name in RUNS} == pytest.approx(means(), abs=1e-12)
    assert repr(experiment).startswith("qrels\n")
    assert experiment.comparison is None
    experiment.warehouse.close()


@pytest.mark.long
def test_a_baseline_is_compared_with_and_marked() -> None:
    runs, grades = as_dicts()
    by_place = evalsql.experiment(list(runs.values()), grades, "AP", baseline=0)
    assert by_place.comparison is not None
    assert {row[2] for row in by_place.comparison} == {"run1"}
    by_place.warehouse.close()
    by_name = evalsql.experiment(runs, grades, "AP", baseline="bm25", test="wilcoxon", correction="none")
    assert by_name.comparison is not None
    expected = means()
    differences = dict(by_name.comparison.project("run, difference").fetchall())
    assert differences == pytest.approx({run: expected[run] - expected["bm25"] for run in ("dense", "tfidf")})
    html = by_name._repr_html_()
    assert f"{expected['tfidf']:.4f}<sup>‡</sup>" in html
    assert "Wilcoxon signed rank test, p not corrected for 2 tests" in html
    assert by_name.warehouse.explain("dense", "T01", measure="AP").fetchall()
    assert list(by_name.df().columns) == ["qrels", "run", "AP"]
    by_name.warehouse.close()


def test_files_of_one_stem_are_told_apart_and_noted_once(tmp_path: Path) -> None:
    ranked = "1 Q0 c 1 {} t\n1 Q0 a 2 1.00000001 t\n1 Q0 b 3 1 t\n"
    files = [write(tmp_path / name / "run.txt", ranked.format(top)) for name, top in (("old", 5), ("new", 6))]
    with pytest.warns(InputWarning) as told:
        experiment = evalsql.experiment(files, {"1": {"b": 1}}, "RR", baseline=0)
    assert [str(each.message).partition(",")[0] for each in told] == [
        "4 documents in 2 runs tie only in 32-bit precision"
    ]
    assert experiment.comparison is not None
    assert [row[2:4] for row in experiment.comparison] == [("old/run", "new/run")]
    experiment.warehouse.close()


@pytest.mark.long
def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    runs, grades = as_dicts()
    frames, _ = as_frames()
    for given, options, complaint in (
        (runs["bm25"], {}, "this is one run; give it a name"),
        ([], {}, "takes at least one run"),
        ({}, {}, "takes at least one run"),
        (runs, {"names": ["a"]}, "have names already"),
        (list(runs.values()), {"names": ["a"]}, "1 name for 3 runs; give each run one name"),
        (list(runs.values()), {"names": ["a", "b", "a"]}, "two runs are called a; give each run a name of its own"),
        (frames["bm25"], {"names": ["a", "b"]}, "2 names for 1 run"),
        (runs, {"baseline": "bm52"}, 'no run is called "bm52"; there are: bm25, dense, tfidf'),
        (runs, {"baseline": 3}, "there are 3 runs, from 0"),
        ({"bm25": frames["bm25"].drop(columns="score")}, {}, "score"),
    ):
        with pytest.raises(UsageError, match=complaint):
            evalsql.experiment(given, grades, "AP", **options)
    documents = [ScoredDoc(*row) for row in frames["bm25"].itertuples(index=False)]
    for single in (frames["bm25"], [frames["bm25"]], documents):  # a single name may stand by itself
        assert found(evalsql.experiment(single, grades, "AP", names="mine")).keys() == {"mine"}
    for swapped in (runs, frames, list(frames.values()), ["a.run", "b.run"]):
        with pytest.raises(UsageError, match="runs come first here, then judgments"):
            evalsql.experiment(grades, swapped, "AP")
    (tmp_path / "bad.run").write_text("T01 Q0 d 1\n")
    with pytest.raises(InputError, match=r"bad\.run"):
        evalsql.experiment(tmp_path / "bad.run", grades, "AP")
