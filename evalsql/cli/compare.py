"""``evalsql compare`` and ``table``: differences between runs, whether they are significant, tables of papers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Annotated, Literal

import typer

from evalsql.catalog.measure_names import COMPARED_MEASURES, names_of_less_is_better, parse_measures
from evalsql.cli.access import Asking, AskingScores
from evalsql.cli.options import Arrangement, Measures, RunSelection, complete_runs, grouped_options
from evalsql.cli.output import (
    Output,
    OutputOptions,
    note,
    note_coverage,
    note_waiting,
    refuse_protected,
    write_bytes,
    write_table,
)
from evalsql.database.names import resolve_names
from evalsql.errors import UsageError
from evalsql.phrases import counted
from evalsql.report import comparison
from evalsql.report.comparison import Comparison, compare_runs, in_order, with_changes
from evalsql.report.paper import made_from, paper_comparison, read_paper
from evalsql.report.table import Table
from evalsql.report.terminal import DroppedColumns
from evalsql.warehouse.warehouse import Warehouse

Test = Literal["t", "wilcoxon", "sign", "randomisation", "bootstrap", "tukey"]
Intervals = Literal["t", "percentile", "bca"]
Correction = Literal["holm", "bonferroni", "benjamini_hochberg", "benjamini_yekutieli", "none"]
_EXPLAINED = f"{comparison.OUTCOMES}: topics won, tied and lost"
_DROPPED = DroppedColumns(
    ("note", "num_tests", "num_topics", "qrels", "baseline", "measure"),
    ("num_tests", "num_topics", "baseline_mean", "p"),
    ("mean", comparison.OUTCOMES, "note", comparison.INTERVAL),
)
_WRITERS = {"markdown": comparison.write_markdown, "latex": comparison.write_latex}


@dataclass(frozen=True)
class PaperOptions:
    """What only a table in Markdown or LaTeX follows."""

    order: Annotated[
        list[str] | None,
        typer.Option(
            "--order",
            metavar="RUN",
            autocompletion=complete_runs,
            help="In Markdown and LaTeX the run that stands first; can be repeated. Others follow by their mean.",
        ),
    ] = None
    rename: Annotated[
        list[str] | None,
        typer.Option(
            "--rename", metavar="RUN=NAME", help="In Markdown and LaTeX what a run is called; can be repeated."
        ),
    ] = None

    daggers: Annotated[
        bool,
        typer.Option(
            "--daggers",
            help="In Markdown and LaTeX, with --all-pairs, mark also what is better and worse than the baseline.",
        ),
    ] = False
    relative: Annotated[
        bool,
        typer.Option("--relative", help="In Markdown and LaTeX the change of each mean to the baseline in percent."),
    ] = False

    def applied(
        self, warehouse: Warehouse, compared: Sequence[Comparison], pairs: str, chosen_format: str, base: str
    ) -> list[Comparison]:
        """The comparisons as these options show them; ``pairs`` is the SELECT of their pairs.

        Raises:
            UsageError: the format has no such table, or a run is not among those compared.
        """
        given = {"--order": self.order, "--rename": self.rename, "--daggers": self.daggers, "--relative": self.relative}
        asked = [option for option, value in given.items() if value]
        if asked and chosen_format not in ("markdown", "latex"):
            raise UsageError(f"{' and '.join(asked)}: for --format markdown and latex, not for {chosen_format}")
        runs = {run for one in compared for run in one.runs}
        order, names = _known_order(self.order or (), runs), _parsed_names(self.rename or (), runs)
        shown = in_order(compared, order, names, base if self.daggers else None)
        return with_changes(warehouse, shown, pairs, base) if self.relative else shown


def _known_order(order: Sequence[str], runs: Collection[str]) -> list[str]:
    for run in order:
        _check_compared("--order", run, runs)
    return list(dict.fromkeys(order))


def _parsed_names(given: Sequence[str], runs: Collection[str]) -> Mapping[str, str]:
    names = {}
    for text in given:
        # A run may have an equals sign in its name.
        fitting = [run for run in runs if text.startswith(f"{run}=")]
        run = max(fitting, key=len, default=text.partition("=")[0])
        name = text[len(run) + 1 :].strip()
        if not name:
            raise UsageError(f'--rename: "{text}" has no name behind a run and =, as in bm25=BM25')
        _check_compared("--rename", run, runs)
        names[run] = name
    return names


def _check_compared(option: str, run: str, runs: Collection[str]) -> None:
    if run not in runs:
        raise UsageError(f'{option}: "{run}" is not among the runs compared: {", ".join(sorted(runs))}')


@grouped_options
def compare(
    *,
    base: Annotated[
        str, typer.Argument(autocompletion=complete_runs, help="The baseline; with --all-pairs a run like the others.")
    ],
    selection: RunSelection,
    measure: Measures = None,
    test: Annotated[Test, typer.Option(help="Which paired test.")] = "t",
    correction: Annotated[Correction, typer.Option(help="How p is corrected for several tests.")] = "holm",
    family: Annotated[
        Literal["all", "measure"],
        typer.Option(help="What is corrected together: everything shown, or each measure by itself."),
    ] = "all",
    alpha: Annotated[float, typer.Option(min=0, max=1, help="Corrected p below which a difference counts.")] = 0.05,
    tolerance: Annotated[float, typer.Option(min=0, help="Difference up to which a topic is a tie.")] = 0,
    confidence: Annotated[float, typer.Option(min=0, max=1, help="Level of the interval of the difference.")] = 0.95,
    intervals: Annotated[
        Intervals, typer.Option(help="By Student's t, or by bootstrap: percentiles, or these corrected (BCa).")
    ] = "t",
    samples: Annotated[int, typer.Option(min=1, help="Samples of randomisation, bootstrap and tukey.")] = 10_000,
    seed: Annotated[int, typer.Option(help="Another seed gives other samples.")] = 42,
    all_pairs: Annotated[bool, typer.Option("--all-pairs", help="Compare every run with every other.")] = False,
    arrangement: Arrangement,
    paper: PaperOptions,
    output: OutputOptions,
    asking: AskingScores,
) -> None:
    """Runs beside a baseline: how they differ and how surely.

    Each difference has an interval, p, p corrected for the number of tests, and topics won, tied and lost.

    In Markdown and LaTeX a table of systems by measures: superscripts name the systems significantly worse or, with a
    baseline, say what is significantly better and worse than it; with --all-pairs and --daggers both.

    Example: evalsql compare bm25 'rerank-*' -m nDCG@10,AP --test wilcoxon
    """
    with asking.open() as warehouse:
        runs = selection.chosen(warehouse)
        note_waiting(warehouse, [base, *runs] if runs else ())
        parsed = parse_measures(measure or COMPARED_MEASURES, warehouse.catalog)
        lower = names_of_less_is_better(parsed)
        query, table, compared = compare_runs(
            warehouse,
            None if all_pairs else base,
            [base, *(runs or ["*"])] if all_pairs else runs,
            parsed,
            alpha=alpha,
            qrels=selection.qrels_names,
            test=test,
            correction=correction,
            family=family,
            tolerance=tolerance,
            confidence=confidence,
            intervals=intervals,
            samples=samples,
            seed=seed,
        )
        chosen = output.chosen_format
        compared = paper.applied(warehouse, compared, query, chosen, base)
        if chosen in _WRITERS:
            if arrangement != Arrangement():
                raise UsageError(f"--sort and --limit are for rows; --order says which runs stand first in {chosen}")
            _write_paper_table(compared, output, warehouse)
            described = ""
        else:
            if arrangement.sort:
                table = Table(*warehouse.database.table(arrangement.sorted_query(warehouse, query)))
            rows = arrangement.first_rows(table)
            rows = comparison.difference_columns(rows, output.digits, alpha, lower) if output.is_drawn else rows
            write_table(rows, output, warehouse, _DROPPED)
            described = f"{100 * confidence:g}% intervals by {comparison.INTERVALS[intervals]}"
        for one in compared:
            note_results(one, f"{described}; {_EXPLAINED}" if output.is_drawn else described)
            if output.is_drawn and not all_pairs:
                _note_baseline(one, base, output.digits)
            note_coverage(warehouse, [one.qrels], one.runs)
        if not all_pairs:
            _note_left_out(resolve_names(warehouse.database, "run", runs or "*"), base, compared)


def _write_paper_table(compared: Sequence[comparison.Comparison], output: OutputOptions, warehouse: Warehouse) -> None:
    """Write systems by measures in Markdown or LaTeX to the file, or else to standard output."""
    text = StringIO()
    _WRITERS[output.chosen_format](compared, text, output.digits)
    if output.path is None:
        typer.echo(text.getvalue(), nl=False)
    else:
        write_bytes(text.getvalue().encode(), output.path, warehouse)


def _note_baseline(compared: comparison.Comparison, base: str, digits: int) -> None:
    """The baseline's own means, whose column a narrow terminal does without."""
    means = compared.means
    shown = (f"{name} {means[base, name]:.{digits}f}" for name in compared.measures if (base, name) in means)
    note(f"{compared.qrels}: {base} has {', '.join(shown)}")


def _note_left_out(runs: Sequence[str], base: str, compared: Sequence[comparison.Comparison]) -> None:
    """Name the runs that no judgment set evaluates beside the baseline."""
    for run in sorted({*runs} - {base, *(name for one in compared for name in one.runs)}):
        note(f"{run}: left out, no judgment set evaluates it and {base}")


_FORMATS = {".tex": "latex", ".md": "markdown"}


@grouped_options
def table(
    *,
    description: Annotated[
        Path, typer.Argument(metavar="FILE", help="A TOML file with systems, measures, test, order and caption.")
    ],
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit with 1 where --output is not what would be written.")
    ] = False,
    output: Output = None,
    written_as: Annotated[
        Literal["latex", "markdown"] | None,
        typer.Option("--format", help="By default what --output's extension says, else latex."),
    ] = None,
    asking: Asking,
) -> None:
    """A paper's table, described in a TOML file.

    The same call makes it again when runs have changed. evalsql help reports has the keys of the file.

    Example: evalsql table paper.toml -o table.tex
    """
    if check and output is None:
        raise UsageError("--check compares with a file, name it with --output")
    if output is not None and written_as is None and output.suffix.lower() not in _FORMATS:
        raise UsageError(f"{output}: say which --format; the extensions known are {', '.join(_FORMATS)}")
    chosen = written_as or ("latex" if output is None else _FORMATS[output.suffix.lower()])
    paper = read_paper(description)
    with asking.open() as warehouse:
        compared = paper_comparison(warehouse, paper)
        text = StringIO(made_from(paper, compared) if chosen == "latex" else "")
        text.seek(0, 2)
        write = comparison.write_latex if chosen == "latex" else comparison.write_markdown
        write([compared], text, paper.digits)
        note_results(compared, "")
        note_coverage(warehouse, [compared.qrels], compared.runs)
        content = text.getvalue().encode()
        if check and output is not None:
            _check(output, content)
        elif output is not None:
            refuse_protected(output, warehouse, description)
            write_bytes(content, output)
        else:
            typer.echo(text.getvalue(), nl=False)


def note_results(compared: comparison.Comparison, intervals: str) -> None:
    """Say below a table what was tested, how many differences are significant, and by which intervals."""
    significant = sum(pair["p_corrected"] < compared.alpha for pair in compared.pairs)
    note(f"{compared.qrels}: {significant} of {len(compared.pairs)} differences significant; {compared.how}")
    if compared.tested:
        note(f"{compared.qrels}: {compared.tested}")
    identical = sum(pair["note"] == "identical" for pair in compared.pairs)
    if identical:
        pairs = counted(identical, "pair has", "pairs have")
        note(f"{compared.qrels}: {pairs} the same value for every topic, p = 1")
    for text in filter(None, (intervals, *compared.notes)):
        note(f"{compared.qrels}: {text}")


def _check(output: Path, content: bytes) -> None:
    """Exit with 1 where the file is not what would be written."""
    try:
        held = output.read_bytes()
    except OSError as error:
        raise UsageError(f"{output}: cannot be read: {error.strerror}") from error
    if held != content:
        note(f"{output}: is not what would be written now; the same call without --check writes it")
        raise typer.Exit(1)
