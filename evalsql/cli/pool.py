"""``evalsql pool``: the pool of some runs, what of it is to be judged, and what each run gives to it."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from evalsql.cli.groups import grouped_options
from evalsql.cli.notes import note
from evalsql.cli.opening import open_warehouse
from evalsql.cli.options import Measures, OutputOptions, RunSelection
from evalsql.cli.outputs import protected_files, write_table
from evalsql.cli.where import MemoryLimit, Where
from evalsql.errors import UsageError
from evalsql.evaluation import judging
from evalsql.phrases import counted
from evalsql.report.table import Table

_MEASURES = ("nDCG@10", "AP")


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
    memory_limit: MemoryLimit = None,
    output: OutputOptions,
    where: Where,
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
    with open_warehouse(where, read_only=True, memory_limit=memory_limit) as warehouse:
        runs = selection.chosen(warehouse)
        keep = protected_files(warehouse)
        if contributions:
            found = judging.contributions(
                warehouse.evaluation, measure or _MEASURES, runs=runs, qrels=qrels, depth=depth, rel=rel
            )
            write_table(Table(judging.Contribution._fields, found), output, keep=keep)
            return
        query = judging.pool_query(
            warehouse.database, runs=runs, qrels=qrels, depth=depth, unjudged=unjudged, first=first, p=persistence
        )
        table = Table(*warehouse.database.table(query))
        write_table(table, output, keep=keep)
        topics = len({row[0] for row in table.rows})
        documents = counted(len(table.rows), "document") + (" to judge" if unjudged else "")
        note(f"{documents} of {counted(topics, 'topic')}, the first {depth} of each run")
