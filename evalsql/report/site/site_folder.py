"""The folder of a site: written whole or not at all, and served on this machine, for reading only and to no other."""

import json
import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from threading import Lock, Thread
from time import sleep
from typing import Any
from urllib.parse import unquote, urlsplit

from evalsql.database.disk import whole_folder
from evalsql.errors import UsageError
from evalsql.evaluation.boards import COLLECTION, board
from evalsql.literals import literals
from evalsql.phrases import Progress, silent
from evalsql.report.html import read_part
from evalsql.report.page.html_page import page as report_page
from evalsql.report.page.single_pages import board_page
from evalsql.report.site.console_page import CDN, Copy, console_page, copy_engine, write_copy
from evalsql.report.site.pages import every_page
from evalsql.report.site.site_parts import BOARD, DIGITS, FILES, HOME, Links, SetResults, html
from evalsql.version import __version__
from evalsql.warehouse.warehouse import Warehouse

_MARK = ".evalsql-site"  # a folder with this file was written here and may be written anew
_LOOPBACK = "127.0.0.1"
_PAUSE = 1.0  # seconds between two looks at the warehouse
_HOST = re.compile(r"(?:127\.0\.0\.1|localhost)(?::\d+)?", re.IGNORECASE)
_TYPES = {".wasm": "application/wasm", ".js": "text/javascript", ".html": "text/html; charset=utf-8"}
_RANGE = re.compile(r"bytes=(?=.*\d)(\d*)-(\d*)")


def check_folder(folder: Path) -> None:
    """Raise UsageError where something stands that is no site."""
    is_empty = folder.is_dir() and not folder.is_symlink() and not any(folder.iterdir())
    if os.path.lexists(folder) and not (folder / _MARK).is_file() and not is_empty:
        raise UsageError(f"{folder}: exists and is not a site of evalsql; name another folder")


def write_site(
    warehouse: Warehouse,
    found: Sequence[SetResults],
    folder: Path,
    *,
    title: str = "",
    depth: int | None = None,
    wasm: Path | None = None,
    progress: Progress = silent,
) -> tuple[int, int, Copy]:
    """Write the site of these results of a warehouse; raises UsageError where the folder holds anything but a site.

    Returns the number of pages, the bytes of all files, and the copy, which has ``depth`` documents of each ranking at
    least. Readers fetch DuckDB-Wasm from its CDN, if ``wasm`` is not the folder of its unpacked npm package.
    """
    check_folder(folder)
    named = title or (found[0].qrels if len(found) == 1 else Path(warehouse.path).stem)
    links = Links(found, warehouse.catalog, named)
    if board_text := _board_page(warehouse, links):
        links.bar.insert(-2, BOARD)
    with whole_folder(folder, is_ours=True) as part:
        engine = copy_engine(wasm, part) if wasm else CDN
        progress("writing the site", 0, 2)
        copy = write_copy(warehouse.database, found, part, depth)
        progress("writing the site", 1, 2)
        if board_text:
            (part / BOARD[1]).write_text(board_text, encoding="utf-8", newline="\n", errors="surrogateescape")
        num_pages = int(bool(board_text))
        for address, content in _files(links, copy, engine):
            path = part / address
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8", newline="\n", errors="surrogateescape")
            num_pages += path.suffix == ".html"
        size = sum(path.stat().st_size for path in part.rglob("*") if path.is_file())
        progress("writing the site", 2, 2)
    return num_pages, size, copy


def _files(links: Links, copy: Copy, engine: str) -> Iterator[tuple[str, str]]:
    """Addresses and texts; ``engine`` is where the console finds DuckDB-Wasm."""
    for page in (*every_page(links, copy.partial), console_page(links, copy, engine)):
        yield page.address, html(page, links)
    for results in links.found:
        address = links.set_page(results.qrels, "report")
        above = [(links.title, links.on(address).root + HOME[1]), (results.qrels, "index.html")]
        yield address, report_page(results, DIGITS, above)
    index = json.dumps(_searchable(links), allow_nan=False, separators=(",", ":"))
    yield "search.js", f"window.searchable = {index};\n"
    yield "elements.js", read_part("elements.js")
    for path in sorted(FILES.glob("*.js")):
        yield path.name, path.read_text(encoding="utf-8")
    yield "site.css", read_part("page.css") + (FILES / "site.css").read_text(encoding="utf-8")
    yield ".nojekyll", ""  # GitHub's pages are served as they are
    yield _MARK, f"evalsql {__version__}\n"


def _shown(warehouse: Warehouse, links: Links) -> dict[str, Any]:
    """The runs and judgment sets of the pages, for the board, where the warehouse has others; else everything."""
    database = warehouse.database
    shown = {(results.qrels, run) for results in links.found for run in results.runs}
    held = database.rows("""
        select distinct qrels, run from evaluations join qrels using (qrels_id) join runs using (run_id)
        where replaced_at is null
    """)
    if shown.issuperset(held):
        return {}
    sets, runs = [results.qrels for results in links.found], sorted({run for _, run in shown})
    collections = database.column(f"select distinct {COLLECTION} from qrels where qrels in ({literals(sets)})")
    return {"where": f"run in ({literals(runs)})", "qrels": sets, "collections": collections}


def _board_page(warehouse: Warehouse, links: Links) -> str:
    """The board by the first measure, where systems have several collections; else empty."""
    with suppress(UsageError):
        one = board(warehouse.evaluation, measure=links.found[0].first, **_shown(warehouse, links))
        reports = {name: links.set_page(qrels) for name, qrels in one.sets.items() if qrels in links.sets}
        if len(one.collections) > 1:
            how: dict[str, Any] = {"reports": reports, "above": [(links.title, HOME[1])]}
            return board_page(warehouse.database, one, f"{links.title}: board", DIGITS, **how)
    return ""


def _searchable(links: Links) -> list[list[str]]:
    listed = [["system", run, links.system_page(run), ""] for run in links.systems]
    for results in links.found:
        qrels, of_set = results.qrels, f" ({results.qrels})" if len(links.found) > 1 else ""
        listed.append(["judgments", qrels, links.set_page(qrels), ""])
        for topic in results.topics:
            listed.append(["topic", topic + of_set, links.topic_page(qrels, topic), results.text(topic)])
    for each in links.catalog.measures:
        listed.append(["measure", each.header.measure, links.measure_page(each.name), each.header.title])
    return listed


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
        self._thread.start()
        self.address = f"http://{_LOOPBACK}:{self.server_port}/"

    def replace_folder(self, folder: Path) -> None:
        with self.changing:
            old, self.folder = self.folder, folder
        shutil.rmtree(old, ignore_errors=True)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of readers who have gone."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    def close(self) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()


class _Handler(SimpleHTTPRequestHandler):
    server: SiteServer
    protocol_version = "HTTP/1.1"
    extensions_map = SimpleHTTPRequestHandler.extensions_map | _TYPES

    def log_message(self, *_: object) -> None:
        """Say nothing: what was asked for is in ``requested``."""

    def send_head(self) -> BytesIO:
        """Send the headers of the file that is asked for; returns the bytes of it that are."""
        # A page elsewhere whose name leads to this machine sends its own name, and gets nothing.
        if not _HOST.fullmatch(self.headers.get("Host", "")):
            return self._answer(HTTPStatus.FORBIDDEN)
        self.server.requested.append(self.path)
        with self.server.changing:
            path = self._path()
            if path is None:
                return self._answer(HTTPStatus.NOT_FOUND)
            size = path.stat().st_size
            first, last, status, headers = 0, size - 1, HTTPStatus.OK, dict[str, str]()
            if asked := _RANGE.fullmatch(self.headers.get("Range", "")):
                first = int(asked[1]) if asked[1] else max(size - int(asked[2]), 0)
                last = min(int(asked[2]), size - 1) if asked[1] and asked[2] else size - 1
                if first > last:
                    status, headers = HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, {"Content-Range": f"bytes */{size}"}
                    return self._answer(status, headers)
                status, headers = HTTPStatus.PARTIAL_CONTENT, {"Content-Range": f"bytes {first}-{last}/{size}"}
            with path.open("rb") as stream:
                stream.seek(first)
                content = stream.read(last - first + 1)
        headers |= {
            "Content-Type": self.guess_type(path),
            "Accept-Ranges": "bytes",
            "Cache-Control": "no-cache",
            "X-Content-Type-Options": "nosniff",
            "Cross-Origin-Resource-Policy": "same-origin",  # else any page could run search.js and read it
        }
        return self._answer(status, headers, content)

    def _path(self) -> Path | None:
        """The file that is asked for, if it is one of the site's."""
        root = self.server.folder.resolve()
        with suppress(OSError, ValueError):
            path = (root / unquote(urlsplit(self.path).path).lstrip("/")).resolve()
            path = path / "index.html" if path.is_dir() else path
            return path if path.is_file() and root in path.parents else None
        return None

    def _answer(self, status: HTTPStatus, headers: Mapping[str, str] = {}, content: bytes = b"") -> BytesIO:
        self.send_response(status)
        for name, value in (*headers.items(), ("Content-Length", str(len(content)))):
            self.send_header(name, value)
        self.end_headers()
        return BytesIO(content)


def state_of(path: Path) -> list[tuple[int, int]]:
    """What tells whether a warehouse has changed: time and size of its file and of what waits to go into it."""
    found = []
    for each in (path, path.with_name(f"{path.name}.wal")):
        with suppress(OSError):
            facts = each.stat()
            found.append((facts.st_mtime_ns, facts.st_size))
    return found


def changes(path: Path, written: object) -> Iterator[None]:
    """Goes on whenever the warehouse, ``written`` being its state, has changed and rests; without an end."""
    before = written
    while True:
        sleep(_PAUSE)
        now = state_of(path)
        if now != written and now == before:
            yield
            written = now
        before = now
