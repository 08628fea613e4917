"""Sessions of a server: tokens, the turn to write, who is gone, rows that come, and measures that are kept."""

import json
import re
from pathlib import Path

import duckdb
import pytest

from evalsql.catalog.ddl import own_statements
from evalsql.catalog.relations import read_catalog, read_relation
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


@pytest.mark.parametrize("text", ["begin; rollback", "select error('x'); commit", "select 1; end"])
def test_a_transaction_is_open_until_a_statement_ends_it_that_is_surely_reached(sessions: Watched, text: str) -> None:
    sessions.authorise("a", "begin")
    sessions.authorise("a", text)
    assert not sessions.is_nothing_open()
    sessions.authorise("a", "rollback; select 1")
    assert sessions.is_nothing_open()


def test_views_of_all_measures_are_those_of_measures_that_were_announced(sessions: Watched, tmp_path: Path) -> None:
    """Else a writer could have others told anything by the name of scores."""
    path = own_measure(
        tmp_path / "own.sql", "Own", "select qrels, run, topic, 1.0::double as value from evaluated_topics"
    )
    own = read_relation(path, path.read_text())
    made = [statement for _, statement in own_statements(read_catalog().extended([own]), [own])]
    (scores,) = (each for each in made if each.startswith("create or replace view scores"))
    announced = MEASURES + json.dumps([(own.name, own.text)])
    sessions.authenticate("r", READ, "")
    assert sessions.authorise("r", announced) is None
    assert str(sessions.authorise("a", scores)).startswith("select error(")
    sessions.authorise("a", "begin")
    assert str(sessions.authorise("a", announced)).endswith("; select true as known")
    for name, text in (("b", scores), ("r", scores), ("a", scores.replace("Own", "AP")), ("a", f"{scores} limit 0")):
        assert str(sessions.authorise(name, text)).startswith("select error(")
    assert all(f"\n;{each}\n;" in str(sessions.authorise("a", each)) for each in made)
    statements = duckdb.extract_statements("\n;".join(keeping(read_catalog().extended([own]))))
    written = "\n;".join(each.query for each in statements)
    assert f"\n;{written}\n;" in str(sessions.authorise("a", written))
    assert str(sessions.authorise("a", written)).startswith("select error(")  # once
    sessions.authorise("a", announced)
    for each in made:
        sessions.authorise("a", each)
    assert str(sessions.authorise("a", written.replace("AP", "RR"))).startswith("select error(")
    alone = written[written.index("delete from main.warehouse") :]  # it would say so of measures that are not kept
    assert "evalsql alone writes" in str(sessions.authorise("a", alone))
    reading_it = own.text.replace("evaluated_topics", "own").replace("Own", "Other")
    pairs = [("other", reading_it), ("own", own.text)]  # clients, who read them in this order, would leave one out
    assert str(sessions.authorise("a", MEASURES + json.dumps(pairs))).startswith("select error(")
    reading = own.text.replace("evaluated_topics", "read_text('x')")
    inside = str(read_catalog()["ap"].path.with_name("own"))  # a measure there would count as the package's
    pairs = [("ap", own.text), ("a; b", own.text), ("own", reading), (inside, own.text)]
    for text in ("", "[1]", "{", "[" * 100_000, '["a"]', '[["own", 1]]', *(json.dumps([pair]) for pair in pairs)):
        assert str(sessions.authorise("a", MEASURES + text)).startswith("select error("), text


def test_measures_are_kept_whole_and_nothing_else_gets_their_names(sessions: Watched, tmp_path: Path) -> None:
    """Else a writer could have others told anything by their names, or by that of scores."""
    path = own_measure(
        tmp_path / "own.sql", "Own", "select qrels, run, topic, 1.0::double as value from evaluated_topics"
    )
    own = read_relation(path, path.read_text())
    made = [statement for _, statement in own_statements(read_catalog().extended([own]), [own])]
    made.append("\n;".join(f"{each}" for each in keeping(read_catalog().extended([own]))))
    made[-1] = "\n;".join(each.query for each in duckdb.extract_statements(made[-1]))
    announced, known = MEASURES + json.dumps([(own.name, own.text)]), "; select true as known"
    drops = 'drop view if exists "team"."main"."own"'

    def is_refused(text: str) -> bool:
        return str(sessions.authorise("a", text)).startswith("select error(")

    for before in ("select 1", "select error(''); begin", "begin; commit", "begin; select 1", "explain begin"):
        sessions.authorise("a", before)
        assert is_refused(announced), before  # each statement would be a transaction
        sessions.authorise("a", "rollback")
    sessions.authorise("a", "begin")
    assert str(sessions.authorise("a", announced)).endswith(known)
    assert sessions.authorise("a", drops) == drops
    assert is_refused(made[1])  # in their order
    for each in made[:-1]:
        assert not is_refused(each)
    assert is_refused(drops)  # of what is made by now
    for ends in (
        "commit",
        "select 1; end",
        "explain commit",
        "explain analyze commit",
        "select nosuch; rollback; end",
    ):
        assert is_refused(ends)
    assert is_refused("select nosuch; rollback")  # which does not come to that
    assert is_refused("select 1; rollback")  # behind which each step would be a transaction
    assert is_refused("commit")
    assert is_refused("drop view own")
    assert not is_refused("rollback")
    assert not is_refused("drop view own")  # which is no measure's name then
    assert not is_refused("commit")  # of nothing
    sessions.authorise("a", "begin")
    assert str(sessions.authorise("a", announced)).endswith(known)
    done = re.search("evalsql_done_[0-9a-f]+", str(sessions.authorise("a", drops) and sessions.authorise("a", made[0])))
    assert is_refused(f"set variable {done[0].upper()} = 1" if done else "")
    for each in (*made[1:], "commit"):
        assert not is_refused(each)
    assert is_refused(drops)
    for text in (
        *("create or replace view own as select 1", "create macro main.own(k := 1) as table select 1", "drop view own"),
        *("create table s.own as select 1", "drop macro table if exists main.own"),
    ):
        assert is_refused(text), text
    assert not is_refused("create or replace temp view own as select 1")
    assert not is_refused('drop view if exists "temp"."main"."own"')


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
    assert isinstance(server_error(refused[len("select error('") : -2], Address("localhost", 9494)), WarehouseError)
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
