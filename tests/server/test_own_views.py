"""What a served file defines beside what evalsql has: views as they are told, and what is not served."""

import os
import re
import shutil
from pathlib import Path

import duckdb
import pytest

import evalsql
from evalsql.database import quack
from evalsql.errors import QueryError
from tests.conftest import assert_refused, in_process, write
from tests.server.served import HAS_SERVER, REASON, Served, free_port
from tests.warehouse.test_printed_definitions import change

pytestmark = pytest.mark.skipif(not HAS_SERVER and not os.environ.get("EVALSQL_DEMAND_SERVER"), reason=REASON)


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (
            "macro ln(x) as 3.0",
            "views in it would ask macro main.ln of the file in the place of what DuckDB or evalsql",
        ),
        (
            "view v as from enable_logging('QueryLog', storage_path := 'x.csv')",
            "v in it calls enable_logging; DROP takes it",
        ),
        ('table "a (b" (a integer, b varchar as (write_log(a::varchar)))', "a (b in it calls write_log; DROP takes"),
        ("macro ask(x) as table from query(x)", "ask in it calls query; DROP takes it out, or evalsql export"),
    ],
)
def test_a_file_that_would_mislead_clients_or_end_the_server_is_not_served(
    file: Path, tmp_path: Path, made: str, told: str
) -> None:
    path = shutil.copy(file, tmp_path / "w.duckdb")
    with duckdb.connect(path) as connection:
        connection.execute(f"create {made}")
    words = ["serve", "--listen", f"localhost:{free_port()}", "--db", path]
    refused = in_process(tmp_path, words, "")
    assert_refused(refused, f"w.duckdb: {told}", code=3)


@pytest.mark.parametrize(
    "made", ["evalsql_server_authenticate(a, b, c) as true", "twice(a, k := 2) as table select a * k"]
)
def test_a_file_with_a_macro_is_not_served(own: Served, made: str) -> None:
    """Nothing tells the defaults of its parameters, which may call anything in changed bytes."""
    own.end()
    with duckdb.connect(own.path) as connection:
        connection.execute(f"create macro {made}")
    with pytest.raises(RuntimeError, match=f"macro {made.split('(')[0]} in it is not for clients"):
        own.start()


def test_what_a_view_tells_is_what_it_asks(own: Served) -> None:
    """The engine prints no FILTER of an operator. In changed bytes an aggregate may be one, and stop the server."""
    own.end()
    with duckdb.connect(own.path, config={"allow_unsigned_extensions": True}) as connection:
        quack.load(connection, proxy=False)
        hidden = f"(select count(*) from quack_stop('{own.url}')) is not null"
        connection.execute(
            f"create view best as select max(distinct x) filter ({hidden}) as x from (values (1)) as t(x)"
        )
        connection.execute("create view asked as select x + 1 as y from best")
    distinct = b"\xcc\x00\x01d\x00\x02\xff\xff{}\x00\x01"  # and what follows it: whether it is, or is an operator
    change(Path(own.path), distinct.replace(b"{}", b"\xcd"), distinct.replace(b"{}", b"\xce"))
    with duckdb.connect(own.path) as connection:
        ((told,),) = connection.execute("select sql from duckdb_views() where view_name = 'best'").fetchall()
        assert told.startswith("CREATE VIEW best AS SELECT max(x) AS x FROM (")
        assert "quack" not in told
    own.start()
    with evalsql.open(own.url, token=own.read_token, read_only=True) as reader:
        assert reader.rows("select y from main.asked") == [(2,)]
        assert reader.rows("select count(*) from runs") == [(3,)]
    assert "taken out" not in own.told()


def test_a_view_is_as_before_after_a_start_unless_what_it_asks_is_gone(own: Served) -> None:
    with evalsql.open(own.url, token=own.write_token) as writer:
        for text in (
            *("create schema ours", "create table ours.notes (a integer)", "insert into ours.notes values (1)"),
            "create view ours.kept(b) as select a from ours.notes",
            "create view of_kept as select b + 1 as c from ours.kept",
            *("create table gone (a integer)", "create view left_over as select a, 'it''s' as b from gone"),
            *("create view of_left_over as select a + 1 as b from left_over", "drop table gone"),
        ):
            writer.execute(text)
    for _ in range(2):
        own.end()
        own.start()
        with evalsql.open(own.url, token=own.read_token, read_only=True) as reader:
            assert reader.rows("select c from main.of_kept") == [(2,)]
            was = "it was: create view left_over AS SELECT a, 'it''s' AS b FROM gone"
            with pytest.raises(QueryError, match=re.escape(was)):
                reader.rows("from main.left_over")
            with pytest.raises(QueryError, match="it was: create view of_left_over AS SELECT"):
                reader.rows("from main.of_left_over")


def test_a_view_that_reaches_other_files_is_left_as_it_is_and_its_file_not_served(own: Served, tmp_path: Path) -> None:
    own.end()
    view = f"create view of_csv as select * from read_csv('{write(tmp_path / 'a.csv', 'a')}')"
    with duckdb.connect(own.path) as connection:
        connection.execute(view)
    with pytest.raises(RuntimeError, match="of_csv in it reaches other files; DROP takes it out"):
        own.start()
    with duckdb.connect(own.path) as connection:
        assert connection.execute("select a from of_csv").fetchall() == []
