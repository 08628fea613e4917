"""Loads weights of topics: a file of them, a dict, or those that came with retrieval lists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from evalsql.errors import Problem, ProblemList, UsageError
from evalsql.ingest.base_rows import IN_MEMORY, FileRow, add_file_rows
from evalsql.ingest.files.source import Source
from evalsql.ingest.files.trec_text import Notes, WeightRow, weight_fault, weight_rows

if TYPE_CHECKING:
    from evalsql.database.database import Database


def load_weights_file(database: Database, qrels_id: int, source: Source) -> None:
    """Load the weights of one file for a judgment set that has none, within the caller's transaction.

    Raises:
        InputError: bad lines, a topic that stands twice or is not among the judgments, no rows at all.
    """
    problems = ProblemList()
    rows = list(weight_rows(source, Notes(), problems.add))
    if not rows and not problems:
        problems.add(Problem(source.label, 0, "holds no rows"))
    _store(database, qrels_id, rows, source.label, problems)
    add_file_rows(database, FileRow.of("weights", qrels_id, source, len(rows)))


def load_weights_data(database: Database, qrels_id: int, data: object) -> None:
    """The same for {topic: weight}; problems count its items from 1."""
    if not isinstance(data, Mapping):
        raise UsageError(f"weights are a file or {{topic: weight}}, found {type(data).__name__}")
    problems = ProblemList()
    rows: list[tuple[int, WeightRow]] = []
    for at, (topic, weight) in enumerate(data.items(), start=1):
        if isinstance(topic, bool) or not isinstance(topic, str | int):
            problems.add(Problem(IN_MEMORY, at, f"names are text or whole numbers, found {topic!r}"))
        elif isinstance(weight, bool):
            problems.add(Problem(IN_MEMORY, at, f"weight {weight} is no number"))
        elif reason := weight_fault(str(weight)):
            problems.add(Problem(IN_MEMORY, at, reason))
        else:
            rows.append((at, (str(topic), float(weight))))
    if not data:
        problems.add(Problem(IN_MEMORY, 0, "holds no rows"))
    _store(database, qrels_id, rows, IN_MEMORY, problems)
    add_file_rows(database, FileRow.in_memory("weights", qrels_id, len(rows)))


def _store(
    database: Database, qrels_id: int, rows: Iterable[tuple[int, WeightRow]], label: str, problems: ProblemList
) -> None:
    """Store weights, which come with their line numbers, once all that is wrong with them is told."""
    judged = f"select topic_id from judged_documents where qrels_id = {qrels_id}"
    topics: dict[str, int] = dict(database.rows(f"select topic, topic_id from topics where topic_id in ({judged})"))
    first_lines: dict[str, int] = {}
    weights: dict[str, float] = {}
    for line, (topic, weight) in rows:
        first = first_lines.setdefault(topic, line)
        if first != line:
            problems.add(Problem(label, line, f"topic {topic} has a weight already, at line {first}"))
        elif topic not in topics:
            problems.add(Problem(label, line, f"topic {topic} is not among the judgments"))
        weights[topic] = weight
    problems.check()
    add_weights(database, qrels_id, {topics[topic]: weight for topic, weight in weights.items()})


def add_weights(database: Database, qrels_id: int, weights: Mapping[int, float]) -> None:
    """Put weights by topic_id into the base table."""
    database.execute(
        "insert into topic_weights select ?, unnest(?::integer[]), unnest(?::double[])",
        (qrels_id, list(weights), list(weights.values())),
    )
