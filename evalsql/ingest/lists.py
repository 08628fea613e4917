"""Loads retrieval lists, the format of the TAP-k program: a file is judgments, a run and weights at once.

Lists are blocks between blank lines: ``query [weight]``, the number of relevant documents there are, then
``relevance score`` for each document retrieved, best first.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from evalsql.database.database import Database
from evalsql.errors import InputError, Problem, ProblemList, UsageError
from evalsql.ingest.base_rows import add_file_rows, file_row
from evalsql.ingest.files.source import Source
from evalsql.ingest.files.trec_text import number_fault, split, text_lines, weight_fault
from evalsql.ingest.judgments import StagedJudgments
from evalsql.ingest.load_options import JudgmentOptions, Meta, RunOptions
from evalsql.ingest.run_loading import load_run_data
from evalsql.ingest.topic_values import store_values
from evalsql.phrases import counted

ORDERS = {"asc": "rise", "desc": "fall"}  # of scores from best to worst
MOST_RELEVANT = 1_000_000  # each becomes a row, retrieved or not
_COUNT = re.compile(r"\d{1,9}", re.ASCII)


class Record(NamedTuple):
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

    def documents(self, width: int) -> list[str]:
        """Names of the documents: they have none there, so they are called by their places."""
        return [f"{self.query}-{place:0{width}}" for place in range(1, len(self.records) + 1)]

    def rows(self, width: int) -> Iterator[tuple[str, str, float]]:
        for document, record in zip(self.documents(width), self.records, strict=True):
            yield self.query, document, record.score

    def grades(self, width: int) -> dict[str, int]:
        """Grades by document, those that were not retrieved too."""
        relevant = [int(record.relevant) for record in self.records]
        found = dict(zip(self.documents(width), relevant, strict=True))
        found |= {f"{self.query}-unretrieved-{nth}": 1 for nth in range(1, self.num_relevant - sum(relevant) + 1)}
        return found or {f"{self.query}-none": 0}  # a topic is one by its judgments


class ListSet(NamedTuple):
    """The lists of files that make one judgment set and one run, and the order of their scores."""

    sources: Sequence[Source]
    lists: Sequence[RetrievalList]
    order: str


def read_sets(named: Mapping[str, Sequence[Source]], problems: ProblemList, order: str | None) -> dict[str, ListSet]:
    """The lists of each set by its name; raises InputError for all that is wrong in any file, ``problems`` among it."""
    if order is not None and order not in ORDERS:
        raise UsageError(f"order {order} is unknown; there are: {', '.join(ORDERS)}")
    sets: dict[str, ListSet] = {}
    for name, sources in named.items():
        before, reason = problems.count, ""
        lists = [each for source in sources for each in _read_lists(source, problems)]
        first: dict[str, RetrievalList] = {}
        for each in lists:
            other = first.setdefault(each.query, each)
            if other is not each:
                place = f"line {other.line}" if other.file == each.file else f"{other.file}:{other.line}"
                problems.add(Problem(each.file, each.line, f"query {each.query} already stands at {place}"))
        sets[name] = ListSet(sources, lists, _order(lists, order, problems))
        if not lists:
            reason = "holds no retrieval list"
        elif not any(each.records for each in lists):
            reason = "no list holds a document, so there is no run"
        elif not sets[name].order:
            reason = "every list has one score or none: say whether scores rise (asc) or fall (desc) from best to worst"
        if reason and problems.count == before:
            problems.add(sources[0].problem(0, reason))
    problems.check()
    return sets


def _read_lists(source: Source, problems: ProblemList) -> Iterator[RetrievalList]:
    """The blocks of a file, but for those whose first two lines are not to be understood."""
    for holds_text, block in groupby(text_lines(source, problems.add), key=lambda numbered: bool(numbered[1])):
        if holds_text:
            try:
                yield _read_list(source, [*block], problems)
            except InputError as error:
                problems.take(error)


def _read_list(source: Source, block: Sequence[tuple[int, str]], problems: ProblemList) -> RetrievalList:
    (first, line), *below = block
    query, *more = split(line)
    if len(more) > 1:
        raise source.error(f"{counted(len(more) + 1, 'column')}, expected 1 or 2: query [weight]", first)
    if more and (reason := weight_fault(more[0])):
        raise source.error(reason, first)
    if not below:
        raise source.error(f"query {query} ends here, expected the number of relevant documents below", first)
    (second, text), *rows = below
    if not _COUNT.fullmatch(text):
        raise source.error(f'"{text}" is no number of relevant documents, a whole one of 0 or more', second)
    if int(text) > MOST_RELEVANT:
        raise source.error(f"{text} relevant documents are more than {MOST_RELEVANT:,}", second)
    before, records = problems.count, [*_read_records(source, rows, problems)]
    num_found = sum(record.relevant for record in records)
    if num_found > int(text) and problems.count == before:
        reason = f"{text} relevant documents in all, but the list of {query} shows {num_found}"
        problems.add(source.problem(second, reason))
    return RetrievalList(source.label, first, query, float(more[0]) if more else None, int(text), records)


def _read_records(source: Source, lines: Iterable[tuple[int, str]], problems: ProblemList) -> Iterator[Record]:
    for number, line in lines:
        columns = split(line)
        if len(columns) < 2:
            reason = f"{counted(len(columns), 'column')}, expected 2 or more: relevance score"
        elif columns[0] not in ("0", "1"):
            reason = f'relevance "{columns[0]}" is neither 0 nor 1'
        elif not (reason := number_fault("score", columns[1])):
            yield Record(number, columns[0] == "1", float(columns[1]))
            continue
        problems.add(source.problem(number, reason))


def _order(lists: Sequence[RetrievalList], given: str | None, problems: ProblemList) -> str:
    """Whether scores rise or fall from best to worst, one of ORDERS; empty if the lists do not show it."""
    order, reason = given or "", f"{given} is the order given"
    for each in lists:
        for above, below in pairwise(each.records):
            if above.score == below.score:
                continue
            found = "asc" if above.score < below.score else "desc"
            if not order:
                order, reason = found, f"at {each.file}:{below.line} scores {ORDERS[found]}"
            elif found != order:
                change = f"score {above.score!r} is followed by {below.score!r}"
                problems.add(Problem(each.file, below.line, f"{change}, but {reason}; lists go from best to worst"))
                break
    return order


def store(database: Database, name: str, qrels: str, each: ListSet, meta: Meta, *, replace: bool) -> None:
    """Put the judgments, the weights and the run of a set of lists into the base tables, and evaluate it."""
    width = len(str(max(len(one.records) for one in each.lists)))  # digits of the last place of the longest list
    grades = {one.query: one.grades(width) for one in each.lists}
    staged = StagedJudgments(database, qrels, JudgmentOptions(meta=meta))
    staged.stage_data(grades)
    qrels_id, _ = staged.store(replace=replace)
    topics = dict(database.rows("select topic, topic_id from topics"))
    weights = {topics[one.query]: one.weight for one in each.lists if one.weight is not None}
    store_values(database, qrels_id, weights)
    rows = [row for one in each.lists for row in one.rows(width)]
    options = RunOptions("input", lower_is_better=each.order == "asc", replace=replace, meta=meta, warns=False)
    run_id, _ = load_run_data(database, name, rows, options, [qrels])
    for source in each.sources:
        own = [one for one in each.lists if one.file == source.label]
        add_file_rows(database, file_row("qrels", qrels_id, source, sum(len(grades[one.query]) for one in own)))
        add_file_rows(database, file_row("run", run_id, source, sum(len(one.records) for one in own)))
        if num_weights := sum(one.weight is not None for one in own):
            add_file_rows(database, file_row("weights", qrels_id, source, num_weights))
