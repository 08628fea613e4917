"""A warehouse that is exported as a whole comes back as it was."""

import json
import os
import shutil
import sys
from functools import cache
from pathlib import Path
from threading import Timer
from typing import Any
from unittest.mock import Mock

import duckdb
import pandas
import pytest

import evalsql
from evalsql import AuditError, CatalogError, InputError, UsageError, Warehouse
from evalsql.catalog.relations import read_catalog
from evalsql.warehouse import archive
from evalsql.warehouse.schema import SCHEMA_VERSION
from tests.conftest import Command, assert_refused, own_measure, write
from tests.long_cases import few_of
from tests.warehouse.conftest import file_of_few

pytestmark = pytest.mark.usefixtures("few_measures")
TABLES = [table.name for table in read_catalog().of_kind("tables")]
RUNS = ("one", "two/x", "blast", "ranking")
GROUPS = [("1", "g1", "a", 1), ("1", "g2", "a", 2), ("1", "g2", "b", 1), ("3", "g1", "c", 0)]
LEVELS = [
    ("1", "u", "s1", "a", 2.0),
    ("1", "u", "s1", "b", 1.5),
    ("1", "u", "s2", "c", 0.0),
    ("1", "v", "s1", "b", 3.0),
]


def fill(warehouse: Warehouse) -> None:
    """Grades, groups, preferences, weights, texts, groups of topics, and runs of odd names and scores."""
    warehouse.load_qrels({"1": {"a": 1, "b": 0, "c": -1}, "ü 2": {"c": 2}}, "main", meta={"batch": "7"})
    groups = pandas.DataFrame(GROUPS, columns=["topic", "iteration", "document", "grade"])
    warehouse.load_qrels(groups, "groups", form="groups")
    levels = pandas.DataFrame(LEVELS, columns=["topic", "group", "subgroup", "document", "level"])
    warehouse.load_qrels(levels, "levels", form="preferences")
    warehouse.load_weights({"1": 0.1, "ü 2": 3}, "main")
    warehouse.load_topics({"1": {"text": 'why "rain"', "language": "en"}, "ü 2": {"text": "Schnee"}}, qrels="main")
    warehouse.load_topics({"3": {"text": "another"}}, qrels="groups")
    for name, scores in (("one", (1 / 3, 0.1, 1e300)), ("two/x", (5e-324, 2.0, -1.5))):
        run = {"1": dict(zip("abc", scores, strict=True)), "ü 2": {'d "e"': 1.0, "c": 1.0}, "3": {"c": 0.25}}
        warehouse.load_run(run, name, qrels=["main", "groups", "levels"])
    warehouse.load_run({"1": {"a": 1e-200, "b": 1e-300}}, "blast", qrels="main", lower_is_better=True)
    warehouse.load_run({"1": ["c", "a"]}, "ranking", qrels="main", depth=1, meta={"k": "v"})


def fill_all(warehouse: Warehouse) -> None:
    """All that a warehouse can hold: also an own measure, scores of elsewhere, a sample, answers, texts, changes."""
    fill(warehouse)
    folder = Path(warehouse.path).with_suffix(".given")
    half = own_measure(folder / "half.sql", "Half", "select qrels, run, topic, value / 2 as value from ap")
    warehouse.load_measures(half)
    calls = [
        {"qid": "1", "docno": name, "score": 1, "hop": hop} for hop, name in (("how", "a"), ("why", "b"), ("why", "a"))
    ]
    warehouse.load_run(calls, "agent", qrels="main", call="hop")
    warehouse.load_costs(
        [{"run": "agent", "topic": "1", "call": "how", "latency_ms": 0.1}, {"run": "one", "energy_J": 2}]
    )
    judged = "judgments where qrels = 'main' group by all"
    values = f"select qrels, 'elsewhere' as run, topic, 'AP' as measure, 0.1 as value from {judged}"
    warehouse.execute(f"copy ({values}) to '{folder}/scores.parquet' (format parquet)")
    (folder / "figures.csv").write_text("system,collection,measure,value\npublished,web,AP,0.3\n")
    warehouse.load_scores([folder / "scores.parquet", folder / "figures.csv"])
    drawn = {"topic": "of a sample", "document": "a", "stratum": "s", "grade": 1}
    warehouse.load_qrels([drawn], "drawn", form="strata")
    warehouse.load_documents([{"document": "a", "title": "t", "text": "x"}, {"document": 'd "e"', "text": "\n1,2"}])
    fact = {"topic": "1", "nugget": "n", "importance": "vital", "text": "it rains"}
    warehouse.load_qrels([fact], "facts", form="nuggets")
    warehouse.load_assignments([{"topic": "1", "nugget": "it rains", "assignment": "support"}], name="one")
    warehouse.load_citations([{"topic": "1", "sentence": 1, "document": "a", "support": 2}], name="ranking")
    span = {"topic": "of spans", "document": "a", "start": 0, "end": 5}
    warehouse.load_qrels([span], "passages", form="spans")
    warehouse.load_run([{**span, "score": 1.0}], "chunks", qrels="passages", collapse="max")
    warehouse.annotate("published/web", cluster="web")


@cache
def archived() -> Path:
    """What the file of all that was exported to; tests change copies."""
    folder = file_of_few(fill_all).with_suffix(".archive")
    with evalsql.open(file_of_few(fill_all), read_only=True, external_access=True) as warehouse:
        warehouse.export(folder)
    return folder


def differences(path: Path, other: Path) -> dict[str, int]:
    """By base table how many rows only one of the two files has."""
    either = "(from a.{0} except all from b.{0}) union all (from b.{0} except all from a.{0})"
    with duckdb.connect() as connection:
        for name, file in (("a", path), ("b", other)):
            connection.execute(f"attach '{file}' as {name} (read_only)")
        return {table: len(connection.execute(either.format(table)).fetchall()) for table in TABLES}


def test_a_warehouse_comes_back_equal(tmp_path: Path) -> None:
    path, copy = file_of_few(fill_all), tmp_path / "copy.duckdb"
    with evalsql.open(path, read_only=True) as warehouse:
        assert all(warehouse.rows(f"select 1 from {table} limit 1") for table in TABLES)
        before = warehouse.evaluate("Half AP TAP@5", runs=RUNS, per_topic=True).fetchall()
        by_group = warehouse.evaluate("AP", runs=RUNS, by="language").fetchall()
    found = evalsql.import_warehouse(archived(), copy)
    assert found.rows["runs"] == 8
    assert differences(path, copy) == dict.fromkeys(TABLES, 0)
    with evalsql.open(copy) as warehouse:
        assert warehouse.evaluate("Half AP TAP@5", runs=RUNS, per_topic=True).fetchall() == before
        assert warehouse.evaluate("AP", runs=RUNS, by="language").fetchall() == by_group
        warehouse.load_run({"1": {"b": 1.0}}, "later", qrels="main")
    assert [each.name for each in tmp_path.iterdir()] == [copy.name]
    # The comparison sees a row that is another.
    assert differences(path, copy)["runs"] == 1


@pytest.mark.long
def test_the_folder_is_queried_where_it_is_and_its_sql_makes_views_or_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = (
        *("select run, topic, value from ap order by all", "select run, topic, value from half order by all"),
        *("select run, topic, value from ndcg(k := 1) order by all", "select * from holdings order by all"),
        *("select * from topic_texts order by all", "select max(first_rank) from retrieved"),
    )
    path, folder = file_of_few(fill_all), Path(shutil.copytree(archived(), tmp_path / "moved here"))
    with evalsql.open(path, read_only=True) as warehouse:
        expected = [warehouse.rows(query) for query in asked]

    def answers(connection: duckdb.DuckDBPyConnection) -> list[object]:
        return [connection.execute(query).fetchall() for query in asked]

    with duckdb.connect(str(folder / archive.VIEWS), read_only=True) as connection:
        connection.execute(f"set file_search_path = '{folder}'")
        assert answers(connection) == expected
    monkeypatch.chdir(folder)
    with duckdb.connect(archive.VIEWS, read_only=True) as connection:
        assert answers(connection) == expected
    for sql in (archive.IN_PLACE, archive.INTO_TABLES):
        made = tmp_path / f"{sql}.duckdb"
        with duckdb.connect(str(made), config={"storage_compatibility_version": "v1.5.0"}) as connection:
            connection.execute(Path(sql).read_text())
            assert answers(connection) == expected
            comments = "select count(*) from duckdb_views() where comment is null and not internal"
            assert connection.execute(comments).fetchall() == [(0,)]
    assert differences(path, made) == dict.fromkeys(TABLES, 0)
    with evalsql.open(made, read_only=True) as warehouse:
        assert [warehouse.rows(query) for query in asked] == expected


TAKEN_APART = {  # DuckDB's shell takes it for the end of a statement, and would run what is in the next line
    "comments in comments": "/* /* */ ;\n.shell touch made\ncopy (select 1) to 'made';\n*/",
    "comments to a carriage return": "-- its end \r where run <> e'\\'; ' /* ' ;\n.shell touch made\n*/",
}


@pytest.mark.parametrize("behind", few_of(TAKEN_APART.values(), 1), ids=TAKEN_APART)
def test_no_line_of_an_own_measure_begins_one_of_the_sql_for_shells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, behind: str
) -> None:
    asked = "select run, topic, value from half order by all"
    half = "select qrels, run, topic, value / 2 as value -- half; of AP\nfrom ap "
    with evalsql.open(tmp_path / "w.duckdb") as warehouse:
        fill(warehouse)
        warehouse.load_measures(own_measure(tmp_path / "half.sql", "Half", half + behind))
        warehouse.export(tmp_path / "archive")
        expected = warehouse.rows(asked)
    monkeypatch.chdir(tmp_path / "archive")
    for sql in (archive.IN_PLACE, archive.INTO_TABLES):
        text = Path(sql).read_text()
        assert [line for line in text.split("\n") if "touch made" in line or "of AP" in line] == []
        with duckdb.connect(f"{sql}.duckdb", config={"storage_compatibility_version": "v1.5.0"}) as connection:
            connection.execute(text)
            assert connection.execute(asked).fetchall() == expected


def test_an_own_measure_with_a_string_of_several_lines_is_not_exported_as_sql_for_shells(tmp_path: Path) -> None:
    half = "select qrels, run, topic, value / 2 as value from ap where run <> e'\\';\n.shell touch made\n'"
    with evalsql.open(tmp_path / "w.duckdb") as warehouse:
        warehouse.load_measures(own_measure(tmp_path / "half.sql", "Half", half))
        with pytest.raises(CatalogError, match=r"half\.sql:6: has a string of several lines"):
            warehouse.export(tmp_path / "archive")
    assert not (tmp_path / "archive").exists()


@pytest.mark.long
def test_no_folder_is_written_over_unasked_and_an_export_that_fails_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, other = tmp_path / "archive", tmp_path / "mine"
    write(other / "thesis.txt", "years of work")
    with evalsql.open(file_of_few(fill), read_only=True) as warehouse:
        warehouse.export(folder)
        (folder / archive.VIEWS).unlink()
        with pytest.raises(UsageError, match="archive: exists already; --replace overwrites it"):
            warehouse.export(folder)
        for replace in (False, True):
            with pytest.raises(UsageError, match="mine: exists and is not an export of a warehouse"):
                warehouse.export(other, replace=replace)
        with pytest.raises(UsageError, match="nowhere"):
            warehouse.export(tmp_path / "nowhere" / "archive")
        with pytest.raises(UsageError, match="a,b: has a comma"):
            warehouse.export(tmp_path / "a,b")
        assert not (folder / archive.VIEWS).exists()
        warehouse.export(folder, replace=True)
        before = (folder / archive.VIEWS).read_bytes()
        monkeypatch.setattr(archive, "_write_views", Mock(side_effect=KeyboardInterrupt))
        for target in ("archive", "new"):
            with pytest.raises(KeyboardInterrupt):
                warehouse.export(tmp_path / target, replace=True)
    assert (folder / archive.VIEWS).read_bytes() == before
    assert (other / "thesis.txt").read_text() == "years of work"
    assert {each.name for each in tmp_path.iterdir()} == {"archive", "mine"}


def written(file: Path, query: str) -> None:
    """Write the rows of a query over a table of an export."""
    duckdb.execute(f"create or replace temp table kept as {query.format(file=file)}")
    duckdb.execute(f"copy kept to '{file}' (format parquet)")


UNREAD = "tables/{0}.parquet: cannot be read as the table {0}".format
LOST = "its tables do not fit together:\n.*which are not in qrels(.|\n)*nothing was imported"


ALL = "from '{file}'"
NEWER = "was exported by evalsql .*, which is newer; upgrade"
OLDER = "whose tables were different; evalsql import of that version.* by load.sql, but runs whatever stands in it"
OTHERWISE = "tables/warehouse.parquet: says otherwise than evalsql.json which evalsql wrote it"
DAMAGED: list[Any] = [
    ("runs", None, {}, InputError, "tables/runs.parquet: is missing from the"),
    ("retrieved", "", {}, InputError, UNREAD("retrieved")),
    ("topics", f"{ALL} limit 1", {}, InputError, "tables/topics.parquet: holds 1 rows, evalsql.json says 5"),
    ("qrels", f"{ALL} where qrels <> 'main'", {"rows": {"qrels": -1}}, AuditError, LOST),
    ("qrels", ALL, {"schema": 99}, UsageError, NEWER),
    ("warehouse", f"{ALL} union all {ALL}", {"rows": {"warehouse": 1}}, InputError, OTHERWISE),
    ("warehouse", f"select * replace (7 as schema_version) {ALL}", {}, InputError, OTHERWISE),
    ("run_topics", "select 1 as run_id", {}, InputError, UNREAD("run_topics")),
    (
        "assessments",
        f"select * replace (grade + 0.5 as grade) {ALL}",
        {},
        InputError,
        "grade is DEC.*, expected INT",
    ),
    (
        "assessments",
        f"select * replace (grade::varchar as grade) {ALL}",
        {},
        InputError,
        "grade is VAR.*, expected INT",
    ),
    ("costs", f"select *, 1 as more {ALL}", {}, InputError, "the type of more is INTEGER, expected None"),
    ("qrels", ALL, {"schema": 1}, UsageError, OLDER),
    ("qrels", ALL, {"schema": None}, InputError, "evalsql.json: is damaged"),
]


@pytest.mark.parametrize(("table", "query", "changed", "kind", "complaint"), few_of(DAMAGED, 2))
def test_a_damaged_folder_is_refused(
    tmp_path: Path, table: str, query: str | None, changed: dict[str, Any], kind: type[Exception], complaint: str
) -> None:
    """Of a table nothing is left, its first bytes or the rows of a query; a fact of the export is another or none."""
    folder = Path(shutil.copytree(archived(), tmp_path / "archive"))
    file, manifest = folder / archive.TABLES / f"{table}.parquet", folder / archive.MANIFEST
    if query:
        written(file, query)
    elif query is None:
        file.unlink()
    else:
        os.truncate(file, 200)
    facts = json.loads(manifest.read_text())
    rows = {name: count + changed.get("rows", {}).get(name, 0) for name, count in facts["rows"].items()}
    manifest.write_text(json.dumps({k: v for k, v in (facts | changed | {"rows": rows}).items() if v is not None}))
    with pytest.raises(kind, match=complaint):
        evalsql.import_warehouse(folder, tmp_path / "copy.duckdb")
    assert [each.name for each in tmp_path.iterdir()] == [folder.name]


@pytest.mark.parametrize(
    ("manifest", "complaint"),
    [
        ('{"evalsql": "1", "schema": 1e999, "rows": {}}', "evalsql.json: is damaged: cannot convert float infinity"),
        ("[" * 100_000, "evalsql.json: is damaged: maximum recursion depth"),
        (json.dumps({"evalsql": "1", "schema": SCHEMA_VERSION, "rows": {}}), r"holds \d+ rows?, evalsql.json says 0"),
    ],
)
def test_a_manifest_of_anything_is_refused(tmp_path: Path, manifest: str, complaint: str) -> None:
    folder = Path(shutil.copytree(archived(), tmp_path / "archive"))
    (folder / archive.MANIFEST).write_text(manifest)
    with pytest.raises(InputError, match=complaint):
        evalsql.import_warehouse(folder, tmp_path / "copy.duckdb")


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes are made otherwise")
@pytest.mark.parametrize("linked", few_of(["tables/runs.parquet", "tables"], 1))
def test_no_link_leads_out_of_an_export(tmp_path: Path, linked: str) -> None:
    folder = Path(shutil.copytree(archived(), tmp_path / "archive"))
    (folder / linked).rename(tmp_path / "elsewhere")
    (folder / linked).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match=r"\.parquet: is a link to a file outside of the export; put the file"):
        evalsql.import_warehouse(folder, tmp_path / "copy.duckdb")
    (tmp_path / "link").symlink_to(archived())  # the folder itself may be one
    evalsql.import_warehouse(tmp_path / "link", tmp_path / "copy.duckdb")


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes are made otherwise")
def test_a_pipe_in_the_place_of_a_manifest_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / archive.MANIFEST)
    # Something to read where it is read: else a test that fails would wait for ever.
    end = os.open(tmp_path / archive.MANIFEST, os.O_RDWR)
    os.write(end, b"{}")
    Timer(5, os.close, [end]).start()
    with pytest.raises(InputError, match=r"evalsql\.json: is a folder, a pipe or a device, expected a file"):
        evalsql.import_warehouse(tmp_path, tmp_path / "copy.duckdb")


def test_the_views_of_an_export_are_of_its_own_measures(
    empty: Warehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The current folder may be the export of somebody else, with a file of the same path."""
    half = "select qrels, run, topic, value / 2 as value from ap"
    for folder, measure in {"theirs": "Theirs", "mine[1]": "Mine"}.items():
        empty.load_measures(own_measure(tmp_path / f"{measure.lower()}.sql", measure, half))
        empty.export(tmp_path / folder)
        empty.drop_measures(measure)
        monkeypatch.chdir(tmp_path / folder)
        with duckdb.connect("open.duckdb", read_only=True) as opened:
            listed = "select distinct function_name from duckdb_functions() where function_name in ('mine', 'theirs')"
            assert opened.execute(listed).fetchall() == [(measure.lower(),)]


@pytest.mark.long
def test_a_folders_name_is_no_pattern(tmp_path: Path) -> None:
    for name in ("archive[2]", "archive*"):
        shutil.copytree(archived(), tmp_path / name)
    shutil.copytree(archived(), tmp_path / "archive2")
    (tmp_path / "archive2" / archive.TABLES / "runs.parquet").unlink()
    for nth, name in enumerate(("archive[2]", "archive*")):
        assert evalsql.import_warehouse(tmp_path / name, tmp_path / f"{nth}.duckdb").rows["runs"] == 8


def test_the_folders_own_sql_is_not_run_by_import(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(archived(), tmp_path / "archive"))
    for name in (archive.IN_PLACE, archive.INTO_TABLES, archive.VIEWS):
        (folder / name).write_text("this is no SQL")
    file = folder / archive.TABLES / "added_relations.parquet"
    duckdb.execute(
        f"copy (select * replace (replace(text, 'from ap', 'from read_csv(''/etc/passwd'')') as text) from '{file}') "
        f"to '{tmp_path / 'evil.parquet'}' (format parquet)"
    )
    shutil.move(tmp_path / "evil.parquet", file)
    with pytest.warns(evalsql.InputWarning, match="half.sql:6: reads unknown relation /etc/passwd"):
        assert evalsql.import_warehouse(folder, tmp_path / "evil.duckdb").rows["runs"] == 8


def test_the_commands(command: Command, tmp_path: Path) -> None:
    # To the engine the name of such a folder is a column of the files below.
    path, folder = file_of_few(fill), tmp_path / "grade=9" / "archive"
    folder.parent.mkdir()
    done = command("export", "warehouse", folder, "--db", path)
    assert (done.returncode, done.stdout, f"wrote {len(TABLES)} tables of" in done.stderr) == (0, "", True)
    assert_refused(command("export", "warehouse", folder, "--db", path), "--replace overwrites it")
    back = command("import", folder, "--db", "copy.duckdb")
    assert (back.returncode, back.stdout) == (0, ""), back.stderr
    assert differences(path, tmp_path / "copy.duckdb") == dict.fromkeys(TABLES, 0)
    assert_refused(command("import", folder, "--db", "copy.duckdb"), "copy.duckdb: exists already")
    assert_refused(command("import", ".", "--db", "other.duckdb"))
    assert not (tmp_path / "other.duckdb").exists()
    assert_refused(command("export", "warehouse", "x", "--db", "none.duckdb"), code=3)


def test_what_users_made_beside_a_warehouse_is_told(tmp_path: Path) -> None:
    with evalsql.open(":memory:") as warehouse:
        warehouse.execute("create table notes (x integer); create view mine as select 1 as y")
        found = archive.export_warehouse(warehouse.database, tmp_path / "archive")
    assert found.left_out == ["table notes", "view mine"]
    assert not list((tmp_path / "archive").rglob("notes*"))
