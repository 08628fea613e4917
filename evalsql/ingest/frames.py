"""Runs and judgments that are already in memory: pandas, polars, Arrow, DuckDB relations and nested dicts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

from evalsql.catalog.ddl import relation_query
from evalsql.errors import InputError, Problem, QueryError, UsageError
from evalsql.ingest import keys, preferences, qrels, ranking
from evalsql.ingest.keys import Refused
from evalsql.ingest.lines import Notes
from evalsql.ingest.qrels import QrelsOptions
from evalsql.ingest.remarks import Remarks
from evalsql.ingest.runs import NewRun, RunOptions

if TYPE_CHECKING:
    from evalsql.database.database import Database

# Column names by meaning, the first one found being taken: keys before words, for a
# frame may hold the text of queries and documents as well.
COLUMNS: Mapping[str, Sequence[str]] = {
    "topic": ("qid", "q_id", "query_id", "topic_id", "topic", "query"),
    "document": ("docno", "doc_id", "docid", "document_id", "corpus_id", "document", "doc"),
    "score": ("score",),
    "rank": ("rank",),
    "grade": ("grade", "relevance", "rel", "label", "score"),
    "iteration": ("iteration", "iter", "subtopic"),
    "group": ("judgment_group", "group", "user", "iteration", "iter"),
    "subgroup": ("subgroup",),
    "level": ("level", "grade", "relevance", "rel", "label", "score"),
}
_TEXT_TYPES = ("VARCHAR", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
_VIEW = "incoming_frame"
_LISTS = "incoming_lists"
_MANY = 20_000  # rows for which numpy is worth its import
_MEMORY = "in memory"


def load_run_data(database: Database, name: str, data: Any, options: RunOptions, qrels_ids: Collection[int]) -> None:
    """Load one run of rows in memory within the caller's transaction, and evaluate it with judgment sets.

    ``data`` and errors are those of ``stage_run_data``; InputError also for repeated documents.
    """
    database.execute(ranking.STAGED)
    num_rows = stage_run_data(database, name, data, options.tie_rule)
    run = NewRun(name, keys.next_id(database, "runs", "run_id"), [])
    repeated = ranking.rank(database, [run], options)
    if repeated and not options.keep_best:
        raise repeated_error(name, repeated)
    remarks = Remarks()
    ranking.store(database, [run], options, {name: qrels_ids}, with_repeated=bool(repeated), remarks=remarks)
    if options.tells_remarks:
        remarks.tell()
    database.execute("drop table staged_run_rows")
    keys.add_file_row(database, ("run", run.run_id, _MEMORY, None, None, num_rows))


def stage_run_data(database: Database, name: str, data: Any, tie_rule: str) -> int:
    """Put the rows of one run into the empty table ``staged_run_rows``; returns how many there are.

    ``data`` is {topic: {document: score}}, or a frame with columns for topic, document and score, and rank under
    that tie rule.

    Raises:
        InputError: rows with nulls, scores that are not finite, no rows at all; lines count rows from 1.
        UsageError: columns missing or of a type that does not name things.
    """
    with _registered(database, data, ("topic", "document", "score")) as (view, columns):
        _stage(database, name, data, tie_rule, view, columns)
    unusable = "score is null or not isfinite(score)"
    if tie_rule == "rank":
        unusable += " or given_rank is null"
    return _checked(database, name, "staged_run_rows", unusable, "score or rank is missing or not finite")


def _stage(database: Database, name: str, data: Any, tie_rule: str, view: str, columns: Mapping[str, str]) -> None:
    rank = "null"
    if tie_rule == "rank":
        if "rank" not in columns:
            raise UsageError(f"{name}: the tie rule goes by rank, and there is no column rank")
        rank = columns["rank"]
        _refuse_unlike(database, name, view, rank, "rank", whole=True)
    if not isinstance(data, Mapping):
        _refuse_unlike(database, name, view, columns["score"], "score")
    database.execute(f"""
        insert into staged_run_rows
        select
            0, cast({columns["topic"]} as varchar), cast({columns["document"]} as varchar),
            cast({rank} as integer), cast({columns["score"]} as double), false
        from {view}
    """)


def repeated_error(name: str, repeated: Iterable[tuple[int, str, str]]) -> InputError:
    """The error that names documents which stand more than once, given by run_id, topic and document."""
    return InputError(
        Problem(name, 0, f"document {document} of topic {topic} stands more than once")
        for _, topic, document in sorted(repeated)
    )


def load_qrels_data(database: Database, name: str, data: Any, options: QrelsOptions) -> int:
    """Load judgments in memory within the caller's transaction; returns the qrels_id.

    ``data`` is {topic: {document: grade}}, or a frame with columns for topic, document and grade, and iteration if
    there is one; for preferences with columns for topic, group, document and level, and subgroup if there is one.
    Raises as ``load_run_data``; a grade must be a whole number.
    """
    qrels.create_staged(database, options)
    if options.form == "preferences":
        num_rows, duplicates = _stage_preferences(database, name, data), 0
    else:
        num_rows, duplicates = _stage_grades(database, name, data, options)
    qrels_id = qrels.store(database, name, options, Notes(), duplicates)
    keys.add_file_row(database, ("qrels", qrels_id, _MEMORY, None, None, num_rows))
    return qrels_id


def _stage_grades(database: Database, name: str, data: Any, options: QrelsOptions) -> tuple[int, int]:
    """Stage grades; returns the number of rows there were, and of those left out as repeated."""
    with _registered(database, data, ("topic", "document", "grade")) as (view, columns):
        _refuse_unlike(database, name, view, columns["grade"], "grade", whole=True)
        iteration = f"coalesce(cast({columns['iteration']} as varchar), '0')" if "iteration" in columns else "'0'"
        database.execute(f"""
            insert into staged_qrels_rows
            select
                cast({columns["topic"]} as varchar), {iteration},
                cast({columns["document"]} as varchar), cast({columns["grade"]} as integer)
            from {view}
        """)
    num_rows = _checked(database, name, "staged_qrels_rows", "grade is null", "grade is missing")
    staged = {"staged": "select * from staged_qrels_rows"}
    best = relation_query(database.catalog, "best_judgments", staged, in_groups=options.form == "groups")
    repeated = database.rows(f"select topic, document from ({best}) where times > 1 order by topic, document")
    if repeated and not options.keep_best:
        hint = "; form='groups' lets each iteration, a group or subtopic, judge it once"
        more = hint if options.form == "grades" and "iteration" in columns else ""
        raise InputError(
            Problem(name, 0, f"document {document} of topic {topic} is judged more than once{more}")
            for topic, document in repeated
        )
    if repeated:
        database.execute(f"create or replace temp table staged_qrels_rows as select * exclude (times) from ({best})")
    ((num_kept,),) = database.rows("select count(*) from staged_qrels_rows")
    return num_rows, num_rows - num_kept


def _stage_preferences(database: Database, name: str, data: Any) -> int:
    """Stage preferences; returns the number of rows."""
    with _registered(database, data, ("topic", "group", "document", "level")) as (view, columns):
        _refuse_unlike(database, name, view, columns["level"], "level")
        subgroup = f"coalesce(cast({columns['subgroup']} as varchar), '0')" if "subgroup" in columns else "'0'"
        database.execute(f"""
            insert into staged_qrels_rows
            select
                cast({columns["topic"]} as varchar), coalesce(cast({columns["group"]} as varchar), '0'), {subgroup},
                cast({columns["document"]} as varchar), cast({columns["level"]} as double)
            from {view}
        """)
    unusable = "level is null or not isfinite(level)"
    num_rows = _checked(database, name, "staged_qrels_rows", unusable, "level is missing or not finite")
    refused = Refused()
    preferences.check(enumerate(database.rows("from staged_qrels_rows order by rowid"), start=1), name, refused)
    refused.check()
    return num_rows


@contextmanager
def _registered(database: Database, data: Any, needed: Sequence[str]) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Have ``data`` under a name that SQL reads; gives it, and the column for each meaning that has one, quoted."""
    try:
        view = _register_nested(database, data, needed[-1]) if isinstance(data, Mapping) else _register(database, data)
        yield view, _columns(database, view, needed)
    finally:
        database.unregister(_VIEW)
        with suppress(QueryError):  # a failed statement has ended the transaction, and all it made with it
            database.execute(f"drop table if exists {_LISTS}")


def _register(database: Database, data: Any) -> str:
    table = data
    if type(data).__module__.startswith(("duckdb", "_duckdb")):
        table = data.to_arrow_table()
    elif type(data).__module__.startswith("pandas"):
        _check_text(data)
        table = data.copy()  # the engine stumbles over frames that are others in reverse
    elif hasattr(data, "read_all"):
        table = data.read_all()  # an Arrow reader gives its rows once, and they are looked at more often
    try:
        database.register(_VIEW, table)
    except (QueryError, TypeError, AttributeError) as error:
        kind = type(data).__name__
        raise UsageError(f"data of type {kind} is neither nested dicts nor a table to read: {error}") from error
    return _VIEW


def _check_text(frame: Any) -> None:
    """Raise UsageError for text that has no UTF-8 in a pandas frame: the engine gives up the database over it."""
    named = {name for names in COLUMNS.values() for name in names}
    for at, name in enumerate(frame.columns):
        if name in named and frame.dtypes.iloc[at].kind == "O":
            texts = [value for value in frame.iloc[:, at] if isinstance(value, str)]
            try:
                _ = "".join(texts).encode()
            except UnicodeEncodeError as error:
                raise UsageError(f"column {name} holds text that has no UTF-8: {error.reason}") from error


def _columns(database: Database, view: str, needed: Sequence[str]) -> dict[str, str]:
    types = {name: kind for name, kind, *_ in database.rows(f"describe {view}")}
    found = {meaning: next((name for name in names if name in types), None) for meaning, names in COLUMNS.items()}
    for meaning in needed:
        if found[meaning] is None:
            names = ", ".join(COLUMNS[meaning])
            raise UsageError(f"there is no column for the {meaning}: expected one of {names}; found {', '.join(types)}")
    for meaning in ("topic", "document"):
        kind = types[str(found[meaning])]
        if kind not in _TEXT_TYPES and not kind.startswith("ENUM"):
            raise UsageError(f"column {found[meaning]} is of type {kind}; names are text or whole numbers")
    return {meaning: f'"{name}"' for meaning, name in found.items() if name is not None}


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
        refused = Refused()
        # Within a transaction row ids do not start at 0.
        row_number = f"select rowid - (select min(rowid) from {table}) + 1 from {table}"
        for (row,) in database.rows(f"{row_number} where {nameless}"):
            refused(Problem(name, row, "topic or document is missing"))
        for (row,) in database.rows(f"{row_number} where {unusable}"):
            refused(Problem(name, row, reason))
        refused.check()
    return int(count)
