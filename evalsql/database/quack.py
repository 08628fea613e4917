"""DuckDB's extension quack: where it comes from, the addresses it serves, and its errors in our words."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlsplit

from evalsql.database import engine
from evalsql.errors import UsageError, WarehouseError
from evalsql.literals import literal

if TYPE_CHECKING:
    import duckdb


SCHEME = "quack:"
DEFAULT_PORT = 9494
LOOPBACK = ("localhost", "127.0.0.1", "::1")
_ADDRESS = re.compile(r"quack:(?://)?(?P<host>\[[0-9a-f:.]+\]|[^\s:/\[\]'\"]+)?(?::(?P<port>\d{1,5}))?", re.IGNORECASE)
# Client and server know these requests; the rest of what a client sends is SQL.
HELLO, LOCK, UNLOCK, BEAT = "evalsql hello", "evalsql lock", "evalsql unlock", "evalsql beat"
MEASURES = "evalsql measures "  # before names and texts as JSON: those of users that are kept from then on
OTHER = "answers otherwise than evalsql serve does; --db names another server"
REFUSED = "evalsql refuses: "  # before the server's own words
STOPPING = "the server is stopping, and nothing of an open transaction is kept"
LEASE = 15.0  # seconds after which a client that says nothing more has lost its turn to write


class Address(NamedTuple):
    host: str
    port: int

    @property
    def url(self) -> str:
        return f"{SCHEME}{self.host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        return self.host.strip("[]").lower() in LOOPBACK


def is_address(path: str) -> bool:
    return path.lower().startswith(SCHEME)


def parse_address(text: str) -> Address:
    """The address in ``quack:HOST:PORT``; host and port may be left out. Raises UsageError where it is none."""
    found = _ADDRESS.fullmatch(text if is_address(text) else f"{SCHEME}{text}")
    port = int(found["port"] or DEFAULT_PORT) if found else 0
    if not found or not 0 < port < 65536:
        raise UsageError(
            f'"{text}" is not the address of a server; expected quack:HOST:PORT, such as quack:localhost:9494'
        )
    return Address(found["host"] or "localhost", port)


def extension(name: str) -> Path | None:
    """The file of an extension that the extra [server] installed for the engine's version."""
    found = importlib.util.find_spec(f"duckdb_extension_{name}")
    if found is None or found.origin is None:
        return None
    path = Path(found.origin).parent / "extensions" / f"v{engine.__version__}" / f"{name}.duckdb_extension"
    return path if path.exists() else None


def load_extension(connection: duckdb.DuckDBPyConnection, name: str, what: str) -> None:
    """Load an extension that something takes; nothing is downloaded, WarehouseError says what to install."""
    path = extension(name)
    try:
        connection.execute(f"load {name if path is None else literal(str(path))}")
    except engine.Error as error:
        raise WarehouseError(
            f"DuckDB {engine.__version__} has no extension {name} here, which {what} take: pip install "
            "'evalsql[server]' puts in DuckDB 1.5.5 with it; with another version of DuckDB and a network, INSTALL "
            f"{name} in any DuckDB client fetches it"
        ) from error


def require() -> None:
    with engine.held_back(), engine.connect(":memory:", config={"allow_unsigned_extensions": True}) as connection:
        load(connection)


def load(connection: duckdb.DuckDBPyConnection, *, proxy: bool = True) -> None:
    """Load quack, and httpfs which it takes; errors are those of ``load_extension``.

    No setting has what the environment says of object stores and of a proxy: any SQL can read settings, also that of a
    server's tables, which a client plans. With ``proxy`` a secret has it, whose password no SQL shows.
    """
    for name in ("httpfs", "quack"):
        load_extension(connection, name, "servers")
    ((given,),) = connection.execute("select coalesce(system.main.current_setting('http_proxy'), '')").fetchall()
    asked = urlsplit(f"//{given.rpartition('//')[2]}")
    settings = connection.execute("select name, input_type from system.main.duckdb_settings()").fetchall()
    for name, kind in settings:
        if kind == "VARCHAR" and name.startswith(("s3_", "http_proxy")):
            connection.execute(f"set global {name} = ''")
    if proxy and asked.netloc:
        parts = {"": asked.netloc.rpartition("@")[2], "_username": asked.username, "_password": asked.password}
        told = ", ".join(f"http_proxy{part} {literal(unquote(value))}" for part, value in parts.items() if value)
        connection.execute(f"create temporary secret evalsql_proxy (type http, {told})")


_OWN_PLACE = re.compile(r"\s*LINE \d+: (?:from|select \* from) quack_query.*", re.DOTALL | re.IGNORECASE)
_KIND = re.compile(r"^(?:Invalid Input Error: |IO Error: )")
# What the extension says, and what it means. Braces hold the first line of what it said.
_MEANINGS = {
    "^Authentication failed": (
        "does not know the token, or has no memory or too many sessions just now to begin another one; --token-file "
        "names the file that has the token, or EVALSQL_TOKEN is it"
    ),
    "Server returned nothing": (
        "the server ended while this ran: it was stopped, a statement met a fault of DuckDB that ends its process, or "
        "this or another one took longer than --time-limit of evalsql serve allows"
    ),
    "Could not connect|Failed to send message": (
        "no server answers there; evalsql serve starts one, and one that starts itself again, as after --time-limit, "
        "answers in some seconds"
    ),
    "Invalid connection id": (
        "the server has ended this session, and nothing of an open transaction is kept; try again. --time-limit of "
        "evalsql serve is how long a statement and the reading of what it gives may take"
    ),
    "Unsupported Quack version|eserializ": (
        f"the server speaks another version of the protocol than DuckDB {engine.__version__} here "
        "({}); install the same version on both sides"
    ),
}


def server_error(message: str, address: Address) -> Exception:
    """An error of the extension in our words, or as the engine's where it is one of SQL."""
    told = _OWN_PLACE.sub("", message.strip())
    if REFUSED in told:
        words = told.partition(REFUSED)[2].strip()
        return WarehouseError(f"{address.url}: {words}") if words == STOPPING else UsageError(words)
    plain = _KIND.sub("", told)
    for pattern, meaning in _MEANINGS.items():
        if re.search(pattern, plain):
            return WarehouseError(f"{address.url}: {meaning.format(plain.splitlines()[0])}")
    return engine.Error(plain)
