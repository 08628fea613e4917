"""What the page holds beyond the tables of a report: pairs of runs tested, first documents, topic texts, findings."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, Self

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


class Pair(NamedTuple):
    """A system compared with another; ``half`` is half its 95% interval, ``wide`` the same at its step of Holm's."""

    difference: float
    half: float | None
    wide: float | None
    is_sure: bool
    wins: int
    ties: int
    losses: int

    def ends(self, half: float | None) -> tuple[float | None, float | None]:
        return (None, None) if half is None else (self.difference - half, self.difference + half)


class PairTests(NamedTuple):
    """``pairs`` by measure, then by baseline and run in the order of the leaderboard, each pair once.

    ``steps`` gives by measure, baseline and run at how many tests left Holm's procedure tests, negative where the
    difference is not sure; ``factors`` by topics and tests left how much wider that makes an interval.
    """

    pairs: Mapping[str, Mapping[tuple[str, str], Sequence[Any]]]
    steps: Mapping[str, Mapping[tuple[str, str], int]]
    factors: Mapping[int, Mapping[int, float]]

    def pair(self, measure: str, baseline: str, run: str) -> Pair | None:
        """One system compared with another by one measure."""
        pairs = self.pairs.get(measure, {})
        if (baseline, run) in pairs:
            topics, difference, half, _, wins, ties, losses = pairs[baseline, run]
        elif (run, baseline) in pairs:
            topics, difference, half, _, losses, ties, wins = pairs[run, baseline]
            difference = -difference
        else:
            return None
        left = self.steps[measure][baseline, run]
        factor = self.factors.get(topics, {}).get(abs(left))
        wide = None if half is None or factor is None else half * factor
        return Pair(difference, half, wide, left > 0, wins, ties, losses)


class FirstDocuments(NamedTuple):
    """``documents`` by run and topic; ``later_ranks`` are those of relevant documents further down."""

    documents: Mapping[tuple[str, str], Sequence[Document]] = MappingProxyType({})
    later_ranks: Mapping[tuple[str, str], Mapping[str, int]] = MappingProxyType({})


class PageDetails(NamedTuple):
    """What only the page shows: pairs of runs, first documents, topic texts, what is known of the judgments."""

    tests: PairTests
    documents: FirstDocuments
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


def pair_tests(warehouse: Warehouse, qrels: str) -> PairTests:
    """Tests of all pairs of runs, by the values that the view scores gives now."""
    differences = warehouse.catalog["differences"]
    call = Measure(differences, {each.name: each.default for each in differences.parameters}).call
    pairs: dict[str, dict[tuple[str, str], Any]] = {}
    steps: dict[str, dict[tuple[str, str], int]] = {}
    factors: dict[int, dict[int, float]] = {}
    with _KeptQueries(warehouse) as kept:
        kept.keep("found_differences", f"select * from {call} where qrels = {literal(qrels)}")
        kept.keep("tested_pairs", kept.query("tested_pairs", ["found_differences"]))
        kept.keep("holm_steps", kept.query("holm_steps", ["tested_pairs"], alpha=ALPHA))
        for measure, baseline, run, *figures in warehouse.rows("select * from temp.page_tested_pairs"):
            pairs.setdefault(measure, {})[baseline, run] = figures
        for measure, baseline, run, left, is_sure in warehouse.rows("select * from temp.page_holm_steps"):
            steps.setdefault(measure, {})[baseline, run] = left if is_sure else -left
        asked = kept.query("interval_factors", ["tested_pairs", "holm_steps"], alpha=ALPHA)
        for topics, left, factor in warehouse.rows(f"{asked}\norder by all"):
            factors.setdefault(topics, {})[left] = factor
    return PairTests(pairs, steps, factors)


def first_documents(
    warehouse: Warehouse, qrels: str, measure: Measure, runs: Sequence[str], topics: Sequence[str]
) -> FirstDocuments:
    """The first documents of these rankings, with grades and what they contribute to the measure."""
    documents: dict[tuple[str, str], list[Document]] = {}
    later: dict[tuple[str, str], dict[str, int]] = {}
    with _KeptQueries(warehouse) as kept:
        kept.keep("chosen_runs", names_query("run", runs))
        kept.keep("chosen_topics", names_query("topic", topics))
        kept.keep("chosen_lists", kept.query("chosen_lists", ["chosen_runs", "chosen_topics"], qrels=qrels))
        worth = _contributions(warehouse, measure)
        first = kept.query("first_documents", ["chosen_lists"], depth=DEPTH)
        for run, topic, rank, name, grade in warehouse.rows(f"{first}\norder by run, topic, rank"):
            documents.setdefault((run, topic), []).append(Document(name, grade, worth.get((run, topic, rank))))
        below = kept.query("later_documents", ["chosen_lists"], depth=DEPTH)
        for run, topic, rank, name in warehouse.rows(f"{below}\norder by run, topic, rank"):
            later.setdefault((run, topic), {})[name] = rank
    return FirstDocuments(documents, later)


def page_details(
    warehouse: Warehouse, qrels: str, runs: Sequence[str], tests: PairTests, documents: FirstDocuments
) -> PageDetails:
    """What the page shows of these runs beyond tables."""
    with _KeptQueries(warehouse) as kept:
        kept.keep("chosen_runs", names_query("run", runs))
        ((judgments, grades, loaded_at),) = warehouse.rows(kept.query("judgment_facts", ["chosen_runs"], qrels=qrels))
    texts = dict(warehouse.rows("select topic, text from topic_texts where qrels = ?", [qrels]))
    found = findings(warehouse.evaluation, audits(warehouse.catalog, quick=True))
    return PageDetails(tests, documents, texts, judgments, grades, loaded_at, found)


class _KeptQueries:
    """Rows of SELECTs in temporary tables, which go at the end, and queries of relations that read them."""

    def __init__(self, warehouse: Warehouse) -> None:
        self._database = warehouse.database
        self._names: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for name in self._names:
            self._database.execute(f"drop table temp.page_{name}")

    def keep(self, name: str, query: str) -> None:
        self._database.execute(f"create or replace temp table page_{name} as {query}")
        self._names.add(name)

    def query(self, name: str, inputs: Sequence[str], **arguments: Value) -> str:
        kept = {each: f"select * from temp.page_{each}" for each in inputs}
        return relation_query(self._database.catalog, name, kept, **arguments)


def _contributions(warehouse: Warehouse, measure: Measure) -> dict[tuple[str, str, int], float]:
    """By run, topic and rank; nothing where a cut ranking says nothing of the whole one."""
    if not can_be_cut(warehouse.database, measure):
        return {}
    rows = first_contributions(warehouse.database, measure, DEPTH)
    return {(run, topic, rank): contribution for run, topic, rank, contribution in rows}


def names_query(column: str, names: Sequence[str]) -> str:
    """A SELECT of these names."""
    return f"select unnest([{', '.join(map(literal, names))}]::varchar[]) as {column}"
