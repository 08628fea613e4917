"""``evalsql load lists``: retrieval lists of the TAP-k program."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from evalsql.cli.groups import grouped_options
from evalsql.cli.load.notes import note_set_aside, num_weights
from evalsql.cli.load.options import Meta, Replace, parse_meta
from evalsql.cli.notes import note
from evalsql.cli.opening import open_to_load
from evalsql.cli.where import MemoryLimit, Where
from evalsql.phrases import counted


@grouped_options
def lists(
    *,
    files: Annotated[
        list[str],
        typer.Argument(help="Retrieval lists of the TAP-k program, compressed or not, or globs; - is standard input."),
    ],
    name: Annotated[
        str | None,
        typer.Option(help="Name of run and judgments, all files being one; by default each file's stem names its own."),
    ] = None,
    qrels: Annotated[
        str | None, typer.Option("--qrels", metavar="NAME", help="Another name for the judgments; for one set only.")
    ] = None,
    order: Annotated[
        Literal["asc", "desc"] | None,
        typer.Option(help="Whether scores rise, as E-values, or fall from best to worst; by default the lists tell."),
    ] = None,
    replace: Replace = False,
    meta: Meta = None,
    memory_limit: MemoryLimit = None,
    where: Where,
) -> None:
    """Load retrieval lists as judgments, a run and weights.

    They are blocks of query and weight, relevant documents in all, then relevance and score of each document.

    Example: evalsql load lists lists.txt --name blast
    """
    pairs = parse_meta(meta)
    with open_to_load(where, files, memory_limit=memory_limit) as warehouse:
        held = num_weights(warehouse)
        loaded = warehouse.load_lists(files, name=name, qrels=qrels, order=order, replace=replace, meta=pairs)
        given = num_weights(warehouse)
        for run in loaded:
            judged = qrels or run
            ((topics, rows, rising),) = warehouse.rows(
                """
                select qrels_held.num_topics, run_held.num_rows, runs.lower_is_better
                from holdings as qrels_held, holdings as run_held
                join runs on runs.run = run_held.name
                where qrels_held.kind = 'qrels' and qrels_held.name = ?
                    and run_held.kind = 'run' and run_held.name = ? and run_held.qrels = qrels_held.name
                """,
                [judged, run],
            )
            note(
                f"loaded lists {run}: {counted(topics, 'topic')}, {counted(given.get(judged, 0), 'weight')}, "
                f"{counted(rows, 'document')} retrieved, {'lower' if rising else 'higher'} scores being better"
            )
            if judged in held and judged not in given:
                note(f"{counted(held[judged], 'weight')} went with the judgments replaced")
            note_set_aside(warehouse, judged)
