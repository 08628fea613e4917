"""``evalsql serve``: a warehouse for several clients at once."""

from __future__ import annotations

import signal
import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from typing import Annotated

import typer

from evalsql.cli.bars import progress_bar
from evalsql.cli.groups import grouped_options
from evalsql.cli.notes import note
from evalsql.cli.where import MemoryLimit, Where
from evalsql.database import quack
from evalsql.server.serving import serve as serve_file
from evalsql.server.sessions import read_tokens
from evalsql.warehouse.opening import default_path


@grouped_options
def serve(
    *,
    listen: Annotated[
        str, typer.Option("--listen", metavar="HOST:PORT", help="Where to listen; other machines reach no loopback.")
    ] = "localhost:9494",
    read_token_file: Annotated[
        Path | None,
        typer.Option("--read-token-file", metavar="FILE", help="Token of clients that only read; made if missing."),
    ] = None,
    memory_limit: MemoryLimit = None,
    where: Where,
) -> None:
    """Serve a warehouse to many readers and writers at once.

    Clients take --db quack:HOST:PORT with the token that --token-file names here, FILE.token if none is named; another
    one reads only. Each request is a line on standard error. SIGTERM and Ctrl-C stop it.

    Example: evalsql serve --db team.duckdb
    """
    quack.require()
    path = where.db or default_path()
    address = quack.parse_address(listen)
    write_file = where.token_file or Path(f"{path}.token")
    read_file = read_token_file or Path(f"{path}.read-token")
    tokens, made = read_tokens(write_file, read_file)
    for file in made:
        note(f"made {file}, which only you can read: for clients that {'write' if file == write_file else 'read'}")
    if not address.is_loopback:
        note(
            f"{address.url}: other machines reach it, and nothing is encrypted: tokens and rows travel as plain text. "
            "Listen on localhost, and let a reverse proxy with TLS pass requests on (evalsql help server)"
        )
    stop = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    with progress_bar() as progress:
        serve_file(
            path,
            address,
            tokens,
            stop=stop,
            log=_log,
            memory_limit=memory_limit,
            wait=where.wait,
            progress=progress,
        )


def _log(line: str) -> None:
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    with suppress(OSError):  # clients are served also where nobody reads the log any more
        sys.stderr.write(f"{now} {line}\n")
        sys.stderr.flush()
