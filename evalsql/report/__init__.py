"""Writes rows in the format asked for: one module a family of formats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TextIO

from evalsql.report import markup, plain, structured
from evalsql.report.table import Table, Writer

FORMATS: Mapping[str, Writer] = {
    "table": plain.write_table,
    "csv": structured.write_csv,
    "tsv": structured.write_tsv,
    "json": structured.write_json,
    "jsonl": structured.write_jsonl,
    "markdown": markup.write_markdown,
    "latex": markup.write_latex,
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
    FORMATS[format_name](table, stream, digits)
