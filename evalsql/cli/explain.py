"""``evalsql explain``: what each document of a ranking contributes to a measure."""

from __future__ import annotations

from typing import Annotated

import typer

from evalsql.cli.groups import grouped_options
from evalsql.cli.name_completion import complete_measures, complete_runs
from evalsql.cli.notes import note
from evalsql.cli.opening import open_warehouse
from evalsql.cli.options import DEFAULT_MEASURES, OneQrels, OutputOptions, OwnMeasures, only_one
from evalsql.cli.outputs import fetched, protected_files, write_table
from evalsql.cli.where import MemoryLimit, Where
from evalsql.evaluation.explanation import DEPTH
from evalsql.evaluation.notices import VALUES, explanation_lines
from evalsql.evaluation.topic_groups import texts


@grouped_options
def explain(
    *,
    run: Annotated[str, typer.Argument(autocompletion=complete_runs, help="The run.")],
    topic: Annotated[str, typer.Argument(help="The topic.")],
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            "-m",
            metavar="MEASURE",
            autocompletion=complete_measures,
            help=f"A measure such as AP or nDCG@10; by default {DEFAULT_MEASURES[0]}.",
        ),
    ] = None,
    other: Annotated[
        str | None,
        typer.Option(
            "--other",
            metavar="RUN",
            autocompletion=complete_runs,
            help="Another run: show the documents that made the difference, largest first.",
        ),
    ] = None,
    own: OwnMeasures,
    qrels: OneQrels = None,
    depth: Annotated[
        int, typer.Option(min=1, help="Documents to explain; what the rest contributes is said in one number.")
    ] = DEPTH,
    memory_limit: MemoryLimit = None,
    output: OutputOptions,
    where: Where,
) -> None:
    """What each document of a ranking contributes to a measure.

    This is the ranking of a run for a topic, with the ideal ranking beside.

    A document contributes the value of the list down to it less the value of the list above it: with the value of the
    empty list, which has a row of its own if it is not 0, contributions add up to the value of the whole list. The
    ideal ranking has the judged documents in the order of their grades.

    Example: evalsql explain dense T01 -m AP --other bm25
    """
    with open_warehouse(where, read_only=True, measures=own.paths, memory_limit=memory_limit) as warehouse:
        found = warehouse.explain(
            run,
            topic,
            measure=only_one(measure, "-m") or DEFAULT_MEASURES[0],
            other=other,
            qrels=only_one(qrels, "--qrels"),
            depth=depth,
        )
        keep = protected_files(warehouse)
        text = texts(warehouse.evaluation).get((found.qrels, found.topic))
        counts = VALUES if found.measure.is_count else frozenset()
        write_table(fetched(found.rows, warehouse.path, counts), output, keep=keep)
    for line in explanation_lines(found, depth, output.digits):
        note(line)
    if text:
        note(f"  the topic asks: {text}")
