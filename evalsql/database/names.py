"""Names: those of runs and judgment sets, globs for them, and ids of documents that fit no judgments or order a run."""

from __future__ import annotations

import fnmatch
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from evalsql.catalog.measure_names import is_measure
from evalsql.catalog.relations import read_catalog
from evalsql.database.database import Database
from evalsql.errors import UsageError
from evalsql.phrases import counted, natural_key, nearest, shortened

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


def named(table: str, *owners: str) -> str:
    """A table and those that have the names of its keys, joined; without columns that somebody added to any of them."""
    tables = read_catalog().relations
    held = {each: f"(select {', '.join(tables[each].columns)} from {each}) as {each}" for each in (table, *owners)}
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
    return f"evalsql load qrels FILE --run {run} --replace brings both together"


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
    return {name for (name,) in database.rows(REPLACED)}


_MOST_TOLD = 3  # runs with a line of their own
RETRIEVED = "select * from retrieved"


def scarce_overlaps(database: Database, pairs: str, ranked: str = RETRIEVED) -> list[str]:
    """A line for each pair that has next to nothing in common, with ids of both sides; of many only the first ones.

    ``pairs`` is a SELECT of qrels_id and run_id, ``ranked`` one of the runs' rows, where the base table has none.
    """
    scarce = database.query("scarce_overlaps", {"new_pairs": pairs, "ranked": ranked})
    of_set, of_run = "qrels on qrels.qrels_id = scarce.qrels_id", "runs on runs.run_id = scarce.run_id"
    joined = f"({scarce}) as scarce join {of_set} join {of_run}"
    found = database.rows(f"select qrels.qrels, runs.run, scarce.* from {joined} order by qrels.qrels, runs.run")
    lines = [_overlap_line(database, row, ranked) for row in found[:_MOST_TOLD]]
    if len(found) > _MOST_TOLD:
        lines.append(f"... and {len(found) - _MOST_TOLD:,} more runs of which next to nothing is judged")
    return lines


def equal_scores(database: Database, ranked: str) -> list[str]:
    """A line for each run whose documents mostly have equal scores; of many only the first ones."""
    tied = database.query("equal_scores", {"ranked": ranked})
    shares = f"select runs.run, tied.tied_share from ({tied}) as tied join runs using (run_id) order by runs.run"
    lines = [
        f"{run}: names order its documents, as each has the score of {100 * share:.0f}% of its topic's on average; "
        "if the file has ranks, --tie-rule rank goes by them"
        for run, share in database.rows(shares)
    ]
    more = [f"... and {len(lines) - _MOST_TOLD:,} more runs whose documents names order"]
    return lines[:_MOST_TOLD] + more * (len(lines) > _MOST_TOLD)


def _overlap_line(database: Database, row: Sequence[Any], ranked: str) -> str:
    qrels, run, *numbers = row
    qrels_id, run_id, num_topics, common, retrieved, judged, topic_id = numbers
    keys = {"qrels_id": qrels_id, "run_id": run_id, "topic_id": topic_id}
    compared = database.query("ids_compared", {"ranked": ranked}, **keys)
    ids = database.rows(f"select side, string_agg(id, ', ' order by place) from ({compared}) group by all order by all")
    if not common:
        fact = f"none of {counted(num_topics, 'topic')} is judged ({qrels})"
    else:
        some = f"only {judged:,}" if judged else "none"
        verb = "are" if judged > 1 else "is"
        asked = f"{counted(retrieved, 'document')} retrieved for {counted(common, 'topic')}"
        fact = f"{some} of {asked} {verb} judged ({qrels})"
    what = "documents" if common else "topics"
    return f"{run}: {fact}; {what} {'; '.join(f'of the {side} {names}' for side, names in ids)}"
