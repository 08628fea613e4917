"""``evalsql report`` and ``site``: a page of one judgment set, or a folder of pages with a SQL console."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from itertools import count
from pathlib import Path

from evalsql.cli.access import Asking, AskingScores
from evalsql.cli.options import BASELINE, MeasuredRuns, Names, RunsOfOneSet, command, flag, option
from evalsql.cli.output import note, note_waiting, progress_bar, protected_files, write_file
from evalsql.database.database import translated_errors
from evalsql.database.disk import part_of, scratch_folder
from evalsql.errors import EvalsqlError, UsageError
from evalsql.phrases import counted
from evalsql.report.page.report_data import MOST_THRESHOLDS, ON_REQUEST, gather_report
from evalsql.report.page.report_formats import DIGITS, EXTENSIONS, PAGE_DIGITS, SECTIONS, WRITERS
from evalsql.report.site.published_copy import DEPTH
from evalsql.report.site.site_data import gather
from evalsql.report.site.site_server import SiteServer, keep_current, state_of
from evalsql.report.site.write_site import Site, check_folder, write_site


@command
def report(
    *,
    selection: RunsOfOneSet,
    output: Path = option(
        "--output -o FILE", f"Where to: {', '.join(EXTENSIONS)} tells the format.", Path("report.html")
    ),
    baseline: str | None = BASELINE,
    title: str = option("--title TEXT", "What stands above the report.", ""),
    shown: Names = option(
        "--with SECTION",
        f"Show this too: {', '.join(ON_REQUEST)} (this of over {MOST_THRESHOLDS} runs); can be repeated.",
    ),
    without: Names = option("--without SECTION", f"Leave it out: {', '.join(SECTIONS)}; can be repeated."),
    digits: int | None = option(
        "--digits", f"Decimals, where people read; {PAGE_DIGITS} on a page, else {DIGITS}.", min=0, max=17
    ),
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
    for name, given, known in (("--with", shown, ON_REQUEST), ("--without", without, SECTIONS)):
        if unknown := [section for section in given or () if section not in known]:
            raise UsageError(f"{name} {unknown[0]}: there is no such section; it takes {', '.join(known)}")
    is_page = extension == ".html"
    with asking.open() as warehouse, progress_bar() as progress, translated_errors(warehouse.path):
        runs = selection.chosen(warehouse)
        note_waiting(warehouse, runs)
        found = gather_report(
            warehouse,
            selection.measures,
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
        write_file(text, output, warehouse)


@command
def site(
    *,
    selection: MeasuredRuns,
    output: Path | None = option("--output -o DIR", "Folder to write; a site in it is replaced."),
    baseline: str | None = BASELINE,
    title: str = option("--title TEXT", "What stands above the site.", ""),
    depth: int = option("--depth N", "Documents of each ranking that readers can ask for.", DEPTH, min=1),
    whole: bool = flag("--whole", "Let readers ask for whole rankings."),
    wasm: Path | None = option(
        "--wasm DIR",
        "Unpacked npm package @duckdb/duckdb-wasm, for a site that needs no network; else readers fetch it "
        "from its CDN.",
    ),
    serve: bool = flag("--serve", "Show the site on this machine and keep it current, until Ctrl-C."),
    port: int = option("--port", "Port for --serve; 0 takes a free one.", 8000, min=0, max=65535),
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
            for path in map(Path, protected_files(warehouse)):
                if path.exists() and folder.resolve() in path.resolve().parents:
                    raise UsageError(f"{folder}: holds {path}, which is in use here; name another folder")
            found = gather(
                warehouse,
                selection.measures,
                qrels=selection.qrels_names,
                runs=selection.chosen(warehouse),
                baseline=baseline,
                progress=progress,
            )
            held = None if whole else depth
            return write_site(warehouse, found, folder, title=title, depth=held, wasm=wasm, progress=progress)

    if output is None:
        _serve(write, Path(asking.path), port)
        return
    check_folder(output)
    written = write(output)
    held = f"the first {written.copy.depth} documents of each ranking" if written.copy.depth else "whole rankings"
    size = f"{counted(written.num_pages, 'page')}, {written.size / 1e6:.1f} MB"
    note(f"{output}: {size}; readers can ask for {held}. To look at it: python -m http.server -d {output}")


def _serve(write: Callable[[Path], Site], warehouse: Path, port: int) -> None:
    """Show the site until Ctrl-C; where it cannot be written anew, the one before stays."""
    with scratch_folder() as scratch:
        folders = (Path(scratch) / f"site-{number}" for number in count(1))
        state, folder = state_of(warehouse), next(folders)
        written = write(folder)
        server = SiteServer(folder, port)

        def rewrite() -> None:
            following = next(folders)
            try:
                write(following)
            except EvalsqlError as error:
                note(f"the site was not rewritten: {error}")
                return
            server.replace_folder(following)
            note("the warehouse changed; the site was rewritten")

        try:
            server.start()
            note(f"{server.address} shows {counted(written.num_pages, 'page')} on this machine only; Ctrl-C ends it")
            keep_current(warehouse, state, rewrite)
        finally:
            server.close()
