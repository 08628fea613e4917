"""Rows, pictures and pages on their way out: files that are there whole or not at all, or standard output."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path
from typing import IO, TYPE_CHECKING

from evalsql.cli.notes import note
from evalsql.cli.options import OutputOptions
from evalsql.database.database import translated_errors
from evalsql.database.whole_files import failure, part_of
from evalsql.errors import UsageError
from evalsql.report import formats
from evalsql.report.table import Table
from evalsql.warehouse.warehouse import Warehouse

if TYPE_CHECKING:
    import duckdb

    from evalsql.report.terminal import Going

_MOST_NAMED = 12  # columns that a terminal is too narrow for


def write_table(table: Table, output: OutputOptions, *, keep: Sequence[str] = (), going: Going | None = None) -> None:
    """Write rows to standard output or a file, whose extension tells the format unless one is given.

    ``going`` says which columns a narrow terminal does without.

    Raises:
        UsageError: the extension tells no format, the file cannot be written, or is one of those to keep.
    """
    if output.path is None:
        _print(table, output, going)
        return
    refuse_protected(output.path, keep)
    chosen = output.chosen_format
    with whole_file(output.path) as stream:
        text = TextIOWrapper(stream, encoding="utf-8", newline="")
        formats.write(table, chosen, text, output.digits)
        text.flush()
        text.detach()


def _print(table: Table, output: OutputOptions, going: Going | None) -> None:
    hidden: list[str] = []
    if output.is_drawn:
        from evalsql.report import terminal

        table, hidden = terminal.fitted(table, terminal.width(), output.digits, going)
    try:
        formats.write(table, output.chosen_format, sys.stdout, output.digits)
        sys.stdout.flush()
    except BrokenPipeError:
        close_to_readers()
    except (OSError, UnicodeEncodeError) as error:
        raise unwritable(error) from error
    if hidden:
        few = hidden if len(hidden) <= _MOST_NAMED else [*hidden[:_MOST_NAMED], f"and {len(hidden) - _MOST_NAMED} more"]
        note(f"the terminal is too narrow for {', '.join(few)}; --format csv has all columns")


def unwritable(error: OSError | UnicodeEncodeError) -> UsageError:
    """What is said where standard output takes no more, or has no such letters."""
    what = "; PYTHONIOENCODING=utf-8 lets it take all letters" if isinstance(error, UnicodeEncodeError) else ""
    return UsageError(f"standard output cannot be written: {error}{what}")


def close_to_readers() -> None:
    """Write no more to standard output: whoever reads has enough, which is no failure; what is held back is dropped."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def write_bytes(content: bytes, output: Path, *, keep: Sequence[str]) -> None:
    """Write a picture or page to a file; raises UsageError if it cannot be written, or is one of those to keep."""
    refuse_protected(output, keep)
    with whole_file(output) as stream:
        stream.write(content)


def protected_files(warehouse: Warehouse) -> list[str]:
    """The warehouse's file and those that its data came from: no output is written over them."""
    return [warehouse.path, *(file for (file,) in warehouse.rows("select file from files"))]


def refuse_protected(output: Path, keep: Sequence[str]) -> None:
    """Raise UsageError where an output would be written over one of the files to keep."""
    if any(output.exists() and Path(path).exists() and output.samefile(path) for path in keep):
        raise UsageError(f"{output}: is in use here and is not written over")


def fetched(relation: duckdb.DuckDBPyRelation, path: str, counts: frozenset[str] = frozenset()) -> Table:
    """The rows of a relation of the warehouse at this path; raises QueryError with the engine's words."""
    with translated_errors(path):
        return Table(relation.columns, relation.fetchall(), counts)


@contextmanager
def whole_file(output: Path) -> Iterator[IO[bytes]]:
    """A stream whose bytes become the file when all of them are written; until then what was there stays.

    Pipes and devices are written to directly, and so is a file in a folder that takes no other.

    Raises:
        UsageError: the file cannot be written.
        WarehouseError: the disk is full.
    """
    try:
        target = Path(os.path.realpath(output))
        if target.exists():
            with target.open("ab"):  # a file that may not be written to is not replaced either
                pass
            if not stat.S_ISREG(target.stat().st_mode) or not os.access(target.parent, os.W_OK):
                with target.open("wb") as stream:
                    yield stream
                return
        beside = part_of(target)
        try:
            with beside.open("wb") as stream:
                yield stream
            if target.exists():
                shutil.copymode(target, beside)
            os.replace(beside, target)
        except BaseException:
            with suppress(OSError):
                beside.unlink()
            raise
    except OSError as error:
        raise failure(output, error) from error
