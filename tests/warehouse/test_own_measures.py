"""A user's own measures, kept in the warehouse or borrowed from a folder, beside those of the package."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

import evalsql
from evalsql import CatalogError, InputWarning, UsageError, Warehouse
from evalsql.catalog.relations import Catalog
from tests.conftest import SAMPLE, Command, write
from tests.warehouse.conftest import Crafted

STEP = """\
-- title: How many documents each ranking holds at least half as many of as the longest one
-- columns:
--   evaluation_id   key of the evaluation
--   half_full       whether it does
select
    evaluation_id,
    2 * num_ret >= max(num_ret) over () as half_full
from evaluated_topics
"""
JOIN = "join half_full_rankings on half_full_rankings.evaluation_id = evaluated_topics.evaluation_id"
MEASURE = f"""\
-- measure: Fullness
-- title: Whether a ranking is at least half as long as the longest
-- aliases: full
-- parameters:
--   worth double in [0, inf) = 1   value of one that is
-- definition: The worth, or 0.
-- range: 0 inf
-- mean: sum
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    case when half_full_rankings.half_full then cast($worth as double) else 0 end as value
from evaluated_topics
{JOIN}
"""
BAD = MEASURE.replace("else 0 end", "end")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "own" / "fullness.sql", MEASURE)
    write(tmp_path / "own" / "steps" / "half_full_rankings.sql", STEP)
    return tmp_path / "own"


@pytest.fixture
def warehouse(few_measures: Catalog, crafted: Crafted) -> Iterator[Warehouse]:
    with evalsql.open(crafted()) as warehouse:
        yield warehouse


def answers(warehouse: Warehouse) -> None:
    """What every measure of the package can be asked, asked of this one: half of the sample's topics are as long."""
    ((expected,),) = warehouse.rows("""
        select count(*) filter (where 2 * num_ret >= (select max(num_ret) from run_topics))
        from run_topics join runs using (run_id) where run = 'bm25'
    """)
    assert warehouse.evaluate("full(worth=2)", runs="bm25").fetchall() == [("sample", "bm25", 2.0 * expected)]
    assert warehouse.rows("select sum(value) from fullness(worth := 3) where run = 'bm25'") == [(3.0 * expected,)]
    assert warehouse.rows("select sum(value) from fullness where run = 'bm25'") == [(1.0 * expected,)]
    assert warehouse.rows("select value from summary where run = 'bm25' and measure = 'Fullness'") == [(expected,)]
    assert warehouse.rows("select sum(value) from scores where run = 'bm25' and measure = 'Fullness'") == [(expected,)]


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize("read_only", [False, True])
def test_borrowed_for_one_connection(crafted: Crafted, folder: Path, read_only: bool) -> None:
    path = crafted()
    before = path.read_bytes() if read_only else b""
    with evalsql.open(path, read_only=read_only, measures=folder) as warehouse:
        answers(warehouse)
    with evalsql.open(path, read_only=True) as warehouse, pytest.raises(UsageError, match="unknown measure"):
        warehouse.evaluate("Fullness")
    assert not read_only or path.read_bytes() == before


def test_kept_in_the_file_for_every_client(warehouse: Warehouse, folder: Path) -> None:
    assert warehouse.load_measures(folder) == ["Fullness"]
    answers(warehouse)
    assert warehouse.rows("select measure, aliases, mean from measures where relation = 'fullness'") == [
        ("Fullness", "full", "sum")
    ]
    warehouse.close()
    made: list[object] = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = evalsql.open(warehouse.path, read_only=True, progress=lambda *stage: made.append(stage))
    with again:
        answers(again)
    assert made == []
    with evalsql.open(warehouse.path, read_only=True, measures=folder) as both:
        answers(both)  # the same file kept and borrowed is one
    with duckdb.connect(warehouse.path) as plain:
        assert plain.sql("select max(value) from fullness(worth := 7)").fetchall() == [(7.0,)]
        comments = plain.sql("select comment from duckdb_views() where view_name = 'fullness'").fetchall()
        assert "Whether a ranking is at least half as long" in comments[0][0]
        # Version 0.1.0 called evaluated what is evaluated_topics now.
        plain.execute("update added_relations set text = replace(text, 'evaluated_topics', 'evaluated')")
        plain.execute("update warehouse set sql_digest = 'older'")
    with evalsql.open(warehouse.path) as newer:
        answers(newer)
        # As if a later version brought a measure of the same name.
        newer.execute("update added_relations set relation = 'ap' where relation = 'fullness'")
        newer.execute("update warehouse set sql_digest = 'older'")
    with (
        pytest.warns(InputWarning, match="relation ap is already in .*it is left out"),
        evalsql.open(warehouse.path) as now,
    ):
        assert len(now.evaluate("AP").fetchall()) == 8


def test_taken_out_and_replaced(warehouse: Warehouse, folder: Path) -> None:
    warehouse.load_measures(folder)
    with pytest.raises(UsageError, match="already loaded: fullness, half_full_rankings; --replace"):
        warehouse.load_measures(folder)
    write(folder / "fullness.sql", MEASURE.replace("else 0 end", "else 0.5 end"))
    warehouse.load_measures([folder / "fullness.sql"], replace=True)
    assert warehouse.rows("select min(value) from fullness") == [(0.5,)]
    with pytest.raises(CatalogError, match="reads unknown relation half_full_rankings"):
        warehouse.drop_measures("half_full_rankings")
    answers_before = warehouse.rows("select sum(value) from fullness")
    with pytest.raises(UsageError, match="AP comes with the package"):
        warehouse.drop_measures("AP")
    assert warehouse.rows("select sum(value) from fullness") == answers_before
    warehouse.drop_measures(["Fullness", "half_full_rankings"])
    assert warehouse.rows("select count(*) from duckdb_functions() where function_name = 'fullness'") == [(0,)]
    assert warehouse.rows("select count(*) from measures where measure = 'Fullness'") == [(0,)]


def test_a_measure_that_breaks_the_contract_leaves_all_as_it_was(warehouse: Warehouse, folder: Path) -> None:
    warehouse.load_measures(folder)
    write(folder / "fullness.sql", BAD)
    with pytest.raises(CatalogError, match=r"fullness.sql: \d+ values are null, NaN or infinite"):
        warehouse.load_measures(folder, replace=True)
    answers(warehouse)
    warehouse.drop_measures("Fullness")
    warehouse.close()
    with pytest.raises(CatalogError, match=r"fullness.sql: \d+ values are null"):
        evalsql.open(warehouse.path, read_only=True, measures=folder / "fullness.sql")


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("ap.sql", MEASURE, "relation ap is already in"),
        ("my-measure.sql", MEASURE, "must be one that SQL takes"),
        ("fullness.sql", MEASURE.replace("aliases: full", "aliases: ndcg"), "ndcg is already a name of the measure in"),
        ("latin.sql", MEASURE.encode() + b"-- \xe9", "latin.sql: cannot be read: is not UTF-8 text"),
        ("fullness.sql", MEASURE.replace("half_full_rankings", "read_csv('secret.csv')", 1), "fullness.sql:9"),
    ],
)
def test_what_cannot_stand_beside_the_package(tmp_path: Path, name: str, text: str | bytes, complaint: str) -> None:
    own = write(tmp_path / "other" / name, text)
    with pytest.raises(CatalogError, match=complaint):
        evalsql.open(":memory:", measures=own)


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        ("measure: Fullness", "measure: De pth", "De pth cannot name a measure"),
        ("measure: Fullness", "measure: D@5", "D@5 cannot name a measure"),
        ("measure: Fullness", "measure: all_trec", "all_trec cannot name a measure"),
        ("range: 0 inf", "range: 1 0", "range is 1 0, it must be two numbers"),
        ("range: 0 inf", "range: wide", "range is wide, it must be two numbers"),
        ("worth", "full", "full is a word of SQL and cannot name a parameter"),
    ],
)
def test_names_and_ranges_that_mean_nothing(folder: Path, before: str, after: str, complaint: str) -> None:
    path = write(folder / "fullness.sql", MEASURE.replace(before, after))
    with pytest.raises(CatalogError, match=complaint):
        evalsql.open(":memory:", measures=[path, folder / "steps"])


def test_values_out_of_range_are_refused(warehouse: Warehouse, folder: Path) -> None:
    write(folder / "fullness.sql", MEASURE.replace("range: 0 inf", "range: 0 0.5"))
    with pytest.raises(CatalogError, match=r"fullness.sql: \d+ values are outside the range of 0 to 0.5"):
        warehouse.load_measures(folder)


@pytest.mark.usefixtures("few_measures")
def test_data_that_break_the_contract_later_are_taken_with_a_warning(tmp_path: Path) -> None:
    """And neither they nor a new version of the package keep anybody from opening the file and taking it out."""
    share = MEASURE.replace("half_full_rankings.half_full", "evaluated_topics.num_ret > 1").replace("else 0 end", "end")
    share = share.replace(
        "\njoin half_full_rankings on half_full_rankings.evaluation_id = evaluated_topics.evaluation_id", ""
    )
    path = write(
        tmp_path / "own" / "share.sql", share.replace("Fullness", "Share").replace("aliases: full", "aliases: sh")
    )
    with evalsql.open(tmp_path / "w.duckdb") as warehouse:
        warehouse.load_qrels({"t": {"a": 1, "b": 0}}, "tiny")
        warehouse.load_run({"t": {"a": 2.0, "b": 1.0}}, "two")
        assert warehouse.load_measures(path) == ["Share"]
        with pytest.warns(InputWarning, match=r"share.sql: 1 values are null"):
            warehouse.load_run({"t": {"a": 2.0}}, "one")
        warehouse.execute("update warehouse set sql_digest = 'older'")
    with pytest.warns(InputWarning, match=r"share.sql: 1 values are null"):
        again = evalsql.open(warehouse.path)
    again.drop_measures("Share")
    again.close()


@pytest.mark.usefixtures("few_measures")
def test_nothing_to_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "bare").mkdir()
    with pytest.raises(CatalogError, match=r"no \.sql file is in this folder"):
        evalsql.open(":memory:", measures=tmp_path / "bare")
    with pytest.raises(CatalogError, match=r"absent.sql: cannot be read: No such file"):
        evalsql.open(":memory:", measures=tmp_path / "absent.sql")


def test_from_the_command_line(demo: Command, folder: Path) -> None:
    arguments = ("-m", "Fullness", "--format", "csv")
    borrowed = demo("leaderboard", *arguments, "--measure-file", folder)
    assert borrowed.stdout.startswith("qrels,run,Fullness\n"), borrowed.stderr
    files = (SAMPLE / "qrels.txt", SAMPLE / "runs" / "bm25.run")
    _, line = demo("eval", *files, *arguments, "--measure-file", folder).stdout.splitlines()
    assert line.removeprefix("qrels,") in borrowed.stdout.replace("sample,", "")
    assert "Whether a ranking is at least half" in demo("measures", "fullness", "--measure-file", folder).stdout
    refused = demo("leaderboard", *arguments)
    assert (refused.returncode, refused.stdout) == (2, "")
    kept = demo("load", "measures", folder)
    assert (kept.returncode, kept.stdout) == (0, "")
    assert "loaded 1 measure: Fullness" in kept.stderr
    assert demo("leaderboard", *arguments).stdout == borrowed.stdout
    assert "\nFullness," in demo("measures", "--db", "evalsql.duckdb", "--format", "csv").stdout


@pytest.mark.usefixtures("few_measures")
def test_nothing_of_this_warns(folder: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evalsql.open(":memory:", measures=folder).close()
