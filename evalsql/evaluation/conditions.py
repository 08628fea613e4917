"""Conditions of users about runs, such as ``meta.branch = 'main'``: read by sqlglot, and nothing but a condition."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from evalsql.errors import UsageError

if TYPE_CHECKING:
    from sqlglot import exp

# What a condition may hold: columns, literals and operators. A node of any other kind is refused.
_ALLOWED = {
    *("Column", "Identifier", "Literal", "Boolean", "Null", "Paren", "And", "Or", "Not", "Neg"),
    *("EQ", "NEQ", "GT", "GTE", "LT", "LTE", "Is", "NullSafeEQ", "NullSafeNEQ"),
    *("In", "Between", "Like", "ILike", "Add", "Sub", "Mul", "Div", "DPipe"),
}
_COMPARING = ("EQ", "NEQ", "GT", "GTE", "LT", "LTE", "In", "Between")
META = "meta"


def sql_condition(text: str, columns: Mapping[str, str], keys: Collection[str]) -> str:
    """The condition as SQL, built anew of what was understood of it.

    Args:
        columns: SQL type by column.
        keys: the keys that meta has in any run.

    Raises:
        UsageError: it is no condition, holds more than columns, literals and operators, or names what is not there.
    """
    import sqlglot
    from sqlglot.errors import SqlglotError

    if not text.strip():
        raise UsageError("--where is empty; expected a condition such as \"meta.branch = 'main'\"")
    try:
        trees = sqlglot.parse(text, dialect="duckdb")
    except (SqlglotError, RecursionError) as error:
        raise UsageError(f'--where "{text}" is no condition: {str(error).splitlines()[0]}') from error
    if len(trees) != 1 or trees[0] is None:
        raise UsageError(f'--where "{text}" is no condition: it holds {len(trees)} statements')
    tree = trees[0]
    for node in tree.walk():
        if type(node).__name__ not in _ALLOWED:
            raise UsageError(f'--where "{text}": {_words(node)} is not let through; {_expected()}')
        node.comments = None
    if type(tree).__name__ in ("Column", "Literal", "Null", "Identifier") and not _is_boolean(tree, columns):
        raise UsageError(f'--where "{text}" is no condition; {_expected()}')
    numeric = {id(column) for node in tree.walk() for column in _beside_numbers(node)}
    return tree.transform(lambda node: _resolved(node, text, columns, keys, numeric), copy=False).sql(dialect="duckdb")


def _words(node: exp.Expr) -> str:
    shown = node.sql(dialect="duckdb")
    return f'"{shown}"' if len(shown) <= 60 else f'"{shown[:60]}..."'


def _expected() -> str:
    return "a condition has columns, literals and operators, as in \"meta.branch = 'main' and depth is null\""


def _is_boolean(node: exp.Expr, columns: Mapping[str, str]) -> bool:
    return columns.get(node.name.lower(), "") == "BOOLEAN"


def _beside_numbers(node: exp.Expr) -> list[Any]:
    """The columns that a comparison holds against a number."""
    from sqlglot import exp

    if type(node).__name__ not in _COMPARING:
        return []
    parts = list(node.iter_expressions())
    plain = [part.this if isinstance(part, exp.Neg) else part for part in parts]
    if not any(isinstance(part, exp.Literal) and part.is_number for part in plain):
        return []
    return [part for part in parts if isinstance(part, exp.Column)]


def _resolved(
    node: exp.Expr, text: str, columns: Mapping[str, str], keys: Collection[str], numeric: Collection[int]
) -> exp.Expr:
    from sqlglot import exp

    if not isinstance(node, exp.Column):
        return node
    named = [part.name for part in node.parts]
    is_text = True
    found: exp.Expr
    if len(named) == 2 and named[0].lower() == META:
        if named[1] not in keys:
            raise UsageError(f'--where "{text}": {_unknown(named[1], keys, "no run has in its meta the key")}')
        found = exp.Bracket(this=exp.column(META), expressions=[exp.Literal.string(named[1])])
    elif len(named) == 1 and named[0].lower() in columns:
        found = exp.column(named[0].lower(), quoted=True)
        is_text = columns[named[0].lower()] == "VARCHAR"
    else:
        if len(named) == 1 and named[0] in keys:
            raise UsageError(f'--where "{text}": runs have no column "{named[0]}"; did you mean {META}.{named[0]}?')
        known = [*columns, f"{META}.KEY"]
        raise UsageError(
            f'--where "{text}": {_unknown(".".join(named), known, "runs have no column")}; a text is quoted'
        )
    # A text such as 3f2a is no number, and then not equal to one; the engine's own cast would be an error.
    return exp.TryCast(this=found, to=exp.DataType.build("double")) if is_text and id(node) in numeric else found


def _unknown(name: str, known: Collection[str], words: str) -> str:
    near = difflib.get_close_matches(name, known, n=3)
    told = f"nearest: {', '.join(near)}" if near else f"there are: {', '.join(sorted(known)) or 'none'}"
    return f'{words} "{name}"; {told}'
