"""Input files: globs, standard input, compression, names and checksums."""

from __future__ import annotations

import contextlib
import errno
import glob
import hashlib
import os
import shutil
import stat
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import IO, NamedTuple, cast

from evalsql.database.scratch import scratch_folder
from evalsql.errors import InputError, Problem, WarehouseError

COMPRESSIONS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bz2", b"\xfd7zXZ": "xz"}
ENDINGS = {".run", ".qrels", ".qrel", ".txt", ".tsv", ".trec", ".res", ".results", ".out", ".dat"} | {
    *(".csv", ".json", ".jsonl", ".ndjson", ".parquet", ".arrow", ".feather", ".ipc", ".list", ".lst"),
    *(".m8", ".b6", ".blast", ".blastp", ".blastn", ".outfmt6", ".outfmt7", ".tblout", ".domtblout", ".tbl", ".tab"),
}
DATASET = "irds:"
STANDARD_INPUT = "-"
GROWTH = 5  # bytes of text per compressed byte, to size batches
LONGEST_LINE = 1_000_000  # bytes; longer ones are refused, the engine drops them without a word at 32 MB
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_ODD_BYTES = (b"\0", b"\v", b"\f")


class Text(NamedTuple):
    """Plain text that the engine's reader takes as the exact one does, if it splits columns at the right blanks."""

    path: Path
    has_spaces: bool
    has_tabs: bool


class Source(NamedTuple):
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
            import gzip

            return cast(IO[bytes], gzip.open(self.path, "rb"))
        if self.compression == "zstd":
            return cast(IO[bytes], _zstd().open(self.path, "rb"))
        if self.compression == "bz2":
            import bz2

            return cast(IO[bytes], bz2.open(self.path, "rb"))
        if self.compression == "xz":
            import lzma

            return cast(IO[bytes], lzma.open(self.path, "rb"))
        return self.path.open("rb")

    def sha256(self) -> str:
        with self.path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()

    def inspect(self, folder: Path, name: str) -> tuple[str, Text | None]:
        """SHA-256 of the file, and the file as plain text, decompressed into ``folder`` if need be.

        The text is None where only the exact reader will do: where the file cannot be decompressed whole, has lines
        that are very long, ends lines by a lone carriage return, or holds bytes that C takes for white space and the
        engine does not.
        """
        digest = hashlib.sha256()
        try:
            if self.compression == "none":
                with self.path.open("rb", buffering=0) as stream:
                    text = _plain_text(self.path, stream, digest.update)
                return digest.hexdigest() if text else self.sha256(), text
            with self.open() as stream, (folder / name).open("wb") as copy:
                return self.sha256(), _plain_text(folder / name, stream, copy.write)
        except unreadable():
            return self.sha256(), None


def _plain_text(path: Path, stream: IO[bytes], take: Callable[[memoryview], object]) -> Text | None:
    """The text at ``path``, which the stream holds too, or None if it is not plain.

    The bytes go through one buffer, and to ``take``; what is behind the last end of a line waits there for more.
    """
    buffer = bytearray(LONGEST_LINE)
    view = memoryview(buffer)
    has_spaces = has_tabs = False
    waiting = start = 0
    is_first = True
    while True:
        count = stream.readinto(view[waiting:])  # type: ignore[attr-defined]
        take(view[waiting : waiting + count])
        filled = waiting + count
        end = buffer.rfind(b"\n", 0, filled) + 1 if count else filled
        if is_first and end:
            start = len(BYTE_ORDER_MARK) if buffer.startswith(BYTE_ORDER_MARK) else 0
            is_first = False
        is_too_long = not end and filled == len(buffer)
        if is_too_long or not _is_ordinary(buffer, start, end):
            return None
        has_spaces = has_spaces or buffer.find(b" ", 0, end) >= 0
        has_tabs = has_tabs or buffer.find(b"\t", 0, end) >= 0
        if not count:
            return Text(path, has_spaces, has_tabs)
        waiting = filled - end
        buffer[:waiting] = buffer[end:filled]
        start = 0


def unreadable() -> tuple[type[Exception], ...]:
    """The errors that stand for a file which cannot be read or decompressed."""
    from lzma import LZMAError

    return OSError, EOFError, ValueError, zlib.error, LZMAError, _zstd().ZstdError


def _zstd() -> ModuleType:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


def _is_ordinary(buffer: bytearray, start: int, end: int) -> bool:
    """Whether whole lines hold nothing that the two readers could take differently but for blanks and tabs."""
    if any(buffer.find(byte, start, end) >= 0 for byte in _ODD_BYTES):
        return False
    # To look for one byte first is faster by far.
    if buffer.find(BYTE_ORDER_MARK[:1], start, end) >= 0 and buffer.find(BYTE_ORDER_MARK, start, end) >= 0:
        return False
    ends_with_carriage_returns = buffer.find(b"\r", start, end) >= 0
    return not ends_with_carriage_returns or buffer.count(b"\r", start, end) == buffer.count(b"\r\n", start, end)


@dataclass
class InputFiles:
    """Files found, what is wrong with others, and what of folders and archives was left out."""

    sources: list[Source] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    skipped: list[Problem] = field(default_factory=list)


def stem(path: str) -> str:
    """The file's name without folder, compression suffix and one customary ending; a dataset's is its id."""
    if path.startswith(DATASET):
        return path.removeprefix(DATASET)
    name = Path(path).name
    for suffixes in ({".gz", ".zst", ".zstd", ".bz2", ".xz"}, ENDINGS):
        base, suffix = os.path.splitext(name)
        if base and suffix.lower() in suffixes:
            name = base
    return name


@contextlib.contextmanager
def failures_named() -> Iterator[None]:
    """What goes wrong with files while they are read, as when one is deleted meanwhile."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise WarehouseError(
                f"no space is left for temporary files; TMPDIR names another folder ({error})"
            ) from error
        reason = (error.strerror or str(error)).lower()
        raise InputError([Problem(str(error.filename or tempfile.tempdir or "input"), 0, reason)]) from error


@contextlib.contextmanager
def open_sources(patterns: Iterable[str | Path], kind: str | None = None) -> Iterator[InputFiles]:
    """The files that paths, globs, datasets and ``-`` (standard input) stand for.

    What can be read only once is kept in a temporary file meanwhile. Problems are patterns without a file,
    unreadable files, and a file named twice.

    Args:
        kind: run, or the form of judgments, where folders and archives stand for their files of that kind.
    """
    opened = InputFiles()
    with failures_named(), scratch_folder() as folder:
        for label in [label for pattern in patterns for label in found(str(pattern))]:
            try:
                opened.sources += _sources(label, Path(folder), kind, opened)
            except InputError as error:
                opened.problems += error.problems
            except UnicodeEncodeError:
                printable = label.encode("utf-8", "backslashreplace").decode("utf-8")
                opened.problems.append(Problem(printable, 0, "file name is not UTF-8 text"))
            except (OSError, ValueError) as error:
                reason = getattr(error, "strerror", None) or str(error)
                opened.problems.append(Problem(label, 0, reason.lower()))
        labels = [source.label for source in opened.sources]
        repeated = sorted({label for label in labels if labels.count(label) > 1})
        opened.problems += [Problem(label, 0, "named twice") for label in repeated]
        opened.sources = list({source.label: source for source in opened.sources}.values())
        yield opened


def is_dataset(source: object) -> bool:
    """Whether it names a dataset, and no file that is called like one."""
    return isinstance(source, str) and source.startswith(DATASET) and not os.path.exists(source)


def found(pattern: str) -> list[str]:
    """The files that a path or glob stands for; itself where there are none."""
    try:
        exists = pattern == STANDARD_INPUT or os.path.lexists(pattern)
    except ValueError:
        exists = False
    return [pattern] if exists else sorted(glob.glob(pattern, recursive=True)) or [pattern]


def _sources(label: str, folder: Path, kind: str | None, opened: InputFiles) -> list[Source]:
    """The file of a label, or the files of a folder or an archive that are of the kind; errors as ``_source``."""
    spool = folder / f"{len(opened.sources)}-{len(os.listdir(folder))}"
    if kind and is_dataset(label):
        from evalsql.ingest.files.datasets import write_dataset

        write_dataset(label, kind, spool)
        return [Source(label, spool, "none")]
    if kind and os.path.isdir(label):
        inside = [(os.path.join(label, name), Path(label, name)) for name in sorted(os.listdir(label))]
        return _fitting(label, inside, kind, opened)
    source = _source(label, spool)
    if kind:
        from evalsql.ingest.files.folders import is_tar, unpacked

        if is_tar(source):
            return _fitting(label, unpacked(source, folder), kind, opened)
    return [source]


def _fitting(label: str, inside: Iterable[tuple[str, Path]], kind: str, opened: InputFiles) -> list[Source]:
    """Those of several files that are of the kind; others are skipped, with the reason."""
    from evalsql.ingest.files.folders import unfit, unfit_name

    fitting: list[Source] = []
    before = len(opened.skipped)
    for name, path in inside:
        reason = "a folder" if path.is_dir() else unfit_name(Path(name).name)
        if not reason and not path.is_file():
            reason = "no regular file"
        if not reason:
            source = source_of(name, path)
            reason = unfit(source, kind)
        if reason:
            opened.skipped.append(Problem(name, 0, reason))
        else:
            fitting.append(source)
    if not fitting:
        told = ", ".join(f"{each.file} ({each.reason})" for each in opened.skipped[before : before + 3])
        del opened.skipped[before:]
        what = "run" if kind == "run" else "judgments"
        raise InputError([Problem(label, 0, f"holds no {what}" + (f"; skipped: {told}" if told else ""))])
    return fitting


def source_of(label: str, path: Path) -> Source:
    """A file under the name that messages call it by."""
    with path.open("rb") as stream:
        start = stream.read(6)
    # Told by the first bytes, whatever the file is called.
    return Source(label, path, next((name for magic, name in COMPRESSIONS.items() if start.startswith(magic)), "none"))


def _source(label: str, spool: Path) -> Source:
    """Raises OSError for what cannot be read, UnicodeEncodeError for a name that is not UTF-8."""
    _ = label.encode("utf-8")
    path = Path(label)
    if label == STANDARD_INPUT:
        path = spool
        with path.open("wb") as target:
            shutil.copyfileobj(sys.stdin.buffer, target)
    elif not stat.S_ISREG(path.stat().st_mode) and not path.is_dir():
        with path.open("rb") as stream, spool.open("wb") as target:
            shutil.copyfileobj(stream, target)
        path = spool
    return source_of(label, path)
