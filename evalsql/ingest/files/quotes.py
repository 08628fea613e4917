"""Quotation marks in tables parted by tabs, which some programs write as CSV has them and others as they come."""

from __future__ import annotations

import csv
import re

from evalsql.ingest.files.format import Format
from evalsql.ingest.files.source import Source

_CHUNK = 1 << 20  # bytes
_QUOTED = '"([^"]|"")*"'


def hide_nothing(source: Source, form: Format) -> bool:
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


def without(text: str) -> str:
    """A cell without the marks around the whole of it, if it has them as CSV does."""
    return text[1:-1].replace('""', '"') if re.fullmatch(_QUOTED, text) else text


def without_in_sql(column: str) -> str:
    """The same in SQL."""
    inner = f"substr({column}, 2, length({column}) - 2)"
    return f"case when regexp_full_match({column}, '{_QUOTED}') then replace({inner}, '\"\"', '\"') else {column} end"


def fault(error: csv.Error) -> str:
    """What is wrong with a row, which the strict reader of the module csv gave up."""
    reason = str(error)
    if "field limit" in reason:
        return f"a value is longer than {csv.field_size_limit():,} characters; perhaps a quotation mark is never closed"
    if "end of data" in reason:
        return "a quotation mark begins a value here and none ends it; double the marks that belong to the text"
    if "expected after" in reason:
        return "text follows the quotation mark that ends a value; double the marks that belong to the text"
    return reason
