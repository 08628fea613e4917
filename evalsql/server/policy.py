"""Which statements a client may send, by the token it showed.

It promises this. Clients are shut in as ``evalsql sql`` is: no files, no extensions, no settings. A token that only
reads changes nothing but what is temporary in its own session. The engine itself sees to files and settings. All else
is decided by the kind that the engine's parser gives a statement and by the words that the engine's lexer finds in it;
what is not understood is refused.
"""

import json
import re
from collections.abc import Set as AbstractSet
from functools import reduce
from itertools import islice, pairwise

from evalsql.catalog.ddl import is_held
from evalsql.catalog.queries import SCORES
from evalsql.catalog.relations import STEPS, Catalog, read_catalog
from evalsql.database import engine
from evalsql.database.statement_calls import (
    EFFECTS,
    MOST_STATEMENTS,
    UNSEEN,
    CallError,
    Word,
    check_calls,
    check_length,
    check_names,
    check_printed,
    words_of,
)
from evalsql.database.statement_text import CHANGING, VARIABLE, Statement, statements_run
from evalsql.errors import CatalogError
from evalsql.warehouse.own_measures import hides, read_kept, with_one

WRITE = "write"
_READING = {"SELECT", "TRANSACTION", VARIABLE}
# They start and stop servers, show what others ask, change settings or sequences, or run text not looked at here.
_REFUSED = {
    *("query", "getenv", "checkpoint", "force_checkpoint", "import_database", "export_database"),
    *("parse_duckdb_log_message", "duckdb_secrets", "which_secret", "duckdb_live_query_metrics"),
    *("duckdb_prepared_statements", *UNSEEN, *EFFECTS),
}
_FILE_READERS = ("read_", "parquet_", "glob", "sniff_csv")
_REFUSED_BEGINNINGS = (
    *("quack_", "evalsql_server_", "from_substrait", "from_serialized_", "duckdb_logs", "whoami"),
    *_FILE_READERS,
    "pragma_",
)
_REFUSED_ENDS = ("_logging", "_profiling", "_scan", "_grammar_extension", "_external_resource", "_resource_type")
_MADE = (["macro", "table"], ["function", "table"], ["table"], ["view"], ["macro"], ["function"], ["schema"])
_NAME_WORDS = 5  # of a name with its database and schema
# The extension reads each table as it attaches, and fails at many of these, and at types that only a query has.
_LOCKING = ("as", "default", "references", "check", "generated", "collate")
# A string whose text is what is written: without escapes, no bytes, no other one behind it.
_STRING = re.compile(r"(?:'(?:[^']|'')*'|(\$[^$]*\$).*\1)\s*", re.DOTALL)
# A WITH may change rows within another statement.
_FURTHER = {"insert", "update", "delete", "truncate", "merge", "copy"}
_BEFORE_NAME = {"or", "replace", "ignore", "into", "from", "table", "only", "("}
_MOST_ANNOUNCED = 250_000  # characters of all measures that users keep, which a writer alone sends
# Other rows lock clients out, or average values otherwise.
SIGNED = {"warehouse", "measures", "relations", "added_relations"}


class RefusedError(Exception):
    """A statement that a client may not send; the message is for it."""


def admitted(text: str, role: str, kept: AbstractSet[str] = frozenset()) -> str:
    """The statements to run instead of what a client sent; a reader changes only what is in the schema temp.

    What users keep under the names ``kept`` is changed as measures are loaded or dropped, and not by itself.
    """
    run = _rewritten(text, role, kept)
    # The engine reads odd blanks otherwise behind a comment with a quote.
    if run != text and _rewritten(run, role, kept) != run:
        raise RefusedError("without its comments this text asks something else; send it without them")
    return run


def _rewritten(text: str, role: str, kept: AbstractSet[str]) -> str:
    try:
        check_length(text)
        found = list(islice(statements_run(text), MOST_STATEMENTS + 1))
    except (engine.Error, RuntimeError, CallError) as error:
        raise RefusedError(str(error).strip()) from error
    if not 0 < len(found) <= MOST_STATEMENTS:
        raise RefusedError(f"a text has 1 to {MOST_STATEMENTS:,} statements")
    return "; ".join(f"{each.explain}{_admitted(each, role, kept)}" for each in found)


def _admitted(statement: Statement, role: str, kept: AbstractSet[str]) -> str:
    _check_kind(statement)
    kind, content, words = statement.kind, statement.query.encode(), words_of(statement.query)
    try:
        check_calls(words, _is_refused)
    except CallError as error:
        raise RefusedError(f"the function {error} is not for clients of a server") from error
    made = _after(words, ["create", "or", "replace"], ["create"])
    is_temporary = bool(_after(_after(made, ["temp"], ["temporary"]), *_MADE))
    if (kind == "CREATE" or (kind == "DROP" and role == WRITE)) and not is_temporary:
        _check_kept(statement.query, words, made, kept)
    if role == WRITE:
        _check_rows(words)
    elif kind not in _READING:
        _check_nothing_further(words)
        if not is_temporary:
            return _in_temp(content, words)
    return _ended(content[words[0].start :])


def _check_kind(statement: Statement) -> None:
    kind, query, explain = statement
    if kind == "EXPLAIN" or (kind == "TRANSACTION" and explain):  # the engine would begin or end it
        raise RefusedError("this form of EXPLAIN is not for clients of a server")
    if kind not in _READING | CHANGING or not query:
        raise RefusedError(
            f"a statement of kind {kind} is not for clients of a server: no files, extensions or settings"
        )
    if kind == "ALTER":  # after a kill DuckDB 1.5 may fail to read it in the log
        raise RefusedError("a server takes no ALTER or COMMENT; make the table or view anew")


def _check_nothing_further(words: list[Word]) -> None:
    """Refuse a change within a change; ON CONFLICT DO ... is none, as it says how the statement changes rows."""
    if any(word.text in _FURTHER and before.plain != "do" for before, word in pairwise(words)):
        raise RefusedError("this token reads only; a statement that changes what is temporary changes nothing else")


def _check_rows(words: list[Word]) -> None:
    for at, word in enumerate(words, start=1):
        if word.text not in _FURTHER or word.is_quoted:
            continue
        while at < len(words) and words[at].text in _BEFORE_NAME and not words[at].is_quoted:
            at += 1
        named = words[at : at + _NAME_WORDS]
        if not _is_in_temp(named) and (table := _name(named)) in SIGNED:
            raise RefusedError(f"evalsql alone writes the rows of {table}, when measures are loaded or dropped")


def _check_kept(query: str, words: list[Word], made: list[Word], kept: AbstractSet[str]) -> None:
    """Refuse what would tell clients something else in the place of what DuckDB or evalsql has, or keep them away."""
    ours = {SCORES, *(each.name for each in read_catalog().relations.values() if is_held(each)), *kept}
    dropped = _after(_after(words[1:], *_MADE) or words[2:], ["if", "exists"], [])
    if made:
        _check_texts(query, words)
        _check_made(words, made, ours)
    elif not _is_in_temp(dropped) and (name := _name(dropped)) in {*ours, "main", STEPS}:
        advice = "rows of most tables may be changed; load measures and drop measures do the rest"
        raise RefusedError(f"{name} is evalsql's, or loaded as a measure; {advice}")


def _check_texts(query: str, words: list[Word]) -> None:
    """Refuse what the next start does not take: it looks into strings too, as the engine then prints them."""
    try:
        check_names(query)
    except CallError as error:
        raise RefusedError(f"{error} is a function that is not for clients of a server, and no name here") from error
    content, end = query.encode(), len(query.encode())
    for word in reversed(words):
        if word.plain != "'":
            end = word.start
        elif not _STRING.fullmatch(content[word.start : end].decode()):
            raise RefusedError(
                "a string in what is kept is '...' or $$...$$, one by itself without a comment behind it"
            )


def _check_made(words: list[Word], made: list[Word], ours: AbstractSet[str]) -> None:
    kind, named = made[0].text, _after(made, *_MADE)
    if not named:
        raise RefusedError("clients of a server make tables, views and schemas only")
    if kind in ("macro", "function"):
        raise RefusedError("a macro that is kept is a measure, which load measures keeps; others are temporary here")
    if kind == "table":
        _check_columns(words)
    new = _name(_after(named, ["if", "not", "exists"], []))
    if new in ours or hides(read_catalog(), kind, new) or new == "temp":
        raise RefusedError(f"{new} is a name of DuckDB, evalsql or a measure; give what is kept another one")


def _check_columns(words: list[Word]) -> None:
    for at, (text, _, is_quoted) in enumerate(words):
        behind = [word.text for word in words[at + 1 : at + 3]]
        if text == "enum" and behind[:1] == ["("] and behind != ["(", "'"]:
            raise RefusedError("an enum that is kept has its values written out: with none nobody could connect")
        if behind == ["(", "'"] and text != "enum":  # in DuckDB 2.0 a collation of text
            raise RefusedError("the type of a column is without strings in brackets")
        if text in _LOCKING and not is_quoted:
            what = "no query, defaults, foreign keys, checks, collations and computed columns"
            raise RefusedError(f"a table that is kept has {what}: with some nobody could connect; INSERT fills it")


def with_announced(announced: str) -> Catalog:
    """The package's catalogue with users' measures, which come as JSON with their texts."""
    try:
        check_length(announced, _MOST_ANNOUNCED)
        return reduce(with_one, [read_kept(name, text) for name, text in json.loads(announced)], read_catalog())
    except (CallError, CatalogError, ValueError, TypeError, RecursionError) as error:
        raise RefusedError(str(error)) from error


def _is_in_temp(named: list[Word]) -> bool:
    return [word.text for word in named[:1]] == ["temp"] and [word.plain for word in named[1:2]] == ["."]


def _name(words: list[Word]) -> str:
    """The name that words begin with, without its schema."""
    while [word.plain for word in words[1:2]] == ["."]:
        words = words[2:]
    if words and words[0].plain == "'":
        raise RefusedError("a name of what is changed stands in double quotes, not in single ones")
    return words[0].text if words else ""


def check_definition(text: str) -> None:
    """Raise CallError where what a file defines calls what clients may not; the engine itself sees to files."""
    check_printed(text, lambda name: _is_refused(name) and not name.startswith(_FILE_READERS))


def _is_refused(function: str) -> bool:
    return function in _REFUSED or function.startswith(_REFUSED_BEGINNINGS) or function.endswith(_REFUSED_ENDS)


def _after(words: list[Word], *beginnings: list[str]) -> list[Word]:
    """The words behind the first of these beginnings that they have; none where they have none of them."""
    for beginning in beginnings:
        if [word.text for word in words[: len(beginning)] if not word.is_quoted] == beginning:
            return words[len(beginning) :]
    return []


def _in_temp(content: bytes, words: list[Word]) -> str:
    """The statement with what it changes put into the schema temp, if it is named without another schema."""
    dropped = _after(words, ["drop"])
    dropped = _after(dropped, ["table"], ["view"], ["macro", "table"], ["macro"], ["function"])
    changed = _after(words, ["insert", "into"], ["update"], ["delete", "from"])
    named = changed or _after(dropped, ["if", "exists"], [])
    is_temporary = _is_in_temp(named)
    named = named[2:] if is_temporary else named
    is_name = named and (named[0].is_quoted or named[0].text[0].isalpha() or named[0].text[0] == "_")
    if not is_name or [word.plain for word in named[1:2]] == ["."]:
        raise RefusedError("this token reads only; to change the warehouse takes the one that writes")
    at = named[0].start
    before, rest = content[words[0].start : at], content[at:]
    return _ended(before + (b"" if is_temporary else b"temp.") + rest)


def _ended(statement: bytes) -> str:
    """A statement that another one may follow, also where it ends with a comment."""
    text = statement.decode().strip().rstrip(";").rstrip()
    return f"{text}\n" if "--" in text else text
