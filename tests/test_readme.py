"""The README and the SQL's are true: their examples print what they say, their names exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

import evalsql
from evalsql.catalog.relations import read_catalog
from tests.conftest import ROOT, Command, write
from tests.readme import PAGES, README, SQL_README, demonstrate, examples, printed
from tests.tools import depth, measures_page

TEXT = README.read_text(encoding="utf-8")
SQL_TEXT = SQL_README.read_text(encoding="utf-8")
EXAMPLES = {
    f"{page.parent.name}-{number}": example
    for page in PAGES
    for number, example in enumerate(examples(page.read_text(encoding="utf-8")), start=1)
}


@pytest.fixture(scope="module")
def demonstrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("readme")
    demonstrate(folder)
    return folder


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_print_what_the_pages_show(demonstrated: Path, name: str) -> None:
    example = EXAMPLES[name]
    assert printed(example["kind"], example["code"], demonstrated) == example["output"]


def test_the_measure_of_ones_own_works(command: Command, tmp_path: Path) -> None:
    example = re.search(r"```sql\n(-- measure: LastFound.*?)```", SQL_TEXT, re.DOTALL)
    assert example is not None
    write(tmp_path / "own" / "last_found.sql", example[1])
    assert command("demo", "--db", "evalsql.duckdb").returncode == 0
    called = re.search(r"evalsql (leaderboard .*--measures own)", SQL_TEXT)
    assert called is not None
    asked = command(*shlex.split(called[1]), "--format", "csv")
    assert asked.returncode == 0, asked.stderr
    assert asked.stdout.startswith("qrels,run,LastFound@10,AP\n")
    # Its value is precision at the rank of the last relevant document among the first ten.
    with evalsql.open(tmp_path / "evalsql.duckdb", read_only=True, measures=tmp_path / "own") as warehouse:
        differing = """
            with found as (
                select qrels, run, topic, count(*) as num_rel_ret, max(rank) as last_rank
                from rankings join judgments using (topic, document) join qrels using (qrels)
                where rank <= 10 and grade >= 1 group by all
            )
            select * from last_found(k := 10) left join found using (qrels, run, topic)
            where abs(value - coalesce(num_rel_ret / last_rank, 0)) > 1e-12
        """
        assert warehouse.rows(differing) == []


def test_there_are_ten_questions_in_sql() -> None:
    assert len(re.findall(r"^\*\*\d+\. .*\?\*\*", SQL_TEXT, re.MULTILINE)) == 10


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


def test_the_page_of_measures_is_as_the_headers_say() -> None:
    assert measures_page.PAGE.read_text(encoding="utf-8") == measures_page.page(read_catalog())


def test_the_depth_of_measures_is_as_the_page_says() -> None:
    assert depth.page_with(SQL_TEXT, depth.summary(depth.readings(read_catalog()))) == SQL_TEXT


def test_links_of_the_pages_lead_somewhere() -> None:
    for page in (*PAGES, measures_page.PAGE):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page}: {target}"
