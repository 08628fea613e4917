"""Opens warehouse files: makes new ones, brings older ones up to date, and says what is wrong with others."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Sequence
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from evalsql.catalog import ddl
from evalsql.catalog.names import literal, parse_measures, quoted
from evalsql.catalog.relations import read_catalog
from evalsql.database import engine
from evalsql.database.database import Database
from evalsql.errors import QueryError, UsageError, WarehouseError
from evalsql.progress import Progress, silent
from evalsql.warehouse.contract import warn_of_own
from evalsql.warehouse.schema import (
    MEMORY,
    OBJECTS,
    SCHEMA_VERSION,
    STORAGE_VERSION,
    apply,
    borrow,
    make,
    rebuild,
    write_version,
)
from evalsql.warehouse.template import SHIPPED, cached
from evalsql.warehouse.user_measures import Sources, read_sources, with_added

if TYPE_CHECKING:
    import duckdb

_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]i?B)\s*", re.IGNORECASE)
_ENGINES_SHARE = 0.6  # at 1 GB and a hundred million rows the rest takes the other 0.4
DEFAULT_PATH = "evalsql.duckdb"
PATH_VARIABLE = "EVALSQL_DB"


def default_path() -> str:
    """Where the warehouse is when nobody says: ``EVALSQL_DB``, else ``evalsql.duckdb`` in this folder."""
    return os.environ.get(PATH_VARIABLE) or DEFAULT_PATH


def open_database(
    path: str,
    *,
    read_only: bool = False,
    measures: Sources = (),
    memory_limit: str | None = None,
    progress: Progress = silent,
    asked: Sequence[str] = (),
) -> Database:
    """Open the database of a warehouse, as ``open`` says; with ``asked`` only what these measures need is there."""
    borrowed, limit = read_sources(measures), _size(memory_limit)
    is_new = path == MEMORY or not Path(path).exists()
    if read_only and is_new and path != MEMORY:
        raise WarehouseError(
            f"{path}: no such file; evalsql load makes one, or name another with --db or {PATH_VARIABLE}"
        )
    if borrowed:
        read_catalog().extended(borrowed)  # names that are taken, before there is a file
    reading = Thread(target=read_catalog)  # takes as long as the engine's start, and is done once a process
    reading.start()
    connection = _connect(path, read_only)
    reading.join()
    database = Database(connection, read_catalog(), path=path, read_only=read_only)
    try:
        named = parse_measures(asked, read_catalog().extended(borrowed))
        is_common = bool(named) and not borrowed and all(each.relation.header.in_scores for each in named)
        if limit is not None:
            _limit(database, limit)
        if path == MEMORY:
            _fill(database, progress, common=is_common)
        else:
            _bring_up_to_date(database, is_new, progress)
        if own := [relation for relation in borrowed if not database.catalog.has(relation)]:
            borrow(database, own)
    except BaseException:
        database.close()
        raise
    return database


def _size(text: str | None) -> str | None:
    """The engine's share of a size of memory; raises UsageError for what is none."""
    if text is None:
        return None
    match = _SIZE.fullmatch(text)
    if match is None or not float(match[1]):
        raise UsageError(f'"{text}" is no size of memory: expected a number with its unit, such as 1GB or 512MiB')
    return f"{_ENGINES_SHARE * float(match[1])}{match[2]}"


def _limit(database: Database, size: str) -> None:
    database.execute(f"set memory_limit = {literal(size)}")
    if database.path == MEMORY or database.read_only:
        scratch = tempfile.TemporaryDirectory(prefix="evalsql-")
        database.at_close(scratch.cleanup)
        database.execute(f"set temp_directory = {literal(scratch.name)}")


def _connect(path: str, read_only: bool) -> duckdb.DuckDBPyConnection:
    try:
        connection = engine.connect(
            path,
            read_only=read_only,
            config={
                "storage_compatibility_version": STORAGE_VERSION,
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
                "python_enable_replacements": False,
            },
        )
        # The engine would draw its bar on standard output.
        connection.execute("set enable_progress_bar = false")
    except engine.Error as error:
        raise WarehouseError(f"{path}: cannot be opened: {str(error).splitlines()[0]}") from error
    return connection


def _bring_up_to_date(database: Database, is_new: bool, progress: Progress) -> None:
    path = database.path
    # To ask for all objects takes as long as the rest of opening a warehouse that is there.
    if is_new and not database.read_only and not database.rows("from duckdb_tables() limit 1"):
        _fill(database, progress)
        return
    try:
        ((schema_version, made_by, digest),) = database.rows(
            "select schema_version::integer, evalsql_version::varchar, sql_digest::varchar from main.warehouse"
        )
    except (QueryError, ValueError) as error:
        if not database.read_only and not database.rows(OBJECTS):
            _fill(database, progress)
            return
        raise WarehouseError(f"{path}: is a DuckDB file but not an evalsql warehouse") from error
    if schema_version > SCHEMA_VERSION:
        raise WarehouseError(f"{path}: was made by evalsql {made_by}, which is newer; upgrade this program")
    if schema_version == SCHEMA_VERSION:
        database.catalog = with_added(database)
    if digest == database.catalog.digest:
        return
    if database.read_only and schema_version < SCHEMA_VERSION:
        raise WarehouseError(
            f"{path}: was made by evalsql {made_by}, whose tables were others; evalsql sql --write 'select 1' brings "
            "them up to date"
        )
    if database.read_only:
        database.catalog = database.catalog.for_connection(database.catalog.relations)
        apply(database, ddl.statements(database.catalog, ddl.order(database.catalog), temporary=True), progress)
    else:
        from evalsql.warehouse.migrations import upgrade

        with database.transaction():
            upgrade(database, schema_version)
            rebuild(database, progress)
            warn_of_own(database)


def make_template(path: Path, progress: Progress = silent, *, common: bool = False) -> None:
    """Make the file of an empty warehouse, for others to be copied from."""
    template = Database(_connect(str(path), False), read_catalog(), path=str(path), read_only=False)
    with closing(template):
        make(template, progress, common=common)


def _fill(database: Database, progress: Progress, *, common: bool = False) -> None:
    """Fill a new database: copied from an empty one if there is one or a place to keep one."""
    if not common and _copied(database, SHIPPED):
        return
    make_one = partial(make_template, progress=progress, common=common)
    path = cached(f"{database.catalog.digest[:20]}{'-common' if common else ''}", make_one)
    if path is not None:
        if _copied(database, path):
            return
        with suppress(OSError):
            path.unlink()
    make(database, progress, common=common)


def _copied(database: Database, path: Path) -> bool:
    """Fill a new database from an empty one of this version, whole or not at all."""
    if not path.exists():
        return False
    ((name,),) = database.rows("select current_database()")
    try:
        database.execute(f"attach {literal(str(path))} as evalsql_template (read_only)")
        digests = database.rows("select sql_digest from evalsql_template.main.warehouse")
        is_whole = digests == [(database.catalog.digest,)]
        if is_whole:
            with database.transaction():
                # To copy the rows of all tables, empty ones too, takes three times as long.
                database.execute(f"copy from database evalsql_template to {quoted(name)} (schema)")
                for table in ("measures", "relations"):
                    database.execute(f"insert into {table} from evalsql_template.main.{table}")
                write_version(database)
    except QueryError:
        is_whole = False
    database.execute("detach database if exists evalsql_template")
    return is_whole
