"""Reads runs a part at a time, as clusters hand them out: blocks of lines and tables become rows of one form in Arrow.

Beside rows of runs there are facts about a run as JSON: the kind of its rows, what may mislead, why it is refused.
"""

from __future__ import annotations

import json
import os
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from itertools import groupby, pairwise
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from evalsql.database.database import Database
from evalsql.database.disk import scratch_folder
from evalsql.errors import EvalsqlError, InputError, InputWarning, ProblemList, UsageError
from evalsql.ingest.files.formats import recognised
from evalsql.ingest.files.source import open_file
from evalsql.ingest.load_options import RunOptions
from evalsql.ingest.run_loading import run_tables, staged_file
from evalsql.literals import literal

if TYPE_CHECKING:
    import pyarrow

# A row without a document is a topic to evaluate, or has facts about the run.
READ = "run string, topic string, document string, score double, given_rank int, kind int, place bigint, facts string"
PLACES_A_FILE = 1 << 44  # so that rows of several files are in order
# By kind of rows the columns that make them so: other scores, rankings without scores, E-values.
KINDS: Sequence[Mapping[str, str]] = ({}, {"rank": "rank"}, {"score": "evalue"})
_CHUNK_BYTES = 32_000_000  # of text that is read at once
_TABLE = "table"


class RunFile(NamedTuple):
    """One file of a run: ``nth`` is its place among those that are read together."""

    run: str
    nth: int
    path: str
    bytes: int


def read_lines(
    database: Database, options: RunOptions, files: Sequence[RunFile], batches: Iterable[Any]
) -> Iterator[pyarrow.RecordBatch]:
    """The rows of lines, in batches with the columns line (binary, with its end), evalsql_file, start and whole.

    Spark reads a file in blocks. ``start`` is the byte at which the block of a line begins, and ``whole`` whether the
    block is the whole file.
    """
    for (nth, start, whole), pieces in groupby(_pieces(batches), key=lambda piece: piece[:3]):
        yield from _block_rows(database, options, files[nth], start, whole, (lines for *_, lines in pieces))


def _pieces(batches: Iterable[Any]) -> Iterator[tuple[int, int, bool, Any]]:
    for batch in batches:
        files, starts = (batch.column(name).to_numpy() for name in ("evalsql_file", "start"))
        changes = ((files[1:] != files[:-1]) | (starts[1:] != starts[:-1])).nonzero()[0] + 1
        for at, end in pairwise([0, *changes.tolist(), len(files)]):
            if end:
                is_whole = batch.column("whole")[at].as_py()
                yield int(files[at]), int(starts[at]), is_whole, batch.column("line").slice(at, end - at)


def read_columns(
    database: Database, options: RunOptions, files: Sequence[RunFile], batches: Iterable[Any]
) -> Iterator[pyarrow.RecordBatch]:
    """The rows of tables, in batches with evalsql_run or evalsql_file, evalsql_place, and columns of the table."""
    import pyarrow

    paths = {file.run: file.path for file in files}
    for batch in (each for each in batches if each.num_rows):
        table = pyarrow.Table.from_batches([batch])
        if files:
            names = pyarrow.array([files[nth].run for nth in table.column("evalsql_file").to_pylist()])
            table = table.drop_columns("evalsql_file").append_column("evalsql_run", names)
        yield from _table_rows(database, options, table, paths)


def _block_rows(
    database: Database, options: RunOptions, file: RunFile, start: int, is_whole: bool, pieces: Iterator[Any]
) -> Iterator[pyarrow.RecordBatch]:
    """The rows of a block, which is written to this machine's disk and read from there: TREC text a chunk at a time."""
    before, is_last = 0, False
    with scratch_folder() as folder:
        copy = Path(folder) / file_name(file.path)
        while not is_last:
            lines, is_last = _write(copy, "wb", pieces, _CHUNK_BYTES)
            place = _Place(str(copy), file.path, start, before)
            try:
                if not (start or before or (is_whole and is_last)) and not _is_trec(options, copy):
                    if not is_whole:
                        raise UsageError(f"{copy}: is no TREC text, and in parts of a file no other is read")
                    more, is_last = _write(copy, "ab", pieces)
                    lines += more
                if is_last and is_whole and not before and copy.stat().st_size == file.bytes + 1:
                    os.truncate(copy, file.bytes)  # the end of the last line, which the file itself has not
                yield from _file_rows(database, options, file, place, copy) if lines else ()
            except EvalsqlError as error:
                # The files of a run are read again, in one piece, to count their lines.
                yield _fact(file.run, problem=place.in_text(reasons(error)), again=not is_whole)
            before += lines


def _write(copy: Path, mode: str, pieces: Iterator[Any], most: float = inf) -> tuple[int, bool]:
    """Write lines until there are so many bytes; returns how many lines, and whether they were the last."""
    lines = 0
    with copy.open(mode) as stream:
        for piece in pieces:
            stream.write(_joined(piece))
            lines += len(piece)
            if stream.tell() >= most:
                return lines, False
    return lines, True


def _is_trec(options: RunOptions, copy: Path) -> bool:
    source, head = open_file(str(copy), copy)
    return not source.compression and not recognised(source, head, "run", options.columns)


class _Place(NamedTuple):
    """Where lines of a copy stand: the file, the byte at which their block begins, the lines before them in it."""

    copy: str
    path: str
    start: int
    before: int

    def in_text(self, text: str) -> str:
        def told(found: re.Match[str]) -> str:
            line = f":{int(found[1]) + self.before}" if found[1] else ""
            return self.path + (f" (line {line[1:]} from byte {self.start:,} on)" if line and self.start else line)

        return re.sub(rf"{re.escape(self.copy)}(?::(\d+))?", told, text)


def _file_rows(
    database: Database, options: RunOptions, file: RunFile, place: _Place, copy: Path
) -> Iterator[pyarrow.RecordBatch]:
    in_order = nullcontext() if options.tie_rule == "input" else database.unordered()
    with noted() as notes, in_order, staged_file(database, copy, file.run, options) as (run, found):
        if place.start or place.before:  # what ranks say of scores, the first lines have said
            found.opposed = []
        found.warn(lower_is_better=options.lower_is_better)
        said, tag = [place.in_text(note) for note in notes], run.files[0].notes.last_tag
        yield _fact(file.run, kind=run.kind, tag=tag, notes=said)
        first = file.nth * PLACES_A_FILE + place.start + place.before
        yield from arrow_batches(
            database,
            f"""select {literal(file.run)} as run, topic, document, score, given_rank, {run.kind} as kind,
                {first} + rowid as place, null as facts
            from temp.staged_run_rows order by rowid""",
            READ,
        )


def _table_rows(
    database: Database, options: RunOptions, table: Any, paths: Mapping[str, str]
) -> Iterator[pyarrow.RecordBatch]:
    """The rows of a table; where some are refused, of each of its runs by itself."""
    import pyarrow
    from pyarrow import compute

    own = ["evalsql_run", "evalsql_place"]
    runs = compute.unique(table.column("evalsql_run")).to_pylist()
    numbers = pyarrow.array(range(1, table.num_rows + 1))
    try:
        with run_tables(database, options, ProblemList()) as tables:
            held = tables.read_data(table.drop_columns(own), _TABLE)
            database.register("evalsql_owners", table.select(own).append_column("row", numbers))
            query = f"""
                select evalsql_run as run, topic, document, score, rank as given_rank, {held.kind} as kind,
                    evalsql_place as place, null as facts
                from ({held.query}) join evalsql_owners using (row)
            """
            yield from arrow_batches(database, query, READ)
        yield from (_fact(run, kind=held.kind) for run in runs)
    except EvalsqlError as error:
        for run in runs:
            if len(runs) > 1:
                yield from _table_rows(
                    database, options, table.filter(compute.equal(table.column("evalsql_run"), run)), paths
                )
            else:
                label = paths.get(run) or f"run {run}"
                told = re.sub(rf"(?m)^{_TABLE}(:\d+)?", lambda _: label, reasons(error))  # noqa: B023
                yield _fact(run, problem=told)


@contextmanager
def noted() -> Iterator[list[str]]:
    """The warnings given meanwhile."""
    notes: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("always", InputWarning)
        warnings.showwarning = lambda message, *_: notes.append(str(message))
        yield notes


def _joined(lines: Any) -> memoryview:
    """The bytes of lines one after another, as they are in memory already."""
    import numpy

    _, offsets, content = lines.buffers()
    first, last = numpy.frombuffer(offsets, numpy.int32)[[lines.offset, lines.offset + len(lines)]]
    return memoryview(content)[first:last]


def arrow_batches(database: Database, query: str, columns: str) -> Sequence[pyarrow.RecordBatch]:
    listed = ", ".join(column.split()[0] for column in columns.split(", "))
    rows = database.sql(f"select {listed} from ({query})").to_arrow_table()
    return list(rows.cast(arrow_schema(columns)).to_batches(max_chunksize=100_000))


def arrow_rows(rows: Sequence[Mapping[str, Any]], columns: str) -> pyarrow.RecordBatch:
    import pyarrow

    return pyarrow.RecordBatch.from_pylist(rows, schema=arrow_schema(columns))


def _fact(run: str, **facts: Any) -> pyarrow.RecordBatch:
    return arrow_rows([{"run": run, "facts": json.dumps({"run": run, **facts})}], READ)


def arrow_schema(columns: str) -> pyarrow.Schema:
    import pyarrow

    kinds = {"bigint": "int64", "int": "int32"}
    named = [column.split() for column in columns.split(", ")]
    return pyarrow.schema([(name, kinds.get(kind, kind)) for name, kind in named])


def reasons(error: EvalsqlError) -> str:
    """What was wrong, each problem with its file and line, without what holds for loading a warehouse only."""
    lines = error.found.cause_lines() if isinstance(error, InputError) else str(error).splitlines()[:1]
    return "\n".join(lines)


def file_name(path: str) -> str:
    return re.sub(r"[\0/]", "_", path.rstrip("/").rsplit("/", 1)[-1]) or "file"
