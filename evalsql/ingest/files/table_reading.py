"""Reads files that are no TREC text into temporary tables, by the engine where it can, before any load.

The engine's errors would end a transaction, so all that can go wrong with a file goes wrong here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalsql.catalog.measure_names import quoted
from evalsql.database.temporary_folders import scratch_folder
from evalsql.errors import InputError, Problem, QueryError, UsageError
from evalsql.ingest import columns as known_columns
from evalsql.ingest.columns import NAMES, Given
from evalsql.ingest.files.folders import recognised_formats
from evalsql.ingest.files.format import Format
from evalsql.ingest.files.ranks import THIRD_COLUMN, check_one_ranking, check_third_column
from evalsql.ingest.files.raw_rows import RawRows, Reader, parquet_rows
from evalsql.ingest.files.recognition import recognised
from evalsql.ingest.files.source import Source, unreadable
from evalsql.ingest.files.table import Table
from evalsql.ingest.files.text_rows import text_rows
from evalsql.ingest.files.trec_lines import integer_fault, number_fault, plain_grade
from evalsql.ingest.problems import ProblemList
from evalsql.ingest.python_rows import put

if TYPE_CHECKING:
    from evalsql.database.database import Database

_WHOLE = ("rank", "grade")
_ALIKE = ("array", "dicts", "lists", "rankings", "hits")  # JSON that the engine reads where all of it is alike
_TOGETHER_FILES, _TOGETHER_BYTES = 200, 400_000_000  # read by one statement at most


@dataclass(frozen=True)
class _Incoming:
    """One file on its way into a table."""

    number: int
    source: Source
    form: Format
    raw: RawRows


class Tables:
    """Reads files into temporary tables, which are there as long as the context is.

    Args:
        kind: run, or the form of judgments.
        given: columns that the user named.
        rank_is_used: whether the tie rule goes by ranks.

    Attributes:
        problems: what is wrong with files that could not be read.
        by_label: tables of the others, but for TREC files.
    """

    def __init__(self, database: Database, kind: str, given: Given = None, *, rank_is_used: bool = False) -> None:
        known_columns.check_given(given, kind)
        self.database = database
        self.kind = kind
        self.given = given
        self.rank_is_used = rank_is_used
        self.problems = ProblemList()
        self.failed: set[str] = set()
        self.by_label: dict[str, Table] = {}
        self._made: list[str] = []

    def __enter__(self) -> Tables:
        self._scratch = scratch_folder()
        folder = Path(self._scratch.__enter__())
        self._reader = Reader(self.database, self.kind, self.given, folder)
        return self

    def __exit__(self, *_: object) -> None:
        self._scratch.__exit__(None, None, None)
        for name in self._made:
            self.database.execute(f"drop table if exists {name}")

    def read(self, sources: Sequence[Source]) -> None:
        found: list[tuple[int, Source, Format]] = []
        for number, source in enumerate(sources):
            with self._blamed(source):
                if form := recognised(source, self.kind, self.given):
                    found.append((number, source, form))
        for some in _together(found):
            self._read_some(some)

    def recognised(self, sources: Sequence[Source]) -> str:
        """The formats of the files, in words."""
        found = [self.by_label.get(source.label) for source in sources]
        told = f"read as {recognised_formats(Counter(each.form.name if each else 'TREC' for each in found))}"
        return told + (", lower E-values being better" if any(each and each.holds_evalues for each in found) else "")

    @contextmanager
    def _blamed(self, source: Source) -> Iterator[None]:
        """Note what is wrong with a file, and go on."""
        try:
            yield
        except InputError as error:
            self.failed.add(source.label)
            self.problems.take(error)

    # From files to tables

    def _read_some(self, some: Sequence[tuple[int, Source, Format]]) -> None:
        """Read files, those with the same columns by one statement."""
        alike: dict[frozenset[str], list[_Incoming]] = {}
        try:
            for number, source, form in some:
                with self._blamed(source), _failures_named(source, form):
                    file = _Incoming(number, source, form, self._raw(number, source, form))
                    alike.setdefault(frozenset(file.raw.columns), []).append(file)
            for files in alike.values():
                self._read_alike(files)
        finally:
            for number, *_ in some:
                self._reader.forget(f"incoming_{number}")

    def _raw(self, number: int, source: Source, form: Format) -> RawRows:
        raw = self._reader.read(source, form, f"incoming_{number}")
        if self.kind == "run" and self.rank_is_used and "rank" not in raw.columns:
            raise UsageError("the tie rule goes by rank, and there is no column rank")
        return raw

    def _read_alike(self, files: Sequence[_Incoming]) -> None:
        """Read files that have the same columns; where the engine fails at one, each by itself."""
        try:
            name = self._converted(files)
        except (QueryError, UsageError) as error:
            if len(files) == 1:
                self._read_exactly(files[0], None, error)
            else:
                for file in files:
                    self._read_alike([file])
            return
        usable = self._usable(name)
        for file in files:
            table = _table(self.database, name, file)
            if file.number in usable:
                with self._blamed(file.source):
                    self._take(table)
            else:
                self._read_exactly(file, table)

    def _take(self, table: Table) -> None:
        """Keep the table of a file, if it holds what it is taken for."""
        if table.form.name in THIRD_COLUMN:
            check_third_column(table)
        elif table.form.reader == "rankings" and table.is_ranking:
            check_one_ranking(table)
        self.by_label[table.source.label] = table

    def _converted(self, files: Sequence[_Incoming]) -> str:
        """Make a table of files that have the same columns; returns its name."""
        name = f"incoming_rows_{len(self._made)}"
        self._made.append(name)
        meanings = list(files[0].raw.columns)
        rows = "\nunion all\n".join(_converted_rows(some, meanings) for some in _read_as_one(files))
        with self.database.unordered() if len(files) > 1 else nullcontext():
            self.database.execute(f"create or replace temp table {name} as\n{rows}")
        return name

    def _usable(self, name: str) -> set[int]:
        """Numbers of the files of which no row is without a name or a usable number."""
        meanings = [column for column, *_ in self.database.rows(f"describe {name}")]
        fault = self._fault_of_row(meanings)
        found = self.database.rows(f"select file from {name} group by file having not bool_or({fault})")
        return {number for (number,) in found}

    def _fault_of_row(self, meanings: Sequence[str]) -> str:
        faults = [f'"{meaning}" is null' for meaning in self._needed(meanings)]
        faults += [f'not isfinite("{meaning}")' for meaning in ("score", "level") if meaning in meanings]
        return f"coalesce({' or '.join(faults)}, true)"

    def _needed(self, meanings: Sequence[str] | frozenset[str]) -> list[str]:
        needed = [meaning for meaning in known_columns.MEANINGS[self.kind][0] if meaning in meanings]
        with_rank = "rank" in meanings and (self.rank_is_used or "score" not in meanings) and self.kind == "run"
        return [*needed, "rank"] if with_rank else needed

    # Files that cannot be taken as they are

    def _read_exactly(self, file: _Incoming, table: Table | None, error: Exception | None = None) -> None:
        """Read a file row by row in Python, or say what is wrong with it: with its ``table``, or why it has none."""
        source, form = file.source, file.form
        with self._blamed(source), _failures_named(source, form):
            if form.reader in _ALIKE:
                self._read_some([(file.number, source, replace(form, reader="nested"))])
            elif form.has_lines:
                self._take(self._read_by_lines(file))
            elif table:
                self._report(table, file.raw)
            elif error:
                raise error

    def _read_by_lines(self, file: _Incoming) -> Table:
        """Read text line by line; raises InputError for all that is wrong with it."""
        problems = ProblemList()
        lines: list[int] = []
        kept: dict[str, list[Any]] = {meaning: [] for meaning in file.raw.columns}
        for line, row in text_rows(file.source, file.form):
            reason = row if isinstance(row, str) else self._fault(row)
            if reason or isinstance(row, str):
                problems.add(file.form.problem(file.source, line, reason))
                continue
            lines.append(line)
            for meaning, values in kept.items():
                values.append(row[meaning])
        if not (lines or problems):
            problems.add(file.form.problem(file.source, 0, "holds no rows"))
        problems.check()
        raw = f"incoming_{file.number}_raw"
        put(self.database, raw, {"evalsql_row": lines} | kept, ["evalsql_row"])
        exact = replace(file, raw=RawRows(raw, {meaning: meaning for meaning in kept}))
        return replace(_table(self.database, self._converted([exact]), file), has_lines=True)

    def _report(self, table: Table, raw: RawRows) -> None:
        """Raise InputError for the rows of a table that cannot be used."""
        faulty = self._fault_of_row(list(table.meanings))
        bad = ", ".join(str(row) for (row,) in self.database.rows(f"select row from ({table.query}) where {faulty}"))
        problems = ProblemList()
        if not bad:
            problems.add(table.problem(0, "holds no rows"))
            raise problems.error
        listed = ", ".join(f"cast({quoted(column)} as varchar)" for column in raw.columns.values())
        rows = self.database.rows(
            f"select evalsql_row, {listed} from {raw.rows} where evalsql_row in ({bad}) order by evalsql_row"
        )
        for row, *values in rows:
            found = dict(zip(raw.columns, values, strict=True))
            place = f" (topic {found['topic']}, document {found['document']})" if found["topic"] else ""
            problems.add(table.problem(row, (self._fault(found) or "cannot be used") + place))
        raise problems.error

    def _fault(self, row: Mapping[str, str | None]) -> str:
        """What is wrong with the values of a row; empty if nothing."""
        for meaning in self._needed(frozenset(row)):
            text = row[meaning]
            if text is None or not text.strip():
                return f"{meaning} is missing"
            whole = plain_grade(text) if meaning == "grade" else text
            if meaning in _WHOLE and (reason := integer_fault(meaning, whole)):
                return reason
            if meaning in ("score", "level") and (reason := number_fault(meaning, text)):
                return reason
        return ""


def _unreadable() -> tuple[type[Exception], ...]:
    return QueryError, *unreadable()


@contextmanager
def _failures_named(source: Source, form: Format) -> Iterator[None]:
    """Turn errors of a file that cannot be read into InputError, which says what the file was taken for."""
    try:
        yield
    except UsageError as error:
        raise InputError([form.problem(source, 0, str(error))]) from error
    except _unreadable() as error:
        reason = f"cannot be read as {form.name}: {str(error).partition(chr(10))[0]}"
        raise InputError([Problem(source.label, 0, reason)]) from error


def _together(found: Sequence[tuple[int, Source, Format]]) -> Iterator[list[tuple[int, Source, Format]]]:
    """Files to be read by one statement; what goes through Python's memory is read file by file."""
    some: list[tuple[int, Source, Format]] = []
    size = 0
    for each in found:
        _, source, form = each
        is_alone = form.reader in ("nested", "arrow")
        weight = _TOGETHER_BYTES if is_alone else source.text_bytes
        if some and (
            size + weight > _TOGETHER_BYTES or len(some) == _TOGETHER_FILES or form.reader != some[0][2].reader
        ):
            yield some
            some, size = [], 0
        some.append(each)
        size += weight
    if some:
        yield some


def _table(database: Database, name: str, file: _Incoming) -> Table:
    evalues = file.form.holds_evalues or known_columns.holds_evalues(file.raw.columns)
    meanings = frozenset(file.raw.columns)
    return Table(database, file.source, file.form, name, file.number, meanings, holds_evalues=evalues)


def _read_as_one(files: Sequence[_Incoming]) -> Iterator[list[_Incoming]]:
    """Each file by itself, but Parquet files of the same columns and types together."""
    alike: dict[str, list[_Incoming]] = {}
    for file in files:
        if file.raw.parquet:
            alike.setdefault(f"{file.raw.columns} {file.raw.types}", []).append(file)
        else:
            yield [file]
    yield from alike.values()


def _converted_rows(files: Sequence[_Incoming], meanings: Sequence[str]) -> str:
    """A SELECT of files' rows with names as text and numbers as such."""
    raw, number, rows = files[0].raw, str(files[0].number), files[0].raw.rows
    if len(files) > 1:
        number = f"list_extract([{', '.join(str(file.number) for file in files)}], cast(evalsql_file as bigint) + 1)"
        rows = parquet_rows([file.raw.parquet for file in files])
    values = []
    for meaning in meanings:
        column = raw.columns[meaning]
        kind = raw.types.get(column, "VARCHAR")
        if meaning in NAMES:
            known_columns.check_name_type(column, kind)
        values.append(f'{_converted(meaning, column, kind)} as "{meaning}"')
    return f"select {number} as file, cast(evalsql_row as bigint) as row, {', '.join(values)} from {rows}"


def _converted(meaning: str, column: str, kind: str) -> str:
    """SQL that makes a name or a number of a column, null where it is none."""
    name = quoted(column)
    if meaning in NAMES:
        return f"nullif(trim({name}), '')" if kind == "VARCHAR" else f"cast({name} as varchar)"
    number = f"try_cast({name} as double)"
    if kind == "VARCHAR":
        text = f"regexp_replace(trim({name}), '^L([0-9]+)$', '\\1')" if meaning == "grade" else f"trim({name})"
        number = f"case when not contains({name}, '_') then try_cast({text} as double) end"
    return (
        f"case when {number} = trunc({number}) then try_cast({number} as integer) end" if meaning in _WHOLE else number
    )
