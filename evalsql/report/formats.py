"""Rows in the format asked for; those for programs have values in full precision, and nulls as such."""

from __future__ import annotations

import csv
import datetime
import math
from collections.abc import Iterator, Mapping
from decimal import Decimal
from importlib import import_module
from typing import TextIO

from evalsql.errors import UsageError
from evalsql.report.table import Table, Writer

# Imported when it is asked for: module and function.
FORMATS: Mapping[str, tuple[str, str]] = {
    "table": ("terminal", "write_table"),
    "csv": ("formats", "write_csv"),
    "tsv": ("formats", "write_tsv"),
    "json": ("formats", "write_json"),
    "jsonl": ("formats", "write_jsonl"),
    "markdown": ("markup", "write_markdown"),
    "latex": ("markup", "write_latex"),
}
EXTENSIONS = {
    ".txt": "table",
    ".csv": "csv",
    ".tsv": "tsv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".md": "markdown",
    ".tex": "latex",
}


def write(table: Table, format_name: str, stream: TextIO, digits: int) -> None:
    """Write ``table`` to ``stream``; ``digits`` decimals where people read, full precision elsewhere."""
    module, function = FORMATS[format_name]
    writer: Writer = getattr(import_module(f"evalsql.report.{module}"), function)
    writer(table, stream, digits)


def write_csv(table: Table, stream: TextIO, digits: int) -> None:
    _delimited(table, stream, ",")


def write_tsv(table: Table, stream: TextIO, digits: int) -> None:
    _delimited(table, stream, "\t")


def write_json(table: Table, stream: TextIO, digits: int) -> None:
    import json

    json.dump(list(_objects(table)), stream, ensure_ascii=False, indent=2)
    stream.write("\n")


def write_jsonl(table: Table, stream: TextIO, digits: int) -> None:
    import json

    for item in _objects(table):
        stream.write(json.dumps(item, ensure_ascii=False) + "\n")


def _delimited(table: Table, stream: TextIO, delimiter: str) -> None:
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows(table.rows)


def _objects(table: Table) -> Iterator[dict[str, object]]:
    if len(set(table.columns)) < len(table.columns):
        raise UsageError("two columns have the same name, which JSON cannot hold; name them apart")
    return ({name: _exact(value) for name, value in zip(table.columns, row, strict=True)} for row in table.rows)


def _exact(value: object) -> object:
    """What JSON has for a value; text where readers of JSON have no exact form, as of NaN, infinity and times."""
    if isinstance(value, Mapping):
        return {str(key): _exact(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_exact(inner) for inner in value]
    if isinstance(value, Decimal) and Decimal(repr(float(value))) == value:
        return float(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ")
    return value if value is None or isinstance(value, str | int) else str(value)
