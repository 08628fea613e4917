"""Tokens: one that writes, one that reads only, each in a file of its own."""

from __future__ import annotations

import hmac
import os
import secrets
import stat
import sys
from pathlib import Path
from typing import NamedTuple

from evalsql.errors import UsageError

_FEWEST = 16  # characters


class Tokens(NamedTuple):
    """What clients show."""

    write: str
    read: str

    def role(self, token: str) -> str | None:
        """write, read, or None for a token that is not known."""
        for role, known in zip(self._fields, self, strict=True):
            if hmac.compare_digest(token.encode(), known.encode()):
                return role
        return None


def read_tokens(write: Path, read: Path) -> tuple[Tokens, list[Path]]:
    """The tokens in two files, which are made where they are missing; and the files that were made.

    Raises:
        UsageError: a file cannot be read or written, others can read it, or it holds no token of its own.
    """
    made = [path for path in (write, read) if _made(path)]
    tokens = Tokens(_kept_token(write), _kept_token(read))
    if tokens.write == tokens.read:
        raise UsageError(f"{read}: holds the token of {write}; delete one of them, and it is made anew")
    return tokens, made


def read_token(path: Path) -> str:
    """The token that a client shows.

    Raises:
        UsageError: the file cannot be read, or holds no token.
    """
    try:
        words = path.read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "is not text"
        raise UsageError(f"{path}: the token cannot be read: {reason}") from error
    if len(words) != 1:
        raise UsageError(f"{path}: expected one token, found {len(words)} words")
    return words[0]


def _made(path: Path) -> bool:
    """Make a file with a new token, that only its owner reads; False where there is one."""
    try:
        place = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return False
    except OSError as error:
        raise UsageError(f"{path}: the file for the token cannot be made: {error.strerror}") from error
    with os.fdopen(place, "w", encoding="utf-8") as stream:
        stream.write(secrets.token_urlsafe(32) + "\n")
    return True


def _kept_token(path: Path) -> str:
    token = read_token(path)
    if sys.platform != "win32" and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise UsageError(f"{path}: others than its owner can read the token; chmod 600 {path}")
    if len(token) < _FEWEST:
        raise UsageError(f"{path}: a token has {_FEWEST} characters or more; delete the file, and it is made anew")
    return token
