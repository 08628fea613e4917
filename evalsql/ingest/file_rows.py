"""Rows of the table ``files``: where runs, judgments, weights and facts about topics came from."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from evalsql.database.database import Database
    from evalsql.ingest.files.source import Source

IN_MEMORY = "in memory"  # where rows come from that are in no file


class FileRow(NamedTuple):
    """A row of the table ``files``; ``key`` is that of the run or the judgment set, ``size`` is in bytes."""

    kind: str
    key: int
    file: str
    sha256: str | None
    size: int | None
    num_rows: int

    @classmethod
    def of(cls, kind: str, key: int, source: Source, num_rows: int) -> FileRow:
        """The row of a file."""
        return cls(kind, key, source.label, source.sha256(), source.path.stat().st_size, num_rows)

    @classmethod
    def in_memory(cls, kind: str, key: int, num_rows: int, origin: str = IN_MEMORY) -> FileRow:
        """The row of data that came from no file; ``origin`` stands in the place of the file's name."""
        return cls(kind, key, origin, None, None, num_rows)


def add_file_rows(database: Database, *rows: FileRow) -> None:
    """Add rows to the table ``files``."""
    if rows:
        database.execute(
            """
            insert into files
            select
                unnest(?::varchar[]), unnest(?::integer[]), unnest(?::varchar[]),
                unnest(?::varchar[]), unnest(?::bigint[]), unnest(?::bigint[])
            """,
            [list(column) for column in zip(*rows, strict=True)],
        )
