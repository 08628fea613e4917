"""Spans of documents, judged or retrieved: which columns and rows are some, and what makes documents of them."""

from evalsql.database.database import Database
from evalsql.errors import InputError, UsageError
from evalsql.ingest.column_meanings import ENDS
from evalsql.ingest.files.source import Source
from evalsql.ingest.files.table import Table
from evalsql.ingest.load_options import UNITS, JudgmentOptions, RunOptions

STAGED = {"span_start": "integer", "span_end": "integer"}  # columns of staged rows of runs
FROM_TABLE = ', start as span_start, "end" as span_end'


def check_run(source: Source, table: Table | None, options: RunOptions) -> None:
    """Raise InputError for spans of which nothing says how they rank documents, and where some are said but missing."""
    if table and set(ENDS) <= table.columns.keys():
        if options.collapse is None:
            reason = (
                "each result has a start and an end, as pieces of documents have; --collapse max, first or sum, in "
                "Python collapse=, says how they rank their documents, and none leaves start and end out"
            )
            raise InputError([table.problem(0, reason)])
        if options.holds_spans:
            check_rows(table, options)
    elif options.holds_spans:
        reason = "--collapse is for results with a start and an end; columns of these names, or --columns, have them"
        raise source.error(reason)


def check_rows(table: Table, options: RunOptions | JudgmentOptions) -> None:
    """Raise InputError for rows that are no spans, and for columns whose names count another unit than characters."""
    names = [(table.form.columns or table.columns)[each] for each in ENDS]
    other = next((each for each in UNITS[1:] if each[:-1] in " ".join(names).lower()), None)
    if other and options.unit is None:
        says = f"--unit {other}, in Python unit=, says so, and --unit {UNITS[0]} that they do not"
        raise InputError([table.problem(0, f"{names[0]} and {names[1]} count {other} by their names; {says}")])
    is_judged = isinstance(options, JudgmentOptions)
    grade = "grade" if is_judged and "grade" in table.columns else "1"
    rows = {"rows": f'select row, topic, document, start, "end", {grade} as grade from ({table.query})'}
    unit = (options.meta or {})["unit"]
    faults = table.faults(table.database.query("span_faults", rows, unit=unit, is_judged=is_judged))
    if found := [*faults]:
        raise InputError(found)


def collapsed(database: Database, compared: str, staged: str, staged_files: str, options: RunOptions) -> str:
    """Store the spans among staged rows, ranked; returns a SELECT of their documents, to be ranked as rows are."""
    if options.collapse != "first" and not options.ranks_by_score:
        raise UsageError(f"--collapse {options.collapse} goes by scores, and these go by their ranks; first does too")
    rule, inputs = options.tie_rule, {"compared_rows": compared, "staged": staged}
    spans = database.query("ranked_spans", inputs, tie_rule=rule, unit=(options.meta or {})["unit"])
    database.insert("retrieved_spans", f"select * from (\n{spans}\n) order by run_id, topic_id, rank")
    stored = f"select * from retrieved_spans where run_id in (select owner_id from ({staged_files}))"
    how = {"collapse": options.collapse, "tie_rule": rule, "lower_is_better": options.lower_is_better}
    return database.query("collapsed_rows", {"ranked_spans": stored}, **how)
