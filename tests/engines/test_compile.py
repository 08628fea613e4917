"""``evalsql compile``: self-contained SELECTs, their headers, and what is refused."""

import re
from functools import cache
from pathlib import Path

import pytest
import sqlglot
from sqlglot import exp

from evalsql import Warehouse
from evalsql.catalog.measure_names import default_measure, parse_measures
from evalsql.catalog.relations import Catalog, read_catalog
from evalsql.cli import measures_sql
from evalsql.engines.compiling import (
    DIALECTS,
    Inlined,
    RefusalError,
    compile_measure,
    digest,
    executed,
    inlined,
    refusal,
)
from tests.conftest import Command, own_measure
from tests.engines.runs import difference, variants
from tests.long_cases import few_of
from tests.tools import engines_page

CATALOG = read_catalog()
DEFAULTS = list(map(default_measure, CATALOG.measures))
TABLES = {relation.name for relation in CATALOG.of_kind("tables")}
IN_DUCKDB = (
    *("AP", "AP(rel=2,ties='expected')@10", "nDCG(judged_only=true,ties='worst')@10", "nDCG_rel(ties='expected')"),
    *("RBP(p=0.5,gains={1:0.5,2:1})", "TAP(quantile=0.25)@5", "alpha_nDCG@3", "P_groups(ties='best')@5", "infAP"),
    *("NumPrefsFulfilled(ties='worst')", "ERR(ties='expected')@5", "Compat", "IPrecAvg(points='0,0.5,1')"),
)
# Nothing joins these unseen: what a new measure or a change needs beyond them is written otherwise, or named here.
GREEDY = {"alpha_nDCG", "nERR_IA", "nNRBP"}
PREFERENCES = {"NumPrefs", "NumPrefsFulfilled", "PrefsGroup", "PrefsGroupR", "PrefsPair", "PrefsSimple"}
REFUSED = {
    **{"spark": GREEDY | PREFERENCES, "databricks": GREEDY | PREFERENCES, "postgres": set(), "datafusion": GREEDY},
    **{"sqlite": GREEDY | {"TAP"}, "duckdb": set()},
}


@cache
def whole(name: str) -> Inlined:
    """A measure in one statement, made once."""
    (measure,) = parse_measures([name], CATALOG)
    return inlined(CATALOG, measure.relation, measure.arguments)


@pytest.mark.parametrize("name", few_of(IN_DUCKDB, 1))
def test_what_is_compiled_for_duckdb_equals_the_macro(small: Warehouse, name: str) -> None:
    (measure,) = parse_measures([name], small.catalog)
    compiled = compile_measure(small.catalog, measure, "duckdb")
    expected = small.rows(f"select qrels, run, topic, value from {measure.call}")
    assert difference(expected, [row[:4] for row in small.rows(compiled)]) is None
    assert len({row[3] for row in expected}) > 1


@pytest.mark.parametrize("step", few_of([24, 1], 1))
@pytest.mark.parametrize("dialect", DIALECTS)
def test_only_base_tables_are_read_and_no_parameter_is_left(dialect: str, step: int) -> None:
    for measure in DEFAULTS[::step]:
        try:
            text = compile_measure(CATALOG, measure, dialect)
        except RefusalError:
            continue
        tree = sqlglot.parse_one(text, dialect=DIALECTS[dialect].words)
        ctes = {str(cte.alias) for cte in tree.find_all(exp.CTE)}
        read = {table.name for table in tree.find_all(exp.Table)} - ctes
        assert read <= TABLES, measure.name
        assert tree.find(exp.Placeholder, exp.Parameter) is None
        told = re.search(r"Reads the base tables (.*?) as DuckDB", text.replace("\n--", ""))
        assert told is not None
        assert set(told[1].split(", ")) == read


@pytest.mark.long
def test_these_measures_are_refused_at_their_defaults_and_no_others() -> None:
    found: dict[str, set[str]] = {name: set() for name in DIALECTS}
    for measure in DEFAULTS:
        for name, dialect in DIALECTS.items():
            if refusal(whole(measure.name).query, dialect):
                found[name].add(measure.relation.header.measure)
    assert found == REFUSED


def test_the_header_says_version_columns_tables_and_engines(command: Command) -> None:
    compiled = command("compile", "nDCG(dcg='exp-log2')@10", "AP", "--dialect", "postgres")
    assert compiled.returncode == 0, compiled.stderr
    first, second = compiled.stdout.split(";\n\n")
    assert first.startswith("-- nDCG(dcg='exp-log2')@10: Normalised discounted cumulative gain\n-- evalsql ")
    assert "-- Gives qrels, run, topic, value, dcg, idcg.\n" in first
    assert "Not executed in tests" in first
    assert "Executed in tests, equal to DuckDB at 1e-12: on " in second


@pytest.mark.parametrize("every", few_of([False, True], 1))
def test_all_are_written_into_a_folder(
    command: Command, few_measures: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, every: bool
) -> None:
    catalog = CATALOG if every else few_measures
    monkeypatch.setattr(measures_sql, "_known_catalog", lambda _: catalog)
    outcome = command("compile", "--all", "--dialect", "sqlite", "-o", "compiled")
    assert (outcome.returncode, outcome.stdout) == (0, ""), outcome.stderr
    left_out = re.findall(r"^(\S+) is left out: sqlite cannot carry", outcome.stderr, re.MULTILINE)
    assert "TAP@5" in left_out
    files = {path.name for path in (tmp_path / "compiled").iterdir()}
    assert len(files) + len(left_out) == len(catalog.measures)
    assert files >= {"ap.sql", "ndcg.sql", "numret.sql", "rr.sql"}


@pytest.mark.parametrize("dialect", sorted(DIALECTS.keys() - {"duckdb"}))
def test_windows_are_written_out_and_ranks_have_no_frame(dialect: str) -> None:
    (measure,) = parse_measures(["Q"], CATALOG)
    assert any(select.args.get("windows") for select in whole("Q").query.find_all(exp.Select))
    tree = sqlglot.parse_one(compile_measure(CATALOG, measure, dialect), dialect=DIALECTS[dialect].words)
    assert not any(select.args.get("windows") for select in tree.find_all(exp.Select))
    frames = [window.args.get("spec") for window in tree.find_all(exp.Window) if isinstance(window.this, exp.RowNumber)]
    assert not any(frames)


def test_a_measure_of_ones_own_is_compiled_and_says_that_nobody_ran_it(command: Command, tmp_path: Path) -> None:
    select = "select qrels, run, topic, cast(least(num_ret, 1) as double) as value from evaluated_topics"
    own_measure(tmp_path / "depth.sql", "Depth", select)
    compiled = command("compile", "Depth", "--dialect", "spark", "--measure-file", "depth.sql")
    assert compiled.returncode == 0, compiled.stderr
    assert "with evaluated_topics as" in compiled.stdout.lower()
    assert "Not executed in tests" in compiled.stdout


@pytest.mark.long
def test_what_is_kept_of_executions_is_of_this_sql() -> None:
    kept = executed()
    for measure in DEFAULTS:
        now = digest(whole(measure.name))
        assert kept[measure.name]["digest"] == now, f"{measure.name}: run python -m tests.engines --write"


def test_nothing_that_was_executed_differs() -> None:
    assert {measure.name for measure in variants(CATALOG)} == executed().keys()
    for name, row in executed().items():
        assert set(list(row.values())[2:]) <= {"equal", "refused", "-"}, name


def test_the_guide_has_the_table_of_the_executions() -> None:
    text = engines_page.PAGE.read_text(encoding="utf-8")
    assert engines_page.with_table(text, CATALOG) == text
