"""Small cases that tell which named variant of each measure a program computes, and the program that judges by them.

``judge(values)`` takes {(case, measure): value}. What it is made of stands in ``check``, which ``evalsql conformance
--write`` puts beside the cases and which therefore uses nothing else of evalsql.
"""

from collections.abc import Mapping
from pathlib import Path

from evalsql.conformance import check
from evalsql.conformance.check import Failure, Given, Suite, Verdict, values_of

__all__ = ["CASES", "Failure", "Given", "Suite", "Verdict", "judge", "suite", "values_of"]

_PACKAGE = Path(__file__).resolve().parent
_INSTALLED = _PACKAGE / "cases"
# Inside an installed package, or among the fixtures of a checkout.
CASES = _INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parents[1] / "fixtures" / "conformance"


def suite() -> Suite:
    """The cases of this version, and the variants and conventions that they tell apart."""
    return check.read_suite(CASES)


def judge(values: Mapping[tuple[str, str], Given]) -> list[Verdict]:
    """A verdict for each measure with a value in some case; raises ValueError for a value that no case asks for."""
    return check.judge(values, suite())
