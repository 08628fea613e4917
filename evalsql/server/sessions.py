"""Clients of a server: their tokens, what each may do, whose turn it is to write, which have gone without a word.

There are two tokens, one that writes and one that reads only, each in a file of its own. The extension asks two
functions: whether a token is known, and what to run instead of what a client sent. Its threads call them one at a time.
"""

import hmac
import os
import re
import secrets
import stat
import sys
import threading
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from evalsql.database import engine
from evalsql.database.quack import BEAT, HELLO, LEASE, LOCK, MEASURES, REFUSED, STOPPING, UNLOCK
from evalsql.database.statement_calls import MOST
from evalsql.database.statement_text import BEGINS, COMMITS, ROLLBACKS, first_word
from evalsql.errors import UsageError
from evalsql.literals import literal
from evalsql.server.policy import SIGNED, WRITE, RefusedError, admitted

_FEWEST = 16  # characters


class Tokens(NamedTuple):
    write: str
    read: str

    def role(self, token: str) -> str | None:
        known = self._asdict().items()
        return next((role for role, own in known if hmac.compare_digest(token.encode(), own.encode())), None)


def read_tokens(write: Path, read: Path) -> tuple[Tokens, list[Path]]:
    """The tokens in two files, which are made where they are missing and only their owner reads; and the files made."""
    made: list[Path] = []
    for path in (write, read):
        try:  # a file that only its owner reads
            with open(path, "x", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, 0o600)) as stream:
                stream.write(secrets.token_urlsafe(32) + "\n")
            made.append(path)
        except FileExistsError:
            continue
        except OSError as error:
            raise UsageError(f"{path}: the file for the token cannot be made: {error.strerror}") from error
    tokens = Tokens(_kept_token(write), _kept_token(read))
    if tokens.write == tokens.read:
        raise UsageError(f"{read}: contains the same token as {write}; delete one of them, and evalsql makes a new one")
    return tokens, made


def read_token(path: Path) -> str:
    try:
        words = path.read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "is not text"
        raise UsageError(f"{path}: the token cannot be read: {reason}") from error
    if len(words) != 1:
        raise UsageError(f"{path}: expected one token, found {len(words)} words")
    return words[0]


def _kept_token(path: Path) -> str:
    token = read_token(path)
    if sys.platform != "win32" and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise UsageError(f"{path}: other users can read the token; run chmod 600 {path}")
    if len(token) < _FEWEST:
        raise UsageError(f"{path}: the token is shorter than {_FEWEST} characters; delete the file to get a new one")
    return token


OPEN = 600.0  # seconds after which a transaction in which nothing is asked is given up
IDLE = 12 * 3600.0  # seconds after which a session that asks nothing is ended
_PATIENCE = 2.0  # seconds after which a client that does not ask again for its turn has given it up
_NEW = 10.0  # seconds
MOST_SESSIONS = 1500  # the extension writes beyond what it has set aside as it lists more than 2,048
_SHOWN = 160  # characters of a statement in the log
# How the extension asks about rows that a client sends, in these words and no others.
_NAME = r'(?:[A-Za-z_]\w*|"(?:[^"]|"")+")'
_BEFORE_ROWS, _BEHIND_ROWS = "INSERT INTO ", " VALUES (NULL)"  # how the extension announces them
_ROWS = re.compile(rf"INSERT INTO (?P<table>{_NAME}(?:\.{_NAME}){{0,2}}) VALUES \(NULL\)", re.ASCII)


@dataclass
class Session:
    label: str  # what the log calls it
    role: str
    seen: float
    has_asked: bool = False
    is_open: bool = False  # whether it has begun a transaction
    rows_for: str = ""  # the table that rows are coming for
    num_rows_requests: int = 0


@dataclass
class Sessions:
    tokens: Tokens
    log: Callable[[str], None]
    keep: Callable[[str], set[str]]  # keeps the measures that come as JSON, and gives their names
    now: Callable[[], float] = time.monotonic
    known: dict[str, Session] = field(default_factory=dict)
    writer: str | None = None  # the session whose turn it is
    waiting: dict[str, float] = field(default_factory=dict)  # sessions in their order, and when each last asked
    is_stopping: bool = False
    kept: set[str] = field(default_factory=set)  # names of measures and steps that users keep, or did
    running: dict[tuple[str, object], float] = field(default_factory=dict)  # statements, when each was first looked at
    _guard: threading.RLock = field(default_factory=threading.RLock)
    _keeping: threading.Lock = field(default_factory=threading.Lock)

    def authenticate(self, session: str, token: str, _: str) -> bool:
        with self._guard:
            if not session:  # the server tries the function itself
                return False
            role, label = self.tokens.role(token or ""), session[:8].lower()
            self.log(f"{label} connects: {role or 'unknown token'}")
            if role is None or self.is_stopping:
                return False
            if len(self.known) >= MOST_SESSIONS:
                self.log(f"{label} is refused: there are {MOST_SESSIONS:,} sessions")
                return False
            self.known[session] = Session(label, role, seen=self.now())
            return True

    def authorise(self, session: str, text: str) -> str | None:
        """What is run instead of what a client sent; None refuses without a word."""
        with self._guard:
            known = self.known.get(session)
            if known is None:
                return None
            known.seen, known.has_asked = self.now(), True
        if text.startswith(MEASURES) and known.role == WRITE:
            return self._kept(known, text.removeprefix(MEASURES))
        with self._guard:
            if text.startswith(_BEFORE_ROWS) and text.endswith(_BEHIND_ROWS):
                # Where rows follow, the extension takes whatever is not None for leave.
                rows = _ROWS.fullmatch(text) if len(text) <= MOST else None
                return self._rows(known, text, rows["table"]) if rows else None
            self._log_rows(known)
            try:
                if text.startswith("evalsql "):
                    return self._own(session, known, text)
                if self.is_stopping and first_word(text) not in ROLLBACKS:
                    raise RefusedError(STOPPING)
                run = admitted(text, known.role, self.kept)
            except RefusedError as error:
                return self._refused(known, text, error)
            self.log(f"{known.label} {known.role} {_line(text)}")
            words = [first_word(each.query) for each in engine.extract_statements(run)]
            is_ended = words[0] in {*COMMITS, *ROLLBACKS}  # behind another statement it may not be reached
            known.is_open = not {*words}.isdisjoint(BEGINS) or (known.is_open and not is_ended)
            return run

    def _refused(self, known: Session, text: str, error: RefusedError) -> str:
        self.log(f"{known.label} {known.role} refused: {_line(text)}")
        return f"select system.main.error({literal(REFUSED + str(error))})"  # a session can have a macro error

    def _kept(self, known: Session, announced: str) -> str:
        """Keep measures over a connection of the server's own: none of the client's temporary relations is there.

        Others go on asking meanwhile.
        """
        try:
            if self.is_stopping:
                raise RefusedError(STOPPING)
            with self._keeping:
                names = self.keep(announced)
        except RefusedError as error:
            return self._refused(known, MEASURES + announced, error)
        self.log(f"{known.label} {known.role} keeps measures: {_line(', '.join(sorted(names)) or 'none')}")
        with self._guard:
            self.kept |= names
        return "select true as kept"

    def _own(self, session: str, known: Session, text: str) -> str | None:
        if text == HELLO:
            return f"select '{session}' as session, '{known.role}' as role"
        if text == LOCK:
            return f"select {str(known.role == WRITE and self._takes_turn(session)).lower()} as locked"
        if text == UNLOCK:
            self._give_up(session)
            return "select true as unlocked"
        word, _, other = text.rpartition(" ")
        if word != BEAT or other not in self.known:
            return None
        self.known[other].seen = self.now()
        return "select true as heard"

    def _rows(self, known: Session, text: str, table: str) -> str | None:
        if known.role != WRITE or table.rpartition(".")[2].strip('"').lower() in SIGNED:
            return None
        if table != known.rows_for:
            self._log_rows(known)
            self.log(f"{known.label} {known.role} sends rows for {_line(table)}")
            known.rows_for = table
        known.num_rows_requests += 1
        return text

    def _log_rows(self, known: Session) -> None:
        if known.rows_for:
            told = f"sent rows for {_line(known.rows_for)} in {known.num_rows_requests} requests"
            self.log(f"{known.label} {known.role} {told}")
            known.rows_for, known.num_rows_requests = "", 0

    # The turn to write

    def _takes_turn(self, session: str) -> bool:
        now = self.now()
        still = {each: asked for each, asked in self.waiting.items() if each == session or now - asked < _PATIENCE}
        self.waiting = still | {session: now}  # a session that waits already keeps its place
        if self.writer not in (None, session) or next(iter(self.waiting)) != session:
            return False
        del self.waiting[session]
        if self.writer is None:
            self.log(f"{self.known[session].label} begins to write")
        self.writer = session
        return True

    def _give_up(self, session: str) -> None:
        self.waiting.pop(session, None)
        if self.writer == session:
            self.writer = None
            self.log(f"{self.known[session].label} ends to write")

    def gone(self, busy: Collection[str]) -> list[str]:
        """Sessions to end, none of them busy: a writer not heard of, and those that have asked nothing for too long.

        Where there are many, that is sooner, and soonest for those that have never asked: others are kept away.
        """
        with self._guard:
            is_crowd = len(self.known) > MOST_SESSIONS // 2

            def patience(name: str, session: Session) -> float:
                if name == self.writer or (is_crowd and not session.has_asked):
                    return LEASE
                return OPEN if session.is_open or is_crowd else IDLE

            alone = {name: each for name, each in self.known.items() if name not in busy}
            return [name for name, each in alone.items() if self.now() - each.seen > patience(name, each)]

    def late(self, busy: Mapping[str, object], limit: float) -> list[str]:
        """Busy sessions whose statement, or the reading of what it gives, takes longer than so many seconds.

        Statements are told apart by when each began: a session may ask on while one runs.
        """
        with self._guard:
            running = [each for each in busy.items() if each[0] in self.known]
            self.running = {each: self.running.get(each, self.now()) for each in running}
            return [name for (name, _), since in self.running.items() if self.now() - since > limit]

    def is_nothing_open(self) -> bool:
        with self._guard:
            return self.writer is None and not any(each.is_open for each in self.known.values())

    def forget(self, names: Collection[str]) -> None:
        with self._guard:
            for name in names:
                self._give_up(name)
                self.known.pop(name, None)

    def ended(self, alive: Collection[str]) -> list[str]:
        """Sessions that the extension no longer has; new ones it may not have yet."""
        with self._guard:
            return [name for name, each in self.known.items() if name not in alive and self.now() - each.seen > _NEW]


def _line(text: str) -> str:
    line = " ".join(text[:MOST].split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 3]}..."
