"""Which warehouse file a command opens, for how long it waits for it, and how much memory it takes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from evalsql.warehouse.opening import WAIT

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
