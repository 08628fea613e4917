"""Runs and judgments that are already in memory: pandas, polars, Arrow, DuckDB relations and nested dicts."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain, repeat
from numbers import Number
from typing import TYPE_CHECKING, Any, NamedTuple

from evalsql.catalog.ddl import relation_query
from evalsql.catalog.names import quoted
from evalsql.errors import InputError, InputWarning, Problem, QueryError, UsageError
from evalsql.ingest import keys, ranking, rows
from evalsql.ingest.files import columns
from evalsql.ingest.files.alignments import leave_out
from evalsql.ingest.files.columns import Given
from evalsql.ingest.files.lines import Notes
from evalsql.ingest.judgments import preferences, qrels
from evalsql.ingest.judgments.qrels import QrelsOptions
from evalsql.ingest.keys import ProblemList
from evalsql.ingest.new_runs import NewRun
from evalsql.ingest.remarks import Remarks
from evalsql.ingest.run_options import RunOptions

if TYPE_CHECKING:
    from evalsql.database.database import Database

_TEXT_TYPES = ("VARCHAR", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
_VIEW = "incoming_frame"
_LISTS = "incoming_lists"
_MANY = 20_000  # rows for which numpy is worth its import
_MEMORY = "in memory"


class Query(NamedTuple):
    """Rows that a SELECT gives, and the word for where they come from that is kept in the place of a file's name."""

    sql: str
    source: str


def load_run_data(
    database: Database,
    name: str,
    data: Any,
    options: RunOptions,
    qrels_ids: Collection[int],
    given: Given = None,
) -> None:
    """Load one run of rows in memory within the caller's transaction, and evaluate it with judgment sets.

    ``data`` and errors are those of ``stage_run_data``; InputError also for repeated documents.
    """
    database.execute(ranking.STAGED)
    num_rows, is_ranking, holds_evalues = stage_run_data(database, name, data, options.tie_rule, given)
    if holds_evalues:
        options = options.for_evalues()
    if is_ranking and options.tie_rule != "input":
        options = options._replace(tie_rule="rank")
    run = NewRun(name, keys.next_id(database, "runs", "run_id"), [])
    without_self = holds_evalues if options.without_self is None else options.without_self
    if holds_evalues or without_self:
        lower = options.lower_is_better
        told = leave_out(
            database, ranking.owners([run]), only_best=holds_evalues, without_self=without_self, lower_is_better=lower
        )
        for line in told if options.tells_remarks else ():
            warnings.warn(f"{name}: {line}", InputWarning, stacklevel=4)
    repeated = ranking.rank(database, [run], options)
    if repeated and not options.keep_best:
        raise repeated_error(name, repeated)
    remarks = Remarks()
    ranking.store(database, [run], options, {name: qrels_ids}, with_repeated=bool(repeated), remarks=remarks)
    if options.tells_remarks:
        remarks.tell()
    database.execute("drop table staged_run_rows")
    source = data.source if isinstance(data, Query) else _MEMORY
    keys.add_file_row(database, ("run", run.run_id, source, None, None, num_rows))


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
        holds_evalues = columns.holds_evalues({"score": found.get("score", "").strip('"')})
        _stage(database, name, data, tie_rule, view, found)
    unusable = "score is null or not isfinite(score)"
    if tie_rule == "rank":
        unusable += " or given_rank is null"
    num_rows = _checked(database, name, "staged_run_rows", unusable, "score or rank is missing or not finite")
    return StagedRows(num_rows, is_ranking, holds_evalues)


def _stage(database: Database, name: str, data: Any, tie_rule: str, view: str, found: Mapping[str, str]) -> None:
    rank = "null"
    if tie_rule == "rank" or "score" not in found:
        if "rank" not in found:
            raise UsageError(f"{name}: the tie rule goes by rank, and there is no column rank")
        rank = found["rank"]
        _refuse_unlike(database, name, view, rank, "rank", whole=True)
    score = found.get("score", f"-cast({rank} as double)")
    if "score" in found and not isinstance(data, Mapping):
        _refuse_unlike(database, name, view, score, "score")
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
    keys.add_file_row(database, ("qrels", qrels_id, _MEMORY, None, None, num_rows))
    return qrels_id


def _stage_grades(database: Database, name: str, data: Any, options: QrelsOptions, given: Given) -> tuple[int, int]:
    """Stage grades; returns the number of rows there were, and of those left out as repeated."""
    with registered(database, data, options.form, given) as (view, found):
        _refuse_unlike(database, name, view, found["grade"], "grade", whole=True)
        iteration = f"coalesce(cast({found['iteration']} as varchar), '0')" if "iteration" in found else "'0'"
        database.execute(f"""
            insert into staged_qrels_rows
            select
                cast({found["topic"]} as varchar), {iteration},
                cast({found["document"]} as varchar), cast({found["grade"]} as integer)
            from {view}
        """)
    num_rows = _checked(database, name, "staged_qrels_rows", "grade is null", "grade is missing")
    staged = {"staged": "select * from staged_qrels_rows"}
    best = relation_query(database.catalog, "best_judgments", staged, in_groups=options.form == "groups")
    repeated = database.rows(f"select topic, document from ({best}) where times > 1 order by topic, document")
    if repeated and not options.keep_best:
        hint = "; form='groups' lets each iteration, a group or subtopic, judge it once"
        more = hint if options.form == "grades" and "iteration" in found else ""
        raise InputError(
            Problem(name, 0, f"document {document} of topic {topic} is judged more than once{more}")
            for topic, document in repeated
        )
    if repeated:
        database.execute(f"create or replace temp table staged_qrels_rows as select * exclude (times) from ({best})")
    ((num_kept,),) = database.rows("select count(*) from staged_qrels_rows")
    return num_rows, num_rows - num_kept


def _stage_preferences(database: Database, name: str, data: Any, given: Given) -> int:
    """Stage preferences; returns the number of rows."""
    with registered(database, data, "preferences", given) as (view, found):
        _refuse_unlike(database, name, view, found["level"], "level")
        subgroup = f"coalesce(cast({found['subgroup']} as varchar), '0')" if "subgroup" in found else "'0'"
        database.execute(f"""
            insert into staged_qrels_rows
            select
                cast({found["topic"]} as varchar), coalesce(cast({found["group"]} as varchar), '0'), {subgroup},
                cast({found["document"]} as varchar), cast({found["level"]} as double)
            from {view}
        """)
    unusable = "level is null or not isfinite(level)"
    num_rows = _checked(database, name, "staged_qrels_rows", unusable, "level is missing or not finite")
    problems = ProblemList()
    preferences.check(enumerate(database.rows("from staged_qrels_rows order by rowid"), start=1), name, problems)
    problems.check()
    return num_rows


@contextmanager
def registered(database: Database, data: Any, kind: str, given: Given) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Have ``data`` under a name that SQL reads; gives it, and the column for each meaning that has one, quoted."""
    try:
        if isinstance(data, Query):
            database.execute(f"create or replace temp table {_LISTS} as {data.sql}")
            yield _LISTS, _columns(database, _LISTS, kind, given)
            return
        if rows.are_rows(data):
            columns.check_given(given, kind)
            yield _LISTS, _put_rows(database, data, kind, given)
            return
        if isinstance(data, Mapping) and kind in ("pairs", "families"):
            raise UsageError(
                f"{kind} are rows of {' and '.join(columns.MEANINGS[kind][0])}, or {{topic: [document, ...]}}"
            )
        value = columns.MEANINGS[kind][0][-1]
        view = (
            _register_nested(database, data, value)
            if isinstance(data, Mapping)
            else _register(database, data, kind, given)
        )
        yield view, _columns(database, view, kind, given)
    finally:
        database.unregister(_VIEW)
        with suppress(QueryError):  # a failed statement has ended the transaction, and all it made with it
            database.execute(f"drop table if exists {_LISTS}")


def _put_rows(database: Database, data: Any, kind: str, given: Given) -> dict[str, str]:
    """Rows of Python as a table of text and numbers; returns its columns by meaning, quoted."""
    data = list(data) if isinstance(data, Iterator) else data
    values = rows.columns_of(data, kind, given)
    named = {meaning: meaning for meaning in values}
    if rows.hold_evalues(data, kind, given):
        named["score"] = "evalue"
    numbers = [meaning for meaning in values if meaning in ("score", "rank", "grade", "level")]
    for meaning, column in values.items():
        for at, value in enumerate(column, start=1):
            if value is None or (isinstance(value, str | Number) and not isinstance(value, bool)):
                continue
            raise UsageError(f"row {at}: {meaning} {value!r} is neither text nor a number")
    texts: dict[str, Sequence[Any]] = {}
    for meaning, column in values.items():
        if meaning in numbers:
            texts[meaning] = column if set(map(type, column)) <= {int, float} else _texts(column)
        else:
            texts[meaning] = _texts(column)
    plain = [named[meaning] for meaning in numbers if texts[meaning] is values[meaning]]
    rows.put(database, _LISTS, {named[meaning]: column for meaning, column in texts.items()}, plain)
    return {meaning: quoted(name) for meaning, name in named.items()}


def _texts(column: Sequence[Any]) -> list[str | None]:
    return [None if value is None else str(value) for value in column]


def _register(database: Database, data: Any, kind: str, given: Given) -> str:
    table = data
    if type(data).__module__.startswith(("duckdb", "_duckdb")):
        table = data.to_arrow_table()
    elif type(data).__module__.startswith("pandas"):
        if not hasattr(data, "columns"):
            raise UsageError(f"data of type {type(data).__name__} is neither nested dicts nor a table to read")
        rows.check_text(data, columns.find(list(map(str, data.columns)), kind, given).values())
        table = data.copy()  # the engine stumbles over frames that are others in reverse
    elif hasattr(data, "read_all"):
        table = data.read_all()  # an Arrow reader gives its rows once, and they are looked at more often
    try:
        rows.check_arrow(table)
        database.register(_VIEW, table)
    except (QueryError, TypeError, AttributeError) as error:
        kind = type(data).__name__
        raise UsageError(f"data of type {kind} is neither nested dicts nor a table to read: {error}") from error
    return _VIEW


def _columns(database: Database, view: str, kind: str, given: Given) -> dict[str, str]:
    types = {name: kind for name, kind, *_ in database.rows(f"describe {view}")}
    found = columns.find(list(types), kind, given)
    for meaning in columns.telling(kind):
        column = found[meaning]
        if types[column] not in _TEXT_TYPES and not types[column].startswith("ENUM"):
            raise UsageError(f"column {column} is of type {types[column]}; names are text or whole numbers")
    return {meaning: quoted(name) for meaning, name in found.items()}


def _register_nested(database: Database, data: Mapping[Any, Any], value: str) -> str:
    for topic, inner in data.items():
        if not isinstance(inner, Mapping):
            raise UsageError(f"topic {topic}: expected {{document: {value}}}, found {type(inner).__name__}")
    try:
        topics = _names(list(data))
        lengths = [len(inner) for inner in data.values()]
        documents = _names(list(chain.from_iterable(data.values())))
        numbers = list(map(float, chain.from_iterable(inner.values() for inner in data.values())))
    except (TypeError, ValueError, OverflowError) as error:
        raise UsageError(_where(data) or str(error)) from error
    repeated = list(chain.from_iterable(map(repeat, topics, lengths)))
    if len(numbers) >= _MANY and _register_arrays(database, {"topic": repeated, "document": documents}, value, numbers):
        return _VIEW
    database.execute(
        f"""
        create or replace temp table {_LISTS} as
        select unnest(?::varchar[]) as topic, unnest(?::varchar[]) as document, unnest(?::double[]) as {value}
        """,
        [repeated, documents, numbers],
    )
    return _LISTS


def _register_arrays(
    database: Database, names: Mapping[str, Sequence[str]], value: str, numbers: Sequence[float]
) -> bool:
    """Put columns under the name of a view by numpy, which is three times as fast; False where there is none."""
    try:
        import numpy
    except ImportError:
        return False
    columns = {column: numpy.array(texts, dtype=object) for column, texts in names.items()}
    database.register(_VIEW, columns | {value: numpy.array(numbers)})
    return True


def _names(keys: list[Any]) -> list[str]:
    """Keys as text; raises TypeError for other things than text and whole numbers."""
    kinds = set(map(type, keys))
    if kinds <= {str}:
        return keys
    if bool in kinds or not all(issubclass(kind, str | int) for kind in kinds):
        raise TypeError
    return list(map(str, keys))


def _where(data: Mapping[Any, Any]) -> str:
    """Which topic has a name or a number that is none, and what is wrong with it."""
    for topic, inner in data.items():
        try:
            _name(topic)
            for document, number in inner.items():
                _name(document)
                float(number)
        except (TypeError, ValueError, OverflowError) as error:
            return f"topic {topic}: {error}"
    return ""


def _name(key: object) -> str:
    if isinstance(key, bool) or not isinstance(key, str | int):
        raise TypeError(f"names are text or whole numbers, found {key!r}")
    return str(key)


def _refuse_unlike(database: Database, name: str, view: str, column: str, meaning: str, *, whole: bool = False) -> None:
    """Refuse values that are no numbers, or no whole ones; nulls are told later, with their rows."""
    number = f"try_cast({column} as double)"
    unlike = f"{number} is null"
    if whole:
        unlike = (
            f"({unlike} or {number} <> trunc({number}) or isnan({number}) or try_cast({column} as integer) is null)"
        )
    ((count,),) = database.rows(f"select count(*) from {view} where {column} is not null and {unlike}")
    if count:
        raise InputError([Problem(name, 0, f"{meaning} is not a {'whole ' if whole else ''}number in {count} rows")])


def _checked(database: Database, name: str, table: str, unusable: str, reason: str) -> int:
    """The number of rows staged; raises InputError if there is none, or one without a name or a usable number."""
    nameless = "topic is null or topic = '' or document is null or document = ''"
    ((count, bad),) = database.rows(f"select count(*), count(*) filter ({nameless} or {unusable}) from {table}")
    if not count:
        raise InputError([Problem(name, 0, "holds no rows")])
    if bad:
        problems = ProblemList()
        # Within a transaction row ids do not start at 0.
        row_number = f"select rowid - (select min(rowid) from {table}) + 1 from {table}"
        for (row,) in database.rows(f"{row_number} where {nameless}"):
            problems.add(Problem(name, row, "topic or document is missing"))
        for (row,) in database.rows(f"{row_number} where {unusable}"):
            problems.add(Problem(name, row, reason))
        problems.check()
    return int(count)
