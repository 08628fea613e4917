"""What a report shows of one judgment set: tables, and for a page pairs of runs, first documents and topic texts."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from evalsql.catalog import queries
from evalsql.catalog.measure_names import Measure, names_of_counts, names_of_less_is_better, parse_measures
from evalsql.database.database import Database
from evalsql.database.names import Names, as_list, only_qrels, run_in_place
from evalsql.errors import UsageError, warn
from evalsql.evaluation import notices as notes
from evalsql.evaluation import stored_scores
from evalsql.evaluation.evaluation import FAMILIES, temporary_tables
from evalsql.evaluation.explanation import first_contributions
from evalsql.evaluation.listings import document_words
from evalsql.evaluation.notices import audits, findings
from evalsql.literals import Value, literal, rows_query
from evalsql.phrases import Progress, counted, natural_key, shortened, silent
from evalsql.report.comparison import Comparison, by_judgments
from evalsql.report.table import Table, short
from evalsql.warehouse.warehouse import Warehouse

ALPHA = 0.05
DEPTH = 20  # first documents of a ranking that a page shows
MOST_LISTS = 1_000  # rankings whose first documents are in the page: so that it stays below some megabytes
MOST_SETS = 30  # judgment sets whose agreement is shown
MOST_RUNS = 500  # every pair is compared: so many take 3 GB, and their page is of 45 MB
MOST_THRESHOLDS = 30
# Sections that are shown where they are asked for: the first ones always, the last where runs are many.
ON_REQUEST = ("roc", "threshold")
_SECTION_OF = {"pr": "precision-recall", "pr_topics": "precision-recall", "tap": "threshold"}
# Tables about the values of the measures; {qrels} and {names} are filled in.
OF_SCORES: Mapping[str, str] = {
    "values": "select measure, run, topic, value from temp.scores where qrels = {qrels} order by measure, run, topic",
    "intervals": "select measure, run, num_topics, low, high from mean_intervals() where qrels = {qrels} "
    "order by measure, run",
    "distribution": "select * exclude (qrels) from value_boxes where qrels = {qrels} "
    "order by list_position({names}, measure), median desc, run",
    "costs": "select run, cost, mean, median, p95, total, num_topics from cost_summary "
    "where qrels = {qrels} and run in ({runs}) order by cost, mean, total, run",
    "agreement": "select * exclude (qrels) from measure_agreement() where qrels = {qrels} "
    "order by list_position({names}, measure), list_position({names}, other)",
}
# Tables about the rankings of runs: the relation, and how its rows are ordered.
OF_RUNS: Mapping[str, tuple[str, str]] = {
    "pr": ("pr_curve_mean", "run, recall"),
    "pr_topics": ("pr_curve_topics", "run, topic, recall"),
    "roc": ("roc_points", "run, fpr, tpr"),
    "tap": ("tap_steps", "run, false_positives"),
    "unjudged": ("unjudged_by_rank", "run, k"),
}
DRAWN_OF_RUNS = {**OF_RUNS, "calls": ("call_recall", "run, call")}  # also what charts alone show


@dataclass(frozen=True, kw_only=True)
class ReportData:
    """The parts of a report by name, and what is to be said before them; what only a page shows has defaults."""

    qrels: str
    measures: Sequence[Measure]
    leaderboard: Table  # a row a run, the best by the first measure on top: run and the mean of each measure
    means: Mapping[str, Mapping[str, Any]]  # rows of ``means_query`` by measure, then run, the best first
    tables: Mapping[str, Table]  # of the keys of OF_SCORES and OF_RUNS, runs and qrels
    notices: Sequence[notes.Notice]
    without: frozenset[str]
    heading: str
    baseline: str
    family: str = "measure"  # which comparisons with a baseline are corrected together, see FAMILIES
    comparison: Comparison | None = None  # with the baseline; None for a single run and for a page
    outcomes: Sequence[Any] = ()  # rows of ``topic_outcomes`` of the best run beside the baseline
    # Rows of ``tested_pairs`` by measure, baseline and run.
    pairs: Mapping[tuple[str, str, str], Any] = field(default_factory=dict)
    # By the number of a topic names, grades and, where held, words of documents, and "lists": by the number of a run
    # the numbers of its first documents, what each contributes, and at which rank others of the documents are.
    documents: Mapping[int, Any] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)  # by topic
    findings: Sequence[tuple[str, str, int]] = ()  # of audits: audit, what is wrong, number of rows
    size: Sequence[Any] = ()  # numbers of judgments and grades, and the day when the newest of all this was loaded

    @cached_property
    def names(self) -> list[str]:
        return [measure.name for measure in self.measures]

    @cached_property
    def lower(self) -> frozenset[str]:
        return names_of_less_is_better(self.measures)

    @cached_property
    def runs(self) -> list[str]:
        return [str(row[0]) for row in self.leaderboard.rows]

    @cached_property
    def topics(self) -> list[str]:
        return sorted({str(topic) for _, _, topic, _ in self.tables["values"].rows}, key=natural_key)

    @cached_property
    def corrected(self) -> str:
        """The comparisons with a baseline that p is corrected for."""
        number = counted((len(self.runs) - 1) * (len(self.names) if self.family == "all" else 1), "comparison")
        return f"{number}, {FAMILIES[self.family]}" if len(self.names) > 1 else number

    def rows(self, table: str, *columns: str) -> list[tuple[Any, ...]]:
        """Columns of a table; no rows where it is left out."""
        return self.tables[table].picked(*columns) if table in self.tables else []

    def told(self, about: str) -> list[str]:
        return [each.text.strip() for each in self.notices if each.about == about]

    def order(self, measure: str) -> list[str]:
        """Runs from the best to the worst by a measure; those with equal means as the leaderboard has them."""
        return sorted(self.runs, key=lambda run: self.means[measure][run].place)

    def leaders(self, measure: str) -> list[str]:
        return [run for run in self.runs if self.means[measure][run].place == 1]

    def values(self, measure: str) -> dict[tuple[str, str], float]:
        rows: Sequence[Any] = self.tables["values"].rows
        return {(run, topic): value for name, run, topic, value in rows if name == measure and value is not None}


def gather_report(
    warehouse: Warehouse,
    measures: Names,
    *,
    qrels: str | None = None,
    runs: Names = (),
    baseline: str | None = None,
    family: str = "measure",
    title: str = "",
    shown: Collection[str] = (),
    without: Collection[str] = (),
    for_page: bool = False,
    progress: Progress = silent,
) -> ReportData:
    """Gather everything a report shows; raises UsageError for unknown names, no run, or too many runs.

    The first measure orders the runs. ``shown`` and ``without`` name sections to have, and to leave out. A page has
    documents, and not what only documents show.
    """
    if family not in FAMILIES:
        raise UsageError(f"family is {family}, but must be one of {', '.join(FAMILIES)}")
    named = parse_measures(as_list(measures), warehouse.catalog)
    judged = judgment_set(warehouse, qrels)
    baseline = None if baseline is None else run_in_place(warehouse.database, baseline)
    chosen = _chosen_runs(warehouse, named, judged, runs, baseline)
    on_request = ON_REQUEST if len(chosen) > MOST_THRESHOLDS else ON_REQUEST[:1]
    omitted = frozenset(without) | (frozenset(on_request) - frozenset(shown))
    left_out = {*omitted, "intervals", "pr_topics"} if for_page else omitted
    asked = _queries(warehouse, named, judged, chosen, left_out)
    tables: dict[str, Table] = {}
    with warehouse.evaluation.with_scores(named, qrels=judged, runs=chosen):
        for name, query in asked.items():
            progress("gathering the report", len(tables), len(asked))
            tables[name] = Table(*warehouse.database.table(query))
        board = queries.board(named, queries.means(warehouse.catalog, "select * from temp.scores"))
        columns, rows = warehouse.database.table(f"select * exclude (qrels) from ({board})")
        told = list[notes.Notice]()
        if "judges" not in left_out:
            pairs, reasons = judge_pairs(warehouse, judged)
            if len({*pairs.values("qrels")}) > 2:
                tables["judges"], told = pairs, [notes.Notice("judges", each) for each in reasons]
        means = means_by_measure(warehouse, judged, named)
        if without_values := [each.name for each in named if not means.get(each.name)]:
            advice = "evalsql leaderboard shows those that have some"
            raise UsageError(f"no run has values of {shortened(without_values)} with {judged}; {advice}")
        of_first = means[named[0].name]
        if baseline is None:
            baseline, remarks = default_baseline(warehouse.database, of_first.values(), for_page=for_page)
            told = [*remarks, *told]
        found = ReportData(
            qrels=judged,
            measures=named,
            leaderboard=Table(columns, rows, names_of_counts(named)),
            means=means,
            tables=tables,
            notices=[*_notices(warehouse, named, judged, chosen), *told],
            without=omitted,
            heading=title or f"Evaluation with {judged}",
            baseline=baseline,
            family=family,
            comparison=None if for_page or len(chosen) < 2 else _comparison(warehouse, named, baseline, family),
            outcomes=_outcomes(warehouse.database, judged, named[0], next(iter(of_first)), baseline),
            pairs=_tested_pairs(warehouse, judged, family),
        )
    return _with_details(warehouse, found) if for_page else found


def _queries(
    warehouse: Warehouse, named: Sequence[Measure], judged: str, chosen: Sequence[str], left_out: Collection[str]
) -> dict[str, str]:
    """What gives each table of the report that is not left out."""
    names = names_query("run", chosen)
    parts = {"qrels": literal(judged), "names": literal([each.name for each in named]), "runs": names}
    queries = {name: query.format(**parts) for name, query in OF_SCORES.items()}
    queries |= {name: run_rows_query(warehouse, name, judged, chosen) for name in OF_RUNS}
    queries = {name: query for name, query in queries.items() if {name, _SECTION_OF.get(name)}.isdisjoint(left_out)}
    of_runs = warehouse.database.query("run_sources", {"chosen_runs": names})
    of_set = warehouse.database.query("judgment_sources", qrels=judged)
    queries["runs"] = f"{of_runs} order by run, file"
    queries["qrels"] = f"select * from ({of_set}) order by kind, file"
    return queries


def _chosen_runs(
    warehouse: Warehouse, named: Sequence[Measure], judged: str, runs: Names, baseline: str | None
) -> list[str]:
    """The runs of the report; raises UsageError where these are none or too many, or the baseline is none of them."""
    chosen = [run for _, run, *_ in warehouse.rows(warehouse.evaluation.coverage_query(judged, runs))]
    chosen = stored_scores.with_every_measure(warehouse.database, named, judged, chosen)
    for measure in named if chosen else ():
        if measure.relation.name == "cost":  # which runs may lack
            rows = warehouse.evaluation.components_query(measure, qrels=judged, runs=chosen)
            known = {run for (run,) in warehouse.rows(f"select distinct run from ({rows})")}
            if without := [run for run in chosen if run not in known]:
                warn(f"{measure.name} is not known of {shortened(without)}; left out, as a report has every measure")
            chosen = [run for run in chosen if run in known]
    if not chosen or not named:
        raise UsageError(f"a report needs a measure and a run evaluated with {judged}; evalsql load runs loads runs")
    if len(chosen) > MOST_RUNS:
        raise UsageError(
            f"a report compares every pair of at most {MOST_RUNS} runs, and {judged} evaluates {len(chosen)}: name "
            "some of them, or choose by --last, --since, --system or --where; evalsql leaderboard shows all"
        )
    if baseline is not None and baseline not in chosen:
        raise UsageError(f'the report has no run "{baseline}"; it has {shortened(chosen)}')
    return chosen


def default_baseline(database: Database, means: Iterable[Any], *, for_page: bool) -> tuple[str, list[notes.Notice]]:
    """The run to compare with, of runs by their means; with a line on why where there was a choice."""
    placed = rows_query("run, place, position", [[each.run, each.place, each.position] for each in means])
    advice = "The bar of the report" if for_page else "--baseline"
    ((run, remark),) = database.rows(database.query("default_baseline", {"placed": placed}, advice=advice))
    return run, [notes.Notice("baseline", remark)] if remark else []


def _outcomes(database: Database, qrels: str, measure: Measure, run: str, baseline: str) -> list[Any]:
    """Rows of ``topic_outcomes``, the topic that the run does worst on first."""
    less = measure.relation.header.less_is_better
    of_pair: dict[str, Value] = {"run": run, "baseline": baseline, "less_is_better": less}
    rows = database.records(database.query("topic_outcomes", {}, qrels=qrels, measure=measure.name, **of_pair))
    return sorted(rows, key=lambda each: (each.place, natural_key(each.topic)))


def judgment_set(warehouse: Warehouse, name: str | None) -> str:
    """The judgment set that a report is of; raises UsageError where there are several and none is named."""
    return only_qrels(warehouse.database, name or None, "a report is of one judgment set, name it with --qrels")


def run_rows_query(warehouse: Warehouse, name: str, qrels: str, runs: Names) -> str:
    """The rows about the rankings of these runs that a table of ``DRAWN_OF_RUNS`` has."""
    relation, order = DRAWN_OF_RUNS[name]
    asked = warehouse.evaluation.relation_rows_query(relation, qrels=qrels, runs=runs)
    return f"select * exclude (qrels) from ({asked}) order by {order}"


def means_query(database: Database, qrels: str, measures: Sequence[Measure], drawn: str) -> str:
    """The means that the view scores gives of the runs that are drawn, with intervals and the places among all runs."""
    lower = literal(sorted(names_of_less_is_better(measures)))
    of_set = f"where qrels = {literal(qrels)}"
    means = f"""
        select qrels, measure, run, value, list_contains({lower}::varchar[], measure) as less_is_better
        from summary {of_set} and value is not null
    """
    places = database.query("measure_places", {"means": means, "drawn_runs": drawn})
    ends = f"select measure, run, low, high from mean_intervals() {of_set}"
    return f"select * exclude (qrels) from ({places}) left join ({ends}) using (measure, run)"


def means_by_measure(warehouse: Warehouse, qrels: str, measures: Sequence[Measure]) -> dict[str, dict[str, Any]]:
    """By measure, then run, the best first."""
    means = means_query(warehouse.database, qrels, measures, "select distinct run from means")
    found: dict[str, dict[str, Any]] = {}
    for each in warehouse.database.records(f"select * from ({means}) order by position"):
        found.setdefault(each.measure, {})[each.run] = each
    return found


def names_query(column: str, names: Sequence[str]) -> str:
    return f"select unnest({literal([*names])}::varchar[]) as {column}"


def _notices(warehouse: Warehouse, named: Sequence[Measure], judged: str, chosen: Sequence[str]) -> list[notes.Notice]:
    asked = warehouse.evaluation, named[0], [judged], chosen
    told = {"ties": notes.on_ties(*asked), "holes": notes.on_holes(*asked)}
    return [
        *notes.on_figures(warehouse.evaluation, named, [judged], chosen),
        *(notes.Notice(about, text) for about, text in told.items() if text),
    ]


def _comparison(warehouse: Warehouse, named: Sequence[Measure], baseline: str, family: str) -> Comparison:
    """Runs beside the baseline, tested by the values that the view scores gives now."""
    compared = {"baseline": baseline, "family": family}
    call = warehouse.database.call("comparisons", **compared)
    table = Table(*warehouse.database.table(f"select * from {call} order by measure, run"))
    (found,) = by_judgments(warehouse, table, named, alpha=ALPHA, **compared)
    return found


def judge_pairs(warehouse: Warehouse, qrels: str | None) -> tuple[Table, list[str]]:
    """Agreement of the sets that judge documents of this one, or of all sets, and a line on those that are left out."""
    beside = warehouse.database.query("sets_beside", qrels=qrels)
    held = warehouse.database.column(f"select qrels from ({beside}) order by num_documents desc, qrels")
    shown = [name for name in held if "," not in name][:MOST_SETS]  # a comma separates names
    call = warehouse.database.call("judge_pairs", names=",".join(shown))
    table = Table(*warehouse.database.table(f"select * from {call} order by place, other_place"))
    if len(shown) == len(held):
        return table, []
    return table, [f"{len(shown)} of {len(held)} judgment sets are shown, those with the most judgments in common"]


def _tested_pairs(warehouse: Warehouse, qrels: str, family: str) -> dict[tuple[str, str, str], Any]:
    tested = warehouse.database.query("tested_pairs", qrels=qrels, alpha=ALPHA, family=family)
    return {(each.measure, each.baseline, each.run): each for each in warehouse.database.records(tested)}


def _with_details(warehouse: Warehouse, report: ReportData) -> ReportData:
    runs = {"chosen_runs": names_query("run", report.runs)}
    facts = warehouse.database.query("judgment_facts", runs, qrels=report.qrels)
    return replace(
        report,
        documents={} if "documents" in report.without else _first_documents(warehouse, report),
        texts=dict(warehouse.rows("select topic, text from topic_texts where qrels = ?", [report.qrels])),
        findings=findings(warehouse.evaluation, audits(warehouse.catalog, quick=True)),
        size=warehouse.rows(facts)[0],
    )


def _first_documents(warehouse: Warehouse, report: ReportData) -> dict[int, Any]:
    """First documents of the best systems and the baseline, on the topics where best and baseline differ most."""
    database, measure = warehouse.database, report.measures[0]
    runs = list(dict.fromkeys([report.runs[0], report.baseline, *report.runs]))
    runs = runs[: max(MOST_LISTS // len(report.topics), 2)]
    places = {each.topic: each.gap_place for each in report.outcomes}  # not of topics that one has no value for
    topics = sorted(report.topics, key=lambda topic: places.get(topic, math.inf))[: max(MOST_LISTS // len(runs), 1)]
    chosen = {"chosen_runs": names_query("run", runs), "chosen_topics": names_query("topic", topics)}
    lists = database.query("chosen_lists", chosen, qrels=report.qrels)
    with temporary_tables(database, {"chosen_lists": lists}):
        worth = first_contributions(database, measure, DEPTH)
        listed = database.query("listed_documents", depth=DEPTH)
        first = database.rows(f"select list, topic, rank, document, grade from ({listed})")
        later = database.rows(database.query("later_documents", depth=DEPTH))
    found = _numbered_documents(report, first, worth, later)
    words = document_words(warehouse.evaluation, {name for there in found.values() for name in there["names"]})
    if words:
        for there in found.values():
            there["words"] = [words.get(name, "") for name in there["names"]]
    return found


def _numbered_documents(
    report: ReportData, first: Sequence[Any], worth: Sequence[Any], later: Sequence[Any]
) -> dict[int, Any]:
    """``ReportData.documents``: by the number of a topic its documents, and what each run has of them by its number."""
    topic_numbers = {topic: number for number, topic in enumerate(report.topics)}
    run_numbers = {run: number for number, run in enumerate(report.runs)}
    contributions = {(run, topic, rank): short(value) for run, topic, rank, value in worth}
    found: dict[int, Any] = {}
    numbers: dict[int, dict[str, int]] = {}  # of documents, by topic
    for run, topic, rank, name, grade in sorted(
        first, key=lambda row: (topic_numbers[row[1]], run_numbers[row[0]], row[2])
    ):
        there = found.setdefault(topic_numbers[topic], {"names": [], "grades": [], "lists": {}})
        known = numbers.setdefault(topic_numbers[topic], {})
        if name not in known:
            known[name] = len(known)
            there["names"].append(name)
            there["grades"].append(grade)
        ranked, added, _ = there["lists"].setdefault(run_numbers[run], ([], [], {}))
        ranked.append(known[name])
        added.append(contributions.get((run, topic, rank)))
    for topic, run, rank, name in sorted(later):
        number = topic_numbers[topic]
        _, _, later_ranks = found[number]["lists"][run_numbers[run]]
        later_ranks[numbers[number][name]] = rank
    return found
