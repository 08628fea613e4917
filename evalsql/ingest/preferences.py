"""Preferences among documents: groups of them that contradict themselves."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Any

# Documents by level, of each subgroup of one judgment group.
Group = dict[str, dict[float, list[str]]]


def contradictions(rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    """What is wrong with groups in which a document is preferred to another and that one to it, be it by others.

    Rows are those of ``preference_levels`` in the order of their first lines. Different groups may disagree.
    """
    groups: dict[tuple[str, str], Group] = defaultdict(lambda: defaultdict(dict))
    for topic, group, subgroup, level, documents, _ in rows:
        groups[topic, group][subgroup][level] = documents
    for (topic, group), subgroups in groups.items():
        if circle := _cycle(subgroups):
            links = ", ".join(f"{better} to {worse}" for better, worse in pairwise([*circle, circle[0]]))
            yield f"group {group} of topic {topic} contradicts itself, preferring {links}"


def _cycle(group: Group) -> list[str]:
    """Documents each preferred to the next and the last to the first; empty if there is no such circle."""
    if len(group) < 2:
        return []
    sorter: TopologicalSorter[str | tuple[str, float]] = TopologicalSorter()
    for subgroup, levels in group.items():
        for better, worse in pairwise(sorted(levels, reverse=True)):
            # A node between two levels stands for all the pairs across them.
            between = (subgroup, better)
            sorter.add(between, *levels[better])
            for document in levels[worse]:
                sorter.add(document, between)
    try:
        sorter.prepare()
    except CycleError as error:
        documents = [node for node in error.args[1][1:] if isinstance(node, str)]
        start = documents.index(min(documents))
        return documents[start:] + documents[:start]
    return []
