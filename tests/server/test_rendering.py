"""Parameters written out are the values that the engine takes as parameters."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import duckdb
import pytest

from evalsql.database.statement_text import rendered
from evalsql.errors import UsageError

VALUES = [
    *(None, True, False, 0, -7, 2**40, 0.1, 1e-300, -2.5, float("inf"), float("-inf")),
    *("", "it's", "a?b $1", "line\nend", "naïve 漢字", "NUL\0in it", '"quoted"'),
    *([], [1, 2], ["a'b", None], [0.5, float("inf")], {"a": "b"}, {"it's": "1"}),
    *(Decimal("1.50"), date(2024, 2, 29), datetime(2024, 2, 29, 1, 2, 3, 456789), b"\x00\xff'"),
    datetime(2024, 2, 29, 1, 2, 3, tzinfo=UTC),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_is_what_it_is_as_a_parameter(value: object) -> None:
    with duckdb.connect() as connection:
        expected = connection.execute("select ? as a", [value]).fetchall()
        assert connection.execute(rendered("select ? as a", [value])).fetchall() == expected


def test_doubles_stay_doubles() -> None:
    with duckdb.connect() as connection:
        assert connection.execute(rendered("select typeof(?), typeof($2)", [0.1, 2.0])).fetchall() == [
            ("DOUBLE", "DOUBLE")
        ]


def test_placeholders_in_text_and_comments_stay() -> None:
    sql = "select '?' as \"a?\", ? /* ? $1 */ as b, 'it''s ?' as c, $$ ? $$ as d -- ?\n, ? as e"
    with duckdb.connect() as connection:
        assert connection.execute(rendered(sql, [1, 2])).fetchall() == [("?", 1, "it's ?", " ? ", 2)]


def test_places_have_numbers_and_are_used_again() -> None:
    assert rendered("select $2, $1, $2", [1, 2]) == "select 2, 1, 2"


def test_a_value_of_no_known_type_is_refused() -> None:
    with pytest.raises(UsageError, match="object"):
        rendered("select ?", [object()])
