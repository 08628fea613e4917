"""Sentences of rules are understood as they are written, or refused."""

from pathlib import Path

import pytest

from evalsql import UsageError
from evalsql.evaluation.gate_rules import parse_rule, parse_rules, read_rules
from tests.conftest import write


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nDCG@10>=.45", ("mean", ">=", 0.45, "nDCG@10", None)),
        ("AP(rel=2)@100 >= 4e-1", ("mean", ">=", 0.4, "AP(rel=2)@100", None)),
        ("RBP(p=0.5, rel=2) < 1", ("mean", "<", 1, "RBP(p=0.5, rel=2)", None)),
        ("nDCG@10 drop < 12.5 % for part = one", ("drop", "<", 0.125, "nDCG@10", None)),
        ("  nDCG@10   drop<=0.01 ", ("drop", "<=", 0.01, "nDCG@10", None)),
        ("AP not worse at p<0.05", ("test", ">=", 0.05, "AP", None)),
        ("topic in first in first 10", ("topic", "<=", 10, "", "in first")),
    ],
)
def test_sentences(text: str, expected: tuple[object, ...]) -> None:
    rule = parse_rule(text)
    assert (rule.kind, rule.comparison, rule.bound, rule.asked, rule.topic) == expected


@pytest.mark.parametrize(
    "text", ["AP drop >= 0.1", "AP >= 5%", "AP >= nan", "AP >= inf", "topic T in first 0", "AP", ">= 3", ""]
)
def test_no_sentences(text: str) -> None:
    with pytest.raises(UsageError, match="is not understood"):
        parse_rules([text])


@pytest.mark.parametrize("text", ["missing topics <= {}", "topic T01 in first {}", "AP >= {}", "AP drop <= {}%"])
def test_a_bound_that_no_number_holds(text: str) -> None:
    with pytest.raises(UsageError, match="the bound is too large a number"):
        parse_rule(text.format("9" * 400))


def test_a_rule_that_is_part_of_another_has_its_own_line(tmp_path: Path) -> None:
    rules = """# AP drop >= 0.1 is none
rules = [
    "MAP drop >= 0.15",
    'AP drop >= 0.1',
]
"""
    with pytest.raises(UsageError) as caught:
        read_rules(write(tmp_path / "gate.toml", rules))
    found = [line.partition(": ")[0] for line in str(caught.value).splitlines()]
    assert found == [f"{tmp_path / 'gate.toml'}:{line}" for line in (3, 4)]
