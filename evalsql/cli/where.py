"""Which warehouse file a command opens, and for how long it waits for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from evalsql.warehouse.opening import WAIT


@dataclass(frozen=True)
class Where:
    """A warehouse file, which another process may have locked."""

    wait: Annotated[
        float,
        typer.Option("--wait", min=0, metavar="SECONDS", help="Try so long while another process has the file locked."),
    ] = WAIT
    db: Annotated[
        str | None,
        typer.Option("--db", help="Warehouse file; else EVALSQL_DB, else ./evalsql.duckdb.", metavar="FILE"),
    ] = None


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
