"""Keys of topics and documents for the names in staged rows, and the next free keys of runs and judgment sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalsql.catalog.ddl import relation_query

if TYPE_CHECKING:
    from evalsql.database.database import Database


def add_names(database: Database, staged: str) -> None:
    """Give keys to the topics and documents of the staged rows that have none.

    Afterwards the temporary tables ``staged_topics`` and ``document_ids`` have all that the rows name.

    Args:
        staged: a SELECT of the staged rows.
    """
    topics = relation_query(database.catalog, "staged_topics", {"staged": staged})
    database.execute(f"create or replace temp table staged_topics as\n{topics}")
    database.insert("topics", relation_query(database.catalog, "new_topics"))
    named = relation_query(database.catalog, "document_ids", {"staged": staged})
    database.execute(f"create or replace temp table document_ids as\n{named}")
    database.insert("documents", "select document_id, document from document_ids where is_new")


def forget_names(database: Database) -> None:
    """Drop the temporary tables that ``add_names`` left."""
    database.execute("drop table staged_topics; drop table document_ids")


def next_id(database: Database, table: str, key: str) -> int:
    """The least key above all that a table has."""
    ((greatest,),) = database.rows(f"select coalesce(max({key}), 0) from {table}")
    return int(greatest) + 1
