"""Reads text that is not TREC row by row, in Python: CSV, JSON, split columns; bad rows are refused with their line."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, Literal

from evalsql.errors import InputError, Problem, UsageError
from evalsql.ingest import column_meanings
from evalsql.ingest.files import alignments
from evalsql.ingest.files.formats import LETOR_LINE
from evalsql.ingest.files.source import BYTE_ORDER_MARK, NOT_UTF8, Format, Source, unreadable
from evalsql.ingest.files.trec_text import Line
from evalsql.phrases import counted, shortened

Values = Sequence[str | None]
Rows = Iterator[tuple[int, Values | str]]
TOO_DEEP = "nested too deeply to be rows or rankings"
_OF_MTEB = "mteb_model_meta"
_CHUNK = 1 << 20  # bytes
_QUOTED = '"([^"]|"")*"'
_DOCID = re.compile(r"#.*docid\s*=\s*(\S+)")
_WORD = re.compile(r"#\s*(\S+)")


def text_rows(source: Source, form: Format) -> Rows:
    """Line and values of each row of a text file, in the order of the form's columns; or what is wrong with the row."""
    readers = {"csv": _csv_rows, "jsonl": _json_rows}
    try:
        yield from readers.get(form.reader, _line_rows)(source, form)
    except unreadable() as error:
        yield 0, f"cannot be read: {error}"


def _csv_rows(source: Source, form: Format) -> Rows:
    places = [form.names.index(name) for name in (form.columns or {}).values()]
    is_plain = quotes_hide_nothing(source, form)
    quoting: Literal[0, 3] = csv.QUOTE_NONE if is_plain else csv.QUOTE_MINIMAL
    with source.open() as stream:
        lines = (line.decode("utf-8", "surrogateescape") for line in islice(stream, form.skipped, None))
        reader = csv.reader(lines, delimiter=form.delimiter, strict=True, quoting=quoting)
        while True:
            first = form.skipped + reader.line_num + 1
            try:
                row = next(reader)
                _ = "".join(row).encode()
            except StopIteration:
                return
            except csv.Error as error:
                yield first, csv_fault(error)
                continue
            except UnicodeEncodeError:
                yield form.skipped + reader.line_num, NOT_UTF8
                continue
            line = form.skipped + reader.line_num
            if row and len(row) != len(form.names):
                yield line, f"{counted(len(row), 'column')}, expected {len(form.names)}: {', '.join(form.names)}"
            elif row:
                cells = (unquoted(row[at]) if is_plain else row[at] for at in places)
                yield line, [cell.strip() or None for cell in cells]


def quotes_hide_nothing(source: Source, form: Format) -> bool:
    """Whether a table parted by tabs has quotation marks, and all its columns on each line in spite of them.

    Then no mark hides a tab or the end of a line, and one that is never closed is part of a name or of a text.
    """
    if form.delimiter != "\t":
        return False
    with source.open() as stream:
        if not any(b'"' in chunk for chunk in iter(lambda: stream.read(_CHUNK), b"")):
            return False
    with source.open() as stream:
        rows = (line for line in islice(stream, form.skipped, None) if line.strip())
        return all(line.count(b"\t") == len(form.names) - 1 for line in rows)


def unquoted(text: str) -> str:
    """A cell without the marks around the whole of it, if it has them as CSV does."""
    return text[1:-1].replace('""', '"') if re.fullmatch(_QUOTED, text) else text


def unquoted_in_sql(column: str) -> str:
    """The same in SQL."""
    inner = f"substr({column}, 2, length({column}) - 2)"
    return f"case when regexp_full_match({column}, '{_QUOTED}') then replace({inner}, '\"\"', '\"') else {column} end"


def csv_fault(error: csv.Error) -> str:
    """What is wrong with a row, which the strict reader of the module csv gave up."""
    reason = str(error)
    if "field limit" in reason:
        return f"a value is longer than {csv.field_size_limit():,} characters; perhaps a quotation mark is never closed"
    if "end of data" in reason:
        return "a quotation mark begins a value here and none ends it; double the marks that belong to the text"
    if "expected after" in reason:
        return "text follows the quotation mark that ends a value; double the marks that belong to the text"
    return reason


# Lines whose columns are not quoted


def _line_rows(source: Source, form: Format) -> Rows:
    is_letor = form.reader == "letor"
    values = _letor_values(Counter()) if is_letor else _split_values(form)
    with source.open() as stream:
        for number, raw in enumerate(stream, start=1):
            text = raw.removeprefix(BYTE_ORDER_MARK) if number == 1 else raw
            if not text.strip() or text.lstrip(b" \t" if is_letor else b"").startswith(b"#"):
                continue
            try:
                found = values(Line(text, text.decode("utf-8").rstrip("\r\n")))
            except UnicodeDecodeError:
                found = NOT_UTF8
            if found:
                yield number, found


def _letor_values(places: Counter[str]) -> Callable[[Line], Values | str]:
    """Topic, document and grade; a document without a name has its place in the topic, from 0."""

    def values(line: Line) -> Values | str:
        found = LETOR_LINE.match(line.text)
        if not found:
            return "expected grade qid:QUERY feature:value ... # document"
        comment = found["comment"] or ""
        named = _DOCID.search(comment) or _WORD.search(comment)
        document = named[1] if named else str(places[found["topic"]])
        places[found["topic"]] += 1
        return found["topic"], document, found["grade"]

    return values


def _split_values(form: Format) -> Callable[[Line], Values | str]:
    """The form's columns of a line; none of a query without a hit."""
    used = form.columns or {}
    places = [form.names.index(name) for name in used.values()]
    needed = max(places) + 1
    score = list(used).index("score") if "score" in used else None
    target = list(used).index("document") if "sseqid" in form.names and "document" in used else None

    def values(line: Line) -> Values | str:
        parts = line.split() if form.delimiter == " " else line.text.split(form.delimiter)
        if len(parts) < needed or (form.is_exact and len(parts) != len(form.names)):
            expected = f"{len(form.names)}: {', '.join(form.names)}" if form.is_exact else f"{needed} or more"
            return f"{counted(len(parts), 'column')}, expected {expected}"
        found = [parts[at].strip() or None for at in places]
        if target is not None and found[target] == alignments.NO_TARGET:
            return []
        if score is not None:
            found[score] = alignments.mended(found[score] or "")
        return found

    return values


# JSON


def _json_rows(source: Source, form: Format) -> Rows:
    names = list((form.columns or {}).values())
    with source.open() as stream:
        for number, raw in enumerate(stream, start=1):
            if not raw.strip():
                continue
            try:
                row = parse_line(raw)
                if not isinstance(row, dict):
                    raise UsageError("no object, as the lines above are")
            except UsageError as error:
                yield number, str(error)
            else:
                yield number, [as_text(row.get(name)) for name in names]


def as_text(value: object) -> str | None:
    """A value of JSON as the engine gives it in text."""
    return value if value is None or isinstance(value, str) else json.dumps(value)


def parse_line(raw: bytes, **options: Any) -> Any:
    """The value of a line of JSON; ``options`` are those of ``json.loads``. Raises UsageError for what is none."""
    try:
        return json.loads(raw.decode("utf-8-sig"), **options)
    except UnicodeDecodeError as error:
        raise UsageError(NOT_UTF8) from error
    except ValueError as error:
        raise UsageError(f"not JSON: {error}") from error
    except RecursionError as error:
        raise UsageError(TOO_DEEP) from error


def json_document(source: Source, name: str) -> Any:
    """What a file of JSON holds; of JSON lines a list. ``name`` is the format, as messages call it."""
    if name == "JSON":
        found = read_json(source, object_pairs_hook=_once)
        _refuse_columns(source, found)
        return _of_mteb(found) if isinstance(found, dict) and _OF_MTEB in found else found
    records = []
    with source.open() as stream:
        for number, raw in enumerate(stream, start=1):
            try:
                if raw.strip():
                    records.append(parse_line(raw, object_pairs_hook=_once))
            except UsageError as error:
                raise InputError([Problem(source.label, number, f"{name}: {error}")]) from error
    return records


def read_json(source: Source, **options: Any) -> Any:
    """The one value that a file holds; ``options`` are those of ``json.loads``."""
    with source.open() as stream:
        raw = stream.read()
    try:
        return json.loads(raw.decode("utf-8-sig"), **options)
    except UnicodeDecodeError as error:
        line = 1 + raw.count(b"\n", 0, error.start)
        raise InputError([Problem(source.label, line, f"JSON: {NOT_UTF8}")]) from error
    except json.JSONDecodeError as error:
        raise InputError([Problem(source.label, error.lineno, f"broken JSON: {error.msg}")]) from error
    except RecursionError as error:
        raise InputError([Problem(source.label, 0, f"JSON: {TOO_DEEP}")]) from error


def _of_mteb(found: dict[str, Any]) -> Any:
    """The only ranking in {"mteb_model_meta": ..., subset: {split: {topic: {document: score}}}}."""
    splits = {
        f"{subset} {split}": inner
        for subset, by_split in found.items()
        if subset != _OF_MTEB and isinstance(by_split, dict)
        for split, inner in by_split.items()
    }
    if len(splits) != 1:
        raise UsageError(
            f"predictions of MTEB are of one subset and split in a file, and here of {len(splits)}"
            + (f": {shortened(list(splits))}; write what stands behind each into a file of its own" if splits else "")
        )
    return next(iter(splits.values()))


def _refuse_columns(source: Source, found: Any) -> None:
    """pandas writes {column: {row: value}}, which looks like {topic: {document: score}}."""
    if not isinstance(found, dict) or not all(isinstance(value, dict) for value in found.values()):
        return
    if any(len(column_meanings.known(found, kind)) == len(found) > 2 for kind in ("run", "grades")):
        reason = f"JSON: is a table column by column ({', '.join(found)}), as DataFrame.to_json writes it by default; "
        raise InputError([Problem(source.label, 0, reason + 'orient="records" writes it row by row')])


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object as a dict; a name that stands twice would lose a value in silence."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        raise UsageError(f"{twice} stands more than once in one object")
    return found
