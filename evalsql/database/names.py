"""Names of runs and judgment sets, and globs for them."""

from __future__ import annotations

import fnmatch
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence

from evalsql.catalog.measure_names import is_measure
from evalsql.catalog.relations import read_catalog
from evalsql.database.database import Database
from evalsql.errors import UsageError
from evalsql.phrases import natural_key, nearest, shortened

Names = Sequence[str] | str
_KEYS = {"qrels": "qrels_id", "runs": "run_id", "topics": "topic_id", "documents": "document_id"}
_KEYS["assessments"] = "qrels_id, topic_id, document_id"
REPLACED = "select qrels from qrels where replaced_at is not null"


class Found(tuple[str, ...]):
    """Names that a database has, in its order, with their keys: whatever takes names does not look these up again."""

    ids: Sequence[int]

    def __new__(cls, keys: Mapping[str, int]) -> Found:
        found = super().__new__(cls, keys)
        found.ids = tuple(keys.values())
        return found


def as_list(names: Names) -> Sequence[str]:
    """Names given one by one or as a single one; raises UsageError for what is neither."""
    if isinstance(names, Found):
        return names
    given = [names] if isinstance(names, str) else list(names) if isinstance(names, Iterable) else [names]
    # Measures of ir_measures print themselves by names that are known here.
    listed = [str(each) if type(each).__module__.partition(".")[0] == "ir_measures" else each for each in given]
    if not all(isinstance(name, str) for name in listed):
        raise UsageError(f"expected a name or several, found {names!r}")
    return listed


def named(table: str, *owners: str, beside: Sequence[str] = ()) -> str:
    """A table and those that have the names of its keys, joined; without columns that somebody added to any of them.

    The table may have further columns ``beside`` its own, such as the number of its row.
    """
    tables = read_catalog().relations
    columns = {each: [*tables[each].columns] for each in owners} | {table: [*beside, *tables[table].columns]}
    held = {each: f"(select {', '.join(columns[each])} from {each}) as {each}" for each in columns}
    return " join ".join([held[table], *(f"{held[each]} using ({_KEYS[each]})" for each in owners)])


def fitting_names(pattern: str, held: Collection[str], what: str, none: str) -> list[str]:
    """The names that a name or glob stands for; raises UsageError where it fits none, or there is none."""
    if found := [pattern] if pattern in held else fnmatch.filter(held, pattern):
        return found
    raise UsageError(f'no {what} is called "{pattern}"; {nearest(pattern, held) or none}')


def resolve_names(database: Database, kind: str, patterns: Names, *, with_replaced: bool = False) -> Found:
    """The runs ("run") or judgment sets ("qrels") that names or globs stand for.

    A glob stands for judgments in use. It stands for replaced ones too with ``with_replaced``, or if it fits no others.
    A run stands for the rankings that are in its place. Raises UsageError for a name or glob that fits none.
    """
    if isinstance(patterns, Found):
        return patterns
    table, what = ("runs", "run") if kind == "run" else ("qrels", "judgment set")
    held = dict(database.rows(f"select {kind}, {kind}_id from {table} order by {kind}_id"))
    found: set[str] = set()
    for pattern in as_list(patterns):
        try:
            in_place = database.rankings.get(pattern) if kind == "run" else None
            fitting = in_place or fitting_names(pattern, held, what, "none is loaded")
        except UsageError as error:
            if kind != "run" or not is_measure(pattern, database.catalog):
                raise
            told = f'{pattern} is a measure: -m {pattern}, several -m A,B, in Python measures="{pattern}"'
            raise UsageError(f"{error}; {told}") from error
        if kind == "qrels" and len(fitting) > 1 and not with_replaced:
            replaced = replaced_qrels(database)
            fitting = [name for name in fitting if name not in replaced] or fitting
        found.update(fitting)
    return Found({name: key for name, key in held.items() if name in found})


def resolve_one(database: Database, kind: str, pattern: str) -> str:
    """The name of the one run ("run") or judgment set ("qrels") that a name or glob stands for."""
    found = resolve_names(database, kind, pattern)
    if len(found) > 1:
        what = "runs" if kind == "run" else "judgment sets"
        raise UsageError(f'"{pattern}" stands for {len(found)} {what}: {shortened(found)}; name one')
    return found[0]


def run_in_place(database: Database, run: str) -> str:
    """The run or, where a ranking of its calls is in its place, that; UsageError where several are."""
    return resolve_one(database, "run", run) if run in database.rankings else run


def how_to_judge(database: Database, run: str = "NAME") -> str:
    """The command that brings judgments for a run; beside others it names the run."""
    if not database.rows("select 1 from qrels limit 1"):
        return "evalsql load qrels FILE brings them"
    return f"evalsql load qrels FILE --run {shlex.quote(run)} --replace brings both together"


def only_qrels(database: Database, asked: str | None, several: str, among: Sequence[str] | None = None) -> str:
    """The judgment set that is asked for by name or glob, else the only one of ``among``, which is by default of all.

    Raises UsageError where there are several: with that text before their names, where none is asked for.
    """
    if asked is not None:
        return resolve_one(database, "qrels", asked)
    found = resolve_names(database, "qrels", "*") if among is None else among
    if len(found) > 1:
        raise UsageError(f"{several}: {', '.join(sorted(found, key=natural_key))}")
    return found[0]


def replaced_qrels(database: Database) -> set[str]:
    return {*database.column(REPLACED)}
