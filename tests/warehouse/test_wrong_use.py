"""What is asked for and is not there is refused, where an empty answer would look like a finding."""

from __future__ import annotations

import shlex
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas
import pytest

import evalsql
from evalsql import QueryError, UsageError, Warehouse
from tests.conftest import SAMPLE, Command, write
from tests.long_cases import few_of


@pytest.fixture
def held(command: Command, tmp_path: Path) -> Command:
    with evalsql.open(tmp_path / "evalsql.duckdb") as warehouse:
        warehouse.load_qrels(SAMPLE / "qrels.txt", "sample")
        warehouse.load_runs([SAMPLE / "runs" / f"{run}.run" for run in ("bm25", "dense")])
    return command


def test_differences_on_an_unknown_topic_are_refused(held: Command) -> None:
    told = held("diff", "bm25", "dense", "--topic", "T999")
    assert (told.returncode, told.stdout) == (2, "")
    assert 'no judgments have a topic "T999"; there are: ' in told.stderr
    assert held("diff", "bm25", "dense", "--topic", "T12", "-m", "AP").returncode == 0


def test_a_baseline_without_its_branch_is_refused(held: Command) -> None:
    told = held("gate", "dense", "--baseline", "latest:", "--rule", "AP drop <= 1")
    assert (told.returncode, told.stdout) == (2, "")
    assert "expected latest:main" in told.stderr
    assert held("gate", "dense", "--baseline", "latest", "--rule", "AP drop <= 1").returncode == 0


def refusal(warehouse: Warehouse, relation: str, argument: str) -> str:
    """What a relation says of an argument; nothing where it takes it."""
    try:
        warehouse.rows(f"select count(*) from {relation}({argument})")
    except QueryError as error:
        return str(error).splitlines()[0]
    return ""


@pytest.mark.parametrize("every", few_of([12, 1], 1))
def test_words_that_a_parameter_does_not_take_are_refused_in_sql(sample_file: Path, every: int) -> None:
    """A misspelled one was taken for some other."""
    with evalsql.open(sample_file, read_only=True) as warehouse:
        asked = [
            (relation.name, parameter)
            for relation in warehouse.catalog.of_kind("measures", "fusion", "statistics", "reports", "judging")
            for parameter in relation.parameters
            # Kappa has no rows to be wrong in, as there is one judgment set.
            if parameter.choices and not relation.header.inputs and parameter.name != "disagreement"
        ]
        assert len(asked) > 100
        for name, parameter in asked[::every]:
            told = refusal(warehouse, name, f"{parameter.name} := 'misspelled'")
            assert f"{parameter.name} is misspelled, it must be {parameter.choices[0]}" in told, name
            assert all(choice in told for choice in parameter.choices), name
        assert "test is t-test, it must be t" in refusal(warehouse, "comparisons", "test := 't-test', runs := 'bm25'")
        assert "dcg is null, it must be log2 or exp-log2" in refusal(warehouse, "ndcg", "dcg := null")


def test_replaced_judgments_stay_as_they_were(tmp_path: Path) -> None:
    lines = (SAMPLE / "qrels.txt").read_text().splitlines(keepends=True)
    fewer, least = (write(tmp_path / f"{most}.txt", "".join(lines[:most])) for most in (300, 200))
    with evalsql.open(":memory:") as warehouse:
        warehouse.load_qrels(SAMPLE / "qrels.txt", "sample")
        warehouse.load_qrels(fewer, "sample", replace=True)
        counts = "select qrels, count(*) from judgments group by all order by all"
        before = warehouse.rows(counts)
        assert before == [("sample", 300), ("sample@1", len([line for line in lines if line[0] != "#"]))]
        with pytest.raises(
            UsageError, match=r"sample@1 are an earlier version, which is kept as it is.*evalsql drop qrels sample@1"
        ):
            warehouse.load_qrels(least, "sample@1", replace=True)
        assert warehouse.rows(counts) == before


def test_fusion_learns_from_no_judgments_without_a_relevant_document(held: Command) -> None:
    told = held("fuse", "map", "bm25", "dense", "--name", "fused", "--rel", "9")
    assert told.returncode == 2
    assert "sample has no document of grade 9 or above to learn from" in told.stderr
    assert held("fuse", "map", "bm25", "dense", "--name", "fused", "--rel", "3").returncode == 0


def test_no_measure_is_refused() -> None:
    with pytest.raises(UsageError, match="no measure is named"):
        evalsql.evaluate({"t": {"d": 1}}, {"t": {"d": 1.0}}, [])


def test_a_series_is_no_run() -> None:
    with pytest.raises(UsageError, match="data of type Series is neither nested dicts nor a table"):
        evalsql.evaluate({"t": {"d": 1}}, pandas.Series([1.0]), "AP")


def test_standard_input_is_not_read_twice(command: Command) -> None:
    told = command("eval", "-", "-", stdin="t 0 d 1\n")
    assert (told.returncode, told.stdout) == (2, "")
    assert "name a file for one of them" in told.stderr


def test_the_command_that_diff_names_can_be_pasted(command: Command, tmp_path: Path) -> None:
    with evalsql.open(tmp_path / "evalsql.duckdb") as warehouse:
        warehouse.load_qrels(SAMPLE / "qrels.txt", "sample")
        for run, name in (("bm25", "o'ne; x"), ("dense", "two")):
            warehouse.load_runs(SAMPLE / "runs" / f"{run}.run", name=name)
    told = command("diff", "o'ne; x", "two", "-m", "AP")
    (line,) = (line for line in told.stderr.splitlines() if line.startswith("evalsql diff"))
    assert shlex.split(line)[:7] == ["evalsql", "diff", "o'ne; x", "two", "-m", "AP", "--documents"]


def test_threads_that_share_a_warehouse_get_their_own_rows(empty: Warehouse) -> None:
    asked = range(400)
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda at: empty.rows("select ?", [at]), asked)) == [[(at,)] for at in asked]
