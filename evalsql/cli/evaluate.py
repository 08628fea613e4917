"""``evalsql eval``, ``leaderboard`` and ``topics``: values of measures."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from evalsql.catalog.names import parse_measures
from evalsql.cli.arranging import Arrangement
from evalsql.cli.bars import progress_bar
from evalsql.cli.columns import Columns, QrelsColumns, Queries, WithSelf
from evalsql.cli.groups import grouped_options
from evalsql.cli.notes import note, note_coverage, note_formats, note_repeated, note_thresholds, note_ties, note_waiting
from evalsql.cli.opening import open_in_memory, open_to_read
from evalsql.cli.options import (
    DEFAULT_MEASURES,
    Form,
    KeepBest,
    LowerIsBetter,
    Measures,
    MemoryLimit,
    OutputOptions,
    OwnMeasures,
    RunSelection,
    TieRuleOption,
)
from evalsql.cli.outputs import protected_files, write_table
from evalsql.cli.where import WhereToAsk
from evalsql.errors import UsageError
from evalsql.evaluation.topic_groups import groups_query
from evalsql.evaluation.topic_groups import texts as texts_of
from evalsql.ingest import columns as known_columns
from evalsql.report.table import Table
from evalsql.warehouse.contract import check_own
from evalsql.warehouse.warehouse import Warehouse
from evalsql.words import counted, natural_key

_SMALL = 4_000_000  # bytes of judgments and runs


@grouped_options
def evaluate(
    *,
    qrels: Annotated[
        str, typer.Argument(help="TREC qrels, CSV, TSV, Parquet, JSON, LETOR, a BEIR folder or irds:DATASET.")
    ],
    runs: Annotated[
        list[str],
        typer.Argument(
            help="TREC runs, CSV, TSV, Parquet, JSON, BLAST, folders, tar archives or globs; - is standard input."
        ),
    ],
    measure: Measures = None,
    own: OwnMeasures,
    per_topic: Annotated[bool, typer.Option("--per-topic", "-q", help="A row for each topic and measure.")] = False,
    tie_rule: TieRuleOption = None,
    lower_is_better: LowerIsBetter = False,
    keep_best: KeepBest = False,
    form: Form = "grades",
    columns: Columns = None,
    qrels_columns: QrelsColumns = None,
    queries: Queries = None,
    with_self: WithSelf = None,
    memory_limit: MemoryLimit = None,
    output: OutputOptions,
) -> None:
    """Evaluate runs in memory, in one go; no file is left behind.

    Example: evalsql eval qrels.txt runs/*.run -m nDCG@10,AP
    """
    if qrels == "-" and "-" in runs:
        raise UsageError("standard input holds the judgments or a run; name a file for one of them")
    measures, threads = measure or DEFAULT_MEASURES, 1 if _are_small([qrels, *runs]) else None
    with open_in_memory(measures, measures=own.paths, memory_limit=memory_limit, threads=threads) as warehouse:
        warehouse.load_qrels(
            qrels,
            "qrels" if qrels == "-" else None,
            form=form,
            keep_best=keep_best,
            columns=known_columns.parse(qrels_columns),
            queries=queries,
            with_self=bool(with_self),
        )
        read = warehouse.loader.notices
        with progress_bar() as progress:
            warehouse.load_runs(
                runs,
                tie_rule=tie_rule,
                lower_is_better=lower_is_better,
                keep_best=keep_best,
                columns=known_columns.parse(columns),
                with_self=False if form == "families" and with_self is None else with_self,
                stdin_name="run",
                progress=progress,
            )
        note_formats(read, warehouse.loader.notices)
        if keep_best:
            note_repeated(warehouse)
        check_own(warehouse.database)
        _print_scores(warehouse, measure, (), (), per_topic, output, Arrangement())


def _are_small(paths: Sequence[str]) -> bool:
    """Whether one thread is done with these sooner than several, which wait for each other; not of a glob or a pipe."""
    return all(map(os.path.isfile, paths)) and sum(map(os.path.getsize, paths)) < _SMALL


@grouped_options
def leaderboard(
    *,
    selection: RunSelection,
    measure: Measures = None,
    own: OwnMeasures,
    by: Annotated[
        str | None,
        typer.Option(
            "--by", metavar="KEY", help="Average the topics of each group apart: a group that was loaded, or length."
        ),
    ] = None,
    arrangement: Arrangement,
    memory_limit: MemoryLimit = None,
    output: OutputOptions,
    where: WhereToAsk,
) -> None:
    """Systems by measures: one row a run, the best on top.

    The best is the one with the best mean of the first measure. With --by there is a row for each group of topics and
    run.

    Example: evalsql leaderboard 'rerank-*' bm25 -m nDCG@10,AP
    """
    with open_to_read(where, measures=own.paths, memory_limit=memory_limit) as warehouse:
        runs = selection.chosen(warehouse)
        note_waiting(warehouse, runs)
        if by is not None:
            _print_groups(warehouse, by, measure, selection.qrels_names, runs, output, arrangement)
            return
        _print_scores(warehouse, measure, selection.qrels_names, runs, False, output, arrangement)


@grouped_options
def topics(
    *,
    selection: RunSelection,
    measure: Measures = None,
    own: OwnMeasures,
    texts: Annotated[
        bool, typer.Option("--texts", help="The text of each topic in a last column, where it was loaded.")
    ] = False,
    wide: Annotated[bool, typer.Option("--wide", help="A row a topic and measure, and a column a run.")] = False,
    arrangement: Arrangement,
    memory_limit: MemoryLimit = None,
    output: OutputOptions,
    where: WhereToAsk,
) -> None:
    """Values per topic: one row for each run, topic and measure.

    With --wide there is a row for each topic and measure, and a column for each run.

    Example: evalsql topics dense -m nDCG@10 -o topics.csv
    """
    with open_to_read(where, measures=own.paths, memory_limit=memory_limit) as warehouse:
        runs = selection.chosen(warehouse)
        note_waiting(warehouse, runs)
        sets = selection.qrels_names
        _print_scores(warehouse, measure, sets, runs, True, output, arrangement, show_texts=texts, wide=wide)


def _print_scores(
    warehouse: Warehouse,
    measures: Sequence[str] | None,
    qrels: Sequence[str],
    runs: Sequence[str],
    per_topic: bool,
    output: OutputOptions,
    arrangement: Arrangement,
    *,
    show_texts: bool = False,
    wide: bool = False,
) -> None:
    named = parse_measures(measures or DEFAULT_MEASURES, warehouse.catalog)
    lower = {each.name for each in named if each.relation.header.less_is_better}
    counts = frozenset(each.name for each in named if each.is_count)
    query = warehouse.evaluation.scores_query(measures or DEFAULT_MEASURES, per_topic=per_topic, qrels=qrels, runs=runs)
    if wide:
        query = _wide_query(warehouse, query, [each.name for each in named], qrels, runs)
    query = arrangement.sorted_query(warehouse, query, {*lower, *(["value"] if len(lower) == len(named) else [])})
    table, notes, going = Table(*warehouse.database.table(query), counts), list[str](), None
    if show_texts:
        table = _with_texts(warehouse, table)
    if per_topic and not wide and arrangement.sort is None and (output.is_drawn or arrangement.limit):
        table = _in_natural_order(table)
    if not per_topic and (output.is_drawn or output.chosen_format == "latex"):
        from evalsql.report.markup import with_best

        table = with_best(table, lower, output.digits)
    table = arrangement.first_rows(table)
    if output.is_drawn and wide:
        from evalsql.cli.wide import GOING, fitting

        going = GOING
        table, notes = fitting(table, output.digits)
    if output.is_drawn and not per_topic:
        from evalsql.cli.board import add_bars

        table, notes = add_bars(warehouse, table, named[0], qrels, runs, output.digits)
    write_table(table, output, keep=protected_files(warehouse) if output.path else [warehouse.path], going=going)
    for text in notes:
        note(text)
    note_coverage(warehouse, qrels, runs)
    note_thresholds(warehouse, named, qrels, runs)
    if not per_topic:
        note_ties(warehouse, named[0], qrels, runs)


def _wide_query(
    warehouse: Warehouse, values: str, measures: Sequence[str], qrels: Sequence[str], runs: Sequence[str]
) -> str:
    from evalsql.evaluation.arranging import wide_query

    covered = (run for _, run, *_ in warehouse.rows(warehouse.evaluation.coverage_query(qrels, runs)))
    return wide_query(warehouse.database, values, runs=list(dict.fromkeys(covered)), measures=measures)


def _in_natural_order(table: Table) -> Table:
    """The rows of each judgment set and run with topic 2 before topic 10, as a person looks for them."""
    groups = {key: at for at, key in enumerate(dict.fromkeys((row[0], row[1]) for row in table.rows))}
    rows = sorted(table.rows, key=lambda row: (groups[row[0], row[1]], natural_key(str(row[2]))))
    return table._replace(rows=rows)


def _with_texts(warehouse: Warehouse, table: Table) -> Table:
    found = texts_of(warehouse.evaluation)
    if not found:
        note("no topic has a text; evalsql load topics FILE brings them")
    rows = [[*row, found.get((str(row[0]), str(row[2])))] for row in table.rows]
    return Table([*table.columns, "text"], rows, table.counts)


def _print_groups(
    warehouse: Warehouse,
    by: str,
    measures: Sequence[str] | None,
    qrels: Sequence[str],
    runs: Sequence[str],
    output: OutputOptions,
    arrangement: Arrangement,
) -> None:
    """Means by group of topics, and what there is to be said of the groups."""
    named = parse_measures(measures or DEFAULT_MEASURES, warehouse.catalog)
    query = groups_query(warehouse.evaluation, by, measures or DEFAULT_MEASURES, qrels=qrels, runs=runs)
    lower = {each.name for each in named if each.relation.header.less_is_better}
    query = arrangement.sorted_query(warehouse, query, lower)
    table = Table(*warehouse.database.table(query), frozenset(each.name for each in named if each.is_count))
    shown = arrangement.first_rows(table)
    write_table(shown, output, keep=protected_files(warehouse) if output.path else [warehouse.path])
    without: set[Any] = {(row[0], row[3]) for row in table.rows if row[1] is None}
    for name, count in sorted(without):
        note(f"{name}: {counted(count, 'topic')} without {by}, in the rows that name no group")
    note_coverage(warehouse, qrels, runs)
