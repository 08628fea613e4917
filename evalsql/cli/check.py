"""``evalsql check``: whether a warehouse is sound. Ends with 1 where something was found."""

from __future__ import annotations

from typing import Annotated

import typer

from evalsql.cli.audit import audit_warehouse
from evalsql.cli.groups import grouped_options
from evalsql.cli.notes import note
from evalsql.cli.options import Measures, MemoryLimit, OutputOptions, OwnMeasures, RunSelection
from evalsql.cli.ties import print_ties
from evalsql.cli.where import Where
from evalsql.errors import UsageError

FOUND = 1


@grouped_options
def check(
    *,
    selection: RunSelection,
    ties: Annotated[bool, typer.Option("--ties", hidden=True)] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Only the checks that take no time that one notices.")] = False,
    measure: Measures = None,
    own: OwnMeasures,
    memory_limit: MemoryLimit = None,
    output: OutputOptions,
    where: Where,
) -> None:
    """Whether what is stored agrees, and gives what it must.

    Prints what is wrong, and ends with 1 where anything is.

    Example: evalsql check
    """
    if ties and quick:
        raise UsageError("--quick is no option of evalsql ties")
    if ties:
        note("evalsql check --ties is now called evalsql ties")
        print_ties(selection, measure, own, output, memory_limit=memory_limit, where=where)
        return
    if measure or own.paths or selection.qrels_names or selection.run_names:
        raise UsageError("evalsql check looks at all runs and judgments; evalsql ties takes runs and measures")
    if audit_warehouse(where, quick=quick, memory_limit=memory_limit, output=output):
        raise typer.Exit(FOUND)
