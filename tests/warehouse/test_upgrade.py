"""Files of older schemas are brought to this one, with what they hold."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import evalsql
from evalsql import WarehouseError

BEFORE_5 = (
    "drop table topic_meta; drop table stored_scores;"
    "create or replace table qrels as select * exclude (replaced_at) from qrels"
)
BEFORE_4 = (
    f"{BEFORE_5};"
    "create or replace table retrieved as select * exclude (tied_above) from retrieved;"
    "create or replace table judged_ranks as "
    "select * exclude (judged_rank, relevant_rank, tied_above, tied_below) from judged_ranks"
)


def test_a_warehouse_of_the_first_schema_is_brought_to_this_one(tmp_path: Path, sample_file: Path) -> None:
    """The first schema made from this one by taking away what came later."""
    path = Path(shutil.copy(sample_file, tmp_path / "old.duckdb"))
    tables = ("judged_ranks", "judged_documents", "retrieved", "qrels", "runs", "preferences")
    with evalsql.open(path) as warehouse:
        before = {table: sorted(warehouse.rows(f"select * from {table}"), key=repr) for table in tables}
        effects = warehouse.rows("select run, measure, worst, best from tie_effects order by all")
        for change in (
            "create or replace table retrieved as select * exclude (first_rank, tied_above) from retrieved",
            "create or replace table judged_ranks as select evaluation_id, rank, grade from judged_ranks",
            "create or replace table runs as select * exclude (depth, judged_by) from runs",
            "create or replace table qrels as select * exclude (form, replaced_at) from qrels",
            "drop table judged_documents",
            "drop table preferences",
            "drop table topic_meta",
            "drop table stored_scores",
            "drop table added_relations",
            "drop table topic_weights",
            "update warehouse set schema_version = 1, sql_digest = 'older'",
        ):
            warehouse.execute(change)
    with pytest.raises(WarehouseError, match="evalsql sql --write 'select 1' brings them up to date"):
        evalsql.open(path, read_only=True)
    with evalsql.open(path) as warehouse:
        for table in tables:
            assert sorted(warehouse.rows(f"select * from {table}"), key=repr) == before[table], table
        after = warehouse.rows("select run, measure, worst, best from tie_effects order by all")
        assert [row[:2] for row in after] == [row[:2] for row in effects]
        for now, then in zip(after, effects, strict=True):
            assert now[2:] == pytest.approx(then[2:], abs=1e-12)


@pytest.mark.usefixtures("few_measures")
def test_a_warehouse_of_the_third_schema_gets_places_among_judged_and_relevant_documents(
    tmp_path: Path, sample_file: Path
) -> None:
    path = Path(shutil.copy(sample_file, tmp_path / "old.duckdb"))
    with evalsql.open(path) as warehouse:
        before = warehouse.rows("select * from judged_ranks order by all")
        warehouse.execute(BEFORE_4)
        warehouse.execute("update warehouse set schema_version = 3, sql_digest = 'older'")
    with pytest.raises(WarehouseError, match="evalsql sql --write 'select 1' brings them up to date"):
        evalsql.open(path, read_only=True)
    with evalsql.open(path) as warehouse:
        assert warehouse.rows("select * from judged_ranks order by all") == before
        assert warehouse.rows("""
            select count(*)
            from judged_ranks
            where (judged_rank, relevant_rank) <> (
                select (
                    count(case when above.grade >= 0 and judged_ranks.grade >= 0 then 1 end),
                    count(case when above.grade >= 1 and judged_ranks.grade >= 1 then 1 end)
                )
                from judged_ranks as above
                where above.evaluation_id = judged_ranks.evaluation_id and above.rank <= judged_ranks.rank
            )
        """) == [(0,)]


@pytest.mark.usefixtures("few_measures")
def test_a_warehouse_of_the_second_schema_gets_weights(tmp_path: Path, sample_file: Path) -> None:
    path = Path(shutil.copy(sample_file, tmp_path / "old.duckdb"))
    with evalsql.open(path) as warehouse:
        before = warehouse.rows("select run, value from summary where measure = 'TAP@5' order by run")
        warehouse.execute(BEFORE_4)
        warehouse.execute("drop table topic_weights")
        warehouse.execute("drop table added_relations")
        warehouse.execute("update warehouse set schema_version = 2, sql_digest = 'older'")
    with pytest.raises(WarehouseError, match="evalsql sql --write 'select 1' brings them up to date"):
        evalsql.open(path, read_only=True)
    with evalsql.open(path) as warehouse:
        after = warehouse.rows("select run, value from summary where measure = 'TAP@5' order by run")
        assert [run for run, _ in after] == [run for run, _ in before]
        assert [value for _, value in after] == pytest.approx([value for _, value in before], abs=1e-12)
        warehouse.load_weights({"T01": 1000}, "sample")
        ((of_topic,),) = warehouse.rows("select value from tap() where run = 'bm25' and topic = 'T01'")
        ((_, _, mean),) = warehouse.evaluate("TAP", runs="bm25").fetchall()
        assert mean == pytest.approx(of_topic, abs=0.04)
        assert warehouse.rows("select comment is null from duckdb_tables() where table_name = 'topic_weights'") == [
            (False,)
        ]
