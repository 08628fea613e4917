"""Sessions of a server: tokens, the turn to write, who is gone, rows that come, and measures that are kept."""

import json
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from evalsql.catalog.ddl import own_statements
from evalsql.catalog.relations import read_catalog, read_relation
from evalsql.database.database import Database
from evalsql.database.quack import BEAT, HELLO, LEASE, LOCK, MEASURES, UNLOCK, Address, server_error
from evalsql.errors import WarehouseError
from evalsql.server.sessions import IDLE, MOST_SESSIONS, OPEN, Sessions
from evalsql.warehouse.schema import keeping
from tests.conftest import own_measure
from tests.long_cases import content, rows_of
from tests.server.conftest import READ, WRITE, Watched

HERE = Path(__file__).parent


def _locks(sessions: Sessions, name: str) -> bool:
    return sessions.authorise(name, LOCK) == "select true as locked"


def test_a_token_gives_its_role_and_another_one_nothing(sessions: Sessions) -> None:
    assert sessions.authenticate("r", READ, "")
    assert not sessions.authenticate("x", "x" * 20, "")
    assert not sessions.authenticate("y", "", "")
    assert sessions.authorise("a", HELLO) == "select 'a' as session, 'write' as role"
    assert sessions.authorise("r", HELLO) == "select 'r' as session, 'read' as role"
    assert sessions.authorise("x", "select 1") is None
    # A reader has no turn to write, and sends no rows.
    assert not _locks(sessions, "r")
    assert sessions.authorise("r", "INSERT INTO main.runs VALUES (NULL)") is None


def test_writers_take_turns_in_the_order_they_asked(sessions: Watched) -> None:
    assert _locks(sessions, "a")
    assert not _locks(sessions, "b")
    assert not _locks(sessions, "c")
    sessions.authorise("a", UNLOCK)
    assert not _locks(sessions, "c")
    assert _locks(sessions, "b")
    sessions.authorise("b", UNLOCK)
    assert _locks(sessions, "c")
    assert not _locks(sessions, "b")
    sessions.time += 5  # who does not ask again loses the place
    sessions.authorise("c", UNLOCK)
    assert _locks(sessions, "a")


def test_a_statement_is_late_by_when_it_began_whatever_its_session_asks_meanwhile(sessions: Watched) -> None:
    sessions.authorise("a", "begin")
    assert sessions.late({"a": 1}, 4) == []
    sessions.time += 5
    assert not sessions.is_nothing_open()
    assert sessions.late({"a": 1, "b": 1}, 4) == ["a"]
    assert sessions.late({"a": 2, "b": 1}, 4) == []  # another one
    sessions.time += 5
    sessions.authorise("a", "select 1")
    sessions.authorise("b", f"{BEAT} a")  # it tells that its client lives, not that the statement has ended
    assert sessions.late({"a": 2}, 4) == ["a"]
    sessions.authorise("a", "commit")
    assert sessions.is_nothing_open()


def test_a_writer_that_says_nothing_more_is_gone_and_one_that_does_is_not(sessions: Watched) -> None:
    assert _locks(sessions, "a")
    sessions.time += LEASE - 1
    assert sessions.authorise("b", f"{BEAT} a") == "select true as heard"
    sessions.time += LEASE - 1
    assert sessions.gone([]) == []
    sessions.time += 2
    assert sessions.gone(["a"]) == []  # a long statement of it is running
    assert sessions.gone([]) == ["a"]
    sessions.forget(["a"])
    assert _locks(sessions, "b")
    assert sessions.authorise("a", "select 1") is None


def test_who_asks_nothing_for_long_is_gone_and_sooner_in_a_transaction(sessions: Watched) -> None:
    for name, begin in (("a", "select 1; /* a */ BEGIN"), ("b", "begin")):
        sessions.authorise(name, begin)
        sessions.authorise(name, "insert into runs by name select 1 as run")
    sessions.authorise("b", "rollback;")
    sessions.time += OPEN - 1
    assert sessions.gone([]) == []
    sessions.time += 2
    assert sessions.gone([]) == ["a"]
    sessions.forget(["a"])
    sessions.time += IDLE - OPEN - 2
    assert sessions.gone([]) == []
    sessions.time += 2
    assert sessions.gone([]) == ["b", "c"]


@pytest.mark.parametrize("text", ["begin; rollback", "select system.main.error('x'); commit", "select 1; end"])
def test_a_transaction_is_open_until_a_statement_ends_it_that_is_surely_reached(sessions: Watched, text: str) -> None:
    sessions.authorise("a", "begin")
    sessions.authorise("a", text)
    assert not sessions.is_nothing_open()
    sessions.authorise("a", "rollback; select 1")
    assert sessions.is_nothing_open()


def test_measures_are_kept_by_the_server_and_nothing_else_gets_their_names(sessions: Watched, tmp_path: Path) -> None:
    """Else a writer could have others told anything by their names, or by that of scores."""
    path = own_measure(
        tmp_path / "own.sql", "Own", "select qrels, run, topic, 1.0::double as value from evaluated_topics"
    )
    own = read_relation(path, path.read_text())
    announced = MEASURES + json.dumps([(own.name, own.text)])
    own_catalog = read_catalog().extended([own])
    made = [statement for _, statement in own_statements(own_catalog, [own])]
    with closing(Database(duckdb.connect(), own_catalog, path=":memory:", read_only=False)) as database:
        written = keeping(database)

    def is_refused(text: str, name: str = "a") -> bool:
        return str(sessions.authorise(name, text)).startswith("select system.main.error(")

    drops = 'drop view if exists "team"."main"."own"'
    assert not is_refused(drops)  # it is no measure's name
    (scores,) = (each for each in made if each.startswith("create or replace view scores"))
    assert all(map(is_refused, [scores, *written, "\n;".join(written)]))
    sessions.authenticate("r", READ, "")
    assert sessions.authorise("r", announced) is None
    assert sessions.authorise("nobody", announced) is None
    for before in ("select 1", "begin", "select 1"):
        sessions.authorise("a", before)
        assert sessions.authorise("a", announced) == "select true as kept"
    assert all(map(is_refused, [scores, *written]))
    for text in (
        *("create or replace view own as select 1", "create macro main.own(k := 1) as table select 1", "drop view own"),
        *("create table s.own as select 1", "drop macro table if exists main.own", drops, *made[:1]),
    ):
        assert is_refused(text), text
    assert not is_refused("create or replace temp view own as select 1")
    assert not is_refused('drop view if exists "temp"."main"."own"')
    assert sessions.authorise("b", f"{MEASURES}[]") == "select true as kept"
    assert is_refused(made[0])  # clients that opened before still ask it
    sessions.is_stopping = True
    assert is_refused(announced)


def test_what_is_no_measure_is_not_kept(sessions: Watched, tmp_path: Path) -> None:
    path = own_measure(
        tmp_path / "own.sql", "Own", "select qrels, run, topic, 1.0::double as value from evaluated_topics"
    )
    own = read_relation(path, path.read_text())
    reading_it = own.text.replace("evaluated_topics", "own").replace("Own", "Other")
    reading = own.text.replace("evaluated_topics", "read_text('x')")
    by_session = own.text.replace("1.0", "getvariable('x')")
    inside = str(read_catalog()["ap"].path.with_name("own"))  # a measure there would count as the package's
    lists = [[pair] for pair in [("ap", own.text), ("a; b", own.text), ("own", reading), ("own", by_session)]]
    lists += [[(inside, own.text)], [("other", reading_it), ("own", own.text)]]  # clients would leave one out
    for text in ("", "[1]", "{", "[" * 100_000, '["a"]', '[["own", 1]]', *map(json.dumps, lists)):
        assert str(sessions.authorise("a", MEASURES + text)).startswith("select system.main.error("), text
    assert sessions.kept == set()


def test_sessions_are_few_and_where_there_are_many_they_ask_something(sessions: Watched) -> None:
    """The extension cannot list more than 2,048, and dies of it."""
    sessions.known.clear()
    known = [str(nth) for nth in range(3000) if sessions.authenticate(str(nth), READ, "")]
    assert len(known) == MOST_SESSIONS < 2048
    sessions.authorise("9", "begin")
    sessions.time += LEASE - 1
    sessions.authorise("7", "select 1")
    assert sessions.gone([]) == []
    sessions.time += 2
    assert sessions.gone(["8"]) == [each for each in known if each not in ("7", "8", "9")]
    sessions.time += OPEN
    assert sessions.gone(["8"]) == [each for each in known if each != "8"]
    sessions.authorise("9", "rollback")
    sessions.time += OPEN - 1
    sessions.forget(known[MOST_SESSIONS // 2 :])
    assert sessions.gone([]) == []
    assert sessions.authenticate("new", READ, "")


def test_each_request_is_a_line_and_tokens_are_in_none(sessions: Watched) -> None:
    del sessions.lines[:]
    sessions.authenticate("abcdefghij", WRITE, "")
    sessions.authorise("abcdefghij", "select\n  1")
    sessions.authorise("abcdefghij", "set threads = 1")
    sessions.authorise("abcdefghij", "INSERT INTO main.staged VALUES (NULL)")
    sessions.authorise("abcdefghij", "INSERT INTO main.staged VALUES (NULL)")
    sessions.authorise("abcdefghij", "select 2")
    assert sessions.lines == [
        "abcdefgh connects: write",
        "abcdefgh write select 1",
        "abcdefgh write refused: set threads = 1",
        "abcdefgh write sends rows for main.staged",
        "abcdefgh write sent rows for main.staged in 2 requests",
        "abcdefgh write select 2",
    ]


def test_no_name_of_a_table_writes_a_line_of_its_own(sessions: Watched) -> None:
    sessions.authorise("a", 'INSERT INTO main."x\n2026-01-01T00:00:00Z 12345678 connects: write" VALUES (NULL)')
    sessions.authorise("a", "select 1")
    assert sum("rows for" in line for line in sessions.lines) == 2
    assert not any("\n" in line for line in sessions.lines)


def test_nothing_new_begins_while_the_server_stops(sessions: Sessions) -> None:
    sessions.is_stopping = True
    assert not sessions.authenticate("d", WRITE, "")
    refused = str(sessions.authorise("a", "select 1"))
    assert isinstance(
        server_error(refused[len("select system.main.error('") : -2], Address("localhost", 9494)), WarehouseError
    )
    assert sessions.authorise("a", "rollback") == "rollback"  # else the client hears of that alone


def test_rows_are_announced_by_one_form_alone(sessions: Watched) -> None:
    """All else is a statement as any other, of which each is looked at."""
    for table in ("runs", 'main."a ""b"', "file.main.runs", '"in a file".main.retrieved'):
        announced = f"INSERT INTO {table} VALUES (NULL)"
        assert sessions.authorise("a", announced) == announced
        assert sessions.known["a"].rows_for == table
    for before in (content(cell).decode() for (cell,) in rows_of(HERE / "before_rows.tsv")):
        sessions.authorise("a", "select 1")
        sessions.authorise("a", f"INSERT INTO {before}VALUES (NULL)")
        assert sessions.known["a"].rows_for == "", before
    stopped = sessions.authorise("a", "INSERT INTO files select ''; call quack_stop(''); VALUES (NULL)")
    assert stopped is None


@pytest.mark.parametrize("name", [".evaluations", "", "a.", ".", "main..runs", '"', "a b", "runs (run)", "a.b.c.d"])
def test_rows_for_what_is_no_name_of_a_table_get_no_leave(sessions: Watched, name: str) -> None:
    """The extension takes any text, a refusal in words too, for leave to append."""
    sessions.authenticate("reader_key", READ, "")
    for session in ("a", "reader_key"):
        assert sessions.authorise(session, f"INSERT INTO {name} VALUES (NULL)") is None
    assert sessions.authorise("reader_key", "INSERT INTO runs VALUES (NULL)") is None
