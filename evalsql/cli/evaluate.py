"""``evalsql demo`` and ``eval``: sample data or files evaluated in one go."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from dataclasses import dataclass

from evalsql.catalog import PACKAGE
from evalsql.catalog.measure_names import DEFAULT_MEASURES, parse_measures
from evalsql.catalog.relations import read_catalog
from evalsql.cli.access import Loading
from evalsql.cli.leaderboard import Question, print_board, print_topics
from evalsql.cli.load_options import QRELS_COLUMNS, JudgmentReading, RunReading
from evalsql.cli.options import (
    MEASURES,
    MEMORY_LIMIT,
    Names,
    OutputOptions,
    OwnMeasures,
    argument,
    command,
    flag,
    option,
)
from evalsql.cli.output import fetched, note, note_coverage, progress_bar, write_table
from evalsql.database.database import MEMORY
from evalsql.errors import UsageError
from evalsql.ingest.column_meanings import parse as parse_columns
from evalsql.phrases import counted
from evalsql.warehouse.open import open_database
from evalsql.warehouse.own_measures import check_own
from evalsql.warehouse.warehouse import Warehouse

_DEMO_MEASURES = (*DEFAULT_MEASURES, "TAP@5")
_SMALL = 4_000_000  # bytes of judgments and runs


@dataclass(frozen=True)
class _Made(Loading):
    db: str = option("--db FILE", "Warehouse file to make.", "evalsql-demo.duckdb")


@command
def demo(*, loading: _Made) -> None:
    """Build a warehouse from sample data and print its leaderboard.

    The sample is synthetic: 8 systems, 40 topics.

    Example: evalsql demo
    """
    qrels, runs = PACKAGE / "sample" / "qrels.txt", PACKAGE / "sample" / "runs"
    with loading.open([str(qrels), str(runs / "*.run")]) as warehouse:
        warehouse.load_qrels(qrels, "sample", replace=True)
        with progress_bar() as progress:
            warehouse.load_runs(sorted(runs.glob("*.run")), qrels=["sample"], replace=True, progress=progress)
        board = fetched(warehouse.evaluate(_DEMO_MEASURES, qrels=["sample"]), warehouse.path)
        write_table(board, OutputOptions(), warehouse)
        note_coverage(warehouse, ["sample"], ())
    note(
        f"\nThe warehouse is {loading.db}; any DuckDB client opens it. To go on:\n"
        f"  evalsql topics rerank-large -m nDCG@10 --db {loading.db}\n"
        f"  evalsql compare bm25 -m nDCG@10 --db {loading.db}\n"
        f"  evalsql explain dense T01 -m AP --db {loading.db}\n"
        f"  evalsql report -o report.html --db {loading.db}\n"
        f"  evalsql sql \"from ndcg(k := 5) where run = 'dense' order by value limit 3\" --db {loading.db}\n"
        "  evalsql measures"
    )


@command
def evaluate(
    *,
    qrels: str = argument("TREC qrels, CSV, TSV, Parquet, JSON, LETOR, a BEIR folder or irds:DATASET.", ...),
    runs: list[str] = argument(
        "TREC runs, CSV, TSV, Parquet, JSON, BLAST, folders, tar archives or globs; - is standard input.", ...
    ),
    measure: Names = MEASURES,
    own: OwnMeasures,
    per_topic: bool = flag("--per-topic -q", "A row for each topic and measure."),
    reading: RunReading,
    judgments: JudgmentReading,
    qrels_columns: str | None = QRELS_COLUMNS,
    memory_limit: str | None = MEMORY_LIMIT,
    output: OutputOptions,
) -> None:
    """Evaluate runs in memory, in one go; no file is left behind.

    Example: evalsql eval qrels.txt runs/*.run -m nDCG@10,AP
    """
    if qrels == "-" and "-" in runs:
        raise UsageError("standard input holds the judgments or a run; name a file for one of them")
    _check_no_measure(runs)
    measures = measure or DEFAULT_MEASURES
    with progress_bar() as progress:
        database = open_database(MEMORY, measures=own.paths, memory_limit=memory_limit, progress=progress)
    with Warehouse(database, asked=measures) as warehouse:
        if _are_small([qrels, *runs]):
            warehouse.execute("set threads = 1")
        warehouse.load_qrels(
            qrels,
            "qrels" if qrels == "-" else None,
            form=judgments.form,
            keep_best=reading.keep_best,
            columns=parse_columns(qrels_columns),
            queries=judgments.queries,
            with_self=bool(judgments.with_self),
        )
        read = warehouse.loader.notices
        with progress_bar() as progress:
            is_family = judgments.form == "families" and judgments.with_self is None
            options = reading.options(with_self=False if is_family else judgments.with_self)
            warehouse.loader.load_run_files(runs, options, stdin_name="run", progress=progress)
        _note_reading(warehouse, read, warehouse.loader.notices, keep_best=reading.keep_best)
        check_own(warehouse.database)
        question = Question(warehouse, measures, (), (), output)
        if per_topic:
            print_topics(question)
        else:
            print_board(question)


def _check_no_measure(runs: Sequence[str]) -> None:
    """Refuse a measure in the place of a run, where there is no such file."""
    for name in runs:
        if name == "-" or os.path.exists(name) or glob.glob(name, recursive=True):
            continue
        try:
            parse_measures([name], read_catalog())
        except UsageError:
            continue
        raise UsageError(f"{name}: no such file or directory; a measure is named by -m, as in -m {name}")


def _are_small(paths: Sequence[str]) -> bool:
    """Whether one thread is done with these sooner than several, which wait for each other; not of a glob or a pipe."""
    return all(map(os.path.isfile, paths)) and sum(map(os.path.getsize, paths)) < _SMALL


def _note_reading(warehouse: Warehouse, judgments: Sequence[str], runs: Sequence[str], *, keep_best: bool) -> None:
    """Say how files were read, if not all as TREC files, and how many repeated documents were left out."""
    if any(not line.startswith("read as TREC") or "," in line for line in (*judgments[:1], *runs[:1])):
        note(f"judgments {'; '.join(judgments)}", f"runs {'; '.join(runs)}")
    if keep_best:
        repeated = warehouse.rows("select run, duplicates from runs union all select qrels, duplicates from qrels")
        note(*(f"{name}: {counted(count, 'repeated document')} left out" for name, count in repeated if count))
