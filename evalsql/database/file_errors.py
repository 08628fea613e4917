"""Messages for files that are locked or damaged and for full disks, told by the engine's errors."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path

_LOCKED = re.compile(r"could not set lock|being used by another process|already open in", re.IGNORECASE)
_HOLDER = re.compile(r"(?:held in|open in)\s+(?P<program>\S.*?)\s*\(PID (?P<pid>\d+)\)", re.IGNORECASE | re.DOTALL)
_DAMAGED = re.compile(r"computed checksum|corrupt|deserializ|invalidated", re.IGNORECASE)
_FULL = re.compile(r"no space left|disk quota|not enough space|file too large|max_temp_directory_size", re.IGNORECASE)
_OPEN_HERE = re.compile(r"same database file with a different configuration", re.IGNORECASE)
_FILE = re.compile(r'file "([^"]+)"')
_FULL_CODES = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG} if hasattr(errno, "EDQUOT") else {errno.ENOSPC, errno.EFBIG}
_EMPTY_BYTES = 12288  # a database of the engine without anything in it: three headers
_MAGIC = b"DUCK"  # behind a checksum of eight bytes


def is_lock(message: str) -> bool:
    """Whether the engine could not open a file because another process has it open."""
    return _LOCKED.search(message) is not None


def is_open_here(message: str) -> bool:
    """Whether the engine could not open a file because this process has it open in another way."""
    return _OPEN_HERE.search(message) is not None


def lock_holder(message: str) -> str:
    """The process that has the file open, as far as the engine's message tells."""
    found = _HOLDER.search(message)
    return f"process {found['pid']} ({os.path.basename(found['program'])})" if found else "another process"


def lock_error(path: str, message: str, *, read_only: bool, waited: float) -> str:
    """The message for a lock that was not given up in time; ``waited`` is in seconds."""
    holder = lock_holder(message)
    how = f"is locked: {holder} has it open" + (" for writing" if read_only else "")
    return (
        f"{path}: {how}, and was waited for {waited:g} seconds. Try again when it is done, wait longer "
        "(--wait SECONDS, wait= in Python), or use a copy that was made while nobody wrote"
    )


def file_error(path: str, message: str) -> str | None:
    """The message for a damaged file, a full disk or a file that is open already, if the engine tells of one."""
    if is_open_here(message):
        return (
            f"{path}: this process has it open already in another way, for writing, for reading only or by "
            "duckdb.connect; close that first, or open both in the same way"
        )
    if _FULL.search(message):
        named = _FILE.search(message)
        return (
            f"{named[1] if named else path}: the disk is full, so that the work on {path} was given up; what it had "
            "before is kept. Make room and try again"
        )
    if _DAMAGED.search(message):
        return (
            f"{path}: is damaged: what the disk holds is not what was written ({message.splitlines()[0]}). Put a copy "
            "in its place, or load the data into a new file"
        )
    return None


def is_full(error: OSError) -> bool:
    """Whether a file could not be written for want of room."""
    return error.errno in _FULL_CODES


def is_cut_short(path: str) -> bool:
    """Whether a file is the beginning of a database that was never made."""
    try:
        with Path(path).open("rb") as stream:
            start = stream.read(_EMPTY_BYTES)
    except OSError:
        return False
    return len(start) < _EMPTY_BYTES and (not start or start[8:12] == _MAGIC)
