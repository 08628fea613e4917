"""Puts files that are not TREC text into temporary tables: by the engine where it can, else line by line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from evalsql.catalog.measure_names import quoted
from evalsql.database.disk import scratch_folder
from evalsql.errors import InputError, Problem, ProblemList, QueryError, UsageError
from evalsql.ingest import column_meanings
from evalsql.ingest.column_meanings import NAMES, Given
from evalsql.ingest.files.raw_rows import Reader, Table
from evalsql.ingest.files.source import Source, unreadable
from evalsql.ingest.files.trec_text import integer_fault, number_fault, plain_grade
from evalsql.phrases import counted

if TYPE_CHECKING:
    from evalsql.database.database import Database


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
        meanings = files[0][1].columns
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
    elif table.form.name == _JUDGMENTS:
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


_WHOLE = ("rank", "grade")
_MOST_FILES, _MOST_BYTES = 200, 400_000_000  # read by one statement


class Tables:
    """Reads files that are not TREC text into temporary tables, which are there as long as the context is.

    The engine's errors would end a transaction, so files are read before any.

    Args:
        kind: run, or the form of judgments.
        given: columns that the user named.
        problems: gets what is wrong with files that cannot be read.
        rank_is_used: whether the tie rule goes by ranks.

    Attributes:
        failed: labels of files that cannot be read.
        by_label: tables of the other files that are not TREC text.
    """

    def __init__(
        self, database: Database, kind: str, given: Given, problems: ProblemList, *, rank_is_used: bool = False
    ) -> None:
        self.database = database
        self.kind = kind
        self.given = given
        self.rank_is_used = rank_is_used
        self.problems = problems
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
        """Read the files that are not TREC text, those with the same columns by one statement."""
        found = [
            Table(self.database, source, source.form, number) for number, source in enumerate(sources) if source.form
        ]
        for files in _together(found):
            alike: dict[frozenset[str], list[Table]] = {}
            try:
                for file in files:
                    with self._blamed(file):
                        self._reader.read(file)
                        if self.kind == "run" and self.rank_is_used and "rank" not in file.columns:
                            raise UsageError("the tie rule goes by rank, and there is no column rank")
                        alike.setdefault(frozenset(file.columns), []).append(file)
                for some in alike.values():
                    self._read_alike(some)
            finally:
                for file in files:
                    self._reader.forget(file)

    def describe_formats(self, sources: Sequence[Source]) -> str:
        found = [self.by_label.get(source.label) for source in sources]
        names = Counter(table.form.name if table else "TREC" for table in found)
        told = ", ".join(f"{name} ({counted(count, 'file')})" for name, count in names.most_common())
        evalues = ", lower E-values being better" if any(table and table.holds_evalues for table in found) else ""
        return f"read as {told if len(found) > 1 else next(iter(names))}{evalues}"

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
            found = InputError([Problem(file.source.label, 0, reason)])
        else:
            return
        self.failed.add(file.source.label)
        self.problems.take(found)

    def _read_alike(self, files: Sequence[Table]) -> None:
        """Read files that have the same columns; where the engine fails at one, each by itself."""
        try:
            self._convert(files)
        except (QueryError, UsageError) as error:
            for file in files:
                if len(files) > 1:
                    self._read_alike([file])
                else:
                    self._read_exactly(file, error)
            return
        fault = self._fault_of_row(files[0])
        good = self.database.rows(f"select file from {files[0].name} group by file having not bool_or({fault})")
        for file in files:
            if (file.number,) not in good or file.refused:
                self._read_exactly(file)
                continue
            with self._blamed(file):
                self._keep(file)

    def _read_exactly(self, file: Table, error: Exception | None = None) -> None:
        """Keep a file at which the engine failed if Python reads its lines; else say what is wrong with it."""
        with self._blamed(file):
            if file.form.has_lines and not file.has_lines:
                self._reader.read_lines(file)
                self._convert([file])
            elif error:
                raise error
            self._check_rows(file)
            self._keep(file)

    def _keep(self, file: Table) -> None:
        check_third_column(file)
        self.by_label[file.source.label] = file

    def _convert(self, files: Sequence[Table]) -> None:
        """Make a table of files that have the same columns."""
        name = f"incoming_rows_{len(self._made)}"
        self._made.append(name)
        meanings = list(files[0].columns)
        rows = "\nunion all\n".join(_converted_rows(file, meanings) for file in files)
        with self.database.unordered() if len(files) > 1 else nullcontext():
            self.database.execute(f"create or replace temp table {name} as\n{rows}")
        for file in files:
            file.name = name

    def _needed(self, meanings: Collection[str]) -> list[str]:
        needed = [meaning for meaning in column_meanings.MEANINGS[self.kind][0] if meaning in meanings]
        with_rank = "rank" in meanings and (self.rank_is_used or "score" not in meanings) and self.kind == "run"
        return [*needed, "rank"] if with_rank else needed

    def _fault_of_row(self, file: Table) -> str:
        """A condition of SQL that rows fulfil which lack a name or a usable number."""
        faults = [f'"{meaning}" is null' for meaning in self._needed(file.columns)]
        faults += [f'not isfinite("{meaning}")' for meaning in ("score", "level") if meaning in file.columns]
        return f"coalesce({' or '.join(faults)}, true)"

    def _check_rows(self, file: Table) -> None:
        """Raise InputError for the lines that were refused and the rows that cannot be used, and if there are none."""
        listed = ", ".join(f"cast({quoted(column)} as varchar)" for column in file.columns.values())
        faulty = f"select row from ({file.query}) where {self._fault_of_row(file)}"
        found = list(file.refused)
        for row, *values in self.database.rows(
            f"select evalsql_row::bigint, {listed} from {file.raw} where evalsql_row in ({faulty})"
        ):
            named = dict(zip(file.columns, values, strict=True))
            has_line = file.form.has_lines or not named.get("topic")
            place = "" if has_line else f" (topic {named['topic']}, document {named['document']})"
            found.append((row, (self._fault(named) or "cannot be used") + place))
        if not found and not self.database.rows(f"{file.query} limit 1"):
            found.append((0, "holds no rows"))
        problems = ProblemList()
        for row, reason in sorted(found):
            problems.add(file.problem(row, reason))
        problems.check()

    def _fault(self, row: Mapping[str, str | None]) -> str:
        """What is wrong with the values of a row; empty if nothing."""
        for meaning in self._needed(row):
            text = row[meaning]
            if text is None or not text.strip():
                return f"{meaning} is missing"
            whole = plain_grade(text) if meaning == "grade" else text
            if meaning in _WHOLE and (reason := integer_fault(meaning, whole)):
                return reason
            if meaning in ("score", "level") and (reason := number_fault(meaning, text)):
                return reason
        return ""


def _together(found: Sequence[Table]) -> Iterator[list[Table]]:
    """Files to be read by one statement, so many that their copies without compression stay bounded."""
    files: list[Table] = []
    size = 0
    for file in found:
        if files and (size + file.source.text_bytes > _MOST_BYTES or len(files) == _MOST_FILES):
            yield files
            files, size = [], 0
        files.append(file)
        size += file.source.text_bytes
    if files:
        yield files


def _converted_rows(file: Table, meanings: Sequence[str]) -> str:
    """A SELECT of a file's rows with names as text and numbers as such."""
    values = []
    for meaning in meanings:
        column = file.columns[meaning]
        kind = file.types.get(column, "VARCHAR")
        if meaning in NAMES:
            column_meanings.check_name_type(column, kind)
        values.append(f'{_converted(meaning, column, kind)} as "{meaning}"')
    return f"select {file.number} as file, cast(evalsql_row as bigint) as row, {', '.join(values)} from {file.raw}"


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
