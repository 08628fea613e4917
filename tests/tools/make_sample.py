"""Makes the sample collection in evalsql/sample: synthetic, the same bytes every time.

    python tests/tools/make_sample.py [FOLDER]

Forty topics about imaginary documents; every document has a hidden worth per topic, assessors see it
through noise, and each of the eight systems scores it through noise of its own. Systems round their scores,
which makes ties; the pool is shallower than the rankings and not every system adds to it, which leaves
documents unjudged; one system misses a topic.
"""

import random
import sys
from pathlib import Path

SEED = 20050518
TOPICS = [f"T{number:02}" for number in range(1, 41)]
DOCUMENTS = [f"doc-{number:04}" for number in range(1, 601)]
CANDIDATES = 80  # documents that can be retrieved for a topic
DEPTH = 40  # documents a system returns for a topic
POOL_DEPTH = 9  # documents of each pooled system that are judged
NOT_POOLED = {"dense", "random"}
# Name, noise, and decimals that scores keep: fewer decimals, more ties.
SYSTEMS = [
    ("bm25", 0.80, 3),
    ("bm25-rm3", 0.72, 3),
    ("tfidf", 1.10, 2),
    ("dense", 0.66, 4),
    ("hybrid", 0.55, 4),
    ("rerank-small", 0.50, 1),
    ("rerank-large", 0.38, 2),
    ("random", 4.00, 1),
]
MISSES = ("tfidf", "T17")
THRESHOLDS = (1.15, 1.7, 2.3)  # hidden worth from which on an assessor gives grade 1, 2, 3
BROKEN = -1  # grade of a document that the assessors could not open


def collection() -> tuple[list[str], dict[str, list[str]]]:
    """Lines of the judgments, and lines of each run by its name."""
    chance = random.Random(SEED)
    runs: dict[str, list[str]] = {name: [] for name, _, _ in SYSTEMS}
    qrels: list[str] = []
    for topic in TOPICS:
        hardness = chance.uniform(0.6, 1.5)
        worth = {document: chance.gauss(0, 1) for document in chance.sample(DOCUMENTS, CANDIDATES)}
        pool: set[str] = set()
        for name, noise, decimals in SYSTEMS:
            scores = {
                document: round(10 + 3 * (value + chance.gauss(0, noise * hardness)), decimals)
                for document, value in worth.items()
            }
            ranking = sorted(scores, key=lambda document: (scores[document], document), reverse=True)[:DEPTH]
            if name not in NOT_POOLED:
                pool.update(ranking[:POOL_DEPTH])
            if (name, topic) != MISSES:
                runs[name] += [
                    f"{topic} Q0 {document} {rank} {scores[document]:.{decimals}f} {name}"
                    for rank, document in enumerate(ranking, start=1)
                ]
        for document in sorted(pool):
            seen = worth[document] + chance.gauss(0, 0.2)
            grade = BROKEN if chance.random() < 0.01 else sum(seen >= threshold for threshold in THRESHOLDS)
            qrels.append(f"{topic} 0 {document} {grade}")
    return qrels, runs


def write(folder: Path) -> None:
    qrels, runs = collection()
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    (folder / "qrels.txt").write_text("\n".join(qrels) + "\n", encoding="utf-8")
    for name, lines in runs.items():
        (folder / "runs" / f"{name}.run").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent.parent / "evalsql" / "sample")
