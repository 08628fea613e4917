"""Reads text that is not TREC row by row, in Python: CSV, JSON, split columns; bad rows are refused with their line."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any, Literal

from evalsql.catalog.ddl import relation_query
from evalsql.catalog.measure_names import literal
from evalsql.catalog.relations import Catalog
from evalsql.errors import InputError, Problem, UsageError
from evalsql.ingest import column_meanings
from evalsql.ingest.files import alignments
from evalsql.ingest.files.formats import LETOR_LINE
from evalsql.ingest.files.source import BYTE_ORDER_MARK, NOT_UTF8, Format, Source, unreadable
from evalsql.phrases import counted, shortened


def text_rows(source: Source, form: Format) -> Iterator[tuple[int, dict[str, str | None] | str]]:
    """Line and values by meaning of each row of a text file, or what is wrong with the row as a whole."""
    columns = form.columns or {}
    try:
        for line, row in _READERS[form.reader](source, form):
            yield line, row if isinstance(row, str) else {meaning: row.get(name) for meaning, name in columns.items()}
    except unreadable() as error:
        yield 0, f"cannot be read: {error}"


def _csv_rows(source: Source, form: Format) -> Iterator[tuple[int, dict[str, str | None] | str]]:
    is_plain = quotes_hide_nothing(source, form)
    quoting: Literal[0, 3] = csv.QUOTE_NONE if is_plain else csv.QUOTE_MINIMAL
    with source.open() as stream:
        lines = (_decoded(line) for line in islice(stream, form.skipped, None))
        reader = csv.reader(lines, delimiter=form.delimiter, strict=True, quoting=quoting)
        while True:
            first = form.skipped + reader.line_num + 1
            try:
                row = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                yield first, csv_fault(error)
                continue
            line = form.skipped + reader.line_num
            if any("\udc80" <= character <= "\udcff" for column in row for character in column):
                yield line, NOT_UTF8
            elif row and len(row) != len(form.names):
                yield line, f"{counted(len(row), 'column')}, expected {len(form.names)}: {', '.join(form.names)}"
            elif row:
                cells = map(unquoted, row) if is_plain else row
                yield line, {name: value.strip() or None for name, value in zip(form.names, cells, strict=True)}


def _decoded(line: bytes) -> str:
    return line.decode("utf-8", "surrogateescape")


def _json_rows(source: Source, form: Format) -> Iterator[tuple[int, dict[str, str | None] | str]]:
    with source.open() as stream:
        for number, raw in enumerate(stream, start=1):
            if not raw.strip():
                continue
            try:
                row = json.loads(raw.decode("utf-8-sig"))
            except UnicodeDecodeError:
                yield number, NOT_UTF8
            except ValueError as error:
                yield number, f"not JSON: {error}"
            except RecursionError:
                yield number, TOO_DEEP
            else:
                yield (
                    number,
                    {name: as_text(value) for name, value in row.items()}
                    if isinstance(row, dict)
                    else ("no object, as the lines above are"),
                )


def as_text(value: object) -> str | None:
    """A value of JSON as the engine gives it in text."""
    return value if value is None or isinstance(value, str) else json.dumps(value)


_CHUNK = 1 << 20  # bytes
_QUOTED = '"([^"]|"")*"'


def quotes_hide_nothing(source: Source, form: Format) -> bool:
    """Whether a table parted by tabs has quotation marks, and all its columns on each line in spite of them.

    Then no mark hides a tab or the end of a line, and one that is never closed is part of a name or of a text.
    """
    if form.delimiter != "\t" or not _are_there(source):
        return False
    with source.open() as stream:
        for number, line in enumerate(stream):
            if number >= form.skipped and line.strip() and line.count(b"\t") != len(form.names) - 1:
                return False
    return True


def _are_there(source: Source) -> bool:
    with source.open() as stream:
        while chunk := stream.read(_CHUNK):
            if b'"' in chunk:
                return True
    return False


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


_DOCID = re.compile(r"#.*docid\s*=\s*(\S+)")
_WORD = re.compile(r"#\s*(\S+)")
Row = tuple[int, dict[str, str | None] | str]


def split_lines_query(catalog: Catalog, form: Format, path: str) -> str:
    """A SELECT of ``evalsql_row`` and the columns of the form's meanings, as text; null where a line has none."""
    lines = relation_query(
        catalog,
        "numbered_rows",
        {
            "raw": f"""select * from read_csv(
                [{path}], delim = '\x01', header = false, auto_detect = false, quote = '', escape = '',
                compression = 'none', hive_partitioning = false, columns = {{line: 'varchar'}}
            )"""
        },
    )
    if form.reader == "letor":
        return relation_query(catalog, "letor_rows", {"lines": lines})
    parts = relation_query(catalog, "alignment_rows", {"lines": lines}, blanks=form.delimiter == " ")
    values, not_a_hit = [], ""
    for meaning, name in (form.columns or {}).items():
        value = f"trim(list_extract(parts, {form.names.index(name) + 1}))"
        if meaning == "score":
            value = f"regexp_replace({value}, '^e-', '1e-')"
        if form.is_exact:
            value = f"case when len(parts) = {len(form.names)} then {value} end"
        if meaning == "document" and "sseqid" in form.names:
            not_a_hit = f"where coalesce({value}, '') <> {literal(alignments.NO_TARGET)}"
        values.append(f'{value} as "{meaning}"')
    return f"select evalsql_row, {', '.join(values)} from ({parts}) {not_a_hit}"


def split_line_rows(source: Source, form: Format) -> Iterator[Row]:
    """Line and values by column of each row, or what is wrong with it."""
    places: Counter[str] = Counter()
    with source.open() as stream:
        for number, raw in enumerate(stream, start=1):
            text = raw.removeprefix(BYTE_ORDER_MARK) if number == 1 else raw
            if not text.strip() or text.lstrip(b" \t" if form.reader == "letor" else b"").startswith(b"#"):
                continue
            try:
                line = text.decode("utf-8").rstrip("\r\n")
            except UnicodeDecodeError:
                yield number, NOT_UTF8
                continue
            yield from _letor_row(number, line, places) if form.reader == "letor" else _split_row(number, line, form)


def _letor_row(number: int, line: str, places: Counter[str]) -> Iterator[Row]:
    found = LETOR_LINE.match(line)
    if not found:
        yield number, "expected grade qid:QUERY feature:value ... # document"
        return
    comment = found["comment"] or ""
    named = _DOCID.search(comment) or _WORD.search(comment)
    document = named[1] if named else str(places[found["topic"]])
    places[found["topic"]] += 1
    yield number, {"topic": found["topic"], "document": document, "grade": found["grade"]}


def _split_row(number: int, line: str, form: Format) -> Iterator[Row]:
    parts = line.split(None if form.delimiter == " " else form.delimiter)
    used = form.columns or {}
    needed = max(form.names.index(name) for name in used.values()) + 1
    if len(parts) < needed or (form.is_exact and len(parts) != len(form.names)):
        expected = f"{len(form.names)}: {', '.join(form.names)}" if form.is_exact else f"{needed} or more"
        yield number, f"{counted(len(parts), 'column')}, expected {expected}"
        return
    values = {name: parts[form.names.index(name)].strip() or None for name in used.values()}
    if "sseqid" in form.names and values.get(used.get("document", "")) == alignments.NO_TARGET:
        return
    if score := used.get("score"):
        values[score] = alignments.mended(values[score] or "")
    yield number, values


TOO_DEEP = "nested too deeply to be rows or rankings"
OF_MTEB = "mteb_model_meta"


def json_document(source: Source, name: str) -> Any:
    """What a file of JSON holds; of JSON lines a list. ``name`` is the format, as messages call it."""
    if name == "JSON":
        found = read_json(source, object_pairs_hook=_once)
        _refuse_columns(source, found)
        return _of_mteb(found) if isinstance(found, dict) and OF_MTEB in found else found
    records = []
    with source.open() as stream:
        for number, raw in enumerate(stream, start=1):
            try:
                if raw.strip():
                    records.append(json.loads(raw.decode("utf-8-sig"), object_pairs_hook=_once))
            except UnicodeDecodeError as error:
                raise InputError([Problem(source.label, number, f"{name}: {NOT_UTF8}")]) from error
            except ValueError as error:
                raise InputError([Problem(source.label, number, f"{name}: not JSON: {error}")]) from error
            except RecursionError as error:
                raise InputError([Problem(source.label, number, f"{name}: {TOO_DEEP}")]) from error
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
        if subset != OF_MTEB and isinstance(by_split, dict)
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
    if isinstance(found, dict) and all(isinstance(value, dict) for value in found.values()):
        for kind in ("run", "grades"):
            if len(column_meanings.known(found, kind)) == len(found) > 2:
                columns = ", ".join(found)
                reason = f"JSON: is a table column by column ({columns}), as DataFrame.to_json writes it by default; "
                raise InputError([Problem(source.label, 0, reason + 'orient="records" writes it row by row')])


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object as a dict; a name that stands twice would lose a value in silence."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(f"{twice} stands more than once in one object")
    return found


_READERS = {"csv": _csv_rows, "jsonl": _json_rows, "lines": split_line_rows, "letor": split_line_rows}
