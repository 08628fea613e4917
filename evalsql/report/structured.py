"""Formats for programs: values in full precision, nulls as such."""

from __future__ import annotations

import csv
import datetime
import math
from collections.abc import Iterator
from typing import TextIO

from evalsql.errors import UsageError
from evalsql.report.table import Table


def write_csv(table: Table, stream: TextIO, digits: int) -> None:
    _delimited(table, stream, ",")


def write_tsv(table: Table, stream: TextIO, digits: int) -> None:
    _delimited(table, stream, "\t")


def write_json(table: Table, stream: TextIO, digits: int) -> None:
    import json

    json.dump(list(_objects(table)), stream, default=_plain, ensure_ascii=False, indent=2)
    stream.write("\n")


def write_jsonl(table: Table, stream: TextIO, digits: int) -> None:
    import json

    for item in _objects(table):
        stream.write(json.dumps(item, default=_plain, ensure_ascii=False) + "\n")


def _delimited(table: Table, stream: TextIO, delimiter: str) -> None:
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows(table.rows)


def _objects(table: Table) -> Iterator[dict[str, object]]:
    if len(set(table.columns)) < len(table.columns):
        raise UsageError("two columns have the same name, which JSON cannot hold; name them apart")
    return ({name: _finite(value) for name, value in zip(table.columns, row, strict=True)} for row in table.rows)


def _finite(value: object) -> object:
    """JSON has no NaN and no infinity; they become text."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _plain(value: object) -> str:
    return value.isoformat(" ") if isinstance(value, datetime.datetime) else str(value)
