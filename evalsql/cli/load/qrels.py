"""``evalsql load qrels`` and ``load weights``: relevance judgments, and what their topics weigh."""

from __future__ import annotations

from typing import Annotated

import typer

from evalsql.cli.columns import Columns, Queries, WithSelf
from evalsql.cli.groups import grouped_options
from evalsql.cli.load.notes import left_out_words, note_set_aside, num_weights, read_as
from evalsql.cli.load.options import Form, KeepBest, Meta, Replace, parse_meta
from evalsql.cli.name_completion import complete_qrels, complete_runs
from evalsql.cli.notes import note
from evalsql.cli.opening import open_to_load
from evalsql.cli.where import MemoryLimit, Where
from evalsql.ingest import column_meanings as known_columns
from evalsql.phrases import counted


@grouped_options
def qrels(
    *,
    file: Annotated[
        str,
        typer.Argument(
            help="TREC qrels, CSV, TSV, Parquet, JSON, LETOR, a BEIR folder or irds:DATASET; - is standard input."
        ),
    ],
    name: Annotated[str | None, typer.Option(help="Name of the set; by default the file's stem.")] = None,
    form: Form = "grades",
    columns: Columns = None,
    queries: Queries = None,
    with_self: WithSelf = None,
    run: Annotated[
        list[str] | None,
        typer.Option(
            "--run",
            metavar="NAME",
            autocompletion=complete_runs,
            help="Run already held, or glob, to evaluate with it; can be repeated.",
        ),
    ] = None,
    keep_best: KeepBest = False,
    replace: Replace = False,
    meta: Meta = None,
    memory_limit: MemoryLimit = None,
    where: Where,
) -> None:
    """Load relevance judgments: topic, iteration, document, grade.

    Example: evalsql load qrels qrels.txt --name robust04
    """
    pairs = parse_meta(meta)
    with open_to_load(where, [file, *filter(None, [queries])], memory_limit=memory_limit) as warehouse:
        weights = num_weights(warehouse)
        loaded = warehouse.load_qrels(
            file,
            name,
            form=form,
            runs=run or (),
            keep_best=keep_best,
            replace=replace,
            meta=pairs,
            columns=known_columns.parse(columns),
            queries=queries,
            with_self=bool(with_self),
        )
        ((rows, topics, left_out),) = warehouse.rows(
            """
            select holdings.num_rows, holdings.num_topics, qrels.duplicates
            from holdings join qrels on qrels.qrels = holdings.name
            where holdings.kind = 'qrels' and holdings.name = ?
            """,
            [loaded],
        )
        note(
            f"loaded judgments {loaded}: {counted(rows, 'judgment')} of {counted(topics, 'topic')}"
            + left_out_words(left_out)
            + read_as(warehouse)
        )
        if loaded in weights:
            note(f"{counted(weights[loaded], 'weight')} went with the judgments replaced")
        note_set_aside(warehouse, loaded)


@grouped_options
def weights(
    *,
    file: Annotated[str, typer.Argument(help="Lines of topic and weight, compressed or not; - is standard input.")],
    qrels: Annotated[
        str,
        typer.Option(
            "--qrels", metavar="NAME", autocompletion=complete_qrels, help="Judgments whose topics they weigh."
        ),
    ],
    replace: Annotated[bool, typer.Option("--replace", help="Take the place of all weights it has.")] = False,
    where: Where,
) -> None:
    """Load weights of topics, which TAP goes by: topic, weight.

    Topics without one weigh 1.

    Example: evalsql load weights weights.txt --qrels sample
    """
    with open_to_load(where, [file]) as warehouse:
        loaded = warehouse.load_weights(file, qrels, replace=replace)
        ((topics,),) = warehouse.rows("select num_topics from holdings where kind = 'qrels' and name = ?", [loaded])
        note(
            f"loaded {counted(num_weights(warehouse)[loaded], 'weight')} for the {counted(topics, 'topic')} of {loaded}"
        )
