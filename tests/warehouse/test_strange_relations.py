"""Views and macros in a file are not asked: figures come from the package, and strangers' files reach nothing."""

from __future__ import annotations

import warnings
from itertools import product
from pathlib import Path

import duckdb
import pytest

import evalsql
from evalsql import InputWarning, QueryError, WarehouseError
from tests.conftest import SAMPLE, Command, new_file, write
from tests.long_cases import few_of
from tests.warehouse.conftest import Crafted

TRUE_AP = "select value from ap where run = 'bm25' and topic = 'T23'"
BY_HAND = (1 / 1 + 2 / 13 + 3 / 16 + 4 / 28) / 5  # sql/README.md


LIES = (
    "create or replace macro ap() as table select 'sample' as qrels, 'bm25' as run, 'T23' as topic, 0.99 as value",
    "create or replace view ap as from ap()",
    "create or replace view steps.evaluated_topics as select * from steps.evaluated_topics limit 1",
    "create view main.evaluated_topics as select 1 as one",
    "create or replace macro normal_cdf(z double := 1.0) as z",
    "create view steps.evaluations as select 1 as one",
    "create table steps.topics as select 1 as one",
    *(f"create macro {name}(x) as 42" for name in ("ln", "abs", "sum", "log2", "list_value")),
    *(f"create macro {name}(x, y) as 42" for name in ("power", "least", "greatest")),
    "create macro count_star() as 42",
    "drop view ndcg",
)
FIGURES = "select run, topic, measure, value from scores order by all"


@pytest.mark.parametrize(("read_only", "other"), few_of(product([True, False], repeat=2), 1))
@pytest.mark.filterwarnings("ignore:.*(with other SQL|beside those of evalsql)")
def test_relations_and_functions_that_lie_are_not_asked(
    crafted: Crafted, sample_file: Path, read_only: bool, other: bool
) -> None:
    with evalsql.open(sample_file, read_only=True) as warehouse:
        expected = warehouse.rows(FIGURES)
        compared = warehouse.compare("bm25", measures="AP nDCG").fetchall()
    path = crafted(*LIES, *(["update warehouse set sql_digest = 'other'"] if other else []))
    with evalsql.open(path, read_only=read_only) as warehouse:
        assert warehouse.rows(TRUE_AP) == [(pytest.approx(BY_HAND),)]
        assert warehouse.rows(FIGURES) == [(*row, pytest.approx(value, abs=1e-12)) for *row, value in expected]
        found = warehouse.compare("bm25", measures="AP nDCG").fetchall()
        assert [row[:4] for row in found] == [row[:4] for row in compared]


@pytest.mark.usefixtures("few_measures")
def test_a_file_of_another_version_gets_true_views_for_other_clients(crafted: Crafted, command: Command) -> None:
    path = crafted(*LIES[:1], "update warehouse set sql_digest = 'other'")
    outcome = command("sql", TRUE_AP, "--format", "csv", "--db", path)
    assert "with other SQL; that of this version is used instead" in outcome.stderr
    assert float(outcome.stdout.splitlines()[1]) == pytest.approx(BY_HAND)
    evalsql.open(path).close()
    with duckdb.connect(str(path), read_only=True) as connection:
        assert connection.execute(TRUE_AP).fetchall() == [(pytest.approx(BY_HAND),)]


def test_commands_ask_nothing_of_a_file_but_its_tables(crafted: Crafted, sample_file: Path, command: Command) -> None:
    """In a file without any view or macro they find all that they ask for."""
    with duckdb.connect(str(sample_file), read_only=True) as connection:
        drops = connection.execute("""
            select format('drop view {}.{}', schema_name, view_name) from duckdb_views() where not internal
            union all
            select distinct format(
                'drop macro {} {}.{}', if(function_type = 'macro', '', 'table'), schema_name, function_name
            ) from duckdb_functions() where not internal
        """).fetchall()
    path = crafted(*(statement for (statement,) in drops))
    for words in ("ls", "ls --long", "leaderboard", "leaderboard -m INST", "topics -m AP,P@5", "compare bm25 -m AP"):
        found, expected = (command(*words.split(), "--format", "csv", "--db", db) for db in (path, sample_file))
        assert found.returncode == 0, found.stderr
        assert found.stdout == expected.stdout
    assert command("load", "qrels", SAMPLE / "qrels.txt", "--name", "again", "--db", path).returncode == 0


def test_what_a_user_makes_goes_into_the_file(crafted: Crafted, command: Command) -> None:
    path = crafted()
    made = "create view best as from ap; create macro twice(x) as 2 * x; create table t as select twice(2) as four"
    assert command("sql", "--write", made, "--db", path).returncode == 0
    listed = command("sql", "show tables", "--db", path, "--format", "csv").stdout.splitlines()
    assert {"best", "t", "ap", "runs"} <= set(listed)
    assert len(listed) == len(set(listed))
    with duckdb.connect(str(path), read_only=True) as connection:
        assert connection.execute("select four, twice(3) from t").fetchall() == [(4, 6)]
        assert connection.execute("select count(*) from best").fetchall() == [(320,)]


# What the library lets a stranger's file do


def test_a_file_with_relations_of_others_reaches_nothing_unless_it_is_trusted(crafted: Crafted, tmp_path: Path) -> None:
    secret = write(tmp_path / "secret.txt", "secret")
    path = crafted(f"create view board as select content from read_text('{secret}')")
    with pytest.warns(InputWarning, match=r"beside those of evalsql: view board\. .*external_access=True"):
        warehouse = evalsql.open(path, read_only=True)
    with warehouse:
        with pytest.raises(QueryError, match="disabled by configuration"):
            warehouse.rows("from board")
        assert warehouse.rows(TRUE_AP) == [(pytest.approx(BY_HAND),)]
    with evalsql.open(path, read_only=True, external_access=True) as warehouse:
        assert warehouse.rows("from board") == [("secret",)]


def test_without_relations_of_others_sql_reaches_files_unless_it_is_told_not_to(
    crafted: Crafted, tmp_path: Path
) -> None:
    table, path = write(tmp_path / "x.csv", "a\n1\n"), crafted()
    with evalsql.open(path, read_only=True) as warehouse:
        assert warehouse.rows(f"from '{table}'") == [(1,)]
    with evalsql.open(path, external_access=False) as warehouse, pytest.raises(QueryError):
        warehouse.rows(f"from '{table}'")


def test_a_file_that_this_process_has_open_is_opened_again_without_a_word(tmp_path: Path) -> None:
    """As where a cell of a notebook runs twice; the log beside the file holds what was loaded."""
    path = new_file(tmp_path)
    with evalsql.open(path) as first, warnings.catch_warnings():
        warnings.simplefilter("error")
        first.load_qrels({"q": {"d": 1}}, "tiny")
        first.load_run({"q": {"d": 1.0}}, "a")
        with evalsql.open(path) as second:
            assert second.evaluate("AP").fetchall() == first.evaluate("AP").fetchall() == [("tiny", "a", 1.0)]
        with pytest.raises(WarehouseError, match="this process has it open already in another way"):
            evalsql.open(path, read_only=True)


def test_a_file_that_is_open_twice_is_still_known_to_define_relations_of_others(crafted: Crafted) -> None:
    path = crafted("create view mine as select 1 as one")
    with pytest.warns(InputWarning, match="view mine"):
        first = evalsql.open(path)
    first.load_run({"T01": {"doc-0133": 1.0}}, "a")
    with pytest.warns(InputWarning, match="view mine"):
        evalsql.open(path).close()
    first.close()
    with pytest.warns(InputWarning, match="view mine"):
        evalsql.open(path).close()
