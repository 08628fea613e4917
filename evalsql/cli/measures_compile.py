"""``evalsql measures`` and ``compile``: the catalogue of measures, and their SQL for other engines."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from evalsql.catalog import ddl
from evalsql.catalog.measure_names import default_measure, parse_measures
from evalsql.catalog.relations import Catalog, Relation, read_catalog
from evalsql.cli.access import Asking
from evalsql.cli.options import complete_measures, grouped_options
from evalsql.cli.output import OutputOptions, note, print_page, whole_file, write_table
from evalsql.database.quack import is_address
from evalsql.errors import UsageError
from evalsql.report.table import Table
from evalsql.report.terminal import DroppedColumns
from evalsql.warehouse.own_measures import read_sources

_LISTED = ("measure", "title", "aliases", "parameters")
_WHOLE = frozenset({"family", "measure"})
_CATALOGUE_DROPPED = DroppedColumns(spare=("parameters", "aliases"))


def _known_catalog(asking: Asking) -> Catalog:
    """The catalogue of the warehouse, or of the package where there is none by default."""
    if asking.db is None and not is_address(asking.path) and not Path(asking.path).exists():
        return read_catalog().extended(read_sources(asking.paths))
    with asking.open() as warehouse:
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
    asking: Asking,
) -> None:
    """The catalogue of measures, or the page of one.

    It has the measures of the package, of the warehouse if there is one, and your own, by family. A word that is no
    measure's name lists those that have it in a name, the title or the family, such as graded.

    Example: evalsql measures nDCG
    """
    catalog = _known_catalog(asking)
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
    write_table(Table(columns, rows, whole=_WHOLE), output, None, _CATALOGUE_DROPPED)


def _by_family(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The rows of each family together, its name beside the first."""
    grouped = sorted(rows, key=lambda row: row[0])
    before = ["", *(family for family, *_ in grouped)]
    return [("" if row[0] == last else row[0], *row[1:]) for row, last in zip(grouped, before, strict=False)]


DialectName = Literal["spark", "databricks", "postgres", "datafusion", "sqlite", "duckdb"]


@grouped_options
def compile(
    *,
    names: Annotated[
        list[str] | None,
        typer.Argument(autocompletion=complete_measures, help='Measures such as nDCG@10 or "AP(rel=2)".'),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All measures at their defaults.")] = False,
    dialect: Annotated[DialectName, typer.Option(help="The engine that is to run it.")],
    folder: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="Write a file for each measure here.")
    ] = None,
    asking: Asking,
) -> None:
    """Write measures as SQL for another engine.

    Each is one SELECT over the base tables alone. What an engine cannot carry is refused, with the construct and the
    reason.

    Example: evalsql compile nDCG@10 --dialect postgres
    """
    if every == bool(names):
        raise UsageError("name the measures to compile, or give --all")
    from evalsql.engines.compiling import compile_measures

    catalog = _known_catalog(asking)
    measures = parse_measures(names, catalog) if names else [default_measure(each) for each in catalog.measures]
    compiled, refused = compile_measures(catalog, measures, dialect)
    if refused and not every:
        raise UsageError("\n".join(f"{name}: {reason}" for name, reason in refused.items()))
    if folder is None:
        sys.stdout.write(";\n\n".join(text.rstrip("\n") for text in compiled.values()) + "\n")
    else:
        _write(folder, compiled)
    for name, reason in refused.items():
        note(f"{name} is left out: {reason}")
    if folder is not None:
        note(f"{len(compiled)} of {len(measures)} measures are in {folder}")


def _write(folder: Path, files: Mapping[str, str]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be made: {error.strerror}") from error
    for name, text in files.items():
        with whole_file(folder / name) as stream:
            stream.write(text.encode())
