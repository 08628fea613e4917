"""Puts arguments in the place of the parameters of a relation's body, and its steps in their schema."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from itertools import pairwise

from evalsql.catalog.tokens import Token, tokens

_BEFORE_RELATION = ("from", "join", "lateral")
_CTE = re.compile(r"\s*(?:\([^()]*\)\s*)?as\s+(?:not\s+)?(?:materialized\s*)?\(", re.IGNORECASE)
_ALIAS = re.compile(
    r"(?!(?:join|left|right|full|inner|outer|cross|natural|asof|positional|semi|anti|on|using|where|group|having|window"
    r"|qualify|order|limit|offset|union|intersect|except|tablesample)\b)[^\W\d]",
    re.IGNORECASE,
)


def bind_parameters(body: str, arguments: Mapping[str, str]) -> str:
    """The body with each ``$name`` replaced by ``arguments[name]``; comments and strings stay as they are."""
    pieces: list[str] = []
    end = 0
    for start, stop, name in parameter_places(body):
        pieces += [body[end:start], arguments[name]]
        end = stop
    return "".join([*pieces, body[end:]])


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
    """The body reading relations by their new names; each keeps its old name as an alias, which columns may use."""
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
    return [(each.start, each.end, each.text[1:]) for each in _names(body) if each.kind == "parameter"]


def relations_named(body: str) -> frozenset[str]:
    """The bare names behind FROM and JOIN that are none of the body's own CTEs."""
    return frozenset(name for _, name in _relation_places(body))


def functions_named(body: str) -> frozenset[str]:
    """The words that an opening parenthesis follows."""
    return frozenset(each.text for each in _names(body) if each.kind == "word" and body.startswith("(", each.end))


@cache
def _relation_places(body: str) -> list[tuple[int, str]]:
    """Where each bare name starts behind FROM or JOIN that is none of the body's own CTEs."""
    words = [each for each in _names(body) if each.kind == "word"]
    own = {each.text for each in words if _CTE.match(body, each.end)}
    places = []
    for keyword, word in pairwise(words):
        is_read = keyword.text.lower() in _BEFORE_RELATION and not body[keyword.end : word.start].strip()
        if is_read and word.text not in own and not body.startswith(".", word.end):
            places.append((word.start, word.text))
    return places


@cache
def _names(body: str) -> list[Token]:
    """Every word and ``$name`` outside strings and comments."""
    return [token for token in tokens(body, signs=False) if token.kind in ("word", "parameter")]
