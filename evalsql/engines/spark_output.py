"""The folder that a Spark job writes: scores, and what is known of their runs, a portion at a time.

``scores/batch=ID`` holds values, ``runs/batch=ID`` what is known of the runs of that portion, which is written after
them. Spark puts ``_SUCCESS`` into each when it is whole. The folder has a ``_SUCCESS`` of its own unless a job is at
work or was stopped.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from evalsql.engines.spark_files import Files, Run
from evalsql.engines.spark_task import Job
from evalsql.errors import UsageError
from evalsql.ingest.scores import FINISHED, RUNS, SCORES
from evalsql.version import __version__

_FILES = "array<struct<path: string, bytes: bigint, modified: bigint, sha256: string>>"
_COLUMNS = (
    f"qrels string, run string, files {_FILES}, num_rows bigint, missing_topics bigint, tag string, tie_rule string, "
    "lower_is_better boolean, duplicates bigint, qrels_file string, qrels_sha256 string, measures array<string>, "
    "settings string, evalsql_version string, sql_digest string, notes string, problem string, evaluated_at string"
)
_MARKED = {"mapreduce.fileoutputcommitter.marksuccessfuljobs": "true"}


class Output:
    """The folder of one job's results."""

    def __init__(self, session: Any, files: Files, folder: str, job: Job) -> None:
        self._session = session
        self._files = files
        self._folder = folder.rstrip("/")
        self._job = job

    def begin(self) -> None:
        """Take away what a job that was stopped left unfinished, and say that the folder is not finished."""
        self._files.delete(f"{self._folder}/{FINISHED}")
        whole = self._whole_batches()
        for part in (SCORES, RUNS):
            for name in self._files.folders(f"{self._folder}/{part}"):
                if name not in whole:
                    self._files.delete(f"{self._folder}/{part}/{name}")

    def finish(self) -> None:
        """Say that all is there."""
        self._files.touch(f"{self._folder}/{FINISHED}")

    def evaluated(self) -> dict[str, set[tuple[str, int | None, int | None]]]:
        """By run the files that its scores here were computed from: path, bytes and time of change.

        Raises:
            UsageError: the scores here are of another job: other measures, judgments, options or another version.
        """
        whole = self._whole_batches()
        if not whole:
            return {}
        paths = [f"{self._folder}/{RUNS}/{name}" for name in sorted(whole)]
        rows = self._session.read.schema(_COLUMNS).parquet(*paths).where("problem is null").collect()
        if others := [row for row in rows if row.settings != self._job.settings]:
            raise UsageError(
                f"{self._folder}: holds scores of another job, such as of run {others[0].run} by evalsql "
                f"{others[0].evalsql_version}: judgments, measures, options or version differ; name another folder"
            )
        return {row.run: {(file.path, file.bytes, file.modified) for file in row.files} for row in rows}

    def write(self, rows: Any, facts: Sequence[Mapping[str, Any]], runs: Mapping[str, Run], identity: str) -> None:
        """Write a portion: its values, then what is known of its runs, which makes it whole."""
        from pyspark.sql import functions

        batch = f"batch={hashlib.sha256((identity + self._job.settings).encode()).hexdigest()[:16]}"
        if any(fact["problem"] is None for fact in facts):
            values = rows.where("kind = 'value'").select(
                *("qrels", "run", "topic", "measure", "value"),
                functions.lit(__version__).alias("evalsql_version"),
                functions.lit(self._job.digest).alias("sql_digest"),
            )
            values.write.mode("overwrite").options(**_MARKED).parquet(f"{self._folder}/{SCORES}/{batch}")
        listed = [self._row(fact, runs.get(fact["run"])) for fact in facts]
        table = self._session.createDataFrame(listed, _COLUMNS).coalesce(1)
        table.write.mode("overwrite").options(**_MARKED).parquet(f"{self._folder}/{RUNS}/{batch}")

    def _whole_batches(self) -> set[str]:
        names = self._files.folders(f"{self._folder}/{RUNS}")
        return {name for name in names if self._files.exists(f"{self._folder}/{RUNS}/{name}/{FINISHED}")}

    def _row(self, fact: Mapping[str, Any], run: Run | None) -> tuple[Any, ...]:
        modified = {file.path: file.modified for file in run.files} if run else {}
        files = [
            (each["path"], each["bytes"], modified.get(each["path"], each.get("modified")), each["sha256"])
            for each in fact["files"]
        ]
        job = self._job
        return (
            *(job.qrels, fact["run"], files, fact.get("num_rows"), fact.get("missing_topics"), fact.get("tag")),
            *(fact.get("tie_rule"), fact.get("lower_is_better"), fact.get("duplicates"), job.qrels_file),
            *(job.qrels_sha256, list(job.measures), job.settings, __version__, job.digest, fact["notes"]),
            *(fact["problem"], datetime.now(UTC).isoformat(timespec="seconds")),
        )
