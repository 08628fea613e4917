"""Arguments of macros in a user's SQL, where a slip would change the meaning without an error of the engine."""

from __future__ import annotations

from collections.abc import Iterator

from evalsql.catalog.relations import Catalog
from evalsql.catalog.tokens import tokens
from evalsql.errors import UsageError


def check_arguments(text: str, catalog: Catalog) -> None:
    """Refuse ``comparisons(baseline = 'bm25')``, which the engine takes for a comparison in the first place.

    Raises:
        UsageError: a parameter of a macro is followed by = in the place of :=.
    """
    for macro, parameter in _with_equals(text, catalog):
        raise UsageError(
            f"{macro}({parameter} = ...): a parameter is given by :=, as in {macro}({parameter} := ...); "
            "= compares, and gives other rows or none"
        )


def _with_equals(text: str, catalog: Catalog) -> Iterator[tuple[str, str]]:
    """Macros of the catalogue, each with the parameter behind which = stands."""
    pieces = [("sign", ""), *((each.kind, each.text) for each in tokens(text) if each.kind != "comment"), ("sign", "")]
    around: list[str] = []  # what stands before each parenthesis that is open
    for (_, before), (kind, piece), (_, after) in zip(pieces, pieces[1:], pieces[2:], strict=False):
        if piece == "(":
            around.append(before.lower())
        elif piece == ")" and around:
            around.pop()
        elif kind == "word" and before in ("(", ",") and after == "=" and around:
            called = catalog.relations.get(around[-1])
            if called and piece.lower() in (parameter.name for parameter in called.parameters):
                yield called.name, piece.lower()
