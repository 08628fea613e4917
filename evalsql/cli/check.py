"""``evalsql check --ties``: what ``evalsql ties`` was called."""

from __future__ import annotations

from typing import Annotated

import typer

from evalsql.cli.common import Database, Measures, MemoryLimit, OutputOptions, OwnMeasures, RunSelection, note
from evalsql.cli.groups import grouped_options
from evalsql.cli.ties import print_ties
from evalsql.errors import UsageError


@grouped_options
def check(
    *,
    selection: RunSelection,
    ties: Annotated[bool, typer.Option("--ties", hidden=True)] = False,
    measure: Measures = None,
    own: OwnMeasures,
    memory_limit: MemoryLimit = None,
    output: OutputOptions,
    db: Database = None,
) -> None:
    """The old name of evalsql ties."""
    if not ties:
        raise UsageError("evalsql check has nothing else to check; evalsql ties shows what hangs on tied documents")
    note("evalsql check --ties is now called evalsql ties")
    print_ties(selection, measure, own, output, memory_limit=memory_limit, db=db)
