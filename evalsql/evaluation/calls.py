"""Calls in the place of runs: each of their rankings is evaluated like a run of its own.

While they are, temporary views hide the tables of rankings, so that all that is asked of runs is asked of calls. A run
that is named then stands for its rankings.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from evalsql.catalog.measure_names import quoted
from evalsql.database.database import Database
from evalsql.database.names import Names, resolve_names
from evalsql.errors import UsageError
from evalsql.evaluation.evaluation import temporary_tables

Calls = Literal["union", "best", "first", "last", "each", "cumulative"]
# By the tables of rankings, and of what else is of runs, the relations that give them those made of calls.
_SHOWN = {
    "runs": "listed_facts",
    "retrieved": "listed_rows",
    "run_topics": "listed_topics",
    "evaluations": "listed_evaluations",
    "judged_ranks": "listed_ranks",
    "costs": "listed_costs",
    "files": "listed_files",
}
_STANDING = "select run, list from temp.listed_runs join {file}.runs using (run_id) order by list_id"


@contextmanager
def calls_shown(database: Database, calls: Calls, runs: Names = ()) -> Iterator[None]:
    """Have rankings made of calls in the place of runs, those without calls as they are; raises UsageError for none.

    ``union`` is what runs are anyway; best has each document at its best rank in any call.
    """
    if calls == "union":
        yield
        return
    names = resolve_names(database, "run", runs or ["*"])
    chosen = f"select run_id from runs where run_id in ({', '.join(map(str, names.ids))})"
    if not database.rows(f"select 1 from call_ranks where run_id in ({chosen}) limit 1"):
        raise UsageError("none of these runs has calls; load runs --call COLUMN loads a run with its calls")
    pairs = "select distinct qrels_id, run_id from temp.listed_evaluations"
    united = database.query("united_calls", united_by="best" if calls == "best" else "first")
    tables = {
        "listed_runs": database.query("listed_runs", {"chosen_runs": chosen}, calls=calls),
        "call_windows": database.query("call_windows", calls=calls),
        "listed_rows": database.query("unretained_rows", {"ranked": united}),
        **{name: database.query(name) for name in _SHOWN.values() if name not in ("listed_rows", "listed_ranks")},
    }
    given = {"new_pairs": pairs, "evaluations": "select * from temp.listed_evaluations"}
    given["retrieved"] = "select * from temp.listed_rows"
    ranks = database.query("judged_ranks_rows", given)
    with_ties = "rank - tied_above as first_rank, rank + tied_below as last_rank"
    tables["listed_ranks"] = f"select *, {with_ties} from (\n{ranks}\n)"
    file, others = f"{quoted(database.name)}.main", "select list_id from temp.listed_runs where not has_calls"
    of_runs = [table.name for table in database.catalog.of_kind("tables") if "run_id" in table.columns]
    keys = dict.fromkeys(of_runs, f"run_id in ({others})")
    keys["judged_ranks"] = f"evaluation_id in (select evaluation_id from {file}.evaluations where {keys['runs']})"
    keys["files"] = f"kind <> 'run' or id in ({others})"
    rest = {name: f"from {file}.{name} where {key}" for name, key in keys.items()}
    with temporary_tables(database, tables):
        try:
            for name, rows in rest.items():  # a ranking of calls has no spans, answers or stored scores
                made = f"from temp.{_SHOWN[name]} union all by name " if name in _SHOWN else ""
                database.execute(f"create temp view {name} as {made}{rows}")
            for run, ranking in database.rows(_STANDING.format(file=file)):
                database.rankings.setdefault(run, []).append(ranking)
            yield
        finally:
            database.rankings.clear()
            database.execute_all([f"drop view if exists temp.{name}" for name in rest])
