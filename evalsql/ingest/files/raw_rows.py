"""A SELECT for each format that is no TREC text: rows as they stand there, before they are converted."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalsql.catalog.ddl import relation_query
from evalsql.catalog.measure_names import literal, quoted
from evalsql.errors import QueryError, UsageError
from evalsql.ingest import column_meanings as known_columns
from evalsql.ingest.column_meanings import NAMES, Given
from evalsql.ingest.files import json_files, text_tables
from evalsql.ingest.files.formats import Format
from evalsql.ingest.files.source import Source, unreadable
from evalsql.ingest.files.text_tables import as_text
from evalsql.ingest.files.trec_text import one_path
from evalsql.ingest.python_rows import columns_of, hold_evalues, put

if TYPE_CHECKING:
    from evalsql.database.database import Database

_OWN = ("evalsql_row", "evalsql_file", "file_row_number")  # columns that no file has
_AS_IT_IS = "compression = 'none', hive_partitioning = false"


@dataclass(frozen=True)
class RawRows:
    """Rows of one file as they stand there.

    Attributes:
        rows: what stands behind FROM; the column ``evalsql_row`` numbers them.
        columns: the column of each meaning.
        types: of columns that are no text.
        parquet: the path of a Parquet file, in quotes; many of those are read as one.
    """

    rows: str
    columns: Mapping[str, str]
    types: Mapping[str, str] = field(default_factory=dict)
    parquet: str = ""


class Reader:
    """Makes raw rows of files.

    Args:
        folder: for files that the engine cannot read where they are.
    """

    def __init__(self, database: Database, kind: str, given: Given, folder: Path) -> None:
        self.database = database
        self.kind = kind
        self.given = given
        self.folder = folder
        self._readers: Mapping[str, Callable[[Source, Format, str], RawRows]] = {
            "parquet": self._parquet,
            "arrow": self._arrow,
            "csv": self._csv,
            "jsonl": self._json_rows,
            "array": self._json_rows,
            "rankings": self._rankings,
            "hits": self._hits,
            "lists": self._lists,
            "dicts": self._dicts,
            "lines": self._lines,
            "letor": self._lines,
            "nested": self._nested,
        }

    def read(self, source: Source, form: Format, name: str) -> RawRows:
        """The rows of a file.

        Args:
            name: of what may be made for them: a table, a view, a file.

        Raises:
            InputError, UsageError, QueryError: it is no file of the format, or a column is missing.
        """
        return self._readers[form.reader](source, form, name)

    def forget(self, name: str) -> None:
        """Take away what was made to read a file."""
        self.database.unregister(f"{name}_arrow")
        self.database.execute(f"drop table if exists {name}_raw")
        (self.folder / name).unlink(missing_ok=True)

    # What the engine reads

    def _parquet(self, source: Source, _: Format, name: str) -> RawRows:
        path = self._path(source, name)
        raw = self._described(parquet_rows([path]))
        has_its_own = "file_index" in raw.types  # which would be read for the engine's
        return replace(raw, parquet="" if has_its_own else path)

    def _arrow(self, source: Source, _: Format, name: str) -> RawRows:
        table = _arrow_table(source)
        known_columns.find(table.column_names, self.kind, self.given)  # refuses two columns of one name
        self.database.register(f"{name}_arrow", table)
        return self._described(self._numbered(f"select * from {name}_arrow"))

    def _csv(self, source: Source, form: Format, name: str) -> RawRows:
        cells = [f"c{at}" for at in range(len(form.names))]
        taken, mark = "*", '"'
        if text_tables.quotes_hide_nothing(source, form):
            taken, mark = ", ".join(f"{text_tables.unquoted_in_sql(cell)} as {cell}" for cell in cells), ""
        rows = f"""select {taken} from read_csv(
            [{self._path(source, name)}], delim = {literal(form.delimiter)}, header = false, skip = {form.skipped},
            quote = '{mark}', escape = '{mark}', auto_detect = false, {_AS_IT_IS},
            columns = {{{", ".join(f"'{cell}': 'varchar'" for cell in cells)}}}
        )"""
        columns = {meaning: f"c{form.names.index(column)}" for meaning, column in (form.columns or {}).items()}
        return RawRows(self._numbered(rows), columns)

    def _json_rows(self, source: Source, form: Format, name: str) -> RawRows:
        columns = form.columns or {}
        types = dict.fromkeys(columns.values(), "varchar")
        return RawRows(self._numbered(self._json_values(source, form, name, types)), columns)

    def _rankings(self, source: Source, form: Format, name: str) -> RawRows:
        columns = form.columns or {}
        types = {column: "varchar" if meaning == "topic" else "varchar[]" for meaning, column in columns.items()}
        named = ", ".join(f"{quoted(column)} as {meaning}s" for meaning, column in columns.items())
        if "score" in columns:
            rows = f"select {named} from ({self._json_values(source, form, name, types)})"
            return self._ranked(rows, has_scores=True)
        # A record further down that has scores after all makes the rows unusable, so that Python says what is wrong.
        unseen = dict.fromkeys(("scores", "score"), "varchar")
        values = self._json_values(source, form, name, types | unseen)
        none = " and ".join(f"{each} is null" for each in unseen)
        rows = f"select * replace (case when {none} then topics end as topics) from (select *, {named} from ({values}))"
        return self._ranked(rows, has_scores=False)

    def _hits(self, source: Source, form: Format, name: str) -> RawRows:
        columns = form.columns or {}
        document, score = map(quoted, form.names)
        topic, hits = quoted(columns["topic"]), quoted(columns["document"])
        types = {columns["topic"]: "varchar", columns["document"]: f"struct({document} varchar, {score} varchar)[]"}
        return self._ranked(
            f"""
            select
                {topic} as topics, [hit.{document} for hit in {hits}] as documents,
                [hit.{score} for hit in {hits}] as scores
            from ({self._json_values(source, form, name, types)})""",
            has_scores=True,
        )

    def _lists(self, source: Source, _: Format, name: str) -> RawRows:
        entries = "unnest(map_entries(cast(json as map(varchar, varchar[])))) as entry"
        objects = f"select {entries} from ({self._json_objects(source, name)})"
        return self._ranked(f"select entry.key as topics, entry.value as documents from ({objects})", has_scores=False)

    def _ranked(self, rankings: str, has_scores: bool) -> RawRows:
        """Rows of rankings that have the columns topics, documents and perhaps scores."""
        if not has_scores:
            rankings = f"select topics, documents, cast(null as varchar[]) as scores from ({rankings})"
        rows = relation_query(self.database.catalog, "ranking_rows", {"rankings": rankings})
        value = "score" if has_scores else "rank"
        return RawRows(self._numbered(rows), {each: each for each in ("topic", "document", value)}, {"rank": "BIGINT"})

    def _dicts(self, source: Source, _: Format, name: str) -> RawRows:
        objects = self._json_objects(source, name)
        rows = relation_query(self.database.catalog, "nested_rows", {"objects": objects})
        value = known_columns.MEANINGS[self.kind][0][-1]
        return RawRows(self._numbered(rows), {"topic": "topic", "document": "document", value: "value"})

    def _lines(self, source: Source, form: Format, name: str) -> RawRows:
        rows = text_tables.split_lines_query(self.database.catalog, form, self._path(source, name))
        return RawRows(f"(\n{rows}\n)", {meaning: meaning for meaning in form.columns or {}})

    # What Python reads

    def _nested(self, source: Source, form: Format, name: str) -> RawRows:
        document = json_files.document(source, form.name)
        values = columns_of(document, self.kind, self.given)
        named = {meaning: meaning for meaning in values}
        if hold_evalues(document, self.kind, self.given):
            named["score"] = "evalue"
        self._put(f"{name}_raw", {named[meaning]: column for meaning, column in values.items()})
        raw = self._described(self._numbered(f"select * from {name}_raw"), find=False)
        return RawRows(raw.rows, named, raw.types)

    def _put(self, table: str, columns: Mapping[str, Sequence[Any]]) -> None:
        """Values of Python as a table: of numbers if they all are, else of text."""
        numbers = [name for name, values in columns.items() if name not in NAMES and _are_exact(values)]
        texts = {name: values if name in numbers else list(map(as_text, values)) for name, values in columns.items()}
        put(self.database, table, texts, numbers)

    # Parts of them

    def _json_values(self, source: Source, form: Format, name: str, types: Mapping[str, str]) -> str:
        """Fields of the objects in a list, or one a line."""
        listed = ", ".join(f"{literal(column)}: {literal(kind)}" for column, kind in types.items())
        kind = "array" if form.reader == "array" else "newline_delimited"
        return f"""select * from read_json(
            [{self._path(source, name)}], format = '{kind}', columns = {{{listed}}}, {_AS_IT_IS}
        )"""

    def _json_objects(self, source: Source, name: str) -> str:
        """The file as one value."""
        path = self._plain(source, name)
        return f"""select json from read_json_objects(
            [{literal(one_path(path))}], format = 'unstructured', maximum_object_size = {path.stat().st_size + 1},
            {_AS_IT_IS}
        )"""

    def _numbered(self, rows: str) -> str:
        return f"(\n{relation_query(self.database.catalog, 'numbered_rows', {'raw': rows})}\n)"

    def _described(self, rows: str, *, find: bool = True) -> RawRows:
        """Raw rows that have types of their own."""
        types = {column: kind for column, kind, *_ in self.database.rows(f"describe select * from {rows}")}
        names = [column for column in types if column not in _OWN]
        return RawRows(rows, known_columns.find(names, self.kind, self.given) if find else {}, types)

    def _path(self, source: Source, name: str) -> str:
        return literal(one_path(self._plain(source, name)))

    def _plain(self, source: Source, name: str) -> Path:
        """The file without compression, under a name that the engine takes as it is: it may read no others."""
        if source.compression == "none" and one_path(source.path) == str(source.path):
            return source.path
        path = self.folder / name
        with source.open() as stream, path.open("wb") as copy:
            shutil.copyfileobj(stream, copy)
        return path


def parquet_rows(paths: Sequence[str]) -> str:
    """What stands behind FROM for Parquet files with the same columns; ``file_index`` is the place of each."""
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
