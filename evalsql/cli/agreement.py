"""``evalsql agreement``: how far judges agree, where they do not, and what that does to figures."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from evalsql.cli.groups import grouped_options
from evalsql.cli.name_completion import complete_qrels, complete_runs
from evalsql.cli.notes import note
from evalsql.cli.opening import open_warehouse
from evalsql.cli.options import Measures, OutputOptions, OwnMeasures
from evalsql.cli.outputs import protected_files, write_table
from evalsql.cli.where import MemoryLimit, Where
from evalsql.errors import UsageError
from evalsql.evaluation import judging
from evalsql.report.table import Table
from evalsql.warehouse.warehouse import Warehouse

_MEASURES = ("nDCG@10", "AP")


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
        typer.Option(
            "--run",
            metavar="NAME",
            autocompletion=complete_runs,
            help="Run of --show figures, or a glob; can be repeated.",
        ),
    ] = None,
    own: OwnMeasures,
    memory_limit: MemoryLimit = None,
    output: OutputOptions,
    where: Where,
) -> None:
    """How far judgment sets agree.

    Cohen's kappa of each pair, Fleiss' kappa and Krippendorff's alpha of all, over documents that are judged by both,
    by all, or by two at least.

    Example: evalsql agreement sample second --show confusion
    """
    if (measure or run) and show != "figures":
        raise UsageError("-m and --run are of --show figures")
    with open_warehouse(where, read_only=True, measures=own.paths, memory_limit=memory_limit) as warehouse:
        keep = protected_files(warehouse)
        if show == "figures":
            named = measure or _MEASURES
            table = Table(*judging.effects(warehouse.evaluation, qrels, named, run or ()))
            write_table(table, output, keep=keep)
            _note_orders(warehouse, qrels, named, run or [])
            return
        ask = {
            "statistics": judging.agreement_query,
            "confusion": judging.confusion_query,
            "documents": judging.differing_query,
        }
        table = Table(*warehouse.database.table(ask[show](warehouse.database, qrels, rel=rel)))
        write_table(table, output, keep=keep)
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
