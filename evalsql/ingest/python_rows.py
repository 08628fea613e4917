"""Rows that Python holds, in whatever shape: columns, lists of tuples, of dicts and of named tuples, and rankings."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from evalsql.errors import UsageError
from evalsql.ingest import column_meanings
from evalsql.ingest.column_meanings import MEANINGS, Given, answer, known, missing, ranking_fields
from evalsql.ingest.python_rankings import (
    EVALUE,
    Columns,
    are_records,
    check_given_fields,
    holds_ranking,
    is_nested,
    is_ranking,
    joined,
    ranking_of_record,
    rankings_by_topic,
)

# Columns that tell one system of a table from another.
SYSTEMS = ("run", "run_id", "runid", "run_name", "run_tag", "tag", "system")
SEVERAL = "the column {} names several systems; make a run of each, as evalsql.experiment takes them, or a file"


def are_rows(data: object) -> bool:
    """Whether data in memory is a plain collection of rows or of rankings, rather than a table or nested dicts."""
    if isinstance(data, Mapping):
        return bool(data) and (all(map(is_ranking, data.values())) or are_records(data, "grades"))
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


def columns_of(data: object, kind: str, given: Given = None) -> Columns:
    """The values of rows by meaning; of rankings without scores the ranks count from 1 in each topic.

    E-values have the column ``evalue`` instead of score. Rows of no shape that is known raise UsageError.
    """
    if isinstance(data, Mapping):
        return _columns_of_object(data, kind, given)
    return _columns_of_records(list(data) if isinstance(data, Iterable) else [], kind, given)


def _columns_of_object(data: Mapping[Any, Any], kind: str, given: Given) -> Columns:
    """The values of an object: a list for each column, records under one name, or a ranking for each topic."""
    column_meanings.refuse_unreadable(data, kind)
    judged = data.get("relevant_docs") if kind != "run" else None  # of LlamaIndex, beside queries and corpus
    data = judged if isinstance(judged, Mapping) else answer(data)
    found = known(data, kind, given)
    if all(isinstance(name, str) and is_ranking(data[name]) for name in data) and not missing(found, kind):
        return _columns_of_lists(data, kind, found)
    check_given_fields(data, given)
    records = _records_in(data, kind, given)
    return rankings_by_topic(data, kind, given) if records is None else _columns_of_records(records, kind, given)


def _columns_of_lists(data: Mapping[Any, Any], kind: str, found: Mapping[str, str]) -> Columns:
    """The values of {column: [value, ...]}."""
    _refuse_systems(kind, ({name: each} for name in data for each in data[name]))
    columns = Columns({column: list(data[name]) for column, name in _named(found).items()})
    columns.left_out = column_meanings.left_out(data, found)
    if len(set(map(len, columns.values()))) > 1:
        lengths = ", ".join(f"{len(values)} of the {column}" for column, values in columns.items())
        raise UsageError(f"the columns differ in length: {lengths}")
    return columns


def _columns_of_records(records: list[Any], kind: str, given: Given) -> Columns:
    """The values of a list: of rows, or of records that hold a ranking each."""
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
    if not isinstance(records[0], Mapping):
        return _columns_of_tuples(records, meanings)
    _refuse_systems(kind, (record for record in records if isinstance(record, Mapping)))
    if any(holds_ranking(record, kind, given) for record in records):
        check_given_fields(records, given)
        return joined(ranking_of_record(record, kind, given) for record in records)
    return _columns_of_dicts(records, kind, given)


def _columns_of_dicts(records: Sequence[Any], kind: str, given: Given) -> Columns:
    for at, record in enumerate(records, start=1):
        if not isinstance(record, Mapping):
            raise UsageError(f"row {at}: expected a dict as in the rows above, found {type(record).__name__}")
    names = list(dict.fromkeys(chain.from_iterable(records)))
    found = column_meanings.find(names, kind, given)
    columns = Columns({each: [record.get(name) for record in records] for each, name in _named(found).items()})
    columns.left_out = column_meanings.left_out(names, found)
    return columns


def _columns_of_tuples(records: Sequence[Any], meanings: Sequence[str]) -> Columns:
    for at, record in enumerate(records, start=1):
        if isinstance(record, str) or not isinstance(record, Sequence) or len(record) != len(meanings):
            raise UsageError(
                f"row {at}: expected ({', '.join(meanings)}), or dicts or named tuples that name them; found {record!r}"
            )
    return Columns({meaning: [record[at] for record in records] for at, meaning in enumerate(meanings)})


def _are_runs(records: Sequence[Any], kind: str, given: Given) -> bool:
    """Whether these are frames, files or {topic: {document: score}}, of which two have a topic in common."""
    first = records[0]
    second = records[1] if len(records) > 1 else None
    if isinstance(first, Mapping) and isinstance(second, Mapping) and "topic" not in ranking_fields(first, kind, given):
        return all(isinstance(inner, Mapping) for inner in first.values()) and bool(first.keys() & second.keys())
    return hasattr(first, "columns") or isinstance(first, str | Path)


def _named(found: Mapping[str, str]) -> dict[str, str]:
    """Fields by the column that their values get: the meaning, but for E-values."""
    is_evalue = column_meanings.holds_evalues(found)
    return {EVALUE if meaning == "score" and is_evalue else meaning: field for meaning, field in found.items()}


def _records_in(data: Mapping[Any, Any], kind: str, given: Given) -> list[Any] | None:
    """The records in one object, which is a record itself or has a list of records under one of its names."""
    if kind in column_meanings.OF_ANSWERS and isinstance(data.get(column_meanings.LISTED), list):
        return [data]
    fields = ranking_fields(data, kind, given)
    topic, documents = data.get(fields.get("topic")), data.get(fields.get("document"))
    # One ranking with its topic, rather than objects or lists by topic.
    if isinstance(topic, Mapping):
        is_record = isinstance(documents, list)
    else:
        is_record = is_nested(documents) and not is_ranking(topic)
    if is_record and "topic" in fields:
        return [data]
    for name, inner in data.items():
        is_list = isinstance(inner, list) and bool(inner) and all(isinstance(each, Mapping) for each in inner)
        if is_list and (records := _records_under(name, data, kind)):
            return records
    return [data] if is_record and not all(map(is_nested, data.values())) else None


def _records_under(name: Any, data: Mapping[Any, Any], kind: str) -> list[Any] | None:
    """The objects in the list under a name, if they are records; None if they are the documents of a topic."""
    inner = data[name]
    first = answer(inner[0])
    key = next((each for each in first if str(each).lower() in column_meanings.KEYS["topic"]), None)
    rankings = column_meanings.RANKINGS if kind == "run" else column_meanings.JUDGED
    is_one = is_ranking if kind == "run" else is_nested
    holds_rankings = any(str(each).lower() in rankings and is_one(first[each]) for each in first)
    if not holds_rankings and (key is None or all(str(each.get(key)) == str(name) for each in inner)):
        return None
    others = {f"{each} beside {name}": value for each, value in data.items() if each != name}
    if any(map(_may_be_of_topic, others.values())):
        what = "rankings" if holds_rankings else f"rows with another {key}"
        raise UsageError(f"{name} stands where a topic is expected, and holds {what}; give these as a list by itself")
    return [others | dict(inner[0]), *inner[1:]]  # a note names the others as columns that are not read


def _may_be_of_topic(value: object) -> bool:
    """Whether this is a ranking, or an object as {document: score}."""
    return is_ranking(value) or (isinstance(value, Mapping) and not any(map(is_nested, value.values())))


def _refuse_systems(kind: str, records: Iterable[Mapping[Any, Any]]) -> None:
    first: dict[Any, object] = {}
    for name, value in chain.from_iterable(record.items() for record in records if kind == "run"):
        is_told = str(name).lower() in SYSTEMS and value is not None
        if is_told and first.setdefault(name, value) != value:
            raise UsageError(SEVERAL.format(name))
