"""Remembers in the user's cache which warehouse files were inspected or written here.

A file is known as long as its place on the disk, its size and its times are those that it had when it was closed here.
A file that another program or machine wrote is inspected once.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from evalsql.warehouse.user_cache import cache_folder, keep_newest

_KEPT = 1000
_FORM = "with digest"  # notes in the form of earlier versions are not read


class Remembered(NamedTuple):
    """What is known of a file.

    Attributes:
        sql_digest: that of the package's SQL that its views and macros were made with; empty where it is not known.
        foreign: names of its relations that are not evalsql's.
    """

    sql_digest: str
    foreign: tuple[str, ...]


def recalled(path: str) -> Remembered | None:
    """What ``remember`` was told of the file, where it is as it was then; else None."""
    state = _state(path)
    if state is None:
        return None
    try:
        noted, sql_digest, *foreign = _note(path).read_text(encoding="utf-8").split("\0")
    except (OSError, ValueError):
        return None
    return Remembered(sql_digest, tuple(foreign)) if noted == state else None


def remember(path: str, foreign: Sequence[str], sql_digest: str) -> None:
    """Know the file from here on, until something else changes it; does nothing where there is no cache."""
    state = _state(path)
    if state is None:
        return
    note = _note(path)
    with contextlib.suppress(OSError, ValueError):
        note.parent.mkdir(parents=True, exist_ok=True)
        if not note.exists():
            keep_newest(note.parent, _KEPT - 1)
        made = note.with_suffix(f".{os.getpid()}")
        made.write_text("\0".join((state, sql_digest, *foreign)), encoding="utf-8")
        os.replace(made, note)


def _state(path: str) -> str | None:
    """A text that differs after any change to the file; None if there is no file, or a log of changes beside it."""
    try:
        if os.path.lexists(f"{path}.wal"):
            return None
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return f"{_FORM} {found.st_dev} {found.st_ino} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"


def _note(path: str) -> Path:
    name = hashlib.sha256(os.fsencode(os.path.realpath(path))).hexdigest()[:32]
    return cache_folder() / "remembered" / name
