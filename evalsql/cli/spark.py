"""``evalsql spark eval``: runs evaluated on a Spark cluster."""

from __future__ import annotations

import os
import shutil
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from evalsql.cli.bars import progress_bar
from evalsql.cli.columns import Columns, QrelsColumns
from evalsql.cli.groups import grouped_options
from evalsql.cli.lazy import typer_group
from evalsql.cli.load.options import Form, KeepBest, LowerIsBetter, TieRuleOption
from evalsql.cli.notes import note
from evalsql.cli.options import DEFAULT_MEASURES, Measures, OwnMeasures
from evalsql.errors import UsageError
from evalsql.ingest import column_meanings as known_columns
from evalsql.phrases import counted

REFUSED = 2
_MOST_NOTES = 10
app = typer_group({"eval": "spark.evaluate"}, "Evaluate runs on a Spark cluster.\n\nExample: evalsql spark eval --help")


@grouped_options
def evaluate(
    *,
    qrels: Annotated[str, typer.Option("--qrels", metavar="FILE", help="Judgments: a file here, or any Spark reads.")],
    runs: Annotated[
        list[str],
        typer.Option(
            "--runs",
            metavar="PATH",
            help="Runs, or globs, as Spark reads them: a file is a run, a folder one run of several files; can be "
            "repeated.",
        ),
    ],
    out: Annotated[str, typer.Option("--out", metavar="DIR", help="Folder for the results, which all machines share.")],
    measure: Measures = None,
    own: OwnMeasures,
    master: Annotated[
        str | None, typer.Option(metavar="URL", help="The cluster, such as spark://host:7077, yarn or local[4].")
    ] = None,
    conf: Annotated[
        list[str] | None, typer.Option("--conf", metavar="KEY=VALUE", help="A setting of Spark; can be repeated.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="Name of the judgments; by default the file's stem.")] = None,
    run_column: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="--runs are Parquet tables of many runs, which this column names."),
    ] = None,
    form: Form = "grades",
    tie_rule: TieRuleOption = None,
    lower_is_better: LowerIsBetter = False,
    keep_best: KeepBest = False,
    columns: Columns = None,
    qrels_columns: QrelsColumns = None,
    strict: Annotated[bool, typer.Option("--strict", help="End with an error where one run is refused.")] = False,
    memory_limit: Annotated[str, typer.Option(metavar="SIZE", help="Memory that each task may take.")] = "2GB",
    threads: Annotated[int, typer.Option(min=1, help="Threads of each task; give spark.task.cpus as many.")] = 1,
) -> None:
    """Evaluate runs on a Spark cluster.

    Each run is evaluated whole by one task. Results are Parquet, which evalsql load scores reads. Runs whose scores are
    there already are left as they are.

    Ends with 2 if a run was refused; the others have their scores.

    Example: evalsql spark eval --qrels qrels.txt --runs 'runs/*' -m P --out out
    """
    from evalsql.engines import spark

    with _session(master, conf or ()) as session, progress_bar() as progress:
        outcome = spark.evaluate(
            session,
            qrels=qrels,
            runs=runs,
            measures=measure or DEFAULT_MEASURES,
            out=out,
            name=name,
            run_column=run_column,
            form=form,
            tie_rule=tie_rule,
            lower_is_better=lower_is_better,
            keep_best=keep_best,
            columns=known_columns.parse(columns),
            qrels_columns=known_columns.parse(qrels_columns),
            own=own.paths,
            strict=strict,
            memory_limit=memory_limit,
            threads=threads,
            progress=progress,
        )
    kept = f", {counted(outcome.kept, 'run')} had their scores already" if outcome.kept else ""
    note(f"{out}: evaluated {counted(len(outcome.evaluated), 'run')}{kept}")
    _note_some(outcome.notes)
    if outcome.problems:
        note(f"{counted(len(outcome.problems), 'run')} refused:")
        _note_some([line for text in outcome.problems.values() for line in text.splitlines()])
        raise typer.Exit(REFUSED)


def _note_some(lines: Sequence[str]) -> None:
    for line in lines[:_MOST_NOTES]:
        note(line)
    if len(lines) > _MOST_NOTES:
        note(f"... and {len(lines) - _MOST_NOTES:,} more; the table runs in the folder has all")


@contextmanager
def _session(master: str | None, settings: Sequence[str]) -> Iterator[Any]:
    """A Spark session that ends with the command.

    Raises:
        UsageError: there is no Spark, or no Java, or the cluster cannot be reached.
    """
    from evalsql.engines.spark import NO_SPARK

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
        raise UsageError(f"Spark does not start: {str(error).strip().splitlines()[0]}") from error
    try:
        yield session
    finally:
        session.stop()
