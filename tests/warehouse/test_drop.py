"""``evalsql drop`` and ``evalsql vacuum``: what goes goes from every table, and what stays has its figures."""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import evalsql
from evalsql import UsageError, Warehouse, WarehouseError
from evalsql.warehouse.archive import vacuum
from tests.conftest import Command, new_file, write

MEASURES = "nDCG@10 AP RR P@5 Bpref Judged@10"
TABLES = (
    *("runs", "qrels", "files", "retrieved", "run_topics", "evaluations", "judged_ranks", "assessments"),
    *("judged_documents", "preferences", "topic_weights", "topic_meta", "documents", "topics"),
)


@cache
def _filled() -> Path:
    path = new_file()
    with evalsql.open(path) as warehouse:
        warehouse.load_qrels({"1": {"a": 1, "b": 0, "only main": 2}, "2": {"c": 1}}, "main")
        warehouse.load_qrels({"1": {"b": 1}, "only other": {"only other": 1}}, "other")
        warehouse.load_weights({"only other": 2.0}, "other")
        warehouse.load_topics({"only other": {"text": "what?", "language": "en"}}, qrels="other")
        for nth, name in enumerate(("one", "two", "three")):
            run = {
                "1": {"a": 3.0, "b": 2.0 + nth, f"only {name}": 1.0},
                "2": {"c": 1.0},
                f"topic of {name}": {"a": 1.0},
            }
            warehouse.load_run(run, name, qrels=["main", "other"])
    return path


def filled(folder: Path) -> Path:
    """A file with two judgment sets and three runs; each has a document and a topic of its own."""
    return new_file(folder, like=_filled())


def sizes(warehouse: Warehouse) -> dict[str, int]:
    return {table: warehouse.rows(f"select count(*) from {table}")[0][0] for table in TABLES}


def figures(warehouse: Warehouse, without: tuple[str, ...] = ()) -> list[tuple[object, ...]]:
    found = warehouse.evaluate(MEASURES, per_topic=True).fetchall()
    return [row for row in found if not {row[0], row[1]} & set(without)]


def test_dropped_runs_leave_nothing_and_change_nothing(tmp_path: Path, empty: Warehouse) -> None:
    with evalsql.open(filled(tmp_path)) as warehouse:
        expected = figures(warehouse, ("one", "three"))
        assert warehouse.drop_runs(["t*ree", "one"]) == ["one", "three"]
        assert figures(warehouse) == expected
        assert expected
        names = {name for (name,) in warehouse.rows("select document from documents")}
        assert names == {"a", "b", "c", "only main", "only other", "only two"}
        assert {name for (name,) in warehouse.rows("select topic from topics")} == {
            "1",
            "2",
            "only other",
            "topic of two",
        }
        kept = sizes(warehouse)
        warehouse.drop_runs("two")
        warehouse.drop_qrels("*")
        assert {table: count for table, count in sizes(warehouse).items() if count} == {}
    # As if the others had never been there.
    empty.load_qrels({"1": {"a": 1, "b": 0, "only main": 2}, "2": {"c": 1}}, "main")
    empty.load_qrels({"1": {"b": 1}, "only other": {"only other": 1}}, "other")
    empty.load_weights({"only other": 2.0}, "other")
    empty.load_topics({"only other": {"text": "what?", "language": "en"}}, qrels="other")
    run = {"1": {"a": 3.0, "b": 3.0, "only two": 1.0}, "2": {"c": 1.0}, "topic of two": {"a": 1.0}}
    empty.load_run(run, "two", qrels=["main", "other"])
    assert sizes(empty) == kept
    assert figures(empty) == expected


def test_dropped_judgments_leave_the_runs(tmp_path: Path) -> None:
    with evalsql.open(filled(tmp_path)) as warehouse:
        expected = figures(warehouse, ("other",))
        assert warehouse.drop_qrels("other") == ["other"]
        assert figures(warehouse) == expected
        assert warehouse.rows("select count(*) from topic_weights") == [(0,)]
        assert warehouse.rows("select count(*) from topic_meta") == [(0,)]
        assert warehouse.rows("select count(*) from files where kind not in ('run', 'qrels')") == [(0,)]
        assert warehouse.rows("select count(*) from topics where topic = 'only other'") == [(0,)]
        # What was dropped can be loaded again.
        warehouse.load_qrels({"1": {"b": 1}, "only other": {"only other": 1}}, "other", runs="*")
        assert len(figures(warehouse)) == len(expected) * 2


def test_an_unknown_name_drops_nothing(tmp_path: Path, command: Command) -> None:
    path = filled(tmp_path)
    with evalsql.open(path) as warehouse:
        before = sizes(warehouse)
        with pytest.raises(UsageError, match='no run is called "four"'):
            warehouse.drop_runs(["one", "four"])
        assert sizes(warehouse) == before
    answer = command("drop", "runs", "one", "four", "--db", path)
    assert (answer.returncode, answer.stdout) == (2, "")
    answer = command("drop", "measures", "AP", "--db", path)
    assert (answer.returncode, 'no measure of your own is called "AP"' in answer.stderr) == (2, True)
    with evalsql.open(path, read_only=True) as warehouse:
        assert sizes(warehouse) == before
    assert command("drop", "runs", "one", "--db", "none.duckdb").returncode == 3
    assert not (tmp_path / "none.duckdb").exists()


def test_a_dry_run_prints_what_goes(tmp_path: Path, command: Command) -> None:
    path = filled(tmp_path)
    words = ("drop", "runs", "t*", "--db", path, "--format", "csv")
    dry = command(*words, "--dry-run")
    assert (dry.returncode, dry.stdout) == (0, "kind,name\nruns,three\nruns,two\n")
    assert "2 runs would go" in dry.stderr
    assert command(*words, "-o", "none/rows.csv").returncode == 2
    done = command(*words)
    assert (done.returncode, done.stdout) == (0, dry.stdout)
    assert command(*words).returncode == 2


def test_vacuum_gives_space_back_and_keeps_all_else(tmp_path: Path, command: Command) -> None:
    path = filled(tmp_path)
    with evalsql.open(path) as warehouse:
        many = {f"t{topic}": {f"d{topic}-{nth}": float(nth) for nth in range(1000)} for topic in range(40)}
        warehouse.load_run(many, "large", qrels="main")
        warehouse.drop_runs("large")
        expected, rows = figures(warehouse), sizes(warehouse)
    before = path.stat().st_size
    path.chmod(0o640)
    answer = command("vacuum", "--db", path)
    assert answer.returncode == 0, answer.stderr
    assert path.stat().st_size < before
    assert path.stat().st_mode & 0o777 == 0o640
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".")] == []
    with evalsql.open(path) as warehouse:
        assert (figures(warehouse), sizes(warehouse)) == (expected, rows)
        assert warehouse.rows("select rank, first_rank from retrieved order by all limit 1") == [(1, 1)]
        assert warehouse.rows("select count(*) from duckdb_views() where comment is null and not internal") == [(0,)]
        warehouse.load_run({"1": {"a": 1.0}}, "new", qrels="main")


@pytest.mark.long
def test_vacuum_is_refused_while_another_process_has_the_file(tmp_path: Path, process: Command) -> None:
    path = filled(tmp_path)
    holder = "import sys, duckdb; c = duckdb.connect(sys.argv[1]); print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", holder, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        answer = process("vacuum", "--db", path)
        other.communicate("")
    assert answer.returncode == 3
    assert "is locked" in answer.stderr


def test_a_vacuum_that_fails_leaves_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = filled(tmp_path)
    whole = shutil.copy(path, tmp_path / "whole")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with evalsql.open(path) as warehouse, pytest.raises(WarehouseError, match="the disk is full; nothing was changed"):
        vacuum(warehouse.database)
    assert path.read_bytes() == Path(whole).read_bytes()
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".")] == []
    with evalsql.open(":memory:") as warehouse, pytest.raises(UsageError, match="only a file"):
        vacuum(warehouse.database)


@pytest.mark.usefixtures("few_measures")
def test_own_measures_go_by_name_and_glob(tmp_path: Path, command: Command) -> None:
    path, own = tmp_path / "w.duckdb", tmp_path / "own"
    for name in ("Fully", "FullyMore"):
        header = f"-- measure: {name}\n-- title: One\n-- definition: 1.\n-- range: 1 1\n-- mean: arithmetic\n"
        body = "select qrels, run, topic, cast(1 as double) as value from evaluated_topics\n"
        write(own / f"{name.lower()}.sql", header + body)
    with evalsql.open(path) as warehouse:
        warehouse.load_measures(own)
    words = ("--db", path, "--format", "csv")
    assert command("drop", "measures", "FullyM*", "AP", *words).returncode == 2
    assert command("drop", "measures", "FullyM*", *words).stdout == "kind,name\nmeasures,fullymore\n"
    assert command("drop", "measures", "Fully", *words).stdout == "kind,name\nmeasures,fully\n"
    with evalsql.open(path, read_only=True) as warehouse:
        assert warehouse.rows("select count(*) from added_relations") == [(0,)]
