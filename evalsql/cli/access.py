"""Which warehouse a command opens, and how: to read, to load into, in memory."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from evalsql.cli.output import note, progress_bar
from evalsql.database.database import MEMORY
from evalsql.database.interrupts import ignore_from_now_on
from evalsql.database.temporary_folders import scratch_folder
from evalsql.errors import ReachError, UsageError, WarehouseError
from evalsql.warehouse.entry import open, open_shut_in, open_to_ask
from evalsql.warehouse.opening import WAIT
from evalsql.warehouse.warehouse import Warehouse

MemoryLimit = Annotated[
    str | None,
    typer.Option(
        "--memory-limit",
        metavar="SIZE",
        help="Memory the engine may take, such as 1GB; what does not fit goes to disk.",
    ),
]


@dataclass(frozen=True)
class Where:
    """A warehouse file, which another process may have locked."""

    wait: Annotated[
        float,
        typer.Option("--wait", min=0, metavar="SECONDS", help="Try so long while another process has the file locked."),
    ] = WAIT
    db: Annotated[
        str | None,
        typer.Option(
            "--db", help="Warehouse file, or quack:HOST:PORT; else EVALSQL_DB, else ./evalsql.duckdb.", metavar="FILE"
        ),
    ] = None
    token_file: Annotated[
        Path | None,
        typer.Option("--token-file", metavar="FILE", help="Holds the token of a server; else EVALSQL_TOKEN is it."),
    ] = None

    @property
    def token(self) -> str | None:
        """What to show a server; None where no file is named."""
        if self.token_file is None:
            return None
        from evalsql.server.sessions import read_token

        return read_token(self.token_file)


@dataclass(frozen=True)
class WhereToAsk(Where):
    """A warehouse file, and scores elsewhere that are shown beside its own."""

    lake: Annotated[
        list[str] | None,
        typer.Option(
            "--lake",
            metavar="DIR",
            help="Scores to show as if they were loaded, such as what evalsql spark eval wrote; can be repeated.",
        ),
    ] = None


@contextmanager
def open_warehouse(
    where: Where,
    *,
    read_only: bool = False,
    measures: Sequence[str] | None = None,
    memory_limit: str | None = None,
    external: bool | None = None,
) -> Iterator[Warehouse]:
    """An open warehouse; what takes long to open shows progress.

    Args:
        external: whether the engine reaches other files, where the user's own SQL is run. Where none is, it does not,
            and what tries to is a view or macro of a stranger's.
    """
    opening = open if external or where.db == MEMORY else open_shut_in
    with progress_bar() as progress:
        warehouse = opening(
            where.db,
            read_only=read_only,
            measures=measures or (),
            memory_limit=memory_limit,
            wait=where.wait,
            progress=progress,
            token=where.token,
        )
    with warehouse, nullcontext() if external is not None else _reach_explained(warehouse.path):
        yield warehouse


def require_warehouse(where: Where) -> None:
    """Raise WarehouseError where there is no warehouse: opening one to write makes a missing file."""
    with open_warehouse(where, read_only=True):
        pass


@contextmanager
def open_existing(where: Where, *, read_only: bool = False, external: bool | None = None) -> Iterator[Warehouse]:
    """An open warehouse that was there before; none is made."""
    require_warehouse(where)
    with open_warehouse(where, read_only=read_only, external=external) as warehouse:
        yield warehouse


@contextmanager
def open_to_read(
    where: WhereToAsk, *, measures: Sequence[str] | None = None, memory_limit: str | None = None
) -> Iterator[Warehouse]:
    """An open warehouse that only answers, with the scores of ``--lake`` beside its own."""
    if not where.lake:
        with open_warehouse(where, read_only=True, measures=measures, memory_limit=memory_limit) as warehouse:
            yield warehouse
        return
    from evalsql.database.quack import is_address
    from evalsql.warehouse.lake import open_beside
    from evalsql.warehouse.opening import default_path

    if is_address(str(where.db or default_path())):
        raise UsageError("--lake shows scores beside a warehouse file, and a server holds this one; load them there")

    with ExitStack() as stack:
        with progress_bar() as progress:
            warehouse = stack.enter_context(
                open_beside(
                    where.lake,
                    where.db,
                    measures=measures or (),
                    memory_limit=memory_limit,
                    wait=where.wait,
                    progress=progress,
                )
            )
        stack.enter_context(_reach_explained(warehouse.path))
        yield warehouse


@contextmanager
def _reach_explained(path: str) -> Iterator[None]:
    try:
        yield
    except ReachError as error:
        words = str(error).splitlines()[0]
        raise WarehouseError(
            f"{path}: a view or macro in it reads another file, which those of evalsql do not ({words}); do not use "
            "this file; load its runs and judgments into a new one"
        ) from error


@contextmanager
def open_to_load(where: Where, patterns: Sequence[str] = (), *, memory_limit: str | None = None) -> Iterator[Warehouse]:
    """An open warehouse to load into once; the engine reads the files that patterns stand for, and temporary ones.

    Ctrl-C changes nothing, and from the commit on it does nothing more.
    """
    from evalsql.ingest.files.input_files import failures_named, files_reached

    before = tempfile.tempdir
    with failures_named(), scratch_folder() as folder, progress_bar() as progress:
        tempfile.tempdir = folder
        try:
            with (
                open_shut_in(
                    where.db,
                    memory_limit=memory_limit,
                    files=[file for pattern in patterns for file in files_reached(pattern)],
                    folders=[folder],
                    wait=where.wait,
                    progress=progress,
                    token=where.token,
                ) as warehouse,
                _reach_explained(warehouse.path),
            ):
                warehouse.database.after_commit = ignore_from_now_on
                yield warehouse
        except KeyboardInterrupt:
            note("evalsql: interrupted; nothing was loaded")
            raise
        finally:
            tempfile.tempdir = before


@contextmanager
def open_in_memory(
    names: Sequence[str], *, measures: Sequence[str] | None, memory_limit: str | None, threads: int | None
) -> Iterator[Warehouse]:
    """A warehouse in memory with these measures only."""
    with progress_bar() as progress:
        warehouse = open_to_ask(
            names, measures=measures or (), memory_limit=memory_limit, threads=threads, progress=progress
        )
    with warehouse:
        yield warehouse
