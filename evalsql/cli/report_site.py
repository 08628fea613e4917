"""``evalsql report`` and ``site``: a page of one judgment set, or a folder of pages with a SQL console."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from io import StringIO
from itertools import count
from pathlib import Path
from typing import Annotated

import typer

from evalsql.cli.access import Asking, AskingScores
from evalsql.cli.options import DEFAULT_MEASURES, Baseline, Measures, OneQrelsSelection, RunSelection, grouped_options
from evalsql.cli.output import note, note_waiting, progress_bar, protected_files, write_bytes
from evalsql.database.database import translated_errors
from evalsql.database.disk import part_of, scratch_folder
from evalsql.errors import EvalsqlError, UsageError
from evalsql.phrases import counted
from evalsql.report.page.report_data import MOST_THRESHOLDS, ON_REQUEST, gather_report
from evalsql.report.page.report_formats import DIGITS, EXTENSIONS, PAGE_DIGITS, SECTIONS, WRITERS
from evalsql.report.site.published_copy import DEPTH
from evalsql.report.site.site_server import SiteServer, keep_current, state_of
from evalsql.report.site.write_site import Site, check_folder, write_site
from evalsql.version import __version__


@grouped_options
def report(
    *,
    selection: OneQrelsSelection,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help=f"Where to: {', '.join(EXTENSIONS)} tells the format."),
    ] = Path("report.html"),
    measure: Measures = None,
    baseline: Baseline = None,
    title: Annotated[str, typer.Option("--title", metavar="TEXT", help="What stands above the report.")] = "",
    shown: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="SECTION",
            help=f"Show this too: {', '.join(ON_REQUEST)} (this of over {MOST_THRESHOLDS} runs); can be repeated.",
        ),
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option("--without", metavar="SECTION", help=f"Leave it out: {', '.join(SECTIONS)}; can be repeated."),
    ] = None,
    digits: Annotated[
        int | None,
        typer.Option(
            "--digits", min=0, max=17, help=f"Decimals, where people read; {PAGE_DIGITS} on a page, else {DIGITS}."
        ),
    ] = None,
    asking: AskingScores,
) -> None:
    """A report of systems on one judgment set.

    It is a page that needs no network, or Markdown, LaTeX or JSON.

    The page says who wins, by how much and whether that is sure, on which topics it loses and to which documents, what
    to doubt, and where the data comes from.

    Example: evalsql report 'rerank-*' bm25 -m nDCG@10,AP -o report.html
    """
    extension = output.suffix.lower()
    if extension not in EXTENSIONS:
        raise UsageError(f"{output}: a report is written as {', '.join(EXTENSIONS)}")
    is_page = extension == ".html"
    _check_sections("--with", shown, ON_REQUEST)
    _check_sections("--without", without, SECTIONS)
    with (
        asking.open() as warehouse,
        progress_bar() as progress,
        translated_errors(warehouse.path),
    ):
        runs = selection.chosen(warehouse)
        note_waiting(warehouse, runs)
        found = gather_report(
            warehouse,
            measure or DEFAULT_MEASURES,
            program_version=__version__,
            qrels=selection.only_qrels,
            runs=runs,
            baseline=baseline,
            title=title,
            shown=shown or (),
            without=without or (),
            for_page=is_page,
            progress=progress,
        )
        if is_page:
            from evalsql.report.page.html_page import page

            text = page(found, PAGE_DIGITS if digits is None else digits)
        else:
            stream = StringIO()
            WRITERS[extension](found, stream, DIGITS if digits is None else digits)
            text = stream.getvalue()
        write_bytes(text.encode(), output, warehouse)


def _check_sections(option: str, given: Sequence[str] | None, known: Sequence[str]) -> None:
    if unknown := [name for name in given or () if name not in known]:
        raise UsageError(f"{option} {unknown[0]}: there is no such section; it takes {', '.join(known)}")


@grouped_options
def site(
    *,
    selection: RunSelection,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="Folder to write; a site in it is replaced.")
    ] = None,
    measure: Measures = None,
    baseline: Baseline = None,
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
    serve: Annotated[
        bool, typer.Option("--serve", help="Show the site on this machine and keep it current, until Ctrl-C.")
    ] = False,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port for --serve; 0 takes a free one.")] = 8000,
    asking: Asking,
) -> None:
    """A site of the warehouse, with a SQL console in the browser.

    There is a page for each judgment set, system, topic and measure. Any static host serves the folder.

    Example: evalsql site -o site --title "Our systems"
    """
    if (output is None) != serve:
        raise UsageError("a site is written to a folder, --output DIR, or shown here, --serve: name one of them")

    def write(folder: Path) -> Site:
        # The rows of the copy go through files beside the folder, which the engine may write.
        with (
            progress_bar() as progress,
            asking.open(folders=[str(part_of(folder))]) as warehouse,
            translated_errors(warehouse.path),
        ):
            _refuse_sources(folder, protected_files(warehouse))
            return write_site(
                warehouse,
                measure or DEFAULT_MEASURES,
                folder,
                program_version=__version__,
                qrels=selection.qrels_names,
                runs=selection.chosen(warehouse),
                baseline=baseline,
                title=title,
                depth=None if whole else depth,
                wasm=wasm,
                progress=progress,
            )

    if output is None:
        _serve(write, Path(asking.path), port)
        return
    check_folder(output)
    _tell(output, write(output))


def _serve(write: Callable[[Path], Site], warehouse: Path, port: int) -> None:
    """Show the site until Ctrl-C; where it cannot be written anew, the one before stays."""
    with scratch_folder() as scratch:
        folders = (Path(scratch) / f"site-{number}" for number in count(1))
        state, folder = state_of(warehouse), next(folders)
        written = write(folder)
        server = SiteServer(folder, port)
        try:
            server.start()
            note(f"{server.address} shows {counted(written.num_pages, 'page')} on this machine only; Ctrl-C ends it")

            def rewrite() -> None:
                following = next(folders)
                try:
                    write(following)
                except EvalsqlError as error:
                    note(f"the site was not rewritten: {error}")
                    return
                server.replace_folder(following)
                note("the warehouse changed; the site was rewritten")

            keep_current(warehouse, state, rewrite)
        finally:
            server.close()


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
