"""Values that were computed elsewhere and are stored, beside those that are computed from rankings.

A run has rankings here or stored scores, never both, so the two add up without a choice between them.
"""

from collections.abc import Callable, Mapping, Sequence

from evalsql.catalog.measure_names import Measure
from evalsql.catalog.queries import STORED
from evalsql.catalog.relations import read_catalog
from evalsql.database.database import Database
from evalsql.database.names import Names, resolve_names
from evalsql.errors import UsageError, warn
from evalsql.literals import literal, literals, rows_query
from evalsql.phrases import some_of


def are_held(database: Database) -> bool:
    return bool(database.rows("select 1 from main.stored_scores limit 1"))


def stored_rows(database: Database, measures: Sequence[Measure], condition: str) -> str:
    """A SELECT of stored values, empty where none are held; warns of those that lack, UsageError if that is all.

    The condition is one on judgment sets and runs.
    """
    if not measures or not are_held(database):
        return ""
    found = f"select qrels, run, topic, measure, value from {STORED}{condition}"
    stored = f"select * from ({found}) where measure in ({literals(measure.name for measure in measures)})"
    if text := _describe(_lacking(database, measures, condition)):
        computed = f"select 1 from coverage{condition} {'and' if condition else 'where'} missing_topics is not null"
        if not database.rows(f"select 1 from ({stored}) union all {computed} limit 1"):
            raise UsageError(text)
        warn(text)
    return stored


def add(
    database: Database, table: str, measures: Sequence[Measure], condition: str, made: Callable[[str], str] = str
) -> None:
    """Put stored values, or what is ``made`` of them, into a table that ``fill_scores`` made."""
    if stored := stored_rows(database, measures, condition):
        database.insert(f"temp.{table}", made(stored))


def check_rankings(database: Database, what: str, runs: Names, *, every: bool = False) -> None:
    """Warn of runs left out as their rankings are not here; UsageError if none is left, or it takes ``every`` one."""
    if unranked := _without_rankings(database):
        chosen = resolve_names(database, "run", runs or "*")
        with_some, without = ([run for run in chosen if (run in unranked) is lacks] for lacks in (False, True))
        text = f"{what} needs rankings, and none are here of {some_of(without)}"
        if without and (every or not with_some):
            raise UsageError(f"{text}; evalsql load runs FILE --replace brings the rankings")
        if without:
            warn(f"{text}; left out")


def with_rankings(database: Database, runs: Sequence[str]) -> list[str]:
    """The runs that have rankings here, rather than stored scores or assignments alone."""
    unranked = _without_rankings(database)
    return [run for run in runs if run not in unranked]


def _without_rankings(database: Database) -> set[str]:
    return {run for _, run in database.rows(database.query("unranked_runs"))}


def origin_notes(database: Database, qrels: Sequence[str], runs: Sequence[str]) -> list[str]:
    """Lines that tell which figures are stored ones, and which of them other SQL than this program's gave."""
    if not are_held(database):
        return []
    given = {kind: resolve_names(database, kind, names) for kind, names in (("qrels", qrels), ("run", runs)) if names}
    where = " and ".join(f"{kind} in ({literals(names)})" for kind, names in given.items()) or "true"
    stored = f"select distinct run, evalsql_version, sql_digest from {STORED} where {where}"
    own = f"{read_catalog().digest},{database.catalog.digest}"
    return database.remarks("origin_remarks", {"stored": stored}, own=own)


def with_every_measure(database: Database, measures: Sequence[Measure], qrels: str, runs: Sequence[str]) -> list[str]:
    """The runs without those whose stored scores lack a measure, which are warned of; UsageError if none is left."""
    if not (measures and runs and are_held(database)):
        return list(runs)
    lacking = _lacking(database, measures, f" where qrels = {literal(qrels)} and run in ({literals(runs)})")
    without = {run for some in lacking.values() for run in some}
    if len(without) == len(runs):
        raise UsageError(f"{_describe(lacking)}; a report has every measure of every run: name other measures")
    if without:
        warn(f"{_describe(lacking)}; left out, since a report has every measure of every run")
    return [run for run in runs if run not in without]


def _lacking(database: Database, measures: Sequence[Measure], condition: str) -> dict[str, list[str]]:
    """By measure the stored runs without values of it; measures that none lacks are left out."""
    inputs = {
        "stored": f"select distinct qrels, run, measure from {STORED}{condition}",
        "asked": rows_query("place, measure", [(place, each.name) for place, each in enumerate(measures)]),
    }
    return dict(database.rows(database.query("lacking_measures", inputs)))


def _describe(lacking: Mapping[str, Sequence[str]]) -> str:
    text = "; ".join(f"{measure} of {some_of(runs)}" for measure, runs in lacking.items())
    return text and f"not among the stored scores, and their rankings are not here to compute it: {text}"
