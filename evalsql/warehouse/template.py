"""Empty warehouses to copy, in the package and in the user's cache, since making views and macros takes seconds."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from evalsql.catalog import PACKAGE
from evalsql.database import engine
from evalsql.database.temporary_folders import host, is_alive, scratch_folder
from evalsql.warehouse.user_cache import cache_folder, keep_newest

SHIPPED = PACKAGE / "template.duckdb"  # made when the wheel is built; none in a checkout
_KEPT = 4
_PATIENCE = 300.0  # seconds; to make one takes a tenth of that


def cached(name: str, make: Callable[[Path], None], suffix: str = ".duckdb") -> Path | None:
    """The file of this name in the user's cache, made by ``make`` if it is not there; None if it cannot be kept.

    Args:
        name: differs for files of different contents.
    """
    folder = cache_folder()
    path = folder / f"{name}-duckdb-{engine.__version__}{suffix}"
    if path.exists():
        return path
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _only_one(path):
            if not path.exists():
                with scratch_folder(folder) as scratch:
                    made = Path(scratch) / path.name
                    make(made)
                    os.replace(made, path)
        keep_newest(folder, _KEPT, suffix)
    except OSError:
        return None
    return path


@contextlib.contextmanager
def _only_one(path: Path) -> Iterator[None]:
    """Wait while another living process makes this file, for five minutes at most."""
    lock = path.with_suffix(".lock")
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            descriptor = os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
            break
        except FileExistsError:
            if path.exists() or time.monotonic() > deadline:
                yield
                return
            if _is_stale(lock):
                with contextlib.suppress(OSError):
                    lock.unlink()
                continue
            time.sleep(0.1)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(f"{host()} {os.getpid()}")
        yield
    finally:
        with contextlib.suppress(OSError):
            lock.unlink()


def _is_stale(lock: Path) -> bool:
    """Whether the process that made the lock is gone; of one on another machine its age tells."""
    try:
        age = time.time() - lock.stat().st_mtime
        owner, _, pid = lock.read_text(encoding="utf-8").rpartition(" ")
    except (OSError, ValueError):
        return False
    if owner == host() and pid.isdecimal():
        return not is_alive(int(pid))
    return age > _PATIENCE
