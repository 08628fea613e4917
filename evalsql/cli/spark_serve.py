"""``evalsql spark eval`` and ``serve``: runs evaluated on a cluster, a warehouse for several clients."""

import os
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import typer

from evalsql.catalog.measure_names import DEFAULT_MEASURES
from evalsql.cli import options
from evalsql.cli.declare import Names, command, flag, option
from evalsql.cli.kept_process import keep
from evalsql.cli.output import note, progress_bar
from evalsql.database import quack
from evalsql.errors import UsageError
from evalsql.ingest.load_options import Form
from evalsql.phrases import counted
from evalsql.report.terminal import printable
from evalsql.server.serving import serve as serve_file
from evalsql.server.sessions import read_tokens

REFUSED = 2
_MOST_NOTES = 10


@dataclass(frozen=True)
class SparkJob:
    """What ``evalsql.spark.evaluate`` takes by these names."""

    qrels: str = option("--qrels FILE", "Judgments: a file here, or any Spark reads.", ...)
    runs: Names = option("--runs PATH", "A run (a file or a folder of files) or a glob of them; can be repeated.", ...)
    out: str = option("--out DIR", "Folder for the results, which all machines share.", ...)
    name: str | None = option("--name", "Name of the judgments; by default the file's stem.")
    run_column: str | None = option("--run-column COLUMN", "Names the runs where --runs are a table of many.")
    form: Form = options.FORM
    qrels_columns: options.Columns = options.QRELS_COLUMNS
    strict: bool = flag("--strict", "End with an error where one run is refused.")
    memory_limit: str = option("--memory-limit SIZE", "Memory that each task may take.", "2GB")
    threads: int = option("--threads", "Threads of each task; give spark.task.cpus as many.", 1, min=1)
    portion: int = option("--portion ROWS", "Rows evaluated together; a topic is never split.", 1_000_000, min=1)


@command
def eval_(
    *,
    job: SparkJob,
    measure: Names = options.MEASURES,
    own: options.OwnMeasures,
    master: str | None = option("--master URL", "The cluster, such as spark://host:7077, yarn or local[4]."),
    conf: Names = option("--conf KEY=VALUE", "A setting of Spark; can be repeated."),
    reading: options.RunReading,
) -> None:
    """Evaluate runs on a Spark cluster.

    Spark reads the rows and brings those of a topic together, so that a run may be larger than any machine. Results are
    Parquet, which evalsql load scores reads. Runs whose scores are there already are left as they are. Ends with 2 if a
    run was refused; the others have their scores.

    Example: evalsql spark eval --qrels qrels.txt --runs 'runs/*' -m P --out out
    """
    from evalsql import spark

    with _session(master, conf) as session, progress_bar() as progress:
        how = {**asdict(job), **asdict(reading), "own": own.paths, "measures": measure or DEFAULT_MEASURES}
        outcome = spark.evaluate(session, **how, progress=progress)
    kept = f", {counted(outcome.kept, 'run')} had their scores already" if outcome.kept else ""
    note(f"{job.out}: evaluated {counted(len(outcome.evaluated), 'run')}{kept}")
    _note_some(outcome.notes)
    if outcome.problems:
        note(f"{counted(len(outcome.problems), 'run')} refused:")
        _note_some([line for text in outcome.problems.values() for line in text.splitlines()])
        raise typer.Exit(REFUSED)


def _note_some(lines: Sequence[str]) -> None:
    note(*lines[:_MOST_NOTES])
    if len(lines) > _MOST_NOTES:
        note(f"... and {len(lines) - _MOST_NOTES:,} more; the table runs in the folder has all")


@contextmanager
def _session(master: str | None, settings: Sequence[str]) -> Iterator[Any]:
    """A Spark session that ends with the command; UsageError without Spark, Java or a cluster that answers."""
    from evalsql.spark import NO_SPARK, meaning

    # What it says of pandas is about parts that are not used here.
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise UsageError(NO_SPARK) from error
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        raise UsageError("Spark needs Java 17 or newer: none is on the PATH, and JAVA_HOME names none")
    if (master or "local").startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        os.environ["PYTHONSAFEPATH"] = "1"  # else it would take modules from the current folder first
    builder = SparkSession.builder.appName("evalsql").config("spark.log.level", "ERROR")
    for text in settings:
        key, sign, value = text.partition("=")
        if not sign:
            raise UsageError(f'--conf takes KEY=VALUE, found "{text}"')
        builder = builder.config(key, value)
    if master is not None:
        builder = builder.master(master)
    try:
        session = builder.getOrCreate()
    except Exception as error:  # of Py4J, of Spark and of Java
        reason = meaning(str(error)) or str(error).strip().splitlines()[0]
        raise UsageError(f"Spark does not start: {reason}") from error
    try:
        yield session
    finally:
        with suppress(Exception):  # its JVM may have ended, of which the error tells
            session.stop()


@command
def serve(
    *,
    listen: str = option("--listen HOST:PORT", "Where to listen; other machines reach no loopback.", "localhost:9494"),
    read_token_file: Path | None = option("--read-token-file FILE", "Token of clients that only read; made if new."),
    memory_limit: str | None = options.MEMORY_LIMIT,
    time_limit: float = option("--time-limit SECONDS", "How long a statement may run; 0 for no limit.", 3600.0, min=0),
    where: options.Where,
) -> None:
    """Serve a warehouse to many readers and writers at once.

    Clients take --db quack:HOST:PORT with the token that --token-file names here, FILE.token if none is named; another
    one reads only. Each request is a line on standard error. SIGTERM and Ctrl-C stop it.

    Example: evalsql serve --db team.duckdb
    """
    quack.require()
    address = quack.parse_address(listen)
    write_file = where.token_file or Path(f"{where.path}.token")
    tokens, made = read_tokens(write_file, read_token_file or Path(f"{where.path}.read-token"))
    for file in made:
        note(f"made {file}, which only you can read: for clients that {'write' if file == write_file else 'read'}")
    if not address.is_loopback:
        note(
            f"{address.url}: other machines reach it, and nothing is encrypted: tokens and rows travel as plain text. "
            "Listen on localhost, and let a reverse proxy with TLS pass requests on (evalsql help server)"
        )
    how: dict[str, Any] = {"memory_limit": memory_limit, "time_limit": time_limit, "wait": where.wait}
    keep(where.path, partial(_serve, {"path": where.path, "address": address, "tokens": tokens, **how}), _log)


def _serve(how: dict[str, Any], stop: Event, begun: Callable[[], None]) -> None:
    with progress_bar() as progress:
        serve_file(stop=stop, begun=begun, log=_log, progress=progress, **how)


def _log(line: str) -> None:
    with suppress(OSError):  # clients are served also where nobody reads the log any more
        print(f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ} {printable(line)}", file=sys.stderr, flush=True)
