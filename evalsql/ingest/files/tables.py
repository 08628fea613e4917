"""Reads files that are not TREC text into one temporary table, and says what is wrong with which line."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalsql.catalog.ddl import relation_query
from evalsql.catalog.measure_names import literal, quoted
from evalsql.database.disk import scratch_folder
from evalsql.errors import InputError, Problem, ProblemList, QueryError, UsageError
from evalsql.ingest import column_meanings
from evalsql.ingest.column_meanings import NAMES, Given
from evalsql.ingest.files import text_reading
from evalsql.ingest.files.formats import third_column_faults
from evalsql.ingest.files.source import Format, Source, arrow_table, in_batches, unreadable
from evalsql.ingest.files.trec_text import integer_fault, number_fault, one_path, plain_grade
from evalsql.ingest.python_rows import columns_of, meanings_of, put
from evalsql.phrases import counted

if TYPE_CHECKING:
    from evalsql.database.database import Database

_ROWS = "incoming_rows"
_OWN = ("evalsql_row", "file_row_number")  # columns that no file has
_AS_IT_IS = "compression = 'none', hive_partitioning = false"
_WHOLE = ("rank", "grade")
_BY_DEFAULT_0 = ("iteration", "subgroup")
# What one statement reads, so that copies without compression stay bounded; a small file counts as 2 MB.
_MOST_BYTES, _LEAST_BYTES = 400_000_000, 2_000_000


@dataclass
class Table:
    """One file that is not TREC text, and its rows.

    Attributes:
        raw: what stands behind FROM for the rows as they stand in the file; the column ``evalsql_row`` numbers them.
        columns: the column of ``raw`` for each meaning.
        types: of columns that are no text.
        has_lines: whether rows are numbered by their line in the file; otherwise from 1.
        refused: line and reason of those that are no rows.
    """

    database: Database
    source: Source
    form: Format
    raw: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    has_lines: bool = False
    refused: list[tuple[int, str]] = field(default_factory=list)

    @property
    def query(self) -> str:
        """A SELECT of the number of each row, its names and its numbers; a group or subtopic without a column is 0."""
        return f"select * exclude (file) from {_ROWS} where file = {self.source.number}"

    @property
    def holds_evalues(self) -> bool:
        return column_meanings.holds_evalues(self.form.columns) or column_meanings.holds_evalues(self.columns)

    @property
    def is_ranking(self) -> bool:
        """Whether it has ranks and no scores; these are then the negative ranks."""
        return "rank" in self.columns and "score" not in self.columns

    @property
    def unit(self) -> str:
        """How messages count: by lines of the file, or by rows."""
        return "line" if self.form.has_lines else "row"

    def problem(self, row: int, reason: str) -> Problem:
        """A problem with one row, or with the file as a whole if that is 0."""
        if not row or self.form.has_lines:
            return Problem(self.source.label, row, f"{self.form.name}: {reason}")
        return Problem(self.source.label, 0, f"{self.form.name}, row {row}: {reason}")

    def refuse(self, problem: Problem) -> None:
        """Note a line that is no row."""
        self.refused.append((problem.line, problem.reason))

    def check(self) -> None:
        """Raise InputError if lines were refused."""
        if self.refused:
            raise InputError(self.problem(row, reason) for row, reason in sorted(self.refused))

    def rows(self, *meanings: str) -> Iterator[tuple[int, tuple[Any, ...]]]:
        """Line, or row where there are no lines, and values of all rows."""
        found = self.database.rows(f"select row, {', '.join(meanings)} from ({self.query}) order by row")
        numbers = (row for row, *_ in found)
        if self.form.has_lines and not self.has_lines:
            numbers = (line for line, _ in text_reading.text_rows(self.source, self.form, self.refuse))
        return ((number, tuple(values)) for number, (_, *values) in zip(numbers, found, strict=False))


class Tables:
    """Reads files that are not TREC text into a temporary table, which is there as long as the context is.

    The engine's errors would end a transaction, so files are read before any.

    Args:
        kind: run, or the form of judgments.
        given: columns that the user named.
        problems: gets what is wrong with files that cannot be read.
        rank_is_used: whether the tie rule goes by ranks.

    Attributes:
        failed: labels of files that cannot be read.
        by_label: the other files that are not TREC text.
    """

    def __init__(
        self, database: Database, kind: str, given: Given, problems: ProblemList, *, rank_is_used: bool = False
    ) -> None:
        self.database, self.kind, self.given, self.problems = database, kind, given, problems
        self.rank_is_used = rank_is_used
        required, optional = column_meanings.MEANINGS[kind]
        self.required, self.meanings = required, (*required, *optional)
        self.failed: set[str] = set()
        self.by_label: dict[str, Table] = {}

    def __enter__(self) -> Tables:
        return self

    def __exit__(self, *_: object) -> None:
        self.database.execute(f"drop table if exists {_ROWS}")

    def read(self, sources: Sequence[Source]) -> None:
        """Read the files that are not TREC text, many by one statement."""
        found = [Table(self.database, source, source.form) for source in sources if source.form]
        if not found:
            return
        columns = ", ".join(f'"{each}" {_sql_type(each)}' for each in self.meanings)
        self.database.execute(f"create or replace temp table {_ROWS} (file integer, row bigint, {columns})")
        with scratch_folder() as folder:
            self.folder = Path(folder)
            for files in in_batches(found, lambda file: max(file.source.text_bytes, _LEAST_BYTES), _MOST_BYTES):
                try:
                    self._insert_all([file for file in files if self._find_rows(file)])
                finally:
                    for file in files:
                        self.database.execute(f"drop table if exists {_raw_name(file)}")
                        self._copy(file).unlink(missing_ok=True)

    def describe_formats(self, sources: Sequence[Source]) -> str:
        found = [self.by_label.get(source.label) for source in sources]
        names = Counter(table.form.name if table else "TREC" for table in found)
        told = ", ".join(f"{name} ({counted(count, 'file')})" for name, count in names.most_common())
        evalues = ", lower E-values being better" if any(table and table.holds_evalues for table in found) else ""
        return f"read as {told if len(found) > 1 else next(iter(names))}{evalues}"

    def stage_runs(self, files: Sequence[Table]) -> None:
        """Put rows of runs into the table ``staged_run_rows``, as they lie in their files."""
        numbers = ", ".join(str(file.source.number) for file in files)
        self.database.execute(f"""
            insert into staged_run_rows by name
            select file as file_id, topic, document, rank as given_rank, score, false as doubtful
            from {_ROWS} where file in ({numbers}) order by file, row
        """)

    @contextmanager
    def _blamed(self, file: Table) -> Iterator[None]:
        """Note what is wrong with a file, and go on."""
        failures: tuple[type[Exception], ...] = (QueryError, *unreadable())
        try:
            yield
        except InputError as error:
            found = error
        except UsageError as error:
            found = InputError([file.problem(0, str(error))])
        except failures as error:
            reason = f"cannot be read as {file.form.name}: {str(error).partition(chr(10))[0]}"
            found = file.source.error(reason)
        else:
            return
        self.failed.add(file.source.label)
        self.problems.take(found)

    # What stands behind FROM

    def _find_rows(self, file: Table) -> bool:
        """Find the rows of a file as they stand there, their columns and types; False if it is no such file."""
        readers = {"parquet": self._parquet, "arrow": self._arrow, "csv": self._csv, "jsonl": self._json_lines}
        with self._blamed(file):
            readers.get(file.form.reader, self._json if file.form.reader == "json" else self._lines)(file)
            if self.rank_is_used and "rank" not in file.columns:
                raise UsageError("the tie rule goes by rank, and there is no column rank")
        return file.source.label not in self.failed

    def _parquet(self, file: Table) -> None:
        options = "file_row_number = true, binary_as_string = true, hive_partitioning = false"
        file.raw = f"(select file_row_number + 1 as evalsql_row, * from read_parquet({self._path(file)}, {options}))"
        self._find_columns(file)

    def _arrow(self, file: Table) -> None:
        table, view = arrow_table(file.source), f"{_raw_name(file)}_arrow"
        column_meanings.find(table.column_names, self.kind, self.given)  # refuses two columns of one name
        self.database.register(view, table)
        try:
            rows = self._numbered(f"select * from {view}")
            self.database.execute(f"create or replace temp table {_raw_name(file)} as from {rows}")
        finally:
            self.database.unregister(view)
        file.raw = _raw_name(file)
        self._find_columns(file)

    def _find_columns(self, file: Table) -> None:
        found = self.database.rows(f"describe select * from {file.raw}")
        file.types = {column: kind for column, kind, *_ in found}
        file.columns = column_meanings.find([name for name in file.types if name not in _OWN], self.kind, self.given)

    def _csv(self, file: Table) -> None:
        form = file.form
        cells = [f"c{at}" for at in range(len(form.names))]
        taken, mark = "*", '"'
        if text_reading.quotes_hide_nothing(file.source, form):
            taken, mark = ", ".join(f"{text_reading.unquoted_in_sql(cell)} as {cell}" for cell in cells), ""
        file.raw = self._numbered(f"""select {taken} from read_csv(
            [{self._path(file)}], delim = {literal(form.delimiter)}, header = false, skip = {form.skipped},
            quote = '{mark}', escape = '{mark}', auto_detect = false, {_AS_IT_IS},
            columns = {{{", ".join(f"'{cell}': 'varchar'" for cell in cells)}}}
        )""")
        file.columns = {meaning: f"c{form.names.index(column)}" for meaning, column in form.columns.items()}

    def _json_lines(self, file: Table) -> None:
        file.columns = file.form.columns
        listed = ", ".join(f"{literal(column)}: 'varchar'" for column in file.columns.values())
        file.raw = self._numbered(f"""select * from read_json(
            [{self._path(file)}], format = 'newline_delimited', columns = {{{listed}}}, {_AS_IT_IS}
        )""")

    def _json(self, file: Table) -> None:
        """Values of Python become a table: of numbers if they all are, else of text."""
        name, faults = file.form.name, list[Problem]()
        document = text_reading.json_document(file.source, name, faults.append)
        if faults:
            raise InputError(each._replace(reason=f"{name}: {each.reason}") for each in faults)
        columns = columns_of(document, self.kind, self.given)
        numbers = [name for name, values in columns.items() if name not in NAMES and _are_exact(values)]
        for name in columns.keys() - set(numbers):
            columns[name] = list(map(text_reading.as_text, columns[name]))
        put(self.database, _raw_name(file), columns, numbers)
        file.raw = self._numbered(f"select * from {_raw_name(file)}")
        file.columns, file.types = meanings_of(columns), dict.fromkeys(numbers, "DOUBLE")

    def _lines(self, file: Table) -> None:
        """Rows that Python reads, with their lines and with those that are refused."""
        rows = [(line, *row) for line, row in text_reading.text_rows(file.source, file.form, file.refuse)]
        names = ["evalsql_row", *file.form.columns]
        values = map(list, zip(*rows, strict=True)) if rows else [[] for _ in names]
        put(self.database, _raw_name(file), dict(zip(names, values, strict=True)), names[:1])
        file.raw, file.types, file.has_lines = _raw_name(file), {}, True
        file.columns = {meaning: meaning for meaning in names[1:]}

    def _numbered(self, rows: str) -> str:
        return f"(\n{relation_query(self.database.catalog, 'numbered_rows', {'raw': rows})}\n)"

    def _copy(self, file: Table) -> Path:
        return self.folder / _raw_name(file)

    def _path(self, file: Table) -> str:
        """The file without compression, under a name that the engine takes as it is: it may read no others."""
        path = file.source.path
        if file.source.compression != "none" or one_path(path) != str(path):
            path = self._copy(file)
            with file.source.open() as stream, path.open("wb") as copy:
                shutil.copyfileobj(stream, copy)
        return literal(one_path(path))

    # Names and numbers

    def _insert_all(self, files: Sequence[Table]) -> None:
        """Insert the rows of files; where the engine fails at one, each by itself."""
        try:
            self._insert(files)
        except (QueryError, UsageError) as error:
            for file in files:
                if len(files) > 1:
                    self._insert_all([file])
                else:
                    self._insert_exactly(file, error)
            return
        numbers = ", ".join(str(file.source.number) for file in files)
        rows = f"from {_ROWS} where file in ({numbers})"
        good = self.database.rows(f"select file {rows} group by file having not bool_or({self._fault_of_row})")
        for file in files:
            if (file.source.number,) in good and not file.refused:
                self._keep(file)
            else:
                self._insert_exactly(file)

    def _insert_exactly(self, file: Table, error: Exception | None = None) -> None:
        """Keep a file at which the engine failed if Python reads its lines; else say what is wrong with it."""
        with self._blamed(file):
            if file.form.has_lines and not file.has_lines:
                self._lines(file)
                self.database.execute(f"delete from {_ROWS} where file = {file.source.number}")
                self._insert([file])
            elif error:
                raise error
            self._check_rows(file)
            self._keep(file)

    def _insert(self, files: Sequence[Table]) -> None:
        selects = []
        for file in files:
            values = {meaning: _converted(file, meaning) for meaning in file.columns}
            values |= {
                each: f"coalesce({values.get(each, 'null')}, '0')" for each in self.meanings if each in _BY_DEFAULT_0
            }
            if file.is_ranking:
                values["score"] = f"-({values['rank']})"
            listed = ", ".join(f'{value} as "{meaning}"' for meaning, value in values.items())
            selects.append(f"select {file.source.number} as file, evalsql_row as row, {listed} from {file.raw}")
        rows = "\nunion all by name\n".join(selects)
        with self.database.unordered() if len(files) > 1 else nullcontext():
            self.database.execute(f"insert into {_ROWS} by name\n{rows}")

    def _keep(self, file: Table) -> None:
        with self._blamed(file):
            if faults := third_column_faults(self.database, file.form.name, file.query):
                raise InputError(file.problem(0, reason) for reason in faults)
            self.by_label[file.source.label] = file

    @property
    def _fault_of_row(self) -> str:
        """A condition of SQL that rows fulfil which lack a name or a usable number."""
        needed = [*self.required, "rank"] if self.rank_is_used else self.required
        faults = [f'"{meaning}" is null' for meaning in needed]
        faults += [f'not isfinite("{meaning}")' for meaning in needed if meaning in ("score", "level")]
        return f"({' or '.join(faults)})"

    def _check_rows(self, file: Table) -> None:
        """Raise InputError for the lines that were refused and the rows that cannot be used, and if there are none."""
        listed = ", ".join(f"cast({quoted(column)} as varchar)" for column in file.columns.values())
        faulty = f"select row from ({file.query}) where {self._fault_of_row}"
        for row, *values in self.database.rows(
            f"select evalsql_row::bigint, {listed} from {file.raw} where evalsql_row in ({faulty})"
        ):
            named = dict(zip(file.columns, values, strict=True))
            has_line = file.form.has_lines or not named.get("topic")
            place = "" if has_line else f" (topic {named['topic']}, document {named['document']})"
            file.refused.append((row, (self._fault(named) or "cannot be used") + place))
        if not file.refused and not self.database.rows(f"{file.query} limit 1"):
            file.refused.append((0, "holds no rows"))
        file.check()

    def _fault(self, row: Mapping[str, str | None]) -> str:
        """What is wrong with the values of a row; empty if nothing."""
        needs_rank = "rank" in row and (self.rank_is_used or "score" not in row)
        for meaning in [each for each in self.required if each in row] + ["rank"] * needs_rank:
            text = row[meaning]
            if text is None or not text.strip():
                return f"{meaning} is missing"
            whole = plain_grade(text) if meaning == "grade" else text
            if meaning in _WHOLE and (reason := integer_fault(meaning, whole)):
                return reason
            if meaning in ("score", "level") and (reason := number_fault(meaning, text)):
                return reason
        return ""


def _raw_name(file: Table) -> str:
    """Of what is made to read a file: a table, a copy."""
    return f"incoming_{file.source.number}_raw"


def _sql_type(meaning: str) -> str:
    return "varchar" if meaning in NAMES else "integer" if meaning in _WHOLE else "double"


def _converted(file: Table, meaning: str) -> str:
    """SQL that makes a name or a number of a column, null where it is none."""
    column = file.columns[meaning]
    name, kind = quoted(column), file.types.get(column, "VARCHAR")
    if meaning in NAMES:
        column_meanings.check_name_type(column, kind)
        return f"nullif(trim({name}), '')" if kind == "VARCHAR" else f"cast({name} as varchar)"
    number = f"try_cast({name} as double)"
    if kind == "VARCHAR":
        text = f"regexp_replace(trim({name}), '^L([0-9]+)$', '\\1')" if meaning == "grade" else f"trim({name})"
        number = f"case when not contains({name}, '_') then try_cast({text} as double) end"
    return (
        f"case when {number} = trunc({number}) then try_cast({number} as integer) end" if meaning in _WHOLE else number
    )


def _are_exact(values: Sequence[Any]) -> bool:
    """Whether values are numbers that go through a 64-bit float unchanged."""
    return set(map(type, values)) <= {int, float} and all(abs(each) < 2**53 for each in values)
