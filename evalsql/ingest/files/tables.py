"""Reads rows that are not TREC text, of files and from memory, into one temporary table, and refuses bad ones."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evalsql.database.database import Database
from evalsql.database.disk import scratch_folder
from evalsql.errors import InputError, Problem, ProblemList, QueryError, UsageError, warn
from evalsql.ingest import column_meanings
from evalsql.ingest.column_meanings import MEANINGS, NAMES, PLACES, WHOLE, Given
from evalsql.ingest.files import text_reading
from evalsql.ingest.files.source import FIRST_LINES, Source, arrow_table, unreadable
from evalsql.ingest.files.table import BY_DEFAULT_0, IN_MEMORY, ROWS, Table, check_calls, check_rivals, converted
from evalsql.ingest.files.trec_text import ZERO_BYTES, integer_fault, number_fault, one_path, plain_grade
from evalsql.ingest.frames import put, refuse_systems, registered
from evalsql.ingest.python_rankings import holds_ranking
from evalsql.ingest.python_rows import SYSTEMS, columns_of
from evalsql.literals import literal, quoted
from evalsql.phrases import counted

_RAW = "incoming_raw"
_OWN = ("evalsql_row", "file_row_number")  # columns that no file has
_AS_IT_IS = "compression = 'uncompressed', hive_partitioning = false"
# What the third column of a table without a header is taken for.
_GUESSED = {"MS MARCO run": "rank", "run of three columns": "score", "judgments of three columns": "grade"}
_NO_RANK = "the tie rule goes by rank, and there is no column rank"


@dataclass
class Tables:
    """Reads rows that are not TREC text into a temporary table, which is there as long as the context is.

    The engine's errors would end a transaction, so files are read before any. ``kind`` is run, or the form of
    judgments; ``problems`` gets what is wrong with files that cannot be read, ``by_label`` has the others.
    """

    database: Database
    kind: str
    given: Given
    problems: ProblemList
    rank_is_used: bool = False
    ignores_calls: bool = False
    by_label: dict[str, Table] = field(default_factory=dict)

    def __enter__(self) -> Tables:
        self.has_calls = self.kind == "run" and "call" in (self.given or {})
        self.required = (*MEANINGS[self.kind][0], *(["call"] if self.has_calls else []))
        self.meanings = column_meanings.all_meanings(self.kind)
        types = dict.fromkeys(NAMES, "varchar") | dict.fromkeys(WHOLE, "integer")
        columns = {each: types.get(each, "double") for each in self.meanings}
        self.database.make_empty(ROWS, {"file": "integer", "row": "bigint", **columns})
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(QueryError):  # a failed statement has ended the transaction, and all it made with it
            self.database.drop(ROWS)

    def read(self, sources: Sequence[Source]) -> None:
        """Read the files that are not TREC text, and note what is wrong with those that cannot be read."""
        with scratch_folder() as folder:
            self.copy = Path(folder) / "copy"
            for table in [Table(self.database, source, source.form) for source in sources if source.form]:
                try:
                    self._read(table)
                    self.by_label[table.source.label] = table
                except InputError as error:
                    self.problems.take(error)
                except UsageError as error:
                    self.problems.add(table.problem(0, str(error)))
                except unreadable(QueryError) as error:
                    reason = str(error).partition("\n")[0]
                    self.problems.add(table.source.problem(0, f"cannot be read as {table.form.name}: {reason}"))

    def read_data(self, data: Any, name: str) -> Table:
        """Read rows in memory, whatever holds them; ``name`` is what messages call them, and their lines count rows."""
        table = Table(self.database, Source(name, Path()), IN_MEMORY)
        with registered(self.database, data, self.kind, self.given) as found:
            view, table.columns, table.types, table.left_out = found
            if self.rank_is_used and "rank" not in table.columns:
                raise UsageError(f"{name}: {_NO_RANK}")
            table.raw = self._numbered(f"select * from {view}")
            self._insert(table)
            if not self._is_clean(table):
                self._check_rows(table)
            self._check_columns(table)
        return table

    def _check_columns(self, table: Table) -> None:
        check_rivals(table, self.kind)
        if "call" in table.columns and not self.has_calls and not self.ignores_calls:
            check_calls(table)

    @property
    def are_trec(self) -> bool:
        """Whether what was read is TREC text alone."""
        return not self.by_label

    def describe_formats(self, sources: Sequence[Source]) -> str:
        found = [self.by_label.get(source.label) for source in sources]
        names = Counter(table.form.name if table else "TREC" for table in found)
        told = ", ".join(f"{name} ({counted(count, 'file')})" for name, count in names.most_common())
        evalues = ", lower E-values being better" if any(table and table.holds_evalues for table in found) else ""
        return f"read as {told if len(found) > 1 else next(iter(names))}{evalues}"

    def stage_runs(self, tables: Sequence[Table], spans: str = "") -> None:
        """Put rows of runs into the table ``staged_run_rows``, in the order in which they were read."""
        numbers, call = ", ".join(str(table.source.number) for table in tables), "call" if self.has_calls else "null"
        rows = f"""
            select file as file_id, topic, document, rank as given_rank, score, false as doubtful,
                {call} as call {spans}
            from {ROWS} where file in ({numbers})
        """
        self.database.insert("staged_run_rows", rows)

    @property
    def first_run_rows(self) -> str:
        """A SELECT of the first rows of each file, as of the first lines of TREC files."""
        return f"select file as file_id, row as line, topic, rank, score from {ROWS} where row <= {FIRST_LINES}"

    def _read(self, table: Table) -> None:
        """Insert the rows of a file: by the engine where it reads them, and line by line where one may be wrong."""
        own = {"parquet": self._parquet, "arrow": self._arrow, "csv": self._csv}
        own |= {"jsonl": self._jsonl, "json": self._json}
        try:
            own.get(table.form.reader, self._lines)(table)
            given = table.raw
            if self.rank_is_used and "rank" not in table.columns:
                raise UsageError(_NO_RANK)
            has_exact_reader = table.form.has_lines and not table.has_lines
            try:
                self._insert(table)
            except QueryError:
                if not has_exact_reader:
                    raise
            if not self._is_clean(table):
                if has_exact_reader:
                    self._lines(table)
                    self.database.execute(f"delete from {ROWS} where file = {table.source.number}")
                    self._insert(table)
                self._check_rows(table)
            self._check_columns(table)
            if num_open := table.num_open:
                warn(table.problem(0, f"{counted(num_open, 'row')} left out, not judged yet"))
            if self.kind == "run":
                refuse_systems(self.database, given, table.names)
            of_lists = "value" if table.is_of_lists and self.kind == "run" else ""
            if meaning := _GUESSED.get(table.form.name, of_lists):
                number = "score" if meaning == "value" else meaning
                numbers = {"numbers": f'select topic, row, "{number}" as number from ({table.query})'}
                faults = self.database.query("third_column_faults", numbers, meaning=meaning)
                if found := self.database.column(f"select reason from ({faults}) order by topic"):
                    raise InputError(table.problem(0, reason) for reason in found)
        finally:
            self.database.drop(_RAW)
            self.copy.unlink(missing_ok=True)

    # What stands behind FROM

    def _parquet(self, table: Table) -> None:
        rows = text_reading.parquet(self._path(table))
        table.raw = f"(select file_row_number + 1 as evalsql_row, * from {rows})"
        found = self.database.rows(f"describe select * from {table.raw}")
        table.types = {column: kind for column, kind, *_ in found}
        names = [name for name in table.types if name not in _OWN]
        fields = {name: [] if re.search(r"\]$|^MAP|^STRUCT", table.types[name]) else "" for name in names}
        if holds_ranking(fields, self.kind, self.given):
            records = self.database.rows(f"select {', '.join(map(quoted, names))} from {table.raw}")
            self._values(table, [dict(zip(names, record, strict=True)) for record in records])
        else:
            table.names = {column: column for column in table.types}
            table.columns = column_meanings.find(names, self.kind, self.given)
            table.left_out = column_meanings.left_out(names, table.columns)

    def _arrow(self, table: Table) -> None:
        arrow = arrow_table(table.source)
        with registered(self.database, arrow, self.kind, self.given) as found:
            view, table.columns, table.types, table.left_out = found
            rows = self._numbered(f"select * from {view}")
            self.database.make(_RAW, f"from {rows}")
        table.raw = _RAW

    def _csv(self, table: Table) -> None:
        form = table.form
        cells = [f"c{at}" for at in range(len(form.names))]
        table.names = dict(zip(form.names, cells, strict=True))
        taken, mark = "*", '"'
        if text_reading.quotes_hide_nothing(table.source, form):
            taken, mark = ", ".join(f"{text_reading.unquoted_in_sql(cell)} as {cell}" for cell in cells), ""
        table.raw = self._numbered(f"""select {taken} from read_csv(
            [{self._path(table)}], delim = {literal(form.delimiter)}, header = false, skip = {form.skipped},
            quote = '{mark}', escape = '{mark}', auto_detect = false, {_AS_IT_IS},
            columns = {{{", ".join(f"'{cell}': 'varchar'" for cell in cells)}}}
        )""")
        table.columns = {meaning: f"c{form.names.index(column)}" for meaning, column in form.columns.items()}
        table.left_out = column_meanings.left_out(form.names, form.columns)

    def _jsonl(self, table: Table) -> None:
        table.columns = table.form.columns
        table.left_out = column_meanings.left_out(table.form.names, table.columns)
        table.names = {name: name for name in table.form.names if name.lower() in SYSTEMS}
        listed = ", ".join(f"{literal(each)}: 'varchar'" for each in {*table.columns.values(), *table.names})
        table.raw = self._numbered(f"""select * from read_json(
            [{self._path(table)}], format = 'newline_delimited', columns = {{{listed}}}, {_AS_IT_IS}
        )""")

    def _json(self, table: Table) -> None:
        name, faults = table.form.name, list[Problem]()
        document = text_reading.json_document(table.source, name, faults.append)
        if faults:
            raise InputError(each._replace(reason=f"{name}: {each.reason}") for each in faults)
        table.is_of_lists = isinstance(document, list) and any(isinstance(each, list) for each in document[:1])
        self._values(table, document)

    def _values(self, table: Table, document: Any) -> None:
        """Values of Python become a table: of numbers if they all are, else of text."""
        columns = columns_of(document, self.kind, self.given)
        table.left_out = columns.left_out
        for meaning in columns.keys() & {"topic", "document"}:
            for at, value in enumerate(columns[meaning], start=1):
                if isinstance(value, dict | list):
                    raise table.error(f"{meaning} {text_reading.as_text(value)} is no name", at)
        others = [name for name in columns if name.partition(" ")[0] not in NAMES]
        exact = {name for name in others if {*map(type, columns[name])} <= {int, float}}
        # What goes through a 64-bit float unchanged.
        numbers = [name for name in columns if name in exact and all(abs(each) < 2**53 for each in columns[name])]
        for name in columns.keys() - set(numbers):
            columns[name] = list(map(text_reading.as_text, columns[name]))
        put(self.database, _RAW, columns, numbers)
        table.raw = self._numbered(f"select * from {_RAW}")
        table.columns = column_meanings.find([*columns], self.kind)
        table.types = dict.fromkeys(numbers, "DOUBLE")

    def _lines(self, table: Table) -> None:
        """Rows that Python reads, with their lines and with those that are refused."""
        rows = [(line, *row) for line, row in text_reading.text_rows(table.source, table.form, table.refuse)]
        names = ["evalsql_row", *table.form.columns]
        values = map(list, zip(*rows, strict=True)) if rows else [[] for _ in names]
        put(self.database, _RAW, dict(zip(names, values, strict=True)), names[:1])
        table.raw, table.types, table.has_lines = _RAW, {}, True
        table.columns = {meaning: meaning for meaning in names[1:]}

    def _numbered(self, rows: str) -> str:
        return f"(\n{self.database.query('numbered_rows', {'raw': rows})}\n)"

    def _path(self, table: Table) -> str:
        """The file without compression, under a name that the engine takes as it is: it may read no others."""
        path = table.source.path
        if table.source.compression or one_path(path) != str(path):
            path = self.copy
            with table.source.open() as stream, path.open("wb") as copy:
                shutil.copyfileobj(stream, copy)
        return literal(one_path(path))

    # Names and numbers

    def _insert(self, table: Table) -> None:
        values = {meaning: converted(table, meaning) for meaning in table.columns if meaning in self.meanings}
        needed = self.required if table.form is not IN_MEMORY else ()
        by_default_0 = [each for each in self.meanings if each in BY_DEFAULT_0 and each not in needed]
        values |= {each: f"coalesce({values.get(each, 'null')}, '0')" for each in by_default_0}
        if table.is_ranking:
            values["score"] = f"-({values['rank']})"
        listed = ", ".join(f'{value} as "{meaning}"' for meaning, value in values.items())
        judged = f"where trim({quoted(table.columns['grade'])}) <> ''" if table.form.is_sheet else ""
        numbered = f"select {table.source.number} as file, evalsql_row as row"
        self.database.insert(ROWS, f"{numbered}, {listed} from {table.raw} {judged}")

    @property
    def _fault_of_row(self) -> str:
        """A condition of SQL that rows fulfil which lack a name or a usable number."""
        needed = [*self.required, "rank"] if self.rank_is_used else self.required
        faults = [f'"{meaning}" is null' for meaning in needed]
        faults += [f'not isfinite("{meaning}")' for meaning in needed if meaning in ("score", "level")]
        return f"({' or '.join(faults)})"

    def _is_clean(self, table: Table) -> bool:
        """Whether there are rows, and all can be used; warns of zero bytes in names where they are kept."""
        zeros = " or ".join(f'contains("{name}", chr(0))' for name in self.meanings if name in NAMES)
        fault = self._fault_of_row
        if table.form.reader == "jsonl":  # of which the engine takes objects and lists for text
            fault += "".join(f" or \"{name}\"[1] in ('{{', '[')" for name in PLACES if name in self.meanings)
        query = f"select bool_or({fault}), min(row) filter (where {zeros}) from ({table.query})"
        ((faulty, row),) = self.database.rows(query)
        if row and table.form.reader not in ("lines", "letor"):  # of these it was told as they were read
            warn(table.problem(table.lines().get(row, row), ZERO_BYTES))
        return not table.refused and faulty is False

    def _check_rows(self, table: Table) -> None:
        """Raise InputError for the lines that were refused and the rows that cannot be used, and if there are none."""
        listed = ", ".join(f"cast({quoted(column)} as varchar)" for column in table.columns.values())
        faulty = f"select row from ({table.query}) where {self._fault_of_row}"
        query = f"select evalsql_row::bigint, {listed} from {table.raw} where evalsql_row in ({faulty})"
        for row, *values in self.database.rows(query):
            named = dict(zip(table.columns, values, strict=True))
            has_line = table.form is IN_MEMORY or table.form.has_lines or not named.get("topic")
            place = "" if has_line else f" ({', '.join(f'{each} {named[each]}' for each in PLACES if each in named)})"
            table.refused.append((row, (self._fault(table, named) or "cannot be used") + place))
        if not table.refused and not table.num_rows:
            table.refused.append((0, "no row is judged: grade is empty" if table.form.is_sheet else "holds no rows"))
        if table.refused:
            raise InputError(table.problem(row, reason) for row, reason in sorted(table.refused))

    def _fault(self, table: Table, row: Mapping[str, str | None]) -> str:
        needs_rank = "rank" in row and (self.rank_is_used or "score" not in row)
        needed = [each for each in self.required if each in row]
        for meaning in [*needed, "rank"] if needs_rank else needed:
            text = row[meaning]
            if text is None or not text.strip():
                # DuckDB 1.5 takes NaN in Python's lists for null.
                may_be_nan = not table.form.name and meaning not in NAMES
                return f"{meaning} is missing" + (" or not a number" if may_be_nan else "")
            fault = integer_fault if meaning in WHOLE else number_fault
            number = plain_grade(text) if meaning == "grade" else text
            if meaning not in NAMES and (reason := fault(meaning, number)):
                return reason
        return ""
