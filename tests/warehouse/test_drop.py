"""``evalsql drop`` and ``evalsql vacuum``: what goes goes from every table, and what stays has its figures."""

from pathlib import Path
from unittest.mock import Mock

import pytest

import evalsql
from evalsql import InputWarning, UsageError, Warehouse, WarehouseError
from evalsql.warehouse.archive import vacuum
from tests.conftest import Command, assert_refused, module_file, new_file
from tests.warehouse.test_trouble import held

MEASURES = "nDCG@10 AP RR P@5 Bpref Judged@10"
TABLES = (
    *("runs", "qrels", "files", "retrieved", "run_topics", "evaluations", "judged_ranks", "assessments"),
    *("judged_documents", "preferences", "topic_weights", "topic_meta", "documents", "topics", "judgment_samples"),
    "call_ranks",
)

OF_OTHER = (("1", "b"), ("only other", "only other"))


def fill(warehouse: Warehouse, **runs: float) -> Warehouse:
    """Two judgment sets, and runs by the score of a document; each has a document and a topic of its own."""
    warehouse.load_qrels({"1": {"a": 1, "b": 0, "only main": 2}, "2": {"c": 1}}, "main")
    other = [{"topic": topic, "document": name, "stratum": "a", "grade": 1} for topic, name in OF_OTHER]
    warehouse.load_qrels(other, "other", form="strata")
    warehouse.load_weights({"only other": 2.0}, "other")
    warehouse.load_topics({"only other": {"text": "what?", "language": "en"}}, qrels="other")
    for name, score in runs.items():
        run = {"1": {"a": 3.0, "b": score, f"only {name}": 1.0}, "2": {"c": 1.0}, f"topic of {name}": {"a": 1.0}}
        warehouse.load_run(run, name, qrels=["main", "other"])
    return warehouse


held_file = module_file(lambda warehouse: fill(warehouse, one=2.0, two=3.0, three=4.0))


@pytest.fixture
def path(held_file: Path, tmp_path: Path) -> Path:
    return new_file(tmp_path, like=held_file)


def sizes(warehouse: Warehouse) -> dict[str, int]:
    return {table: warehouse.rows(f"select count(*) from {table}")[0][0] for table in TABLES}


def figures(warehouse: Warehouse, without: tuple[str, ...] = ()) -> list[tuple[object, ...]]:
    found = warehouse.evaluate(MEASURES, per_topic=True).fetchall()
    return [row for row in found if not {row[0], row[1]} & set(without)]


def test_dropped_runs_leave_nothing_and_change_nothing(path: Path, empty: Warehouse) -> None:
    with evalsql.open(path) as warehouse:
        expected = figures(warehouse, ("one", "three"))
        assert warehouse.drop_runs(["t*ree", "one"]) == ["one", "three"]
        assert figures(warehouse) == expected
        assert expected
        documents, topics = (warehouse.rows(f"select {each} from {each}s order by 1") for each in ("document", "topic"))
        assert [name for (name,) in documents] == ["a", "b", "c", "only main", "only other", "only two"]
        assert [name for (name,) in topics] == ["1", "2", "only other", "topic of two"]
        kept = sizes(warehouse)
        warehouse.drop_runs("two")
        warehouse.drop_qrels("*")
        assert {table: count for table, count in sizes(warehouse).items() if count} == {}
    fill(empty, two=3.0)  # as if the others had never been there
    assert sizes(empty) == kept
    assert figures(empty) == expected


def test_dropped_judgments_leave_the_runs(path: Path) -> None:
    with evalsql.open(path) as warehouse:
        expected = figures(warehouse, ("other",))
        assert warehouse.drop_qrels("other") == ["other"]
        assert figures(warehouse) == expected
        for left in ("topic_weights", "topic_meta", "files where kind not in ('run', 'qrels')"):
            assert warehouse.rows(f"from {left}") == []
        assert warehouse.rows("from topics where topic = 'only other'") == []
        # What was dropped can be loaded again.
        warehouse.load_qrels({"1": {"b": 1}, "only other": {"only other": 1}}, "other", runs="*")
        assert len(figures(warehouse)) == len(expected) * 2


def test_an_unknown_name_drops_nothing(path: Path, tmp_path: Path, command: Command) -> None:
    with evalsql.open(path) as warehouse:
        before = sizes(warehouse)
        with pytest.raises(UsageError, match='no run is called "four"'):
            warehouse.drop_runs(["one", "four"])
        assert sizes(warehouse) == before
    assert command("drop", "runs", "one", "--db", "none.duckdb").returncode == 3
    assert not (tmp_path / "none.duckdb").exists()


@pytest.mark.long
def test_a_dry_run_prints_what_goes(path: Path, command: Command) -> None:
    words = ("drop", "runs", "t*", "--db", path, "--format", "csv")
    dry = command(*words, "--dry-run")
    assert (dry.returncode, dry.stdout) == (0, "kind,name\nruns,three\nruns,two\n")
    assert "2 runs would go" in dry.stderr
    assert command(*words, "-o", "none/rows.csv").returncode == 2
    done = command(*words)
    assert (done.returncode, done.stdout) == (0, dry.stdout)
    assert command(*words).returncode == 2


@pytest.mark.long
def test_vacuum_gives_space_back_and_keeps_all_else(path: Path, tmp_path: Path, command: Command) -> None:
    with evalsql.open(path) as warehouse:
        many = {f"t{topic}": {f"d{topic}-{nth}": float(nth) for nth in range(1000)} for topic in range(40)}
        warehouse.load_run(many, "large", qrels="main")
        warehouse.drop_runs("large")
        warehouse.execute("create view mine as select 1; create view steps.mine as select 1")
        warehouse.execute(f"comment on view {path.stem}.mine is ''; comment on view {path.stem}.steps.mine is ''")
        expected, rows = figures(warehouse), sizes(warehouse)
    before = path.stat().st_size
    path = path.rename(tmp_path / "evalsql_copy.duckdb")  # a name that evalsql itself could take
    path.chmod(0o640)
    answer = command("vacuum", "--db", path)
    assert answer.returncode == 0, answer.stderr
    assert path.stat().st_size < before
    assert path.stat().st_mode & 0o777 == 0o640
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".")] == []
    with pytest.warns(InputWarning, match="view mine, view steps.mine"):
        warehouse = evalsql.open(path)
    with warehouse:
        assert (figures(warehouse), sizes(warehouse)) == (expected, rows)
        assert warehouse.rows(f"from {path.stem}.steps.mine") == [(1,)]
        assert warehouse.rows("select rank, first_rank from retrieved order by all limit 1") == [(1, 1)]
        assert warehouse.rows("select count(*) from duckdb_views() where comment is null and not internal") == [(0,)]
        warehouse.load_run({"1": {"a": 1.0}}, "new", qrels="main")


@pytest.mark.long
def test_vacuum_is_refused_while_another_process_has_the_file(path: Path, command: Command) -> None:
    with held(path):
        assert_refused(command("vacuum", "--db", path), "is locked", code=3)


def test_a_vacuum_that_fails_leaves_the_file(
    path: Path, tmp_path: Path, empty: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = path.read_bytes()
    monkeypatch.setattr(Path, "replace", Mock(side_effect=OSError(28, "No space left on device")))
    with evalsql.open(path) as warehouse, pytest.raises(WarehouseError, match="the disk is full; nothing was changed"):
        vacuum(warehouse.database)
    assert path.read_bytes() == whole
    assert [each for each in tmp_path.iterdir() if each.name.startswith(".")] == []
    with pytest.raises(UsageError, match="only a file"):
        vacuum(empty.database)
