"""Where parameters stand in SQL, against the tokens that sqlglot sees and against what the engine makes of them."""

import random
from functools import partial
from itertools import pairwise
from pathlib import Path

import duckdb
import pytest
import sqlglot
from sqlglot import exp
from sqlglot.optimizer.scope import Scope, traverse_scope

from evalsql.catalog.header import TIES
from evalsql.catalog.relations import read_catalog
from evalsql.catalog.sql_text import in_schemas, parameter_places, parse, relation_calls, renamed
from evalsql.errors import CatalogError
from tests.long_cases import content, rows_of

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


# Steps are read from their schema, and relations that were called otherwise are found.
FUNCTIONS = {"in_schemas": partial(in_schemas, schemas={"a": "s"}), "renamed": partial(renamed, names={"old": "new"})}


@pytest.mark.parametrize(("function", "body", "expected"), rows_of(Path(__file__).with_name("renamed.tsv")))
def test_names_of_relations_are_replaced(function: str, body: str, expected: str) -> None:
    assert FUNCTIONS[function](content(body).decode()) == content(expected).decode()


def test_an_argument_that_is_an_expression_is_not_read_as_text() -> None:
    calls = relation_calls("select * from ap(rel := 2) join p(k := least(5, 10)) as other on true")
    assert calls == [("ap", {"rel": "2"}), ("p", None)]


def columns_of(source: exp.Table | Scope) -> set[str]:
    """What a relation or a query gives, with a star where that is more than it writes."""
    if isinstance(source, exp.Table):
        relation = read_catalog().relations.get(str(source.this.name))
        open_end = {"*"} if relation and relation.kind == "tables" else set()
        return open_end.union(relation.columns) if relation else set()
    if isinstance(source.expression, exp.SetOperation):
        return set().union(*map(columns_of, source.set_operation_scopes))
    query = source.expression
    assert isinstance(query, exp.Query | exp.UDTF)
    names = {str(each.alias_or_name) for each in query.selects if not each.is_star}
    has_star = any(each.is_star for each in query.selects)
    return names.union(*(columns_of(each) for _, each in source.selected_sources.values())) if has_star else names


@pytest.mark.long
def test_columns_that_somebody_adds_to_tables_are_not_asked() -> None:
    """The engine takes one before an alias of its name, and before a column of the query around.

    Beside a column of another table it refuses the bare name of both.
    """
    catalog, found = read_catalog(), 0
    for relation in catalog.relations.values():
        body = relation.body if relation.kind != "tables" else "select 1"
        for scope in traverse_scope(sqlglot.parse_one(body, dialect="duckdb")):
            given = [columns_of(each) for _, each in scope.selected_sources.values()]
            known = set().union(*given)
            own = [each for each in scope.columns if each.parent_select is scope.expression]
            assert "*" not in known or {str(each.name) for each in own if not each.table} <= known, relation.path
            for name in {str(each.name) for each in own if not each.table}:
                giver = next((each for each in given if name in each), set())
                assert not any("*" in each for each in given if each is not giver), f"{relation.path}: {name}"
            found += "*" in known
    assert found > 200


HIDDEN = "select length(concat($k{0}$k,length('$k{0}$))+((abs(1) --')\n)) as value"


@pytest.mark.parametrize("tag", ["-", "+", "*", "/", "-1-", "*.5/", "%", "=", "<", ">", "<>", "||", "::", "."])
def test_a_text_that_sqlglot_takes_apart_otherwise_than_the_engine_has_no_tree(tag: str) -> None:
    """To the engine ``abs(1)`` is in a string, and to sqlglot a call behind one: another engine would run it."""
    text = HIDDEN.format(tag)
    assert any(token.text == "abs" for token in sqlglot.tokenize(text, dialect="duckdb"))
    with pytest.raises(CatalogError, match="in a plainer form"):
        parse(text, Path("a.sql"), 1)


OTHERWISE = (
    *("select 1 {# + abs(2) #}", "select 1 as a {# it's #}, 'b' as b"),  # comments to sqlglot
    "select concat(`, '` || '+ abs(1) + ' || `' , `) from (select 1 as `, '` , 2 as `' , `)",  # names to DuckDB 2.0
)


@pytest.mark.parametrize("text", OTHERWISE)
def test_a_text_in_which_either_sees_pieces_of_its_own_has_no_tree(text: str) -> None:
    with pytest.raises(CatalogError, match="in a plainer form"):
        parse(text, Path("a.sql"), 1)


@pytest.mark.parametrize(
    "text",
    [
        "select 'a''b' as \"x\"\"y\", e'a\\'b', $$q'$$, $t$ \"q $t$ -- it's\nfrom t group  by a",
        "select /* it's /* in */ here */ $k - $k as a, 1.5e3, .5 from f(k := $k) where a <> 'é' and b >= \"Ü\"",
    ],
)
def test_a_text_that_both_take_apart_alike_has_a_tree(text: str) -> None:
    assert parse(text, Path("a.sql"), 1).sql(dialect="duckdb")
