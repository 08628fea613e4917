"""What a report shows of one judgment set, each part a table as a relation of the warehouse gives it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from evalsql.catalog import ddl
from evalsql.catalog.measure_names import Measure, literal, names_of_counts, names_of_less_is_better, parse_measures
from evalsql.database.names import Names, as_list, only_qrels
from evalsql.errors import UsageError
from evalsql.evaluation import notices as notes
from evalsql.evaluation import stored_scores
from evalsql.phrases import Progress, natural_key, silent
from evalsql.report.comparison import Comparison, by_judgments
from evalsql.report.page.page_queries import (
    ALPHA,
    MOST_LISTS,
    FirstDocuments,
    PageDetails,
    default_baseline,
    first_documents,
    page_details,
    pair_tests,
)
from evalsql.report.table import Table
from evalsql.warehouse.warehouse import Warehouse

TEST, CORRECTION = "t", "holm"
# Statements about the values of the measures; {qrels} and {names} are filled in.
OF_SCORES: Mapping[str, str] = {
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
OF_RUNS: Mapping[str, tuple[str, str]] = {
    "pr": ("pr_curve_mean", "run, recall"),
    "pr_topics": ("pr_curve_topics", "run, topic, recall"),
    "roc": ("roc_points", "run, fpr, tpr"),
    "tap": ("tap_steps", "run, false_positives"),
    "unjudged": ("unjudged_by_rank", "run, k"),
}
_STEPS = [*OF_SCORES, "differences", *OF_RUNS, "documents"]
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
    on_request = ON_REQUEST if len(chosen) > MOST_THRESHOLDS else ON_REQUEST[:1]
    omitted = frozenset(without) | (frozenset(on_request) - frozenset(shown))
    qrels_and_names = {"qrels": literal(judged), "names": ", ".join(literal(measure.name) for measure in named)}

    tables: dict[str, Table] = {}

    def step(name: str) -> None:
        progress("gathering the report", _STEPS.index(name), len(_STEPS))

    with warehouse.evaluation.with_scores(named, qrels=judged, runs=chosen):
        for name, query in OF_SCORES.items():
            if name not in omitted:
                step(name)
                tables[name] = table_of(warehouse, query.format(**qrels_and_names))
        leaderboard = leaderboard_table(warehouse, named)
        step("differences")
        tests = pair_tests(warehouse, judged) if for_page else None
        comparison = _comparison(warehouse, named) if len(chosen) > 1 and not for_page else None
    for name in OF_RUNS:
        if _SECTION_OF.get(name, name) not in omitted and not (for_page and name == "pr_topics"):
            step(name)
            tables[name] = table_of(warehouse, run_rows_query(warehouse, name, judged, chosen))
    tables["runs"] = table_of(warehouse, _SOURCES.format(runs=", ".join(map(literal, chosen))))
    tables["qrels"] = table_of(warehouse, _JUDGED.format(**qrels_and_names))
    step("documents")
    found = ReportData(
        judged,
        named,
        leaderboard,
        comparison,
        tables,
        _notices(warehouse, named[0], judged, chosen),
        program_version,
        omitted,
        title,
        places=_places(warehouse, named, leaderboard),
    )
    found = replace(found, baseline=baseline or default_baseline(found.runs))
    if tests is not None:
        lists = FirstDocuments() if "documents" in omitted else _first_documents(warehouse, found)
        found = replace(found, details=page_details(warehouse, judged, found.runs, tests, lists))
    progress("gathering the report", len(_STEPS), len(_STEPS))
    return found


def _chosen_runs(
    warehouse: Warehouse, named: Sequence[Measure], judged: str, runs: Names, baseline: str | None
) -> list[str]:
    """The runs of the report; raises UsageError where these are none or too many, or the baseline is none of them."""
    chosen = [run for _, run, *_ in warehouse.rows(warehouse.evaluation.coverage_query(judged, runs))]
    chosen = stored_scores.with_every_measure(warehouse.database, "a report", named, judged, chosen)
    if not chosen or not named:
        raise UsageError(f"a report needs a measure and a run evaluated with {judged}; evalsql load runs loads runs")
    if len(chosen) > MOST_RUNS:
        raise UsageError(
            f"a report compares every pair of at most {MOST_RUNS} runs, and {judged} evaluates {len(chosen)}: name "
            "some of them, or choose by --last, --since, --system or --where; evalsql leaderboard shows all"
        )
    if baseline is not None and baseline not in chosen:
        raise UsageError(f'the report has no run "{baseline}"; it has {", ".join(chosen[:5])}')
    return chosen


def run_rows_query(warehouse: Warehouse, name: str, qrels: str, runs: Names) -> str:
    """The rows about the rankings of these runs that a table of ``OF_RUNS`` has."""
    relation, order = OF_RUNS[name]
    asked = warehouse.evaluation.relation_rows_query(relation, qrels=qrels, runs=runs)
    return f"select * exclude (qrels) from ({asked}) order by {order}"


def _notices(warehouse: Warehouse, measure: Measure, judged: str, chosen: Sequence[str]) -> list[notes.Notice]:
    tie_note = notes.on_ties(warehouse.evaluation, measure, [judged], chosen)
    return [
        *notes.on_coverage(warehouse.evaluation, [judged], chosen),
        *notes.on_overlaps(warehouse.evaluation, [judged], chosen),
        *([notes.Notice("ties", tie_note)] if tie_note else []),
    ]


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


def judgment_set(warehouse: Warehouse, name: str | None) -> str:
    """The judgment set that a report is of; raises UsageError where there are several and none is named."""
    return only_qrels(warehouse.database, name or None, "a report is of one judgment set, name it with --qrels")


def table_of(warehouse: Warehouse, query: str, counts: frozenset[str] = frozenset()) -> Table:
    """The rows of a query; ``counts`` names measures whose values are whole."""
    return Table(*warehouse.database.table(query), counts)


def leaderboard_table(warehouse: Warehouse, measures: Sequence[Measure]) -> Table:
    """Means of the values that the view scores has: a row a run, the best by the first measure on top."""
    rows = ddl.leaderboard(warehouse.catalog, measures, "select * from temp.scores")
    return table_of(warehouse, f"select * exclude (qrels) from ({rows})", names_of_counts(measures))


def _places(warehouse: Warehouse, named: Sequence[Measure], board: Table) -> Mapping[str, Mapping[str, int]]:
    """By run and measure the place among all runs."""
    means = [
        [each.name, row[0], row[at], each.relation.header.less_is_better]
        for at, each in enumerate(named, start=1)
        for row in board.rows
    ]
    kinds = {"measure": "varchar", "run": "varchar", "value": "double", "less_is_better": "boolean"}
    given = ", ".join(f"unnest(?::{kind}[]) as {name}" for name, kind in kinds.items())
    inputs = {"means": f"select {given}", "drawn_runs": "select distinct run from means"}
    query = ddl.relation_query(warehouse.catalog, "measure_places", inputs)
    asked = f"select run, measure, place from ({query})"
    found: dict[str, dict[str, int]] = {}
    for run, measure, place in warehouse.rows(asked, [list(column) for column in zip(*means, strict=True)]):
        found.setdefault(run, {})[measure] = place
    return found


def _comparison(warehouse: Warehouse, named: Sequence[Measure]) -> Comparison:
    relation = warehouse.catalog["comparisons"]
    given = {each.name: each.default for each in relation.parameters} | {
        "test": TEST,
        "correction": CORRECTION,
        "family": "measure",
    }
    table = table_of(warehouse, f"select * from {Measure(relation, given).call} order by measure, baseline, run")
    (found,) = by_judgments(warehouse, table, named, alpha=ALPHA, test=TEST, correction=CORRECTION, family="measure")
    return found
