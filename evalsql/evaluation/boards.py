"""Boards: the values of systems on many collections, the place of each system, and notes on both."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from evalsql.catalog.measure_names import Measure, parse_measures
from evalsql.catalog.queries import value_columns
from evalsql.database.database import Database
from evalsql.database.names import Names, as_list, fitting_names, resolve_names
from evalsql.errors import UsageError
from evalsql.evaluation.evaluation import TWO_METHODS, Evaluation, temporary_tables
from evalsql.evaluation.selection import Choice, choose_runs
from evalsql.literals import literals, rows_query

VALUES, CLUSTERS = "board_values", "collection_clusters"
COLLECTION = "coalesce(meta['collection'], qrels)"


class Board(NamedTuple):
    """The SELECT of a board's rows, that of its values on each collection, and what is said beside.

    ``sets`` are judgment sets by collection, ``lower`` the columns of which less is better.
    """

    measure: str
    query: str
    cells: str
    collections: Sequence[str]
    sets: Mapping[str, str]
    lower: frozenset[str]
    confidence: float
    notes: Sequence[str]


def board(
    evaluation: Evaluation,
    systems: Names = (),
    measure: str = "nDCG@10",
    *,
    baseline: str | None = None,
    collections: Names = (),
    qrels: Names = (),
    where: str | None = None,
    clusters: Mapping[str, str] | None = None,
    **options: Any,
) -> Board:
    """Systems by collections, the best on top; beside a baseline how far each is from it, as ``board_pairs`` has it.

    Options are the parameters of ``board_places``. Raises UsageError where nothing is left to be placed.
    """
    database = evaluation.database
    name, known = _measure(database, measure)
    lower = known is not None and known.relation.header.less_is_better
    given = {**options, "measure": name}
    given["lower_is_better"] = lower or (known is None and bool(options.get("lower_is_better")))
    is_lower = given.get("mean") == "borda" or (lower and given.get("mean", "macro") in ("macro", "micro"))
    wanted = [*as_list(systems), *([] if baseline is None or not systems else [baseline])]
    runs = None if where is None else choose_runs(database, Choice(where=where))
    with board_values(evaluation, {name: known}, runs, qrels), _chosen(database, wanted, collections, clusters):
        if not database.rows(f"select 1 from temp.{VALUES} limit 1"):
            brings = "evalsql load runs, or load scores FILE, brings some"
            raise UsageError(f"no collection has a value by {name}; {brings}")
        cells = evaluation.keep(f"select * from {_call(database, 'boards', given)}")
        names = database.column(f"select distinct collection from {cells} order by 1")
        if not names:
            raise UsageError(_why_empty(database, given))
        sets = dict(database.rows(f"select distinct collection, qrels from temp.{VALUES} where qrels is not null"))
        placed = _places(database, names, cells, given) if baseline is None else _pairs(database, baseline, given)
        kept = evaluation.keep(placed)
        notes = _notes(database, cells, kept, given, are_pairs=baseline is not None)
    confidence = float(given.get("confidence", 0.95))
    order = "place" if baseline is None else f"difference {'asc' if is_lower else 'desc'}"
    less = {"place", "place_low", "place_high"}
    if lower:
        less.update(names)
    if is_lower:
        less.update(["mean", "low", "high"])
    query = f"select * from {kept} order by {order}, system, version"
    return Board(name, query, f"select * from {cells}", names, sets, frozenset(less), confidence, notes)


def _measure(database: Database, asked: str) -> tuple[str, Measure | None]:
    """The canonical name of a measure, or one that only figures have; raises UsageError for others."""
    try:
        named = parse_measures([asked], database.catalog)
    except UsageError:
        if database.rows("select 1 from collection_scores where measure = ? limit 1", [asked]):
            return asked, None
        raise
    if len(named) != 1:
        raise UsageError(f'a board is by one measure, and "{asked}" names {len(named)}')
    return named[0].name, named[0]


@contextmanager
def board_values(
    evaluation: Evaluation, measures: Mapping[str, Measure | None], runs: Sequence[str] | None, qrels: Names = ()
) -> Iterator[None]:
    """Let the view ``board_values`` have the values of these runs, or of all, by these measures alone."""
    database = evaluation.database
    if database.rows(f"select 1 from system.main.duckdb_tables() where temporary and table_name = '{VALUES}'"):
        raise UsageError(f"a temporary table {VALUES} is in the way; drop it, or ask about it in SQL")
    evaluated = database.rows(f"select run from ({database.query('evaluated_runs')}) where is_evaluated")
    some = [run for (run,) in evaluated if runs is None or run in runs]
    stored = database.rows("select 1 from main.stored_scores limit 1")
    asked = [each for each in measures.values() if each is not None and (some or stored)]
    only = "true" if runs is None else f"run in ({literals(runs)})"
    with evaluation.with_scores(asked, qrels=_judging(database, qrels), runs=() if runs is None or stored else some):
        query = f"select * from {VALUES} where measure in ({literals(measures)}) and {only}"
        with temporary_tables(database, {VALUES: query}):
            yield


def _judging(database: Database, qrels: Names) -> Sequence[str]:
    """The judgment sets that are named, and of all other collections those in use; empty is all."""
    if not as_list(qrels):
        return ()
    named = literals(resolve_names(database, "qrels", qrels))
    others = f"{COLLECTION} not in (select {COLLECTION} from qrels where qrels in ({named}))"
    in_use = f"select qrels from qrels where qrels in ({named}) or (replaced_at is null and {others})"
    return database.column(in_use)


@contextmanager
def _chosen(
    database: Database, systems: Names, collections: Names, clusters: Mapping[str, str] | None
) -> Iterator[None]:
    """Keep the values of these systems and collections alone; ``clusters`` replace those of the relation."""
    for column, patterns in (("system", as_list(systems)), ("collection", as_list(collections))):
        held = database.column(f"select distinct {column} from temp.{VALUES}")
        if found := [each for one in patterns for each in fitting_names(one, held, column, "this measure has none")]:
            database.execute(f"delete from temp.{VALUES} where {column} not in ({literals(found)})")
    if clusters is None:
        yield
        return
    held = database.column(f"select distinct collection from temp.{VALUES}")
    if unknown := sorted(clusters.keys() - {*held}):
        raise UsageError(f'no collection of the board is called "{unknown[0]}"; there are: {", ".join(sorted(held))}')
    with temporary_tables(database, {CLUSTERS: rows_query("collection, cluster", [*clusters.items()])}):
        yield


def _call(database: Database, name: str, options: Mapping[str, Any]) -> str:
    """The macro call of a relation with those of the options that it takes; raises UsageError for unknown ones."""
    catalog = database.catalog
    allowed = {each.name for relation in (name, "board_pairs") for each in catalog[relation].parameters}
    if unknown := options.keys() - allowed:
        raise UsageError(f"a board takes no {min(unknown)}; there are: {', '.join(sorted(allowed))}")
    return database.call(name, **catalog[name].parsed(options))


def _places(database: Database, collections: Sequence[str], cells: str, options: Mapping[str, Any]) -> str:
    values = f"count(*) as num_collections, max(dated_at) as dated_at, {value_columns('collection', collections)}"
    small = [each.lower() for each in collections]
    if twice := [each for at, each in enumerate(small) if each in small[:at]]:
        raise UsageError(f'collections differ in case alone: "{twice[0]}"; --collections leaves one out')
    if taken := sorted({*small} & {*database.catalog["board_places"].columns}):
        called = f'called "{taken[0]}" as a column of the table is'
        raise UsageError(f"a collection is {called}; --collections leaves it out")
    return f"""
        select places.* exclude (measure), cells.* exclude (system, version)
        from {_call(database, "board_places", options)} as places
        join (select system, version, {values} from {cells} group by all) as cells
            on cells.system = places.system and cells.version is not distinct from places.version
    """


def _pairs(database: Database, baseline: str, options: Mapping[str, Any]) -> str:
    if options.get("versions") == "all":
        raise UsageError("a baseline is one version of a system, and versions=all asks for each; leave one of them out")
    held = database.column(f"select distinct system from {_call(database, 'boards', options)}")
    base = fitting_names(baseline, held, "system on the board", "no system is on it")[0]
    note = "case when simpson then 'the mean and most collections disagree' end as note"
    compared = _call(database, "board_pairs", {**options, "baseline": base})
    return f"select * exclude (baseline_version, sign_p, simpson), {note} from {compared}"


def _why_empty(database: Database, options: Mapping[str, Any]) -> str:
    if options.get("mean") == "micro":
        return "a micro mean takes values by topic, and of every system a figure without topics is among these"
    rows = f"select system, num_collections, num_wanted from {_call(database, 'board_rows', options)}"
    system, most, wanted = database.rows(f"{rows} order by num_collections desc, system, version limit 1")[0]
    has, wider = f"{system} has most, {most} of {wanted}", "any" if options.get("missing") == "common" else "common"
    return f"no system has all collections ({has}); try --missing {wider}, or name fewer with --collections"


def _notes(database: Database, cells: str, kept: str, options: Mapping[str, Any], *, are_pairs: bool) -> list[str]:
    """What is to be said of the systems, of what the values on the board are of, and of its intervals."""
    alike = "held.system = cells.system and held.version is not distinct from cells.version"
    of_run = f"select held.* from temp.{VALUES} as held join {cells} as cells on {alike}"
    placed = "null as tied_first, low, high, p_corrected" if are_pairs else "tied_first, low, high, null as p_corrected"
    inputs = {
        "board_systems": f"select * from {_call(database, 'board_rows', options)}",
        "board_figures": f"select * from {cells}",
        "board_collections": f"select distinct collection, qrels from temp.{VALUES} where qrels is not null",
        "board_cells": f"{of_run} and held.collection = cells.collection",
        "board_placed": f"select separated, {placed} from {kept}",
    }
    how = database.catalog["board_remarks"].parsed(options) | {"are_pairs": are_pairs}
    return database.remarks("board_remarks", inputs, **how, two_methods=TWO_METHODS.format("collections"))
