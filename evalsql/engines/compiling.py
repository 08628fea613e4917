"""Relations as files for other engines: one SELECT over the base tables, under a header that describes it.

sqlglot writes a dialect. What it does not know was found by executing every measure (tests/engines).
"""

from __future__ import annotations

import csv
import hashlib
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import sqlglot
from sqlglot import exp
from sqlglot.errors import UnsupportedError

from evalsql.catalog.header import CONTRACT
from evalsql.catalog.measure_names import Measure
from evalsql.catalog.relations import Catalog
from evalsql.engines.inlining import DUCKDB, Inlined, inlined
from evalsql.errors import UsageError
from evalsql.version import __version__

# Their values do not depend on a frame, and Spark refuses one that is not its own.
_WITHOUT_FRAME = (exp.Lag, exp.Lead, exp.RowNumber, exp.Rank, exp.Ntile)
# e to a lower power is nothing that a sum would show. PostgreSQL calls what is too small for a number an error, and so
# it calls the product of two powers below this one.
_LEAST_EXPONENT = -345
Mend = Callable[[exp.Query], None]


class Dialect(NamedTuple):
    name: str
    words: str  # sqlglot's name for it
    mends: Sequence[Mend] = ()
    refusals: Mapping[str, str] = {}  # by construct why it is refused
    on_recursion: str = ""  # what to know where a relation recurses


class RefusalError(UsageError):
    """A relation that a dialect cannot carry; the message names the construct and the reason."""


def refusal(query: exp.Query, dialect: Dialect) -> str | None:
    """The first construct that the dialect cannot carry, and why; none if it can carry all."""
    for construct in constructs(query):
        for kind, reason in dialect.refusals.items():
            if construct.startswith(kind):
                return f"{dialect.name} cannot carry {construct}: {reason}"
    return None


NESTED = "a WITH inside the recursion"
DISTINCT = "a UNION without ALL in the recursion"
WINDOWS = "a window in the recursion"
REAL = "a cast to a 32-bit float"


def constructs(query: exp.Query) -> Iterator[str]:
    """Constructs that some dialect refuses, each with the name of its CTE."""
    for cte in query.ctes:
        union = cte.this
        if isinstance(union, exp.Union) and any(table.name == cte.alias for table in union.find_all(exp.Table)):
            if union.expression.find(exp.With):
                yield f"{NESTED} {cte.alias}"
            if union.args.get("distinct"):
                yield f"{DISTINCT} {cte.alias}"
            if union.expression.find(exp.Window):
                yield f"{WINDOWS} {cte.alias}"
        if any(cast.to.this == exp.DataType.Type.FLOAT for cast in cte.find_all(exp.Cast)):
            yield f"{REAL} in {cte.alias}"


def _write_out_windows(query: exp.Query) -> None:
    """Each named window where it is used: engines differ in what they allow of one, and sqlglot in how it reads one."""
    for select in query.find_all(exp.Select):
        named = {each.name: each for each in select.args.get("windows") or []}
        for window in list(select.find_all(exp.Window)) if named else []:
            name = window.args.get("alias")
            if name is None or window.parent_select is not select or window in named.values():
                continue
            window.set("alias", None)
            for part in ("partition_by", "order", "spec"):
                said = named[name.name].args.get(part)
                window.set(part, [each.copy() for each in said] if isinstance(said, list) else said and said.copy())
        select.set("windows", None)
    for window in query.find_all(exp.Window):
        if isinstance(window.this, _WITHOUT_FRAME):
            window.set("spec", None)


def _let_vanish(query: exp.Query) -> None:
    """0 for powers too small for a number, which PostgreSQL calls an underflow."""
    for node in reversed(list(query.find_all(exp.Exp, exp.Pow))):  # inner ones first
        power = node.this.sql(DUCKDB)
        if isinstance(node, exp.Pow):
            if isinstance(node.this, exp.Literal) and float(node.this.name) >= 1:
                continue
            power = f"({node.expression.sql(DUCKDB)}) * ln(nullif(greatest({power}, 0), 0))"
        written = f"case when {power} < {_LEAST_EXPONENT} then cast(0 as double) else 1 end"
        whole = sqlglot.parse_one(written, dialect=DUCKDB)
        node.replace(whole)
        whole.set("default", node)


_SPARK = Dialect(
    "spark",
    "spark",
    [_write_out_windows],
    {
        NESTED: "Spark does not find the recursive relation there",
        DISTINCT: "Spark recurses by UNION ALL only",
        WINDOWS: "Spark does not let a window read the recursive relation",
    },
    "A recursion in it may go deeper than Spark allows by default; spark.sql.cteRecursionLevelLimit raises that.",
)
DIALECTS: Mapping[str, Dialect] = {
    dialect.name: dialect
    for dialect in (
        _SPARK,
        _SPARK._replace(name="databricks", words="databricks"),
        Dialect("postgres", "postgres", [_write_out_windows, _let_vanish]),
        Dialect(
            "datafusion",
            "postgres",
            [_write_out_windows],
            {NESTED: "a recursion may read itself once there, and this one does so more often"},
        ),
        Dialect(
            "sqlite",
            "sqlite",
            [_write_out_windows],
            {
                NESTED: "SQLite reads the recursive relation in the outermost FROM only",
                WINDOWS: "SQLite has no window functions there",
                REAL: "SQLite holds all floats with 64 bits",
            },
        ),
        Dialect(DUCKDB, DUCKDB),
    )
}

EXECUTED = Path(__file__).parent / "executed.tsv"
EQUAL = "equal"
_WIDTH = 100


def compile_measures(
    catalog: Catalog, measures: Sequence[Measure], dialect: str
) -> tuple[dict[str, str], dict[str, str]]:
    """The text by the name of its file, and by measure the reason for each that was refused."""
    compiled: dict[str, str] = {}
    refused: dict[str, str] = {}
    for measure in measures:
        try:
            text = compile_measure(catalog, measure, dialect)
        except RefusalError as error:
            refused[measure.name] = str(error)
            continue
        file = re.sub(r"[^a-z0-9]+", "_", measure.name.lower()).strip("_") + ".sql"
        if file in compiled:
            raise UsageError(f"{measure.name} and another measure would both be {file}; compile them one by one")
        compiled[file] = text
    return compiled, refused


def compile_measure(catalog: Catalog, measure: Measure, dialect: str) -> str:
    return written(measure, inlined(catalog, measure.relation, measure.arguments), dialect)


def written(measure: Measure, whole: Inlined, dialect: str) -> str:
    """The same of a measure that is one statement already."""
    target = DIALECTS[dialect]
    if reason := refusal(whole.query, target):
        raise RefusalError(reason)
    query = whole.query.copy()
    for mend in target.mends:
        mend(query)
    try:
        body = query.sql(target.words, pretty=True, unsupported_level=sqlglot.ErrorLevel.RAISE, comments=False)
    except UnsupportedError as error:
        raise RefusalError(f"{dialect} cannot carry it: {error}") from error
    # The engines on which tests executed this very relation, and found it equal to DuckDB.
    row = executed().get(measure.name, {})
    engines = [name for name, outcome in row.items() if outcome == EQUAL and row["digest"] == digest(whole)]
    facts = [
        f"{measure.name}: {measure.relation.header.title}",
        f"evalsql {__version__}, written for {dialect}.",
        f"Gives {', '.join([*CONTRACT, *measure.relation.header.columns])}.",
        f"Reads the base tables {', '.join(sorted(whole.tables))} as DuckDB shows them, computed columns among them.",
        f"Executed in tests, equal to DuckDB at 1e-12: on {', '.join(engines)}."
        if engines
        else "Not executed in tests in this very form.",
        target.on_recursion if whole.is_recursive else "",
    ]
    return "".join(f"-- {line}\n" for fact in facts for line in textwrap.wrap(fact, _WIDTH)) + f"{body}\n"


def digest(whole: Inlined) -> str:
    text = whole.query.sql(DUCKDB, comments=False)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


@cache
def executed() -> Mapping[str, Mapping[str, str]]:
    """What came of executing each measure on each engine, as the tests' tool wrote it."""
    if not EXECUTED.exists():
        return {}
    with EXECUTED.open(encoding="utf-8", newline="") as stream:
        return {row["measure"]: row for row in csv.DictReader(stream, delimiter="\t")}
