"""Opens warehouses: makes new files, brings older ones up to date, and admits strangers' files without asking them.

A file's own views and macros are for other clients. They are written when the file is made, or was written by another
version; what asks the file here goes by those of this version, which are attached and found first.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import NamedTuple

from evalsql.catalog.measure_names import parse_measures, quoted
from evalsql.catalog.relations import STEPS, Relation, read_catalog
from evalsql.database.database import MEMORY, Database
from evalsql.database.quack import is_address
from evalsql.errors import QueryError, UsageError, WarehouseError, warn
from evalsql.phrases import Progress, silent
from evalsql.warehouse.connecting import UNFINISHED, attach_relations, connect_waiting, engines_share, limit_memory
from evalsql.warehouse.foreign import check_tables, foreign_relations, main_tables
from evalsql.warehouse.own_measures import Sources, as_sources, read_sources, warn_of_own, with_added
from evalsql.warehouse.schema import (
    SCHEMA_VERSION,
    add_own,
    add_temporary_relations,
    make,
    objects_in,
    rebuild,
    upgrade,
)

DEFAULT_PATH = "evalsql.duckdb"
PATH_VARIABLE = "EVALSQL_DB"
WAIT = 3.0  # seconds


class Reach(NamedTuple):
    """The files beside the warehouse that the engine may use, by themselves or by a folder above them."""

    files: Sequence[str] = ()
    folders: Sequence[str] = ()


def default_path() -> str:
    """Where the warehouse is when nobody says: ``EVALSQL_DB``, else ``evalsql.duckdb`` in this folder."""
    return os.environ.get(PATH_VARIABLE) or DEFAULT_PATH


def open_database(
    path: str | Path | None,
    *,
    read_only: bool = False,
    measures: Sources = (),
    memory_limit: str | None = None,
    wait: float = WAIT,
    progress: Progress = silent,
    asked: Sequence[str] | None = None,
    reach: Reach | None = None,
    external_access: bool | None = None,
    rewritten: bool = False,
    token: str | None = None,
) -> Database:
    """Open the database of a warehouse; other arguments and errors are those of ``evalsql.open``.

    Args:
        asked: measures that alone will be asked for; what others need may then be missing. By default all.
        reach: what the engine may use beside this file, from before anything in it is evaluated; by default all.
        external_access: without a reach, whether the engine may use all files; by default where the file defines
            nothing but evalsql's own relations.
        rewritten: write the views and macros of the file anew, for clients that ask those.
    """
    place = str(path or default_path())
    if is_address(place):
        from evalsql.warehouse.remote import open_remote

        return open_remote(
            place,
            token=token,
            read_only=read_only,
            measures=measures,
            memory_limit=memory_limit,
            progress=progress,
        )
    temporary = read_sources(as_sources(measures))
    limit = None if memory_limit is None else engines_share(memory_limit)
    is_new = _check_path(place, read_only=read_only)
    if temporary:
        read_catalog().extended(temporary)  # names that are taken, before there is a file
    preparing = Thread(target=_prepare, args=(read_only,))
    preparing.start()
    connection = connect_waiting(place, read_only, wait, progress)
    preparing.join()
    database = Database(connection, read_catalog(), path=place, read_only=read_only)
    try:
        if limit is not None:
            limit_memory(database, limit)
        common = (read_only or place == MEMORY) and _are_common(asked, temporary)
        relations = attach_relations(database, progress, common=common)
        # From here on a name of the engine's is the engine's, whatever the file calls by it.
        if reach is not None:
            database.shut_in(reach.files, reach.folders)
        if place == MEMORY or ((is_new or not read_only) and _is_empty(database)):
            make(database, relations)
        else:
            _bring_up_to_date(database, relations, rewritten=rewritten)
            if reach is None and not _may_reach_all(database, external_access):
                database.shut_in()
        add_temporary_relations(database, temporary)
    except BaseException:
        database.close()
        raise
    return database


def _prepare(read_only: bool) -> None:
    """Do, once a process, what takes about as long as the engine's start: the catalogue, and modules that load."""
    read_catalog()
    if not read_only:
        import_module("evalsql.ingest.files.tables")
        import_module("evalsql.ingest.run_loading")


def _are_common(asked: Sequence[str] | None, temporary: Sequence[Relation]) -> bool:
    """Whether measures are asked for, all of the view ``scores``, which the smaller set of relations has."""
    if asked is None or temporary:
        return False
    try:
        return all(each.relation.header.in_scores for each in parse_measures(asked, read_catalog()))
    except UsageError:  # it may be the name of one that is kept in the file
        return False


def _check_path(path: str, *, read_only: bool) -> bool:
    """Whether the database is new; raises WarehouseError for a path that cannot be opened in this way."""
    if "\0" in path:
        raise WarehouseError(f"{path}: a file's name cannot hold a NUL character")
    if not read_only and path != MEMORY and any("?" in part for part in Path(path).absolute().parts[1:]):
        # The engine puts ".wal" before the first question mark of a path.
        raise WarehouseError(f"{path}: DuckDB writes no file whose path has a question mark; choose another path")
    if Path(path).name.partition(".")[0].lower() == STEPS:  # the engine calls the database by that
        raise WarehouseError(f"{path}: {STEPS} is the name of a schema in every warehouse; call the file otherwise")
    is_new = path == MEMORY or not Path(path).exists()
    if read_only and is_new and path != MEMORY:
        raise WarehouseError(
            f"{path}: no such file; evalsql load makes one, or name another with --db or {PATH_VARIABLE}"
        )
    return is_new


def _is_empty(database: Database) -> bool:
    """Whether the file defines nothing; to list functions takes the engine long, so tables are looked for first."""
    return not main_tables(database) and not objects_in(database, database.name)


def _may_reach_all(database: Database, external_access: bool | None) -> bool:
    """Whether the engine may use all files; where nobody says, not if the file defines relations of others."""
    if external_access is not None:
        return external_access
    foreign = foreign_relations(database)
    if foreign:
        few = ", ".join(foreign[:5]) + (f" and {len(foreign) - 5} more" if len(foreign) > 5 else "")
        warn(
            f"{database.path}: has views or macros beside those of evalsql: {few}. SQL here reads and writes no other "
            "file, as they might do so; evalsql.open(path, external_access=True) allows it if you trust them"
        )
    return not foreign


def _bring_up_to_date(database: Database, relations: str, *, rewritten: bool) -> None:
    """Check what the file is; where another version wrote it, upgrade its tables and replace its views and macros."""
    path = database.path
    tables = main_tables(database)
    schema_version, made_by, digest = _version(database, tables)
    if schema_version > SCHEMA_VERSION:
        raise WarehouseError(f"{path}: was made by evalsql {made_by}, which is newer; upgrade this program")
    is_older = schema_version < SCHEMA_VERSION
    check_tables(database, tables, is_current=not is_older)
    if database.read_only and is_older:
        raise WarehouseError(
            f"{path}: was made by evalsql {made_by}, whose tables were others; evalsql sql --write 'select 1' brings "
            "them up to date"
        )
    if not is_older:
        database.catalog = with_added(database)
    is_ours = not is_older and digest == database.catalog.digest
    if database.read_only and not is_ours:
        warn(
            f"{path}: was written by evalsql {made_by} with other SQL; that of this version is used instead; evalsql "
            "sql --write 'select 1' puts it into the file"
        )
    elif rewritten or not is_ours:
        with database.transaction():
            if is_older:
                upgrade(database, schema_version)
                database.catalog = with_added(database)
            rebuild(database, relations)
    if database.catalog.own:
        add_own(database)
        if not database.read_only and not is_ours:
            warn_of_own(database)


def _version(database: Database, tables: Collection[str]) -> tuple[int, str, str]:
    """Versions of the schema and of the program that made the file, and the digest of its SQL."""
    try:
        # What has the name may be a view of anything.
        columns = "schema_version::integer, evalsql_version::varchar, sql_digest::varchar"
        query = f"select {columns} from {quoted(database.name)}.main.warehouse"
        versions = database.rows(query) if "warehouse" in tables else []
        ((schema_version, made_by, digest),) = versions
    except (QueryError, ValueError) as error:
        if remedy := _remedy(database):
            raise WarehouseError(UNFINISHED.format(path=database.path, remedy=remedy)) from error
        raise WarehouseError(f"{database.path}: is a DuckDB file but not an evalsql warehouse") from error
    return schema_version, made_by, digest


def _remedy(database: Database) -> str:
    """How to remake a file that was never finished; empty for a file of another program."""
    held = objects_in(database, database.name)
    if not held:
        return "evalsql load"
    names = {name for _, name, _ in held}
    if names == {"warehouse"} or not names <= {*database.catalog.relations}:  # others have a table of that name too
        return ""
    tables = {*main_tables(database)} - {"measures", "relations"}
    has_data = any(
        database.rows(f"select 1 from {quoted(database.name)}.main.{quoted(table)} limit 1") for table in tables
    )
    return "" if has_data else "delete it, then evalsql load"
