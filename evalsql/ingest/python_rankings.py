"""Rankings that Python holds: the documents of a topic as a list, pairs, {document: value} or records of their own."""

from collections.abc import Iterable, Mapping, Set
from itertools import chain, repeat
from typing import Any

from evalsql.errors import UsageError
from evalsql.ingest import column_meanings
from evalsql.ingest.column_meanings import COLUMNS, IDS, MEANINGS, Given, answer, known, missing, ranking_fields

EVALUE = "evalue"


class Columns(dict[str, list[Any]]):
    """Values by meaning. ``left_out`` has the fields that are not read, although they may matter."""

    left_out: Iterable[str] = ()


def is_ranking(value: object) -> bool:
    """Whether a value is a list or another series of values, and neither a text nor an object."""
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


def is_nested(value: object) -> bool:
    """Whether a value is an object, or a series as ``is_ranking`` says."""
    return isinstance(value, Mapping) or is_ranking(value)


def holds_ranking(record: object, kind: str, given: Given = None) -> bool:
    """Whether a record holds a ranking: a list or an object, and no row's worth of plain fields beside it."""
    if not isinstance(record, Mapping) or not any(map(is_nested, record.values())):
        return False
    found = known(record, kind, given)
    return bool(missing([meaning for meaning, name in found.items() if not is_nested(record[name])], kind))


def are_records(data: Mapping[Any, Any], kind: str) -> bool:
    """Whether topics have objects that hold their rankings, instead of {document: score}."""
    records = data.values() if all(isinstance(inner, Mapping) for inner in data.values()) else ()
    first = answer(next(iter(records), {}))
    return any(map(is_ranking, first.values())) and "document" in ranking_fields(first, kind)


def check_given_fields(data: object, given: Given) -> None:
    """Raise UsageError for a field that was named and stands nowhere."""
    fields = column_meanings.fields_in(data) if given else set[Any]()
    for meaning, name in (given or {}).items():
        if name not in fields:
            raise UsageError(f"there is no field {name} for the {meaning}")


def refuse_several(topic: object, inner: object) -> None:
    """Raise UsageError where a topic has a table or other rankings, as the name of a system would have."""
    first = next(iter(inner.values()), None) if isinstance(inner, Mapping) else None
    if (is_table := hasattr(inner, "columns")) or is_nested(first):
        found = "a table" if is_table else "those of several"
        raise UsageError(
            f"{topic}: expected the documents of one topic, found {found}; evalsql.experiment takes several systems"
        )


def rankings_by_topic(data: Mapping[Any, Any], kind: str, given: Given) -> Columns:
    """The rows of rankings under their topics, as {topic: {document: value}} or {topic: [document, ...]}."""
    if len(MEANINGS[kind][0]) > 3:
        raise UsageError(f"{_of_rows(kind)}, and this has one value of each document")
    if are_records(data, kind):
        inside = {meaning: name for meaning, name in (given or {}).items() if meaning != "topic"}
        return joined(ranking_of_record(_with_topic(topic, inner), kind, inside) for topic, inner in data.items())
    if not all(isinstance(inner, Mapping) for inner in data.values()):
        return joined(_ranking(topic, inner, None, kind, given) for topic, inner in data.items())
    # A topic that has an object or a list for a value, or else the first one.
    nesting = (each for each in data.items() if {*map(type, each[1].values())} & {dict, list})
    first, inner = next(chain(nesting, data.items()), ("", {}))
    if nested := next((name for name in inner if is_nested(inner[name])), None):
        value = _value(kind)
        expected = f"expected {{document: {value}}}, found an object or a list under {nested}"
        raise UsageError(f"topic {first}: {expected}; a list of objects with an id and a {value} is read too")
    topics = chain.from_iterable(map(repeat, data, map(len, data.values())))
    documents = chain.from_iterable(data.values())
    values = chain.from_iterable(inner.values() for inner in data.values())
    return Columns({"topic": [*topics], "document": [*documents], _value(kind): [*values]})


def _with_topic(topic: object, record: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """A record that stands where the ranking of a topic is expected, with the topic's name."""
    for key in (each for each in record if str(each).lower() in column_meanings.KEYS["topic"]):
        if str(record[key]) != str(topic):
            raise UsageError(f"{topic} stands where a topic is expected, and holds a ranking with another {key}")
    return {**record, "qid": topic}


def _value(kind: str) -> str:
    """What the values in {document: value} mean: score or grade."""
    required = MEANINGS[kind][0]
    if "document" not in required:
        raise UsageError(_of_rows(kind))
    return required[2] if len(required) > 2 else "score"


def _of_rows(kind: str) -> str:
    """A message: which values each row must have."""
    *names, last = MEANINGS[kind][0]
    return f"{kind} need a {', a '.join(names)} and a {last} in each row"


def ranking_of_record(record: object, kind: str, given: Given) -> Columns:
    """A record that holds one ranking: {qid: ..., docs: [...], scores: [...]}, or {topic: {document: value}}."""
    if not isinstance(record, Mapping):
        raise UsageError(f"expected an object that holds a ranking, found {type(record).__name__}")
    _value(kind)
    record = answer(record)
    found = ranking_fields(record, kind, given)
    if "topic" not in found and record and all(map(is_nested, record.values())):
        return rankings_by_topic(record, kind, given)
    for meaning, words in (("topic", "the topic"), ("document", "the documents of a ranking")):
        if meaning not in found:
            there = ", ".join(map(str, record))
            form = "; --form nuggets takes nuggets" if column_meanings.LISTED in record else ""
            raise UsageError(
                f"there is no field for {words}; found {there}; {column_meanings.how_to_name(kind, meaning)}{form}"
            )
    documents = record[found["document"]]
    topic = record[found["topic"]] if "topic" in (given or {}) else _topic(record, found["topic"], documents, kind)
    scores = (given or {}).get("score") or found.get("score")
    columns = _ranking(topic, documents, record.get(scores), kind, given)
    others = column_meanings.left_out(record, found | ({"score": scores} if scores else {}))
    columns.left_out = [*others, *columns.left_out]
    if topic == record[found["topic"]]:
        for rival, name in column_meanings.id_beside_words("topic", record, found, given or {}).items():
            columns[rival] = [record[name]] * len(columns["topic"])
    if "call" in found:
        columns["call"] = [record[found["call"]]] * len(columns["topic"])
    return columns


def _topic(record: Mapping[Any, Any], field: str, documents: Any, kind: str) -> Any:
    """The name of a ranking's topic: its field, what names it in an object there, or a key in each of the documents."""
    topic = record[field]
    if isinstance(topic, Mapping):
        name = known(topic, kind).get("topic") or next((each for each in IDS if each in topic), None)
        if name is None:
            raise UsageError(f"{field} has no field for the name of the topic; found {', '.join(map(str, topic))}")
        return topic[name]
    # Where the field has the topic's words, documents may name the topic by a key.
    order = [name.lower() for name in column_meanings.COLUMNS["topic"]]
    if not is_ranking(documents) or not documents or not all(isinstance(each, Mapping) for each in documents):
        return topic
    inner = known(documents[0], kind).get("topic", "")
    if not {field.lower(), inner.lower()} <= set(order) or order.index(inner.lower()) >= order.index(field.lower()):
        return topic
    names = [each.get(inner) for each in documents]
    if others := [name for name in names if name != names[0]]:
        raise UsageError(f"{inner} differs among the documents of {topic}: {names[0]}, {others[0]}")
    return names[0]


def _ranking(topic: Any, inner: Any, scores: Any, kind: str, given: Given = None) -> Columns:
    """The documents of one topic: in order, with scores beside them, as pairs, or as records of their own."""
    value, values, found = _value(kind), None, Columns()
    _check_ranking(topic, inner, value)
    documents = list(inner)
    if isinstance(inner, Mapping):
        values = list(inner.values())
    elif documents and isinstance(documents[0], Mapping):
        documents, value, values, found = _of_documents(topic, documents, kind, given)
    elif documents and is_ranking(documents[0]):
        documents, values = _of_pairs(topic, documents, value)
    elif scores is not None:
        values = _scores_beside(topic, documents, scores)
    column_meanings.refuse_texts(topic, documents)
    found |= {"topic": [topic] * len(documents), "document": documents}
    if values is not None:
        found[value] = values
    elif kind == "run":
        if isinstance(inner, Set):
            raise UsageError(f"topic {topic}: a set has no order, as a ranking without scores needs; give a list")
        found.setdefault("rank", list(range(1, len(documents) + 1)))
    elif kind != "pairs":
        says = _of_rows(kind) if len(MEANINGS[kind][0]) > 3 else f"give {{document: {value}}}"
        says += "; --form pairs takes all of them for relevant" if kind == "grades" else ""
        raise UsageError(f"topic {topic}: a list of documents says nothing of their {value}; {says}")
    return found


def _check_ranking(topic: Any, inner: Any, value: str) -> None:
    """Raise UsageError for what is not the ranking of one topic."""
    refuse_several(topic, inner)
    if _dtype_kind(getattr(inner, "index", None)) == "O" and _dtype_kind(inner) in ("i", "u", "f"):
        raise UsageError(f"topic {topic}: a Series under names; to_dict() makes {{document: {value}}} of it")
    if not is_nested(inner):
        raise UsageError(f"topic {topic}: expected {{document: {value}}} or [document, ...], found {inner!r}")


def _dtype_kind(array: Any) -> str:
    """NumPy's letter for the type of an array's values, as O for objects; empty if it has none."""
    return getattr(getattr(array, "dtype", None), "kind", "")


def _of_pairs(topic: Any, pairs: list[Any], value: str) -> tuple[list[Any], list[Any]]:
    """The documents of pairs and their values."""
    if any(not is_ranking(pair) or len(pair) != 2 for pair in pairs):
        raise UsageError(f"topic {topic}: expected pairs of document and {value}")
    documents, values = map(list, zip(*pairs, strict=True))
    if isinstance(documents[0], Mapping):  # as LangChain's similarity_search_with_score gives them
        found_pairs = f"pairs of an object and a {value}"
        raise UsageError(f"topic {topic}: {found_pairs}; write the document's name for the object")
    return documents, values


def _scores_beside(topic: Any, documents: list[Any], scores: Any) -> list[Any]:
    """Scores in a list of their own, one for each document."""
    if not is_ranking(scores):
        raise UsageError(f"topic {topic}: expected a list of scores beside the documents, found {scores!r}")
    values = list(scores)
    if len(values) != len(documents):
        raise UsageError(f"topic {topic}: {len(documents)} documents and {len(values)} scores")
    return values


def _of_documents(
    topic: Any, documents: list[Any], kind: str, given: Given
) -> tuple[list[Any], str, list[Any] | None, Columns]:
    """Names of documents that are records, what their values mean, the values if there are some, and other columns."""
    if strays := [each for each in documents if not isinstance(each, Mapping)]:
        raise UsageError(f"topic {topic}: expected objects as the first document is, found {strays[0]!r}")
    records = [column_meanings.flat(each, (given or {}).get("document"), COLUMNS["document"]) for each in documents]
    names = list(dict.fromkeys(chain.from_iterable(records)))
    fields, value = column_meanings.unique(names, kind, given), _value(kind)
    values = [each.get(fields[value]) for each in records] if value in fields else None
    if values and fields[value] == "_score" and all(each is None for each in values):
        values = None  # hits of Elasticsearch in the order of a field
        del fields[value]
    value = EVALUE if value == "score" and column_meanings.holds_evalues(fields) else value
    if "document" not in fields:
        by_id = next((name for name in IDS if name in names), None)
        if by_id is None:
            known_as = f"found {', '.join(map(str, names))}; {column_meanings.how_to_name(kind, 'document')}"
            raise UsageError(f"topic {topic}: its documents have no field for their names; {known_as}")
        fields["document"] = by_id
    left_out = column_meanings.left_out(names, fields)
    fields |= column_meanings.id_beside_words("document", names, fields, given or {})
    others = fields.keys() - {"topic", "document", "score", value, *(["rank"] if values else [])}
    columns = Columns({each: [record.get(fields[each]) for record in records] for each in others})
    columns.left_out = left_out
    return [record.get(fields["document"]) for record in records], value, values, columns


def joined(parts: Iterable[Columns]) -> Columns:
    """The rows of all rankings; raises UsageError where only some have scores, or a topic has several without."""
    whole, empty, without_scores = Columns(), Columns(), set[tuple[str, str]]()
    parts = list(parts)
    has_calls, left_out = any("call" in part for part in parts), list[str]()
    for part in parts:
        left_out += part.left_out
        calls = part.setdefault("call", [None] * len(part["topic"])) if has_calls else repeat(None)
        if not any(part.values()):
            empty = part  # which says nothing of scores
            continue
        if whole and part.keys() != whole.keys():
            raise UsageError("some topics have scores and others are rankings without")
        ranked = {*zip(map(str, part["topic"]), map(str, calls), strict=False)} if "rank" in part else set()
        if again := ranked & without_scores:
            several = f"topic {min(again)[0]} has several rankings without scores"
            raise UsageError(f"{several}, and nothing says how they go together")
        without_scores |= ranked
        for meaning, values in part.items():
            whole.setdefault(meaning, []).extend(values)
    whole = whole or empty
    whole.left_out = dict.fromkeys(left_out)
    return whole
