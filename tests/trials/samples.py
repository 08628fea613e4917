"""How often intervals from samples of judgments hold: statAP and statnDCG on TREC-COVID, beside all its judgments.

The official judgments are taken for complete, and for the pool. Of each topic some documents are drawn: from three
strata by the best rank that a run gives a document, or with probabilities in proportion to how high the runs have it.
The truth is what all judgments give.
"""

import math
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean

import pandas

import evalsql
from evalsql import Warehouse
from tests.conftest import real_data

RUNS = 6
# Strata from the top: the best rank down to which they go, and the share that is judged.
STRATA = {"top": (10, 1.0), "middle": (100, 0.2), "rest": (math.inf, 0.05)}
SHARE = 0.15  # of the pool that is drawn by probabilities
MEASURES = {"statAP": ("statap", "ap"), "statnDCG@20": ("statndcg(k := 20)", "ndcg(k := 20)")}
NORMAL = 1.959964
LEAST = 0.90  # of intervals at 95% of means over topics
Row = Mapping[str, object]
Judged = Mapping[str, Mapping[str, int]]


def loaded(warehouse: Warehouse, folder: Path, chance: random.Random) -> Judged:
    """Load runs and all judgments, of which a negative grade counts as 0; returned are the judgments."""
    pool: dict[str, dict[str, int]] = defaultdict(dict)
    for line in (folder / "qrels.txt").read_text().splitlines():
        topic, _, document, grade = line.split()
        pool[topic][document] = max(int(grade), 0)
    warehouse.load_qrels(pool, "all")
    for path in chance.sample(sorted((folder / "runs").glob("*.gz")), RUNS):
        warehouse.load_runs(path, tie_rule="trec_eval_10")
    return pool


def in_strata(documents: Mapping[str, int], ranks: Mapping[str, Sequence[int]], chance: random.Random) -> Iterator[Row]:
    """Simple random sampling from each stratum, of two documents at least."""
    members: dict[str, list[str]] = defaultdict(list)
    for document in documents:
        best = min(ranks.get(document, [10**6]))
        members[next(name for name, (last, _) in STRATA.items() if best <= last)].append(document)
    for name, inside in members.items():
        drawn = set(chance.sample(inside, min(len(inside), max(2, round(STRATA[name][1] * len(inside))))))
        for document in inside:
            grade = documents[document] if document in drawn else -1
            yield {"document": document, "stratum": name, "grade": grade}


def by_probabilities(
    documents: Mapping[str, int], ranks: Mapping[str, Sequence[int]], chance: random.Random
) -> Iterator[Row]:
    """Systematic sampling of a fixed number, in an order by lot, with probabilities by the runs' ranks."""
    sizes = {each: 0.1 + sum(1 / rank for rank in ranks.get(each, ())) for each in documents}
    wanted, sure = max(3, round(SHARE * len(documents))), set[str]()
    while True:
        factor = (wanted - len(sure)) / sum(size for each, size in sizes.items() if each not in sure)
        if not (more := {each for each, size in sizes.items() if each not in sure and size * factor >= 1}):
            break
        sure |= more
    reached = chance.random()
    for document in chance.sample(sorted(documents), len(documents)):
        probability = 1.0 if document in sure else sizes[document] * factor
        reached += probability if document not in sure else 0
        if document in sure or reached >= 1:
            reached -= 0 if document in sure else 1
            yield {"document": document, "grade": documents[document], "probability": probability}


DESIGNS = {"strata": in_strata, "probabilities": by_probabilities}


def simulate(trials: int, *, seed: int = 2026) -> pandas.DataFrame:
    """By design and measure: how many are judged, shares of intervals that hold, and estimates beside the truth."""
    folder = real_data()
    assert folder is not None
    chance = random.Random(seed)
    found: list[dict[str, object]] = []
    with evalsql.open(":memory:") as warehouse:
        pool = loaded(warehouse, folder / "trec-covid-r5", chance)
        ranks: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for topic, document, rank in warehouse.rows("select topic, document, rank from rankings"):
            ranks[topic][document].append(rank)
        for design, draw in DESIGNS.items():
            answers, means = (defaultdict[str, list[tuple[float, ...]]](list) for _ in range(2))
            num_judged = 0
            for _ in range(trials):
                rows = [{"topic": topic, **row} for topic in pool for row in draw(pool[topic], ranks[topic], chance)]
                num_judged += sum(row["grade"] != -1 for row in rows)
                warehouse.load_qrels(rows, "drawn", form=design, runs="*")
                for name, (estimated, true) in MEASURES.items():
                    answers[name] += warehouse.rows(f"""
                        select estimate.value, standard_error, truth.value
                        from {estimated} as estimate join {true} as truth using (run, topic)
                        where estimate.qrels = 'drawn' and truth.qrels = 'all'
                    """)
                    means[name] += warehouse.rows(f"""
                        select any_value(estimate.value), any_value(standard_error), avg(truth.value)
                        from sampled_means(k := 20) as estimate join {true} as truth using (run)
                        where estimate.qrels = 'drawn' and truth.qrels = 'all' and measure = '{name}' group by run
                    """)
                warehouse.drop_qrels("drawn")
            for name in MEASURES:
                share = num_judged / trials / sum(map(len, pool.values()))
                found.append({"design": design, "measure": name, "judged": share} | held(answers[name], means[name]))
    return pandas.DataFrame(found)


def held(topics: Sequence[tuple[float, ...]], means: Sequence[tuple[float, ...]]) -> dict[str, float]:
    """Shares of intervals of topics and of means over topics that hold, and how far estimates are from the truth."""
    known = [row for row in topics if row[1] is not None]
    misses = [estimate - truth for estimate, _, truth in means]
    return {
        "known": len(known) / len(topics),
        "topics hold": share_held(known),
        "means hold": share_held(means),
        "truth": fmean(truth for *_, truth in means),
        "bias": fmean(misses),
        "root mean squared miss": fmean(miss**2 for miss in misses) ** 0.5,
        "standard error": fmean(error for _, error, _ in means),
    }


def share_held(rows: Sequence[tuple[float, ...]]) -> float:
    return fmean(abs(estimate - truth) <= NORMAL * error for estimate, error, truth in rows)


def main(trials: int = 40) -> int:
    """Print how often intervals hold; how many kinds of means do so too rarely."""
    found = simulate(trials)
    print(found.round(4).to_string(index=False))
    return int((found["means hold"] < LEAST).sum())
