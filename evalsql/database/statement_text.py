"""Statements as text: their kinds, the functions that they call, what the engine's parser says of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache, lru_cache
from itertools import accumulate, islice, pairwise, takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

from evalsql.catalog.measure_names import literal, quoted
from evalsql.catalog.sql_text import Token, tokens, with_replaced
from evalsql.database import engine

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from duckdb import Statement as EngineStatement

# What changes a database and reaches no file, extension or setting.
CHANGING = frozenset(("INSERT", "UPDATE", "DELETE", "MERGE_INTO", "CREATE", "DROP", "ALTER", "ANALYZE", "VACUUM"))
_CHANGING_WITH = ("insert", "update", "delete", "truncate", "copy")  # a query without these words changes nothing
VARIABLE = "VARIABLE"  # our word for what sets or resets a variable of the session; the engine calls that a SET
BEGINS, COMMITS, ROLLBACKS = ("begin", "start"), ("commit", "end"), ("rollback", "abort")


def kind_of(statement: EngineStatement) -> str:
    """The engine's word for the kind of a statement; a query whose WITH changes rows is of the kind of that change."""
    try:
        kind, query = statement.type.name, statement.query
    except ValueError:  # a kind that the package duckdb has no word for
        return "that is not understood"
    if kind == "SELECT" and any(word in query.lower() for word in _CHANGING_WITH):
        try:
            return change(nodes(query)) or kind
        except UnexplainedError:
            return "that is not understood"
    return kind


def _pieces(query: str) -> tuple[list[Token], list[str]]:
    """The tokens of a statement without its comments, and their texts in lower case."""
    pieces = [each for each in tokens(query) if each.kind != "comment"]
    return pieces, [each.text.lower() for each in pieces]


def plain_words(query: str) -> Iterator[str]:
    """The words of a statement in lower case, without those in quotes and comments."""
    return (each.text.lower() for each in tokens(query, signs=False) if each.kind == "word")


def first_word(query: str) -> str:
    """The first word of a statement in lower case, without the comments before it; empty if there is none."""
    return next(plain_words(query), "")


def concerns_file(query: str) -> bool:
    """Whether a statement is a CREATE of what is not temporary, a DROP, a CHECKPOINT, or SHOW TABLES."""
    words = [*islice(plain_words(query), 5)]
    if words[:1] in (["drop"], ["checkpoint"]) or words[:2] == ["force", "checkpoint"]:
        return True
    if words[:1] == ["create"]:  # a column or a view can have the name temp too
        behind = words[3:] if words[1:3] == ["or", "replace"] else words[1:]
        return [each for each in behind if each not in ("local", "global")][:1] not in (["temp"], ["temporary"])
    return words[:2] == ["show", "tables"] or words[:3] == ["show", "all", "tables"]


_TEXT_TYPES = ("varchar", "text", "string", "char", "bpchar", "nvarchar")


def makes_view(query: str) -> bool:
    """Whether a statement is a CREATE VIEW of what is not temporary, or has that word near its beginning."""
    words = [*islice(plain_words(query), 5)]
    return words[:1] == ["create"] and "view" in words and concerns_file(query)


def collates(query: str) -> bool:
    """Whether a statement gives a table that is there, or a type, a collation; DuckDB 2.0 has text types with one."""
    words = [word.strip('"') for word in _pieces(query)[1]]
    if words[:2] != ["alter", "table"] and (words[:1] != ["create"] or "type" not in words[1:4]):
        return False
    triples = zip(words, words[1:], words[2:], strict=False)
    return "collate" in words or any(
        name in _TEXT_TYPES and sign == "(" and text[:1] == "'" for name, sign, text in triples
    )


def indexes(query: str, tables: Collection[str]) -> bool:
    """Whether a statement is a CREATE INDEX that has a name of these tables before its columns."""
    words = _pieces(query)[1]
    if words[:1] != ["create"] or "index" not in words[1:3]:
        return False
    return any(word.strip('"') in tables for word in takewhile(lambda word: word != "(", words))


def with_database(query: str, database: str) -> str | None:
    """A CREATE TABLE or CREATE TYPE with the database before the name that is made; None for other statements.

    So it is made there, while its query looks for names where all others do.
    """
    pieces, words = _pieces(query)
    at = 3 if words[1:3] == ["or", "replace"] else 1
    if words[:1] != ["create"] or words[at : at + 1] not in (["table"], ["type"]):
        return None
    at += 4 if words[at + 1 : at + 4] == ["if", "not", "exists"] else 1
    start = pieces[at].start
    if words[at + 1 : at + 2] != ["."]:
        return with_replaced(query, [(start, start, f"{quoted(database)}.main.")])
    names_database = words[at + 3 : at + 4] == ["."] or words[at].strip('"') in (database.lower(), "temp")
    return query if names_database else with_replaced(query, [(start, start, f"{quoted(database)}.")])


class Statement(NamedTuple):
    """A statement with the engine's word for its kind; ``explain`` is the EXPLAIN before it, with its options."""

    kind: str
    query: str
    explain: str = ""


def statements_run(text: str) -> Iterator[Statement]:
    """Each statement that is run or explained.

    An EXPLAIN in a form that is not known is a kind of its own. So is a call that logs, profiles or runs a text which
    is not in the statement.
    """
    for statement in engine.extract_statements(text):
        kind, query = kind_of(statement), statement.query
        try:
            check_settings(query)
        except CallError as error:
            kind = str(error)
        if kind == "EXPLAIN":
            yield from _explained(query)
        else:
            yield Statement(VARIABLE if kind == "SET" and _sets_variable(query) else kind, query)


def _sets_variable(query: str) -> bool:
    """Whether a SET is of a variable, and not of a setting that is called variable."""
    _, words = _pieces(query)
    return words[1:2] == ["variable"] and words[2:3] not in (["="], ["to"])


def _explained(query: str) -> Iterator[Statement]:
    """The statements that an EXPLAIN explains, or the EXPLAIN itself in a form that is not known."""
    pieces, words = _pieces(query)
    at = 2 if words[1:2] == ["analyze"] else 1
    if words[1:3] in (["(", "analyze"], ["(", "format"]) and ")" in words:
        at = words.index(")") + 1
    if words[:1] != ["explain"] or "(" in words[2:at]:
        yield Statement("EXPLAIN", query)
        return
    start = pieces[at].start if at < len(pieces) else len(query)
    for each in statements_run(query[start:]):
        yield each._replace(explain=" ".join([*words[:at], each.explain]))


def rendered(sql: str, parameters: Sequence[object], connection: DuckDBPyConnection) -> str:
    """The statement with its parameters written out, as the engine's own text of each with its type."""
    if not parameters:
        return sql
    asked = ", ".join(f"typeof(${nth}), cast(${nth} as varchar)" for nth in range(1, len(parameters) + 1))
    given = connection.execute(f"select {asked}", parameters).fetchall()[0]
    written = [_typed(*pair) for pair in zip(given[::2], given[1::2], strict=True)]
    values = iter(written)
    replaced: list[tuple[int, int, str]] = []
    for piece, after in pairwise([*tokens(sql), Token("sign", "", len(sql))]):
        if piece.text == "?":
            replaced.append((piece.start, piece.end, next(values)))
        elif piece.text == "$" and after.kind == "number":
            replaced.append((piece.start, after.end, written[int(after.text) - 1]))
    return with_replaced(sql, replaced)


def _typed(kind: str, text: str | None) -> str:
    """A value as SQL of its type; text that is sent ends at a NUL character."""
    if text is None:
        return "null"
    parts = " || chr(0) || ".join(map(literal, text.split("\0")))
    return f"cast({parts} as {kind})"


Node = dict[str, Any]
_READING = {"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"}


class UnexplainedError(Exception):
    """The parser does not read this text as one query. Nothing is guessed then; the message has the parser's words."""


@cache
def engine_functions(*kinds: str, schema: str = "") -> frozenset[str]:
    """Names of the engine's own functions, of all kinds or some: scalar, aggregate, macro, window, table."""
    listed = """
        select function_name from duckdb_functions()
        where internal and $2 in ('', schema_name) and (len($1) = 0 or function_type in $1)
    """
    found = engine.parser().cursor().execute(listed, [list(kinds), schema])
    return frozenset(name for (name,) in found.fetchall())


def nodes(text: str) -> list[Node]:
    """Every node of one query, inner ones first: tables, functions, WITHs, with the engine's names for their types."""
    found: list[Node] = []

    def keep(node: Node) -> Node:
        found.append(node)
        return node

    try:
        check_nesting(text)
        ((written,),) = engine.parser().cursor().execute("select json_serialize_sql(?::varchar)", [text]).fetchall()
        parsed = json.loads(written, object_hook=keep)
    except (engine.Error, RuntimeError, RecursionError, CallError) as error:
        raise UnexplainedError(f"cannot be read as SQL: {error}") from error
    if parsed["error"]:
        raise UnexplainedError(f"expected one SELECT: {parsed['error_message']}")
    if len(parsed["statements"]) != 1:
        raise UnexplainedError(f"expected one SELECT, found {len(parsed['statements'])} statements")
    return found


@cache
def names_read(query: str) -> list[tuple[str]]:
    """The names of what a query reads, each as often as it does; a query within another one is without a name."""
    kinds = ("BASE_TABLE", "TABLE_FUNCTION", "SELECT_NODE")
    found = [node for node in nodes(query) if node.get("type") in kinds]
    return [(node.get("table_name") or node.get("function", {}).get("function_name", ""),) for node in found]


def change(found: list[Node]) -> str | None:
    """The kind of what a query does besides reading, as INSERT, UPDATE, DELETE or COPY in a WITH; none if it reads."""
    kinds = {kind for node in found if isinstance(kind := node.get("type"), str) and kind.endswith("_NODE")}
    return next((kind.removesuffix("_QUERY_NODE") for kind in sorted(kinds - _READING)), None)


# Types and words of SQL, and what the engines write differently; functions have lower case.
_OTHERWISE = re.compile(r"""[A-Z_]+|"?(main|true|false|list_sort|DOUBLE|UBIGINT)"?|'(t|f|ORDER_DEFAULT)'""")


def says_otherwise(text: str, known: str) -> bool:
    """Whether a definition, as the engine writes it, has other names or strings than a known one, or reads by others.

    The default of a macro's parameter can be the name of a file, which no definition shows.
    """
    said, held = (_words_said([*tokens(one)]) for one in (text, known))
    return said != held


def _words_said(pieces: Sequence[Token]) -> set[object]:
    """Names and strings, and those that stand together in the brackets of a ``query_table``."""
    found: set[object] = {word for each in pieces if (word := _word_said(each))}
    for at in (at for at, each in enumerate(pieces, start=1) if _word_said(each) == "query_table"):
        depths = accumulate({"(": 1, ")": -1}.get(each.text, 0) for each in pieces[at:])
        inside = takewhile(lambda pair: pair[1], zip(pieces[at:], depths, strict=False))
        found.add(tuple(word for each, _ in inside if (word := _word_said(each))))
    return found


def _word_said(piece: Token) -> str:
    return "" if piece.kind == "sign" or _OTHERWISE.fullmatch(piece.text) else piece.text.strip('"')


# Which functions a text calls, by the words that the engine's lexer finds in it. It promises this: no call of what is
# refused passes, however it is written. Where it cannot be told what is called, as where a text that is run is put
# together, that is refused too.

# They run text that is not looked at here, or log and profile, which DuckDB 1.5 lets them do under locked settings.
UNSEEN = {"json_execute_serialized_sql", "json_serialize_plan", "write_log", "truncate_duckdb_logs"}
# Others take addresses of memory, at which DuckDB 1.5 looks.
UNSEEN |= {"pandas_scan", "arrow_scan", "arrow_scan_dumb", "python_arrow_scan", "python_map_function"}
# They take what DuckDB 1.5 stores as bytes for a state, with an address of memory in it.
UNSEEN |= {"finalize", "combine"}
# In DuckDB 2.0 these call functions by names that are texts, and query is one.
UNSEEN |= {"create_external_resource", "destroy_external_resource", "duckdb_external_resources"}
# They change sequences, or wait.
EFFECTS = {"nextval", "setval", "sleep_ms", "pg_sleep"}
_SETTING_ENDS = ("_logging", "_profiling")
_NAME = re.compile('"(?:[^"]|"")*"|`(?:[^`]|``)*`')  # backticks are for DuckDB 2.0
_WORD = re.compile(r"[\w$]+|.", re.DOTALL)
_NAMES = re.compile(r"\w+")
_OF_ONE_VALUE = {"query", "checkpoint", "force_checkpoint", "getenv"}  # at most, and words that columns have too

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


def check_printed(text: str, is_refused: Callable[[str], bool] = is_unseen) -> None:
    """Raise CallError where a definition in a file has the name of a function that is refused, wherever it stands.

    The engine prints it of a tree that a stranger may have written, and prints no comments. An operator of that tree
    may be any function of two values, which stands between them without a bracket, or have a name that seems to begin
    a comment or a string.
    """
    for name in _NAMES.findall(text.lower()):
        if (is_refused(name) or name == "export_state") and name not in _OF_ONE_VALUE:
            raise CallError(name)
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
