"""Finds what paths stand for: files, globs, standard input, folders, archives, datasets; and names each."""

from __future__ import annotations

import contextlib
import glob
import os
import shutil
import stat
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalsql.database.file_errors import is_full
from evalsql.database.temporary_folders import scratch_folder
from evalsql.errors import InputError, Problem, UsageError, WarehouseError, warn
from evalsql.ingest.files.datasets import DATASET, is_dataset, write_dataset
from evalsql.ingest.files.formats import recognised
from evalsql.ingest.files.source import Source, source_of, unreadable
from evalsql.ingest.files.trec_text import number_fault
from evalsql.phrases import counted, shortened

if TYPE_CHECKING:
    from tarfile import TarFile


ENDINGS = {".run", ".qrels", ".qrel", ".txt", ".tsv", ".trec", ".res", ".results", ".out", ".dat"} | {
    *(".csv", ".json", ".jsonl", ".ndjson", ".parquet", ".arrow", ".feather", ".ipc", ".list", ".lst"),
    *(".m8", ".b6", ".blast", ".blastp", ".blastn", ".outfmt6", ".outfmt7", ".tblout", ".domtblout", ".tbl", ".tab"),
}
STANDARD_INPUT = "-"


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
    """Turn errors of the system while files are read into InputError, and a full disk into WarehouseError."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if is_full(error):
            raise WarehouseError(
                f"no space is left for temporary files; TMPDIR names another folder ({error})"
            ) from error
        reason = (error.strerror or str(error)).lower()
        raise InputError([Problem(str(error.filename or tempfile.tempdir or "input"), 0, reason)]) from error


def as_paths(files: str | Path | Iterable[str | Path]) -> list[str | Path]:
    """Paths or globs one by one; raises UsageError for what is neither."""
    is_one = isinstance(files, str | Path) or not isinstance(files, Iterable)
    listed: list[str | Path] = [files] if is_one else list(files)  # type: ignore[list-item, arg-type]
    if not all(isinstance(file, str | Path) for file in listed):
        raise UsageError(f"expected paths or globs of files, found {files!r}")
    return listed


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
        for label in [label for pattern in patterns for label in files_named(str(pattern))]:
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


def files_named(pattern: str) -> list[str]:
    """The files that a path or glob stands for; the pattern itself if there are none."""
    try:
        exists = pattern == STANDARD_INPUT or os.path.lexists(pattern)
    except ValueError:
        exists = False
    return [pattern] if exists else sorted(glob.glob(pattern, recursive=True)) or [pattern]


def files_reached(pattern: str) -> list[str]:
    """Absolute paths of the files that the engine reads of a path or glob: of a folder those in it and in its qrels."""
    found = list(map(os.path.abspath, files_named(pattern)))
    folders = [each for path in found for each in (path, os.path.join(path, "qrels")) if os.path.isdir(each)]
    return found + [os.path.join(folder, name) for folder in folders for name in os.listdir(folder)]


def _sources(label: str, folder: Path, kind: str | None, opened: InputFiles) -> list[Source]:
    """The file of a label, or the files of a folder or an archive that are of the kind; errors as ``_source``."""
    spool = folder / f"{len(opened.sources)}-{len(os.listdir(folder))}"
    if kind and is_dataset(label):
        write_dataset(label, kind, spool)
        return [Source(label, spool, "none")]
    if kind and os.path.isdir(label):
        inside = [(os.path.join(label, name), Path(label, name)) for name in sorted(os.listdir(label))]
        return _fitting(label, inside, kind, opened)
    source = _source(label, spool)
    if kind and is_tar(source):
        return _fitting(label, unpacked(source, folder), kind, opened)
    return [source]


def _fitting(label: str, inside: Iterable[tuple[str, Path]], kind: str, opened: InputFiles) -> list[Source]:
    """Those of several files that are of the kind; others are skipped, with the reason."""

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


_SHOWN = 3
_LOOKED_AT = 100  # lines
_USTAR_AT = 257
_BLOCK = 1 << 16  # bytes
_NO_DATA = {
    *(".md", ".rst", ".py", ".sh", ".r", ".ipynb", ".log", ".yaml", ".yml", ".toml", ".cfg", ".ini"),
    *(".pdf", ".tex", ".html", ".png", ".svg", ".jpg", ".duckdb", ".db", ".sha256", ".md5"),
}
_NO_DATA_NAMES = {"readme", "license", "licence", "copying", "makefile", "changelog", "md5sums", "sha256sums"}


def unfit_name(name: str) -> str:
    """Why a file of this name is no data; empty if it may be."""
    if name.startswith((".", "__MACOSX")) or name.endswith("~"):
        return "a hidden file"
    suffix = os.path.splitext(name)[1].lower()
    if suffix in _NO_DATA or os.path.splitext(name)[0].lower() in _NO_DATA_NAMES:
        return "no data by its name"
    return ""


def unfit(source: Source, kind: str) -> str:
    """Why a file of a folder or an archive is not of the kind that is loaded, a run or a form of judgments.

    Raises:
        InputError: it cannot be read, so that nobody knows.
    """
    try:
        if recognised(source, kind, None):
            return ""
    except InputError as error:
        return error.problems[0].reason
    needed, number_at = (5, 4) if kind == "run" else (4, 3)
    try:
        with source.open() as stream:
            for _ in range(_LOOKED_AT):
                columns = stream.readline(1_000_000).decode("utf-8-sig", "replace").split()
                if columns and not columns[0].startswith("#"):
                    fits = len(columns) >= needed if kind == "run" else len(columns) in (4, 5)
                    if fits and not number_fault("", columns[number_at]):
                        return ""
    except unreadable() as error:
        raise InputError([Problem(source.label, 0, f"cannot be read: {error}")]) from error
    return "no run" if kind == "run" else "no judgments"


def is_tar(source: Source) -> bool:
    """Whether a file is a tar archive, packed or not."""
    try:
        with source.open() as stream:
            return stream.read(_USTAR_AT + 5)[_USTAR_AT:] == b"ustar"
    except unreadable():
        return False  # the readers of files say why


def unpacked(source: Source, folder: Path) -> Iterator[tuple[str, Path]]:
    """Label and copy of each file in a tar archive; the copies have names of their own. Links have no copy.

    Raises:
        InputError: the archive is broken, or more follows it.
    """
    import tarfile

    try:
        with source.open() as stream, tarfile.open(fileobj=stream, mode="r|") as archive:
            for number, member in enumerate(archive):
                path = folder / f"{len(os.listdir(folder))}-{number}"
                content = archive.extractfile(member) if member.isfile() else None
                if content is not None:
                    with content, path.open("wb") as copy:
                        shutil.copyfileobj(content, copy)
                if not member.isdir():
                    yield f"{source.label}/{member.name}" if source.label != "-" else member.name, path
            _check_end(source, archive)
    except _broken() as error:
        raise InputError([Problem(source.label, 0, f"cannot be read as a tar archive: {error}")]) from error


def _check_end(source: Source, archive: TarFile) -> None:
    """Refuse an archive that more than zeros follow: no reader of one archive would tell of it."""
    stream: Any = archive.fileobj
    while rest := stream.read(_BLOCK):
        if rest.strip(b"\0"):
            reason = "more follows the end of the archive, as of one put behind another; tar -i unpacks it all"
            raise InputError([Problem(source.label, 0, reason)])


def _broken() -> tuple[type[Exception], ...]:
    """Errors of an archive that is damaged; OSError may be the disk's as well."""
    from tarfile import TarError

    return TarError, *(each for each in unreadable() if each is not OSError)


def warn_of_skipped(skipped: Sequence[Problem]) -> None:
    """Tell of the files that were left out, on a line: the first ones with the reason."""
    if not skipped:
        return
    shown = ", ".join(f"{problem.file} ({problem.reason.partition('; ')[0]})" for problem in skipped[:_SHOWN])
    more = f", and {len(skipped) - _SHOWN:,} more" if len(skipped) > _SHOWN else ""
    warn(f"{counted(len(skipped), 'file')} skipped: {shown}{more}")


def judgments_of(folder: Path, kind: str) -> Path:
    """The file of judgments in a folder, or in the folder qrels in it as BEIR has them; test.tsv among several.

    Raises:
        UsageError: there is none, or nothing says which of several.
    """
    inner = folder / "qrels" if (folder / "qrels").is_dir() else folder
    files = sorted(each for each in inner.iterdir() if each.is_file() and not unfit_name(each.name))
    fit = [each for each in files if not unfit(source_of(str(each), each), kind)]
    if not fit:
        raise UsageError(f"{folder}: the folder has no file of judgments among {counted(len(files), 'file')}")
    tests = [each for each in fit if each.name.partition(".")[0] == "test"]
    if len(fit) > 1 and len(tests) != 1:
        there = shortened([str(each) for each in fit])
        raise UsageError(f"{folder}: the folder has several files of judgments; name one of {there}")
    return tests[0] if len(fit) > 1 else fit[0]


def recognised_formats(names: Counter[str]) -> str:
    """Formats with how many files have each, in words."""
    if sum(names.values()) == 1:
        return next(iter(names))
    return ", ".join(f"{name} ({counted(count, 'file')})" for name, count in names.most_common())
