"""Evaluates runs on a Spark cluster: runs are the unit of work, and each task is evalsql on DuckDB.

No run is split. A portion of the tasks is written at a time, so that a job that was stopped goes on where it was.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from evalsql.catalog.measure_names import parse_measures
from evalsql.catalog.relations import read_catalog
from evalsql.database.names import Names, as_list
from evalsql.engines.spark_files import MOST_BYTES, Files, Output, Run, tasks, waves
from evalsql.engines.spark_task import OTHER_VERSION, ROWS, RUN, Job, evaluate_files, evaluate_table
from evalsql.errors import EvalsqlError, InputError, Problem, UsageError
from evalsql.ingest.files.input_files import stem
from evalsql.ingest.load_options import RunOptions
from evalsql.phrases import Progress, silent
from evalsql.warehouse.own_measures import Sources, read_sources

MEMORY_LIMIT = "2GB"
NO_SPARK = "Spark is not installed: pip install 'evalsql[spark]' brings it, and it needs Java 17 or newer"
_SETTINGS = {
    "spark.sql.execution.arrow.maxRecordsPerBatch": "1",  # a batch is a file then, and fits into memory
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "1000000",  # files are known, no job need list them
    "spark.sql.unionOutputPartitioning": "false",  # a union of single partitions would be one task
}


class Outcome(NamedTuple):
    out: str
    evaluated: list[str]  # names of runs
    kept: int  # how many runs had their scores already
    problems: dict[str, str]  # by run why it was refused, with file and line
    notes: list[str]  # what is likely to mislead


def evaluate(
    session: Any,
    *,
    qrels: str | Path,
    runs: Names | Any,
    measures: Names,
    out: str | Path,
    name: str | None = None,
    run_column: str | None = None,
    form: str = "grades",
    tie_rule: str | None = None,
    lower_is_better: bool = False,
    keep_best: bool = False,
    columns: Mapping[str, str] | None = None,
    qrels_columns: Mapping[str, str] | None = None,
    own: Sources = (),
    strict: bool = False,
    memory_limit: str = MEMORY_LIMIT,
    threads: int = 1,
    progress: Progress = silent,
) -> Outcome:
    """Evaluate runs on the cluster of a Spark session, and write the values of measures as Parquet.

    Runs whose scores are in ``out`` already, computed in the same way from the same files, are left as they are.
    Arguments not named here are those of ``Warehouse.load_runs`` and ``load_qrels``.

    Args:
        qrels: a file on this machine, or any path that Spark reads.
        runs: paths or globs that Spark reads; a file is a run named by its stem, a folder one run of all its files.
            With ``run_column``, which names the run of each row, Parquet tables or a Spark DataFrame.
        out: folder for the results, on any file system that Spark writes and all machines share.
        name: of the judgment set; by default the file's stem.
        own: relation files of measures of one's own, or folders of them, on this machine.
        strict: end with an error, and nothing of the portion written, where one run is refused.
        memory_limit, threads: what each task may take.
        progress: called with (stage, done, total) in runs.

    Raises:
        UsageError: names or options that do not fit, a folder with scores of another job, no evalsql on the executors.
        InputError: files that are not there; with ``strict`` all runs that were refused.
    """
    files = Files(session)
    path, relations = str(qrels), read_sources(own)
    catalog = read_catalog().extended(relations)
    found = parse_measures(as_list(measures), catalog)
    if not found:
        raise UsageError("name at least one measure, such as nDCG@10")
    job = Job(
        qrels=name or stem(path),
        qrels_file=path,
        qrels_bytes=Path(path).read_bytes() if os.path.isfile(path) else files.read(path),
        measures=[measure.name for measure in found],
        digest=catalog.digest,
        form=form,
        qrels_columns=qrels_columns,
        run_options=RunOptions(tie_rule, lower_is_better, keep_best, columns=columns),
        own={relation.path.name: relation.text for relation in relations},
        memory_limit=memory_limit,
        threads=threads,
    )
    output = Output(session, files, str(out), job)
    with _explained():
        if run_column is not None:
            outcome = _evaluate_tables(output, runs, run_column, strict)
        else:
            outcome = _evaluate_runs(output, files.runs(as_list(runs)), strict, progress)
    outcome.evaluated.sort()
    return outcome


def _evaluate_runs(output: Output, runs: Sequence[Run], strict: bool, progress: Progress) -> Outcome:
    held = output.evaluated()
    if changed := [run.name for run in runs if run.name in held and held[run.name] != set(run.files)]:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        raise UsageError(f"{output.folder}: has scores of run {changed[0]}{more} from other files; name another folder")
    missing = [run for run in runs if run.name not in held]
    outcome = Outcome(output.folder, [], len(runs) - len(missing), {}, [])
    if not missing:
        return outcome
    why = f"Spark hands over files up to {MOST_BYTES:,}; write the run as several files in a folder"
    large = {run.name: [f"{file.path}: has {file.bytes:,} bytes, {why}" for file in run.too_large] for run in missing}
    _add(outcome, [_refused(name, "\n".join(lines)) for name, lines in large.items() if lines], strict)
    output.begin()
    whole = [run for run in missing if not large[run.name]]
    slots = max(1, output.session.sparkContext.defaultParallelism)
    done = 0
    for groups in waves(tasks(whole, slots), slots):
        progress("evaluating runs", done, len(whole))
        members = {run.name: run for group in groups for run in group}
        with _settings(output.session):
            rows = _file_rows(output.session, output.job, groups)
            _evaluate_portion(output, rows, members, json.dumps(sorted(members.items())), outcome, strict)
        done += len(members)
    progress("evaluating runs", len(whole), len(whole))
    output.finish()
    return outcome


def _evaluate_tables(output: Output, runs: Any, column: str, strict: bool) -> Outcome:
    paths = as_list(runs) if isinstance(runs, Sequence) else []
    table = output.session.read.parquet(*paths) if paths else runs
    if column not in table.columns:
        raise UsageError(f"the table has no column {column}; it has {', '.join(table.columns)}")
    files = sorted(output.files.facts(table.inputFiles()))
    fingerprint = hashlib.sha256(json.dumps(files).encode()).hexdigest()
    label = f"{', '.join(paths) or 'a Spark table'} #{fingerprint[:12]}"
    held = output.evaluated()
    if other := [run for run, its in held.items() if {path for path, *_ in its} != {label}]:
        raise UsageError(f"{output.folder}: holds scores of run {other[0]} from other files; name another folder")
    # A null would be a run of its own, under no name.
    table = table.where(table[column].isNotNull())
    names = [str(row[0]) for row in table.select(table[column].cast("string")).distinct().collect()]
    missing = sorted({*names} - held.keys())
    outcome = Outcome(output.folder, [], len(names) - len(missing), {}, [])
    if not missing:
        return outcome
    output.begin()
    if held:
        table = table.where(~table[column].cast("string").isin(list(held)))
    job, columns = output.job, [each for each in table.columns if each != column]

    def rows_of(key: Any, its: Any) -> Any:
        import pyarrow

        return pyarrow.Table.from_batches(list(evaluate_table(job, label, str(key[0].as_py()), its.select(columns))))

    rows = table.groupBy(table[column].cast("string").alias("evalsql_run")).applyInArrow(rows_of, ROWS)
    _evaluate_portion(output, rows, {}, json.dumps([label, missing]), outcome, strict)
    output.finish()
    return outcome


def _evaluate_portion(
    output: Output, rows: Any, runs: Mapping[str, Run], identity: str, outcome: Outcome, strict: bool
) -> None:
    rows = rows.persist()
    try:
        found = rows.where(f"kind = '{RUN}'").select("facts").collect()
        facts = sorted((json.loads(row[0]) for row in found), key=lambda fact: str(fact["run"]))
        for name in sorted(runs.keys() - {fact["run"] for fact in facts}):
            why = "a file of it was removed meanwhile, or Spark is set to leave out files it cannot read"
            facts.append(_refused(name, f"{runs[name].files[0].path}: run {name} was not read whole; {why}"))
        _add(outcome, facts, strict)
        output.write(rows, facts, runs, identity)
    finally:
        rows.unpersist()


def _refused(name: str, problem: str) -> dict[str, Any]:
    return {"run": name, "files": [], "notes": "", "problem": problem}


def _add(outcome: Outcome, facts: Sequence[Mapping[str, Any]], strict: bool) -> None:
    """Add what the tasks found of their runs; raises InputError if one was refused and none may be."""
    problems = {fact["run"]: fact["problem"] for fact in facts if fact["problem"] is not None}
    if problems and strict:
        lines = [line.partition(": ") for text in problems.values() for line in text.splitlines()]
        raise InputError([Problem(place, 0, why) if why else Problem("run", 0, place) for place, _, why in lines])
    outcome.problems.update(problems)
    outcome.evaluated.extend(fact["run"] for fact in facts if fact["problem"] is None)
    outcome.notes.extend(line for fact in facts for line in fact["notes"].splitlines())


def _file_rows(session: Any, job: Job, groups: Sequence[Sequence[Run]]) -> Any:
    """The rows of all tasks: each reads its own files and nobody else's, so nothing is shuffled."""
    runs = {file.path: (run.name, len(run.files)) for group in groups for run in group for file in run.files}
    tables = []
    for group in groups:
        # Paths are globs to Spark.
        paths = [re.sub(r"([*?\[\]{}\\])", r"\\\1", file.path) for run in group for file in run.files]
        tables.append(session.read.format("binaryFile").load(paths).select("path", "content").coalesce(1))
    while len(tables) > 1:  # in pairs, so that the plan is no deeper than need be
        tables = [a.union(b) if b is not None else a for a, b in zip(tables[::2], [*tables[1::2], None], strict=False)]

    def rows_of(batches: Iterator[Any]) -> Iterator[Any]:
        return evaluate_files(job, runs, batches)

    return tables[0].mapInArrow(rows_of, ROWS)


@contextmanager
def _settings(session: Any) -> Iterator[None]:
    before = {key: session.conf.get(key, None) for key in _SETTINGS}
    for key, value in _SETTINGS.items():
        session.conf.set(key, value)
    try:
        yield
    finally:
        for key, held in before.items():
            session.conf.unset(key) if held is None else session.conf.set(key, held)


@contextmanager
def _explained() -> Iterator[None]:
    """Errors of tasks that are mistakes of the set-up, in a sentence."""
    try:
        yield
    except EvalsqlError:
        raise
    except Exception as error:
        if "No module named 'evalsql" in str(error):
            advice = "install it there, and name that Python by PYSPARK_PYTHON"
            raise UsageError(f"the Python of the executors has no evalsql; {advice}") from error
        if other := next((line for line in str(error).splitlines() if OTHER_VERSION in line), ""):
            raise UsageError(other[other.index(OTHER_VERSION) :]) from error
        raise
