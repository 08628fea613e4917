"""Files that are not TREC text, and for each of their formats a SELECT of the rows as they stand in the file."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
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

_OWN = ("evalsql_row", "evalsql_file", "file_row_number")  # columns that no file has
_AS_IT_IS = "compression = 'none', hive_partitioning = false"


@dataclass
class Table:
    """One file that is not TREC text, and its rows: as they stand in the file, then converted in a temporary table.

    Attributes:
        number: of the file among those that are loaded together.
        raw: what stands behind FROM for the rows of the file; the column ``evalsql_row`` numbers them.
        columns: the column of ``raw`` for each meaning.
        types: of columns that are no text.
        parquet: the path of a Parquet file, in quotes; many of those are read as one.
        name: the temporary table, which other files may share: it has the columns file, row and the meanings.
        has_lines: whether ``row`` is a line of the file; otherwise it counts rows from 1.
    """

    database: Database
    source: Source
    form: Format
    number: int
    raw: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    parquet: str = ""
    name: str = ""
    has_lines: bool = False

    @property
    def own_name(self) -> str:
        """For what is made to read the file: a table, a view, a copy."""
        return f"incoming_{self.number}"

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
        if self.has_lines or not self.form.has_lines:
            return ((row, tuple(values)) for row, *values in found)
        lines = (line for line, _ in text_reading.text_rows(self.source, self.form))
        return ((line, tuple(values)) for line, (_, *values) in zip(lines, found, strict=False))


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
        readers.get(file.form.reader, self._json if file.form.reader == "json" else self._split_lines)(file)

    def forget(self, file: Table) -> None:
        """Take away what was made to read a file."""
        self.database.unregister(f"{file.own_name}_arrow")
        self.database.execute(f"drop table if exists {file.own_name}_raw")
        (self.folder / file.own_name).unlink(missing_ok=True)

    def _parquet(self, file: Table) -> None:
        path = self._path(file)
        file.raw = parquet_rows([path])
        file.types = self._types(file.raw)
        file.columns = self._find(list(file.types))
        file.parquet = "" if "file_index" in file.types else path  # its own column would be read for the engine's

    def _arrow(self, file: Table) -> None:
        table = _arrow_table(file.source)
        file.columns = self._find(table.column_names)  # refuses two columns of one name
        self.database.register(f"{file.own_name}_arrow", table)
        file.raw = self._numbered(f"select * from {file.own_name}_arrow")
        file.types = self._types(file.raw)

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
        put(self.database, f"{file.own_name}_raw", columns, numbers)
        file.raw = self._numbered(f"select * from {file.own_name}_raw")
        file.columns, file.types = meanings_of(columns), dict.fromkeys(numbers, "DOUBLE")

    def _split_lines(self, file: Table) -> None:
        rows = text_reading.split_lines_query(self.database.catalog, file.form, self._path(file))
        file.raw = f"(\n{rows}\n)"
        file.columns = {meaning: meaning for meaning in file.form.columns or {}}

    def _numbered(self, rows: str) -> str:
        return f"(\n{relation_query(self.database.catalog, 'numbered_rows', {'raw': rows})}\n)"

    def _types(self, rows: str) -> dict[str, str]:
        return {column: kind for column, kind, *_ in self.database.rows(f"describe select * from {rows}")}

    def _find(self, names: Sequence[str]) -> dict[str, str]:
        return column_meanings.find([name for name in names if name not in _OWN], self.kind, self.given)

    def _path(self, file: Table) -> str:
        """The file without compression, under a name that the engine takes as it is: it may read no others."""
        path = file.source.path
        if file.source.compression != "none" or one_path(path) != str(path):
            path = self.folder / file.own_name
            with file.source.open() as stream, path.open("wb") as copy:
                shutil.copyfileobj(stream, copy)
        return literal(one_path(path))


def parquet_rows(paths: Sequence[str]) -> str:
    """What stands behind FROM for Parquet files with the same columns; ``evalsql_file`` is the place of each."""
    options = "file_row_number = true, binary_as_string = true, hive_partitioning = false"
    rows = f"read_parquet([{', '.join(paths)}], {options})"
    return f"(select file_row_number + 1 as evalsql_row, file_index as evalsql_file, * from {rows})"


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
