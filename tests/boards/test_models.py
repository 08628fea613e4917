"""Differences over collections with topics beside models of statsmodels that ask the same."""

import numpy as np
import pytest
import statsmodels.api as sm
from statsmodels.regression.mixed_linear_model import MixedLM

from evalsql import Warehouse
from tests.boards.made import Board, Cell, put_board
from tests.conftest import load_sample
from tests.long_cases import few_of

_PARTS = 8


def random_board(seed: int, collections: int, topics: int) -> dict[str, dict[str, Cell]]:
    """Two systems, the second of which is better by an amount that is each collection's own."""
    drawing = np.random.default_rng(seed)
    board: dict[str, dict[str, Cell]] = {"a": {}, "b": {}}
    for at in range(collections):
        base = drawing.normal(0.4, 0.1, topics)
        other = base + drawing.normal(0.05, 0.08) + drawing.normal(0, 0.1, topics)
        for name, values in (("a", base), ("b", other)):
            board[name][f"c{at:02}"] = {f"t{topic:02}": float(value) for topic, value in enumerate(values)}
    return board


def of_the_sample(warehouse: Warehouse) -> dict[str, dict[str, Cell]]:
    """Two systems of the sample, its topics dealt out to collections of one size."""
    load_sample(warehouse, "bm25", "dense")
    board: dict[str, dict[str, Cell]] = {"a": {}, "b": {}}
    for name, run in (("a", "bm25"), ("b", "dense")):
        for at, (topic, value) in enumerate(
            warehouse.rows(f"select topic, value from ndcg(k := 10) where run = '{run}' order by topic")
        ):
            cell = board[name].setdefault(f"c{at % _PARTS:02}", {})
            assert isinstance(cell, dict)
            cell[topic] = value
    return board


def differences(board: Board) -> tuple[np.ndarray, np.ndarray]:
    """Of each topic the difference, and its collection."""
    pairs = [
        (other[topic] - base[topic], collection)
        for collection, base in board["a"].items()
        for other in [board["b"][collection]]
        if not isinstance(base, float) and not isinstance(other, float)
        for topic in base
    ]
    return np.array([each for each, _ in pairs]), np.array([collection for _, collection in pairs])


@pytest.mark.parametrize("seed", few_of([None, 1, 2], 1))
def test_models_of_differences_by_collection(empty: Warehouse, seed: int | None) -> None:
    """On balanced data errors clustered by collection, a random effect of it, and the t test over collections agree."""
    board = of_the_sample(empty) if seed is None else random_board(seed, 9, 12)
    put_board(empty, board)
    ((difference, p),) = empty.rows("select difference, p from board_pairs(baseline := 'a', samples := 10)")
    apart, groups = differences(board)
    one, codes = np.ones((len(apart), 1)), np.unique(groups, return_inverse=True)[1]
    clustered = sm.OLS(apart, one).fit(cov_type="cluster", cov_kwds={"groups": codes}, use_t=True)
    assert difference == pytest.approx(clustered.params[0], abs=1e-12)
    assert p == pytest.approx(clustered.pvalues[0], rel=1e-9)
    if seed is not None:  # in the sample collections differ by no more than topics do, and the model's effect is none
        mixed = MixedLM(100 * apart, one, codes).fit(reml=True, method=["powell"])  # others do not always converge
        assert 100 * difference == pytest.approx(mixed.params[0], abs=1e-7)
        assert mixed.bse[0] == pytest.approx(100 * clustered.bse[0], rel=1e-3)
    # The bootstrap's own spread lacks the correction for few clusters.
    drawn = "board_resamples(samples := 20000, draw := 'collections')"
    query = f"select stddev(b.mean - a.mean) from {drawn} as a join {drawn} as b using (draw)"
    ((spread,),) = empty.rows(f"{query} where a.system = 'a' and b.system = 'b' and draw > 0")
    num = codes.max() + 1
    assert spread == pytest.approx(clustered.bse[0] * np.sqrt((num - 1) / num), rel=0.03)
