"""Connects to database files, and attaches this version's views and macros, which are asked instead of the file's.

To make these takes the engine seconds, so that they are kept made: in the package, or else in the user's cache.
"""

from __future__ import annotations

import os
import re
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from evalsql.catalog import PACKAGE, ddl
from evalsql.catalog.measure_names import literal
from evalsql.catalog.relations import STEPS, Catalog, read_catalog
from evalsql.database import disk, engine
from evalsql.database.database import MEMORY, Database
from evalsql.database.disk import new_scratch_folder, whole_files
from evalsql.database.engine import held_back
from evalsql.errors import EvalsqlError, UsageError, WarehouseError
from evalsql.phrases import Progress, silent
from evalsql.warehouse.schema import apply, create_tables

if TYPE_CHECKING:
    import duckdb


STORAGE_VERSION = "v1.5.0"  # read by DuckDB 1.5 and 2.0, and it holds typed macro parameters
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]i?B)\s*", re.IGNORECASE)
_ENGINES_SHARE = 0.6  # with 1 GB and a hundred million rows Python and the engine's uncounted memory need the rest
_PAUSE = 0.1  # seconds between two attempts to open a file that is locked
UNFINISHED = (
    "{path}: is an unfinished warehouse: the process that made it was stopped, and it holds no data; {remedy} makes "
    "it anew"
)


def engines_share(size: str) -> str:
    """The part of the process's memory that the engine gets; raises UsageError for a text that is no size."""
    match = _SIZE.fullmatch(str(size))
    if match is None or not float(match[1]):
        raise UsageError(f'"{size}" is no size of memory: expected a number with its unit, such as 1GB or 512MiB')
    return f"{_ENGINES_SHARE * float(match[1])}{match[2]}"


def limit_memory(database: Database, size: str) -> None:
    """Give the engine so much memory; the rest goes to disk, into a folder that is removed at close."""
    database.execute(f"set memory_limit = {literal(size)}")
    if database.path == MEMORY or database.read_only:
        scratch = new_scratch_folder()
        database.at_close(scratch.cleanup)
        database.execute(f"set temp_directory = {literal(scratch.name)}")


def connect_waiting(path: str, read_only: bool, wait: float, progress: Progress) -> duckdb.DuckDBPyConnection:
    """Connect to a file, and try again for some seconds while another process has it open."""
    deadline = time.monotonic() + wait
    while True:
        try:
            return connect(path, read_only)
        except WarehouseError as error:
            message = str(error.__cause__)
            if not disk.is_lock(message):
                raise
            left = deadline - time.monotonic()
            if not left > 0:
                words = disk.lock_error(path, message, read_only=read_only, waited=max(wait, 0))
                raise WarehouseError(words) from error
            progress(f"waiting for {disk.lock_holder(message)}", 0, 1)
            time.sleep(min(_PAUSE, left))


def connect(path: str, read_only: bool) -> duckdb.DuckDBPyConnection:
    """Connect to a file, or make it.

    Raises:
        WarehouseError: it cannot be opened; the cause is the engine's error, which tells whether it is locked.
    """
    try:
        with held_back():  # the engine says of a Ctrl-C here that a query was interrupted
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
            _draw_no_bar(connection)
    except engine.Error as error:
        if disk.is_cut_short(path):
            raise WarehouseError(UNFINISHED.format(path=path, remedy="delete it, then evalsql load")) from error
        words = disk.file_error(path, str(error)) or f"{path}: cannot be opened: {str(error).splitlines()[0]}"
        raise WarehouseError(words) from error
    return connection


def _draw_no_bar(connection: duckdb.DuckDBPyConnection) -> None:
    """Keep the engine from drawing a bar on standard output."""
    try:
        connection.execute("set enable_progress_bar = false")
    except engine.Error:
        # In a notebook without ipywidgets it draws none, and refuses to be told so.
        if connection.execute("select system.main.current_setting('enable_progress_bar')").fetchall() != [(False,)]:
            raise


_KEPT = 4
# The same for the whole process, so that a file that is opened again finds them attached. No file is called so.
_SECRET = os.urandom(8).hex()


def attach_relations(database: Database, progress: Progress, *, common: bool) -> str:
    """Attach the package's views and macros, without tables, and have them asked first.

    Args:
        common: only the common measures and what they read, which takes a tenth of the time.

    Returns:
        The name of the attached database.
    """
    file, name = database.name, f"{'common' if common else 'relations'}_{_SECRET}"
    path = _made(common=common, progress=progress)
    if path is None or not _attach(database, path, name):
        make_relations(database, name, progress, common=common)
    database.ask_first(file, name)
    return name


def _attach(database: Database, path: Path, name: str) -> bool:
    try:
        database.execute(f"attach if not exists {literal(str(path))} as {name} (read_only)")
    except EvalsqlError:  # damaged
        with suppress(OSError):
            path.unlink()
        return False
    return True


def make_relations(database: Database, name: str, progress: Progress, *, common: bool) -> None:
    """Make the package's views and macros in a new database in memory that is attached by this name."""
    catalog = read_catalog()
    tables = list(catalog.of_kind("tables"))
    database.execute(f"attach ':memory:' as {name} (read_write)")
    database.execute(f"set search_path = '{name}.main'")
    create_tables(database, tables)
    database.execute(f"create schema {STEPS}")
    apply(database, ddl.statements(catalog, ddl.order(catalog, common=common)), progress)
    for table in tables:
        database.execute(f"drop table {table.name}")


def make_file(path: Path, progress: Progress = silent, *, common: bool = False) -> None:
    """Make a file with the package's views and macros and nothing else."""
    scratch = Database(connect(MEMORY, False), read_catalog(), path=MEMORY, read_only=False)
    with closing(scratch):
        make_relations(scratch, "made", progress, common=common)
        scratch.execute(f"attach {literal(str(path))} as file (storage_version {literal(STORAGE_VERSION)})")
        scratch.execute("copy from database made to file (schema)")


def shipped(catalog: Catalog) -> Path:
    """Where a wheel has the file of its views and macros; a checkout has none."""
    return PACKAGE / f"relations-{catalog.digest[:20]}.duckdb"


def _made(*, common: bool, progress: Progress) -> Path | None:
    """The file with these relations, made where it is missing; None where there is no place to keep it."""
    catalog = read_catalog()
    if not common and shipped(catalog).exists():
        return shipped(catalog)
    folder = Path(platformdirs.user_cache_path("evalsql", appauthor=False))
    kind = "common" if common else "relations"
    path = folder / f"{kind}-{catalog.digest[:20]}-duckdb-{engine.__version__}.duckdb"
    if path.exists():
        return path
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with whole_files(path, replace=True, one=True) as part:
            make_file(part / path.name, progress, common=common)
        _keep_newest(folder)
    except (OSError, EvalsqlError):
        return None
    return path


def _keep_newest(folder: Path) -> None:
    for path in sorted(folder.glob("*.duckdb"), key=_time_made, reverse=True)[_KEPT:]:
        with suppress(OSError):  # another process has it open, or took it away
            path.unlink()


def _time_made(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # another process took it away
        return 0.0
