"""What a stranger's file says of itself is not believed, and becomes no SQL; what no warehouse is or has is refused."""

import os
from contextlib import closing
from itertools import product
from pathlib import Path

import duckdb
import pytest

import evalsql
from evalsql import InputWarning, QueryError, WarehouseError
from evalsql.catalog.relations import Catalog
from evalsql.server.policy import check_definition
from evalsql.warehouse.file_checks import check_definitions, refuse_hiding
from evalsql.warehouse.open import Reach, open_database
from tests.conftest import Command, own_measure
from tests.long_cases import few_of
from tests.warehouse.conftest import OTHER_SQL, Crafted
from tests.warehouse.test_foreign_files import BOARD
from tests.warehouse.test_own_measures import ONE_STEP, kept

# Text of the file that stands where this program writes SQL
DIGESTS = (
    *("O'Reilly", "'", "''", "'); copy (select 1) to '{file}'; --", "' as x) to '{file}'; --", "'||(select 1)||'"),
    *(
        '"',
        "$$",
        "$$'$$",
        "\\'",
        "e'\\''",
        "--",
        "/*",
        "*/",
        "; select 1",
        "(",
        ")",
        "{}",
        "\n'\n",
        "\u2019",
        "$1",
        "?",
    ),
)


@pytest.mark.parametrize("digest", few_of(DIGESTS, 1))
def test_a_digest_is_no_sql(
    command: Command, crafted: Crafted, few_measures: Catalog, tmp_path: Path, digest: str
) -> None:
    file = tmp_path / "written.txt"
    text = digest.replace("{file}", str(file)).replace("'", "''")
    path = crafted(f"update warehouse set sql_digest = '{text}'")
    done = command("export", "scores", "bm25", "-m", "AP", "-o", "s.parquet", "--db", path)
    assert (done.returncode, file.exists(), "wrote 40 values" in done.stderr) == (0, False, True), done.stderr
    rows = duckdb.execute(f"select distinct sql_digest from '{tmp_path / 's.parquet'}'").fetchall()
    assert rows == [(few_measures.digest,)]


# What a file says is evalsql's own
KINDS = ("measures", "reports", "statistics", "functions", "steps", "tables", "keys", "boards", "judging", "fusion")
CLAIMS = (
    *(f"insert into relations values ('{name}', '{kind}', 't')" for kind, name in product(KINDS, ("leak", "LEAK"))),
    *(f"update relations set relation = 'leak' where relation = '{name}'" for name in ("ap", "scores", "runs")),
    "insert into measures select * replace ('leak' as relation) from measures where measure = 'AP'",
    "comment on view leak is 'AP: Average precision'",
)


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize("other", [[], [OTHER_SQL]])
@pytest.mark.parametrize("claim", few_of(CLAIMS, 1))
def test_the_file_does_not_say_what_is_foreign(crafted: Crafted, secret: Path, claim: str, other: list[str]) -> None:
    path = crafted(BOARD.format(secret=secret).replace("board", "leak"), claim, *other)
    with pytest.warns(InputWarning, match=r"beside those of evalsql: view leak\."):
        warehouse = evalsql.open(path, read_only=True)
    with warehouse, pytest.raises(QueryError, match="disabled by configuration"):
        warehouse.rows("from leak")


# What a file says of measures

LIES = (
    *("update measures set mean = 'sum' where measure = 'AP'", "delete from measures where measure in ('AP', 'RR')"),
    "insert into measures select * replace ('sum' as mean) from measures where measure = 'AP'",
    "update measures set range = '2 3', mean = 'geometric'",
)


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize("read_only", few_of([True, False], 1))
@pytest.mark.parametrize("lie", few_of(LIES, 2))
def test_how_values_are_averaged_is_not_for_a_file_to_say(crafted: Crafted, lie: str, read_only: bool) -> None:
    with evalsql.open(crafted(), read_only=True) as warehouse:
        expected = warehouse.evaluate("AP RR").fetchall()
    with evalsql.open(crafted(lie), read_only=read_only) as warehouse:
        assert warehouse.evaluate("AP RR").fetchall() == expected
        assert warehouse.rows("select mean, range from measures where measure = 'AP'") == [("arithmetic", "0 1")]


@pytest.mark.usefixtures("few_measures")
def test_words_of_a_header_are_no_sql(crafted: Crafted) -> None:
    lines = (
        *("measure: Worded", "title: T", "definition: D", "range: 0 1", "mean: sum", "parameters: x"),
        "  x varchar in {a, b') end) where error('ran'} = a   a word",
    )
    select = "select qrels, run, topic, length($x)::double as value from evaluated_topics"
    path = crafted(kept("".join(f"-- {line}\n" for line in lines) + select, "worded"), OTHER_SQL)
    with evalsql.open(path) as warehouse:
        assert warehouse.rows("select count(*) > 0 from worded") == [(True,)]
        with pytest.raises(QueryError, match=r"x is c, but must be a or b'\) end\) where error\('ran"):
            warehouse.rows("from worded(x := 'c')")


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize("calls", ["enable_profiling(format = 'json', save_location = 'x')", "enable_logging()"])
def test_a_file_that_keeps_measures_and_might_write_is_refused(crafted: Crafted, calls: str) -> None:
    """What may be read while it is loaded, the engine may write too."""
    step = ONE_STEP.format(body="select num_ret as value from evaluated_topics")
    path = crafted(kept(step, "kept_step"), f"create view rank_gaps as select 1 as one from {calls}", OTHER_SQL)
    for access in (None, True):
        with pytest.raises(WarehouseError, match=r"rank_gaps in it calls enable_\w+"):
            evalsql.open(path, external_access=access)


@pytest.mark.usefixtures("few_measures")
def test_a_kept_measure_that_cannot_be_bound_hinders_no_other(command: Command, crafted: Crafted) -> None:
    step = ONE_STEP.format(body="select num_ret as value from evaluated_topics where nocol = 1")
    path = crafted(kept(step, "unbound"), OTHER_SQL)
    for *words, is_there in (("ls", 1), ("sql", "from ap limit 1", 1), ("drop", "measures", "unbound", 1), ("ls", 0)):
        outcome = command(*words, "--db", path)
        assert outcome.returncode == 0, outcome.stderr
        assert ("unbound.sql:4: " in outcome.stderr) == is_there, outcome.stderr


# What no warehouse is or has


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, read_only in product((tmp_path / "pipe", tmp_path, Path(os.devnull)), (True, False)):
        with pytest.raises(WarehouseError, match=f"^{path}: is a folder, a pipe or a device; --db names a file$"):
            evalsql.open(path, read_only=read_only)


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("create schema w.TEMP", r"w\.duckdb: has a schema temp.*; drop schema \"w\"\.temp cascade, in another"),
        (r"update warehouse set schema_version = 9, evalsql_version = E'1\nis\n well'", "evalsql 1 is well, which"),
        (
            "create or replace table warehouse as select null::integer as schema_version, null as evalsql_version, "
            "null as sql_digest",
            "not an evalsql warehouse",
        ),
    ],
)
def test_what_no_warehouse_has_is_refused_in_a_line(crafted: Crafted, change: str, said: str) -> None:
    path = crafted(change)
    for read_only in (True, False):
        with pytest.raises(WarehouseError, match=said) as told:
            evalsql.open(path, read_only=read_only)
        assert "\n" not in str(told.value)


@pytest.mark.usefixtures("few_measures")
def test_what_a_server_takes_does_not_keep_it_from_its_next_start(crafted: Crafted, tmp_path: Path) -> None:
    """A table of another schema with the name of a measure; a CTE with columns, called as no function may be."""
    select = (
        "with full_scan(a, b, c) as (select qrels, run, topic from evaluated_topics)\nselect a as qrels, b as run, "
    )
    own = own_measure(tmp_path / "own.sql", "Own", select + "c as topic, 0.5::double as value from full_scan")
    path = crafted()
    with evalsql.open(path) as warehouse:
        warehouse.load_measures(own)
        warehouse.execute("create schema s1; create table s1.own (a integer)")
    with closing(open_database(str(path), reach=Reach(), rewritten=True)) as database:
        refuse_hiding(database)
        check_definitions(database, check_definition, [relation.name for relation in database.catalog.own])
        with pytest.raises(WarehouseError, match="own in it calls full_scan"):
            check_definitions(database, check_definition)
