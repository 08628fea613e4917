"""Opens a warehouse that a server holds."""

from __future__ import annotations

import os

from evalsql.catalog.relations import Catalog, read_catalog
from evalsql.database import engine, quack, server_connection
from evalsql.database.database import Database
from evalsql.database.server_connection import RemoteDatabase
from evalsql.errors import QueryError, UsageError, WarehouseError
from evalsql.phrases import Progress, silent
from evalsql.version import __version__
from evalsql.warehouse.own_measures import Sources, as_sources, read_sources, with_added
from evalsql.warehouse.schema import SCHEMA_VERSION, add_temporary_relations

TOKEN_VARIABLE = "EVALSQL_TOKEN"
_VERSIONS = "select schema_version, evalsql_version, sql_digest, system.main.version() from main.warehouse"


def open_remote(
    path: str,
    *,
    token: str | None = None,
    read_only: bool = False,
    measures: Sources = (),
    memory_limit: str | None = None,
    progress: Progress = silent,
) -> Database:
    """Open the database behind ``quack:HOST:PORT``.

    Args:
        token: the one that the server knows; by default ``EVALSQL_TOKEN``.

    Raises:
        UsageError: there is no token, or what is asked for is the server's to say.
        WarehouseError: no server answers, it does not know the token, or is of another version.
    """
    address = quack.parse_address(path)
    if memory_limit is not None:
        raise UsageError(f"{address.url}: the server's memory is limited where it is started; leave out --memory-limit")
    known = token or os.environ.get(TOKEN_VARIABLE, "").strip()
    if not known:
        raise WarehouseError(
            f"{address.url}: takes a token: --token-file names the file that has it, or {TOKEN_VARIABLE} is it"
        )
    temporary = read_sources(as_sources(measures))
    connected = server_connection.connect(address, known, reads_files=not read_only, progress=progress)
    database = RemoteDatabase(connected, read_catalog(), read_only=read_only)
    try:
        database.catalog = _checked_catalog(database)
        if not read_only and connected.role != "write":
            raise UsageError(f"{address.url}: this token reads only; the server has another one that writes")
        add_temporary_relations(database, temporary)
    except BaseException:
        database.close()
        raise
    return database


def _checked_catalog(database: Database) -> Catalog:
    """The catalogue of what is there; raises WarehouseError where it is another version's."""
    try:
        ((schema, program, digest, duckdb_version),) = database.rows(_VERSIONS)
    except (QueryError, ValueError) as error:
        raise WarehouseError(f"{database.path}: the server holds no evalsql warehouse") from error
    catalog = with_added(database) if schema == SCHEMA_VERSION else database.catalog
    if schema == SCHEMA_VERSION and digest == catalog.digest:
        return catalog
    raise WarehouseError(
        f"{database.path}: the server has evalsql {program} (schema {schema}, SQL {digest[:8]}, DuckDB "
        f"{duckdb_version}), this is evalsql {__version__} (schema {SCHEMA_VERSION}, SQL {catalog.digest[:8]}, DuckDB "
        f"v{engine.__version__}); install the same version on both sides"
    )
