"""Statements as text: their kinds and first words, what an EXPLAIN is about, and parameters written out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

from evalsql.catalog.measure_names import literal
from evalsql.catalog.sql_text import Token, tokens, with_replaced
from evalsql.database import engine
from evalsql.errors import UsageError

# What changes a database and reaches no file, extension or setting.
CHANGING = frozenset(("INSERT", "UPDATE", "DELETE", "MERGE_INTO", "CREATE", "DROP", "ALTER", "ANALYZE", "VACUUM"))
BEGINS, COMMITS, ROLLBACKS = ("begin", "start"), ("commit", "end"), ("rollback", "abort")


def first_word(query: str) -> str:
    """The first word of a statement in lower case, without the comments before it; empty if there is none."""
    return next((each.text.lower() for each in tokens(query, signs=False) if each.kind == "word"), "")


def concerns_file(query: str) -> bool:
    """Whether a statement is a CREATE of what is not temporary, a DROP, a CHECKPOINT, or SHOW TABLES."""
    words = [each.text.lower() for each in tokens(query, signs=False) if each.kind == "word"][:4]
    if words[:1] in (["drop"], ["checkpoint"]) or words[:2] == ["force", "checkpoint"]:
        return True
    if words[:1] == ["create"]:
        return not {"temp", "temporary"} & {*words[1:]}
    return words[:2] == ["show", "tables"] or words[:3] == ["show", "all", "tables"]


class Statement(NamedTuple):
    """A statement with the engine's word for its kind; ``explain`` is the EXPLAIN before it, with its options."""

    kind: str
    query: str
    explain: str = ""


def statements_run(text: str) -> Iterator[Statement]:
    """Each statement that is run or explained; EXPLAIN is a kind of its own in a form that is not known."""
    for statement in engine.extract_statements(text):
        kind, query = statement.type.name, statement.query
        if kind != "EXPLAIN":
            yield Statement(kind, query)
            continue
        pieces = [*(each for each in tokens(query) if each.kind != "comment"), Token("sign", "", len(query))]
        words = [each.text.lower() for each in pieces]
        at = 2 if words[1:2] == ["analyze"] else 1
        if words[1:3] in (["(", "analyze"], ["(", "format"]):
            at = words.index(")") + 1 if ")" in words else 1
        is_known = words[0] == "explain" and "(" not in words[2:at]
        for each in statements_run(query[pieces[at].start :]) if is_known else ():
            yield each._replace(explain=" ".join([*words[:at], each.explain]))
        if not is_known:
            yield Statement(kind, query)


def rendered(sql: str, parameters: Sequence[object]) -> str:
    """The statement with its parameters written out."""
    if not parameters:
        return sql
    values = iter(parameters)
    replaced: list[tuple[int, int, str]] = []
    for piece, after in pairwise([*tokens(sql), Token("sign", "", len(sql))]):
        if piece.text == "?":
            replaced.append((piece.start, piece.end, value(next(values))))
        elif piece.text == "$" and after.kind == "number":
            replaced.append((piece.start, after.end, value(parameters[int(after.text) - 1])))
    return with_replaced(sql, replaced)


def value(given: object) -> str:
    """A value of Python as SQL that has the type which the engine gives it."""
    if given is None or isinstance(given, bool | int):
        return literal(given)
    if isinstance(given, float):
        text = repr(given) if math.isfinite(given) else literal(str(given))
        return f"cast({text} as double)"
    if isinstance(given, str):
        parts = [literal(part) for part in given.split("\0")]  # text that is sent ends at a NUL character
        return parts[0] if len(parts) == 1 else f"({' || chr(0) || '.join(parts)})"
    if isinstance(given, Decimal):
        return str(given)
    if isinstance(given, datetime):
        return f"cast({literal(given.isoformat(' '))} as {'timestamptz' if given.tzinfo else 'timestamp'})"
    if isinstance(given, date | time):
        return f"cast({literal(given.isoformat())} as {type(given).__name__})"
    if isinstance(given, bytes):
        return "'" + "".join(f"\\x{byte:02X}" for byte in given) + "'::blob"
    if isinstance(given, Mapping):
        return f"map([{', '.join(map(value, given))}], [{', '.join(map(value, given.values()))}])"
    if isinstance(given, Sequence):
        return f"[{', '.join(map(value, given))}]"
    if hasattr(given, "item"):  # a number of numpy
        return value(given.item())
    raise UsageError(f"a value of type {type(given).__name__} cannot be sent to a server")
