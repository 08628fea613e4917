"""Where parameters stand in SQL, against the tokens that sqlglot sees and against what the engine makes of them."""

from __future__ import annotations

import random
from itertools import pairwise

import duckdb
import pytest
import sqlglot

from evalsql.catalog import read_catalog
from evalsql.syntax import parameter_places


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
        assert {name for *_, name in places} == {parameter.name for parameter in relation.parameters}, relation.path
        found += len(places)
    assert found > 500


PIECES = ("$k", "$rel_2", "'", "''", '"', "--", "\n", "/*", "*/", "/", "*", "-", " ", "a", "e'", "\\", "$$", "$t$", "1")


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
