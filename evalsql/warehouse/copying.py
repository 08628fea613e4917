"""Copies from a template, an empty warehouse of this version: all it holds, or its views and macros alone.

The engine copies definitions as they are. It would plan each statement that makes one, which takes seconds.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evalsql.catalog.measure_names import literal, quoted
from evalsql.database.database import Database
from evalsql.errors import QueryError, WarehouseError
from evalsql.warehouse.schema import write_version

_TABLES = "select database_name, schema_name, table_name from system.main.duckdb_tables()"


def copy_warehouse(database: Database, path: Path) -> bool:
    """Fill a new database from a template, whole or not at all; whether that was done."""
    ((name,),) = database.rows("select current_database()")
    try:
        with _attached(database, path) as template:
            if template is None:
                return False
            with database.transaction():
                # To copy the rows of all tables, empty ones too, takes three times as long.
                database.execute(f"copy from database {template} to {quoted(name)} (schema)")
                for table in ("measures", "relations"):
                    database.execute(f"insert into {table} from {template}.main.{table}")
                write_version(database)
    except (QueryError, WarehouseError):
        return False
    return True


def attach_relations(database: Database, path: Path) -> str | None:
    """Attach a database in memory that has a template's views and macros and nothing else; its name.

    The engine can copy a whole database only, and tables are in the file already. Nothing of the file is evaluated.
    """
    name = _new_name("relations")
    try:
        with _attached(database, path) as template:
            if template is None:
                return None
            database.execute(f"attach ':memory:' as {name} (read_write)")
            database.execute(f"copy from database {template} to {name} (schema)")
        for held, schema, table in database.rows(_TABLES):
            if held == name:
                database.execute(f"drop table {name}.{quoted(schema)}.{quoted(table)}")
    except (QueryError, WarehouseError):
        detach(database, name)
        return None
    return name


def detach(database: Database, name: str | None) -> None:
    """Detach a database if it is attached."""
    if name:
        database.execute(f"detach database if exists {name}")


@contextmanager
def _attached(database: Database, path: Path) -> Iterator[str | None]:
    """Have a template attached; its name there, None where there is none that was made with the same SQL."""
    if not path.exists():
        yield None
        return
    name = _new_name("template")
    try:
        database.execute(f"attach {literal(str(path))} as {name} (read_only)")
        digests = database.rows(f"select sql_digest from {name}.main.warehouse")
        yield name if digests == [(database.catalog.digest,)] else None
    finally:
        detach(database, name)


def _new_name(kind: str) -> str:
    """A name that no file has, which would be that of its database too."""
    return f"{kind}_{os.urandom(8).hex()}"
