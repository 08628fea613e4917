"""What the page holds beyond the tables of a report: pairs of runs tested, first documents, topic texts, findings."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, NamedTuple

from evalsql.catalog.ddl import relation_query
from evalsql.catalog.header import Value
from evalsql.catalog.measure_names import Measure, literal
from evalsql.evaluation.audits import audits, findings
from evalsql.evaluation.explanation import can_be_cut, first_contributions
from evalsql.warehouse.warehouse import Warehouse

ALPHA = 0.05
DEPTH = 20
MOST_LISTS = 1_000  # rankings whose first documents are in the page: so that it stays below some megabytes
_BASELINES = ("baseline", "bm25")


class Document(NamedTuple):
    """One of a ranking's first documents; ``contribution`` is None for measures that look at other topics too."""

    name: str
    grade: int | None
    contribution: float | None


class PairTests(NamedTuple):
    """``pairs`` by measure, then by baseline and run in the order of the board, each pair once.

    ``steps`` gives by measure, baseline and run at how many tests left Holm's procedure tests, negative where the
    difference is not sure; ``factors`` by topics and tests left how much wider that makes an interval.
    """

    pairs: Mapping[str, Mapping[tuple[str, str], Sequence[Any]]]
    steps: Mapping[str, Mapping[tuple[str, str], int]]
    factors: Mapping[int, Mapping[int, float]]


class ShownLists(NamedTuple):
    """``documents`` has the first ones by run and topic, ``later`` ranks of relevant ones further down."""

    documents: Mapping[tuple[str, str], Sequence[Document]] = MappingProxyType({})
    later: Mapping[tuple[str, str], Mapping[str, int]] = MappingProxyType({})


class Evidence(NamedTuple):
    """Every pair of runs as it was tested, first documents, the words of topics, what is known of the judgments."""

    tests: PairTests
    lists: ShownLists
    texts: Mapping[str, str]
    num_judgments: int
    num_grades: int
    loaded_at: datetime.datetime
    findings: Sequence[tuple[str, str, int]]


def default_baseline(runs: Sequence[str]) -> str:
    """Of runs in their order, the best first: one whose name says it is a baseline, else the one in the middle."""
    for word in _BASELINES:
        named = [run for run in runs[1:] if word in run.lower()]
        if named:
            return min(named, key=lambda run: (len(run), run))
    return runs[len(runs) // 2]


class Gatherer:
    """Asks a warehouse for the evidence about one judgment set; ``runs`` in the order of the board."""

    def __init__(self, warehouse: Warehouse, qrels: str) -> None:
        self._warehouse = warehouse
        self._database = warehouse.database
        self._catalog = warehouse.catalog
        self._qrels = qrels

    @contextmanager
    def _kept(self, tables: Mapping[str, Callable[[], str]]) -> Iterator[Mapping[str, str]]:
        """Have the rows of SELECTs in temporary tables, and SELECTs of these; each may read those before it."""
        made: list[str] = []
        try:
            for name, query in tables.items():
                self._database.execute(f"create or replace temp table page_{name} as {query()}")
                made.append(name)
            yield {name: f"select * from temp.page_{name}" for name in made}
        finally:
            for name in made:
                self._database.execute(f"drop table temp.page_{name}")

    def _rows(self, name: str, inputs: Sequence[str] = (), **arguments: Value) -> list[tuple[Any, ...]]:
        return self._database.rows(self._query(name, inputs, **arguments))

    def _query(self, name: str, inputs: Sequence[str] = (), **arguments: Value) -> str:
        kept = {each: f"select * from temp.page_{each}" for each in inputs}
        return relation_query(self._catalog, name, kept, **arguments)

    def pairs(self) -> PairTests:
        """All pairs of runs, by the values that the view scores gives now."""
        differences = self._catalog["differences"]
        call = Measure(differences, {each.name: each.default for each in differences.parameters}).call
        tables = {
            "found_differences": lambda: f"select * from {call} where qrels = {literal(self._qrels)}",
            "tested_pairs": lambda: self._query("tested_pairs", ["found_differences"]),
            "holm_steps": lambda: self._query("holm_steps", ["tested_pairs"], alpha=ALPHA),
        }
        found: dict[str, dict[tuple[str, str], Any]] = {}
        steps: dict[str, dict[tuple[str, str], int]] = {}
        factors: dict[int, dict[int, float]] = {}
        with self._kept(tables):
            for measure, baseline, run, *figures in self._database.rows("select * from temp.page_tested_pairs"):
                found.setdefault(measure, {})[baseline, run] = figures
            for measure, baseline, run, left, is_sure in self._database.rows("select * from temp.page_holm_steps"):
                steps.setdefault(measure, {})[baseline, run] = left if is_sure else -left
            asked = self._query("interval_factors", ["tested_pairs", "holm_steps"], alpha=ALPHA)
            for topics, left, factor in self._database.rows(f"{asked}\norder by all"):
                factors.setdefault(topics, {})[left] = factor
        return PairTests(found, steps, factors)

    def facts(self, runs: Sequence[str]) -> tuple[int, int, datetime.datetime]:
        """Judgments, different grades, and when the newest of runs and judgments was loaded."""
        with self._kept({"chosen_runs": lambda: _listed("run", runs)}):
            ((judgments, grades, loaded_at),) = self._rows("judgment_facts", ["chosen_runs"], qrels=self._qrels)
        return judgments, grades, loaded_at

    def texts(self) -> dict[str, str]:
        """The words of the topics that have any."""
        return dict(self._database.rows("select topic, text from topic_texts where qrels = ?", [self._qrels]))

    def findings(self) -> list[tuple[str, str, int]]:
        """What the quick audits find."""
        return findings(self._warehouse.evaluation, audits(self._catalog, quick=True))

    def documents(self, runs: Sequence[str], topics: Sequence[str], measure: Measure) -> ShownLists:
        """The first documents of these rankings with grades and contributions, and where relevant ones stand below."""
        tables = {
            "chosen_runs": lambda: _listed("run", runs),
            "chosen_topics": lambda: _listed("topic", topics),
            "chosen_lists": lambda: self._query("chosen_lists", ["chosen_runs", "chosen_topics"], qrels=self._qrels),
        }
        found: dict[tuple[str, str], list[Document]] = {}
        later: dict[tuple[str, str], dict[str, int]] = {}
        with self._kept(tables):
            worth = self._contributions(measure)
            first = self._query("first_documents", ["chosen_lists"], depth=DEPTH)
            for run, topic, rank, name, grade in self._database.rows(f"{first}\norder by run, topic, rank"):
                found.setdefault((run, topic), []).append(Document(name, grade, worth.get((run, topic, rank))))
            below = self._query("later_documents", ["chosen_lists"], depth=DEPTH)
            for run, topic, rank, name in self._database.rows(f"{below}\norder by run, topic, rank"):
                later.setdefault((run, topic), {})[name] = rank
        return ShownLists(found, later)

    def _contributions(self, measure: Measure) -> dict[tuple[str, str, int], float]:
        """By run, topic and rank; nothing where a cut ranking says nothing of the whole one."""
        if not can_be_cut(self._database, measure):
            return {}
        rows = first_contributions(self._database, measure, DEPTH)
        return {(run, topic, rank): contribution for run, topic, rank, contribution in rows}


def _listed(column: str, names: Sequence[str]) -> str:
    return f"select unnest([{', '.join(map(literal, names))}]::varchar[]) as {column}"
