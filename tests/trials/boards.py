"""How often the intervals of a board hold what is true: of differences and of places, of few and more collections.

In each trial so many collections are drawn. A system is worth its true mean there, moved by what it and the collection
have with each other, and, where there are topics, by their noise. The drawing is numpy's, so that thousands of boards
take minutes; some of them are asked of the relations as well, which must give intervals of the same width.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy.stats

import evalsql
from tests.boards.made import Board, put_board

COLLECTIONS, TOPICS = (5, 10, 20), 30
MEANS = np.array([0.50, 0.49, 0.47, 0.46, 0.43, 0.40])  # the true ones; the best is first
APART, NOISE = 0.05, 0.2  # deviations of what a system and a collection have with each other, and of topics
SAMPLES, CONFIDENCE = 1000, 0.95
_OFF = 0.3  # by how much widths may differ, of boards drawn anew by another generator


class Covered(NamedTuple):
    """Shares of the trials in which intervals held the true difference of the first two, and of true places."""

    difference: float
    place: float


def simulate(trials: int, collections: int, topics: int, seed: int = 2026) -> dict[tuple[str, str], Covered]:
    """By what is drawn and by the kind of interval."""
    drawing = np.random.default_rng(seed)
    held: dict[tuple[str, str], list[tuple[bool, float]]] = {}
    for _ in range(trials):
        values = drawn_board(drawing, collections, topics)
        for draw in ("collections", "topics") if topics > 1 else ("collections",):
            means = resampled(drawing, values, draw)
            places = scipy.stats.rankdata(-means, axis=1, method="min")
            for intervals in ("percentile", "expanded"):
                low, high = ends(means[:, 0] - means[:, 1], collections, intervals)
                is_held = low <= MEANS[0] - MEANS[1] <= high
                truths = [ends(each, collections, intervals) for each in places.T]
                share = np.mean([low <= place <= high for place, (low, high) in enumerate(truths, start=1)])
                held.setdefault((draw, intervals), []).append((is_held, float(share)))
    return {key: Covered(*map(float, np.mean(found, axis=0))) for key, found in held.items()}


def drawn_board(drawing: np.random.Generator, collections: int, topics: int) -> np.ndarray:
    """Systems by collections by topics; a figure without topics is one of them, without noise."""
    apart = drawing.normal(0, APART, (len(MEANS), collections))
    noise = drawing.normal(0, NOISE, (len(MEANS), collections, topics)) if topics > 1 else 0
    return np.asarray((MEANS[:, None] + apart)[:, :, None] + noise)


def resampled(drawing: np.random.Generator, values: np.ndarray, draw: str) -> np.ndarray:
    """Samples by systems: means over collections drawn, and over their topics drawn anew each time."""
    _, collections, topics = values.shape
    picks = drawing.integers(collections, size=(SAMPLES, collections))
    if draw == "collections":
        return np.asarray(values.mean(2)[:, picks].mean(2).T)
    times = drawing.multinomial(topics, [1 / topics] * topics, size=(SAMPLES, collections)) / topics
    weights = np.zeros((SAMPLES, collections, topics))
    np.add.at(weights, (np.arange(SAMPLES)[:, None], picks), times)
    return np.asarray(weights.reshape(SAMPLES, -1) @ values.reshape(len(values), -1).T / collections)


def ends(drawn: np.ndarray, collections: int, intervals: str) -> tuple[float, float]:
    """As ``board_places`` has them: of two drawn values the outer one."""
    tail = (1 - CONFIDENCE) / 2
    if intervals == "expanded":
        quantile = scipy.stats.t.ppf(1 - tail, collections - 1)
        tail = scipy.stats.norm.cdf(-np.sqrt(collections / (collections - 1)) * quantile)
    ordered = np.sort(drawn)
    return ordered[int(np.floor(tail * (SAMPLES - 1)))], ordered[int(np.ceil((1 - tail) * (SAMPLES - 1)))]


def differing(boards: int, seed: int = 7) -> Iterator[str]:
    """The relations' own intervals of the difference, where they are wider or narrower than those here."""
    drawing = np.random.default_rng(seed)
    with evalsql.open(":memory:") as warehouse:
        for number in range(boards):
            draw = ("collections", "topics")[number % 2]
            values = drawn_board(drawing, 10, TOPICS)
            board: Board = {
                f"s{at}": {
                    f"c{each}": {f"t{topic:02}": float(one) for topic, one in enumerate(cell)}
                    for each, cell in enumerate(row)
                }
                for at, row in enumerate(values)
            }
            put_board(warehouse, board)
            call = f"board_pairs(baseline := 's1', samples := {SAMPLES}, draw := '{draw}')"
            ((low, high),) = warehouse.rows(f"select low, high from {call} where system = 's0'")
            means = resampled(drawing, values, draw)
            least, most = ends(means[:, 0] - means[:, 1], 10, "percentile")
            if abs((high - low) / (most - least) - 1) > _OFF:
                yield f"  {draw}: the relation has {low:.4f} to {high:.4f}, numpy {least:.4f} to {most:.4f}"


def main(count: int = 2000) -> int:
    print(f"  share of {count:,} trials in which a {100 * CONFIDENCE:g}% interval holds what is true")
    for topics in (1, TOPICS):
        for collections in COLLECTIONS:
            for (draw, intervals), found in simulate(count, collections, topics).items():
                what = (
                    f"{collections} collections, {f'{topics} topics each' if topics > 1 else 'figures'}, {draw} drawn"
                )
                print(f"  {what}, {intervals}: difference {found.difference:.3f}, place {found.place:.3f}", flush=True)
    wrong = [*differing(4)]
    print(*wrong, sep="\n", end="\n" * bool(wrong))
    return len(wrong)
