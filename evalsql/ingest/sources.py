"""Input files: globs, standard input, compression, names and checksums."""

from __future__ import annotations

import contextlib
import glob
import gzip
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from evalsql.errors import InputError, Problem

COMPRESSIONS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
ENDINGS = {".run", ".qrels", ".qrel", ".txt", ".tsv", ".trec", ".res", ".results", ".out", ".dat"}
STANDARD_INPUT = "-"
GROWTH = 5  # bytes of text per compressed byte, to size batches


@dataclass(frozen=True)
class Source:
    """One input file. ``label`` is how messages call it; ``path`` is where its bytes are."""

    label: str
    path: Path
    compression: str

    @property
    def text_bytes(self) -> int:
        """About how many bytes of text it holds."""
        size = self.path.stat().st_size
        return size if self.compression == "none" else size * GROWTH

    def open(self) -> IO[bytes]:
        """The text as bytes, decompressed."""
        if self.compression == "gzip":
            return cast(IO[bytes], gzip.open(self.path, "rb"))
        if self.compression == "zstd":
            if sys.version_info >= (3, 14):
                from compression import zstd
            else:
                from backports import zstd
            return cast(IO[bytes], zstd.open(self.path, "rb"))
        return self.path.open("rb")

    def sha256(self) -> str:
        with self.path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()


def stem(path: str) -> str:
    """The file's name without folder, compression suffix and one customary ending."""
    name = Path(path).name
    for suffixes in ({".gz", ".zst", ".zstd"}, ENDINGS):
        base, suffix = os.path.splitext(name)
        if base and suffix.lower() in suffixes:
            name = base
    return name


@contextlib.contextmanager
def open_sources(patterns: Iterable[str | Path]) -> Iterator[list[Source]]:
    """The files that paths, globs and ``-`` (standard input, kept in a temporary file meanwhile) stand for.

    Raises:
        InputError: patterns without a file, unreadable files, a file named twice.
    """
    problems: list[Problem] = []
    with tempfile.TemporaryDirectory(prefix="evalsql-") as folder:
        sources: list[Source] = []
        for pattern in map(str, patterns):
            if pattern == STANDARD_INPUT:
                sources.append(_standard_input(Path(folder)))
                continue
            paths = [pattern] if Path(pattern).exists() else sorted(glob.glob(pattern, recursive=True))
            if not paths:
                problems.append(Problem(pattern, 0, "no such file"))
            for path in paths:
                try:
                    sources.append(Source(path, Path(path), _compression(Path(path))))
                except OSError as error:
                    problems.append(Problem(path, 0, str(error.strerror or error).lower()))
        labels = [source.label for source in sources]
        problems += [Problem(label, 0, "named twice") for label in sorted({x for x in labels if labels.count(x) > 1})]
        if problems:
            raise InputError(problems)
        yield sources


def _standard_input(folder: Path) -> Source:
    path = folder / "standard-input"
    with path.open("wb") as target:
        shutil.copyfileobj(sys.stdin.buffer, target)
    return Source(STANDARD_INPUT, path, _compression(path))


def _compression(path: Path) -> str:
    """Told by the first bytes, whatever the file is called."""
    with path.open("rb") as stream:
        start = stream.read(4)
    return next((name for magic, name in COMPRESSIONS.items() if start.startswith(magic)), "none")
