"""Loads what was judged of answers: the nuggets that they hold, and whether what they cite supports them."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

from evalsql.catalog.measure_names import literal
from evalsql.database.database import Database
from evalsql.database.names import only_qrels, replaced_qrels
from evalsql.errors import InputError, ProblemList, UsageError
from evalsql.ingest.base_rows import IN_MEMORY, OF_ANSWERS, add_file_rows, add_rows, check_free, file_row
from evalsql.ingest.column_meanings import MEANINGS, all_meanings
from evalsql.ingest.files.input_files import open_sources, paths_in, stem
from evalsql.ingest.files.table import Table
from evalsql.ingest.files.tables import Tables
from evalsql.ingest.load_options import NUGGETS, Meta
from evalsql.ingest.loader import checked_name

_STAGED = "select * from staged_answers"


class LoadedAnswers(NamedTuple):
    qrels: str
    runs: Sequence[str]
    num_answers: int
    num_rows: int


def load_answers(
    database: Database,
    kind: str,
    source: Any,
    *,
    qrels: str | None = None,
    name: str | None = None,
    replace: bool = False,
    meta: Meta = None,
    columns: Mapping[str, str] | None = None,
) -> LoadedAnswers:
    """Load what was judged of the answers of runs.

    Args:
        kind: assignments, of each nugget of each topic that a run answers; or citations, of its sentences.
        source: files or globs, of nuggetizer's JSON lines or tables; or rows as dicts, or a frame.
        qrels: the set of nuggets, where there are several.
        name: of the run, by default what the rows say, or the file's stem.

    Raises:
        InputError: every row that cannot be taken, and every nugget without an assignment; nothing was loaded.
        UsageError: judgments that are not nuggets, or runs of which the same is there already.
    """
    judged, qrels_id = _nugget_set(database, qrels)
    query = partial(database.query, qrels_id=qrels_id)
    known = f"select distinct run, 'unknown' as tie_rule, false as lower_is_better from ({_STAGED})"
    inputs = {"staged": _STAGED, "named_nuggets": query("named_nuggets"), "staged_runs": known}
    inputs |= {"row_faults": query(f"{kind[:-1]}_faults")}
    problems = ProblemList()
    with _staged(database, kind, source, name, columns, problems) as tables:
        for at, table in enumerate(tables):
            faults = f"select line, reason from ({query('answer_faults', inputs)}) where file_id = {at}"
            problems.extend(table.faults(faults))
        problems.check()
        origins = [table.source if table.form.name else IN_MEMORY for table in tables]
        sizes = f"select file_id, run_id, count(*) from ({_STAGED}) join runs using (run) group by all order by all"
        with database.transaction():
            held = query("held_answers", inputs | {"held": f"from {OF_ANSWERS[kind]}"})
            _make_room(database, kind, held, qrels_id, replace)
            new_runs, rows = database.table(database.query("new_scored_runs", inputs))
            add_rows(database, "runs", new_runs, rows, meta or {})
            database.insert(OF_ANSWERS[kind], query(f"new_{kind}", inputs))
            files = [(f"{kind}.{qrels_id}", run_id, origins[at], count) for at, run_id, count in database.rows(sizes)]
            add_file_rows(database, *(file_row(*each) for each in files))
        totals = "list(distinct run order by run), count(distinct (run, topic)), count(*)"
        ((runs, num_answers, num_rows),) = database.rows(f"select {totals} from ({_STAGED})")
    return LoadedAnswers(judged, runs, num_answers, num_rows)


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
    database: Database, kind: str, source: Any, name: str | None, given: Mapping[str, str] | None, problems: ProblemList
) -> Iterator[list[Table]]:
    """Have the rows of files, or of memory, in the table ``staged_answers``; its ``file_id`` counts the tables."""
    types = dict.fromkeys(all_meanings(kind), "varchar")
    database.make_empty("staged_answers", {"file_id": "integer", "line": "bigint", **types})
    with Tables(database, kind, given, problems) as tables:
        if (paths := paths_in(source)) is not None:
            with open_sources(paths, problems, kind, given) as sources:
                tables.read(sources)
                for text in [each for each in sources if not each.form]:
                    needed = ", ".join(MEANINGS[kind][0])
                    problems.add(text.problem(0, f"{kind} are JSON lines, or a table whose header names {needed}"))
                problems.check()
                yield _insert(database, [tables.by_label[each.label] for each in sources], name)
        else:
            yield _insert(database, [tables.read_data(source, name or IN_MEMORY)], name)
    database.drop("staged_answers")


def _insert(database: Database, tables: list[Table], name: str | None) -> list[Table]:
    """Stage rows; a run is called as it is asked for, else as the rows say, else as the file."""
    for at, table in enumerate(tables):
        nameless = f"select count(run), min(row) filter (where run is null) from ({table.query})"
        ((num_named, row),) = database.rows(nameless)
        if name is None and num_named and row:
            raise InputError([table.problem(table.lines().get(row, row), "run is missing, and other rows name theirs")])
        run = f"coalesce(run, {literal(stem(table.source.label))})" if name is None else literal(checked_name(name))
        rows = f"select * exclude (row) replace ({run} as run), {at} as file_id, row as line from ({table.query})"
        database.insert("staged_answers", rows)
    return tables


def _make_room(database: Database, kind: str, held: str, qrels_id: int, replace: bool) -> None:
    taken = dict(database.rows(held))
    check_free(taken.values(), replace, f"{kind} of ")
    among = f"({', '.join(map(str, taken)) or 'null'})"
    database.execute(f"delete from {OF_ANSWERS[kind]} where qrels_id = {qrels_id} and run_id in {among}")
    database.execute(f"delete from files where kind = '{kind}.{qrels_id}' and id in {among}")
