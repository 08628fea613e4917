"""Opens warehouses: to work with them, and in memory to ask for certain measures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from evalsql.catalog.measure_names import parse_measures
from evalsql.database.database import MEMORY
from evalsql.phrases import Progress, silent
from evalsql.warehouse.open import WAIT, open_database
from evalsql.warehouse.own_measures import Sources
from evalsql.warehouse.warehouse import Warehouse


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
        read_only: leave the file as it is.
        measures: relation files, or folders of them, to have beside those of the file while it is open.
        memory_limit: how much memory the process may take, such as "1GB" or "512MiB"; by default most of what the
            machine has. The engine gets three fifths of it, the rest being for what it does not count and for
            Python. What does not fit goes to disk meanwhile: of a file into the folder ``<file>.tmp``, of a
            warehouse in memory or open for reading only into a temporary folder, which is removed at close.
        wait: for how many seconds to try again while another process has the file locked.
        progress: called with (stage, done, total) while views are made, which takes seconds where the user's cache
            has none to attach.
        external_access: whether SQL may read and write other files and load extensions. By default it may where the
            file defines nothing but evalsql's own relations; a warning says so where it defines others.
        token: what a server knows the client by; by default ``EVALSQL_TOKEN``.

    Raises:
        UsageError: the limit is no size.
        WarehouseError: the file cannot be opened, is locked, is no warehouse, or was made by a newer version.
        CatalogError: a relation does not hold to the contract; the message names file and line.
    """
    return Warehouse(
        open_database(
            path,
            read_only=read_only,
            measures=measures,
            memory_limit=memory_limit,
            wait=wait,
            progress=progress,
            external_access=external_access,
            token=token,
        )
    )


def open_to_ask(
    asked: Sequence[str],
    *,
    measures: Sources = (),
    memory_limit: str | None = None,
    threads: int | None = None,
    progress: Progress = silent,
) -> Warehouse:
    """Open a warehouse in memory to ask for certain measures only, of runs that are loaded after judgments.

    For most measures it stores no documents without judgments. UsageError for measures that are not known.
    """
    database = open_database(MEMORY, measures=measures, memory_limit=memory_limit, progress=progress, asked=asked)
    if threads is not None:
        database.execute(f"set threads = {threads}")
    relations = [measure.relation for measure in parse_measures(asked, database.catalog)]
    return Warehouse(database, keeps_unjudged=database.catalog.reads_unjudged(relations))
