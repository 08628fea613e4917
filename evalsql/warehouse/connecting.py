"""Connects to database files, which another process may have locked, and limits the engine's memory."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from evalsql.catalog.measure_names import literal
from evalsql.database import disk, engine
from evalsql.database.database import MEMORY, Database
from evalsql.errors import UsageError, WarehouseError
from evalsql.phrases import Progress, silent

if TYPE_CHECKING:
    import duckdb


STORAGE_VERSION = "v1.5.0"  # read by DuckDB 1.5 and 2.0, and it holds typed macro parameters
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]i?B)\s*", re.IGNORECASE)
_ENGINES_SHARE = 0.6  # with 1 GB and a hundred million rows Python and the engine's uncounted memory need the rest
_PAUSE = 0.1  # seconds between two attempts to open a file that is locked
_EMPTY_BYTES = 12288  # a database of the engine without anything in it: three headers
_MAGIC = b"DUCK"  # behind a checksum of eight bytes
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
        scratch = disk.new_scratch_folder()
        database.at_close.append(scratch.cleanup)
        database.execute(f"set temp_directory = {literal(scratch.name)}")


def connect(
    path: str, read_only: bool = False, wait: float = 0, progress: Progress = silent
) -> duckdb.DuckDBPyConnection:
    """Connect to a file, or make it; try again for some seconds while another process has it open."""
    deadline = time.monotonic() + wait
    while True:
        try:
            with engine.held_back():  # the engine says of a Ctrl-C here that a query was interrupted
                settings = {**engine.SETTINGS, "storage_compatibility_version": STORAGE_VERSION}
                connection = engine.connect(path, read_only=read_only, config=settings)
                try:  # no bar on standard output
                    connection.execute("set enable_progress_bar = false")
                except engine.Error:  # in a notebook without ipywidgets the engine draws none, and refuses the setting
                    bar = connection.execute("select system.main.current_setting('enable_progress_bar')").fetchall()
                    if bar != [(False,)]:
                        raise
                return connection
        except engine.Error as error:
            left = deadline - time.monotonic()
            if not disk.is_lock(str(error)) or left <= 0:
                raise WarehouseError(_reason(path, str(error), read_only, wait)) from error
            progress(f"waiting for {disk.lock_holder(str(error))}", 0, 1)
        time.sleep(min(_PAUSE, left))


def _reason(path: str, message: str, read_only: bool, waited: float) -> str:
    """Why a file cannot be opened, where the engine gives this message."""
    if disk.is_lock(message):
        how = f"is locked: {disk.lock_holder(message)} has it open" + (" for writing" if read_only else "")
        return (
            f"{path}: {how}, and was waited for {max(waited, 0):g} seconds. Try again when it is done, wait longer "
            "(--wait SECONDS, wait= in Python), or use a copy that was made while nobody wrote"
        )
    with suppress(OSError), Path(path).open("rb") as stream:
        start = stream.read(_EMPTY_BYTES)
        if len(start) < _EMPTY_BYTES and (not start or start[8:12] == _MAGIC):
            return UNFINISHED.format(path=path, remedy="delete it, then evalsql load")
    return disk.file_error(path, message) or f"{path}: cannot be opened: {message.splitlines()[0]}"
