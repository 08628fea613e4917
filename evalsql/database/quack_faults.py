"""What goes wrong between a client and a server, in our words."""

from __future__ import annotations

import re

from evalsql.database import engine
from evalsql.database.database import translated_errors
from evalsql.database.quack import REFUSED, Address
from evalsql.errors import QueryError, UsageError, WarehouseError

_OWN_PLACE = re.compile(r"\s*LINE \d+: (?:from|select \* from) quack_query.*", re.DOTALL | re.IGNORECASE)
_KIND = re.compile(r"^(?:Invalid Input Error: |IO Error: )")


def server_error(message: str, address: Address) -> QueryError | UsageError | WarehouseError:
    """An error of the extension in our words."""
    told = _OWN_PLACE.sub("", message.strip())
    if REFUSED in told:
        return UsageError(told.partition(REFUSED)[2].strip())
    plain = _KIND.sub("", told)
    if plain.startswith("Authentication failed"):
        return WarehouseError(
            f"{address.url}: does not know the token; --token-file names the file that has it, or EVALSQL_TOKEN is it"
        )
    if "Could not connect" in plain or "Failed to send message" in plain:
        return WarehouseError(f"{address.url}: no server answers there; evalsql serve starts one")
    if "Invalid connection id" in plain:
        return WarehouseError(
            f"{address.url}: the server has ended this session, and nothing of an open transaction is kept; try again"
        )
    if "Unsupported Quack version" in plain or "eserializ" in plain:
        return WarehouseError(
            f"{address.url}: the server speaks another version of the protocol than DuckDB {engine.__version__} here "
            f"({plain.splitlines()[0]}); install the same version on both sides"
        )
    try:
        with translated_errors(address.url):
            raise engine.Error(plain)
    except (QueryError, WarehouseError) as error:
        return error
