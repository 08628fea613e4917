"""``evalsql compare`` on a command line: p values by loops, and what is not as one expects."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import get_args

import numpy
import pytest
import scipy.stats
from statsmodels.stats.multitest import multipletests

import evalsql
from evalsql import Warehouse
from evalsql.cli.compare import Correction
from tests.conftest import Command, csv_rows, new_file, write
from tests.oracles import sampled
from tests.statistics.test_statistics import CORRECTIONS

TESTS = ("t", "wilcoxon", "sign", "randomisation", "bootstrap", "tukey")
# By run the rank of the only relevant document of each topic, 0 where it is not retrieved.
Ranks = Mapping[str, Sequence[int]]


def drawn(seed: int, num_runs: int, num_topics: int) -> dict[str, list[int]]:
    drawing = random.Random(seed)
    return {
        f"run{run}": [drawing.choice((0, *range(1, 9 - run))) for _ in range(num_topics)] for run in range(num_runs)
    }


def reciprocal(ranks: Sequence[int]) -> list[float]:
    return [1 / rank if rank else 0.0 for rank in ranks]


def load(warehouse: Warehouse, ranks: Ranks, topics: Mapping[str, Sequence[int]] | None = None) -> None:
    """Runs whose one relevant document is at these ranks; ``topics`` keeps some to topics by number."""
    warehouse.load_qrels({f"t{nth:02}": {"good": 1, "bad": 0} for nth in range(max(map(len, ranks.values())))}, "set")
    for name, places in ranks.items():
        run = {
            f"t{nth:02}": {"good" if rank == place else f"d{rank}": -float(rank) for rank in range(1, 10)}
            for nth, place in enumerate(places)
            if topics is None or nth in topics[name]
        }
        warehouse.load_run(run, name)


def loaded(folder: Path, ranks: Ranks, topics: Mapping[str, Sequence[int]] | None = None) -> Path:
    """A warehouse of these runs; ``topics`` keeps some to topics by number."""
    path = new_file(folder)
    with evalsql.open(path) as warehouse:
        load(warehouse, ranks, topics)
    return path


def table(text: str) -> list[dict[str, str]]:
    rows = csv_rows(text)
    assert not any(word in cell.lower() for row in rows for cell in row.values() for word in ("nan", "inf"))
    return rows


def test_randomisation_counts_every_assignment_of_signs(tmp_path: Path, command: Command) -> None:
    ranks = drawn(1, 4, 11)
    path = loaded(tmp_path, ranks)
    words = ("compare", "run1", "--db", path, "-m", "RR", "--format", "csv", "--test", "randomisation")
    for options, expected in (((), 3), (("--all-pairs",), 6)):
        rows = table(command(*words, *options).stdout)
        assert len(rows) == expected
        for row in rows:
            base, other = (reciprocal(ranks[row[name]]) for name in ("baseline", "run"))
            gaps = [after - before for after, before in zip(other, base, strict=True)]
            assert float(row["p"]) == pytest.approx(sampled.exact_randomisation(gaps), abs=1e-12)
            assert float(row["difference"]) == pytest.approx(sum(gaps) / 11, abs=1e-12)
        greatest = 0.0
        for place, row in enumerate(sorted(rows, key=lambda row: float(row["p"]))):
            greatest = max(greatest, min(1, (expected - place) * float(row["p"])))
            assert float(row["p_corrected"]) == pytest.approx(greatest, abs=1e-12)


def test_tukey_by_a_loop_over_permutations(tmp_path: Path, command: Command) -> None:
    ranks = drawn(2, 5, 16)
    answer = command(
        *("compare", "run0", "run1", "*", "run0", "--all-pairs", "--db", loaded(tmp_path, ranks), "-m", "RR"),
        *("--test", "tukey", "--format", "csv"),
    )
    assert "randomised Tukey HSD, p for all pairs at once" in answer.stderr
    rows = table(answer.stdout)
    # Whatever is named twice is compared once.
    assert sorted((row["baseline"], row["run"]) for row in rows) == sorted(itertools.combinations(ranks, 2))
    values = numpy.array([reciprocal(places) for places in ranks.values()])
    drawing = numpy.random.default_rng(5)
    ranges = []
    for _ in range(10_000):
        means = numpy.array([drawing.permutation(column) for column in values.T]).mean(axis=0)
        ranges.append(means.max() - means.min())
    for row in rows:
        share = float(numpy.mean(numpy.array(ranges) >= abs(float(row["difference"])) - 1e-12))
        error = 5 * math.sqrt(2 * share * (1 - share) / 10_000) + 2e-4
        assert float(row["p"]) == float(row["p_corrected"]) == pytest.approx(share, abs=error)


def compared(warehouse: Warehouse, test: str, **options: object) -> list[dict[str, object]]:
    """What the command prints, without its process; no number is odd."""
    found = warehouse.compare("base", measures="RR", test=test, samples=200, **options)  # type: ignore[arg-type]
    rows = [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]
    assert all(math.isfinite(value) for row in rows for value in row.values() if isinstance(value, float))
    return rows


def test_every_correction_of_the_option_is_the_one_it_names(tmp_path: Path, command: Command) -> None:
    path = loaded(tmp_path, {"base": drawn(4, 1, 24)["run0"], **drawn(5, 5, 24)})
    assert {*CORRECTIONS, "none"} == {*get_args(Correction)}
    with evalsql.open(path, read_only=True) as warehouse:
        for correction in get_args(Correction):
            rows = compared(warehouse, "t", correction=correction)
            plain = [row["p"] for row in rows]
            expected = plain if correction == "none" else list(multipletests(plain, method=CORRECTIONS[correction])[1])
            assert [row["p_corrected"] for row in rows] == pytest.approx(expected, rel=1e-9)
    words = ("compare", "base", "--db", path, "-m", "RR", "--correction", "bonferroni", "--format", "csv")
    expected = list(multipletests(plain, method="bonferroni")[1])
    assert [float(row["p_corrected"]) for row in table(command(*words).stdout)] == pytest.approx(expected, rel=1e-9)


def test_identical_runs_have_p_1_and_it_is_said(tmp_path: Path, command: Command) -> None:
    places = drawn(3, 1, 24)["run0"]
    path = loaded(tmp_path, {"base": places, "other": [place or 5 for place in places], "twin": places})
    with evalsql.open(path, read_only=True) as warehouse:
        for test in TESTS:
            found = {row["run"]: row for row in compared(warehouse, test, intervals="bca")}
            assert found.keys() == {"other", "twin"}
            assert (found["twin"]["p"], found["twin"]["p_corrected"], found["twin"]["note"]) == (1, 1, "identical")
            assert (found["twin"]["low"], found["twin"]["high"]) == (0, 0)
            assert 0 < float(str(found["other"]["p"])) < 1
            assert found["other"]["note"] is None
    answer = command("compare", "base", "--db", path, "-m", "RR", "--test", "randomisation", "--format", "csv")
    assert [(row["p"], row["note"]) for row in table(answer.stdout) if row["run"] == "twin"] == [("1.0", "identical")]
    assert "set: 1 pair has the same value for every topic, p = 1" in answer.stderr


def test_a_single_topic_proves_nothing(tmp_path: Path, command: Command) -> None:
    path = loaded(tmp_path, {"base": [2], "other": [1], "twin": [2]})
    with evalsql.open(path, read_only=True) as warehouse:
        for test, intervals in (*((test, "t") for test in TESTS), ("t", "percentile"), ("t", "bca")):
            rows = compared(warehouse, test, intervals=intervals)
            assert {row["run"]: row["note"] for row in rows} == {"other": "one topic", "twin": "identical"}
            assert {(row["low"], row["high"]) for row in rows} == {(None, None)}
            # Of three values 1/2, 1 and 1/2 every permutation has the range that is observed.
            assert {row["p"] for row in rows} == {1}
    answer = command("compare", "base", "--db", path, "-m", "RR", "--test", "tukey", "--all-pairs", "--format", "csv")
    assert sorted(row["note"] for row in table(answer.stdout)) == ["identical", "one topic", "one topic"]


def test_runs_of_disjoint_topics_are_compared_as_empty_and_told(tmp_path: Path, command: Command) -> None:
    """Topics left out count as in every mean: as empty rankings."""
    path = loaded(tmp_path, {"low": [1] * 6, "high": [2] * 6}, {"low": range(3), "high": range(3, 6)})
    answer = command("compare", "low", "high", "--db", path, "-m", "RR", "--format", "csv")
    (row,) = table(answer.stdout)
    assert (row["num_topics"], float(row["baseline_mean"]), float(row["mean"])) == ("6", 0.5, 0.25)
    assert "low misses 3 of 6 topics (set)" in answer.stderr
    assert "high misses 3 of 6 topics (set)" in answer.stderr


def test_runs_that_no_judgments_bring_together(tmp_path: Path, command: Command) -> None:
    path = new_file(tmp_path)
    with evalsql.open(path) as warehouse:
        for nth in "12":
            warehouse.load_qrels({nth: {"d": 1}}, f"set{nth}")
            warehouse.load_run({nth: {"d": 1.0}}, f"run{nth}", qrels=[f"set{nth}"])
        warehouse.load_run({"1": {"d": 1.0}}, "beside", qrels=["set1"])
    alone = command("compare", "run1", "run2", "--db", path)
    assert (alone.returncode, alone.stdout) == (2, "")
    assert "no judgment set evaluates two of these runs" in alone.stderr
    answer = command("compare", "run1", "--db", path, "-m", "RR", "--format", "csv")
    assert [(row["qrels"], row["run"]) for row in table(answer.stdout)] == [("set1", "beside")]
    assert "run2: left out, no judgment set evaluates it and run1" in answer.stderr


def test_intervals_by_bootstrap(tmp_path: Path, command: Command) -> None:
    ranks = drawn(6, 3, 40)
    words = ("compare", "run0", "--db", loaded(tmp_path, ranks), "-m", "RR", "--confidence", 0.9, "--format", "csv")
    plain = command(*words)
    assert "set: 90% intervals by Student's t" in plain.stderr
    for intervals, method, said in (
        ("percentile", "percentile", "bootstrap percentiles"),
        ("bca", "BCa", "BCa bootstrap"),
    ):
        answer = command(*words, "--intervals", intervals)
        assert f"set: 90% intervals by {said}" in answer.stderr
        check_intervals(table(answer.stdout), ranks, method)
        for row, before in zip(table(plain.stdout), table(answer.stdout), strict=True):
            assert row["low"] != before["low"]
            assert {**row, "low": "", "high": ""} == {**before, "low": "", "high": ""}


def check_intervals(rows: list[dict[str, str]], ranks: Ranks, method: str) -> None:
    for row in rows:
        gaps = numpy.array(reciprocal(ranks[row["run"]])) - numpy.array(reciprocal(ranks["run0"]))
        peer = scipy.stats.bootstrap(
            [gaps], numpy.mean, method=method, confidence_level=0.9, rng=numpy.random.default_rng(1)
        )
        assert [float(row["low"]), float(row["high"])] == pytest.approx(
            list(peer.confidence_interval), abs=0.15 * peer.standard_error
        )


def test_topics_weigh_the_same_and_it_is_said(tmp_path: Path, command: Command) -> None:
    """Where a leaderboard has a weighted mean or a sum: topics of RR 1 and 1/2 with the weights 3 and 1."""
    path = loaded(tmp_path, {"base": [1, 2], "other": [2, 1]})
    measures = ("-m", "TAP@5 TAP(weighted=false)@5 NumRelRet RR")
    words = ("compare", "base", "--db", path, *measures)
    assert "TAP" not in command(*words).stderr  # no weights, no difference
    weights = write(tmp_path / "weights.txt", "t00 3\nt01 1\n")
    assert command("load", "weights", weights, "--qrels", "set", "--db", path).returncode == 0
    answer = command(*words, "--format", "csv")
    assert "set: TAP@5: every topic weighs the same, unlike in its weighted mean." in answer.stderr
    assert "set: NumRelRet: the mean over topics, not the sum." in answer.stderr
    assert answer.stderr.count("weighs the same") == answer.stderr.count("not the sum") == 1
    rows = {row["measure"]: row for row in table(answer.stdout)}
    with evalsql.open(path, read_only=True) as warehouse:
        board = dict(
            zip(
                warehouse.evaluate(measures[1:]).columns[2:],
                *(row[2:] for row in warehouse.evaluate(measures[1:], runs="base").fetchall()),
                strict=True,
            )
        )
    assert float(rows["RR"]["baseline_mean"]) == board["RR"] == 0.75
    same = "TAP(weighted=false)@5"
    assert float(rows["TAP@5"]["baseline_mean"]) == float(rows[same]["baseline_mean"]) == board[same]
    assert board["TAP@5"] != board[same]
    assert (float(rows["NumRelRet"]["baseline_mean"]), board["NumRelRet"]) == (1, 2)
    for row in rows.values():
        assert float(row["difference"]) == pytest.approx(float(row["mean"]) - float(row["baseline_mean"]), abs=1e-12)
    caption = command(*words, "--format", "latex").stdout
    assert "TAP@5: every topic weighs the same, unlike in its weighted mean." in caption


def test_measures_of_ones_own_are_compared_in_a_file_open_for_reading(tmp_path: Path, command: Command) -> None:
    """Their view of scores is a temporary one, which comes back afterwards."""
    own = write(
        tmp_path / "own" / "half.sql",
        "-- measure: Half\n-- title: Half of RR\n-- definition: Half of it.\n-- range: 0 1\n-- mean: arithmetic\n"
        "select qrels, run, topic, value / 2 as value from rr()\n",
    )
    path = loaded(tmp_path, {"base": [1, 2], "other": [2, 4]})
    answer = command("compare", "base", "--db", path, "-m", "Half", "--measure-file", own.parent, "--format", "csv")
    (row,) = table(answer.stdout)
    assert (float(row["baseline_mean"]), float(row["mean"])) == (0.375, 0.1875)
    with evalsql.open(path, read_only=True, measures=own.parent) as warehouse:
        for _ in range(2):
            assert len(warehouse.compare("base", measures="Half").fetchall()) == 1
            assert len(warehouse.rows("from scores where measure = 'Half'")) == 4
