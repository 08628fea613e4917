"""A warehouse that a server holds: statements run there, and rows travel.

A client has a connection of its own, in memory, to which the server's database is attached. What a user asks goes to
the server as text and runs in one session there, with its temporary tables and its transaction. Files are read here:
a statement that reads one runs here, and its rows go into the table on the server that it names.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

from evalsql.catalog.measure_names import literal
from evalsql.catalog.relations import Catalog
from evalsql.catalog.sql_text import tokens
from evalsql.database import engine, quack
from evalsql.database.database import Database, translated_errors
from evalsql.database.engine import held_back
from evalsql.database.quack import CATALOG, LEASE, Address, server_error
from evalsql.database.statement_text import BEGINS, COMMITS, ROLLBACKS, first_word, rendered
from evalsql.errors import EvalsqlError, UsageError
from evalsql.phrases import Progress, silent

if TYPE_CHECKING:
    import duckdb


_FILE_READERS = {"read_csv", "read_parquet", "read_json", "read_json_objects", "reject_errors", "reject_scans"}
_MAKES = re.compile(
    r"\s*create\s+(?:or\s+replace\s+)?temp(?:orary)?\s+table\s+(?P<name>\w+)\s+as\b(?P<select>.*)",
    re.IGNORECASE | re.DOTALL,
)
_FILLS = re.compile(r"\s*insert\s+into\s+(?:temp\.)?(?P<name>\w+)\b(?P<select>.*)", re.IGNORECASE | re.DOTALL)
_COPIES = re.compile(r"\s*copy\s*\((?P<query>.*)\)\s*(?P<target>to\s+'.*)", re.IGNORECASE | re.DOTALL)
_SEPARATE = "\n;"  # a statement may end with a comment
_CHANGES = ("CREATE", "DROP", "INSERT", "UPDATE", "DELETE")
_COUNTING = ("insert", "update", "delete")  # they give rows, and a request gives the first rows that come
_TOGETHER = ("file_id", "topic")  # columns with the same value in many rows
_PACKED = "evalsql_packed_rows"
_ROWS_TOGETHER = 500_000  # of one request
_PAUSE = 0.05  # seconds between two attempts to have the turn to write


class RemoteConnection:
    """What the server's session and the connection here are to a ``Database``: one connection.

    Args:
        local: a connection in memory, with quack loaded.
        reads_files: whether statements that read files run here, as those of a load do.
    """

    def __init__(
        self, local: duckdb.DuckDBPyConnection, address: Address, token: str, *, reads_files: bool, progress: Progress
    ) -> None:
        self.local = local
        self.address = address
        self._token = token
        self._reads_files = reads_files
        self._progress = progress
        self._views: set[str] = set()
        self._heart: Heart | None = None
        self._num_kept = 0
        self.is_unordered = False  # whether the order of rows that are sent does not matter

    def attach(self) -> None:
        """Begin a session on the server."""
        with self._reached():
            self.local.execute(f"attach {literal(self.address.url)} as {CATALOG} (token {literal(self._token)})")

    @cached_property
    def _who(self) -> tuple[str, str]:
        name, role = self.ask(quack.HELLO).fetchall()[0]
        return name, role

    @property
    def session(self) -> str:
        """What the server calls this session."""
        return self._who[0]

    @property
    def role(self) -> str:
        """What the token lets do: write or read."""
        return self._who[1]

    def ask(self, text: str) -> duckdb.DuckDBPyConnection:
        """Send one statement; the rows are the connection's."""
        with self._reached():
            return self.local.execute(self.query(text))

    def relation(self, text: str) -> duckdb.DuckDBPyRelation:
        """A relation of the rows that a query gives now: one that asked when it is read would ask twice."""
        self._num_kept += 1
        table = f"kept_{self._num_kept}"
        with self._reached():
            self.local.execute(f"create temp table {table} as {self.query(text)}")
            return self.local.table(table)

    def query(self, text: str) -> str:
        """A SELECT, for the connection here, of what a statement gives there."""
        return f"from quack_query_by_name('{CATALOG}', {literal(text)})"

    # What a Database asks of a connection

    def execute(self, sql: str, parameters: Sequence[object] | None = None) -> duckdb.DuckDBPyConnection:
        """Run statements, each where it belongs; those that follow each other go there at once."""
        result = self.local
        together: list[str] = []
        for statement in self.local.extract_statements(sql):
            kind, text = statement.type.name, rendered(statement.query, parameters or ())
            if kind in _CHANGES and not self._is_local(text):
                together.append(text)
                continue
            counting = any(first_word(each) in _COUNTING for each in together)
            if together and kind == "SELECT" and not self._is_local(text) and not counting:
                text = _SEPARATE.join([*together, text])
            elif together:
                self.ask(_SEPARATE.join(together))
            together = []
            result = self._run(kind, text)
        return self.ask(_SEPARATE.join(together)) if together else result

    def extract_statements(self, sql: str) -> list[Any]:
        return self.local.extract_statements(sql)

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """Another connection to the database here, for queries of files."""
        return self.local.cursor()

    def interrupt(self) -> None:
        self.local.interrupt()

    def close(self) -> None:
        """End the session; the server drops what it had begun."""
        if self._heart:
            with suppress(engine.Error, EvalsqlError):
                self.ask("rollback")
            self._give_up_turn()
        with suppress(engine.Error):
            self.local.execute(f"detach {CATALOG}")
        self.local.close()

    # Where a statement runs

    @contextmanager
    def all_on_server(self) -> Iterator[None]:
        """Have every statement run on the server, also one that names a reader of files."""
        before, self._reads_files = self._reads_files, False
        try:
            yield
        finally:
            self._reads_files = before

    def _run(self, kind: str, text: str) -> duckdb.DuckDBPyConnection:
        if kind == "TRANSACTION":
            return self._turn(text)
        copied = _COPIES.fullmatch(text) if kind == "COPY" else None
        if copied:
            with self._reached():
                return self.local.execute(f"copy ({self.query(copied['query'])}) {copied['target']}")
        if not self._is_local(text):
            return self.ask(text)
        if kind == "CREATE" and (made := _MAKES.fullmatch(text)):
            columns = self.local.execute(f"describe {made['select']}").fetchall()
            listed = ", ".join(f'"{name}" {type_}' for name, type_, *_ in columns)
            self.ask(f"create or replace temp table {made['name']} ({listed})")
            return self._send(made["name"], made["select"])
        if kind == "INSERT" and (filled := _FILLS.fullmatch(text)):
            return self._send(filled["name"], filled["select"])
        return self.local.execute(text)

    def _is_local(self, text: str) -> bool:
        if not self._reads_files:
            return False
        words = {each.text.lower() for each in tokens(text, signs=False) if each.kind == "word"}
        return not words.isdisjoint(_FILE_READERS | self._views)

    def _send(self, table: str, select: str) -> duckdb.DuckDBPyConnection:
        """Put the rows of a SELECT here into a table there."""
        if self.is_unordered and not select.lstrip().lower().startswith("by name"):
            return self._send_packed(table, select)
        with self._reached():
            self.local.execute("from quack_clear_cache()")  # it knows the tables of before
            return self.local.execute(f"insert into {CATALOG}.main.{table} {select}")

    def _send_packed(self, table: str, select: str) -> duckdb.DuckDBPyConnection:
        """The same, many rows in one, which takes half the time; rows of a topic stay together, in no certain order."""
        described = self.local.execute(f"describe {select}").fetchall()
        # Columns may be expressions, which have no names of their own.
        types = {name if name in _TOGETHER else f"column_{nth}": kind for nth, (name, kind, *_) in enumerate(described)}
        listed = [name for name in types if name not in _TOGETHER]
        packed = ", ".join(name if name not in listed else f"list({name}) as {name}" for name in types)
        keys = ", ".join(name for name in types if name in _TOGETHER) or "()"
        self.local.execute(f"""
            create or replace temp table {_PACKED} as
            select *, sum(len({listed[0]})) over (rows unbounded preceding) // {_ROWS_TOGETHER} as part
            from (select {packed} from ({select}) as sent({", ".join(types)}) group by {keys})
        """)
        columns = ", ".join(f"{name} {kind}{'[]' if name in listed else ''}" for name, kind in types.items())
        self.ask(f"create or replace temp table {_PACKED} ({columns})")
        parts = self.local.execute(f"select distinct part from {_PACKED} order by part").fetchall()
        with self._reached():
            self.local.execute("from quack_clear_cache()")
            for (part,) in parts:
                rows = f"select {', '.join(types)} from {_PACKED} where part = {part}"
                self.local.execute(f"insert into {CATALOG}.main.{_PACKED} {rows}")
        unpacked = ", ".join(f"unnest({name})" if name in listed else name for name in types)
        self.ask(f"insert into {table} select {unpacked} from {_PACKED}").fetchall()
        self.local.execute(f"drop table {_PACKED}")
        return self.ask(f"drop table {_PACKED}")

    # The turn to write

    def _turn(self, text: str) -> duckdb.DuckDBPyConnection:
        word = first_word(text)
        if word not in BEGINS:
            try:
                return self.ask(text)
            finally:
                if word in (*COMMITS, *ROLLBACKS):
                    self._give_up_turn()
        self.take_turn()
        try:
            return self.ask(text)
        except BaseException:
            self._give_up_turn()
            raise

    def take_turn(self) -> None:
        """Wait until no other client writes, where this one may: transactions that write at once would fail."""
        if not self._reads_files or self._heart:
            return
        is_waiting = False
        while not self.ask(quack.LOCK).fetchall()[0][0]:
            if not is_waiting:
                self._progress("waiting for another client that writes", 0, 1)
            is_waiting = True
            time.sleep(_PAUSE)
        self._heart = Heart(self.local.cursor(), self.address, self._token, self.session)

    def _give_up_turn(self) -> None:
        if self._heart:
            self._heart.stop()
            self._heart = None
            with suppress(engine.Error, EvalsqlError):
                self.ask(quack.UNLOCK)

    # What is registered here

    def register(self, name: str, data: object) -> None:
        self.local.register(name, data)
        self._views.add(name.lower())

    def unregister(self, name: str) -> None:
        self.local.unregister(name)
        self._views.discard(name.lower())

    @contextmanager
    def _reached(self) -> Iterator[None]:
        """Around whatever goes to the server: what it says in our words, and what hinders it."""
        with translated_errors(self.address.url):
            try:
                yield
            except engine.InterruptException:
                raise
            except engine.Error as error:
                raise server_error(str(error), self.address) from error


class Heart:
    """Tells the server every few seconds that this client lives, while it has the turn to write."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, address: Address, token: str, session: str) -> None:
        self._connection = connection
        self._query = (
            f"from quack_query({literal(address.url)}, {literal(f'{quack.BEAT} {session}')}, token = {literal(token)})"
        )
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)
        self._thread.start()

    def _beat(self) -> None:
        while not self._stopped.wait(LEASE / 5):
            with suppress(engine.Error):  # one that is lost is made good by the next
                self._connection.execute(self._query).fetchall()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()
        self._connection.close()


class RemoteDatabase(Database):
    """A database on a server. What concerns files, settings and extensions is the server's."""

    def __init__(self, remote: RemoteConnection, catalog: Catalog, *, read_only: bool) -> None:
        super().__init__(remote, catalog, path=remote.address.url, read_only=read_only)  # type: ignore[arg-type]
        self._remote = remote
        self._is_shut_in = self._is_locked = True  # by the server

    @property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """The connection here; the server's database is attached to it as ``served``."""
        return self._remote.local

    def sql(self, query: str) -> duckdb.DuckDBPyRelation:
        """A relation of the rows that the server gives now; they are here until the database is closed."""
        with translated_errors(self.path):
            return self._remote.relation(query)

    def register(self, name: str, data: object) -> None:
        with translated_errors(self.path):
            self._remote.register(name, data)

    def unregister(self, name: str) -> None:
        self._remote.unregister(name)

    @contextmanager
    def unordered(self) -> Iterator[None]:
        """Let rows be sent in any order; settings of the server are the same for all its clients, and stay."""
        self._remote.local.execute("set preserve_insertion_order = false")
        self._remote.is_unordered = True
        try:
            yield
        finally:
            self._remote.is_unordered = False
            self._remote.local.execute("set preserve_insertion_order = true")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing, as of a file; Ctrl-C is heard while it waits for others."""
        self._remote.take_turn()
        with super().transaction():
            yield

    def run(self, text: str, *, external: bool = True) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Run statements as ``Database.run`` does, all on the server.

        Raises:
            UsageError: other files are to be reached: the server reaches none.
        """
        if external:
            raise UsageError(f"{self.path}: SQL on a server reaches no other file; leave out --external")
        with self._remote.all_on_server():
            return super().run(text, external=False)


def connect(address: Address, token: str, *, reads_files: bool, progress: Progress = silent) -> RemoteConnection:
    """Connect to a server.

    Raises:
        WarehouseError: quack is not installed, no server answers, it does not know the token, or is of another kind.
    """
    with held_back():
        # The extension comes from a package, as the engine does; to check its signature takes a quarter of a second.
        settings: dict[str, str | bool] = {
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "python_enable_replacements": False,
            "allow_unsigned_extensions": True,
        }
        local = engine.connect(":memory:", config=settings)  # type: ignore[arg-type]
    remote = RemoteConnection(local, address, token, reads_files=reads_files, progress=progress)
    try:
        with held_back():
            local.execute("set enable_progress_bar = false")
            quack.load(local)
        remote.attach()
    except BaseException:
        local.close()
        raise
    return remote
