"""``evalsql leaderboard``, ``topics``, ``eval`` and ``demo``: values of measures by run and by topic."""

import glob
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from evalsql.catalog import PACKAGE, measure_names
from evalsql.catalog.measure_names import with_arguments
from evalsql.catalog.queries import STORED
from evalsql.catalog.relations import read_catalog
from evalsql.cli import options
from evalsql.cli.certainty import Estimating
from evalsql.cli.declare import Names, command, flag, option
from evalsql.cli.output import READ, OutputOptions, coverage_lines, note, note_waiting, progress_bar, write_table
from evalsql.database.database import MEMORY
from evalsql.errors import UsageError
from evalsql.evaluation import listings, notices
from evalsql.ingest.load_options import Collapse
from evalsql.literals import literal, rows_query
from evalsql.phrases import counted, natural_key
from evalsql.report import terminal
from evalsql.report.table import Table
from evalsql.warehouse.open import open_database
from evalsql.warehouse.own_measures import check_own
from evalsql.warehouse.warehouse import Warehouse

_BY_TOPIC, _MARKS = "by topic", "marks by topic"
_FEWEST = 10  # marks
_GAP = 2
_DROPPED = terminal.DroppedColumns(("qrels", "measure"))
_NAMED = 3  # columns before those of runs
_TO_GO_ON = (
    "topics rerank-large -m nDCG@10",
    "compare bm25 -m nDCG@10",
    "explain dense T01 -m AP",
    "report -o report.html",
    "sql \"from ndcg(k := 5) where run = 'dense' order by value limit 3\"",
)
_OF_WHOLE_RUNS = "{0} is known of whole runs alone: who is outdone goes by their totals, which have no interval"
_SMALL = 4_000_000  # bytes of judgments and runs


@dataclass(frozen=True)
class Question:
    """Which measures are asked of which runs by which judgment sets, empty being all, and how the rows are written."""

    warehouse: Warehouse
    output: options.ArrangedOutput
    measures: Sequence[str]
    qrels: Sequence[str] = ()
    runs: Sequence[str] = ()
    costs: Sequence[str] = ()
    shows_front: bool = False

    @cached_property
    def named(self) -> list[measure_names.Measure]:
        return measure_names.parse_measures(self.measures, self.warehouse.catalog)

    def scores_query(self, *, per_topic: bool = False) -> str:
        evaluation = self.warehouse.evaluation
        return evaluation.scores_query(self.measures, per_topic=per_topic, qrels=self.qrels, runs=self.runs)

    @cached_property
    def lower(self) -> frozenset[str]:
        return listings.lower_columns(self.named).union(listings.cost_columns(self.costs))

    def board_query(self) -> str:
        query, evaluation = self.scores_query(), self.warehouse.evaluation
        if self.costs:
            quality = self.named[0] if self.shows_front else None
            how: dict[str, Any] = {"qrels": self.qrels, "runs": self.runs, "quality": quality}
            query = listings.costs_query(evaluation, query, self.costs, **how)
        return listings.placed_query(evaluation, query, self.named)

    def table(self, query: str) -> Table:
        table = self.output.table_of(self.warehouse, query, self.lower)
        return table._replace(counts=measure_names.names_of_counts(self.named))

    def width(self, table: Table) -> int:
        return terminal.total(terminal.natural_widths(table, self.output.digits))

    def write(
        self,
        table: Table,
        lines: Sequence[str] = (),
        dropped: terminal.DroppedColumns | None = None,
        *,
        thresholds: bool = True,
        below: Sequence[str] = (),
    ) -> None:
        """Write the rows, then lines, notes on the topics and, of few runs, at which score TAP cuts each."""
        asked = self.warehouse.evaluation, self.named, self.qrels, self.runs
        costs = [with_arguments(self.warehouse.catalog, "cost", name=name) for name in self.costs]
        cuts = notices.on_thresholds(*asked) if thresholds else []
        # All is read before anything is written, so that no figures stand above what is wrong with the file.
        notes = [*lines, *coverage_lines(self.warehouse, self.qrels, self.runs, [*self.named, *costs]), *cuts, *below]
        write_table(table, self.output, self.warehouse, dropped)
        note(*notes)


@command
def leaderboard(
    *,
    selection: options.MeasuredRuns,
    by: str | None = option("--by KEY", "Average the topics of each group apart: a group that was loaded, or length."),
    cost: Names = option(
        "--cost NAME", "Its mean, median and 95th percentile, as loaded by load costs; can be repeated."
    ),
    pareto: bool = flag("--pareto", "By whom each run is outdone in the first measure and the mean of the cost."),
    estimating: Estimating,
    output: options.ArrangedOutput,
    asking: options.AskingRankingsAndScores,
) -> None:
    """Systems by measures: one row a run, the best on top.

    The best has the best mean of the first measure. With --by there is a row for each group of topics and run, with
    --estimate one for each measure and run; see evalsql help judges.

    Example: evalsql leaderboard 'rerank-*' bm25 -m nDCG@10,AP
    """
    estimates = estimating.is_asked
    if estimates and by is not None:
        raise UsageError("--estimate is over all topics, --by over groups of them; leave one out")
    if cost and estimates:
        raise UsageError("--estimate corrects what a judge judged, and costs are not judged; leave out --cost")
    if pareto and by is not None:
        raise UsageError("--pareto is by means over all topics, --by is of groups of them; leave one out")
    if pareto and len(cost) != 1:
        raise UsageError(f"--pareto takes one --cost, found {len(cost)}")
    asked = None if estimates or cost or by is not None else selection.measures
    with asking.open(asked=asked) as warehouse:
        if estimates:
            estimating.write(warehouse, selection, output)
            return
        asked_for = selection.arguments(warehouse)
        question = Question(warehouse, output, **asked_for, costs=cost, shows_front=pareto)
        if pareto and question.named[0].relation.header.less_is_better:
            raise UsageError(f"--pareto: of {question.named[0].name} less is better; name a measure of quality first")
        note_waiting(warehouse, question.runs, question.qrels)
        if by is None:
            print_board(question)
        else:
            _print_groups(question, by)


@command
def topics(
    *,
    selection: options.MeasuredRuns,
    texts: bool = flag("--texts", "The text of each topic in a last column, where it was loaded."),
    wide: bool = flag("--wide", "A row a topic and measure, and a column a run."),
    output: options.ArrangedOutput,
    asking: options.AskingRankingsAndScores,
) -> None:
    """Values per topic: one row for each run, topic and measure.

    With --wide there is a row for each topic and measure, and a column for each run.

    Example: evalsql topics dense -m nDCG@10 -o topics.csv
    """
    with asking.open() as warehouse:
        question = Question(warehouse, output, **selection.arguments(warehouse))
        note_waiting(warehouse, question.runs, question.qrels)
        if wide:
            _print_wide(question, show_texts=texts)
        else:
            print_topics(question, show_texts=texts)


def print_board(question: Question) -> None:
    output, lines, evaluation = question.output, list[str](), question.warehouse.evaluation
    table = question.table(question.board_query())
    places, table = table.values("place"), table.without(len(table.columns) - 1)
    if output.is_drawn or output.chosen_format == "latex":
        table = table.with_best(question.lower, output.digits)
    table = question.output.first_rows(table)
    if output.chosen_format in READ and len(places) > 1:
        table = table.with_column(0, "place", places[: len(table.rows)])
    if output.is_drawn:
        table, lines = _with_bars(question, table)
    tied = notices.on_ties(evaluation, question.named[0], question.qrels, question.runs)
    told = [tied] if tied else []
    if question.shows_front:
        shown = table.picked(listings.DOMINATED, f"{question.costs[0]} mean")
        if any(by is not None and mean is None for by, mean in shown):
            told.append(_OF_WHOLE_RUNS.format(*question.costs))
    question.write(table, lines, terminal.DroppedColumns(spare=("place",)), below=told)


def print_topics(question: Question, *, show_texts: bool = False) -> None:
    table = question.table(question.scores_query(per_topic=True))
    if show_texts:
        table = _with_texts(question.warehouse, table)
    if question.output.sort is None:  # topic 2 comes before topic 10
        rows = sorted(table.rows, key=lambda row: (str(row[0]), str(row[1]), natural_key(str(row[2]))))
        table = table._replace(rows=rows)
    question.write(question.output.first_rows(table))


def _print_wide(question: Question, *, show_texts: bool) -> None:
    warehouse, names = question.warehouse, [each.name for each in question.named]
    asked = listings.wide_query(warehouse.evaluation, names, qrels=question.qrels, runs=question.runs)
    table = question.table(asked)
    if show_texts:
        table = _with_texts(warehouse, table)
    table = shown = question.output.first_rows(table)
    if question.output.is_drawn and question.width(table) > terminal.width():
        short = [terminal.cut(name, terminal.SHORTEST) for name in table.columns[_NAMED:]]
        shown = table._replace(columns=[*table.columns[:_NAMED], *short])
    lines = ["the terminal is too narrow for whole names of runs"] if shown.columns != table.columns else []
    question.write(shown, lines, _DROPPED)


def _with_texts(warehouse: Warehouse, table: Table) -> Table:
    found = listings.texts(warehouse.evaluation)
    if not found:
        note("no topic has a text; evalsql load topics FILE brings them")
    return table.with_column(len(table.columns), "text", [found.get((str(row[0]), str(row[2]))) for row in table.rows])


def _print_groups(question: Question, by: str) -> None:
    evaluation = question.warehouse.evaluation
    chosen: dict[str, Any] = {"qrels": question.qrels, "runs": question.runs, "costs": question.costs}
    query = listings.groups_query(evaluation, by, question.measures, **chosen)
    table = question.table(query)
    without: set[Any] = {(row[0], row[3]) for row in table.rows if row[1] is None}
    rest = f"without {by}, in the rows that name no group"
    lines = [f"{name}: {counted(count, 'topic')} {rest}" for name, count in sorted(without)]
    question.write(question.output.first_rows(table), lines, thresholds=False)


def _with_bars(question: Question, table: Table) -> tuple[Table, list[str]]:
    """The table with the bars and marks there is room for, and lines that explain them or say what is left out."""
    from evalsql.report.display import bar_lengths

    rows = table.picked("qrels", "run", question.named[0].name)
    decorated = terminal.can_write(terminal.BLOCKS, sys.stdout) and bool(rows)
    wanted = terminal.BAR + _GAP + _FEWEST + _GAP if decorated else 0
    lacking: list[str] = []
    lines: list[str] = []
    if question.width(table) + wanted > terminal.width() and len({*table.values("qrels")}) == 1:
        lacking.append(f"qrels ({rows[0][0]} in every row)")
        table = table.without(table.columns.index("qrels"))
    room = terminal.width() - question.width(table) - _GAP - terminal.BAR
    if decorated and room < 0 and table.columns[0] == "place":
        lacking.append("place")  # which the order of the rows shows
        room, table = room + len("place") + _GAP, table.without(0)
    if decorated and room < 0:
        lacking += [f"bars of {question.named[0].name}", _MARKS]
    elif decorated:
        lengths = bar_lengths(question.warehouse, rows, terminal.BAR * terminal.EIGHTHS)
        table = table.with_column(table.columns.index(question.named[0].name) + 1, "", list(map(terminal.bar, lengths)))
        if room - _GAP < _FEWEST:
            lacking.append(_MARKS)
        else:
            marks, lines = _marks(question, [row[:2] for row in rows], room - _GAP)
            table = table.with_column(len(table.columns), _BY_TOPIC, [marks.get(row[:2], "") for row in rows])
    if lacking:
        lines = [f"the terminal is too narrow for {', '.join(lacking)}", *lines]
    return table, lines


def _marks(
    question: Question, shown: Sequence[Sequence[Any]], room: int
) -> tuple[Mapping[tuple[Any, ...], str], list[str]]:
    """By judgment set and run the marks, at most as many as there is room for, and how they are to be read."""
    warehouse, measure, digits = question.warehouse, question.named[0], question.output.digits
    computed = warehouse.evaluation.components_query(measure, qrels=question.qrels, runs=question.runs)
    stored = f"select * from {STORED} where measure = {literal(measure.name)}"
    listed = rows_query("qrels, run", shown)
    values = " union all ".join(f"select qrels, run, topic, value from ({each})" for each in (computed, stored))
    values = f"select * from ({values}) where (qrels, run) in ({listed})"
    how = {"marks": room, "levels": len(terminal.HEIGHTS)}
    heights = warehouse.database.query("topic_marks", {"topic_values": values}, **how)
    columns = "qrels, run, list(level order by mark), any_value(lowest), any_value(highest), any_value(num_topics)"
    found = warehouse.rows(f"select {columns} from ({heights}) group by qrels, run order by qrels")
    scales = {name: scale for name, _, _, *scale in found if None not in scale}
    lines = []
    for name, (lowest, highest, num_topics) in scales.items():
        topics = f"the {num_topics} topics" if num_topics > 1 else "the topic"
        grouped = topics if num_topics <= room else f"{topics} in {room} groups, the mean of each"
        lines.append(
            f"{_BY_TOPIC}: {measure.name} of {grouped}, from the lowest mean over these systems to the highest; "
            f"{terminal.HEIGHTS[0]} is {lowest:.{digits}f}, {terminal.HEIGHTS[-1]} {highest:.{digits}f}"
            + (f" ({name})" if len({name for name, *_ in found}) > 1 else "")
        )
    return {(name, run): terminal.sparkline(levels) for name, run, levels, *_ in found}, lines


@dataclass(frozen=True)
class _Made(options.Loading):
    db: str = option("--db FILE", "Warehouse file to make.", "evalsql-demo.duckdb")


@command
def demo(*, loading: _Made) -> None:
    """Build a warehouse from sample data and print its leaderboard.

    The sample is synthetic: 8 systems, 40 topics.

    Example: evalsql demo
    """
    qrels, runs = PACKAGE / "sample" / "qrels.txt", PACKAGE / "sample" / "runs"
    with loading.open([str(qrels), str(runs / "*.run")]) as warehouse:
        warehouse.load_qrels(qrels, "sample", replace=True)
        with progress_bar() as progress:
            warehouse.load_runs(sorted(runs.glob("*.run")), qrels=["sample"], replace=True, progress=progress)
        query = warehouse.evaluation.scores_query((*measure_names.DEFAULT_MEASURES, "TAP@5"), qrels=["sample"])
        write_table(Table(*warehouse.database.table(query)), OutputOptions(), warehouse)
        note(*coverage_lines(warehouse, ["sample"], ()))
    note(f"\nThe warehouse is {loading.db}; any DuckDB client opens it. To go on:")
    note(*(f"  evalsql {words} --db {loading.db}" for words in _TO_GO_ON), "  evalsql measures")


@command
def eval_(
    *,
    qrels: str = options.QRELS_FILE,
    runs: Names = options.RUN_FILES,
    measure: Names = options.MEASURES,
    own: options.OwnMeasures,
    per_topic: bool = flag("--per-topic -q", "A row for each topic and measure."),
    reading: options.RunReading,
    judgments: options.JudgmentReading,
    collapse: Collapse | None = options.COLLAPSE,
    qrels_columns: options.Columns = options.QRELS_COLUMNS,
    memory_limit: str | None = options.MEMORY_LIMIT,
    output: OutputOptions,
) -> None:
    """Evaluate runs in memory, in one go; no file is left behind.

    Example: evalsql eval qrels.txt runs/*.run -m nDCG@10,AP
    """
    if qrels == "-" and "-" in runs:
        raise UsageError("standard input holds the judgments or a run; name a file for one of them")
    if judgments.form == "nuggets":
        raise UsageError("nuggets are of answers, and runs are rankings; load qrels and load assignments take both")
    _check_no_measure(runs)
    measures = measure or measure_names.DEFAULT_MEASURES
    with progress_bar() as progress:
        limits: dict[str, Any] = {"memory_limit": memory_limit, "progress": progress}
        database = open_database(MEMORY, measures=own.paths, asked=measures, **limits)
    with Warehouse(database, asked=measures) as warehouse:
        paths = [qrels, *runs]
        # One thread is done sooner with small files than several, which wait for each other; not with a glob or a pipe.
        if all(map(os.path.isfile, paths)) and sum(map(os.path.getsize, paths)) < _SMALL:
            warehouse.execute("set threads = 1")
        unit = judgments.unit if judgments.form == "spans" or not collapse else None
        arguments = {**judgments.arguments(), "unit": unit, "keep_best": reading.keep_best, "columns": qrels_columns}
        warehouse.load_qrels(qrels, "qrels" if qrels == "-" else None, **arguments)
        judged = warehouse.loader.notices, warehouse.loader.is_plain
        with progress_bar() as progress:
            is_told = judgments.form != "families" or judgments.with_self is not None
            with_self = judgments.with_self if is_told else False
            how = {**asdict(reading), "with_self": with_self, "collapse": collapse, "progress": progress}
            warehouse.load_runs(runs, **how, unit=judgments.unit if collapse else None, stdin_name="run")
        _note_reading(warehouse, *judged, keep_best=reading.keep_best)
        check_own(warehouse.database)
        asked = Question(warehouse, options.ArrangedOutput(**asdict(output)), measures)
        if per_topic:
            print_topics(asked)
        else:
            print_board(asked)


def _check_no_measure(runs: Sequence[str]) -> None:
    """Raise UsageError for a measure that is given as a run, where there is no such file."""
    for name in runs:
        if name == "-" or os.path.exists(name) or glob.glob(name, recursive=True):
            continue
        if measure_names.is_measure(name, read_catalog()):
            raise UsageError(f"{name}: no such file or directory; a measure is named by -m, as in -m {name}")


def _note_reading(warehouse: Warehouse, judgments: Sequence[str], are_plain: bool, *, keep_best: bool) -> None:
    """Say how files were read, if not all as TREC files, and how many repeated documents were left out."""
    if not (are_plain and warehouse.loader.is_plain):
        note(f"judgments {'; '.join(judgments)}", f"runs {'; '.join(warehouse.loader.notices)}")
    if keep_best:
        repeated = warehouse.rows("select run, duplicates from runs union all select qrels, duplicates from qrels")
        note(*(f"{name}: {counted(count, 'repeated document')} left out" for name, count in repeated if count))
