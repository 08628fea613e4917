"""Rows in memory under a name that SQL reads: pandas, polars, Arrow, DuckDB relations, nested dicts, tuples."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from decimal import Decimal
from importlib import import_module
from numbers import Integral, Number
from pathlib import Path
from typing import Any, NamedTuple

from evalsql.database.database import Database
from evalsql.errors import QueryError, UsageError
from evalsql.ingest import column_meanings, python_rankings, python_rows
from evalsql.ingest.column_meanings import Given
from evalsql.literals import quoted

_VIEW = "incoming_frame"
_TABLE = "incoming_data"
_MANY = 20_000  # rows for which numpy is worth its import


class Query(NamedTuple):
    """Rows that a SELECT gives, and the origin that is kept for them like the name of a file."""

    sql: str
    source: str


@contextmanager
def registered(
    database: Database, data: Any, kind: str, given: Given
) -> Iterator[tuple[str, Mapping[str, str], Mapping[str, str], Iterable[str]]]:
    """Put data under a name that SQL reads; yields it with columns by meaning, types of all, and those left out.

    ``data`` is a frame, nested dicts, rows, a ``Query``, or a run or qrels of ranx.
    """
    data = data.to_dict() if is_of_ranx(data) else data
    view, left_out = _TABLE, None
    try:
        if isinstance(data, Query):
            database.make(_TABLE, data.sql)
        elif python_rows.are_rows(data):
            column_meanings.check_given(given, kind)
            left_out = _put_rows(database, data, kind, given)
            given = None
        elif not isinstance(data, Mapping):
            view = _register(database, data, kind, given)
        elif kind in ("pairs", "families"):
            required = " and ".join(column_meanings.MEANINGS[kind][0])
            raise UsageError(f"{kind} are rows of {required}, or {{topic: [document, ...]}}")
        else:
            _put_nested(database, data, kind)
        types = {name: sql_type for name, sql_type, *_ in database.rows(f"describe {view}")}
        if kind == "run":
            refuse_systems(database, view, dict(zip(types, types, strict=True)))
        found = column_meanings.find(list(types), kind, given)
        yield view, found, types, column_meanings.left_out(types, found) if left_out is None else left_out
    finally:
        with suppress(QueryError):  # a failed statement has ended the transaction, and all it made with it
            database.unregister(_VIEW)
            database.drop(_TABLE)


def refuse_systems(database: Database, rows: str, columns: Mapping[str, str]) -> None:
    """Refuse several systems in one run; ``columns`` are those of ``rows``, by the names that they were given."""
    for name in [each for each in columns if each.lower() in python_rows.SYSTEMS]:
        column = quoted(columns[name])
        # The least and the greatest would be what a Parquet file says that they are.
        ((several,),) = database.rows(f"select count(distinct {column}) > 1 from {rows}")
        if several:
            raise UsageError(python_rows.SEVERAL.format(name))


def is_of_ranx(data: object) -> bool:
    return type(data).__module__.partition(".")[0] == "ranx"


def _put_rows(database: Database, data: Any, kind: str, given: Given) -> Iterable[str]:
    """Rows of Python as a table of text and numbers, whose columns are called by their meanings; what is left out."""
    data = list(data) if isinstance(data, Iterator) else data
    columns = python_rows.columns_of(data, kind, given)
    plain = []
    for meaning, name in column_meanings.find([*columns], kind).items():
        is_name = meaning in ("topic", "document")
        number, wanted = (Integral, "a whole number") if is_name else (Number, "a number")
        kinds = set(map(type, columns[name]))
        for at, value in enumerate(columns[name] if kinds - {str, int} else (), start=1):
            if (
                meaning != "call"
                and value is not None
                and ((isinstance(value, bool) and meaning != "grade") or not isinstance(value, str | number))
            ):
                raise UsageError(f"row {at}: {meaning} {value!r} is neither text nor {wanted}")
        if meaning in ("score", "rank", "grade", "level") and kinds <= {int, float}:
            plain.append(name)
        elif kinds != {str}:
            columns[name] = [None if value is None else str(value) for value in columns[name]]
    put(database, _TABLE, columns, plain)
    return columns.left_out


def _register(database: Database, data: Any, kind: str, given: Given) -> str:
    if isinstance(data, str | Path):
        raise UsageError(f'"{data}" stands where rows are expected; load_runs and evalsql.evaluate read files')
    table, refused = data, f"data of type {type(data).__name__} is neither nested dicts nor a table to read"
    if type(data).__module__.startswith(("duckdb", "_duckdb")):
        table = data.to_arrow_table()
    elif type(data).__module__.startswith("pandas"):
        if not hasattr(data, "columns"):
            raise UsageError(refused)
        try:
            found = column_meanings.find(list(map(str, data.columns)), kind, given)
        except UsageError as error:
            named = [str(name) for name in data.index.names if name is not None]
            if not named:
                raise
            raise UsageError(f"{error}; the index has {', '.join(named)}, which reset_index() makes columns") from error
        for at, name in enumerate(data.columns):
            if name in found.values() and data.dtypes.iloc[at].kind == "O":
                check_utf8(name, data.iloc[:, at])
        table = data.copy()  # the engine stumbles over frames that are others in reverse
    elif hasattr(data, "read_all"):
        table = data.read_all()  # an Arrow reader gives its rows once, and they are looked at more often
    try:
        if type(table).__module__.startswith("pyarrow"):
            column_meanings.find(table.schema.names, kind, given)  # refuses two columns of one name
            try:
                table.validate(full=True)
            except ValueError as error:
                raise UsageError(f"the table of Arrow is not valid: {error}") from error
        database.register(_VIEW, table)
    except (QueryError, TypeError, AttributeError) as error:
        words = str(error).partition("\n")[0]
        # These messages of the engine list types of its own, which do not help.
        why = "" if "register()" in words or "Python Object" in words else f": {words}"
        raise UsageError(f"{refused}{why}") from error
    return _VIEW


def _put_nested(database: Database, data: Mapping[Any, Any], kind: str) -> None:
    column_meanings.refuse_unreadable(data, kind)
    value = column_meanings.MEANINGS[kind][0][-1]
    topics, documents, numbers = list[str](), list[str](), list[float]()
    for topic, inner in data.items():
        python_rankings.refuse_several(topic, inner)
        if not isinstance(inner, Mapping):
            raise UsageError(f"topic {topic}: expected {{document: {value}}}, found {type(inner).__name__}")
        topics += _names([topic], topic) * len(inner)
        documents += _names(list(inner), topic)
        try:
            numbers += map(float, inner.values())
            for document, each in inner.items() if value == "grade" else ():
                if type(each) not in (int, float) and (Decimal(each) if isinstance(each, str) else each) != float(each):
                    raise UsageError(f'topic {topic}, document {document}: grade "{each}" is not a whole number')
        except (TypeError, ValueError, OverflowError) as error:
            raise UsageError(f"topic {topic}, document {documents[len(numbers)]}: {error}") from error
    put(database, _TABLE, {"topic": topics, "document": documents, value: numbers}, [value])


def _names(keys: list[Any], topic: object) -> list[str]:
    """Keys as text; raises UsageError for what is neither text nor a whole number."""
    if set(map(type, keys)) <= {str}:
        return keys
    for key in keys:
        if isinstance(key, bool) or not isinstance(key, str | Integral):
            raise UsageError(f"topic {topic}: names are text or whole numbers, found {key!r}")
    return list(map(str, keys))


def put(database: Database, table: str, columns: Mapping[str, Sequence[Any]], numbers: Iterable[str] = ()) -> None:
    """Make a temporary table of columns, those of numbers as numbers and the others as text."""
    kinds = {name: "double" if name in numbers else "varchar" for name in columns}
    for name, values in columns.items():
        check_utf8(name, values)
    is_long = len(next(iter(columns.values()), ())) >= _MANY
    numpy: Any = None
    with suppress(ImportError):
        numpy = import_module("numpy") if is_long else None  # three times as fast, but not installed with evalsql
    if numpy is None:
        listed = ", ".join(f"unnest(?::{kind}[]) as {quoted(name)}" for name, kind in kinds.items())
        database.make(table, f"select {listed}", list(columns.values()))
        return
    view, types = f"{table}_arrays", {"double": float, "varchar": object}
    database.register(view, {name: numpy.array(values, dtype=types[kinds[name]]) for name, values in columns.items()})
    try:
        listed = ", ".join(f"cast({quoted(name)} as {kind}) as {quoted(name)}" for name, kind in kinds.items())
        database.make(table, f"select {listed} from {view}")
    finally:
        database.unregister(view)


def check_utf8(name: str, values: Iterable[Any]) -> None:
    """Raise UsageError for text that has no UTF-8: the engine gives up the database over it."""
    try:
        _ = "".join(value for value in values if isinstance(value, str)).encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"column {name} holds text that has no UTF-8: {error.reason}") from error
