"""What a query does and reads, by the engine's own parser. What that does not explain is an error and no guess."""

import json
from functools import cache
from typing import TYPE_CHECKING, Any

from evalsql.database import engine
from evalsql.database.calls import CallError, check_nesting

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Node = dict[str, Any]
_READING = {"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"}


class UnexplainedError(Exception):
    """The parser does not explain this text as one query; the message has its words."""


@cache
def _engine() -> "DuckDBPyConnection":
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
