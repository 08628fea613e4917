"""Where the pages of a site are: a file's name for every run, topic, judgment set and measure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from urllib.parse import quote

_SAFE = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,58}[a-z0-9])?")
_TAKEN = re.compile(r"index|con|prn|aux|nul|(?:com|lpt)[0-9]")  # some of them are no files on Windows
_HASHED = re.compile(r".*-[0-9a-f]{8,}")


class Addresses:
    """Names of files for names of anything: safe on every system, never the same for two names.

    A name goes by itself where it can, else it is shortened and a digest of it put behind. So it keeps its address
    whatever else is loaded.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._files: dict[str, str] = {}
        taken: set[str] = set()
        for name in sorted(set(names)):
            file = next(each for each in _candidates(name) if each not in taken)
            taken.add(file)
            self._files[name] = file

    def __getitem__(self, name: str) -> str:
        return self._files[name]

    def __contains__(self, name: str) -> bool:
        return name in self._files


def _candidates(name: str) -> Iterable[str]:
    if _SAFE.fullmatch(name) and not _TAKEN.fullmatch(name.partition(".")[0]) and not _HASHED.fullmatch(name):
        yield name
    words = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40].strip("-") or "x"
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    for length in range(8, len(digest) + 1):
        yield f"{words}-{digest[:length]}"


def query_link(to_root: str, sql: str) -> str:
    """The address of the console with a query in it."""
    return f"{to_root}sql.html#q={quote(sql, safe='')}"
