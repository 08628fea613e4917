"""A run that is being loaded, and the files that it is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evalsql.ingest.files.lines import Notes
from evalsql.ingest.files.source import Source, Text

if TYPE_CHECKING:
    from evalsql.ingest.files.table import Table


@dataclass
class StagedFile:
    """One file of one run on its way in. ``text`` is there if the engine may read it, ``tag`` that of its first row."""

    file_id: int
    run_id: int
    source: Source
    text: Text | None = None
    tag: str | None = None
    sha256: str = ""
    notes: Notes = field(default_factory=Notes)
    num_rows: int = 0
    opposes_ranks: bool = False
    foreign: tuple[int, int] | None = None
    table: Table | None = None  # where its rows are already, if it is no TREC file


@dataclass
class NewRun:
    """A run and the files it is made of."""

    name: str
    run_id: int
    files: Sequence[StagedFile]

    @property
    def file_ids(self) -> Sequence[int]:
        """Under which its rows are staged; rows in memory are staged as file 0."""
        return [file.file_id for file in self.files] or [0]

    @property
    def is_ranking(self) -> bool:
        """Whether it has ranks and no scores."""
        return any(file.table is not None and file.table.is_ranking for file in self.files)

    @property
    def holds_evalues(self) -> bool:
        """Whether its scores are E-values, by what its files are."""
        return any(file.table is not None and file.table.holds_evalues for file in self.files)

    @property
    def notes(self) -> Notes:
        """What its files hold beside rows, put together."""
        whole = Notes()
        for file in self.files:
            whole.comments += file.notes.comments
            whole.tags += file.notes.tags
            whole.last_tag = file.notes.last_tag or file.tag or whole.last_tag
        return whole

    @property
    def num_tags(self) -> int:
        # Of a file that was not read line by line all rows have the tag of the first.
        return len({*self.notes.tags, *(file.tag for file in self.files if file.tag and not file.notes.tags)})
