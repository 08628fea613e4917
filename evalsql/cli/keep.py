"""``evalsql keep``: the latest runs of each system stay, older ones go."""

from __future__ import annotations

from typing import Annotated

import typer

from evalsql.cli.groups import grouped_options
from evalsql.cli.name_completion import complete_systems
from evalsql.cli.notes import note
from evalsql.cli.opening import open_existing
from evalsql.cli.options import OutputOptions
from evalsql.cli.outputs import protected_files, write_table
from evalsql.cli.where import Where
from evalsql.evaluation.selection import Choice, held_systems, outlived_runs
from evalsql.phrases import counted
from evalsql.report.table import Table


@grouped_options
def keep(
    last: Annotated[int, typer.Option("--last", min=1, metavar="N", help="So many runs of each system stay.")],
    system: Annotated[
        list[str] | None,
        typer.Option(
            "--system",
            metavar="NAME",
            autocompletion=complete_systems,
            help="Only runs of this system, or of those that a glob stands for; can be repeated.",
        ),
    ] = None,
    condition: Annotated[
        str | None,
        typer.Option("--where", metavar="CONDITION", help="Only runs of which this is true; all others stay."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would go, and leave it.")] = False,
    *,
    output: OutputOptions,
    where: Where,
) -> None:
    """Keep the latest runs of each system, and drop older ones.

    Runs that were loaded without a system stay. Prints what goes. evalsql vacuum then makes the file smaller.

    Example: evalsql keep --last 30 --dry-run
    """
    with open_existing(where, read_only=dry_run) as warehouse:
        systems = held_systems(warehouse.database, system or ())
        gone, without = outlived_runs(warehouse.database, Choice(where=condition, systems=system or ()), last)
        rows = Table(("kind", "name"), [("runs", name) for name in gone])
        write_table(rows, output, keep=protected_files(warehouse))
        if gone and not dry_run:
            warehouse.drop_runs(gone)
    note(f"{counted(len(gone), 'run')} {'would go' if dry_run else 'dropped'}; systems: {', '.join(systems) or 'none'}")
    if without:
        note(f"{counted(without, 'run')} without a system stay{'s' if without == 1 else ''}")
