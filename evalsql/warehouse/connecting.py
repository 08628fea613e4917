"""Connects to database files, which another process may have locked, and attaches this version's views and macros.

These are asked instead of those in a file. To make them takes the engine seconds, so that they are kept made: in the
package, or else in the user's cache.
"""

from __future__ import annotations

import os
import re
import threading
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import platformdirs

from evalsql.catalog import PACKAGE, ddl, queries
from evalsql.catalog.relations import STEPS, Catalog, read_catalog
from evalsql.database import disk, engine
from evalsql.database.database import MEMORY, Database
from evalsql.errors import EvalsqlError, UsageError, WarehouseError
from evalsql.literals import literal
from evalsql.phrases import Progress, silent
from evalsql.warehouse.file_checks import ATTACHED
from evalsql.warehouse.schema import apply, create_tables

if TYPE_CHECKING:
    import duckdb

STORAGE_VERSION = "v1.5.0"  # read by DuckDB 1.5 and 2.0, and it holds typed macro parameters
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]i?B)\s*", re.IGNORECASE)
_ENGINES_SHARE = 0.6  # with 1 GB and a hundred million rows Python and the engine's uncounted memory need the rest
_PAUSE = 0.1  # seconds between two attempts to open a file that is locked
_LOGS = (".wal", ".wal.checkpoint", ".wal.recovery")
_OPENING = threading.Lock()  # a file is open in one way at a time
# How the engine begins where this process has the file open, and so has read its log; a name in a log may say so too.
_OPEN_HERE = "Connection Error: Can't open a connection to same database file with a different configuration"
_KEPT = 4  # files of relations in the user's cache


def size_in_bytes(size: str) -> int:
    """The bytes of a text such as 1GB or 512MiB; raises UsageError for one that is no size."""
    match = _SIZE.fullmatch(str(size))
    if match is None or not float(match[1]):
        raise UsageError(f'"{size}" is not a size of memory; give a number with its unit, such as 1GB or 512MiB')
    unit = match[2].upper()
    return int(float(match[1]) * (1024 if "I" in unit else 1000) ** (" KMGT".index(unit[0])))


def limit_memory(database: Database, size: int) -> None:
    """Give the engine its share of so many bytes; what does not fit goes to disk."""
    database.execute(f"set memory_limit = '{int(_ENGINES_SHARE * size)}B'")


def real_path(path: str) -> str:
    """The file that a path means, in full: the engine would take ``~``, ``s3:`` or ``:memory:x`` for something else."""
    return path if path == MEMORY else os.path.realpath(os.path.expanduser(path))


def log_of(file: str, end: str = ".wal") -> str:
    """The log of a real path; the engine puts the end of its name before the first question mark."""
    start, mark, rest = file.partition("?")
    return f"{start}{end}{mark}{rest}"


def logs_beside(file: str) -> list[str]:
    """The logs that the engine would read, or write to."""
    return [log for end in _LOGS if file != MEMORY and os.path.lexists(log := log_of(file, end))]


def connect(
    path: str, read_only: bool = False, wait: float = 0, progress: Progress = silent
) -> duckdb.DuckDBPyConnection:
    """Connect to a file, or make it; try again for some seconds while another process has it open."""
    deadline, file = time.monotonic() + wait, real_path(path)
    while True:
        try:
            with engine.held_back():  # the engine says of a Ctrl-C here that a query was interrupted
                return _connection(file, read_only)
        except engine.Error as error:
            left = deadline - time.monotonic()
            if not disk.is_lock(str(error)) or left <= 0:
                raise WarehouseError(_reason(path, str(error), read_only, wait)) from error
            progress(f"waiting for {disk.lock_holder(str(error))}", 0, 1)
        time.sleep(min(_PAUSE, left))


def _connection(file: str, read_only: bool) -> duckdb.DuckDBPyConnection:
    """A connection to the file at a real path, without a progress bar."""
    settings = {**engine.SETTINGS, "storage_compatibility_version": STORAGE_VERSION}
    settings["temp_directory"] = disk.place_to_spill(None if file == MEMORY else file, beside=not read_only)
    with _OPENING:
        _try_log(file, read_only, settings)
        connection = engine.connect(file, read_only=read_only, config=settings)
    try:
        connection.execute("set enable_progress_bar = false")
    except engine.Error:  # in a notebook without ipywidgets the engine draws none, and refuses the setting
        bar = connection.execute("select system.main.current_setting('enable_progress_bar')").fetchall()
        if bar != [(False,)]:
            raise
    return connection


def _try_log(file: str, read_only: bool, settings: dict[str, Any]) -> None:
    """Have the engine read a log beside the file while it reaches no other files, which the log may call for."""
    if logs_beside(file):
        try:
            engine.connect(file, read_only=read_only, config={**settings, "enable_external_access": False}).close()
        except engine.Error as error:
            if not str(error).startswith(_OPEN_HERE):
                raise


def _reason(path: str, message: str, read_only: bool, waited: float) -> str:
    if disk.is_lock(message):
        server = "; a server is asked by --db quack:HOST:PORT" if Path(f"{path}.token").exists() else ""
        how = f"is locked: {disk.lock_holder(message)} has it open" + (" for writing" if read_only else "")
        return (
            f"{path}: {how}, still after {max(waited, 0):g} seconds. Try again later, wait longer (--wait SECONDS, "
            f"wait= in Python), or use a copy that was made while nobody wrote{server}"
        )
    if told := disk.file_error(path, message) or disk.fault_at_start(path):
        return told
    log, advice = log_of(real_path(path)), ""
    if "?" in log and os.path.exists(log):
        there = f"as w.duckdb, and its log {log} to w.duckdb.wal there"
        advice = f"; move the file to a path without a question mark, {there}"
    return f"{path}: cannot be opened: {message.splitlines()[0]}{advice}"


# This version's views and macros


def attach_relations(database: Database, progress: Progress, *, few: bool = False) -> None:
    """Attach the package's views and macros, without tables, and have them asked first; few take 30 ms less."""
    file, name = database.name, f"{ATTACHED}_few" if few else ATTACHED
    # DuckDB 2.0 can wait for ever in "attach if not exists": it takes a closed database for one at the same address.
    if not database.rows(f"select 1 from system.main.duckdb_databases() where database_name = '{name}'"):
        path = relations_file(progress, few=few)
        if path is None or not _attach(database, path, name):
            _make_relations(database, name, progress, few=few)
    database.ask_first(file, name)


def _attach(database: Database, path: Path, name: str) -> bool:
    try:
        database.execute(f"attach {literal(str(path))} as {name} (read_only)")
    except EvalsqlError as error:
        if "already exists" in str(error):  # another thread has opened the same file
            return True
        with suppress(OSError):  # damaged
            path.unlink()
        return False
    return True


def _make_relations(database: Database, name: str, progress: Progress, *, few: bool = False) -> None:
    """Make the package's views and macros in a new database in memory that is attached by this name."""
    catalog = read_catalog()
    tables = list(catalog.of_kind("tables"))
    database.execute(f"attach ':memory:' as {name} (read_write)")
    database.execute(f"set search_path = '{name}.main'")
    create_tables(database, tables)
    database.execute(f"create schema {STEPS}")
    apply(database, ddl.statements(catalog, ddl.order(catalog, few=few)), progress)
    for table in tables:
        database.execute(f"drop table {table.name}")


def make_file(path: Path, progress: Progress = silent, *, few: bool = False) -> None:
    with closing(Database(connect(MEMORY), read_catalog(), path=MEMORY, read_only=False)) as scratch:
        _make_relations(scratch, "made", progress, few=few)
        scratch.execute(f"attach {literal(str(path))} as file (storage_version {literal(STORAGE_VERSION)})")
        scratch.execute("copy from database made to file (schema)")


def shipped(catalog: Catalog) -> Path:
    """Where a wheel has the file of its views and macros; a checkout has none."""
    return PACKAGE / f"relations-{catalog.digest[:20]}.duckdb"


def relations_file(progress: Progress, *, few: bool = False) -> Path | None:
    """The file with these relations, made where it is missing; None where there is no place to keep it."""
    catalog = read_catalog()
    if shipped(catalog).exists() and not few:
        return shipped(catalog)
    folder = Path(platformdirs.user_cache_path("evalsql", appauthor=False))
    path = folder / f"relations-{catalog.digest[:20]}{'-few' if few else ''}-duckdb-{engine.__version__}.duckdb"
    # What writes them may be newer than the file, in a checkout.
    written_by = [Path(str(each.__file__)).stat().st_mtime for each in (ddl, queries)]
    if path.exists() and path.stat().st_mtime >= max(written_by):
        return path
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with disk.whole_files(path, replace=True, one=True) as part:
            make_file(part / path.name, progress, few=few)
        with suppress(OSError):  # other processes may have them open, or remove them too
            files = sorted(filter(Path.exists, folder.glob("*.duckdb")), key=lambda each: each.stat().st_mtime)
            for old in files[:-_KEPT]:
                old.unlink()
    except (OSError, EvalsqlError):
        return relations_file(progress) if few else None
    return path
