"""``evalsql check``: whether a warehouse is sound. Ends with 1 where something was found."""

from __future__ import annotations

from typing import Annotated

import typer

from evalsql.cli.bars import progress_bar
from evalsql.cli.groups import grouped_options
from evalsql.cli.notes import note
from evalsql.cli.opening import open_warehouse
from evalsql.cli.options import Measures, OutputOptions, OwnMeasures, RunSelection
from evalsql.cli.outputs import write_table
from evalsql.cli.ties import print_ties
from evalsql.cli.where import MemoryLimit, Where
from evalsql.errors import UsageError
from evalsql.evaluation.audits import COLUMNS, audited_runs, audits, findings
from evalsql.phrases import counted
from evalsql.report.table import Table

FOUND = 1


@grouped_options
def check(
    *,
    selection: RunSelection,
    ties: Annotated[bool, typer.Option("--ties", hidden=True)] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Only the checks that take no time that one notices.")] = False,
    every_run: Annotated[
        bool, typer.Option("--all", help="Check the values of measures of every run, however many there are.")
    ] = False,
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
    if measure or own.paths or selection.qrels_names or not selection.is_empty:
        raise UsageError("evalsql check looks at all runs and judgments; evalsql ties takes runs and measures")
    if _print_findings(where, quick=quick, every_run=every_run, memory_limit=memory_limit, output=output):
        raise typer.Exit(FOUND)


def _print_findings(
    where: Where, *, quick: bool, every_run: bool, memory_limit: str | None, output: OutputOptions
) -> bool:
    """Print what the audits find, and say what was checked. Returns whether they found anything."""
    with open_warehouse(where, read_only=True, memory_limit=memory_limit) as warehouse:
        chosen = audits(warehouse.catalog, quick=quick)
        runs = None if quick or every_run else audited_runs(warehouse.database)
        with progress_bar() as progress:
            found = findings(warehouse.evaluation, chosen, progress, runs=runs)
        ((num_runs, num_sets),) = warehouse.rows("select (select count(*) from runs), (select count(*) from qrels)")
        write_table(Table(list(COLUMNS), found), output, keep=[warehouse.path])
    held = f"{counted(num_runs, 'run')} and {counted(num_sets, 'judgment set')}"
    note(f"checked {held} by {counted(len(chosen), 'audit')}: {', '.join(audit.name for audit in chosen)}")
    if runs is not None and len(runs) < num_runs:
        note(f"values of measures were checked for {len(runs)} of {num_runs} runs; --all checks every run")
    left_out = "; slower audits were left out" if quick else ""
    note(f"{counted(len(found), 'finding') if found else 'nothing was found'}{left_out}")
    return bool(found)
