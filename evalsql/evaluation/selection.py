"""Which runs are evaluated: by names, a condition, date, system, the latest, or what each of their calls found."""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from evalsql.catalog.measure_names import ANSWER_MEASURES, DEFAULT_MEASURES
from evalsql.catalog.queries import with_inputs
from evalsql.database.database import Database
from evalsql.database.names import Found, Names, as_list, fitting_names, resolve_names
from evalsql.errors import QueryError, UsageError
from evalsql.evaluation.evaluation import temporary_tables
from evalsql.literals import literal, literals, quoted
from evalsql.phrases import nearest

if TYPE_CHECKING:
    from sqlglot import exp

_VERSIONS = "select run_id, system, version, dated_at from run_versions"
_RUNS = f"select * from ({_VERSIONS}) join runs using (run_id)"  # and not what somebody added to runs by these names
_WORD = re.compile(r"[\w./-]+")
OF_NO_SYSTEM = "no run was loaded with --system or the meta key system"


@dataclass(frozen=True)
class Choice:
    """What runs have to be, all of it at once; what is empty asks for nothing."""

    names: Sequence[str] = ()  # or globs
    where: str | None = None  # a condition over the columns of runs and their meta
    since: str | None = None  # a date, or date and time in UTC
    last: int | None = None  # the latest of each system
    systems: Sequence[str] = ()  # or globs

    @property
    def is_by_name(self) -> bool:
        """Whether names say it all."""
        return self.where is None and self.since is None and self.last is None and not self.systems


def choose_runs(database: Database, choice: Choice) -> Found:
    """The runs that are meant, in the order of date; raises UsageError if there is none."""
    if choice.last is not None and choice.last < 1:
        raise UsageError(f"--last is {choice.last}, but must be at least 1")
    placed = database.query("run_places", {"chosen": _filtered(database, choice)})
    few = "" if choice.last is None else f"where place <= {int(choice.last)}"
    found = _rows(database, f"select run, run_id from ({placed}) {few} order by dated_at, run_id")
    if not found:
        raise UsageError(f"no run fits {_describe(choice)}")
    if not database.rankings:
        return Found(dict(found))
    placed_there = resolve_names(database, "run", [run for run, _ in found])
    named = resolve_names(database, "run", choice.names or "*")
    return Found({run: key for run, key in zip(placed_there, placed_there.ids, strict=True) if run in named})


def runs_before(database: Database, choice: Choice, runs: Sequence[str]) -> list[str]:
    """The chosen runs that come just before these among the loads of their system."""
    placed = database.query("run_places", {"chosen": _filtered(database, choice)})
    found = _rows(database, f"select run, later_run from ({placed}) where later_run is not null")
    return [run for run, after in found if not {after, *database.rankings.get(after, ())}.isdisjoint(runs)]


def outlived_runs(database: Database, choice: Choice, last: int) -> tuple[list[str], int]:
    """Runs that are not among the last of their system, the oldest first, and how many chosen ones have no system."""
    placed = database.query("run_places", {"chosen": _filtered(database, choice)})
    found = database.rows(f"select run, place from ({placed}) where system is not null order by place desc, run")
    ((without,),) = database.rows(f"select count(*) from ({placed}) where system is null")
    return [run for run, place in found if place > last], without


def latest_run(database: Database, asked: str, before: str | None = None) -> str:
    """The latest run, or that of its system before another; ``asked`` is a branch, a condition or empty."""
    before = next((run for run, rankings in database.rankings.items() if before in rankings), before)
    where = f"{META}.branch = {literal(asked)}" if _WORD.fullmatch(asked) else asked or None
    placed = database.query("run_places", {"chosen": _filtered(database, Choice(where=where))}, before=before)
    found = _rows(database, f"select run from ({placed}) order by dated_at desc, run_id desc limit 1")
    if not found:
        systems = _rows(database, "select system from run_versions where run = ? and system is not null", [before])
        of = "".join(f" of the system {system}" for (system,) in systems)
        such = f" with {where}" if where else ""
        raise UsageError(f"{before}: no run{of}{such} is dated before it" if before else f"no run is loaded{such}")
    return str(found[0][0])


def held_systems(database: Database, patterns: Sequence[str]) -> list[str]:
    """The systems that names or globs stand for, all if there are none; raises UsageError for unknown ones."""
    held = [name for (name,) in _rows(database, "select distinct system from run_versions where system is not null")]
    found = [name for pattern in patterns for name in fitting_names(pattern, held, "system", OF_NO_SYSTEM)]
    return sorted({*found} if patterns else held)


def parse_date(text: str, option: str) -> str:
    """A date, or date and time, as SQL has it, in UTC; raises UsageError for what is none."""
    try:
        found = datetime.datetime.fromisoformat(text.strip())
    except ValueError:
        raise UsageError(f'{option} is "{text}", expected a date such as 2026-10-01 or 2026-10-01T06:30') from None
    if found.tzinfo is not None:
        found = found.astimezone(datetime.UTC).replace(tzinfo=None)
    return found.isoformat(" ")


def _rows(database: Database, query: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
    """The rows of a query about runs that are held, also while rankings of calls are in their place."""
    if database.rankings:
        runs = f"select * from {quoted(database.name)}.main.runs"
        query = with_inputs(query, {"runs": runs, "run_versions": database.catalog["run_versions"].body})
    return database.rows(query, parameters)


def _filtered(database: Database, choice: Choice) -> str:
    """A SELECT of the keys of the runs that fit all but ``last``; its condition is tried first."""
    conditions = ["true"]
    if choice.names:
        named = resolve_names(database, "run", choice.names)
        held = [run for run, rankings in database.rankings.items() if not {*rankings}.isdisjoint(named)] or named
        conditions.append(f"run in ({literals(held)})")
    if choice.systems:
        conditions.append(f"system in ({literals(held_systems(database, choice.systems))})")
    if choice.since is not None:
        conditions.append(f"dated_at >= timestamp {literal(parse_date(choice.since, '--since'))}")
    query = f"select run_id from ({_RUNS}) as found where {' and '.join(conditions)}"
    if choice.where is not None:
        query += f" and ({_condition(database, choice.where)})"
        try:
            _rows(database, query)
        except QueryError as error:
            raise UsageError(f'--where "{choice.where}": {str(error).splitlines()[0]}') from error
    return query


def _describe(choice: Choice) -> str:
    given = [", ".join(choice.names), *(f"--system {name}" for name in choice.systems)]
    given.append("" if choice.since is None else f"--since {choice.since}")
    given.append("" if choice.where is None else f'--where "{choice.where}"')
    return " and ".join(filter(None, given)) or "this; none is loaded"


# What a condition may hold: columns, literals and operators. A node of any other kind is refused.
_ALLOWED = {
    *("Column", "Identifier", "Literal", "Boolean", "Null", "Paren", "And", "Or", "Not", "Neg"),
    *("EQ", "NEQ", "GT", "GTE", "LT", "LTE", "Is", "NullSafeEQ", "NullSafeNEQ"),
    *("In", "Between", "Like", "ILike", "Add", "Sub", "Mul", "Div", "DPipe"),
}
_COMPARING = ("EQ", "NEQ", "GT", "GTE", "LT", "LTE", "In", "Between")
_LONGEST_SHOWN = 60  # characters of a part that is refused
META = "meta"
_EXPECTED = "a condition has columns, literals and operators, as in \"meta.branch = 'main' and depth is null\""


def _condition(database: Database, text: str) -> str:
    """The condition as SQL, written anew from its syntax tree; raises UsageError for what ``_ALLOWED`` lacks."""
    import sqlglot
    from sqlglot.errors import SqlglotError

    if not text.strip():
        raise UsageError("--where is empty; expected a condition such as \"meta.branch = 'main'\"")
    given = f'--where "{text}"'
    try:
        trees = sqlglot.parse(text, dialect="duckdb")
    except (SqlglotError, RecursionError) as error:
        raise UsageError(f"{given} is not a condition: {str(error).splitlines()[0]}") from error
    if len(trees) != 1 or trees[0] is None:
        raise UsageError(f"{given} is not a condition: it holds {len(trees)} statements")
    tree = trees[0]
    for node in tree.walk():
        if type(node).__name__ not in _ALLOWED:
            shown = node.sql(dialect="duckdb")
            shown = shown if len(shown) <= _LONGEST_SHOWN else f"{shown[:_LONGEST_SHOWN]}..."
            raise UsageError(f'{given}: "{shown}" is not allowed; {_EXPECTED}')
        node.comments = None
    described = database.rows(f"select column_name, column_type from (describe {_RUNS})")
    columns = {name: kind for name, kind in described if name != META}
    keys = database.column("select distinct unnest(map_keys(meta)) from runs")
    is_boolean = columns.get(tree.name.lower()) == "BOOLEAN"
    if type(tree).__name__ in ("Column", "Literal", "Null", "Identifier") and not is_boolean:
        raise UsageError(f"{given} is not a condition; {_EXPECTED}")
    try:
        return tree.transform(lambda node: _resolved(node, columns, keys), copy=False).sql(dialect="duckdb")
    except UsageError as error:
        raise UsageError(f"{given}: {error}") from None


def _resolved(node: exp.Expr, columns: Mapping[str, str], keys: Collection[str]) -> exp.Expr:
    """The node; a column becomes what it names, a column of runs or a key of meta, as a number beside numbers."""
    from sqlglot import exp

    if not isinstance(node, exp.Column):
        return node
    *before, name = [part.name for part in node.parts]
    found: exp.Expr
    if [each.lower() for each in before] == [META]:
        if name not in keys:
            raise UsageError(_unknown(name, keys, "no run has in its meta the key"))
        found, is_text = exp.Bracket(this=exp.column(META), expressions=[exp.Literal.string(name)]), True
    elif not before and name.lower() in columns:
        found, is_text = exp.column(name.lower(), quoted=True), columns[name.lower()] == "VARCHAR"
    elif not before and name in keys:
        raise UsageError(f'runs have no column "{name}"; did you mean {META}.{name}?')
    else:
        known = [*columns, f"{META}.KEY"]
        raise UsageError(f"{_unknown('.'.join([*before, name]), known, 'runs have no column')}; a text is quoted")
    parent = node.parent
    beside = parent.iter_expressions() if parent and type(parent).__name__ in _COMPARING else ()
    plain = [each.this if isinstance(each, exp.Neg) else each for each in beside]
    if is_text and any(isinstance(each, exp.Literal) and each.is_number for each in plain):
        # A text such as 3f2a is no number, and then not equal to one; the engine's own cast would be an error.
        return exp.TryCast(this=found, to=exp.DataType.build("double"))
    return found


def _unknown(name: str, known: Collection[str], words: str) -> str:
    return f'{words} "{name}"; {nearest(name, known) or "there is none"}'


def default_measures(database: Database, qrels: Names) -> Sequence[str]:
    """The measures that are shown where none is asked for: those of answers where all judgments chosen are nuggets."""
    forms = database.rows(
        """
        select distinct qrels.form from qrels, (select unnest($1::varchar[]) as pattern) as asked
        where qrels.qrels = asked.pattern or (qrels.replaced_at is null and qrels.qrels glob asked.pattern)
        """,
        [as_list(qrels) or ["*"]],
    )
    return ANSWER_MEASURES if forms == [("nuggets",)] else DEFAULT_MEASURES


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
_STANDING = "select runs.run, list from temp.listed_runs join {file}.runs as runs using (run_id) order by list_id"


@contextmanager
def calls_shown(database: Database, calls: Calls, runs: Names = ()) -> Iterator[None]:
    """Have rankings made of calls in the place of runs, those without calls as they are; raises UsageError for none.

    ``union`` is what runs are anyway; best has each document at its best rank in any call.

    Meanwhile temporary views hide the tables of rankings, so that all that is asked of runs is asked of calls. A run
    that is named stands for its rankings.
    """
    if calls == "union":
        yield
        return
    names = resolve_names(database, "run", runs or ["*"])
    chosen = f"select run_id from runs where run_id in ({', '.join(map(str, names.ids))})"
    if not database.rows(f"select 1 from call_ranks where run_id in ({chosen}) limit 1"):
        raise UsageError("none of these runs has calls; load runs --call COLUMN loads a run with its calls")
    rest = _rows_without_calls(database)
    with temporary_tables(database, _call_tables(database, calls, chosen)):
        try:
            for name, rows in rest.items():  # a ranking of calls has no spans, answers or stored scores
                made = f"from temp.{_SHOWN[name]} union all by name " if name in _SHOWN else ""
                database.execute(f"create temp view {name} as {made}{rows}")
            for run, ranking in database.rows(_STANDING.format(file=f"{quoted(database.name)}.main")):
                database.rankings.setdefault(run, []).append(ranking)
            yield
        finally:
            database.rankings.clear()
            database.execute_all([f"drop view if exists temp.{name}" for name in rest])


def _call_tables(database: Database, calls: Calls, chosen: str) -> dict[str, str]:
    """SELECTs of the temporary tables with the rankings made of calls, each of which may read those before it."""
    united = database.query("united_calls", united_by="best" if calls == "best" else "first")
    given = {
        "new_pairs": "select distinct qrels_id, run_id from temp.listed_evaluations",
        "evaluations": "select * from temp.listed_evaluations",
        "retrieved": "select * from temp.listed_rows",
    }
    return {
        "listed_runs": database.query("listed_runs", {"chosen_runs": chosen}, calls=calls),
        "call_windows": database.query("call_windows", calls=calls),
        "listed_rows": database.query("unretained_rows", {"ranked": united}),
        **{name: database.query(name) for name in _SHOWN.values() if name not in ("listed_rows", "listed_ranks")},
        "listed_ranks": database.query("listed_ranks", {"new_ranks": database.query("judged_ranks_rows", given)}),
    }


def _rows_without_calls(database: Database) -> dict[str, str]:
    """By table about runs, what stands from FROM on in a SELECT of its rows for runs without calls."""
    file, others = f"{quoted(database.name)}.main", "select list_id from temp.listed_runs where not has_calls"
    of_runs = [table.name for table in database.catalog.of_kind("tables") if "run_id" in table.columns]
    conditions = dict.fromkeys(of_runs, f"run_id in ({others})")
    own_evaluations = f"select evaluation_id from {file}.evaluations where {conditions['runs']}"
    conditions["judged_ranks"] = f"evaluation_id in ({own_evaluations})"
    owners = database.query("file_owners", {"files": f"from {file}.files"})
    conditions["files"] = f"(kind, id) not in (select kind, id from ({owners}) where run_id not in ({others}))"
    return {name: f"from {file}.{name} where {condition}" for name, condition in conditions.items()}
