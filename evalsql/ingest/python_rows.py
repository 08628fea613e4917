"""Rows that Python holds, in whatever shape: nested dicts, rankings, lists of tuples, of dicts and of named tuples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

from evalsql.catalog.measure_names import quoted
from evalsql.errors import UsageError
from evalsql.ingest import column_meanings
from evalsql.ingest.column_meanings import MEANINGS, Given

if TYPE_CHECKING:
    from evalsql.database.database import Database

Columns = dict[str, list[Any]]
SEVERAL_RANKINGS = "topic {topic} has several rankings without scores, and nothing says how they go together"
_EVALUE = "evalue"
_IDS = ("id", "_id")
_MANY = 20_000  # rows for which numpy is worth its import
# What the documents of a ranking are called where a record holds a whole one.
_RANKINGS = (
    *("documents", "document_ids", "docs", "doc_ids", "docids", "docnos", "corpus_ids", "pids"),
    *("ranking", "results", "hits", "retrieved", "candidates", "ctxs", "contexts"),
)


def are_rows(data: object) -> bool:
    """Whether data in memory is a plain collection of rows or of rankings, rather than a table or nested dicts."""
    if isinstance(data, Mapping):
        return bool(data) and all(_is_ranking(inner) for inner in data.values())
    return isinstance(data, list | tuple | set | frozenset | Iterator) and not hasattr(data, "read_all")


def columns_of(data: object, kind: str, given: Given = None) -> Columns:
    """The values of rows by meaning; of rankings without scores the ranks count from 1 in each topic.

    E-values have the column ``evalue`` instead of score.

    Args:
        kind: run, or the form of judgments.
        given: names of fields that the user gave.

    Raises:
        UsageError: rows of no shape that is known.
    """
    if isinstance(data, Mapping):
        if found := _table_columns(data, kind, given):
            return _of_columns({column: data[name] for column, name in _named(found).items()})
        if (inside := _records_in(data, kind, given)) is None:
            return _by_topic(data, kind)
        data = inside
    records = list(data) if isinstance(data, Iterable) else []
    if not records:
        return {meaning: [] for meaning in MEANINGS[kind][0]}
    first = records[0]
    if isinstance(first, Mapping):
        if any(holds_ranking(record, kind, given) for record in records):
            return _one_a_topic(_joined(_of_record(record, kind, given) for record in records))
        return _of_dicts(records, kind, given)
    fields = getattr(first, "_fields", None) or list(getattr(first, "__dataclass_fields__", ()))
    if fields:
        found = _named(column_meanings.find(list(fields), kind, given))
        return {column: [getattr(record, name, None) for record in records] for column, name in found.items()}
    return _of_tuples(records, kind)


def meanings_of(columns: Iterable[str]) -> dict[str, str]:
    """The column of each meaning among those that ``columns_of`` gives."""
    return {"score" if name == _EVALUE else name: name for name in columns}


def _named(found: Mapping[str, str]) -> dict[str, str]:
    """Fields by the column that their values get: the meaning, but for E-values."""
    is_evalue = column_meanings.holds_evalues(found)
    return {_EVALUE if meaning == "score" and is_evalue else meaning: field for meaning, field in found.items()}


def _table_columns(data: Mapping[Any, Any], kind: str, given: Given) -> dict[str, str]:
    """The columns of {column: [value, ...]} by meaning; none if that is {topic: [document, ...]}, or no table."""
    if not all(isinstance(name, str) and _is_ranking(values) for name, values in data.items()):
        return {}
    found = column_meanings.known(data, kind) | {
        meaning: name for meaning, name in (given or {}).items() if name in data
    }
    return found if _are_enough(found, kind) else {}


def _records_in(data: Mapping[Any, Any], kind: str, given: Given) -> Sequence[Any] | None:
    """The records of one object that is a single record itself, or that has a list of them under a name of its own.

    Raises:
        UsageError: documents below a topic name another topic.
    """
    if _is_one_record(data, kind, given):
        return [data]
    for name, inner in data.items():
        if not isinstance(inner, list) or not inner or not all(isinstance(each, Mapping) for each in inner):
            continue
        topic = next((each for each in inner[0] if str(each).lower() in column_meanings.TOPIC_KEYS), None)
        is_record = any(str(each).lower() in _RANKINGS and _is_ranking(inner[0][each]) for each in inner[0])
        if not is_record and (topic is None or all(str(each.get(topic)) == str(name) for each in inner)):
            continue
        if len(data) == 1:
            return inner
        what = "rankings" if is_record else f"rows with another {topic}"
        raise UsageError(f"{name} stands where a topic is expected, and holds {what}; give these as a list by itself")
    return None


def _is_one_record(data: Mapping[Any, Any], kind: str, given: Given) -> bool:
    """Whether an object is one ranking with its topic, rather than objects or lists by topic."""
    found = ranking_fields(data, kind, given)
    if not {"topic", "document"} <= found.keys():
        return False
    topic, documents = data[found["topic"]], data[found["document"]]
    if isinstance(topic, Mapping):
        return isinstance(documents, list)
    return not _is_ranking(topic) and (_is_ranking(documents) or isinstance(documents, Mapping))


def _are_enough(found: Collection[str], kind: str) -> bool:
    """Whether columns of these meanings make a table."""
    return all(
        meaning in found or (meaning == "score" and "rank" in found) for meaning in column_meanings.MEANINGS[kind][0]
    )


def _of_columns(found: Mapping[str, Iterable[Any]]) -> Columns:
    values = {meaning: list(column) for meaning, column in found.items()}
    lengths = [f"{len(column)} of the {meaning}" for meaning, column in values.items()]
    if len(set(map(len, values.values()))) > 1:
        raise UsageError(f"the columns differ in length: {', '.join(lengths)}")
    return values


def holds_ranking(record: object, kind: str, given: Given = None) -> bool:
    """Whether a record holds a ranking: a list or an object, and no row's worth of plain fields beside it."""
    if not _is_nested(record) or not isinstance(record, Mapping):
        return False
    known = column_meanings.known([name for name in record if isinstance(name, str)], kind) | dict(given or {})
    plain = [meaning for meaning, name in known.items() if name in record and not _is_nested({name: record[name]})]
    return not _are_enough(plain, kind)


def _of_dicts(records: Sequence[Any], kind: str, given: Given) -> Columns:
    for at, record in enumerate(records, start=1):
        if not isinstance(record, Mapping):
            raise UsageError(f"row {at}: expected a dict as in the rows above, found {type(record).__name__}")
    names = list(dict.fromkeys(chain.from_iterable(records)))
    found = _named(column_meanings.find(names, kind, given))
    return {column: [record.get(name) for record in records] for column, name in found.items()}


def _of_tuples(records: Sequence[Any], kind: str) -> Columns:
    """Tuples of topic, document and score or grade."""
    meanings = MEANINGS[kind][0]
    for at, record in enumerate(records, start=1):
        if isinstance(record, str) or not isinstance(record, Sequence) or len(record) != len(meanings):
            raise UsageError(
                f"row {at}: expected ({', '.join(meanings)}), or dicts or named tuples that name them; found {record!r}"
            )
    return {meaning: [record[at] for record in records] for at, meaning in enumerate(meanings)}


def _is_ranking(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


def _is_nested(record: object) -> bool:
    return isinstance(record, Mapping) and any(
        isinstance(value, Mapping) or _is_ranking(value) for value in record.values()
    )


def _by_topic(data: Mapping[Any, Any], kind: str) -> Columns:
    """{topic: {document: value}} and {topic: [document, ...]}."""
    if kind == "preferences":
        raise UsageError(
            "preferences need a topic, a group, a document and a level in each row, and this has no groups"
        )
    value = _value(kind)
    if all(isinstance(inner, Mapping) for inner in data.values()):
        topics = chain.from_iterable(map(repeat, data, map(len, data.values())))
        documents = chain.from_iterable(data.values())
        numbers = chain.from_iterable(inner.values() for inner in data.values())
        return {"topic": list(topics), "document": list(documents), value: list(numbers)}
    return _joined(_ranking(topic, inner, None, kind) for topic, inner in data.items())


def _value(kind: str) -> str:
    """The meaning of the values in a nested dict: score or grade."""
    if "document" not in MEANINGS[kind][0]:
        raise UsageError(f"{kind} have the columns {' and '.join(MEANINGS[kind][0])}; give rows that name them")
    return (*MEANINGS[kind][0], "score")[2]


def _no_field(meaning: str, words: str, record: Mapping[Any, Any]) -> UsageError:
    return UsageError(
        f"there is no field for {words}; found {', '.join(map(str, record))}; --columns {meaning}=NAME, in Python "
        f"columns={{'{meaning}': 'NAME'}}, says which it is"
    )


def _of_record(record: object, kind: str, given: Given) -> Columns:
    """A record that holds one ranking: {qid: ..., docs: [...], scores: [...]}, or {topic: {document: value}}."""
    if not isinstance(record, Mapping):
        raise UsageError(f"expected an object that holds a ranking, found {type(record).__name__}")
    found = ranking_fields(record, kind, given)
    if "topic" not in found:
        if record and all(isinstance(inner, Mapping) or _is_ranking(inner) for inner in record.values()):
            return _by_topic(record, kind)
        raise _no_field("topic", "the topic", record)
    if "document" not in found:
        raise _no_field("document", "the documents of a ranking", record)
    scores = (given or {}).get("score") or found.get("score")
    documents = record[found["document"]]
    topic = record[found["topic"]] if "topic" in (given or {}) else _topic(record, found["topic"], documents, kind)
    return _ranking(topic, documents, record.get(scores), kind)


def _topic(record: Mapping[Any, Any], field: str, documents: Any, kind: str) -> Any:
    """The name of a ranking's topic, from its field, the object in that field, or a key in each of the documents."""
    topic = record[field]
    if isinstance(topic, Mapping):
        name = column_meanings.known(topic, kind).get("topic") or next((each for each in _IDS if each in topic), None)
        if name is None:
            raise UsageError(f"{field} has no field for the name of the topic; found {', '.join(map(str, topic))}")
        return topic[name]
    inner = topic_in_hits(field, documents, kind)
    if inner is None:
        return topic
    names = list(dict.fromkeys(each.get(inner) for each in documents))
    if len(names) > 1:
        raise UsageError(f"{inner} differs among the documents of {topic}: {names[0]}, {names[1]}")
    return names[0]


def topic_in_hits(field: str, documents: Any, kind: str) -> str | None:
    """The field of a ranking's documents that names the topic by a key, where the ranking's ``field`` has its words."""
    order = column_meanings.COLUMNS["topic"]
    if not _is_ranking(documents) or not documents or not all(isinstance(each, Mapping) for each in documents):
        return None
    inner = column_meanings.known(documents[0], kind).get("topic")
    if inner is None or field.lower() not in order or inner.lower() not in order:
        return None
    return inner if order.index(inner.lower()) < order.index(field.lower()) else None


def ranking_fields(record: Mapping[Any, Any], kind: str, given: Given = None) -> dict[str, Any]:
    """The fields of a record that holds one ranking, by meaning: the topic, its documents and their scores."""
    folded = {str(name).lower(): name for name in record}
    known = column_meanings.known([name for name in record if isinstance(name, str)], kind)
    named = given or {}
    ranking = next((folded[name] for name in _RANKINGS if name in folded), known.get("document"))
    by_id = next((name for name in _IDS if name in record), None) if ranking != known.get("document") else None
    found = {
        "topic": named.get("topic", known.get("topic", by_id)),
        "document": named["document"] if named.get("document") in record else ranking,
        "score": next((folded[name] for name in ("scores", "score") if name in folded), None),
    }
    return {meaning: name for meaning, name in found.items() if name is not None and name in record}


def hit_fields(names: Sequence[str], kind: str) -> dict[str, str]:
    """The fields of the objects in a ranking, by meaning."""
    found = column_meanings.known(names, kind)
    by_id = [name for name in _IDS if name in names]
    return found if "document" in found or not by_id else {**found, "document": by_id[0]}


def _ranking(topic: Any, inner: Any, scores: Any, kind: str) -> Columns:
    """The documents of one topic: in order, with scores beside them, as pairs, or as records of their own."""
    value = _value(kind)
    if isinstance(inner, Mapping):
        documents, values = list(inner), list(inner.values())
    elif not _is_ranking(inner):
        raise UsageError(f"topic {topic}: expected {{document: {value}}} or [document, ...], found {inner!r}")
    else:
        documents, values = list(inner), None
        if documents and isinstance(documents[0], Mapping):
            fields = hit_fields(list(dict.fromkeys(chain.from_iterable(documents))), kind)
            values = [each.get(fields[value]) for each in documents] if value in fields else None
            value = _EVALUE if value == "score" and column_meanings.holds_evalues(fields) else value
            documents = [each.get(fields.get("document")) for each in documents]
        elif documents and _is_ranking(documents[0]):
            if any(len(pair) != 2 for pair in documents):
                raise UsageError(f"topic {topic}: expected pairs of document and {value}")
            documents, values = [pair[0] for pair in documents], [pair[1] for pair in documents]
        elif scores is not None:
            values = list(scores)
            if len(values) != len(documents):
                raise UsageError(f"topic {topic}: {len(documents)} documents and {len(values)} scores")
    named: Columns = {"topic": [topic] * len(documents), "document": documents}
    if values is not None:
        return named | {value: values}
    if kind == "pairs":
        return named
    if kind != "run":
        raise UsageError(
            f"topic {topic}: a list of documents says nothing of their {value}; give {{document: {value}}}"
        )
    if isinstance(inner, Set):
        raise UsageError(f"topic {topic}: a set has no order, as a ranking without scores needs; give a list")
    return named | {"rank": list(range(1, len(documents) + 1))}


def _joined(parts: Iterable[Columns]) -> Columns:
    whole: Columns = {}
    empty: Columns = {}
    for part in parts:
        if not any(part.values()):
            empty = part  # which says nothing of scores
            continue
        if whole and part.keys() != whole.keys():
            raise UsageError("some topics have scores and others are rankings without")
        for meaning, values in part.items():
            whole.setdefault(meaning, []).extend(values)
    return whole or empty


def _one_a_topic(found: Columns) -> Columns:
    """The same rows; raises UsageError where a topic has several rankings without scores."""
    firsts = (
        str(topic) for topic, rank in zip(found.get("topic", ()), found.get("rank", ()), strict=False) if rank == 1
    )
    if repeated := next((topic for topic, count in Counter(firsts).items() if count > 1), None):
        raise UsageError(SEVERAL_RANKINGS.format(topic=repeated))
    return found


def put(database: Database, table: str, columns: Mapping[str, Sequence[Any]], numbers: Iterable[str] = ()) -> None:
    """Make a temporary table of columns, those of numbers as numbers and the others as text.

    Raises:
        UsageError: text that has no UTF-8.
    """
    kinds = {name: "double" if name in numbers else "varchar" for name in columns}
    for name, values in columns.items():
        _check_utf8(name, values)
    if len(next(iter(columns.values()), ())) >= _MANY and _put_arrays(database, table, columns, kinds):
        return
    listed = ", ".join(f"unnest(?::{kind}[]) as {quoted(name)}" for name, kind in kinds.items())
    database.execute(f"create or replace temp table {table} as select {listed}", list(columns.values()))


def _put_arrays(database: Database, table: str, columns: Mapping[str, Sequence[Any]], kinds: Mapping[str, str]) -> bool:
    """The same by numpy, which is three times as fast; False where there is none."""
    try:
        import numpy
    except ImportError:
        return False
    view = f"{table}_arrays"
    types = {"double": float, "varchar": object}
    database.register(view, {name: numpy.array(values, dtype=types[kinds[name]]) for name, values in columns.items()})
    try:
        listed = ", ".join(f"cast({quoted(name)} as {kind}) as {quoted(name)}" for name, kind in kinds.items())
        database.execute(f"create or replace temp table {table} as select {listed} from {view}")
    finally:
        database.unregister(view)
    return True


def _check_utf8(name: str, values: Iterable[Any]) -> None:
    """Raise UsageError for text that has no UTF-8: the engine gives up the database over it."""
    try:
        _ = "".join(value for value in values if isinstance(value, str)).encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"column {name} holds text that has no UTF-8: {error.reason}") from error


def check_pandas(frame: Any, named: Collection[str]) -> None:
    """Raise UsageError for text in a frame that has no UTF-8."""
    for at, name in enumerate(frame.columns):
        if name in named and frame.dtypes.iloc[at].kind == "O":
            _check_utf8(name, frame.iloc[:, at])


def check_arrow(table: Any, kind: str, given: Given) -> None:
    """Raise UsageError for a table of Arrow that is not valid, or has two columns of one name."""
    if type(table).__module__.startswith("pyarrow"):
        column_meanings.find(table.schema.names, kind, given)
        try:
            table.validate(full=True)
        except ValueError as error:
            raise UsageError(f"the table of Arrow is not valid: {error}") from error
