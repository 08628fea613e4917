"""A warehouse that a server holds, asked by clients: the figures, the loads and the faults are those of the file."""

import os
import shlex
import shutil
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest

import evalsql
from evalsql import InputError, UsageError, WarehouseError
from evalsql.errors import QueryError
from evalsql.warehouse import open as opening
from evalsql.warehouse import schema
from tests.conftest import SAMPLE, Outcome, assert_refused, in_process, own_measure, write
from tests.server.served import HAS_SERVER, REASON, RUNS, Served, free_port

pytestmark = pytest.mark.skipif(not HAS_SERVER and not os.environ.get("EVALSQL_DEMAND_SERVER"), reason=REASON)
COMMANDS: list[Any] = [
    *(
        "ls",
        "leaderboard",
        "leaderboard -m AP --format csv",
        "topics bm25 -m nDCG@10",
        "board -m AP --mean borda",
        "compare bm25 -m nDCG@10",
    ),
    *("explain dense T01 --other bm25 -m AP", "curve tap", "ties", "measures", "pool bm25 dense --depth 3"),
    *("export scores -m AP", "sql 'from ndcg(k := 5) order by run, topic limit 3'", "sql selekt"),
    "sql \"set variable only_runs = ['bm25']; select run, avg(value) from ap group by run\"",
    *("sql 'set threads = 1'", "sql 'delete from runs'", "leaderboard -m nosuch"),
    pytest.param("check", marks=pytest.mark.long),
]


@pytest.fixture
def warehouse(served: Served) -> Iterator[evalsql.Warehouse]:
    """The served warehouse, which is left as it was."""
    with evalsql.open(served.url, token=served.write_token) as opened:
        yield opened
        if new := [run for (run,) in opened.rows("select run from runs") if run not in RUNS]:
            opened.drop_runs(new)
        if new := [name for (name,) in opened.rows("select qrels from qrels") if name != "sample"]:
            opened.drop_qrels(new)


def asked(database: object, *words: object, token: str = "") -> Outcome:
    """What a command of a client prints, done in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVALSQL_TOKEN", token)
        return in_process(Path.cwd(), [*words, "--db", database], "")


@pytest.mark.parametrize("words", COMMANDS)
def test_a_command_prints_what_it_prints_on_the_file(words: str, served: Served, file: Path) -> None:
    here = asked(file, *shlex.split(words))
    there = asked(served.url, *shlex.split(words), token=served.read_token)
    assert (there.returncode, there.stdout) == (here.returncode, here.stdout)
    assert there.stderr.replace(served.url, "FILE") == here.stderr.replace(str(file), "FILE")


def test_results_manifests_and_annotations_go_through_a_server(warehouse: evalsql.Warehouse, tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("system,collection,measure,value\nx,c,AP,.5\nx,d,AP,.25\n")
    (tmp_path / "r.run").write_text("T01 Q0 doc-0133 1 1 t\n")
    (tmp_path / "m.csv").write_text("file,system,collection,seed\nr.run,y,sample,7\n")
    warehouse.load_scores(tmp_path / "s.csv", meta={"batch": "b"})
    warehouse.load_scores(tmp_path / "s.csv", meta={"batch": "b"}, replace=True)
    warehouse.load_runs(manifest=tmp_path / "m.csv")
    assert warehouse.annotate("x/*", cluster="web", remove="batch") == ["x/c", "x/d"]
    assert warehouse.rows("select run, value from collection_scores join runs using (run_id) order by run") == [
        *[("x/c", 0.5), ("x/d", 0.25)]
    ]
    assert warehouse.rows("select meta from runs where run in ('x/c', 'y/sample') order by run") == [
        ({"cluster": "web", "collection": "c", "system": "x"},),
        ({"system": "y", "collection": "sample", "seed": "7"},),
    ]
    assert len(warehouse.rows("from meta_history")) == 4


def _contents(warehouse: evalsql.Warehouse, run: str) -> list[list[tuple[object, ...]]]:
    facts = "select tag, num_tags, comments, tie_rule, duplicates, depth, meta from runs"
    queries = ("from rankings", "from scores", facts)
    return [warehouse.rows(f"{query} where run = '{run}' order by all") for query in queries]


FILES = {
    "tags.run": "T01 Q0 d1 1 3.5 a tag\nT01 Q0 d2 2 3.5 a tag\n# a comment\nT02 Q0 naïve 1 1e-3 other\n",
    "many.run": "".join(f"T{topic:02} Q0 doc{at:04} {at} {-at} x\n" for topic in range(1, 41) for at in range(1, 400)),
    "lines.jsonl": (
        '{"query_id": "T01", "doc_id": "it\'s", "score": 2}\n{"query_id": "T02", "doc_id": "b", "score": 1}\n'
    ),
    "table.csv": "topic,document,score\nT01,a,2\nT01,b,1\n",
}


@pytest.mark.filterwarnings("ignore::evalsql.errors.InputWarning")
def test_a_file_is_loaded_as_into_a_file(warehouse: evalsql.Warehouse, file: Path, tmp_path: Path) -> None:
    shutil.copy(file, tmp_path / "copy.duckdb")
    with evalsql.open(tmp_path / "copy.duckdb") as copy:
        for name, text in FILES.items():
            path = write(tmp_path / name, text)
            for each in (copy, warehouse):
                assert each.load_runs(path, name=name, meta={"it's": "a ? $1"}) == [name]
            assert _contents(warehouse, name) == _contents(copy, name), name
            num_rows = text.count("\n") - text.count("#") - text.count("topic,")
            assert len(_contents(copy, name)[0]) == num_rows, name
    bad = write(tmp_path / "bad.run", "T01 Q0 d1 1 2.0 x\nT01 Q0 d1 2 1.0 x\nT01 Q0 d3 3 high x\n")
    with pytest.raises(InputError, match=r"bad\.run:3: score"):
        warehouse.load_runs(bad)
    assert warehouse.rows("select 1 from runs where run = 'bad'") == []


def test_rows_in_memory_texts_and_measures_are_loaded_as_well(
    served: Served, warehouse: evalsql.Warehouse, tmp_path: Path
) -> None:
    judged = pandas.DataFrame({"topic": ["q1", "q1", "q2"], "document": ["a", "b", "c"], "grade": [1, 0, 2]})
    assert warehouse.load_qrels(judged, "frame") == "frame"
    warehouse.load_weights({"q1": 3.0}, "frame")
    warehouse.load_topics({"q1": "what is it?"}, qrels="frame")
    many = {"q1": {f"d{at}": float(-at) for at in range(30_000)} | {"a": 1.0}, "q2": {"c": 1.0}}
    warehouse.load_run(many, "many", qrels="frame")
    assert warehouse.evaluate("AP", runs="many").fetchall() == [("frame", "many", 1.0)]
    select = "select qrels, run, topic, cast(count(rank) as double) as value from evaluated_topics"
    join = "left join (select * from ordered_ranks() where rank = 1 and grade >= 1) using (evaluation_id) group by all"
    own = own_measure(tmp_path / "first_found.sql", "FirstFound", f"{select} {join}")
    assert warehouse.load_measures(own) == ["FirstFound"]
    assert warehouse.evaluate("FirstFound", runs="many", qrels="frame").fetchall() == [("frame", "many", 1.0)]
    with evalsql.open(served.url, token=served.read_token, read_only=True) as reader:
        assert reader.rows("select value from summary where measure = 'FirstFound' and run = 'many'") == [(1.0,)]
    warehouse.drop_measures("FirstFound")
    with evalsql.open(served.url, token=served.read_token, read_only=True) as reader:
        assert reader.rows("select value from summary where measure = 'AP' and run = 'many'") == [(1.0,)]
        assert reader.rows("select 1 from summary where measure = 'FirstFound'") == []


def test_what_a_query_gives_is_a_relation_to_go_on_with(warehouse: evalsql.Warehouse) -> None:
    found = warehouse.evaluate("AP")
    assert found.columns == ["qrels", "run", "AP"]
    assert found.df()["run"].tolist() == [run for _, run, _ in found.fetchall()]
    lines = sum(1 for name in RUNS for _ in (SAMPLE / "runs" / f"{name}.run").open())
    assert warehouse.sql("select count(*) as n from retrieved").fetchall() == [(lines,)]


def test_the_token_that_reads_changes_nothing(served: Served) -> None:
    refused = asked(served.url, "load", "runs", SAMPLE / "runs" / "random.run", token=served.read_token)
    told = f"evalsql: {served.url}: this token reads only; the server has another one that writes\n"
    assert (refused.returncode, refused.stdout, refused.stderr) == (2, "", told)
    with evalsql.open(served.url, token=served.read_token, read_only=True) as reader:
        for text in ("delete from main.runs", "create table t (a int)"):
            with pytest.raises(UsageError, match="reads only"):
                reader.execute(text)
        with pytest.raises(QueryError, match="does not exist"):
            reader.execute("delete from runs")  # it would be of the session's own table
        assert reader.rows("select count(*) > 2 from runs") == [(True,)]


def test_sql_of_a_client_reaches_no_files_or_settings(warehouse: evalsql.Warehouse, tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    connection = warehouse.connection
    for text in (
        *(
            "set threads = 1",
            f"copy (select 1) to '{target}'",
            f"attach '{target}'",
            "call quack_stop('quack:localhost')",
        ),
        *("from quack_active_connections()", "from query('from quack_active_connections()')"),
        *(f"from '{SAMPLE / 'qrels.txt'}'", f"from read_csv('{SAMPLE / 'qrels.txt'}')"),
    ):
        quoted = text.replace("'", "''")
        with pytest.raises(duckdb.Error, match=r"refuses|disabled by configuration|does not exist"):
            connection.execute(f"from quack_query_by_name('served', '{quoted}')")
    assert not target.exists()


def test_keys_of_the_server_s_environment_are_not_for_clients(own: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """The extension httpfs puts them into settings, which any SQL can read."""
    own.end()
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "HTTP_PROXY"):
        monkeypatch.setenv(name, f"kept-from-clients-{name}")
    own.start()
    monkeypatch.delenv("HTTP_PROXY")  # a client goes through it
    with evalsql.open(own.url, token=own.read_token, read_only=True) as reader:
        assert "kept-from-clients" not in str(reader.rows("from duckdb_settings()"))
        assert reader.rows("select current_setting('s3_secret_access_key')") == [("",)]


def test_a_client_computes_nothing_that_a_server_names(warehouse: evalsql.Warehouse, tmp_path: Path) -> None:
    """DuckDB takes the default of a column that is left out from the server, and computes it where rows are sent."""
    path = write(tmp_path / "a.csv", "a\n1\n")
    setting = "(system.main.current_setting('home_directory'))"
    warehouse.execute(f"create temp table t (a integer, b varchar default {setting})")
    warehouse.connection.execute("set home_directory = '/home/of/the/client'")
    warehouse.database.insert("temp.t", f"select a from read_csv('{path}')")
    assert warehouse.rows("from t") == [(1, None)]
    with pytest.raises(QueryError, match='does not have a column with name "c"'):
        warehouse.database.insert("temp.t", f"select a, 2 as c from read_csv('{path}')")


def test_a_statement_of_a_user_is_run_by_the_server_alone(warehouse: evalsql.Warehouse, tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "a\n1\n")
    for text in (f"create temp table own as from read_csv('{path}')", f"insert into runs from read_csv('{path}')"):
        with pytest.raises(UsageError, match="read_csv is not for clients of a server"):
            warehouse.execute(text)
    assert warehouse.connection.execute("select 1 from duckdb_tables() where table_name = 'own'").fetchall() == []
    for text in (f"copy (select 1 as a) to '{tmp_path / 'b.csv'}'", f"copy runs from '{path}'"):
        with pytest.raises(UsageError, match="COPY is not for clients of a server"):
            warehouse.execute(text)
    assert not (tmp_path / "b.csv").exists()


@pytest.mark.parametrize("is_unordered", [False, True])
def test_rows_of_a_file_come_in_the_columns_that_have_their_names(
    warehouse: evalsql.Warehouse, tmp_path: Path, is_unordered: bool
) -> None:
    path = write(tmp_path / "a.csv", "b,a\n" + "".join(f"{-at},{at}\n" for at in range(1000)))
    database = warehouse.database
    database.make_empty("placed", {"a": "integer", "c": "varchar", "b": "integer"})
    with database.unordered() if is_unordered else nullcontext():
        database.insert("temp.placed", f"select b, a from read_csv('{path}')  -- of a file")
        database.make("made", f"select b, a from read_csv('{path}')  -- of a file")
    assert sorted(warehouse.rows("select a, c, b from placed")) == [(at, None, -at) for at in range(1000)]
    assert sorted(warehouse.rows("from made")) == sorted((-at, at) for at in range(1000))


def test_names_of_columns_are_no_statements_for_the_server(warehouse: evalsql.Warehouse, tmp_path: Path) -> None:
    name = 'a" integer); create table main.injected as select 1 as a; --'
    header = name.replace('"', '""')
    path = write(tmp_path / "a.csv", f'"{header}"\n1\n')
    warehouse.database.make("sent", f"select * from read_csv('{path}')")
    assert warehouse.rows("from (describe sent) select column_name") == [(name,)]
    assert warehouse.rows("select 1 from duckdb_tables() where table_name = 'injected'") == []


@pytest.mark.parametrize(
    "name", ["a) to 'b", "a) to '(format csv); select error($$told$$); --", "a)\nTO '' (format csv)"]
)
def test_names_of_runs_are_no_targets_of_a_client(
    name: str, warehouse: evalsql.Warehouse, served: Served, tmp_path: Path
) -> None:
    """The client sends the query of a COPY and does the rest of it, where a file's name has the run's."""
    warehouse.load_runs(write(tmp_path / "r.run", line := "T01 Q0 doc-0133 1 2.0 tag\n"), name=name)
    told = asked(served.url, "export", "runs", name, "-o", f"{tmp_path}/", token=served.read_token)
    assert told.returncode == 0, told.stderr
    assert (tmp_path / f"{name}.run").read_text() == line


def test_what_a_server_refuses_is_told_in_a_sentence(served: Served, file: Path, tmp_path: Path) -> None:
    elsewhere = f"quack:localhost:{free_port()}"
    other = shutil.copy(file, tmp_path / "other.duckdb")
    read, write = served.read_token, served.write_token
    cases: list[Any] = [
        *((served.url, token, ["leaderboard"], "token", 3) for token in ("wrong-token-of-nobody", "")),
        (served.url, "", ["leaderboard", "--token-file", tmp_path / "nosuch"], "nosuch", 2),
        (elsewhere, read, ["leaderboard"], f"{elsewhere}: no server answers there; evalsql serve starts one", 3),
        (served.path, "", ["leaderboard", "--wait", "0"], "is locked", 3),
        (served.path, "", ["leaderboard", "--wait", "0"], "; a server is asked by --db quack:HOST:PORT", 3),
        (other, "", ["serve", "--listen", f"localhost:{served.port}"], "--listen names another place", 2),
        *((served.url, write, words, served.url, 2) for words in (["vacuum"], ["import", "folder"])),
        (served.url, write, ["leaderboard", "--memory-limit", "1GB"], served.url, 2),
    ]
    for database, token, words, complaint, code in cases:
        refused = asked(database, *words, token=token)
        assert_refused(refused, complaint, code=code)
        assert database != served.url or refused.stderr.count("\n") == 1
    token_file = f"{served.path}.read-token"
    assert asked(served.url, "leaderboard", "-m", "AP", "--token-file", token_file).returncode == 0


@pytest.mark.parametrize("text", ["quack:host:99999", "quack:a b", "quack:host:port", "quack:it's"])
def test_an_address_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="not the address"):
        evalsql.open(text, token="x" * 20)


def test_another_version_is_told_with_both(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "SCHEMA_VERSION", 99)
    monkeypatch.setattr(opening, "__version__", "9.9.9")
    ours, theirs = r"evalsql 9.9.9 \(schema 99", rf"has evalsql {evalsql.__version__} \(schema"
    with pytest.raises(WarehouseError, match=f"({ours}.*{theirs}|{theirs}.*{ours})"):
        evalsql.open(served.url, token=served.read_token, read_only=True)


def test_the_log_has_no_signs_that_a_terminal_acts_on(served: Served) -> None:
    assert served.command("sql", "select '\x1b[2J\x07' as a", token=served.read_token).returncode == 0
    assert "select '\\x1b[2J\\x07' as a" in served.told()
    assert "\x1b" not in served.told()


def test_tokens_are_for_their_owner_only(own: Served) -> None:
    for name in (".token", ".read-token"):
        path = Path(f"{own.path}{name}")
        assert path.stat().st_mode & 0o777 == 0o600
    assert own.write_token not in own.told()
    assert own.end() == 0
    Path(f"{own.path}.token").chmod(0o644)
    with pytest.raises(RuntimeError, match="chmod 600"):
        own.start()


@pytest.mark.parametrize(
    ("column", "kind"),
    [("a timestamp default current_timestamp", "Binder"), ("a varchar, b as (a collate nocase)", "Parser")],
)
def test_a_table_that_clients_cannot_read_is_told(own: Served, column: str, kind: str) -> None:
    own.end()
    with duckdb.connect(own.path) as connection:
        connection.execute(f"create table own ({column})")
    own.start()
    refused = own.command("ls", token=own.read_token)
    assert_refused(refused, f"somebody's own that DuckDB cannot read from here ({kind} Error", code=3)
    assert own.read_token not in refused.stderr  # the engine shows its statement with the token


def test_an_export_from_the_server_is_the_warehouse(served: Served, file: Path, tmp_path: Path) -> None:
    exported = asked(served.url, "export", "warehouse", tmp_path / "backup", token=served.read_token)
    assert exported.returncode == 0, exported.stderr
    evalsql.import_warehouse(tmp_path / "backup", tmp_path / "new.duckdb")
    with evalsql.open(file, read_only=True) as expected, evalsql.open(tmp_path / "new.duckdb", read_only=True) as new:
        for query in ("from summary order by all", "from rankings order by all", "from judgments order by all"):
            assert new.rows(query) == expected.rows(query)
