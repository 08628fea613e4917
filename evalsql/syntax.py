"""Puts arguments in the place of the parameters of a relation's body."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evalsql.catalog import Relation

# What hides a $name: strings (with escapes behind an e, or between dollar signs), quoted names, comments, other names.
_TOKENS = re.compile(
    r"""
      [eE]'(?:[^'\\]|\\.|'')*'
    | '(?:[^']|'')*'
    | "(?:[^"]|"")*"
    | \$(?P<tag>[^\W\d]\w*|)\$ .*? \$(?P=tag)\$
    | --[^\r\n]*
    | [^\W\d][\w$]*
    | (?P<comment>/\*)
    | \$(?P<parameter>[^\W\d]\w*)
    """,
    re.VERBOSE | re.DOTALL,
)
_COMMENT_ENDS = re.compile(r"/\*|\*/")


def bind_parameters(relation: Relation, arguments: dict[str, str]) -> str:
    """The body with each ``$name`` replaced by ``arguments[name]``; comments and strings stay as they are."""
    pieces: list[str] = []
    end = 0
    for start, stop, name in parameter_places(relation.body):
        pieces += [relation.body[end:start], arguments[name]]
        end = stop
    return "".join([*pieces, relation.body[end:]])


@cache
def parameter_places(body: str) -> list[tuple[int, int, str]]:
    """Where each ``$name`` starts and ends."""
    places: list[tuple[int, int, str]] = []
    at = 0
    while token := _TOKENS.search(body, at):
        at = token.end()
        if token["comment"]:
            at = _comment_end(body, at)
        elif token["parameter"]:
            places.append((token.start(), at, token["parameter"]))
    return places


def _comment_end(body: str, at: int) -> int:
    """Where a comment ends that starts before ``at``; others may lie within it."""
    depth = 1
    for mark in _COMMENT_ENDS.finditer(body, at):
        depth += 1 if mark[0] == "/*" else -1
        if depth == 0:
            return mark.end()
    return len(body)
