"""Staged rows of runs on their way into the base tables: keys for names, documents of spans, repeated ones, ranks."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from evalsql.database.database import Database
from evalsql.errors import InputError, QueryError, UsageError
from evalsql.ingest import base_rows
from evalsql.ingest.base_rows import LoadWarnings
from evalsql.ingest.column_meanings import ENDS
from evalsql.ingest.files.source import Source
from evalsql.ingest.files.table import Table
from evalsql.ingest.files.trec_text import Notes
from evalsql.ingest.load_options import SCORED, UNITS, JudgmentOptions, RunOptions
from evalsql.literals import rows_query
from evalsql.phrases import counted

STAGED_COLUMNS = {
    **{"file_id": "integer", "topic": "varchar", "document": "varchar"},
    **{"given_rank": "integer", "score": "double", "doubtful": "boolean", "call": "varchar"},
}
_RUN_COLUMNS = (
    *("run_id", "run", "tag", "num_tags", "comments"),
    *("duplicates", "tie_rule", "lower_is_better", "depth", "judged_by"),
)
# Files keep their order, whichever reader put them there.
_STAGED_IN_ORDER = "select *, (file_id::bigint << 40) + rowid as position from staged_run_rows"


_NO_CALLS = (
    "select null::integer as list_id, null::integer as topic_id, null::integer as run_id, null as call_name where false"
)


class Repeated(NamedTuple):
    """A document that stands several times for a topic of a run, or for a call of it."""

    run_id: int
    topic: str
    document: str
    call: str | None = None

    @property
    def of_topic(self) -> str:
        return f"document {self.document} of topic {self.topic}" + (f", call {self.call}," if self.call else "")


@dataclass
class StagedFile:
    """One file of one run on its way in: a table, or TREC text with its comments and tags."""

    source: Source
    table: Table | None = None
    text: Path | None = None
    sha256: str = ""
    notes: Notes = field(default_factory=Notes)
    is_refused: bool = False

    @property
    def kind(self) -> int:
        """What its rows have, see ``load_options``."""
        return self.table.kind if self.table else SCORED

    def inspect(self, folder: Path) -> None:
        """Compute the checksum, and decompress TREC text into ``folder`` if need be."""
        self.sha256 = self.source.sha256()
        if not self.table:
            self.text = self.source.plain_text(folder / str(self.source.number))


@dataclass
class NewRun:
    """A run, the files of one kind that it is made of, and the keys of the judgment sets to evaluate it with."""

    name: str
    run_id: int
    qrels_ids: Collection[int]
    files: Sequence[StagedFile] = ()

    @property
    def kind(self) -> int:
        return self.files[0].kind


@dataclass
class RunBatch:
    """Runs that are loaded together, all rankings, all with E-values or all with other scores.

    Making one makes the empty table ``staged_run_rows``, into which their rows go; those in memory are of file 0.
    """

    database: Database
    runs: Sequence[NewRun]
    options: RunOptions

    def __post_init__(self) -> None:
        columns = STAGED_COLUMNS | (SPAN_COLUMNS if self.options.holds_spans else {})
        self.database.make_empty("staged_run_rows", columns)

    def rank(self) -> list[str]:
        """Rank the staged rows under the tie rule; returns notices of rows that were left out before."""
        database, options = self.database, self.options.for_rows(self.runs[0].kind)
        self.options = options
        self._listed = ", ".join(str(run.run_id) for run in self.runs)
        pairs = [(file.source.number, run.run_id) for run in self.runs for file in run.files]
        self._owners = rows_query("file_id, owner_id", pairs)
        left_out = _leave_out(database, self._owners, options)
        self._add_runs()
        base_rows.add_names(database, "select * from staged_run_rows")
        compared = compared_rows(database, self._owners, options)
        if options.has_calls:
            compared = _rows_by_call(database, compared, options)
        if options.holds_spans:
            compared = _collapsed(database, compared, self._owners, options)
        ranked = database.query("ranked_rows", {"compared_rows": compared}, tie_rule=options.tie_rule)
        if options.keeps_all:
            _retain(database, ranked)
            self.ranked = f"select * from retrieved where run_id in ({self._listed})"
        else:
            database.make("all_ranks", ranked)
            self.ranked = "select * from all_ranks"
        found = f"retrieved_spans where run_id in ({self._listed})" if options.holds_spans else f"({self.ranked})"
        counts = f"select (select count(*) from staged_run_rows), count(*) from {found}"
        ((staged, kept),) = database.rows(counts)
        if staged != kept:
            raise QueryError(f"{staged} rows were read and {kept} ranked")
        return left_out

    def repeated(self) -> set[Repeated]:
        """Documents that a topic has several times, or a call of it, unless the best one is kept."""
        if self.options.keep_best:
            return set()
        return {Repeated(*row) for row in self.database.rows(self.database.query("repeated_documents", self._inputs))}

    def store(self, warnings: LoadWarnings | None = None) -> None:
        """Put the ranked rows that are to be kept into the base tables, and evaluate them.

        Without ``warnings`` nothing is noted, and the temporary tables stay until the caller's transaction ends.
        """
        database, options = self.database, self.options
        ranked = {"ranked": self.ranked}
        if options.keep_best:
            found = f"({database.query('run_duplicates', self._inputs)}) as found where found.run_id = runs.run_id"
            database.execute(f"update runs set duplicates = found.duplicates from {found}")
        if options.keep_best or options.depth or options.judged_by:
            judged_by = dict(database.rows("select qrels, qrels_id from qrels")).get(options.judged_by)
            kept = database.query("kept_ranks", ranked, depth=options.depth, judged_by=judged_by)
            database.make("all_ranks", kept)
        if options.has_calls:
            database.make("all_ranks", _store_calls(database, self.ranked, self._listed))
        if options.keeps_unjudged and not options.keeps_all:
            _retain(database, self.ranked)
        files = {"staged_files": self._owners}
        database.insert("run_topics", database.query("new_run_topics", ranked | files))
        if warnings:
            self.note_ties(warnings)
        pairs = sorted((qrels_id, run.run_id) for run in self.runs for qrels_id in run.qrels_ids)
        base_rows.add_evaluations(database, pairs, self.unretained)
        if warnings:
            warnings.note_overlaps(database, pairs, self.ranked)
            database.drop("all_ranks", "staged_run_rows", "staged_topics", "document_ids")

    @property
    def _inputs(self) -> dict[str, str]:
        """The ranked rows, and the calls that their keys are of, for relations that read both."""
        calls = "from temp.numbered_calls" if self.options.has_calls else _NO_CALLS
        return {"ranked": self.ranked, "ranked_calls": calls}

    @property
    def unretained(self) -> str | None:
        """A SELECT of the ranked rows in the form of the base table, if they are not stored there."""
        if self.options.keeps_unjudged:
            return None
        return self.database.query("unretained_rows", {"ranked": self.ranked})

    def note_ties(self, warnings: LoadWarnings) -> None:
        """Note documents that tie only in 32 bits, ranks that repeat, and runs with most scores equal, once stored."""
        database = self.database
        if self.options.tie_rule == "trec_eval":
            warnings.rounded += database.rows(database.query("rounded_ties", {"ranked": self.ranked}))
        if self.options.tie_rule == "rank":
            staged = {"staged": "select * from staged_run_rows", "staged_files": self._owners}
            warnings.texts += database.remarks("repeated_rank_remarks", staged)
        warnings.texts += database.remarks("tie_remarks", {"ranked": self.ranked})

    def _add_runs(self) -> None:
        given = self.options
        options = (0, given.tie_rule, given.lower_is_better, given.depth, given.judged_by)
        rows = []
        for run in self.runs:
            notes = [file.notes for file in run.files]
            tags = {tag for note in notes for tag in note.tags}
            last_tag = next((note.last_tag for note in reversed(notes) if note.last_tag), None)
            comments = "\n".join(comment for note in notes for comment in note.comments)
            rows.append((run.run_id, run.name, last_tag, len(tags), comments, *options))
        base_rows.add_rows(self.database, "runs", _RUN_COLUMNS, rows, self.options.meta or {})


def _leave_out(database: Database, owners: str, options: RunOptions) -> list[str]:
    """Delete the staged rows that the options leave out, and return notices; ``owners`` are file_id and owner_id."""
    if not options.one_alignment and options.with_self is not False:
        return []
    staged = f"select staged_run_rows.rowid as row_id, * from staged_run_rows join ({owners}) using (file_id)"
    chosen = {"only_best": options.one_alignment, "without_self": options.with_self is False}
    chosen["lower_is_better"] = options.lower_is_better
    database.make("staged_left_out", database.query("left_out_alignments", {"staged": staged}, **chosen))
    counts = "select count(*) filter (is_self), count(*) filter (not is_self) from staged_left_out"
    ((selves, others),) = database.rows(counts)
    database.execute("delete from staged_run_rows where rowid in (select row_id from staged_left_out)")
    database.drop("staged_left_out")
    told = {
        f"{counted(others, 'further alignment')} of the same pair left out, the best one being kept": others,
        f"{counted(selves, 'hit')} of the query itself left out; --with-self keeps them": selves,
    }
    return [text for text, count in told.items() if count]


def compared_rows(database: Database, staged_files: str, options: RunOptions) -> str:
    """A SELECT of the staged rows with keys; ``staged_files`` is one of file_id and owner_id."""
    inputs = {"staged": _STAGED_IN_ORDER, "staged_files": staged_files}
    rule, lower_is_better = options.tie_rule, options.lower_is_better
    return database.query("compared_rows", inputs, tie_rule=rule, lower_is_better=lower_is_better)


def _retain(database: Database, ranked: str) -> None:
    """Store rows in the order in which they are read: run by run, topic by topic, from the first rank on."""
    database.insert("retrieved", f"select * from (\n{ranked}\n) order by run_id, topic_id, rank")


# Runs that search several times for a topic: meanwhile each call has the key of a ranking of its own, which the table
# ``numbered_calls`` says, and the run's one ranking is made of theirs.


def _rows_by_call(database: Database, compared: str, options: RunOptions) -> str:
    """A SELECT of staged rows, those of each call under the key of its own ranking."""
    if options.one_alignment:
        raise UsageError("a table of E-values is one search for each topic; leave out --call, in Python call=")
    database.make("called_rows", compared)
    rows = {"compared_rows": "select * from temp.called_rows"}
    database.make("numbered_calls", database.query("numbered_calls", rows))
    return database.query("rows_by_call", rows)


def _store_calls(database: Database, ranked: str, run_ids: str) -> str:
    """Keep the ranked rows of calls; returns a SELECT of the one ranking of each run that is made of them."""
    database.insert("call_ranks", database.query("new_call_ranks", {"ranked": ranked}))
    database.drop("called_rows", "numbered_calls")
    new = {"new_runs": f"select run_id from runs where run_id in ({run_ids})"}
    windows = {"call_windows": database.query("whole_sessions", new)}
    return database.query("united_calls", windows, united_by="first")


SPAN_COLUMNS = {"span_start": "integer", "span_end": "integer"}  # columns of staged rows of runs
SPANS_OF_TABLE = ', start as span_start, "end" as span_end'


def check_spans(source: Source, table: Table | None, options: RunOptions) -> None:
    """Raise InputError for spans if no option says how they rank documents, and for such an option without spans."""
    if table and set(ENDS) <= table.columns.keys():
        if options.collapse is None:
            raise table.error(
                "each result has a start and an end, as pieces of documents have; --collapse max, first or sum, in "
                "Python collapse=, says how they rank their documents, and none leaves start and end out"
            )
        if options.holds_spans:
            check_span_rows(table, options)
    elif options.holds_spans:
        reason = "--collapse is for results with a start and an end; columns of these names, or --columns, have them"
        raise source.error(reason)


def check_span_rows(table: Table, options: RunOptions | JudgmentOptions) -> None:
    """Raise InputError for rows that are no spans, and for columns whose names count another unit than characters."""
    names = [(table.form.columns or table.columns)[each] for each in ENDS]
    other = next((each for each in UNITS[1:] if each[:-1] in " ".join(names).lower()), None)
    if other and options.unit is None:
        says = f"--unit {other}, in Python unit=, says so, and --unit {UNITS[0]} that they do not"
        raise table.error(f"{names[0]} and {names[1]} count {other} by their names; {says}")
    is_judged = isinstance(options, JudgmentOptions)
    grade = "grade" if is_judged and "grade" in table.columns else "1"
    rows = {"rows": f'select row, topic, document, start, "end", {grade} as grade from ({table.query})'}
    unit = (options.meta or {})["unit"]
    faults = table.faults(table.database.query("span_faults", rows, unit=unit, is_judged=is_judged))
    if found := [*faults]:
        raise InputError(found)


def _collapsed(database: Database, compared: str, staged_files: str, options: RunOptions) -> str:
    """Store the spans among staged rows, ranked; returns a SELECT of their documents, to be ranked as rows are."""
    if options.collapse != "first" and not options.ranks_by_score:
        raise UsageError(f"--collapse {options.collapse} goes by scores, and these go by their ranks; first does too")
    rule, inputs = options.tie_rule, {"compared_rows": compared, "staged": _STAGED_IN_ORDER}
    spans = database.query("ranked_spans", inputs, tie_rule=rule, unit=(options.meta or {})["unit"])
    database.insert("retrieved_spans", f"select * from (\n{spans}\n) order by run_id, topic_id, rank")
    stored = f"select * from retrieved_spans where run_id in (select owner_id from ({staged_files}))"
    how = {"collapse": options.collapse, "tie_rule": rule, "lower_is_better": options.lower_is_better}
    return database.query("collapsed_rows", {"ranked_spans": stored}, **how)
