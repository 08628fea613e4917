"""Measures that users keep on a server: whole or not at all, the same for all its clients, and for its next start."""

import os
from contextlib import suppress
from pathlib import Path

import duckdb
import pytest

import evalsql
from evalsql import UsageError
from evalsql.catalog.relations import read_relation
from evalsql.errors import EvalsqlError, QueryError
from evalsql.warehouse import schema
from tests.conftest import own_measure
from tests.long_cases import few_of
from tests.server.served import HAS_SERVER, REASON, Served

pytestmark = pytest.mark.skipif(not HAS_SERVER and not os.environ.get("EVALSQL_DEMAND_SERVER"), reason=REASON)
OWN = "select qrels, run, topic, 1.0::double as value from evaluated_topics"


def test_nobody_says_that_other_measures_are_kept(own: Served, tmp_path: Path) -> None:
    path = own_measure(tmp_path / "one.sql", "One", OWN)
    relation = read_relation(path, path.read_text())
    insert = "insert into added_relations select 1, 'one', 'select 1', now()::timestamp"
    with evalsql.open(own.url, token=own.write_token) as writer:
        written = "\n;".join(schema.signing(writer.database))
        for text in (insert, "update added_relations set nth = 2", written):
            writer.execute("begin")
            writer.database.announce([relation])
            with pytest.raises(UsageError, match="evalsql alone writes the rows of"):
                writer.execute(text)
            writer.execute("rollback")
        writer.load_measures(path, replace=True)
        with pytest.raises(UsageError, match="one is a name of DuckDB, evalsql or a measure"):
            writer.execute("create or replace view one as select 1")
        with evalsql.open(own.url, token=own.read_token, read_only=True) as reader:
            assert [each.name for each in reader.database.catalog.own] == ["one"]
        with pytest.raises(UsageError, match="no ALTER or COMMENT"):
            writer.execute("alter table measures add column note varchar")
        writer.drop_measures("one")
    with evalsql.open(own.url, token=own.read_token, read_only=True) as reader:
        assert list(reader.database.catalog.own) == []


HIDING = [
    (
        "create temp table {}(schema_version int, evalsql_version text, sql_digest text, built_at timestamp)",
        "warehouse",
    ),
    *(("create temp table {} as from team.main.{}", each) for each in ("measures", "relations", "added_relations")),
    *(("create temp macro {}(a) as null", each) for each in ("error", "getvariable", "list_value", "literal")),
    *(("create temp view {} as select 1 as one", each) for each in ("evaluated_topics", "scores", "one")),
]


@pytest.mark.parametrize("made", few_of([made.replace("{}", name) for made, name in HIDING], 3))
def test_nothing_temporary_of_a_session_says_what_is_kept(own: Served, tmp_path: Path, made: str) -> None:
    path = own_measure(tmp_path / "one.sql", "One", OWN)
    for _ in range(2):
        with evalsql.open(own.url, token=own.write_token) as writer:
            with suppress(UsageError, QueryError):  # a table is made of no query here
                writer.execute(made)
            with suppress(EvalsqlError):  # the session itself may be in its own way
                writer.load_measures(path, replace=True)
            writer.database.announce([read_relation(path, path.read_text())])
        with evalsql.open(own.url, token=own.read_token, read_only=True) as reader:
            assert reader.rows("select distinct value from summary where measure = 'One'") == [(1.0,)]
        assert own.end() == 0
        own.start()


@pytest.mark.parametrize(
    "body",
    few_of(
        [
            "select qrels, run, topic, nosuch as value from evaluated_topics",
            "select qrels, run, topic, no_such as value from ap",
            "select qrels, run, topic, columns(concat('va', 'lues')) as value from ap",
        ],
        2,
    ),
)
def test_a_measure_that_only_a_session_could_make_is_not_kept(own: Served, tmp_path: Path, body: str) -> None:
    path = own_measure(tmp_path / "one.sql", "One", body)
    with evalsql.open(own.url, token=own.write_token) as writer:
        writer.execute("create temp view ap as select *, value as no_such from team.main.ap")
        with pytest.raises(UsageError, match="one"):
            writer.database.announce([read_relation(path, path.read_text())])
    assert own.end() == 0
    own.start()
    with evalsql.open(own.url, token=own.write_token) as reader:
        assert list(reader.database.catalog.own) == []
        assert reader.rows("select count(*) > 0 from ap") == [(True,)]


def test_a_file_whose_measure_cannot_be_made_is_not_served(own: Served, tmp_path: Path) -> None:
    assert own.end() == 0
    text = own_measure(tmp_path / "one.sql", "One", OWN.replace("topic, 1", "nosuch, 1")).read_text()
    with duckdb.connect(str(own.path)) as connection:
        connection.execute("insert into added_relations select 1, 'one', ?, now()::timestamp", [text])
    with pytest.raises(RuntimeError, match="is not served: the measures that the file keeps are left out"):
        own.start()


def test_measures_of_a_connection_do_not_take_what_describes_those_that_are_kept(own: Served, tmp_path: Path) -> None:
    """Other clients average by the rows of ``measures``."""
    further = own_measure(tmp_path / "further.sql", "Further", OWN)
    kept = own_measure(tmp_path / "kept.sql", "Kept", OWN)
    for place, token in ((own.url, own.write_token), (str(own.path), None)):
        if token is None:
            assert own.end() == 0
        with evalsql.open(place, token=token, measures=[further]) as writer:
            writer.load_measures(kept, replace=True)
            assert writer.rows("select distinct value from summary where measure = 'Kept'") == [(1.0,)]
        with evalsql.open(place, token=token, read_only=True) as reader:
            assert reader.rows("select distinct value from summary where measure = 'Kept'") == [(1.0,)]
            assert reader.rows("select measure from measures where measure in ('Kept', 'Further')") == [("Kept",)]
