"""Names of runs and judgment sets, and the globs that stand for them."""

from __future__ import annotations

import difflib
import fnmatch
from collections.abc import Iterable, Sequence

from evalsql.database.database import Database
from evalsql.errors import UsageError

Names = Sequence[str] | str


def as_list(names: Names) -> Sequence[str]:
    """Names given one by one or as a single one; raises UsageError for what is neither."""
    listed = [names] if isinstance(names, str) else list(names) if isinstance(names, Iterable) else [names]
    if not all(isinstance(name, str) for name in listed):
        raise UsageError(f"expected a name or several, found {names!r}")
    return listed


def resolve_names(database: Database, kind: str, patterns: Names) -> list[str]:
    """Names of the runs ("run") or judgment sets ("qrels") that names or globs stand for."""
    ids = sorted({key for pattern in as_list(patterns) for key in resolve_ids(database, kind, pattern)})
    keys = ", ".join(map(str, ids))
    table = "runs" if kind == "run" else "qrels"
    return [name for (name,) in database.rows(f"select {kind} from {table} where {kind}_id in ({keys})")]


def resolve_ids(database: Database, kind: str, pattern: str) -> list[int]:
    """Keys of the runs or judgment sets that a name or glob stands for; raises UsageError if there is none."""
    held = dict(database.rows(f"select {kind}, {kind}_id from {'runs' if kind == 'run' else 'qrels'}"))
    found = [held[pattern]] if pattern in held else [held[name] for name in fnmatch.filter(held, pattern)]
    if not found:
        near = difflib.get_close_matches(pattern, held, n=3) or sorted(held)[:5]
        what = "run" if kind == "run" else "judgment set"
        hint = f"; there are: {', '.join(near)}" if near else "; none is loaded"
        raise UsageError(f'no {what} is called "{pattern}"{hint}')
    return found
