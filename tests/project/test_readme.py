"""The README, the guides and the SQL's page are true: their examples print what they say, their names exist."""

import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import ir_measures
import pytest
import pytrec_eval
from ranx.meta.evaluate import extract_metric_and_params
from ranx.metrics import metric_switch

import evalsql
from evalsql.catalog.measure_names import parse_measures
from evalsql.catalog.relations import read_catalog
from tests.conftest import ROOT, Command, new_warehouse, write
from tests.long_cases import one_in
from tests.tools import measures_page
from tests.tools.forked import serving
from tests.tools.readme import GUIDES, PAGES, README, SQL_README, demonstrate, examples, printed

TEXT = README.read_text(encoding="utf-8")
SQL_TEXT = SQL_README.read_text(encoding="utf-8")
GUIDE = {page.stem: page.read_text(encoding="utf-8") for page in GUIDES}
EXAMPLES = {
    f"{page.parent.name}-{page.stem}-{number}": example
    for page in PAGES
    for number, example in enumerate(examples(page.read_text(encoding="utf-8")), start=1)
}


@pytest.fixture(scope="module")
def demonstrated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("readme")
    with serving() as address:
        demonstrate(folder, address)
        yield folder


# By default those of the README, one in 30 of sql/README.md and one in 100 of the guides.
@pytest.mark.parametrize(
    "name",
    [
        each
        for step, folder in ((1, ROOT.name), (30, "sql"), (100, "docs"))
        for each in one_in(step, [name for name in EXAMPLES if name.startswith(f"{folder}-")][::-1])
    ],
)
def test_examples_print_what_the_pages_show(demonstrated: Path, name: str) -> None:
    example = EXAMPLES[name]
    output = printed(example.kind, example.code, demonstrated)
    assert example.output is None or output == example.output


def test_an_example_that_fails_or_prints_something_else_is_found(demonstrated: Path) -> None:
    shell = "```sh\nevalsql ls --db none.duckdb\nevalsql measures ap\n```\n\n"
    failing, other = examples(shell + "```python\nprint(1)\n```\n\n```text\n2\n```\n")
    with pytest.raises(RuntimeError, match="no such file"):
        printed(failing.kind, failing.code, demonstrated)
    assert (printed(other.kind, other.code, demonstrated), other.output) == ("1\n", "2\n")


def test_every_command_of_a_guide_is_an_example() -> None:
    for name, text in GUIDE.items():
        blocks = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
        assert len(blocks) * 2 == text.count("```"), name
        assert {kind for kind, _ in blocks} <= {"sh", "sql", "python", "text", "r", "yaml", "json"}, name
        following = zip(blocks, [*blocks[1:], ("", "")][: len(blocks)], strict=True)
        assert all(below == "text" for (kind, _), (below, _) in following if kind == "sql"), name


@pytest.mark.long
def test_the_measure_of_ones_own_works(demo: Command, tmp_path: Path) -> None:
    example = re.search(r"```sql\n(-- measure: LastFound.*?)```", SQL_TEXT, re.DOTALL)
    assert example is not None
    write(tmp_path / "own" / "last_found.sql", example[1])
    called = re.search(r"evalsql (leaderboard .*--measure-file own)", SQL_TEXT)
    assert called is not None
    asked = demo(*shlex.split(called[1]), "--format", "csv")
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


def test_the_readme_is_short_and_has_what_ci_calls_and_the_sql_of_ap() -> None:
    assert len(TEXT.encode()) <= 8 * 1024
    assert "pip install . && evalsql demo" in TEXT
    assert "pip install '.[test]' && pytest" in TEXT
    assert "pip install '.[test]' && pytest" in (ROOT / ".ci" / "run").read_text()
    body = (ROOT / "sql" / "measures" / "binary" / "ap.sql").read_text(encoding="utf-8")
    assert f"```sql\n{body[body.index('with precisions') :]}```\n" in TEXT
    for name in GUIDE:
        assert f"[`{name}`](evalsql/docs/{name}.md)" in TEXT
    assert len(re.findall(r"^\*\*\d+\. .*\?\*\*", SQL_TEXT, re.MULTILINE)) == 20  # questions in SQL


def test_every_measure_and_every_command_has_its_place_in_a_guide(command: Command) -> None:
    measures = read_catalog().measures
    for relation in measures:
        assert f"`{relation.header.measure}" in GUIDE["measures"], relation.header.measure
    assert f"There are {len(measures)} measures" in GUIDE["measures"]
    assert f"There are [{len(measures)} measures]" in TEXT
    commands = re.findall(r"^  ([a-z_]+)  +[A-Z]", command("--help").stdout, re.MULTILINE)
    assert len(commands) >= 30
    for name in commands:
        assert f"`evalsql {name}" in GUIDE["commands"], name


def test_the_guide_on_python_names_every_method_and_error() -> None:
    parts = {"catalog", "database", "loader", "evaluation"}  # they have documentation of their own
    with new_warehouse() as warehouse:
        methods = {name for name in dir(warehouse) if not name.startswith("_")} - parts
    errors = {name for name in evalsql.__all__ if name.endswith("Error")}
    assert len(methods) > 25
    assert len(errors) > 5
    for name in methods | errors:
        assert re.search(rf"`[^`\n]*\b{name}\b[^`\n]*`", GUIDE["python"]), name


def test_names_of_other_programs_are_read_and_are_theirs() -> None:
    """The rows of the guide's tables that are headed there and here."""
    programs, names = set(), 0
    for section in GUIDE["switching"].split("\n## ")[1:]:
        program, _, text = section.partition("\n")
        for row in text.partition("| there | here |\n|---|---|\n")[2].partition("\n\n")[0].splitlines():
            there, here = re.findall(r"`(.+?)`", row)
            assert [measure.name for measure in parse_measures([there], read_catalog())] == [here]
            assert is_name_of(program, there), row
            programs.add(program)
            names += 1
    assert programs == {"ir_measures", "ranx", "pytrec_eval and trec_eval"}
    assert names >= 40


def is_name_of(program: str, name: str) -> bool:
    if program == "ir_measures":
        return bool(ir_measures.parse_measure(name))
    if program == "ranx":
        return callable(metric_switch(extract_metric_and_params(name)[0]))
    # Printed names have their values behind an underscore, names to ask for behind a dot.
    bases = (name, *re.findall(r"(.*?)[._][\d.]+$", name))
    return any(base in pytrec_eval.supported_measures for base in bases)


def test_pages_made_from_the_relations_are_current() -> None:
    assert measures_page.PAGE.read_text(encoding="utf-8") == measures_page.page(read_catalog())


def test_links_of_the_pages_lead_somewhere() -> None:
    folders = (ROOT / "evalsql" / "README.md", ROOT / "tests" / "README.md")
    for page in (*PAGES, measures_page.PAGE, *folders):
        for target, anchor in re.findall(r"\]\(([^)#:]+)(?:#([^)]+))?\)", page.read_text(encoding="utf-8")):
            path = page.parent / target
            assert path.exists(), f"{page}: {target}"
            assert not anchor or anchor in _anchors(path.resolve()), f"{page}: {target}#{anchor}"


@cache
def _anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
