"""Gives back the space of what was dropped: a warehouse is written into a new file, which takes the old one's place."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from evalsql.catalog.measure_names import literal, quoted
from evalsql.database.database import MEMORY, Database
from evalsql.database.quack import is_address
from evalsql.errors import UsageError, WarehouseError
from evalsql.warehouse.connecting import STORAGE_VERSION
from evalsql.warehouse.schema import objects_in

_COPY = "evalsql_copy"


def vacuum(database: Database) -> tuple[int, int]:
    """Write the file anew without its free space. Returns its size in bytes before and after.

    The database is of no use afterwards and is to be closed: it has the old file open, which keeps others out until
    the new one is in its place. The old file stays as it is where anything fails.

    Raises:
        UsageError: the database is in memory or open for reading only.
        WarehouseError: the new file cannot be written, or is not the same.
    """
    if is_address(database.path):
        raise UsageError(f"{database.path}: a file that is served is not written anew; stop the server first")
    if database.path == MEMORY or database.read_only:
        raise UsageError("only a file that is open for writing can be written anew")
    path = Path(database.path).resolve()
    database.execute("checkpoint")
    before = path.stat().st_size
    try:
        folder = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    except OSError as error:
        raise WarehouseError(f"{path.parent}: no file can be written beside the warehouse: {error.strerror}") from error
    try:
        copy = folder / path.name
        _copy(database, copy)
        shutil.copymode(path, copy)
        with copy.open("rb") as stream:
            os.fsync(stream.fileno())
        copy.replace(path)
    except OSError as error:
        raise WarehouseError(f"{path}: cannot be written anew: {error.strerror}; it is as it was") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return before, path.stat().st_size


def _copy(database: Database, copy: Path) -> None:
    name = database.name
    database.execute(f"attach {literal(str(copy))} as {_COPY} (storage_version {literal(STORAGE_VERSION)})")
    try:
        database.execute(f"copy from database {quoted(name)} to {_COPY}")
        if _contents(database, name) != _contents(database, _COPY):
            raise WarehouseError(f"{database.path}: the copy is not the same as the file; it is as it was")
    finally:
        with suppress(Exception):
            database.execute(f"use {quoted(name)}")
        database.execute(f"detach {_COPY}")


def _contents(database: Database, name: str) -> list[tuple[object, ...]]:
    """Every object of a database, tables with their number of rows."""
    database.execute(f"use {quoted(name)}")
    found: list[tuple[object, ...]] = sorted(objects_in(database, name))
    for schema, table, kind in list(found):
        if kind == "table":
            ((count,),) = database.rows(f"select count(*) from {quoted(str(schema))}.{quoted(str(table))}")
            found.append((schema, table, count))
    return found
