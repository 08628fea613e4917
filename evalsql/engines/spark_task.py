"""What a Spark task does, without Spark: it writes runs to its disk, and evalsql evaluates them there with DuckDB.

A task sees a run's files whole and gives rows of two kinds: values, and one for each run with its facts as JSON.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from evalsql.catalog.measure_names import literal, parse_measures
from evalsql.catalog.relations import read_catalog, read_relations
from evalsql.database.database import MEMORY
from evalsql.database.disk import scratch_folder
from evalsql.errors import EvalsqlError, InputError, InputWarning
from evalsql.ingest.files.input_files import PREDICTIONS, stem
from evalsql.ingest.load_options import RunOptions
from evalsql.version import __version__
from evalsql.warehouse.open import open_database
from evalsql.warehouse.warehouse import Warehouse

if TYPE_CHECKING:
    import pyarrow

ROWS = "kind string, qrels string, run string, topic string, measure string, value double, facts string"
VALUE, RUN = "value", "run"
OTHER_VERSION = "the executors have another version of evalsql"
_TOGETHER = 64_000_000  # bytes of runs that are loaded at once
_MOST_NOTES = 3
_MOST_LINES = 20


@dataclass(frozen=True)
class Job:
    """What is evaluated and how, as it is sent to every task."""

    qrels: str
    qrels_file: str
    qrels_bytes: bytes
    measures: Sequence[str]  # canonical names
    digest: str  # SHA-256 over the relation files of the program that sends it
    form: str = "grades"
    run_options: RunOptions = field(default_factory=RunOptions)
    qrels_columns: Mapping[str, str] | None = None
    own: Mapping[str, str] = field(default_factory=dict)  # texts of relation files of measures by their names
    memory_limit: str = "2GB"
    threads: int = 1

    @property
    def qrels_sha256(self) -> str:
        return hashlib.sha256(self.qrels_bytes).hexdigest()

    @property
    def settings(self) -> str:
        """SHA-256 over all that figures hang on beside the runs."""
        rows = self.run_options.for_rows()
        columns = [given and sorted(given.items()) for given in (rows.columns, self.qrels_columns)]
        judged = [self.qrels, self.qrels_sha256, sorted(self.measures), self.digest, self.form]
        hashed = [*judged, rows.tie_rule, rows.lower_is_better, rows.keep_best, *columns]
        return hashlib.sha256(json.dumps(hashed).encode()).hexdigest()


class _File(NamedTuple):
    path: str
    copy: Path
    sha256: str
    bytes: int


def evaluate_files(
    job: Job, runs: Mapping[str, tuple[str, int]], batches: Iterable[Any]
) -> Iterator[pyarrow.RecordBatch]:
    """The rows of one task, which has every file of each of its runs, in batches with the columns path and content.

    ``runs`` has by path the name of its run, and how many files that has.
    """
    with _folder(job) as folder:
        waiting: defaultdict[str, list[_File]] = defaultdict(list)
        whole: dict[str, list[_File]] = {}
        size = count = 0
        for batch in batches:
            for path, content in zip(batch.column("path").to_pylist(), batch.column("content"), strict=True):
                name, num_files = runs[path]
                buffer = memoryview(content.as_buffer())
                copy = folder / str(count) / _file_name(path)
                copy.parent.mkdir()
                copy.write_bytes(buffer)
                waiting[name].append(_File(path, copy, hashlib.sha256(buffer).hexdigest(), len(buffer)))
                size, count = size + len(buffer), count + 1
                if len(waiting[name]) == num_files:
                    whole[name] = sorted(waiting.pop(name))
                    if size >= _TOGETHER:
                        yield from _evaluate_together(job, folder, whole)
                        whole, size = {}, 0
        yield from _evaluate_together(job, folder, whole)


def evaluate_table(job: Job, source: str, name: str, table: Any) -> Iterator[pyarrow.RecordBatch]:
    facts = {"run": name, "files": [{"path": source, "bytes": None, "modified": None, "sha256": None}]}
    try:
        with _folder(job) as folder, _warehouse(job, folder) as warehouse, _noted({}) as notes:
            warehouse.loader.load_run_data(table, name, job.run_options)
            batches = [*_values(warehouse, job), _run_row(job, facts | _stored_facts(warehouse, name), notes)]
    except EvalsqlError as error:
        batches = [_run_row(job, facts, [], problem=_reasons(error, {name: source}))]
    yield from batches


def _evaluate_together(job: Job, folder: Path, runs: Mapping[str, list[_File]]) -> Iterator[pyarrow.RecordBatch]:
    """Evaluate runs loaded together; where one of them is refused, each by itself."""
    labels = {str(file.copy): file.path for files in runs.values() for file in files}
    try:
        yield from _evaluated(job, folder, runs, labels) if runs else ()
    except EvalsqlError as error:
        for name, files in runs.items():
            if len(runs) == 1:
                yield _run_row(job, _facts(name, files), [], problem=_reasons(error, labels))
            else:
                yield from _evaluate_together(job, folder, {name: files})
    for place in labels:
        Path(place).unlink(missing_ok=True)


def _evaluated(
    job: Job, folder: Path, runs: Mapping[str, list[_File]], labels: Mapping[str, str]
) -> Sequence[pyarrow.RecordBatch]:
    """All rows or an error: what had been given before one would be given twice."""
    with _warehouse(job, folder) as warehouse, _noted(labels) as notes:
        load = warehouse.loader.load_run_files
        alone = {
            name: files[0].copy
            for name, files in runs.items()
            if [stem(str(each.copy)) for each in files] == [name] and not name.endswith(PREDICTIONS)
        }
        if alone:
            load(list(alone.values()), job.run_options)
        for name, files in runs.items():
            if name not in alone:
                load([file.copy for file in files], job.run_options, name=name)
        batches = list(_values(warehouse, job))
        for nth, (name, files) in enumerate(runs.items()):
            facts = _facts(name, files) | _stored_facts(warehouse, name)
            batches.append(_run_row(job, facts, notes if nth == 0 else []))
    return batches


def _facts(name: str, files: Sequence[_File]) -> dict[str, Any]:
    held = [{"path": each.path, "sha256": each.sha256, "bytes": each.bytes} for each in files]
    return {"run": name, "files": held}


@contextmanager
def _folder(job: Job) -> Iterator[Path]:
    """A folder on this machine's disk, where Spark has its own if it says so, and the judgments in it."""
    places = [place for place in os.environ.get("SPARK_LOCAL_DIRS", "").split(",") if os.path.isdir(place)]
    with scratch_folder(Path(places[0]) if places else None, holds_others=True) as scratch:
        folder = Path(scratch)
        (folder / "qrels").mkdir()
        (folder / "qrels" / _file_name(job.qrels_file)).write_bytes(job.qrels_bytes)
        (folder / "own").mkdir()
        for name, text in job.own.items():
            (folder / "own" / name).write_text(text, encoding="utf-8")
        catalog = read_catalog().extended(read_relations(folder / "own") if job.own else ())
        if catalog.digest != job.digest:
            raise RuntimeError(
                f"{OTHER_VERSION}: evalsql {__version__} there has SQL {catalog.digest[:12]}, the program that sends "
                f"the job has {job.digest[:12]}; install the same version on all machines"
            )
        yield folder


@contextmanager
def _warehouse(job: Job, folder: Path) -> Iterator[Warehouse]:
    own = folder / "own" if job.own else ()
    database = open_database(MEMORY, measures=own, memory_limit=job.memory_limit)
    with Warehouse(database, asked=job.measures) as warehouse, warnings.catch_warnings():
        warehouse.execute(f"set threads = {job.threads}")
        warnings.simplefilter("ignore", InputWarning)
        judged, best = folder / "qrels" / _file_name(job.qrels_file), job.run_options.keep_best
        warehouse.load_qrels(judged, job.qrels, form=job.form, keep_best=best, columns=job.qrels_columns)
        yield warehouse


@contextmanager
def _noted(labels: Mapping[str, str]) -> Iterator[list[str]]:
    """The warnings given meanwhile, with the names that files have where they came from."""
    notes: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("always", InputWarning)
        warnings.showwarning = lambda message, *_: notes.append(_relabelled(str(message), labels))
        yield notes


def _values(warehouse: Warehouse, job: Job) -> Iterator[pyarrow.RecordBatch]:
    measures = parse_measures(job.measures, warehouse.catalog)
    warehouse.evaluation.fill_scores("spark_scores", [(measure.name, measure) for measure in measures])
    rows = warehouse.sql(
        f"select '{VALUE}' as kind, qrels, run, topic, measure, value, null::varchar as facts from temp.spark_scores "
        "order by run, measure, topic"
    )
    yield from rows.to_arrow_table().cast(_schema()).to_batches(max_chunksize=100_000)


def _stored_facts(warehouse: Warehouse, run: str) -> dict[str, Any]:
    columns, (held,) = warehouse.database.table(f"""
        select tag, tie_rule, lower_is_better, duplicates,
            (select cast(sum(num_rows) as bigint) from files where kind = 'run' and id = run_id) as num_rows,
            (select missing_topics from coverage where coverage.run = runs.run) as missing_topics
        from runs where run = {literal(run)}
    """)
    return dict(zip(columns, held, strict=True))


def _run_row(job: Job, facts: dict[str, Any], notes: Sequence[str], problem: str | None = None) -> pyarrow.RecordBatch:
    import pyarrow

    facts |= {"notes": "\n".join(notes[:_MOST_NOTES]), "problem": problem}
    row = {"kind": RUN, "qrels": job.qrels, "run": facts["run"], "facts": json.dumps(facts)}
    return pyarrow.RecordBatch.from_pylist([row], schema=_schema())


def _schema() -> pyarrow.Schema:
    import pyarrow

    return pyarrow.schema([tuple(column.split()) for column in ROWS.split(", ")])


def _reasons(error: EvalsqlError, labels: Mapping[str, str]) -> str:
    """What was wrong, each problem with its file and line, without what holds for loading a warehouse only."""
    lines = error.found.cause_lines()[:_MOST_LINES] if isinstance(error, InputError) else str(error).splitlines()[:1]
    return _relabelled("\n".join(lines), labels)


def _relabelled(text: str, labels: Mapping[str, str]) -> str:
    for place, path in labels.items():
        text = text.replace(place, path)
    return text


def _file_name(path: str) -> str:
    return re.sub(r"[\0/]", "_", path.rstrip("/").rsplit("/", 1)[-1]) or "file"
