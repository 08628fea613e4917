"""The words of SQL as far as a prompt needs them: where a statement ends, what hides a semicolon."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

# Strings (with escapes behind an e, or between dollar signs) and quoted names may lack their end while one types.
_TOKENS = re.compile(
    r"""
      (?P<string>[eE]'(?:[^'\\]|\\.|'')*(?:'|\Z) | '(?:[^']|'')*(?:'|\Z)
        | \$(?P<tag>[^\W\d]\w*|)\$ (?:.*?\$(?P=tag)\$ | .*\Z))
    | (?P<name>"(?:[^"]|"")*(?:"|\Z))
    | (?P<comment>--[^\r\n]*)
    | (?P<block>/\*)
    | (?P<word>[^\W\d][\w$]*)
    | (?P<number>\d[\w.]*)
    | (?P<sign>:=|=>|\S)
    """,
    re.VERBOSE | re.DOTALL,
)
_BLOCK_ENDS = re.compile(r"/\*|\*/")
_CLOSED = re.compile(r"""[eE]?'(?:[^'\\]|\\.|'')*'|\$(\w*)\$.*\$\1\$|"(?:[^"]|"")*\"""", re.DOTALL)


class Token(NamedTuple):
    """A piece of SQL. ``kind`` is string, name (a quoted one), comment, word, number or sign."""

    kind: str
    text: str
    start: int
    is_open: bool = False

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def tokens(text: str) -> Iterator[Token]:
    """Every piece in its place; ``is_open`` marks the last one where its end is missing."""
    at = 0
    while match := _TOKENS.search(text, at):
        at = match.end()
        kind = match.lastgroup or "sign"
        if match["tag"] is not None:
            kind = "string"
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


def split(text: str) -> tuple[list[str], str]:
    """The statements that a semicolon ends, and what is left behind the last one."""
    statements: list[str] = []
    start = 0
    for token in tokens(text):
        if token.text == ";" and token.kind == "sign":
            statements.append(text[start : token.end].strip())
            start = token.end
    return [statement for statement in statements if not is_blank(statement.rstrip(";"))], text[start:]


def is_blank(text: str) -> bool:
    """Whether there is nothing to run: blanks, comments and lone semicolons."""
    return all(token.kind == "comment" or token.text == ";" for token in tokens(text))
