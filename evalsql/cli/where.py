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
