"""Folders and tar archives as inputs: which of their files are runs or judgments, and why others are not."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalsql.errors import InputError, Problem, UsageError, warn
from evalsql.ingest.files.recognition import recognised
from evalsql.ingest.files.source import Source, source_of, unreadable
from evalsql.ingest.files.trec_lines import number_fault
from evalsql.phrases import counted, shortened

if TYPE_CHECKING:
    from tarfile import TarFile

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
