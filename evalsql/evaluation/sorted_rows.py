"""Rows in the order that is asked for, the first of them, and values by topic with a column for each run."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from evalsql.catalog.measure_names import Measure, literal, names_of_less_is_better, quoted
from evalsql.database.database import Database
from evalsql.errors import UsageError
from evalsql.phrases import natural_key

_DIRECTIONS = ("asc", "desc")
_NAMES = {"run": "select run from runs", "baseline": "select run from runs", "topic": "select topic from topics"}
_LEAST_FIRST = frozenset({"p", "p_corrected", "rank"})
_NUMBERS = ("DOUBLE", "FLOAT", "INT", "DECIMAL", "HUGEINT")


def arranged(
    database: Database, query: str, *, sort: str | None, limit: int | None, lower: Collection[str] = ()
) -> str:
    """A SELECT of the same rows, sorted by a column, and only the first ones.

    Args:
        sort: a column, with ``:asc`` or ``:desc`` behind it where its usual order is not meant: numbers go from the
            greatest, but for p values and measures of which less is better; names in natural order, 2 before 10.
        limit: how many rows; all where it is null.
        lower: columns of which less is better.

    Raises:
        UsageError: there is no such column, or the limit is less than 1.
    """
    if limit is not None and limit < 1:
        raise UsageError(f"limit is {limit}, it must be at least 1")
    order = f" order by {_order(database, query, sort, lower)}" if sort else ""
    few = f" limit {limit}" if limit is not None else ""
    return f"select * from (\n{query}\n){order}{few}" if order or few else query


def lower_columns(measures: Sequence[Measure]) -> frozenset[str]:
    """Columns of which less is better: of such measures, and ``value`` where all of them are such."""
    lower = names_of_less_is_better(measures)
    return lower | {"value"} if len(lower) == len(measures) else lower


def _order(database: Database, query: str, sort: str, lower: Collection[str]) -> str:
    """What stands behind ORDER BY; rows that are alike stay in an order that is the same each time."""
    relation = database.sql(query)
    kinds = {name: str(kind) for name, kind in zip(relation.columns, relation.types, strict=True)}
    wanted, direction = _parsed(sort, kinds)
    is_number = kinds[wanted].startswith(_NUMBERS) or kinds[wanted].startswith("U")
    if direction is None:
        direction = "desc" if is_number and wanted not in _LEAST_FIRST and wanted not in lower else "asc"
    key = quoted(wanted)
    if wanted in _NAMES and not is_number:
        names = sorted((name for (name,) in database.rows(_NAMES[wanted])), key=natural_key)
        key = f"list_position([{', '.join(map(literal, names))}]::varchar[], {key})"
    return f"{key} {direction} nulls last, {_ties(kinds, wanted)}"


def _ties(kinds: Collection[str], wanted: str) -> str:
    rest = [quoted(name) for name in kinds if name != wanted]
    return ", ".join(rest) or "1"


def _parsed(sort: str, columns: Collection[str]) -> tuple[str, str | None]:
    """The column that is meant, in any case, and its direction where one is named."""
    name, colon, direction = sort.rpartition(":")
    if not colon or direction.lower() not in _DIRECTIONS:
        name, direction = sort, ""
    exact = [column for column in columns if column == name] or [
        column for column in columns if column.lower() == name.strip().lower()
    ]
    if not exact:
        raise UsageError(f'there is no column "{name}" to sort by; there are: {", ".join(columns)}')
    return exact[0], direction.lower() or None


def wide_query(database: Database, values: str, *, runs: Sequence[str], measures: Sequence[str]) -> str:
    """Values by topic with a column for each run: ``qrels, measure, topic, <run>...``, topics in natural order.

    Args:
        values: a SELECT of ``qrels, run, topic, measure, value``.
        runs, measures: names, in their order.
    """
    taken = {"qrels", "measure", "topic"} & {run.lower() for run in runs}
    if taken:
        raise UsageError(f'a run is called "{min(taken)}" as a column of the table is; leave out wide for it')
    columns = ", ".join(f"max(value) filter (where run = {literal(run)}) as {quoted(run)}" for run in runs)
    topics = sorted((topic for (topic,) in database.rows("select topic from topics")), key=natural_key)
    return (
        f"select qrels, measure, topic, {columns} from (\n{values}\n) group by qrels, measure, topic\n"
        f"order by qrels, {_place(measures, 'measure')}, {_place(topics, 'topic')}"
    )


def _place(names: Sequence[str], column: str) -> str:
    return f"list_position([{', '.join(map(literal, names))}]::varchar[], {column})"
