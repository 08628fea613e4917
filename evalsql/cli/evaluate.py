"""``evalsql demo`` and ``eval``: sample data or files evaluated in one go."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from evalsql.catalog import PACKAGE
from evalsql.catalog.measure_names import parse_measures
from evalsql.catalog.relations import read_catalog
from evalsql.cli.access import Loading, MemoryLimit
from evalsql.cli.load_options import (
    Form,
    QrelsColumns,
    Queries,
    RunReading,
    WithSelf,
)
from evalsql.cli.options import DEFAULT_MEASURES, Arrangement, Measures, OwnMeasures, grouped_options
from evalsql.cli.output import (
    OutputOptions,
    fetched,
    note,
    note_coverage,
    note_formats,
    note_repeated,
    progress_bar,
    write_table,
)
from evalsql.errors import UsageError
from evalsql.ingest import column_meanings as known_columns
from evalsql.warehouse.entry import open_to_ask
from evalsql.warehouse.own_measures import check_own

if TYPE_CHECKING:
    pass


from evalsql.cli.leaderboard import Asked, print_board, print_topics

DEMO_PATH = "evalsql-demo.duckdb"
_DEMO_MEASURES = (*DEFAULT_MEASURES, "TAP@5")


@dataclass(frozen=True)
class _Made(Loading):
    db: Annotated[str, typer.Option("--db", metavar="FILE", help="Warehouse file to make.")] = DEMO_PATH


@grouped_options
def demo(*, loading: _Made) -> None:
    """Build a warehouse from sample data and print its leaderboard.

    The sample is synthetic: 8 systems, 40 topics.

    Example: evalsql demo
    """
    sample = PACKAGE / "sample"
    with loading.open([str(sample / "qrels.txt"), str(sample / "runs" / "*.run")]) as warehouse:
        warehouse.load_qrels(sample / "qrels.txt", "sample", replace=True)
        with progress_bar() as progress:
            warehouse.load_runs(
                sorted((sample / "runs").glob("*.run")), qrels=["sample"], replace=True, progress=progress
            )
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


_SMALL = 4_000_000  # bytes of judgments and runs


@grouped_options
def evaluate(
    *,
    qrels: Annotated[
        str, typer.Argument(help="TREC qrels, CSV, TSV, Parquet, JSON, LETOR, a BEIR folder or irds:DATASET.")
    ],
    runs: Annotated[
        list[str],
        typer.Argument(
            help="TREC runs, CSV, TSV, Parquet, JSON, BLAST, folders, tar archives or globs; - is standard input."
        ),
    ],
    measure: Measures = None,
    own: OwnMeasures,
    per_topic: Annotated[bool, typer.Option("--per-topic", "-q", help="A row for each topic and measure.")] = False,
    reading: RunReading,
    form: Form = "grades",
    qrels_columns: QrelsColumns = None,
    queries: Queries = None,
    with_self: WithSelf = None,
    memory_limit: MemoryLimit = None,
    output: OutputOptions,
) -> None:
    """Evaluate runs in memory, in one go; no file is left behind.

    Example: evalsql eval qrels.txt runs/*.run -m nDCG@10,AP
    """
    if qrels == "-" and "-" in runs:
        raise UsageError("standard input holds the judgments or a run; name a file for one of them")
    _check_no_measure(runs)
    measures, threads = measure or DEFAULT_MEASURES, 1 if _are_small([qrels, *runs]) else None
    with progress_bar() as progress:
        opened = open_to_ask(
            measures, measures=own.paths, memory_limit=memory_limit, threads=threads, progress=progress
        )
    with opened as warehouse:
        warehouse.load_qrels(
            qrels,
            "qrels" if qrels == "-" else None,
            form=form,
            keep_best=reading.keep_best,
            columns=known_columns.parse(qrels_columns),
            queries=queries,
            with_self=bool(with_self),
        )
        read = warehouse.loader.notices
        with progress_bar() as progress:
            options = reading.options(with_self=False if form == "families" and with_self is None else with_self)
            warehouse.loader.load_run_files(runs, options, stdin_name="run", progress=progress)
        note_formats(read, warehouse.loader.notices)
        if reading.keep_best:
            note_repeated(warehouse)
        check_own(warehouse.database)
        asked = Asked(warehouse, measures, (), (), output, Arrangement())
        if per_topic:
            print_topics(asked)
        else:
            print_board(asked)


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
