"""``evalsql pool`` and ``agreement``: what to judge next, and how far judges agree."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from evalsql.cli.access import Asking
from evalsql.cli.options import Measures, RunSelection, complete_qrels, grouped_options, run_option
from evalsql.cli.output import OutputOptions, note, write_table
from evalsql.errors import UsageError
from evalsql.evaluation import judging
from evalsql.phrases import counted
from evalsql.report.table import Table
from evalsql.warehouse.warehouse import Warehouse

JUDGING_MEASURES = ("nDCG@10", "AP")


@grouped_options
def pool(
    *,
    selection: RunSelection,
    depth: Annotated[int, typer.Option(min=1, help="Documents of each run and topic.")] = 10,
    unjudged: Annotated[bool, typer.Option("--unjudged", help="Only documents that are still to be judged.")] = False,
    first: Annotated[
        Literal["runs", "total", "figure", "order"],
        typer.Option(
            help="What comes first: what most runs return (runs), or what could change the figures of all runs "
            "(total), the figure of one (figure) or the difference of two (order) most."
        ),
    ] = "runs",
    persistence: Annotated[
        float, typer.Option("--p", min=0, max=1, help="Of RBP, by which changes are reckoned.")
    ] = 0.8,
    contributions: Annotated[
        bool,
        typer.Option(
            "--contributions", help="What each run gives to the pool, and its figures without what it alone gives."
        ),
    ] = False,
    measure: Measures = None,
    rel: Annotated[int, typer.Option(min=0, help="Least relevant grade, of --contributions.")] = 1,
    output: OutputOptions,
    asking: Asking,
) -> None:
    """Put the first documents of runs together, for judging.

    With --unjudged --qrels names the judgments that count, by default all.

    Example: evalsql pool --depth 10 --unjudged -o to_judge.tsv
    """
    if measure and not contributions:
        raise UsageError("-m is of --contributions; without it a pool has no figures")
    if not 0 < persistence < 1:
        raise UsageError(f"--p is {persistence:g}, it must be above 0 and below 1")
    qrels = selection.qrels_names
    with asking.open() as warehouse:
        runs = selection.chosen(warehouse)
        if contributions:
            found = judging.contributions(
                warehouse.evaluation, measure or JUDGING_MEASURES, runs=runs, qrels=qrels, depth=depth, rel=rel
            )
            write_table(Table(judging.Contribution._fields, found), output, warehouse)
            return
        query = judging.pool_query(
            warehouse.database, runs=runs, qrels=qrels, depth=depth, unjudged=unjudged, first=first, p=persistence
        )
        table = Table(*warehouse.database.table(query))
        write_table(table, output, warehouse)
        topics = len({row[0] for row in table.rows})
        documents = counted(len(table.rows), "document") + (" to judge" if unjudged else "")
        note(f"{documents} of {counted(topics, 'topic')}, the first {depth} of each run")


@grouped_options
def agreement(
    *,
    qrels: Annotated[
        list[str], typer.Argument(autocompletion=complete_qrels, help="Judgment sets, or globs of names.")
    ],
    show: Annotated[
        Literal["statistics", "confusion", "documents", "figures"],
        typer.Option(
            help="Kappa and alpha (statistics), how often grades meet (confusion), documents that are judged otherwise "
            "(documents), or figures by each set side by side (figures)."
        ),
    ] = "statistics",
    rel: Annotated[
        int | None, typer.Option(min=0, help="Compare relevant or not by this least grade; by default the grades.")
    ] = None,
    measure: Measures = None,
    run: Annotated[
        list[str] | None,
        run_option(
            help="Run of --show figures, or a glob; can be repeated.",
        ),
    ] = None,
    output: OutputOptions,
    asking: Asking,
) -> None:
    """How far judgment sets agree.

    Cohen's kappa of each pair, Fleiss' kappa and Krippendorff's alpha of all, over documents that are judged by both,
    by all, or by two at least.

    Example: evalsql agreement sample second --show confusion
    """
    if (measure or run) and show != "figures":
        raise UsageError("-m and --run are of --show figures")
    with asking.open() as warehouse:
        if show == "figures":
            named = measure or JUDGING_MEASURES
            table = Table(*judging.effects(warehouse.evaluation, qrels, named, run or ()))
            write_table(table, output, warehouse)
            _note_orders(warehouse, qrels, named, run or [])
            return
        ask = {
            "statistics": judging.agreement_query,
            "confusion": judging.confusion_query,
            "documents": judging.differing_query,
        }
        table = Table(*warehouse.database.table(ask[show](warehouse.database, qrels, rel=rel)))
        write_table(table, output, warehouse)
        if show == "statistics" and len(table.rows) <= 1:
            note("no document is judged by two of these sets")


def _note_orders(
    warehouse: Warehouse, qrels: list[str], measures: list[str] | tuple[str, ...], runs: list[str]
) -> None:
    for name, one, other, num_runs, tau_b, tau_ap in judging.order_agreement(
        warehouse.evaluation, qrels, measures, runs
    ):
        if tau_b is None:
            note(f"{name}: {one} and {other} leave nothing to order")
        else:
            note(f"{name}: order of {num_runs} runs by {one} and by {other}: tau-b {tau_b:.4f}, tau_AP {tau_ap:.4f}")
