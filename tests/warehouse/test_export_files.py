"""Runs, judgments, topics, weights and scores that are exported load again as they were."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import evalsql
from evalsql import Warehouse
from evalsql.cli import export_import
from evalsql.warehouse.export_files import names_of
from evalsql.warehouse.export_files import write as write_file
from tests.conftest import Command, assert_refused, new_file, new_warehouse, write
from tests.long_cases import few_of
from tests.warehouse.conftest import file_of_few
from tests.warehouse.test_export import fill

LEVELS = """
    select topic, judgment_group, subgroup, document, level from preferences join topics using (topic_id)
    join documents using (document_id) order by all
"""

DRAWN = "select * exclude (qrels_id) from judgment_samples order by all"
SAMPLES = {
    "strata": "1 0 a top 1\n1 0 b rest 0\n1 0 c rest -1\n2 x a top 2\n",
    "probabilities": "1 a 1 1 0.125\n1 b 0 2 1\n1 c -1 1 0.3\n2 a 1 1 1e-05\n",
}


@pytest.fixture(scope="module")
def held() -> Iterator[Warehouse]:
    """All that files are written of."""
    with new_warehouse() as warehouse:
        fill(warehouse)
        yield warehouse


def contents(warehouse: Warehouse, runs: str = ".*") -> list[tuple[Any, ...]]:
    rankings = warehouse.rows("from rankings where regexp_full_match(run, ?) order by all", [runs])
    return rankings + warehouse.rows("from judgments order by all")


@pytest.mark.parametrize("form", few_of(["trec", "beir", "parquet", "jsonl"], 2))
def test_runs_load_again_as_they_were(sample: Warehouse, empty: Warehouse, tmp_path: Path, form: str) -> None:
    assert len(names_of(sample.database, "runs", ())) == 8
    write_file(sample.database, "qrels", "sample", form, tmp_path / "sample")
    empty.load_qrels(tmp_path / "sample")
    for run in names_of(sample.database, "runs", ["bm25", "dense"]):
        write_file(sample.database, "runs", run, form, tmp_path / f"{run}.run")
    empty.load_runs(str(tmp_path / "*.run"))
    assert contents(empty) == contents(sample, "bm25|dense")


@pytest.mark.parametrize("form", few_of(["parquet", "jsonl"], 1))
def test_odd_names_scores_and_tie_rules_stay(held: Warehouse, empty: Warehouse, tmp_path: Path, form: str) -> None:
    path = tmp_path / "file"
    options: dict[str, Any]
    for name, options, words in (
        ("one", {}, ""),
        ("two/x", {}, ""),
        ("blast", {"lower_is_better": True}, "--lower-is-better"),
        ("ranking", {"tie_rule": "rank"}, "--tie-rule rank"),
    ):
        remarks = write_file(held.database, "runs", name, form, path).remarks
        assert remarks == ([f"evalsql load runs takes {words} to rank it as it is here"] if words else [])
        empty.load_runs(path, name=name, **options)
    for name, how in (("main", "grades"), ("groups", "groups"), ("levels", "preferences")):
        write_file(held.database, "qrels", name, form, path)
        empty.load_qrels(path, name, form=how)
    assert contents(empty) == contents(held)
    assert empty.rows(LEVELS) == held.rows(LEVELS)
    assert len(held.rows(LEVELS)) == 4


def test_what_a_remark_says_to_run_is_one_command(empty: Warehouse, tmp_path: Path) -> None:
    fill(empty)
    for rule in ("$(touch x)", "; touch x", "a'b"):
        empty.execute("update runs set tie_rule = ? where run = 'ranking'", [rule])
        (remark,) = write_file(empty.database, "runs", "ranking", "parquet", tmp_path / "file").remarks
        assert shlex.split(remark)[3:6] == ["takes", "--tie-rule", rule]


@pytest.mark.parametrize("form", few_of(["trec", "parquet", "jsonl"], 1))
def test_samples_load_again_as_they_were(empty: Warehouse, tmp_path: Path, form: str) -> None:
    for how, rows in SAMPLES.items():
        empty.load_qrels(write(tmp_path / "given", rows), how, form=how)
        drawn = empty.rows(DRAWN)
        remarks = write_file(empty.database, "qrels", how, form, tmp_path / "file").remarks
        assert remarks == [f"evalsql load qrels takes --form {how} for it"]
        empty.load_qrels(tmp_path / "file", how, form=how, replace=True)
        assert empty.rows(DRAWN) == drawn != []
        assert empty.drop_qrels(f"{how}*") == [how]  # the same leave no version


@pytest.mark.usefixtures("few_measures")
def test_groups_and_preferences_as_trec_files(command: Command) -> None:
    groups = command("export", "qrels", "groups", "--db", file_of_few(fill))
    assert groups.stdout == "1 g1 a 1\n1 g2 a 2\n1 g2 b 1\n3 g1 c 0\n"
    assert "evalsql load qrels takes --form groups for it" in groups.stderr
    levels = command("export", "qrels", "levels", "--db", file_of_few(fill))
    assert levels.stdout == "1 u s1 a 2.0\n1 u s1 b 1.5\n1 u s2 c 0.0\n1 v s1 b 3.0\n"
    for name in ("levels", "groups"):
        assert_refused(command("export", "qrels", name, "--format", "beir", "--db", file_of_few(fill)))


@pytest.mark.usefixtures("few_measures")
def test_a_form_of_a_strangers_file_is_one_word_of_a_command(empty_file: Warehouse, tmp_path: Path) -> None:
    empty_file.load_qrels({"t": {"d": 1}}, "q")
    empty_file.execute("update qrels set form = 'x; touch y'")
    remarks = write_file(empty_file.database, "qrels", "q", "parquet", tmp_path / "file").remarks
    assert remarks == ["evalsql load qrels takes --form 'x; touch y' for it"]


@pytest.mark.usefixtures("few_measures")
def test_what_a_trec_file_cannot_hold_is_refused_whole(tmp_path: Path, command: Command) -> None:
    export = ("export", "runs", "-o", "out", "--db", file_of_few(fill))
    assert_refused(command(*export, "one", "ranking"), "'ü 2' cannot be written to a TREC file")
    assert_refused(command(*export, "--format", "jsonl"), "two/x cannot name a file; export it by itself with -o FILE")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_other_files_stay(tmp_path: Path, command: Command, sample_file: Path) -> None:
    path = new_file(tmp_path, sample_file)
    write(tmp_path / "out" / "dense.run", "mine")
    assert_refused(command("export", "runs", "-o", "out", "--db", path), "out/dense.run: exists already")
    assert [each.name for each in (tmp_path / "out").iterdir()] == ["dense.run"]
    assert (tmp_path / "out" / "dense.run").read_text() == "mine"
    assert command("export", "runs", "-o", "out", "--replace", "--db", path).returncode == 0
    assert len(list((tmp_path / "out").iterdir())) == 8
    before = path.read_bytes()
    assert_refused(command("export", "runs", "bm25", "-o", path.name, "--replace", "--db", path))
    assert path.read_bytes() == before
    assert_refused(command("export", "runs", "--db", path), "-o names the folder")
    assert_refused(command("export", "runs", "bm25", "--format", "parquet", "--db", path))


def test_judgments_before_a_replacement_are_written_by_name(empty: Warehouse, tmp_path: Path) -> None:
    for grade in (1, 2):
        empty.load_qrels({"q": {"a": grade}}, "set", replace=True)
        empty.load_topics({"q": f"text {grade}"}, qrels="set", replace=True)
        empty.load_weights({"q": float(grade)}, "set", replace=True)
    for name, grade in (("set", 2), ("set@1", 1)):
        for kind, form, expected in (
            ("qrels", "trec", f"q 0 a {grade}\n"),
            ("topics", "jsonl", f'{{"topic": "q", "text": "text {grade}"}}\n'),
            ("weights", "trec", f"q {grade}.0\n"),
        ):
            assert names_of(empty.database, kind, name) == [name]
            write_file(empty.database, kind, name, form, tmp_path / f"{kind} of {name}")
            assert (tmp_path / f"{kind} of {name}").read_text() == expected
    # Where no name is given, those in use are written.
    for kind in ("qrels", "topics", "weights"):
        assert names_of(empty.database, kind, ()) == ["set"]


@pytest.mark.parametrize("form", ["jsonl", "beir"])
def test_topics_and_weights_load_again(empty: Warehouse, tmp_path: Path, form: str) -> None:
    qrels = {"1": {"a": 1}, "2": {"c": 2}}
    empty.load_qrels(qrels, "main")
    empty.load_topics({"1": {"text": 'why "rain"', "language": "en"}, "2": {"text": "Schnee"}})
    empty.load_weights({"1": 0.1, "2": 3}, "main")
    write_file(empty.database, "topics", "main", form, tmp_path / "t.jsonl")
    write_file(empty.database, "weights", "main", "trec", tmp_path / "w.txt")
    with new_warehouse() as again:
        again.load_qrels(qrels, "main")
        again.load_topics(tmp_path / "t.jsonl")
        again.load_weights(tmp_path / "w.txt", "main")
        for table, count in (("topic_meta", 3), ("topic_weights", 2)):
            rows = f"select topic, * exclude (topic_id) from {table} join topics using (topic_id) order by all"
            assert again.rows(rows) == empty.rows(rows)
            assert len(again.rows(rows)) == count


@pytest.mark.parametrize("form", few_of(["parquet", "jsonl"], 1))
def test_scores_are_the_values_of_topics(command: Command, tmp_path: Path, sample_file: Path, form: str) -> None:
    path = new_file(tmp_path, sample_file)
    done = command("export", "scores", "bm25", "-m", "AP,RR", "-o", f"s.{form}", "--db", path)
    assert done.returncode == 0, done.stderr
    with evalsql.open(path, read_only=True) as warehouse:
        expected = warehouse.evaluate("AP RR", per_topic=True, runs="bm25").fetchall()
        ((version, digest),) = warehouse.rows("select evalsql_version, sql_digest from warehouse")
    found = duckdb.execute(f"from '{tmp_path / f's.{form}'}'").fetchall()
    assert found == [(*row, version, digest) for row in expected]
    assert len(found) == 80
    assert_refused(
        command("export", "scores", "--format", "trec", "--db", path), "scores are written as parquet, jsonl"
    )


@pytest.mark.parametrize("form", few_of(["parquet", "jsonl"], 1))
def test_what_was_judged_of_answers_loads_again_as_it_was(empty: Warehouse, tmp_path: Path, form: str) -> None:
    """Two sets of nuggets; of one run assignments to both, and sentences without a citation."""
    facts = [{"topic": topic, "nugget": f"n{at}", "importance": "vital"} for topic in "12" for at in range(2)]
    words = ("support", "partial_support", "not_support", "support")
    given = [{"topic": each["topic"], "nugget": each["nugget"]} for each in facts]
    for name, order in (("people", words), ("model", words[::-1])):
        empty.load_qrels(facts, name, form="nuggets")
        rows = [{**each, "assignment": word} for each, word in zip(given, order, strict=True)]
        empty.load_assignments(rows, qrels=name, name="a b")
    sentences = [("1", "2", "d 1", 2), ("1", "10", "d2", 0), ("1", "10", "d1", 1), ("2", "1", None, None)]
    cited = [dict(zip(("topic", "sentence", "document", "support"), each, strict=True)) for each in sentences]
    empty.load_citations(cited, qrels="people", name="a b")
    held = {
        kind: f"select * exclude (qrels_id), qrels from {table} join qrels using (qrels_id) order by all"
        for kind, table in {"assignments": "nugget_assignments", "citations": "answer_citations"}.items()
    }
    expected = {kind: empty.rows(query) for kind, query in held.items()}
    assert [len(rows) for rows in expected.values()] == [8, 4]
    with pytest.raises(evalsql.UsageError, match="by several sets of nuggets, name one with --qrels: model, people"):
        write_file(empty.database, "assignments", "a b", form, tmp_path / "file")
    with pytest.raises(evalsql.UsageError, match="a b has no citations by model"):
        write_file(empty.database, "citations", "a b", form, tmp_path / "file", "model")
    for kind, qrels in (("assignments", "people"), ("assignments", "model"), ("citations", None)):
        written = write_file(empty.database, kind, "a b", form, tmp_path / "file", qrels)
        assert written.remarks == [f"evalsql load {kind} --qrels {qrels or 'people'} takes it"]
        load = empty.load_assignments if kind == "assignments" else empty.load_citations
        load(tmp_path / "file", qrels=qrels or "people", replace=True)
        assert empty.rows(held[kind]) == expected[kind]


def test_names_that_a_disk_takes_for_one_are_refused(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As macOS and Windows take names that differ in case: one run was written over the other."""
    with evalsql.open(tmp_path / "w.duckdb") as warehouse:
        for run in ("Run", "run"):
            warehouse.load_run({"t": {"d": 1.0}}, run)
    monkeypatch.setattr(export_import, "_file_name", lambda name, extension: name.lower() + extension)
    outcome = command("export", "runs", "-o", "out", "--db", tmp_path / "w.duckdb")
    assert_refused(outcome, "run and Run are one file here; export one of them by itself with -o FILE")
    assert not (tmp_path / "out").exists()
