"""What a Spark job reads and writes, by Spark's own readers and writers: files of runs, and its output folder.

In the output folder ``scores/batch=ID`` holds values, and ``runs/batch=ID`` the facts about the runs of that batch, one
file that is written after them. ``job`` says what is computed; its ``_SUCCESS`` is missing while a job is at work, and
after it was stopped.
"""

import glob
import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from evalsql.errors import InputError, Problem, UsageError, input_error
from evalsql.ingest.files.input_files import stem
from evalsql.ingest.files.source import GROWTH
from evalsql.ingest.scores import JOB, RUNS, SCORES
from evalsql.version import __version__
from evalsql.warehouse.portion_jobs import Job

# A file that is gone or broken ends the job, whatever a cluster's settings say.
STRICT = {"ignoreMissingFiles": "false", "ignoreCorruptFiles": "false"}
_PACKED = (".gz", ".zst", ".zstd", ".bz2", ".xz", ".parquet")


class File(NamedTuple):
    path: str  # as people read it
    bytes: int
    modified: int  # in milliseconds since 1970
    place: str = ""  # as Spark has it in the metadata of rows


class Run(NamedTuple):
    name: str
    files: Sequence[File]

    @property
    def weight(self) -> int:  # about how many bytes of text
        return sum(file.bytes * (GROWTH if file.path.lower().endswith(_PACKED) else 1) for file in self.files)


def exact(path: str) -> str:
    """The path as a pattern that stands for itself."""
    return re.sub(r"([*?\[\]{}\\])", r"\\\1", path)


def files_of(session: Any, pattern: str) -> list[File]:
    """The files that a path or glob stands for, at any depth, but for hidden ones and those not finished."""
    reader = session.read.format("binaryFile").option("recursiveFileLookup", "true")
    columns = ("path", "length", "unix_millis(modificationTime)", "_metadata.file_path")
    return sorted(File(*row) for row in _rows(lambda: reader.load(pattern).selectExpr(*columns)))


def runs_of(session: Any, patterns: Sequence[str]) -> list[Run]:
    """The runs that globs stand for: a file is one, named by its stem, and a folder is one of all files in it."""
    problems, held = list[Problem](), dict[str, tuple[str, list[File]]]()
    for given in patterns:
        # Spark may look for paths without a scheme elsewhere than here.
        is_here = ":" not in given and (os.path.lexists(given) or glob.glob(given))
        pattern = os.path.abspath(given) if is_here else given
        files = files_of(session, pattern)
        if not files:
            problems.append(Problem(given, 0, "no such file, nor a folder that holds any"))
        globs = (
            re.sub(r"\{[^}]*\}", "*", re.sub(r"\\(.)", r"[\1]", re.sub(r"^\w+:|/$", "", pattern))).strip("/").split("/")
        )
        for file in files:
            place = _matched(file.path.split("/"), globs)
            name = stem(place)
            other, listed = held.setdefault(name, (place, []))
            if other != place:
                reason = "files of one run stand in a folder of their own, which names it"
                problems.append(Problem(file.path, 0, f"run {name} comes from {other} as well; {reason}"))
            elif file not in listed:
                listed.append(file)
    if problems:
        raise InputError(problems)
    return [Run(name, held[name][1]) for name in sorted(held)]


def _matched(parts: Sequence[str], globs: Sequence[str]) -> str:
    """The first folder or file on a path whose last names are those of a glob; the path where there is none."""
    ends = range(len(globs), len(parts) + 1)
    found = (end for end in ends if all(map(fnmatchcase, parts[end - len(globs) : end], globs)))
    return "/".join(parts[: next(found, len(parts))])


def read_file(session: Any, path: str) -> bytes:
    """The bytes of one file: of this machine, or else as Spark reads it."""
    if os.path.isfile(path):
        with open(path, "rb") as stream:
            return stream.read()
    reader = session.read.format("binaryFile")
    for (content,) in _rows(lambda: reader.load(exact(path)).select("content")):
        return bytes(content)
    raise input_error(path, "no such file, here or where Spark reads")


def _rows(make: Callable[[], Any]) -> list[Any]:
    """The rows of what is read; none where the path is missing."""
    try:
        return list(make().collect())
    except Exception as error:
        if "PATH_NOT_FOUND" in str(error):
            return []
        raise


_FILES = "array<struct<path: string, bytes: bigint, modified: bigint, sha256: string>>"
_COLUMNS = (
    f"qrels string, run string, files {_FILES}, num_rows bigint, missing_topics bigint, tag string, tie_rule string, "
    "lower_is_better boolean, duplicates bigint, qrels_file string, qrels_sha256 string, measures array<string>, "
    "evalsql_version string, sql_digest string, notes string, problem string, evaluated_at string"
)
_VALUES = "qrels string, run string, topic string, measure string, value double"
_MARKED = "mapreduce.fileoutputcommitter.marksuccessfuljobs"


class Output:
    """The folder with the results of jobs that ask for the same."""

    def __init__(self, session: Any, folder: str, job: Job) -> None:
        self.session, self.folder, self.job = session, folder.rstrip("/"), job

    def begin(self) -> None:
        """Mark the folder as unfinished, and empty what a stopped job has left."""
        self.mark(is_finished=False)
        for batch in self._batches(SCORES) - self._batches(RUNS):
            empty = self.session.createDataFrame([], _VALUES)
            empty.write.mode("overwrite").parquet(f"{self.folder}/{SCORES}/{batch}")

    def evaluated(self) -> dict[str, set[tuple[Any, ...]]]:
        """By run the files that its scores here were computed from; raises UsageError for scores of another job."""
        rows = [row for row in self._rows(RUNS, _COLUMNS) if row.problem is None]
        held = dict(self._rows(JOB, "name string, value string")) if rows else {}
        for what, value in self.job.identity.items() if rows else ():
            if held.get(what) != value:
                raise UsageError(
                    f"{self.folder}: holds scores of another job, such as of run {rows[0].run} by evalsql "
                    f"{rows[0].evalsql_version}; {what} there: {held.get(what, 'not known')}; here: {value}; "
                    "name another folder, or ask for the same"
                )
        return {row.run: {(file.path, file.bytes, file.modified) for file in row.files} for row in rows}

    def write(self, values: Any, facts: Sequence[Mapping[str, Any]], runs: Sequence[Run]) -> None:
        """Write a batch: its values, then the facts about its runs, which make it whole."""
        from pyspark.sql import functions

        identity = json.dumps([self.job.identity, sorted(fact["run"] for fact in facts)])
        batch = f"batch={hashlib.sha256(identity.encode()).hexdigest()[:16]}"
        versions = {"evalsql_version": functions.lit(__version__), "sql_digest": functions.lit(self.job.digest)}
        values.withColumns(versions).write.mode("overwrite").parquet(f"{self.folder}/{SCORES}/{batch}")
        self._write_facts(batch, facts, {run.name: [file._asdict() for file in run.files] for run in runs})

    def _write_facts(self, batch: str, facts: Sequence[Mapping[str, Any]], files: Mapping[str, Any]) -> None:
        same = {name: getattr(self.job, name) for name in ("qrels", "qrels_file", "qrels_sha256")}
        same |= {"measures": list(self.job.measures), "evalsql_version": __version__, "sql_digest": self.job.digest}
        same["evaluated_at"] = datetime.now(UTC).isoformat(timespec="seconds")
        rows = [{**fact, **same, "files": files[fact["run"]]} for fact in facts]
        table = self.session.createDataFrame(rows, _COLUMNS).coalesce(1)
        table.write.mode("overwrite").parquet(f"{self.folder}/{RUNS}/{batch}")

    def mark(self, *, is_finished: bool) -> None:
        rows = self.session.createDataFrame([*self.job.identity.items()], "name string, value string").coalesce(1)
        marked = str(is_finished).lower()
        rows.write.mode("overwrite").option(_MARKED, marked).parquet(f"{self.folder}/{JOB}")

    def _batches(self, part: str) -> set[str]:
        files = files_of(self.session, f"{exact(self.folder)}/{part}")
        return {found[1] for file in files if (found := re.search(rf"/{part}/(batch=\w+)/", file.path))}

    def _rows(self, part: str, columns: str) -> list[Any]:
        return _rows(lambda: self.session.read.schema(columns).parquet(f"{exact(self.folder)}/{part}"))
