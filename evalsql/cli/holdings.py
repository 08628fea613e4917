"""``evalsql ls``, ``check``, ``drop``, ``keep`` and ``vacuum``: what a warehouse holds, and what leaves it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Literal

import typer

from evalsql.catalog.measure_names import literal, parse_measures
from evalsql.cli.access import Asking, AskingScores, Where
from evalsql.cli.explain_ties import print_ties
from evalsql.cli.options import Measures, RunFilters, RunSelection, Systems, grouped_options
from evalsql.cli.output import OutputOptions, note, progress_bar, write_table
from evalsql.database.names import resolve_names
from evalsql.errors import UsageError
from evalsql.evaluation.audits import COLUMNS, audited_runs, audits, findings
from evalsql.evaluation.selection import Choice, choose_runs, held_systems, outlived_runs
from evalsql.phrases import counted
from evalsql.report.table import Table
from evalsql.report.terminal import DroppedColumns
from evalsql.warehouse.warehouse import Warehouse

_LONG = ("tag", "tie_rule", "num_weights", "loaded_at", "replaced_at", "file")
_TIMES = frozenset({"dated_at", "loaded_at", "replaced_at"})
# Where a terminal is too narrow for all that is listed; of meta there may be much.
_DROPPED = DroppedColumns(
    (*_LONG, "system", "version", "dated_at", "meta", "extra_topics", "missing_topics"),
    ("meta", *reversed(_LONG), "extra_topics"),
    ("num_rows", "version", "dated_at", "missing_topics", "system"),
)


@grouped_options
def ls(
    *,
    selection: RunSelection,
    long: Annotated[
        bool, typer.Option("--long", "-l", help="More of each, and judgments that newer ones have replaced.")
    ] = False,
    output: OutputOptions,
    asking: AskingScores,
) -> None:
    """What is held: a line for each judgment set and run.

    Beside each run stands how many topics are missing and extra.

    Example: evalsql ls --last 5 --format csv
    """
    with asking.open(asked=()) as warehouse:
        table = inventory(warehouse, selection, long=long)
        write_table(_to_the_minute(table) if output.is_drawn else table, output, warehouse, _DROPPED)


def inventory(warehouse: Warehouse, selection: RunSelection, *, long: bool) -> Table:
    """The judgment sets, and the runs that are meant, a row each."""
    conditions = [] if long else ["replaced_at is null"]
    sets = resolve_names(warehouse.database, "qrels", selection.qrels_names) if selection.qrels_names else []
    if sets:
        among = ", ".join(map(literal, sets))
        paired = f"select run from coverage where qrels in ({among})"
        conditions.append(f"(kind = 'qrels' and name in ({among}) or kind = 'run' and name in ({paired}))")
    if not selection.is_empty:
        runs = resolve_names(warehouse.database, "run", selection.chosen(warehouse))
        conditions.append(f"(kind = 'qrels' or name in ({', '.join(map(literal, runs))}))")
    hidden = "" if long else f" exclude ({', '.join(_LONG)})"
    where = f"where {' and '.join(conditions)}" if conditions else ""
    return Table(*warehouse.database.table(f"select *{hidden} from inventory {where} order by kind, name"))


def _to_the_minute(table: Table) -> Table:
    """The table with times as short as people need them."""
    rows = [
        [f"{value:%Y-%m-%d %H:%M}" if isinstance(value, datetime) else value for value in row] for row in table.rows
    ]
    return Table(table.columns, rows, whole=_TIMES)


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
    output: OutputOptions,
    asking: Asking,
) -> None:
    """Whether what is stored agrees, and gives what it must.

    Prints what is wrong, and ends with 1 where anything is.

    Example: evalsql check
    """
    if ties and quick:
        raise UsageError("--quick is no option of evalsql ties")
    if ties:
        note("evalsql check --ties is now called evalsql ties")
        print_ties(selection, measure, output, asking)
        return
    if measure or asking.paths or selection.qrels_names or not selection.is_empty:
        raise UsageError("evalsql check looks at all runs and judgments; evalsql ties takes runs and measures")
    if _print_findings(asking, quick=quick, every_run=every_run, output=output):
        raise typer.Exit(FOUND)


def _print_findings(asking: Asking, *, quick: bool, every_run: bool, output: OutputOptions) -> bool:
    """Print what the audits find, and say what was checked. Returns whether they found anything."""
    with asking.open() as warehouse:
        chosen = audits(warehouse.catalog, quick=quick)
        runs = None if quick or every_run else audited_runs(warehouse.database)
        with progress_bar() as progress:
            found = findings(warehouse.evaluation, chosen, progress, runs=runs)
        ((num_runs, num_sets),) = warehouse.rows("select (select count(*) from runs), (select count(*) from qrels)")
        write_table(Table(list(COLUMNS), found), output, warehouse)
    held = f"{counted(num_runs, 'run')} and {counted(num_sets, 'judgment set')}"
    note(f"checked {held} by {counted(len(chosen), 'audit')}: {', '.join(audit.name for audit in chosen)}")
    if runs is not None and len(runs) < num_runs:
        note(f"values of measures were checked for {len(runs)} of {num_runs} runs; --all checks every run")
    left_out = "; slower audits were left out" if quick else ""
    note(f"{counted(len(found), 'finding') if found else 'nothing was found'}{left_out}")
    return bool(found)


_WORDS = {"runs": "run", "qrels": "judgment set", "measures": "measure"}


@grouped_options
def drop(
    kind: Annotated[Literal["runs", "qrels", "measures"], typer.Argument(help="What is dropped.")],
    names: Annotated[list[str] | None, typer.Argument(help="Names or globs; runs also by the options.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would go, and leave it.")] = False,
    *,
    filters: RunFilters,
    system: Systems = None,
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
    with where.open_existing(read_only=dry_run) as warehouse:
        found = _found(warehouse, kind, choice)
        # First, so that an output that cannot be written leaves all as it is.
        rows = Table(("kind", "name"), [(kind, name) for name in found])
        write_table(rows, output, warehouse)
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
    from evalsql.warehouse.archive import vacuum as write_anew

    # The engine writes the new file beside the old one.
    with where.open_existing(external=True) as warehouse:
        before, after = write_anew(warehouse.database)
        note(f"{warehouse.path}: {before:,} bytes before, {after:,} now")


@grouped_options
def keep(
    last: Annotated[int, typer.Option("--last", min=1, metavar="N", help="So many runs of each system stay.")],
    system: Systems = None,
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
    with where.open_existing(read_only=dry_run) as warehouse:
        systems = held_systems(warehouse.database, system or ())
        gone, without = outlived_runs(warehouse.database, Choice(where=condition, systems=system or ()), last)
        rows = Table(("kind", "name"), [("runs", name) for name in gone])
        write_table(rows, output, warehouse)
        if gone and not dry_run:
            warehouse.drop_runs(gone)
    note(f"{counted(len(gone), 'run')} {'would go' if dry_run else 'dropped'}; systems: {', '.join(systems) or 'none'}")
    if without:
        note(f"{counted(without, 'run')} without a system stay{'s' if without == 1 else ''}")
