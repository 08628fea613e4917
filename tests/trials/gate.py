"""How often the gate says no: where nothing differs, and where a run is truly worse.

In each trial the baseline's values are those of a run, moved by noise as wide as the values are spread over topics.
Where there is a true drop, the baseline is better by as much. Two rules test, and Holm's correction is that of
statsmodels. The relation that the gate tests by decides on all trials in one statement, each a judgment set of its own.
Some of them go through the whole gate as well and must end alike.
"""

import math
import random
import statistics
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pandas
from statsmodels.stats.multitest import multipletests

import evalsql
from evalsql import Warehouse
from evalsql.evaluation.gate_decision import decide
from evalsql.evaluation.gate_rules import Figures, parse_rule

ALPHA = 0.05
TOPICS = 50
MEASURES = ("AP", "RR")
RULES = [parse_rule(f"{measure} not worse at p < {ALPHA}") for measure in MEASURES]

Values = Mapping[str, float]


class Shares(NamedTuple):
    """How many of the trials the gate said no to, without and with a true drop."""

    wrong: int
    right: int


def simulate(trials: int, drops: int, *, whole: int = 2, seed: int = 2026) -> Shares:
    """Decide about a run beside so many baselines that do not differ truly, and so many that are better.

    Args:
        whole: of how many trials of each kind, and each verdict, the whole gate is asked.
    """
    drawing = random.Random(seed)
    with evalsql.open(":memory:") as warehouse:
        values = drawn_run(warehouse, drawing)
        spread = statistics.stdev(values.values())
        bases = [
            {
                each: {topic: value + drawing.gauss(drop, 1) * spread for topic, value in values.items()}
                for each in MEASURES
            }
            for drop in [0] * trials + [1] * drops
        ]
        says_no = refused(warehouse, values, bases)
        for verdict in (True, False):
            for kind in (range(trials), range(trials, trials + drops)):
                for trial in [each for each in kind if says_no[each] is verdict][:whole]:
                    base = Figures("base", "set", "", "", bases[trial])
                    assert (
                        decide(warehouse.evaluation, "run", RULES, baseline=base, family="all").passes is not verdict
                    ), trial
    return Shares(sum(says_no[:trials]), sum(says_no[trials:]))


def drawn_run(warehouse: Warehouse, drawing: random.Random) -> Values:
    """Load a run with a relevant document of each topic at a random rank; its values of both measures by topic."""
    ranks = {f"t{nth:02}": drawing.choice((1, 1, 2, 3, 5, 8, 10)) for nth in range(TOPICS)}
    warehouse.load_qrels({topic: {"d": 1} for topic in ranks}, "set")
    rankings = {
        topic: {"d" if nth == rank else f"n{nth}": -float(nth) for nth in range(1, 11)} for topic, rank in ranks.items()
    }
    warehouse.load_run(rankings, "run")
    return {topic: 1 / rank for topic, rank in ranks.items()}


def refused(warehouse: Warehouse, values: Values, bases: Sequence[Mapping[str, Values]]) -> list[bool]:
    """Whether the run is worse than each baseline by a measure, both tests together corrected."""
    rows = [
        (f"{trial:06}", run, topic, measure, of_run[topic])
        for trial, base in enumerate(bases)
        for measure in MEASURES
        for run, of_run in (("run", values), ("base", base[measure]))
        for topic in values
    ]
    warehouse.database.register("drawn", pandas.DataFrame(rows, columns=("qrels", "run", "topic", "measure", "value")))
    warehouse.execute("create temp table scores as from drawn")
    found = warehouse.rows("""
        select list(p_less order by measure) from one_sided_t_tests(baseline := 'base')
        where run = 'run' group by qrels order by qrels
    """)
    warehouse.execute("drop table temp.scores")
    warehouse.database.unregister("drawn")
    assert len(found) == len(bases)
    return [bool(multipletests(p, alpha=ALPHA, method="holm")[0].any()) for (p,) in found]


def main(trials: int = 2000) -> int:
    """Print how often the gate says no; 1 if without a true difference that is beyond chance."""
    found = simulate(trials, trials // 4)
    print(f"no true difference: the gate says no in {found.wrong} of {trials}, at most {ALPHA:.0%} are expected")
    print(f"a true drop of one deviation at {TOPICS} topics: it says no in {found.right} of {trials // 4}")
    return int(found.wrong > ALPHA * trials + 5 * math.sqrt(ALPHA * (1 - ALPHA) * trials))
