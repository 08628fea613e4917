"""Loads a run that is in memory: a frame, nested dicts, rows, or what a SELECT gives."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from evalsql.errors import InputError, Problem, UsageError, warn
from evalsql.ingest import base_rows, column_meanings, ranking
from evalsql.ingest.base_rows import IN_MEMORY, FileRow, add_file_rows
from evalsql.ingest.column_meanings import Given
from evalsql.ingest.files.alignments import leave_out
from evalsql.ingest.frames import Query, check_rows, refuse_unlike, registered
from evalsql.ingest.python_rows import are_rows
from evalsql.ingest.ranking import NewRun
from evalsql.ingest.remarks import Remarks
from evalsql.ingest.run_options import RunOptions

if TYPE_CHECKING:
    from evalsql.database.database import Database


def load_run_data(
    database: Database,
    name: str,
    data: Any,
    options: RunOptions,
    qrels_ids: Collection[int],
    given: Given = None,
) -> None:
    """Load one run from rows in memory within the caller's transaction, and evaluate it with judgment sets.

    Args:
        data, given: as for ``stage_run_data``, whose errors are raised too.
        qrels_ids: keys of the judgment sets.

    Raises:
        InputError: a document is repeated for a topic, and the options do not keep the best.
    """
    database.execute(ranking.STAGED)
    num_rows, is_ranking, holds_evalues = stage_run_data(database, name, data, options.tie_rule, given)
    options = options.for_rows(is_ranking=is_ranking, holds_evalues=holds_evalues)
    run = NewRun(name, base_rows.next_id(database, "runs", "run_id"), [])
    told = leave_out(database, ranking.owners([run]), options)
    for line in told if options.tells_remarks else ():
        warn(f"{name}: {line}")
    repeated = ranking.rank(database, [run], options)
    if repeated and not options.keep_best:
        raise repeated_error(name, repeated)
    remarks = Remarks()
    ranking.store(database, [run], options, {name: qrels_ids}, with_repeated=bool(repeated), remarks=remarks)
    if options.tells_remarks:
        remarks.tell()
    database.execute("drop table staged_run_rows")
    origin = data.source if isinstance(data, Query) else IN_MEMORY
    add_file_rows(database, FileRow.in_memory("run", run.run_id, num_rows, origin))


class StagedRows(NamedTuple):
    """How many rows were staged, whether they are a ranking without scores, and whether their scores are E-values."""

    num_rows: int
    is_ranking: bool
    holds_evalues: bool


def stage_run_data(database: Database, name: str, data: Any, tie_rule: str, given: Given = None) -> StagedRows:
    """Put the rows of one run into the empty table ``staged_run_rows``; the score of a ranking is minus the rank.

    ``data`` is {topic: {document: score}}, {topic: [document, ...]}, a frame with columns for topic, document and
    score or rank, which ``given`` may name, or rows of these; rank is needed under that tie rule.

    Raises:
        InputError: rows with nulls, scores that are not finite, no rows at all; lines count rows from 1.
        UsageError: columns missing or of a type that does not name things.
    """
    with registered(database, data, "run", given) as (view, found):
        is_ranking = "score" not in found
        holds_evalues = column_meanings.holds_evalues({"score": found.get("score", "").strip('"')})
        _stage(database, name, data, tie_rule, view, found)
    unusable = "score is null or not isfinite(score)"
    if tie_rule == "rank":
        unusable += " or given_rank is null"
    num_rows = check_rows(database, name, "staged_run_rows", unusable, "score or rank is missing or not finite")
    return StagedRows(num_rows, is_ranking, holds_evalues)


def _stage(database: Database, name: str, data: Any, tie_rule: str, view: str, found: Mapping[str, str]) -> None:
    rank = "null"
    if tie_rule == "rank" or "score" not in found:
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


def repeated_error(name: str, repeated: Iterable[tuple[int, str, str]]) -> InputError:
    """The error that names documents which stand more than once, given by run_id, topic and document."""
    return InputError(
        Problem(name, 0, f"document {document} of topic {topic} stands more than once")
        for _, topic, document in sorted(repeated)
    )
