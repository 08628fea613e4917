"""Statements in a text of SQL: where each ends, and whether there is anything to run."""

from __future__ import annotations

from evalsql.catalog.sql_text import tokens


def split(text: str) -> tuple[list[str], str]:
    """The statements that a semicolon ends, and what is left behind the last one."""
    statements: list[str] = []
    start = 0
    for token in tokens(text):
        if token.text == ";" and token.kind == "sign":
            statements.append(text[start : token.end].strip())
            start = token.end
    return [statement for statement in statements if not is_blank(statement.rstrip(";"))], text[start:]


def is_blank(text: str) -> bool:
    """Whether there is nothing to run: blanks, comments and lone semicolons."""
    return all(token.kind == "comment" or token.text == ";" for token in tokens(text))
