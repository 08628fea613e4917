"""The connection to a database: the one place where SQL is run and errors of the engine are translated."""

from __future__ import annotations

import os
import re
import threading
import time
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from evalsql.catalog.measure_names import with_arguments
from evalsql.catalog.queries import relation_query
from evalsql.catalog.relations import Catalog, Relation
from evalsql.database import engine, statement_text
from evalsql.database.engine_errors import translated_errors
from evalsql.errors import QueryError, TooSlowError, UsageError, WarehouseError
from evalsql.literals import Value, literal, quoted

if TYPE_CHECKING:
    import duckdb

MOST_SECONDS = 20.0  # of a kept measure that nobody asked for
_ENGINES = "system.main,system.pg_catalog"
MEMORY = ":memory:"  # the path of a database in no file
Rows = tuple[list[str], list[tuple[Any, ...]]]  # with their columns
_OPEN: WeakSet[Database] = WeakSet()
_NOT_NULL = """
    select table_name, unnest(constraint_column_names) from system.main.duckdb_constraints()
    where constraint_type = 'NOT NULL'
"""


class Database:
    """A DuckDB connection whose errors are QueryError with the engine's words; Ctrl-C is KeyboardInterrupt."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, catalog: Catalog, *, path: str, read_only: bool) -> None:
        self._connection = connection
        self._catalog, self._is_outdated = catalog, False
        self.path = path
        self.read_only = read_only
        self._asking_path = self._file_path = ""  # where names are looked for, and where CREATE puts what it makes
        self.rankings: dict[str, list[str]] = {}  # by run those that are in its place, where calls are
        self.at_close = ExitStack()  # what lasts as long as the connection
        self._is_shut_in = self._is_locked = False
        self._asking = threading.RLock()  # a thread that asks takes its own rows before another one asks
        self.before_view: Callable[[], None] = lambda: None  # runs before a view is made in the file
        self.once_committed: list[Callable[[], None]] = []  # runs before a Ctrl-C during the commit takes effect
        _OPEN.add(self)

    @property
    def catalog(self) -> Catalog:
        """What this connection can be asked; UsageError where another one has changed what the file keeps."""
        if self._is_outdated:
            advice = "close this one and open it anew"
            raise UsageError(f"{self.path}: another connection has changed the measures that it keeps; {advice}")
        return self._catalog

    @catalog.setter
    def catalog(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def outdate_others(self) -> None:
        """Tell other connections of this process to the file that the measures in it have changed."""
        for other in {*_OPEN} - {self}:
            other._is_outdated |= self.path != MEMORY and os.path.realpath(other.path) == os.path.realpath(self.path)

    @property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """The DuckDB connection, with all that its package has."""
        import duckdb  # noqa: F401  # adds relations and frames to connections

        return self._connection

    def beside(self) -> Database:
        """Another connection to the database, without temporary relations, that looks for names in the file alone."""
        return Database(self._connection.cursor(), self.catalog, path=self.path, read_only=self.read_only)

    def close(self) -> None:
        """Close the file; raises WarehouseError where what was committed does not go into it, as on a full disk."""
        try:
            if not self.read_only:  # closing is silent about it
                self.checkpoint()
        except WarehouseError as error:
            if not os.path.exists(left := f"{self.path}.wal"):  # it was not yet in its place
                raise
            reason = str(error.__cause__).partition("\n")[0]
            raise WarehouseError(
                f"{self.path}: not everything could be written into the file ({reason}); {left} holds the rest, and a "
                "copy needs both. After that is mended, evalsql sql --write 'select 1' brings it into the file"
            ) from error
        finally:
            self._connection.close()
            self.at_close.close()

    def checkpoint(self) -> None:
        """Bring what was committed into the file; DuckDB 1.5 cannot read our macros from the log beside it."""
        if self.path == MEMORY:
            return
        # Another connection of this process may be writing to it.
        with suppress(QueryError), translated_errors(self.path), engine.held_back():
            self._connection.execute(f"checkpoint {quoted(self.name)}")

    def execute(self, sql: str, parameters: Sequence[object] = ()) -> None:
        """Run statements for what they do."""
        self.rows(sql, parameters)

    def execute_all(self, statements: Sequence[str]) -> None:
        """Run statements for what they do, each by itself: DuckDB 1.5 mixes up the named windows of a text."""
        for statement in statements:
            self.execute(statement)

    def announce(self, relations: Sequence[Relation]) -> None:
        """Have a server keep these relations of users, and no others; a file has them already."""

    def make(self, table: str, sql: str, parameters: Sequence[object] = ()) -> None:
        """Make a temporary table of the rows of a query."""
        self.execute(f"create or replace temp table {table} as\n{sql}", parameters)

    def make_empty(self, table: str, columns: Mapping[str, str]) -> None:
        listed = ", ".join(f"{quoted(column)} {kind}" for column, kind in columns.items())
        self.execute(f"create or replace temp table {table} ({listed})")

    def drop(self, *tables: str) -> None:
        """Drop temporary tables, as far as they are there."""
        self.execute_all([f"drop table if exists temp.{table}" for table in tables])

    def insert(self, table: str, sql: str, parameters: Sequence[object] = ()) -> None:
        """Put the rows of a query into a table, by the names of its columns."""
        self.execute(f"insert into {table} by name\n{sql}", parameters)

    def insert_text(self, table: str, rows: Sequence[Sequence[str]]) -> None:
        """Put rows of text into a table by one statement, as each takes the engine a while."""
        if rows:
            columns = ", ".join(["unnest(?::varchar[])"] * len(rows[0]))
            self.execute(f"insert into {table} select {columns}", [list(column) for column in zip(*rows, strict=True)])

    def copy(self, query: str, path: Path, options: str) -> int:
        """Write the rows of a query into a file; returns how many there are."""
        return int(self.column(f"copy (\n{query}\n) to {literal(str(path))} ({options})")[0])

    def rows(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Run a query and fetch all of it; results stream, so an error may come only while fetching."""
        return self.table(sql, parameters)[1]

    def column(self, sql: str, parameters: Sequence[object] = ()) -> list[Any]:
        """The values of a query that has one column."""
        return [value for (value,) in self.rows(sql, parameters)]

    def query(self, name: str, inputs: Mapping[str, str] = {}, **arguments: Value) -> str:
        """The SELECT of a relation of the catalogue over the given inputs, see ``relation_query``."""
        return relation_query(self.catalog, name, inputs, **arguments)

    def call(self, name: str, /, **arguments: Value) -> str:
        """The macro call of a relation of the catalogue with those of the arguments that it takes."""
        return with_arguments(self.catalog, name, **arguments).call

    def remarks(self, name: str, inputs: Mapping[str, str], **arguments: Value) -> list[str]:
        """The lines of a relation that has remarks, in the order of their places."""
        return self.column(f"select remark from ({self.query(name, inputs, **arguments)}) order by place")

    def table(self, sql: str, parameters: Sequence[object] = (), most: int | None = None) -> Rows:
        """Columns and rows of a query. The engine plans it once, where it plans a relation of ``sql`` twice.

        At most ``most`` rows are fetched. ``next_rows`` fetches those that follow, until something else is asked.
        """
        with self._alone():
            return self._run(sql, parameters, most)

    def next_rows(self, most: int) -> list[tuple[Any, ...]]:
        with self._alone():
            return self._connection.fetchmany(most)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Around whatever the engine is asked: no other thread asks meanwhile, and Ctrl-C ends it."""
        with self._asking, translated_errors(self.path), engine.interruptible(self._connection):
            yield

    @contextmanager
    def limited(self, name: str) -> Iterator[None]:
        """Stop the evaluation inside when it takes too long, with TooSlowError; a server does not stop it."""
        over, began = threading.Event(), time.monotonic()
        thread = threading.Thread(target=engine.interrupt, args=(self._connection, over, MOST_SECONDS), daemon=True)
        thread.start()
        try:
            yield
        except KeyboardInterrupt as error:
            if time.monotonic() - began < MOST_SECONDS:
                raise
            words = f"{name}: took more than {MOST_SECONDS:g} seconds and was given up"
            raise TooSlowError(f"{words}; evalsql drop measures {name} takes it out") from error
        finally:
            over.set()
            thread.join()

    def records(self, sql: str) -> list[Any]:
        """The rows of a query as named tuples, by the names of their columns."""
        columns, rows = self.table(sql)
        record = namedtuple("Record", columns)  # type: ignore[misc]  # of other columns each time
        return [record(*row) for row in rows]

    def sql(self, query: str) -> duckdb.DuckDBPyRelation:
        """A relation to go on with: ``.df()``, ``.pl()``, ``.to_arrow_table()``, ``.fetchall()``."""
        with translated_errors(self.path):
            relation = self.connection.sql(query)
        if relation is None:
            raise UsageError("this statement gives no rows")
        return relation

    def _run(self, sql: str, parameters: Sequence[object] = (), most: int | None = None) -> Rows:
        """Columns and rows of the last statement; one about the file alone looks for names in the file alone."""
        if not self._file_path or not re.search("create|alter|drop|show|checkpoint", sql, re.IGNORECASE):
            return fetched(self._connection.execute(sql, parameters or None), most)
        found: Rows = [], []
        statements = self._connection.extract_statements(sql)
        tables = [table.name for table in self.catalog.of_kind("tables")]
        for each in statements:
            if reason := statement_text.fault(each.query, tables):
                raise UsageError(reason)
        if any(statement_text.makes_view(each.query) for each in statements):
            self.before_view()
        for statement in statements:
            asked = statement_text.with_database(statement.query, self.name)
            is_in_file = asked is None and statement_text.concerns_file(statement.query)
            # To list tables, DuckDB 1.5 calls functions that it must find.
            before = f"{_ENGINES}," if statement_text.first_word(statement.query) == "show" else ""
            with self.in_file(before) if is_in_file else nullcontext():
                found = fetched(self._connection.execute(asked or statement.query, parameters or None))
        return found

    @cached_property
    def name(self) -> str:
        ((name,),) = self.rows("select system.main.current_database()")
        return str(name)

    def ask_first(self, name: str, attached: str) -> None:
        """Look for names in an attached database first, and in the file last, so that nothing there hides others."""
        file = f"{quoted(name)}.main"
        if self.path == MEMORY:
            self._asking_path = f"{file},{attached}.main,{attached}.steps"
        else:
            # What is made without a schema goes to the first: the engine refuses it there.
            self._asking_path, self._file_path = f"temp.main,{attached}.main,{attached}.steps,{_ENGINES},{file}", file
        self._set_path()

    @contextmanager
    def in_file(self, before: str = "") -> Iterator[None]:
        """Look for names in the file alone, or in others before, and let CREATE put into the first what it makes."""
        if not self._file_path:
            yield
            return
        file_path, self._file_path = self._file_path, ""
        self.execute(f"set search_path = {literal(before + file_path)}")
        try:
            yield
        finally:
            self._file_path = file_path
            with suppress(QueryError):  # a transaction that failed takes no setting; the path is set when it is over
                self._set_path()

    def _set_path(self) -> None:
        if self._asking_path:
            self.execute(f"set search_path = {literal(self._asking_path)}")

    def register(self, name: str, data: object) -> None:
        with translated_errors(self.path):
            self.connection.register(name, data)

    def unregister(self, name: str) -> None:
        with translated_errors(self.path):
            self._connection.unregister(name)

    @contextmanager
    def unordered(self) -> Iterator[None]:
        """Let the engine put rows into tables in any order, which is faster, where no ORDER BY gives one."""
        ((before,),) = self.rows("select system.main.current_setting('preserve_insertion_order')")
        self.execute("set preserve_insertion_order = false")
        try:
            yield
        finally:
            self.execute(f"set preserve_insertion_order = {bool(before)}")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing: what fails inside leaves the file as it was, and so does Ctrl-C before the commit."""
        is_open, before = False, [*self.once_committed]
        try:
            with engine.held_back():
                self.execute("begin transaction")
                is_open = True
            yield
            with engine.held_back("interrupted after the commit: what was changed stays"):
                is_open = False  # a commit that fails rolls back
                due, self.once_committed = self.once_committed, before
                self.execute("commit")
                self.once_committed = []
                for each in due:
                    each()
        except BaseException as error:
            if is_open:
                self.once_committed = before
                with engine.held_back():
                    self.execute("rollback")
                    self._set_path()
            if isinstance(error.__cause__, engine.ConstraintException) and (added := self._added_constraints()):
                advice = f"in another DuckDB client {'; '.join(added)} takes out what evalsql did not make"
                raise QueryError(f"{error}; {advice}") from error
            raise

    def _added_constraints(self) -> list[str]:
        """Statements that take out each NOT NULL that somebody added to evalsql's tables."""
        columns = {relation.name: relation.columns for relation in self.catalog.of_kind("tables")}
        return [
            f"alter table {table} alter {quoted(name)} drop not null"
            for table, name in self.rows(_NOT_NULL)
            if table in columns and name not in columns[table]
        ]

    def statements(self, text: str) -> list[tuple[str, str]]:
        with translated_errors():
            return [(statement_text.kind_of(each), each.query) for each in self._connection.extract_statements(text)]

    def shut_in(self, files: Sequence[str] = (), folders: Sequence[str] = ()) -> None:
        """From here on let the engine load no extension, and reach no other file but these and those in the folders."""
        if self._is_shut_in:
            return
        for setting, paths in (("allowed_paths", files), ("allowed_directories", folders)):
            if paths:
                # A list in brackets is a call of list_value, and the file may have a macro of that name.
                self.execute(f"set {setting} = system.main.list_value({', '.join(map(literal, paths))})")
        self.execute("set enable_external_access = false")
        self._is_shut_in = True

    def lock(self) -> None:
        self.shut_in()
        if not self._is_locked:
            self.execute("set lock_configuration = true")
            self._is_locked = True

    def run(self, text: str, *, external: bool = True, most: int | None = None) -> Rows:
        """Run statements; columns and rows of the last one, as ``table`` has them, no columns if it gives none.

        Without ``external`` no other file is read or written and no extension loaded, from here on, and UsageError is
        raised for a statement of a kind that reaches outside.
        """
        with translated_errors():  # alone the engine may read a statement otherwise than behind another one's comment
            apart = [each.query for each in self._connection.extract_statements(text)]
            looked_at = () if external else (text, *apart)
            kinds = [each.kind for one in looked_at for each in statement_text.statements_run(one)]
        if not apart:
            raise UsageError("there is no statement to run")
        if not external:
            # COPY can write even to the warehouse's own file as text.
            changing = () if self.read_only else ("TRANSACTION", *statement_text.CHANGING)
            allowed = {"SELECT", statement_text.VARIABLE, *changing}
            for kind in filter(lambda each: each not in allowed, kinds):
                # Where the columns of a PIVOT are not named, the engine runs a statement that finds them.
                is_taken_apart = {"MULTI", "CREATE"} & {*kinds} and kind in ("MULTI", "CREATE", "TRANSACTION")
                if is_taken_apart and "pivot" in text.lower():
                    raise UsageError("a PIVOT has its columns named here, as in PIVOT ... ON k IN (5, 10) USING ...")
                raise UsageError(
                    f"{kind} is not allowed here; --write allows statements that change the warehouse, --external "
                    "those that reach other files"
                )
            self.lock()
        return self.table(text, (), most)


def fetched(cursor: duckdb.DuckDBPyConnection, most: int | None = None) -> Rows:
    rows = cursor.fetchall() if most is None else cursor.fetchmany(most)
    return [name for name, *_ in cursor.description or ()], rows
