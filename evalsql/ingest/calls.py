"""Runs that search several times for a topic: each call is ranked by itself, and the run's one ranking made of them.

Meanwhile each call of each run has the key of a ranking of its own, which the temporary table ``numbered_calls`` says.
"""

from __future__ import annotations

from evalsql.catalog.ddl import relation_query
from evalsql.database.database import Database
from evalsql.errors import UsageError
from evalsql.ingest.load_options import RunOptions

OF_CALLS = "select list_id from numbered_calls as calls where calls.run_id = runs.run_id"


def rows_by_call(database: Database, compared_rows: str, options: RunOptions) -> str:
    """A SELECT of staged rows, those of each call under the key of a ranking of its own."""
    if options.one_alignment:
        raise UsageError("a table of E-values is one search for each topic; leave out --call, in Python call=")
    database.execute(f"create or replace temp table called_rows as\n{compared_rows}")
    rows = {"compared_rows": "select * from temp.called_rows"}
    calls = relation_query(database.catalog, "numbered_calls", rows)
    database.execute(f"create or replace temp table numbered_calls as\n{calls}")
    return relation_query(database.catalog, "rows_by_call", rows)


def store_calls(database: Database, ranked: str, run_ids: str) -> str:
    """Keep the ranked rows of calls; returns a SELECT of the one ranking of each run that is made of them."""
    database.insert("call_ranks", relation_query(database.catalog, "new_call_ranks", {"ranked": ranked}))
    database.execute("drop table temp.called_rows; drop table temp.numbered_calls")
    new = {"new_runs": f"select run_id from runs where run_id in ({run_ids})"}
    windows = relation_query(database.catalog, "whole_sessions", new)
    return relation_query(database.catalog, "united_calls", {"call_windows": windows}, united_by="first")
