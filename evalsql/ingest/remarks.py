"""What loading finds that is taken as it stands and likely misleads: collected over batches, told once for a load."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evalsql.catalog.ddl import relation_query
from evalsql.errors import InputWarning

if TYPE_CHECKING:
    from evalsql.database.database import Database


@dataclass
class Remarks:
    """What was found of the runs of one load."""

    rounded: dict[int, int] = field(default_factory=dict)  # documents by run_id

    def note_ties(self, database: Database, ranked: str, tie_rule: str) -> None:
        """Count the documents that only rounding to 32 bits ties; ``ranked`` is a SELECT of the rows kept."""
        if tie_rule == "trec_eval":
            found = relation_query(database.catalog, "rounded_ties", {"ranked": ranked})
            self.rounded |= dict(database.rows(found))

    def tell(self) -> None:
        """Warn of all that was found."""
        for text in self._texts():
            warnings.warn(text, InputWarning, stacklevel=3)

    def _texts(self) -> Sequence[str]:
        texts = []
        if self.rounded:
            texts.append(
                f"{counted(sum(self.rounded.values()), 'document')} in {counted(len(self.rounded), 'run')}: scores "
                "that differ are equal as 32-bit floats, so they tie and are ordered by document id; "
                "--tie-rule trec_eval_10 compares 64-bit scores"
            )
        return texts


def counted(count: int, what: str) -> str:
    return f"{count:,} {what}" + ("" if count == 1 else "s")
