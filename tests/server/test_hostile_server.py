"""A server of somebody else: what it answers does not reach into the client."""

import base64
import os
import re
import shutil
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast

import duckdb
import pytest

import evalsql
from evalsql import WarehouseError
from evalsql.database import quack
from evalsql.errors import ReachError
from evalsql.literals import literal
from evalsql.warehouse import open as opening
from tests.conftest import Command, write
from tests.server.served import HAS_SERVER, REASON, free_port

pytestmark = pytest.mark.skipif(not HAS_SERVER and not os.environ.get("EVALSQL_DEMAND_SERVER"), reason=REASON)


@contextmanager
def answering(path: Path | str, answer: Callable[[str], str]) -> Iterator[str]:
    """The address of a server of somebody else, which runs what ``answer`` says."""
    url, text = f"quack:localhost:{free_port()}", cast(Any, "varchar")
    with duckdb.connect(path, config={"allow_unsigned_extensions": True}) as connection:
        quack.load(connection)
        connection.create_function("otherwise", lambda _, sent: answer(sent), [text] * 2, text)
        connection.execute("set global quack_authorization_function = 'otherwise'")
        connection.execute(f"call quack_serve('{url}', token = '{'t' * 20}')").fetchall()
        try:
            yield url
        finally:
            connection.execute(f"call quack_stop('{url}')").fetchall()


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        (quack.HELLO, "select 'write'"),
        (quack.HELLO, "select 1 limit 0"),
        (quack.LOCK, "select 1, 2"),
        (quack.LOCK, "select 1 limit 0"),
    ],
)
def test_a_server_that_answers_otherwise_is_told(file: Path, tmp_path: Path, request_: str, answer: str) -> None:
    answers = {quack.HELLO: "select 'a' as session, 'write' as role", request_: answer}
    with (
        answering(shutil.copy(file, tmp_path), lambda sent: answers.get(sent, sent)) as url,
        pytest.raises(WarehouseError, match="answers otherwise than evalsql serve does"),
    ):
        evalsql.open(url, token="t" * 20).load_run({"T01": {"d": 1.0}}, "x")


@pytest.mark.parametrize("words", ["leaderboard", "ls", "history", "pool -o p.csv"])
def test_rows_of_other_columns_are_told_in_a_sentence(
    file: Path, tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    def answer(sent: str) -> str:
        is_opening = any(each in sent for each in ("sql_digest", "added_relations", "duckdb_", "evalsql "))
        return sent if is_opening else "select 'a' as one, 'b' as two, 'c\x1b' as three"

    monkeypatch.setenv("EVALSQL_TOKEN", "t" * 20)
    with answering(shutil.copy(file, tmp_path), answer) as url:
        outcome = command(*words.split(), "--db", url)
    assert outcome.returncode == 3
    assert re.fullmatch(f"evalsql: {url}: {quack.OTHER} .*\n", outcome.stderr)


@pytest.mark.parametrize("told", ["null, null, null", "['a'], 1, {'a': 1}", "repeat('a', 9000000), 'b', 'c'"])
def test_a_server_of_an_odd_version_is_told_in_a_sentence(file: Path, tmp_path: Path, told: str) -> None:
    def answer(sent: str) -> str:
        return f"select 1, {told}" if "sql_digest" in sent else sent

    with (
        answering(shutil.copy(file, tmp_path), answer) as url,
        pytest.raises(WarehouseError, match=r"^[^\n]{1,400}install the same version on both sides$"),
    ):
        evalsql.open(url, token="t" * 20, read_only=True)


def test_tables_of_a_server_get_no_keys_of_the_client(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client plans the definition of each table there."""
    secret, told, place = "of-the-client", [], [""]
    words = "'select ''' || current_setting('s3_secret_access_key') || ''' as told'"

    def answer(sent: str) -> str:
        told.append(sent)
        made = f"create table z as from quack_query('{place[0]}', {words}, token = '{'t' * 20}')"
        return f"{sent} union all select 'main', {literal(made)}, 'table'" if "duckdb_tables()" in sent else sent

    with answering(shutil.copy(file, tmp_path), answer) as place[0]:
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", secret)
        monkeypatch.setenv("HTTP_PROXY", "http://of-the-proxy@127.0.0.1:9")  # which nothing on this machine is asked by
        with suppress(WarehouseError), evalsql.open(place[0], token="t" * 20, read_only=True):
            pass
    assert any("as told" in sent for sent in told)
    assert not any(secret in sent for sent in told)


def test_a_proxy_is_asked_and_no_sql_shows_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as proxy, ThreadPoolExecutor() as threads:
        monkeypatch.setenv("HTTP_PROXY", f"http://user:of-the%20client@127.0.0.1:{proxy.getsockname()[1]}")

        def answer() -> bytes:
            asking, _ = proxy.accept()
            with asking:
                return asking.recv(4096)

        asked = threads.submit(answer)
        with duckdb.connect(config={"allow_unsigned_extensions": True}) as connection:
            quack.load(connection)
            shown = connection.execute("select value from duckdb_settings()").fetchall()
            shown += connection.execute("from duckdb_secrets()").fetchall()
            with suppress(duckdb.Error):
                connection.execute(f"attach 'quack:example.invalid:443' as there (token '{'t' * 20}')")
        assert base64.b64encode(b"user:of-the client") in asked.result(timeout=60)
    assert "of-the" not in str(shown)


@pytest.mark.parametrize("shut", [{"reach": opening.Reach()}, {"external_access": False}])
def test_tables_of_a_server_read_no_file_of_a_client_that_reaches_none(
    file: Path, tmp_path: Path, shut: dict[str, Any]
) -> None:
    made = literal(f"create table z as from read_csv({literal(str(write(tmp_path / 'own.csv', 'a,b')))})")

    def answer(sent: str) -> str:
        return f"{sent} union all select 'main', {made}, 'table'" if "duckdb_tables()" in sent else sent

    with (
        answering(shutil.copy(file, tmp_path), answer) as url,
        pytest.raises(ReachError, match="disabled by configuration"),
    ):
        opening.open_database(url, token="t" * 20, read_only=True, **shut)
