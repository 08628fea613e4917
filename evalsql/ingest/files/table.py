"""The rows of one file that is no TREC text, where ``table_reading`` has put them: in a temporary table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evalsql.errors import Problem
from evalsql.ingest.files.format import Format
from evalsql.ingest.files.source import Source
from evalsql.ingest.files.text_rows import text_rows

if TYPE_CHECKING:
    from evalsql.database.database import Database


@dataclass(frozen=True)
class Table:
    """The rows of one file in the temporary table ``name``, where they have its ``number``.

    Its columns are file, row and the meanings. ``has_lines`` says that the column ``row`` holds lines of the file;
    otherwise it counts rows from 1.
    """

    database: Database
    source: Source
    form: Format
    name: str
    number: int
    meanings: frozenset[str]
    has_lines: bool = False
    holds_evalues: bool = False

    @property
    def query(self) -> str:
        """A SELECT of row and meanings."""
        return f"select * exclude (file) from {self.name} where file = {self.number}"

    @property
    def is_ranking(self) -> bool:
        """Whether it has ranks and no scores."""
        return "rank" in self.meanings and "score" not in self.meanings

    @property
    def unit(self) -> str:
        """How messages count: by lines of the file, or by rows."""
        return "line" if self.form.has_lines else "row"

    def problem(self, row: int, reason: str) -> Problem:
        return self.form.problem(self.source, row, reason)

    def selected(self, *meanings: str) -> str:
        """Columns of a SELECT; a group or subtopic that is not named is 0."""
        return ", ".join(self._selected(meaning) for meaning in meanings)

    def _selected(self, meaning: str) -> str:
        if meaning not in self.meanings:
            return "'0'"
        return f"coalesce(\"{meaning}\", '0')" if meaning in ("iteration", "subgroup") else f'"{meaning}"'

    def rows(self, *meanings: str) -> Iterator[tuple[int, tuple[Any, ...]]]:
        """Line, or row where there are no lines, and values of all rows."""
        found = self.database.rows(f"select row, {self.selected(*meanings)} from ({self.query}) order by row")
        if self.has_lines or not self.form.has_lines:
            yield from ((row, tuple(values)) for row, *values in found)
        else:
            lines = (line for line, _ in text_rows(self.source, self.form))
            yield from ((line, tuple(values)) for line, (_, *values) in zip(lines, found, strict=False))


def stage_runs(database: Database, tables: Iterable[tuple[int, Table]]) -> None:
    """Put rows of runs into the table ``staged_run_rows``, as they lie in their files.

    Args:
        tables: with the file_id of each.
    """
    for rows in _staged_rows(tables):
        database.execute(f"insert into staged_run_rows by name select * exclude (rowid) from ({rows}) order by rowid")


def show_runs(database: Database, tables: Iterable[tuple[int, Table]]) -> None:
    """Replace the table ``staged_run_rows`` by a view of these rows, which saves a copy."""
    rows = "\nunion all\n".join(_staged_rows(tables))
    database.execute(f"drop table staged_run_rows; create temp view staged_run_rows as {rows}")


def _staged_rows(tables: Iterable[tuple[int, Table]]) -> Iterator[str]:
    """SELECTs of staged rows and the place of each in its file; of a ranking the score is minus the rank."""
    together: dict[str, list[tuple[int, Table]]] = {}
    for file_id, table in tables:
        together.setdefault(table.name, []).append((file_id, table))
    for name, files in together.items():
        meanings = files[0][1].meanings
        file_ids = {table.number: file_id for file_id, table in files}
        # A list is looked up faster than a table is joined.
        listed = ", ".join(str(file_ids.get(number, "null")) for number in range(max(file_ids) + 1))
        yield f"""
            select
                row as rowid,
                cast(list_extract([{listed}], file + 1) as integer) as file_id,
                topic,
                document,
                {"rank" if "rank" in meanings else "cast(null as integer)"} as given_rank,
                {"score" if "score" in meanings else "cast(-rank as double)"} as score,
                false as doubtful
            from {name}
            where file in ({", ".join(map(str, file_ids))})"""
