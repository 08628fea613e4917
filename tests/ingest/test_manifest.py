"""``evalsql load runs --manifest``: many runs of many systems on many collections in one command."""

import json
import tarfile
from pathlib import Path

import pytest

from evalsql import InputError, UsageError, Warehouse
from tests.conftest import SAMPLE, Command
from tests.long_cases import few_of, one_in, refusals

RUNS = "select run, meta, (select count(*) from evaluations where run_id = runs.run_id) from runs order by run"


@pytest.fixture
def collections(empty: Warehouse, tmp_path: Path) -> Warehouse:
    """Judgments of two collections, one of them by two judges, and a folder with three runs."""
    for name, collection in (("q1", "c"), ("q2", "c"), ("d", None)):
        empty.load_qrels({"1": {"a": 1}}, name, meta={"collection": collection} if collection else {})
    (tmp_path / "runs").mkdir()
    for number in range(3):
        (tmp_path / "runs" / f"r{number}.run").write_text(f"1 Q0 a 1 {number} t\n1 Q0 b 2 -1 t\n")
    return empty


@pytest.mark.parametrize("form", few_of(["csv", "toml", "tsv", "jsonl"]))
def test_a_manifest_names_runs_and_what_they_are_of(collections: Warehouse, tmp_path: Path, form: str) -> None:
    listed = [
        {"file": "runs/r0.run", "system": "s", "collection": "c", "version": "1", "seed": "7"},
        {"file": "runs/r1.run", "system": "s", "collection": "d", "date": "2026-01-02"},
        {"file": "runs/r2.run", "run": "own", "qrels": "q2", "batch": "b"},
    ]
    names = list(dict.fromkeys(name for row in listed for name in row))
    text = {
        "jsonl": "\n".join(map(json.dumps, listed)),
        "toml": "".join("[[run]]\n" + "".join(f'{key} = "{row[key]}"\n' for key in row) for row in listed),
    }.get(form) or "\n".join(
        ("," if form == "csv" else "\t").join(cells)
        for cells in [names, *([row.get(name, "") for name in names] for row in listed)]
    )
    (tmp_path / f"m.{form}").write_text(text)
    loaded = collections.load_runs(manifest=tmp_path / f"m.{form}", meta={"batch": "a"})
    assert loaded == ["s@1/c", "s/d", "own"]
    assert collections.rows(RUNS) == [
        ("own", {"batch": "b"}, 1),
        ("s/d", {"batch": "a", "system": "s", "collection": "d", "date": "2026-01-02"}, 1),
        ("s@1/c", {"batch": "a", "system": "s", "collection": "c", "version": "1", "seed": "7"}, 2),
    ]
    with pytest.raises(UsageError, match="already loaded: s@1/c, s/d, own"):
        collections.load_runs(manifest=tmp_path / f"m.{form}")


@pytest.mark.parametrize(("line", "reason"), one_in(3, refusals(__file__, "manifest")))
def test_a_line_at_fault_is_told(collections: Warehouse, tmp_path: Path, line: str, reason: str) -> None:
    (tmp_path / "bad.run").write_text("1 Q0\n")
    with tarfile.open(tmp_path / "two.tar", "w") as archive:
        archive.add(tmp_path / "runs" / "r0.run", "r0.run")
    (tmp_path / "m.csv").write_text(f"file,system,collection\nruns/r0.run,s,c\n{line}\n")
    with pytest.raises(InputError, match=reason):
        collections.load_runs(manifest=tmp_path / "m.csv")
    assert collections.rows(RUNS) == []


@pytest.mark.parametrize("text", ['x = [\n[["a"]]\n]\n', "a=" + "[" * 5000])
def test_toml_without_runs_is_refused(collections: Warehouse, tmp_path: Path, text: str) -> None:
    (tmp_path / "m.toml").write_text(text)
    with pytest.raises(InputError, match=r"m\.toml: is no TOML of runs, such as \[\[run\]\]: "):
        collections.load_runs(manifest=tmp_path / "m.toml")


def test_what_is_nought_or_false_is_kept(collections: Warehouse, tmp_path: Path) -> None:
    line = (
        '{"file": "runs/r0.run", "system": "s", "collection": "c", "version": 0, "seed": 0, "tuned": false, "x":null}'
    )
    (tmp_path / "m.jsonl").write_text(line)
    collections.load_runs(manifest=tmp_path / "m.jsonl")
    said = {"system": "s", "collection": "c", "version": "0", "seed": "0", "tuned": "False"}
    assert collections.rows("select meta from runs") == [(said,)]
    (tmp_path / "m.jsonl").write_text(line.replace('"s"', '"\\ud800"'))
    with pytest.raises(InputError, match=r"m\.jsonl:1: has text without UTF-8"):
        collections.load_runs(manifest=tmp_path / "m.jsonl")


@pytest.mark.long
def test_the_command_takes_a_manifest_or_files(demo: Command, tmp_path: Path) -> None:
    (tmp_path / "r.run").write_text("T01 Q0 doc-0087 1 1 t\n")
    (tmp_path / "m.jsonl").write_text('{"file": "r.run", "system": "new", "collection": "sample"}\n')
    assert "loaded 1 run" in demo("load", "runs", "--manifest", "m.jsonl").stderr
    assert "new/sample" in demo("ls", "--system", "new").stdout
    for given in ([], ["r.run", "--manifest", "m.jsonl"], ["--manifest", "m.jsonl", "--name", "x"]):
        assert "name files of runs, or a manifest that lists them" in demo("load", "runs", *given).stderr
    assert demo("load", "qrels", SAMPLE / "qrels.txt", "--name", "q", "--collection", "robust").returncode == 0
    assert "robust" in demo("sql", "select meta['collection'] from qrels where qrels = 'q'").stdout


def test_an_empty_manifest_is_refused(collections: Warehouse, tmp_path: Path) -> None:
    (tmp_path / "empty.csv").touch()
    with pytest.raises(InputError, match=r"empty\.csv: is empty"):
        collections.load_runs(manifest=tmp_path / "empty.csv")
