"""A run that is being loaded, and the files that it is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evalsql.ingest.files.source import Source, Text
from evalsql.ingest.files.trec_lines import Notes

if TYPE_CHECKING:
    from evalsql.ingest.files.table import Table


@dataclass
class StagedFile:
    """One file of one run on its way in.

    Attributes:
        text: the file as plain text, if the engine's reader may take it.
        tag: that of the first row.
        notes: comments and tags, where the file was read line by line.
        opposes_ranks: whether scores get worse where the ranks say that they get better.
        foreign: line number and number of columns of the first row, if the file is another kind of table.
        table: the rows, if the file is no TREC file; they are staged already.
    """

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
    table: Table | None = None


@dataclass
class NewRun:
    """A run and the files it is made of."""

    name: str
    run_id: int
    files: Sequence[StagedFile]

    @property
    def file_ids(self) -> Sequence[int]:
        """The numbers under which its rows are staged; rows in memory are staged as file 0."""
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
        """The comments and tags of all its files."""
        whole = Notes()
        for file in self.files:
            whole.comments += file.notes.comments
            whole.tags += file.notes.tags
            whole.last_tag = file.notes.last_tag or file.tag or whole.last_tag
        return whole

    @property
    def num_tags(self) -> int:
        """How many tags its rows have."""
        # Files that were not read line by line have one tag in all rows.
        return len({*self.notes.tags, *(file.tag for file in self.files if file.tag and not file.notes.tags)})
