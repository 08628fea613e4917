"""What a stranger's file calls its own neither opens the fence around the engine nor becomes SQL of this program."""

import os
from contextlib import closing
from itertools import product
from pathlib import Path

import duckdb
import pytest

import evalsql
from evalsql import QueryError, WarehouseError
from evalsql.catalog.relations import Catalog
from evalsql.warehouse.open import Reach, open_database
from tests.conftest import Command, write
from tests.long_cases import few_of
from tests.warehouse.conftest import Crafted
from tests.warehouse.test_foreign_files import BOARD

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
