"""The rows of one file that is no TREC text, where ``table_reading`` has put them: in a temporary table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalsql.catalog.measure_names import quoted
from evalsql.database.temporary_folders import scratch_folder
from evalsql.errors import InputError, Problem, ProblemList, QueryError, UsageError
from evalsql.ingest import column_meanings as known_columns
from evalsql.ingest.column_meanings import NAMES, Given
from evalsql.ingest.files.formats import Format, recognised
from evalsql.ingest.files.input_files import recognised_formats
from evalsql.ingest.files.raw_rows import RawRows, Reader, parquet_rows
from evalsql.ingest.files.source import Source, unreadable
from evalsql.ingest.files.text_tables import text_rows
from evalsql.ingest.files.trec_text import integer_fault, number_fault, plain_grade
from evalsql.ingest.python_rows import SEVERAL_RANKINGS, put

if TYPE_CHECKING:
    from evalsql.database.database import Database
if TYPE_CHECKING:
    pass
if TYPE_CHECKING:
    from evalsql.database.database import Database


@dataclass(frozen=True)
class Table:
    """The rows of one file in the temporary table ``name``, where they have its ``number``.

    Its columns are file, row and the meanings. ``has_lines`` says that the column ``row`` holds lines of the file;
    otherwise it counts rows from 1.
    """

    database: Database
    source: Source
    form: Format
    name: str
    number: int
    meanings: frozenset[str]
    has_lines: bool = False
    holds_evalues: bool = False

    @property
    def query(self) -> str:
        """A SELECT of row and meanings."""
        return f"select * exclude (file) from {self.name} where file = {self.number}"

    @property
    def is_ranking(self) -> bool:
        """Whether it has ranks and no scores."""
        return "rank" in self.meanings and "score" not in self.meanings

    @property
    def unit(self) -> str:
        """How messages count: by lines of the file, or by rows."""
        return "line" if self.form.has_lines else "row"

    def problem(self, row: int, reason: str) -> Problem:
        return self.form.problem(self.source, row, reason)

    def selected(self, *meanings: str) -> str:
        """Columns of a SELECT; a group or subtopic that is not named is 0."""
        return ", ".join(self._selected(meaning) for meaning in meanings)

    def _selected(self, meaning: str) -> str:
        if meaning not in self.meanings:
            return "'0'"
        return f"coalesce(\"{meaning}\", '0')" if meaning in ("iteration", "subgroup") else f'"{meaning}"'

    def rows(self, *meanings: str) -> Iterator[tuple[int, tuple[Any, ...]]]:
        """Line, or row where there are no lines, and values of all rows."""
        found = self.database.rows(f"select row, {self.selected(*meanings)} from ({self.query}) order by row")
        if self.has_lines or not self.form.has_lines:
            yield from ((row, tuple(values)) for row, *values in found)
        else:
            lines = (line for line, _ in text_rows(self.source, self.form))
            yield from ((line, tuple(values)) for line, (_, *values) in zip(lines, found, strict=False))


def stage_runs(database: Database, tables: Iterable[tuple[int, Table]]) -> None:
    """Put rows of runs into the table ``staged_run_rows``, as they lie in their files.

    Args:
        tables: with the file_id of each.
    """
    for rows in _staged_rows(tables):
        database.execute(f"insert into staged_run_rows by name select * exclude (rowid) from ({rows}) order by rowid")


def show_runs(database: Database, tables: Iterable[tuple[int, Table]]) -> None:
    """Replace the table ``staged_run_rows`` by a view of these rows, which saves a copy."""
    rows = "\nunion all\n".join(_staged_rows(tables))
    database.execute(f"drop table staged_run_rows; create temp view staged_run_rows as {rows}")


def _staged_rows(tables: Iterable[tuple[int, Table]]) -> Iterator[str]:
    """SELECTs of staged rows and the place of each in its file; of a ranking the score is minus the rank."""
    together: dict[str, list[tuple[int, Table]]] = {}
    for file_id, table in tables:
        together.setdefault(table.name, []).append((file_id, table))
    for name, files in together.items():
        meanings = files[0][1].meanings
        file_ids = {table.number: file_id for file_id, table in files}
        # A list is looked up faster than a table is joined.
        listed = ", ".join(str(file_ids.get(number, "null")) for number in range(max(file_ids) + 1))
        yield f"""
            select
                row as rowid,
                cast(list_extract([{listed}], file + 1) as integer) as file_id,
                topic,
                document,
                {"rank" if "rank" in meanings else "cast(null as integer)"} as given_rank,
                {"score" if "score" in meanings else "cast(-rank as double)"} as score,
                false as doubtful
            from {name}
            where file in ({", ".join(map(str, file_ids))})"""


_RUN, _SCORES, _JUDGMENTS = "MS MARCO run", "run of three columns", "judgments of three columns"
THIRD_COLUMN = (_RUN, _SCORES, _JUDGMENTS)
_ENOUGH = 3  # documents of a topic that would be judged 1, 2, 3, ...


def check_third_column(table: Table) -> None:
    """Refuse a run whose ranks do not start at 1 or scores are whole, and judgments whose grades count up as ranks."""
    problems = ProblemList()
    if table.form.name == _RUN:
        odd = f"""
            select topic, min(rank) as least, count(*) >= {_ENOUGH} and count(distinct rank) * 2 <= count(*) as repeats
            from ({table.query}) group by topic having least > 1 or repeats order by topic
        """
        for topic, least, repeats in table.database.rows(odd):
            fault = (
                "has the same ranks again and again, as grades are"
                if repeats
                else f"has no rank 1, its first is {least}"
            )
            reason = (
                f"topic {topic} {fault}; without a header the columns of a run are topic, document, rank and perhaps "
                "score, others need one such as topic,document,score"
            )
            problems.add(table.problem(0, reason))
    elif table.form.name == _SCORES:
        ((are_whole,),) = table.database.rows(f"select bool_and(score = trunc(score)) from ({table.query})")
        if are_whole:
            reason = (
                "the third column holds whole numbers alone, as grades and ranks are; a header such as "
                "topic,document,score says that they are scores"
            )
            problems.add(table.problem(0, reason))
    else:
        ((most, others),) = table.database.rows(f"""
            select max(documents), count(*) filter (documents <> highest or documents <> grades or lowest <> 1) from (
                select
                    count(*) as documents, max(grade) as highest, min(grade) as lowest, count(distinct grade) as grades
                from ({table.query}) group by topic
            )
        """)
        if most >= _ENOUGH and not others:
            reason = "the third column counts up from 1 in every topic, as ranks do; is it a run of MS MARCO?"
            problems.add(table.problem(0, reason))
    problems.check()


def check_one_ranking(table: Table) -> None:
    """Refuse several rankings without scores of one topic; in each of them the ranks count from 1."""
    problems = ProblemList()
    repeated = f"select topic from ({table.query}) where rank = 1 group by topic having count(*) > 1 order by topic"
    for (topic,) in table.database.rows(repeated):
        problems.add(table.problem(0, SEVERAL_RANKINGS.format(topic=topic)))
    problems.check()


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
