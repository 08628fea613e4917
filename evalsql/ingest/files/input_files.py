"""Finds what paths stand for: files, globs, standard input, folders, archives, datasets; and names each."""

import glob
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from evalsql.database.disk import is_full, scratch_folder
from evalsql.errors import InputError, Problem, ProblemList, UsageError, WarehouseError, input_error, warn
from evalsql.ingest.column_meanings import Given, check_given
from evalsql.ingest.files.formats import recognised
from evalsql.ingest.files.source import (
    DATASET,
    HEAD,
    IN_MEMORY,
    LONGEST_LINE,
    Source,
    copy_object,
    dataset_records,
    is_dataset,
    is_object,
    objects_named,
    open_file,
    unreadable,
    without_keys,
    write_dataset,
)
from evalsql.ingest.files.text_reading import holds_predictions, predictions, systems
from evalsql.ingest.files.trec_text import number_fault, one_path
from evalsql.phrases import PUT_TOGETHER, counted, shortened

ENDINGS = {".run", ".qrels", ".qrel", ".txt", ".tsv", ".trec", ".res", ".results", ".out", ".dat"} | {
    *(".csv", ".json", ".jsonl", ".ndjson", ".parquet", ".arrow", ".feather", ".ipc", ".list", ".lst"),
    *(".m8", ".b6", ".blast", ".blastp", ".blastn", ".outfmt6", ".outfmt7", ".tblout", ".domtblout", ".tbl", ".tab"),
}
STANDARD_INPUT = "-"
PREDICTIONS = "_predictions"  # what follows the name of the task where MTEB writes them
_SHOWN = 3
_LOOKED_AT = 100  # lines
_USTAR_AT = 257
_ZIP, _WORKBOOK = b"PK\x03\x04", b"xl/"  # how an archive begins, and what one that Excel made has in it
_MOST_GROWTH = 1_000  # of a zip archive; runs grow ten to fifty times, and members that share bytes any number
_ZIP_END = 22  # bytes of the record at the end, and its comment follows
_BLOCK = 1 << 16  # bytes
_NO_DATA = {
    *(".md", ".rst", ".py", ".sh", ".r", ".ipynb", ".log", ".yaml", ".yml", ".toml", ".cfg", ".ini"),
    *(".pdf", ".tex", ".html", ".png", ".svg", ".jpg", ".duckdb", ".db", ".sha256", ".md5"),
}
_NO_DATA_NAMES = {"readme", "license", "licence", "copying", "makefile", "changelog", "md5sums", "sha256sums"}


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


@contextmanager
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
        raise input_error(error.filename or tempfile.tempdir or "input", reason) from error


@contextmanager
def open_sources(
    files: str | Path | Iterable[str | Path], problems: ProblemList, kind: str | None = None, given: Given = None
) -> Iterator[list[Source]]:
    """The files that paths, globs, datasets and ``-`` (standard input) stand for; ``problems`` gets what is wrong.

    What can be read only once is kept in a temporary file meanwhile. With a ``kind``, run or the form of judgments,
    formats are recognised, and folders and archives stand for their files of that kind.
    """
    if kind:
        check_given(given, kind)
    patterns = [files] if isinstance(files, str | Path) or not isinstance(files, Iterable) else [*files]
    if not all(isinstance(pattern, str | Path) for pattern in patterns):
        raise UsageError(f"expected paths or globs of files, found {files!r}")
    found: dict[str, Source] = {}
    with failures_named(), scratch_folder() as folder:
        finder = _Finder(Path(folder), problems, kind, given)
        for label in [label for pattern in patterns for label in _all_named(str(pattern))]:
            try:
                for source in finder.sources(label):
                    if source.label in found:
                        problems.add(Problem(source.label, 0, "named twice"))
                    found[source.label] = source
            except InputError as error:
                problems.take(error)
            except UnicodeEncodeError:
                printable = label.encode("utf-8", "backslashreplace").decode("utf-8")
                problems.add(Problem(printable, 0, "file name is not UTF-8 text"))
            except (OSError, ValueError) as error:
                reason = getattr(error, "strerror", None) or str(error)
                problems.add(Problem(label, 0, reason.lower()))
        if finder.skipped:
            shown = [f"{each.file} ({each.reason.partition('; ')[0]})" for each in finder.skipped[:_SHOWN]]
            if len(finder.skipped) > _SHOWN:
                shown.append(f"and {len(finder.skipped) - _SHOWN:,} more")
            warn(f"{counted(len(finder.skipped), 'file')} skipped: {', '.join(shown)}")
        yield [source._replace(number=at) for at, source in enumerate(found.values())]


@contextmanager
def open_one_source(pattern: str | Path, what: str, kind: str | None = None, given: Given = None) -> Iterator[Source]:
    """The one file that a path stands for; ``what`` is loaded from it. Raises InputError for all that is wrong."""
    problems = ProblemList()
    with open_sources(pattern, problems, kind, given) as sources:
        problems.check()
        if len(sources) > 1:
            raise UsageError(f"{pattern} stands for {len(sources)} files; {what} are loaded from one; {PUT_TOGETHER}")
        yield sources[0]


@contextmanager
def open_rows(
    source: Any, what: str, part: str, names: Sequence[str], example: str
) -> Iterator[tuple[Source | None, Source | str, str, Any]]:
    """The source of ``what``: one file, named by its path or by a folder that it is in, or else rows.

    Yields the file (None for rows), the origin to keep, its label, and the rows: those in memory, or ``part`` of a
    dataset.
    """
    if is_dataset(source):
        yield None, source, source, dataset_records(source, part)
    elif not isinstance(source, str | Path):
        yield None, IN_MEMORY, IN_MEMORY, source
    else:
        path = file_named(Path(source), what, names, example) if Path(source).is_dir() else source
        with open_one_source(path, what) as opened:
            yield opened, opened, opened.label, ()


def paths_in(source: Any) -> list[str | Path] | None:
    """The paths and globs that somebody gave, one or several; None where it is data in memory."""
    listed = [source] if isinstance(source, str | Path) else source
    are_paths = isinstance(listed, list | tuple) and all(isinstance(each, str | Path) for each in listed)
    return list(listed) if are_paths else None


def files_named(pattern: str) -> list[str]:
    try:
        exists = pattern == STANDARD_INPUT or os.path.lexists(pattern)
    except ValueError:
        exists = False
    return [pattern] if exists else sorted(glob.glob(pattern, recursive=True)) or [pattern]


def _all_named(pattern: str) -> list[str]:
    is_elsewhere = is_object(pattern) and not os.path.exists(pattern)
    return objects_named(pattern) if is_elsewhere else files_named(pattern)


def files_reached(pattern: str) -> list[str]:
    """Absolute paths of the files that the engine reads of a path or glob: of a folder those in it and in its qrels."""
    found = list(map(os.path.abspath, files_named(pattern)))
    folders = [each for path in found for each in (path, os.path.join(path, "qrels")) if os.path.isdir(each)]
    found += [os.path.join(folder, name) for folder in folders for name in os.listdir(folder)]
    return found + [one_path(Path(file)) for file in found if glob.has_magic(file)]  # as DuckDB 1.5 looks for them


@dataclass
class _Finder:
    """Finds the files that labels stand for, and notes those of folders and archives that are left out."""

    folder: Path
    problems: ProblemList
    kind: str | None
    given: Given
    skipped: list[Problem] = field(default_factory=list)

    def sources(self, label: str) -> list[Source]:
        """The file of a label, or the files of a folder or an archive that are of the kind."""
        _ = label.encode("utf-8")
        if self.kind and os.path.isdir(label):
            inside = [(os.path.join(label, name), Path(label, name)) for name in sorted(os.listdir(label))]
            return self._fitting(label, self.kind, inside)
        source, head = open_file(without_keys(label), self._readable_again(label))
        if self.kind and is_archive(head):
            return self._fitting(label, self.kind, unpacked(source, self.folder))
        return self._recognised(source, head)

    def _readable_again(self, label: str) -> Path:
        """The path of a file, or of a copy of what can be read only once."""
        path, copy = Path(label), self.folder / f"copy-{len(os.listdir(self.folder))}"
        if self.kind and is_dataset(label):
            write_dataset(label, self.kind, copy)
            return copy
        if is_object(label) and not os.path.exists(label):
            copy_object(label, copy)
            return copy
        mode = 0 if label == STANDARD_INPUT else path.stat().st_mode
        if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
            return path
        opened = nullcontext(sys.stdin.buffer) if label == STANDARD_INPUT else path.open("rb")
        with opened as stream, copy.open("wb") as target:
            shutil.copyfileobj(stream, target)
        return copy

    def _recognised(self, source: Source, head: bytes, skipped: list[Problem] | None = None) -> list[Source]:
        """The file with its format, or the rankings in it; nothing if it is refused, or skipped where files are."""
        if not self.kind:
            return [source]
        try:
            _check_readable(source, head)
            found = [source]
            if holds_predictions(head):
                if self.kind != "run":
                    raise source.error("predictions of MTEB, which are runs; evalsql load runs takes them")
                found = predictions(source, stem(source.label).removesuffix(PREDICTIONS), self.folder)
            elif self.kind == "run":
                found = systems(source, head, self.folder)
            if not found:
                problem = source.problem(0, "predictions of MTEB without rankings, as of a task that is no retrieval")
                if skipped is None:
                    self.problems.add(problem)
                else:
                    skipped.append(problem)
            form = recognised(source, head, self.kind, self.given)
            return [each._replace(form=form) for each in found]
        except InputError as error:
            self.problems.take(error)
        except unreadable() as error:
            self.problems.add(Problem(source.label, 0, f"cannot be read: {error}"))
        return []

    def _fitting(self, label: str, kind: str, inside: Iterable[tuple[str, Path]]) -> list[Source]:
        """Those of several files that are of the kind; others are skipped, with the reason."""
        fitting, skipped = list[tuple[Source, bytes]](), list[Problem]()
        for name, path in inside:
            reason = f"a folder; {label}/* takes those in it" if path.is_dir() else unfit_name(Path(name).name)
            if not reason and not path.is_file():
                reason = "no regular file"
            if not reason:
                opened = open_file(name, path)
                reason = unfit(*opened, kind)
            if reason:
                skipped.append(Problem(name, 0, reason))
            else:
                fitting.append(opened)
        found = [each for opened in fitting for each in self._recognised(*opened, skipped)]
        if not fitting or not (found or self.problems):
            told = ", ".join(f"{each.file} ({each.reason})" for each in skipped[:_SHOWN])
            what = "run" if kind == "run" else "judgments"
            raise input_error(label, f"holds no {what}" + (f"; skipped: {told}" if told else ""))
        self.skipped += skipped
        return found


def _check_readable(source: Source, head: bytes) -> None:
    """Raise one of ``unreadable()`` for a file of which not even the first bytes can be decompressed."""
    if not head and source.compression:
        with source.open() as stream:
            stream.read(HEAD)


def unfit_name(name: str) -> str:
    """Why a file of this name is no data; empty if it may be."""
    if name.startswith((".", "__MACOSX")) or name.endswith("~"):
        return "a hidden file"
    suffix = os.path.splitext(name)[1].lower()
    if suffix in _NO_DATA or os.path.splitext(name)[0].lower() in _NO_DATA_NAMES:
        return "no data by its name"
    return ""


def unfit(source: Source, head: bytes, kind: str) -> str:
    """Why a file of a folder or an archive is not of the kind that is loaded; raises InputError if it is unreadable."""
    try:
        _check_readable(source, head)
        if recognised(source, head, kind, None):
            return ""
    except InputError as error:
        return error.problems[0].reason
    except unreadable() as error:
        raise input_error(source.label, f"cannot be read: {error}") from error
    widths, number_at = (range(5, LONGEST_LINE), 4) if kind == "run" else ((4, 5), 3)
    for line in head.decode("utf-8-sig", "replace").split("\n")[:_LOOKED_AT]:
        columns = line.split()
        is_row = len(columns) in widths and not columns[0].startswith("#")
        if is_row and not number_fault("", columns[number_at]):
            return ""
    return "no run" if kind == "run" else "no judgments"


def is_archive(head: bytes) -> bool:
    """Whether a file is a tar or zip archive; a workbook of Excel is none."""
    return head[_USTAR_AT:].startswith(b"ustar") or (head.startswith(_ZIP) and _WORKBOOK not in head)


def unpacked(source: Source, folder: Path) -> Iterator[tuple[str, Path]]:
    """Label and copy of each file in a tar or zip archive; links and sparse files have no copy."""
    import tarfile
    import zipfile

    # OSError may be the disk's as well. A locked or unknown member of a zip archive is a RuntimeError.
    unread = (each for each in unreadable(tarfile.TarError, zipfile.BadZipFile, RuntimeError) if each is not OSError)
    with source.open() as stream:
        what = "zip" if stream.read(2) == b"PK" else "tar"
    try:
        prefix = len(os.listdir(folder))  # looked up once, since an archive may have a hundred thousand files
        with source.open() as stream:
            members = _in_zip(stream) if what == "zip" else _in_tar(source, stream)
            for number, (name, content) in enumerate(members):
                path = folder / f"{prefix}-{number}"
                if content is not None:
                    with content, path.open("wb") as copy:
                        shutil.copyfileobj(content, copy)
                yield f"{source.label}/{name}" if source.label != STANDARD_INPUT else name, path
    except tuple(unread) as error:
        raise source.error(f"cannot be read as a {what} archive: {error}") from error


def _in_zip(stream: IO[bytes]) -> Iterator[tuple[str, IO[bytes] | None]]:
    import zipfile

    with zipfile.ZipFile(stream) as archive:
        stream.seek(-_ZIP_END - len(archive.comment), os.SEEK_END)
        first = min((member.header_offset for member in archive.infolist()), default=0)
        if first or stream.read(4) != b"PK\5\6":
            raise zipfile.BadZipFile("something stands before or behind it, as another archive; unzip it to a folder")
        if sum(member.file_size for member in archive.infolist()) > _MOST_GROWTH * stream.seek(0, os.SEEK_END):
            raise zipfile.BadZipFile(f"it grows {_MOST_GROWTH:,} times when it is unpacked, which could fill the disk")
        for member in archive.infolist():
            if not member.filename.endswith("/"):  # a name may be empty, which is_dir cannot take
                yield member.filename, None if stat.S_ISLNK(member.external_attr >> 16) else archive.open(member)


def _in_tar(source: Source, stream: IO[bytes]) -> Iterator[tuple[str, IO[bytes] | None]]:
    import tarfile

    with tarfile.open(fileobj=stream, mode="r|") as archive:
        for member in archive:
            if not member.isdir():
                # Of a sparse file the archive has little, and its holes would fill the disk.
                yield member.name, archive.extractfile(member) if member.isfile() and not member.issparse() else None
        rest: Any = archive.fileobj
        # No reader of one archive would tell of another one behind it; zeros are its end.
        if any(block.strip(b"\0") for block in iter(lambda: rest.read(_BLOCK), b"")):
            raise source.error(
                "more follows the end of the archive, as of one put behind another; tar -i unpacks it all"
            )


def judgments_of(folder: Path, kind: str) -> Path:
    """The file of judgments in a folder, or in the folder qrels in it as BEIR has them; test.tsv among several."""
    inner = folder / "qrels" if (folder / "qrels").is_dir() else folder
    files = sorted(each for each in inner.iterdir() if each.is_file() and not unfit_name(each.name))
    fit = [each for each in files if not unfit(*open_file(str(each), each), kind)]
    if not fit:
        raise UsageError(f"{folder}: the folder has no file of judgments among {counted(len(files), 'file')}")
    tests = [each for each in fit if each.name.partition(".")[0] == "test"]
    if len(fit) > 1 and len(tests) != 1:
        there = shortened([str(each) for each in fit])
        raise UsageError(f"{folder}: the folder has several files of judgments; name one of {there}")
    return tests[0] if len(fit) > 1 else fit[0]


def file_named(folder: Path, what: str, names: Sequence[str], example: str) -> Path:
    """The one file in a folder that holds topics or documents, as its name says: queries.jsonl as in BEIR, say."""
    files = sorted(each for each in folder.iterdir() if each.is_file() and not unfit_name(each.name))
    fit = [each for each in files if stem(str(each)).lower() in names]
    if len(fit) == 1:
        return fit[0]
    there = f"several files of {what}" if fit else f"no file of {what}, such as {example}"
    named = f"; name one of {shortened(list(map(str, fit or files)))}" if fit or files else ""
    raise UsageError(f"{folder}: the folder has {there}{named}")
