"""Loads what is known of topics beside their judgments: weights, texts, and the groups that they belong to."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from evalsql.database.database import Database
from evalsql.database.names import only_qrels, resolve_one
from evalsql.errors import USE_REPLACE, Problem, ProblemList, UsageError, input_error, warn
from evalsql.ingest.base_rows import IN_MEMORY, add_file_rows, add_rows, file_row
from evalsql.ingest.column_meanings import check_given, column_names
from evalsql.ingest.files.input_files import open_one_source, open_rows
from evalsql.ingest.files.source import SURROGATE, Source
from evalsql.ingest.files.trec_text import Notes, weight_fault, weight_rows
from evalsql.ingest.topic_files import Record, in_memory, read_records
from evalsql.literals import literal
from evalsql.phrases import counted, shortened

_TEXTS = column_names("topics")
_FILES = ("queries", "query", "topics", "topic")  # that hold topics, in a folder
_LONGEST_KEY = 200
_MOST_KEYS = 100  # rankings and judgments as JSON have a field for each document


class LoadedTopics(NamedTuple):
    qrels: str
    num_topics: int
    keys: Mapping[str, int]
    unjudged: int


def load_topics(
    database: Database,
    source: Any,
    *,
    qrels: str | None = None,
    key: str | None = None,
    only_groups: bool = False,
    replace: bool = False,
    columns: Mapping[str, str] | None = None,
) -> LoadedTopics:
    """Keep texts and groups of a judgment set's topics, all or nothing; others are left out with a warning.

    Args:
        source: as for ``Warehouse.load_topics``; a file may be "-" (standard input), or ``irds:`` and a dataset.
        key: what the second column is, where a file has two and no header.
        only_groups: take every field as it is called, also those that name a text.

    Raises:
        InputError: every line that was refused, with its reason; nothing was loaded.
        UsageError: there are several judgment sets, or texts or groups of these names are there.
    """
    check_given(columns, "topic groups" if only_groups else "topics")
    several = "there are several judgment sets, say whose topics these are (--qrels)"
    name = only_qrels(database, qrels or None, several)
    qrels_id, topics = _judged_topics(database, name)
    problems = ProblemList()
    example = "queries.jsonl or topics.txt"
    with open_rows(source, "topics", "queries", _FILES, example) as (file, origin, label, rows):
        records = read_records(database, file, problems.add, columns, key) if file else in_memory(rows, columns)
        judged, unjudged = _judged_records(topics, records, label, problems)
        names = list(dict.fromkeys(field for record in judged for field in record.fields))
        _check_fields(label, names)
        named = {each: each for each in names} if only_groups else _meanings(names, columns)
        found: dict[str, dict[int, str]] = defaultdict(dict)
        for record in judged:
            for field, value in record.fields.items():
                found[named[field]][topics[record.topic]] = value
        with database.transaction():
            held = database.rows("select distinct key from topic_meta where qrels_id = ?", [qrels_id])
            if (taken := [each for each in found if (each,) in held]) and not replace:
                raise UsageError(f"topics of {name} already have: {', '.join(taken)}; {USE_REPLACE}")
            for each, values in found.items():
                store_values(database, qrels_id, values, each)
                _replace_origin(database, f"topics.{each}", qrels_id, origin, len(values))
    return LoadedTopics(name, len(judged), {each: len(values) for each, values in found.items()}, unjudged)


def load_weights(database: Database, source: Any, qrels: str, *, replace: bool) -> str:
    """Load the weights of a judgment set's topics; arguments and errors are those of ``Loader.load_weights``."""
    name, problems = resolve_one(database, "qrels", qrels), ProblemList()
    opened = open_one_source(source, "weights") if isinstance(source, str | Path) else nullcontext(IN_MEMORY)
    with opened as origin, database.transaction():
        qrels_id, topics = _judged_topics(database, name)
        if not replace and database.rows(f"select 1 from topic_weights where qrels_id = {qrels_id} limit 1"):
            raise UsageError(f"judgments {name} already have weights; {USE_REPLACE}")
        if isinstance(origin, Source):
            label, rows = origin.label, list(weight_rows(origin, Notes(), problems.add))
        else:
            label, rows = origin, list(_items(source, problems))
        if not rows and not problems:
            problems.add(Problem(label, 0, "holds no rows"))
        lines: dict[str, int] = {}
        for line, (topic, _) in rows:
            if topic in lines:
                problems.add(Problem(label, line, f"topic {topic} has a weight already, at line {lines[topic]}"))
            elif topic not in topics:
                problems.add(Problem(label, line, f"topic {topic} is not among the judgments"))
            lines.setdefault(topic, line)
        problems.check()
        store_values(database, qrels_id, {topics[topic]: weight for _, (topic, weight) in rows})
        _replace_origin(database, "weights", qrels_id, origin, len(rows))
    return name


def _judged_topics(database: Database, qrels: str) -> tuple[int, dict[str, int]]:
    ((qrels_id,),) = database.rows("select qrels_id from qrels where qrels = ?", [qrels])
    judged = "select qrels_id, topic_id from judged_documents union all select qrels_id, topic_id from nuggets"
    keys = f"select topic_id from ({judged}) where qrels_id = {qrels_id}"
    return qrels_id, dict(database.rows(f"select topic, topic_id from topics where topic_id in ({keys})"))


def store_values(database: Database, qrels_id: int, values: Mapping[int, Any], key: str | None = None) -> None:
    """Replace texts or groups with a key, or else the weights, of a judgment set by values by topic_id."""
    table, columns, of_key = "topic_weights", ["weight"], []
    if key is not None:
        table, columns, of_key = "topic_meta", ["key", "value"], [key]
    chosen = f" and key = {literal(key)}" if key is not None else ""
    database.execute(f"delete from {table} where qrels_id = {qrels_id}{chosen}")
    rows = [(qrels_id, topic_id, *of_key, value) for topic_id, value in values.items()]
    add_rows(database, table, ("qrels_id", "topic_id", *columns), rows)


def _replace_origin(database: Database, kind: str, qrels_id: int, origin: Source | str, num_rows: int) -> None:
    database.execute(f"delete from files where id = {qrels_id} and kind = {literal(kind)}")
    add_file_rows(database, file_row(kind, qrels_id, origin, num_rows))


def _items(data: Any, problems: ProblemList) -> Iterator[tuple[int, tuple[str, float]]]:
    if not isinstance(data, Mapping):
        raise UsageError(f"weights are a file or {{topic: weight}}, found {type(data).__name__}")
    for at, (topic, weight) in enumerate(data.items(), start=1):
        reason = f"weight {weight} is no number" if isinstance(weight, bool) else weight_fault(str(weight))
        if isinstance(topic, bool) or not isinstance(topic, str | int):
            reason = f"names are text or whole numbers, found {topic!r}"
        if reason:
            problems.add(Problem(IN_MEMORY, at, reason))
        else:
            yield at, (str(topic), float(weight))


def _judged_records(
    topics: Mapping[str, int], records: Iterable[Record], label: str, problems: ProblemList
) -> tuple[list[Record], int]:
    """The records of judged topics, and the number of other topics; raises InputError for all that is wrong."""
    lines: dict[str, int] = {}
    judged, unjudged, padded = list[Record](), list[str](), list[str]()
    for record in records:
        if SURROGATE.search("".join([record.topic, *chain(*record.fields.items())])):
            reason = f"topic {record.topic} has text without UTF-8: a surrogate, such as \\ud800, that is no pair"
            problems.add(Problem(label, record.line, reason))
            continue
        if record.topic not in topics and (short := record.topic.lstrip("0")) in topics:
            padded.append(record.topic)
            record = record._replace(topic=short)
        if record.topic in lines:
            where = f", at line {lines[record.topic]}" if record.line else ""
            problems.add(Problem(label, record.line, f"topic {record.topic} stands here already{where}"))
            continue
        lines[record.topic] = record.line
        if record.topic in topics:
            judged.append(record)
        else:
            unjudged.append(record.topic)
    if not lines and not problems:
        problems.add(Problem(label, 0, "holds no topics"))
    elif not problems and not any(record.fields for record in judged):
        reason = "says nothing of its topics; a text or group is needed beside the topic"
        if unjudged:
            there = f"topics of the judgments {shortened(sorted(topics))}; of the file {shortened(unjudged)}"
            reason = f"none of its topics is judged; {there}"
        problems.add(Problem(label, 0, reason))
    problems.check()
    left_out = list(dict.fromkeys(field for record in judged for field in sorted(record.left_out)))
    notes = {
        f"{counted(len(unjudged), 'topic')} without judgments left out: {shortened(unjudged)}": unjudged,
        f"{counted(len(padded), 'topic')} judged under the number without leading zeros: {shortened(padded)}": padded,
        f"left out, since a topic has several values of it or a list: {', '.join(left_out)}": left_out,
    }
    for reason, names in notes.items():
        if names:
            warn(Problem(label, 0, reason))
    return judged, len(unjudged)


def _check_fields(label: str, names: Sequence[str]) -> None:
    """Refuse names that cannot name a group, and more of them than topics have."""
    for name in names:
        if not name.strip() or len(name) > _LONGEST_KEY:
            raise UsageError(f'"{name[:20]}" cannot name a group: a name has 1 to {_LONGEST_KEY} characters')
    if len(names) > _MOST_KEYS:
        reason = (
            f"{len(names):,} fields, such as {shortened(names)}; topics have at most {_MOST_KEYS}. Runs and judgments "
            "are loaded by evalsql load runs and load qrels"
        )
        raise input_error(label, reason)


def _meanings(names: Sequence[str], given: Mapping[str, str] | None) -> dict[str, str]:
    """What each field of a file is: text, description and narrative where it is that; others keep their names."""
    found = {name: meaning for meaning, name in (given or {}).items() if meaning != "topic" and name in names}
    folded = {name.lower(): name for name in reversed(names) if name not in found}
    for meaning, candidates in _TEXTS.items():
        taken = next((folded[name] for name in candidates if name in folded and folded[name] not in found), None)
        if meaning not in found.values() and taken is not None:
            found[taken] = meaning
    others = [name for name in names if name not in found]
    if clash := sorted(set(others) & set(found.values())):
        raise UsageError(f"{clash[0]} is named for another column, and a column is called {clash[0]} as well")
    return found | {name: name for name in others}
