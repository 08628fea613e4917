"""Agreement of judges: worked out by hand, as scikit-learn, statsmodels and krippendorff have it."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import krippendorff
import numpy
import pytest
from sklearn.metrics import cohen_kappa_score, confusion_matrix
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from evalsql import QueryError, UsageError, Warehouse
from evalsql.evaluation import judging
from tests.conftest import FIXTURES, SAMPLE, Command, csv_rows, new_warehouse
from tests.random_collections import Qrels

SETS = ("first", "second", "third")


def judges(seed: int, *, missing: float) -> dict[str, Qrels]:
    """Three judges of the same documents, who agree more often than not, with grades from -1 to 3."""
    chance = random.Random(seed)
    found: dict[str, Qrels] = {name: {} for name in SETS}
    for number in range(6):
        for at in range(15):
            truth = chance.choice((0, 0, 1, 2, 3))
            for name in SETS:
                if chance.random() >= missing:
                    grade = truth if chance.random() < 0.6 else chance.choice((-1, 0, 1, 2, 3))
                    found[name].setdefault(f"q{number}", {})[f"d{at}"] = grade
    return found


def matrix(found: dict[str, Qrels], rel: int | None) -> numpy.ndarray:
    """A row for each judge, a column for each document, nan where there is no judgment."""
    every = sorted({(topic, each) for qrels in found.values() for topic, grades in qrels.items() for each in grades})
    rows = []
    for name in found:
        row = []
        for topic, document in every:
            grade = found[name].get(topic, {}).get(document, -1)
            row.append(numpy.nan if grade < 0 else grade if rel is None else int(grade >= rel))
        rows.append(row)
    return numpy.array(rows, dtype=float)


def load(warehouse: Warehouse, found: dict[str, Qrels]) -> None:
    for name, qrels in found.items():
        warehouse.load_qrels(qrels, name)


def statistics(warehouse: Warehouse, rel: int | None) -> dict[tuple[str, str], tuple[Any, ...]]:
    rows = warehouse.rows(judging.agreement_query(warehouse.database, "statistics", "*", rel=rel))
    return {(statistic, qrels): (documents, value) for statistic, qrels, documents, value in rows}


@pytest.fixture(scope="module", params=[(1, 0.0), (2, 0.3), (3, 0.6)])
def judged(request: pytest.FixtureRequest) -> Iterator[tuple[Warehouse, dict[str, Qrels]]]:
    seed, missing = request.param
    with new_warehouse() as warehouse:
        found = judges(seed, missing=missing)
        load(warehouse, found)
        yield warehouse, found


@pytest.mark.parametrize("rel", [None, 1, 2])
def test_cohens_kappa_is_that_of_scikit_learn(judged: tuple[Warehouse, dict[str, Qrels]], rel: int | None) -> None:
    warehouse, found = judged
    ours = statistics(warehouse, rel)
    ratings = dict(zip(SETS, matrix(found, rel), strict=True))
    for one, two in (("first", "second"), ("first", "third"), ("second", "third")):
        both = ~numpy.isnan(ratings[one]) & ~numpy.isnan(ratings[two])
        left, right = ratings[one][both].astype(int), ratings[two][both].astype(int)
        labels = list(range(4))  # without gaps its weights are by grade too
        for word, weights in (("", None), (", linear", "linear"), (", quadratic", "quadratic")):
            expected = cohen_kappa_score(left, right, labels=labels, weights=weights)
            assert ours[f"Cohen's kappa{word}", f"{one}, {two}"] == (both.sum(), pytest.approx(expected, abs=1e-12))
        assert ours["agreement", f"{one}, {two}"] == (both.sum(), pytest.approx((left == right).mean(), abs=1e-12))
        table = confusion_matrix(left, right, labels=labels)
        cells = warehouse.rows(judging.agreement_query(warehouse.database, "confusion", [one, two], rel=rel))
        assert {(row, column): count for _, _, row, column, count in cells} == {
            (row, column): table[row][column] for row in labels for column in labels if table[row][column]
        }
        differing = warehouse.rows(judging.agreement_query(warehouse.database, "documents", [one, two], rel=rel))
        assert len(differing) == (left != right).sum()


@pytest.mark.parametrize("rel", [None, 1, 2])
def test_statistics_of_all_judges_are_those_of_statsmodels_and_krippendorff(
    judged: tuple[Warehouse, dict[str, Qrels]], rel: int | None
) -> None:
    warehouse, found = judged
    ratings, ours, together = matrix(found, rel), statistics(warehouse, rel), "first, second, third"
    whole = ratings[:, ~numpy.isnan(ratings).any(axis=0)].astype(int)
    expected = fleiss_kappa(aggregate_raters(whole.T)[0], method="fleiss")
    assert ours["Fleiss' kappa", together] == (whole.shape[1], pytest.approx(expected, abs=1e-12))
    for level in ("nominal", "ordinal", "interval"):
        expected = krippendorff.alpha(reliability_data=ratings, level_of_measurement=level)
        documents, value = ours[f"Krippendorff's alpha, {level}", together]
        assert value == pytest.approx(expected, abs=1e-12)
        assert documents == ((~numpy.isnan(ratings)).sum(axis=0) > 1).sum()


@pytest.fixture(scope="module")
def golden() -> Iterator[Warehouse]:
    with new_warehouse() as warehouse:
        warehouse.load_qrels(FIXTURES / "judging" / "qrels.txt", "first")
        warehouse.load_runs(str(FIXTURES / "judging" / "runs" / "*.run"))
        warehouse.load_qrels(FIXTURES / "judging" / "second.txt", "second", runs="*")
        yield warehouse


def test_agreement_is_that_worked_out_by_hand(golden: Warehouse) -> None:
    with (FIXTURES / "judging" / "agreement.tsv").open(newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    assert len(rows) == 10
    for row in rows:
        found = statistics(golden, int(row["rel"]) if row["rel"] else None)
        expected = (int(row["documents"]), pytest.approx(float(row["value"]), abs=6e-7))
        assert found[row["statistic"], "first, second"] == expected, row


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        ("cohen_kappa(disagreement := 'squared')", "disagreement is squared, it must be equal, linear or quadratic"),
        ("krippendorff_alpha(level := 'ratio')", "level is ratio, it must be nominal, ordinal or interval"),
    ],
)
def test_unknown_words_are_refused(golden: Warehouse, call: str, complaint: str) -> None:
    """They were taken for quadratic and for ordinal."""
    with pytest.raises(QueryError, match=complaint):
        golden.rows(f"from {call}")


def test_figures_stand_side_by_side(golden: Warehouse) -> None:
    """By the second set q1 has the relevant documents a, b and c, and q2 has f, which neither run found."""
    columns, rows, orders = judging.effects(golden.evaluation, ["first", "second"], "AP")
    assert columns[:6] == ["measure", "run", "qrels", "other", "value", "other_value"]
    # A: q1 (1 + 1) / 3, q2 nothing; B: q1 (1 + 2/3) / 3, q2 nothing.
    assert rows == [
        ("AP", "A", "first", "second", pytest.approx(3 / 4), pytest.approx(1 / 3), pytest.approx(-5 / 12), 1, 1),
        ("AP", "B", "first", "second", pytest.approx(5 / 12), pytest.approx(5 / 18), pytest.approx(-5 / 36), 2, 2),
    ]
    assert orders == [("AP", "first", "second", 2, pytest.approx(1), pytest.approx(1))]


def test_judges_who_all_say_the_same_have_no_kappa() -> None:
    with new_warehouse() as warehouse:
        for name in SETS:
            warehouse.load_qrels({"q": {"a": 1, "b": 1}}, name)
        found = statistics(warehouse, None)
        assert found["agreement", "first, second"] == (2, 1)
        assert {value for (statistic, _), (_, value) in found.items() if statistic != "agreement"} == {None}


def test_judges_of_different_documents_have_no_agreement() -> None:
    with new_warehouse() as warehouse:
        warehouse.load_qrels({"q": {"a": 1}}, "one")
        warehouse.load_qrels({"q": {"b": 1}}, "two")
        found = statistics(warehouse, None)
        assert {value for _, value in found.values()} == {None}
        assert {documents for documents, _ in found.values()} == {0}
        with pytest.raises(UsageError, match="no run is evaluated with two"):
            judging.effects(warehouse.evaluation, ["one", "two"], "AP")
        with pytest.raises(UsageError, match="two judgment sets at least"):
            judging.agreement_query(warehouse.database, "statistics", "one")


def test_the_command_prints_each_table(command: Command, tmp_path: Path) -> None:
    lines = (SAMPLE / "qrels.txt").read_text().splitlines()
    changed = [line[:-1] + "1" if at % 6 == 0 else line for at, line in enumerate(lines) if at % 5]
    (tmp_path / "other.txt").write_text("\n".join(changed) + "\n")
    assert command("load", "qrels", SAMPLE / "qrels.txt", "--name", "sample").returncode == 0
    assert command("load", "runs", SAMPLE / "runs" / "bm25.run", SAMPLE / "runs" / "dense.run").returncode == 0
    assert command("load", "qrels", tmp_path / "other.txt", "--run", "*").returncode == 0

    def rows(*arguments: str) -> list[dict[str, str]]:
        asked = command("agreement", "sample", "other", "--format", "csv", *arguments)
        assert asked.returncode == 0, asked.stderr
        return csv_rows(asked.stdout)

    assert [row["statistic"] for row in rows()][:2] == ["agreement", "Cohen's kappa"]
    kept = {tuple(line.split()[::2]) for line in lines if int(line.split()[3]) >= 0}
    both = [line for line in changed if tuple(line.split()[::2]) in kept and int(line.split()[3]) >= 0]
    assert sum(int(row["num_documents"]) for row in rows("--show", "confusion")) == len(both)
    differing = rows("--show", "documents", "--rel", "1")
    assert {(row["rating"], row["other_rating"]) for row in differing} == {("1", "0")}
    assert {row["run"] for row in rows("--show", "figures", "-m", "AP")} == {"bm25", "dense"}
    asked = command("agreement", "sample", "other", "--show", "figures", "-m", "AP")
    assert "AP: order of 2 runs by other and by sample: tau-b 1.0000" in asked.stderr
    assert command("agreement", "sample").returncode == 2
    assert "--show figures" in command("agreement", "sample", "other", "-m", "AP").stderr
