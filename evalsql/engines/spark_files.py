"""Files as Spark sees them, by Hadoop's file systems: local, hdfs, s3a, abfs, gs and whatever else is set up."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from evalsql.errors import InputError, Problem, UsageError
from evalsql.ingest.files.paths import stem
from evalsql.ingest.files.source import GROWTH

MOST_BYTES = 2_000_000_000  # of one file: Spark hands over a file as one value, which holds 2 GiB
_TASK_BYTES = (8_000_000, 256_000_000)  # least and most of a task, where the runs allow
_TASKS_A_SLOT = 4  # of one batch, so that tasks of different length even out
_PACKED = (".gz", ".zst", ".zstd", ".bz2", ".xz", ".parquet")


class File(NamedTuple):
    """A file, as Spark names it; ``modified`` is in milliseconds since 1970."""

    path: str
    bytes: int
    modified: int


class Run(NamedTuple):
    """A run and its files; several are parts of it."""

    name: str
    files: Sequence[File]

    @property
    def weight(self) -> int:
        """About how many bytes of text it holds."""
        return sum(file.bytes * (GROWTH if file.path.lower().endswith(_PACKED) else 1) for file in self.files)


class Files:
    """The file systems of a session's cluster."""

    def __init__(self, session: Any) -> None:
        try:
            self._java, self._settings = session._jvm, session._jsc.hadoopConfiguration()
        except Exception as error:
            raise UsageError("Spark Connect hands over no file systems; evalsql needs a classic session") from error

    def _path(self, text: str) -> tuple[Any, Any]:
        path = self._java.org.apache.hadoop.fs.Path(text)
        return path.getFileSystem(self._settings), path

    def runs(self, patterns: Sequence[str]) -> list[Run]:
        """The runs that globs stand for: a file is one, named by its stem, and a folder is one of all files in it.

        Raises:
            InputError: nothing is there, or two have the same name.
        """
        problems: list[Problem] = []
        runs: dict[str, Run] = {}
        for pattern in patterns:
            found = [each for each in self._glob(pattern) if each.getPath().getName()[0] not in "._"]
            if not found:
                problems.append(Problem(pattern, 0, "no such file or folder"))
            for status in found:
                path = status.getPath()
                files = sorted(self._below(status)) if status.isDirectory() else [_file(status)]
                if not files:
                    problems.append(Problem(str(path.toString()), 0, "holds no file"))
                    continue
                run = Run(stem(str(path.getName())), files)
                if other := runs.get(run.name):
                    reason = (
                        f"run {run.name} comes from {other.files[0].path} as well; files of one run stand in a "
                        "folder of their own, which names it"
                    )
                    problems.append(Problem(files[0].path, 0, reason))
                runs.setdefault(run.name, run)
        if problems:
            raise InputError(problems)
        return [runs[name] for name in sorted(runs)]

    def _glob(self, pattern: str) -> Sequence[Any]:
        system, path = self._path(pattern)
        return list(system.globStatus(path) or ())

    def _below(self, folder: Any) -> Iterator[File]:
        """The files in a folder at any depth, but for hidden ones and those that a writer has not finished."""
        system = folder.getPath().getFileSystem(self._settings)
        for status in system.listStatus(folder.getPath()):
            if status.getPath().getName()[0] in "._":
                continue
            if status.isDirectory():
                yield from self._below(status)
            else:
                yield _file(status)

    def read(self, text: str) -> bytes:
        """The bytes of one file; raises InputError where it cannot be read."""
        from py4j.protocol import Py4JJavaError

        try:
            system, path = self._path(text)
            stream = system.open(path)
            try:
                return bytes(self._java.org.apache.hadoop.io.IOUtils.readFullyToByteArray(stream))
            finally:
                stream.close()
        except Py4JJavaError as error:
            raise InputError([Problem(text, 0, f"cannot be read: {error.java_exception.getMessage()}")]) from error

    def exists(self, text: str) -> bool:
        system, path = self._path(text)
        return bool(system.exists(path))

    def folders(self, text: str) -> list[str]:
        """Names of the folders in a folder; none where it is not there."""
        system, path = self._path(text)
        if not system.exists(path):
            return []
        return [str(each.getPath().getName()) for each in system.listStatus(path) if each.isDirectory()]

    def delete(self, text: str) -> None:
        system, path = self._path(text)
        system.delete(path, True)

    def touch(self, text: str) -> None:
        """An empty file."""
        system, path = self._path(text)
        system.create(path, True).close()

    def facts(self, paths: Sequence[str]) -> list[File]:
        """What the file systems say of files."""
        found = []
        for text in paths:
            system, path = self._path(text)
            found.append(_file(system.getFileStatus(path)))
        return found


def tasks(runs: Sequence[Run], slots: int) -> list[list[Run]]:
    """Runs in groups of similar bytes, the largest first."""
    total = sum(run.weight for run in runs)
    least, most = _TASK_BYTES
    size = min(max(total / (slots * _TASKS_A_SLOT), least), most)
    count = min(len(runs), max(1, math.ceil(total / size)))
    groups: list[tuple[int, int, list[Run]]] = [(0, nth, []) for nth in range(count)]
    for run in sorted(runs, key=lambda each: -each.weight):
        weight, nth, group = heapq.heappop(groups)
        heapq.heappush(groups, (weight + run.weight, nth, [*group, run]))
    return [group for _, _, group in sorted(groups, key=lambda each: -each[0]) if group]


def waves(groups: Sequence[list[Run]], slots: int) -> Iterator[Sequence[list[Run]]]:
    """Tasks in the portions that are written one after another, so that an interrupted job keeps what it has."""
    together = max(_TASKS_A_SLOT * slots, 1)
    for at in range(0, len(groups), together):
        yield groups[at : at + together]


def _file(status: Any) -> File:
    return File(str(status.getPath().toString()), int(status.getLen()), int(status.getModificationTime()))
