"""Evaluates a run from memory: ``python -m tests.bench.memory_work REPEAT TOPICS DOCUMENTS``.

Prints the seconds of each time as JSON, by what was evaluated and by whom; the first time of each is left out.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable

import pyarrow
import pytrec_eval

import evalsql


def main() -> None:
    repeat, topics, documents = map(int, sys.argv[1:])
    chance = random.Random(1)
    run = {
        f"q{topic}": {f"d{chance.randrange(10**7)}": chance.gauss(0, 5) for _ in range(documents)}
        for topic in range(topics)
    }
    qrels = {
        topic: {document: chance.randrange(3) for document in [*list(retrieved)[:20], *map(str, range(10))]}
        for topic, retrieved in run.items()
    }
    rows = [(topic, document, score) for topic, scores in run.items() for document, score in scores.items()]
    table = pyarrow.table(dict(zip(("qid", "docno", "score"), zip(*rows, strict=True), strict=True)))
    peer = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg_cut_10", "P_10"})
    with evalsql.Evaluator(qrels, "AP nDCG@10 P@10") as evaluator:
        works: dict[str, Callable[[], object]] = {
            "dicts": lambda: evaluator.evaluate(run),
            "Arrow": lambda: evaluator.evaluate(table),
            "pytrec_eval": lambda: peer.evaluate(run),
        }
        seconds: dict[str, list[float]] = {name: [] for name in works}
        for _ in range(repeat + 1):
            for name, work in works.items():
                start = time.perf_counter()
                work()
                seconds[name].append(time.perf_counter() - start)
    print(json.dumps({name: values[1:] for name, values in seconds.items()}))


if __name__ == "__main__":
    main()
