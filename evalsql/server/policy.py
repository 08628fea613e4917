"""Which statements a client may send, by the token it showed.

It promises this. Clients are shut in as ``evalsql sql`` is: no files, no extensions, no settings. A token that only
reads changes nothing but what is temporary in its own session. The engine itself sees to files and settings. All else
is decided by the kind that the engine's parser gives a statement and by the words that the engine's lexer finds in it;
what is not understood is refused.
"""

from itertools import islice, pairwise

from evalsql.catalog.relations import read_catalog
from evalsql.database import engine
from evalsql.database.calls import MOST_STATEMENTS, CallError, Word, check_calls, check_length, words_of
from evalsql.database.statement_text import CHANGING, VARIABLE, statements_run
from evalsql.warehouse.own_measures import hides

WRITE = "write"
_READING = {"SELECT", "TRANSACTION", VARIABLE}
# They start and stop servers, show what others ask, change settings or sequences, or run text not looked at here.
_REFUSED = {
    *("query", "json_execute_serialized_sql", "json_serialize_plan", "getenv", "checkpoint", "force_checkpoint"),
    *("write_log", "truncate_duckdb_logs", "parse_duckdb_log_message", "duckdb_secrets", "which_secret"),
    *("duckdb_live_query_metrics", "duckdb_prepared_statements", "sleep_ms", "pg_sleep"),
    *("import_database", "export_database", "nextval", "setval"),
}
_FILE_READERS = ("read_", "parquet_", "glob", "sniff_csv")
_REFUSED_BEGINNINGS = (
    *("quack_", "evalsql_server_", "from_substrait", "from_serialized_", "duckdb_logs", "whoami"),
    *_FILE_READERS,
    "pragma_",
)
_REFUSED_ENDS = ("_logging", "_profiling", "_scan", "_grammar_extension", "_external_resource", "_resource_type")
_MADE = (["table"], ["view"], ["macro"], ["function"])
_RENAMES = ["rename", "to"]
_LOCKING = ("default", "references")  # the extension reads each table as it attaches, and fails at most of these
_FURTHER = {"insert", "update", "delete", "merge", "copy"}  # a WITH may change rows within another statement


class RefusedError(Exception):
    """A statement that a client may not send; the message is for it."""


def admitted(text: str, role: str) -> str:
    """The statements to run instead of what a client sent; a reader changes only what is in the schema temp."""
    run = _rewritten(text, role)
    # The engine reads odd blanks otherwise behind a comment with a quote.
    if run != text and _rewritten(run, role) != run:
        raise RefusedError("without its comments this text asks something else; send it without them")
    return run


def _rewritten(text: str, role: str) -> str:
    try:
        check_length(text)
        found = list(islice(statements_run(text), MOST_STATEMENTS + 1))
    except (engine.Error, RuntimeError, CallError) as error:
        raise RefusedError(str(error).strip()) from error
    if not 0 < len(found) <= MOST_STATEMENTS:
        raise RefusedError(f"a text has 1 to {MOST_STATEMENTS:,} statements")
    return "; ".join(f"{each.explain}{_admitted(each.query, each.kind, role)}" for each in found)


def _admitted(query: str, kind: str, role: str) -> str:
    if kind == "EXPLAIN":
        raise RefusedError("this form of EXPLAIN is not for clients of a server")
    if kind not in _READING | CHANGING or not query:
        raise RefusedError(
            f"a statement of kind {kind} is not for clients of a server: no files, extensions or settings"
        )
    words = words_of(query)
    try:
        check_calls(words, _is_refused)
    except CallError as error:
        raise RefusedError(f"the function {error} is not for clients of a server") from error
    made = _after(words, ["create", "or", "replace"], ["create"])
    is_temporary = bool(_after(_after(made, ["temp"], ["temporary"]), *_MADE))
    if [word.text for word in words[:2]] == ["alter", "database"]:
        raise RefusedError("a database of the server keeps its name")
    if kind in ("CREATE", "ALTER") and not is_temporary:
        _check_kept(words, made)
    if role != WRITE and kind not in _READING:
        if any(word.text in _FURTHER and before.text != "do" for before, word in pairwise(words)):  # ON CONFLICT DO ...
            raise RefusedError("this token reads only; a statement that changes what is temporary changes nothing else")
        if not is_temporary:
            return _in_temp(query.encode(), words)
    return _ended(query.encode()[words[0].start :])


def _check_kept(words: list[Word], made: list[Word]) -> None:
    """Refuse names by which clients would be told something else in the place of what DuckDB or evalsql has."""
    kind = made[0].text if made else "table"  # other things that are renamed hide nothing
    named = _after(made, *_MADE, ["schema"], ["sequence"], ["type"], ["index"], ["unique", "index"])
    if kind == "table" and any(word.text in _LOCKING and not word.is_quoted for word in words):
        raise RefusedError("a table that is kept has no defaults and foreign keys: with them nobody could connect")
    if made and not named:
        raise RefusedError("clients of a server make tables, views, macros, schemas, sequences, types and indexes only")
    renamed = [words[at + 2 :] for at, pair in enumerate(pairwise(words)) if [each.text for each in pair] == _RENAMES]
    for behind in [_after(named, ["if", "not", "exists"], [])] if made else renamed:
        while [word.text for word in behind[1:2]] == ["."]:
            behind = behind[2:]
        name = "".join(word.text for word in behind[:1])
        is_ours = bool(made) and name in read_catalog().relations and not read_catalog()[name].header.inputs
        if is_ours or hides(read_catalog(), kind, name) or (kind, name) == ("schema", "temp"):
            raise RefusedError(f"{name} is a name of DuckDB or evalsql; give what is kept another one")


def check_definition(text: str) -> None:
    """Raise CallError where what a file defines calls what clients may not; the engine itself sees to files."""
    check_calls(words_of(text), lambda name: _is_refused(name) and not name.startswith(_FILE_READERS))


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
    is_temporary = [word.text for word in named[:2]] == ["temp", "."]
    named = named[2:] if is_temporary else named
    is_name = named and (named[0].is_quoted or named[0].text[0].isalpha() or named[0].text[0] == "_")
    if not is_name or [word.text for word in named[1:2]] == ["."]:
        raise RefusedError("this token reads only; to change the warehouse takes the one that writes")
    at = named[0].start
    before, rest = content[words[0].start : at], content[at:]
    return _ended(before + (b"" if is_temporary else b"temp.") + rest)


def _ended(statement: bytes) -> str:
    """A statement that another one may follow, also where it ends with a comment."""
    text = statement.decode().strip().rstrip(";").rstrip()
    return f"{text}\n" if "--" in text else text
