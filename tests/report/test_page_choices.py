"""What a report is told to show and to leave out, and that it says the same twice."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

import evalsql
from evalsql.phrases import natural_key
from evalsql.report.html import listed, signed
from evalsql.report.page.report_data import default_baseline
from tests.conftest import in_process, new_file


@pytest.fixture(scope="module")
def sample_folder(tmp_path_factory: pytest.TempPathFactory, sample_file: Path) -> Path:
    folder = tmp_path_factory.mktemp("choices")
    shutil.copy(sample_file, folder / "evalsql.duckdb")
    return folder


def _data(text: str) -> dict[str, object]:
    found = re.search(r'<script type="application/json" id="figures">(.*?)</script>', text)
    assert found
    return dict(json.loads(found[1]))


def _written(folder: Path, *options: str) -> str:
    outcome = in_process(folder, ["report", "-o", "page.html", *options], "")
    assert (outcome.returncode, outcome.stdout) == (0, ""), outcome.stderr
    return (folder / "page.html").read_text()


def test_sections_are_left_out_and_shown_as_told(sample_folder: Path) -> None:
    usual = _data(_written(sample_folder))
    assert set(usual["curves"]) == {"pr", "tap", "boxes"}  # type: ignore[call-overload]
    assert usual["documents"]
    less = _written(
        sample_folder,
        *("--without", "topics", "--without", "doubts", "--without", "provenance", "--without", "documents"),
        *("--without", "precision-recall", "--without", "threshold", "--without", "distribution", "--with", "roc"),
    )
    assert set(_data(less)["curves"]) == {"roc"}  # type: ignore[call-overload]
    assert not _data(less)["documents"]
    assert not any(f'id="{name}"' in less for name in ("topics", "doubts", "data"))
    outcome = in_process(sample_folder, ["report", "-o", "page.html", "--without", "nothing"], "")
    assert outcome.returncode == 2
    assert "--without nothing: there is no such section; it takes topics, documents" in outcome.stderr


def test_roc_stops_where_the_lists_stop(sample_folder: Path) -> None:
    curves = _data(_written(sample_folder, "--with", "roc"))["curves"]["roc"]  # type: ignore[index]
    assert len(curves) == 8
    data = _data(_written(sample_folder, "--with", "roc"))
    place = data["runs"].index("tfidf")  # type: ignore[attr-defined]
    rows = json.loads(in_process(sample_folder, ["curve", "roc", "tfidf", "--format", "json"], "").stdout)
    last = [row for row in rows if row["threshold"] is not None][-1]
    fpr, tpr = curves[str(place)][-1]
    assert abs(fpr - last["fpr"]) < 1e-6
    assert abs(tpr - last["tpr"]) < 1e-6


def test_the_same_call_writes_the_same_bytes(sample_folder: Path) -> None:
    assert _written(sample_folder) == _written(sample_folder)


def test_title_and_baseline_are_those_asked_for(sample_folder: Path) -> None:
    page = _written(sample_folder, "--title", "Nightly & more", "--baseline", "tfidf")
    assert "<h1>Nightly &amp; more</h1>" in page
    data = _data(page)
    assert data["runs"][data["baseline"]] == "tfidf"  # type: ignore[index]
    outcome = in_process(sample_folder, ["report", "-o", "page.html", "--baseline", "nobody"], "")
    assert outcome.returncode == 2
    assert 'the report has no run "nobody"' in outcome.stderr


def test_texts_of_topics_are_shown_where_they_are_loaded(tmp_path: Path) -> None:
    with evalsql.open(new_file(tmp_path).rename(tmp_path / "evalsql.duckdb")) as warehouse:
        warehouse.load_qrels({"10": {"a": 1, "b": 0}, "2": {"a": 0, "b": 1}}, "judged")
        for name in ("one", "two"):
            warehouse.load_run({"10": {"a": 2.0, "b": 1.0}, "2": {"a": 2.0 + len(name), "b": 1.0}}, name)
        warehouse.execute("insert into topic_meta select 1, topic_id, 'text', 'what is ' || topic from topics")
    assert _data(_written(tmp_path))["topics"] == [["2", "what is 2"], ["10", "what is 10"]]


def test_one_run_is_a_page_too(sample_folder: Path) -> None:
    page = _written(sample_folder, "bm25")
    assert "There is no other system to compare it with." in page


def test_the_baseline_is_never_the_best_of_its_own_accord() -> None:
    assert default_baseline(["bm25", "x", "bm25-rm3", "my-baseline"]) == "my-baseline"
    assert default_baseline(["bm25", "x", "bm25-rm3"]) == "bm25-rm3"
    assert default_baseline(["a", "b", "c", "d", "e"]) == "c"
    assert default_baseline(["a", "b"]) == "b"


def test_numbers_and_lists_as_text() -> None:
    assert [signed(value, 3) for value in (0.1, -0.1, -0.0001, 0.0)] == ["+0.100", "\u22120.100", "0.000", "0.000"]
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert sorted(["10", "2", "a10", "a9", "1"], key=natural_key) == ["1", "2", "10", "a9", "a10"]
