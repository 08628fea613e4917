"""A user's own measures, kept in the warehouse or borrowed from a folder, beside those of the package."""

import re
import warnings
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import pytest

import evalsql
from evalsql import CatalogError, InputWarning, QueryError, UsageError, Warehouse
from evalsql.catalog.relations import Catalog, read_relation
from evalsql.warehouse.file_checks import ATTACHED, objects_in
from evalsql.warehouse.own_measures import check_bodies, drop
from tests.conftest import SAMPLE, Command, assert_refused, own_measure, warned, write
from tests.long_cases import few_of
from tests.warehouse.conftest import OTHER_SQL, SECRET, Crafted

STEP = """\
-- title: How many documents each ranking holds at least half as many of as the longest one
-- columns:
--   evaluation_id   key of the evaluation
--   half_full       whether it does
select
    evaluation_id,
    2 * num_ret >= max(num_ret) over () as half_full
from evaluated_topics
"""
MEASURE = """\
-- measure: Fullness
-- title: Whether a ranking is at least half as long as the longest
-- aliases: full
-- parameters:
--   worth double in [0, inf) = 1   value of one that is
-- columns:
--   order   a column may be a word of SQL
-- definition: The worth, or 0.
-- range: 0 inf
-- mean: sum
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    case when half_full_rankings.half_full then cast($worth as double) else 0 end as value,
    1 as "order"
from evaluated_topics
join half_full_rankings on half_full_rankings.evaluation_id = evaluated_topics.evaluation_id
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "own" / "fullness.sql", MEASURE)
    write(tmp_path / "own" / "steps" / "half_full_rankings.sql", STEP)
    return tmp_path / "own"


@pytest.fixture
def warehouse(few_measures: Catalog, crafted: Crafted) -> Iterator[Warehouse]:
    with evalsql.open(crafted()) as warehouse:
        yield warehouse


def answers(warehouse: Warehouse) -> None:
    """What every measure of the package can be asked, asked of this one: half of the sample's topics are as long."""
    ((expected,),) = warehouse.rows("""
        select count(*) filter (where 2 * num_ret >= (select max(num_ret) from run_topics))
        from run_topics join runs using (run_id) where run = 'bm25'
    """)
    assert warehouse.evaluate("full(worth=2)", runs="bm25").fetchall() == [("sample", "bm25", 2.0 * expected)]
    for relation, factor in (
        *(("fullness(worth := 3)", 3.0), ("fullness", 1.0)),
        *((f"(from {each} where measure = 'Fullness')", 1.0) for each in ("summary", "scores")),
    ):
        assert warehouse.rows(f"select sum(value) from {relation} where run = 'bm25'") == [(factor * expected,)]


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize("read_only", few_of([True, False], 1))
def test_borrowed_for_one_connection(crafted: Crafted, folder: Path, read_only: bool) -> None:
    path = crafted()
    before = path.read_bytes() if read_only else b""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        borrowing = evalsql.open(path, read_only=read_only, measures=folder)
    with borrowing as warehouse:
        answers(warehouse)
    with evalsql.open(path, read_only=True) as warehouse, pytest.raises(UsageError, match="unknown measure"):
        warehouse.evaluate("Fullness")
    assert not read_only or path.read_bytes() == before


def test_kept_in_the_file_for_every_client(warehouse: Warehouse, folder: Path) -> None:
    assert warehouse.load_measures(folder) == ["Fullness"]
    answers(warehouse)
    assert warehouse.rows("select measure, aliases, mean from measures where relation = 'fullness'") == [
        ("Fullness", "full", "sum")
    ]
    warehouse.close()
    made: list[object] = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        how: dict[str, Any] = {"external_access": True, "progress": lambda *stage: made.append(stage)}
        # The same file kept and borrowed is one.
        again = evalsql.open(warehouse.path, read_only=True, measures=folder, **how)
    with again:
        answers(again)
    assert made == []
    with duckdb.connect(warehouse.path) as plain:
        assert plain.sql("select max(value) from fullness(worth := 7)").fetchall() == [(7.0,)]
        comments = plain.sql("select comment from duckdb_views() where view_name = 'fullness'").fetchall()
        assert "Whether a ranking is at least half as long" in comments[0][0]
        # Version 0.1.0 called evaluated what is evaluated_topics now.
        plain.execute("update added_relations set text = replace(text, 'evaluated_topics', 'evaluated')")
        plain.execute(OTHER_SQL)
    with evalsql.open(warehouse.path) as newer:
        answers(newer)
        # As if a later version brought a measure of the same name.
        newer.execute("update added_relations set relation = 'ap' where relation = 'fullness'")
        newer.execute(OTHER_SQL)
    with (
        pytest.warns(InputWarning, match="relation ap is already in .*it is left out"),
        evalsql.open(warehouse.path) as now,
    ):
        assert len(now.evaluate("AP").fetchall()) == 8


@pytest.mark.long
def test_taken_out_and_replaced(warehouse: Warehouse, folder: Path) -> None:
    warehouse.load_measures(folder)
    with pytest.raises(UsageError, match="already loaded: fullness, half_full_rankings; --replace"):
        warehouse.load_measures(folder)
    write(folder / "fullness.sql", MEASURE.replace("else 0 end", "else 0.5 end"))
    warehouse.load_measures([folder / "fullness.sql"], replace=True)
    assert warehouse.rows("select min(value) from fullness") == [(0.5,)]
    with pytest.raises(CatalogError, match="reads unknown relation half_full_rankings"):
        warehouse.drop_measures("half_full_rankings")
    answers_before = warehouse.rows("select sum(value) from fullness")
    with pytest.raises(UsageError, match="AP comes with the package"):
        warehouse.drop_measures("AP")
    warehouse.execute("begin; delete from added_relations where relation = 'fullness'")
    with pytest.raises(UsageError, match="Fullness was dropped by another client"):
        drop(warehouse.database, ["Fullness"])
    warehouse.execute("rollback")
    assert warehouse.rows("select sum(value) from fullness") == answers_before
    warehouse.drop_measures(["Fullness", "half_full_rankings"])
    assert warehouse.rows("select count(*) from duckdb_functions() where function_name = 'fullness'") == [(0,)]
    assert warehouse.rows("select count(*) from measures where measure = 'Fullness'") == [(0,)]


@pytest.mark.long
def test_other_clients_ask_the_views_of_all_measures_also_once_the_last_own_one_is_dropped(
    warehouse: Warehouse, folder: Path
) -> None:
    def asked() -> list[Any]:
        # Several threads add in another order each time, which DuckDB 1.5 shows in the last digit of sums.
        with duckdb.connect(warehouse.path, read_only=True, config={"threads": 1}) as plain:
            views = ("scores", "summary")
            return [plain.execute(f"from {view} order by all").fetchall() for view in views]

    warehouse.close()
    before = asked()
    with evalsql.open(warehouse.path) as again:
        again.load_measures(folder)
        again.drop_measures(["Fullness", "half_full_rankings"])
    assert asked() == before


@pytest.mark.long
def test_a_measure_that_breaks_the_contract_leaves_all_as_it_was(warehouse: Warehouse, folder: Path) -> None:
    warehouse.load_measures(folder)
    for text, complaint in (
        (MEASURE.replace("else 0 end", "end"), "null, NaN or infinite"),
        (MEASURE.replace("range: 0 inf", "range: 0 0.5"), "outside the range of 0 to 0.5"),
    ):
        write(folder / "fullness.sql", text)
        with pytest.raises(CatalogError, match=rf"fullness.sql: \d+ values are {complaint}") as refused:
            warehouse.load_measures(folder, replace=True)
    assert re.search(r"to 0\.5: 1\.0 of \S+ on topic T\d\d$", str(refused.value))
    answers(warehouse)
    warehouse.drop_measures("Fullness")
    warehouse.close()
    with pytest.raises(CatalogError, match=r"fullness.sql: \d+ values are outside"):
        evalsql.open(warehouse.path, read_only=True, measures=folder / "fullness.sql")
    write(folder / "fullness.sql", MEASURE.replace("cast($worth", "absent + cast($worth"))
    with pytest.raises(CatalogError, match=r'fullness.sql:15: .*"absent" not found') as refused:
        evalsql.open(warehouse.path, read_only=True, measures=folder)
    assert "LINE" not in str(refused.value)


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("ap.sql", MEASURE, "relation ap is already in"),
        ("my-measure.sql", MEASURE, "must be one that SQL takes"),
        ("latin.sql", MEASURE.encode() + b"-- \xe9", "latin.sql: cannot be read: is not UTF-8 text"),
        ("fullness.sql", MEASURE.replace("half_full_rankings", "read_csv('secret.csv')", 1), "calls read_csv"),
        *(
            ("fullness.sql", MEASURE.replace(before, after), complaint)
            for before, after, complaint in (
                ("aliases: full", "aliases: ndcg", "ndcg is already a name of the measure in"),
                ("measure: Fullness", "measure: De pth", "De pth cannot name a measure"),
                ("measure: Fullness", "measure: D@5", "D@5 cannot name a measure"),
                ("measure: Fullness", "measure: all_trec", "all_trec cannot name a measure"),
                # Values of all measures would have it too: runs A and a become one.
                ("topics.run,", "topics.run collate nocase as run,", "holds collate, which the body"),
                ("range: 0 inf", "range: 1 0", "range is 1 0, but must be two numbers"),
                ("range: 0 inf", "range: wide", "range is wide, but must be two numbers"),
                ("worth", "full", "full is a word of SQL and cannot name a parameter"),
                ("\n-- title", f"\n{'-' * 30_000}\n-- title", "has 30,.* characters, but a measure has at most 30,000"),
                (
                    "1 as",
                    f"(select 1 from ({'from ap union all ' * 100} from ap)) as",
                    "sql:11: reads 2,.* relations, wi",
                ),
            )
        ),
        ("bare.txt", "no measure", r"no \.sql file is in this folder"),
        ("absent", None, "absent: cannot be read: No such file"),
    ],
)
def test_what_is_no_measure(tmp_path: Path, folder: Path, name: str, text: str | bytes | None, complaint: str) -> None:
    own: list[str | Path] = [tmp_path / "other"]
    if name.endswith(".sql"):
        own.append(folder / "steps")
    if text is None:
        own = [tmp_path / name]
    else:
        write(tmp_path / "other" / name, text)
    with pytest.raises(CatalogError, match=complaint):
        evalsql.open(":memory:", measures=own)


@pytest.mark.usefixtures("few_measures")
@pytest.mark.long
def test_data_that_break_the_contract_later_are_taken_with_a_warning(tmp_path: Path) -> None:
    """And neither they nor a new version of the package keep anybody from opening the file and taking it out."""
    select = "select qrels, run, topic, case when num_ret > 1 then 1::double end as value from evaluated_topics"
    path = own_measure(tmp_path / "own" / "share.sql", "Share", select)
    with evalsql.open(tmp_path / "w.duckdb") as warehouse:
        warehouse.load_qrels({"t": {"a": 1, "b": 0}}, "tiny")
        warehouse.load_run({"t": {"a": 2.0, "b": 1.0}}, "two")
        assert warehouse.load_measures(path) == ["Share"]
        with pytest.warns(InputWarning, match=r"share.sql: 1 values are null"):
            warehouse.load_run({"t": {"a": 2.0}}, "one")
        warehouse.execute(OTHER_SQL)
    with pytest.warns(InputWarning, match=r"share.sql: 1 values are null"):
        again = evalsql.open(warehouse.path)
    again.drop_measures("Share")
    again.close()


@pytest.mark.long
@pytest.mark.usefixtures("few_measures")
def test_from_the_command_line(crafted: Crafted, command: Command, folder: Path) -> None:
    crafted(name="evalsql.duckdb")
    arguments = ("-m", "Fullness", "--format", "csv")
    borrowed = command("leaderboard", *arguments, "--measure-file", folder)
    assert borrowed.stdout.startswith("qrels,run,Fullness\n"), borrowed.stderr
    files = (SAMPLE / "qrels.txt", SAMPLE / "runs" / "bm25.run")
    _, line = command("eval", *files, *arguments, "--measure-file", folder).stdout.splitlines()
    assert line.removeprefix("qrels,") in borrowed.stdout.replace("sample,", "")
    write(folder / "fullness.sql", MEASURE.replace("range: 0 inf", "range: 0 0.5"))
    assert command("eval", *files, *arguments, "--measure-file", folder).stderr.count("outside the range") == 1
    write(folder / "fullness.sql", MEASURE)
    assert "Whether a ranking is at least half" in command("measures", "fullness", "--measure-file", folder).stdout
    assert_refused(command("leaderboard", *arguments), "unknown measure")
    kept = command("load", "measures", folder)
    assert (kept.returncode, kept.stdout) == (0, "")
    assert "loaded 1 measure: Fullness" in kept.stderr
    assert command("leaderboard", *arguments).stdout == borrowed.stdout
    assert "\nFullness," in command("measures", "--db", "evalsql.duckdb", "--format", "csv").stdout
    # They go by name and glob, all or none.
    assert_refused(command("drop", "measures", "Full*", "AP"), 'no measure of your own is called "AP"')
    for name, gone in (("Full*", "fullness"), ("half_full_rankings", "half_full_rankings")):
        dropped = command("drop", "measures", name, "--format", "csv")
        assert dropped.stdout == f"kind,name\nmeasures,{gone}\n", dropped.stderr
    assert_refused(command("leaderboard", *arguments), "unknown measure")


# In files of strangers

ONE_STEP = """\
-- title: What a step of one row holds
-- columns:
--   value   a number
{body}
"""


def kept(text: str, name: str) -> str:
    """What puts a relation into a file as if it had been loaded."""
    name, text = (each.replace("'", "''") for each in (name, text))
    return f"insert into added_relations values (1, '{name}', '{text}', now()::timestamp)"


@pytest.mark.usefixtures("few_measures")
def test_a_kept_relation_is_one_select_of_relations(
    command: Command, crafted: Crafted, tmp_path: Path, secret: Path
) -> None:
    file = tmp_path / "written.txt"
    bodies = (
        f"select 1 as value); copy (select 'x') to '{file}'; select (2",
        f"select 1 as value; copy (select 'x') to '{file}'",
        f"copy (select 1 as value) to '{file}'",
        f"select content as value from read_text('{secret}')",
        f"select content as value from '{secret}'",
        f"from query('select content as value from read_text(''{secret}'')')",
        f"select 1 as value, map {{1: (select content from read_text('{secret}'))}}",
        f"select 1 as value, (select content from read_text('{secret}')) as other",
        f'with "{secret}" as (select 1) select 1 as value from "{secret}"',
        f"with read_text as (select 1) select content as value from read_text('{secret}')",
        *("select evil() as value", "select sum(main.evil()) over () as value", "select count(*) as value from runs()"),
        "with evil as (select 1) select 1 as value from main.evil",
        *("select 1 as value from (with evil as (select 1) from evil), evil", "with evil as (from evil) from evil"),
        "with recursive evil as (from evil union all select 1 as value) from evil",
        *("select evil(1) over () as value", "select read_text(1) as value", "from (show tables)"),
        "select first_value(1) as value",
        *("select nextval('count') as value", "select setseed(0.5) as value", "select sleep_ms(100000) as value"),
        # DuckDB 1.5 looks at the address as it plans the text.
        "select length(json_serialize_plan('from pandas_scan(null)')) as value",
        "select " + "(" * 10_000 + "1" + ")" * 10_000 + " as value",
        # The engine would bind these for a minute.
        *("select 1 in (" + "1, " * 20_000 + "2) as value", "select 1 as value" + " union all from ap" * 900),
    )
    header = f"v2/**/is/**/null;copy(select'x')to'{file}';--   whether"
    texts = [STEP.replace("half_full       whether", header), *(ONE_STEP.format(body=body) for body in bodies)]
    named = {f"strange{nth}": text for nth, text in enumerate(texts)}
    named |= dict.fromkeys(("../strange", "a b", "count", 'x"y'), ONE_STEP.format(body="select 1 as value"))
    named["given"] = ONE_STEP.format(body="select value from evil").replace("-- col", "-- inputs: evil\n-- col")
    path = crafted(*(kept(text, name) for name, text in named.items()), OTHER_SQL)
    outcome = command("sql", "--write", "select 1 as one", "--db", path)
    assert outcome.stderr.count("it is left out") == len(named)
    for name in named:
        assert f"{name}.sql" in outcome.stderr or repr(name) in outcome.stderr
    assert "Traceback" not in outcome.stderr
    assert SECRET not in outcome.stdout + outcome.stderr
    assert not file.exists()


@pytest.mark.usefixtures("few_measures")
def test_a_kept_relation_reads_a_name_as_what_is_attached_of_it(warehouse: Warehouse, tmp_path: Path) -> None:
    """The engine would go on to what the file itself has of that name, and find a stranger's view or macro."""
    catalog, found = warehouse.catalog, set[bool]()
    held = [*objects_in(warehouse.database, ATTACHED), *(("main", each.name, "") for each in catalog.of_kind("tables"))]
    attached = {(schema, name, kind != "macro table") for schema, name, kind in held}
    names = [name for name in catalog.relations if not catalog[name].is_function]
    for name in (*names[::9], "rank_gaps", "bayes_fuse", "history", "borda_points", "preference_pairs", "runs"):
        for schema, is_table in product(("", "main.", "steps.", "temp.", "file."), (True, False)):
            body = f"select 1 as value from {schema}{name}{'' if is_table else '()'}"
            own = read_relation(tmp_path / "own_step.sql", ONE_STEP.format(body=body))
            schemas = ("main", "steps") if not schema else (schema[:-1],)
            found.add(is_there := any((each, name, is_table) in attached for each in schemas))
            with nullcontext() if is_there else pytest.raises(CatalogError, match=f"reads {name}, which is no rela"):
                check_bodies(catalog.extended([own]), [own])
    assert found == {True, False}


# A string between dollar tags, a comment or a name ends elsewhere for another reader than the engine, and what stands
# there is code once the parameter k is put in.
TAGS = ("", "\u00b7", "\u00e9", "\u00b2", "\u0660", "\U0001f600", "\u200b", "_1")
HIDING = (
    "select $k as value, $k{0}$ || (select content from read_text('{1}')) || $k{0}$ as text",
    "select $k as value, $k{0}$ ' $k{0}$ as text union all select 2, content from read_text('{1}') -- ' ",
    "select $k as value /* $k{0}$ /* $k{0}$ */ */, (select content from read_text('{1}')) as text -- */",
    """with "k{0}" as (select $k as one) select one as value, $k{0}$"$k{0}$ as text from "k{0}", read_text('{1}')""",
)
ONE_OF_K = ONE_STEP.replace("-- columns", "-- parameters: k\n--   k integer in [1, inf) = 1   a number\n-- columns")


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize("read_only", few_of([True, False], 1))
def test_no_kept_relation_has_a_second_reading(crafted: Crafted, secret: Path, read_only: bool) -> None:
    texts = [ONE_OF_K.format(body=body.format(tag, secret)) for tag, body in product(TAGS, HIDING)]
    named = {f"hidden{nth}": text for nth, text in enumerate([*texts, ONE_OF_K.format(body="select $k as value")])}
    path = crafted(*(kept(text, name) for name, text in named.items()), *([] if read_only else [OTHER_SQL]))
    opened: list[Warehouse] = []
    told = warned(lambda: opened.append(evalsql.open(path, read_only=read_only)))
    with opened[0] as warehouse:
        for name in named:
            with suppress(QueryError):
                assert SECRET not in str(warehouse.rows(f"from {name}(k := 1)"))
        assert warehouse.rows(f"from {name}(k := 7)") == [(7,)]  # the last one is what it seems
        with pytest.raises(QueryError, match="disabled by configuration"):
            warehouse.rows(f"from read_text('{secret}')")
    # The first is a string for the engine, before and after.
    assert sum("it is left out" in each for each in told) == len(texts) - len(TAGS)
