"""What a site shows of one judgment set: its report, and what only the site's pages have."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from evalsql.catalog.measure_names import Measure, default_measure, literal, literals, parse_measures
from evalsql.database.names import Names, as_list, resolve_names
from evalsql.errors import UsageError, warn
from evalsql.evaluation.evaluation import with_arguments
from evalsql.evaluation.listings import document_words
from evalsql.evaluation.selection import held_systems
from evalsql.phrases import Progress, silent
from evalsql.report.html import number, text
from evalsql.report.page.report_data import ReportData, gather_report, means_by_measure, names_query
from evalsql.warehouse.warehouse import Warehouse

DIGITS = 3
FOUND_DEPTH = 20  # a document counts as found from this rank on
TILES = 10  # first documents of each ranking that a topic's page shows
MOST_DOCUMENTS = 15  # a topic's page lists so many of those found by most, and of those missed by most


@dataclass(frozen=True, kw_only=True)
class SetResults(ReportData):
    """A report's parts, its means being those of all ``shown_measures``, and what the pages have beside them."""

    shown_measures: Sequence[Measure]
    standings: Mapping[tuple[str, str], Mapping[str, Any]]  # rows of ``topic_places`` by measure and run, then topic
    tiles: Mapping[tuple[str, str], Sequence[int | None]]  # the grades of the first documents by run and topic
    relevant: Mapping[str, Sequence[Any]]  # rows of ``found_documents`` by topic
    words: Mapping[str, Sequence[str | None]]  # text, description and narrative by topic
    said: Mapping[str, str]  # the beginning of what relevant documents say, where it is held
    history: Sequence[Sequence[Any]]  # system, run, version, date, measure, mean, difference to the load before

    @property
    def first(self) -> str:
        """The measure that orders the runs."""
        return self.names[0]

    def text(self, topic: str) -> str:
        return self.texts.get(topic) or ""

    def named(self, document: str) -> str:
        """A document's name as HTML, what it says below it."""
        said = f"<small dir=auto>{text(self.said[document])}</small>" if document in self.said else ""
        return text(document) + said

    def place(self, run: str) -> str:
        return f"{self.means[self.first][run].place} of {len(self.runs)}"

    def mark(self, run: str, place: int) -> str:
        return "baseline" if run == self.baseline else "system" if place == 1 else "mark"

    def on_topic(self, topic: str) -> list[tuple[str, Any]]:
        """Runs and how they stand on a topic by the first measure, the best first."""
        found = [(run, self.standings[self.first, run].get(topic)) for run in self.runs]
        return sorted(((run, each) for run, each in found if each), key=lambda pair: pair[1].place)

    def values_text(self, measures: Sequence[str], run: str, topic: str) -> list[str]:
        found = [self.standings[name, run].get(topic) for name in measures]
        return ["" if each is None else number(each.value, DIGITS) for each in found]


def gather(
    warehouse: Warehouse,
    measures: Sequence[str],
    *,
    qrels: Names = (),
    runs: Names = (),
    baseline: str | None = None,
    family: str = "measure",
    progress: Progress = silent,
) -> list[SetResults]:
    """The results of every judgment set that evaluates one of the runs; raises UsageError where there is none."""
    held: dict[str, list[str]] = {}
    for judged, run, *_ in warehouse.rows(warehouse.evaluation.coverage_query(as_list(qrels), runs)):
        held.setdefault(judged, []).append(run)
    if not held:
        raise UsageError("a site needs a judgment set and a run evaluated with it; evalsql ls lists both")
    if baseline is not None:
        (baseline,) = resolve_names(warehouse.database, "run", baseline) or [baseline]
        if not any(baseline in names for names in held.values()):
            raise UsageError(f"{baseline} is not evaluated with any of these judgment sets")
    # Those that were asked for, then the common ones and the user's own at their defaults.
    shown = {measure.name: measure for measure in parse_measures(measures, warehouse.catalog)}
    slow = warehouse.evaluation.too_slow()
    for reason in slow.values():
        warn(reason)
    common = [each for each in warehouse.catalog.measures if each.header.in_scores and each.name not in slow]
    for measure in map(default_measure, common):
        shown.setdefault(measure.name, measure)
    for (cost,) in warehouse.rows("select distinct cost from costs where topic_id is not null order by cost"):
        measure = with_arguments(warehouse.catalog, "cost", name=cost)
        shown.setdefault(measure.name, measure)
    results = []
    for judged, names in held.items():
        base = baseline if baseline in names else None
        asked: dict[str, Any] = {"qrels": judged, "runs": names, "baseline": base, "family": family}
        report = gather_report(warehouse, measures, **asked, for_page=True, progress=progress)
        results.append(_set_results(warehouse, report, [*shown.values()]))
    return results


def _set_results(warehouse: Warehouse, report: ReportData, measures: Sequence[Measure]) -> SetResults:
    database, qrels = warehouse.database, report.qrels
    runs = {"chosen_runs": names_query("run", report.runs)}
    with warehouse.evaluation.with_scores(measures, qrels=qrels, runs=report.runs):
        means = means_by_measure(warehouse, qrels, measures)
        standings = _standings(warehouse, report.measures)
        history = _history(warehouse, report) if held_systems(warehouse.database, ()) else []
    lists = database.query("chosen_lists", {**runs, "chosen_topics": "select topic from topics"}, qrels=qrels)
    first = database.query("listed_documents", {"chosen_lists": lists}, depth=TILES)
    grades = database.rows(f"select list, topic, list(grade order by rank) from ({first}) group by all")
    found = database.query("found_documents", runs, qrels=qrels, depth=FOUND_DEPTH)
    relevant: dict[str, list[Any]] = defaultdict(list)
    for each in database.records(f"{found}\norder by topic, found_place"):
        relevant[each.topic].append(each)
    words = database.rows("select topic, text, description, narrative from topic_texts where qrels = ?", [qrels])
    parts = {each.name: getattr(report, each.name) for each in fields(report)} | {"means": means}
    return SetResults(
        **parts,
        shown_measures=measures,
        standings=standings,
        tiles={(run, topic): shown for run, topic, shown in grades},
        relevant=relevant,
        words={topic: texts for topic, *texts in words},
        said=document_words(warehouse.evaluation, (each.document for group in relevant.values() for each in group)),
        history=history,
    )


def _standings(warehouse: Warehouse, measures: Sequence[Measure]) -> Mapping[tuple[str, str], Mapping[str, Any]]:
    signs = [(each.name, -1 if each.relation.header.less_is_better else 1) for each in measures]
    values = f"""
        select measure, run, topic, value, sign from temp.scores
        join (values {", ".join(f"({literal(name)}, {sign})" for name, sign in signs)}) as signs(measure, sign)
            using (measure)
    """
    places = warehouse.database.query("topic_places", {"ranked_values": values})
    found: dict[tuple[str, str], dict[str, Any]] = defaultdict(dict)
    for each in warehouse.database.records(places):
        found[each.measure, each.run][each.topic] = each
    return found


def _history(warehouse: Warehouse, report: ReportData) -> list[tuple[Any, ...]]:
    """The means of the runs of each system in the order of their dates."""
    names = literals(report.names)
    return warehouse.rows(f"""
        select system, run, version, dated_at, measure, value, difference from (
            select * from history
            where qrels = {literal(report.qrels)} and run in ({names_query("run", report.runs)})
        ) where measure in ({names})
        order by system, list_position([{names}], measure), dated_at, run
    """)
