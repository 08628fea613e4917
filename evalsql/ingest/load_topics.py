"""Loads what is known of topics beside their judgments: their texts, and the groups that they belong to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from evalsql.database.names import only_qrels
from evalsql.errors import USE_REPLACE, InputError, Problem, ProblemList, UsageError, warn
from evalsql.ingest.base_rows import IN_MEMORY, FileRow, add_file_rows
from evalsql.ingest.files.datasets import is_dataset, topic_records
from evalsql.ingest.files.input_files import open_one_source
from evalsql.ingest.topic_files import Record, in_memory, read_records
from evalsql.phrases import counted, shortened

if TYPE_CHECKING:
    from evalsql.database.database import Database


# A question's own words, and what files call them; the first name that is there is taken.
TEXTS: Mapping[str, Sequence[str]] = {
    "text": ("text", "query_text", "title", "query", "summary", "question", "description", "desc"),
    "description": ("description", "desc", "question", "summary"),
    "narrative": ("narrative", "narr", "background"),
}
_LONGEST_KEY = 200
_MOST_KEYS = 100


class LoadedTopics(NamedTuple):
    """What was loaded: for which judgment set, and how many topics have each text or group."""

    qrels: str
    num_topics: int
    keys: Mapping[str, int]
    unjudged: int


# Label, digest and size of the file that topics come from; no digest and size of what is in no file.
Origin = tuple[str, str | None, int | None]


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
    """Keep texts and groups of a judgment set's topics, all or nothing.

    Topics that the judgments do not have are left out with a warning.

    Args:
        source: path ("-" is standard input), ``irds:`` and a dataset, {topic: text},
            {topic: {field: value}}, or rows as dicts or a frame.
        qrels: whose topics they are; may be left out where there is one judgment set.
        key: what the second column is, where a file has two and no header.
        only_groups: take every field as it is called, also those that name a text.
        replace: put them in the place of texts and groups of the same names.
        columns: names of columns for topic, text, description and narrative, where they are not known by themselves.

    Raises:
        InputError: every line that was refused, with its reason; nothing was loaded.
        UsageError: there are several judgment sets, or texts or groups of these names are there.
    """
    _check_columns(columns, only_groups=only_groups)
    qrels_id, name = _judgment_set(database, qrels)
    problems = ProblemList()
    with _opened(database, source, columns, key, problems) as (origin, records):
        facts, unjudged = _facts(database, qrels_id, records, origin[0], problems)
        found = _by_key(facts)
        _check_number(origin[0], list(found))
        if not only_groups:
            named = _meanings(list(found), columns)
            found = {named[field]: values for field, values in found.items()}
        with database.transaction():
            _make_room(database, qrels_id, name, list(found), replace)
            _store(database, qrels_id, found, origin)
    return LoadedTopics(name, len(facts), {each: len(values) for each, values in found.items()}, unjudged)


def _check_columns(columns: Iterable[str] | None, *, only_groups: bool) -> None:
    allowed = ("topic",) if only_groups else ("topic", *TEXTS)
    for meaning in columns or ():
        if meaning not in allowed:
            raise UsageError(f"columns are named for {', '.join(allowed)}, and {meaning} is none of them")


@contextmanager
def _opened(
    database: Database, source: Any, columns: Mapping[str, str] | None, key: str | None, problems: ProblemList
) -> Iterator[tuple[Origin, Iterable[Record]]]:
    """Where topics come from, and what a source says of each; ``problems`` gets what is wrong while it is read."""
    if is_dataset(source):
        yield (source, None, None), in_memory(topic_records(source), columns)
    elif not isinstance(source, str | Path):
        yield (IN_MEMORY, None, None), in_memory(source, columns)
    else:
        with open_one_source(source, "topics") as file:
            origin = (file.label, file.sha256(), file.path.stat().st_size)
            yield origin, read_records(database, file, problems.add, columns, key)


def _judgment_set(database: Database, qrels: str | None) -> tuple[int, str]:
    several = "there are several judgment sets, say whose topics these are (--qrels)"
    name = only_qrels(database, qrels or None, several)
    ((qrels_id,),) = database.rows("select qrels_id from qrels where qrels = ?", [name])
    return qrels_id, name


def _facts(
    database: Database, qrels_id: int, records: Iterable[Record], label: str, problems: ProblemList
) -> tuple[dict[int, dict[str, str]], int]:
    """What is known of each topic by its key, once all that is wrong is told; and how many topics are not judged."""
    judged = f"select topic_id from judged_documents where qrels_id = {qrels_id}"
    topics: dict[str, int] = dict(database.rows(f"select topic, topic_id from topics where topic_id in ({judged})"))
    lines: dict[str, int] = {}
    facts: dict[int, dict[str, str]] = {}
    unjudged: list[str] = []
    left_out: dict[str, None] = {}
    padded: list[str] = []
    for record in records:
        if record.topic not in topics and (short := record.topic.lstrip("0")) in topics:
            padded.append(record.topic)
            record = record._replace(topic=short)
        if record.topic in lines:
            where = f", at line {lines[record.topic]}" if record.line else ""
            problems.add(Problem(label, record.line, f"topic {record.topic} stands here already{where}"))
            continue
        lines[record.topic] = record.line
        if record.topic not in topics:
            unjudged.append(record.topic)
        else:
            facts[topics[record.topic]] = record.fields
            left_out |= dict.fromkeys(sorted(record.left_out))
    if not lines and not problems:
        problems.add(Problem(label, 0, "holds no topics"))
    elif not problems and not any(facts.values()):
        problems.add(Problem(label, 0, _nothing(topics, unjudged)))
    problems.check()
    if unjudged:
        _warn(label, f"{counted(len(unjudged), 'topic')} without judgments left out: {shortened(unjudged)}")
    if padded:
        what = f"{counted(len(padded), 'topic')} judged under the number without leading zeros"
        _warn(label, f"{what}: {shortened(padded)}")
    if left_out:
        _warn(label, f"left out, since a topic has several values of it or a list: {', '.join(left_out)}")
    return facts, len(unjudged)


def _nothing(topics: Iterable[str], unjudged: Sequence[str]) -> str:
    if not unjudged:
        return "says nothing of its topics; a text or group is needed beside the topic"
    return (
        f"none of its topics is judged; topics of the judgments {shortened(sorted(topics))}; "
        f"of the file {shortened(unjudged)}"
    )


def _warn(label: str, reason: str) -> None:
    warn(str(Problem(label, 0, reason)))


def _by_key(facts: Mapping[int, Mapping[str, str]]) -> dict[str, dict[int, str]]:
    """Values by text or group, then by topic."""
    found: dict[str, dict[int, str]] = {}
    for topic_id, fields in facts.items():
        for key, value in fields.items():
            found.setdefault(key, {})[topic_id] = value
    for key in found:
        if not key.strip() or len(key) > _LONGEST_KEY:
            raise UsageError(f'"{key[:20]}" cannot name a group: a name has 1 to {_LONGEST_KEY} characters')
    return found


def _check_number(label: str, keys: Sequence[str]) -> None:
    """Rankings and judgments as JSON have a field for each document."""
    if len(keys) > _MOST_KEYS:
        reason = (
            f"{len(keys):,} fields, such as {shortened(keys)}; topics have at most {_MOST_KEYS}. Runs and judgments "
            "are loaded by evalsql load runs and load qrels"
        )
        raise InputError([Problem(label, 0, reason)])


def _meanings(names: Sequence[str], given: Mapping[str, str] | None) -> dict[str, str]:
    """What each field of a file is: text, description and narrative where it is that; others keep their names.

    Raises:
        UsageError: a field that the user named takes the name of another.
    """
    found = {name: meaning for meaning, name in (given or {}).items() if meaning != "topic" and name in names}
    folded = {name.lower(): name for name in reversed(names) if name not in found}
    for meaning, candidates in TEXTS.items():
        taken = next((folded[name] for name in candidates if name in folded and folded[name] not in found), None)
        if meaning not in found.values() and taken is not None:
            found[taken] = meaning
    others = [name for name in names if name not in found]
    if clash := sorted(set(others) & set(found.values())):
        raise UsageError(f"{clash[0]} is named for another column, and a column is called {clash[0]} as well")
    return found | {name: name for name in others}


def _make_room(database: Database, qrels_id: int, name: str, wanted: Sequence[str], replace: bool) -> None:
    held = {key for (key,) in database.rows("select distinct key from topic_meta where qrels_id = ?", [qrels_id])}
    taken = [key for key in wanted if key in held]
    if taken and not replace:
        raise UsageError(f"topics of {name} already have: {', '.join(taken)}; {USE_REPLACE}")
    for key in taken:
        database.execute("delete from topic_meta where qrels_id = ? and key = ?", [qrels_id, key])
        database.execute("delete from files where id = ? and kind = ?", [qrels_id, _kind(key)])


def _store(database: Database, qrels_id: int, found: Mapping[str, Mapping[int, str]], origin: Origin) -> None:
    """Texts and groups, and for each the file that it came from."""
    for key, values in found.items():
        database.execute(
            "insert into topic_meta select ?, unnest(?::integer[]), ?, unnest(?::varchar[])",
            [qrels_id, list(values), key, list(values.values())],
        )
    add_file_rows(database, *(FileRow(_kind(key), qrels_id, *origin, len(values)) for key, values in found.items()))


def _kind(key: str) -> str:
    return f"topics.{key}"
