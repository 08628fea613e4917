"""Preferences among documents: what contradicts itself in those of one judgment group."""

from collections import defaultdict
from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Any

from evalsql.errors import ProblemList
from evalsql.ingest.files.table import Table

# Documents by level, of each subgroup of one judgment group.
Group = dict[str, dict[float, list[str]]]


def check_preferences(rows: Sequence[Sequence[Any]], origin: Table, problems: ProblemList) -> None:
    """Refuse what contradicts itself in rows that start with their number; different groups may disagree.

    That is a document twice in one subgroup, or at level 0, not relevant, in one and above it in another of the same
    group; and groups in which a document is preferred to another and that one to it, be it by way of others.
    """
    first_lines: dict[tuple[str, str, str, str], int] = {}
    first_levels: dict[tuple[str, str, str], tuple[int, float]] = {}
    groups: dict[tuple[str, str], Group] = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    lines, unit = origin.lines() if rows else {}, origin.unit
    for row, topic, group, subgroup, document, level in rows:
        line = lines.get(row, row)
        where = f"of topic {topic} in group {group}"
        first = first_lines.setdefault((topic, group, subgroup, document), line)
        if first != line:
            reason = f"document {document} {where} stands in subgroup {subgroup} already, at {unit} {first}"
            problems.add(origin.problem(line, reason))
            continue
        other, other_level = first_levels.setdefault((topic, group, document), (line, level))
        if 0 in (level, other_level) and max(level, other_level) > 0:
            reason = f"document {document} {where} has level {level:g} here and {other_level:g} at {unit} {other}"
            problems.add(origin.problem(line, f"{reason}; level 0 is not relevant, above it is relevant"))
        groups[topic, group][subgroup][level].append(document)
    for (topic, group), subgroups in groups.items():
        if circle := _cycle(subgroups):
            links = ", ".join(f"{better} to {worse}" for better, worse in pairwise([*circle, circle[0]]))
            problems.add(origin.problem(0, f"group {group} of topic {topic} contradicts itself, preferring {links}"))


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
