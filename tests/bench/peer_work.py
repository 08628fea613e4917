"""What a peer does with the same files: ``python -m tests.bench.peer_work PEER REPEAT QRELS RUN...``.

Prints as JSON for each time the seconds it took to read the text and to score it, without starting and importing.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

# The measures that ir-measures and ranx have both, by their names.
IR_MEASURES = ("nDCG@10", "AP", "P@10", "R@100", "RR")
RANX = ("ndcg@10", "map", "precision@10", "recall@100", "mrr")

Seconds = dict[str, float]


def pytrec_eval(qrels: str, runs: Sequence[str]) -> Seconds:
    """All measures that it has."""
    import pytrec_eval as peer

    start = time.perf_counter()
    judged: dict[str, dict[str, int]] = {}
    with open(qrels) as stream:
        for line in stream:
            topic, _, document, grade = line.split()
            judged.setdefault(topic, {})[document] = int(grade)
    evaluator: Any = peer.RelevanceEvaluator(judged, peer.supported_measures)
    judgments = time.perf_counter() - start

    def read(path: str) -> object:
        run: dict[str, dict[str, float]] = {}
        with open(path) as stream:
            for line in stream:
                topic, _, document, _, value = line.split()[:5]
                run.setdefault(topic, {})[document] = float(value)
        return run

    return _each(runs, read, evaluator.evaluate, judgments)


def ir_measures(qrels: str, runs: Sequence[str]) -> Seconds:
    """Means of a few measures."""
    import ir_measures as peer

    read_qrels: Any = peer.read_trec_qrels
    read_run: Any = peer.read_trec_run
    start = time.perf_counter()
    evaluator = peer.evaluator([peer.parse_measure(name) for name in IR_MEASURES], list(read_qrels(qrels)))
    judgments = time.perf_counter() - start
    return _each(runs, lambda path: list(read_run(path)), evaluator.calc_aggregate, judgments)


def ranx(qrels: str, runs: Sequence[str]) -> Seconds:
    """Means of a few measures; its functions are compiled when first called."""
    import ranx as peer

    start = time.perf_counter()
    judged = peer.Qrels.from_file(qrels, kind="trec")
    judgments = time.perf_counter() - start

    def read(path: str) -> object:
        return peer.Run.from_file(path, kind="trec")

    def score(run: object) -> None:
        peer.evaluate(judged, run, list(RANX), make_comparable=True)

    return _each(runs, read, score, judgments)


def _each(
    runs: Iterable[str], read: Callable[[str], object], score: Callable[[object], object], judgments: float
) -> Seconds:
    reading = scoring = 0.0
    for path in runs:
        start = time.perf_counter()
        run = read(path)
        middle = time.perf_counter()
        score(run)
        reading += middle - start
        scoring += time.perf_counter() - middle
    return {"judgments": judgments, "reading": reading, "scoring": scoring}


def main() -> None:
    name, repeat, qrels, *runs = sys.argv[1:]
    work = {"pytrec_eval": pytrec_eval, "ir_measures": ir_measures, "ranx": ranx}[name]
    if name == "ranx":
        work(qrels, runs[:1])
    print(json.dumps([work(qrels, runs) for _ in range(int(repeat))]))


if __name__ == "__main__":
    main()
