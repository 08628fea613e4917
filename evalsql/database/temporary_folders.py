"""Folders for work that is under way, named after their process, so that those of killed ones can be taken away."""

from __future__ import annotations

import os
import platform
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from evalsql.database.interrupts import held_back

_NAME = re.compile(r"evalsql-(?P<host>.+)-(?P<pid>\d+)-[^-]*")
_YOUNG = 60.0  # seconds in which nothing is taken away, whoever owns it


def new_scratch_folder(parent: Path | None = None) -> tempfile.TemporaryDirectory[str]:
    """A temporary folder, by default where the system has them; what killed processes left there goes first."""
    place = Path(parent or tempfile.gettempdir())
    _sweep_once(place)
    return tempfile.TemporaryDirectory(prefix=f"evalsql-{host()}-{os.getpid()}-", dir=place)


@contextmanager
def scratch_folder(parent: Path | None = None) -> Iterator[str]:
    """A temporary folder that is gone at the end, at Ctrl-C too."""
    made: tempfile.TemporaryDirectory[str] | None = None
    try:
        with held_back():
            made = new_scratch_folder(parent)
        yield made.name
    finally:
        if made is not None:
            with held_back():
                made.cleanup()


def host() -> str:
    """The machine's name: a folder may be shared by several, and each knows its own processes only."""
    return re.sub(r"[^A-Za-z0-9.]+", "_", platform.node()) or "host"


@cache
def _sweep_once(place: Path) -> None:
    sweep(place)


def sweep(place: Path) -> None:
    """Remove folders of this user whose process on this machine has ended, and that are not young."""
    for path in place.glob("evalsql-*") if place.is_dir() else ():
        with suppress(OSError):
            found = _NAME.fullmatch(path.name)
            held = path.lstat()
            if (
                found is not None
                and found["host"] == host()
                and stat.S_ISDIR(held.st_mode)
                and (not hasattr(os, "getuid") or held.st_uid == os.getuid())
                and time.time() - held.st_mtime > _YOUNG
                and not is_alive(int(found["pid"]))
            ):
                shutil.rmtree(path, ignore_errors=True)


def is_alive(pid: int) -> bool:
    """Whether this machine has such a process; on Windows, where os.kill would end it, each is held to be alive."""
    if sys.platform == "win32":
        return True
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True
