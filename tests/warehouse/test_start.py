"""What a command costs before and after its work: imports, notes, views that are kept in a cache and attached."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import Mock

import duckdb
import platformdirs
import pytest

import evalsql
from evalsql import Warehouse
from evalsql.catalog.measure_names import parse_measures
from evalsql.evaluation import notices
from evalsql.evaluation.evaluation import Evaluation
from evalsql.warehouse import connecting
from evalsql.warehouse.open import Reach, open_database
from evalsql.warehouse.warehouse import Warehouse as PlainWarehouse
from tests.conftest import SAMPLE, load_sample, new_file, own_measure
from tests.long_cases import few_of, one_in
from tests.pseudo_terminal import Terminal
from tests.warehouse.conftest import OBJECTS, Crafted

HEAVY = (
    *("duckdb", "sqlglot", "rich", "vl_convert", "prompt_toolkit", "pygments"),
    *("evalsql.cli.trec_eval_command", "evalsql.ingest.run_loading"),
)
EVALUATION = ("eval", str(SAMPLE / "qrels.txt"), str(SAMPLE / "runs" / "bm25.run"))
IMPORTED = f"""
import sys
from evalsql.cli import main
try:
    main()
finally:
    print("imported", *(name for name in {HEAVY} if name in sys.modules), file=sys.stderr)
"""


def imported(*arguments: object) -> set[str]:
    outcome = subprocess.run(
        [sys.executable, "-c", IMPORTED, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    return set(outcome.stderr.splitlines()[-1].split()[1:])


@pytest.mark.parametrize(
    ("words", "needed"),
    few_of(
        [
            ((*EVALUATION, "-m", "AP", "--tie-rule", "trec_eval"), {"evalsql.ingest.run_loading"}),
            (("leaderboard", "-m", "AP", "--db", "{db}"), set()),
            (("ls", "--db", "{db}"), set()),
            (("measures", "--format", "csv"), set()),
            (("shell", "--db", "{db}"), set()),  # on a terminal it takes prompt_toolkit
        ],
        1,
    ),
)
def test_a_command_imports_no_more_than_it_needs(sample_file: Path, words: Sequence[str], needed: set[str]) -> None:
    assert imported(*(each.format(db=sample_file) for each in words)) == needed


FRAME = """\
import pandas
warehouse.load_qrels({"t": {"d": 1}}, "judged")
warehouse.load_run(pandas.DataFrame({"topic": ["t"], "document": ["d"], "score": [7.0]}), "run")
print(warehouse.rows("select score::integer from rankings"))
"""
PROJECTED = "print(warehouse{}.sql('select 7').project('*').fetchall())"


@pytest.mark.long
@pytest.mark.parametrize("body", few_of([FRAME, PROJECTED.format(".connection"), PROJECTED.format("")], 1))
def test_a_connection_has_all_that_its_package_gives_it_where_nothing_else_imports_that(body: str) -> None:
    program = f"import evalsql\nwarehouse = evalsql.open(':memory:')\n{body}"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=600, check=True)
    assert found.stdout == "[(7,)]\n"


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo terminals")
def test_on_a_terminal_the_first_warehouse_shows_progress(tmp_path: Path) -> None:
    words = ("sql", "select 1 as one", "--write", "--db", tmp_path / "w.duckdb")
    with Terminal(*words, XDG_CACHE_HOME=str(tmp_path)) as terminal:
        shown = terminal.to_the_end()
        assert terminal.process.returncode == 0
    assert "making views" in shown
    assert "one" in shown.partition("making views")[2]


TIED = {"d1": 1.0, "d2": 1.0}
PLAIN = {"d2": 2.0, "d1": 1.0}
OTHER = {"d1": 2.0, "d3": 1.0}


@pytest.mark.parametrize(
    ("runs", "asked", "said"),
    one_in(
        3,
        [
            ({"a": TIED}, False, False),
            ({"a": PLAIN, "b": OTHER}, False, False),
            ({"a": TIED, "b": OTHER}, True, False),
            ({"a": TIED, "b": {"x": 4.0, "y": 3.0, "d1": 2.0, "d3": 1.0}}, True, True),
        ],
    ),
)
def test_orders_of_ties_are_tried_where_they_could_change_an_order(
    empty: Warehouse, runs: dict[str, dict[str, float]], asked: bool, said: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    tie_queries = Mock(side_effect=Evaluation.tie_queries)
    monkeypatch.setattr(Evaluation, "tie_queries", lambda *args, **named: tie_queries(*args, **named))
    empty.load_qrels({"t": {"d1": 1, "d2": 0, "d3": 1}}, "judged")
    for name, documents in runs.items():
        empty.load_run({"t": documents}, name)
    (measure,) = parse_measures(["AP"], empty.catalog)
    told = notices.on_ties(empty.evaluation, measure, (), ())
    assert tie_queries.called == asked
    assert bool(empty.ties("AP")[1].fetchall()) == said
    assert ("could change places" in (told or "")) == said


# Views and macros are called from elsewhere where they are attached.
EVERYTHING = f"""
    select distinct kind, name, if(kind in ('view', 'macro', 'table_macro'), '', sql), comment, parameters
    from ({OBJECTS}) order by all
"""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda *_, **__: tmp_path / "cache")
    return tmp_path / "cache"


def made(cache: Path) -> list[Path]:
    return sorted(path for path in cache.glob("*.duckdb") if path.exists())


def figures(warehouse: Warehouse) -> dict[str, float]:
    load_sample(warehouse, "bm25")
    return dict(warehouse.rows("select measure, value from summary"))


def rounded(relation: duckdb.DuckDBPyRelation) -> list[list[object]]:
    """Its rows; the last digits of sums hang on the order in which threads add."""
    return [[round(value, 12) if isinstance(value, float) else value for value in row] for row in relation.fetchall()]


@pytest.mark.long
def test_a_copy_is_what_would_have_been_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with evalsql.open(tmp_path / "file.duckdb") as file:
        contents = file.rows(EVERYTHING)
        values = figures(file)
        assert len(values) > 15
    with evalsql.open(":memory:") as memory:
        assert memory.rows(EVERYTHING) == contents
        assert figures(memory) == pytest.approx(values, abs=1e-12)
    monkeypatch.setattr(connecting, "relations_file", lambda *_, **__: None)
    with evalsql.open(":memory:") as direct:
        assert direct.rows(EVERYTHING) == contents
        assert figures(direct) == pytest.approx(values, abs=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("asked", few_of(["TAP@5", "AP nDCG@10 P@5 Bpref"], 1))
def test_a_warehouse_that_is_asked_for_certain_measures_gives_their_figures(empty: Warehouse, asked: str) -> None:
    with PlainWarehouse(open_database(":memory:"), asked=[asked]) as small:
        for warehouse in (empty, small):
            load_sample(warehouse, "bm25", "dense")
        for per_topic in (False, True):
            found, expected = (rounded(each.evaluate(asked, per_topic=per_topic)) for each in (small, empty))
            assert found == expected
        assert [rounded(each) for each in small.ties(asked)] == [rounded(each) for each in empty.ties(asked)]
        assert small.coverage().fetchall() == empty.coverage().fetchall()
        held = [warehouse.rows("select count(*) from retrieved") for warehouse in (small, empty)]
        assert (held[0] == held[1]) == (asked == "TAP@5")


@pytest.mark.long
@pytest.mark.usefixtures("few_measures")
def test_a_list_of_a_file_with_own_measures_has_all_relations(crafted: Crafted, tmp_path: Path) -> None:
    with evalsql.open(crafted()) as warehouse:
        warehouse.load_measures(own_measure(tmp_path / "mine.sql", "Mine", "select * from num_ret"))
        path = Path(warehouse.path)
    with PlainWarehouse(open_database(path, read_only=True, asked=["AP"], reach=Reach())) as small:
        assert small.evaluate("AP").fetchall()
        assert small.rows("select count(*) from num_ret")


@pytest.mark.long
@pytest.mark.usefixtures("few_measures")
def test_a_template_is_made_once_and_older_ones_go(cache: Path, tmp_path: Path) -> None:
    cache.mkdir()
    (cache / "of another process.duckdb").symlink_to(cache / "gone")  # listed, and not there
    for age in range(6):
        (cache / f"{age}.duckdb").touch()
        os.utime(cache / f"{age}.duckdb", (1_000_000 - age, 1_000_000 - age))
    with evalsql.open(tmp_path / "first.duckdb") as first, evalsql.open(":memory:") as second:
        *others, own = made(cache)
        assert [path.name for path in others] == ["0.duckdb", "1.duckdb", "2.duckdb"]
        written = own.stat().st_mtime_ns
        values = figures(first)
        # Warehouses side by side do not meet.
        assert second.rows("select count(*) from qrels") == [(0,)]
        assert figures(second) == pytest.approx(values, abs=1e-12)
        assert second.rows(EVERYTHING) == first.rows(EVERYTHING)
    assert own.stat().st_mtime_ns == written


@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize("content", few_of([b"", b"no database"], 0))
def test_a_template_that_cannot_be_read_is_passed_by(cache: Path, content: bytes) -> None:
    with evalsql.open(":memory:") as warehouse:
        contents = warehouse.rows(EVERYTHING)
    (kept,) = made(cache)
    kept.write_bytes(content)
    with evalsql.open(":memory:") as warehouse:
        assert warehouse.rows(EVERYTHING) == contents
        assert figures(warehouse)


@pytest.mark.long
@pytest.mark.usefixtures("few_measures")
def test_a_template_that_is_damaged_somewhere_is_made_anew(cache: Path, tmp_path: Path) -> None:
    evalsql.open(":memory:").close()
    (kept,) = made(cache)
    whole = kept.read_bytes()
    for block in range((len(whole) - 12288) // 262144):
        at = 12288 + 262144 * block + 5000
        kept.write_bytes(whole[:at] + bytes(255 - byte for byte in whole[at : at + 100]) + whole[at + 100 :])
        path = tmp_path / f"{block}.duckdb"
        for _ in range(2):
            with evalsql.open(path) as warehouse:
                assert warehouse.rows("select count(*) from measures") == [(len(warehouse.catalog.measures),)]
    kept.unlink(missing_ok=True)
    kept.mkdir()
    with evalsql.open(":memory:") as warehouse:
        assert figures(warehouse)


@pytest.mark.long
def test_many_warehouses_are_opened_beside_one_that_stays_open(tmp_path: Path) -> None:
    """The engine takes a new database for a closed one at the same address, which had the relations attached."""
    with evalsql.open(new_file(tmp_path)):
        for _ in range(60):
            with evalsql.open(":memory:") as warehouse:
                assert warehouse.rows("select count(*) from ap") == [(0,)]
