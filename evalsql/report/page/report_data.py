"""What a report shows of one judgment set, each part a table as a relation of the warehouse gives it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

from evalsql.catalog import ddl
from evalsql.catalog.measure_names import Measure, literal, names_of_counts, names_of_less_is_better, parse_measures
from evalsql.database.names import Names, as_list, only_qrels, resolve_names
from evalsql.errors import UsageError
from evalsql.evaluation import notices as notes
from evalsql.evaluation import stored_scores
from evalsql.evaluation.run_changes import history_query
from evalsql.evaluation.selection import Choice
from evalsql.evaluation.topic_groups import texts
from evalsql.phrases import natural_key, shortened
from evalsql.progress import Progress, silent
from evalsql.report.comparison import Comparison
from evalsql.report.page.page_queries import (
    ALPHA,
    MOST_LISTS,
    FirstDocuments,
    PageDetails,
    PairTests,
    default_baseline,
    first_documents,
    page_details,
    pair_tests,
)
from evalsql.report.table import Table
from evalsql.warehouse.warehouse import Warehouse

TEST, CORRECTION = "t", "holm"
# Statements about the values of the measures; {qrels} and {names} are filled in.
_OF_SCORES: Mapping[str, str] = {
    "values": "select measure, run, topic, value from temp.scores where qrels = {qrels} order by measure, run, topic",
    "intervals": "select measure, run, num_topics, low, high from mean_intervals() where qrels = {qrels} "
    "order by measure, run",
    "distribution": "select * exclude (qrels) from value_boxes where qrels = {qrels} "
    "order by list_position([{names}], measure), median desc, run",
    "agreement": "select * exclude (qrels) from measure_agreement() where qrels = {qrels} "
    "order by list_position([{names}], measure), list_position([{names}], other)",
}
# Sections that are shown where they are asked for: the first ones always, the last where runs are many.
ON_REQUEST = ("roc", "threshold")
MOST_THRESHOLDS = 30
MOST_RUNS = 500  # every pair is compared: so many take 3 GB, and their page is of 45 MB
_SECTION_OF = {"pr": "precision-recall", "pr_topics": "precision-recall", "tap": "threshold"}
# Relations about runs, and how their rows are ordered.
_OF_RUNS: Mapping[str, tuple[str, str]] = {
    "pr": ("pr_curve_mean", "run, recall"),
    "pr_topics": ("pr_curve_topics", "run, topic, recall"),
    "roc": ("roc_points", "run, fpr, tpr"),
    "tap": ("tap_steps", "run, false_positives"),
    "unjudged": ("unjudged_by_rank", "run, k"),
}
_GATHERING = "gathering the report"
_STEPS = [*_OF_SCORES, "differences", *_OF_RUNS, "documents"]
_DIFFERENCES = """
select topic, run, baseline, value, baseline_value, difference
from paired_differences(baseline := {baseline}) where qrels = {qrels} order by difference desc, topic"""
_SOURCES = """
select runs.run, runs.tag, runs.tie_rule, files.file, files.sha256, files.num_rows, runs.loaded_at, runs.evalsql_version
from runs left join files on files.kind = 'run' and files.id = runs.run_id
where runs.run in ({runs}) order by runs.run, files.file"""
_JUDGED = """
select qrels.qrels, qrels.form, files.kind, files.file, files.sha256, files.num_rows, qrels.loaded_at,
    qrels.evalsql_version
from qrels left join files on files.kind in ('qrels', 'weights') and files.id = qrels.qrels_id
where qrels.qrels = {qrels} order by files.kind, files.file"""


@dataclass(frozen=True)
class ReportData:
    """The parts of a report by name, and what is to be said before them.

    ``leaderboard`` has a row a run, the best by the first measure on top: run and the mean of each measure.
    ``comparison`` is that of all pairs of runs, None for a single run and for a page. Other tables: values, intervals,
    distribution, agreement, pr, pr_topics, roc, tap, unjudged, runs, qrels. ``places`` has by run and measure the place
    among all runs.
    """

    qrels: str
    measures: Sequence[Measure]
    leaderboard: Table
    comparison: Comparison | None
    tables: Mapping[str, Table]
    notices: Sequence[notes.Notice]
    program_version: str
    without: frozenset[str] = frozenset()
    title: str = ""
    baseline: str = ""
    details: PageDetails | None = None
    places: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @property
    def page(self) -> PageDetails:
        """The details that only a page shows; raises ValueError if the report was not gathered for one."""
        if self.details is None:
            raise ValueError("this report was not gathered for a page")
        return self.details

    @property
    def heading(self) -> str:
        return self.title or f"Evaluation with {self.qrels}"

    @cached_property
    def names(self) -> list[str]:
        """Canonical names of the measures."""
        return [measure.name for measure in self.measures]

    @cached_property
    def lower(self) -> frozenset[str]:
        """Measures where less is better."""
        return names_of_less_is_better(self.measures)

    @cached_property
    def runs(self) -> list[str]:
        return [str(row[0]) for row in self.leaderboard.rows]

    @cached_property
    def topics(self) -> list[str]:
        """In natural order, 2 before 10."""
        return sorted({str(topic) for _, _, topic, _ in self.tables["values"].rows}, key=natural_key)

    def means(self, measure: str) -> dict[str, float]:
        """The means of a measure by run."""
        rows: Sequence[Any] = self.leaderboard.rows
        at = self.names.index(measure) + 1
        return {str(row[0]): row[at] for row in rows}

    def values(self, measure: str) -> dict[tuple[str, str], float]:
        """The values of a measure by run and topic."""
        rows: Sequence[Any] = self.tables["values"].rows
        return {(run, topic): value for name, run, topic, value in rows if name == measure and value is not None}


def gather_report(
    warehouse: Warehouse,
    measures: Names,
    *,
    program_version: str,
    qrels: str | None = None,
    runs: Names = (),
    baseline: str | None = None,
    title: str = "",
    shown: Collection[str] = (),
    without: Collection[str] = (),
    for_page: bool = False,
    progress: Progress = silent,
) -> ReportData:
    """Gather everything a report shows.

    Args:
        measures: names, the first being the one runs are ordered by.
        qrels: judgment set; may be left out where there is only one.
        runs: names or globs; all by default.
        baseline: run that others are compared with on the page; by default one that is called so.
        title: what stands above; by default the name of the judgment set.
        shown, without: names of sections to have beside the usual ones, and to leave out.
        for_page: gather what the page shows of pairs and documents, and not what only documents have.

    Raises:
        UsageError: unknown names, no run, or several judgment sets of which none is named.
    """
    named = parse_measures(as_list(measures), warehouse.catalog)
    judged = judgment_set(warehouse, qrels)
    chosen = _chosen_runs(warehouse, named, judged, runs, baseline)
    omitted = _omitted(shown, without, len(chosen))
    show = partial(_show, progress)
    tests: PairTests | None = None
    with warehouse.evaluation.with_scores(named, qrels=judged, runs=chosen):
        tables = _score_tables(warehouse, named, judged, omitted, show)
        board = leaderboard_table(warehouse, named)
        show("differences")
        if for_page:
            tests = pair_tests(warehouse, judged)
        comparison = _comparison(warehouse, judged, named) if len(chosen) > 1 and not for_page else None
    tables |= _run_tables(warehouse, judged, chosen, omitted, show, with_topics=not for_page)
    among = ", ".join(map(literal, chosen))
    tables["runs"] = _table(warehouse, _SOURCES.format(runs=among))
    tables["qrels"] = _table(warehouse, _JUDGED.format(qrels=literal(judged)))
    said = _notices(warehouse, named[0], judged, chosen)
    found = ReportData(judged, named, board, comparison, tables, said, program_version, omitted, title)
    found = replace(found, baseline=baseline or default_baseline(found.runs), places=_places(warehouse, named, board))
    show("documents")
    if tests is not None:
        lists = FirstDocuments() if "documents" in omitted else _first_documents(warehouse, found)
        found = replace(found, details=page_details(warehouse, judged, found.runs, tests, lists))
    progress(_GATHERING, len(_STEPS), len(_STEPS))
    return found


def _show(progress: Progress, step: str) -> None:
    progress(_GATHERING, _STEPS.index(step), len(_STEPS))


def _chosen_runs(
    warehouse: Warehouse, named: Sequence[Measure], judged: str, runs: Names, baseline: str | None
) -> list[str]:
    """The runs of the report; raises UsageError where these are none or too many, or the baseline is none of them."""
    chosen = [run for _, run, *_ in warehouse.rows(warehouse.evaluation.coverage_query(judged, runs))]
    chosen = stored_scores.with_every_measure(warehouse.database, "a report", named, judged, chosen)
    if not chosen or not named:
        raise UsageError(
            f"a report takes a measure and a run evaluated with {judged} at least; evalsql load runs brings runs"
        )
    if len(chosen) > MOST_RUNS:
        raise UsageError(
            f"a report compares every pair of at most {MOST_RUNS} runs, and {judged} evaluates {len(chosen)}: name "
            "some of them, or choose by --last, --since, --system or --where; evalsql leaderboard shows all"
        )
    if baseline is not None and baseline not in chosen:
        raise UsageError(f'no run of this report is called "{baseline}"; there are: {", ".join(chosen[:5])}')
    return chosen


def _score_tables(
    warehouse: Warehouse,
    named: Sequence[Measure],
    judged: str,
    omitted: Collection[str],
    show: Callable[[str], None],
) -> dict[str, Table]:
    """Tables about the values of the measures, which the view scores has."""
    tables: dict[str, Table] = {}
    for name, query in _OF_SCORES.items():
        if name not in omitted:
            show(name)
            tables[name] = _table(warehouse, query.format(qrels=literal(judged), names=_names(named)))
    return tables


def _run_tables(
    warehouse: Warehouse,
    judged: str,
    chosen: Names,
    omitted: Collection[str],
    show: Callable[[str], None],
    *,
    with_topics: bool,
) -> dict[str, Table]:
    """Tables about the rankings of the runs, curves of each topic among them if these are wanted."""
    tables: dict[str, Table] = {}
    for name in _OF_RUNS:
        if _SECTION_OF.get(name, name) not in omitted and (with_topics or name != "pr_topics"):
            show(name)
            tables[name] = _run_table(warehouse, name, judged, chosen)
    return tables


def _run_table(warehouse: Warehouse, name: str, judged: str, chosen: Names) -> Table:
    relation, order = _OF_RUNS[name]
    asked = warehouse.evaluation.relation_rows_query(relation, qrels=judged, runs=chosen)
    return _table(warehouse, f"select * exclude (qrels) from ({asked}) order by {order}")


def _notices(warehouse: Warehouse, measure: Measure, judged: str, chosen: Sequence[str]) -> list[notes.Notice]:
    tie_note = notes.on_ties(warehouse.evaluation, measure, [judged], chosen)
    return [
        *notes.on_coverage(warehouse.evaluation, [judged], chosen),
        *notes.on_overlaps(warehouse.evaluation, [judged], chosen),
        *([notes.Notice("ties", tie_note)] if tie_note else []),
    ]


def _omitted(shown: Collection[str], without: Collection[str], num_runs: int) -> frozenset[str]:
    """Sections that are left out."""
    costly = ON_REQUEST if num_runs > MOST_THRESHOLDS else ON_REQUEST[:1]
    return frozenset(without) | (frozenset(costly) - frozenset(shown))


def _first_documents(warehouse: Warehouse, report: ReportData) -> FirstDocuments:
    """Of the best systems and the baseline, on the topics where the best and the baseline differ most."""
    best, baseline, measure = report.runs[0], report.baseline, report.measures[0]
    most = max(MOST_LISTS // len(report.topics), 2)
    runs = list(dict.fromkeys([best, baseline, *report.runs]))[:most]
    values = report.values(measure.name)

    def apart(topic: str) -> tuple[float, str]:
        return -abs(values.get((best, topic), 0) - values.get((baseline, topic), 0)), topic

    topics = sorted(report.topics, key=apart)[: max(MOST_LISTS // len(runs), 1)]
    return first_documents(warehouse, report.qrels, measure, runs, topics)


def chart_rows(
    warehouse: Warehouse,
    name: str,
    measures: Names,
    *,
    qrels: str | None = None,
    runs: Names = (),
    baseline: str | None = None,
) -> Table:
    """The rows of one chart of a report.

    Args:
        name: agreement, differences, distribution, history, pr, pr_levels, roc, tap, topics or unjudged.
        measures: names; all of them for agreement and history, the first for differences, distribution and topics.
        baseline: run that the only run named is compared with (differences).

    Raises:
        UsageError: unknown names, or not the number of runs that the chart takes.
    """
    named = parse_measures(as_list(measures), warehouse.catalog)
    judged = judgment_set(warehouse, qrels)
    if name == "history":
        asked = history_query(warehouse.evaluation, measures, choice=Choice(as_list(runs)), qrels=judged)
        return history_chart(_table(warehouse, asked))
    chosen = [run for _, run, *_ in warehouse.rows(warehouse.evaluation.coverage_query(judged, runs))]
    if name in ("differences", "pr_levels") and len(chosen) != 1:
        raise UsageError(f"the chart {name} is of one run, name it: {shortened(chosen) or 'none is there'}")
    if not chosen or not named:
        raise UsageError(
            f"a chart takes a measure and a run evaluated with {judged} at least; evalsql load runs brings runs"
        )
    if name == "differences" and baseline is None:
        raise UsageError("the chart differences is of a run and a baseline, name it with --baseline")
    if name != "differences" and baseline is not None:
        raise UsageError(f"the chart {name} takes no baseline; differences does")
    of_runs = "pr_topics" if name == "pr_levels" else name
    if of_runs in _OF_RUNS:
        stored_scores.check_rankings(warehouse.database, f"the chart {name}", chosen)
        return _run_table(warehouse, of_runs, judged, chosen)
    others = [] if baseline is None else resolve_names(warehouse.database, "run", [baseline])
    given = named if name == "agreement" else named[:1]
    with warehouse.evaluation.with_scores(given, qrels=judged, runs=[*chosen, *others]):
        query = _OF_SCORES["values" if name == "topics" else name] if name != "differences" else _DIFFERENCES
        asked = query.format(qrels=literal(judged), baseline=literal(baseline), names=_names(given))
        # Measures that do not tell the runs apart agree with none, which a chart cannot show.
        rows = _table(warehouse, f"select * from ({asked}) where tau_b is not null" if name == "agreement" else asked)
    return _with_texts(warehouse, judged, rows) if name in ("differences", "topics") else rows


def _with_texts(warehouse: Warehouse, qrels: str, table: Table) -> Table:
    """Rows of topics with their texts, where any was loaded."""
    found = texts(warehouse.evaluation)
    if not any(held == qrels for held, _ in found):
        return table
    at = table.columns.index("topic")
    return Table([*table.columns, "text"], [[*row, found.get((qrels, str(row[at])))] for row in table.rows])


def history_chart(table: Table) -> Table:
    """The rows of a history as the chart takes them, of one judgment set; raises UsageError where there are several."""
    columns = list(table.columns)
    sets = sorted({str(row[columns.index("qrels")]) for row in table.rows})
    if len(sets) > 1:
        raise UsageError(f"a chart is of one judgment set, name it with --qrels: {', '.join(sets)}")
    at = columns.index("dated_at")
    # A chart's dates are texts as ISO 8601 has them.
    return Table(columns, [(*row[:at], str(row[at]).replace(" ", "T"), *row[at + 1 :]) for row in table.rows])


def _names(measures: Sequence[Measure]) -> str:
    return ", ".join(literal(measure.name) for measure in measures)


def judgment_set(warehouse: Warehouse, name: str | None) -> str:
    """The judgment set that a report is of; raises UsageError where there are several and none is named."""
    return only_qrels(warehouse.database, name or None, "a report is of one judgment set, name it with --qrels")


def _table(warehouse: Warehouse, query: str, counts: frozenset[str] = frozenset()) -> Table:
    return Table(*warehouse.database.table(query), counts)


def leaderboard_table(warehouse: Warehouse, measures: Sequence[Measure]) -> Table:
    """Means of the values that the view scores has: a row a run, the best by the first measure on top."""
    rows = ddl.leaderboard(warehouse.catalog, measures, "select * from temp.scores")
    return _table(warehouse, f"select * exclude (qrels) from ({rows})", names_of_counts(measures))


def _places(warehouse: Warehouse, named: Sequence[Measure], board: Table) -> Mapping[str, Mapping[str, int]]:
    """By run and measure the place among all runs."""
    means = [
        (each.name, row[0], row[board.columns.index(each.name)], each.relation.header.less_is_better)
        for each in named
        for row in board.rows
    ]
    kinds = {"measure": "varchar", "run": "varchar", "value": "double", "less_is_better": "boolean"}
    given = ", ".join(f"unnest(?::{kind}[]) as {name}" for name, kind in kinds.items())
    inputs = {"means": f"select {given}", "drawn_runs": "select distinct run from means"}
    query = ddl.relation_query(warehouse.catalog, "measure_places", inputs)
    found: dict[str, dict[str, int]] = {}
    for run, measure, place in warehouse.rows(
        f"select run, measure, place from ({query})", [list(column) for column in zip(*means, strict=True)]
    ):
        found.setdefault(run, {})[measure] = place
    return found


def _comparison(warehouse: Warehouse, qrels: str, named: Sequence[Measure]) -> Comparison:
    relation = warehouse.catalog["comparisons"]
    given = {each.name: each.default for each in relation.parameters} | {
        "test": TEST,
        "correction": CORRECTION,
        "family": "measure",
    }
    table = _table(warehouse, f"select * from {Measure(relation, given).call} order by measure, baseline, run")
    pairs = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    lower = names_of_less_is_better(named)
    otherwise = [
        (name, way)
        for held, name, way in warehouse.evaluation.averaged_otherwise([m.name for m in named])
        if held == qrels
    ]
    names = [measure.name for measure in named]
    return Comparison(qrels, pairs, names, TEST, CORRECTION, ALPHA, otherwise=otherwise, lower=lower, family="measure")
