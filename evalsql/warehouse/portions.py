"""Runs of any size, evaluated a portion at a time: what is sent to processes, and what comes of the portions."""

from __future__ import annotations

import atexit
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from evalsql.catalog.ddl import creating_statements
from evalsql.catalog.measure_names import parse_measures
from evalsql.catalog.relations import STEPS, read_catalog
from evalsql.database.database import MEMORY, Database
from evalsql.database.disk import scratch_folder
from evalsql.database.names import named
from evalsql.errors import InputError
from evalsql.ingest.base_rows import LoadWarnings, rank_judged
from evalsql.ingest.files.source import Source, in_batches
from evalsql.ingest.files.table import TREC_TEXT, Table
from evalsql.ingest.load_options import RunOptions
from evalsql.ingest.parts import KINDS, READ, arrow_batches, arrow_rows, file_name, noted
from evalsql.ingest.ranking import NewRun, RunBatch, StagedFile
from evalsql.version import __version__
from evalsql.warehouse.open import open_database
from evalsql.warehouse.own_measures import read_sources
from evalsql.warehouse.warehouse import Warehouse

OTHER_VERSION = "the executors have another version"


@dataclass(frozen=True)
class Job:
    """What is evaluated and how, as it is sent to every process."""

    qrels: str
    qrels_file: str
    qrels_bytes: bytes
    measures: Sequence[str]  # canonical names
    digest: str  # SHA-256 over the relation files of the program that sends it
    form: str = "grades"
    run_options: RunOptions = field(default_factory=RunOptions)
    qrels_columns: Mapping[str, str] | None = None
    own: Mapping[str, bytes] = field(default_factory=dict)  # relation files of measures by their names
    engine: str = duckdb.__version__
    memory_limit: str = "2GB"
    threads: int = 1
    portion: int = 1_000_000  # rows that are evaluated together; a topic is never split
    whole_runs: bool = False  # whether a run is never split either: a user's measures may cross topics

    @property
    def qrels_sha256(self) -> str:
        return hashlib.sha256(self.qrels_bytes).hexdigest()

    @cached_property
    def key(self) -> str:
        """What tells it from jobs that tasks of another warehouse do."""
        return repr([*self.identity.values(), self.digest, self.engine, self.memory_limit, self.threads])

    @cached_property
    def crossing(self) -> Sequence[str]:
        """Measures that take a threshold over all topics of a run, where runs are split."""
        catalog = warehouse_of(self).database.catalog
        named = () if self.whole_runs else parse_measures(self.measures, catalog)
        steps = {each.name: catalog.build_order([each.relation.name]) for each in named}
        return [name for name, read in steps.items() if any(step.header.crosses_topics for step in read)]

    @property
    def identity(self) -> dict[str, str]:
        """All that figures depend on beside the runs."""
        rows = self.run_options.for_rows()
        options: list[object] = [rows.tie_rule, rows.lower_is_better, rows.keep_best, self.form]
        options += [given and sorted(given.items()) for given in (rows.columns, self.qrels_columns)]
        return {
            "judgments": f"{self.qrels}, SHA-256 {self.qrels_sha256[:12]}",
            "measures": ", ".join(sorted(self.measures)),
            "options": json.dumps(options),
            "SQL": self.digest[:12],
        }


def judged_topics(job: Job) -> list[str]:
    """The topics that every run is evaluated on; raises InputError for all that is wrong with the judgments."""
    query = f"select distinct topic from {named('judged_documents', 'topics')} order by topic"
    return warehouse_of(job).database.column(query)


_held: dict[str, Warehouse] = {}
_at_end = ExitStack()
atexit.register(_at_end.close)


def warehouse_of(job: Job) -> Warehouse:
    """A warehouse with the judgments, which this process keeps for the portions that follow."""
    if job.key not in _held:
        _at_end.close()
        _at_end.callback(_held.clear)
        places = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")  # on this machine's disk
        local = next((Path(place) for place in places if os.path.isdir(place)), None)
        folder = Path(_at_end.enter_context(scratch_folder(local, holds_others=True)))
        judged = folder / "qrels" / file_name(job.qrels_file)
        files = {judged: job.qrels_bytes} | {folder / "own" / name: content for name, content in job.own.items()}
        for path, content in files.items():
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
        own = folder / "own" if job.own else ()
        _check_versions(job, read_catalog().extended(read_sources(own)).digest)
        database = open_database(MEMORY, measures=own, memory_limit=job.memory_limit)
        warehouse = _at_end.enter_context(Warehouse(database, asked=job.measures))
        warehouse.execute(f"set threads = {job.threads}")
        with noted():
            how: dict[str, Any] = {"keep_best": job.run_options.keep_best, "columns": job.qrels_columns}
            try:
                warehouse.load_qrels(judged, job.qrels, form=job.form, **how)
            except InputError as error:
                problems = [problem._replace(file=job.qrels_file) for problem in error.problems]
                raise InputError(problems, error.count) from error
        _held[job.key] = warehouse
    return _held[job.key]


def _check_versions(job: Job, digest: str) -> None:
    """Raise RuntimeError where this process has other SQL or another DuckDB than the program that sends the job."""
    for what, here, there in (("SQL", digest, job.digest), ("DuckDB", duckdb.__version__, job.engine)):
        if here != there:
            raise RuntimeError(
                f"{OTHER_VERSION} of {what}: evalsql {__version__} there has {here[:12]}, the program that sends "
                f"the job has {there[:12]}; install the same versions of evalsql and duckdb on all machines"
            )


if TYPE_CHECKING:
    import pyarrow

VALUES = "qrels string, run string, topic string, measure string, value double, facts string"
HANDED = "run string, facts string"  # what portions tell each other of a run
Facts = dict[str, Any]
_MOST_NOTES, _MOST_LINES = 3, 20


def in_portions(job: Job, do: Callable[..., Iterator[Any]], batches: Iterable[Any]) -> Iterator[pyarrow.RecordBatch]:
    """What ``do`` gives for rows in order of run and topic, a portion at a time; no topic, or no run, is split."""
    keys = ("run",) if job.whole_runs or do is run_thresholds else ("run", "topic")
    for _, pieces in groupby(_numbered(batches, job.portion, keys), key=lambda piece: piece[0]):
        yield from do(job, (rows for _, rows in pieces))


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


def portion_values(job: Job, pieces: Iterator[Any]) -> Iterator[pyarrow.RecordBatch]:
    """Facts and values of a portion; the thresholds of measures that cross topics were handed in."""
    with _put(job, pieces) as warehouse:
        database = warehouse.database
        told = [(run, json.dumps(fact)) for run, fact in _ranked(warehouse, job.run_options).items()]
        told += database.rows("select run, facts from portion where topic is null")
        yield arrow_rows([{"run": run, "facts": fact} for run, fact in told], VALUES)
        for names in ([name for name in job.measures if name not in job.crossing], job.crossing):
            if names and names is job.crossing:
                _stand_in(database, "found_thresholds", "tap_thresholds")
            measures = parse_measures(names, database.catalog)
            warehouse.evaluation.fill_scores("portion_scores", [(measure.name, measure) for measure in measures])
            scores = "select *, null as facts from temp.portion_scores order by run, measure, topic"
            yield from arrow_batches(database, scores, VALUES)


def portion_candidates(job: Job, pieces: Iterator[Any]) -> Iterator[pyarrow.RecordBatch]:
    """What a portion has of its runs for the thresholds of measures that cross topics."""
    with _put(job, pieces) as warehouse:
        _ranked(warehouse, job.run_options)
        yield from _handed_out(warehouse.database, job, "portion_candidates")


def run_thresholds(job: Job, pieces: Iterator[Any]) -> Iterator[pyarrow.RecordBatch]:
    """The thresholds of whole runs, from the candidates of all their portions."""
    with _put(job, pieces) as warehouse:
        _stand_in(warehouse.database, "found_candidates", "tap_candidates")
        yield from _handed_out(warehouse.database, job, "portion_thresholds")


def _handed_out(database: Database, job: Job, name: str) -> Sequence[pyarrow.RecordBatch]:
    """A text for each run with what a relation finds for all measures that cross topics."""
    catalog, taken = database.catalog, [each.name for each in database.catalog[name].parameters]
    given = [{each: measure.arguments[each] for each in taken} for measure in parse_measures(job.crossing, catalog)]
    found = {database.query(name, {}, **arguments) for arguments in given}
    rows = {"found": "\nunion all\n".join(sorted(found))}
    return arrow_batches(database, database.query("handed_out", rows), HANDED)


def _stand_in(database: Database, name: str, step: str) -> None:
    """Have a relation read in the place of a step, until the portion ends: what was found elsewhere."""
    database.make("handed_in", database.query("handed_in"))
    made = {step: replace(database.catalog[name], name=step, kind=STEPS)}
    for each in database.catalog.build_order():  # and whatever reads it, directly or not
        if each.name != step and each.reads & made.keys():
            made[each.name] = each
    database.catalog = database.catalog.for_connection(made)
    for each in made.values():  # of those that are browsed the first statement is the macro
        database.execute(next(creating_statements(database.catalog, each, temporary=True))[1])


@contextmanager
def _put(job: Job, pieces: Iterator[Any]) -> Iterator[Warehouse]:
    """The warehouse that has the rows of a portion meanwhile."""
    import pyarrow

    warehouse = warehouse_of(job)
    database, catalog = warehouse.database, warehouse.database.catalog
    database.execute("begin transaction")
    try:
        database.execute(f"create temp table portion ({READ})")
        for some in in_batches(pieces, lambda piece: int(piece.num_rows), 100_000):
            database.register("evalsql_rows", pyarrow.Table.from_batches(some))
            database.insert("portion", "from evalsql_rows")
            database.unregister("evalsql_rows")
        database.make("portion_runs", database.query("portion_runs"))
        yield warehouse
    finally:
        database.execute("rollback")
        database.catalog = catalog


def _ranked(warehouse: Warehouse, options: RunOptions) -> dict[str, Facts]:
    """Rank the runs of a portion, which the warehouse then holds; returns the facts about each."""
    database = warehouse.database
    options = replace(options, keeps_unjudged=warehouse.loader.keeps_unjudged, warns=False)
    database.insert("evaluations", database.query("portion_evaluations"))
    kinds = database.rows("select kind, run, run_id from portion_runs order by run_id")
    facts: dict[str, Facts] = {run: {"run": run} for _, run, _ in kinds}
    for kind, group in groupby(kinds, key=lambda row: int(row[0])):
        _rank(database, options, kind, {run: number for _, run, number in group}, facts)
    columns, counts = database.table(database.query("ranking_counts"))
    for row in counts:
        facts[row[0]] |= dict(zip(columns, row, strict=True))
    return facts


def _rank(database: Database, options: RunOptions, kind: int, names: dict[str, int], facts: dict[str, Facts]) -> None:
    """Rank the portion's runs of one kind, and what is judged of them; adds to the facts."""
    sources = [Source(run, Path(), number=number) for run, number in names.items()]
    files = [StagedFile(source, Table(database, source, TREC_TEXT, columns=KINDS[kind])) for source in sources]
    runs = [NewRun(run, number, (), [file]) for (run, number), file in zip(names.items(), files, strict=True)]
    batch, found = RunBatch(database, runs, options), LoadWarnings()
    rows = f"""
        select run_id as file_id, topic, document, given_rank, score, false as doubtful
        from portion join portion_runs as runs using (run)
        where document is not null and runs.kind = {kind} {"order by place" if options.tie_rule == "input" else ""}
    """
    database.insert("staged_run_rows", rows)
    notes = batch.rank()
    repeated = sorted(batch.repeated())
    batch.store()
    batch.note_ties(found)
    ((qrels_id,),) = database.rows("select qrels_id from qrels")
    rank_judged(database, [(qrels_id, number) for number in names.values()], batch.unretained)
    for run, number in names.items():
        twice = [f"document {document} of topic {topic}" for run_id, topic, document, _ in repeated if run_id == number]
        if twice:
            more = f", and {len(twice) - 1:,} more like it" if len(twice) > 1 else ""
            facts[run]["problem"] = f"run {run}: {twice[0]} stands more than once{more}"
        facts[run] |= {"tie_rule": batch.options.tie_rule, "lower_is_better": batch.options.lower_is_better}
    facts[next(iter(names))]["notes"] = notes + found.texts
    for row in found.rounded:
        facts[row[0]]["rounded"] = row


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
