"""Loads which nuggets the answers of runs hold, as nuggetizer's assignments or tables say it: all or nothing."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from evalsql.catalog.ddl import relation_query
from evalsql.catalog.measure_names import literal
from evalsql.database.database import Database
from evalsql.database.names import only_qrels, replaced_qrels
from evalsql.errors import USE_REPLACE, ProblemList, UsageError
from evalsql.ingest.base_rows import IN_MEMORY, add_file_rows, add_rows, file_row
from evalsql.ingest.files.input_files import open_sources, stem
from evalsql.ingest.files.tables import Table, Tables
from evalsql.ingest.load_options import NUGGETS, Meta
from evalsql.ingest.loader import checked_name
from evalsql.phrases import shortened

_KIND = "assignments"
_STAGED = "select * from staged_assignments"
_COLUMNS = "file_id integer, line bigint, run varchar, topic varchar, nugget varchar, assignment varchar"


class LoadedAnswers(NamedTuple):
    qrels: str
    runs: Sequence[str]
    num_answers: int
    num_assignments: int


def load_assignments(
    database: Database,
    source: Any,
    *,
    qrels: str | None = None,
    name: str | None = None,
    replace: bool = False,
    meta: Meta = None,
    columns: Mapping[str, str] | None = None,
) -> LoadedAnswers:
    """Load assignments of nuggets to answers: of each topic that a run answers, of each nugget.

    Args:
        source: files or globs, of nuggetizer's JSON lines or tables; or rows as dicts, or a frame.
        qrels: the set of nuggets, where there are several.
        name: of the run, by default what the rows say, or the file's stem.

    Raises:
        InputError: every assignment that cannot be taken, and every nugget that has none; nothing was loaded.
        UsageError: judgments that are not nuggets, or runs whose assignments or stored scores are there.
    """
    judged, qrels_id = _nugget_set(database, qrels)
    query = partial(relation_query, database.catalog, qrels_id=qrels_id)
    inputs, problems = {"staged": _STAGED, "named_nuggets": query("named_nuggets")}, ProblemList()
    with _staged(database, source, name, columns, problems) as tables:
        lines = [table.lines() for table in tables]
        for number, line, reason in database.rows(f"{query('assignment_faults', inputs)}\norder by all"):
            problems.add(tables[number].problem(lines[number].get(line, line), reason))
        problems.check()
        origins = [table.source if table.form.name else IN_MEMORY for table in tables]
        counted = f"select file_id, run_id, count(*) from ({_STAGED}) join runs using (run) group by all order by all"
        known = f"select distinct run, 'unknown' as tie_rule, false as lower_is_better from ({_STAGED})"
        staged = {"staged": _STAGED, "staged_runs": known}
        with database.transaction():
            _make_room(database, query("held_assignments", staged), qrels_id, replace=replace)
            names, rows = database.table(relation_query(database.catalog, "new_scored_runs", staged))
            add_rows(database, "runs", names, rows, meta or {})
            database.insert("nugget_assignments", query("new_assignments", inputs))
            sizes = database.rows(counted)
            kind = f"{_KIND}.{qrels_id}"
            add_file_rows(database, *(file_row(kind, run_id, origins[at], count) for at, run_id, count in sizes))
        totals = "list(distinct run order by run), count(distinct (run, topic)), count(*)"
        ((runs, num_answers, num_assignments),) = database.rows(f"select {totals} from ({_STAGED})")
    return LoadedAnswers(judged, runs, num_answers, num_assignments)


def _nugget_set(database: Database, qrels: str | None) -> tuple[str, int]:
    """Name and key of the judgment set that is meant, by default the only one in use that holds nuggets."""
    held = dict(database.rows(f"select qrels, qrels_id from qrels where form = {literal(NUGGETS)}"))
    in_use = sorted(held.keys() - replaced_qrels(database))
    several = "there are several sets of nuggets, say to which the answers are assigned (--qrels)"
    name = only_qrels(database, qrels, several, in_use or ["the warehouse"])
    if name not in held:
        how = "evalsql load qrels FILE --form nuggets brings some"
        raise UsageError(f"answers are assigned to nuggets, and {name} holds none; {how}")
    return name, held[name]


@contextmanager
def _staged(
    database: Database, source: Any, name: str | None, columns: Mapping[str, str] | None, problems: ProblemList
) -> Iterator[list[Table]]:
    """Have the assignments of files, or of rows in memory, in a temporary table; its ``file_id`` counts the tables."""
    database.execute(f"create or replace temp table staged_assignments ({_COLUMNS}, importance varchar)")
    listed = [source] if isinstance(source, str | Path) else source
    is_files = isinstance(listed, list | tuple) and all(isinstance(each, str | Path) for each in listed)
    with Tables(database, _KIND, columns, problems) as tables:
        if is_files:
            with open_sources(listed, problems, _KIND, columns) as sources:
                tables.read(sources)
                for text in [each for each in sources if not each.form]:
                    reason = "assignments are JSON lines, or a table whose header names topic, nugget and assignment"
                    problems.add(text.problem(0, reason))
                problems.check()
                yield _insert(database, [tables.by_label[each.label] for each in sources], name)
        else:
            yield _insert(database, [tables.read_data(source, name or IN_MEMORY)], name)
    database.execute("drop table staged_assignments")


def _insert(database: Database, tables: list[Table], name: str | None) -> list[Table]:
    """Stage rows; a run is called as it is asked for, else as the rows say, else as the file."""
    for at, table in enumerate(tables):
        run = f"coalesce(run, {literal(stem(table.source.label))})" if name is None else literal(checked_name(name))
        rows = f"select {at} as file_id, row as line, {run} as run, topic, nugget, assignment, importance"
        database.insert("staged_assignments", f"{rows} from ({table.query})")
    return tables


def _make_room(database: Database, held: str, qrels_id: int, *, replace: bool) -> None:
    """Delete assignments that are to be replaced; raises UsageError where they are not."""
    taken = dict(database.rows(held))
    if taken and not replace:
        raise UsageError(f"already loaded: assignments of {shortened([*taken.values()])}; {USE_REPLACE}")
    among = f"({', '.join(map(str, taken)) or 'null'})"
    database.execute(f"delete from nugget_assignments where qrels_id = {qrels_id} and run_id in {among}")
    database.execute(f"delete from files where kind = '{_KIND}.{qrels_id}' and id in {among}")
