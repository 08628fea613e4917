"""Loads retrieval lists, the format of the TAP-k program: a file is judgments, a run and weights at once.

Lists are blocks between blank lines: ``query [weight]``, the number of relevant documents there are, then
``relevance score`` for each document retrieved, best first.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, NamedTuple

from evalsql.errors import Problem, ProblemList, UsageError
from evalsql.ingest import base_rows, judgments, ranking, weights
from evalsql.ingest.base_rows import FileRow, add_file_rows
from evalsql.ingest.files.source import Source
from evalsql.ingest.files.trec_text import Line, Notes, number_fault, text_lines, weight_fault
from evalsql.ingest.judgments import JudgmentOptions
from evalsql.ingest.ranking import NewRun
from evalsql.ingest.remarks import Remarks
from evalsql.ingest.run_options import RunOptions
from evalsql.phrases import counted

if TYPE_CHECKING:
    from evalsql.database.database import Database

ORDERS = ("asc", "desc")
MOST_RELEVANT = 1_000_000  # each becomes a row, retrieved or not
_COUNT = re.compile(r"\d{1,9}", re.ASCII)
_VERBS = {"asc": "rise", "desc": "fall"}


class Record(NamedTuple):
    """One document of a list, and its line."""

    line: int
    relevant: bool
    score: float


class RetrievalList(NamedTuple):
    """One query's list. ``weight`` is None where the file gives none."""

    file: str
    line: int
    query: str
    weight: float | None
    num_relevant: int
    records: Sequence[Record]

    def judgments(self, width: int) -> Iterator[tuple[str, str, int]]:
        """Query, document and grade: documents have no names there, so they are called by their places."""
        for place, record in enumerate(self.records, start=1):
            yield self.query, self.document(place, width), int(record.relevant)
        missed = self.num_relevant - sum(record.relevant for record in self.records)
        for nth in range(1, missed + 1):
            yield self.query, f"{self.query}-unretrieved-{nth}", 1
        if not self.records and not missed:
            # A topic is one by its judgments.
            yield self.query, f"{self.query}-none", 0

    def document(self, place: int, width: int) -> str:
        return f"{self.query}-{place:0{width}}"


@dataclass
class ListSet:
    """The lists of one or several files that make one judgment set and one run."""

    sources: Sequence[Source]
    lists: list[RetrievalList] = field(default_factory=list)
    order: str = ""

    @property
    def width(self) -> int:
        """Digits of the last place of the longest list."""
        return len(str(max(len(each.records) for each in self.lists)))


def read_sets(named: Mapping[str, Sequence[Source]], problems: ProblemList, order: str | None) -> dict[str, ListSet]:
    """The lists of each set by its name; ``problems`` are those of before.

    Raises:
        InputError: bad lines, more relevant documents in a list than there are, scores that do not all fall or all
            rise, a repeated query, no list, or lists that do not show the order; all of it, of all files.
    """
    if order is not None and order not in ORDERS:
        raise UsageError(f"order {order} is unknown; there are: {', '.join(ORDERS)}")
    sets = {name: ListSet(sources) for name, sources in named.items()}
    for each in sets.values():
        before = problems.count
        for source in each.sources:
            each.lists += _read_lists(source, problems)
        _check_queries(each.lists, problems)
        each.order = _order(each.lists, order, problems)
        if problems.count == before:
            _check_whole(each, problems)
    problems.check()
    return sets


def _read_lists(source: Source, problems: ProblemList) -> list[RetrievalList]:
    """The lists of a file that can be read."""
    blocks = groupby(text_lines(source, problems.add), key=lambda numbered: bool(numbered[1].text))
    found = [_read_list(source.label, list(block), problems) for holds_text, block in blocks if holds_text]
    return [each for each in found if each]


def _read_list(label: str, block: Sequence[tuple[int, Line]], problems: ProblemList) -> RetrievalList | None:
    """One block; None where its first two lines are not to be understood."""
    first, columns = block[0][0], block[0][1].split()
    query, weight = columns[0], columns[1] if len(columns) > 1 else None
    if len(columns) > 2:
        problems.add(Problem(label, first, f"{counted(len(columns), 'column')}, expected 1 or 2: query [weight]"))
        return None
    if weight is not None and (reason := weight_fault(weight)):
        problems.add(Problem(label, first, reason))
        return None
    if len(block) < 2:
        problems.add(Problem(label, first, f"query {query} ends here, expected the number of relevant documents below"))
        return None
    second, text = block[1][0], block[1][1].text
    if not _COUNT.fullmatch(text):
        problems.add(Problem(label, second, f'"{text}" is no number of relevant documents, a whole one of 0 or more'))
        return None
    if int(text) > MOST_RELEVANT:
        problems.add(Problem(label, second, f"{text} relevant documents are more than {MOST_RELEVANT:,}"))
        return None
    before = problems.count
    records = [record for number, line in block[2:] if (record := _read_record(label, number, line, problems))]
    num_found = sum(record.relevant for record in records)
    if num_found > int(text) and problems.count == before:
        problems.add(
            Problem(label, second, f"{text} relevant documents in all, but the list of {query} shows {num_found}")
        )
    return RetrievalList(label, first, query, float(weight) if weight else None, int(text), records)


def _read_record(label: str, number: int, line: Line, problems: ProblemList) -> Record | None:
    columns = line.split()
    if len(columns) < 2:
        reason = f"{counted(len(columns), 'column')}, expected 2 or more: relevance score"
    elif columns[0] not in ("0", "1"):
        reason = f'relevance "{columns[0]}" is neither 0 nor 1'
    elif not (reason := number_fault("score", columns[1])):
        return Record(number, columns[0] == "1", float(columns[1]))
    problems.add(Problem(label, number, reason))
    return None


def _check_queries(lists: Sequence[RetrievalList], problems: ProblemList) -> None:
    first: dict[str, RetrievalList] = {}
    for each in lists:
        other = first.setdefault(each.query, each)
        if other is not each:
            place = f"line {other.line}" if other.file == each.file else f"{other.file}:{other.line}"
            problems.add(Problem(each.file, each.line, f"query {each.query} already stands at {place}"))


def _order(lists: Sequence[RetrievalList], given: str | None, problems: ProblemList) -> str:
    """Whether scores rise or fall from best to worst, one of ORDERS; empty if the lists do not show it."""
    order, reason = given or "", f"{given} is the order given"
    for each in lists:
        for above, below in pairwise(each.records):
            if above.score == below.score:
                continue
            found = "asc" if above.score < below.score else "desc"
            if not order:
                order, reason = found, f"at {each.file}:{below.line} scores {_VERBS[found]}"
            elif found != order:
                change = f"score {above.score!r} is followed by {below.score!r}"
                problems.add(Problem(each.file, below.line, f"{change}, but {reason}; lists go from best to worst"))
                break
    return order


def _check_whole(each: ListSet, problems: ProblemList) -> None:
    """What can be wrong with good lists."""
    label = each.sources[0].label
    if not each.lists:
        problems.add(Problem(label, 0, "holds no retrieval list"))
    elif not any(one.records for one in each.lists):
        problems.add(Problem(label, 0, "no list holds a document, so there is no run"))
    elif not each.order:
        reason = "every list has one score or none: say whether scores rise (asc) or fall (desc) from best to worst"
        problems.add(Problem(label, 0, reason))


def store_judgments(database: Database, name: str, each: ListSet, meta: Mapping[str, str]) -> int:
    """Put the judgments of a set of lists, and its weights, into the base tables; returns the qrels_id."""
    options = JudgmentOptions(meta=meta)
    rows = [row for one in each.lists for row in one.judgments(each.width)]
    judgments.stage_judgments(database, ((topic, "0", document, grade) for topic, document, grade in rows), options)
    qrels_id = judgments.store_judgments(database, name, options, Notes(), 0)
    given = {one.query: one.weight for one in each.lists if one.weight is not None}
    topics = dict(database.rows("select topic, topic_id from topics"))
    weights.add_weights(database, qrels_id, {topics[query]: weight for query, weight in given.items()})
    for source in each.sources:
        own = {one.query for one in each.lists if one.file == source.label}
        num_judgments = sum(topic in own for topic, _, _ in rows)
        add_file_rows(database, FileRow.of("qrels", qrels_id, source, num_judgments))
        if own & given.keys():
            add_file_rows(database, FileRow.of("weights", qrels_id, source, len(own & given.keys())))
    return qrels_id


def store_run(
    database: Database, name: str, each: ListSet, meta: Mapping[str, str], qrels_ids: Collection[int]
) -> None:
    """Put the run of a set of lists into the base tables, in the order of its lines, and evaluate it."""
    options = RunOptions("input", lower_is_better=each.order == "asc", meta=meta).for_rows()
    rows = (
        (one.query, one.document(place, each.width), repr(record.score))
        for one in each.lists
        for place, record in enumerate(one.records, start=1)
    )
    database.execute(ranking.STAGED)
    columns = {"topic": "varchar", "document": "varchar", "score": "double"}
    selected = "0, topic, document, null, score, false"
    base_rows.insert_rows(database, "staged_run_rows", columns, rows, selected)
    run = NewRun(name, base_rows.next_id(database, "runs", "run_id"), [])
    ranking.rank(database, [run], options)
    ranking.store(database, [run], options, {name: qrels_ids}, with_repeated=False, remarks=Remarks())
    database.execute("drop table staged_run_rows")
    for source in each.sources:
        num_rows = sum(len(one.records) for one in each.lists if one.file == source.label)
        add_file_rows(database, FileRow.of("run", run.run_id, source, num_rows))
