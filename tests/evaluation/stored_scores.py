"""Files of scores as another warehouse exports them."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import duckdb

from evalsql.catalog.relations import read_catalog
from tests.conftest import load_sample, new_file, new_warehouse

MEASURES = ("nDCG@10", "AP", "P@10", "R@100", "RR", "Judged@10", "TAP@5", "NumRel", "AP(rel=2)@20")
STORED, KEPT = ("dense", "hybrid", "tfidf"), ("bm25", "random")
DIGEST = read_catalog().digest


@cache
def computed_scores() -> Path:
    """A Parquet file of the sample's scores by these measures and one more."""
    path = new_file().with_suffix(".parquet")
    with new_warehouse() as warehouse:
        load_sample(warehouse, *STORED)
        query = warehouse.evaluation.scores_query([*MEASURES, "Bpref"], per_topic=True)
        warehouse.execute(f"copy (from ({query})) to '{path}' (format parquet)")
    return path


def write_parquet(path: Path, select: str) -> Path:
    duckdb.execute(f"copy ({select}) to '{path}' (format parquet)")
    return path


def scores_of(path: Path, *runs: str, digest: str = DIGEST, measures: Sequence[str] = MEASURES) -> Path:
    """A Parquet file of scores of these runs, as another warehouse exports them."""
    return write_parquet(
        path,
        f"select *, '1.0' as evalsql_version, '{digest}' as sql_digest from '{computed_scores()}' "
        f"where list_contains({list(runs or STORED)}, run) and list_contains({list(measures)}, measure)",
    )
