"""What a report holds for doubtful, each fact under its own heading whatever runs are called."""

from collections.abc import Mapping
from pathlib import Path

import pytest

import evalsql
from evalsql import Warehouse
from evalsql.report.page.report_data import gather_report
from evalsql.report.page.verdicts import Caveat, caveats
from tests.conftest import new_file, write


def _caveats(warehouse: Warehouse, qrels: str, *runs: str) -> Mapping[str, Caveat]:
    found = gather_report(warehouse, ["AP"], qrels=qrels, runs=runs, for_page=True)
    return {each.title: each for each in caveats(found)}


@pytest.mark.long
def test_stored_scores_are_no_ids_that_do_not_match(sample_file: Path, tmp_path: Path) -> None:
    with evalsql.open(new_file(tmp_path, like=sample_file)) as warehouse:
        columns = "qrels, 'elsewhere' as run, topic, measure, value"
        scores = tmp_path / "scores.parquet"
        warehouse.execute(
            f"copy (select {columns} from scores where run = 'dense' and measure = 'AP') to '{scores}' (format parquet)"
        )
        warehouse.load_scores(scores)
        found = _caveats(warehouse, "sample")
    assert not found["Ids that do not match."].deserves_look
    assert "elsewhere" in found["Where figures come from."].claim
    assert "nothing" not in found["Where figures come from."].note


@pytest.mark.long
def test_names_of_runs_do_not_say_what_is_doubtful(empty: Warehouse) -> None:
    empty.load_qrels({"t1": {"d1": 1}, "t2": {"d2": 1}}, "holds misses")
    for name in ("ties: a", "b holds c", "d misses e", "without judgments"):
        empty.load_run({"t1": {"d1": 1.0, "d3": 0.5}, "t2": {"d2": 1.0}}, name)
    found = _caveats(empty, "holds misses")
    for title in ("Missing topics.", "Ids that do not match.", "Ties."):
        assert not found[title].deserves_look
    empty.load_run({"t1": {"d1": 1.0}}, "f", depth=1)
    found = _caveats(empty, "holds misses")
    # Nor has a judgment set that a sentence starts with another name there.
    assert found["How runs were loaded."].claim.startswith("holds misses: runs differ in depth")
    assert found["Missing topics."].claim == "f misses 1 of 2 topics (holds misses)."


@pytest.mark.long
def test_groups_are_told_of_judgments_and_not_of_topics(empty: Warehouse, tmp_path: Path) -> None:
    qrels = write(tmp_path / "groups.txt", "t1 1 d1 1\nt1 2 d1 0\nt1 2 d2 1\n")
    empty.load_qrels(qrels, "groups", form="groups")
    empty.load_run({"t1": {"d1": 1.0, "d2": 0.5}}, "a")
    empty.load_run({"t1": {"d2": 1.0, "d1": 0.5}}, "b")
    found = _caveats(empty, "groups")
    assert not found["Missing topics."].deserves_look
    assert "holds groups" in found["Judgments."].claim


def test_one_run_is_compared_with_nothing(empty: Warehouse, tmp_path: Path) -> None:
    empty.load_qrels({"1": {"d": 1}}, "q")
    empty.load_run({"1": {"d": 1.0}}, "alone")
    found = caveats(gather_report(empty, ["AP", "RR"], for_page=True))
    assert "Other measures." not in [each.title for each in found]
    empty.report(measures="AP RR", output=tmp_path / "report.html")
    assert "alone" in (tmp_path / "report.html").read_text(encoding="utf-8")
