"""Loads weights of topics: a file of them, a dict, or those that came with retrieval lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from evalsql.errors import USE_REPLACE, Problem, ProblemList, UsageError
from evalsql.ingest.base_rows import IN_MEMORY, FileRow, add_file_rows
from evalsql.ingest.files.source import Source
from evalsql.ingest.files.trec_text import Notes, WeightRow, weight_fault, weight_rows

if TYPE_CHECKING:
    from evalsql.database.database import Database


def load_weights(database: Database, qrels: str, data: Source | Any, *, replace: bool) -> None:
    """Load the weights of a judgment set's topics, from a file or {topic: weight}, within the caller's transaction.

    Raises:
        InputError: bad lines, a topic that is repeated or not among the judgments, no rows at all; items of a
            dict are counted from 1.
        UsageError: the set has weights already and they are not to be replaced, or the data is no dict.
    """
    ((qrels_id, held),) = database.rows(
        """
        select qrels_id, (select count(*) from topic_weights where topic_weights.qrels_id = qrels.qrels_id)
        from qrels where qrels = ?
        """,
        [qrels],
    )
    if held and not replace:
        raise UsageError(f"judgments {qrels} already have weights; {USE_REPLACE}")
    problems = ProblemList()
    label = data.label if isinstance(data, Source) else IN_MEMORY
    rows = list(weight_rows(data, Notes(), problems.add) if isinstance(data, Source) else _items(data, problems))
    if not rows and not problems:
        problems.add(Problem(label, 0, "holds no rows"))
    weights = _checked(database, qrels_id, rows, label, problems)
    database.execute(f"delete from topic_weights where qrels_id = {qrels_id}")
    database.execute(f"delete from files where kind = 'weights' and id = {qrels_id}")
    add_weights(database, qrels_id, weights)
    if isinstance(data, Source):
        add_file_rows(database, FileRow.of("weights", qrels_id, data, len(rows)))
    else:
        add_file_rows(database, FileRow.in_memory("weights", qrels_id, len(rows)))


def _items(data: Any, problems: ProblemList) -> Iterator[tuple[int, WeightRow]]:
    if not isinstance(data, Mapping):
        raise UsageError(f"weights are a file or {{topic: weight}}, found {type(data).__name__}")
    for at, (topic, weight) in enumerate(data.items(), start=1):
        if isinstance(topic, bool) or not isinstance(topic, str | int):
            problems.add(Problem(IN_MEMORY, at, f"names are text or whole numbers, found {topic!r}"))
        elif isinstance(weight, bool):
            problems.add(Problem(IN_MEMORY, at, f"weight {weight} is no number"))
        elif reason := weight_fault(str(weight)):
            problems.add(Problem(IN_MEMORY, at, reason))
        else:
            yield at, (str(topic), float(weight))


def _checked(
    database: Database, qrels_id: int, rows: list[tuple[int, WeightRow]], label: str, problems: ProblemList
) -> dict[int, float]:
    """Weights by topic_id; raises InputError for all that is wrong with them."""
    judged = f"select topic_id from judged_documents where qrels_id = {qrels_id}"
    topics: dict[str, int] = dict(database.rows(f"select topic, topic_id from topics where topic_id in ({judged})"))
    first_lines: dict[str, int] = {}
    for line, (topic, _) in rows:
        first = first_lines.setdefault(topic, line)
        if first != line:
            problems.add(Problem(label, line, f"topic {topic} has a weight already, at line {first}"))
        elif topic not in topics:
            problems.add(Problem(label, line, f"topic {topic} is not among the judgments"))
    problems.check()
    return {topics[topic]: weight for _, (topic, weight) in rows}


def add_weights(database: Database, qrels_id: int, weights: Mapping[int, float]) -> None:
    """Put weights by topic_id into the base table."""
    database.execute(
        "insert into topic_weights select ?, unnest(?::integer[]), unnest(?::double[])",
        (qrels_id, list(weights), list(weights.values())),
    )
