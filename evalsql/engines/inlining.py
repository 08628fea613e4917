"""A relation as one SELECT over base tables: what it reads as CTEs, parameters bound, functions written out.

The macros of a warehouse know each other by name. Another engine knows none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

import sqlglot
from sqlglot import exp

from evalsql.catalog.header import TIES, Parameter, Value
from evalsql.catalog.measure_names import literal
from evalsql.catalog.relations import Catalog, Relation
from evalsql.errors import UsageError

DUCKDB = "duckdb"
_BY_ITSELF = (exp.Literal, exp.Cast, exp.Column, exp.Null, exp.Boolean, exp.Paren)
Arguments = Mapping[str, exp.Expr]


def inlined(catalog: Catalog, relation: Relation, arguments: Mapping[str, Value]) -> Inlined:
    """The relation with these arguments, over base tables; raises UsageError where it reads the view of all scores."""
    given = {name: _expression(literal(value)) for name, value in arguments.items()}
    whole = Inlined(catalog)
    whole.query = whole.body(*whole.resolve(relation, given))
    if whole.ctes:
        whole.query.set("with_", exp.With(expressions=whole.ctes, recursive=whole.is_recursive))
    return whole


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
        tree = self._without_calls(_bound(_tree(relation), arguments))
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


@cache
def _tree(relation: Relation) -> exp.Expr:
    """The syntax tree of the body; to parse takes most of the time."""
    return relation.tree()


def _bound(tree: exp.Expr, arguments: Arguments) -> exp.Expr:
    """A copy of the tree with its parameters replaced by arguments."""

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
