"""Temporary tables of values that Python holds."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

from evalsql.catalog.measure_names import quoted
from evalsql.database.database import Database
from evalsql.errors import UsageError

_MANY = 20_000  # rows for which numpy is worth its import


def make_temp_table(database: Database, name: str, columns: Mapping[str, str]) -> None:
    listed = ", ".join(f'"{column}" {kind}' for column, kind in columns.items())
    database.execute(f"create or replace temp table {name} ({listed})")


def put(database: Database, table: str, columns: Mapping[str, Sequence[Any]], numbers: Iterable[str] = ()) -> None:
    """Make a temporary table of columns, those of numbers as numbers and the others as text."""
    kinds = {name: "double" if name in numbers else "varchar" for name in columns}
    for name, values in columns.items():
        check_utf8(name, values)
    is_long = len(next(iter(columns.values()), ())) >= _MANY
    numpy: Any = None
    with suppress(ImportError):
        numpy = import_module("numpy") if is_long else None  # three times as fast, but not installed with evalsql
    if numpy is None:
        listed = ", ".join(f"unnest(?::{kind}[]) as {quoted(name)}" for name, kind in kinds.items())
        database.execute(f"create or replace temp table {table} as select {listed}", list(columns.values()))
        return
    view, types = f"{table}_arrays", {"double": float, "varchar": object}
    database.register(view, {name: numpy.array(values, dtype=types[kinds[name]]) for name, values in columns.items()})
    try:
        listed = ", ".join(f"cast({quoted(name)} as {kind}) as {quoted(name)}" for name, kind in kinds.items())
        database.execute(f"create or replace temp table {table} as select {listed} from {view}")
    finally:
        database.unregister(view)


def check_utf8(name: str, values: Iterable[Any]) -> None:
    """Raise UsageError for text that has no UTF-8: the engine gives up the database over it."""
    try:
        _ = "".join(value for value in values if isinstance(value, str)).encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"column {name} holds text that has no UTF-8: {error.reason}") from error
