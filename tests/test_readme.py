"""The README is true: its examples print what it says, its names exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from evalsql.catalog import read_catalog
from tests.conftest import ROOT, Command, write
from tests.readme import README, demonstrate, examples, printed

TEXT = README.read_text(encoding="utf-8")
EXAMPLES = list(examples(TEXT))


@pytest.fixture(scope="module")
def demonstrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("readme")
    demonstrate(folder)
    return folder


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_examples_print_what_the_readme_shows(demonstrated: Path, number: int) -> None:
    example = EXAMPLES[number]
    assert printed(example["kind"], example["code"], demonstrated) == example["output"]


def test_the_measure_of_ones_own_works(command: Command, tmp_path: Path) -> None:
    example = re.search(r"```sql\n(-- measure: Depth.*?)```", TEXT, re.DOTALL)
    assert example is not None
    write(tmp_path / "own" / "depth.sql", example[1])
    assert command("demo", "--db", "evalsql.duckdb").returncode == 0
    called = re.search(r"evalsql (leaderboard .*--measures own)", TEXT)
    assert called is not None
    asked = command(*shlex.split(called[1]), "--format", "csv")
    assert asked.returncode == 0, asked.stderr
    assert asked.stdout.startswith("qrels,run,Depth(enough=50),AP\n")


def test_there_are_ten_questions_in_sql() -> None:
    assert sum(example["kind"] == "sql" for example in EXAMPLES) >= 10


def test_the_two_commands_are_the_ones_ci_calls() -> None:
    assert "pip install . && evalsql demo" in TEXT
    assert "pip install '.[test]' && pytest" in TEXT
    assert "pip install '.[test]' && pytest" in (ROOT / ".ci" / "run").read_text()


def test_every_measure_and_command_is_in_the_readme(command: Command) -> None:
    for relation in read_catalog().measures:
        assert f"`{relation.header.measure}" in TEXT, relation.header.measure
    commands = re.findall(r"^│? *([a-z_]+)  ", command("--help").stdout.partition("Commands")[2], re.MULTILINE)
    assert len(commands) >= 8
    for name in commands:
        assert f"`evalsql {name}" in TEXT, name
