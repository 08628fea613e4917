"""``evalsql site --serve``: this machine only, the site's files only, kept current."""

import http.client
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from contextlib import closing
from email.message import Message
from pathlib import Path

import pytest

import evalsql
from evalsql import UsageError
from evalsql.report.site import site_folder
from evalsql.report.site.site_folder import SiteServer
from tests.conftest import Command, new_file, write
from tests.report.site.conftest import served


def answer(server: SiteServer, path: str, *, method: str = "GET", **headers: str) -> tuple[int, Message, bytes]:
    with closing(http.client.HTTPConnection("127.0.0.1", server.server_port)) as connection:
        connection.request(method, path, headers=headers)
        response = connection.getresponse()
        return response.status, response.headers, response.read()


NOT_THERE = ("/../secret.txt", "/%2e%2e/secret.txt", "/sets/../../secret.txt", "/out", "//etc/passwd", "/%00", "/no")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "secret.txt", "secret")
    write(tmp_path / "site" / "index.html", "<p>first")
    write(tmp_path / "site" / "sets" / "index.html", "<p>sets")
    write(tmp_path / "site" / "data.bin", bytes(range(100)))
    (tmp_path / "site" / "out").symlink_to(tmp_path / "secret.txt")
    return tmp_path / "site"


def test_files_and_ranges(folder: Path) -> None:
    whole = bytes(range(100))
    with served(folder) as server:
        assert server.server_address[0] == "127.0.0.1"
        status, headers, body = answer(server, "/")
        assert (status, body) == (200, b"<p>first")
        assert headers["content-type"] == "text/html; charset=utf-8"
        assert answer(server, "/sets/?x=1")[2] == b"<p>sets"
        for asked, (first, last) in {"10-19": (10, 19), "90-": (90, 99), "-5": (95, 99), "90-200": (90, 99)}.items():
            status, headers, body = answer(server, "/data.bin", Range=f"bytes={asked}")
            assert (status, body) == (206, whole[first : last + 1]), asked
            assert headers["content-range"] == f"bytes {first}-{last}/100"
        assert answer(server, "/data.bin", Range="bytes=100-")[0] == 416
        assert answer(server, "/data.bin", Range="lines=1-2")[2] == whole
        status, headers, body = answer(server, "/data.bin", method="HEAD")
        assert (status, headers["content-length"], body) == (200, "100", b"")


def test_nothing_but_the_site_s_files_and_nothing_for_others(folder: Path) -> None:
    with served(folder) as server:
        for path in NOT_THERE:
            status, _, body = answer(server, path)
            assert (status, body) == (404, b""), path
        assert answer(server, "/", Host="example.org")[0] == 403
        status, headers, _ = answer(server, "/", Host="localhost:1")
        assert (status, headers["cross-origin-resource-policy"]) == (200, "same-origin")
        for method in ("POST", "PUT", "DELETE"):
            assert answer(server, "/index.html", method=method)[0] == 501
    assert (folder / "index.html").read_text() == "<p>first"


def test_a_changed_warehouse_is_written_anew_once_it_rests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A look at the warehouse a step; what was written by then."""
    path = write(tmp_path / "w.duckdb", "1")
    # Nothing, a change and another one of its log, rest (written), nothing, a change, rest (written).
    steps = iter(["", "w.duckdb", "w.duckdb.wal", "", "", "w.duckdb", "", "end"])
    looks, written = list[str](), list[int]()

    def step(_: float) -> None:
        looks.append(next(steps))
        if looks[-1] == "end":
            raise KeyboardInterrupt
        if looks[-1]:
            write(tmp_path / looks[-1], "1" * (len(looks) + 1))

    monkeypatch.setattr(site_folder, "sleep", step)
    with pytest.raises(KeyboardInterrupt):
        written.extend(len(looks) for _ in site_folder.changes(path, site_folder.state_of(path)))
    assert written == [4, 7]


@pytest.mark.long
def test_a_site_is_kept_current(tmp_path: Path) -> None:
    database = new_file(tmp_path)
    with evalsql.open(database) as warehouse:
        warehouse.load_qrels({"1": {"a": 1}}, "q")
        warehouse.load_run({"1": {"a": 1.0}}, "first-run")
    before = database.read_bytes()
    command = [sys.executable, "-m", "evalsql", "site", "--serve", "--port", "0", "--db", str(database), "-m", "RR"]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, text=True, env=environment, stdout=pipe, stderr=pipe) as process:
        try:
            assert process.stderr is not None
            line = next(line for line in process.stderr if "http://" in line)
            found = re.match(r"(http://127\.0\.0\.1:\d+/) shows \d+ pages on this machine only", line)
            assert found is not None, line

            def page() -> str:
                with urllib.request.urlopen(found[1]) as response:
                    return str(response.read().decode())

            assert "first-run" in page()
            assert database.read_bytes() == before
            with evalsql.open(database) as warehouse:
                warehouse.load_run({"1": {"a": 1.0}}, "second-run")
            assert "the warehouse changed; the site" in next(line for line in process.stderr if "changed" in line)
            assert "second-run" in page()
            with evalsql.open(database) as warehouse:
                warehouse.drop_runs("*")
            assert "the site was not rewritten: " in next(line for line in process.stderr if "rewritten" in line)
            assert "second-run" in page()
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=30) == 130
            assert process.stdout is not None
            assert process.stdout.read() == ""
        finally:
            process.kill()
    deadline = time.monotonic() + 5
    while list(tmp_path.glob("evalsql-*")) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert list(tmp_path.glob("evalsql-*")) == []


def test_a_port_that_is_taken_is_told(command: Command, sample_file: Path, folder: Path) -> None:
    with served(folder) as server, pytest.raises(UsageError, match=f"port {server.server_port}: .* with --port"):
        SiteServer(folder, server.server_port)
    assert command("site", "--serve", "-o", "x", "--db", sample_file).returncode == 2
