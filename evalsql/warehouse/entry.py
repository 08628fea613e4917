"""The ways to open a warehouse: to work with it, shut in because it may be a stranger's, in memory to ask it once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict, Unpack

from evalsql.catalog.measure_names import parse_measures
from evalsql.database.database import MEMORY
from evalsql.database.quack import is_address
from evalsql.progress import Progress, silent
from evalsql.warehouse.opening import WAIT, Reach, default_path, open_database
from evalsql.warehouse.own_measures import Sources
from evalsql.warehouse.warehouse import Warehouse


class _Options(TypedDict, total=False):
    """What files and servers are opened with; see ``open``."""

    read_only: bool
    measures: Sources
    memory_limit: str | None
    progress: Progress


def open(
    path: str | Path | None = None,
    *,
    read_only: bool = False,
    measures: Sources = (),
    memory_limit: str | None = None,
    wait: float = WAIT,
    progress: Progress = silent,
    external_access: bool | None = None,
    token: str | None = None,
) -> Warehouse:
    """Open a warehouse, making the file if there is none.

    Args:
        path: the file; by default ``EVALSQL_DB``, else ``./evalsql.duckdb``. ":memory:" keeps it in memory,
            "quack:HOST:PORT" is one that ``evalsql serve`` holds.
        read_only: leave the file as it is; views of an older version are then replaced for this connection only.
        measures: relation files, or folders of them, to have beside those of the file while it is open.
        memory_limit: how much memory the process may take, such as "1GB" or "512MiB"; by default most of what the
            machine has. The engine gets three fifths of it, the rest being for what it does not count and for
            Python. What does not fit goes to disk meanwhile: of a file into the folder ``<file>.tmp``, of a
            warehouse in memory or open for reading only into a temporary folder, which is removed at close.
        wait: for how many seconds to try again while another process has the file locked.
        progress: called with (stage, done, total) while views are made, which takes seconds where the user's cache
            has none to copy.
        external_access: whether SQL may read and write other files and load extensions. By default it may where the
            file defines nothing but evalsql's own relations; a warning says so where it defines others.
        token: what a server knows the client by; by default ``EVALSQL_TOKEN``.

    Raises:
        UsageError: the limit is no size.
        WarehouseError: the file cannot be opened, is locked, is no warehouse, or was made by a newer version.
        CatalogError: a relation does not hold to the contract; the message names file and line.
    """
    return _open(
        path,
        wait=wait,
        external_access=external_access,
        token=token,
        read_only=read_only,
        measures=measures,
        memory_limit=memory_limit,
        progress=progress,
    )


def open_shut_in(
    path: str | Path | None = None,
    *,
    files: Sequence[str] = (),
    folders: Sequence[str] = (),
    wait: float = WAIT,
    token: str | None = None,
    **options: Unpack[_Options],
) -> Warehouse:
    """Open a warehouse that may come from a stranger, as ``open`` does: nothing in it reaches another file.

    Args:
        files, folders: what the engine may use nevertheless; it reads what is to be loaded.
    """
    return _open(path, wait=wait, reach=Reach(files, folders), token=token, **options)


def _open(
    path: str | Path | None,
    *,
    wait: float,
    external_access: bool | None = None,
    reach: Reach | None = None,
    token: str | None,
    **options: Unpack[_Options],
) -> Warehouse:
    """Open a file, or the warehouse that a server holds; a server has its own rules for what SQL may reach."""
    place = str(path or default_path())
    if is_address(place):
        from evalsql.warehouse.remote import open_remote

        return Warehouse(open_remote(place, token=token, **options))
    return Warehouse(open_database(place, wait=wait, external_access=external_access, reach=reach, **options))


def open_to_ask(
    asked: Sequence[str],
    *,
    measures: Sources = (),
    memory_limit: str | None = None,
    threads: int | None = None,
    progress: Progress = silent,
) -> Warehouse:
    """Open a warehouse in memory to ask for certain measures only, of runs that are loaded after judgments.

    For common measures it opens in a quarter of the time, and for most it stores no documents without judgments.

    Arguments and errors are those of ``open``; UsageError also for measures that are not known.

    Args:
        threads: how many the engine takes; by default one a core.
    """
    database = open_database(MEMORY, measures=measures, memory_limit=memory_limit, progress=progress, asked=asked)
    if threads is not None:
        database.execute(f"set threads = {threads}")
    relations = [measure.relation for measure in parse_measures(asked, database.catalog)]
    return Warehouse(database, keeps_unjudged=database.catalog.reads_unjudged(relations))
