"""Rows that Python holds, in whatever shape: nested dicts, rankings, lists of tuples, of dicts and of named tuples."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain, repeat
from pathlib import Path
from typing import Any

from evalsql.errors import UsageError
from evalsql.ingest import column_meanings
from evalsql.ingest.column_meanings import COLUMNS, IDS, MEANINGS, Given, answer, known, missing, ranking_fields


class Columns(dict[str, list[Any]]):
    """Values by meaning. ``left_out`` has the fields that are not read, but for those that are no loss."""

    left_out: Iterable[str] = ()


_EVALUE = "evalue"


def are_rows(data: object) -> bool:
    """Whether data in memory is a plain collection of rows or of rankings, rather than a table or nested dicts."""
    if isinstance(data, Mapping):
        return bool(data) and (all(map(_is_ranking, data.values())) or _are_records(data, "grades"))
    return isinstance(data, list | tuple | set | frozenset | Iterator) and not hasattr(data, "read_all")


def records_of(data: Any) -> Any:
    """All rows of a table or of plain rows as dicts; a dict as it is. Raises UsageError for anything else."""
    if isinstance(data, Mapping):
        return dict(data)
    if are_rows(data):
        rows = [row._asdict() if hasattr(row, "_asdict") else row for row in data]
        if all(isinstance(row, Mapping) for row in rows):
            return rows
        if all(hasattr(table, "columns") for table in rows):
            return [row for table in rows for row in records_of(table)]
    names = list(getattr(data, "column_names", getattr(data, "columns", ())))
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(f"{names.count(twice)} columns are called {twice}")
    rows = frame_rows(data) if names else data
    if rows is data:
        raise UsageError(f"data of type {type(data).__name__} is neither a table nor rows as dicts or named tuples")
    return rows


def frame_rows(data: Any) -> Any:
    """The rows of a frame as dicts; what is none stays as it is."""
    for method, arguments in (("to_pylist", ()), ("to_dicts", ()), ("to_dict", ("records",))):
        if hasattr(data, method):
            data = getattr(data, method)(*arguments)
    if hasattr(data, "fetchall") and hasattr(data, "columns"):
        data = [dict(zip(data.columns, row, strict=True)) for row in data.fetchall()]
    return data


# Columns that tell one system of a table from another.
SYSTEMS = ("run", "run_id", "runid", "run_name", "run_tag", "tag", "system")
SEVERAL = "the column {} names several systems; make a run of each, as evalsql.experiment takes them, or a file"


def columns_of(data: object, kind: str, given: Given = None) -> Columns:
    """The values of rows by meaning; of rankings without scores the ranks count from 1 in each topic.

    E-values have the column ``evalue`` instead of score. Rows of no shape that is known raise UsageError.
    """
    if isinstance(data, Mapping):
        column_meanings.refuse_unreadable(data, kind)
        judged = data.get("relevant_docs") if kind != "run" else None  # of LlamaIndex, beside queries and corpus
        data = judged if isinstance(judged, Mapping) else answer(data)
        found = known(data, kind, given)
        if all(isinstance(name, str) and _is_ranking(data[name]) for name in data) and not missing(found, kind):
            _refuse_systems(kind, ({name: each} for name in data for each in data[name]))
            columns = Columns({column: list(data[name]) for column, name in _named(found).items()})
            columns.left_out = column_meanings.left_out(data, found)
            if len(set(map(len, columns.values()))) > 1:
                lengths = ", ".join(f"{len(values)} of the {column}" for column, values in columns.items())
                raise UsageError(f"the columns differ in length: {lengths}")
            return columns
        _check_given(data, given)
        if (records := _records_in(data, kind, given)) is None:
            return _by_topic(data, kind, given)
    else:
        records = list(data) if isinstance(data, Iterable) else []
    meanings = MEANINGS[kind][0]
    if not records:
        return Columns({meaning: [] for meaning in meanings})
    if fields := getattr(records[0], "_fields", None) or [*getattr(records[0], "__dataclass_fields__", ())]:
        records = [{name: getattr(record, name, None) for name in fields} for record in records]
    if kind in column_meanings.OF_ANSWERS and any(isinstance(record, Mapping) for record in records):
        records = [row for record in records for row in column_meanings.nugget_rows(record, kind) or [record]]
    if _are_runs(records, kind, given):
        what = type(records[0]).__name__
        raise UsageError(f"these are no rows but a list, a {what} first; evalsql.experiment takes several runs")
    if isinstance(records[0], Mapping):
        _refuse_systems(kind, (record for record in records if isinstance(record, Mapping)))
        if any(holds_ranking(record, kind, given) for record in records):
            _check_given(records, given)
            return _joined(_of_record(record, kind, given) for record in records)
        for at, record in enumerate(records, start=1):
            if not isinstance(record, Mapping):
                raise UsageError(f"row {at}: expected a dict as in the rows above, found {type(record).__name__}")
        names = list(dict.fromkeys(chain.from_iterable(records)))
        found = column_meanings.find(names, kind, given)
        columns = Columns({each: [record.get(name) for record in records] for each, name in _named(found).items()})
        columns.left_out = column_meanings.left_out(names, found)
        return columns
    for at, record in enumerate(records, start=1):
        if isinstance(record, str) or not isinstance(record, Sequence) or len(record) != len(meanings):
            raise UsageError(
                f"row {at}: expected ({', '.join(meanings)}), or dicts or named tuples that name them; found {record!r}"
            )
    return Columns({meaning: [record[at] for record in records] for at, meaning in enumerate(meanings)})


def _are_runs(records: Sequence[Any], kind: str, given: Given) -> bool:
    """Whether these are frames, files or {topic: {document: score}}, of which two have a topic in common."""
    first, second = [*records[:2], None][:2]
    if isinstance(first, Mapping) and isinstance(second, Mapping) and "topic" not in ranking_fields(first, kind, given):
        return all(isinstance(inner, Mapping) for inner in first.values()) and bool(first.keys() & second.keys())
    return hasattr(first, "columns") or isinstance(first, str | Path)


def _named(found: Mapping[str, str]) -> dict[str, str]:
    """Fields by the column that their values get: the meaning, but for E-values."""
    is_evalue = column_meanings.holds_evalues(found)
    return {_EVALUE if meaning == "score" and is_evalue else meaning: field for meaning, field in found.items()}


def _records_in(data: Mapping[Any, Any], kind: str, given: Given) -> list[Any] | None:
    """The records of one object that is a single record itself, or that has a list of them under a name of its own."""
    if kind in column_meanings.OF_ANSWERS and isinstance(data.get(column_meanings.LISTED), list):
        return [data]
    fields = ranking_fields(data, kind, given)
    topic, documents = data.get(fields.get("topic")), data.get(fields.get("document"))
    # One ranking with its topic, rather than objects or lists by topic.
    if isinstance(topic, Mapping):
        is_record = isinstance(documents, list)
    else:
        is_record = _is_nested(documents) and not _is_ranking(topic)
    if is_record and "topic" in fields:
        return [data]
    for name, inner in data.items():
        if not isinstance(inner, list) or not inner or not all(isinstance(each, Mapping) for each in inner):
            continue
        first = answer(inner[0])
        key = next((each for each in first if str(each).lower() in column_meanings.KEYS["topic"]), None)
        rankings = column_meanings.RANKINGS if kind == "run" else column_meanings.JUDGED
        is_one = _is_ranking if kind == "run" else _is_nested
        holds_rankings = any(str(each).lower() in rankings and is_one(first[each]) for each in first)
        if not holds_rankings and (key is None or all(str(each.get(key)) == str(name) for each in inner)):
            continue
        # A note names the others, but for those that may be topics.
        others = {f"{each} beside {name}": value for each, value in data.items() if each != name}
        if not any(map(_may_be_of_topic, others.values())):
            return [others | dict(inner[0]), *inner[1:]]
        what = "rankings" if holds_rankings else f"rows with another {key}"
        raise UsageError(f"{name} stands where a topic is expected, and holds {what}; give these as a list by itself")
    return [data] if is_record and not all(map(_is_nested, data.values())) else None


def _are_records(data: Mapping[Any, Any], kind: str) -> bool:
    """Whether topics have objects that hold their rankings, instead of {document: score}."""
    records = data.values() if all(isinstance(inner, Mapping) for inner in data.values()) else ()
    first = answer(next(iter(records), {}))
    return any(map(_is_ranking, first.values())) and "document" in ranking_fields(first, kind)


def _with_topic(topic: object, record: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """A record that stands where the ranking of a topic is expected, with the topic's name."""
    for key in (each for each in record if str(each).lower() in column_meanings.KEYS["topic"]):
        if str(record[key]) != str(topic):
            raise UsageError(f"{topic} stands where a topic is expected, and holds a ranking with another {key}")
    return {**record, "qid": topic}


def _may_be_of_topic(value: object) -> bool:
    """Whether this is a ranking, or an object as {document: score}."""
    return _is_ranking(value) or (isinstance(value, Mapping) and not any(map(_is_nested, value.values())))


def _refuse_systems(kind: str, records: Iterable[Mapping[Any, Any]]) -> None:
    first: dict[Any, object] = {}
    for name, value in chain.from_iterable(record.items() for record in records if kind == "run"):
        is_told = str(name).lower() in SYSTEMS and value is not None
        if is_told and first.setdefault(name, value) != value:
            raise UsageError(SEVERAL.format(name))


def holds_ranking(record: object, kind: str, given: Given = None) -> bool:
    """Whether a record holds a ranking: a list or an object, and no row's worth of plain fields beside it."""
    if not isinstance(record, Mapping) or not any(map(_is_nested, record.values())):
        return False
    found = known(record, kind, given)
    return bool(missing([meaning for meaning, name in found.items() if not _is_nested(record[name])], kind))


def _is_ranking(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


def refuse_several(topic: object, inner: object) -> None:
    """Raise UsageError where a topic has a table or other rankings, as the name of a system would have."""
    first = next(iter(inner.values()), None) if isinstance(inner, Mapping) else None
    if (is_table := hasattr(inner, "columns")) or _is_nested(first):
        found = "a table" if is_table else "those of several"
        raise UsageError(
            f"{topic}: expected the documents of one topic, found {found}; evalsql.experiment takes several systems"
        )


def _is_nested(value: object) -> bool:
    return isinstance(value, Mapping) or _is_ranking(value)


def _check_given(data: object, given: Given) -> None:
    """Raise UsageError for a field that was named and stands nowhere."""
    fields = column_meanings.fields_in(data) if given else set[Any]()
    for meaning, name in (given or {}).items():
        if name not in fields:
            raise UsageError(f"there is no field {name} for the {meaning}")


def _by_topic(data: Mapping[Any, Any], kind: str, given: Given) -> Columns:
    if len(MEANINGS[kind][0]) > 3:
        raise UsageError(f"{_of_rows(kind)}, and this has one value of each document")
    if _are_records(data, kind):
        inside = {meaning: name for meaning, name in (given or {}).items() if meaning != "topic"}
        return _joined(_of_record(_with_topic(topic, inner), kind, inside) for topic, inner in data.items())
    if not all(isinstance(inner, Mapping) for inner in data.values()):
        return _joined(_ranking(topic, inner, None, kind, given) for topic, inner in data.items())
    nesting = (each for each in data.items() if {*map(type, each[1].values())} & {dict, list})
    first, inner = next(chain(nesting, data.items()), ("", {}))
    if nested := next((name for name in inner if _is_nested(inner[name])), None):
        value = _value(kind)
        expected = f"expected {{document: {value}}}, found an object or a list under {nested}"
        raise UsageError(f"topic {first}: {expected}; a list of objects with an id and a {value} is read too")
    topics = chain.from_iterable(map(repeat, data, map(len, data.values())))
    documents = chain.from_iterable(data.values())
    values = chain.from_iterable(inner.values() for inner in data.values())
    return Columns({"topic": [*topics], "document": [*documents], _value(kind): [*values]})


def _value(kind: str) -> str:
    """The meaning of the values in a nested dict: score or grade."""
    if "document" not in MEANINGS[kind][0]:
        raise UsageError(_of_rows(kind))
    return (*MEANINGS[kind][0], "score")[2]


def _of_rows(kind: str) -> str:
    *names, last = MEANINGS[kind][0]
    return f"{kind} need a {', a '.join(names)} and a {last} in each row"


def _of_record(record: object, kind: str, given: Given) -> Columns:
    """A record that holds one ranking: {qid: ..., docs: [...], scores: [...]}, or {topic: {document: value}}."""
    if not isinstance(record, Mapping):
        raise UsageError(f"expected an object that holds a ranking, found {type(record).__name__}")
    _value(kind)
    record = answer(record)
    found = ranking_fields(record, kind, given)
    if "topic" not in found and record and all(map(_is_nested, record.values())):
        return _by_topic(record, kind, given)
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
    if not _is_ranking(documents) or not documents or not all(isinstance(each, Mapping) for each in documents):
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
    refuse_several(topic, inner)
    under, held = (getattr(getattr(each, "dtype", None), "kind", "") for each in (getattr(inner, "index", None), inner))
    if under == "O" and held in ("i", "u", "f"):
        raise UsageError(f"topic {topic}: a Series under names; to_dict() makes {{document: {value}}} of it")
    if not isinstance(inner, Mapping) and not _is_ranking(inner):
        raise UsageError(f"topic {topic}: expected {{document: {value}}} or [document, ...], found {inner!r}")
    documents = list(inner)
    if isinstance(inner, Mapping):
        values = list(inner.values())
    elif documents and isinstance(documents[0], Mapping):
        documents, value, values, found = _of_documents(topic, documents, kind, given)
    elif documents and _is_ranking(documents[0]):
        if any(not _is_ranking(pair) or len(pair) != 2 for pair in documents):
            raise UsageError(f"topic {topic}: expected pairs of document and {value}")
        documents, values = map(list, zip(*documents, strict=True))
        if isinstance(documents[0], Mapping):  # as LangChain's similarity_search_with_score gives them
            found_pairs = f"pairs of an object and a {value}"
            raise UsageError(f"topic {topic}: {found_pairs}; write the document's name for the object")
    elif scores is not None:
        if not _is_ranking(scores):
            raise UsageError(f"topic {topic}: expected a list of scores beside the documents, found {scores!r}")
        values = list(scores)
        if len(values) != len(documents):
            raise UsageError(f"topic {topic}: {len(documents)} documents and {len(values)} scores")
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


def _of_documents(
    topic: Any, documents: list[Any], kind: str, given: Given
) -> tuple[list[Any], str, list[Any] | None, Columns]:
    """Of documents that are records their names, what their values mean, these where they have some, and all else."""
    if strays := [each for each in documents if not isinstance(each, Mapping)]:
        raise UsageError(f"topic {topic}: expected objects as the first document is, found {strays[0]!r}")
    records = [column_meanings.flat(each, (given or {}).get("document"), COLUMNS["document"]) for each in documents]
    names = list(dict.fromkeys(chain.from_iterable(records)))
    fields, value = column_meanings.unique(names, kind, given), _value(kind)
    values = [each.get(fields[value]) for each in records] if value in fields else None
    if values and fields[value] == "_score" and all(each is None for each in values):
        values = None  # hits of Elasticsearch in the order of a field
        del fields[value]
    value = _EVALUE if value == "score" and column_meanings.holds_evalues(fields) else value
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


def _joined(parts: Iterable[Columns]) -> Columns:
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
