"""Evaluates runs on a Spark cluster: rows are distributed, and portions of them evaluated by evalsql on DuckDB.

Spark reads the rows where they lie and brings those of a topic together. Some runs are written at a time, so that a job
that was stopped goes on where it was. It needs the extra ``evalsql[spark]``.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from evalsql.catalog.measure_names import parse_measures
from evalsql.catalog.relations import read_catalog
from evalsql.database.names import Names, as_list
from evalsql.engines.spark_rows import Output, Run, Runs, Table, read_file, values_of
from evalsql.errors import EvalsqlError, InputError, Problem, UsageError
from evalsql.ingest.files.input_files import stem
from evalsql.ingest.files.source import in_batches
from evalsql.ingest.load_options import RunOptions
from evalsql.phrases import Progress, read_cells, silent, some_of
from evalsql.warehouse.own_measures import Sources, read_sources
from evalsql.warehouse.portions import OTHER_VERSION, Facts, Job, added_up

__all__ = ["Outcome", "evaluate"]


_MEANINGS = [[rf"{OTHER_VERSION} of .*", "{0}"], *read_cells(Path(__file__).with_name("spark_errors.tsv"))]
_OURS = re.compile(r"evalsql\.errors\.\w+: (?P<text>.+(?:\n(?!\s|Traceback|\S+Error|JVM stacktrace| SQLSTATE).+)*)")
NO_SPARK = "Spark is not installed: pip install 'evalsql[spark]' brings it, and it needs Java 17 or newer"
_WAVE_BYTES = 1_000_000_000  # of text by slot of the cluster, after which values are written
# Each file is read as one block, so that its lines can be counted.
_WHOLE = {f"spark.sql.files.{name}": str(1 << 60) for name in ("maxPartitionBytes", "openCostInBytes")}


@contextmanager
def explained() -> Iterator[None]:
    """Errors of Spark that are mistakes of the set-up as UsageError, in a sentence."""
    try:
        yield
    except EvalsqlError:
        raise
    except Exception as error:
        if text := meaning(f"{type(error).__name__}: {error}"):
            raise UsageError(text) from error
        raise


def meaning(text: str) -> str:
    """What an error of Spark means; empty where it is not known."""
    for pattern, told in _MEANINGS:
        if found := re.search(pattern, text):
            return told.format(found[0], **found.groupdict())
    return ours["text"] if (ours := _OURS.search(text)) else ""


class Outcome(NamedTuple):
    out: str
    evaluated: list[str]  # names of runs
    kept: int  # how many runs had their scores already
    problems: dict[str, str]  # by run why it was refused, with file and line
    notes: list[str]  # what is likely to mislead


def evaluate(
    session: Any,
    qrels: Any,
    runs: Names | Any,
    measures: Names,
    *,
    out: str | Path | None = None,
    name: str | None = None,
    run_column: str | None = None,
    form: str = "grades",
    tie_rule: str | None = None,
    lower_is_better: bool = False,
    keep_best: bool = False,
    columns: Mapping[str, str] | None = None,
    call: str | None = None,
    qrels_columns: Mapping[str, str] | None = None,
    own: Sources = (),
    strict: bool = False,
    memory_limit: str = "2GB",
    threads: int = 1,
    portion: int = 1_000_000,
    progress: Progress = silent,
) -> Any:
    """Evaluate runs on the cluster of a Spark session: a DataFrame of ``qrels, run, topic, measure, value``.

    It is computed when it is asked for, and a run that is refused ends it. With ``out`` the values are written as
    Parquet instead, and an ``Outcome`` is returned. Runs whose scores are there already, computed in the same way from
    the same files, are left as they are. Arguments not named here are those of ``Warehouse.load_runs`` and
    ``load_qrels``.

    Args:
        qrels: a file on this machine, or any path that Spark reads, or a DataFrame.
        runs: paths or globs that Spark reads; a file is a run named by its stem, a folder one run of all its files.
            With ``run_column``, which names the run of each row, tables in Parquet, CSV or JSON lines, or a DataFrame.
        out: folder for the results, on any file system that Spark writes and all machines share.
        name: of the judgment set; by default the file's stem.
        own: relation files of measures of one's own, or folders of them, on this machine.
        strict: end with an error, and nothing of the batch written, where one run is refused.
        memory_limit, threads: what each task may take.
        portion: how many rows are evaluated together. A topic is never split, nor a run by measures of your own.
        progress: called with (stage, done, total) in runs.

    Raises:
        UsageError: names or options that do not fit, a folder with scores of another job, no evalsql on the executors.
        InputError: files that are not there; with ``strict`` all runs that were refused.
    """
    with explained():
        relations = read_sources(own)
        catalog = read_catalog().extended(relations)
        found = parse_measures(as_list(measures), catalog)
        if not found:
            raise UsageError("name at least one measure, such as nDCG@10")
        if portion < 1:
            raise UsageError(f"portion is {portion}, but must be 1 row or more")
        options = RunOptions(tie_rule, lower_is_better, keep_best, columns=columns, call=call)
        if options.has_calls:
            raise UsageError(
                "a cluster takes no runs with calls, evalsql load runs does; --call none takes all for one"
            )
        is_frame = not isinstance(qrels, str | Path)
        job = Job(
            qrels=name or ("qrels" if is_frame else stem(str(qrels))),
            qrels_file="qrels.parquet" if is_frame else str(qrels),
            qrels_bytes=_parquet_bytes(qrels) if is_frame else read_file(session, str(qrels)),
            measures=[measure.name for measure in found],
            digest=catalog.digest,
            form=form,
            qrels_columns=qrels_columns,
            run_options=options,
            own={relation.path.name: relation.text.encode() for relation in relations},
            memory_limit=memory_limit,
            threads=threads,
            portion=portion,
            whole_runs=not all(measure.relation.is_packaged for measure in found),
        )
        in_table = run_column is not None or hasattr(runs, "columns")
        reader = Table(session, job, runs, run_column or "run") if in_table else Runs(session, job, as_list(runs))
        if out is None:
            return values_of(reader.rows(), raises=True)
        return _evaluate_all(reader, str(out), strict, progress)


def _parquet_bytes(frame: Any) -> bytes:
    """The rows of a DataFrame as a file of judgments."""
    from pyarrow import BufferOutputStream, parquet

    parquet.write_table(frame.toArrow(), stream := BufferOutputStream())
    return bytes(stream.getvalue().to_pybytes())


def _evaluate_all(reader: Any, out: str, strict: bool, progress: Progress) -> Outcome:
    """Write the values of runs that are not there yet, some at a time."""
    session, output, runs = reader.session, Output(reader.session, out, reader.job), reader.runs()
    held = output.evaluated()
    if changed := [run.name for run in runs if run.name in held and held[run.name] != {file[:3] for file in run.files}]:
        named = some_of(changed, 1)
        raise UsageError(f"{output.folder}: has scores of run {named} from other files; name another folder")
    missing = [run for run in runs if run.name not in held]
    outcome = Outcome(output.folder, [], len(runs) - len(missing), {}, [])
    if not missing:
        return outcome
    output.begin()
    done, most = 0, _WAVE_BYTES * int(session.range(10_000).selectExpr("spark_partition_id()").distinct().count())
    for some in in_batches(missing, lambda run: run.weight, most):
        progress("evaluating runs", done, len(missing))
        again = _evaluate_some(output, reader, some, outcome, strict)
        if again:
            before = {key: session.conf.get(key, None) for key in _WHOLE}
            try:
                for key, value in _WHOLE.items():
                    session.conf.set(key, value)
                _evaluate_some(output, reader, again, outcome, strict, is_last=True)
            finally:
                for key, value in before.items():
                    session.conf.unset(key) if value is None else session.conf.set(key, value)
        done += len(some)
    progress("evaluating runs", len(missing), len(missing))
    output.mark(is_finished=True)
    outcome.evaluated.sort()
    return outcome


def _evaluate_some(
    output: Output, reader: Any, runs: Sequence[Run], outcome: Outcome, strict: bool, *, is_last: bool = False
) -> list[Run]:
    """Evaluate runs and write what is found; returns those whose files must be read in one piece to be understood."""
    rows = reader.rows(runs).persist()
    try:
        held: dict[str, list[Facts]] = {run.name: [] for run in runs}
        for row in rows.where("facts is not null").select("run", "facts").collect():
            held[row[0]].append(json.loads(row[1]))
        again = [run for run in runs if not is_last and any(fact.get("again") for fact in held[run.name])]
        facts = [added_up(run.name, run.files[0].path, held[run.name]) for run in runs if run not in again]
        problems = {fact["run"]: fact["problem"] for fact in facts if fact["problem"] is not None}
        if problems and strict:
            lines = [line.partition(": ") for text in problems.values() for line in text.splitlines()]
            raise InputError(Problem(place, 0, why) if why else Problem("run", 0, place) for place, _, why in lines)
        good = [fact["run"] for fact in facts if fact["problem"] is None]
        if facts:
            output.write(values_of(rows).where(rows["run"].isin(good)), facts, runs)
        outcome.problems.update(problems)
        outcome.evaluated.extend(good)
        outcome.notes.extend(line for fact in facts for line in fact["notes"].splitlines())
        return again
    finally:
        rows.unpersist()
