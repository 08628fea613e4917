"""Measures in a stranger's file: the headers of those it keeps, and those that a user loads into it."""

from pathlib import Path
from typing import Any

import duckdb
import pytest

import evalsql
from evalsql import InputWarning, QueryError, UsageError, Warehouse, WarehouseError
from evalsql.catalog.measure_names import parse_measures
from evalsql.catalog.relations import read_catalog, read_relation
from evalsql.catalog.sql_text import functions_named
from evalsql.database import database
from evalsql.database.statement_text import engine_functions
from evalsql.evaluation.holes import unbounded
from evalsql.literals import literal
from tests.conftest import SAMPLE, Command, load_sample, own_measure, write
from tests.long_cases import few_of
from tests.warehouse.conftest import OTHER_SQL, Crafted
from tests.warehouse.test_foreign_files import BY_HAND, TRUE_AP
from tests.warehouse.test_own_measures import kept

HEADED = """\
-- measure: Headed
-- title: T
-- parameters:
--   ties varchar in {rule, worst} = rule   the order of tied documents
-- definition: D
-- range: 0 1
-- mean: arithmetic
-- %s
select qrels, run, topic, value from ap(ties := $ties)
"""


@pytest.mark.usefixtures("few_measures")
@pytest.mark.filterwarnings("ignore:.*(with different SQL|beside those of evalsql)")
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("ties: worst = missing_keys", "reads missing_keys, which is no relation of a warehouse"),
        ("ties: worst = comparison_score", "reads comparison_score, which is no relation of a warehouse"),
        ("ties: worst = scores", "reads unknown relation scores"),
        ("scores: @10", "Headed has no parameter k; it takes ties"),
    ],
)
def test_a_header_names_no_relation_of_the_file_and_hinders_no_opening(crafted: Crafted, line: str, said: str) -> None:
    lie = "as table select 'sample' as qrels, 'a lie' as run, 'T01' as topic, 0.5 as value"
    path = crafted(
        *(f"create macro {name} {lie}" for name in ("missing_keys(documents := true)", "comparison_score(a := 1)")),
        kept(HEADED % line, "headed"),
        OTHER_SQL,
    )
    for read_only in (True, False):
        with pytest.warns(InputWarning, match=said):
            warehouse = evalsql.open(path, read_only=read_only)
        with warehouse:
            assert warehouse.rows(TRUE_AP) == [(pytest.approx(BY_HAND),)]
            with pytest.raises(QueryError, match="headed does not exist"):
                warehouse.rows("from headed(ties := 'worst')")


@pytest.mark.long
@pytest.mark.usefixtures("few_measures")
@pytest.mark.filterwarnings("ignore:.*beside those of evalsql")
def test_a_measure_that_is_loaded_into_a_file_asks_evalsqls_relations(crafted: Crafted, tmp_path: Path) -> None:
    """For other clients too, which ask the views in the file."""
    false = "select 'sample' as qrels, 'bm25' as run, 'T23' as topic, 0.99::double as value"
    own = own_measure(tmp_path / "mine.sql", "Mine", "select qrels, run, topic, value from ap")
    for lie in (f"view ap as {false}", "macro ap() as table select 1 as other"):
        path = crafted(f"create or replace {lie}")
        with evalsql.open(path) as warehouse:
            warehouse.load_measures(own)
        with duckdb.connect(str(path), read_only=True) as connection:
            found = connection.execute(TRUE_AP.replace("from ap", "from mine")).fetchall()
        assert found == [(pytest.approx(BY_HAND),)]


@pytest.mark.usefixtures("few_measures")
@pytest.mark.filterwarnings("ignore:.*beside those of evalsql")
def test_a_body_calls_no_function_of_the_file_by_a_schema_that_the_engine_lacks_it_in(crafted: Crafted) -> None:
    body = "select qrels, run, topic, cast(main.format_type(1, 2) as double) as value from evaluated_topics"
    text = "-- measure: Mine\n-- title: T\n-- definition: D\n-- range: 0 100\n-- mean: arithmetic\n" + body
    path = crafted("create macro main.format_type(a, b) as 42", kept(text, "mine"))
    with pytest.warns(InputWarning, match="calls format_type, which is no function of a warehouse"):
        warehouse = evalsql.open(path, read_only=True)
    with warehouse, pytest.raises(QueryError, match="mine does not exist"):
        warehouse.rows("from mine")


@pytest.mark.usefixtures("few_measures")
@pytest.mark.filterwarnings("ignore:.*(with different SQL|beside those of evalsql)")
@pytest.mark.parametrize("name", ["ndcg_cut_10", "AP-l2"])
def test_no_measure_of_the_file_takes_a_name_of_trec_eval_or_ranx(crafted: Crafted, name: str) -> None:
    text = (HEADED % "scores: no").replace("Headed", name)
    with evalsql.open(crafted(), read_only=True) as warehouse:
        expected = warehouse.evaluate(name).fetchall()
    with pytest.warns(InputWarning, match=f"{name} is already a name of .*it is left out"):
        warehouse = evalsql.open(crafted(kept(text, "headed"), OTHER_SQL), read_only=True)
    with warehouse:
        assert warehouse.evaluate(name).fetchall() == expected


@pytest.mark.parametrize("name", ["filled_bounds", "added_up_bounds", "first_found_bounds"])
def test_a_header_names_bounds_that_evalsql_has(name: str) -> None:
    """A template is no macro, so that one of the file's would be called."""
    text = (HEADED % f"holes: {name}").replace("Headed", "Mine")
    catalog = read_catalog().extended([read_relation(Path("mine.sql"), text)])
    (mine,) = parse_measures(["Mine"], catalog)
    assert unbounded(catalog, mine) == f"there is no relation of bounds called {name}, which its header names"


@pytest.mark.usefixtures("few_measures")
@pytest.mark.filterwarnings("ignore:.*beside those of evalsql")
def test_what_is_brought_up_to_date_has_this_versions_columns(crafted: Crafted) -> None:
    """A file can say of itself that it is older, of which the columns are not known."""
    runs = read_catalog()["runs"].body
    changed = runs.replace("run varchar not null", "run varchar collate nocase not null")
    assert changed != runs
    path = crafted("update warehouse set schema_version = 7", "drop table runs", changed)
    with pytest.raises(WarehouseError, match="runs has another type or collation in run"):
        evalsql.open(path)


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize("column", ["qrels_id", '"QRELS_ID"'])
def test_no_key_of_an_older_file_becomes_sql(crafted: Crafted, tmp_path: Path, column: str) -> None:
    """The keys of its evaluations are written into a query, and a struct's text would end it."""
    taken, follows = tmp_path / "taken.csv", 'insert into judged_ranks by name with a as (select 1 as qrels_id --"'
    text = f"x' }}, 1)) as l(qrels_id, run_id)) select 1 as rank; copy (select 1) to $${taken}$$; {follows}"
    path = crafted(
        "create temp table held as from evaluations",
        "drop table evaluations",
        f"create table evaluations (evaluation_id int, {column} struct(a varchar), run_id int, topic_id int)",
        f"insert into evaluations select evaluation_id, {{'a': {literal(text)}}}, run_id, topic_id from held",
        "update warehouse set schema_version = 3",
    )
    with pytest.raises(WarehouseError, match="evaluations has different columns"):
        evalsql.open(path)
    assert not taken.exists()


@pytest.mark.parametrize("value", [{"a": "b'\""}, b"b'\"", ("a",)])
def test_no_value_of_another_type_is_written_into_sql(value: Any) -> None:
    with pytest.raises(UsageError, match="is no text and no number"):
        literal(value)


@pytest.mark.usefixtures("few_measures")
@pytest.mark.filterwarnings("ignore:.*beside those of evalsql")
def test_no_macro_with_a_functions_name_is_bound_where_a_file_is_brought_up_to_date(
    crafted: Crafted, tmp_path: Path
) -> None:
    """The engine looks for the file of read_csv as it binds a macro, and would not find it."""
    (secret := tmp_path / "secret.csv").write_text("a\n1\n")
    body = f"(select count(*) from read_csv('{secret}'))"
    arities = ", ".join(f"({', '.join('abcd'[:count])}) as {body}" for count in range(5))
    names = functions_named("".join(each.body for each in read_catalog().relations.values())) & engine_functions()
    path = crafted(*(f"create macro main.{name}{arities}" for name in names), "update warehouse set schema_version = 3")
    secret.unlink()
    evalsql.open(path).close()


@pytest.mark.usefixtures("few_measures")
def test_a_computed_column_calls_nothing(crafted: Crafted) -> None:
    """The words are those of this version's column, but for brackets that make a call of them."""
    table = read_catalog()["judged_ranks"].body
    called = table.replace("(rank - tied_above)", "(rank(-tied_above))")
    assert called != table
    with pytest.raises(WarehouseError, match="judged_ranks has different columns"):
        evalsql.open(crafted("create macro rank(a) as 1", "drop table judged_ranks", called), read_only=True)


@pytest.mark.long
def test_a_kept_measure_that_never_ends_hinders_nobody_who_asks_for_another(
    command: Command, crafted: Crafted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "MOST_SECONDS", 0.5)
    never = "(select count(*) from range(1000000000000) as t(a) where a % 7 = a % 11)::double"
    select = f"select qrels, run, topic, {never} as value from evaluated_topics"
    text = own_measure(tmp_path / "endless.sql", "Endless", select).read_text()
    path = crafted(kept(text, "endless"), OTHER_SQL)
    told = "Endless: took more than 0.5 seconds and was given up; evalsql drop measures Endless takes it out"
    assert command("sql", "--write", "select 1", "--db", path).returncode == 0  # which makes its views
    checked = command("check", "--format", "csv", "--db", path)
    assert (checked.returncode, checked.stdout) == (1, f"audit,finding,num_rows\nkept_measures,{told},1\n")
    for words, is_told in (
        (["export", "warehouse", tmp_path / "copy"], False),
        (["site", "-o", tmp_path / "site"], True),
        (["sql", "--write", "select 1"], False),
        (["load", "runs", SAMPLE / "runs" / "bm25.run", "--replace"], True),
        (["drop", "measures", "Endless"], False),
    ):
        outcome = command(*words, "--db", path)
        assert (outcome.returncode, told in outcome.stderr) == (0, is_told), (words, outcome.stderr)


@pytest.mark.usefixtures("few_measures")
@pytest.mark.filterwarnings("ignore:.*(with different SQL|beside those of evalsql)")
@pytest.mark.parametrize("words", few_of(["no such value\nevalsql: loaded all", "no space left on device"], 1))
def test_a_measure_that_fails_is_warned_of_after_a_load_and_an_opening(crafted: Crafted, words: str) -> None:
    """In one line, so that no measure writes lines of its own between those of evalsql."""
    text = (HEADED % "reference: R").replace("topic, value", f"topic, error('{words}')::double as value")
    path = crafted(kept(text, "headed"), OTHER_SQL)
    told = r"headed.sql:\d+: .*no such value evalsql: loaded all$|the disk is full"
    with pytest.warns(InputWarning, match=told):
        warehouse = evalsql.open(path)
    with warehouse:
        with pytest.warns(InputWarning, match=told):
            warehouse.load_run({"T01": {"doc-0025": 1.0}}, "new", qrels="sample")
        assert warehouse.rows("select count(*) from runs where run = 'new'") == [(1,)]


@pytest.mark.usefixtures("few_measures")
def test_what_another_connection_of_this_process_keeps_is_no_unknown_measure(
    crafted: Crafted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor one without values after it was dropped: whoever asks opens the file anew."""
    own = own_measure(tmp_path / "mine.sql", "Mine", "select qrels, run, topic, value from ap")
    monkeypatch.chdir(tmp_path)
    with (
        evalsql.open(crafted()) as warehouse,
        evalsql.open(Path(warehouse.path).relative_to(tmp_path)) as other,
        evalsql.open(":memory:") as memory,
    ):
        warehouse.load_measures(own)
        for act in (lambda: other.evaluate("Mine"), lambda: other.load_measures(own), lambda: other.sql("from mine")):
            with pytest.raises(UsageError, match=r"changed the measures .*; close this one"):
                act()
        assert memory.evaluate("AP").fetchall() == []
    with evalsql.open(warehouse.path) as warehouse, evalsql.open(warehouse.path) as again:
        assert again.evaluate("Mine").fetchall() == warehouse.evaluate("AP").fetchall() != []
        again.drop_measures("Mine")
        with pytest.raises(UsageError, match=r"changed the measures .*; close this one"):
            warehouse.evaluate("Mine")


TYPED = """\
-- measure: Typed
-- title: T
-- definition: D
-- range: 0 1
-- mean: arithmetic
{}select qrels, run, topic, {} as value
from evaluated_topics
"""


@pytest.mark.usefixtures("few_measures")
@pytest.mark.filterwarnings("ignore:.*(with different SQL|beside those of evalsql)")
@pytest.mark.parametrize(
    "value", few_of(["cast(0.5 as variant)", "'5e-1'", "cast(0.5 as float)", "cast('0.5' as json)"], 1)
)
def test_no_type_of_a_kept_measure_becomes_that_of_others(crafted: Crafted, value: str) -> None:
    """AP was .65 beside a VARIANT, of which rounded values were added up, and an error beside texts."""
    asked = "select run, measure, value from summary where measure in ('AP', 'RR') order by all"
    told = []
    for statements in ((), (kept(TYPED.format("", value), "typed"),)):
        with evalsql.open(crafted(*statements, OTHER_SQL), read_only=True) as warehouse:
            told.append(warehouse.rows(asked))
    assert told[0] == told[1]


@pytest.mark.usefixtures("few_measures")
def test_no_type_under_another_order_of_ties_becomes_that_of_others(empty: Warehouse, tmp_path: Path) -> None:
    """What the header names for it has columns of its own."""
    load_sample(empty, "bm25", "dense")
    asked = "select * from tie_effects where measure in ('AP', 'RR') order by all"
    before = empty.rows(asked)
    ties = "-- parameters: ties\n-- ties: worst, best, expected = half_tied\n"
    write(tmp_path / "own" / "typed.sql", TYPED.format(ties, "0.5::double"))
    step = TYPED.format("", "cast(0.25 as variant)").partition("select")[2]
    write(tmp_path / "own" / "half_tied.sql", f"-- title: x\n-- columns: qrels, run, topic, value\nselect{step}")
    assert empty.load_measures(tmp_path / "own") == ["Typed"]
    assert empty.rows(asked) == before
    assert empty.rows("select distinct value, typeof(value) from typed(ties := 'worst')") == [(0.25, "DOUBLE")]


@pytest.mark.usefixtures("few_measures")
@pytest.mark.filterwarnings("ignore:.*(with different SQL|beside those of evalsql|are left out)")
def test_no_collation_of_a_kept_measure_makes_one_run_of_two(crafted: Crafted) -> None:
    """DuckDB 2.0 has a type for it, which casts of text pass on; it was read in the values of all measures."""
    runs = "insert into runs select * replace (90 + run_id as run_id, upper(run) as run) from runs"
    pairs = "insert into evaluations select evaluation_id + 90_000, qrels_id, run_id + 90, topic_id from evaluations"
    text = TYPED.format("", "0.5::double").replace("qrels, run,", "qrels, run || ''::varchar('nocase') as run,")
    with evalsql.open(crafted(runs, pairs, kept(text, "typed"), OTHER_SQL), read_only=True) as warehouse:
        told = warehouse.rows("select run, value from summary where measure = 'AP' order by run")
    names = {run for run, _ in told}
    assert names == {run.lower() for run in names} | {run.upper() for run in names}
    assert len(names) == len(told) > 10


@pytest.mark.usefixtures("few_measures")
def test_no_string_of_a_measure_becomes_sql_of_its_macro(empty: Warehouse, tmp_path: Path) -> None:
    """What was behind a dollar sign in it was taken for the name of a parameter."""
    load_sample(empty, "bm25")
    secret = write(tmp_path / "secret.txt", "secret")
    read = f"select qrels, run, topic, 1 as k, length(content) as value from of_each, read_text($${secret}$$)"
    hidden = f"k) from ({read})) select * from alone where 5 = length((case when ("
    step = f"with unused as (select * from cutoffs(k := '${hidden}'))\n"
    text = TYPED.format(f"-- parameters:\n--   k integer = 10   cutoff\n{step}", "0.5::double")
    text = text.replace("topic, ", "topic, cutoffs.k, ").replace(
        "topics\n", "topics cross join cutoffs(k := $k) as cutoffs\n"
    )
    write(tmp_path / "own" / "typed.sql", text)
    assert empty.load_measures(tmp_path / "own") == ["Typed"]
    assert empty.rows("select distinct value from typed()") == [(0.5,)]
    assert empty.catalog.list_parameter(empty.catalog["typed"]) == "k"
