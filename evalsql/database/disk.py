"""Files and folders on the disk: written whole or not at all, temporary ones, and messages where the disk fails."""

import atexit
import errno
import glob
import os
import platform
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import IO

from evalsql.database.engine import at_end, held_back
from evalsql.errors import UsageError, WarehouseError

# What is temporary is named after machine and process, so that what killed processes leave can be removed.
_SCRATCH = re.compile(r"(?:.*\.)?evalsql-(?P<host>[^-]+)-(?P<pid>\d+)-[^-]*")
_OWN = os.urandom(4).hex()  # in a container every process may have the same number
_YOUNG = 60.0  # seconds in which nothing is removed, whoever owns it
_holder: ContextVar[Path | None] = ContextVar("_holder", default=None)  # the folder in which the others are made

_LOCKED = re.compile(r"could not set lock|being used by another process|already open in", re.IGNORECASE)
_HOLDER = re.compile(r"(?:held in|open in)\s+(?P<program>\S.*?)\s*\(PID (?P<pid>\d+)\)", re.IGNORECASE | re.DOTALL)
# By what the engine says, what is said of the file.
_FILE_ERRORS = {
    re.compile(r"same database file with a different configuration", re.IGNORECASE): (
        "{path}: this process has it open already in another way, for writing, for reading only or by duckdb.connect; "
        "close that first, or open both in the same way"
    ),
    re.compile(r"no space left|disk quota|not enough space|file too large|max_temp_directory_size", re.IGNORECASE): (
        "{file}: the disk is full, so that the work on {path} was given up; what it had before is kept. Make room and "
        "try again"
    ),
    re.compile(r"computed checksum|corrupt|deserializ|invalidated", re.IGNORECASE): (
        "{path}: is damaged: what the disk holds is not what was written ({message}). Put a copy in its place, or load "
        "the data into a new file"
    ),
}
_EMPTY_BYTES = 12288  # a database of the engine without anything in it: three headers
_MAGIC = b"DUCK"  # behind a checksum of eight bytes
UNFINISHED = (
    "{path}: is an unfinished warehouse: the process that made it was stopped, or had no room, and it holds no data; "
    "{remedy} makes it anew"
)
_FILE = re.compile(r'file "([^"]+)"')


def part_of(target: Path) -> Path:
    """The place beside a target in which it is written until it is whole; one for each process."""
    target = Path(os.path.abspath(target))
    return target.with_name(f"{_start(target)}evalsql-{host()}-{os.getpid()}-{_OWN}.part")


def _start(target: Path) -> str:
    """How the names of places beside a target start."""
    return f".{target.name.encode(errors='ignore')[:120].decode(errors='ignore')}."  # systems count bytes


@contextmanager
def whole_file(output: Path) -> Iterator[IO[bytes]]:
    """A stream whose bytes become the file when all of them are written; until then the file stays as it was.

    Pipes and devices are written to directly, and so is a file in a folder that takes no other. Raises UsageError where
    the file cannot be written, WarehouseError where the disk is full.
    """
    target = Path(os.path.realpath(output))
    with _part(target, output) as part:
        place = part
        if target.exists():
            with target.open("ab"):  # a file that may not be written to is not replaced either
                place = part if target.is_file() and os.access(target.parent, os.W_OK) else target
        with place.open("wb") as stream:
            yield stream
        if place == part:
            _move(part, target)


@contextmanager
def whole_files(target: Path, *, replace: bool, one: bool, advice: str = "--replace writes over it") -> Iterator[Path]:
    """A folder to write into; the files in it move to their place when the context ends.

    The target is the file to make, if there is ``one``, else the folder that the files go into. UsageError with the
    advice is raised for a file that exists and is not to be replaced.
    """

    def check(place: Path) -> None:
        if place.is_dir():
            raise UsageError(f"{place}: is a folder")
        if os.path.lexists(place) and not replace:
            raise UsageError(f"{place}: exists already; {advice}")

    target = Path(os.path.abspath(target))
    with _part(target, target) as part:
        if one:
            check(target)
        part.mkdir()
        yield part
        moves = {path: target if one else target / path.name for path in sorted(part.iterdir())}
        for place in moves.values():
            check(place)
        if not one:
            target.mkdir(exist_ok=True)
        for path, place in moves.items():
            _move(path, place)


@contextmanager
def whole_folder(target: Path, *, is_ours: bool) -> Iterator[Path]:
    """A folder to write into, which becomes the target when the context ends; one that is ours is replaced."""
    target = Path(os.path.abspath(target))
    with _part(target, target) as part:
        before = part.with_suffix(".before")
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
        shutil.rmtree(before, ignore_errors=True)


@contextmanager
def _part(target: Path, named: Path) -> Iterator[Path]:
    """The place beside the target, which is empty again at the end; errors name the target as it was ``named``."""
    part = part_of(target)
    try:
        for kind in ("part", "before") if target.exists() else ("part",):  # what was before may be all that there is
            _sweep(part.parent, f"{glob.escape(_start(target))}evalsql-*.{kind}")
        yield part
    except OSError as error:
        if is_full(error):
            raise WarehouseError(f"{named}: cannot be written: the disk is full; nothing was changed") from error
        raise UsageError(f"{named}: cannot be written: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            _remove(part)


def _remove(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def _move(part: Path, target: Path) -> None:
    """Put a file in its place, with the permissions of the one that is there."""
    if target.exists():
        shutil.copymode(target, part)
    part.replace(target)


@contextmanager
def scratch_folder(parent: Path | None = None, *, holds_others: bool = False) -> Iterator[str]:
    """A temporary folder that is gone at the end, at Ctrl-C too; if it holds others, they are made in it meanwhile.

    It is by default where the system has them, from where those of killed processes are removed.
    """
    before = _holder.get()
    place = parent or before or Path(tempfile.gettempdir())
    with ExitStack() as stack:
        with held_back():
            _sweep(place)
            made = tempfile.TemporaryDirectory(prefix=f"evalsql-{host()}-{os.getpid()}-", dir=place)
            stack.callback(held_back()(made.cleanup))
        if holds_others:
            stack.callback(_holder.set, before)
            _holder.set(Path(made.name))
        yield made.name


def place_to_spill(file: str | None = None, *, beside: bool = False) -> str:
    """Where the engine may put what does not fit into memory: it makes this folder then, and removes it.

    It would take ``FILE.tmp`` or ``.tmp``, in which somebody else may have put links that lead elsewhere. A file has
    the same place each time, which the engine wants of all its connections, and no file is in memory.
    """
    if file is not None and beside:
        part = part_of(Path(file))
        _sweep(part.parent, f"{glob.escape(_start(Path(file)))}evalsql-*.spilled")
        return str(part.with_suffix(".spilled"))
    parent = (_holder.get() if file is None else None) or _own_folder()
    return str(parent / (os.urandom(8).hex() if file is None else f"{hash(file):x}"))


@cache
def _own_folder() -> Path:
    """A temporary folder that only this user reads, which is there as long as this process."""
    folder = at_end.enter_context(scratch_folder(Path(tempfile.gettempdir())))
    atexit.register(at_end.close)
    return Path(folder)


def host() -> str:
    """The machine's name: several may share a folder, and each knows its own processes only."""
    return re.sub(r"[^A-Za-z0-9.]+", "_", platform.node()) or "host"


@cache
def _sweep(place: Path, names: str = "evalsql-*") -> None:
    """Remove what is temporary, this user's, not young, and of a process on this machine that has ended."""
    for path in place.glob(names) if place.is_dir() else ():
        found = _SCRATCH.fullmatch(path.name)
        if found is None or found["host"] != host():
            continue
        with suppress(OSError):
            held = path.lstat()
            is_own = not hasattr(os, "getuid") or held.st_uid == os.getuid()
            if is_own and time.time() - held.st_mtime > _YOUNG and not _is_alive(int(found["pid"])):
                _remove(path)


def _is_alive(pid: int) -> bool:
    """Whether this machine has such a process; always on Windows, where os.kill would end it."""
    try:
        if sys.platform != "win32":
            os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # of another user
        pass
    return True


def is_lock(message: str) -> bool:
    return _LOCKED.search(message) is not None


def lock_holder(message: str) -> str:
    found = _HOLDER.search(message)
    return f"process {found['pid']} ({os.path.basename(found['program'])})" if found else "another process"


def file_error(path: str, message: str) -> str | None:
    """The message for a damaged file, a full disk or a file that is open already, if the engine reports one."""
    file = named[1] if (named := _FILE.search(message)) else path
    for pattern, words in _FILE_ERRORS.items():
        if pattern.search(message):
            return words.format(path=path, file=file, message=message.splitlines()[0])
    return None


def fault_at_start(path: str) -> str | None:
    """The message for a file that was not finished, or that the engine would read by an extension; None of others."""
    with suppress(OSError), Path(path).open("rb") as stream:
        start = stream.read(_EMPTY_BYTES)
        if start.startswith(b"SQLite format 3\0"):
            return f"{path}: is an SQLite database and no DuckDB file"
        if len(start) < _EMPTY_BYTES and (not start or start[8:12] == _MAGIC):
            return UNFINISHED.format(path=path, remedy="delete it, then evalsql load")
    return None


def is_full(error: OSError) -> bool:
    return error.errno in {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}
