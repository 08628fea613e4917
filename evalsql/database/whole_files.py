"""Files and folders that are there whole or not at all, and that take no other's place unless that is asked for."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evalsql.database import file_errors
from evalsql.errors import UsageError, WarehouseError


def part_of(target: Path) -> Path:
    """The place beside a target in which it is written until it is whole; one for each process."""
    target = Path(os.path.abspath(target))
    start = target.name.encode(errors="ignore")[:200].decode(errors="ignore")  # systems count bytes
    return target.with_name(f".{start}.{os.getpid()}.part")


@contextmanager
def whole_files(target: Path, *, replace: bool, one: bool) -> Iterator[Path]:
    """A folder to write into; what is in it when the context ends is put in its place.

    Args:
        target: the file to make, if there is ``one``; else the folder that the files go into.
        replace: whether files that are there may be written over.

    Raises:
        UsageError: a file is there already, or cannot be written.
        WarehouseError: the disk is full.
    """
    target = Path(os.path.abspath(target))
    part = part_of(target)
    try:
        if one:
            _refuse_taken(target, replace=replace)
        part.mkdir()
        yield part
        written = sorted(part.iterdir())
        places = [target] if one else [target / path.name for path in written]
        for place in places:
            _refuse_taken(place, replace=replace)
        if not one:
            target.mkdir(exist_ok=True)
        for path, place in zip(written, places, strict=True):
            path.replace(place)
    except OSError as error:
        raise failure(target, error) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


@contextmanager
def whole_folder(target: Path, *, is_ours: bool) -> Iterator[Path]:
    """A folder to write into, which becomes the target when the context ends.

    Args:
        is_ours: whether a folder that is there may go for it.
    """
    target = Path(os.path.abspath(target))
    part = part_of(target)
    before = part.with_suffix(".before")
    try:
        part.mkdir()
        yield part
        if target.exists() and is_ours:
            target.rename(before)
        try:
            part.rename(target)
        except OSError:
            if before.exists():
                before.rename(target)
            raise
    except OSError as error:
        raise failure(target, error) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
        shutil.rmtree(before, ignore_errors=True)


def _refuse_taken(place: Path, *, replace: bool) -> None:
    if place.is_dir():
        raise UsageError(f"{place}: is a folder")
    if os.path.lexists(place) and not replace:
        raise UsageError(f"{place}: is there already; --replace writes over it")


def failure(target: Path, error: OSError) -> UsageError | WarehouseError:
    """What is said where files cannot be written."""
    if file_errors.is_full(error):
        return WarehouseError(f"{target}: cannot be written: the disk is full; nothing of it is left there")
    return UsageError(f"{target}: cannot be written: {error.strerror or error}")
