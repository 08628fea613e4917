"""Tables as text, against what rich makes of the same rows."""

from __future__ import annotations

import io
import random

import pytest

from evalsql.report import terminal
from evalsql.report.table import Table

pytestmark = pytest.mark.fast

WORDS = (
    "",
    "a",
    "bm25",
    "FSDM [d]",
    " lead",
    "trail ",
    "two  words",
    "\u6f22\u5b57",
    "e\u0301",
    "\u2014",
    "\t",
    "\U0001f600",
)
NAMES = ("run", "qrels", "nDCG@10", "\u540d", "a b", "")


def written(table: Table) -> list[str]:
    stream = io.StringIO()
    terminal.write_table(table, stream, 4)
    return stream.getvalue().splitlines()


@pytest.mark.parametrize("seed", range(3))
def test_aligned_columns_are_those_of_rich(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(60):
        kinds = chance.choices(["word", "number", "whole", "mixed"], k=chance.randint(1, 5))

        def value(kind: str) -> object:
            number = chance.choice([0.5, -12.25, 1e9, 3])
            whole = chance.choice([None, 1, 1_000_000])
            word = chance.choice(WORDS)
            return {"word": word, "number": number, "whole": whole, "mixed": chance.choice([number, word])}[kind]

        rows = [tuple(map(value, kinds)) for _ in range(chance.randint(0, 6))]
        table = Table([chance.choice(NAMES) for _ in kinds], rows)
        rendered = [line.rstrip() for line in terminal._rendered(table, 4, io.StringIO())]
        assert written(table) == rendered


def test_what_is_too_wide_is_folded() -> None:
    assert max(map(len, written(Table(["x", "y"], [("a" * 25_000, "b")])))) <= 10_000


def test_a_name_of_several_lines_stays_one_column() -> None:
    assert written(Table(["a\nb"], [("x",)]))[-1] == "x"


def test_a_p_value_is_not_shown_as_none_at_all() -> None:
    table = Table(["p", "p_corrected", "difference"], [(0.00004, 0.00005, 0.00004), (0.0, 1.0, 0.0)])
    shown = [[table.text(row, at, 4) for at in range(3)] for row in table.rows]
    assert shown == [["<0.0001", "0.0001", "0.0000"], ["0.0000", "1.0000", "0.0000"]]
