"""Warehouses in memory that tests use one after another: emptying one takes a hundredth of the time of making one."""

from __future__ import annotations

from contextlib import suppress

import duckdb

import evalsql
from evalsql import Warehouse
from evalsql.database.database import MEMORY, Database
from evalsql.warehouse import open as opening

_FILLED_WHEN_MADE = "('warehouse', 'relations', 'measures')"
_TABLES = f"""
    select table_name from duckdb_tables()
    where not internal and not temporary and table_name not in {_FILLED_WHEN_MADE}
"""
_TEMPORARY = """
    select 'view', view_name from duckdb_views() where temporary and not internal
    union all select 'table', table_name from duckdb_tables() where temporary
"""
# A warehouse that a test has left with another of these is not used again. To count macros takes as long as all else:
# tests that make one use a file.
_FINGERPRINT = """
    select
        (select count(*) from duckdb_tables()),
        (select count(*) from duckdb_views()),
        (select list(database_name) from duckdb_databases()),
        (select list(name || value order by name) from duckdb_settings()),
        (select list(relation) from relations),
        (select list(measure) from measures),
        (select list(sql_digest) from warehouse)
"""
_free: list[_Reused] = []


class _Reused(Database):
    """A database that is emptied where others are closed."""

    def __init__(self, made: Database) -> None:
        super().__init__(made._connection, made.catalog, path=MEMORY, read_only=False)
        self.made_with = made.catalog
        self.fingerprint = self.rows(_FINGERPRINT)
        self.emptying = "; ".join(f'truncate main."{name}"' for (name,) in self.rows(_TABLES))
        self.is_free = False

    def close(self) -> None:
        if self.is_free:
            return
        self.is_free = True
        self.at_close.close()
        try:
            reusable = self._empty()
        except duckdb.Error:
            reusable = False
        if reusable:
            _free.append(self)
        else:
            self._connection.close()

    def _empty(self) -> bool:
        with suppress(duckdb.Error):
            self._connection.rollback()
        for kind, name in self._connection.execute(_TEMPORARY).fetchall():
            self._connection.execute(f'drop {kind} temp."{name}"')
        self._connection.execute(self.emptying)
        self._connection.execute("drop macro if exists temp.fsum")  # trec_eval's, which adds as that program does
        return self._connection.execute(_FINGERPRINT).fetchall() == self.fingerprint

    def again(self) -> _Reused:
        database = object.__new__(_Reused)
        Database.__init__(database, self._connection, self.made_with, path=MEMORY, read_only=False)
        for name in ("made_with", "fingerprint", "emptying"):
            setattr(database, name, getattr(self, name))
        database.is_free = False
        return database


def warehouse_in_memory() -> Warehouse:
    """An empty warehouse in memory. Closing it gives it back, empty, for the next test that has these relations."""
    digest = vars(opening)["read_catalog"]().digest  # a test may put few in its place
    fitting = next((each for each in _free if each.made_with.digest == digest), None)
    if fitting is None:
        return Warehouse(_Reused(evalsql.open(MEMORY).database))
    _free.remove(fitting)
    return Warehouse(fitting.again())
