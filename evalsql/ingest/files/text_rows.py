"""Reads text with columns row by row, in Python, and finds the line of each: CSV, JSON lines, text of split columns."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from itertools import islice
from typing import Literal

from evalsql.ingest.files import quotes, text_columns
from evalsql.ingest.files.format import Format
from evalsql.ingest.files.json_files import TOO_DEEP
from evalsql.ingest.files.source import NOT_UTF8, Source, unreadable
from evalsql.phrases import counted


def text_rows(source: Source, form: Format) -> Iterator[tuple[int, dict[str, str | None] | str]]:
    """Line and values by meaning of each row of a text file, or what is wrong with the row as a whole."""
    columns = form.columns or {}
    try:
        for line, row in _READERS[form.reader](source, form):
            yield line, row if isinstance(row, str) else {meaning: row.get(name) for meaning, name in columns.items()}
    except unreadable() as error:
        yield 0, f"cannot be read: {error}"


def _csv_rows(source: Source, form: Format) -> Iterator[tuple[int, dict[str, str | None] | str]]:
    is_plain = quotes.hide_nothing(source, form)
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
                yield first, quotes.fault(error)
                continue
            line = form.skipped + reader.line_num
            if any("\udc80" <= character <= "\udcff" for column in row for character in column):
                yield line, NOT_UTF8
            elif row and len(row) != len(form.names):
                yield line, f"{counted(len(row), 'column')}, expected {len(form.names)}: {', '.join(form.names)}"
            elif row:
                cells = map(quotes.without, row) if is_plain else row
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


_READERS = {"csv": _csv_rows, "jsonl": _json_rows, "lines": text_columns.rows, "letor": text_columns.rows}


def as_text(value: object) -> str | None:
    """A value of JSON as the engine gives it in text."""
    return value if value is None or isinstance(value, str) else json.dumps(value)
