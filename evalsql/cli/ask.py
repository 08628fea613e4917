"""``evalsql ls``, ``sql`` and ``measures``: what is held, what one asks, what can be asked."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from evalsql import build
from evalsql.catalog import read_catalog
from evalsql.cli.common import Database, Digits, FormatOption, Output, emit, say
from evalsql.cli.pages import print_page
from evalsql.errors import UsageError
from evalsql.naming import parse_measures
from evalsql.opening import open
from evalsql.report.table import Table

_LISTED = ("measure", "title", "aliases", "parameters")


def ls(
    output_format: FormatOption = None,
    output: Output = None,
    digits: Digits = 4,
    db: Database = None,
) -> None:
    """What the warehouse holds: judgment sets and runs, with topics missing and extra."""
    with open(db, read_only=True) as warehouse:
        emit(warehouse.holdings(), output_format, output, digits, keep=[warehouse.path])


def sql(
    query: Annotated[str, typer.Argument(help="SQL; - reads it from standard input.")],
    write: Annotated[bool, typer.Option("--write", help="Let it change the warehouse.")] = False,
    external: Annotated[
        bool, typer.Option("--external", help="Let it read and write other files and load extensions.")
    ] = False,
    output_format: FormatOption = None,
    output: Output = None,
    digits: Digits = 4,
    db: Database = None,
) -> None:
    """Ask the warehouse anything; every measure is a view (FROM ap) and a macro (FROM ndcg(k := 10))."""
    try:
        text = sys.stdin.buffer.read().decode("utf-8") if query == "-" else query
    except UnicodeDecodeError as error:
        raise UsageError(f"standard input is not UTF-8 text: {error}") from error
    with open(db, read_only=not write) as warehouse:
        columns, rows = warehouse.run(text, external=external)
        if columns:
            emit(Table(columns, rows), output_format, output, digits, keep=[warehouse.path])


def measures(
    name: Annotated[str | None, typer.Argument(help="A measure, by any of its names; all by default.")] = None,
    output_format: FormatOption = None,
    output: Output = None,
    digits: Digits = 4,
) -> None:
    """The catalogue of measures, or the page of one."""
    catalog = read_catalog()
    columns = list(catalog["measures"].columns)
    rows: list[tuple[str, ...]] = build.catalogue_rows(catalog)
    if name is not None:
        relation = parse_measures([name], catalog)[0].relation
        rows = [row for row in rows if row[columns.index("relation")] == relation.name]
        if output_format is None and output is None:
            print_page(catalog, relation)
            return
    if output_format is None and output is None:
        places = [columns.index(column) for column in _LISTED]
        rows = [tuple(row[place] for place in places) for row in rows]
        columns = list(_LISTED)
        say("evalsql measures NAME shows one with its SQL; --format csv or json gives every column of all")
    emit(Table(columns, rows), output_format, output, digits)
