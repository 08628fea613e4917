"""What a site shows of one judgment set: its report, and what only the site's pages have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from evalsql.catalog import ddl
from evalsql.catalog.measure_names import (
    Measure,
    default_measure,
    literal,
    names_of_less_is_better,
    parse_measures,
)
from evalsql.database.names import Names, as_list, resolve_names
from evalsql.errors import UsageError
from evalsql.evaluation.selection import held_systems
from evalsql.progress import Progress, silent
from evalsql.report.html import number
from evalsql.report.page.page_queries import names_query
from evalsql.report.page.report_data import ReportData, gather_report, leaderboard_table
from evalsql.report.table import Table
from evalsql.warehouse.warehouse import Warehouse

DIGITS = 3
FOUND_DEPTH = 20  # a document counts as found from this rank on
TILES = 10  # first documents of each ranking that a topic's page shows
MOST_DOCUMENTS = 15  # a topic's page lists so many of those found by most, and of those missed by most


class Standing(NamedTuple):
    """A run on a topic, among all runs; ``hardness`` is 1 for the topic with the worst median."""

    value: float
    place: int
    num_runs: int
    lowest: float
    median: float
    highest: float
    num_same: int
    hardness: int
    num_topics: int
    num_behind: int


class RelevantDocument(NamedTuple):
    """A relevant document, and how many runs found it."""

    document: str
    grade: int
    num_found: int
    num_ret: int
    best_rank: int | None
    found_place: int
    missed_place: int
    num_shown: int
    num_lost: int


class TopicText(NamedTuple):
    text: str
    description: str | None
    narrative: str | None


@dataclass(frozen=True)
class SetResults:
    """``report`` has the measures that were asked for; ``leaderboard`` and ``intervals`` all that have figures.

    ``standings`` goes by measure, run and topic, ``tiles`` by run and topic: the grades of the first documents.
    """

    report: ReportData
    measures: Sequence[Measure]
    leaderboard: Table
    intervals: Mapping[tuple[str, str], tuple[float | None, float | None]]
    standings: Mapping[tuple[str, str], Mapping[str, Standing]]
    tiles: Mapping[tuple[str, str], Sequence[int | None]]
    documents: Mapping[str, Sequence[RelevantDocument]]
    texts: Mapping[str, TopicText]
    history: Table | None

    @property
    def qrels(self) -> str:
        return self.report.qrels

    @cached_property
    def lower(self) -> frozenset[str]:
        """Measures where less is better."""
        return names_of_less_is_better(self.measures)

    def values_text(self, measures: Sequence[str], run: str, topic: str) -> list[str]:
        """What a run has on a topic by measures, nothing where it has no value."""
        found = [self.standings.get((name, run), {}).get(topic) for name in measures]
        return ["" if each is None else number(each.value, DIGITS) for each in found]

    def means(self, measure: str) -> dict[str, float]:
        """The means of runs by a measure, the best first; runs without one are left out."""
        at = self.leaderboard.columns.index(measure)
        sign = 1 if measure in self.lower else -1
        rows: list[Any] = [row for row in self.leaderboard.rows if row[at] is not None]
        return {row[0]: row[at] for row in sorted(rows, key=lambda row: (sign * row[at], row[0]))}


def gather(
    warehouse: Warehouse,
    measures: Sequence[str],
    *,
    program_version: str,
    qrels: Names = (),
    runs: Names = (),
    baseline: str | None = None,
    progress: Progress = silent,
) -> list[SetResults]:
    """The results of every judgment set that evaluates one of the runs.

    Args:
        measures: names; the first is what runs are ordered by.
        qrels, runs: names or globs; all by default.
        baseline: run that others are compared with, where it is evaluated.

    Raises:
        UsageError: unknown names, or no judgment set evaluates any of the runs.
    """
    held: dict[str, list[str]] = {}
    for judged, run, *_ in warehouse.rows(warehouse.evaluation.coverage_query(as_list(qrels), runs)):
        held.setdefault(judged, []).append(run)
    if not held:
        raise UsageError("a site needs a judgment set and a run evaluated with it; evalsql ls lists both")
    if baseline is not None:
        (baseline,) = resolve_names(warehouse.database, "run", baseline) or [baseline]
        if not any(baseline in names for names in held.values()):
            raise UsageError(f"{baseline} is not evaluated with any of these judgment sets")
    shown = _shown_measures(warehouse, measures)
    results = []
    for judged, names in held.items():
        report = gather_report(
            warehouse,
            measures,
            program_version=program_version,
            qrels=judged,
            runs=names,
            baseline=baseline if baseline in names else None,
            for_page=True,
            progress=progress,
        )
        results.append(_set_results(warehouse, report, shown))
    return results


def _set_results(warehouse: Warehouse, report: ReportData, measures: Sequence[Measure]) -> SetResults:
    asker = _Asker(warehouse, report.qrels, report.runs)
    with warehouse.evaluation.with_scores(measures, qrels=report.qrels, runs=report.runs):
        leaderboard = leaderboard_table(warehouse, measures)
        intervals = asker.intervals()
        standings = asker.standings(report.measures)
        history = asker.history(report.names)
    tiles, documents, texts = asker.tiles(), asker.documents(), asker.texts()
    return SetResults(report, measures, leaderboard, intervals, standings, tiles, documents, texts, history)


def _shown_measures(warehouse: Warehouse, measures: Sequence[str]) -> list[Measure]:
    """Those that were asked for, then the common ones and the user's own at their defaults."""
    named = {measure.name: measure for measure in parse_measures(measures, warehouse.catalog)}
    common = [each for each in warehouse.catalog.measures if each.header.in_scores]
    named |= {measure.name: measure for measure in map(default_measure, common) if measure.name not in named}
    return list(named.values())


class _Asker:
    """Asks a warehouse about one judgment set and its runs."""

    def __init__(self, warehouse: Warehouse, qrels: str, runs: Sequence[str]) -> None:
        self._warehouse = warehouse
        self._qrels = qrels
        self._runs = names_query("run", runs)

    def _query(self, name: str, inputs: Mapping[str, str], **arguments: Any) -> str:
        return ddl.relation_query(self._warehouse.catalog, name, inputs, **arguments)

    def intervals(self) -> dict[tuple[str, str], tuple[float | None, float | None]]:
        asked = "select measure, run, low, high from mean_intervals() where qrels = ?"
        return {(name, run): (low, high) for name, run, low, high in self._warehouse.rows(asked, [self._qrels])}

    def standings(self, measures: Sequence[Measure]) -> dict[tuple[str, str], dict[str, Standing]]:
        lower = [measure.name for measure in measures if measure.relation.header.less_is_better]
        sign = f"case when measure in ({_listed(lower)}) then -1 else 1 end" if lower else "1"
        values = f"""
            select measure, run, topic, value, {sign} as sign from temp.scores
            where measure in ({_listed(measure.name for measure in measures)})
        """
        found: dict[tuple[str, str], dict[str, Standing]] = {}
        asked = self._query("topic_places", {"ranked_values": values})
        chosen = f"select measure, run, topic, {', '.join(Standing._fields)} from ({asked})"
        for measure, run, topic, *figures in self._warehouse.rows(chosen):
            found.setdefault((measure, run), {})[topic] = Standing(*figures)
        return found

    def history(self, names: Sequence[str]) -> Table | None:
        """The means of the runs of each system in the order of their dates; None where no run has a system."""
        if not held_systems(self._warehouse.database, ()):
            return None
        asked = f"""
            select system, run, version, dated_at, measure, value, difference from history
            where qrels = {literal(self._qrels)} and run in ({self._runs})
            order by system, list_position([{_listed(names)}], measure), dated_at, run
        """
        return Table(*self._warehouse.database.table(f"select * from ({asked}) where measure in ({_listed(names)})"))

    def tiles(self) -> dict[tuple[str, str], list[int | None]]:
        topics = "select topic from topics"
        lists = self._query("chosen_lists", {"chosen_runs": self._runs, "chosen_topics": topics}, qrels=self._qrels)
        found: dict[tuple[str, str], list[int | None]] = {}
        first = self._query("first_documents", {"chosen_lists": lists}, depth=TILES)
        for run, topic, _, _, grade in self._warehouse.rows(f"{first}\norder by run, topic, rank"):
            found.setdefault((run, topic), []).append(grade)
        return found

    def documents(self) -> dict[str, list[RelevantDocument]]:
        asked = self._query("found_documents", {"chosen_runs": self._runs}, qrels=self._qrels, depth=FOUND_DEPTH)
        found: dict[str, list[RelevantDocument]] = {}
        for topic, *figures in self._warehouse.rows(f"{asked}\norder by topic, found_place"):
            found.setdefault(topic, []).append(RelevantDocument(*figures))
        return found

    def texts(self) -> dict[str, TopicText]:
        asked = "select topic, text, description, narrative from topic_texts where qrels = ?"
        return {topic: TopicText(*words) for topic, *words in self._warehouse.rows(asked, [self._qrels])}


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(literal, names))
