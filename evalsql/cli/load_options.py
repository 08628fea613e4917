"""Options of commands that load: what a file holds, which columns are meant, what is kept with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from evalsql.cli.options import Names, flag, option
from evalsql.errors import UsageError
from evalsql.evaluation.selection import parse_date
from evalsql.ingest.column_meanings import parse as parse_columns
from evalsql.ingest.run_options import RunOptions

Form = Literal["grades", "groups", "preferences", "pairs", "families"]
REPLACE = flag("--replace", "Take the place of what is held under the same name.")
FORM = option(
    "--form",
    "One grade a document (grades), one in each group or subtopic, which the second column names (groups), or "
    "levels by which documents are preferred to others: topic, group, subgroup or none, document, level "
    "(preferences). Or what judgments are made of: topic and relevant document (pairs), id and family (families).",
    "grades",
)
KEEP_BEST = flag("--keep-best", "Keep the best of a document's several rows for a topic, and say how many.")
COLUMNS = option(
    "--columns MEANING=NAME,...",
    "Which columns of a file with a header are meant, as in topic=qid,document=docno,score=sim.",
)
WITH_SELF = option(
    "--with-self/--without-self",
    "Whether a topic's own name counts among its documents; by default not in BLAST's and other tables of "
    "E-values, where a query finds itself.",
)
QRELS_COLUMNS = option("--qrels-columns MEANING=NAME,...", "The same of the judgments, as in document=pid,grade=label.")


@dataclass(frozen=True)
class Kept:
    """What is kept with what is loaded, and whether that replaces something."""

    replace: bool = REPLACE
    meta: Names = option("--meta KEY=VALUE", "Something to keep with it; can be repeated.")

    def pairs(self) -> dict[str, str]:
        """What --meta gives, by key; raises UsageError for what is no pair."""
        pairs = {}
        for text in self.meta or ():
            key, sign, value = text.partition("=")
            if not sign or not key:
                raise UsageError(f'--meta takes KEY=VALUE, found "{text}"')
            if key in pairs:
                raise UsageError(f"--meta gives {key} twice")
            pairs[key] = value
        return pairs


@dataclass(frozen=True)
class KeptWithRuns(Kept):
    """What is kept with runs: which load of which system they are, too."""

    system: str | None = option(
        "--system NAME",
        "System that the runs are a load of; evalsql history shows it over time.",
        complete="systems",
    )
    version: str | None = option("--version TEXT", "Version of the system, such as a commit.")
    date: str | None = option("--date DATE", "When the system gave these runs; by default they are of now.")

    def pairs(self) -> dict[str, str]:
        """System, version and date with the meta; raises UsageError where both say something, or the date is none."""
        meta, date = super().pairs(), None if self.date is None else parse_date(self.date, "--date")
        given = {"system": self.system, "version": self.version, "date": date}
        facts = {key: value for key, value in given.items() if value is not None}
        for key in facts:
            if key in meta:
                raise UsageError(f"--{key} and --meta {key}= are the same; give one of them")
            if not facts[key]:
                raise UsageError(f"--{key} is empty")
        return {**facts, **meta}


@dataclass(frozen=True)
class JudgmentReading:
    """What judgments are made of, wherever they are loaded."""

    form: Form = FORM
    queries: str | None = option(
        "--queries FILE",
        "Of --form families the members that were searched for: names, one a line, or FASTA; by default all.",
    )
    with_self: bool | None = WITH_SELF


@dataclass(frozen=True)
class RunReading:
    """How the rows of runs are read and ordered, wherever they are loaded."""

    columns: str | None = COLUMNS
    tie_rule: Literal["trec_eval", "trec_eval_10", "rank", "input"] | None = option(
        "--tie-rule",
        "How documents are ordered: score as 32-bit float then document (trec_eval), the same with 64 bits "
        "(trec_eval_10), the rank column (rank), the order of the lines (input). By default trec_eval; "
        "trec_eval_10 with --lower-is-better.",
    )
    lower_is_better: bool = flag("--lower-is-better", "Smaller scores are better, as E-values are.")
    keep_best: bool = KEEP_BEST

    def options(self, **further: Any) -> RunOptions:
        """These options with further ones."""
        columns = parse_columns(self.columns)
        return RunOptions(self.tie_rule, self.lower_is_better, self.keep_best, columns=columns, **further)
