"""Files that are not TREC text, and for each of their formats a SELECT of the rows as they stand in the file."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalsql.catalog.ddl import relation_query
from evalsql.catalog.measure_names import literal
from evalsql.errors import Problem, QueryError, UsageError
from evalsql.ingest import column_meanings
from evalsql.ingest.column_meanings import NAMES, Given
from evalsql.ingest.files import text_reading
from evalsql.ingest.files.source import Format, Source, unreadable
from evalsql.ingest.files.trec_text import one_path
from evalsql.ingest.python_rows import columns_of, meanings_of, put

if TYPE_CHECKING:
    from evalsql.database.database import Database

_OWN = ("evalsql_row", "file_row_number")  # columns that no file has
_AS_IT_IS = "compression = 'none', hive_partitioning = false"


@dataclass
class Table:
    """One file that is not TREC text, and its rows: as they stand in the file, then converted in a temporary table.

    Attributes:
        number: of the file among those that are loaded together.
        raw: what stands behind FROM for the rows of the file; the column ``evalsql_row`` numbers them.
        columns: the column of ``raw`` for each meaning.
        types: of columns that are no text.
        name: the temporary table, which other files may share: it has the columns file, row and the meanings.
        has_lines: whether ``row`` is a line of the file; otherwise it counts rows from 1.
        refused: line and reason of those that are no rows.
    """

    database: Database
    source: Source
    form: Format
    number: int
    raw: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    name: str = ""
    has_lines: bool = False
    refused: list[tuple[int, str]] = field(default_factory=list)

    @property
    def raw_name(self) -> str:
        """Of what is made to read the file: a table, a copy."""
        return f"incoming_{self.number}_raw"

    @property
    def query(self) -> str:
        """A SELECT of row and meanings."""
        return f"select * exclude (file) from {self.name} where file = {self.number}"

    @property
    def holds_evalues(self) -> bool:
        return column_meanings.holds_evalues(self.form.columns or {}) or column_meanings.holds_evalues(self.columns)

    @property
    def is_ranking(self) -> bool:
        """Whether it has ranks and no scores."""
        return "rank" in self.columns and "score" not in self.columns

    @property
    def unit(self) -> str:
        """How messages count: by lines of the file, or by rows."""
        return "line" if self.form.has_lines else "row"

    def problem(self, row: int, reason: str) -> Problem:
        return self.form.problem(self.source, row, reason)

    def selected(self, *meanings: str) -> str:
        """Columns of a SELECT; a group or subtopic without a column is 0."""
        return ", ".join(
            "'0'"
            if meaning not in self.columns
            else f"coalesce(\"{meaning}\", '0')"
            if meaning in ("iteration", "subgroup")
            else f'"{meaning}"'
            for meaning in meanings
        )

    def rows(self, *meanings: str) -> Iterator[tuple[int, tuple[Any, ...]]]:
        """Line, or row where there are no lines, and values of all rows."""
        found = self.database.rows(f"select row, {self.selected(*meanings)} from ({self.query}) order by row")
        numbers: Iterable[int] = (row for row, *_ in found)
        if self.form.has_lines and not self.has_lines:
            numbers = (line for line, _ in text_reading.text_rows(self.source, self.form))
        return ((number, tuple(values)) for number, (_, *values) in zip(numbers, found, strict=False))


class Reader:
    """Finds the raw rows of tables; what Python reads is put into a temporary table first.

    Args:
        folder: for copies of files that the engine cannot read where they are.
    """

    def __init__(self, database: Database, kind: str, given: Given, folder: Path) -> None:
        self.database = database
        self.kind = kind
        self.given = given
        self.folder = folder

    def read(self, file: Table) -> None:
        """Set the raw rows of a file, and their columns and types.

        Raises:
            InputError, UsageError, QueryError: it is no file of the format, or a column is missing.
        """
        readers = {"parquet": self._parquet, "arrow": self._arrow, "csv": self._csv, "jsonl": self._json_lines}
        readers.get(file.form.reader, self._json if file.form.reader == "json" else self.read_lines)(file)

    def read_lines(self, file: Table) -> None:
        """The same by Python, with the lines of rows, and with those that are refused."""
        lines: list[int] = []
        rows: list[Sequence[str | None]] = []
        for line, row in text_reading.text_rows(file.source, file.form):
            if isinstance(row, str):
                file.refused.append((line, row))
            else:
                lines.append(line)
                rows.append(row)
        meanings = list(file.form.columns or {})
        values = map(list, zip(*rows, strict=True)) if rows else [[] for _ in meanings]
        put(
            self.database,
            file.raw_name,
            {"evalsql_row": lines, **dict(zip(meanings, values, strict=True))},
            ["evalsql_row"],
        )
        file.raw, file.types, file.has_lines = file.raw_name, {}, True
        file.columns = {meaning: meaning for meaning in meanings}

    def forget(self, file: Table) -> None:
        """Take away what was made to read a file."""
        self.database.execute(f"drop table if exists {file.raw_name}")
        self._copy(file).unlink(missing_ok=True)

    def _parquet(self, file: Table) -> None:
        options = "file_row_number = true, binary_as_string = true, hive_partitioning = false"
        rows = f"read_parquet({self._path(file)}, {options})"
        file.raw = f"(select file_row_number + 1 as evalsql_row, * from {rows})"
        self._find(file)

    def _arrow(self, file: Table) -> None:
        table = _arrow_table(file.source)
        column_meanings.find(table.column_names, self.kind, self.given)  # refuses two columns of one name
        view = f"{file.raw_name}_arrow"
        self.database.register(view, table)
        try:
            rows = self._numbered(f"select * from {view}")
            self.database.execute(f"create or replace temp table {file.raw_name} as select * from {rows}")
        finally:
            self.database.unregister(view)
        file.raw = file.raw_name
        self._find(file)

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
        file.columns = {meaning: f"c{form.names.index(column)}" for meaning, column in (form.columns or {}).items()}

    def _json_lines(self, file: Table) -> None:
        file.columns = file.form.columns or {}
        listed = ", ".join(f"{literal(column)}: 'varchar'" for column in file.columns.values())
        file.raw = self._numbered(f"""select * from read_json(
            [{self._path(file)}], format = 'newline_delimited', columns = {{{listed}}}, {_AS_IT_IS}
        )""")

    def _json(self, file: Table) -> None:
        """Values of Python become a table: of numbers if they all are, else of text."""
        columns = columns_of(text_reading.json_document(file.source, file.form.name), self.kind, self.given)
        numbers = [name for name, values in columns.items() if name not in NAMES and _are_exact(values)]
        for name in columns.keys() - set(numbers):
            columns[name] = list(map(text_reading.as_text, columns[name]))
        put(self.database, file.raw_name, columns, numbers)
        file.raw = self._numbered(f"select * from {file.raw_name}")
        file.columns, file.types = meanings_of(columns), dict.fromkeys(numbers, "DOUBLE")

    def _numbered(self, rows: str) -> str:
        return f"(\n{relation_query(self.database.catalog, 'numbered_rows', {'raw': rows})}\n)"

    def _find(self, file: Table) -> None:
        """Set the columns and types of a file that names them."""
        found = self.database.rows(f"describe select * from {file.raw}")
        file.types = {column: kind for column, kind, *_ in found}
        names = [name for name in file.types if name not in _OWN]
        file.columns = column_meanings.find(names, self.kind, self.given)

    def _copy(self, file: Table) -> Path:
        return self.folder / file.raw_name

    def _path(self, file: Table) -> str:
        """The file without compression, under a name that the engine takes as it is: it may read no others."""
        path = file.source.path
        if file.source.compression != "none" or one_path(path) != str(path):
            path = self._copy(file)
            with file.source.open() as stream, path.open("wb") as copy:
                shutil.copyfileobj(stream, copy)
        return literal(one_path(path))


def _are_exact(values: Sequence[Any]) -> bool:
    """Whether values are numbers that go through a 64-bit float unchanged."""
    return set(map(type, values)) <= {int, float} and all(abs(each) < 2**53 for each in values)


def _arrow_table(source: Source) -> Any:
    try:
        import pyarrow
        from pyarrow import feather, ipc
    except ImportError as error:
        reason = "reading Arrow and Feather files takes pyarrow; pip install pyarrow, or write Parquet"
        raise UsageError(reason) from error
    try:
        with source.open() as stream:
            start = stream.read(4)
        with source.open() as stream:
            table = ipc.open_stream(stream).read_all() if start == b"\xff\xff\xff\xff" else feather.read_table(stream)
        table.validate(full=True)  # over text that is not UTF-8 the engine would give up the database
        return table
    except (pyarrow.ArrowException, *unreadable()) as error:
        raise QueryError(str(error)) from error
