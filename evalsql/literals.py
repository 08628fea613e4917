"""Values, rows and names as text of SQL."""

from collections.abc import Iterable, Sequence
from typing import Any

from evalsql.errors import UsageError

Value = int | float | str | bool | list[Any] | None  # a list where a parameter takes several values


def literal(value: Value) -> str:
    if value is None:
        return "null"
    if isinstance(value, list):
        return f"[{literals(value)}]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        text = "'" + value.replace("'", "''") + "'"
        # DuckDB 1.5 ends a statement at a NUL.
        return "(" + text.replace("\0", "' || system.main.chr(0) || '") + ")" if "\0" in text else text
    if not isinstance(value, int | float):  # a table of somebody else's has values of any type
        raise UsageError(f"{value!r} is no text and no number")
    return repr(value)


def literals(values: Iterable[Value]) -> str:
    return ", ".join(map(literal, values))


def rows_query(columns: str, rows: Iterable[Sequence[Value]]) -> str:
    """A SELECT of rows that are written out, with these names of columns."""
    return f"select * from (values {', '.join(f'({literals(row)})' for row in rows)}) as listed({columns})"


def unnested(rows: Iterable[Sequence[Value]]) -> str:
    """The columns of a SELECT that gives these rows."""
    # A list in brackets is a call of list_value, and the file may have a macro of that name.
    return ", ".join(f"unnest(system.main.list_value({literals(column)}))" for column in zip(*rows, strict=True))


def quoted(name: str) -> str:
    """``name`` as a SQL identifier."""
    return '"' + name.replace('"', '""') + '"'
