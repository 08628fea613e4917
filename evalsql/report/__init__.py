"""Writes rows in the format asked for: one module a family of formats."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TextIO

from evalsql.report.table import Table, Writer

# Imported when it is asked for: module and function.
FORMATS: Mapping[str, tuple[str, str]] = {
    "table": ("plain", "write_table"),
    "csv": ("structured", "write_csv"),
    "tsv": ("structured", "write_tsv"),
    "json": ("structured", "write_json"),
    "jsonl": ("structured", "write_jsonl"),
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
