"""Serves the folder of a site on this machine: to no other, for reading only, by ranges where they are asked for."""

from __future__ import annotations

import mimetypes
import os
import re
import shutil
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Lock, Thread
from typing import IO
from urllib.parse import unquote, urlsplit

from evalsql.errors import UsageError

LOOPBACK = "127.0.0.1"
_PAUSE = 1.0  # seconds between two looks at the warehouse
_HOST = re.compile(r"(?:127\.0\.0\.1|localhost)(?::\d+)?", re.IGNORECASE)
_RANGE = re.compile(r"bytes=(\d*)-(\d*)")
_TYPES = {".wasm": "application/wasm", ".js": "text/javascript", ".html": "text/html; charset=utf-8"}


class SiteServer(ThreadingHTTPServer):
    """Serves a folder until it is closed; ``changing`` is to be held while another folder takes its place.

    Args:
        port: 0 takes a free one.
    """

    daemon_threads = True

    def __init__(self, folder: Path, port: int = 0) -> None:
        super().__init__((LOOPBACK, port), _Handler)
        self.folder = folder
        self.changing = Lock()
        self.requested: list[str] = []
        self._thread = Thread(target=self.serve_forever, daemon=True)

    @property
    def address(self) -> str:
        return f"http://{LOOPBACK}:{self.server_port}/"

    def start(self) -> None:
        """Serve in a thread of its own."""
        self._thread.start()

    def close(self) -> None:
        if self._thread.is_alive():
            self.shutdown()
            self._thread.join()
        self.server_close()


def open_server(folder: Path, port: int) -> SiteServer:
    """A server of this folder; raises UsageError where the port is taken."""
    try:
        return SiteServer(folder, port)
    except OSError as error:
        raise UsageError(f"port {port}: {error.strerror}; name another with --port, 0 takes a free one") from error


class _Handler(BaseHTTPRequestHandler):
    server: SiteServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def log_message(self, *_: object) -> None:
        """Say nothing: what was asked for is in ``requested``."""

    def _answer(self, *, with_body: bool) -> None:
        # A page elsewhere whose name leads to this machine sends its own name, and gets nothing.
        if not _HOST.fullmatch(self.headers.get("Host", "")):
            self._refuse(HTTPStatus.FORBIDDEN)
            return
        self.server.requested.append(self.path)
        with self.server.changing:
            path = self._path()
            stream = path.open("rb") if path else None
        if path is None or stream is None:
            self._refuse(HTTPStatus.NOT_FOUND)
            return
        with stream:
            self._send(path, stream, with_body=with_body)

    def _path(self) -> Path | None:
        """The file that is asked for, if it is one of the site's."""
        name = unquote(urlsplit(self.path).path)
        root = self.server.folder.resolve()
        try:
            path = (root / name.lstrip("/")).resolve()
            path = path / "index.html" if path.is_dir() else path
            return path if path.is_file() and root in path.parents else None
        except (OSError, ValueError):
            return None

    def _send(self, path: Path, stream: IO[bytes], *, with_body: bool) -> None:
        size = os.fstat(stream.fileno()).st_size
        first, last = 0, size - 1
        asked = _RANGE.fullmatch(self.headers.get("Range", ""))
        if asked and (asked[1] or asked[2]):
            first = int(asked[1]) if asked[1] else max(size - int(asked[2]), 0)
            last = min(int(asked[2]), size - 1) if asked[1] and asked[2] else size - 1
            if first > last:
                self._refuse(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, {"Content-Range": f"bytes */{size}"})
                return
            self.send_response(HTTPStatus.PARTIAL_CONTENT)
            self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
        else:
            self.send_response(HTTPStatus.OK)
        kind = _TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        self.send_header("Content-Type", "application/gzip" if path.suffix == ".gz" else kind)
        self.send_header("Content-Length", str(last - first + 1))
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Cache-Control", "no-cache")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        if with_body:
            stream.seek(first)
            self._copy(stream, last - first + 1)

    def _copy(self, stream: IO[bytes], length: int) -> None:
        try:
            while length > 0 and (block := stream.read(min(length, 1 << 18))):
                self.wfile.write(block)
                length -= len(block)
        except ConnectionError:
            self.close_connection = True  # the reader has gone

    def _refuse(self, status: HTTPStatus, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()


State = tuple[tuple[int, int], ...]


def state_of(path: Path) -> State:
    """What tells whether a warehouse has changed: size and time of its file and of what waits to go into it."""
    found = []
    for each in (path, path.with_name(f"{path.name}.wal")):
        try:
            facts = each.stat()
            found.append((facts.st_mtime_ns, facts.st_size))
        except OSError:
            found.append((0, 0))
    return tuple(found)


def keep_current(path: Path, written: State, rewrite: Callable[[], None], ended: Event) -> None:
    """Write the site anew whenever the warehouse has changed and changes no more, until the event is set."""
    before = written
    while not ended.wait(_PAUSE):
        now = state_of(path)
        if now != written and now == before:
            rewrite()
            written = now
        before = now


def replace_folder(server: SiteServer, folder: Path) -> None:
    """Serve another folder in the place of the one before, which goes."""
    with server.changing:
        old, server.folder = server.folder, folder
    shutil.rmtree(old, ignore_errors=True)
