"""Measures in a stranger's file: the headers of those it keeps, and those that a user loads into it."""

from pathlib import Path

import duckdb
import pytest

import evalsql
from evalsql import InputWarning, QueryError
from tests.conftest import own_measure
from tests.warehouse.conftest import OTHER_SQL, Crafted
from tests.warehouse.test_foreign_files import BY_HAND, TRUE_AP
from tests.warehouse.test_own_measures import kept

HEADED = """\
-- measure: Headed
-- title: T
-- parameters:
--   ties varchar in {rule, worst} = rule   the order of tied documents
-- definition: D
-- range: 0 1
-- mean: arithmetic
-- %s
select qrels, run, topic, value from ap(ties := $ties)
"""


@pytest.mark.usefixtures("few_measures")
@pytest.mark.filterwarnings("ignore:.*(with different SQL|beside those of evalsql)")
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("ties: worst = missing_keys", "reads missing_keys, which is no relation of a warehouse"),
        ("ties: worst = comparison_score", "reads comparison_score, which is no relation of a warehouse"),
        ("ties: worst = scores", "reads unknown relation scores"),
        ("scores: @10", "Headed has no parameter k; it takes ties"),
    ],
)
def test_a_header_names_no_relation_of_the_file_and_hinders_no_opening(crafted: Crafted, line: str, said: str) -> None:
    lie = "as table select 'sample' as qrels, 'a lie' as run, 'T01' as topic, 0.5 as value"
    path = crafted(
        *(f"create macro {name} {lie}" for name in ("missing_keys(documents := true)", "comparison_score(a := 1)")),
        kept(HEADED % line, "headed"),
        OTHER_SQL,
    )
    for read_only in (True, False):
        with pytest.warns(InputWarning, match=said):
            warehouse = evalsql.open(path, read_only=read_only)
        with warehouse:
            assert warehouse.rows(TRUE_AP) == [(pytest.approx(BY_HAND),)]
            with pytest.raises(QueryError, match="headed does not exist"):
                warehouse.rows("from headed(ties := 'worst')")


@pytest.mark.usefixtures("few_measures")
@pytest.mark.filterwarnings("ignore:.*beside those of evalsql")
def test_a_measure_that_is_loaded_into_a_file_asks_evalsqls_relations(crafted: Crafted, tmp_path: Path) -> None:
    """For other clients too, which ask the views in the file."""
    false = "select 'sample' as qrels, 'bm25' as run, 'T23' as topic, 0.99::double as value"
    own = own_measure(tmp_path / "mine.sql", "Mine", "select qrels, run, topic, value from ap")
    for lie in (f"view ap as {false}", "macro ap() as table select 1 as other"):
        path = crafted(f"create or replace {lie}")
        with evalsql.open(path) as warehouse:
            warehouse.load_measures(own)
        with duckdb.connect(str(path), read_only=True) as connection:
            found = connection.execute(TRUE_AP.replace("from ap", "from mine")).fetchall()
        assert found == [(pytest.approx(BY_HAND),)]
