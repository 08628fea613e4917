"""What a stranger's file calls its own neither opens the fence around the engine nor becomes SQL of this program."""

import random
import textwrap
from collections import Counter
from contextlib import closing, suppress
from itertools import product
from pathlib import Path

import duckdb
import pytest

import evalsql
from evalsql import CatalogError, EvalsqlError, InputWarning, QueryError, UsageError, WarehouseError
from evalsql.catalog.relations import read_catalog, read_relation
from evalsql.database import statement_text
from evalsql.literals import quoted
from evalsql.warehouse.open import Reach, open_database
from evalsql.warehouse.own_measures import check_bodies
from evalsql.warehouse.writer import Writer
from tests.conftest import Command, assert_refused, write
from tests.long_cases import few_of
from tests.warehouse.conftest import OTHER_SQL, SECRET, Crafted
from tests.warehouse.test_foreign_files import BOARD, BY_HAND, TRUE_AP
from tests.warehouse.test_own_measures import ONE_STEP

# What may be called while the fence is built: the statement gives a list of the files that are allowed.
NAMES = ("list_value", "list_pack", "LIST_VALUE", "main.list_value", "array_value", "list_concat", "struct_pack", "row")
FORMS = ("(x)", "(x := '/')", "(x, y)")


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize(("name", "form"), few_of([*product(NAMES, FORMS)], 1))
def test_no_macro_widens_the_fence(crafted: Crafted, tmp_path: Path, secret: Path, name: str, form: str) -> None:
    path = crafted(f"create macro {name}{form} as ['/', '{secret}']", BOARD.format(secret=secret))
    allowed = write(tmp_path / "allowed" / "a.txt", "what is allowed")
    reach = Reach(files=[str(allowed)], folders=[str(tmp_path / "other")])
    with closing(open_database(path, read_only=True, reach=reach)) as database:
        assert database.rows(f"select content from read_text('{allowed}')") == [("what is allowed",)]
        for query in (f"from read_text('{secret}')", "from board"):
            with pytest.raises(QueryError, match="disabled by configuration"):
                database.rows(query)


@pytest.mark.usefixtures("few_measures")
@pytest.mark.filterwarnings("ignore:.*contains measures, views or macros")
def test_tables_are_made_of_what_the_engine_computes(crafted: Crafted) -> None:
    path = crafted(
        "create macro abs(x) as 'hidden'", "create macro range(x) as table select 'hidden' as range", OTHER_SQL
    )
    names = ("t", "main.t", '"w".main.t', "W.t", '"T"')
    makes = ("create table {}", "create table if not exists {}", "/* a */ create or replace -- b\n table {}")
    with evalsql.open(path) as warehouse:
        for name, make in product(names, makes):
            query = "select abs(-1) as a, range from range(1)"
            warehouse.database.run(f"{make.format(name)} as {query}", external=False)
            assert warehouse.rows("from w.main.t") == [(1, 0)]
            warehouse.database.run("drop table t", external=False)
        warehouse.database.run("create schema s; create table s.t as select abs(-1) as a", external=False)
        assert warehouse.rows("from w.s.t") == [(1,)]
        warehouse.database.run("create table b (i integer primary key); create table c (i integer references b (i))")


@pytest.mark.long
@pytest.mark.usefixtures("few_measures")
@pytest.mark.filterwarnings("ignore:.*contains measures, views or macros")
def test_no_macro_of_a_file_is_called_for_a_function_of_the_engine(crafted: Crafted) -> None:
    """Operators can be named, but are written otherwise; see ``test_no_macro_computes_ranks``."""
    names = [name for name in sorted(statement_text.engine_functions("scalar", "macro")) if name.isidentifier()]
    made = [f"create macro {quoted(name)}() as 'hidden', (x) as 'hidden'" for name in names]
    with evalsql.open(crafted(*made), read_only=True) as warehouse:
        for name, arguments in product(names, ("", "1")):
            with suppress(evalsql.EvalsqlError):
                assert warehouse.rows(f"select {quoted(name)}({arguments})") != [("hidden",)], name
        assert warehouse.rows("select pg_typeof(1)") == [("integer",)]


LOGGING = ["enable_logging(storage := 'file', storage_path := 'logs')"]
if not duckdb.__version__.startswith("1."):
    LOGGING.append("destroy_external_resource('query', 'from v')")


@pytest.mark.usefixtures("few_measures")
@pytest.mark.filterwarnings("ignore:.*contains measures, views or macros")
@pytest.mark.parametrize("external_access", [None, False])
@pytest.mark.parametrize("called", LOGGING)
def test_no_view_that_logs_is_there_for_python(crafted: Crafted, called: str, external_access: bool | None) -> None:
    """To ask one within the fence ended the process: the engine may not make the folder of its logs."""
    path = crafted(f"create macro logs() as table from {called}")
    with pytest.raises(WarehouseError, match=f"logs in it calls {called.partition('(')[0]}"):
        evalsql.open(path, read_only=True, external_access=external_access)


@pytest.mark.usefixtures("few_measures")
@pytest.mark.filterwarnings("ignore:.*contains measures, views or macros")
def test_no_macro_of_a_file_says_which_tables_there_are(crafted: Crafted) -> None:
    listed = []
    for name, made in (("clean.duckdb", "select 1"), ("w.duckdb", "create macro in_search_path(a, b) as false")):
        with evalsql.open(crafted(made, name=name)) as warehouse:
            listed.append(warehouse.rows("show tables"))
    assert ("runs",) in listed[0]
    assert listed[0] == listed[1]


@pytest.mark.usefixtures("few_measures")
def test_vacuum_reads_no_file_beside_the_warehouse(crafted: Crafted, secret: Path, command: Command) -> None:
    path = crafted(
        "create temp macro leak(x) as x",
        "create table beside (a integer, b integer generated always as (leak(a)) virtual)",
        f"create macro leak(x) as (select count(*)::integer from read_csv('{secret}'))",
    )
    assert path.parent in secret.parents
    assert_refused(command("vacuum", "--db", path), "disabled by configuration")


# A view in a file looks for names there first. Each of these is the engine's, a relation's or a step's.
HIDERS = (
    *("macro abs(x) as 42", "macro ABS(x) as 42", 'macro "abs"(x, y := 1) as 42', "macro main.abs(x) as (select 42)"),
    *("macro sum(x) as 42", "macro count_star() as 42", 'macro "~~"(a, b) as true'),
    *("macro list_value(x) as 42", "macro struct_pack(x) as 42", "macro now() as 42", "macro ln(x) as 42"),
    *("macro range(x) as table select 42 as range", "macro unnest(x) as 42", "macro row_number() as 42"),
    *("macro error(x) as 42", "macro steps.abs(x) as 42", "macro query_table(x) as table select 42 as a"),
    *("macro duckdb_tables() as table select 42 as a", "macro list_sum(x) as 42", "macro array_extract(a, b) as 42"),
    *("table steps.topics as select 42 as one", "table main.evaluated_topics as select 42 as one"),
)
VIEWS = (
    *("create view v as {}", "create or replace view v as {}", "CREATE VIEW v(a) AS ({})", 'create view "v" as {}'),
    *("create view main.v as {}", "create view w.main.v as {}", "/* temp */ create -- temp\n view v as {}"),
    *(
        'create view "w"."v"(temp) as {}',
        'create or replace view "w".main."v"(temporary) as {}',
        "create view w.temp as {}",
    ),
    *("create view if not exists v as {}", "create view v as with x as ({}) from x", "select 1; create view v as {}"),
)


@pytest.mark.usefixtures("few_measures")
@pytest.mark.filterwarnings("ignore:.*contains measures, views or macros")
@pytest.mark.parametrize("hider", few_of(HIDERS, 1))
def test_no_view_is_made_that_would_ask_what_hides_others(crafted: Crafted, hider: str) -> None:
    path, query = crafted(f"create {hider}"), "select abs(-1) as a"
    kind, name = hider.replace("(", " ").split()[:2]
    with evalsql.open(path) as warehouse:
        for view in VIEWS[:1] if hider != HIDERS[0] else VIEWS:
            with pytest.raises(WarehouseError, match=rf"w\.duckdb: views in it would ask {kind} (main|steps)\."):
                warehouse.database.run(view.format(query), external=False)
        warehouse.execute(f"create temp view v as {query}")
        assert warehouse.rows("from v") == [(1,)]
        warehouse.execute(f"drop view temp.v; drop {kind} {'table ' * (' as table ' in hider)}{name}")
        warehouse.database.run(VIEWS[0].format(query), external=False)
        assert warehouse.rows("from w.main.v") == [(1,)]


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize("version", [7, 8])
def test_no_column_is_computed_by_a_macro_of_the_file(crafted: Crafted, secret: Path, version: int) -> None:
    path = crafted(
        f"update warehouse set schema_version = {version}",
        "create temp macro leak(x) as x || 'a'",
        "create temp table held as from warehouse",
        "drop table warehouse",
        "create table warehouse (schema_version integer not null, sql_digest varchar not null, built_at timestamp, "
        "evalsql_version varchar generated always as (leak(sql_digest)) virtual)",
        "insert into warehouse by name select schema_version, sql_digest, built_at from held",
    )
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"create macro main.leak(x) as (select content from read_text('{secret}'))")
        assert SECRET in connection.execute("select evalsql_version from warehouse").fetchall()[0][0]
    with pytest.raises(WarehouseError, match="warehouse has different columns") as refused:
        evalsql.open(path, read_only=True)
    assert SECRET not in str(refused.value)


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize("made", ["macro ap(x) as 1", "view kept_ranks as select 1 as a", "macro steps.topics(x) as 1"])
def test_what_has_a_relations_name_and_is_another_thing_is_foreign(crafted: Crafted, made: str) -> None:
    with pytest.warns(InputWarning, match=f"beside those of evalsql: {made.partition('(')[0].partition(' as')[0]}"):
        evalsql.open(crafted(f"create {made}"), read_only=True).close()


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize(
    ("made", "asked"),
    [
        ("view scores as select content as run from read_text('{secret}')", "scores"),
        ("view scores as from '{secret}'", "scores"),
        ("macro ap(k := 1) as table from query_table('{secret}')", "ap()"),
        # The words of evalsql's own, which reads what its CTEs are called.
        ("macro ap(ties := '{secret}') as table from query_table(ties)", "ap()"),
        (
            "macro ap(ties := '{secret}') as table "
            "from query_table(case when ties in ('rule') then 'allowed' else ties end)",
            "ap()",
        ),
        ("macro ap(k) as table (select k), (k, l) as table (from read_text('{secret}'))", "ap(1, 2)"),
    ],
)
def test_what_has_a_relations_name_and_says_otherwise_is_foreign(
    crafted: Crafted, tmp_path: Path, made: str, asked: str, read_only: bool
) -> None:
    secret = write(tmp_path / "secret.csv", "a\n1\n")
    path = crafted(f"create or replace {made.format(secret=secret)}")
    with pytest.warns(InputWarning, match=f"beside those of evalsql: {made[: made.index(asked[:2]) + 2]}"):
        warehouse = evalsql.open(path, read_only=read_only)
    with warehouse, pytest.raises(QueryError, match="disabled by configuration"):
        warehouse.rows(f"from {warehouse.database.name}.main.{asked}")


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize(("view", "read_only"), few_of([*product(("scores", "kept_ranks"), (True, False))]))
@pytest.mark.filterwarnings("ignore:.*beside those of evalsql")
def test_a_view_whose_query_is_not_told_reads_nothing(
    crafted: Crafted, tmp_path: Path, view: str, read_only: bool
) -> None:
    """DuckDB 1.5 keeps no text of a view that a client makes of a query by itself; 2.0 keeps one."""
    secret = write(tmp_path / "secret.csv", "a\n1\n")
    path = crafted()
    with duckdb.connect(str(path)) as connection:
        connection.sql(f"from '{secret}'").create_view(view, replace=True)
        ((text,),) = connection.execute("select sql from duckdb_views() where view_name = ?", [view]).fetchall()
    refused = "disabled by configuration" if text else f"has no text of the view {view} in it"
    with pytest.raises(EvalsqlError, match=refused), evalsql.open(path, read_only=read_only) as warehouse:
        warehouse.rows(f"from {warehouse.database.name}.main.{view}")


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize("name", ['"DATA"."CSV"', '"DATA"."JSON"'])
def test_a_files_name_in_capitals_is_a_name(
    crafted: Crafted, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "DATA.CSV", "a\n1\n")
    write(tmp_path / "DATA.JSON", "[]")
    with pytest.warns(InputWarning, match="beside those of evalsql: view scores"):
        evalsql.open(crafted(f"create or replace view scores as from {name}"), read_only=True).close()


def test_text_in_quotes_stays_text_where_a_parameter_names_a_step(tmp_path: Path) -> None:
    text = """
        -- measure: Leak
        -- title: T
        -- parameters:
        --   mode varchar in {|| (select * from query($$select 1$$)) /*, a} = a   which way
        -- definition: as it says
        -- range: 0 1000
        -- mean: arithmetic
        select qrels, run, topic, length('x query_table(mode) */ */ || ' -- '
        )::double + case when $mode = 'a' then 0 else 0 end as value from evaluated_topics
    """
    write(tmp_path / "leak.sql", textwrap.dedent(text).lstrip())
    with evalsql.open(":memory:", measures=tmp_path / "leak.sql") as warehouse:
        warehouse.load_qrels({"t": {"d": 1}}, "q")
        warehouse.load_run({"t": {"d": 1.0}}, "r")
        assert warehouse.rows("select value from leak") == [(len("x query_table(mode) */ */ || "),)]


@pytest.mark.usefixtures("few_measures")
@pytest.mark.filterwarnings("ignore:.*contains measures, views or macros")
def test_a_view_of_a_users_own_asks_evalsqls_relations(crafted: Crafted) -> None:
    path = crafted(
        "create or replace view ap as select 'bm25' as run, 'T23' as topic, 0.99 as value",
        "create or replace macro p(k := 1) as table select 0.99 as value",
        "create view main.evaluated_topics as select 42 as one",
    )
    with evalsql.open(path) as warehouse:
        warehouse.execute("begin")
        with pytest.raises(UsageError, match=r"make that outside of a transaction$"):
            warehouse.execute("create view best as from ap")
        warehouse.execute("rollback")
        makes = "create view best as from ap; create view precise as select value from p() order by all"
        Writer(warehouse.database, external=False).run(f"begin; {makes}; commit")
        assert warehouse.rows(TRUE_AP.replace("from ap", "from best")) == [(pytest.approx(BY_HAND),)]
        assert warehouse.rows("from precise") == warehouse.rows("select value from p() order by all")


@pytest.mark.usefixtures("few_measures")
def test_a_file_that_was_written_at_its_opening_is_not_written_for_a_view(crafted: Crafted) -> None:
    with evalsql.open(crafted("create or replace view ap as select 0.99 as value", OTHER_SQL)) as warehouse:
        for statement in ("begin", "create view best as from ap", "commit"):  # else refused in a transaction
            warehouse.execute(statement)
        assert warehouse.rows(TRUE_AP.replace("from ap", "from best")) == [(pytest.approx(BY_HAND),)]


# Names in the body of a kept measure
CTES = ("u1", "u2", "u3")


def _query(draw: random.Random, depth: int) -> str:
    """A query of one column in which names are of CTEs or of nothing."""
    first, second = draw.sample(CTES, 2)
    if depth == 0:
        return f"(select 1 as a from {draw.choice([first, *5 * ['range(1)']])})"
    a, b, c = (_query(draw, depth - 1) for _ in range(3))
    return draw.choice(
        (
            f"(select 1 as a from {a} as x, {first})",
            f"(select max((select 1 from {first} limit 1)) over () as a from range(1) as t(b), lateral {a} as y)",
            f"({a} union all {b} limit {c})",
            f"(with {first} as {a} select 1 as a from {first}, {second})",
            f"(with {first} as {a}, {second} as materialized {b} {c} union all select 1 from {first}, {second})",
            f"(with recursive {first} as ({a} union all (select 1 as a from {second} where false)) from {first})",
            f"(with recursive {first} as ({a} union all (select a from {first} where false)) {b} union from {first})",
            f"(with {first} as {a} (select case when exists {b} then {c} end as a from {first}))",
        )
    )


def test_the_check_of_bodies_knows_which_names_are_ctes_as_the_engine_does() -> None:
    """A name that is none is nothing for the engine too, which has no such table here."""
    catalog, draw, counts = read_catalog(), random.Random(7), Counter[tuple[str, bool]]()
    with duckdb.connect() as connection:
        while min(counts["", True], counts["absent", False]) < 25:
            text, told, is_refused = _query(draw, draw.choice((1, 1, 2))), "", False
            try:
                connection.execute(f"describe {text}")
            except duckdb.Error as error:
                told = "absent" if "does not exist" in str(error) else "refused otherwise, as where it names itself"
            try:
                own = read_relation(Path("own.sql"), ONE_STEP.format(body=text))
                check_bodies(catalog.extended([own]), [own])
            except CatalogError:
                is_refused = True
            counts[told, not is_refused] += 1
            assert told != "absent" or is_refused, text
    assert counts["", False] == 0, counts  # every CTE is used, else the engine would not look at it
