"""What is said below an explanation: what lists are worth, and what its rows leave out."""

from __future__ import annotations

from evalsql.evaluation.explanation import Explanation, ListValue
from evalsql.phrases import counted

# Columns of an explanation that hold values of the measure.
VALUES = frozenset({"contribution", "value", "ideal_value", "other_contribution", "difference"})
_FORMS = {
    "groups": "the ideal order is by a document's highest grade, which is not the best order of groups or subtopics",
    "preferences": "the ideal order puts documents of a level above 0 first, whatever the preferences among them",
}


def explanation_lines(found: Explanation, depth: int, digits: int, asking: str = "--depth ") -> list[str]:
    """Lines that tell what the lists are worth, and what the rows do not show.

    Args:
        depth: how many documents were explained.
        asking: how one asks for another depth, before the number.
    """

    def shown(value: float | None) -> str:
        if value is None:
            return "not known"
        return f"{value:.0f}" if found.measure.is_count else f"{value:.{digits}f}"

    explained = [found.run] if found.other is None else [found.run, found.other]
    values = ", ".join(f"{one.name} {shown(one.value)}" for one in [*explained, found.ideal])
    lines = [f"{found.measure.name}, topic {found.topic} ({found.qrels}): {values}"]
    for one in explained:
        lines += _list_lines(one, depth, shown(one.left_out), found, asking)
    if found.num_equal:
        lines.append(f"  not shown: {counted(found.num_equal, 'document')} that contributed the same to both")
    if found.form in _FORMS and found.other is None:
        lines.append(f"  {_FORMS[found.form]}")
    return lines


def _list_lines(one: ListValue, depth: int, left_out: str, found: Explanation, asking: str) -> list[str]:
    lines = []
    if one.missing:
        lines.append(f"  {one.name} leaves this topic out, which scores as an empty ranking")
    if one.threshold is not None:
        lines.append(f"  {one.name} is cut at the score {one.threshold:g}, which comes from all topics")
    if one.num_ret > depth:
        ranks = f"ranks {depth + 1} to {one.num_ret} of {one.name}"
        where = "" if found.other is None else " but where the other run has the document above"
        lines.append(
            f"  not shown{where}: {ranks}, which contribute {left_out} together; {asking}{one.num_ret} shows them"
        )
    if one.differs:
        lines.append(
            f"  this is the topic by itself: together with the other topics (or runs) {one.name} has "
            f"{one.in_warehouse:.17g} here"
        )
    return lines
