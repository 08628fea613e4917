"""Public runs and judgments: the organisers' printed figures, and trec_eval on files that break loaders."""

import csv
import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

import evalsql
from evalsql import Warehouse
from tests.conftest import real_data
from tests.long_cases import few_of
from tests.measures.topic_values import values
from tests.oracles import peers
from tests.random_collections import Qrels, Run

REAL = real_data()
ODDITIES = sorted(path.name for path in (REAL / "oddities").iterdir()) if REAL else ["(no real data)"]


def lines(path: Path) -> Iterator[list[str]]:
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as stream:
        yield from (line.split() for line in stream if line.strip())


def read_qrels(path: Path) -> Qrels:
    qrels: Qrels = {}
    for topic, _, document, grade in lines(path):
        qrels.setdefault(topic, {})[document] = int(grade)
    return qrels


def read_run(path: Path) -> Run:
    """Rows but a header; of a document that stands twice the better score, as the flag keeps it."""
    run: Run = {}
    for topic, _, document, rank, score, *_ in lines(path):
        if rank.isdigit():
            scores = run.setdefault(topic, {})
            scores[document] = max(float(score), scores.get(document, float(score)))
    return run


def run_name(path: Path) -> str:
    return path.name.removesuffix(".gz").removesuffix(".run")


def leaderboard(warehouse: Warehouse, measures: list[str]) -> dict[str, list[str]]:
    rows = warehouse.evaluate(measures).fetchall()
    return {run: [f"{value:.4f}" for value in values] for _, run, *values in rows}


@pytest.mark.long
def test_all_630_official_figures_of_trec_covid_round_5(real: Path, tmp_path: Path) -> None:
    folder = real / "trec-covid-r5"
    with evalsql.open(tmp_path / "covid.duckdb") as warehouse:
        warehouse.load_qrels(folder / "qrels.txt", "r5")
        assert len(warehouse.load_runs(str(folder / "runs" / "*.run.gz"))) == 126
        assert warehouse.rows("select count(*) from rankings") == [(5_731_749,)]
        ours = leaderboard(warehouse, ["nDCG@20", "P@20", "RBP(p=0.5,gains={1:0.5,2:1})", "Bpref", "AP"])
        # The same ranking twice: every measure must agree, but for the last digits, which depend on the order of sums.
        twins = "run in ('DoRA_MSMARCO_1k', 'DoRA_NO_Judgments_1k')"
        apart = "group by measure, topic having max(value) - min(value) > 1e-12"
        assert warehouse.rows(f"select measure, topic from scores where {twins} {apart}") == []
    with (folder / "official_leaderboard.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    official = {row["tag"]: [row[name] for name in ("ndcg@20", "P@20", "rbp_p5", "bpref", "map")] for row in rows}
    assert len(official) == 126
    assert ours == official


@pytest.mark.parametrize("folder", ["trec-covid-r1-small", "trec-covid-r3-small"])
def test_official_figures_of_earlier_rounds(real: Path, empty: Warehouse, folder: str) -> None:
    empty.load_qrels(real / "oddities" / folder / "qrels.txt", folder)
    empty.load_runs(str(real / "oddities" / folder / "runs" / "*"))
    ours = leaderboard(empty, ["nDCG@10", "P@5", "RBP(p=0.5,gains={1:0.5,2:1})", "Bpref", "AP"])
    with (real / "oddities" / folder / "official_leaderboard.csv").open(newline="") as stream:
        rows = [{name.lower(): value for name, value in row.items()} for row in csv.DictReader(stream)]
    rbp = "rbp(p=.5)" if "rbp(p=.5)" in rows[0] else "rbp_p5"
    assert ours == {row["run"]: [row[name] for name in ("ndcg@10", "p@5", rbp, "bpref", "map")] for row in rows}


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*holds zero bytes")
@pytest.mark.parametrize("folder", few_of(ODDITIES, 1))
def test_oddities_equal_trec_eval_and_tap_k(real: Path, empty: Warehouse, folder: str) -> None:
    qrels = read_qrels(real / "oddities" / folder / "qrels.txt")
    paths = sorted((real / "oddities" / folder / "runs").iterdir())
    empty.load_qrels(real / "oddities" / folder / "qrels.txt", folder)
    empty.load_runs(paths, keep_best=True)
    runs = {run_name(path): read_run(path) for path in paths}
    for level in (1, 2):
        theirs = {run: peers.trec_eval(qrels, scores, level) for run, scores in runs.items()}
        for name, their_name in peers.at_level(level).items():
            ours = values(empty, name, "run, topic")
            expected = {
                (run, topic): value
                for run, found in theirs.items()
                for topic, value in found.get(their_name, {}).items()
            }
            assert {key: ours[key] for key in expected} == pytest.approx(expected, abs=1e-9), name
    for k in (1, 5):
        ours = values(empty, f"TAP(reward_silence=true)@{k}", "run, topic")
        for run, scores in runs.items():
            if found_by_program := peers.tap(qrels, scores, k=k):
                expected = {(run, query.query): query.tap for query in found_by_program.queries}
                assert {key: ours[key] for key in expected} == pytest.approx(expected, abs=1e-9), (k, run)
