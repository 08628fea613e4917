"""``evalsql demo``: the whole way once, on sample data that comes with the package."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from evalsql.catalog import PACKAGE
from evalsql.cli.bars import progress_bar
from evalsql.cli.groups import grouped_options
from evalsql.cli.notes import note, note_coverage
from evalsql.cli.opening import open_to_load
from evalsql.cli.options import DEFAULT_MEASURES, OutputOptions
from evalsql.cli.outputs import fetched, write_table
from evalsql.cli.where import Where

DEMO_PATH = "evalsql-demo.duckdb"
_MEASURES = (*DEFAULT_MEASURES, "TAP@5")


@dataclass(frozen=True)
class _Made(Where):
    db: Annotated[str, typer.Option("--db", metavar="FILE", help="Warehouse file to make.")] = DEMO_PATH


@grouped_options
def demo(*, where: _Made) -> None:
    """Build a warehouse from sample data and print its leaderboard.

    The sample is synthetic: 8 systems, 40 topics.

    Example: evalsql demo
    """
    sample = PACKAGE / "sample"
    with open_to_load(where, [str(sample / "qrels.txt"), str(sample / "runs" / "*.run")]) as warehouse:
        warehouse.load_qrels(sample / "qrels.txt", "sample", replace=True)
        with progress_bar() as progress:
            warehouse.load_runs(
                sorted((sample / "runs").glob("*.run")), qrels=["sample"], replace=True, progress=progress
            )
        board = fetched(warehouse.evaluate(_MEASURES, qrels=["sample"]), warehouse.path)
        write_table(board, OutputOptions(), keep=[warehouse.path])
        note_coverage(warehouse, ["sample"], ())
    note(
        f"\nThe warehouse is {where.db}; any DuckDB client opens it. To go on:\n"
        f"  evalsql topics rerank-large -m nDCG@10 --db {where.db}\n"
        f"  evalsql compare bm25 -m nDCG@10 --db {where.db}\n"
        f"  evalsql explain dense T01 -m AP --db {where.db}\n"
        f"  evalsql report -o report.html --db {where.db}\n"
        f"  evalsql sql \"from ndcg(k := 5) where run = 'dense' order by value limit 3\" --db {where.db}\n"
        "  evalsql measures"
    )
