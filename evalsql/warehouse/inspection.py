"""Finds out whether the views and macros of a file are those of this version, without running any of them.

The engine exports what a file defines, with the defaults of macros, as a script of statements. The script is compared
with that of a warehouse made here, statement by statement. The same engine writes both, so that equal definitions have
equal text. Only definitions that another version of the engine parsed may differ in text.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, NoReturn

from evalsql.catalog.measure_names import literal, quoted
from evalsql.catalog.relations import STEPS
from evalsql.database.database import Database
from evalsql.database.temporary_folders import scratch_folder
from evalsql.errors import EvalsqlError, WarehouseError
from evalsql.warehouse.template import cached

_NAME = r'(?:"(?:[^"]|"")*"|[^\s".(]+)'
_CREATE = re.compile(
    rf"\s*create\s+(?P<kind>[a-z ]+?)\s+(?P<name>{_NAME}(?:\s*\.\s*{_NAME})?)\s*(?:[(\s]|$)", re.IGNORECASE
)
_QUOTED_OR_END = re.compile(r"""'[^']*'|"[^"]*"|;+\n""")
_ENGINES_FUNCTIONS = "select distinct function_name from system.main.duckdb_functions() where internal"
_TOLD = 5
_USED = "used instead; evalsql sql --write 'select 1' puts it into the file"
_IGNORED = ("table", "schema")  # tables are held to their columns elsewhere


@dataclass(frozen=True)
class Inspection:
    """How the definitions of a file differ from those of this version.

    Attributes:
        changed: relations of the catalogue that are missing or something else.
        foreign: relations that are not in the catalogue; no relation of evalsql reads them.
        shadowing: names that would be taken for a function of the engine or for a table.
        sql_digest: the digest of the package's SQL that they were made with, where it is known.
    """

    changed: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    shadowing: tuple[str, ...] = ()
    sql_digest: str = ""

    def is_to_be_remade(self, sql_digest: str) -> bool:
        """Whether the file is a warehouse that gets other views and macros, those of the given SQL."""
        return self != UNREADABLE and not self.shadowing and (bool(self.changed) or self.sql_digest != sql_digest)


class Definition(NamedTuple):
    """Something that a file defines: a view, macro, table, ... and its name."""

    kind: str
    name: str


UNREADABLE = Inspection(changed=("what it defines cannot be read",))


def inspect(database: Database, folder: str, makes: Sequence[Callable[[str], Database]]) -> Inspection:
    """Compare a file's relations with those of its catalogue.

    Args:
        database: the file, shut in but for the folder, in which nothing of it has been run.
        folder: an empty one, which the engine may write into.
        makes: functions that make a warehouse with the relations of the catalogue in a folder. There are several as
            the text of relations differs if another version of the engine made them, such as that of the package.
    """
    try:
        found = _definitions(database, folder)
    except EvalsqlError:
        return UNREADABLE
    changed: set[str] = set()
    known: dict[str, str] = {}
    for nth, make in enumerate(makes):
        known |= _expected(f"{database.catalog.digest[:20]}-relations{nth or ''}", make)
        changed = set(known.values()) - {known[key] for key in found if key in known}
        if not changed:
            break
    others = [each for key, each in found.items() if key not in known]
    foreign = [each for each in others if f"{each.kind} {each.name}" not in known.values()]
    return _inspection(database, changed, others, foreign)


def inspect_others(database: Database, folder: str) -> Inspection:
    """Find what stays in a file of another version when all of its relations are remade."""
    try:
        found = _definitions(database, folder)
        listed = {name for (name,) in database.rows("select relation::varchar from main.relations")}
    except EvalsqlError:
        return UNREADABLE
    ours = listed | {f"{STEPS}.{name}" for name in listed}
    others = list(found.values())
    return _inspection(database, set(), others, [each for each in others if each.name not in ours])


def _inspection(
    database: Database, changed: set[str], others: Sequence[Definition], foreign: Sequence[Definition]
) -> Inspection:
    in_steps = [each.name for each in others if each.kind == "table" or each in foreign]
    shadowing = {name for name in in_steps if name.startswith(f"{STEPS}.")}
    shadowing |= _named_as_the_engines(database, {each.name for each in others if each.kind == "macro"})
    told = {f"{each.kind} {each.name}" for each in foreign if each.kind not in _IGNORED}
    return Inspection(tuple(sorted(changed)), tuple(sorted(told)), tuple(sorted(shadowing)))


def _named_as_the_engines(database: Database, macros: set[str]) -> set[str]:
    """Macros that views would call in the place of the engine's own functions."""
    if not macros:
        return set()
    engines = {name for (name,) in database.rows(_ENGINES_FUNCTIONS)}
    return {name for name in macros if name.rpartition(".")[2].lower() in engines}


def _expected(name: str, make: Callable[[str], Database]) -> dict[str, str]:
    """Names of relations by the digest of their definitions, kept in the user's cache."""

    def write(path: Path) -> None:
        with scratch_folder() as folder, closing(make(folder)) as database:
            found = _definitions(database, folder)
            lines = [f"{key} {each.kind} {each.name}" for key, each in found.items() if each.kind not in _IGNORED]
        path.write_text("\n".join(lines), encoding="utf-8")

    with scratch_folder() as folder:
        path = cached(name, write, ".relations")
        if path is None:
            path = Path(folder) / name
            write(path)
        lines = path.read_text(encoding="utf-8").splitlines()
    return {key: name for key, _, name in (line.partition(" ") for line in lines)}


def _definitions(database: Database, folder: str) -> dict[str, Definition]:
    """Kind and name of what a database defines, by the digest of the statement that makes it."""
    copy = f"copy_{os.urandom(8).hex()}"
    ((name,),) = database.rows("select system.main.current_database()")
    place = os.path.join(folder, copy)
    database.execute(f"attach ':memory:' as {copy} (read_write)")
    try:
        # Tables come without their rows.
        database.execute(f"copy from database {quoted(name)} to {copy} (schema)")
        database.execute(f"export database {copy} to {literal(place)}")
    finally:
        database.execute(f"detach {copy}")
    script = Path(place, "schema.sql").read_text(encoding="utf-8", errors="surrogateescape")
    return {_digest(sql): _created(sql) for sql in _statements(script)}


def _statements(script: str) -> Iterator[str]:
    """The statements of a script that the engine wrote; its own parser takes seconds for them."""
    start = 0
    for match in _QUOTED_OR_END.finditer(script):
        if match[0][0] == ";":
            yield script[start : match.start()].strip()
            start = match.end()


def _digest(sql: str) -> str:
    return hashlib.sha256(sql.encode("utf-8", errors="surrogateescape")).hexdigest()


def _created(sql: str) -> Definition:
    match = _CREATE.match(sql)
    if match is None:
        return Definition("statement", sql[:60])
    parts = [part.strip('"').replace('""', '"') for part in re.findall(_NAME, match["name"])]
    return Definition(match["kind"].lower(), ".".join(parts[1:] if parts[0] == "main" and len(parts) > 1 else parts))


# What is said of it


def changed_words(path: str, changed: Sequence[str], read_only: bool) -> str:
    """What is done about relations that are others than those of this version."""
    done = f"this version's SQL is {_USED}" if read_only else "evalsql's own are put in their place"
    return (
        f"{path}: views or macros in it are not those of evalsql: {_few(changed)}. Somebody changed them, or another "
        f"version of DuckDB made them; {done}"
    )


def older_words(path: str, made_by: str) -> str:
    """What is done about relations of another version in a file that is open for reading."""
    return f"{path}: was written by evalsql {made_by} with other SQL; that of this version is {_USED}"


def foreign_words(path: str, foreign: Sequence[str]) -> str:
    """Why the engine reaches no other file."""
    return (
        f"{path}: has views or macros beside those of evalsql: {_few(foreign)}. SQL here reads and writes no other "
        "file, as they might do so; evalsql.open(path, external_access=True) allows it if you trust them"
    )


def refuse_shadowing(path: str, names: Sequence[str]) -> NoReturn:
    """Raise WarehouseError for what would be read or called in the place of something else."""
    raise WarehouseError(
        f"{path}: {_few(names)} would be taken for a function of the engine or for a table of evalsql; do not use this "
        "file; load its runs and judgments into a new one"
    )


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:_TOLD]) + (f" and {len(names) - _TOLD} more" if len(names) > _TOLD else "")
