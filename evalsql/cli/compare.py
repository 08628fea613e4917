"""``evalsql compare``: differences between runs, and whether they are significant."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from typing import Annotated, Literal

import typer

from evalsql.catalog.measure_names import COMPARED_MEASURES, names_of_less_is_better, parse_measures
from evalsql.cli.access import AskingScores
from evalsql.cli.commands import grouped_options
from evalsql.cli.name_completion import complete_runs
from evalsql.cli.options import Arrangement, Measures, RunSelection
from evalsql.cli.output import (
    OutputOptions,
    note,
    note_coverage,
    note_waiting,
    write_bytes,
    write_table,
)
from evalsql.cli.paper_table import PaperOptions, note_results
from evalsql.database.names import resolve_names
from evalsql.errors import UsageError
from evalsql.report import comparison
from evalsql.report.paper import by_judgments
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
        named = [each.name for each in parsed]
        lower = names_of_less_is_better(parsed)
        options = {"test": test, "correction": correction, "family": family}
        query = warehouse.evaluation.comparison_query(
            None if all_pairs else base,
            [base, *(runs or ["*"])] if all_pairs else runs,
            measures=named,
            qrels=selection.qrels_names,
            tolerance=tolerance,
            confidence=confidence,
            intervals=intervals,
            samples=samples,
            seed=seed,
            **options,
        )
        table = Table(*warehouse.database.table(query))
        otherwise = warehouse.evaluation.averaged_otherwise(named)
        compared = by_judgments(
            table,
            otherwise,
            measures=named,
            test=test,
            correction=correction,
            alpha=alpha,
            lower=lower,
            baseline=None if all_pairs else base,
            family=family,
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
