"""Output files that are there whole or not at all."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from evalsql.database import trouble
from evalsql.errors import UsageError, WarehouseError


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
        beside = target.with_name(f".{target.name[:200]}.{os.getpid()}.part")
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
        if trouble.is_full(error):
            raise WarehouseError(
                f"{output}: cannot be written: the disk is full; nothing of it is left there"
            ) from error
        raise UsageError(f"{output}: cannot be written: {error.strerror}") from error
