"""An explanation that shows itself."""

from __future__ import annotations

from functools import partial
from typing import Any

from evalsql.evaluation.explanation import Explanation
from evalsql.report.explained import VALUES, explanation_lines
from evalsql.report.shown import Shown
from evalsql.report.shown_tables import explanation_grid


class ShownExplanation(Explanation):
    """An explanation whose rows show themselves, and are a DuckDB relation, to which all other names go."""

    def _repr_html_(self) -> str:
        shown: Any = self.rows
        return str(shown._repr_html_())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.rows, name)


def shown_explanation(found: Explanation, depth: int, digits: int, text: str | None) -> ShownExplanation:
    """The explanation with rows that show themselves, and below them what its command says.

    Args:
        text: what the topic asks, where that is known.
    """
    lines = explanation_lines(found, depth, digits, "depth=")
    counts = VALUES if found.measure.is_count else frozenset()
    notes = [*lines, *([f"the topic asks: {text}"] if text else [])]
    rows = Shown(found.rows, partial(explanation_grid, digits=digits), notes, counts=counts)
    return ShownExplanation(*found)._replace(rows=rows)
