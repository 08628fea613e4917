"""``evalsql pool`` and ``agreement``: what to judge next, and how far judges agree."""

from __future__ import annotations

from typing import Literal

from evalsql.cli.access import Asking
from evalsql.cli.declare import Names, argument, command, flag, option
from evalsql.cli.options import MEASURES, MeasuredRuns, OutputOptions
from evalsql.cli.output import note, write_table
from evalsql.errors import UsageError
from evalsql.evaluation import judging
from evalsql.phrases import counted
from evalsql.report.table import Table

_MEASURES = ("nDCG@10", "AP")


@command
def pool(
    *,
    selection: MeasuredRuns,
    depth: int = option("--depth", "Documents of each run and topic.", 10, min=1),
    unjudged: bool = flag("--unjudged", "Only documents that are still to be judged."),
    first: Literal["runs", "total", "figure", "order"] = option(
        "--first",
        "What comes first: what most runs return (runs), or what could change the figures of all runs "
        "(total), the figure of one (figure) or the difference of two (order) most.",
        "runs",
    ),
    persistence: float = option("--p", "Of RBP, by which changes are reckoned.", 0.8, min=0, max=1),
    contributions: bool = flag("--contributions", "What each run gives, and its figures without what it alone gives."),
    rel: int = option("--rel", "Least relevant grade, of --contributions.", 1, min=0),
    output: OutputOptions,
    asking: Asking,
) -> None:
    """Put the first documents of runs together, for judging.

    With --unjudged --qrels names the judgments that count, by default all.

    Example: evalsql pool --depth 10 --unjudged -o to_judge.tsv
    """
    if selection.measure and not contributions:
        raise UsageError("-m is of --contributions; without it a pool has no figures")
    if not 0 < persistence < 1:
        raise UsageError(f"--p is {persistence:g}, it must be above 0 and below 1")
    qrels = selection.qrels
    with asking.open() as warehouse:
        runs = selection.chosen(warehouse)
        if contributions:
            found = judging.contributions(
                warehouse.evaluation, selection.measure or _MEASURES, runs=runs, qrels=qrels, depth=depth, rel=rel
            )
            write_table(Table(judging.Contribution._fields, found), output, warehouse)
            return
        query = judging.pool_query(
            warehouse.database, runs=runs, qrels=qrels, depth=depth, unjudged=unjudged, first=first, p=persistence
        )
        table = Table(*warehouse.database.table(query))
        write_table(table, output, warehouse)
        documents = counted(len(table.rows), "document") + (" to judge" if unjudged else "")
        topics = counted(len({row[0] for row in table.rows}), "topic")
        note(f"{documents} of {topics}, the first {depth} of each run")


@command
def agreement(
    *,
    qrels: Names = argument("Judgment sets, or globs of names.", ..., complete="qrels"),
    show: Literal["statistics", "confusion", "documents", "figures"] = option(
        "--show",
        "Kappa and alpha (statistics), how often grades meet (confusion), documents that are judged otherwise "
        "(documents), or figures by each set side by side (figures).",
        "statistics",
    ),
    rel: int | None = option("--rel", "Compare relevant or not by this least grade; by default the grades.", min=0),
    measure: Names = MEASURES,
    run: Names = option("--run NAME", "Run of --show figures, or a glob; can be repeated.", complete="runs"),
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
            columns, rows, orders = judging.effects(warehouse.evaluation, qrels, measure or _MEASURES, run)
            write_table(Table(columns, rows), output, warehouse)
            for name, one, other, num_runs, tau_b, tau_ap in orders:
                if tau_b is None:
                    note(f"{name}: {one} and {other} leave nothing to order")
                else:
                    order = f"order of {num_runs} runs by {one} and by {other}"
                    note(f"{name}: {order}: tau-b {tau_b:.4f}, tau_AP {tau_ap:.4f}")
            return
        query = judging.agreement_query(warehouse.database, show, qrels, rel=rel)
        table = Table(*warehouse.database.table(query))
        write_table(table, output, warehouse)
        if show == "statistics" and len(table.rows) <= 1:
            note("no document is judged by two of these sets")
