"""Where parameters stand in SQL, against the tokens that sqlglot sees and against what the engine makes of them."""

from __future__ import annotations

import random
from itertools import pairwise

import duckdb
import pytest
import sqlglot

from evalsql.catalog.header import TIES
from evalsql.catalog.relations import read_catalog
from evalsql.catalog.sql_text import in_schemas, parameter_places, renamed

pytestmark = pytest.mark.fast


def tokenized(body: str) -> list[tuple[int, int, str]]:
    return [
        (sign.start, name.end + 1, str(name.text))
        for sign, name in pairwise(sqlglot.tokenize(body, dialect="duckdb"))
        if sign.text == "$" and sign.end + 1 == name.start
    ]


def test_every_relation_has_its_parameters_where_sqlglot_sees_them() -> None:
    found = 0
    for relation in read_catalog().relations.values():
        places = parameter_places(relation.body)
        assert places == tokenized(relation.body), relation.path
        by_header = {TIES} if relation.header.ties else set()
        assert {name for *_, name in places} | by_header == {each.name for each in relation.parameters}, relation.path
        found += len(places)
    assert found > 500


PIECES = (
    *("$k", "$rel_2", "'", "''", '"', "--", "\n", "/*", "*/", "/"),
    *("*", "-", " ", "a", "_", "e'", "\\", "$$", "$t$", "1"),
)


@pytest.mark.parametrize("seed", range(2))
def test_texts_at_random_are_read_as_the_engine_reads_them(seed: int) -> None:
    """A parameter is one where the engine asks for its value."""
    chance = random.Random(seed)
    tried = 0
    with duckdb.connect() as connection:
        for _ in range(10_000):
            text = "select " + "".join(chance.choices(PIECES, k=chance.randint(1, 8)))
            try:
                (statement,) = connection.extract_statements(text)
            except (duckdb.Error, ValueError):
                continue
            tried += 1
            assert {name for *_, name in parameter_places(text)} == set(statement.named_parameters), text
    assert tried > 500


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("from a join b on a.x = b.x", "from s.a join b on a.x = b.x"),
        ("select a from c left join a(k := $k) as a on a.x", "select a from c left join s.a(k := $k) as a on a.x"),
        ("from other.a join main.a using (x)", "from other.a join main.a using (x)"),
        ("with a as (select 1) from a", "with a as (select 1) from a"),
        ("with a(x) as materialized (select 1) from a", "with a(x) as materialized (select 1) from a"),
        ("select 'from a' -- from a\n/* from a */ from a", "select 'from a' -- from a\n/* from a */ from s.a"),
        ('from "a" join lateral a() on true', 'from "a" join lateral s.a() on true'),
        ("select x from (from a) as t where x in (from a)", "select x from (from s.a) as t where x in (from s.a)"),
    ],
)
def test_steps_are_read_from_their_schema(body: str, expected: str) -> None:
    assert in_schemas(body, {"a": "s"}) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("select old.x from old", "select old.x from new as old"),
        ("from old where old.x", "from new as old where old.x"),
        ("from old as o join old p using (x)", "from new as o join new p using (x)"),
        ("from old(k := 1) as old", "from new(k := 1) as old"),
        ("with old as (select 1) from old", "with old as (select 1) from old"),
        ("from s.old join older using (old)", "from s.old join older using (old)"),
    ],
)
def test_relations_that_were_called_otherwise_are_found(body: str, expected: str) -> None:
    assert renamed(body, {"old": "new"}) == expected
