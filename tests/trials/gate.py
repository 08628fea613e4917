"""How often the gate says no: where nothing differs, and where a run is truly worse.

Each trial is a decision of the gate about a run in a warehouse. The baseline's values are those of the run, moved by
noise as wide as the values are spread over topics; where there is a true drop, the baseline is better by as much.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Mapping
from typing import NamedTuple

import evalsql
from evalsql import Warehouse
from evalsql.evaluation.baseline import Figures
from evalsql.evaluation.gate import decide
from evalsql.evaluation.rules import parse_rule

ALPHA = 0.05
TOPICS = 50
MEASURES = ("RR", "nDCG@10")
RULES = [parse_rule(f"{name} not worse at p < {ALPHA}") for name in MEASURES]


class Shares(NamedTuple):
    """How many of the trials the gate said no to, without and with a true drop."""

    trials: int
    wrong: int
    drops: int
    right: int


def simulate(trials: int, drops: int, seed: int = 2026) -> Shares:
    """Decide about a run beside so many baselines that do not differ truly, and so many that are better."""
    drawing = random.Random(seed)
    with evalsql.open(":memory:") as warehouse:
        values = drawn_run(warehouse, drawing)
        wrong = sum(not passes(warehouse, values, drawing, drop=0) for _ in range(trials))
        right = sum(not passes(warehouse, values, drawing, drop=1) for _ in range(drops))
    return Shares(trials, wrong, drops, right)


def drawn_run(warehouse: Warehouse, drawing: random.Random) -> Mapping[str, Mapping[str, float]]:
    """Load a run with a relevant document of each topic at a random rank; its values by measure and topic."""
    names = [f"t{nth:02}" for nth in range(TOPICS)]
    warehouse.load_qrels({topic: {"d": 1} for topic in names}, "set")
    rankings = {}
    for topic in names:
        rank = drawing.choice((1, 1, 2, 3, 5, 8, 10))
        rankings[topic] = {"d" if nth == rank else f"n{nth}": -float(nth) for nth in range(1, 11)}
    warehouse.load_run(rankings, "run")
    found: dict[str, dict[str, float]] = {name: {} for name in MEASURES}
    for _, _, topic, measure, value in warehouse.evaluate(MEASURES, per_topic=True).fetchall():
        found[measure][topic] = value
    return found


def passes(
    warehouse: Warehouse, values: Mapping[str, Mapping[str, float]], drawing: random.Random, *, drop: float
) -> bool:
    """Whether the gate lets the run through beside a baseline that is better by so many deviations of the topics."""
    before = {}
    for name, by_topic in values.items():
        spread = statistics.stdev(by_topic.values())
        before[name] = {topic: value + drawing.gauss(drop, 1) * spread for topic, value in by_topic.items()}
    return decide(warehouse.evaluation, "run", RULES, baseline=Figures("base", "set", "", "", before)).passes


def main() -> None:
    found = simulate(400, 100)
    print(f"no true difference: the gate says no in {found.wrong} of {found.trials}, at most {ALPHA:.0%} are expected")
    print(f"a true drop of one deviation at {TOPICS} topics: it says no in {found.right} of {found.drops}")
