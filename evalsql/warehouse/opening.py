"""Opens warehouse files: makes new ones, brings older ones up to date, and says what is wrong with others."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Collection, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from evalsql.catalog import ddl
from evalsql.catalog.measure_names import parse_measures, quoted
from evalsql.catalog.relations import STEPS, Catalog, Relation, read_catalog
from evalsql.database import file_errors
from evalsql.database.database import MEMORY, Database
from evalsql.database.temporary_folders import scratch_folder
from evalsql.errors import EvalsqlError, InputWarning, QueryError, WarehouseError, warn
from evalsql.progress import Progress, silent
from evalsql.warehouse.connecting import UNFINISHED, connect, connect_waiting, engines_share, limit_memory
from evalsql.warehouse.copying import attach_relations, copy_warehouse, detach
from evalsql.warehouse.foreign import check_tables, main_tables
from evalsql.warehouse.inspection import (
    UNREADABLE,
    Inspection,
    changed_words,
    foreign_words,
    inspect,
    inspect_others,
    older_words,
    refuse_shadowing,
)
from evalsql.warehouse.own_measures import Sources, as_sources, read_sources, warn_of_own, with_added
from evalsql.warehouse.remembered import recalled, remember
from evalsql.warehouse.schema import (
    OBJECTS,
    SCHEMA_VERSION,
    add_temporary_relations,
    apply,
    make,
    read_from,
    rebuild,
)
from evalsql.warehouse.template import SHIPPED, cached

if TYPE_CHECKING:
    import duckdb

DEFAULT_PATH = "evalsql.duckdb"
PATH_VARIABLE = "EVALSQL_DB"
WAIT = 3.0  # seconds
_T = TypeVar("_T")
# Files that this process has open for writing, or had: the engine lets nobody inspect them meanwhile.
_WRITTEN_HERE: dict[str, Inspection] = {}
_VERSION = "select schema_version::integer, evalsql_version::varchar, sql_digest::varchar from main.warehouse"


class Reach(NamedTuple):
    """The files beside the warehouse that the engine may use, by themselves or by a folder above them."""

    files: Sequence[str] = ()
    folders: Sequence[str] = ()


def default_path() -> str:
    """Where the warehouse is when nobody says: ``EVALSQL_DB``, else ``evalsql.duckdb`` in this folder."""
    return os.environ.get(PATH_VARIABLE) or DEFAULT_PATH


def open_database(
    path: str,
    *,
    read_only: bool = False,
    measures: Sources = (),
    memory_limit: str | None = None,
    wait: float = WAIT,
    progress: Progress = silent,
    asked: Sequence[str] = (),
    reach: Reach | None = None,
    external_access: bool | None = None,
) -> Database:
    """Open the database of a warehouse; other arguments and errors are those of ``entry.open``.

    Args:
        asked: measures that alone will be asked for; what others need may then be missing. By default all.
        reach: what the engine may use beside this file, from before anything in it is evaluated; by default all.
        external_access: without a reach, whether the engine may use all files; by default where the file defines
            nothing but evalsql's own relations.
    """
    given = as_sources(measures)
    temporary = read_sources(given)
    limit = None if memory_limit is None else engines_share(memory_limit)
    is_new = _check_path(path, read_only=read_only)
    if temporary:
        read_catalog().extended(temporary)  # names that are taken, before there is a file
    preparing = Thread(target=_prepare, args=(read_only,))
    preparing.start()
    inspection = Inspection() if is_new else inspected(path, partial(connect_waiting, path, True, wait, progress))
    if reach is None and not _may_reach_all(path, inspection, external_access):
        reach = Reach()
    connection = connect_waiting(path, read_only, wait, progress)
    preparing.join()
    database = Database(connection, read_catalog(), path=path, read_only=read_only)
    try:
        is_common = _are_common(asked, temporary)
        is_remade = _make_ready(database, inspection, reach, progress, memory=limit, is_common=is_common)
        if is_remade and reach is None:
            # The engine was shut in to remake them, and stays so as long as this connection is open.
            database.close()
            return open_database(
                path,
                measures=given,
                memory_limit=memory_limit,
                wait=wait,
                progress=progress,
                external_access=external_access,
            )
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


def _are_common(asked: Sequence[str], temporary: Sequence[Relation]) -> bool:
    """Whether measures are asked for, all of the view ``scores``, which a smaller warehouse has."""
    named = parse_measures(asked, read_catalog().extended(temporary))
    return bool(named) and not temporary and all(each.relation.header.in_scores for each in named)


def _make_ready(
    database: Database,
    inspection: Inspection,
    reach: Reach | None,
    progress: Progress,
    *,
    memory: str | None,
    is_common: bool,
) -> bool:
    """Limit the memory, and have what a warehouse has; whether the views and macros of a file were made anew."""
    if memory is not None:
        limit_memory(database, memory)
    is_remade = _fill_or_update(database, inspection, reach, progress, common=is_common)
    if not database.read_only and database.path != MEMORY:
        digest = read_catalog().digest
        _WRITTEN_HERE[os.path.realpath(database.path)] = Inspection(foreign=inspection.foreign, sql_digest=digest)
        database.at_close(partial(remember, database.path, inspection.foreign, digest))
    return is_remade


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


def _may_reach_all(path: str, inspection: Inspection, external_access: bool | None) -> bool:
    """Whether the engine may use all files; where nobody says, not if the file defines relations of others."""
    if external_access is not None:
        return external_access
    if inspection.foreign:
        warn(foreign_words(path, inspection.foreign))
    return not inspection.foreign


def _fill_or_update(
    database: Database, inspection: Inspection, reach: Reach | None, progress: Progress, *, common: bool
) -> bool:
    """Fill a new database, or bring a warehouse up to date; whether the views and macros of a file were made anew."""
    if _is_empty(database):
        _fill(database, progress, common=common)
        if reach is not None:
            database.shut_in(reach.files, reach.folders)
        return False
    source = None
    if inspection.is_to_be_remade(database.catalog.digest):
        source = _from_template(partial(attach_relations, database), database.catalog, progress, common=False)
    if reach is not None:
        database.shut_in(reach.files, reach.folders)
    return _bring_up_to_date(database, progress, inspection, source)


def inspected(path: str, connect: Callable[[], duckdb.DuckDBPyConnection]) -> Inspection:
    """How the file's definitions differ from this version's: remembered, or found by a connection of its own.

    That connection only reads, and reaches no other file.
    """
    remembered = recalled(path)
    if remembered is not None:
        return Inspection(foreign=remembered.foreign, sql_digest=remembered.sql_digest)
    with scratch_folder() as folder:
        try:
            connection = connect()
        except WarehouseError as error:
            message = str(error.__cause__)
            if file_errors.is_lock(message):
                raise
            known = _WRITTEN_HERE.get(os.path.realpath(path)) if file_errors.is_open_here(message) else None
            return known or UNREADABLE
        with closing(Database(connection, read_catalog(), path=path, read_only=True)) as database:
            found = _inspected(database, folder)
    if not found.changed and not found.shadowing:
        remember(path, found.foreign, found.sql_digest)
    return found


def _inspected(database: Database, folder: str) -> Inspection:
    """The inspection of an open file; of what is no warehouse it is UNREADABLE, and opening it says why."""
    database.shut_in(folders=[folder])
    tables = main_tables(database)
    try:
        schema_version, _, digest = _version(database, tables)
        if schema_version > SCHEMA_VERSION:
            return UNREADABLE
        if schema_version == SCHEMA_VERSION:
            check_tables(database, tables, is_current=True)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", InputWarning)
                database.catalog = with_added(database)
    except (EvalsqlError, ValueError):
        return UNREADABLE
    if digest != database.catalog.digest:
        return inspect_others(database, folder)
    makes = [partial(_remade, database.catalog, is_copied=True)]
    if SHIPPED.exists():  # made by the engine of whoever built the package
        makes.append(partial(_remade, database.catalog, is_copied=False))
    return replace(inspect(database, folder, makes), sql_digest=read_catalog().digest)


def _remade(catalog: Catalog, folder: str, *, is_copied: bool) -> Database:
    """An empty warehouse with a user's own relations, as ``remake_own`` puts them into a file.

    It is read from its file again: types in a body are written down otherwise from then on.
    """
    path = os.path.join(folder, "made.duckdb")
    with closing(Database(connect(path, False), read_catalog(), path=path, read_only=False)) as database:
        if is_copied:
            _fill(database, silent)
        else:
            make(database, silent, common=False)
        if catalog.own:
            apply(database, ddl.own_statements(catalog, catalog.own))
    return Database(connect(path, True), read_catalog(), path=path, read_only=True)


def _is_empty(database: Database) -> bool:
    """Whether there is nothing in it yet and something can be put there."""
    if database.path == MEMORY:
        return True
    # To ask for all objects takes as long as the rest of opening a warehouse that is there.
    return not database.read_only and not main_tables(database) and not database.rows(OBJECTS)


def _bring_up_to_date(database: Database, progress: Progress, inspection: Inspection, source: str | None) -> bool:
    """Check what the file is, and remake its views and macros if they are not this version's; whether that was done.

    If they are remade, the engine reaches no other file from then on.

    Args:
        source: an attached database that has this version's views and macros and nothing else.
    """
    path = database.path
    tables = main_tables(database)
    schema_version, made_by, digest = _version(database, tables)
    if schema_version > SCHEMA_VERSION:
        raise WarehouseError(f"{path}: was made by evalsql {made_by}, which is newer; upgrade this program")
    check_tables(database, tables, is_current=schema_version == SCHEMA_VERSION)
    if schema_version == SCHEMA_VERSION:
        database.catalog = with_added(database)
    if inspection.shadowing:
        refuse_shadowing(path, inspection.shadowing)
    if digest == database.catalog.digest:
        if not inspection.changed:
            detach(database, source)
            return False
        warn(changed_words(path, inspection.changed, database.read_only))
    if database.read_only and schema_version < SCHEMA_VERSION:
        raise WarehouseError(
            f"{path}: was made by evalsql {made_by}, whose tables were others; evalsql sql --write 'select 1' brings "
            "them up to date"
        )
    if database.read_only:
        if not inspection.changed:
            warn(older_words(path, made_by))
        read_from(database, source, progress)
        return False
    from evalsql.warehouse.migrate import upgrade

    database.shut_in()
    with database.transaction():
        upgrade(database, schema_version)
        rebuild(database, progress, source=source)
        warn_of_own(database)
    detach(database, source)
    return True


def _version(database: Database, tables: Collection[str]) -> tuple[int, str, str]:
    """Versions of the schema and of the program that made the file, and the digest of its SQL."""
    try:
        # What has the name may be a view of anything.
        versions = database.rows(_VERSION) if "warehouse" in tables else []
        ((schema_version, made_by, digest),) = versions
    except (QueryError, ValueError) as error:
        if remedy := _remedy(database):
            raise WarehouseError(UNFINISHED.format(path=database.path, remedy=remedy)) from error
        raise WarehouseError(f"{database.path}: is a DuckDB file but not an evalsql warehouse") from error
    return schema_version, made_by, digest


def _remedy(database: Database) -> str:
    """How to remake a file that was never finished; empty for a file of another program."""
    held = database.rows(OBJECTS)
    if not held:
        return "evalsql load"
    names = {name for _, name, _ in held}
    if names == {"warehouse"} or not names <= {*database.catalog.relations}:  # others have a table of that name too
        return ""
    tables = {*main_tables(database)} - {"measures", "relations"}
    has_data = any(database.rows(f"select 1 from main.{quoted(name)} limit 1") for name in tables)
    return "" if has_data else "delete it, then evalsql load"


def make_template(path: Path, progress: Progress = silent, *, common: bool = False) -> None:
    """Make the file of an empty warehouse, for others to be copied from."""
    template = Database(connect(str(path), False), read_catalog(), path=str(path), read_only=False)
    with closing(template):
        make(template, progress, common=common)


def _fill(database: Database, progress: Progress, *, common: bool = False) -> None:
    """Fill a new database: copied from an empty one if there is one or a place to keep one."""
    if not _from_template(partial(copy_warehouse, database), database.catalog, progress, common=common):
        make(database, progress, common=common)


def _from_template(copy: Callable[[Path], _T], catalog: Catalog, progress: Progress, *, common: bool) -> _T | None:
    """What is copied from the template that comes with the package, or from that in the cache, if either is good."""
    if not common and (copied := copy(SHIPPED)):
        return copied
    make_one = partial(make_template, progress=progress, common=common)
    path = cached(f"{catalog.digest[:20]}{'-common' if common else ''}", make_one)
    if path is None:
        return None
    copied = copy(path)
    if not copied:
        with suppress(OSError):
            path.unlink()
    return copied
