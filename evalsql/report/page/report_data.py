"""What a report shows of one judgment set: tables, and for a page pairs of runs, first documents and topic texts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from evalsql.catalog import ddl
from evalsql.catalog.ddl import relation_query
from evalsql.catalog.measure_names import (
    Measure,
    literal,
    names_of_counts,
    names_of_less_is_better,
    parse_measures,
    quoted,
)
from evalsql.catalog.relations import Relation
from evalsql.database.names import Names, as_list, only_qrels
from evalsql.errors import UsageError
from evalsql.evaluation import notices as notes
from evalsql.evaluation import stored_scores
from evalsql.evaluation.audits import audits, findings
from evalsql.evaluation.evaluation import temporary_tables
from evalsql.evaluation.explanation import can_be_cut, first_contributions
from evalsql.phrases import Progress, natural_key, silent
from evalsql.report.comparison import Comparison, by_judgments
from evalsql.report.table import Table, short
from evalsql.warehouse.warehouse import Warehouse

ALPHA = 0.05
DEPTH = 20  # first documents of a ranking that a page shows
MOST_LISTS = 1_000  # rankings whose first documents are in the page: so that it stays below some megabytes
MOST_RUNS = 500  # every pair is compared: so many take 3 GB, and their page is of 45 MB
MOST_THRESHOLDS = 30
# Sections that are shown where they are asked for: the first ones always, the last where runs are many.
ON_REQUEST = ("roc", "threshold")
_SECTION_OF = {"pr": "precision-recall", "pr_topics": "precision-recall", "tap": "threshold"}
_BASELINES = ("baseline", "bm25")
_COMPARED = {"test": "t", "correction": "holm", "family": "measure"}
# Tables about the values of the measures; {qrels} and {names} are filled in.
OF_SCORES: Mapping[str, str] = {
    "values": "select measure, run, topic, value from temp.scores where qrels = {qrels} order by measure, run, topic",
    "intervals": "select measure, run, num_topics, low, high from mean_intervals() where qrels = {qrels} "
    "order by measure, run",
    "distribution": "select * exclude (qrels) from value_boxes where qrels = {qrels} "
    "order by list_position([{names}], measure), median desc, run",
    "agreement": "select * exclude (qrels) from measure_agreement() where qrels = {qrels} "
    "order by list_position([{names}], measure), list_position([{names}], other)",
}
# Tables about the rankings of runs: the relation, and how its rows are ordered.
OF_RUNS: Mapping[str, tuple[str, str]] = {
    "pr": ("pr_curve_mean", "run, recall"),
    "pr_topics": ("pr_curve_topics", "run, topic, recall"),
    "roc": ("roc_points", "run, fpr, tpr"),
    "tap": ("tap_steps", "run, false_positives"),
    "unjudged": ("unjudged_by_rank", "run, k"),
}
_SOURCES: Mapping[str, str] = {
    "runs": """
        select runs.run, runs.tag, runs.tie_rule, files.file, files.sha256, files.num_rows, runs.loaded_at,
            runs.evalsql_version
        from runs left join files on files.kind = 'run' and files.id = runs.run_id
        where runs.run in ({runs}) order by runs.run, files.file""",
    "qrels": """
        select qrels.qrels, qrels.form, files.kind, files.file, files.sha256, files.num_rows, qrels.loaded_at,
            qrels.evalsql_version
        from qrels left join files on files.kind in ('qrels', 'weights') and files.id = qrels.qrels_id
        where qrels.qrels = {qrels} order by files.kind, files.file""",
}
_PAIRS = """
select measure, baseline, run, num_topics, difference, half_width, half_width * factor, is_sure, tests_left, wins, ties,
    losses
from temp.page_holm_steps left join temp.page_interval_factors using (num_topics, tests_left)"""


class Pair(NamedTuple):
    """A run beside another; ``half`` is half its 95% interval, ``wide`` the same at its step of Holm's procedure."""

    num_topics: int
    difference: float
    half: float | None
    wide: float | None
    is_sure: bool
    tests_left: int
    wins: int
    ties: int
    losses: int

    def ends(self, half: float | None) -> tuple[float | None, float | None]:
        return (None, None) if half is None else (self.difference - half, self.difference + half)


class PageDetails(NamedTuple):
    """What only a page shows.

    Attributes:
        pairs: by measure, baseline and run.
        factors: by topics and tests left how much wider Holm's procedure makes an interval.
        documents: by the number of a topic names and grades of documents, and "lists": by the number of a run the
            numbers of its first documents, what each contributes, and at which rank others of the documents are.
        texts: by topic.
        findings: of audits: audit, what is wrong, number of rows.
        size: numbers of judgments and grades, and when the newest of all this was loaded.
    """

    pairs: Mapping[tuple[str, str, str], Pair] = {}
    factors: Mapping[int, Mapping[int, float]] = {}
    documents: Mapping[int, Any] = {}
    texts: Mapping[str, str] = {}
    findings: Sequence[tuple[str, str, int]] = ()
    size: Sequence[Any] = ()


@dataclass(frozen=True)
class ReportData:
    """The parts of a report by name, and what is to be said before them.

    ``leaderboard`` has a row a run, the best by the first measure on top: run and the mean of each measure.
    ``comparison`` is that of all pairs of runs, None for a single run and for a page. Other tables: values, intervals,
    distribution, agreement, pr, pr_topics, roc, tap, unjudged, runs, qrels. ``places`` has by measure and run the place
    among all runs.
    """

    qrels: str
    measures: Sequence[Measure]
    leaderboard: Table
    places: Mapping[tuple[str, str], int]
    comparison: Comparison | None
    tables: Mapping[str, Table]
    notices: Sequence[notes.Notice]
    without: frozenset[str]
    heading: str
    baseline: str
    page: PageDetails

    @cached_property
    def names(self) -> list[str]:
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

    def rows(self, table: str, *columns: str) -> list[tuple[Any, ...]]:
        """Columns of a table; no rows where it is left out."""
        return self.tables[table].picked(*columns) if table in self.tables else []

    def means(self, measure: str) -> dict[str, float]:
        """The means of a measure by run."""
        return dict(self.leaderboard.picked("run", measure))

    def order(self, measure: str) -> list[str]:
        """Runs from the best to the worst by a measure; those with equal means as the leaderboard has them."""
        return sorted(self.runs, key=lambda run: self.places[measure, run])

    def leaders(self, measure: str) -> list[str]:
        """The best by a measure."""
        return [run for run in self.runs if self.places[measure, run] == 1]

    def values(self, measure: str) -> dict[tuple[str, str], float]:
        """The values of a measure by run and topic."""
        rows: Sequence[Any] = self.tables["values"].rows
        return {(run, topic): value for name, run, topic, value in rows if name == measure and value is not None}


def gather_report(
    warehouse: Warehouse,
    measures: Names,
    *,
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
    left_out = {*omitted, "pr_topics"} if for_page else omitted
    of_runs = [name for name in OF_RUNS if not {name, _SECTION_OF.get(name)} & left_out]
    names, run_names = (", ".join(map(literal, each)) for each in ([each.name for each in named], chosen))
    parts = {"qrels": literal(judged), "names": names, "runs": run_names}
    tables: dict[str, Table] = {}

    def gather(name: str, query: str) -> None:
        progress("gathering the report", len(tables), len(OF_SCORES) + len(of_runs) + len(_SOURCES))
        tables[name] = Table(*warehouse.database.table(query))

    page, comparison = PageDetails(), None
    with warehouse.evaluation.with_scores(named, qrels=judged, runs=chosen):
        for name in OF_SCORES:
            if name not in omitted:
                gather(name, OF_SCORES[name].format(**parts))
        board = ddl.leaderboard(warehouse.catalog, named, "select * from temp.scores")
        means = warehouse.database.table(f"select * exclude (qrels) from ({board})")
        leaderboard = Table(*means, names_of_counts(named))
        places = warehouse.rows(f"select measure, run, place from ({places_query(warehouse, board, named, chosen)})")
        if for_page:
            page = _tested_pairs(warehouse, judged)
        elif len(chosen) > 1:
            comparison = _comparison(warehouse, named)
    for name in of_runs:
        gather(name, run_rows_query(warehouse, name, judged, chosen))
    for name, query in _SOURCES.items():
        gather(name, query.format(**parts))
    found = ReportData(
        judged,
        named,
        leaderboard,
        {(measure, run): place for measure, run, place in places},
        comparison,
        tables,
        _notices(warehouse, named[0], judged, chosen),
        omitted,
        title or f"Evaluation with {judged}",
        baseline or default_baseline(leaderboard.values("run")),
        page,
    )
    return replace(found, page=_with_details(warehouse, found)) if for_page else found


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


def default_baseline(runs: Sequence[str]) -> str:
    """Of runs in their order, the best first: one whose name says it is a baseline, else the one in the middle."""
    for word in _BASELINES:
        if named := [run for run in runs[1:] if word in run.lower()]:
            return min(named, key=lambda run: (len(run), run))
    return runs[len(runs) // 2]


def judgment_set(warehouse: Warehouse, name: str | None) -> str:
    """The judgment set that a report is of; raises UsageError where there are several and none is named."""
    return only_qrels(warehouse.database, name or None, "a report is of one judgment set, name it with --qrels")


def run_rows_query(warehouse: Warehouse, name: str, qrels: str, runs: Names) -> str:
    """The rows about the rankings of these runs that a table of ``OF_RUNS`` has."""
    relation, order = OF_RUNS[name]
    asked = warehouse.evaluation.relation_rows_query(relation, qrels=qrels, runs=runs)
    return f"select * exclude (qrels) from ({asked}) order by {order}"


def places_query(warehouse: Warehouse, board: str, measures: Sequence[Measure], drawn: Sequence[str]) -> str:
    """The place of each run by each measure of a leaderboard, and among the runs that are drawn."""
    columns = ", ".join(quoted(measure.name) for measure in measures)
    lower = ", ".join(map(literal, names_of_less_is_better(measures)))
    means = f"""
        select measure, run, value, list_contains([{lower}]::varchar[], measure) as less_is_better
        from (unpivot ({board}) on {columns} into name measure value value)"""
    inputs = {"means": means, "drawn_runs": names_query("run", drawn)}
    return relation_query(warehouse.catalog, "measure_places", inputs)


def names_query(column: str, names: Sequence[str]) -> str:
    """A SELECT of these names."""
    return f"select unnest([{', '.join(map(literal, names))}]::varchar[]) as {column}"


def _notices(warehouse: Warehouse, measure: Measure, judged: str, chosen: Sequence[str]) -> list[notes.Notice]:
    tie_note = notes.on_ties(warehouse.evaluation, measure, [judged], chosen)
    return [
        *notes.on_coverage(warehouse.evaluation, [judged], chosen),
        *notes.on_overlaps(warehouse.evaluation, [judged], chosen),
        *([notes.Notice("ties", tie_note)] if tie_note else []),
    ]


def _at_defaults(relation: Relation, **given: str) -> str:
    """A call of a macro with the default of each parameter that is not given."""
    return Measure(relation, {each.name: each.default for each in relation.parameters} | given).call


def _comparison(warehouse: Warehouse, named: Sequence[Measure]) -> Comparison:
    """All pairs of runs, tested by the values that the view scores gives now."""
    call = _at_defaults(warehouse.catalog["comparisons"], **_COMPARED)
    table = Table(*warehouse.database.table(f"select * from {call} order by measure, baseline, run"))
    (found,) = by_judgments(warehouse, table, named, alpha=ALPHA, **_COMPARED)
    return found


def _tested_pairs(warehouse: Warehouse, qrels: str) -> PageDetails:
    """The same for a page."""
    catalog = warehouse.catalog
    call = _at_defaults(catalog["differences"])
    kept = {"page_found_differences": f"select * from {call} where qrels = {literal(qrels)}"}
    for reads, name, options in (
        ("found_differences", "tested_pairs", {}),
        ("tested_pairs", "holm_steps", {"alpha": ALPHA}),
        ("holm_steps", "interval_factors", {"alpha": ALPHA}),
    ):
        kept[f"page_{name}"] = relation_query(catalog, name, {reads: f"select * from temp.page_{reads}"}, **options)
    factors: dict[int, dict[int, float]] = {}
    with temporary_tables(warehouse.database, kept):
        pairs = {(measure, base, run): Pair(*rest) for measure, base, run, *rest in warehouse.rows(_PAIRS)}
        for topics, left, factor in warehouse.rows("from temp.page_interval_factors order by all"):
            factors.setdefault(topics, {})[left] = factor
    return PageDetails(pairs, factors)


def _with_details(warehouse: Warehouse, report: ReportData) -> PageDetails:
    """What the page shows of pairs, with first documents, texts of topics, findings and how much there is."""
    runs = {"chosen_runs": names_query("run", report.runs)}
    facts = relation_query(warehouse.catalog, "judgment_facts", runs, qrels=report.qrels)
    return report.page._replace(
        documents={} if "documents" in report.without else _first_documents(warehouse, report),
        texts=dict(warehouse.rows("select topic, text from topic_texts where qrels = ?", [report.qrels])),
        findings=findings(warehouse.evaluation, audits(warehouse.catalog, quick=True)),
        size=warehouse.rows(facts)[0],
    )


def _first_documents(warehouse: Warehouse, report: ReportData) -> dict[int, Any]:
    """Of the best systems and the baseline, on the topics where the best and the baseline differ most."""
    best, baseline, measure = report.runs[0], report.baseline, report.measures[0]
    runs = list(dict.fromkeys([best, baseline, *report.runs]))[: max(MOST_LISTS // len(report.topics), 2)]
    values = report.values(measure.name)
    gaps = {topic: abs(values.get((best, topic), 0) - values.get((baseline, topic), 0)) for topic in report.topics}
    topics = sorted(gaps, key=lambda topic: (-gaps[topic], topic))[: max(MOST_LISTS // len(runs), 1)]
    catalog = warehouse.catalog
    chosen = {"chosen_runs": names_query("run", runs), "chosen_topics": names_query("topic", topics)}
    lists = relation_query(catalog, "chosen_lists", chosen, qrels=report.qrels)
    kept = {"chosen_lists": "select * from temp.page_chosen_lists"}
    with temporary_tables(warehouse.database, {"page_chosen_lists": lists}):
        can_tell = can_be_cut(warehouse.database, measure)  # else a cut ranking says nothing of the whole one
        worth = first_contributions(warehouse.database, measure, DEPTH) if can_tell else []
        first, later = (
            warehouse.rows(relation_query(catalog, name, kept, depth=DEPTH))
            for name in ("first_documents", "later_documents")
        )
    topics_at, runs_at = ({name: at for at, name in enumerate(names)} for names in (report.topics, report.runs))
    adds = {(topics_at[topic], runs_at[run], rank): short(value) for run, topic, rank, value in worth}
    found: dict[int, Any] = {}
    numbers: dict[tuple[int, str], int] = {}
    for topic, run, rank, name, grade in sorted((topics_at[topic], runs_at[run], *rest) for run, topic, *rest in first):
        there = found.setdefault(topic, {"names": [], "grades": [], "lists": {}})
        if (topic, name) not in numbers:
            numbers[topic, name] = len(there["names"])
            there["names"].append(name)
            there["grades"].append(grade)
        documents, contributions, _ = there["lists"].setdefault(run, ([], [], {}))
        documents.append(numbers[topic, name])
        contributions.append(adds.get((topic, run, rank)))
    for run, topic, rank, name in sorted(later):
        at = topics_at[topic]
        found[at]["lists"][runs_at[run]][2][numbers[at, name]] = rank
    return found
