"""Evaluates portions of runs, rows of whole topics as ``ingest.parts`` reads them; adds up what it finds of a run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalsql.catalog.measure_names import literal, parse_measures
from evalsql.database.database import Database
from evalsql.ingest.base_rows import rank_judged
from evalsql.ingest.files.source import Source, in_batches
from evalsql.ingest.files.table import TREC_TEXT, Table
from evalsql.ingest.load_options import RunOptions
from evalsql.ingest.load_warnings import LoadWarnings
from evalsql.ingest.parts import KINDS, arrow_batches, arrow_rows
from evalsql.ingest.python_rows import make_temp_table
from evalsql.ingest.ranking import NewRun, RunBatch, StagedFile
from evalsql.warehouse.warehouse import Warehouse

if TYPE_CHECKING:
    import pyarrow

VALUES = "qrels string, run string, topic string, measure string, value double, facts string"
Facts = dict[str, Any]
_MOST_NOTES, _MOST_LINES = 3, 20
_ROWS_PUT = 100_000  # rows of a portion that are put into the database at once


def portions(batches: Iterable[Any], size: int, *, whole_runs: bool) -> Iterator[Iterator[Any]]:
    """Rows in order of run and topic as portions of a size, which take what is left of their last topic, or run."""
    numbered = _numbered(batches, size, ("run",) if whole_runs else ("run", "topic"))
    for _, pieces in groupby(numbered, key=lambda piece: piece[0]):
        yield (rows for _, rows in pieces)


def _numbered(batches: Iterable[Any], size: int, keys: Sequence[str]) -> Iterator[tuple[int, Any]]:
    """The rows, each with the number of its portion."""
    from pyarrow import compute

    number = num_rows = 0
    last: dict[str, Any] = {}
    for batch in batches:
        while end := batch.num_rows:
            if num_rows >= size:
                same = [compute.fill_null(compute.equal(batch.column(name), last[name]), False) for name in last]
                end = compute.index(reduce(compute.and_, same), False).as_py()
                if end == 0:
                    number, num_rows = number + 1, 0
                    continue
                end = batch.num_rows if end < 0 else end
            yield number, batch.slice(0, end)
            num_rows += end
            last = {name: batch.column(name)[end - 1] for name in keys}
            batch = batch.slice(end)


def portion_values(
    warehouse: Warehouse, measures: Sequence[str], options: RunOptions, pieces: Iterator[Any]
) -> Iterator[pyarrow.RecordBatch]:
    """Facts and values of a portion, whose rows are in the warehouse meanwhile."""
    warehouse.execute("begin transaction")
    try:
        _put(warehouse.database, pieces)
        options = replace(options, keeps_unjudged=warehouse.loader.keeps_unjudged, warns=False)
        yield from _portion_rows(warehouse, measures, options)
    finally:
        warehouse.execute("rollback")


def _put(database: Database, pieces: Iterator[Any]) -> None:
    import pyarrow

    columns = {"run": "varchar", "topic": "varchar", "document": "varchar", "score": "double", "given_rank": "integer"}
    make_temp_table(database, "portion", {**columns, "kind": "integer", "place": "bigint", "facts": "varchar"})
    for some in in_batches(pieces, lambda piece: int(piece.num_rows), _ROWS_PUT):
        database.register("evalsql_rows", pyarrow.Table.from_batches(some))
        database.execute("insert into portion from evalsql_rows")
        database.unregister("evalsql_rows")


def _portion_rows(warehouse: Warehouse, measures: Sequence[str], options: RunOptions) -> Iterator[pyarrow.RecordBatch]:
    database, found = warehouse.database, LoadWarnings()
    kinds = database.rows("select run, coalesce(max(kind), 0) from portion group by run order by 2, 1")
    names = {run: number for number, (run, _) in enumerate(kinds, start=1)}
    listed = ", ".join(f"({literal(run)}, {number})" for run, number in names.items())
    database.execute(f"create or replace temp table portion_runs as from (values {listed}) as runs(run, run_id)")
    topics = "select run_id, topic from portion join portion_runs using (run) where coalesce(document, facts) is null"
    database.insert("evaluations", database.query("portion_evaluations", {"portion_topics": topics}))
    facts: dict[str, Facts] = {run: {"run": run} for run in names}
    for kind, group in groupby(kinds, key=lambda row: int(row[1])):
        own = [run for run, _ in group]
        facts[own[0]]["notes"] = _rank(database, options, kind, {run: names[run] for run in own}, found, facts)
    columns, counts = database.table(database.query("portion_counts"))
    for row in counts:
        facts[row[0]] |= dict(zip(columns, row, strict=True))
    for row in found.rounded:
        facts[row[0]]["rounded"] = row
    told = [(run, json.dumps(fact)) for run, fact in facts.items()]
    told += database.rows("select run, facts from portion where facts is not null")
    yield arrow_rows([{"run": run, "facts": fact} for run, fact in told], VALUES)
    named = parse_measures(measures, database.catalog)
    warehouse.evaluation.fill_scores("portion_scores", [(measure.name, measure) for measure in named])
    scores = "select *, null as facts from temp.portion_scores order by run, measure, topic"
    yield from arrow_batches(database, scores, VALUES)


def _rank(
    database: Database,
    options: RunOptions,
    kind: int,
    names: Mapping[str, int],
    found: LoadWarnings,
    facts: Mapping[str, Facts],
) -> list[str]:
    """Rank the portion's runs of one kind, and what is judged of them; returns notes and adds to facts and warnings."""
    runs = []
    for run, number in names.items():
        source = Source(run, Path(), number=number)
        table = Table(database, source, TREC_TEXT, columns=KINDS[kind])
        runs.append(NewRun(run, number, (), [StagedFile(source, table)]))
    batch = RunBatch(database, runs, options)
    database.execute(f"""
        insert into staged_run_rows by name
        select run_id as file_id, topic, document, given_rank, score, false as doubtful
        from portion join portion_runs using (run)
        where document is not null and kind = {kind} {"order by place" if options.tie_rule == "input" else ""}
    """)
    notes = batch.rank()
    repeated = sorted(batch.repeated())
    batch.store()
    batch.note_ties(found)
    texts, found.texts = found.texts, []
    judged = None if batch.options.keeps_unjudged else "select * from judged_or_tied"
    ((qrels_id,),) = database.rows("select qrels_id from qrels")
    rank_judged(database, [(qrels_id, number) for number in names.values()], judged)
    for run, number in names.items():
        twice = [f"document {document} of topic {topic}" for run_id, topic, document, _ in repeated if run_id == number]
        more = f", and {len(twice) - 1:,} more like it" if len(twice) > 1 else ""
        facts[run] |= {"problem": f"run {run}: {twice[0]} stands more than once{more}"} if twice else {}
        facts[run] |= {"tie_rule": batch.options.tie_rule, "lower_is_better": batch.options.lower_is_better}
    return notes + texts


def added_up(run: str, place: str, facts: Sequence[Facts]) -> Facts:
    """What was found of a run, over all its portions; ``place`` is what messages call the run as a whole."""

    def given(name: str) -> list[Any]:
        return [fact[name] for fact in facts if fact.get(name) is not None]

    found: Facts = {name: sum(given(name)) for name in ("num_rows", "missing_topics", "duplicates")}
    problems = dict.fromkeys(line for text in given("problem") for line in text.splitlines())
    if len(set(given("kind"))) > 1:
        problems[f"{place}: E-values, other scores or ranks in one run; name their files apart"] = None
    if not found["num_rows"] and not problems:
        problems[f"{place}: holds no rows"] = None
    notes = dict.fromkeys(note for some in given("notes") for note in some)
    if rounded := given("rounded"):
        total = sum(row[1] for row in rounded)
        notes |= dict.fromkeys(LoadWarnings(rounded=[(run, total, *rounded[0][2:])]).lines())
    if found["num_rows"] and not sum(given("judged_documents")):
        notes[f"{place}: none of its documents is judged"] = None
    return {
        **found,
        **{name: next(iter(given(name)), None) for name in ("tag", "tie_rule", "lower_is_better")},
        "run": run,
        "notes": "\n".join(list(notes)[:_MOST_NOTES]),
        "problem": "\n".join(list(problems)[:_MOST_LINES]) or None,
    }
