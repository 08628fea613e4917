"""``evalsql load scores`` of results that other programs wrote, most of them without values by topic."""

import gzip
import io
import json
import random
import re
import shutil
import tarfile
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

from evalsql import InputError, InputWarning, UsageError, Warehouse
from evalsql.evaluation.notices import audits, findings
from tests.conftest import SAMPLE, Command, csv_rows, warned
from tests.long_cases import content, few_of, one_in, rows_of

HERE = Path(__file__).parent
VALUES = "select run, measure, value from collection_scores join runs using (run_id) order by all"
TREC = "map \tall\t0.25\nndcg_cut_10 \tall\t0.35\n"
RANX = {
    **{"stat_test": "student", "metrics": ["ndcg@10"], "model_names": ["r1", "s1"]},
    **{name: {"scores": {"ndcg@10": value}, "comparisons": {}} for name, value in (("r1", 0.5), ("s1", 0.7))},
}


def mteb(task: str, *, split: str = "test", **keys: Any) -> dict[str, Any]:
    entry = {"hf_subset": "default", "languages": ["eng-Latn"], "nauc_ndcg_at_10_max": float("nan"), **keys}
    return {"task_name": task, "dataset_revision": "d1", "mteb_version": "2.0", "scores": {split: [entry]}}


def write(folder: Path, files: dict[str, Any]) -> Path:
    for name, given in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(given if isinstance(given, str) else json.dumps(given))
    return folder


RESULTS = {
    "r/org__m/1/A.json": mteb("A", ndcg_at_10=0.5, map_at_100=0.25, mrr_at_10=0.75, main_score=0.5),
    "r/org__m/1/model_meta.json": {"name": "org/m", "revision": "1"},
    "r/org__m/2/A.json": mteb("A", ndcg_at_10=0.625, main_score=0.625),
    "r/bm25/external/B.json": mteb("B", main_score=0.375, accuracy=0.375, map_at_10=0.125) | {"date": 86400.5},
    "r/org__m/3/A.json": mteb("A", v_measure=0.5),
    "r/old__m/1/A.json": {"mteb_dataset_name": "A", "test": {"ndcg_at_10": 0.0625, "evaluation_time": 9.5}},
}
LOADED = [
    ("bm25@external/B", "AP@10", 0.125),
    ("bm25@external/B", "accuracy", 0.375),
    ("old/m@1/A", "nDCG@10", 0.0625),
    *[("org/m@1/A", name, value) for name, value in (("AP@100", 0.25), ("RR@10", 0.75), ("nDCG@10", 0.5))],
    ("org/m@2/A", "nDCG@10", 0.625),
]


@pytest.mark.parametrize("packed", few_of(["gzip", "folder", "lzma", "zip"], 1))
def test_a_folder_of_mteb_is_runs_of_systems(empty: Warehouse, tmp_path: Path, packed: str) -> None:
    source = write(tmp_path, RESULTS) / "r"
    if packed == "zip":
        source = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", source.parent, "r"))
    elif packed != "folder":
        with tarfile.open(tmp_path / "plain", "w") as archive:
            archive.add(source, "r")
        source = tmp_path / "results"
        source.write_bytes(import_module(packed).compress((tmp_path / "plain").read_bytes()))
    with pytest.warns(InputWarning, match="1 file without results skipped: .*model_meta.json"):
        empty.load_scores(source)
    assert empty.rows(VALUES) == LOADED
    assert empty.loader.notices == [
        "4 result files: 3 systems, 2 collections, 5 measures",
        "not loaded: 3 measures that evalsql does not have, such as evaluation_time",
    ]
    ((meta, sums),) = empty.rows(
        "select meta, sha256 from runs join files on id = run_id where run = 'bm25@external/B'"
    )
    assert meta == {
        **{"system": "bm25", "version": "external", "collection": "B"},
        **{"dataset_revision": "d1", "mteb_version": "2.0", "date": "1970-01-02 00:00:00"},
    }
    assert len(sums) == 64
    assert findings(empty.evaluation, audits(empty.catalog)) == []


def test_the_main_score_is_the_measure_that_equals_it_everywhere(empty: Warehouse, tmp_path: Path) -> None:
    folder = write(
        tmp_path / "r",
        {
            "o__a/1/T.json": mteb("T", ndcg_at_10=0.5, map_at_10=0.5, main_score=0.5),
            "o__b/1/T.json": mteb("T", ndcg_at_10=0.25, map_at_10=0.75, main_score=0.75),
            "o__c/1/T.json": mteb("T", main_score=0.125),
            "o__d/1/U.json": mteb("U", ndcg_at_10=0.25, main_score=0.75),
        },
    )
    empty.load_scores(folder)
    held = empty.rows("select run, value, measure from collection_scores join runs using (run_id) order by all")
    assert {("o/c@1/T", 0.125, "AP@10"), ("o/d@1/U", 0.75, "main_score")} < set(held)
    assert len(held) == 7


def test_of_splits_test_is_taken_and_of_subsets_the_mean(empty: Warehouse, tmp_path: Path) -> None:
    drawing = random.Random(3)
    values = [drawing.random() for _ in range(12)]
    one = mteb("T")
    subsets = [{"ndcg_at_10": each, "map_at_10": each / 3, "main_score": each} for each in values]
    one["scores"] |= {"dev": [{"ndcg_at_10": 0.9}], "test": subsets}
    old: dict[str, Any] = {"mteb_dataset_name": "T", "test": {f"l{at}": each for at, each in enumerate(subsets)}}
    old["test"]["evaluation_time"] = 17.5
    alone = mteb("T", main_score=0.5)
    empty.load_scores(write(tmp_path, {"r/o__a/1/T.json": one, "r/o__b/1/T.json": old, "r/o__c/1/T.json": alone}) / "r")
    mean = pytest.approx(np.mean(values), abs=1e-15)
    of_each = [("AP@10", pytest.approx(np.mean(values) / 3, abs=1e-15)), ("nDCG@10", mean)]
    expected = [(f"o/{system}@1/T", *each) for system in "ab" for each in of_each]
    assert empty.rows(VALUES) == [*expected, ("o/c@1/T", "nDCG@10", 0.5)]
    one["scores"]["train"] = one["scores"].pop("test")
    with pytest.raises(InputError, match=r"T\.json: has the splits dev, train and no split test"):
        empty.load_scores(write(tmp_path, {"o__a/2/T.json": one}) / "o__a/2/T.json")


def test_files_that_are_no_text_are_skipped_in_folders_alone(empty: Warehouse, tmp_path: Path) -> None:
    folder = write(tmp_path, {"r/o__a/1/T.json": mteb("T", ndcg_at_10=0.5)}) / "r"
    (folder / "cache.pkl").write_bytes(b"\x80\x05\x95\xff\xfe")
    write(folder, {"o__a/1/S.json": {"mteb_dataset_name": "S", "test": {"cos_sim": {"pearson": 0.5}}}})
    warnings = warned(lambda: empty.load_scores(folder))
    assert [re.sub(r": .*/", ": ", each) for each in warnings] == [
        "1 file without results skipped: cache.pkl",
        "1 file without measures that evalsql has skipped: S.json",
    ]
    assert empty.rows(VALUES) == [("o/a@1/T", "nDCG@10", 0.5)]
    with pytest.raises(InputError, match=r"cache\.pkl: is a Python pickle"):
        empty.load_scores(folder / "cache.pkl")
    (folder / "latin.csv").write_bytes("system,collection,measure,value\né,c,AP,1\n".encode("latin1"))
    with pytest.raises(InputError, match=r"latin\.csv: not UTF-8 text; iconv"):
        empty.load_scores(folder, replace=True)


@pytest.mark.parametrize(
    ("name", "given", "told", "values"),
    one_in(3, [
        ("b.json", {"NDCG@10": 0.5, "Hole@10": 1}, {"collection": "c"}, [("b/c", "nDCG@10", 0.5)]),
        ("b.json", [{"NDCG@10": 0.5}, {"MAP@5": 0.25}], {"system": "s", "version": "2", "collection": "c"}, [
            ("s@2/c", "AP@5", 0.25), ("s@2/c", "nDCG@10", 0.5),
        ]),
        ("x.json", RANX, {"collection": "c"}, [("r1/c", "nDCG@10", 0.5), ("s1/c", "nDCG@10", 0.7)]),
        ("t.txt", "runid\tall\tx y\nnum_ret \tall\t50\n" + TREC, {"collection": "c"}, [
            ("t/c", "AP", 0.25), ("t/c", "NumRet", 50), ("t/c", "nDCG@10", 0.35),
        ]),
        # Over three topics, of which one retrieves nothing; and two names of one measure.
        ("t.txt", "map \t1\t0.5\nmap \t2\t0.25\nmap \tall\t0.25\n", {"collection": "c"}, [("t/c", "AP", 0.25)]),
        ("t.txt", "Rprec \tall\t0.25\nRprec_mult_1.00 \tall\t0.25\n", {"collection": "c"}, [("t/c", "Rprec", 0.25)]),
        ("t.txt", "map  all  0.25\nP_5 all .5\n", {"collection": "c"}, [("t/c", "AP", 0.25), ("t/c", "P@5", 0.5)]),
        ("i.txt", "AP\t0.25\nnDCG@10\t0.5\n", {"collection": "c"}, [("i/c", "AP", 0.25), ("i/c", "nDCG@10", 0.5)]),
        ("t.csv", 'model,task,revision,metric,score\n"a, b",c,,MAP,.5\nd,c,1,Own,7\n', {}, [
            ("a, b/c", "AP", 0.5), ("d@1/c", "Own", 7),
        ]),
        ("t.jsonl", '{"run":"a","dataset":"c","measure":"AP","value":0.5}\n', {}, [("a/c", "AP", 0.5)]),
        ("w.tsv", "System\tC\td\na\t50\t\nb\t\t25\n", {"measure": "AP", "percent": True}, [
            ("a/C", "AP", 0.5), ("b/d", "AP", 0.25),
        ]),
    ]),
)  # fmt: skip
def test_what_other_programs_wrote(
    empty: Warehouse, tmp_path: Path, name: str, given: Any, told: dict[str, Any], values: list[tuple[Any, ...]]
) -> None:
    write(tmp_path, {name: given})
    empty.load_scores(tmp_path / name, **told)
    assert empty.rows(VALUES) == values
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress((tmp_path / name).read_bytes()))
    with pytest.raises(UsageError, match="already loaded: "):
        empty.load_scores(tmp_path / f"{name}.gz", **told)
    empty.load_scores(tmp_path / f"{name}.gz", replace=True, **told)
    assert empty.rows(VALUES) == values


REFUSED: list[tuple[dict[str, Any], str, str]] = [
    *(
        ({name: content(text).decode()}, collection, told)
        for name, text, collection, told in rows_of(HERE / "refused_results.tsv")
    ),
    (
        {"a.csv": f"system,collection,measure,value\n{'a' * 200_000},c,AP,1\n"},
        *("", "a.csv:2: a value is longer than"),
    ),
    (
        {"o__a/1/T.json": mteb("T", ndcg_at_10=0.5), "more/o__a/1/U.json": mteb("T", ndcg_at_10=0.5)},
        *("", "U.json: nDCG@10 of o/a@1/T is given twice, first by .*T.json"),
    ),
]


@pytest.mark.parametrize(("files", "collection", "reason"), one_in(3, REFUSED))
def test_results_that_are_refused(
    empty: Warehouse, tmp_path: Path, files: dict[str, Any], collection: str, reason: str
) -> None:
    write(tmp_path, files)
    with pytest.raises(InputError, match=reason):
        empty.load_scores([tmp_path / name for name in files], collection=collection or None)
    assert empty.rows("select (select count(*) from runs), (select count(*) from files)") == [(0, 0)]


def test_values_of_topics_are_stored_where_their_judgments_are_here(empty: Warehouse, tmp_path: Path) -> None:
    empty.load_qrels({"1": {"a": 1}, "2": {"a": 1}}, "q", meta={"collection": "c"})
    write(tmp_path, {
        "t.txt": "map \t1\t0.5\nmap \t2\t0.25\nmap \tall\t0.375\ngm_map \tall\t0.35\n",
        "i.txt": "1\tAP\t0.5\n2\tAP\t0.25\nall\tAP\t0.375\n",
        "p.txt": "1\tAP\t0.5\n",
        "k.txt": "1\tnDCG@10\t0.5\n2\tnDCG@10\t0.25\n",
    })  # fmt: skip
    empty.load_scores(tmp_path / "t.txt", collection="c", system="s", version="1")
    empty.load_scores(tmp_path / "i.txt", qrels="q")
    assert empty.evaluate("AP").fetchall() == [("q", "i/c", 0.375), ("q", "s@1/c", 0.375)]
    assert empty.rows("select count(*) from collection_scores") == [(0,)]
    assert empty.rows(
        "select run, meta['system'], num_rows from runs join files on (kind, id) = ('run', run_id) order by run"
    ) == [*[("i/c", "i", 2), ("s@1/c", "s", 2)]]
    empty.load_scores(tmp_path / "t.txt", collection="elsewhere")
    assert empty.rows(VALUES) == [("t/elsewhere", "AP", 0.375), ("t/elsewhere", "GMAP", 0.35)]
    with pytest.raises(InputError, match="no judgments of d here have the topics; evalsql load qrels FILE"):
        empty.load_scores(tmp_path / "p.txt", collection="d")
    with pytest.raises(InputError, match=r"o\.txt:2: Own is no measure of evalsql"):
        empty.load_scores(
            write(tmp_path, {"o.txt": "system,topic,measure,value\ns,1,Own,1\n"}) / "o.txt", collection="c"
        )
    with pytest.raises(InputError, match="for 1 of the 2 topics of judgments q"):
        empty.load_scores(tmp_path / "p.txt", collection="c")
    empty.load_scores(tmp_path / "k.txt", collection="c")
    assert empty.evaluate("nDCG@10").fetchall() == [("q", "k/c", 0.375)]
    assert findings(empty.evaluation, audits(empty.catalog)) == []


def test_a_topic_may_be_called_nought(empty: Warehouse, tmp_path: Path) -> None:
    empty.load_qrels({"0": {"a": 1}}, "c")
    write(tmp_path, {"t.json": '{"system": "s", "collection": "c", "topic": 0, "measure": "AP", "value": 0.5}'})
    empty.load_scores(tmp_path / "t.json", qrels="c")
    assert empty.rows("select topic, value from stored_scores join topics using (topic_id)") == [("0", 0.5)]
    assert empty.rows("from collection_scores") == []


def test_a_name_has_rankings_or_figures(empty: Warehouse, tmp_path: Path) -> None:
    file = write(tmp_path, {"b.json": {"AP": 0.5}}) / "b.json"
    empty.load_run({"1": {"a": 1}}, "b/c")
    with pytest.raises(UsageError, match="the rankings or answers of b/c are here"):
        empty.load_scores(file, collection="c", replace=True)
    empty.drop_runs("b/c")
    empty.load_scores(file, collection="c")
    with pytest.raises(UsageError, match="already loaded: b/c"):
        empty.load_run({"1": {"a": 1}}, "b/c")
    empty.load_run({"1": {"a": 1}}, "b/c", replace=True)
    assert empty.rows("select (select count(*) from collection_scores), (select count(*) from files)") == [(0, 1)]


@pytest.mark.long
def test_figures_over_collections_alone_are_told_apart(demo: Command, tmp_path: Path) -> None:
    write(tmp_path, {"t.csv": "system,collection,version,measure,value\nx,c,1,AP,.5\nx,d,1,AP,.5\ny,c,,AP,.5\n"})
    assert demo("load", "scores", "t.csv").returncode == 0
    told = "only figures over collections are held of x@1/c; evalsql board shows them\n"
    assert demo("leaderboard", "x@1/c").stderr == f"evalsql: {told}"
    assert demo("leaderboard", "bm25", "x@1/c", "-m", "AP").stderr == told
    assert "figures over" not in demo("leaderboard", "-m", "AP").stderr
    assert "only figures over collections are held of x@1/c, x@1/d" in demo("history", "x").stderr
    assert "needs rankings, and none are here of x@1/c" in demo("export", "runs", "x@1/c").stderr
    listed = demo("ls")
    assert "figures over whole collections: 3 runs, 2 systems on 2 collections" in listed.stderr
    assert "x@1/c" not in listed.stdout
    assert [row["name"] for row in csv_rows(demo("ls", "x*", "--format", "csv").stdout)][1:] == ["x@1/c", "x@1/d"]
    assert "0 runs would go; systems: x, y" in demo("keep", "--last", "1", "--dry-run").stderr
    assert "3 runs left out" in demo("load", "qrels", SAMPLE / "qrels.txt", "--name", "again", "--run", "*").stderr
    assert demo("check", "--quick").returncode == 0
    assert demo("export", "warehouse", "copy").returncode == 0
    assert demo("import", "copy", "--db", "copy.duckdb").returncode == 0
    query = "select sum(value) as total from collection_scores"
    assert csv_rows(demo("sql", query, "--db", "copy.duckdb", "--format", "csv").stdout) == [{"total": "1.5"}]
    assert "3 runs dropped" in demo("drop", "runs", "x*", "y/c").stderr
    assert csv_rows(demo("sql", query, "--format", "csv").stdout) == [{"total": ""}]


def test_the_command_reads_standard_input(command: Command) -> None:
    done = command("load", "scores", "-", "--system", "s", "--collection", "c", stdin=TREC)
    assert done.stderr == "loaded 1 result file: 1 system, 1 collection, 2 measures\n"
    asked = command("sql", "select measure, value from collection_scores order by 1", "--format", "csv")
    assert csv_rows(asked.stdout) == [{"measure": "AP", "value": "0.25"}, {"measure": "nDCG@10", "value": "0.35"}]


@pytest.mark.long
def test_real_results_of_mteb(empty: Warehouse, real: Path) -> None:
    empty.load_scores(real / "mteb" / "eng-v2-retrieval.tar.xz")
    assert empty.rows("""
        select count(*), count(distinct meta['system']), count(distinct meta['collection']),
            (select count(*) from collection_scores where measure = 'nDCG@10')
        from runs
    """) == [(2563, 301, 10, 2563)]


@pytest.mark.parametrize("name", ["qrels", "run", "topic", "measure"])
@pytest.mark.parametrize("lies", [False, True])
def test_a_row_without_a_name_is_refused_whatever_the_file_says_of_nulls(
    empty: Warehouse, tmp_path: Path, name: str, lies: bool
) -> None:
    """The bytes 22 and 54 stand before a count of nulls, which is 1 here."""
    rows = {"qrels": "q", "run": "r", "topic": "1", "measure": "AP", "value": 0.5}
    table = pyarrow.Table.from_pylist([rows, {**rows, name: None}])
    parquet.write_table(table, stream := io.BytesIO(), compression="none", use_dictionary=False)
    content, count = re.subn(rb"(?<=[\x16\x36])\x02(?=\()", b"\0", stream.getvalue())
    (tmp_path / "bad.parquet").write_bytes(content if lies else stream.getvalue())
    held = [parquet.read_metadata(tmp_path / "bad.parquet").row_group(0).column(at).statistics for at in range(5)]
    assert (count > 0, sum(each.null_count for each in held)) == (True, 0 if lies else 1)
    with pytest.raises(InputError, match=f"bad.parquet: no {name} in 1 row\n"):
        empty.load_scores(tmp_path / "bad.parquet")
