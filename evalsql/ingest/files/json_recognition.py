"""Recognises what a JSON file holds by its start: rows, rankings, dicts of dicts, one value a line or one in all."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from itertools import islice
from typing import Any

from evalsql.errors import UsageError
from evalsql.ingest import columns as known_columns
from evalsql.ingest.columns import Given
from evalsql.ingest.files.format import Format, columns_in
from evalsql.ingest.files.json_files import OF_MTEB
from evalsql.ingest.files.source import Source
from evalsql.ingest.python_rows import hit_fields, holds_ranking, ranking_fields, topic_in_hits

_SAMPLED = 100  # lines of JSON whose fields are looked at
_DICTS = re.compile(r'\s*\{\s*"((?:[^"\\]|\\.)*)"\s*:\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*["0-9-]')
_LISTS = re.compile(r'\s*\{\s*"((?:[^"\\]|\\.)*)"\s*:\s*\[\s*["0-9-]')


def json_format(source: Source, head: bytes, kind: str, given: Given) -> Format | None:
    """JSON lines if the first line is a whole value, and more follow or it is a row; else JSON that is read whole."""
    text = head.decode("utf-8-sig", "replace")
    if found_rows := _array(text, kind, given):
        return found_rows
    reader = "nested" if given else _nested_reader(text, kind)
    with source.open() as stream:
        lines = [line for line in islice(stream, _SAMPLED) if line.strip()]
    if len(lines) == 1 and reader != "nested":
        return Format("JSON", reader)  # a line may be long, and its start tells
    found: list[Any] = []
    for line in lines:
        try:
            found.append(json.loads(line.decode("utf-8-sig")))
        except (ValueError, RecursionError):
            break
        if holds_ranking(found[-1], kind, given):
            break  # lines that hold rankings are long, and one of them tells
    if not found or (len(lines) == 1 and not _is_row(found[0])):
        return Format("JSON", reader)
    rows = [row for row in found if isinstance(row, dict)]
    if not rows or any(holds_ranking(row, kind, given) for row in rows):
        return (None if given else _rankings(found[0], kind)) or Format("JSON lines", reader)
    names = list(dict.fromkeys(name for row in rows for name in row))
    return Format("JSON lines", "jsonl", columns_in(source, 1, "JSON lines", names, kind, given), names)


def _array(text: str, kind: str, given: Given) -> Format | None:
    """The format of a list of rows: objects of text and numbers; None if it begins otherwise."""
    if not text.lstrip().startswith("["):
        return None
    rows: list[Any] = []
    rest = text.partition("[")[2]
    with suppress(ValueError, RecursionError):
        while len(rows) < _SAMPLED:
            rest = rest.lstrip(" ,\t\r\n")
            row, end = json.JSONDecoder().raw_decode(rest)
            rest = rest[end:]
            rows.append(row)
    if not rows or not all(isinstance(row, dict) and not holds_ranking(row, kind, given) for row in rows):
        return None
    names = list(dict.fromkeys(name for row in rows for name in row))
    try:
        return Format("JSON", "array", known_columns.find(names, kind, given), names)
    except UsageError:
        return None  # what reads the whole says what is missing


def _nested_reader(text: str, kind: str) -> str:
    """What reads JSON that begins as {topic: {document: value}} or {topic: [document, ...]} does; else nested.

    A first name that columns have may be the first column of a table.
    """
    if text.lstrip().removeprefix("{").lstrip().startswith(f'"{OF_MTEB}"'):
        return "nested"
    for reader, pattern, kinds in (("dicts", _DICTS, ("run", "grades")), ("lists", _LISTS, ("run",))):
        found = pattern.match(text)
        if found and kind in kinds and not known_columns.known([found[1]], kind):
            return reader
    return "nested"


def _holds_lists(value: object) -> bool:
    return isinstance(value, dict) and any(isinstance(inner, dict | list) for inner in value.values())


def _rankings(record: Any, kind: str) -> Format | None:
    """The format of lines that hold a ranking each, if the first one does: in plain lists, or in a list of objects."""
    fields = ranking_fields(record, kind) if isinstance(record, dict) else {}
    if kind != "run" or not {"topic", "document"} <= fields.keys() or known_columns.holds_evalues(fields):
        return None
    documents = record[fields["document"]]
    if isinstance(record[fields["topic"]], dict | list) or topic_in_hits(fields["topic"], documents, kind):
        return None
    if "score" not in fields and documents and all(isinstance(each, dict) for each in documents):
        inner = hit_fields(list(dict.fromkeys(name for each in documents for name in each)), kind)
        is_plain = {"document", "score"} <= inner.keys() and not any(map(_holds_lists, documents))
        if is_plain and not known_columns.holds_evalues(inner):
            return Format("JSON lines", "hits", fields, [inner["document"], inner["score"]])
        return None
    lists = [record[name] for meaning, name in fields.items() if meaning != "topic"]
    is_plain = all(isinstance(each, list) and not any(isinstance(one, dict | list) for one in each) for each in lists)
    return Format("JSON lines", "rankings", fields) if is_plain else None


def _is_row(value: object) -> bool:
    """Whether a single JSON object is a row rather than {topic: ...}."""
    return (
        isinstance(value, dict) and bool(value) and not all(isinstance(inner, dict | list) for inner in value.values())
    )
