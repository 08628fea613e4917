"""``evalsql drop`` takes runs, judgments and measures out; ``evalsql vacuum`` gives their space back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import typer

from evalsql.catalog.measure_names import parse_measures
from evalsql.cli.groups import grouped_options
from evalsql.cli.name_completion import complete_systems
from evalsql.cli.notes import note
from evalsql.cli.opening import open_existing
from evalsql.cli.options import OutputOptions, RunFilters
from evalsql.cli.outputs import protected_files, write_table
from evalsql.cli.where import Where
from evalsql.database.names import resolve_names
from evalsql.errors import UsageError
from evalsql.evaluation.selection import Choice, choose_runs
from evalsql.phrases import counted
from evalsql.report.table import Table
from evalsql.warehouse.warehouse import Warehouse

_WORDS = {"runs": "run", "qrels": "judgment set", "measures": "measure"}


@grouped_options
def drop(
    kind: Annotated[Literal["runs", "qrels", "measures"], typer.Argument(help="What is dropped.")],
    names: Annotated[list[str] | None, typer.Argument(help="Names or globs; runs also by the options.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would go, and leave it.")] = False,
    *,
    filters: RunFilters,
    system: Annotated[
        list[str] | None,
        typer.Option(
            "--system",
            metavar="NAME",
            autocompletion=complete_systems,
            help="Runs of this system, or of those that a glob stands for; can be repeated.",
        ),
    ] = None,
    output: OutputOptions,
    where: Where,
) -> None:
    """Take runs, judgments or own measures out of the warehouse.

    All of those named go, or none. Prints what goes. Documents and topics that nothing refers to any more go as well.

    Example: evalsql drop runs 'rerank-*' --dry-run
    """
    choice = filters.choice(names or (), system or ())
    if choice.is_by_name and not names:
        raise UsageError(f"say which {kind} are to go, by name; '*' is all")
    if choice.last is not None:
        raise UsageError("--last is for runs that stay: evalsql keep --last N drops the older ones of each system")
    if kind != "runs" and not choice.is_by_name:
        raise UsageError(f"--where, --since, --last and --system choose runs; {kind} go by name")
    with open_existing(where, read_only=dry_run) as warehouse:
        found = _found(warehouse, kind, choice)
        # First, so that an output that cannot be written leaves all as it is.
        rows = Table(("kind", "name"), [(kind, name) for name in found])
        write_table(rows, output, keep=protected_files(warehouse))
        if not dry_run:
            drops = {"runs": warehouse.drop_runs, "qrels": warehouse.drop_qrels, "measures": warehouse.drop_measures}
            drops[kind](found)
    note(f"{counted(len(found), _WORDS[kind])} {'would go' if dry_run else 'dropped'}")


def _found(warehouse: Warehouse, kind: str, choice: Choice) -> list[str]:
    if kind == "runs":
        return sorted(choose_runs(warehouse.database, choice))
    if kind == "qrels":
        return sorted(resolve_names(warehouse.database, "qrels", choice.names, with_replaced=True))
    return _own_measures(warehouse, choice.names)


def _own_measures(warehouse: Warehouse, names: Sequence[str]) -> list[str]:
    """The relations of a user's own measures that names or globs stand for."""
    import fnmatch

    own = {relation.name: relation.header.measure for relation in warehouse.catalog.own}
    found: set[str] = set()
    for name in names:
        fitting = [each for each, measure in own.items() if fnmatch.filter([each, measure], name)]
        if not fitting and not set(name) & set("*?["):
            fitting = [each.relation.name for each in parse_measures([name], warehouse.catalog)]
        if not fitting or not set(fitting) <= own.keys():
            raise UsageError(f'no measure of your own is called "{name}"; there are: {", ".join(own) or "none"}')
        found |= set(fitting)
    return sorted(found)


@grouped_options
def vacuum(*, where: Where) -> None:
    """Give back the space of what was dropped.

    The warehouse is written into a new file, which takes its place.

    Example: evalsql vacuum
    """
    from evalsql.warehouse.vacuum import vacuum as write_anew

    # The engine writes the new file beside the old one.
    with open_existing(where, external=True) as warehouse:
        before, after = write_anew(warehouse.database)
        note(f"{warehouse.path}: {before:,} bytes before, {after:,} now")
