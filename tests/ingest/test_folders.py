"""Folders, tar archives and datasets by name as inputs; what of them is left out is told."""

import io
import json
import random
import re
import shutil
import stat
import tarfile
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import Any

import ir_datasets
import pandas
import pytest
import pytrec_eval
from ir_datasets.datasets.base import Dataset
from ir_datasets.formats import BaseQrels, BaseQueries, BaseScoredDocs, GenericQuery, GenericScoredDoc, TrecQrel

import evalsql
from evalsql import InputError, InputWarning, UsageError, Warehouse
from evalsql.ingest.load_options import RunOptions
from evalsql.ingest.run_loading import staged_file
from tests.conftest import Command, write

RUN = "1 Q0 d1 1 9 x\n1 Q0 d2 2 8 x\n2 Q0 d1 1 7 x\n"
QRELS = "query-id\tcorpus-id\tscore\n1\td2\t1\n2\td1\t2\n"
JUDGED = [("1", "d2", 1), ("2", "d1", 2)]
HELD = "select topic, document, grade from judgments order by all"


@pytest.fixture
def results(tmp_path: Path) -> Path:
    folder = tmp_path / "results"
    texts = {"a.list": RUN, "b.json": '{"1": {"d1": 2.0, "d2": 1.0}}', "old/c.run": RUN, ".hidden.run": RUN}
    others = {"README.md": "1 Q0 d1 1 9 x\n", "qrels.txt": "1 0 d1 1\n", "paper": "%PDF-1.7\n"}
    for name, text in {**texts, **others}.items():
        write(folder / name, text)
    return folder


def test_a_folder_stands_for_its_runs_and_the_rest_is_told(empty: Warehouse, tmp_path: Path, results: Path) -> None:
    with pytest.warns(InputWarning) as told:
        assert empty.load_runs(results) == ["a", "b"]
    (warning,) = [str(each.message) for each in told]
    assert warning.startswith("5 files skipped: ")
    assert f"{results}/.hidden.run (a hidden file)" in warning
    assert warning.endswith(", and 2 more")
    assert empty.loader.notices == ["read as TREC (1 file), JSON (1 file)"]
    assert empty.rows("select file from files order by file") == [(f"{results}/a.list",), (f"{results}/b.json",)]
    notes = write(tmp_path / "none" / "notes.txt", "to do\n")
    (tmp_path / "none" / "system").mkdir()
    skipped = r"skipped: .*notes.txt \(no run\), .*system \(a folder; .*/none/\* takes those in it\)"
    with pytest.raises(InputError, match=rf"none: holds no run; {skipped}"):
        empty.load_runs(notes.parent)


@pytest.mark.long
def test_the_engine_reads_what_lies_in_a_folder(command: Command, tmp_path: Path) -> None:
    """A command keeps it from other files than those that it was given."""
    rows = [("1", "d1", 2), ("1", "d2", 1)]
    for path, value in (("runs/a", "score"), ("runs/b", "score"), ("corpus/qrels/test", "label")):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        frame = pandas.DataFrame(rows, columns=["qid", "docno", value])
        frame.to_parquet(tmp_path / f"{path}.parquet")
    for words in (("qrels", "corpus"), ("runs", "runs")):
        told = command("load", *words)
        assert told.returncode == 0, told.stderr
    board = command("leaderboard", "-m", "AP", "--format", "csv").stdout
    assert board.splitlines()[1:] == ["corpus,a,1.0", "corpus,b,1.0"]


def test_predictions_of_mteb_are_a_run_a_subset_and_split(empty: Warehouse, tmp_path: Path) -> None:
    """As ``mteb.evaluate(..., prediction_folder=...)`` writes them; of each the figures of pytrec_eval."""
    draw = random.Random(5)
    parts = {
        ("default", "test"): "One",
        ("de", "dev"): "Two/de/dev",
        ("de", "test"): "Two/de",
        ("fr", "dev"): "Two/fr/dev",
    }
    runs = {name: {topic: {each: draw.random() for each in "abcdefg"} for topic in "12"} for name in parts.values()}
    judged = {name: {topic: {each: draw.randrange(3) for each in "aceg"} for topic in "12"} for name in runs}
    model = {"mteb_model_meta": {"model_name": "org/m", "revision": "r1"}}
    tasks: dict[str, Any] = {"One": dict(model), "Two": dict(model), "Sorting": model | {"default": {"test": [[0, 1]]}}}
    for (subset, split), name in parts.items():
        tasks[name.partition("/")[0]].setdefault(subset, {})[split] = runs[name]
    for task, document in tasks.items():
        write(tmp_path / "predictions" / f"{task}_predictions.json", json.dumps(document))
    empty.load_qrels({"1": {"a": 1}}, "first", meta={"collection": "One"})  # it is replaced, and nothing waits for it
    for name in ("One", "Two/de/dev", "Two/fr/dev"):
        empty.load_qrels(judged[name], "first" if name == "One" else name, meta={"collection": name}, replace=True)
    with pytest.warns(
        InputWarning, match=r"1 file skipped: .*Sorting_predictions.json \(predictions of MTEB without ran"
    ):
        assert sorted(empty.load_runs(tmp_path / "predictions")) == sorted(f"org/m@r1/{name}" for name in runs)
    empty.load_qrels(judged["Two/de"], "Two/de")  # one run waits for it, and the topics of all are called alike
    found = {run: (qrels, *values) for qrels, run, *values in empty.evaluate("AP nDCG@5").fetchall()}
    for name, run in runs.items():
        values = pytrec_eval.RelevanceEvaluator(judged[name], {"map", "ndcg_cut.5"}).evaluate(run).values()
        means = [pytest.approx(mean(each[key] for each in values)) for key in ("map", "ndcg_cut_5")]
        assert found.pop(f"org/m@r1/{name}") == ("first" if name == "One" else name, *means)
    assert found == {}
    assert len(empty.rows("select distinct qrels_id, run_id from evaluations")) == len(runs)
    meta = {"system": "org/m", "version": "r1", "collection": "Two/de"}
    assert empty.rows("select meta from runs where run = 'org/m@r1/Two/de'") == [(meta,)]


def test_runs_wait_for_judgments_of_their_collection(empty: Warehouse, tmp_path: Path) -> None:
    pairs = (
        "select distinct qrels, run from evaluations join qrels using (qrels_id) join runs using (run_id) order by all"
    )

    def load(model: str, *tasks: str) -> None:
        document = {"mteb_model_meta": {"model_name": model}, "default": {"test": {"1": {"a": 1.0}}}}
        files = [write(tmp_path / f"{task}_predictions.json", json.dumps(document)) for task in tasks]
        empty.load_runs(files, tells_remarks=False)

    def judge(name: str, collection: str) -> None:
        empty.load_qrels({"1": {"a": 1}}, name, meta={"collection": collection})

    with warnings.catch_warnings(action="ignore"):
        empty.load_run({"1": {"a": 1}}, "own")
        load("m", "A", "B")
        judge("a", "A")
        assert empty.rows(pairs) == [("a", "m/A"), ("a", "own")]  # the one that says nothing, and not m/B
        load("n", "A", "C")
        judge("again", "A")
        load("m", "D")  # none of two sets is of its collection
        assert empty.rows(pairs) == [("a", "m/A"), ("a", "n/A"), ("a", "own")]
        judge("c", "C")
        judge("none", "E")  # nobody says that it is of E, so that topics tell
    others = [("c", "n/C"), ("none", "m/B"), ("none", "m/D")]
    assert empty.rows(pairs) == [("a", "m/A"), ("a", "n/A"), ("a", "own"), *others]


def test_what_predictions_do_not_say_is_told(empty: Warehouse, tmp_path: Path) -> None:
    unnamed = {"model_name": "no_model_name/available", "revision": "no_revision_available"}
    ranking = {"test": {"1": {"d1": 1.0}}}
    one = write(tmp_path / "T_predictions.json", json.dumps({"mteb_model_meta": unnamed, "default": ranking}))
    two = write(tmp_path / "U_predictions.json", json.dumps({"mteb_model_meta": {}, "de": ranking, "fr": ranking}))
    assert empty.load_runs(one) == ["T"]
    assert empty.load_runs(one, meta={"system": "own", "version": "2"}) == ["own@2/T"]
    assert empty.load_runs(one, name="x") == ["x"]
    assert evalsql.evaluate({"1": {"d1": 1}}, one, "RR") == {"RR": 1}
    with pytest.raises(
        UsageError, match=r"U_predictions.json/de/test is one run of several in its file; they cannot all"
    ):
        empty.load_runs(two, name="x", replace=True)
    with pytest.raises(InputError, match="predictions of MTEB, which are runs; evalsql load runs"):
        empty.load_qrels(one, "again")
    for wrong in ({"default": {"test": [[1]]}}, {"default": [1]}, {"default": {"test": {"1": ["d1"]}}}):
        file = write(tmp_path / "W_predictions.json", json.dumps({"mteb_model_meta": {}} | wrong))
        with pytest.raises(InputError, match="predictions of MTEB without rankings, as of a task that is no retrieval"):
            empty.load_runs(file)


def test_a_file_of_systems_is_a_run_of_each(empty: Warehouse, tmp_path: Path) -> None:
    systems = {"bm25": {"1": {"a": 1.5, "b": 2}}, "dense/v2": {"1": {"a": 1}, "2": {}}}
    for text in (json.dumps(systems), json.dumps(systems, indent=1), "\ufeff" + json.dumps(systems)):
        file = write(tmp_path / "runs.json", text)
        assert empty.load_runs(file, replace=True) == ["bm25", "dense/v2"]
        assert empty.rows("select run, topic, document, score from rankings order by all") == [
            ("bm25", "1", "a", 1.5),
            ("bm25", "1", "b", 2),
            ("dense/v2", "1", "a", 1),
        ]
    assert empty.rows("select distinct run, meta['system'] from runs") == [(each, each) for each in systems]
    with pytest.raises(
        UsageError, match=r"runs.json/bm25 is one run of several in its file; they cannot all be called x"
    ):
        empty.load_runs(file, name="x")
    with (
        pytest.raises(InputError, match="dense/v2: is one run of several in its file; load that file by itself"),
        staged_file(empty.database, file, "x", RunOptions()),
    ):
        pass
    with pytest.raises(InputError, match=r'bad.json/y: JSON, row 1: score "b" is not a number .topic 1, document a'):
        empty.load_runs(write(tmp_path / "bad.json", '{"x": {"1": {"a": 1}}, "y": {"1": {"a": "b"}}}'))
    with pytest.raises(InputError, match=r"topic bm25: expected {document: grade}, found an object or a list under 1"):
        empty.load_qrels(file)
    for name in ("run", "results"):  # these name no system
        whole = write(tmp_path / f"under {name}.json", json.dumps({name: systems["bm25"]}))
        assert empty.load_runs(whole) == [f"under {name}"]
    # Elasticsearch before version 7 begins as such a file does.
    old = {"1": {"hits": {"total": 1, "hits": [{"_id": "a", "_score": 3}]}}}
    assert empty.load_runs(write(tmp_path / "old.json", json.dumps(old))) == ["old"]


def test_an_archive_stands_for_its_runs(empty: Warehouse, tmp_path: Path, results: Path) -> None:
    opened: Any = tarfile.open
    for mode in ("w", "w:gz", "w:bz2", "w:xz"):
        with opened(tmp_path / "results.tar", mode) as archive:
            archive.add(results, arcname="results")
        with pytest.warns(InputWarning, match="skipped") as told:
            assert empty.load_runs(tmp_path / "results.tar", replace=True) == ["a", "b", "c"]
        assert len([each for each in told if "skipped" in str(each.message)]) == 1
        assert empty.loader.notices == ["read as TREC (2 files), JSON (1 file)"]
        assert empty.rows("select count(*) from retrieved") == [(8,)]
    zipped = shutil.make_archive(str(tmp_path / "results"), "zip", results)
    with pytest.warns(InputWarning, match="skipped"):
        assert sorted(empty.load_runs(zipped, replace=True)) == ["a", "b", "c"]
    locked = bytearray(Path(zipped).read_bytes())
    for start, flag in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):  # where a member says that it is locked
        for found in re.finditer(start, bytes(locked)):
            locked[found.start() + flag] |= 1
    with pytest.raises(InputError, match=r"cannot be read as a zip archive: .*password required"):
        empty.load_runs(write(tmp_path / "locked.zip", bytes(locked)), replace=True)


def test_a_zip_archive_holds_all_that_is_read(empty: Warehouse, tmp_path: Path) -> None:
    parts = []
    for name in ("first.run", "second.run"):
        with zipfile.ZipFile(tmp_path / "one.zip", "w") as archive:
            archive.writestr(name, RUN)
        parts.append((tmp_path / "one.zip").read_bytes())
    for content in (b"".join(parts), parts[0] + RUN.encode()):  # as cat puts them together
        with pytest.raises(InputError, match=r"two\.zip: .* something stands before or behind it, as another archive"):
            empty.load_runs(write(tmp_path / "two.zip", content))
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("first.run", bytes(10**7))
    with pytest.raises(InputError, match=r"bomb\.zip: .* it grows 1,000 times when it is unpacked"):
        empty.load_runs(tmp_path / "bomb.zip")
    nameless = parts[0].replace(b"first.run", b"\0irst.run")
    assert empty.load_runs(write(tmp_path / "two.zip", nameless)) == ["two.zip"]
    with zipfile.ZipFile(tmp_path / "link.zip", "w") as archive:
        archive.writestr("first.run", RUN.replace("7", "6"))
        link = zipfile.ZipInfo("soft.run")
        link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "first.run")
    with pytest.warns(InputWarning, match=r"1 file skipped: .*link\.zip/soft\.run \(no regular file\)"):
        assert empty.load_runs(tmp_path / "link.zip") == ["first"]


def test_archives_are_bounded_by_their_own_folder(empty: Warehouse, tmp_path: Path) -> None:
    path = tmp_path / "evil.tar"
    with tarfile.open(path, "w") as archive:
        for name in ("../../outside.run", "/outside2.run"):
            member = tarfile.TarInfo(name)
            member.size = len(RUN)
            archive.addfile(member, io.BytesIO(RUN.encode()))
    assert empty.load_runs(path) == ["outside", "outside2"]
    assert not list(tmp_path.parent.glob("outside*"))
    broken = write(tmp_path / "broken.tar", path.read_bytes()[:600])
    with pytest.raises(InputError, match=r"broken.tar: cannot be read as a tar archive"):
        empty.load_runs(broken)


def test_what_an_archive_holds_besides_files_is_told(empty: Warehouse, tmp_path: Path) -> None:
    first = tmp_path / "first.tar"
    with tarfile.open(first, "w") as archive:
        archive.add(write(tmp_path / "a.run", RUN), arcname="a.run")
        for name, kind in (("hard.run", tarfile.LNKTYPE), ("soft.run", tarfile.SYMTYPE), ("folder", tarfile.DIRTYPE)):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, "a.run"
            archive.addfile(member)
        holes = tarfile.TarInfo("holes.run")  # half a kilobyte of the archive, a hundred megabytes on the disk
        sizes = {"major": "1", "minor": "0", "name": "holes.run", "realsize": str(10**8)}
        holes.pax_headers, holes.size = {f"GNU.sparse.{key}": value for key, value in sizes.items()}, 512
        archive.addfile(holes, io.BytesIO(b"0\n".ljust(512, b"\0")))
    with pytest.warns(InputWarning) as told:
        assert empty.load_runs(first) == ["a"]
    listed = ", ".join(f"{first}/{name}.run (no regular file)" for name in ("hard", "soft", "holes"))
    assert [str(each.message) for each in told] == [f"3 files skipped: {listed}"]
    twice = write(tmp_path / "twice.tar", first.read_bytes() * 2)
    with pytest.raises(InputError, match=r"twice\.tar: more follows the end of the archive, .*; tar -i unpacks it all"):
        empty.load_runs(twice, replace=True)


def test_a_folder_of_beir_has_judgments(command: Command, empty: Warehouse, tmp_path: Path) -> None:
    beir = tmp_path / "scifact"
    write(beir / "corpus.jsonl", '{"_id": "d1", "title": "", "text": "x"}\n')
    write(beir / "queries.jsonl", '{"_id": "1", "text": "x"}\n')
    write(beir / "qrels" / "train.tsv", QRELS.replace("d2", "d9"))
    write(tmp_path / "none" / "qrels" / "notes.md", "x")
    with pytest.raises(UsageError, match="the folder has no file of judgments"):
        empty.load_qrels(tmp_path / "none")
    write(beir / "qrels" / "dev.tsv", QRELS)
    with pytest.raises(UsageError, match=r"several files of judgments; name one of .*dev.tsv, .*train.tsv"):
        empty.load_qrels(beir)
    write(beir / "qrels" / "test.tsv", QRELS)
    assert empty.load_qrels(beir) == "scifact"
    assert empty.rows(HELD) == JUDGED
    assert empty.loader.notices == [f"read as TSV, {beir / 'qrels' / 'test.tsv'}"]
    run = write(tmp_path / "r.run", RUN)
    done = command("eval", beir, run, "-m", "AP", "--format", "csv")
    assert done.stdout == "qrels,run,AP\nscifact,r,0.75\n", done.stderr


# Datasets by name


class _Qrels(BaseQrels):  # type: ignore[misc]
    def qrels_iter(self) -> Iterator[TrecQrel]:
        yield from (TrecQrel(topic, name, grade, "0") for topic, name, grade in JUDGED)

    def qrels_cls(self) -> type[TrecQrel]:
        return TrecQrel  # type: ignore[no-any-return]


class _Queries(BaseQueries):  # type: ignore[misc]
    def queries_iter(self) -> Iterator[GenericQuery]:
        yield GenericQuery("1", "what is it")
        yield GenericQuery("2", "and why")


class _Scored(BaseScoredDocs):  # type: ignore[misc]
    def scoreddocs_iter(self) -> Iterator[GenericScoredDoc]:
        yield GenericScoredDoc("1", "d1", 2.0)
        yield GenericScoredDoc("1", "d2", 1.0)


@pytest.fixture(scope="module")
def local() -> str:
    name = "evalsql-test/tiny/test"
    if name not in ir_datasets.registry:
        ir_datasets.registry.register(name, Dataset(_Qrels(), _Queries(), _Scored()))
        ir_datasets.registry.register("evalsql-test/bare", Dataset(_Queries()))
    return f"irds:{name}"


def test_a_dataset_has_judgments_a_run_and_topics(
    command: Command, empty: Warehouse, tmp_path: Path, local: str
) -> None:
    assert empty.load_qrels(local) == "evalsql-test/tiny/test"
    assert empty.rows(HELD) == JUDGED
    assert empty.load_runs(local, name="first stage") == ["first stage"]
    ranked = empty.rows("select topic, document, score from rankings order by rank")
    assert ranked == [("1", "d1", 2.0), ("1", "d2", 1.0)]
    assert empty.load_topics(local).keys == {"text": 2}
    assert empty.rows("select topic, text from topic_texts order by topic") == [("1", "what is it"), ("2", "and why")]
    assert empty.rows("select file from files where kind = 'topics.text'") == [(local,)]
    run = write(tmp_path / "r.run", RUN)
    assert evalsql.evaluate(local, run, "AP") == {"AP": 0.75}
    done = command("eval", local, run, "-m", "AP", "--format", "csv")
    assert done.stdout == "qrels,run,AP\nevalsql-test/tiny/test,r,0.75\n", done.stderr


def test_what_a_dataset_does_not_have_is_told(empty: Warehouse, monkeypatch: pytest.MonkeyPatch, local: str) -> None:
    with pytest.raises(UsageError, match="irds:no/such: ir_datasets knows no dataset of this name"):
        empty.load_qrels("irds:no/such")
    with pytest.raises(UsageError, match="the dataset has no judgments, but topics"):
        empty.load_qrels("irds:evalsql-test/bare")
    with pytest.raises(UsageError, match="datasets have judgments with grades; --form preferences takes a file"):
        empty.load_qrels(local, form="preferences")
    monkeypatch.setitem(__import__("sys").modules, "ir_datasets", None)
    with pytest.raises(UsageError, match=r"pip install 'evalsql\[irds\]'"):
        empty.load_qrels(local)


@pytest.mark.long
def test_scores_in_a_folder_with_brackets_are_those_of_no_other_folder(
    empty: Warehouse, command: Command, tmp_path: Path
) -> None:
    for folder, value in {"lake[1]": 0.25, "lake1": 0.75}.items():
        (tmp_path / folder).mkdir()
        rows = f"select 'q' as qrels, 'r' as run, unnest(['q1', 'q2']) as topic, 'AP' as measure, {value} as value"
        empty.execute(f"copy ({rows}) to '{tmp_path / folder / 's.parquet'}' (format parquet)")
    empty.load_qrels(write(tmp_path / "q.txt", "q1 0 d1 1\nq2 0 d1 1\n"))
    empty.load_scores(tmp_path / "lake[1]")
    assert empty.rows("select distinct value from stored_values") == [(0.25,)]
    assert empty.rows("select file from files where kind = 'run'") == [(str(tmp_path / "lake[1]" / "s.parquet"),)]
    board = ("leaderboard", "-m", "AP", "--format", "csv", "--db", "w.duckdb")
    for words in (("load", "qrels", "q.txt", "--db", "w.duckdb"), (*board, "--lake", "lake[1]")):
        assert command(*words).returncode == 0
    assert "q,r,0.25" in command(*board, "--lake", "lake[1]").stdout
    assert command("load", "scores", "lake[1]", "--db", "w.duckdb").returncode == 0
    assert "q,r,0.25" in command(*board).stdout
