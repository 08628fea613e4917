"""Holds a warehouse's file and serves it until it is to stop."""

import http.client
import os
import secrets
import socket
import struct
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

from evalsql.database import engine, quack
from evalsql.database.database import Database
from evalsql.errors import EvalsqlError, InputWarning, UsageError, WarehouseError
from evalsql.literals import literal
from evalsql.server.policy import RefusedError, check_definition, with_announced
from evalsql.server.sessions import Sessions, Tokens
from evalsql.warehouse.connecting import size_in_bytes
from evalsql.warehouse.file_checks import check_definitions, refuse_hiding
from evalsql.warehouse.open import Reach, open_database
from evalsql.warehouse.schema import keep_own, remake_views

# No file has a macro of such a name, which the extension would ask instead.
_AUTHENTICATE, _AUTHORISE = (f"evalsql_server_{each}_{secrets.token_hex(8)}" for each in ("know", "admit"))
_ACTIVE = """select columns('connection_id$') as id, case when state = 'active' then columns('started_at$') end
from quack_active_connections()"""
_CONNECTIONS = "select count from system.main.duckdb_connection_count()"
_LOOKS = 1.0  # seconds between two looks at the sessions
_THREADS = 128  # of the extension
_SILENT, _WAITING = 60, 1024  # seconds in which a connection is to send something, and how many may wait
_CROWD = 96  # connections, from which on those that only keep a thread are closed
_WHOLE, _RATE = 2.0, 1000  # seconds in which a request is to be whole, or come with so many bytes a second
# Of Linux's tcp_info: milliseconds since something was sent and came, bytes that arrived there and came.
_TCP_INFO = struct.Struct("=44xI4xI64xQQ")
_FINISHING = 10.0  # seconds that running statements have when the server stops
# The extension's message that ends a session: its number, the session's name, no number of a query.
_END = b"\x01\x00\x0b\x02\x00 %s\x03\x00" + b"\xff" * 9 + b"\x01" + b"\xff" * 4


@dataclass
class Server:
    """Serves one database at an address; ``log`` takes a line for each request, and for what else happens."""

    database: Database
    address: quack.Address
    sessions: Sessions
    log: Callable[[str], None]
    late_since: float | None = None  # since when a statement whose session was ended may still run
    left_since: float | None = None  # since when there are statements whose sessions their clients ended
    num_own: int = 0  # connections that are of no session
    coming: dict[object, tuple[int, float]] = field(default_factory=dict)  # requests, when each was first looked at

    def start(self) -> None:
        """Listen; raises UsageError where the address is taken, or is none of this machine."""
        host, port = self.address.host.strip("[]"), self.address.port
        try:  # the extension would share the address with another process
            for family, *_, place in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
                socket.create_server((str(place[0]), 0), family=family).close()
                with socket.socket(family) as asking:  # connections that a server before left keep nobody away
                    if asking.connect_ex(place) == 0:
                        raise self._cannot_listen("another process listens there")
        except OSError as error:
            raise self._cannot_listen(error.strerror or str(error)) from error
        connection = self.database.connection
        text: Any = "varchar"
        how: dict[str, Any] = {"null_handling": "special", "side_effects": True}
        connection.create_function(_AUTHENTICATE, self.sessions.authenticate, [text] * 3, "boolean", **how)
        connection.create_function(_AUTHORISE, self.sessions.authorise, [text] * 2, text, **how)
        # What Python imports for the first calls is not the first client's to wait for.
        connection.execute(f"select {_AUTHENTICATE}('', '', ''), {_AUTHORISE}('', '')").fetchall()
        self.database.execute(f"set global quack_authentication_function = '{_AUTHENTICATE}'")
        self.database.execute(f"set global quack_authorization_function = '{_AUTHORISE}'")
        others = "" if self.address.is_loopback else ", allow_other_hostname = true, disable_ssl = true"
        try:
            # The extension's own token is not used: the functions know those of this server.
            connection.execute(
                f"call quack_serve({literal(self.address.url)}, token = {literal(secrets.token_hex(16))}{others})"
            ).fetchall()
        except engine.Error as error:
            raise self._cannot_listen(str(error).splitlines()[0]) from error
        self._hold_back_silent()
        # Each thread takes its own memory at its first request; later there may be none, which would end the process.
        self._end(*["0" * 32] * _THREADS)
        self.num_own = self.database.rows(_CONNECTIONS)[0][0]
        self.database.lock()

    def _hold_back_silent(self) -> None:
        """Let Linux keep connections that send nothing: each would take one of the extension's threads for seconds."""
        for each in self._sockets():
            if each.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                each.listen(_WAITING)
                each.setsockopt(socket.IPPROTO_TCP, socket.TCP_DEFER_ACCEPT, _SILENT)

    def _close_slow(self) -> None:
        """Close connections on which nothing, or a request byte by byte, comes, where nearly all threads are taken."""
        before, self.coming = self.coming, {}
        if sum(1 for _ in self._sockets()) <= _CROWD:
            return
        now = time.monotonic()
        for each in self._sockets():
            with suppress(OSError):  # it has no peer
                request = each.getpeername()
                info = each.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO.size)
                sent, came, num_sent, num_came = _TCP_INFO.unpack(info)
                first, since = self.coming[request, num_sent] = before.get((request, num_sent), (num_came, now))
                is_slow = came < 2000 * _LOOKS and now - since > _WHOLE and num_came - first < _RATE * (now - since)
                if is_slow or 1000 < sent < came:
                    each.shutdown(socket.SHUT_RDWR)

    def _sockets(self) -> Iterator[socket.socket]:
        """This process's sockets at the address, on Linux: the one that listens and its connections."""
        for number in map(int, os.listdir("/proc/self/fd") if sys.platform == "linux" else ()):
            with suppress(OSError, IndexError):
                found = socket.socket(fileno=number)
                try:
                    if found.getsockname()[1] == self.address.port:
                        yield found
                finally:
                    found.detach()

    def _cannot_listen(self, reason: str) -> UsageError:
        return UsageError(f"{self.address.url}: cannot be listened on ({reason}); --listen names another place")

    def watch(self, stop: Event, most: int, limit: float = 0) -> bool:
        """Look after the sessions until told to stop, and let the process take ``most`` bytes.

        Sessions whose statement takes longer than ``limit`` seconds are ended. The statement may compute on, and only
        the end of the process stops it: returns True as soon as nothing else is under way, or after as many seconds.
        """
        while not stop.wait(_LOOKS):
            try:
                self._close_slow()
                _limit_process(most)
                num_connections = self.database.rows(_CONNECTIONS)[0][0]
                rows = self._rows()
            except (EvalsqlError, MemoryError, OSError) as error:  # one takes all memory or files, and is about to fail
                if "database has been invalidated" in str(error):  # the engine's words
                    self.log("the engine has met an error of its own and answers nobody: the server starts again")
                    os._exit(WarehouseError.exit_code)  # what was committed is in the log
                continue
            busy = {name: began for name, began in rows.items() if began}
            ended = self.sessions.ended(rows)
            if self.late_since is not None:
                is_quiet = not busy and self.sessions.is_nothing_open()
                if is_quiet or time.monotonic() - self.late_since > limit:
                    reason = "nothing else is under way" if is_quiet else f"others had {limit:g} seconds more to end"
                    self.log(f"what was ended may compute on, and {reason}: the server starts again")
                    return True
            late = self.sessions.late(busy, limit) if limit else []
            is_left = self._is_left(num_connections - len(rows), limit)
            if (late or is_left) and self.late_since is None:
                self.late_since = time.monotonic()
            given_up = dict.fromkeys(self.sessions.gone(busy), "has gone")
            given_up |= dict.fromkeys(late, f"takes more than the {limit:g} seconds of --time-limit")
            for name, reason in given_up.items():
                self.log(f"{name[:8].lower()} {reason}: its session is ended, and what it had begun is rolled back")
                self._end(name)
            self._end(*(rows.keys() - self.sessions.known - busy.keys()))  # the end of these was lost
            self.sessions.forget([*given_up, *ended])
        return False

    def _is_left(self, num_others: int, limit: float) -> bool:
        """Whether connections of no session, which who ends one in mid-statement leaves, last beyond the limit."""
        now = time.monotonic()
        self.left_since = (self.left_since or now) if num_others > self.num_own else None
        is_late = bool(limit and self.left_since and now - self.left_since > limit)
        if is_late and self.late_since is None:
            self.log(f"a statement that a client left takes more than the {limit:g} seconds of --time-limit")
        return is_late

    def stop(self) -> bool:
        """Let statements finish for some seconds and roll back what is open; returns whether nothing runs any more."""
        self.sessions.is_stopping = True
        until = time.monotonic() + _FINISHING
        busy: list[str] = []
        with suppress(EvalsqlError, MemoryError):
            while (busy := [name for name, began in self._rows().items() if began]) and time.monotonic() < until:
                time.sleep(0.05)
            self._end(*(self._rows().keys() - busy))
        with suppress(engine.Error):
            self.database.connection.execute(f"call quack_stop({literal(self.address.url)})").fetchall()
        return not busy and self.late_since is None

    def _rows(self) -> dict[str, object]:
        """The extension's sessions, and when the statement began that each has running."""
        return dict(self.database.rows(_ACTIVE))

    def _end(self, *sessions: str) -> None:
        """End sessions, each over a connection of its own, which are all open at once."""
        host = "localhost" if self.address.is_loopback or self.address.host == "0.0.0.0" else self.address.host
        with suppress(OSError, http.client.HTTPException), ExitStack() as at_end:
            connections = [http.client.HTTPConnection(host.strip("[]"), self.address.port, timeout=5) for _ in sessions]
            for connection, session in zip(connections, sessions, strict=True):
                at_end.callback(connection.close)
                kind = {"Content-Type": "application/octet-stream"}
                connection.request("POST", "/quack", _END % session.encode(), kind)
            for connection in connections:
                connection.getresponse().read()


def _limit_process(most: int) -> None:
    """Let Linux refuse memory beyond so many bytes to whoever asks for it, which fails, instead of ending the process.

    The engine counts neither what it takes to plan a query nor the states of some aggregates.
    """
    if sys.platform == "linux":
        import resource

        _, resident, *_, data, _ = map(int, Path("/proc/self/statm").read_text().split())
        set_aside = (data - resident) * resource.getpagesize()  # for stacks, or free again
        resource.setrlimit(resource.RLIMIT_DATA, (set_aside + most, resource.getrlimit(resource.RLIMIT_DATA)[1]))


def serve(
    path: str,
    address: quack.Address,
    tokens: Tokens,
    *,
    stop: Event,
    begun: Callable[[], None],
    log: Callable[[str], None],
    memory_limit: str | None = None,
    time_limit: float = 0,
    **opening: Any,
) -> None:
    """Serve a warehouse's file, made if there is none, until ``stop`` is set; then write everything into the file.

    Calls ``begun`` once it answers. Where only the end of the process stops a statement it dies, for another to follow.
    The process takes most of the machine's memory, as the engine by itself does, where ``memory_limit`` does not say.
    """
    if quack.is_address(path):
        raise UsageError(f"{path}: is a server; name the warehouse file to serve")
    left = Path(f"{path}.wal")
    was_killed = left.exists() and left.stat().st_size > 0
    if memory_limit is None:  # a request takes memory before its token is looked at
        with engine.connect(":memory:") as asked:
            ((memory_limit,),) = asked.execute("select current_setting('memory_limit')").fetchall()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", InputWarning)  # what the file defines is shut in before anyone asks for it
        opening |= {"memory_limit": memory_limit, "prepare": lambda opened: quack.load(opened.connection, proxy=False)}
        database = open_database(path, reach=Reach(), rewritten=True, **opening)  # clients ask the views in the file
    with closing(database):
        refuse_hiding(database)
        check_definitions(database, check_definition, [relation.name for relation in database.catalog.own])
        for fault in remake_views(database):
            log(f"{path}: {' '.join(fault.split())}")
        if was_killed:
            log(f"{path}: the process that had it last did not end properly; all it committed is here, and no more")
        kept = {*database.column("select relation from main.added_relations")}
        # Clients go by what is kept, and would take this server for another version.
        if kept != {relation.name for relation in database.catalog.own}:
            reasons = [str(each.message) for each in told if "left out" in str(each.message)]
            raise WarehouseError(f"{path}: is not served: {'; '.join(reasons)}")
        sessions = Sessions(tokens, log, partial(_keep_measures, database.beside()), kept=kept)
        server = Server(database, address, sessions, log)
        server.start()
        try:
            if not engine.__version__.startswith("1.5."):
                log(f"DuckDB {engine.__version__}: servers were tried with 1.5.5, and may not end sessions here")
            log(f"serving {os.path.abspath(path)} on {address.url} with DuckDB {engine.__version__}")
            begun()
            is_late = server.watch(stop, size_in_bytes(memory_limit), time_limit)
        finally:
            log("stopping")
            if server.stop():  # it would wait for what runs
                with suppress(Exception):  # closing the file writes it too
                    database.execute("force checkpoint")
    if is_late:
        os._exit(WarehouseError.exit_code)
    if left.exists():
        raise WarehouseError(f"{path}: not everything could be written into the file; {path}.wal holds the rest")
    log(f"stopped; everything is in {path}")


def _keep_measures(database: Database, announced: str) -> set[str]:
    """Keep users' measures, which come as JSON, and no others; their names. RefusedError where one cannot be made."""
    before, catalog = database.catalog, with_announced(announced)
    try:
        database.catalog = catalog
        with database.transaction():
            keep_own(database, before)
    except BaseException as error:
        database.catalog = before
        if isinstance(error, EvalsqlError):
            raise RefusedError(str(error)) from error
        raise
    with suppress(EvalsqlError):  # it is committed
        database.checkpoint()
    return {relation.name for relation in catalog.own}
