"""``evalsql site``: a warehouse as a folder of pages with a SQL console, which any static host serves."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evalsql.cli.bars import progress_bar
from evalsql.cli.groups import grouped_options
from evalsql.cli.name_completion import complete_runs
from evalsql.cli.notes import note
from evalsql.cli.options import DEFAULT_MEASURES, Measures, MemoryLimit, OwnMeasures, RunSelection
from evalsql.cli.outputs import protected_files
from evalsql.cli.where import Where
from evalsql.database.database import translated_errors
from evalsql.errors import UsageError
from evalsql.report.site.copying import DEPTH
from evalsql.report.site.writing import Site, check_folder, write_site
from evalsql.version import __version__
from evalsql.warehouse.entry import open_shut_in
from evalsql.warehouse.outputs import part_of
from evalsql.words import counted


@grouped_options
def site(
    *,
    selection: RunSelection,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="Folder to write; a site in it is replaced.")
    ] = None,
    measure: Measures = None,
    own: OwnMeasures,
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline", metavar="RUN", autocompletion=complete_runs, help="Run that others are compared with."
        ),
    ] = None,
    title: Annotated[str, typer.Option("--title", metavar="TEXT", help="What stands above the site.")] = "",
    depth: Annotated[
        int, typer.Option("--depth", min=1, metavar="N", help="Documents of each ranking that readers can ask for.")
    ] = DEPTH,
    whole: Annotated[bool, typer.Option("--whole", help="Let readers ask for whole rankings.")] = False,
    wasm: Annotated[
        Path | None,
        typer.Option(
            "--wasm",
            metavar="DIR",
            help="Unpacked npm package @duckdb/duckdb-wasm, for a site that needs no network; else readers fetch it "
            "from its CDN.",
        ),
    ] = None,
    memory_limit: MemoryLimit = None,
    where: Where,
) -> None:
    """A site of the warehouse: its results as pages, and a SQL console that runs in the reader's browser.

    There is a page for each judgment set, system, topic and measure. Any static host serves the folder.

    Example: evalsql site -o site --title "Our systems"
    """
    if output is None:
        raise UsageError("name the folder to write with --output, such as -o site")
    check_folder(output)
    # The rows of the copy go through files beside the folder, which the engine may write.
    with (
        progress_bar() as progress,
        open_shut_in(
            where.db,
            read_only=True,
            measures=own.paths,
            memory_limit=memory_limit,
            folders=[str(part_of(output))],
            wait=where.wait,
            progress=progress,
        ) as warehouse,
        translated_errors(warehouse.path),
    ):
        _refuse_sources(output, protected_files(warehouse))
        written = write_site(
            warehouse,
            measure or DEFAULT_MEASURES,
            output,
            program_version=__version__,
            qrels=selection.qrels_names,
            runs=selection.chosen(warehouse),
            baseline=baseline,
            title=title,
            depth=None if whole else depth,
            wasm=wasm,
            progress=progress,
        )
    _tell(output, written)


def _refuse_sources(output: Path, keep: list[str]) -> None:
    """Raise UsageError where the warehouse or what it was loaded from lies in the folder that is replaced."""
    folder = output.resolve()
    for path in keep:
        if Path(path).exists() and folder in Path(path).resolve().parents:
            raise UsageError(f"{output}: holds {path}, which is in use here; name another folder")


def _tell(output: Path, written: Site) -> None:
    held = (
        "whole rankings" if written.copy.depth is None else f"the first {written.copy.depth} documents of each ranking"
    )
    note(
        f"{output}: {counted(written.num_pages, 'page')}, {written.size / 1e6:.1f} MB; readers can ask for {held}. "
        f"To look at it: python -m http.server -d {output}"
    )
