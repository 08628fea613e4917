"""``evalsql ls``, ``sql`` and ``measures``: what is held, what one asks, what can be asked."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from evalsql.catalog import ddl
from evalsql.catalog.measure_names import literal, parse_measures
from evalsql.catalog.relations import Catalog, Relation, read_catalog
from evalsql.cli.groups import grouped_options
from evalsql.cli.name_completion import complete_measures
from evalsql.cli.notes import note
from evalsql.cli.opening import open_to_read, open_warehouse
from evalsql.cli.options import OutputOptions, OwnMeasures, RunSelection
from evalsql.cli.outputs import write_table
from evalsql.cli.pages import print_page
from evalsql.cli.where import MemoryLimit, Where, WhereToAsk
from evalsql.database.names import resolve_names
from evalsql.database.quack import is_address
from evalsql.errors import UsageError
from evalsql.report.table import Table
from evalsql.report.terminal import Going
from evalsql.warehouse.opening import default_path
from evalsql.warehouse.own_measures import read_sources
from evalsql.warehouse.warehouse import Warehouse
from evalsql.warehouse.writer import Writer

_LONG = ("tag", "tie_rule", "num_weights", "loaded_at", "replaced_at", "file")
_TIMES = frozenset({"dated_at", "loaded_at", "replaced_at"})
# Where a terminal is too narrow for all that is listed; of meta there may be much.
_GOING = Going(
    (*_LONG, "system", "version", "dated_at", "meta", "extra_topics", "missing_topics"),
    ("meta", *reversed(_LONG), "extra_topics"),
    ("num_rows", "version", "dated_at", "missing_topics", "system"),
)
_LISTED = ("measure", "title", "aliases", "parameters")
_WHOLE = frozenset({"family", "measure"})
_CATALOGUE_GOING = Going(spare=("parameters", "aliases"))


@grouped_options
def ls(
    *,
    selection: RunSelection,
    long: Annotated[
        bool, typer.Option("--long", "-l", help="More of each, and judgments that newer ones have replaced.")
    ] = False,
    output: OutputOptions,
    where: WhereToAsk,
) -> None:
    """What is held: a line for each judgment set and run.

    Beside each run stands how many topics are missing and extra.

    Example: evalsql ls --last 5 --format csv
    """
    with open_to_read(where) as warehouse:
        table = inventory(warehouse, selection, long=long)
        write_table(_to_the_minute(table) if output.is_drawn else table, output, keep=[warehouse.path], going=_GOING)


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


@grouped_options
def sql(
    *,
    query: Annotated[str, typer.Argument(help="SQL; - reads it from standard input.")],
    write: Annotated[bool, typer.Option("--write", help="Let it change the warehouse.")] = False,
    external: Annotated[
        bool, typer.Option("--external", help="Let it read and write other files and load extensions.")
    ] = False,
    own: OwnMeasures,
    memory_limit: MemoryLimit = None,
    output: OutputOptions,
    where: Where,
) -> None:
    """Ask the warehouse anything in SQL.

    Every measure is a view (FROM ap) and a macro (FROM ndcg(k := 10)).

    Example: evalsql sql "from ndcg(k := 5) order by value limit 3"
    """
    try:
        text = sys.stdin.buffer.read().decode("utf-8") if query == "-" else query
    except UnicodeDecodeError as error:
        raise UsageError(f"standard input is not UTF-8 text: {error}") from error
    with open_warehouse(
        where, read_only=not write, measures=own.paths, memory_limit=memory_limit, external=external
    ) as warehouse:
        columns, rows = Writer(warehouse.database, external=external).run(text)
        if columns:
            write_table(Table(columns, rows), output, keep=[warehouse.path])
        if "SELECT" in [kind for kind, _ in warehouse.database.statements(text)][:-1]:
            note("only the rows of the last statement are written; evalsql shell writes those of each")


def known_catalog(where: Where, own: Sequence[str]) -> Catalog:
    if where.db is None and not is_address(default_path()) and not Path(default_path()).exists():
        return read_catalog().extended(read_sources(own))
    with open_warehouse(where, read_only=True, measures=own) as warehouse:
        return warehouse.catalog


def _meant(catalog: Catalog, word: str) -> tuple[Sequence[Relation], bool]:
    """The measure of this name, else those that have the word in a name, the title or the family; and which it is."""
    try:
        return [parse_measures([word], catalog)[0].relation], True
    except UsageError:
        wanted = word.strip().casefold()
        rows = ddl.catalogue_rows(catalog.measures)
        texts = ["\n".join((relation.family, *row[:4])) for relation, row in zip(catalog.measures, rows, strict=True)]
        found = [relation for relation, text in zip(catalog.measures, texts, strict=True) if wanted in text.casefold()]
        if not wanted or not found:
            raise
        return found, False


@grouped_options
def measures(
    *,
    name: Annotated[
        str | None,
        typer.Argument(
            autocompletion=complete_measures, help="A measure, by any of its names, or a word to search for."
        ),
    ] = None,
    output: OutputOptions,
    own: OwnMeasures,
    where: Where,
) -> None:
    """The catalogue of measures, or the page of one.

    It has the measures of the package, of the warehouse if there is one, and your own, by family. A word that is no
    measure's name lists those that have it in a name, the title or the family, such as graded.

    Example: evalsql measures nDCG
    """
    catalog = known_catalog(where, own.paths)
    print_measures(catalog, name, output)


def print_measures(catalog: Catalog, name: str | None, output: OutputOptions) -> None:
    """Print the catalogue, or the page of one measure."""
    columns = list(catalog["measures"].columns)
    listed, is_one = (catalog.measures, False) if name is None else _meant(catalog, name)
    rows: list[tuple[str, ...]] = ddl.catalogue_rows(listed)
    as_page = output.format is None and output.path is None
    if is_one and as_page:
        print_page(catalog, listed[0])
        return
    if as_page:
        places = [columns.index(column) for column in _LISTED]
        families = [relation.family for relation in listed]
        rows = [(family, *(row[place] for place in places)) for family, row in zip(families, rows, strict=True)]
        rows, columns = _by_family(rows), ["family", *_LISTED]
        note("evalsql measures NAME shows one with its SQL; --format csv or json gives every column of all")
    write_table(Table(columns, rows, whole=_WHOLE), output, going=_CATALOGUE_GOING)


def _by_family(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The rows of each family together, its name beside the first."""
    grouped = sorted(rows, key=lambda row: row[0])
    before = ["", *(family for family, *_ in grouped)]
    return [("" if row[0] == last else row[0], *row[1:]) for row, last in zip(grouped, before, strict=False)]
