"""Warnings about loaded data that may mislead: collected over all batches of a load, given once at its end."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from evalsql.database.database import Database
from evalsql.database.judgment_overlap import RETRIEVED, scarce_overlaps
from evalsql.errors import warn
from evalsql.ingest.base_rows import pairs_query
from evalsql.phrases import counted, shortened

MOST_REPEATED = 5


@dataclass
class LoadWarnings:
    """What was found of the runs or judgments of one load."""

    rounded: list[tuple[Any, ...]] = field(default_factory=list)  # runs, how many documents only 32 bits tie, and two
    opposed: list[str] = field(default_factory=list)  # names of runs
    tags: list[tuple[str, list[str]]] = field(default_factory=list)  # files with several, and these
    texts: list[str] = field(default_factory=list)

    def note_overlaps(self, database: Database, pairs: Sequence[tuple[int, int]], ranked: str = RETRIEVED) -> None:
        """Find pairs of (qrels_id, run_id), evaluated already, with next to nothing in common."""
        if pairs:
            self.texts += scarce_overlaps(database, pairs_query(pairs), ranked)

    def note_repeated_files(self, database: Database, kind: str, ids: Sequence[int]) -> None:
        """Find the new runs ("run") or judgments ("qrels") whose files are held under another name as well."""
        query = database.query("repeated_files", {"new_ids": _listed(ids)}, kind=kind)
        repeated = database.rows(f"{query}\norder by name, other")
        for file, name, other in repeated[:MOST_REPEATED]:
            self.texts.append(f"{file}: is loaded as {name}, and the same file was loaded as {other} before")
        if len(repeated) > MOST_REPEATED:
            self.texts.append(f"{len(repeated) - MOST_REPEATED} more files were loaded before under another name")

    def note_irrelevance(self, database: Database, qrels_id: int) -> None:
        query = database.query("sets_without_relevance", {"new_ids": _listed([qrels_id])})
        for name, num_judgments, grade in database.rows(query):
            self.texts.append(
                f"judgments {name}: nothing is relevant, as the best of {counted(num_judgments, 'grade')} is {grade} "
                "and 1 is the least that counts; is the column of grades the right one?"
            )

    def warn(self, *, lower_is_better: bool = False) -> None:
        for text in self.lines(lower_is_better=lower_is_better):
            warn(text)

    def lines(self, *, lower_is_better: bool = False) -> list[str]:
        lines: list[str] = []
        if self.rounded:
            (run, _, topic, *pair), total = self.rounded[0], sum(row[1] for row in self.rounded)
            lines.append(
                f"{counted(total, 'document')} in {counted(len(self.rounded), 'run')} tie only in 32-bit precision, "
                f"which trec_eval 9 uses, such as {' and '.join(pair)} of topic {topic} in {run}; "
                '--tie-rule trec_eval_10, in Python tie_rule="trec_eval_10", compares 64 bits'
            )
        if self.opposed:
            order, remedy = ("smaller", "leave out") if lower_is_better else ("greater", "give")
            lines.append(
                f"{counted(len(self.opposed), 'run')}, the first being {self.opposed[0]}: ranks and scores in the "
                f"file contradict each other or are exchanged, {order} scores being held for better; {remedy} "
                "--lower-is-better, or exchange the columns rank and score"
            )
        if self.tags:
            file, tags = self.tags[0]
            lines.append(
                f"{counted(len(self.tags), 'file')}, the first being {file}: rows with {len(tags)} tags "
                f"({shortened(tags)}), which are loaded as one run; split the file if they are several"
            )
        return lines + self.texts


def _listed(ids: Sequence[int]) -> str:
    return f"select unnest({[*ids]}::integer[]) as id"
