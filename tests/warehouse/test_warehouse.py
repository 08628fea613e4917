"""Opening, upgrading and asking; the library as its users call it."""

from pathlib import Path
from typing import Any

import pandas
import pytest

import evalsql
from evalsql import InputError, QueryError, UsageError, Warehouse
from evalsql.catalog.measure_names import default_measure
from evalsql.evaluation.shared_steps import FEWEST
from tests.conftest import SAMPLE, load_sample, new_file, own_measure, warned, write
from tests.long_cases import few_of

QRELS = {"t1": {"d1": 1, "d2": 0}, "t2": {"d1": 2}}
RUN = {"t1": {"d2": 2.0, "d1": 1.0}, "t2": {"d1": 0.5}}


def test_nested_dicts_and_every_way_out(empty: Warehouse) -> None:
    empty.load_qrels(QRELS, "judged")
    empty.load_run(RUN, "system")
    relation = empty.evaluate(["RR", "nDCG@10"])
    assert relation.columns == ["qrels", "run", "RR", "nDCG@10"]
    assert relation.df()["RR"].tolist() == relation.pl()["RR"].to_list() == [0.75]
    assert relation.to_arrow_table()["RR"].to_pylist() == [0.75]
    assert relation.fetchall() == [("judged", "system", 0.75, pytest.approx((0.63093 + 1) / 2, abs=1e-5))]
    by_topic = [("judged", "system", topic, "RR", value) for topic, value in (("t1", 0.5), ("t2", 1.0))]
    assert empty.evaluate("RR", per_topic=True).fetchall() == by_topic


def test_fractional_and_repeated_judgments_in_memory_are_refused(empty: Warehouse) -> None:
    with pytest.raises(InputError, match=r'q:1: grade "0\.5" is not a whole number'):
        empty.load_qrels({"t": {"d": 0.5}}, "q")
    with pytest.raises(InputError, match="q:2: document x of topic a is already judged at row 1"):
        empty.load_qrels(pandas.DataFrame({"qid": ["a", "a"], "docno": ["x", "x"], "label": [1, 0]}), "q")
    with pytest.raises(UsageError, match="need a name"):
        empty.load_qrels(QRELS)


def test_a_run_is_replaced_on_request_only(empty: Warehouse) -> None:
    empty.load_run(RUN, "system")
    with pytest.raises(UsageError, match="already loaded: system; --replace, in Python replace=True"):
        empty.load_run(RUN, "system")
    empty.load_run(RUN, "system", replace=True)


def test_the_environment_names_the_warehouse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVALSQL_DB", str(tmp_path / "from-variable.duckdb"))
    evalsql.open().close()
    assert (tmp_path / "from-variable.duckdb").exists()


def test_a_failed_load_leaves_all_as_it_was(empty: Warehouse, tmp_path: Path) -> None:
    tables = ("rankings", "judgments", "holdings", "runs", "qrels", "files", "judged_ranks")
    load_sample(empty, "bm25", "dense")
    before = [empty.rows(f"from {table} order by all") for table in tables]
    bad = write(tmp_path / "bm25.run", "T01 Q0 d1 1 x tag\n")
    with pytest.raises(InputError):
        empty.load_runs([bad, SAMPLE / "runs" / "dense.run"], replace=True)
    with pytest.raises(InputError):
        empty.load_qrels(write(tmp_path / "sample", "T01 0 d1\n"), replace=True)
    assert [empty.rows(f"from {table} order by all") for table in tables] == before


def test_errors_of_the_engine_carry_its_words(empty: Warehouse, sample_file: Path) -> None:
    with evalsql.open(sample_file, read_only=True) as warehouse, pytest.raises(QueryError, match="is opened read_only"):
        warehouse.drop_runs("bm25")
    with pytest.raises(QueryError, match="nowhere"):
        empty.sql("select * from nowhere")
    with pytest.raises(QueryError, match="Could not convert"):
        empty.rows("select cast(range || 'x' as integer) from range(10000)")


@pytest.mark.long
@pytest.mark.parametrize("filters", few_of([{"runs": ["dense", "bm25"]}, {}], 1))
def test_very_many_measures_are_answered_as_few_are(sample: Warehouse, filters: dict[str, Any]) -> None:
    chosen = [relation for relation in sample.catalog.measures if relation.family in ("binary", "graded")]
    names = [default_measure(relation).name for relation in chosen]
    assert len(names) >= FEWEST
    board, other = (sample.evaluate(each, **filters) for each in (names, names[::-1]))
    assert board.columns == ["qrels", "run", *names]
    found = board.fetchall()
    assert [row[1] for row in found] == [row[1] for row in sample.evaluate(names[0], **filters).fetchall()]
    for at, name in list(enumerate(names, start=2))[::6]:
        alone = {run: value for _, run, value in sample.evaluate(name, **filters).fetchall()}
        assert {row[1]: row[at] for row in found} == pytest.approx(alone, abs=1e-12), name
    assert len(other.fetchall()) == len(found)


def test_rankings_are_cut_and_condensed_when_asked_for(empty: Warehouse) -> None:
    empty.load_qrels({"t": {"a": 1, "b": 0, "c": -1, "d": 2}}, "judged")
    run = {"t": {"x": 5.0, "a": 4.0, "c": 3.0, "y": 2.0, "d": 1.0, "b": 1.0}, "u": {"z": 1.0}}
    empty.load_run(run, "whole")
    empty.load_run(run, "cut", depth=3)
    empty.load_run(run, "condensed", judged_by="judged")
    empty.load_run(run, "both", depth=2, judged_by="judged")
    ranked = "select run, string_agg(document, '' order by topic, rank) from rankings group by run order by run"
    assert empty.rows(ranked) == [("both", "a"), ("condensed", "adb"), ("cut", "xacz"), ("whole", "xacydbz")]
    # A topic of which nothing is kept is still one that the run has.
    assert empty.rows("""
        select run, depth, judged_by, num_ret from run_topics join runs using (run_id)
        where topic_id = 2 order by run
    """) == [("both", 2, "judged", 0), ("condensed", None, "judged", 0), ("cut", 3, None, 1), ("whole", None, None, 1)]
    firsts = "select first_rank from retrieved join runs using (run_id) where run = 'condensed' order by 1"
    assert empty.rows(firsts) == [(1,), (2,), (2,)]
    with pytest.raises(UsageError, match='no judgment set is called "other"'):
        empty.load_run(run, "wrong", judged_by="other")


@pytest.mark.long
def test_a_memory_limit_arrives_and_what_is_beyond_it_has_a_place(tmp_path: Path) -> None:
    def setting(warehouse: Warehouse, name: str) -> str:
        return str(warehouse.rows(f"select current_setting('{name}')")[0][0])

    path, scratches = new_file(tmp_path), list[Path]()
    for where, read_only in ((":memory:", False), (":memory:", False), (path, False), (path, True)):
        with evalsql.open(where, read_only=read_only, memory_limit=" 300 mib") as warehouse:
            assert setting(warehouse, "memory_limit") == "180.0 MiB"
            scratch = Path(setting(warehouse, "temp_directory"))
            assert (scratch.parent == tmp_path) == (where == path and not read_only)
            if scratch.parent != tmp_path:
                assert scratch.parent.stat().st_mode & 0o077 == 0
            assert scratch not in scratches
            scratches.append(scratch)
    with evalsql.open(path) as warehouse:
        assert setting(warehouse, "memory_limit") != "180.0 MiB"


@pytest.mark.long
def test_more_than_the_memory_limit_is_sorted_on_disk() -> None:
    with evalsql.open(":memory:", memory_limit="60MB") as warehouse:
        warehouse.execute("set threads = 1")
        warehouse.execute("create temp table many as select hash(i) as h, i from range(8_000_000) as t(i)")
        ((count,),) = warehouse.rows("select count(*) from (select row_number() over (order by h) as n, i from many)")
        assert count == 8_000_000


def test_what_is_no_size_of_memory_is_refused() -> None:
    for size in ("", "much", "1", "-1GB", "0GB", "1 GB 2", "1PB", "50%", "1e3MB", "'; select 1"):
        with pytest.raises(UsageError, match="is not a size of memory"):
            evalsql.open(":memory:", memory_limit=size)


@pytest.mark.parametrize("fails", ["check", "commit"])
def test_a_load_that_failed_leaves_nothing_to_be_checked_after_the_next_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    select = "select qrels, run, topic, case when num_ret > 1 then 1::double end as value from evaluated_topics"
    with evalsql.open(tmp_path / "w.duckdb") as warehouse:
        warehouse.load_measures(own_measure(tmp_path / "share.sql", "Share", select))
        warehouse.load_qrels({"t": {"a": 1, "b": 0}}, "tiny")
        check, execute = warehouse.loader.check, warehouse.database.execute
        assert warned(lambda: warehouse.load_run({"t": {"a": 2.0}}, "one"))

        def interrupted(text: str = "check", *parameters: Any) -> None:
            if text == "check":
                check()
            else:
                execute("rollback" if text == fails else text, *parameters)
            if text == fails:
                raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(warehouse.loader, "check", interrupted)
            patch.setattr(warehouse.database, "execute", interrupted)
            with pytest.raises(KeyboardInterrupt):
                warehouse.load_run({"t": {"b": 1.0}}, "two")
        assert warned(lambda: warehouse.annotate("one", meta={"k": "v"})) == []
        assert len(warned(lambda: warehouse.load_run({"t": {"b": 1.0}}, "three"))) == 1
