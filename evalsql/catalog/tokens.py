"""The pieces of a text of SQL: what is a string, a quoted name, a comment, a word, a parameter, a number or a sign.

This is the one place that knows how SQL hides things from a reader: a semicolon within a string, a ``$name`` within a
comment. It knows no grammar. The tokenizer of sqlglot refuses a text that is not finished, as most are at a prompt, and
takes longer to import than all else that a command needs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

# Strings (with escapes behind an e, or between dollar signs) and quoted names may lack their end while one types.
_PIECES = r"""
      (?P<string>[eE]'(?:[^'\\]|\\.|'')*(?:'|\Z) | '(?:[^']|'')*(?:'|\Z)
        | \$(?P<tag>[^\W\d]\w*|)\$ (?:.*?\$(?P=tag)\$ | .*\Z))
    | (?P<name>"(?:[^"]|"")*(?:"|\Z))
    | (?P<comment>--[^\r\n]*)
    | (?P<block>/\*)
    | (?P<word>[^\W\d][\w$]*)
    | (?P<parameter>\$[^\W\d]\w*)
    | (?P<number>\d(?:[\d.]|_(?=\d))*)
"""
_SIGNS = r"| (?P<sign>:=|=>|\S)"
_NAMES = re.compile(_PIECES, re.VERBOSE | re.DOTALL)
_ALL = re.compile(_PIECES + _SIGNS, re.VERBOSE | re.DOTALL)
_BLOCK_ENDS = re.compile(r"/\*|\*/")
_CLOSED = re.compile(r"""[eE]?'(?:[^'\\]|\\.|'')*'|\$(\w*)\$.*\$\1\$|"(?:[^"]|"")*\"""", re.DOTALL)


class Token(NamedTuple):
    """A piece of SQL. ``kind`` is string, name (a quoted one), comment, word, parameter, number or sign."""

    kind: str
    text: str
    start: int
    is_open: bool = False

    @property
    def end(self) -> int:
        """Where the next piece can start."""
        return self.start + len(self.text)


def tokens(text: str, *, signs: bool = True) -> Iterator[Token]:
    """Every piece in its place, without the signs where these are not wanted.

    ``is_open`` marks the last one where its end is missing.
    """
    pattern = _ALL if signs else _NAMES
    at = 0
    while match := pattern.search(text, at):
        at = match.end()
        kind = "string" if match["tag"] is not None else match.lastgroup or ""
        if kind == "block":
            at, closed = _block_end(text, at)
            yield Token("comment", text[match.start() : at], match.start(), not closed)
        elif kind in ("string", "name"):
            yield Token(kind, match[0], match.start(), at == len(text) and not _CLOSED.fullmatch(match[0]))
        else:
            yield Token(kind, match[0], match.start(), kind == "comment" and at == len(text))


def _block_end(text: str, at: int) -> tuple[int, bool]:
    """Where a comment ends that starts before ``at``, others within it; whether it does."""
    depth = 1
    for mark in _BLOCK_ENDS.finditer(text, at):
        depth += 1 if mark[0] == "/*" else -1
        if depth == 0:
            return mark.end(), True
    return len(text), False
