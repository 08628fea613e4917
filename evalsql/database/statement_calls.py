"""Which functions a text calls, by the words that the engine's lexer finds in it.

It promises this: no call of what is refused passes, however it is written. Where it cannot be told what is called, as
where a text that is run is put together, that is refused too.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from evalsql.catalog.sql_text import tokens
from evalsql.database import engine

# They run text that is not looked at here, or log and profile, which DuckDB 1.5 lets them do under locked settings.
UNSEEN = {"json_execute_serialized_sql", "json_serialize_plan", "write_log", "truncate_duckdb_logs"}
# Others take addresses of memory, at which DuckDB 1.5 looks.
UNSEEN |= {"pandas_scan", "arrow_scan", "arrow_scan_dumb", "python_arrow_scan", "python_map_function"}
# They read the state of an aggregate, which DuckDB 1.5 stores as bytes with an address of memory in them.
UNSEEN |= {"finalize", "combine"}
# In DuckDB 2.0 these call functions by names that are texts, and query is one.
UNSEEN |= {"create_external_resource", "destroy_external_resource", "duckdb_external_resources"}
# They change sequences, or wait.
EFFECTS = {"nextval", "setval", "sleep_ms", "pg_sleep"}
_SETTING_ENDS = ("_logging", "_profiling")
_NAME = re.compile('"(?:[^"]|"")*"|`(?:[^`]|``)*`')  # backticks are for DuckDB 2.0
_WORD = re.compile(r"[\w$]+|.", re.DOTALL)
_NAMES = re.compile(r"\w+")
# Of these an operator can be made, of two values. Combine is a word of other things too.
_OPERATORS = (UNSEEN - {"finalize", "combine"}) | {"export_state"}
_OPERATORS |= {f"{does}able_{what}" for does in ("en", "dis") for what in ("logging", "profiling")}

# Of a text, for which others wait some seconds. Those of evalsql itself have up to 120,000 characters (check).
MOST, MOST_STATEMENTS = 150_000, 1000  # characters and statements
# DuckDB 2.0 reads a text that it refuses six times as often for each WITH within another one's brackets, and as often
# as brackets or signs stand within or behind each other: minutes, where ten or a few thousand do. Long texts of evalsql
# itself have four WITHs in each other.
_PER_WITH, _MOST_WITHS, _MOST_WITHIN, _MOST_TRIED = 6, 4, 300, 1.5e6
# DuckDB 1.5 reads a row of so many signs as often as it has signs, and looks through all of it each time.
_SIGNS, _STEPS = re.compile(r"[-+*/<>=~!@#%^&|`?]{20,}"), 3e8
# The engine makes these blanks before it reads a text, where its lexer by itself takes them for letters.
_ODD_BLANK = "[\u00a0\u2000-\u200b\u202f\u205f\u2060\u3000\ufeff]"
_LONGER = re.compile(rf"{_ODD_BLANK}(?:pragma\b|e'|\$(?:[^\W\d]\w*)?\$)", re.IGNORECASE)


class CallError(Exception):
    """A function is called that is refused, which the message names."""


class Word(NamedTuple):
    """A word, a quoted name without its quotes, ``'`` for a string, or a sign; where it starts in bytes."""

    text: str
    start: int
    is_quoted: bool = False

    @property
    def plain(self) -> str:
        """The word or sign; empty for a quoted name, which may look like one."""
        return "" if self.is_quoted else self.text


def check_length(text: str, most: int = MOST) -> None:
    """Raise CallError for a text that the engine would read for long."""
    if len(text) > most:
        raise CallError(f"a text has at most {most:,} characters, this one {len(text):,}; many rows are for a load")
    rows = (row for row in _SIGNS.findall(text) if "+" in row or "/*" in row[1:])
    if sum(len(row) ** 3 for row in rows) > _STEPS:
        raise CallError("the text has too many signs in a row, such as ++++ or /*/*/*; put blanks between them")
    if _LONGER.search(text):
        raise CallError("an odd blank, such as one that breaks no line, is before PRAGMA or a string; put another one")
    words = words_of(text)
    for pragma, bracket in zip(words, words[2:], strict=False):
        if (*pragma[::2], *bracket[::2]) == ("pragma", False, "(", False):
            raise CallError("a PRAGMA takes no values here, which DuckDB 1.5 computes as it takes a text apart")
    check_nesting(text)
    if (plain := re.sub(_ODD_BLANK, " ", text)) != text:
        check_nesting(plain)


def check_nesting(text: str) -> None:
    """Raise CallError for a text that the engine's parser would read for long, which holds all others up."""
    withs, most, signs = [0, 0], 0, 0  # WITHs in and around each bracket that is open
    for word, _, is_quoted in words_of(text):
        signs = signs + 1 if word in ("-", "+", "~", "@", "!") else 0
        if is_quoted:
            continue
        if word in ("(", "[", "{"):
            withs.append(withs[-1])
        elif word in (")", "]", "}") and len(withs) > 2:
            withs.pop()
        elif word == "with":
            withs[-1] = withs[-2] + 1
            most = max(most, withs[-1])
        if max(len(withs), signs) > _MOST_WITHIN:
            raise CallError(f"the text has more than {_MOST_WITHIN} brackets in each other, or signs in a row")
    if most > _MOST_WITHS and len(text) * _PER_WITH**most > _MOST_TRIED:
        raise CallError(f"the text has {most} WITHs in each other, too many for its length; put them beside each other")


@lru_cache(maxsize=2)  # several look at the same text
def words_of(query: str) -> list[Word]:
    """What the engine's lexer finds, in lower case. A piece of it has the blanks and comments behind it."""
    content = query.encode()
    kinds = ((start, str(kind)) for start, kind in engine.tokenize(query))
    starts = [(start, kind) for start, kind in kinds if not kind.endswith("comment")]
    found: list[Word] = []
    for (start, kind), (end, _) in pairwise([*starts, (len(content), "")]):
        piece = content[start:end].decode().lower()
        if name := _NAME.match(piece):  # a comment behind it may have quotes too
            quote = piece[0]
            found.append(Word(name[0][1:-1].replace(quote * 2, quote), start, is_quoted=True))
        elif kind.endswith("string_const"):  # as E'' and $$ begin one too
            found.append(Word("'", start))
        else:
            word = _WORD.match(piece)
            found.append(Word(word[0] if word else piece, start))
    return found


def check_calls(words: list[Word], is_refused: Callable[[str], bool]) -> None:
    """Raise CallError for a function that is refused, or of which one cannot tell what it is: a name before a bracket.

    EXPORT_STATE is refused too: the engine cannot read the type of its values again, nor attach a table that has them.
    """
    if any((name, is_quoted) == ("export_state", False) for name, _, is_quoted in words):
        raise CallError("export_state")
    for (name, _, is_quoted), after in pairwise(words):
        is_strange = not is_quoted and not name.isascii() and not name[0].isalpha()
        if after.text == "(" and not after.is_quoted and (is_strange or is_refused(name)):
            raise CallError(name)


def is_unseen(function: str) -> bool:
    return function in UNSEEN or function.endswith(_SETTING_ENDS)


def check_names(text: str) -> None:
    """Raise CallError where a text has the name of a function that may do harm where no bracket follows it.

    What a stranger's operator is called may seem to begin a string: these are looked for in strings too.
    """
    for name in _NAMES.findall(text.lower()):
        if name in _OPERATORS:
            raise CallError(name)
    for each in tokens(text):
        if each.text.strip('"').lower() == "combine":
            raise CallError("combine")


def check_printed(text: str, is_refused: Callable[[str], bool] = is_unseen) -> None:
    """Raise CallError where a definition in a file calls what is refused, or may hide that.

    The engine prints it of a tree that a stranger may have written, and prints no comments. An operator of that tree
    may be any function of two values, which stands between them without a bracket.
    """
    check_names(text)
    if any(each.kind == "comment" for each in tokens(text)):
        raise CallError("what hides in a comment")
    check_calls(words_of(text), is_refused)
    check_settings(text)


def check_settings(query: str) -> None:
    """Raise CallError where a statement logs, profiles, looks at an address or runs a text that is not written out."""
    content, words = query.encode(), words_of(query)
    check_calls(words, is_unseen)
    for name, bracket, given, end in zip(words, words[1:], words[2:], words[3:], strict=False):
        if (name.text, bracket.text, bracket.is_quoted) == ("query", "(", False):
            text = content[given.start : end.start].decode().strip()
            is_string = text[:1] == text[-1:] == "'" and "'" not in text[1:-1].replace("''", "")
            if not is_string or end.text != ")":
                raise CallError("query() of text that is not one string")
            check_settings(text[1:-1].replace("''", "'"))
