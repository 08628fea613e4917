"""A warehouse that a server holds: statements run there, and rows travel.

A client has a connection of its own, in memory, to which the server's database is attached. What a user asks goes to
the server as text and runs in one session there, with its temporary tables and its transaction. Files are read and
written here: a query that reads one runs here, and its rows go into a table on the server.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from evalsql.catalog.relations import Relation, read_catalog
from evalsql.database import engine, quack
from evalsql.database.database import Database, Rows, fetched
from evalsql.database.disk import place_to_spill
from evalsql.database.engine_errors import translated_errors
from evalsql.database.statement_text import BEGINS, first_word, plain_words, rendered
from evalsql.errors import EvalsqlError, UsageError, WarehouseError
from evalsql.literals import literal, quoted
from evalsql.phrases import Progress, silent

if TYPE_CHECKING:
    import duckdb


_SERVED = "served"  # under this name the server's database is attached
_FILE_READERS = {"read_csv", "read_parquet", "read_json", "read_json_objects", "reject_errors", "reject_scans"}
_UNREADABLE = ("Binder Error", "Catalog Error", "Parser Error")
SEPARATE = "\n;"  # a statement may end with a comment
_CHANGES = ("CREATE", "DROP", "INSERT", "UPDATE", "DELETE")
_COUNTING = ("insert", "update", "delete")  # they give rows, and a request gives the first rows that come
_PAUSE = 0.05  # seconds between two attempts to have the turn to write


class RemoteDatabase(Database):
    """A database on a server; files are read here, unless it is ``read_only``."""

    def __init__(
        self,
        address: quack.Address,
        token: str,
        *,
        read_only: bool,
        progress: Progress = silent,
        reach: tuple[Sequence[str], Sequence[str]] | None = None,
    ) -> None:
        with engine.held_back():
            # To check the signature of an extension from a package takes a quarter of a second.
            config = {**engine.SETTINGS, "allow_unsigned_extensions": True, "allow_persistent_secrets": reach is None}
            connection = engine.connect(":memory:", config=config | {"temp_directory": place_to_spill()})
            connection.execute("set enable_progress_bar = false")
            quack.load(connection, proxy=not address.is_loopback)
        super().__init__(connection, read_catalog(), path=address.url, read_only=read_only)
        if reach is not None:  # what the server says of its tables is planned here
            files, folders = reach
            here = Database(connection, read_catalog(), path=address.url, read_only=read_only)
            here.shut_in([address.url, *files], folders)
        self._is_shut_in = self._is_locked = True  # by the server
        self._address, self._token, self._progress = address, token, progress
        self._reads_files = not read_only
        self._registered: set[str] = set()
        self._stop_beating: Callable[[], None] | None = None  # while this client has the turn to write
        self._num_kept = 0
        with self._reached():
            try:  # the extension reads the definition of each table there
                self._connection.execute(f"attach {literal(address.url)} as {_SERVED} (token {literal(token)})")
            except engine.Error as error:
                reason = str(error).partition("\nLINE ")[0]  # that line has the token
                if not reason.startswith(_UNREADABLE):
                    raise type(error)(reason) from None
                reason = reason.splitlines()[0]
                fault = f"holds a table of somebody's own that DuckDB cannot read from here ({reason})"
                what = "default, check, foreign key or computed column"
                advice = f"whoever serves the file stops the server and drops what has a {what}"
                raise WarehouseError(f"{address.url}: {fault}; {advice}") from error

    @cached_property
    def who(self) -> tuple[str, str]:
        """What the server calls this session, and what the token lets do: write or read."""
        try:
            ((session, role),) = self._ask(quack.HELLO).fetchall()
        except ValueError as error:
            raise WarehouseError(f"{self.path}: {quack.OTHER}") from error
        return session, role

    def close(self) -> None:
        """End the session; the server drops what it had begun."""
        if self._stop_beating:
            with suppress(engine.Error, EvalsqlError):
                self._ask("rollback")
            self._give_up_turn()
        with suppress(engine.Error):
            self._connection.execute(f"detach {_SERVED}")
        super().close()

    def sql(self, query: str) -> duckdb.DuckDBPyRelation:
        """A relation of the rows that the server gives now; one that asked when it is read would ask twice."""
        self._num_kept += 1
        table = f"kept_{self._num_kept}"
        with self._reached():
            self._connection.execute(f"create temp table {table} as {_asked(query)}")
            return self.connection.table(table)

    def register(self, name: str, data: object) -> None:
        super().register(name, data)
        self._registered.add(name.lower())

    def unregister(self, name: str) -> None:
        super().unregister(name)
        self._registered.discard(name.lower())

    @contextmanager
    def unordered(self) -> Iterator[None]:
        """Let rows be sent in any order; settings of the server are the same for all its clients, and stay."""
        self._connection.execute("set preserve_insertion_order = false")
        try:
            yield
        finally:
            self._connection.execute("set preserve_insertion_order = true")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing, as of a file; Ctrl-C is heard while it waits for others."""
        self._take_turn()
        with super().transaction():
            yield

    def run(self, text: str, *, external: bool = True, most: int | None = None) -> Rows:
        """Run statements as ``Database.run`` does, all on the server, also those that name a reader of files."""
        if external:
            raise UsageError(f"{self.path}: SQL on a server reaches no other file; leave out --external")
        before, self._reads_files = self._reads_files, False
        try:
            return super().run(text, external=False, most=most)
        finally:
            self._reads_files = before

    def make(self, table: str, sql: str, parameters: Sequence[object] = ()) -> None:
        if not self._is_local(sql):
            super().make(table, sql, parameters)
            return
        sql = rendered(sql, parameters, self._connection)
        with self._alone():
            self.make_empty(table, dict(self._columns(sql)))
            self._send(table, sql)

    def insert(self, table: str, sql: str, parameters: Sequence[object] = ()) -> None:
        if not self._is_local(sql):
            super().insert(table, sql, parameters)
            return
        with self._alone():
            self._send(table, rendered(sql, parameters, self._connection))

    def copy(self, query: str, path: Path, options: str) -> int:
        """The server sends the rows, and the file is written here."""
        with self._alone():
            copied = self._reach(f"copy (\n{_asked(query)}\n) to {literal(str(path))} ({options})")
            return int(fetched(copied)[1][0][0])

    def execute_all(self, statements: Sequence[str]) -> None:
        """Run statements for what they do, in one request."""
        if statements:
            self.execute(SEPARATE.join(statements))

    def announce(self, relations: Sequence[Relation]) -> None:
        self._ask(quack.MEASURES + json.dumps([(each.name, each.text) for each in relations])).fetchall()

    # Where a statement runs

    def _run(self, sql: str, parameters: Sequence[object] = (), most: int | None = None) -> Rows:
        """Run statements, each where it belongs; those that follow each other go to the server at once."""
        result = self._connection
        together: list[str] = []
        for statement in self._connection.extract_statements(sql):
            kind, text = statement.type.name, rendered(statement.query, parameters, self._connection)
            is_local = kind in ("SELECT", "DROP") and self._is_local(text)
            if kind in _CHANGES and not is_local:
                together.append(text)
                continue
            counting = any(first_word(each) in _COUNTING for each in together)
            if together and kind == "SELECT" and not is_local and not counting:
                text = SEPARATE.join([*together, text])
            elif together:
                self._ask(SEPARATE.join(together))
            together = []
            if kind == "TRANSACTION":
                result = self._turn(text)
            else:
                result = self._connection.execute(text) if is_local else self._ask(text)
        return fetched(self._ask(SEPARATE.join(together)) if together else result, most)

    def _is_local(self, text: str) -> bool:
        return self._reads_files and not (_FILE_READERS | self._registered).isdisjoint(plain_words(text))

    def _ask(self, text: str) -> duckdb.DuckDBPyConnection:
        return self._reach(_asked(text))

    def _reach(self, text: str) -> duckdb.DuckDBPyConnection:
        """Run a statement here that asks the server."""
        with self._reached():
            return self._connection.execute(text)

    def _send(self, table: str, select: str) -> None:
        """Put the rows of a SELECT here into a table there."""
        served = f"{_SERVED}.main.{table.removeprefix('temp.')}"
        with self._reached():
            self._connection.execute("from quack_clear_cache()")  # it knows the tables of before
            given, held = self._columns(select), self._columns(f"from {served}")
            names = {name.lower() for name, _ in given}
            # Columns that are left out would have what the server says, computed here.
            listed = ", ".join(["*", *(f"null as {quoted(name)}" for name, _ in held if name.lower() not in names)])
            self._connection.execute(f"insert into {served} by name select {listed} from ({select}\n)")

    def _columns(self, select: str) -> list[tuple[str, str]]:
        """Names and types of the columns of a SELECT here."""
        return [(name, kind) for name, kind, *_ in self._connection.execute(f"describe {select}").fetchall()]

    @contextmanager
    def _reached(self) -> Iterator[None]:
        """Around whatever goes to the server: what it says in our words, and what hinders it."""
        with translated_errors(self.path):
            try:
                yield
            except engine.InterruptException:
                raise
            except engine.Error as error:
                raise quack.server_error(str(error), self._address) from error

    # The turn to write

    def _turn(self, text: str) -> duckdb.DuckDBPyConnection:
        """Begin or end a transaction; this client has the turn to write in between."""
        begins = first_word(text) in BEGINS
        with ExitStack() as stack:
            stack.callback(self._give_up_turn)
            if begins:
                self._take_turn()
            result = self._ask(text)
            if begins:
                stack.pop_all()
        return result

    def _take_turn(self) -> None:
        """Wait until no other client writes, where this one may: transactions that write at once would fail."""
        if not self._reads_files or self._stop_beating:
            return
        is_waiting = False
        while (locked := self._ask(quack.LOCK).fetchall()) != [(True,)]:
            if locked != [(False,)]:
                raise WarehouseError(f"{self.path}: {quack.OTHER}")
            if not is_waiting:
                self._progress("waiting for another client that writes", 0, 1)
            is_waiting = True
            time.sleep(_PAUSE)
        self._stop_beating = self._begin_beating()

    def _begin_beating(self) -> Callable[[], None]:
        """Tell the server every few seconds that this client lives, until what is returned is called."""
        words = literal(f"{quack.BEAT} {self.who[0]}")
        query = f"from quack_query({literal(self.path)}, {words}, token = {literal(self._token)})"
        connection, stopped = self._connection.cursor(), threading.Event()

        def beat() -> None:
            while not stopped.wait(quack.LEASE / 5):
                with suppress(engine.Error):  # one that is lost is made good by the next
                    connection.execute(query).fetchall()

        def stop() -> None:
            stopped.set()
            thread.join()
            connection.close()

        thread = threading.Thread(target=beat, daemon=True)
        thread.start()
        return stop

    def _give_up_turn(self) -> None:
        if self._stop_beating:
            self._stop_beating()
            self._stop_beating = None
            with suppress(engine.Error, EvalsqlError):
                self._ask(quack.UNLOCK)


def _asked(text: str) -> str:
    """A SELECT, for the connection here, of what statements give there."""
    return f"from quack_query_by_name('{_SERVED}', {literal(text)})"
