"""Loads a run that is in memory: a frame, nested dicts, rows, or what a SELECT gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from evalsql.errors import InputError, Problem, UsageError, warn
from evalsql.ingest import column_meanings, ranking
from evalsql.ingest.base_rows import IN_MEMORY, FileRow, add_file_rows
from evalsql.ingest.files.alignments import leave_out
from evalsql.ingest.frames import Query, check_rows, refuse_unlike, registered
from evalsql.ingest.python_rows import are_rows
from evalsql.ingest.ranking import NewRun
from evalsql.ingest.remarks import Remarks
from evalsql.ingest.run_options import RunOptions

if TYPE_CHECKING:
    from evalsql.database.database import Database


def load_run_data(database: Database, run: NewRun, data: Any, options: RunOptions) -> None:
    """Load one run from rows in memory within the caller's transaction.

    Raises:
        InputError: as ``stage_run_data``; or a document is repeated for a topic, and the options do not keep the best.
    """
    database.execute(ranking.STAGED)
    staged = stage_run_data(database, run.name, data, options)
    options = options.for_rows(is_ranking=staged.is_ranking, holds_evalues=staged.holds_evalues)
    for line in leave_out(database, ranking.owners([run]), options):
        if options.warns:
            warn(f"{run.name}: {line}")
    repeated = ranking.rank(database, [run], options)
    if repeated and not options.keep_best:
        raise repeated_error(run.name, repeated)
    remarks = Remarks()
    ranking.store(database, [run], options, remarks)
    if options.warns:
        remarks.warn()
    database.execute("drop table staged_run_rows")
    origin = data.source if isinstance(data, Query) else IN_MEMORY
    add_file_rows(database, FileRow.of("run", run.run_id, origin, staged.num_rows))


class StagedRows(NamedTuple):
    """How many rows were staged, whether they are a ranking without scores, and whether their scores are E-values."""

    num_rows: int
    is_ranking: bool
    holds_evalues: bool


def stage_run_data(database: Database, name: str, data: Any, options: RunOptions) -> StagedRows:
    """Put the rows of one run into the empty table ``staged_run_rows``; the score of a ranking is minus the rank.

    ``data`` is {topic: {document: score}}, {topic: [document, ...]}, a frame with columns for topic, document and
    score or rank, or rows of these; rank is needed under that tie rule.

    Raises:
        InputError: rows with nulls, scores that are not finite, no rows at all; lines count rows from 1.
        UsageError: columns missing or of a type that does not name things.
    """
    rank_is_used = options.tie_rule == "rank"
    with registered(database, data, "run", options.columns) as (view, found):
        rank = "null"
        if rank_is_used or "score" not in found:
            if "rank" not in found:
                raise UsageError(f"{name}: the tie rule goes by rank, and there is no column rank")
            rank = found["rank"]
            refuse_unlike(database, name, view, rank, "rank", whole=True)
        score = found.get("score", f"-cast({rank} as double)")
        if "score" in found and (are_rows(data) or not isinstance(data, Mapping)):  # nested dicts give numbers
            refuse_unlike(database, name, view, score, "score")
        database.execute(f"""
            insert into staged_run_rows
            select
                0, cast({found["topic"]} as varchar), cast({found["document"]} as varchar),
                cast({rank} as integer), cast({score} as double), false
            from {view}
        """)
    unusable = "score is null or not isfinite(score)" + (" or given_rank is null" if rank_is_used else "")
    num_rows = check_rows(database, name, "staged_run_rows", unusable, "score or rank is missing or not finite")
    holds_evalues = column_meanings.holds_evalues({"score": found.get("score", "").strip('"')})
    return StagedRows(num_rows, "score" not in found, holds_evalues)


def repeated_error(name: str, repeated: Iterable[tuple[int, str, str]]) -> InputError:
    """The error that names repeated documents, given by run_id, topic and document."""
    return InputError(
        Problem(name, 0, f"document {document} of topic {topic} stands more than once")
        for _, topic, document in sorted(repeated)
    )
