"""The differences between runs as a terminal shows them: what was asked for stands in few columns."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from evalsql.report.table import CORRECTED, Table
from evalsql.report.terminal import Going

_INTERVAL = "interval"
_TOPICS = "W-T-L"
EXPLAINED = f"{_TOPICS}: topics won, tied and lost"
_RENAMED = {"low": _INTERVAL, "wins": _TOPICS, "p_corrected": CORRECTED}
_GONE = ("high", "ties", "losses")
GOING = Going(
    ("note", "num_tests", "num_topics", "qrels", "baseline", "measure"),
    ("num_tests", "num_topics", "baseline_mean", "p"),
    ("mean", _TOPICS, "note", _INTERVAL),
)


def drawn(table: Table, digits: int, alpha: float, lower: Collection[str]) -> Table:
    """The same rows with one column for both ends of the interval, and one for topics won, tied and lost.

    Differences that are significant are in colour; ``lower`` names measures where less is better.
    """
    texts = {
        _INTERVAL: _aligned(table, ("low", "high"), "..", digits),
        _TOPICS: _aligned(table, ("wins", "ties", "losses"), "-", digits),
    }
    has_notes = any(row[table.columns.index("note")] for row in table.rows)
    shown = [name for name in table.columns if name not in _GONE and (name != "note" or has_notes)]
    columns = [_RENAMED.get(name, name) for name in shown]
    rows = [
        [
            texts[heading][nth] if heading in texts else row[table.columns.index(name)]
            for name, heading in zip(shown, columns, strict=True)
        ]
        for nth, row in enumerate(table.rows)
    ]
    return Table(columns, rows, table.counts, frozenset(texts), hues=_hues(table, alpha, lower))


def _hues(table: Table, alpha: float, lower: Collection[str]) -> dict[tuple[int, str], str]:
    found = {}
    for nth, values in enumerate(table.rows):
        row: dict[str, Any] = dict(zip(table.columns, values, strict=True))
        if row["p_corrected"] is not None and row["p_corrected"] < alpha and row["difference"]:
            is_better = (row["difference"] > 0) != (row["measure"] in lower)
            found[nth, "difference"] = "better" if is_better else "worse"
    return found


def _aligned(table: Table, names: Sequence[str], sign: str, digits: int) -> list[str | None]:
    """In each row these values with the sign between them, the first below each other; null where one is null."""
    places = [table.columns.index(name) for name in names]
    texts = [[table.text(row, at, digits) for at in places] for row in table.rows]
    size = max((len(first) for first, *_ in texts), default=0)
    return [sign.join([first.rjust(size), *rest]) if all([first, *rest]) else None for first, *rest in texts]
