"""The syntax tree of a relation's body: the relations that it reads, and the parameters that it takes.

Importing the parser takes longer than most commands run. So this module is imported only where a tree is needed.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, TokenError

from evalsql.errors import CatalogError


def parse(body: str, path: Path, first_line: int) -> exp.Expr:
    """The syntax tree of a body that starts at this line of a file; raises CatalogError where it has none."""
    try:
        trees = sqlglot.parse(body, dialect="duckdb")
    except (ParseError, TokenError) as error:
        line = error.errors[0].get("line") if isinstance(error, ParseError) and error.errors else None
        raise CatalogError(f"{path}:{first_line + (line or 1) - 1}: {str(error).splitlines()[0]}") from error
    except RecursionError as error:
        raise CatalogError(f"{path}:{first_line}: is nested too deeply to be read") from error
    if len(trees) != 1 or trees[0] is None:
        raise CatalogError(f"{path}:{first_line}: expected one statement")
    return trees[0]


def relations_read(tree: exp.Expr) -> frozenset[str]:
    """Names of tables, views and macros in a body that are not its own CTEs."""
    own = {cte.alias_or_name for cte in tree.find_all(exp.CTE)}
    series = (exp.GenerateSeries, exp.ExplodingGenerateSeries)
    names = {_table_name(table) for table in tree.find_all(exp.Table) if not isinstance(table.this, series)}
    return frozenset(names - own)


def _table_name(table: exp.Table) -> str:
    called = table.this
    return str(called.name if isinstance(called, exp.Func) else table.name)


def check_parameters(tree: exp.Expr, declared: Collection[str], place: str, taken: Collection[str] = ()) -> None:
    """Check that a body uses the parameters that its header declares, and no others.

    Args:
        place: file and line, for messages.
        taken: parameters that are used though the body does not name them.

    Raises:
        CatalogError: parameters of body and header differ, or a column has the name of a parameter: a macro would
            read the parameter in its place.
    """
    used = {str(node.name) for node in tree.find_all(exp.Parameter)}.union(taken)
    used |= {str(node.name) for node in tree.find_all(exp.Placeholder) if node.name}
    declared = set(declared)
    for name in sorted(declared):
        if sqlglot.tokenize(name, dialect="duckdb")[0].token_type.name != "VAR":
            raise CatalogError(f"{place}: {name} is a word of SQL and cannot name a parameter")
    if used != declared:
        differing = ", ".join(f"${name}" for name in sorted(used ^ declared))
        side = "the body does not use" if used < declared else "the header does not name" if used > declared else ""
        raise CatalogError(f"{place}: {side or 'header and body differ in'} the parameters {differing}")
    # In f(k := $k) sqlglot takes the name on the left for a column. A column behind the name of its table is never
    # mistaken for a parameter.
    argument_names = {id(node.this) for node in tree.find_all(exp.PropertyEQ)}
    bare = (column for column in tree.find_all(exp.Column) if not column.table)
    columns = {column.name for column in bare if id(column) not in argument_names}
    if clashes := sorted(columns & declared):
        raise CatalogError(f"{place}: column named like a parameter: {', '.join(clashes)}")
