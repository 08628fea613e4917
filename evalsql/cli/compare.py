"""``evalsql compare``, ``explain``, ``table``, ``board``: differences between systems, on one collection or many."""

import csv
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import ClassVar, Literal

import typer

from evalsql.catalog.measure_names import COMPARED_MEASURES, DEFAULT_MEASURES, names_of_less_is_better, parse_measures
from evalsql.cli import options
from evalsql.cli.certainty import Estimating
from evalsql.cli.declare import Names, argument, command, flag, option
from evalsql.cli.options import QRELS, ArrangedOutput, AskingScores
from evalsql.cli.output import (
    OUTPUT,
    READ,
    SAYS_NO,
    OutputOptions,
    coverage_lines,
    note,
    note_waiting,
    text_output,
    with_words,
    write_file,
    write_table,
)
from evalsql.database.engine_errors import translated_errors
from evalsql.database.names import resolve_names, run_in_place
from evalsql.errors import UsageError
from evalsql.evaluation import explanation
from evalsql.evaluation.boards import board as board_of
from evalsql.evaluation.evaluation import TWO_METHODS
from evalsql.evaluation.gate_rules import read_parsed
from evalsql.evaluation.notices import explanation_lines
from evalsql.phrases import counted
from evalsql.report import comparison
from evalsql.report.paper import made_from, paper_board, paper_comparison, paper_table, read_paper
from evalsql.report.table import Table
from evalsql.report.terminal import DroppedColumns, for_stream
from evalsql.report.writers import DOCUMENTS
from evalsql.warehouse.warehouse import Warehouse

Test = Literal["t", "wilcoxon", "sign", "randomisation", "bootstrap", "tukey"]
Correction = Literal["holm", "bonferroni", "benjamini_hochberg", "benjamini_yekutieli", "none"]
PaperFormat = Literal["latex", "markdown"]
_DROPPED = DroppedColumns(
    ("note", "num_tests", "num_topics", "qrels", "baseline", "measure"),
    ("num_tests", "num_topics", "baseline_mean", "p"),
    ("mean", comparison.OUTCOMES, "note", comparison.INTERVAL),
)
_FORMATS = {".tex": "latex", ".md": "markdown"}


@dataclass(frozen=True)
class Testing:
    """How differences are tested, as ``Evaluation.comparison_query`` takes it."""

    heading: ClassVar = "Tests"
    test: Test = option("--test", "Which paired test.", "t")
    correction: Correction = option("--correction", "How p is corrected for several tests.", "holm")
    family: options.Family = options.FAMILY
    tolerance: float = option("--tolerance", "Difference up to which a topic is a tie.", 0, min=0)
    confidence: float = option("--confidence", "Level of the interval of the difference.", 0.95, min=0, max=1)
    intervals: Literal["t", "percentile", "bca"] = option(
        "--intervals", "By Student's t, bootstrap percentiles or BCa.", "t"
    )
    samples: int = option("--samples", "Samples of randomisation, bootstrap and tukey.", 10_000, min=1)
    seed: int = option("--seed", "Another seed gives other samples.", 42)


@dataclass(frozen=True)
class PaperOptions:
    heading: ClassVar = "In Markdown and LaTeX"
    order: Names = option("--order RUN", "The run on top, others by mean; can be repeated.", complete="runs")
    rename: Names = option("--rename RUN=NAME", "What a run is called; can be repeated.")
    daggers: bool = flag("--daggers", "With --all-pairs, mark differences to the baseline too.")
    relative: bool = flag("--relative", "The change of each mean to the baseline in percent.")

    def applied(
        self, warehouse: Warehouse, compared: Sequence[comparison.Comparison], pairs: str, chosen_format: str, base: str
    ) -> list[comparison.Comparison]:
        """The comparisons as shown; ``pairs`` is the SELECT of their pairs. UsageError for what does not fit."""
        given = [f"--{name}" for name, value in asdict(self).items() if value]
        if given and chosen_format not in DOCUMENTS:
            raise UsageError(f"{' and '.join(given)}: for --format markdown and latex, not for {chosen_format}")
        runs = {run for one in compared for run in one.runs}
        order = list(dict.fromkeys(_compared_run("--order", run, runs) for run in self.order))
        names = dict(_renamed(text, runs) for text in self.rename)
        how = {"beside": base if self.daggers else None, "changed_from": base if self.relative else None}
        return comparison.arranged(warehouse, compared, order, names, **how, pairs=pairs)


def _renamed(text: str, runs: Collection[str]) -> tuple[str, str]:
    """A run and its name, of RUN=NAME; a run may have an equals sign in its own."""
    run = max((each for each in runs if text.startswith(f"{each}=")), key=len, default=text.partition("=")[0])
    name = text[len(run) + 1 :].strip()
    if not name:
        raise UsageError(f'--rename: "{text}" has no name behind a run and =, as in bm25=BM25')
    return _compared_run("--rename", run, runs), name


def _compared_run(option: str, run: str, runs: Collection[str]) -> str:
    if run not in runs:
        raise UsageError(f'{option}: "{run}" is not among the runs compared: {", ".join(sorted(runs))}')
    return run


@command
def compare(
    *,
    base: str = argument("The baseline; with --all-pairs a run like the others.", ..., complete="runs"),
    selection: options.MeasuredRuns,
    testing: Testing,
    alpha: float = option("--alpha", "Corrected p below which a difference counts.", 0.05, min=0, max=1),
    all_pairs: bool = flag("--all-pairs", "Compare every run with every other."),
    estimating: Estimating,
    paper: PaperOptions,
    output: options.ArrangedOutput,
    asking: options.AskingRankingsAndScores,
) -> None:
    """Runs beside a baseline: how they differ and how surely.

    Each difference has an interval, p, p corrected for the number of tests, and topics won, tied and lost. In Markdown
    and LaTeX a table of systems by measures has superscripts for significant differences: daggers for those to the
    baseline, with --all-pairs the letters of the systems that are worse, with --daggers both. With --estimate
    differences and intervals are by a judge, corrected by what people judged; see evalsql help judges.

    Example: evalsql compare bm25 'rerank-*' -m nDCG@10,AP --test wilcoxon
    """
    with asking.open() as warehouse:
        if estimating.is_asked:
            how = {"baseline": None if all_pairs else base, "confidence": testing.confidence}
            estimating.write(warehouse, selection, output, **how)
            return
        base, runs = run_in_place(warehouse.database, base), selection.chosen(warehouse)
        note_waiting(warehouse, [base, *runs] if runs else ())
        parsed = parse_measures(selection.measure or COMPARED_MEASURES, warehouse.catalog)
        baseline, others = (None, [base, *(runs or ["*"])]) if all_pairs else (base, runs)
        tested = {**asdict(testing), "alpha": alpha, "qrels": selection.qrels}
        query, table, compared = comparison.compare_runs(warehouse, baseline, others, parsed, **tested)
        chosen = output.chosen_format
        compared = paper.applied(warehouse, compared, query, chosen, base)
        described = ""
        if chosen in DOCUMENTS:
            if output.sort or output.limit:
                raise UsageError(f"--sort and --limit are for rows; --order says which runs stand first in {chosen}")
            with text_output(output.path, warehouse) as stream:
                stream.write(DOCUMENTS[chosen]([one.table(output.digits) for one in compared], output.digits))
        else:
            described = f"{100 * testing.confidence:g}% intervals by {comparison.INTERVALS[testing.intervals]}"
            rows = output.first_rows(output.table_of(warehouse, query) if output.sort else table)
            if output.is_drawn:
                described += f"; {comparison.OUTCOMES}: topics won, tied and lost"
                rows = comparison.difference_columns(rows, output.digits, alpha, names_of_less_is_better(parsed))
            write_table(rows, output, warehouse, _DROPPED)
        for one in compared:
            _note_results(one, described)
            if described and testing.intervals != "t" and one.is_told_apart:
                note(TWO_METHODS.format("topics"))
            if output.is_drawn and not all_pairs:  # a narrow terminal does without the column of these
                means = {name: one.means[base, name] for name in one.measures if (base, name) in one.means}
                shown = ", ".join(f"{name} {mean:.{output.digits}f}" for name, mean in means.items())
                note(f"{one.qrels}: {base} has {shown}")
            note(*coverage_lines(warehouse, [one.qrels], one.runs, parsed))
        if not all_pairs:
            evaluated = {base, *(run for one in compared for run in one.runs)}
            for run in sorted({*resolve_names(warehouse.database, "run", runs or "*")} - evaluated):
                note(f"{run}: left out, no judgment set evaluates it and {base}")


_LESS = DroppedColumns(spare=("ideal_value", "ideal_grade", "ideal_document", "value"))  # than what documents say


@command
def explain(
    *,
    run: str = argument("The run.", ..., complete="runs"),
    topic: str = argument("The topic.", ...),
    measure: Names = option("--measure -m MEASURE", f"By default {DEFAULT_MEASURES[0]}.", complete="measures"),
    other: str | None = option("--other RUN", "Show the documents that differ, largest first.", complete="runs"),
    qrels: Names = options.ONE_QRELS,
    depth: int = option("--depth", "Documents to explain; the rest is one number.", explanation.DEPTH, min=1),
    texts: bool = options.WORDS,
    output: OutputOptions,
    asking: options.AskingRankings,
) -> None:
    """What each document of a ranking contributes to a measure.

    A document contributes the value of the list down to it less the value of the list above it: with the value of the
    empty list, which has a row of its own if it is not 0, contributions add up to the value of the whole list. The
    ideal ranking beside it has the judged documents in the order of their grades.

    Example: evalsql explain dense T01 -m AP --other bm25
    """
    with asking.open() as warehouse:
        asked, judged = options.only_one(measure, "-m") or DEFAULT_MEASURES[0], options.only_one(qrels, "--qrels")
        of = warehouse.evaluation, run, topic
        found = explanation.explain(*of, measure=asked, other=other, qrels=judged, depth=depth)
        with translated_errors(warehouse.path):
            rows = found.rows.fetchall()
        table = Table(found.rows.columns, rows, found.counts)
        write_table(with_words(warehouse, table) if texts else table, output, warehouse, _LESS if texts else None)
    note(*explanation_lines(found, depth, output.digits))


@command
def table(
    *,
    description: Path = argument("A TOML file with systems, measures, test, order and caption.", ..., metavar="FILE"),
    check: bool = flag("--check", "Write nothing; exit with 1 where --output is not what would be written."),
    output: Path | None = OUTPUT,
    form: PaperFormat | None = option("--format", "By default what --output's extension says, else latex."),
    asking: options.AskingRankings,
) -> None:
    """A paper's table, described in a TOML file.

    The same call makes it again when runs have changed. evalsql help reports has the keys of the file.

    Example: evalsql table paper.toml -o table.tex
    """
    if check and output is None:
        raise UsageError("--check compares with a file, name it with --output")
    chosen = form or ("latex" if output is None else _FORMATS.get(output.suffix.lower()))
    if chosen is None:
        raise UsageError(f"{output}: say which --format; the extensions known are {', '.join(_FORMATS)}")
    paper = read_paper(description)
    with asking.open() as warehouse:
        if paper.collections:
            shown, names, notes = paper_board(warehouse, paper)
        else:
            compared = paper_comparison(warehouse, paper)
            shown, names = paper_table(paper, compared), {run: compared.name(run) for run in compared.runs}
            _note_results(compared, "")
            notes = coverage_lines(warehouse, [compared.qrels], compared.runs)
        made = made_from(paper, names, "system" if paper.collections else "run") if chosen == "latex" else ""
        made += DOCUMENTS[chosen]([shown], paper.digits)
        note(*notes)
        if not check or output is None:
            with text_output(output, warehouse, description) as stream:
                stream.write(for_stream(made, stream))
            return
    try:
        held = output.read_bytes()
    except OSError as error:
        raise UsageError(f"{output}: cannot be read: {error.strerror}") from error
    if held != made.encode():
        note(f"{output}: is not what would be written now; the same call without --check writes it")
        raise typer.Exit(SAYS_NO)


def _note_results(compared: comparison.Comparison, intervals: str) -> None:
    significant = sum(pair["p_corrected"] < compared.alpha for pair in compared.pairs)
    lines = [f"{significant} of {len(compared.pairs)} differences significant; {compared.how}", compared.tested]
    if identical := sum(pair["note"] == "identical" for pair in compared.pairs):
        lines.append(f"{counted(identical, 'pair has', 'pairs have')} the same value for every topic, p = 1")
    note(*(f"{compared.qrels}: {text}" for text in (*lines, intervals, *compared.notes) if text))


@dataclass(frozen=True)
class Placing:
    """How systems are placed, as parameters of ``board_places``."""

    mean: Literal["macro", "micro", "borda", "wins", "standardised"] = option(
        "--mean", "What systems are placed by.", "macro"
    )
    missing: Literal["complete", "common", "any"] = option(
        "--missing",
        "Leave out systems that lack a collection (complete), take the collections that all have (common), or average "
        "what each has (any).",
        "complete",
    )
    versions: Literal["last", "all"] = option("--versions", "One version of each system, or a row for each.", "last")
    draw: Literal["topics", "collections"] = option("--draw", "Topics within collections, or these alone.", "topics")
    intervals: Literal["percentile", "expanded"] = option(
        "--intervals", "Bootstrap percentiles, or wider ones that make up for few collections.", "percentile"
    )
    confidence: float = option("--confidence", "Level of the intervals.", 0.95, min=0, max=1)
    samples: int = option("--samples", "Samples of collections.", 10_000, min=1)
    seed: int = option("--seed", "Another seed gives other samples.", 42)


@command
def board(
    *,
    systems: Names = argument("Systems, or globs of names; all by default.", complete="systems"),
    measure: str = option("--measure -m MEASURE", "Which one.", DEFAULT_MEASURES[0], complete="measures"),
    collections: Names = option("--collections NAME", "Collection, or a glob of names; can be repeated."),
    baseline: str | None = option("--baseline SYSTEM", "Compare the others with this one.", complete="systems"),
    where: str | None = option("--where CONDITION", "Runs of which this is true, such as \"version <> 'external'\"."),
    qrels: Names = QRELS,
    clusters: Path | None = option("--clusters FILE", "CSV or TSV of collection and cluster: what is drawn together."),
    placing: Placing,
    title: str = option("--title TEXT", "What stands above the page.", "Board"),
    output: ArrangedOutput,
    asking: AskingScores,
) -> None:
    """Systems over many collections: places, and how sure they are.

    Each system has its value on each collection, the mean, and its place with a bootstrap interval, as in 3 (1-14). A
    rule stands above the first system that is separated from the first one above it. With --baseline differences over
    collections stand there, each with interval, p, and collections won, tied and lost. An --output with the extension
    .html is a page that sorts and filters.

    Example: evalsql board 'rerank-*' dense -m AP --missing common
    """
    from evalsql.report.display import board_table, pairs_table
    from evalsql.report.page.report_formats import PAGE_DIGITS
    from evalsql.report.page.single_pages import board_page

    with asking.open() as warehouse:
        found = board_of(
            warehouse.evaluation,
            systems,
            measure,
            baseline=baseline,
            collections=collections,
            qrels=qrels,
            where=where,
            clusters=None if clusters is None else _read_clusters(clusters),
            **asdict(placing),
        )
        if output.path is not None and output.path.suffix.lower() == ".html" and baseline is None:
            write_file(board_page(warehouse.database, found, title, PAGE_DIGITS), output.path, warehouse)
            note(*found.notes)
            return
        table = output.first_rows(output.table_of(warehouse, found.query, found.lower))
        if output.chosen_format in READ:
            read = board_table if baseline is None else pairs_table
            table = read(table, output.digits, collections=found.collections, lower=found.lower)
        write_table(table, output, warehouse, DroppedColumns(("version",), spare=("version", *found.collections)))
    note(*found.notes)


def _read_clusters(path: Path) -> Mapping[str, str]:
    """The cluster of each collection, of a table with these two columns; raises UsageError with file and line."""
    sign = "\t" if path.suffix.lower() == ".tsv" else ","
    _, rows = read_parsed(path, lambda text: list(csv.reader(text.splitlines(), delimiter=sign)), "table of clusters")
    found: dict[str, str] = {}
    for line, row in enumerate(rows, start=1):
        cells = [cell.strip() for cell in row]
        if cells in ([], ["collection", "cluster"]):
            continue
        if len(cells) != 2 or not all(cells) or cells[0] in found:
            raise UsageError(f"{path}:{line}: expected a collection, which is there once, and its cluster")
        found[cells[0]] = cells[1]
    if not found:
        raise UsageError(f"{path}: is empty; expected lines such as CQADupstackUnix,CQADupstack")
    return found
