"""Staged rows of runs on their way into the base tables: keys for names, repeated documents, ranks."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evalsql.catalog.ddl import relation_query
from evalsql.errors import QueryError
from evalsql.ingest import base_rows
from evalsql.ingest.files.source import Source, Text
from evalsql.ingest.files.trec_text import Notes
from evalsql.version import __version__

if TYPE_CHECKING:
    from evalsql.database.database import Database
    from evalsql.ingest.files.raw_rows import Table
    from evalsql.ingest.remarks import Remarks
    from evalsql.ingest.run_options import RunOptions


STAGED_COLUMNS = "file_id integer, topic varchar, document varchar, given_rank integer, score double, doubtful boolean"
STAGED = f"create or replace temp table staged_run_rows ({STAGED_COLUMNS})"
# Files keep their order, whichever reader put them there.
_STAGED_IN_ORDER = "select *, (file_id::bigint << 40) + rowid as position from staged_run_rows"


def rank(database: Database, runs: Sequence[NewRun], options: RunOptions) -> set[tuple[int, str, str]]:
    """Rank the staged rows under the tie rule; returns run_id, topic and document of repeated documents.

    The ranked rows go into the base table if runs are kept whole, else into the temporary table ``all_ranks``.
    ``store`` takes them from there.
    """
    _add_runs(database, runs, options)
    base_rows.add_names(database, "select * from staged_run_rows")
    ranked = ranked_rows(database, owners(runs), options)
    if options.keeps_all:
        _retain(database, ranked)
        ranked = f"select * from retrieved where run_id in ({_listed(runs)})"
    else:
        database.execute(f"create or replace temp table all_ranks as\n{ranked}")
        ranked = "select * from all_ranks"
    _check_whole(database, ranked)
    repeated = relation_query(database.catalog, "repeated_documents", {"ranked": ranked})
    return set(
        database.rows(f"""
            select run_id, topic, document from ({repeated})
            join topics using (topic_id) join documents using (document_id)
        """)
    )


def ranked_rows(database: Database, staged_files: str, options: RunOptions) -> str:
    """A SELECT of the staged rows with keys and ranks; ``staged_files`` is one of file_id and owner_id."""
    inputs = {"staged": _STAGED_IN_ORDER, "staged_files": staged_files}
    compared = {
        "compared_rows": relation_query(
            database.catalog,
            "compared_rows",
            inputs,
            tie_rule=options.tie_rule,
            lower_is_better=options.lower_is_better,
        )
    }
    if options.ranks_by_score:
        return relation_query(database.catalog, "ranked_by_score", compared)
    return relation_query(database.catalog, "ranked_as_given", compared, tie_rule=options.tie_rule)


def store(
    database: Database,
    runs: Sequence[NewRun],
    options: RunOptions,
    qrels_ids: Mapping[str, Collection[int]],
    *,
    with_repeated: bool,
    remarks: Remarks,
) -> None:
    """Put the ranked rows that are to be kept into the base tables, and evaluate them.

    Args:
        qrels_ids: keys of the judgment sets to evaluate each run with, by its name.
        with_repeated: whether documents are repeated; their number is kept with the run.
        remarks: collects what may mislead in the rows.
    """
    ranked = f"select * from retrieved where run_id in ({_listed(runs)})"
    if not options.keeps_all:
        ranked = "select * from all_ranks"
        if with_repeated:
            _count_duplicates(database, runs)
        _cut(database, options)
        if options.keeps_unjudged:
            _retain(database, ranked)
    if options.tie_rule == "trec_eval":
        remarks.note_ties(database, ranked)
    inputs = {"ranked": ranked, "staged_files": owners(runs)}
    database.insert("run_topics", relation_query(database.catalog, "new_run_topics", inputs))
    pairs = sorted((qrels_id, run.run_id) for run in runs for qrels_id in qrels_ids[run.name])
    if options.keeps_unjudged:
        base_rows.add_evaluations(database, pairs)
    else:
        judged = relation_query(database.catalog, "judged_or_tied", {"ranked": ranked})
        database.execute(f"create or replace temp table judged_or_tied as\n{judged}")
        base_rows.add_evaluations(database, pairs, "select * from judged_or_tied")
        database.execute("drop table judged_or_tied")
    remarks.note_overlaps(database, pairs, ranked)
    database.execute("drop table if exists all_ranks")
    base_rows.forget_names(database)


def _cut(database: Database, options: RunOptions) -> None:
    """Delete what the options leave out from the table ``all_ranks``."""
    if options.keep_best or options.depth or options.judged_by:
        judged_by = dict(database.rows("select qrels, qrels_id from qrels")).get(options.judged_by)
        ranked = {"ranked": "select * from all_ranks"}
        kept = relation_query(database.catalog, "kept_ranks", ranked, depth=options.depth, judged_by=judged_by)
        database.execute(f"create or replace temp table all_ranks as\n{kept}")


def _count_duplicates(database: Database, runs: Sequence[NewRun]) -> None:
    database.execute(f"""
        update runs set duplicates = (
            select count(*) - count(distinct (topic_id, document_id))
            from all_ranks where all_ranks.run_id = runs.run_id
        )
        where run_id in ({_listed(runs)})
    """)


def _retain(database: Database, ranked: str) -> None:
    """Store rows in the order in which they are read: run by run, topic by topic, from the first rank on."""
    database.insert("retrieved", f"select * from (\n{ranked}\n) order by run_id, topic_id, rank")


def _check_whole(database: Database, ranked: str) -> None:
    ((staged, kept),) = database.rows(f"select (select count(*) from staged_run_rows), count(*) from ({ranked})")
    if staged != kept:
        raise QueryError(f"{staged} rows were read and {kept} ranked")


def _listed(runs: Sequence[NewRun]) -> str:
    return ", ".join(str(run.run_id) for run in runs)


def owners(runs: Sequence[NewRun]) -> str:
    """A SELECT of file_id and owner_id: the runs that staged files belong to."""
    owners = ", ".join(f"({file_id}, {run.run_id})" for run in runs for file_id in run.file_ids)
    return f"select * from (values {owners}) as files(file_id, owner_id)"


def _add_runs(database: Database, runs: Sequence[NewRun], options: RunOptions) -> None:
    notes, meta = [run.notes for run in runs], options.meta or {}
    database.execute(
        """
        insert into runs (
            run_id, run, tag, num_tags, comments,
            tie_rule, lower_is_better, duplicates, depth, judged_by, meta, loaded_at, evalsql_version
        )
        select
            unnest(?::integer[]), unnest(?::varchar[]), unnest(?::varchar[]),
            unnest(?::integer[]), unnest(?::varchar[]),
            ?, ?, 0, ?, ?, map(?::varchar[], ?::varchar[]), current_timestamp at time zone 'UTC', ?
        """,
        (
            *([run.run_id for run in runs], [run.name for run in runs], [note.last_tag for note in notes]),
            *([run.num_tags for run in runs], ["\n".join(note.comments) for note in notes]),
            *(options.tie_rule, options.lower_is_better, options.depth, options.judged_by),
            *(list(meta), list(meta.values()), __version__),
        ),
    )


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
