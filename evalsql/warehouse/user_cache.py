"""The folder of the user's cache, which processes share: any of them may take files away at any time."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import platformdirs


def cache_folder() -> Path:
    """The folder, which may not be there yet."""
    return Path(platformdirs.user_cache_path("evalsql", appauthor=False))


def keep_newest(folder: Path, most: int, suffix: str = "") -> None:
    """Remove all but so many of a folder's files with this suffix, the oldest ones."""
    found: list[tuple[float, str]] = []
    for entry in os.scandir(folder):
        with contextlib.suppress(OSError):  # another process may take its own file away meanwhile
            if entry.name.endswith(suffix):
                found.append((entry.stat().st_mtime, entry.path))
    for _, path in sorted(found, reverse=True)[most:]:
        with contextlib.suppress(OSError):
            os.unlink(path)
