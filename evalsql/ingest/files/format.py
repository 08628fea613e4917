"""The record of what a file is: its format, how it is read, and which column is which; ``recognition`` fills it in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evalsql.errors import InputError, Problem, UsageError
from evalsql.ingest import columns as known_columns
from evalsql.ingest.columns import Given
from evalsql.ingest.files.source import Source


@dataclass(frozen=True)
class Format:
    """What a file is.

    Attributes:
        name: as messages call it.
        reader: csv, jsonl (a row a line), array (a list of rows), dicts, lists, rankings and hits (JSON of rankings
            that are alike), nested (any other JSON, read whole), lines (columns without quotes), letor, parquet or
            arrow.
        columns: its column for each meaning, where the first lines tell.
        names: all columns of a text file in order.
        skipped: lines before the first row.
        is_exact: whether a line has these columns and no others.
    """

    name: str
    reader: str
    columns: Mapping[str, str] | None = None
    names: Sequence[str] = ()
    delimiter: str = ""
    skipped: int = 0
    is_exact: bool = False

    @property
    def has_lines(self) -> bool:
        """Whether rows are found by their line."""
        return self.reader in ("csv", "jsonl", "lines", "letor")

    @property
    def holds_evalues(self) -> bool:
        """Whether its scores are E-values, as far as its first lines tell."""
        return known_columns.holds_evalues(self.columns or {})

    def problem(self, source: Source, row: int, reason: str) -> Problem:
        """A problem with one row, or with the file as a whole if that is 0."""
        if not row or self.has_lines:
            return Problem(source.label, row, f"{self.name}: {reason}")
        return Problem(source.label, 0, f"{self.name}, row {row}: {reason}")


def columns_in(source: Source, line: int, name: str, names: Sequence[str], kind: str, given: Given) -> dict[str, str]:
    """The column of each meaning among names that stand on a line; raises InputError where one is missing."""
    try:
        return known_columns.find(names, kind, given)
    except UsageError as error:
        raise InputError([Problem(source.label, line, f"{name}: {error}")]) from error
