"""What a Spark job reads and writes, by Spark's own readers and writers: runs, and its output folder.

In the output folder ``scores/batch=ID`` holds values, and ``runs/batch=ID`` the facts about the runs of that batch, one
file that is written after them. ``job`` says what is computed; its ``_SUCCESS`` is missing while a job is at work, and
after it was stopped.
"""

import glob
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from functools import reduce
from typing import Any, NamedTuple

from evalsql.database.names import as_list
from evalsql.errors import InputError, Problem, UsageError, input_error
from evalsql.ingest.column_meanings import known
from evalsql.ingest.files.input_files import stem
from evalsql.ingest.files.source import GROWTH
from evalsql.ingest.parts import PLACES_A_FILE, READ, RunFile, read_columns, read_lines
from evalsql.ingest.scores import JOB, RUNS, SCORES
from evalsql.version import __version__
from evalsql.warehouse import portions
from evalsql.warehouse.portions import Job, judged_topics, warehouse_of

# A file that is gone or broken ends the job, whatever a cluster's settings say.
STRICT = {"ignoreMissingFiles": "false", "ignoreCorruptFiles": "false"}
_PACKED = (".gz", ".zst", ".zstd", ".bz2", ".xz", ".parquet")
_TABLES = {".csv": "csv", ".tsv": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json"}
_TASK_BYTES = 32_000_000  # of text, about a million rows
_SMALL_BYTES = _TASK_BYTES // 10  # of a run whose topics stay together


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


class Runs:
    """Runs in files that paths and globs stand for."""

    def __init__(self, session: Any, job: Job, patterns: Sequence[str]) -> None:
        self.session, self.job, self._patterns = session, job, patterns

    def runs(self) -> list[Run]:
        return runs_of(self.session, self._patterns)

    def rows(self, runs: Sequence[Run] | None = None) -> Any:
        """Values and facts of these runs, or of all."""
        runs = self.runs() if runs is None else runs
        files = [(run.name, file) for run in runs for file in run.files]
        self._files = [RunFile(name, nth, file.path, file.bytes) for nth, (name, file) in enumerate(files)]
        places = [(file.place, nth) for nth, (_, file) in enumerate(files)]
        self._places = self.session.createDataFrame(places, "evalsql_path string, evalsql_file int").hint("broadcast")
        tables = [exact(file.path) for file in self._files if _ending(file.path) == ".parquet"]
        texts = [exact(file.path) for file in self._files if _ending(file.path) != ".parquet"]
        parts = [read(paths) for read, paths in ((self._lines, texts), (self._columns, tables)) if paths]
        rows = reduce(lambda some, more: some.unionByName(more), parts)
        names = self.session.createDataFrame([(run.name,) for run in runs], "run string")
        large = [run.name for run in runs if run.weight > _SMALL_BYTES]
        return _evaluated(self.session, self.job, rows, names, sum(run.weight for run in runs), large)

    def _lines(self, paths: Sequence[str]) -> Any:
        lines = self.session.read.options(lineSep="\n", **STRICT).text(paths)
        block = ("_metadata.file_block_start as start", "_metadata.file_block_length = _metadata.file_size as whole")
        columns = ("cast(concat(value, '\n') as binary) as line", "_metadata.file_path as evalsql_path", *block)
        located = lines.selectExpr(*columns).join(self._places, "evalsql_path").drop("evalsql_path")
        return _read(self.job, located, read_lines, self._files)

    def _columns(self, paths: Sequence[str]) -> Any:
        table = self.session.read.options(mergeSchema="true", **STRICT).parquet(*paths)
        found = {"file_path": "evalsql_path", "row_index": "evalsql_row"}
        table = table.select("*", *(f"_metadata.{name}" for name in found)).withColumnsRenamed(found)
        place = f"evalsql_file * {PLACES_A_FILE} + evalsql_row as evalsql_place"
        chosen = _pruned(self.job, table.join(self._places, "evalsql_path"), "evalsql_file", place)
        return _read(self.job, chosen, read_columns, self._files)


class Table:
    """Runs in a DataFrame or in files of a table, each of whose rows names its run in a column."""

    def __init__(self, session: Any, job: Job, rows: Any, column: str) -> None:
        self.session, self.job, paths = session, job, [] if hasattr(rows, "columns") else as_list(rows)
        table = _table(session, paths) if paths else rows
        if column not in table.columns:
            raise UsageError(f"the table has no column {column}; it has {', '.join(table.columns)}")
        if job.run_options.tie_rule == "input":
            raise UsageError("rows of a table have no order: the tie rule input takes files")
        self._origin = ", ".join(paths) or "a Spark table"
        # A null would be a run of its own, under no name.
        self._rows = table.where(table[column].isNotNull()).withColumn("evalsql_run", table[column].cast("string"))
        self._rows = self._rows.drop(column)
        self._files = sorted(file for path in table.inputFiles() for file in files_of(session, exact(path)))

    def runs(self) -> list[Run]:
        fingerprint = hashlib.sha256(json.dumps(self._files).encode()).hexdigest()[:12]
        origin = File(f"{self._origin} #{fingerprint}", 0, 0)
        return [Run(str(name), [origin]) for (name,) in self._rows.select("evalsql_run").distinct().collect()]

    def rows(self, runs: Sequence[Run] | None = None) -> Any:
        """Values and facts of these runs, or of all."""
        names = None if runs is None else [run.name for run in runs]
        rows = self._rows if names is None else self._rows.where(self._rows["evalsql_run"].isin(names))
        chosen = _pruned(self.job, rows, "evalsql_run", "0L as evalsql_place")
        asked = rows.selectExpr("evalsql_run as run").distinct()
        num_bytes = GROWTH * sum(file.bytes for file in self._files)
        return _evaluated(self.session, self.job, _read(self.job, chosen, read_columns, []), asked, num_bytes, None)


def values_of(rows: Any, *, raises: bool = False) -> Any:
    """The values without the facts; with ``raises`` a run that is refused ends the job, with what is wrong in it."""
    # Spark moves no filter of a user before one that is not deterministic; it would leave out what is to be raised.
    problem = "get_json_object(facts, '$.problem')"
    refused = f"if({problem} is null, false, raise_error({problem}) is null)" if raises else "false"
    return rows.where(f"facts is null or spark_partition_id() < 0 or {refused}").select(
        "qrels", "run", "topic", "measure", "value"
    )


def _table(session: Any, paths: Sequence[str]) -> Any:
    """A table in files, which Spark reads by their ending: CSV with a header, JSON lines, or else Parquet."""
    endings = {_ending(path) for path in paths}
    kinds = {_TABLES.get(ending, "parquet") for ending in endings}
    if len(kinds) > 1:
        raise UsageError(f"a table is of files of one kind, found {', '.join(sorted(endings))}")
    # A line that does not fit ends the job, instead of being nulls.
    how = {"header": "true", "enforceSchema": "false", "sep": "\t" if ".tsv" in endings else ",", "mode": "FAILFAST"}
    return session.read.options(**STRICT, **how).format(kinds.pop()).load(list(paths))


def _ending(path: str) -> str:
    base, ending = os.path.splitext(path.lower().rstrip("/*"))
    return os.path.splitext(base)[1] if ending in (".gz", ".bz2", ".zst") else ending


def _pruned(job: Job, table: Any, *own: str) -> Any:
    """The columns that evalsql reads, binary ones as text, and its own."""
    given = [name for name in table.columns if not name.startswith("evalsql_")]
    wanted = set(known(given, "run", job.run_options.columns).values())
    quoted = {name: "`" + name.replace("`", "``") + "`" for name in given if name in wanted or not wanted}
    kinds = dict(table.dtypes)
    cast = [f"cast({text} as string) as {text}" if kinds[name] == "binary" else text for name, text in quoted.items()]
    return table.selectExpr(*own, *cast)


def _read(job: Job, table: Any, read: Callable[..., Iterator[Any]], files: Sequence[RunFile]) -> Any:
    return table.mapInArrow(lambda batches: read(warehouse_of(job).database, job.run_options, files, batches), READ)


def _evaluated(session: Any, job: Job, rows: Any, names: Any, num_bytes: int, large: Sequence[str] | None) -> Any:
    """What portions give: all rows of a run together, of one that is large (or nobody knows) those of each topic."""
    from pyspark.sql.functions import col, lit, when

    topics = session.createDataFrame([(topic,) for topic in judged_topics(job)], "topic string")
    others = ("cast(null as {1}) as {0}".format(*column.split()) for column in READ.split(", ")[2:])
    asked = names.crossJoin(topics).selectExpr("run", "topic", *others)
    is_large = lit(True) if large is None else col("run").isin(large)
    keys = ("run", when(lit(not job.whole_runs) & is_large, col("topic")))
    parts = [1 + num_bytes // _TASK_BYTES] if num_bytes else []  # Spark's own number where nobody knows the size
    together = rows.unionByName(asked).repartition(*parts, *keys)
    if job.crossing:
        found = _in_tasks(job, portions.portion_candidates, together, portions.HANDED).repartition("run")
        found = _in_tasks(job, portions.run_thresholds, found, portions.HANDED).withColumnRenamed("facts", "found")
        facts = "if(document is null, coalesce(facts, found), null) as facts"
        together = together.join(found.hint("broadcast"), "run", "left").selectExpr(*together.columns[:-1], facts)
    return _in_tasks(job, portions.portion_values, together, portions.VALUES)


def _in_tasks(job: Job, do: Callable[..., Iterator[Any]], rows: Any, columns: str) -> Any:
    order = [name for name in ("run", "topic", "place") if name in rows.columns]
    return rows.sortWithinPartitions(*order).mapInArrow(lambda batches: portions.in_portions(job, do, batches), columns)
