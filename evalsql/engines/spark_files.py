"""What a Spark job reads and writes, by Hadoop's file systems (local, hdfs, s3a, gs ...): runs, and its output folder.

In the output folder ``scores/batch=ID`` holds values, and ``runs/batch=ID`` the facts about the runs of that portion,
which are written after them. Spark puts ``_SUCCESS`` into each when it is whole. The folder has a ``_SUCCESS`` of its
own unless a job is at work or was stopped.
"""

import hashlib
import heapq
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from typing import Any, NamedTuple

from evalsql.engines.spark_task import Job
from evalsql.errors import InputError, Problem, UsageError
from evalsql.ingest.files.input_files import stem
from evalsql.ingest.files.source import GROWTH
from evalsql.ingest.scores import FINISHED, RUNS, SCORES
from evalsql.version import __version__

MOST_BYTES = 2_000_000_000  # of one file: Spark hands over a file as one value, which holds 2 GiB
_TASK_BYTES = (8_000_000, 256_000_000)  # least and most of a task, where the runs allow
_TASKS_A_SLOT = 4  # of one batch, so that tasks of different length even out
_PACKED = (".gz", ".zst", ".zstd", ".bz2", ".xz", ".parquet")


class File(NamedTuple):
    path: str  # as Spark names it
    bytes: int
    modified: int  # in milliseconds since 1970


class Run(NamedTuple):
    name: str
    files: Sequence[File]

    @property
    def too_large(self) -> list[File]:
        return [file for file in self.files if file.bytes > MOST_BYTES]

    @property
    def weight(self) -> int:  # about how many bytes of text
        return sum(file.bytes * (GROWTH if file.path.lower().endswith(_PACKED) else 1) for file in self.files)


class Files:
    def __init__(self, session: Any) -> None:
        try:
            self._java, self._settings = session._jvm, session._jsc.hadoopConfiguration()
        except Exception as error:
            raise UsageError("Spark Connect hands over no file systems; evalsql needs a classic session") from error

    def _path(self, text: str) -> tuple[Any, Any]:
        path = self._java.org.apache.hadoop.fs.Path(text)
        return path.getFileSystem(self._settings), path

    def runs(self, patterns: Sequence[str]) -> list[Run]:
        """The runs that globs stand for: a file is one, named by its stem, and a folder is one of all files in it."""
        problems: list[Problem] = []
        runs: dict[str, Run] = {}
        for pattern in patterns:
            system, path = self._path(pattern)
            found = [each for each in system.globStatus(path) or () if each.getPath().getName()[0] not in "._"]
            if not found:
                problems.append(Problem(pattern, 0, "no such file or folder"))
            for status in found:
                files = sorted(self._below(status)) if status.isDirectory() else [_file(status)]
                if not files:
                    problems.append(Problem(str(status.getPath().toString()), 0, "holds no file"))
                    continue
                run = Run(stem(str(status.getPath().getName())), files)
                if (other := runs.setdefault(run.name, run)) is not run:
                    also = f"run {run.name} comes from {other.files[0].path} as well"
                    reason = f"{also}; files of one run stand in a folder of their own, which names it"
                    problems.append(Problem(files[0].path, 0, reason))
        if problems:
            raise InputError(problems)
        return [runs[name] for name in sorted(runs)]

    def _below(self, folder: Any) -> Iterator[File]:
        """The files in a folder at any depth, but for hidden ones and those that a writer has not finished."""
        system = folder.getPath().getFileSystem(self._settings)
        for status in system.listStatus(folder.getPath()):
            if status.getPath().getName()[0] not in "._":
                yield from self._below(status) if status.isDirectory() else (_file(status),)

    def read(self, text: str) -> bytes:
        """The bytes of one file; raises InputError where it cannot be read."""
        from py4j.protocol import Py4JJavaError

        try:
            system, path = self._path(text)
            with closing(system.open(path)) as stream:
                return bytes(self._java.org.apache.hadoop.io.IOUtils.readFullyToByteArray(stream))
        except Py4JJavaError as error:
            raise InputError([Problem(text, 0, f"cannot be read: {error.java_exception.getMessage()}")]) from error

    def exists(self, text: str) -> bool:
        system, path = self._path(text)
        return bool(system.exists(path))

    def folders(self, text: str) -> list[str]:
        system, path = self._path(text)
        found = system.listStatus(path) if system.exists(path) else ()
        return [str(each.getPath().getName()) for each in found if each.isDirectory()]

    def touch(self, text: str) -> None:
        system, path = self._path(text)
        system.create(path, True).close()

    def delete(self, text: str) -> None:
        system, path = self._path(text)
        system.delete(path, True)

    def facts(self, paths: Sequence[str]) -> list[File]:
        return [_file(system.getFileStatus(path)) for system, path in map(self._path, paths)]


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


_FILES = "array<struct<path: string, bytes: bigint, modified: bigint, sha256: string>>"
_COLUMNS = (
    f"qrels string, run string, files {_FILES}, num_rows bigint, missing_topics bigint, tag string, tie_rule string, "
    "lower_is_better boolean, duplicates bigint, qrels_file string, qrels_sha256 string, measures array<string>, "
    "settings string, evalsql_version string, sql_digest string, notes string, problem string, evaluated_at string"
)
_MARKED = {"mapreduce.fileoutputcommitter.marksuccessfuljobs": "true"}


class Output:
    def __init__(self, session: Any, files: Files, folder: str, job: Job) -> None:
        self.session = session
        self.files = files
        self.folder = folder.rstrip("/")
        self.job = job

    def begin(self) -> None:
        """Delete unfinished batches of a stopped job, and mark the folder as unfinished."""
        self.files.delete(f"{self.folder}/{FINISHED}")
        whole = self._whole_batches()
        for part in (SCORES, RUNS):
            for name in self.files.folders(f"{self.folder}/{part}"):
                if name not in whole:
                    self.files.delete(f"{self.folder}/{part}/{name}")

    def finish(self) -> None:
        self.files.touch(f"{self.folder}/{FINISHED}")

    def evaluated(self) -> dict[str, set[File]]:
        """By run the files that its scores here were computed from; raises UsageError for scores of another job."""
        whole = self._whole_batches()
        if not whole:
            return {}
        paths = [f"{self.folder}/{RUNS}/{name}" for name in sorted(whole)]
        rows = self.session.read.schema(_COLUMNS).parquet(*paths).where("problem is null").collect()
        if others := [row for row in rows if row.settings != self.job.settings]:
            raise UsageError(
                f"{self.folder}: holds scores of another job, such as of run {others[0].run} by evalsql "
                f"{others[0].evalsql_version}: judgments, measures, options or version differ; name another folder"
            )
        return {row.run: {File(file.path, file.bytes, file.modified) for file in row.files} for row in rows}

    def write(self, rows: Any, facts: Sequence[Mapping[str, Any]], runs: Mapping[str, Run], identity: str) -> None:
        """Write a portion: its values, then the facts about its runs, which make it whole."""
        from pyspark.sql import functions

        batch = f"batch={hashlib.sha256((identity + self.job.settings).encode()).hexdigest()[:16]}"
        if any(fact["problem"] is None for fact in facts):
            values = rows.where("kind = 'value'").select(
                *("qrels", "run", "topic", "measure", "value"),
                functions.lit(__version__).alias("evalsql_version"),
                functions.lit(self.job.digest).alias("sql_digest"),
            )
            values.write.mode("overwrite").options(**_MARKED).parquet(f"{self.folder}/{SCORES}/{batch}")
        listed = [self._row(fact, runs.get(fact["run"])) for fact in facts]
        table = self.session.createDataFrame(listed, _COLUMNS).coalesce(1)
        table.write.mode("overwrite").options(**_MARKED).parquet(f"{self.folder}/{RUNS}/{batch}")

    def _whole_batches(self) -> set[str]:
        names = self.files.folders(f"{self.folder}/{RUNS}")
        return {name for name in names if self.files.exists(f"{self.folder}/{RUNS}/{name}/{FINISHED}")}

    def _row(self, fact: Mapping[str, Any], run: Run | None) -> dict[str, Any]:
        modified = {file.path: file.modified for file in run.files} if run else {}
        return {
            **fact,
            **{name: getattr(self.job, name) for name in ("qrels", "qrels_file", "qrels_sha256", "settings")},
            "files": [{"modified": modified.get(each["path"]), **each} for each in fact["files"]],
            "measures": list(self.job.measures),
            "evalsql_version": __version__,
            "sql_digest": self.job.digest,
            "evaluated_at": datetime.now(UTC).isoformat(timespec="seconds"),
        }
