"""``evalsql eval``, ``leaderboard`` and ``topics``: values of measures."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evalsql.catalog.measure_names import Measure, names_of_counts, names_of_less_is_better, parse_measures
from evalsql.catalog.relations import read_catalog
from evalsql.cli.arranging import Arrangement
from evalsql.cli.bars import progress_bar
from evalsql.cli.columns import Columns, QrelsColumns, Queries, WithSelf
from evalsql.cli.groups import grouped_options
from evalsql.cli.load.options import Form, KeepBest, LowerIsBetter, TieRuleOption
from evalsql.cli.notes import note, note_coverage, note_formats, note_repeated, note_thresholds, note_ties, note_waiting
from evalsql.cli.opening import open_in_memory, open_to_read
from evalsql.cli.options import DEFAULT_MEASURES, Measures, OutputOptions, OwnMeasures, RunSelection
from evalsql.cli.outputs import protected_files, write_table
from evalsql.cli.where import MemoryLimit, WhereToAsk
from evalsql.errors import UsageError
from evalsql.evaluation.sorted_rows import lower_columns, wide_query
from evalsql.evaluation.topic_groups import groups_query
from evalsql.evaluation.topic_groups import texts as texts_of
from evalsql.ingest import column_meanings as known_columns
from evalsql.phrases import counted, natural_key
from evalsql.report.table import Table
from evalsql.warehouse.own_measures import check_own
from evalsql.warehouse.warehouse import Warehouse

if TYPE_CHECKING:
    from evalsql.report.terminal import Going

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
    _check_no_measure(runs)
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
        asked = _Asked(warehouse, measures, (), (), output, Arrangement())
        if per_topic:
            _print_topics(asked)
        else:
            _print_board(asked)


def _check_no_measure(runs: Sequence[str]) -> None:
    """Refuse a measure in the place of a run, where there is no such file."""
    for name in runs:
        if name == "-" or os.path.exists(name) or glob.glob(name, recursive=True):
            continue
        try:
            parse_measures([name], read_catalog())
        except UsageError:
            continue
        raise UsageError(f"{name}: no such file or directory; a measure is named by -m, as in -m {name}")


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
        asked = _Asked(warehouse, measure or DEFAULT_MEASURES, selection.qrels_names, runs, output, arrangement)
        if by is None:
            _print_board(asked)
        else:
            _print_groups(asked, by)


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
        asked = _Asked(warehouse, measure or DEFAULT_MEASURES, selection.qrels_names, runs, output, arrangement)
        if wide:
            _print_wide(asked, show_texts=texts)
        else:
            _print_topics(asked, show_texts=texts)


@dataclass(frozen=True)
class _Asked:
    """Which measures are asked of which runs by which judgment sets, empty being all, and how the rows come."""

    warehouse: Warehouse
    measures: Sequence[str]
    qrels: Sequence[str]
    runs: Sequence[str]
    output: OutputOptions
    arrangement: Arrangement

    @cached_property
    def named(self) -> list[Measure]:
        """The measures, at least one."""
        return parse_measures(self.measures, self.warehouse.catalog)

    @property
    def lower(self) -> frozenset[str]:
        """Measures of which less is better."""
        return names_of_less_is_better(self.named)

    def scores_query(self, *, per_topic: bool) -> str:
        """The SELECT of the scores."""
        return self.warehouse.evaluation.scores_query(
            self.measures, per_topic=per_topic, qrels=self.qrels, runs=self.runs
        )

    def table(self, query: str) -> Table:
        """The rows of a SELECT in the order that is asked for."""
        ordered = self.arrangement.sorted_query(self.warehouse, query, lower_columns(self.named))
        return Table(*self.warehouse.database.table(ordered), names_of_counts(self.named))

    def write(self, table: Table, notes: Sequence[str] = (), going: Going | None = None) -> None:
        """Write the rows, and tell what there is to say of them and of the topics."""
        keep = protected_files(self.warehouse) if self.output.path else [self.warehouse.path]
        write_table(table, self.output, keep=keep, going=going)
        for text in notes:
            note(text)
        note_coverage(self.warehouse, self.qrels, self.runs)


def _print_board(asked: _Asked) -> None:
    """Means of each run, the best on top."""
    output, notes = asked.output, list[str]()
    table = asked.table(asked.scores_query(per_topic=False))
    if output.is_drawn or output.chosen_format == "latex":
        from evalsql.report.markup import with_best

        table = with_best(table, asked.lower, output.digits)
    table = asked.arrangement.first_rows(table)
    if output.is_drawn:
        from evalsql.cli.board import add_bars

        table, notes = add_bars(asked.warehouse, table, asked.named[0], asked.qrels, asked.runs, output.digits)
    asked.write(table, notes)
    note_thresholds(asked.warehouse, asked.named, asked.qrels, asked.runs)
    note_ties(asked.warehouse, asked.named[0], asked.qrels, asked.runs)


def _print_topics(asked: _Asked, *, show_texts: bool = False) -> None:
    """Values by topic, a row for each judgment set, run, topic and measure."""
    table = asked.table(asked.scores_query(per_topic=True))
    if show_texts:
        table = _with_texts(asked.warehouse, table)
    if asked.arrangement.sort is None and (asked.output.is_drawn or asked.arrangement.limit):
        table = _in_natural_order(table)
    asked.write(asked.arrangement.first_rows(table))
    note_thresholds(asked.warehouse, asked.named, asked.qrels, asked.runs)


def _print_wide(asked: _Asked, *, show_texts: bool) -> None:
    """Values by topic, a row for each judgment set, measure and topic, and a column for each run."""
    from evalsql.cli.wide import GOING, fitting

    warehouse, names = asked.warehouse, [each.name for each in asked.named]
    covered = (run for _, run, *_ in warehouse.rows(warehouse.evaluation.coverage_query(asked.qrels, asked.runs)))
    runs = list(dict.fromkeys(covered))
    values = asked.scores_query(per_topic=True)
    table = asked.table(wide_query(warehouse.database, values, runs=runs, measures=names))
    if show_texts:
        table = _with_texts(warehouse, table)
    table = asked.arrangement.first_rows(table)
    if asked.output.is_drawn:
        table, notes = fitting(table, asked.output.digits)
        asked.write(table, notes, GOING)
    else:
        asked.write(table)
    note_thresholds(asked.warehouse, asked.named, asked.qrels, asked.runs)


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


def _print_groups(asked: _Asked, by: str) -> None:
    """Means by group of topics, and what there is to be said of the groups."""
    table = asked.table(
        groups_query(asked.warehouse.evaluation, by, asked.measures, qrels=asked.qrels, runs=asked.runs)
    )
    without: set[Any] = {(row[0], row[3]) for row in table.rows if row[1] is None}
    notes = [
        f"{name}: {counted(count, 'topic')} without {by}, in the rows that name no group"
        for name, count in sorted(without)
    ]
    asked.write(asked.arrangement.first_rows(table), notes)
