"""Statements as text: their kinds and first words, what the engine's parser says of them, parameters written out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from evalsql.catalog.measure_names import literal, quoted
from evalsql.catalog.sql_text import Token, tokens, with_replaced
from evalsql.database import engine
from evalsql.database.calls import CallError, check_nesting, check_settings

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from duckdb import Statement as EngineStatement

# What changes a database and reaches no file, extension or setting.
CHANGING = frozenset(("INSERT", "UPDATE", "DELETE", "MERGE_INTO", "CREATE", "DROP", "ALTER", "ANALYZE", "VACUUM"))
_CHANGING_WITH = ("insert", "update", "delete", "truncate", "copy")  # a query without these words changes nothing
VARIABLE = "VARIABLE"  # our word for what sets or resets a variable of the session; the engine calls that a SET
BEGINS, COMMITS, ROLLBACKS = ("begin", "start"), ("commit", "end"), ("rollback", "abort")


def kind_of(statement: EngineStatement) -> str:
    """The engine's word for the kind of a statement; a query whose WITH changes rows is of the kind of that change."""
    try:
        kind, query = statement.type.name, statement.query
    except ValueError:  # a kind that the package duckdb has no word for
        return "that is not understood"
    if kind == "SELECT" and any(word in query.lower() for word in _CHANGING_WITH):
        try:
            return change(nodes(query)) or kind
        except UnexplainedError:
            return "that is not understood"
    return kind


def first_word(query: str) -> str:
    """The first word of a statement in lower case, without the comments before it; empty if there is none."""
    return next((each.text.lower() for each in tokens(query, signs=False) if each.kind == "word"), "")


def concerns_file(query: str) -> bool:
    """Whether a statement is a CREATE of what is not temporary, a DROP, a CHECKPOINT, or SHOW TABLES."""
    words = [each.text.lower() for each in tokens(query, signs=False) if each.kind == "word"][:5]
    if words[:1] in (["drop"], ["checkpoint"]) or words[:2] == ["force", "checkpoint"]:
        return True
    if words[:1] == ["create"]:  # a column or a view can have the name temp too
        behind = words[3:] if words[1:3] == ["or", "replace"] else words[1:]
        return [each for each in behind if each not in ("local", "global")][:1] not in (["temp"], ["temporary"])
    return words[:2] == ["show", "tables"] or words[:3] == ["show", "all", "tables"]


def makes_view(query: str) -> bool:
    """Whether a statement is a CREATE VIEW of what is not temporary, or has that word near its beginning."""
    words = [each.text.lower() for each in tokens(query, signs=False) if each.kind == "word"][:5]
    return words[:1] == ["create"] and "view" in words and concerns_file(query)


def placed(query: str, database: str) -> str | None:
    """A CREATE TABLE or TYPE, whose query is asked where all are, with the database to put it into; None for others."""
    pieces = [each for each in tokens(query) if each.kind != "comment"]
    words = [each.text.lower() for each in pieces]
    at = 3 if words[1:3] == ["or", "replace"] else 1
    if words[:1] != ["create"] or words[at : at + 1] not in (["table"], ["type"]):
        return None
    at += 4 if words[at + 1 : at + 4] == ["if", "not", "exists"] else 1
    has_schema, start = words[at + 1 : at + 2] == ["."], pieces[at].start
    if has_schema and (words[at + 3 : at + 4] == ["."] or words[at].strip('"') in (database.lower(), "temp")):
        return query
    return with_replaced(query, [(start, start, f"{quoted(database)}." + "main." * (not has_schema))])


class Statement(NamedTuple):
    """A statement with the engine's word for its kind; ``explain`` is the EXPLAIN before it, with its options."""

    kind: str
    query: str
    explain: str = ""


def statements_run(text: str) -> Iterator[Statement]:
    """Each statement that is run or explained; EXPLAIN is a kind of its own in a form that is not known.

    So is a call that logs, profiles or runs a text which is not in the statement.
    """
    for statement in engine.extract_statements(text):
        kind, query = kind_of(statement), statement.query
        try:
            check_settings(query)
        except CallError as error:
            kind = str(error)
        if kind not in ("EXPLAIN", "SET"):
            yield Statement(kind, query)
            continue
        pieces = [*(each for each in tokens(query) if each.kind != "comment"), Token("sign", "", len(query))]
        words = [each.text.lower() for each in pieces]
        if kind == "SET" and words[1] == "variable" and words[2] not in ("=", "to"):
            kind = VARIABLE
        at = 2 if words[1:2] == ["analyze"] else 1
        if words[1:3] in (["(", "analyze"], ["(", "format"]):
            at = words.index(")") + 1 if ")" in words else 1
        is_known = words[0] == "explain" and "(" not in words[2:at]
        for each in statements_run(query[pieces[at].start :]) if is_known else ():
            yield each._replace(explain=" ".join([*words[:at], each.explain]))
        if not is_known:
            yield Statement(kind, query)


def rendered(sql: str, parameters: Sequence[object], connection: DuckDBPyConnection) -> str:
    """The statement with its parameters written out, as the engine's own text of each with its type."""
    if not parameters:
        return sql
    asked = ", ".join(f"typeof(${nth}), cast(${nth} as varchar)" for nth in range(1, len(parameters) + 1))
    given = connection.execute(f"select {asked}", parameters).fetchall()[0]
    written = [_typed(*pair) for pair in zip(given[::2], given[1::2], strict=True)]
    values = iter(written)
    replaced: list[tuple[int, int, str]] = []
    for piece, after in pairwise([*tokens(sql), Token("sign", "", len(sql))]):
        if piece.text == "?":
            replaced.append((piece.start, piece.end, next(values)))
        elif piece.text == "$" and after.kind == "number":
            replaced.append((piece.start, after.end, written[int(after.text) - 1]))
    return with_replaced(sql, replaced)


def _typed(kind: str, text: str | None) -> str:
    """A value as SQL of its type; text that is sent ends at a NUL character."""
    if text is None:
        return "null"
    parts = " || chr(0) || ".join(map(literal, text.split("\0")))
    return f"cast({parts} as {kind})"


Node = dict[str, Any]
_READING = {"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"}


class UnexplainedError(Exception):
    """The parser does not explain this text as one query, which is no time to guess; the message has its words."""


@cache
def _engine() -> DuckDBPyConnection:
    return engine.connect(config=engine.SETTINGS)


@cache
def engine_functions(*kinds: str, schema: str = "") -> frozenset[str]:
    """Names of the engine's own functions, of all kinds or some: scalar, aggregate, macro, window, table."""
    listed = "select function_name from duckdb_functions() where internal and $2 in ('', schema_name)"
    found = _engine().cursor().execute(f"{listed} and (len($1) = 0 or function_type in $1)", [list(kinds), schema])
    return frozenset(name for (name,) in found.fetchall())


def nodes(text: str) -> list[Node]:
    """Every node of one query, inner ones first: tables, functions, WITHs, with the engine's names for their types."""
    found: list[Node] = []

    def keep(node: Node) -> Node:
        found.append(node)
        return node

    try:
        check_nesting(text)
        ((written,),) = _engine().cursor().execute("select json_serialize_sql(?::varchar)", [text]).fetchall()
        parsed = json.loads(written, object_hook=keep)
    except (engine.Error, RuntimeError, RecursionError, CallError) as error:
        raise UnexplainedError(f"cannot be read as SQL: {error}") from error
    if parsed["error"]:
        raise UnexplainedError(f"expected one SELECT: {parsed['error_message']}")
    if len(parsed["statements"]) != 1:
        raise UnexplainedError(f"expected one SELECT, found {len(parsed['statements'])} statements")
    return found


def change(found: list[Node]) -> str | None:
    """The kind of what a query does besides reading, as INSERT, UPDATE, DELETE or COPY in a WITH; none if it reads."""
    kinds = {kind for node in found if isinstance(kind := node.get("type"), str) and kind.endswith("_NODE")}
    return next((kind.removesuffix("_QUERY_NODE") for kind in sorted(kinds - _READING)), None)
