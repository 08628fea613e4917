"""What rows come from: files, compressed or not, and what is fetched, as datasets by name and objects of stores."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import IO, TYPE_CHECKING, Any, NamedTuple, TypeVar, cast
from urllib.parse import urlsplit

from evalsql.database import engine
from evalsql.database.disk import place_to_spill
from evalsql.database.quack import load_extension
from evalsql.errors import InputError, Problem, QueryError, UsageError, WarehouseError, input_error

if TYPE_CHECKING:
    import duckdb

# Modules that decompress files, by how these begin.
COMPRESSIONS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bz2", b"\xfd7zXZ": "lzma"}
IN_MEMORY = "in memory"  # where rows come from that are in no file
GROWTH = 5  # bytes of text per compressed byte, to size batches
HEAD = 65_536  # bytes by which a format is recognised
FIRST_LINES = 50  # lines by which TREC text is told from other tables
LONGEST_LINE = 1_000_000  # bytes; longer ones are refused, the engine drops them without a word at 32 MB
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
NOT_UTF8 = "not UTF-8 text; iconv -f latin1 -t utf-8 converts it if it is Latin-1"
SURROGATE = re.compile("[\ud800-\udfff]")
TOO_DEEP = "nested too deeply to be rows or rankings"
_SHEETS = ({"topic", "topic_text", "document", "grade"}, {"query", "docid", "rating"}, {"Doc ID", "Rating"})
_ODD_BYTES = (b"\0", b"\v", b"\f")
_CHUNK = LONGEST_LINE // 2  # two chunks that end at the end of a line hold no longer line

T = TypeVar("T")


@dataclass(frozen=True)
class Format:
    """What a file is.

    Attributes:
        reader: csv, jsonl (a row a line), nuggets (a topic a line), json (read whole), lines (columns without
            quotes), letor, parquet or arrow.
        columns: its column for each meaning, where the first lines tell.
        names: all columns of a text file in order.
        skipped: lines before the first row.
        is_exact: whether a line has these columns and no others.
    """

    name: str
    reader: str
    columns: Mapping[str, str] = field(default_factory=dict)
    names: Sequence[str] = ()
    delimiter: str = ""
    skipped: int = 0
    is_exact: bool = False

    @property
    def has_lines(self) -> bool:
        return self.reader in ("csv", "jsonl", "nuggets", "lines", "letor")

    @property
    def is_sheet(self) -> bool:
        """Whether it is a sheet of ``evalsql pool --write`` or of Quepid, where some grades may still be missing."""
        return "grade" in self.columns and any(each <= {*self.names} for each in _SHEETS)


class Source(NamedTuple):
    """One input file: how messages call it, where its bytes are, and the module that decompresses these.

    ``form`` is what it was recognised as; None where that was not asked, and of TREC text. ``number`` is its place,
    from 0, among the files that are loaded together. ``said`` has what it says of its run: system, version, collection.
    """

    label: str
    path: Path
    compression: str = ""
    form: Format | None = None
    number: int = 0
    first_lines: Sequence[bytes] = ()
    said: Mapping[str, str] = {}

    @property
    def text_bytes(self) -> int:
        size = self.path.stat().st_size
        return size * GROWTH if self.compression else size

    def open(self) -> IO[bytes]:
        if not self.compression:
            return self.path.open("rb")
        module = _zstd() if self.compression == "zstd" else import_module(self.compression)
        stream = module.open(self.path, "rb")
        if self.compression in ("bz2", "lzma"):  # they end without a word where a further stream is damaged
            stream._buffer.raw._trailing_error = ()
        return cast(IO[bytes], stream)

    def head(self) -> bytes:
        """The first bytes of the text, without a byte-order mark."""
        with self.open() as stream:
            return stream.read(HEAD).removeprefix(BYTE_ORDER_MARK)

    def problem(self, line: int, reason: str) -> Problem:
        """What is wrong with a line, or with the file as a whole if that is 0."""
        return Problem(self.label, line, reason)

    def error(self, reason: str, line: int = 0) -> InputError:
        return input_error(self.label, reason, line)

    def sha256(self) -> str:
        with self.path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()

    def plain_text(self, copy: Path) -> Path | None:
        """The file as text, decompressed into ``copy`` if need be; None if only the exact reader takes it as it is.

        So it is where it cannot be decompressed whole, has very long lines, or is not what ``_is_ordinary`` says.
        """
        path = copy if self.compression else self.path
        has_returns: bool | None = None
        try:
            with self.open() as stream, nullcontext() if path == self.path else copy.open("wb") as target:
                while chunk := stream.read(_CHUNK):
                    rest = stream.readline(_CHUNK)
                    lines = chunk + rest
                    if target:
                        target.write(lines)
                    if has_returns is None:
                        lines = lines.removeprefix(BYTE_ORDER_MARK)
                        has_returns = b"\r" in lines
                    if len(rest) == _CHUNK or not _is_ordinary(lines, has_returns=has_returns):
                        return None
        except unreadable():
            return None
        return path


def _is_ordinary(lines: bytes, *, has_returns: bool) -> bool:
    """Whether all lines end alike, by both bytes or none, and hold no white space of C that the engine takes for text.

    Raises ValueError for what is not UTF-8.
    """
    _ = lines.isascii() or lines.decode("utf-8")
    has_mark = BYTE_ORDER_MARK[:1] in lines and BYTE_ORDER_MARK in lines  # to look for one byte first is faster by far
    if has_mark or any(byte in lines for byte in _ODD_BYTES):
        return False
    if not has_returns:
        return b"\r" not in lines
    return lines.count(b"\r") == lines.count(b"\r\n") == lines.count(b"\n")


def json_fault(error: ValueError) -> str:
    """What is wrong with JSON, and from which column of the line on."""
    if not isinstance(error, json.JSONDecodeError):
        return str(error)  # of a number with too many digits
    rest = error.doc[error.pos :].strip()
    if not rest:
        return "it breaks off, as a file does that was not written to its end"
    what = "one value ends and more follows" if error.msg == "Extra data" else "it is not as JSON has it"
    return f"{what} from column {error.colno} on: {rest.splitlines()[0][:30]}"


def unreadable(*further: type[Exception]) -> tuple[type[Exception], ...]:
    """The errors that stand for a file which cannot be read or decompressed, and further ones."""
    from lzma import LZMAError

    return *further, OSError, EOFError, ValueError, zlib.error, LZMAError, _zstd().ZstdError


def _zstd() -> ModuleType:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


def open_file(label: str, path: Path) -> tuple[Source, bytes]:
    """A file under the name that messages call it by, and its first bytes; none if they cannot be decompressed."""
    with path.open("rb") as stream:
        head = stream.read(HEAD)
    source = Source(label, path, next((name for magic, name in COMPRESSIONS.items() if head.startswith(magic)), ""))
    if source.compression:
        try:
            with source.open() as stream:
                head = stream.read(HEAD)
        except unreadable():
            head = b""  # the readers of files say why
    lines = head.split(b"\n", FIRST_LINES)
    return source._replace(first_lines=lines[:-1] if len(head) == HEAD else lines[:FIRST_LINES]), head


def arrow_table(source: Source) -> Any:
    """The table of an Arrow or Feather file; raises UsageError without pyarrow, QueryError if it is broken."""
    try:
        import pyarrow
        from pyarrow import feather, ipc
    except ImportError as error:
        reason = "reading Arrow and Feather files takes pyarrow; pip install pyarrow, or write Parquet"
        raise UsageError(reason) from error
    try:
        with source.open() as stream:
            start = stream.read(4)
        with source.open() as stream:
            table = ipc.open_stream(stream).read_all() if start == b"\xff\xff\xff\xff" else feather.read_table(stream)
        table.validate(full=True)  # over text that is not UTF-8 the engine would give up the database
        return table
    except unreadable(pyarrow.ArrowException) as error:
        raise QueryError(str(error)) from error


def in_batches(items: Iterable[T], size: Callable[[T], int], most: int) -> Iterator[list[T]]:
    """The items in their order, as many together as have the size ``most``, and one at least."""
    batch, total = list[T](), 0
    for item in items:
        if batch and total + size(item) > most:
            yield batch
            batch, total = [], 0
        batch.append(item)
        total += size(item)
    if batch:
        yield batch


DATASET = "irds:"
_WANTED = {"qrels": "judgments", "scoreddocs": "runs", "queries": "topics", "docs": "documents"}


def is_dataset(source: object) -> bool:
    """Whether it names a dataset, and no file that is called like one."""
    return isinstance(source, str) and source.startswith(DATASET) and not os.path.exists(source)


def write_dataset(label: str, kind: str, path: Path) -> None:
    """Write judgments, or the run that comes with a dataset, as a table with a header; errors as ``_dataset_rows``."""
    if kind not in ("run", "grades", "groups"):
        raise UsageError(f"{label}: datasets have judgments with grades; --form {kind} takes a file")
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
        if kind == "run":
            writer.writerow(("topic", "document", "score"))
            writer.writerows((each.query_id, each.doc_id, each.score) for each in _dataset_rows(label, "scoreddocs"))
            return
        writer.writerow(("topic", "document", "grade", "iteration"))
        for each in _dataset_rows(label, "qrels"):
            iteration = getattr(each, "subtopic_id", None) or getattr(each, "iteration", None) or "0"
            writer.writerow((each.query_id, each.doc_id, each.relevance, iteration))


def dataset_records(label: str, what: str) -> Iterator[dict[str, str]]:
    """The queries or docs of a dataset, as far as they are text."""
    for each in _dataset_rows(label, what):
        yield {name: value for name, value in each._asdict().items() if isinstance(value, str)}


def _dataset_rows(label: str, what: str) -> Iterator[Any]:
    """The qrels, scoreddocs or queries of a dataset; raises UsageError without them, InputError if it is unreadable."""
    try:
        import ir_datasets
    except ImportError as error:
        raise UsageError(f"{label}: datasets by name take ir_datasets; pip install 'evalsql[irds]'") from error
    try:
        dataset = ir_datasets.load(label.removeprefix(DATASET))
    except KeyError as error:
        raise UsageError(f"{label}: ir_datasets knows no dataset of this name") from error
    if not getattr(dataset, f"has_{what}")():
        there = [word for each, word in _WANTED.items() if getattr(dataset, f"has_{each}")()]
        raise UsageError(f"{label}: the dataset has no {_WANTED[what]}, but {' and '.join(there)}")
    try:
        yield from getattr(dataset, f"{what}_iter")()
    except Exception as error:  # what a download raises is of many kinds
        raise input_error(label, f"ir_datasets cannot read it: {error}") from error


# Keys are those of the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION, and
# AWS_ENDPOINT_URL for another store than Amazon's) or of a secret that the user keeps in DuckDB. The connection is of
# its own: those of warehouses reach no network.
_SCHEMES = ("s3://", "s3a://", "gs://", "gcs://", "r2://", "https://", "http://")


def is_object(path: str) -> bool:
    return path.lower().startswith(_SCHEMES)


def without_keys(name: str) -> str:
    """An object's name without a password and without what is behind a question mark, which may be a key; else itself.

    Names are kept in warehouses, which others read.
    """
    if not is_object(name):
        return name
    scheme, _, rest = name.partition("://")
    host, slash, path = rest.partition("?")[0].partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}"


def objects_named(pattern: str) -> list[str]:
    """The objects that a pattern stands for, or itself; InputError where the store does not answer."""
    if not any(mark in pattern for mark in "*?["):
        return [pattern]
    with _connection(pattern) as connection:
        found = connection.execute("select file from glob(?) order by file", [_as_engine(pattern)]).fetchall()
    return [name for (name,) in found] or [pattern]


def copy_object(name: str, path: Path) -> None:
    """Copy an object, byte by byte, into a file; InputError says why it cannot be read."""
    with _connection(name) as connection:
        row: Any = connection.execute("select content from read_blob(?)", [_as_engine(name)]).fetchone()
    if row is None:
        raise input_error(without_keys(name), "no such object")
    path.write_bytes(row[0])


def _as_engine(name: str) -> str:
    return "s3" + name[3:] if name.lower().startswith("s3a:") else name


@contextmanager
def _connection(name: str) -> Iterator[duckdb.DuckDBPyConnection]:
    config = {"allow_unsigned_extensions": True, "temp_directory": place_to_spill(), **engine.SETTINGS}
    with engine.connect(":memory:", config=config) as connection:
        try:
            load_extension(connection, "httpfs", "object stores")
            if url := os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL"):
                scheme, host, *_ = urlsplit(url)
                connection.execute("set s3_endpoint = ?", [host])
                connection.execute(f"set s3_url_style = 'path'; set s3_use_ssl = {scheme == 'https'}")
            with engine.interruptible(connection):
                yield connection
        except WarehouseError as error:
            raise input_error(without_keys(name), str(error)) from error
        except engine.Error as error:
            reason = str(error).strip().partition("\n")[0].replace(name, shown := without_keys(name))
            raise input_error(shown, f"the store says: {reason}") from error
