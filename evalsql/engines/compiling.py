"""Relations as files for other engines: one SELECT over the base tables, under a header that says what it is."""

from __future__ import annotations

import hashlib
import re
import textwrap
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from evalsql.catalog.header import CONTRACT
from evalsql.catalog.measure_names import Measure
from evalsql.catalog.relations import Catalog
from evalsql.engines.dialects import DIALECTS, RefusalError, translated
from evalsql.engines.inlining import DUCKDB, Inlined, inlined
from evalsql.errors import UsageError
from evalsql.version import __version__

EXECUTED = Path(__file__).parent / "executed.tsv"
EQUAL = "equal"
_WIDTH = 100


class Compiled(NamedTuple):
    """One measure for one engine: the name of its file, and the text."""

    file: str
    text: str


class Compilation(NamedTuple):
    """What was compiled, and by measure why others were refused."""

    compiled: Sequence[Compiled]
    refused: Mapping[str, str]


def compile_measures(catalog: Catalog, measures: Sequence[Measure], dialect: str) -> Compilation:
    """The measures in a dialect.

    Raises:
        UsageError: two measures would have one file name.
    """
    compiled: dict[str, Compiled] = {}
    refused: dict[str, str] = {}
    for measure in measures:
        try:
            found = compile_measure(catalog, measure, dialect)
        except RefusalError as error:
            refused[measure.name] = str(error)
            continue
        if found.file in compiled:
            raise UsageError(f"{measure.name} and another measure would both be {found.file}; compile them one by one")
        compiled[found.file] = found
    return Compilation(list(compiled.values()), refused)


def compile_measure(catalog: Catalog, measure: Measure, dialect: str) -> Compiled:
    """One measure in a dialect.

    Raises:
        RefusalError: the dialect cannot carry it; the message names the construct and the reason.
    """
    return written(measure, inlined(catalog, measure.relation, measure.arguments), dialect)


def written(measure: Measure, whole: Inlined, dialect: str) -> Compiled:
    """The same of a measure that is one statement already."""
    body = translated(whole.query, DIALECTS[dialect])
    header = "".join(f"-- {line}\n" for text in _facts(measure, whole, dialect) for line in textwrap.wrap(text, _WIDTH))
    return Compiled(f"{file_stem(measure)}.sql", f"{header}{body}\n")


def file_stem(measure: Measure) -> str:
    """The measure's name as a file may be called."""
    return re.sub(r"[^a-z0-9]+", "_", measure.name.lower()).strip("_")


def _facts(measure: Measure, whole: Inlined, dialect: str) -> Sequence[str]:
    header = measure.relation.header
    columns = ", ".join([*CONTRACT, *header.columns])
    engines = engines_executed(measure, whole)
    executed = (
        f"Executed in tests, equal to DuckDB at 1e-12: on {', '.join(engines)}."
        if engines
        else "Not executed in tests in this very form."
    )
    return [
        f"{measure.name}: {header.title}",
        f"evalsql {__version__}, written for {dialect}.",
        f"Gives {columns}.",
        f"Reads the base tables {', '.join(whole.tables)} as DuckDB shows them, computed columns among them.",
        executed,
        DIALECTS[dialect].on_recursion if whole.is_recursive else "",
    ]


def digest(whole: Inlined) -> str:
    """What tells one relation from another, whatever is said beside it in comments."""
    text = whole.query.sql(DUCKDB, comments=False)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def engines_executed(measure: Measure, whole: Inlined) -> Sequence[str]:
    """The engines on which tests executed this very relation, and found it equal to DuckDB."""
    if (row := executed().get(measure.name)) is None or row["digest"] != digest(whole):
        return []
    return [engine for engine, outcome in row.items() if outcome == EQUAL]


@cache
def executed() -> Mapping[str, Mapping[str, str]]:
    """What came of executing each measure on each engine, as the tests' tool wrote it."""
    if not EXECUTED.exists():
        return {}
    first, *lines = EXECUTED.read_text(encoding="utf-8").splitlines()
    rows = [dict(zip(first.split("\t"), line.split("\t"), strict=True)) for line in lines]
    return {row["measure"]: row for row in rows}
