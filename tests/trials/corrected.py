"""How often corrected intervals hold: on TREC-COVID, where people judged 5, 10 or 20 of the topics.

In each trial 50 topics are drawn with replacement from the 50 of TREC-COVID, and the first of them count as judged by
people. The truth is the mean over the 50. Judges are synthetic: the official judgments with errors.
"""

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pandas

import evalsql
from evalsql import Warehouse
from tests.conftest import real_data

SIZES = (5, 10, 20)
RUNS = 30
LEAST = 0.91  # of intervals at 95%
Judged = Mapping[str, Mapping[str, int]]


def judges(official: Judged, chance: random.Random) -> Iterator[tuple[str, Judged]]:
    """One who errs in three of ten documents, one who is lenient on some topics, and one who draws lots."""

    def graded(topic: str, grade: int, name: str) -> int:
        if name == "lenient":
            raised = chance.random() < lenience[topic]
            return min(2, grade + 1) if raised else 0 if chance.random() < 0.15 else grade
        return chance.choice((0, 0, 1, 2)) if name == "lot" or chance.random() < 0.3 else grade

    lenience = {topic: chance.betavariate(2, 6) for topic in official}
    for name in ("erring", "lenient", "lot"):
        yield (
            name,
            {
                topic: {document: graded(topic, max(grade, 0), name) for document, grade in of_topic.items()}
                for topic, of_topic in official.items()
            },
        )


def loaded(warehouse: Warehouse, folder: Path, chance: random.Random) -> None:
    official: dict[str, dict[str, int]] = defaultdict(dict)
    for line in (folder / "qrels.txt").read_text().splitlines():
        topic, _, document, grade = line.split()
        official[topic][document] = int(grade)
    warehouse.load_qrels(official, "human")
    for path in chance.sample(sorted((folder / "runs").glob("*.gz")), RUNS):
        warehouse.load_runs(path, tie_rule="trec_eval_10")
    for name, judged in judges(official, chance):
        warehouse.load_qrels(judged, name, runs="*")


def simulate(trials: int, *, seed: int = 2026) -> pandas.DataFrame:
    """By judge, what is estimated, number of topics and kind of interval: shares that hold, widths, and worth."""
    folder = real_data()
    assert folder is not None
    chance = random.Random(seed)
    with evalsql.open(":memory:") as warehouse:
        loaded(warehouse, folder / "trec-covid-r5", chance)
        values: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
        query = warehouse.evaluation.scores_query(["nDCG@10", "AP"], per_topic=True)
        for qrels, run, topic, measure, value in warehouse.rows(query):
            values[qrels, f"{run} {measure}"][topic] = value
        names, topics = sorted({name for _, name in values}), sorted(values["human", next(iter(values))[1]])
        found: list[dict[str, object]] = []
        for judge in ("erring", "lenient", "lot"):
            for size in SIZES:
                found += simulated(warehouse, values, names, topics, judge, size, trials, chance)
    return pandas.DataFrame(found)


def simulated(
    warehouse: Warehouse,
    values: Mapping[tuple[str, str], Mapping[str, float]],
    names: list[str],
    topics: list[str],
    judge: str,
    size: int,
    trials: int,
    chance: random.Random,
) -> Iterator[dict[str, object]]:
    """The same of one judge and number of topics: each trial has a pair of runs by the same measure."""
    rows, truths = [], {}
    for trial in range(trials):
        base, run = chance.sample([each for each in names if each.split()[1] == names[trial % 2].split()[1]], 2)
        drawn = [(f"{nth:02}", topic) for nth, topic in enumerate(chance.choices(topics, k=len(topics)))]
        truths[trial] = [
            sum(values["human", run][topic] - minus * values["human", base][topic] for topic in topics) / len(topics)
            for minus in (0, 1)
        ]
        for qrels, kept in (("human", drawn[:size]), ("judge", drawn)):
            of = "human" if qrels == "human" else judge
            for name, each in (("base", base), ("run", run)):
                rows += [(qrels, name, nth, f"AP(rel={trial})", values[of, each][topic]) for nth, topic in kept]
    frame = pandas.DataFrame(rows, columns=("qrels", "run", "topic", "measure", "value"))
    warehouse.database.register("drawn", frame)
    warehouse.execute("create temp table scores as from drawn")
    for what, call in (("mean", "corrected_means("), ("difference", "corrected_differences(baseline := 'base', ")):
        for kind in ("t", "normal"):
            answers = warehouse.rows(f"""
                select cast(regexp_extract(measure, '\\d+') as integer), estimate, low, high,
                    reference_low, reference_high, n_effective
                from {call}reference := 'human', judge := 'judge', intervals := '{kind}') where run = 'run'
            """)
            assert len(answers) == trials
            found = [(truths[trial][what == "difference"], *rest) for trial, *rest in answers]
            yield {
                "judge": judge,
                "what": what,
                "topics": size,
                "intervals": kind,
                "holds": sum(low <= truth <= high for truth, _, low, high, *_ in found) / trials,
                "people alone hold": sum(low <= truth <= high for truth, *_, low, high, _ in found) / trials,
                "width": sum(each[3] - each[2] for each in found) / sum(each[5] - each[4] for each in found),
                "n_effective": sorted(each[-1] or size for each in found)[trials // 2],  # none where two runs are alike
            }
    warehouse.execute("drop table temp.scores")
    warehouse.database.unregister("drawn")


def main(trials: int = 1000) -> int:
    """Print how often intervals hold; how many kinds by Student's t do so too rarely."""
    found = simulate(trials)
    print(found.round(3).to_string(index=False))
    by_t = found[found["intervals"] == "t"]
    return int((by_t["holds"] < LEAST - 3 * (LEAST * (1 - LEAST) / trials) ** 0.5).sum())
