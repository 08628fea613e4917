"""Statements as text: their kinds, how they are rewritten, what the engine's parser says of them."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from itertools import accumulate, islice, pairwise, takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

from evalsql.catalog.sql_text import Token, tokens, with_replaced
from evalsql.database import engine
from evalsql.database.statement_calls import CallError, check_names, check_nesting, check_settings
from evalsql.literals import literal, quoted

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


def _pieces(query: str) -> tuple[list[Token], list[str]]:
    """The tokens of a statement without its comments, and their texts in lower case."""
    pieces = [each for each in tokens(query) if each.kind != "comment"]
    return pieces, [each.text.lower() for each in pieces]


def plain_words(query: str) -> Iterator[str]:
    """The words of a statement in lower case, without those in quotes and comments."""
    return (each.text.lower() for each in tokens(query, signs=False) if each.kind == "word")


def first_word(query: str) -> str:
    """The first word of a statement in lower case, without the comments before it; empty if there is none."""
    return next(plain_words(query), "")


def concerns_file(query: str) -> bool:
    """Whether a statement is a CREATE of what is not temporary, a DROP, a CHECKPOINT, or SHOW TABLES."""
    words = [*islice(plain_words(query), 5)]
    if words[:1] in (["drop"], ["checkpoint"]) or words[:2] == ["force", "checkpoint"]:
        return True
    if words[:1] == ["create"]:  # a column or a view can have the name temp too
        behind = words[3:] if words[1:3] == ["or", "replace"] else words[1:]
        return [each for each in behind if each not in ("local", "global")][:1] not in (["temp"], ["temporary"])
    return words[:2] == ["show", "tables"] or words[:3] == ["show", "all", "tables"]


_TEXT_TYPES = ("varchar", "text", "string", "char", "bpchar", "nvarchar")


def makes_view(query: str) -> bool:
    """Whether a statement is a CREATE VIEW of what is not temporary, or has that word near its beginning."""
    words = [*islice(plain_words(query), 5)]
    return words[:1] == ["create"] and "view" in words and concerns_file(query)


def _collates(query: str) -> bool:
    """Whether a statement gives a table that is there, or a type, a collation; DuckDB 2.0 has text types with one."""
    words = [word.strip('"') for word in _pieces(query)[1]]
    if words[:2] != ["alter", "table"] and (words[:1] != ["create"] or "type" not in words[1:4]):
        return False
    triples = zip(words, words[1:], words[2:], strict=False)
    return "collate" in words or any(
        name in _TEXT_TYPES and sign == "(" and text[:1] == "'" for name, sign, text in triples
    )


def _indexes(query: str, tables: Collection[str]) -> bool:
    """Whether a statement is a CREATE INDEX that has a name of these tables before its columns."""
    words = _pieces(query)[1]
    if words[:1] != ["create"] or "index" not in words[1:3]:
        return False
    return any(word.strip('"') in tables for word in takewhile(lambda word: word != "(", words))


def fault(query: str, tables: Collection[str]) -> str:
    """Why a statement cannot be run on a file with these tables; empty if it can."""
    if _indexes(query, tables):
        return "evalsql's tables have no index, as queries read whole columns; index a table of your own"
    if _collates(query):
        return "a column or type has no collation here; values are compared with one in a query"
    words = [*islice(plain_words(query), 5)]
    if words[:1] == ["create"] and {"view", "macro", "function"} & {*words} and concerns_file(query):
        try:
            check_names(query)
            check_settings(query)
        except CallError as error:
            return (
                f"a file that defines a call of {error} is not opened again; a name or text like it takes another one"
            )
    return ""


def with_database(query: str, database: str) -> str | None:
    """A CREATE TABLE or CREATE TYPE with the database before the name that is made; None for other statements.

    So it is made there, while its query looks for names where all others do.
    """
    pieces, words = _pieces(query)
    at = 3 if words[1:3] == ["or", "replace"] else 1
    if words[:1] != ["create"] or words[at : at + 1] not in (["table"], ["type"]):
        return None
    at += 4 if words[at + 1 : at + 4] == ["if", "not", "exists"] else 1
    start = pieces[at].start
    if words[at + 1 : at + 2] != ["."]:
        return with_replaced(query, [(start, start, f"{quoted(database)}.main.")])
    names_database = words[at + 3 : at + 4] == ["."] or words[at].strip('"') in (database.lower(), "temp")
    return query if names_database else with_replaced(query, [(start, start, f"{quoted(database)}.")])


class Statement(NamedTuple):
    """A statement with the engine's word for its kind; ``explain`` is the EXPLAIN before it, with its options."""

    kind: str
    query: str
    explain: str = ""


def statements_run(text: str) -> Iterator[Statement]:
    """Each statement that is run or explained.

    An EXPLAIN in a form that is not known is a kind of its own. So is a call that logs, profiles or runs a text which
    is not in the statement.
    """
    for statement in engine.extract_statements(text):
        kind, query = kind_of(statement), statement.query
        try:
            check_settings(query)
        except CallError as error:
            kind = str(error)
        if kind == "EXPLAIN":
            yield from _explained(query)
        else:
            yield Statement(VARIABLE if kind == "SET" and _sets_variable(query) else kind, query)


def _sets_variable(query: str) -> bool:
    """Whether a SET is of a variable, and not of a setting that is called variable."""
    _, words = _pieces(query)
    return words[1:2] == ["variable"] and words[2:3] not in (["="], ["to"])


def _explained(query: str) -> Iterator[Statement]:
    """The statements that an EXPLAIN explains, or the EXPLAIN itself in a form that is not known."""
    pieces, words = _pieces(query)
    at = 2 if words[1:2] == ["analyze"] else 1
    if words[1:3] in (["(", "analyze"], ["(", "format"]) and ")" in words:
        at = words.index(")") + 1
    if words[:1] != ["explain"] or "(" in words[2:at]:
        yield Statement("EXPLAIN", query)
        return
    start = pieces[at].start if at < len(pieces) else len(query)
    for each in statements_run(query[start:]):
        yield each._replace(explain=" ".join([*words[:at], each.explain]))


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
    """The parser does not read this text as one query. Nothing is guessed then; the message has the parser's words."""


@cache
def engine_functions(*kinds: str, schema: str = "") -> frozenset[str]:
    """Names of the engine's own functions, of all kinds or some: scalar, aggregate, macro, window, table."""
    listed = """
        select function_name from duckdb_functions()
        where internal and $2 in ('', schema_name) and (len($1) = 0 or function_type in $1)
    """
    found = engine.parser().cursor().execute(listed, [list(kinds), schema])
    return frozenset(name for (name,) in found.fetchall())


def nodes(text: str) -> list[Node]:
    """Every node of one query, inner ones first: tables, functions, WITHs, with the engine's names for their types."""
    found: list[Node] = []

    def keep(node: Node) -> Node:
        found.append(node)
        return node

    try:
        check_nesting(text)
        ((written,),) = engine.parser().cursor().execute("select json_serialize_sql(?::varchar)", [text]).fetchall()
        parsed = json.loads(written, object_hook=keep)
    except (engine.Error, RuntimeError, RecursionError, CallError) as error:
        raise UnexplainedError(f"cannot be read as SQL: {error}") from error
    if parsed["error"]:
        raise UnexplainedError(f"expected one SELECT: {parsed['error_message']}")
    if len(parsed["statements"]) != 1:
        raise UnexplainedError(f"expected one SELECT, found {len(parsed['statements'])} statements")
    return found


@cache
def names_read(query: str) -> list[tuple[str]]:
    """The names of what a query reads, each as often as it does; a query within another one is without a name."""
    kinds = ("BASE_TABLE", "TABLE_FUNCTION", "SELECT_NODE")
    found = [node for node in nodes(query) if node.get("type") in kinds]
    return [(node.get("table_name") or node.get("function", {}).get("function_name", ""),) for node in found]


def change(found: list[Node]) -> str | None:
    """The kind of what a query does besides reading, as INSERT, UPDATE, DELETE or COPY in a WITH; none if it reads."""
    kinds = {kind for node in found if isinstance(kind := node.get("type"), str) and kind.endswith("_NODE")}
    return next((kind.removesuffix("_QUERY_NODE") for kind in sorted(kinds - _READING)), None)


# Types and words of SQL, and what the engines write differently; functions have lower case.
_OTHERWISE = re.compile(r"""[A-Z_]+|"?(main|true|false|list_sort|DOUBLE|UBIGINT)"?|'(t|f|ORDER_DEFAULT)'""")


def says_otherwise(text: str, known: str) -> bool:
    """Whether a definition, as the engine writes it, has other names or strings than a known one, or reads by others.

    The default of a macro's parameter can be the name of a file, which no definition shows.
    """
    said, held = (_words_said([*tokens(one)]) for one in (text, known))
    return said != held


def _words_said(pieces: Sequence[Token]) -> set[object]:
    """Names and strings, and those that stand together in the brackets of a ``query_table``."""
    found: set[object] = {word for each in pieces if (word := _word_said(each))}
    for at in (at for at, each in enumerate(pieces, start=1) if _word_said(each) == "query_table"):
        depths = accumulate({"(": 1, ")": -1}.get(each.text, 0) for each in pieces[at:])
        inside = takewhile(lambda pair: pair[1], zip(pieces[at:], depths, strict=False))
        found.add(tuple(word for each, _ in inside if (word := _word_said(each))))
    return found


def _word_said(piece: Token) -> str:
    return "" if piece.kind == "sign" or _OTHERWISE.fullmatch(piece.text) else piece.text.strip('"')
