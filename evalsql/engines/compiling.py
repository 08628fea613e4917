"""Relations as files for other engines: one SELECT over the base tables, under a header that describes it.

The macros of a warehouse know each other by name, and another engine knows none of them: what a relation reads becomes
CTEs, its parameters are bound, and functions are written out.
sqlglot writes a dialect. What it does not know was found by executing every measure (tests/engines).
"""

from __future__ import annotations

import csv
import hashlib
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

import sqlglot
from sqlglot import exp
from sqlglot.errors import UnsupportedError
from sqlglot.transforms import eliminate_window_clause

from evalsql.catalog.header import CONTRACT, TIES, Parameter
from evalsql.catalog.measure_names import Measure
from evalsql.catalog.relations import GIVEN_VALUES, UNASKED, Catalog, Relation
from evalsql.errors import UsageError
from evalsql.literals import Value, literal
from evalsql.version import __version__

DUCKDB = "duckdb"
_BY_ITSELF = (exp.Literal, exp.Cast, exp.Column, exp.Null, exp.Boolean, exp.Paren)
Arguments = Mapping[str, exp.Expr]
# Window functions whose values are the same in every frame. Spark refuses any frame but its default for them.
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
    for kind, cte in constructs(query):
        if reason := dialect.refusals.get(kind):
            return f"{dialect.name} cannot carry {kind} {cte}: {reason}"
    return None


NESTED = "a WITH inside the recursion"
DISTINCT = "a UNION without ALL in the recursion"
WINDOWS = "a window in the recursion"
REAL = "a cast to a 32-bit float in"


def constructs(query: exp.Query) -> Iterator[tuple[str, str]]:
    """Constructs that some dialect refuses, each with the name of its CTE."""
    for cte in query.ctes:
        union = cte.this
        if isinstance(union, exp.Union) and any(table.name == cte.alias for table in union.find_all(exp.Table)):
            if union.expression.find(exp.With):
                yield NESTED, cte.alias
            if union.args.get("distinct"):
                yield DISTINCT, cte.alias
            if union.expression.find(exp.Window):
                yield WINDOWS, cte.alias
        if any(cast.to.this == exp.DataType.Type.FLOAT for cast in cte.find_all(exp.Cast)):
            yield REAL, cte.alias


def _write_out(query: exp.Query) -> None:
    """Named windows where they are used, for engines differ in what they allow of one and sqlglot in how it reads one;
    plain sums for compensated ones, products of numbers from 0 to 1 as sums of logarithms, and logarithms to base 2
    by natural ones."""
    for select in list(query.find_all(exp.Select)):
        eliminate_window_clause(select)
    for window in query.find_all(exp.Window):
        if isinstance(window.this, _WITHOUT_FRAME):
            window.set("spec", None)
    for compensated in [each for each in query.find_all(exp.Anonymous) if each.name == "fsum"]:
        compensated.replace(exp.Sum(this=compensated.expressions[0]))
    for product in [each for each in query.find_all(exp.Anonymous) if each.name == "product"]:
        factor = product.expressions[0].sql(DUCKDB)
        total = sqlglot.parse_one(f"sum(case when {factor} > 0 then ln({factor}) else -1000 end)", dialect=DUCKDB)
        product.replace(total)
        whole = total.parent if isinstance(total.parent, exp.Window) else total
        whole.replace(exp.Exp(this=whole.copy()))
    for node in query.find_all(exp.Log):
        node.replace(exp.Paren(this=exp.Div(this=exp.Ln(this=node.expression), expression=exp.Ln(this=node.this))))


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
    [_write_out],
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
        Dialect("postgres", "postgres", [_write_out, _let_vanish]),
        Dialect(
            "datafusion",
            "postgres",
            [_write_out],
            {NESTED: "a recursion may read itself once there, and this one does so more often"},
        ),
        Dialect(
            "sqlite",
            "sqlite",
            [_write_out],
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
    whole, target = inlined(catalog, measure.relation, measure.arguments), DIALECTS[dialect]
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
    return hashlib.sha256(whole.query.sql(DUCKDB, comments=False).encode()).hexdigest()[:12]


@cache
def executed() -> Mapping[str, Mapping[str, str]]:
    """What came of executing each measure on each engine, as the tests' tool wrote it."""
    with EXECUTED.open(encoding="utf-8", newline="") as stream:
        return {row["measure"]: row for row in csv.DictReader(stream, delimiter="\t")}


# A relation as one SELECT


def inlined(catalog: Catalog, relation: Relation, arguments: Mapping[str, Value]) -> Inlined:
    """The relation with these arguments, over base tables; raises UsageError where it reads the view of all scores."""
    given = {name: _expression(literal(value)) for name, value in arguments.items()}
    whole = Inlined(catalog)
    whole.query = whole.body(*whole.resolve(relation, given))
    each = catalog.list_parameter(relation) if relation.is_measure else ""
    if each and not isinstance(given.get(each), exp.Array):  # its value is a column of the rows for a list
        for select in _united(whole.query):
            select.set("expressions", [column for column in select.selects if column.alias_or_name != each])
    if whole.ctes:
        whole.query.set("with_", exp.With(expressions=whole.ctes, recursive=whole.is_recursive))
    return whole


def _united(query: exp.Query) -> Iterator[exp.Query]:
    """The query, or those that a UNION is of."""
    if isinstance(query, exp.SetOperation):
        yield from _united(query.left)
        yield from _united(query.right)
    else:
        yield query


@dataclass
class Inlined:
    """A relation as one statement in DuckDB's words, the base tables that it reads, and whether it recurses."""

    catalog: Catalog
    query: exp.Query = field(init=False)
    ctes: list[exp.CTE] = field(default_factory=list)
    tables: set[str] = field(default_factory=set)
    is_recursive: bool = False
    _names: dict[tuple[str, tuple[tuple[str, str], ...]], str] = field(default_factory=dict)
    _taken: set[str] = field(default_factory=set)

    def resolve(self, relation: Relation, given: Arguments) -> tuple[Relation, Arguments]:
        """The relation that has the rows under the order of ties that is asked for, with all its arguments."""
        order = given.get(TIES)
        while isinstance(order, exp.Literal) and (chosen := relation.header.ties.get(order.name)):
            relation = self.catalog[chosen]
        return relation, {each.name: _typed(each, given.get(each.name)) for each in relation.parameters}

    def body(self, relation: Relation, arguments: Arguments) -> exp.Query:
        """The relation's own SELECT, its CTEs and all that it reads being put before it."""
        if relation.name == GIVEN_VALUES:
            (given,) = arguments.values()
            values = given.expressions if isinstance(given, exp.Array) else [given]
            rows = _expression(" union all ".join(f"select {each.sql(DUCKDB)} as value" for each in values))
            assert isinstance(rows, exp.Query)
            return rows
        tree = self._without_calls(_bound(_tree(relation), arguments))
        self._write_conditions(tree)
        own = {str(cte.alias): self._unique(str(cte.alias)) for cte in tree.find_all(exp.CTE)}
        for cte in tree.find_all(exp.CTE):
            cte.args["alias"].set("this", exp.to_identifier(own[str(cte.alias)]))
        for table in list(tree.find_all(exp.Table)):
            self._point(relation, table, own)
        with_ = tree.args.pop("with_", None)
        for cte in list(with_.expressions) if with_ else []:
            cte.pop()
            self.is_recursive |= any(table.name == cte.alias for table in cte.this.find_all(exp.Table))
            self.ctes.append(cte)
        assert isinstance(tree, exp.Query)
        return tree

    def _write_conditions(self, tree: exp.Expr) -> None:
        """ON for USING: of names that several tables on the left have, DataFusion finds none."""
        ctes = {str(cte.alias): cte.this for cte in tree.find_all(exp.CTE)}

        def columns(source: exp.Expr) -> set[str]:
            name = _name(source) if isinstance(source, exp.Table) else ""
            is_whole = name and name not in ctes
            return {*self.catalog[name].columns} if is_whole else selected(ctes.get(name, source.this))

        def selected(query: exp.Query) -> set[str]:
            select = next(_united(query))
            named = {column.alias_or_name for column in select.selects}
            return named.union(*map(columns, _sources(select))) if select.is_star else named

        for select in tree.find_all(exp.Select):
            owners: dict[str, str] = {}
            sources = {each.alias or _name(each): each for each in _sources(select)}
            for at, join in enumerate(select.args.get("joins") or (), start=1):
                *left, here = [*sources][: at + 1]
                conditions = []
                for name in (each.name for each in join.args.pop("using", None) or ()):
                    owner = owners.setdefault(name, next(each for each in left if name in columns(sources[each])))
                    conditions.append(exp.column(name, here).eq(exp.column(name, owner)))
                if conditions:
                    join.set("on", exp.and_(*conditions))

    def _point(self, relation: Relation, table: exp.Table, own: Mapping[str, str]) -> None:
        """Replace a table in the body by the CTE of the relation that it names."""
        call = table.this if isinstance(table.this, exp.Anonymous) else None
        name = str(call.name if call else table.name)
        if name in own:
            target = own[name]
        elif name not in self.catalog.relations:
            raise UsageError(f"{relation.name} reads {name}, which is no relation of its own: it cannot be compiled")
        elif self.catalog[name].kind == "tables":
            self.tables.add(name)
            return
        elif name in UNASKED:
            target = name = UNASKED[name]
            self.tables.add(target)
            table.set("alias", None if table.alias == target else table.args.get("alias"))
        else:
            target = self._cte(name, {pair.this.name: pair.expression for pair in call.expressions} if call else {})
        table.set("this", exp.to_identifier(target))
        if target != name and not table.alias:
            table.set("alias", exp.TableAlias(this=exp.to_identifier(name)))

    def _cte(self, name: str, given: Arguments) -> str:
        relation, arguments = self.resolve(self.catalog[name], given)
        key = (relation.name, tuple((name, value.sql(DUCKDB)) for name, value in arguments.items()))
        if key not in self._names:
            query = self.body(relation, arguments)
            self._names[key] = self._unique(relation.name)
            self.ctes.append(exp.CTE(this=query, alias=exp.TableAlias(this=exp.to_identifier(self._names[key]))))
        return self._names[key]

    def _unique(self, name: str) -> str:
        found, number = name, 1
        while found in self._taken or (found in self.catalog.relations and self.catalog[found].kind == "tables"):
            number += 1
            found = f"{name}_{number}"
        self._taken.add(found)
        return found

    def _without_calls(self, tree: exp.Expr) -> exp.Expr:
        """The tree with each of our scalar functions written out."""

        def written_out(node: exp.Expr) -> exp.Expr:
            function = self.catalog.relations.get(node.name) if isinstance(node, exp.Anonymous) else None
            if function is None or not function.is_function or isinstance(node.parent, exp.Table):
                return node
            given = dict(zip([each.name for each in function.parameters], node.expressions, strict=False))
            arguments = {each.name: _typed(each, given.get(each.name)) for each in function.parameters}
            return exp.Paren(this=self._without_calls(_bound(_tree(function), arguments)))

        return tree.transform(written_out)


def _sources(select: exp.Query) -> list[exp.Expr]:
    """What it reads: the table behind FROM, and those that it joins."""
    return [each.this for each in (select.args.get("from_"), *(select.args.get("joins") or ())) if each]


def _name(table: exp.Expr) -> str:
    return str(table.this.name if isinstance(table.this, exp.Anonymous) else table.name)


@cache
def _tree(relation: Relation) -> exp.Expr:
    """The syntax tree of the body; to parse takes most of the time."""
    return relation.tree()


def _bound(tree: exp.Expr, arguments: Arguments) -> exp.Expr:

    def put(node: exp.Expr) -> exp.Expr:
        if isinstance(node, (exp.Placeholder, exp.Parameter)) and node.name in arguments:
            return arguments[node.name].copy()
        return node

    return tree.transform(put)


def _typed(parameter: Parameter, given: exp.Expr | None) -> exp.Expr:
    """What is given for a parameter, or its default, of the parameter's type as a macro would have it."""
    value = _expression(literal(parameter.default)) if given is None else given.copy()
    if isinstance(value, exp.Null) or (parameter.type == "double" and not isinstance(value, exp.Cast)):
        return exp.cast(value, parameter.type, dialect=DUCKDB)
    return value if isinstance(value, _BY_ITSELF) else exp.Paren(this=value)


def _expression(text: str) -> exp.Expr:
    return sqlglot.parse_one(text, dialect=DUCKDB)
