"""Folders for work that is under way, named after their process, so that those of killed ones can be taken away."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
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
    """Take away folders of this user that no living process of this machine owns, and that are not young."""
    try:
        entries = [entry for entry in os.scandir(place) if entry.name.startswith("evalsql-")]
    except OSError:
        return
    for entry in entries:
        found = _NAME.fullmatch(entry.name)
        try:
            held = entry.stat(follow_symlinks=False)
            is_left = (
                found is not None
                and found["host"] == host()
                and entry.is_dir(follow_symlinks=False)
                and (not hasattr(os, "getuid") or held.st_uid == os.getuid())
                and time.time() - held.st_mtime > _YOUNG
                and not is_alive(int(found["pid"]))
            )
        except OSError:
            continue
        if is_left:
            shutil.rmtree(entry.path, ignore_errors=True)


def is_alive(pid: int) -> bool:
    """Whether a process of this machine is there."""
    if sys.platform == "win32":  # where os.kill ends the process
        import ctypes

        kernel = ctypes.windll.kernel32
        handle = kernel.OpenProcess(0x1000, False, pid)  # only to ask about it
        if not handle:
            return bool(kernel.GetLastError() == 5)  # it is there, of another user
        code = ctypes.c_ulong()
        kernel.GetExitCodeProcess(handle, ctypes.byref(code))
        kernel.CloseHandle(handle)
        return code.value == 259  # still active
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True
