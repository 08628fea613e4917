"""Serves the folder of a site on this machine: to no other, for reading only, by ranges where they are asked for."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from time import sleep
from typing import IO, Any
from urllib.parse import unquote, urlsplit

from evalsql.errors import UsageError

_LOOPBACK = "127.0.0.1"
_PAUSE = 1.0  # seconds between two looks at the warehouse
_HOST = re.compile(r"(?:127\.0\.0\.1|localhost)(?::\d+)?", re.IGNORECASE)
_TYPES = {".wasm": "application/wasm", ".js": "text/javascript", ".html": "text/html; charset=utf-8"}
_RANGE = re.compile(r"bytes=(?=.*\d)(\d*)-(\d*)")


class SiteServer(ThreadingHTTPServer):
    """Serves a folder until it is closed; port 0 takes a free one. Raises UsageError where the port is taken."""

    daemon_threads = True

    def __init__(self, folder: Path, port: int = 0) -> None:
        try:
            super().__init__((_LOOPBACK, port), _Handler)
        except OSError as error:
            raise UsageError(f"port {port}: {error.strerror}; name another with --port, 0 takes a free one") from error
        self.folder = folder
        self.changing = Lock()
        self.requested: list[str] = []
        self._thread = Thread(target=self.serve_forever, daemon=True)
        self.address = f"http://{_LOOPBACK}:{self.server_port}/"

    def start(self) -> None:
        """Serve in a thread of its own."""
        self._thread.start()

    def replace_folder(self, folder: Path) -> None:
        """Serve another folder, and remove the one before."""
        with self.changing:
            old, self.folder = self.folder, folder
        shutil.rmtree(old, ignore_errors=True)

    def close(self) -> None:
        if self._thread.is_alive():
            self.shutdown()
            self._thread.join()
        self.server_close()


class _Handler(SimpleHTTPRequestHandler):
    server: SiteServer
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Say nothing: what was asked for is in ``requested``."""

    def send_head(self) -> Any:
        """Send the headers of the file that is asked for; returns the file, nothing where it is refused."""
        # A page elsewhere whose name leads to this machine sends its own name, and gets nothing.
        if not _HOST.fullmatch(self.headers.get("Host", "")):
            return self._answer(HTTPStatus.FORBIDDEN)
        self.server.requested.append(self.path)
        with self.server.changing:
            path = self._path()
            stream = path.open("rb") if path else None
        if path is None or stream is None:
            return self._answer(HTTPStatus.NOT_FOUND)
        size = os.fstat(stream.fileno()).st_size
        first, last, status, headers = 0, size - 1, HTTPStatus.OK, dict[str, str]()
        if asked := _RANGE.fullmatch(self.headers.get("Range", "")):
            first = int(asked[1]) if asked[1] else max(size - int(asked[2]), 0)
            last = min(int(asked[2]), size - 1) if asked[1] and asked[2] else size - 1
            if first > last:
                stream.close()
                return self._answer(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, {"Content-Range": f"bytes */{size}"})
            status, headers = HTTPStatus.PARTIAL_CONTENT, {"Content-Range": f"bytes {first}-{last}/{size}"}
        headers |= {
            "Content-Type": _TYPES.get(path.suffix) or self.guess_type(path),
            "Accept-Ranges": "bytes",
            "Cache-Control": "no-cache",
            "X-Content-Type-Options": "nosniff",
        }
        self._left = last - first + 1
        self._answer(status, headers, self._left)
        stream.seek(first)
        return stream

    def _path(self) -> Path | None:
        """The file that is asked for, if it is one of the site's."""
        root = self.server.folder.resolve()
        try:
            path = (root / unquote(urlsplit(self.path).path).lstrip("/")).resolve()
            path = path / "index.html" if path.is_dir() else path
            return path if path.is_file() and root in path.parents else None
        except (OSError, ValueError):
            return None

    def _answer(self, status: HTTPStatus, headers: Mapping[str, str] = {}, length: int = 0) -> None:
        self.send_response(status)
        for name, value in (*headers.items(), ("Content-Length", str(length))):
            self.send_header(name, value)
        self.end_headers()

    def copyfile(self, source: IO[bytes], outputfile: Any) -> None:  # type: ignore[override]
        """Send the rest of the range."""
        try:
            while self._left > 0 and (block := source.read(min(self._left, 1 << 18))):
                outputfile.write(block)
                self._left -= len(block)
        except ConnectionError:
            self.close_connection = True  # the reader has gone


def state_of(path: Path) -> list[tuple[int, int]]:
    """What tells whether a warehouse has changed: time and size of its file and of what waits to go into it."""
    found = []
    for each in (path, path.with_name(f"{path.name}.wal")):
        with suppress(OSError):
            facts = each.stat()
            found.append((facts.st_mtime_ns, facts.st_size))
    return found


def keep_current(path: Path, written: object, rewrite: Callable[[], None]) -> None:
    """Write the site anew whenever the warehouse, ``written`` being its state, has changed and rests; until Ctrl-C."""
    before = written
    while True:
        sleep(_PAUSE)
        now = state_of(path)
        if now != written and now == before:
            rewrite()
            written = now
        before = now
