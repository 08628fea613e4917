"""What the engine says where it fails, as errors of evalsql."""

from collections.abc import Iterator
from contextlib import contextmanager

from evalsql.database import engine
from evalsql.database.disk import file_error
from evalsql.errors import QueryError, ReachError, WarehouseError

_SHUT_IN = "disabled by configuration"  # the engine's words
_GIVE_VALUE = """

A measure takes values, no columns or subqueries. Several cutoffs are a list: from p(k := [5, 10]).
A value that a query finds goes through a variable: set variable ks = (select ...); from p(k := getvariable('ks'))."""
_OPENED_READ_ONLY = "\nit is opened read_only; without that, on the command line --write lets it change the warehouse"
_ADVICE = {
    "does not support lateral join column parameters": _GIVE_VALUE,
    "Table function cannot contain subqueries": _GIVE_VALUE,
    "in read-only mode": _OPENED_READ_ONLY,
}


@contextmanager
def translated_errors(path: str = "the warehouse") -> Iterator[None]:
    """Turn errors of the engine into QueryError, or WarehouseError where the file is damaged or the disk is full."""
    try:
        yield
    except engine.InterruptException as error:
        raise KeyboardInterrupt from error
    except engine.Error as error:
        if words := file_error(path, str(error).strip()):
            raise WarehouseError(words) from error
        kind = ReachError if _SHUT_IN in str(error) else QueryError
        advice = "".join(told for words, told in _ADVICE.items() if words in str(error))
        raise kind(str(error).strip() + advice) from error
    except UnicodeEncodeError as error:
        raise QueryError(f"text cannot be stored: {error}") from error
    except RuntimeError as error:
        # The engine raises it for Ctrl-C, and for text that is not UTF-8.
        if "interrupted" in str(error).lower():
            raise KeyboardInterrupt from error
        raise QueryError(str(error)) from error
