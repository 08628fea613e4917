"""What a statement begins with decides where transactions begin and end."""

from __future__ import annotations

import pytest

from evalsql.database.statement_text import first_word


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ("begin", "begin"),
        ("  COMMIT;", "commit"),
        ("-- why\nStart transaction", "start"),
        ("/* commit\n */ rollback;", "rollback"),
        ("-- begin", ""),
        ("", ""),
    ],
)
def test_the_first_word_stands_behind_comments(query: str, word: str) -> None:
    assert first_word(query) == word
