"""What Spark's tasks do, without Spark: they read rows of runs, and evaluate portions of them with DuckDB."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any

from evalsql.ingest.parts import Reading, RunFile, block_rows, table_rows
from evalsql.warehouse.portion_jobs import Job, warehouse_of
from evalsql.warehouse.portions import portions

if TYPE_CHECKING:
    import pyarrow


def read_lines(job: Job, files: Sequence[RunFile], batches: Iterable[Any]) -> Iterator[pyarrow.RecordBatch]:
    """The rows of lines, in batches with the columns line (binary, with its end), evalsql_file, start and whole.

    ``start`` is the byte at which the block of the file begins that Spark has put a line into, and ``whole`` whether
    the block is the file.
    """
    for (nth, start, whole), pieces in groupby(_pieces(batches), key=lambda piece: piece[:3]):
        yield from block_rows(reading(job), files[nth], start, whole, (lines for *_, lines in pieces))


def _pieces(batches: Iterable[Any]) -> Iterator[tuple[int, int, bool, Any]]:
    for batch in batches:
        files, starts = (batch.column(name).to_numpy() for name in ("evalsql_file", "start"))
        changes = ((files[1:] != files[:-1]) | (starts[1:] != starts[:-1])).nonzero()[0] + 1
        for at, end in pairwise([0, *changes.tolist(), len(files)]):
            if end:
                is_whole = batch.column("whole")[at].as_py()
                yield int(files[at]), int(starts[at]), is_whole, batch.column("line").slice(at, end - at)


def read_columns(job: Job, files: Sequence[RunFile], batches: Iterable[Any]) -> Iterator[pyarrow.RecordBatch]:
    """The rows of tables, in batches with evalsql_run or evalsql_file, evalsql_place, and columns of the table."""
    import pyarrow

    for batch in batches:
        table = pyarrow.Table.from_batches([batch])
        if files and table.num_rows:
            names = pyarrow.array([files[nth].run for nth in table.column("evalsql_file").to_pylist()])
            table = table.drop_columns("evalsql_file").append_column("evalsql_run", names)
        yield from table_rows(reading(job), table, {file.run: file.path for file in files}) if table.num_rows else ()


def in_portions(
    do: Callable[..., Iterator[Any]], job: Job, whole_runs: bool, batches: Iterable[Any]
) -> Iterator[pyarrow.RecordBatch]:
    """What is done with rows that are in order of run and topic, all of a topic's being there, or of a run's."""
    for rows in portions(batches, job.portion, whole_runs=whole_runs):
        yield from do(job, rows)


def reading(job: Job) -> Reading:
    return Reading(warehouse_of(job).database, job.run_options)
