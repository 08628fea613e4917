"""Cases of tests: of files, and those of which a few are tried by default, the others where there is time."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest


def rows_of(table: Path) -> list[tuple[str, ...]]:
    """The rows of a file of cases, separated by tabs, below its header."""
    return [tuple(line.split("\t")) for line in table.read_text(encoding="utf-8").splitlines()[1:]]


def content(cell: str) -> bytes:
    """What a cell holds, with the escapes of Python's strings; a lone surrogate stands for a byte that is no UTF-8."""
    return cell.encode().decode("unicode_escape").encode("utf-8", "surrogateescape")


def refusals(module: str, of: str) -> list[tuple[str, str]]:
    """What the table beside a module of tests has of that kind: input, in which \\n ends a line, and complaint."""
    rows = rows_of(Path(module).with_name("refusals.tsv"))
    return [(given.replace("\\n", "\n"), complaint) for kind, given, complaint in rows if kind == of]


def few_of(cases: Iterable[Any], most: int = 2, *, one_value: bool = False) -> list[Any]:
    """All but the first few marked as long; with ``one_value`` a tuple is the value of one parameter."""
    return [case if at < most else _long(case, one_value=one_value) for at, case in enumerate(cases)]


def one_in(step: int, cases: Iterable[Any]) -> list[Any]:
    """All but every so many marked as long."""
    return [case if at % step == 0 else _long(case) for at, case in enumerate(cases)]


def first_of_each(names: Iterable[str], most: int = 2) -> list[Any]:
    """Of names of measures all but the first few of each measure marked as long."""
    counts: Counter[str] = Counter()
    found = []
    for name in names:
        measure = re.split(r"[(@]", name)[0]
        counts[measure] += 1
        found.append(_long(name) if counts[measure] > most else name)
    return found


def _long(case: Any, *, one_value: bool = False) -> Any:
    if hasattr(case, "marks"):  # it is a parameter already
        return pytest.param(*case.values, marks=[*case.marks, pytest.mark.long], id=case.id)
    values: Sequence[Any] = case if isinstance(case, tuple) and not one_value else (case,)
    return pytest.param(*values, marks=pytest.mark.long)
