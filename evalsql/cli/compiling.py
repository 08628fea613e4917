"""``evalsql compile``: measures as SQL for other engines."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from evalsql.catalog.measure_names import default_measure, parse_measures
from evalsql.cli.ask import known_catalog
from evalsql.cli.groups import grouped_options
from evalsql.cli.name_completion import complete_measures
from evalsql.cli.notes import note
from evalsql.cli.options import OwnMeasures
from evalsql.cli.outputs import whole_file
from evalsql.cli.where import Where
from evalsql.errors import UsageError

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
    own: OwnMeasures,
    where: Where,
) -> None:
    """Write measures as SQL for another engine.

    Each is one SELECT over the base tables alone. What an engine cannot carry is refused, with the construct and the
    reason.

    Example: evalsql compile nDCG@10 --dialect postgres
    """
    if every == bool(names):
        raise UsageError("name the measures to compile, or give --all")
    from evalsql.engines.compiling import compile_measures

    catalog = known_catalog(where, own.paths)
    measures = parse_measures(names, catalog) if names else [default_measure(each) for each in catalog.measures]
    found = compile_measures(catalog, measures, dialect)
    if found.refused and not every:
        raise UsageError("\n".join(f"{name}: {reason}" for name, reason in found.refused.items()))
    if folder is None:
        sys.stdout.write(";\n\n".join(each.text.rstrip("\n") for each in found.compiled) + "\n")
    else:
        _write(folder, [(each.file, each.text) for each in found.compiled])
    for name, reason in found.refused.items():
        note(f"{name} is left out: {reason}")
    if folder is not None:
        note(f"{len(found.compiled)} of {len(measures)} measures are in {folder}")


def _write(folder: Path, files: Sequence[tuple[str, str]]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be made: {error.strerror}") from error
    for name, text in files:
        with whole_file(folder / name) as stream:
            stream.write(text.encode())
