"""Checks that a measure keeps the contract: its columns, one row for each evaluated topic, and values in range."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalsql.catalog.header import CONTRACT
from evalsql.catalog.relations import Relation
from evalsql.errors import CatalogError, QueryError, warn

if TYPE_CHECKING:
    from evalsql.database.database import Database


def check_own(database: Database) -> None:
    """Check a user's own measures; those of the package are checked by its tests."""
    for relation in database.catalog.own:
        if relation.is_measure:
            check_contract(database, relation)


def warn_of_own(database: Database) -> None:
    """Warn of each of a user's own measures that breaks the contract; a load is not refused for that."""
    for relation in database.catalog.own:
        if relation.is_measure:
            try:
                check_contract(database, relation)
            except CatalogError as error:
                warn(str(error))


def check_contract(database: Database, relation: Relation) -> None:
    """Check one measure.

    Raises:
        CatalogError: it breaks the contract; the message names the file.
    """
    try:
        types = [(name, kind) for name, kind, *_ in database.rows(f"describe {relation.name}")]
    except QueryError as error:
        raise CatalogError(f"{relation.path}:{relation.body_line}: {error}") from error
    expected = dict(zip(CONTRACT, ("VARCHAR", "VARCHAR", "VARCHAR", "DOUBLE"), strict=True))
    if dict(types[: len(expected)]) != expected or [name for name, _ in types] != list(relation.columns):
        found = ", ".join(f"{name} {kind}" for name, kind in types)
        wanted = ", ".join([f"{name} {kind}" for name, kind in expected.items()] + list(relation.header.columns))
        raise CatalogError(f"{relation.path}:{relation.body_line}: gives columns {found}; expected {wanted}")
    low, high = relation.header.bounds
    ((rows, distinct, evaluated, unusable, outside),) = database.rows(
        f"""
        select
            count(*), count(distinct (qrels, run, topic)), (select count(*) from evaluations),
            count(*) filter (where not coalesce(isfinite(value), false)),
            count(*) filter (where value not between ?::double - 1e-9 and ?::double + 1e-9)
        from {relation.name}
        """,
        [low, high],
    )
    if not rows == distinct == evaluated:
        raise CatalogError(f"{relation.path}: gives {rows} rows for {evaluated} topics evaluated")
    if unusable:
        raise CatalogError(
            f"{relation.path}: {unusable} values are null, NaN or infinite; coalesce(..., 0) "
            "gives a value to topics that have none"
        )
    if outside:
        raise CatalogError(f"{relation.path}: {outside} values are outside the range of {low:g} to {high:g}")
