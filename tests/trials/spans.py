"""Measures of spans beside plain loops over single characters, on many random spans."""

from itertools import count

from tests.conftest import new_warehouse
from tests.measures.test_spans import NAMES, compare, load_topics, topic_of


def main(spans: int = 10_000) -> int:
    """How many measures differ from their loops, on as many topics as have so many judged and retrieved spans."""
    topics, made = {}, 0
    for seed in count(1_000):
        if made >= spans:
            break
        topics[f"t{seed}"] = topic_of(seed)
        made += len(topics[f"t{seed}"].judged) + len(topics[f"t{seed}"].retrieved)
    wrong = 0
    with new_warehouse() as warehouse:
        load_topics(warehouse, topics)
        for name in NAMES:
            try:
                compare(warehouse, topics, (name,))
            except AssertionError as error:
                wrong += 1
                print(f"{name}: {error}")
    print(f"{made} spans of {len(topics)} topics, {len(NAMES)} measures: {wrong} differ")
    return wrong
