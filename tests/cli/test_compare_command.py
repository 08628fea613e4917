"""``evalsql compare`` on a command line: its options, and what is not as one expects."""

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import get_args

import pytest

import evalsql
from evalsql import Warehouse
from evalsql.cli.compare import Correction
from tests.conftest import Command, assert_refused, csv_rows, new_file, own_measure, write
from tests.long_cases import few_of, rows_of
from tests.statistics.scores import put_scores
from tests.statistics.test_statistics import CORRECTIONS

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
    path = new_file(folder)
    with evalsql.open(path) as warehouse:
        load(warehouse, ranks, topics)
    return path


@pytest.mark.long
def test_an_interval_that_excludes_0_beside_a_p_that_does_not_is_explained(demo: Command) -> None:
    for runs, intervals in ((["dense"], "percentile"), (["random"], "percentile"), (["dense"], "t")):
        words = ("compare", "bm25", *runs, "-m", "nDCG@10", "--intervals", intervals, "--format", "csv")
        told = demo(*words)
        (row,) = csv_rows(told.stdout)
        excludes = (float(row["low"]) > 0 or float(row["high"]) < 0) != (float(row["p_corrected"]) < 0.05)
        assert ("two methods" in told.stderr) == excludes == ((runs, intervals) == (["dense"], "percentile"))


def table(text: str) -> list[dict[str, str]]:
    rows = csv_rows(text)
    assert not any(word in cell.lower() for row in rows for cell in row.values() for word in ("nan", "inf"))
    return rows


@pytest.fixture(scope="module")
def five(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A warehouse of five runs."""
    return loaded(tmp_path_factory.mktemp("five"), drawn(2, 5, 16))


# Options of the command, the arguments of comparisons() that they are, and what is said. tests/statistics has values.
OPTIONS = rows_of(Path(__file__).with_name("compared.tsv"))


@pytest.mark.long
@pytest.mark.parametrize(("words", "arguments", "said"), few_of(map(tuple, OPTIONS), 1))
def test_options_are_the_arguments_of_the_relation(
    empty: Warehouse, five: Path, command: Command, words: str, arguments: str, said: str
) -> None:
    values = {run: dict(enumerate(reciprocal(ranks))) for run, ranks in drawn(2, 5, 16).items()}
    put_scores(empty, {"RR": {run: {f"t{nth:02}": value for nth, value in values[run].items()} for run in values}})
    columns = ("baseline", "run", "p", "p_corrected", "low", "high", "num_tests")
    answer = command("compare", *words.split(), "--db", five, "-m", "RR", "--format", "csv")
    assert said in answer.stderr
    found = {tuple(row[column] for column in columns) for row in table(answer.stdout)}
    rows = empty.rows(f"select {', '.join(columns)} from comparisons({arguments})")
    assert found == {tuple(map(str, row)) for row in rows} != set()
    assert {*CORRECTIONS, "none"} == {*get_args(Correction)}


@pytest.mark.long
def test_identical_runs_and_a_single_topic_are_noted(tmp_path: Path, command: Command) -> None:
    places = drawn(3, 1, 24)["run0"]
    path = loaded(tmp_path, {"base": places, "other": [place or 5 for place in places], "twin": places})
    words = ("compare", "base", "-m", "RR", "--format", "csv", "--db")
    answer = command(*words, path, "--test", "randomisation", "--samples", "200")
    notes = {row["run"]: (row["p"], row["note"]) for row in table(answer.stdout)}
    assert (notes["twin"], notes["other"][1]) == (("1.0", "identical"), "")
    assert "set: 1 pair has the same value for every topic, p = 1" in answer.stderr
    assert "base has" not in answer.stderr  # which a column says
    path = loaded(tmp_path, {"base": [2], "other": [1], "twin": [2]})
    answer = command(*words, path, "--test", "tukey", "--all-pairs", "--samples", "200")
    assert {row["p"] for row in table(answer.stdout)} == {"1.0"}  # every permutation has the range that is observed
    assert sorted(row["note"] for row in table(answer.stdout)) == ["identical", "one topic", "one topic"]
    with evalsql.open(path, read_only=True) as warehouse:
        found = warehouse.compare("base", measures="RR", intervals="bca", samples=50)
        assert found.select("low, high").fetchall() == [(None, None)] * 2


@pytest.mark.long
def test_runs_of_disjoint_topics_are_compared_as_empty_and_told(tmp_path: Path, command: Command) -> None:
    """Topics left out count as in every mean: as empty rankings."""
    path = loaded(tmp_path, {"low": [1] * 6, "high": [2] * 6}, {"low": range(3), "high": range(3, 6)})
    answer = command("compare", "low", "high", "--db", path, "-m", "RR", "--format", "csv")
    (row,) = table(answer.stdout)
    assert (row["num_topics"], float(row["baseline_mean"]), float(row["mean"])) == ("6", 0.5, 0.25)
    assert "low misses 3 of 6 topics (set)" in answer.stderr
    assert "high misses 3 of 6 topics (set)" in answer.stderr


@pytest.mark.long
def test_runs_that_no_judgments_bring_together(tmp_path: Path, command: Command) -> None:
    path = new_file(tmp_path)
    with evalsql.open(path) as warehouse:
        for nth in "12":
            warehouse.load_qrels({nth: {"d": 1}}, f"set{nth}")
            warehouse.load_run({nth: {"d": 1.0}}, f"run{nth}", qrels=[f"set{nth}"])
        warehouse.load_run({"1": {"d": 1.0}}, "beside", qrels=["set1"])
    alone = command("compare", "run1", "run2", "--db", path)
    assert_refused(alone, "no judgment set evaluates two of these runs")
    answer = command("compare", "run1", "--db", path, "-m", "RR", "--format", "csv")
    assert [(row["qrels"], row["run"]) for row in table(answer.stdout)] == [("set1", "beside")]
    assert "run2: left out, no judgment set evaluates it and run1" in answer.stderr


@pytest.mark.long
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
        means = warehouse.evaluate(measures[1:], runs="base")
        board = dict(zip(means.columns[2:], means.fetchall()[0][2:], strict=True))
    assert float(rows["RR"]["baseline_mean"]) == board["RR"] == 0.75
    same = "TAP(weighted=false)@5"
    assert float(rows["TAP@5"]["baseline_mean"]) == float(rows[same]["baseline_mean"]) == board[same]
    assert board["TAP@5"] != board[same]
    assert (float(rows["NumRelRet"]["baseline_mean"]), board["NumRelRet"]) == (1, 2)
    for row in rows.values():
        assert float(row["difference"]) == pytest.approx(float(row["mean"]) - float(row["baseline_mean"]), abs=1e-12)
    caption = command(*words, "--format", "latex").stdout
    assert "TAP@5: every topic weighs the same, unlike in its weighted mean." in caption


@pytest.mark.long
def test_measures_of_ones_own_are_compared_in_a_file_open_for_reading(tmp_path: Path) -> None:
    """Their view of scores is a temporary one, which comes back afterwards."""
    own = own_measure(tmp_path / "half.sql", "Half", "select qrels, run, topic, value / 2 as value from rr()")
    path = loaded(tmp_path, {"base": [1, 2], "other": [2, 4]})
    with evalsql.open(path, read_only=True, measures=own) as warehouse:
        for _ in range(2):
            found = warehouse.compare("base", measures="Half").select("baseline_mean, mean")
            assert found.fetchall() == [(0.375, 0.1875)]
            assert len(warehouse.rows("from scores where measure = 'Half'")) == 4
