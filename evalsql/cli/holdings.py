"""``evalsql ls``, ``check``, ``drop``, ``keep``, ``vacuum``: what a warehouse holds, and what leaves it."""

import fnmatch
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import typer

from evalsql.catalog.measure_names import parse_measures
from evalsql.cli import options
from evalsql.cli.declare import Names, argument, command, flag, option
from evalsql.cli.output import SAYS_NO, OutputOptions, note, progress_bar, texts_lines, write_table
from evalsql.database.disk import part_of
from evalsql.database.names import resolve_names
from evalsql.errors import UsageError
from evalsql.evaluation.notices import AUDIT_COLUMNS, audited_runs, audits, findings
from evalsql.evaluation.selection import Choice, choose_runs, held_systems, outlived_runs
from evalsql.literals import literals
from evalsql.phrases import counted, shortened
from evalsql.report.table import Table
from evalsql.report.terminal import DroppedColumns
from evalsql.warehouse.warehouse import Warehouse

_WORDS = {"runs": "run", "qrels": "judgment set", "measures": "measure"}
_LONG = ("tag", "tie_rule", "num_weights", "loaded_at", "replaced_at", "file")
_TIMES = frozenset(("dated_at", "loaded_at", "replaced_at"))
# Where a terminal is too narrow for all that is listed; of meta there may be much.
_DROPPED = DroppedColumns(
    (*_LONG, "system", "version", "dated_at", "meta", "extra_topics", "missing_topics"),
    ("meta", *reversed(_LONG), "extra_topics"),
    ("num_rows", "version", "dated_at", "missing_topics", "system"),
)


@command
def ls(
    *,
    selection: options.RunSelection,
    long: bool = flag("--long -l", "More of each, and judgments that newer ones have replaced."),
    output: OutputOptions,
    asking: options.AskingScores,
) -> None:
    """What is held: judgment sets, and runs with missing topics.

    Example: evalsql ls --last 5 --format csv
    """
    with asking.open(asked=()) as warehouse:
        conditions = ["true" if long else "replaced_at is null"]
        if selection.qrels:
            among = literals(resolve_names(warehouse.database, "qrels", selection.qrels))
            paired = f"select run from coverage where qrels in ({among})"
            conditions.append(f"(kind = 'qrels' and name in ({among}) or kind = 'run' and name in ({paired}))")
        figures = "select run_id from collection_scores"
        if not selection.is_empty:
            conditions.append(f"(kind = 'qrels' or name in ({literals(selection.chosen(warehouse))}))")
        else:
            conditions.append(f"(kind = 'qrels' or name not in (select run from runs where run_id in ({figures})))")
        hidden = "" if long else f"exclude ({', '.join(_LONG)})"
        times = [f"strftime({each}, '%Y-%m-%d %H:%M') as {each}" for each in _TIMES if long or each not in _LONG]
        read = f"replace ({', '.join(times)})" if output.is_drawn else ""
        query = f"select * {hidden} {read} from inventory where {' and '.join(conditions)} order by kind, name"
        write_table(Table(*warehouse.database.table(query), whole=_TIMES), output, warehouse, _DROPPED)
        counts = "count(*), count(distinct meta['system']), count(distinct meta['collection'])"
        ((runs, systems, sets),) = warehouse.rows(f"select {counts} from runs where run_id in ({figures})")
        if runs and selection.is_empty:
            of = f"{counted(systems, 'system')} on {counted(sets, 'collection')}"
            note(f"figures over whole collections: {counted(runs, 'run')}, {of}; evalsql ls '*' lists them")
        note(*texts_lines(warehouse))


@command
def check(
    *,
    quick: bool = flag("--quick", "Only the checks that take no time that one notices."),
    every_run: bool = flag("--all", "Check the values of measures of every run, however many there are."),
    output: OutputOptions,
    where: options.Where,
    memory_limit: str | None = options.MEMORY_LIMIT,
) -> None:
    """Check the warehouse; end with 1 where it is inconsistent.

    Example: evalsql check
    """
    with where.open_file(read_only=True, memory_limit=memory_limit) as warehouse:
        chosen = audits(warehouse.catalog, quick=quick)
        runs = None if quick or every_run else audited_runs(warehouse.database)
        with progress_bar() as progress:
            found = findings(warehouse.evaluation, chosen, progress, runs=runs)
        ((num_runs, num_sets),) = warehouse.rows("select (select count(*) from runs), (select count(*) from qrels)")
        write_table(Table(list(AUDIT_COLUMNS), found), output, warehouse)
    held = f"{counted(num_runs, 'run')} and {counted(num_sets, 'judgment set')}"
    note(f"checked {held} by {counted(len(chosen), 'audit')}: {', '.join(audit.name for audit in chosen)}")
    if runs is not None and len(runs) < num_runs:
        note(f"values of measures were checked for {len(runs)} of {num_runs} runs; --all checks every run")
    left_out = "; slower audits were left out" if quick else ""
    note(f"{counted(len(found), 'finding') if found else 'nothing was found'}{left_out}")
    if found:
        raise typer.Exit(SAYS_NO)


@command
def drop(
    *,
    kind: Literal["runs", "qrels", "measures"] = argument("What is dropped.", ...),
    names: Names = argument("Names or globs; runs also by the options."),
    dry_run: bool = flag("--dry-run", "Print what would go, and leave it."),
    filters: options.RunFilters,
    system: Names = options.SYSTEMS,
    output: OutputOptions,
    where: options.Where,
) -> None:
    """Take runs, judgments or own measures out of the warehouse.

    All of those named go, or none. Prints what goes. Documents and topics that nothing refers to any more go as well.

    Example: evalsql drop runs 'rerank-*' --dry-run
    """
    choice = filters.choice(names, system)
    if choice.is_by_name and not names:
        raise UsageError(f"say which {kind} are to go, by name; '*' is all")
    if choice.last is not None:
        raise UsageError("--last is for runs that stay: evalsql keep --last N drops the older ones of each system")
    if kind != "runs" and not choice.is_by_name:
        raise UsageError(f"--where, --since, --last and --system choose runs; {kind} go by name")
    with where.open_existing(read_only=dry_run) as warehouse:
        if kind == "measures":
            found = _own_measures(warehouse, names)
        elif kind == "qrels":
            found = sorted(resolve_names(warehouse.database, "qrels", names, with_replaced=True))
        else:
            found = sorted(choose_runs(warehouse.database, choice))
        note(_drop(warehouse, kind, found, output, dry_run=dry_run))


def _drop(warehouse: Warehouse, kind: str, names: Sequence[str], output: OutputOptions, *, dry_run: bool) -> str:
    """Write what goes and, if that can be written, drop it; returns how much that is, in words."""
    write_table(Table(("kind", "name"), [(kind, name) for name in names]), output, warehouse)
    if names and not dry_run:
        getattr(warehouse, f"drop_{kind}")(names)
    return f"{counted(len(names), _WORDS[kind])} {'would go' if dry_run else 'dropped'}"


def _own_measures(warehouse: Warehouse, names: Sequence[str]) -> list[str]:
    """The relations of a user's own measures that names or globs stand for."""
    own = {name: name for name in warehouse.database.column("select relation from added_relations")}  # also left out
    own |= {relation.name: relation.header.measure for relation in warehouse.catalog.own}
    found: set[str] = set()
    for name in names:
        fitting = {each for each, measure in own.items() if fnmatch.filter([each, measure], name)}
        if not fitting and not set(name) & set("*?["):
            fitting = {each.relation.name for each in parse_measures([name], warehouse.catalog)}
        if not fitting or not fitting <= own.keys():
            raise UsageError(f'no measure of your own is called "{name}"; there are: {", ".join(own) or "none"}')
        found |= fitting
    return sorted(found)


@command
def annotate(
    *,
    names: Names = argument("Runs, or globs of names; judgment sets with --qrels.", ..., complete="runs"),
    facts: options.RunFacts,
    collection: str | None = option("--collection NAME", "Their collection."),
    cluster: str | None = option("--cluster NAME", "The cluster of their collection, which boards draw whole."),
    remove: Names = option("--remove KEY", "Take out what is kept under this key; can be repeated."),
    qrels: bool = flag("--qrels", "The names are those of judgment sets."),
    output: OutputOptions,
    where: options.Where,
) -> None:
    """Change what is kept with runs, or print its history.

    All of those named are changed, or none. The values before stay, with the time.

    Example: evalsql annotate 'rerank-*' --system rerank --meta gpu=a100
    """
    pairs = facts.pairs(collection=collection, cluster=cluster)
    if both := sorted({*pairs} & {*remove}):
        raise UsageError(f"{both[0]} is to be kept and to be removed; say one of both")
    kind = "qrels" if qrels else "run"
    if pairs or remove:
        with where.open_existing() as warehouse:
            changed = warehouse.annotate(names, meta=pairs, remove=remove, qrels=qrels)
        note(f"{counted(len(changed), _WORDS['qrels' if qrels else 'runs'])} changed")
        return
    with where.open_file(read_only=True) as warehouse:
        found = literals(resolve_names(warehouse.database, kind, names, with_replaced=True))
        chosen = f"select * from meta_history where kind = '{kind}' and name in ({found})"
        table = warehouse.database.table(f"{chosen} order by changed_at, name, key")
        write_table(Table(*table, whole=frozenset(("changed_at",))), output, warehouse)


@command
def vacuum(*, where: options.Where) -> None:
    """Give back the space of what was dropped, in a new file.

    Example: evalsql vacuum
    """
    from evalsql.warehouse.archive import vacuum as write_anew

    # The engine writes the new file in here, and reads no other beside the old one.
    with where.open_existing(folders=[str(part_of(Path(os.path.realpath(where.path))))]) as warehouse:
        before, after = write_anew(warehouse.database)
        note(f"{warehouse.path}: {before:,} bytes before, {after:,} now")


@command
def keep(
    *,
    last: int = option("--last N", "So many runs of each system stay.", ..., min=1),
    system: Names = options.SYSTEMS,
    condition: str | None = option("--where CONDITION", "Only runs of which this is true; all others stay."),
    dry_run: bool = flag("--dry-run", "Print what would go, and leave it."),
    output: OutputOptions,
    where: options.Where,
) -> None:
    """Keep the latest runs of each system, and drop older ones.

    Runs that were loaded without a system stay. Prints what goes. evalsql vacuum then makes the file smaller.

    Example: evalsql keep --last 30 --dry-run
    """
    with where.open_existing(read_only=dry_run) as warehouse:
        systems = held_systems(warehouse.database, system)
        gone, without = outlived_runs(warehouse.database, Choice(where=condition, systems=system), last)
        done = _drop(warehouse, "runs", gone, output, dry_run=dry_run)
    note(f"{done}; systems: {shortened(systems) or 'none'}")
    if without:
        note(f"{counted(without, 'run')} without a system stay{'s' if without == 1 else ''}")
