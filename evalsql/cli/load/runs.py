"""``evalsql load runs`` and ``load scores``: what systems returned, and values of theirs computed elsewhere."""

from __future__ import annotations

from typing import Annotated

import typer

from evalsql.cli.bars import progress_bar
from evalsql.cli.columns import Columns, WithSelf
from evalsql.cli.facts import RunFacts
from evalsql.cli.groups import grouped_options
from evalsql.cli.load.notes import left_out_words, read_as
from evalsql.cli.load.options import KeepBest, LowerIsBetter, Meta, Replace, TieRuleOption, parse_meta
from evalsql.cli.name_completion import complete_qrels
from evalsql.cli.notes import note
from evalsql.cli.opening import open_to_load
from evalsql.cli.where import MemoryLimit, Where
from evalsql.ingest import column_meanings as known_columns
from evalsql.phrases import counted


@grouped_options
def runs(
    *,
    files: Annotated[
        list[str],
        typer.Argument(
            help="TREC runs, CSV, TSV, Parquet, JSON, BLAST, folders, tar archives or globs; - is standard input."
        ),
    ],
    name: Annotated[
        str | None, typer.Option(help="Name of the run, all files being one; by default each file's stem names a run.")
    ] = None,
    qrels: Annotated[
        list[str] | None,
        typer.Option(
            "--qrels",
            metavar="NAME",
            autocompletion=complete_qrels,
            help="Judgments to evaluate with, by default the only set there is; can be repeated.",
        ),
    ] = None,
    columns: Columns = None,
    with_self: WithSelf = None,
    tie_rule: TieRuleOption = None,
    lower_is_better: LowerIsBetter = False,
    keep_best: KeepBest = False,
    depth: Annotated[int | None, typer.Option(min=1, help="Keep so many documents of each topic.")] = None,
    judged_by: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            autocompletion=complete_qrels,
            help="Keep only documents that these judgments judge; after --depth.",
        ),
    ] = None,
    replace: Replace = False,
    facts: RunFacts,
    meta: Meta = None,
    memory_limit: MemoryLimit = None,
    where: Where,
) -> None:
    """Load runs: topic, Q0, document, rank, score, tag.

    All files are loaded or none.

    Example: evalsql load runs 'runs/*.run' --qrels sample --meta batch=7
    """
    pairs = facts.with_meta(parse_meta(meta))
    with open_to_load(where, files, memory_limit=memory_limit) as warehouse:
        with progress_bar() as progress:
            loaded = warehouse.load_runs(
                files,
                name=name,
                qrels=qrels or (),
                tie_rule=tie_rule,
                lower_is_better=lower_is_better,
                keep_best=keep_best,
                depth=depth,
                judged_by=judged_by,
                replace=replace,
                meta=pairs,
                columns=known_columns.parse(columns),
                with_self=with_self,
                progress=progress,
            )
        ((rows, left_out, unpaired, lines, mixed),) = warehouse.rows(
            """
            select
                (select sum(num_ret) from run_topics join runs using (run_id) where list_contains($1, run)),
                sum(duplicates),
                count(*) filter (where run_id not in (select run_id from evaluations)),
                sum(case when comments = '' then 0 else len(string_split(comments, chr(10))) end),
                count(*) filter (where num_tags > 1)
            from runs where list_contains($1, run)
            """,
            [loaded],
        )
        retrieved = f"{counted(rows, 'document')} retrieved" + left_out_words(left_out)
        note(f"loaded {counted(len(loaded), 'run')}: {retrieved}" + read_as(warehouse))
        if lines:
            note(f"{counted(lines, 'comment or header line')} kept with them")
        if mixed:
            note(f"{counted(mixed, 'run')} with several tags in the file; the last one is kept")
        if unpaired:
            note(f"{counted(unpaired, 'run')} without judgments yet; evalsql load qrels FILE --run NAME joins them")


@grouped_options
def scores(
    *,
    source: Annotated[str, typer.Argument(help="What evalsql spark eval wrote, a folder of Parquet files, or one.")],
    qrels: Annotated[
        str | None,
        typer.Option(
            "--qrels", metavar="NAME", autocompletion=complete_qrels, help="Judgments they were computed with."
        ),
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Take the place of stored scores of the same.")] = False,
    meta: Meta = None,
    where: Where,
) -> None:
    """Load scores that were computed elsewhere, without rankings.

    They are Parquet: qrels, run, topic, measure, value. Load the judgments first.

    Example: evalsql load scores scores.parquet
    """
    from evalsql.ingest.scores import found_files

    pairs = parse_meta(meta)
    files = [file for some in found_files(source) for file in some]
    with open_to_load(where, files) as warehouse:
        loaded = warehouse.load_scores(source, qrels=qrels, replace=replace, meta=pairs)
        ((rows, measures),) = warehouse.rows(
            "select count(*), count(distinct measure) from stored_values where list_contains($1, run)", [loaded]
        )
        note(
            f"loaded scores of {counted(len(loaded), 'run')}: {counted(rows, 'value')} of "
            f"{counted(measures, 'measure')} are held of them"
        )
