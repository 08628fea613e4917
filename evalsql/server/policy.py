"""Which statements a client may send, by the token it showed.

Clients are shut in as ``evalsql sql`` is: no files, no extensions, no settings. The engine sees to files and settings
itself; what it has no setting for is refused here, by the kind of a statement and by the functions it names.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from evalsql.database import engine
from evalsql.database.statement_text import CHANGING, VARIABLE, statements_run

WRITE = "write"
_READING = {"SELECT", "TRANSACTION", VARIABLE}
_TEMPORARY = {"CREATE", "DROP", "INSERT", "UPDATE", "DELETE"}
_LEADING = re.compile(r"\A(?:\s|--[^\n]*(?:\n|$)|/\*.*?\*/)+", re.DOTALL)
_MAKES_TEMPORARY = re.compile(
    r"create\s+(?:or\s+replace\s+)?temp(?:orary)?\s+(?:table|view|macro|function)\b", re.IGNORECASE
)
_NAME = r'(?P<schema>(?:temp|"temp")\s*\.\s*)?(?P<name>[a-z_]\w*|"(?:[^"]|"")+")(?!\s*\.)(?![\w"])'
# Where the name of what a statement changes stands; the name is what is put into the schema temp.
_DROP = r"drop\s+(?:table|view|macro\s+table|macro|function)(?:\s+if\s+exists\b)?+"
_CHANGES = re.compile(rf"(?P<before>insert\s+into|update|delete\s+from|{_DROP})\s+{_NAME}", re.IGNORECASE)
# They start and stop servers, show what others ask, change what is logged, or run text that is not looked at here.
_REFUSED = re.compile(
    r"quack_\w*|evalsql_server_\w*|query|json_execute_serialized_sql|from_substrait\w*|from_serialized_\w*"
    r"|\w*_logging|write_log|truncate_duckdb_logs|duckdb_logs\w*|parse_duckdb_log_message|whoami\w*"
    r"|force_checkpoint|checkpoint|getenv|duckdb_secrets|which_secret|sniff_csv|read_\w+|glob|parquet_\w+|\w+_scan"
    r"|pragma_\w*|import_database|export_database",
    re.IGNORECASE,
)
_CREATES_SECRET = re.compile(
    r"create\s+(?:or\s+replace\s+)?(?:persistent\s+|temp(?:orary)?\s+)?secret\b", re.IGNORECASE
)
_FURTHER = {"insert", "update", "delete", "merge", "copy"}  # a WITH may change rows within another statement
_WORD = re.compile(r'"((?:[^"]|"")*)"|[^\W\d][\w$]*')


class RefusedError(Exception):
    """A statement that a client may not send; the message is for it."""


def admitted(text: str, role: str) -> str:
    """The statements to run instead of what a client sent; a reader changes only what is in the schema temp."""
    try:
        found = list(statements_run(text))
    except (engine.Error, RuntimeError) as error:
        raise RefusedError(str(error).strip()) from error
    if not found:
        raise RefusedError("there is no statement to run")
    return "; ".join(f"{each.explain}{_admitted(each.query, each.kind, role)}" for each in found)


def _tokens(query: str) -> list[str]:
    """Tokens of the engine's own lexer, each with the comments behind it, which are tokens themselves in DuckDB 2.0."""
    content = query.encode()
    places = [place for place, kind in engine.tokenize(query) if not str(kind).endswith("comment")]
    return [content[start:end].decode() for start, end in pairwise([*places, len(content)])]


def _called(query: str) -> Iterator[str]:
    """Names that a bracket follows."""
    for text, after in pairwise(_tokens(query)):
        if after.startswith("("):
            found = _WORD.match(text)
            if found is None and not text[:1].isascii():
                raise RefusedError(f"names of this kind are not for clients of a server: {text.strip()}")
            if found:
                yield found[0] if found[1] is None else found[1].replace('""', '"')


def _admitted(query: str, kind: str, role: str) -> str:
    query = _LEADING.sub("", query).strip().rstrip(";")
    if kind == "EXPLAIN":
        raise RefusedError("this form of EXPLAIN is not for clients of a server")
    if kind not in _READING | CHANGING:
        raise RefusedError(
            f"a statement of kind {kind} is not for clients of a server: no files, extensions or settings"
        )
    if _CREATES_SECRET.match(query):
        raise RefusedError("secrets are not for clients of a server")
    # To read the tokens takes milliseconds, and a plain name can be refused only if it stands in the text.
    is_harmless = query.isascii() and '"' not in query and not _REFUSED.search(query)
    for name in () if is_harmless else _called(query):
        if _REFUSED.fullmatch(name):
            raise RefusedError(f"the function {name} is not for clients of a server")
    if role == WRITE or kind in _READING:
        return query
    words = [re.split(r"\W", text, maxsplit=1)[0].lower() for text in _tokens(query)]
    if any(word in _FURTHER and before != "do" for before, word in pairwise(words)):  # ON CONFLICT DO UPDATE is its own
        raise RefusedError("this token reads only; a statement that changes what is temporary changes nothing else")
    if kind == "CREATE" and _MAKES_TEMPORARY.match(query):
        return query
    if kind in _TEMPORARY and (found := _CHANGES.match(query)):
        return f"{found['before']} temp.{found['name']}{query[found.end() :]}"
    raise RefusedError("this token reads only; to change the warehouse takes the one that writes")
