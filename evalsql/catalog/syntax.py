"""Puts arguments in the place of the parameters of a relation's body, and its steps in their schema."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evalsql.catalog.relations import Relation

# What hides a $name: strings (with escapes behind an e, or between dollar signs), quoted names, comments, other names.
_TOKENS = re.compile(
    r"""
      [eE]'(?:[^'\\]|\\.|'')*'
    | '(?:[^']|'')*'
    | "(?:[^"]|"")*"
    | \$(?P<tag>[^\W\d]\w*|)\$ .*? \$(?P=tag)\$
    | --[^\r\n]*
    | (?P<word>[^\W\d][\w$]*)
    | (?P<comment>/\*)
    | \$(?P<parameter>[^\W\d]\w*)
    """,
    re.VERBOSE | re.DOTALL,
)
_BEFORE_RELATION = ("from", "join", "lateral")
_CTE = re.compile(r"\s*(?:\([^()]*\)\s*)?as\s+(?:not\s+)?(?:materialized\s*)?\(", re.IGNORECASE)
_ALIAS = re.compile(
    r"(?!(?:join|left|right|full|inner|outer|cross|natural|asof|positional|semi|anti|on|using|where|group|having|window"
    r"|qualify|order|limit|offset|union|intersect|except|tablesample)\b)[^\W\d]",
    re.IGNORECASE,
)
_COMMENT_ENDS = re.compile(r"/\*|\*/")


def bind_parameters(relation: Relation, arguments: Mapping[str, str]) -> str:
    """The body with each ``$name`` replaced by ``arguments[name]``; comments and strings stay as they are."""
    pieces: list[str] = []
    end = 0
    for start, stop, name in parameter_places(relation.body):
        pieces += [relation.body[end:start], arguments[name]]
        end = stop
    return "".join([*pieces, relation.body[end:]])


def in_schemas(body: str, schemas: Mapping[str, str]) -> str:
    """The body with each relation that it reads by a bare name in ``schemas`` read from that schema."""
    pieces: list[str] = []
    end = 0
    for start, name in _relation_places(body):
        if name in schemas:
            pieces += [body[end:start], f"{schemas[name]}."]
            end = start
    return "".join([*pieces, body[end:]])


def renamed(body: str, names: Mapping[str, str]) -> str:
    """The body with relations read under their new names, by which its columns find them as before."""
    pieces: list[str] = []
    end = 0
    for start, name in _relation_places(body):
        if name in names:
            rest = body[start + len(name) :].lstrip()
            has_alias = rest.startswith("(") or _ALIAS.match(rest)
            pieces += [body[end:start], names[name] if has_alias else f"{names[name]} as {name}"]
            end = start + len(name)
    return "".join([*pieces, body[end:]])


@cache
def parameter_places(body: str) -> list[tuple[int, int, str]]:
    """Where each ``$name`` starts and ends."""
    return [(start - 1, end, name) for start, end, kind, name in _names(body) if kind == "parameter"]


def relations_named(body: str) -> frozenset[str]:
    """The bare names behind FROM and JOIN that are none of the body's own CTEs."""
    return frozenset(name for _, name in _relation_places(body))


def functions_named(body: str) -> frozenset[str]:
    """The words that an opening parenthesis follows."""
    return frozenset(name for _, end, kind, name in _names(body) if kind == "word" and body.startswith("(", end))


@cache
def _relation_places(body: str) -> list[tuple[int, str]]:
    """Where each bare name starts behind FROM or JOIN that is none of the body's own CTEs."""
    words = [(start, end, name) for start, end, kind, name in _names(body) if kind == "word"]
    own = {name for _, end, name in words if _CTE.match(body, end)}
    places = []
    for (_, before, keyword), (start, end, name) in pairwise(words):
        is_read = keyword.lower() in _BEFORE_RELATION and not body[before:start].strip()
        if is_read and name not in own and not body.startswith(".", end):
            places.append((start, name))
    return places


def _names(body: str) -> Iterator[tuple[int, int, str, str]]:
    """Every word and ``$name`` outside strings and comments: start, end, word or parameter, and its text."""
    at = 0
    while token := _TOKENS.search(body, at):
        at = token.end()
        if token["comment"]:
            at = _comment_end(body, at)
        for kind in ("word", "parameter"):
            if token[kind]:
                yield *token.span(kind), kind, token[kind]


def _comment_end(body: str, at: int) -> int:
    """Where a comment ends that starts before ``at``; others may lie within it."""
    depth = 1
    for mark in _COMMENT_ENDS.finditer(body, at):
        depth += 1 if mark[0] == "/*" else -1
        if depth == 0:
            return mark.end()
    return len(body)
