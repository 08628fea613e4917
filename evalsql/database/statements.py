"""Kinds of statements, as the engine calls them, words that begin and end transactions, and parts of an EXPLAIN."""

from __future__ import annotations

import re
from typing import NamedTuple

# What changes a database and reaches no file, extension or setting.
CHANGING = frozenset(("INSERT", "UPDATE", "DELETE", "MERGE_INTO", "CREATE", "DROP", "ALTER", "ANALYZE", "VACUUM"))
BEGINS, COMMITS, ROLLBACKS = ("begin", "start"), ("commit", "end"), ("rollback", "abort")
_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_WORD = re.compile(r"\w+")
_EXPLAIN = re.compile(r"\s*explain\s*(?:\(\s*(?:analyze|format)\b[^()]*\)\s*|\s(?:\s*analyze\b)?\s*)", re.IGNORECASE)


class Explain(NamedTuple):
    """An EXPLAIN, with ANALYZE or options if it has them, and the statements that it is about."""

    words: str
    statements: str


def first_word(query: str) -> str:
    """The first word of a statement in lower case, without the comments before it; empty if there is none."""
    found = _WORD.search(_COMMENT.sub(" ", query))
    return found[0].lower() if found else ""


def explain_of(query: str) -> Explain | None:
    """The parts of an EXPLAIN; None for a form that is not known."""
    found = _EXPLAIN.match(query)
    return Explain(found[0], query[found.end() :]) if found else None
