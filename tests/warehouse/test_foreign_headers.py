"""Headers of measures that a stranger's file keeps: what they name is held to what bodies are held to."""

import pytest

import evalsql
from evalsql import InputWarning, QueryError
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
