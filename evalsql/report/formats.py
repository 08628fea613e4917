"""Rows in the format asked for; those for programs have values in full precision, and nulls as such."""

from __future__ import annotations

import csv
import datetime
import math
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import TextIO

from evalsql.errors import UsageError
from evalsql.report.table import Table

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
    if format_name in ("csv", "tsv"):
        writer = csv.writer(stream, delimiter="," if format_name == "csv" else "\t", lineterminator="\n")
        writer.writerow(table.columns)
        writer.writerows(table.rows)
    elif format_name in ("json", "jsonl"):
        _write_json(table, stream, is_one=format_name == "json")
    elif format_name == "table":
        from evalsql.report.terminal import write_table

        write_table(table, stream, digits)
    else:
        from evalsql.report import markup

        write_document = markup.write_latex if format_name == "latex" else markup.write_markdown
        write_document(table, stream, digits)


def _write_json(table: Table, stream: TextIO, *, is_one: bool) -> None:
    """One list of objects, or an object a line."""
    import json

    if is_one:
        json.dump(list(_objects(table)), stream, ensure_ascii=False, indent=2)
        stream.write("\n")
    else:
        stream.writelines(json.dumps(item, ensure_ascii=False) + "\n" for item in _objects(table))


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
