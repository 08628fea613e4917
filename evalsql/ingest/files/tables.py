"""Files that are no TREC text: each is read into a temporary table, by the engine where it can, before any load.

The engine's errors would end a transaction, so all that can go wrong with a file goes wrong here.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalsql.catalog.ddl import relation_query
from evalsql.catalog.names import literal
from evalsql.database.scratch import scratch_folder
from evalsql.errors import InputError, Problem, QueryError, UsageError
from evalsql.ingest.files import columns as known_columns
from evalsql.ingest.files import json_files, text_tables
from evalsql.ingest.files.clean import _without_wildcards as one_path
from evalsql.ingest.files.columns import Given
from evalsql.ingest.files.folders import recognised_formats
from evalsql.ingest.files.format import Format
from evalsql.ingest.files.lines import _integer_fault as whole_fault
from evalsql.ingest.files.lines import number_fault
from evalsql.ingest.files.ranks import THIRD_COLUMN, check_third_column
from evalsql.ingest.files.recognition import as_text, recognised, text_rows
from evalsql.ingest.files.sources import Source, unreadable
from evalsql.ingest.keys import ProblemList
from evalsql.ingest.rows import columns_of, hold_evalues, put, quoted

if TYPE_CHECKING:
    from evalsql.database.database import Database

_NAMES = ("topic", "document", "iteration", "group", "subgroup", "member", "family")
_WHOLE = ("rank", "grade")
_NAME_TYPES = ("VARCHAR", "BIGINT", "INTEGER", "SMALLINT", "TINYINT", "HUGEINT", "UUID")
_VIEW = "incoming_arrow"


@dataclass(frozen=True)
class Table:
    """The rows of one file in the temporary table ``name``: row, then the meanings it has.

    ``has_lines`` says that the column ``row`` holds lines of the file; otherwise it counts rows from 1.
    """

    database: Database
    source: Source
    form: Format
    name: str
    meanings: frozenset[str]
    has_lines: bool
    holds_evalues: bool = False

    @property
    def is_ranking(self) -> bool:
        """Whether it has ranks and no scores."""
        return "rank" in self.meanings and "score" not in self.meanings

    @property
    def unit(self) -> str:
        """What problems are placed by."""
        return "line" if self.form.has_lines else "row"

    def problem(self, row: int, reason: str) -> Problem:
        return self.form.problem(self.source, row, reason)

    def stage(self, file_id: int) -> None:
        """Put the rows of a run into the table ``staged_run_rows``; of a ranking the score is minus the rank."""
        rank = "rank" if "rank" in self.meanings else "null"
        score = "score" if "score" in self.meanings else "-rank"
        self.database.execute(f"""
            insert into staged_run_rows
            select {file_id}, topic, document, {rank}, {score}, false from {self.name} order by row
        """)

    def selected(self, *meanings: str) -> str:
        """Columns of a SELECT; a group or subtopic that is not named is 0."""
        return ", ".join(self._selected(meaning) for meaning in meanings)

    def _selected(self, meaning: str) -> str:
        if meaning not in self.meanings:
            return "'0'"
        return f"coalesce(\"{meaning}\", '0')" if meaning in ("iteration", "subgroup") else f'"{meaning}"'

    def rows(self, *meanings: str) -> Iterator[tuple[int, tuple[Any, ...]]]:
        """Line, or row where there are no lines, and values of all rows."""
        found = self.database.rows(f"select row, {self.selected(*meanings)} from {self.name} order by row")
        if self.has_lines or not self.form.has_lines:
            yield from ((row, tuple(values)) for row, *values in found)
        else:
            lines = (line for line, _ in text_rows(self.source, self.form))
            yield from ((line, tuple(values)) for line, (_, *values) in zip(lines, found, strict=False))


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

    def __enter__(self) -> Tables:
        self._scratch = scratch_folder()
        self._folder = Path(self._scratch.__enter__())
        return self

    def __exit__(self, *_: object) -> None:
        self._scratch.__exit__(None, None, None)
        for table in self.by_label.values():
            self.database.execute(f"drop table if exists {table.name}")

    def read(self, sources: Sequence[Source]) -> None:
        for number, source in enumerate(sources):
            try:
                form = recognised(source, self.kind, self.given)
                if form:
                    self.by_label[source.label] = self._read(source, form, f"incoming_rows_{number}")
            except InputError as error:
                self.database.execute(f"drop table if exists incoming_rows_{number}")
                self.failed.add(source.label)
                self.problems.take(error)

    def recognised(self, sources: Sequence[Source]) -> str:
        """The formats of the files, in words."""
        found = [self.by_label.get(source.label) for source in sources]
        told = f"read as {recognised_formats(Counter(each.form.name if each else 'TREC' for each in found))}"
        return told + (", lower E-values being better" if any(each and each.holds_evalues for each in found) else "")

    def _read(self, source: Source, form: Format, name: str) -> Table:
        raw_table = f"{name}_raw"
        try:
            raw, columns = self._raw(source, form, raw_table)
            return self._staged(source, form, name, raw, columns)
        except UsageError as error:
            raise InputError([form.problem(source, 0, str(error))]) from error
        except _unreadable() as error:
            reason = f"cannot be read as {form.name}: {str(error).partition(chr(10))[0]}"
            raise InputError([Problem(source.label, 0, reason)]) from error
        finally:
            self.database.unregister(_VIEW)
            self.database.execute(f"drop table if exists {raw_table}")

    # What reads the rows of a file

    def _raw(self, source: Source, form: Format, table: str) -> tuple[str, Mapping[str, str]]:
        """What stands behind FROM, one column of which is ``evalsql_row``, and the column of each meaning."""
        if form.reader == "parquet":
            path = literal(one_path(self._plain(source)))
            rows = f"read_parquet([{path}], file_row_number = true, binary_as_string = true, hive_partitioning = false)"
            raw = f"(select file_row_number + 1 as evalsql_row, * from {rows})"
            return raw, self._found(raw)
        if form.reader == "arrow":
            self.database.register(_VIEW, _arrow_table(source))
            raw = self._numbered(_VIEW)
            return raw, self._found(raw)
        if form.reader == "nested":
            document = json_files.document(source, form.name)
            values = columns_of(document, self.kind, self.given)
            named = {name: name for name in values}
            if hold_evalues(document, self.kind, self.given):
                named["score"] = "evalue"
            self._put(table, {named[meaning]: column for meaning, column in values.items()})
            return self._numbered(table), named
        columns = form.columns or {}
        if form.reader in ("lines", "letor"):
            rows = text_tables.select(self.database.catalog, form, one_path(self._plain(source)))
            return f"(\n{rows}\n)", {meaning: meaning for meaning in columns}
        path = literal(one_path(self._plain(source)))
        if form.reader == "csv":
            names = {meaning: f"c{form.names.index(name)}" for meaning, name in columns.items()}
            rows = f"""read_csv(
                [{path}], delim = {literal(form.delimiter)}, header = false, skip = {form.skipped}, quote = '"',
                escape = '"', auto_detect = false, compression = 'none', hive_partitioning = false,
                columns = {{{", ".join(f"'c{at}': 'varchar'" for at in range(len(form.names)))}}}
            )"""
        else:
            names = dict(columns)
            listed = ", ".join(f"{literal(name)}: 'varchar'" for name in columns.values())
            rows = f"""read_json(
                [{path}], format = 'newline_delimited', columns = {{{listed}}}, compression = 'none',
                hive_partitioning = false
            )"""
        return self._numbered(rows), names

    def _numbered(self, rows: str) -> str:
        return f"(\n{relation_query(self.database.catalog, 'numbered_rows', {'raw': f'select * from {rows}'})}\n)"

    def _plain(self, source: Source) -> Path:
        """The file without compression, under a name that the engine takes as it is: it may read no others."""
        if source.compression == "none" and one_path(source.path) == str(source.path):
            return source.path
        path = self._folder / "plain"
        with source.open() as stream, path.open("wb") as copy:
            shutil.copyfileobj(stream, copy)
        return path

    def _found(self, raw: str) -> dict[str, str]:
        names = [name for name, *_ in self.database.rows(f"describe select * exclude (evalsql_row) from {raw}")]
        return known_columns.find([name for name in names if name != "file_row_number"], self.kind, self.given)

    def _put(self, table: str, columns: Mapping[str, Sequence[Any]]) -> None:
        """Values of Python as a table: of numbers if they all are, else of text."""
        numbers = [name for name, values in columns.items() if name not in _NAMES and _are_exact(values)]
        texts = {name: values if name in numbers else list(map(as_text, values)) for name, values in columns.items()}
        put(self.database, table, texts, numbers)

    # From rows as they are to staged ones

    def _staged(self, source: Source, form: Format, name: str, raw: str, columns: Mapping[str, str]) -> Table:
        if self.kind == "run" and self.rank_is_used and "rank" not in columns:
            raise UsageError("the tie rule goes by rank, and there is no column rank")
        evalues = form.holds_evalues or known_columns.holds_evalues(columns)
        table = Table(self.database, source, form, name, frozenset(columns), has_lines=False, holds_evalues=evalues)
        try:
            self._convert(name, raw, columns)
            if not self._unusable(name, "count(*)")[0][0]:
                self._check_whole(table)
                return table
        except QueryError:
            if not form.has_lines:
                raise
        self.database.execute(f"drop table if exists {name}")
        return self._staged_exactly(table) if form.has_lines else self._report(table, raw, columns)

    def _convert(self, name: str, raw: str, columns: Mapping[str, str]) -> None:
        listed = self.database.rows(f"describe select * from {raw}")
        types = {column: kind for column, kind, *_ in listed}
        values = []
        for meaning, column in columns.items():
            kind = types[column]
            if meaning in _NAMES and not kind.lstrip("U").startswith(_NAME_TYPES) and not kind.startswith("ENUM"):
                raise UsageError(f"column {column} is of type {kind}; names are text or whole numbers")
            values.append(f'{_converted(meaning, column, kind)} as "{meaning}"')
        selected = f"select cast(evalsql_row as bigint) as row, {', '.join(values)} from {raw}"
        self.database.execute(f"create or replace temp table {name} as {selected}")

    def _unusable(self, name: str, selected: str) -> list[tuple[Any, ...]]:
        """What is selected of rows without a name or a usable number."""
        meanings = [column for column, *_ in self.database.rows(f"describe {name}")]
        faults = [f'"{meaning}" is null' for meaning in self._needed(meanings)]
        faults += [f'not isfinite("{meaning}")' for meaning in ("score", "level") if meaning in meanings]
        return self.database.rows(f"select {selected} from {name} where {' or '.join(faults)}")

    def _needed(self, meanings: Sequence[str] | frozenset[str]) -> list[str]:
        needed = [meaning for meaning in known_columns.MEANINGS[self.kind][0] if meaning in meanings]
        with_rank = "rank" in meanings and (self.rank_is_used or "score" not in meanings) and self.kind == "run"
        return [*needed, "rank"] if with_rank else needed

    def _check_whole(self, table: Table) -> None:
        """Refuse a table without rows, and ranks that look like scores."""
        ((count,),) = self.database.rows(f"select count(*) from {table.name}")
        if not count:
            raise InputError([table.problem(0, "holds no rows")])
        if table.form.name in THIRD_COLUMN:
            check_third_column(table)

    def _staged_exactly(self, table: Table) -> Table:
        """Read text line by line; raises InputError for all that is wrong with it."""
        problems = ProblemList()
        lines: list[int] = []
        kept: dict[str, list[Any]] = {meaning: [] for meaning in table.meanings}
        for line, row in text_rows(table.source, table.form):
            reason = row if isinstance(row, str) else self._fault(row)
            if reason or isinstance(row, str):
                problems.add(table.problem(line, reason))
                continue
            lines.append(line)
            for meaning, values in kept.items():
                values.append(row[meaning])
        problems.check()
        raw = f"{table.name}_raw"
        put(self.database, raw, {"evalsql_row": lines} | kept, ["evalsql_row"])
        self._convert(table.name, raw, {meaning: meaning for meaning in kept})
        exact = replace(table, has_lines=True)
        self._check_whole(exact)
        return exact

    def _report(self, table: Table, raw: str, columns: Mapping[str, str]) -> Table:
        """Raise InputError for the rows of a table that cannot be used."""
        self._convert(table.name, raw, columns)
        listed = ", ".join(f"cast({quoted(column)} as varchar)" for column in columns.values())
        bad = ", ".join(str(row) for (row,) in self._unusable(table.name, "row"))
        rows = self.database.rows(
            f"select evalsql_row, {listed} from {raw} where evalsql_row in ({bad}) order by evalsql_row"
        )
        self.database.execute(f"drop table {table.name}")
        problems = ProblemList()
        for row, *values in rows:
            found = dict(zip(columns, values, strict=True))
            place = f" (topic {found['topic']}, document {found['document']})" if found["topic"] else ""
            problems.add(table.problem(row, (self._fault(found) or "cannot be used") + place))
        raise problems.error

    def _fault(self, row: Mapping[str, str | None]) -> str:
        """What is wrong with the values of a row; empty if nothing."""
        for meaning in self._needed(frozenset(row)):
            text = row[meaning]
            if text is None or not text:
                return f"{meaning} is missing"
            if meaning in _WHOLE and (reason := whole_fault(meaning, text)):
                return reason
            if meaning in ("score", "level") and (reason := number_fault(meaning, text)):
                return reason
        return ""


def _converted(meaning: str, column: str, kind: str) -> str:
    """SQL that makes a name or a number of a column, null where it is none."""
    name = quoted(column)
    if meaning in _NAMES:
        return f"nullif(trim({name}), '')" if kind == "VARCHAR" else f"cast({name} as varchar)"
    number = f"try_cast({name} as double)"
    if kind == "VARCHAR":
        number = f"case when not contains({name}, '_') then try_cast(trim({name}) as double) end"
    return (
        f"case when {number} = trunc({number}) then try_cast({number} as integer) end" if meaning in _WHOLE else number
    )


def _are_exact(values: Sequence[Any]) -> bool:
    """Whether values are numbers that go through a 64-bit float unchanged."""
    return set(map(type, values)) <= {int, float} and all(abs(each) < 2**53 for each in values)


def _unreadable() -> tuple[type[Exception], ...]:
    return QueryError, *unreadable()


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
            return ipc.open_stream(stream).read_all() if start == b"\xff\xff\xff\xff" else feather.read_table(stream)
    except (pyarrow.ArrowException, *unreadable()) as error:
        raise QueryError(str(error)) from error
