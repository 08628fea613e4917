"""Relation files: what the header must say, what the SQL may hold, and that adding a file is adding a measure."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from sqlglot import exp, parse_one

import evalsql
from evalsql.catalog import SQL_ROOT
from evalsql.catalog.relations import (
    AFTER_SCORES,
    GIVEN_VALUES,
    STEPS,
    UNASKED,
    Relation,
    read_catalog,
    read_relation,
    read_relations,
)
from evalsql.errors import CatalogError
from evalsql.ingest import frames, judgments
from evalsql.ingest.files import table, tables
from evalsql.warehouse import fusion
from evalsql.warehouse.own_measures import check_bodies, check_contract
from tests.conftest import load_sample, new_file, write
from tests.long_cases import content, one_in, rows_of
from tests.tools.portable import outside_the_core

CATALOG, HERE = read_catalog(), Path(__file__).parent
MEASURE = (HERE / "depth.sql").read_text()


@pytest.fixture(scope="module")
def loaded() -> Iterator[evalsql.Warehouse]:
    """The sample with two of its runs."""
    with evalsql.open(new_file()) as warehouse:
        load_sample(warehouse, "tfidf", "bm25")
        yield warehouse


@pytest.mark.long
@pytest.mark.usefixtures("few_measures")
def test_a_file_more_is_a_measure_more(tmp_path: Path) -> None:
    with evalsql.open(new_file(tmp_path)) as warehouse:
        assert warehouse.load_measures(write(tmp_path / "depth.sql", MEASURE)) == ["Depth"]
        load_sample(warehouse, "tfidf")
        assert warehouse.evaluate("Depth depth_of_ranking(enough=20)").fetchall() == [
            ("sample", "tfidf", pytest.approx(0.4 * 39 / 40), pytest.approx(39 / 40))
        ]
        assert warehouse.rows("select max(value) from depth(enough := 80)") == [(0.5,)]
        assert warehouse.rows("select measure, example from measures where relation = 'depth'") == [
            ("Depth", "tap-2 Depth = 0.04")
        ]
        assert warehouse.rows("select count(*) from scores where measure = 'Depth'") == [(40,)]
        # What is attached to ask the file has no comments.
        macro = "select comment from duckdb_functions() where function_name = 'depth' and comment is not null"
        assert "Depth of the ranking against a hundred" in warehouse.rows(macro)[0][0]
        columns = "select comment from duckdb_columns() where table_name = 'depth' and column_name = 'num_ret'"
        assert ("documents retrieved",) in warehouse.rows(columns)


@pytest.mark.parametrize(("before", "after", "complaint"), one_in(6, rows_of(HERE / "faulty_headers.tsv")))
def test_a_faulty_file_is_refused_with_its_place(
    tmp_path: Path, loaded: evalsql.Warehouse, before: str, after: str, complaint: str
) -> None:
    old, new = (content(cell).decode() for cell in (before, after))
    assert old in MEASURE
    text = MEASURE.replace(old, new, -1 if old == "enough" else 1)
    with pytest.raises(CatalogError, match=complaint):
        loaded.load_measures(write(tmp_path / "depth.sql", text))


def test_all_faults_of_a_header_are_told_at_once(tmp_path: Path) -> None:
    changes = {
        "-- parameters:\n": "-- parameters: enough, k per cent, enouhg\n",
        "enough integer in": "enough integre in",
        "-- columns:\n": "-- columns: num_nothing\n",
        "num_ret   documents retrieved": "num_ret",
        "-- range: 0 1": "-- rnage: 0 1",
    }
    text = MEASURE
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    with pytest.raises(CatalogError) as refused:
        read_relations(write(tmp_path / "depth.sql", text))
    told = [line.split("depth.sql:")[1].split(":")[0] for line in str(refused.value).splitlines()]
    assert sorted(told, key=int) == ["1", "4", "4", "5", "6", "7", "11"]


def passing_names() -> set[str]:
    """Names of the temporary tables and macros that this package makes, and of the queries before its own."""
    made = re.compile(r'temp (?:table|macro) (?:if not exists )?(\w+)|\.make\(\s*"(\w+)"|\btemp\.(?!main\b)(\w+)')
    files = Path(evalsql.__file__).parent.rglob("*.py")
    texts = (path.read_text() for path in files if path.stem != "trec_eval_command")  # it asks no measures of users
    names = {name for text in texts for groups in made.findall(text) for name in groups if name}
    names |= {frames._TABLE, frames._VIEW, fusion._TRIED, judgments._QUERIES, table.ROWS, tables._RAW}
    return names.union(*(relation.header.inputs for relation in CATALOG.relations.values()))


def test_no_file_has_a_name_that_queries_of_the_package_use(loaded: evalsql.Warehouse, tmp_path: Path) -> None:
    assert {"tied_answers", "tied_means"} <= passing_names()
    for name in passing_names():
        relation = read_relation(tmp_path / f"{name}.sql", MEASURE)
        with pytest.raises(CatalogError, match=f"{name}.sql.*{name} is (a name in queries|already in)"):
            check_bodies(CATALOG.extended([relation]), [relation])


BROKEN = [
    (content(before).decode(), content(after).decode(), told)
    for before, after, told in rows_of(HERE / "broken_contracts.tsv")
]


@pytest.mark.parametrize(("before", "after", "complaint"), one_in(4, BROKEN))
def test_what_breaks_the_contract_is_refused(
    tmp_path: Path, loaded: evalsql.Warehouse, before: str, after: str, complaint: str
) -> None:
    path = loaded.rows("select current_setting('search_path')")
    with pytest.raises(CatalogError, match=complaint):
        loaded.load_measures(write(tmp_path / "depth.sql", MEASURE.replace(before, after)))
    assert loaded.rows("select current_setting('search_path')") == path
    assert loaded.rows("select count(*) from measures where measure = 'Depth'") == [(0,)]
    assert loaded.rows("select count(*) from duckdb_functions() where function_name = 'depth'") == [(0,)]


def test_parameters_that_relations_share_are_inherited_by_name(tmp_path: Path) -> None:
    named = "-- parameters: k = 10, ties in {rule, worst}, enough, p = 0.5"
    (relation,) = read_relations(write(tmp_path / "depth.sql", MEASURE.replace("-- parameters:", named)))
    cutoff, ties, own, p = relation.parameters
    ap = {parameter.name: parameter for parameter in CATALOG["ap"].parameters}
    assert cutoff == ap["k"]._replace(default=10)
    assert cutoff.parse("null") is None
    assert ties == ap["ties"]._replace(domain="{rule, worst}")
    assert ties.choices == ["rule", "worst"]
    assert (own.name, own.default, own.meaning) == ("enough", 100, "depth that counts as full")
    assert (p.default, p.domain) == (0.5, "(0, 1)")


def test_what_a_folder_says_of_a_parameter_goes_before_what_holds_for_all() -> None:
    of_groups, of_all = ({each.name: each for each in CATALOG[name].parameters} for name in ("alpha_ndcg", "ap"))
    assert of_groups["rel"] == of_all["rel"]
    assert of_groups["judged_only"].meaning != of_all["judged_only"].meaning


@pytest.mark.long
def test_another_order_of_ties_is_planned_only_where_it_is_asked_for(sample_file: Path, tmp_path: Path) -> None:
    """Without the relations that headers name for orders of ties measures have their plan, but for those orders."""
    served = {name for relation in CATALOG.of_kind("measures", "steps") for name in relation.header.ties.values()}
    missed = 0
    with duckdb.connect(shutil.copy(sample_file, tmp_path)) as connection:
        for name in served:
            connection.execute(f"drop macro table {STEPS}.{name}")
        for relation in CATALOG.of_kind("measures"):
            connection.execute(f"explain from {relation.name}()")
            for order in relation.header.ties:
                missed += 1
                with pytest.raises(duckdb.CatalogException, match=relation.header.ties[order]):
                    connection.execute(f"explain from {relation.name}(ties := '{order}')")
    assert missed > 20


def test_no_two_measures_have_one_name() -> None:
    CATALOG.check_measure_names()


def test_no_two_relations_name_a_window_of_theirs_the_same() -> None:
    """DuckDB 1.5 refuses a text of several statements whose main queries have windows of one name."""
    windows = [
        (name, relation.name)
        for relation in CATALOG.relations.values()
        for name in re.findall(r"^window (\w+) as ", relation.body, re.MULTILINE)
    ]
    assert len(windows) > 5
    assert len({name for name, _ in windows}) == len(windows), sorted(windows)


def test_relations_that_read_each_other_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "hen.sql", "-- title: Hen\n-- columns:\n--   x   x\nselect x from egg\n")
    write(tmp_path / "egg.sql", "-- title: Egg\n-- columns:\n--   x   x\nselect x from hen\n")
    with pytest.raises(CatalogError, match="in a circle"):
        evalsql.open(new_file(tmp_path), measures=tmp_path)


@pytest.mark.long
def test_relations_are_read_as_the_parser_sees_them() -> None:
    for relation in CATALOG.build_order():
        if not relation.is_function:
            assert relation.reads & CATALOG.relations.keys() == relation.reads_in_tree & CATALOG.relations.keys()
            known = CATALOG.relations.keys() | {"scores", "query_table", *relation.header.inputs}
            assert relation.reads_in_tree <= known


def test_measures_read_the_tables_of_all_runs_through_what_asks_for_some() -> None:
    """Else the session variable only_runs would narrow some of what a measure reads, and not the rest."""
    through = {"asked_ranks", "asked_retrieved", "asked_evaluations", "evaluated_topics"}
    for relation in CATALOG.of_kind("measures", "steps"):
        if relation.path.relative_to(SQL_ROOT).parts[0] in ("measures", "rankings", "ties"):
            assert relation.name in through or not relation.reads & {"judged_ranks", "retrieved", "evaluations"}


def test_build_order_comes_from_the_sql() -> None:
    order = [relation.name for relation in CATALOG.build_order()]
    for relation in CATALOG.build_order():
        before = order[: order.index(relation.name)]
        assert {name for name in relation.reads | relation.calls if name in order} <= set(before)


def test_build_order_is_the_same_in_each_process() -> None:
    code = "from evalsql.catalog.relations import read_catalog as c; print(*[each.name for each in c().build_order()])"
    seeds = ("1", "2")
    orders = {
        subprocess.check_output([sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": seed})
        for seed in seeds
    }
    assert len(orders) == 1


def test_what_is_built_before_the_view_of_scores_does_not_read_it() -> None:
    later = {"scores", *(relation.name for relation in CATALOG.of_kind(*AFTER_SCORES))}
    for relation in CATALOG.of_kind("functions", "steps", "measures"):
        assert not relation.reads & later, relation.name


def test_functions_are_documented_scalar_macros(sample: evalsql.Warehouse) -> None:
    """In the file, and in what is attached to ask it. The parser knows no such name: calls of it are found by that."""
    found = sample.rows("""
        select distinct function_name, function_type, parameters, comment from duckdb_functions()
        where function_name in (select relation from relations where kind = 'functions')
    """)
    macros = {name: (kind, parameters, comment) for name, kind, parameters, comment in found}
    assert len(found) == len(macros)
    for relation in CATALOG.of_kind("functions"):
        assert isinstance(parse_one(f"{relation.name}()", dialect="duckdb"), exp.Anonymous), relation.name
        assert relation.header.definition, relation.name
        kind, parameters, comment = macros[relation.name]
        assert (kind, parameters) == ("macro", [each.name for each in relation.parameters]), relation.name
        assert f"Parameters: {relation.parameters[0].name}: " in comment, relation.name


def test_statistics_are_documented(sample: evalsql.Warehouse) -> None:
    """With the columns that they have, in their order."""
    kinds = dict(sample.rows("select relation, kind from relations"))
    columns = "select table_name, list(column_name order by column_index) from duckdb_columns() where not internal"
    described = dict(sample.rows(f"{columns} and schema_name = 'main' group by database_name, table_name"))
    for relation in CATALOG.of_kind("statistics", "boards", "calls", "costs"):
        if not relation.header.inputs:
            assert relation.header.definition, relation.name
            assert described[relation.name] == list(relation.columns), relation.name
            assert kinds[relation.name] == relation.kind


def test_relations_begin_with_what_one_needs_first(sample: evalsql.Warehouse) -> None:
    """All that a file holds is listed, in the order of its rows: what has names on top, what has keys at the end."""
    rows = sample.rows("select relation, kind, title from relations")
    names, kinds = [name for name, _, _ in rows], [kind for _, kind, _ in rows]
    assert (names[:2], names[12]) == (["scores", "summary"], "ap")
    assert {"runs", "qrels", "topics", "rankings", "judgments", "measures", "relations"} < set(names[:12])
    assert list(dict.fromkeys(kinds[12:])) == [
        "measures",
        "reports",
        "statistics",
        "boards",
        "judging",
        "calls",
        "costs",
        "fusion",
        "functions",
        "steps",
        "keys",
    ]
    held = "select table_name from duckdb_tables() where not temporary union select view_name from duckdb_views()"
    assert {name for (name,) in sample.rows(f"{held} where not internal")} <= set(names)
    assert len(names) == len(set(names))
    assert all(title for _, _, title in rows)
    keys = {name for name, kind, _ in rows if kind == "keys"}
    has_names = sample.rows("""
        select table_name from duckdb_columns()
        where column_name in ('run', 'qrels', 'topic', 'measure', 'file') and not internal
    """)
    assert {name for (name,) in has_names} & keys <= {"stored_scores", "collection_scores"}


def test_every_relation_and_column_has_a_comment(sample: evalsql.Warehouse) -> None:
    for query in (
        "select table_name from duckdb_tables() where comment is null",
        "select view_name from duckdb_views() where comment is null and not internal",
        "select table_name || '.' || column_name from duckdb_columns() where comment is null and not internal",
        "select function_name from duckdb_functions() where comment is null and not internal",
    ):
        assert sample.rows(query) == []
    assert len(sample.rows("select 1 from duckdb_functions() where not internal")) >= 20


def test_bodies_keep_to_the_portable_core() -> None:
    """But those of fusion and holes, which are not compiled for other engines, and those that are a table there."""
    functions = [function.name for function in CATALOG.of_kind("functions") if not outside_the_core(function)]
    for relation in CATALOG.of_kind("steps", "measures"):
        is_chosen = relation.name == GIVEN_VALUES or relation.name in UNASKED
        if not {"fusion", "holes"} & {*relation.path.parts[-3:]} and not is_chosen:
            assert outside_the_core(relation, functions) == [], relation.name


def test_what_is_read_where_no_variable_names_runs_is_known() -> None:
    read = re.compile(r"query_table\(case when getvariable\('\w+'\) is null then '(\w+)'")
    found = {each.name: whole[1] for each in CATALOG.relations.values() if (whole := read.search(each.body))}
    assert found == UNASKED


@pytest.mark.parametrize(("body", "found"), rows_of(HERE / "outside_the_core.tsv"))
def test_the_portable_core_is_guarded(tmp_path: Path, body: str, found: str) -> None:
    (odd,) = read_relations(write(tmp_path / "odd.sql", f"-- title: Odd\n{body}\n"))
    assert found in " ".join(outside_the_core(odd))


@pytest.mark.parametrize("relation", one_in(12, CATALOG.measures), ids=lambda relation: relation.name)
def test_every_measure_holds_to_the_contract(sample: evalsql.Warehouse, relation: Relation) -> None:
    """With all that its header can be read without; title, definition and range it must have."""
    if relation.family != "costs":  # of which the sample has none
        check_contract(sample.database, relation)
    outside = f"select * from {relation.name} where value not between ?::double - 1e-12 and ?::double + 1e-12"
    assert sample.rows(outside, list(relation.header.bounds)) == []
    assert relation.header.reference
    assert relation.header.differs
    assert relation.header.examples


def test_bodies_hide_no_relation_and_call_what_takes_parameters() -> None:
    """A CTE named like a relation would take its place once bodies are put into one SELECT for another engine.

    An evaluation in memory makes no views of what has a macro.
    """
    for relation in CATALOG.of_kind("steps", "measures", "statistics", "boards", "calls", "costs"):
        tree = relation.tree()
        steps = {step.alias_or_name for step in tree.find_all(exp.CTE)}
        assert not (steps & CATALOG.relations.keys()) - relation.reads, relation.name  # those have its own rows
        bare = {table.name for table in tree.find_all(exp.Table) if not isinstance(table.this, exp.Func)} - steps
        for name in bare & CATALOG.relations.keys():
            assert not CATALOG[name].parameters, f"{relation.name} reads {name} without parentheses"
            assert not CATALOG[name].is_measure, f"{relation.name} reads {name} without parentheses"


def test_all_that_is_wrong_with_a_header_is_said_at_once(tmp_path: Path) -> None:
    faulty = ("rnage: 0 1", "mean: harmonic", "parameters: rel, depth", "columns: depht")
    path = write(tmp_path / "m.sql", "".join(f"-- {line}\n" for line in ("measure: M", *faulty)) + "select 1 as one\n")
    with pytest.raises(CatalogError) as told:
        _ = read_relations(path)[0].header
    assert [line.partition(".sql:")[2].partition(",")[0] for line in str(told.value).splitlines()] == [
        '2: unknown key "rnage"',
        "3: mean is harmonic",
        '1: the header lacks "title"',
        "4: parameter depth is neither described below nor one that relations share; there are: k",
        "5: column depht is described nowhere; the line names qrels",
    ]
