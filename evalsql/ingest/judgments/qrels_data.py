"""Loads judgments that are in memory: a frame, nested dicts, or rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalsql.errors import InputError, Problem
from evalsql.ingest.columns import Given
from evalsql.ingest.file_rows import FileRow, add_file_rows
from evalsql.ingest.files.trec_lines import Notes
from evalsql.ingest.frames import check_rows, refuse_unlike, registered
from evalsql.ingest.judgments import preferences, qrels
from evalsql.ingest.judgments.qrels import QrelsOptions
from evalsql.ingest.problems import ProblemList

if TYPE_CHECKING:
    from evalsql.database.database import Database


def load_qrels_data(database: Database, name: str, data: Any, options: QrelsOptions, given: Given = None) -> int:
    """Load judgments in memory within the caller's transaction; returns the qrels_id.

    ``data`` is {topic: {document: grade}}, or a frame with columns for topic, document and grade, and iteration if
    there is one; for preferences with columns for topic, group, document and level, and subgroup if there is one.
    Raises as ``load_run_data``; a grade must be a whole number.
    """
    qrels.create_staged(database, options)
    if options.form == "preferences":
        num_rows, duplicates = _stage_preferences(database, name, data, given), 0
    else:
        num_rows, duplicates = _stage_grades(database, name, data, options, given)
    return store_staged_data(database, name, options, num_rows, duplicates)


def store_staged_data(database: Database, name: str, options: QrelsOptions, num_rows: int, duplicates: int = 0) -> int:
    """Put staged judgments that came from memory into the base tables; returns the qrels_id."""
    qrels_id = qrels.store(database, name, options, Notes(), duplicates)
    add_file_rows(database, FileRow.in_memory("qrels", qrels_id, num_rows))
    return qrels_id


def _stage_grades(database: Database, name: str, data: Any, options: QrelsOptions, given: Given) -> tuple[int, int]:
    """Stage grades; returns the number of rows there were, and of those left out as repeated."""
    with registered(database, data, options.form, given) as (view, found):
        refuse_unlike(database, name, view, found["grade"], "grade", whole=True)
        iteration = f"coalesce(cast({found['iteration']} as varchar), '0')" if "iteration" in found else "'0'"
        database.execute(f"""
            insert into staged_qrels_rows
            select
                cast({found["topic"]} as varchar), {iteration},
                cast({found["document"]} as varchar), cast({found["grade"]} as integer)
            from {view}
        """)
    num_rows = check_rows(database, name, "staged_qrels_rows", "grade is null", "grade is missing")
    best = qrels.best_judgments(database, options)
    repeated = database.rows(f"select topic, document from ({best}) where times > 1 order by topic, document")
    if repeated and not options.keep_best:
        hint = "; form='groups' lets each iteration, a group or subtopic, judge it once"
        more = hint if options.form == "grades" and "iteration" in found else ""
        raise InputError(
            Problem(name, 0, f"document {document} of topic {topic} is judged more than once{more}")
            for topic, document in repeated
        )
    return num_rows, num_rows - qrels.keep_best(database, options) if repeated else 0


def _stage_preferences(database: Database, name: str, data: Any, given: Given) -> int:
    """Stage preferences; returns the number of rows."""
    with registered(database, data, "preferences", given) as (view, found):
        refuse_unlike(database, name, view, found["level"], "level")
        subgroup = f"coalesce(cast({found['subgroup']} as varchar), '0')" if "subgroup" in found else "'0'"
        database.execute(f"""
            insert into staged_qrels_rows
            select
                cast({found["topic"]} as varchar), coalesce(cast({found["group"]} as varchar), '0'), {subgroup},
                cast({found["document"]} as varchar), cast({found["level"]} as double)
            from {view}
        """)
    unusable = "level is null or not isfinite(level)"
    num_rows = check_rows(database, name, "staged_qrels_rows", unusable, "level is missing or not finite")
    problems = ProblemList()
    preferences.check(enumerate(database.rows("from staged_qrels_rows order by rowid"), start=1), name, problems)
    problems.check()
    return num_rows
