"""``evalsql report``, ``site``, ``chart`` and ``curve``: pages, pictures, and points of curves."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from itertools import count, product
from pathlib import Path
from typing import Any, ClassVar, Literal

from evalsql.catalog.measure_names import parse_measures
from evalsql.cli import options
from evalsql.cli.declare import Names, argument, command, flag, option, parse_word
from evalsql.cli.output import OutputOptions, note, note_waiting, progress_bar, protected_files, write_file, write_table
from evalsql.database.disk import part_of, scratch_folder
from evalsql.database.engine_errors import translated_errors
from evalsql.database.names import resolve_names
from evalsql.errors import EvalsqlError, UsageError
from evalsql.phrases import counted
from evalsql.report import charts
from evalsql.report.page import report_formats as formats
from evalsql.report.page.report_data import MOST_THRESHOLDS, ON_REQUEST, gather_report
from evalsql.report.site.console_page import DEPTH, Copy
from evalsql.report.table import Table
from evalsql.report.writers import known_extension
from evalsql.warehouse.warehouse import Warehouse

_DRAWN = "charts are drawn"


@dataclass(frozen=True)
class LookOptions:
    heading: ClassVar = "How it is drawn"
    width: int | None = option("--width PIXELS", "Width of the chart.", min=50, max=20_000)
    height: int | None = option("--height PIXELS", "Height of the chart.", min=50, max=20_000)
    title: str | None = option("--title TEXT", 'What stands above the chart; "" is nothing.')
    lines: int | None = option(
        "--lines N", f"Draw the N best; by default {charts.MOST_LINES} lines, or all named.", min=1
    )

    def write(self, warehouse: Warehouse, name: str, table: Table, output: Path) -> None:
        look: dict[str, Any] = {"width": self.width, "height": self.height, "title": self.title}
        drawn = charts.Chart(name, table, styles=charts.styles(warehouse), **look)
        write_file(drawn.draw(output.suffix.lower()), output, warehouse)


@command
def chart(
    *,
    name: str = argument(
        "agreement of measures, calls (recall after each search for a topic), differences by topic to a baseline, "
        "distribution over topics, histogram of differences to a baseline, history of systems, judges (agreement of "
        "judgment sets, those beside --qrels or all), leaderboard with intervals, pareto (a measure against a cost), "
        "pr (mean over topics), "
        "pr_levels (by topic, of one run), roc, scatter of a run and a baseline by topic, slope (order by two "
        "measures), tap, topics by systems, unjudged documents by rank.",
        ...,
        metavar="NAME",
        parser=partial(parse_word, words=charts.NAMES),
    ),
    output: Path = option("--output -o FILE", "Where to: .png, .svg, .pdf or .html.", ...),
    selection: options.RunsOfOneSet,
    baseline: str | None = option(
        "--baseline RUN", "Compared with, in differences, histogram and scatter.", complete="runs"
    ),
    look: LookOptions,
    asking: options.AskingRankings,
) -> None:
    """A chart of the report as a picture or a page.

    A system has the same colour in every chart. The points of curves, and more of their options: evalsql curve.

    Example: evalsql chart pr bm25 dense -o pr.svg
    """
    known_extension(output, charts.EXTENSIONS, _DRAWN)
    with asking.open() as warehouse, translated_errors(warehouse.path):
        drawn = charts.drawing(warehouse, name, **selection.arguments(warehouse), baseline=baseline, **asdict(look))
        write_file(drawn.draw(output.suffix.lower()), output, warehouse)
    note(*drawn.notes)


@command
def curve(
    *,
    kind: Literal["pr", "roc", "tap"] = argument(
        "pr: precision at eleven levels of recall, mean over topics; roc: true against false positive rate, "
        "topics pooled by score; tap: false positives by score, and where TAP-k cuts.",
        ...,
    ),
    selection: options.RunSelection,
    topic: Names = option("--topic NAME", "A curve for this topic (pr, roc); can be repeated."),
    rel: int = option("--rel", "Least grade that counts as relevant.", 1, min=0),
    k: int = option("--k", "False positives at which TAP-k cuts (tap).", 5, min=1),
    quantile: float = option("--quantile", "Share of topics that must have so many (tap).", 0.5),
    chart: Path | None = option("--chart FILE", "Draw it to this file: .png, .svg, .pdf or .html."),
    look: LookOptions,
    output: OutputOptions,
    asking: options.AskingRankings,
) -> None:
    """Points of precision-recall, ROC and TAP curves, and charts.

    Example: evalsql curve roc bm25 dense --chart roc.svg
    """
    if chart is not None:
        known_extension(chart, charts.EXTENSIONS, _DRAWN)
        if chart == output.path:
            raise UsageError(f"{chart}: the chart and its points go to files of their own")
    _ = output.chosen_format  # an unknown extension is refused before the work
    if topic and kind == "tap":
        raise UsageError("the threshold of TAP-k is common to all topics; --topic is for pr and roc")
    arguments = {"k": k, "rel": rel, "quantile": quantile} if kind == "tap" else {"rel": rel}
    with asking.open() as warehouse:
        runs, qrels = selection.chosen(warehouse), selection.qrels
        query = warehouse.evaluation.curve_query(kind, runs=runs, qrels=qrels, topics=topic, **arguments)
        table = Table(*warehouse.database.table(query))
        if not table.rows or topic:
            _note_missing(warehouse, table, runs or ["*"], topic)
        if chart is not None:
            drawn, most = table, charts.most_lines(look.lines, runs, runs)
            if most is not None and len({*table.values("run")}) > most:
                (measure,) = parse_measures(["AP"], warehouse.catalog)
                best, notes = charts.best_runs(warehouse, measure, qrels, runs, most)
                note(*notes)
                at = table.columns.index("run")
                drawn = table._replace(rows=[row for row in table.rows if row[at] in best])
            look.write(warehouse, kind + ("_topics" if topic else ""), drawn, chart)
        write_table(table, output, warehouse)


def _note_missing(warehouse: Warehouse, table: Table, runs: Sequence[str], topics: Names) -> None:
    drawn = {*(table.picked("run", "topic") if topics else ((run, "") for run in table.values("run")))}
    for run, topic in product(resolve_names(warehouse.database, "run", runs), topics or [""]):
        if (run, topic) not in drawn:
            note(f"{run}{f' on {topic}' if topic else ''} has no curve: nothing is retrieved, or of one kind only")


@command
def report(
    *,
    selection: options.RunsOfOneSet,
    output: Path = option("--output -o FILE", f"By extension: {', '.join(formats.EXTENSIONS)}.", Path("report.html")),
    baseline: str | None = options.BASELINE,
    family: options.Family = options.FAMILY,
    title: str = option("--title TEXT", "What stands above the report.", ""),
    shown: Names = option(
        "--with SECTION", f"Show this too: {', '.join(ON_REQUEST)} (of over {MOST_THRESHOLDS} runs); can be repeated."
    ),
    without: Names = option("--without SECTION", f"Leave it out: {', '.join(formats.SECTIONS)}; can be repeated."),
    digits: int | None = option(
        "--digits", f"Decimals; {formats.PAGE_DIGITS} on a page, else {formats.DIGITS}.", min=0, max=17
    ),
    asking: options.AskingRankingsAndScores,
) -> None:
    """A report of systems on one judgment set.

    It is Markdown, LaTeX, JSON or a page that needs no network. The page says who wins, by how much and whether that is
    sure, on which topics it loses and to which documents, what to doubt, and where the data comes from.

    Example: evalsql report 'rerank-*' bm25 -m nDCG@10,AP -o report.html
    """
    extension = known_extension(output, formats.EXTENSIONS, "a report is written")
    formats.check_sections({"--with": shown, "--without": without})
    with asking.open() as warehouse, progress_bar() as progress, translated_errors(warehouse.path):
        from evalsql.report.page.html_page import report_text

        asked = {**selection.arguments(warehouse), "baseline": baseline, "family": family, "title": title}
        note_waiting(warehouse, asked["runs"])
        asked |= {"shown": shown, "without": without, "progress": progress}
        found = gather_report(warehouse, **asked, for_page=extension == ".html")
        write_file(report_text(found, extension, digits), output, warehouse)


@command
def site(
    *,
    selection: options.MeasuredRuns,
    output: Path | None = option("--output -o DIR", "Folder to write; a site in it is replaced."),
    baseline: str | None = options.BASELINE,
    family: options.Family = options.FAMILY,
    title: str = option("--title TEXT", "What stands above the site.", ""),
    depth: int = option("--depth N", "Documents of each ranking that readers can ask for.", DEPTH, min=1),
    whole: bool = flag("--whole", "Let readers ask for whole rankings."),
    wasm: Path | None = option("--wasm DIR", "Unpacked npm package @duckdb/duckdb-wasm; else readers need its CDN."),
    serve: bool = flag("--serve", "Show the site on this machine and keep it current, until Ctrl-C."),
    port: int = option("--port", "Port for --serve; 0 takes a free one.", 8000, min=0, max=65535),
    asking: options.AskingRankings,
) -> None:
    """A site of the warehouse, with a SQL console in the browser.

    There is a page for each judgment set, system, topic and measure. Any static host serves the folder.

    Example: evalsql site -o site --title "Our systems"
    """
    if (output is None) != serve:
        raise UsageError("a site is written to a folder, --output DIR, or shown here, --serve: name one of them")

    from evalsql.report.site.site_folder import check_folder, write_site
    from evalsql.report.site.site_parts import gather

    def write(folder: Path) -> tuple[int, int, Copy]:
        # The rows of the copy go through files beside the folder, which the engine may write.
        reached = asking.open(folders=[str(part_of(folder))])
        with progress_bar() as progress, reached as warehouse, translated_errors(warehouse.path):
            for path in protected_files(warehouse):
                if folder.resolve() in path.resolve().parents:
                    raise UsageError(f"{folder}: holds {path}, which is in use here; name another folder")
            asked = {**selection.arguments(warehouse), "baseline": baseline, "family": family, "progress": progress}
            found = gather(warehouse, **asked)
            held = None if whole else depth
            return write_site(warehouse, found, folder, title=title, depth=held, wasm=wasm, progress=progress)

    if output is None:
        _serve(write, Path(asking.path), port)
        return
    check_folder(output)
    num_pages, size, copy = write(output)
    held = f"the first {copy.depth} documents of each ranking" if copy.depth else "whole rankings"
    pages = f"{counted(num_pages, 'page')}, {size / 1e6:.1f} MB"
    note(f"wrote {output}: {pages}; readers can ask for {held}. To look at it: python -m http.server -d {output}")


def _serve(write: Callable[[Path], tuple[int, int, Copy]], warehouse: Path, port: int) -> None:
    """Show the site until Ctrl-C; where it cannot be written anew, the one before stays."""
    from evalsql.report.site.site_folder import SiteServer, changes, state_of

    with scratch_folder() as scratch:
        folders = (Path(scratch) / f"site-{number}" for number in count(1))
        state, folder = state_of(warehouse), next(folders)
        num_pages, *_ = write(folder)
        with closing(SiteServer(folder, port)) as server:
            note(f"{server.address} shows {counted(num_pages, 'page')} on this machine only; Ctrl-C ends it")
            for _ in changes(warehouse, state):
                try:
                    write(following := next(folders))
                except EvalsqlError as error:
                    note(f"the site was not rewritten: {error}")
                else:
                    server.replace_folder(following)
                    note("the warehouse changed; the site was rewritten")
