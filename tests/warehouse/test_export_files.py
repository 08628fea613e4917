"""Runs, judgments, topics, weights and scores that are exported load again as they were."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

import evalsql
from tests.conftest import Command, new_file, write
from tests.warehouse.test_export import filled_copy


@pytest.mark.parametrize("form", ["trec", "beir", "parquet", "jsonl"])
def test_runs_load_again_as_they_were(command: Command, tmp_path: Path, sample_file: Path, form: str) -> None:
    done = command("export", "runs", "--format", form, "-o", "out/", "--db", sample_file)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert len(list((tmp_path / "out").iterdir())) == 8
    command("export", "qrels", "--format", form, "-o", "sample.qrels", "--db", sample_file)
    assert command("load", "qrels", "sample.qrels").returncode == 0
    loaded = command("load", "runs", "out/*")
    assert loaded.returncode == 0, loaded.stderr
    assert by_name(tmp_path / "evalsql.duckdb", sample_file) == [(0,), (0,)]


def by_name(path: Path, other: Path) -> list[tuple[int]]:
    """How many rows of rankings and judgments only one of two warehouses has."""
    with duckdb.connect() as connection:
        connection.execute(f"attach '{path}' as a (read_only); attach '{other}' as b (read_only)")
        return [
            connection.execute(f"""
                select count(*) from (
                    (from a.{view} except all from b.{view}) union all (from b.{view} except all from a.{view})
                )""").fetchall()[0]
            for view in ("rankings", "judgments")
        ]


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_odd_names_scores_and_tie_rules_go_through(tmp_path: Path, command: Command, form: str) -> None:
    path = filled_copy(tmp_path)
    for name, others in (
        ("one", ()),
        ("two/x", ()),
        ("blast", ("--lower-is-better",)),
        ("ranking", ("--tie-rule", "rank")),
    ):
        file = f"run-{name.replace('/', '-')}"
        done = command("export", "runs", name, "--format", form, "-o", file, "--db", path)
        assert done.returncode == 0, done.stderr
        assert ("evalsql load runs takes " + " ".join(others) in done.stderr) == bool(others)
        loaded = command("load", "runs", file, "--name", name, *others, "--db", "again.duckdb")
        assert loaded.returncode == 0, loaded.stderr
    for name, others in (("main", ()), ("groups", ("--form", "groups")), ("levels", ("--form", "preferences"))):
        assert command("export", "qrels", name, "--format", form, "-o", name, "--db", path).returncode == 0
        loaded = command("load", "qrels", name, *others, "--db", "again.duckdb")
        assert loaded.returncode == 0, loaded.stderr
    assert by_name(tmp_path / "again.duckdb", path) == [(0,), (0,)]
    levels = "select topic, judgment_group, subgroup, document, level from preferences join topics using (topic_id) "
    levels += "join documents using (document_id) order by all"
    with evalsql.open(path, read_only=True) as first, evalsql.open(tmp_path / "again.duckdb", read_only=True) as second:
        assert first.rows(levels) == second.rows(levels)
        assert len(first.rows(levels)) == 4


def test_groups_and_preferences_as_trec_files(tmp_path: Path, command: Command) -> None:
    path = filled_copy(tmp_path)
    groups = command("export", "qrels", "groups", "--db", path)
    assert groups.stdout == "1 g1 a 1\n1 g2 a 2\n1 g2 b 1\n3 g1 c 0\n"
    assert "evalsql load qrels takes --form groups for it" in groups.stderr
    levels = command("export", "qrels", "levels", "--db", path)
    assert levels.stdout == "1 u s1 a 2.0\n1 u s1 b 1.5\n1 u s2 c 0.0\n1 v s1 b 3.0\n"
    refused = command("export", "qrels", "levels", "--format", "beir", "--db", path)
    assert (refused.returncode, refused.stdout) == (2, "")
    lost = command("export", "qrels", "groups", "--format", "beir", "--db", path)
    assert (lost.returncode, lost.stdout) == (2, "")


def test_what_a_trec_file_cannot_hold_is_refused_whole(tmp_path: Path, command: Command) -> None:
    path = filled_copy(tmp_path)
    refused = command("export", "runs", "one", "ranking", "-o", "out", "--db", path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "'ü 2' cannot be written to a TREC file" in refused.stderr
    refused = command("export", "runs", "-o", "out", "--format", "jsonl", "--db", path)
    assert "two/x cannot name a file; export it by itself with -o FILE" in refused.stderr
    assert not (tmp_path / "out").exists()
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".")] == []


def test_other_files_stay(tmp_path: Path, command: Command, sample_file: Path) -> None:
    path = new_file(tmp_path, sample_file)
    write(tmp_path / "out" / "dense.run", "mine")
    refused = command("export", "runs", "-o", "out", "--db", path)
    assert (refused.returncode, "out/dense.run: is there already" in refused.stderr) == (2, True)
    assert [each.name for each in (tmp_path / "out").iterdir()] == ["dense.run"]
    assert (tmp_path / "out" / "dense.run").read_text() == "mine"
    assert command("export", "runs", "-o", "out", "--replace", "--db", path).returncode == 0
    assert len(list((tmp_path / "out").iterdir())) == 8
    before = path.read_bytes()
    for target in (path, path.name):
        assert command("export", "runs", "bm25", "-o", target, "--replace", "--db", path).returncode == 2
    assert path.read_bytes() == before
    several = command("export", "runs", "--db", path)
    assert (several.returncode, "-o names the folder" in several.stderr) == (2, True)
    parquet = command("export", "runs", "bm25", "--format", "parquet", "--db", path)
    assert (parquet.returncode, parquet.stdout) == (2, "")


def test_judgments_before_a_replacement_are_written_by_name(tmp_path: Path, command: Command) -> None:
    path = new_file(tmp_path)
    with evalsql.open(path) as warehouse:
        for grade in (1, 2):
            warehouse.load_qrels({"q": {"a": grade}}, "set", replace=True)
            warehouse.load_topics({"q": f"text {grade}"}, qrels="set", replace=True)
            warehouse.load_weights({"q": float(grade)}, "set", replace=True)
    for name, grade in (("set", 2), ("set@1", 1)):
        for kind, expected in (
            ("qrels", f"q 0 a {grade}\n"),
            ("topics", f'{{"topic": "q", "text": "text {grade}"}}\n'),
            ("weights", f"q {grade}.0\n"),
        ):
            done = command("export", kind, name, "--db", path)
            assert (done.returncode, done.stdout) == (0, expected), done.stderr
    # Where no name is given, those in use are written.
    for kind in ("qrels", "topics", "weights"):
        assert command("export", kind, "--db", path).stdout == command("export", kind, "set", "--db", path).stdout != ""


# Topics, weights and values


@pytest.mark.parametrize("form", ["jsonl", "beir"])
def test_topics_and_weights_load_again(tmp_path: Path, command: Command, form: str) -> None:
    path = filled_copy(tmp_path)
    asked = "select * from topic_meta where qrels_id = 1 order by all"
    weights = "select * from topic_weights order by all"
    with evalsql.open(path) as warehouse:
        warehouse.execute("update topics set topic = '2' where topic = 'ü 2'")
        before = warehouse.rows(asked), warehouse.rows(weights)
    assert command("export", "topics", "main", "--format", form, "-o", "t.jsonl", "--db", path).returncode == 0
    assert command("export", "weights", "-o", "w.txt", "--db", path).returncode == 0
    with evalsql.open(path) as warehouse:
        warehouse.execute("delete from topic_meta where qrels_id = 1; delete from topic_weights")
        warehouse.load_topics(tmp_path / "t.jsonl", qrels="main")
        warehouse.load_weights(tmp_path / "w.txt", "main", replace=True)
        assert (warehouse.rows(asked), warehouse.rows(weights)) == before
        assert [len(rows) for rows in before] == [3, 2]


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_scores_are_the_values_of_topics(command: Command, tmp_path: Path, sample_file: Path, form: str) -> None:
    done = command("export", "scores", "bm25", "-m", "AP,RR", "-o", f"s.{form}", "--db", sample_file)
    assert done.returncode == 0, done.stderr
    with evalsql.open(sample_file, read_only=True) as warehouse:
        expected = warehouse.evaluate("AP RR", per_topic=True, runs="bm25").fetchall()
        ((version, digest),) = warehouse.rows("select evalsql_version, sql_digest from warehouse")
    found = duckdb.execute(f"from '{tmp_path / f's.{form}'}'").fetchall()
    assert found == [(*row, version, digest) for row in expected]
    assert len(found) == 80
    refused = command("export", "scores", "--format", "trec", "--db", sample_file)
    assert (refused.returncode, "scores are written as parquet, jsonl" in refused.stderr) == (2, True)
