"""Which runs are meant: by names, by a condition, by date, by system, the latest."""

from __future__ import annotations

import datetime
import difflib
import fnmatch
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from evalsql.catalog.ddl import relation_query
from evalsql.catalog.measure_names import literal
from evalsql.database.database import Database
from evalsql.database.names import Found, resolve_names
from evalsql.errors import QueryError, UsageError
from evalsql.phrases import nearest

if TYPE_CHECKING:
    from sqlglot import exp


_RUNS = """
    select runs.*, run_versions.system, run_versions.version, run_versions.dated_at
    from runs join run_versions on run_versions.run_id = runs.run_id
"""
_WORD = re.compile(r"[\w./-]+")
OF_NO_SYSTEM = "no run was loaded with --system or the meta key system"


@dataclass(frozen=True)
class Choice:
    """What runs have to be, all of it at once; what is empty asks for nothing.

    Attributes:
        names: names or globs.
        where: a condition over the columns of runs and their meta.
        since: a date, or date and time in UTC; the date of the run is not before it.
        last: so many of each system, the latest.
        systems: names or globs of systems.
    """

    names: Sequence[str] = ()
    where: str | None = None
    since: str | None = None
    last: int | None = None
    systems: Sequence[str] = ()

    def of_systems(self, systems: Sequence[str]) -> Choice:
        """The same of these systems."""
        return replace(self, systems=systems)

    @property
    def is_by_name(self) -> bool:
        """Whether names say it all."""
        return self.where is None and self.since is None and self.last is None and not self.systems


def choose_runs(database: Database, choice: Choice) -> Found:
    """The runs that are meant, in the order of date; raises UsageError if there is none."""
    if choice.last is not None and choice.last < 1:
        raise UsageError(f"--last is {choice.last}, it must be at least 1")
    placed = relation_query(database.catalog, "run_places", {"chosen": _filtered(database, choice)})
    found = database.rows(f"""
        select placed.run, run_versions.run_id
        from ({placed}) as placed join run_versions on run_versions.run = placed.run
        where {"true" if choice.last is None else f"placed.place <= {int(choice.last)}"}
        order by run_versions.dated_at, run_versions.run_id
    """)
    if not found:
        raise UsageError(f"no run fits {_said(choice)}")
    return Found(dict(found))


def outlived_runs(database: Database, choice: Choice, last: int) -> tuple[list[str], int]:
    """Runs that are not among the last of their system, the oldest first, and how many chosen ones have no system."""
    placed = relation_query(database.catalog, "run_places", {"chosen": _filtered(database, choice)})
    found = database.rows(f"select run, place from ({placed}) where system is not null order by place desc, run")
    ((without,),) = database.rows(f"select count(*) from ({placed}) where system is null")
    return [run for run, place in found if place > last], without


def latest_run(database: Database, asked: str, candidate: str) -> str:
    """The latest run before the candidate, of its system if it has one.

    Args:
        asked: nothing more, or which runs: a word is the branch that they have in their meta, else it is a condition.

    Raises:
        UsageError: there is none.
    """
    found = database.rows("select system, dated_at, run_id from run_versions where run = ?", [candidate])
    ((system, dated_at, run_id),) = found
    where = f"{META}.branch = {literal(asked)}" if _WORD.fullmatch(asked) else asked or None
    placed = _filtered(database, Choice(where=where, systems=[] if system is None else [system]))
    earlier = database.rows(
        f"""
        select run from run_versions
        where run_id in ({placed}) and (dated_at, run_id) < (?, ?)
        order by dated_at desc, run_id desc limit 1
        """,
        [dated_at, run_id],
    )
    if not earlier:
        of = "" if system is None else f" of the system {system}"
        such = f" with {where}" if where else ""
        raise UsageError(f"{candidate}: no run{of}{such} is dated before it")
    return str(earlier[0][0])


def held_systems(database: Database, patterns: Sequence[str]) -> list[str]:
    """The systems that names or globs stand for, all if there are none; raises UsageError for unknown ones."""
    held = [name for (name,) in database.rows("select distinct system from run_versions where system is not null")]
    found = set() if patterns else set(held)
    for pattern in patterns:
        fitting = [pattern] if pattern in held else fnmatch.filter(held, pattern)
        if not fitting:
            near = nearest(pattern, held)
            hint = f"there are: {near}" if near else OF_NO_SYSTEM
            raise UsageError(f'no system is called "{pattern}"; {hint}')
        found.update(fitting)
    return sorted(found)


def parse_date(text: str, option: str) -> str:
    """A date, or date and time, as SQL has it, in UTC; raises UsageError for what is none."""
    try:
        found = datetime.datetime.fromisoformat(text.strip())
    except ValueError:
        raise UsageError(f'{option} is "{text}", expected a date such as 2026-10-01 or 2026-10-01T06:30') from None
    if found.tzinfo is not None:
        found = found.astimezone(datetime.UTC).replace(tzinfo=None)
    return found.isoformat(" ")


def _filtered(database: Database, choice: Choice) -> str:
    """A SELECT of the keys of the runs that fit all but ``last``; its condition is tried first."""
    conditions = ["true"]
    if choice.names:
        keys = resolve_names(database, "run", choice.names).ids
        conditions.append(f"run_id in ({', '.join(map(str, keys))})")
    if choice.systems:
        conditions.append(f"system in ({', '.join(map(literal, held_systems(database, choice.systems)))})")
    if choice.since is not None:
        conditions.append(f"dated_at >= timestamp {literal(parse_date(choice.since, '--since'))}")
    query = f"select run_id from ({_RUNS}) as found where {' and '.join(conditions)}"
    if choice.where is not None:
        query += f" and ({_condition(database, choice.where)})"
        try:
            database.rows(query)
        except QueryError as error:
            raise UsageError(f'--where "{choice.where}": {str(error).splitlines()[0]}') from error
    return query


def _condition(database: Database, text: str) -> str:
    described = database.rows(f"select column_name, column_type from (describe {_RUNS})")
    columns = {name: kind for name, kind, *_ in described if name != META}
    keys = [key for (key,) in database.rows("select distinct unnest(map_keys(meta)) from runs")]
    return sql_condition(text, columns, keys)


def _said(choice: Choice) -> str:
    parts = [
        *([", ".join(choice.names)] if choice.names else ()),
        *(f"--system {name}" for name in choice.systems),
        *([f"--since {choice.since}"] if choice.since is not None else ()),
        *([f'--where "{choice.where}"'] if choice.where is not None else ()),
    ]
    return " and ".join(parts) or "this; none is loaded"


# What a condition may hold: columns, literals and operators. A node of any other kind is refused.
_ALLOWED = {
    *("Column", "Identifier", "Literal", "Boolean", "Null", "Paren", "And", "Or", "Not", "Neg"),
    *("EQ", "NEQ", "GT", "GTE", "LT", "LTE", "Is", "NullSafeEQ", "NullSafeNEQ"),
    *("In", "Between", "Like", "ILike", "Add", "Sub", "Mul", "Div", "DPipe"),
}
_COMPARING = ("EQ", "NEQ", "GT", "GTE", "LT", "LTE", "In", "Between")
META = "meta"


def sql_condition(text: str, columns: Mapping[str, str], keys: Collection[str]) -> str:
    """The condition as SQL, built anew of what was understood of it.

    Args:
        columns: SQL type by column.
        keys: the keys that meta has in any run.

    Raises:
        UsageError: it is no condition, holds more than columns, literals and operators, or names what is not there.
    """
    import sqlglot
    from sqlglot.errors import SqlglotError

    if not text.strip():
        raise UsageError("--where is empty; expected a condition such as \"meta.branch = 'main'\"")
    try:
        trees = sqlglot.parse(text, dialect="duckdb")
    except (SqlglotError, RecursionError) as error:
        raise UsageError(f'--where "{text}" is no condition: {str(error).splitlines()[0]}') from error
    if len(trees) != 1 or trees[0] is None:
        raise UsageError(f'--where "{text}" is no condition: it holds {len(trees)} statements')
    tree = trees[0]
    for node in tree.walk():
        if type(node).__name__ not in _ALLOWED:
            raise UsageError(f'--where "{text}": {_words(node)} is not let through; {_expected()}')
        node.comments = None
    if type(tree).__name__ in ("Column", "Literal", "Null", "Identifier") and not _is_boolean(tree, columns):
        raise UsageError(f'--where "{text}" is no condition; {_expected()}')
    numeric = {id(column) for node in tree.walk() for column in _beside_numbers(node)}
    return tree.transform(lambda node: _resolved(node, text, columns, keys, numeric), copy=False).sql(dialect="duckdb")


def _words(node: exp.Expr) -> str:
    shown = node.sql(dialect="duckdb")
    return f'"{shown}"' if len(shown) <= 60 else f'"{shown[:60]}..."'


def _expected() -> str:
    return "a condition has columns, literals and operators, as in \"meta.branch = 'main' and depth is null\""


def _is_boolean(node: exp.Expr, columns: Mapping[str, str]) -> bool:
    return columns.get(node.name.lower(), "") == "BOOLEAN"


def _beside_numbers(node: exp.Expr) -> list[Any]:
    """The columns that a comparison holds against a number."""
    from sqlglot import exp

    if type(node).__name__ not in _COMPARING:
        return []
    parts = list(node.iter_expressions())
    plain = [part.this if isinstance(part, exp.Neg) else part for part in parts]
    if not any(isinstance(part, exp.Literal) and part.is_number for part in plain):
        return []
    return [part for part in parts if isinstance(part, exp.Column)]


def _resolved(
    node: exp.Expr, text: str, columns: Mapping[str, str], keys: Collection[str], numeric: Collection[int]
) -> exp.Expr:
    from sqlglot import exp

    if not isinstance(node, exp.Column):
        return node
    named = [part.name for part in node.parts]
    is_text = True
    found: exp.Expr
    if len(named) == 2 and named[0].lower() == META:
        if named[1] not in keys:
            raise UsageError(f'--where "{text}": {_unknown(named[1], keys, "no run has in its meta the key")}')
        found = exp.Bracket(this=exp.column(META), expressions=[exp.Literal.string(named[1])])
    elif len(named) == 1 and named[0].lower() in columns:
        found = exp.column(named[0].lower(), quoted=True)
        is_text = columns[named[0].lower()] == "VARCHAR"
    else:
        if len(named) == 1 and named[0] in keys:
            raise UsageError(f'--where "{text}": runs have no column "{named[0]}"; did you mean {META}.{named[0]}?')
        known = [*columns, f"{META}.KEY"]
        raise UsageError(
            f'--where "{text}": {_unknown(".".join(named), known, "runs have no column")}; a text is quoted'
        )
    # A text such as 3f2a is no number, and then not equal to one; the engine's own cast would be an error.
    return exp.TryCast(this=found, to=exp.DataType.build("double")) if is_text and id(node) in numeric else found


def _unknown(name: str, known: Collection[str], words: str) -> str:
    near = difflib.get_close_matches(name, known, n=3)
    told = f"nearest: {', '.join(near)}" if near else f"there are: {', '.join(sorted(known)) or 'none'}"
    return f'{words} "{name}"; {told}'
