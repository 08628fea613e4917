"""The copy of the warehouse that a site carries: what the pages show, nothing else, and the same figures."""

import base64
import gzip
import hashlib
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import evalsql
from evalsql import UsageError, Warehouse
from evalsql.catalog.relations import read_catalog
from evalsql.report.site import console_page
from evalsql.report.site.site_parts import SetResults, gather
from tests.conftest import in_process, write
from tests.report.site.conftest import Small, unpacked, write_site


def console_data(site: Path) -> dict[str, Any]:
    text = (site / "sql.html").read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="console-data">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    return dict(json.loads(found[1]))


def same(one: Warehouse, other: Warehouse, call: str) -> bool:
    """Sums of many terms may differ in their last digit from one call to the next."""
    query = f"select qrels, run, topic, value from {call} order by all"
    rows, others = one.rows(query), other.rows(query)
    return [row[:3] for row in rows] == [row[:3] for row in others] and [row[3] for row in rows] == pytest.approx(
        [row[3] for row in others], rel=0, abs=1e-12
    )


@pytest.mark.long
def test_measures_have_the_values_of_the_warehouse(site: Path, sample: Warehouse, copy: Warehouse) -> None:
    data = console_data(site)
    exact = {call.partition("(")[0] for call in data["exact"]}
    assert data["depth"] == 5
    assert copy.rows("select count(*) from rankings") < sample.rows("select count(*) from rankings")
    # At defaults, and at others where a measure reads nothing but judged documents.
    for relation in read_catalog().measures:
        if relation.name not in data["partial"] or relation.name in exact:
            assert same(sample, copy, f"{relation.name}()"), relation.name
    assert "rbp_resid" in data["partial"]
    assert "rbp_resid" not in exact
    assert "tap(k := 5)" in data["exact"]
    for call in ("ndcg(k := 20)", "ap(rel := 2)", "p(k := 100)", "ndcg(ties := 'worst')"):
        assert same(sample, copy, call), call
    assert not same(sample, copy, "tap(k := 20)")


@pytest.mark.long
def test_what_is_named_as_not_exact_is_all_there_is(site: Path, sample: Warehouse, copy: Warehouse) -> None:
    """Every view that has other rows in the copy is named, unless it says what the copy is."""
    views = [relation.name for relation in read_catalog().of_kind("reports") if not relation.parameters]
    queries = {
        name: f"select * from {name} order by all"
        for name in views
        if name not in ("tie_effects", "tie_dependent_pairs", "litmus")  # they take long
    }
    other = {name for name, query in queries.items() if sample.rows(query) != copy.rows(query)}
    assert other - {"holdings", "inventory"} <= {*console_data(site)["partial"]}
    assert "rankings" in other


@pytest.mark.long
def test_only_what_the_site_shows_is_in_it(small: Small) -> None:
    runs = ("by rank", "night1", "night2", "one", "other", "two")
    assert small.copy.rows("select run from runs order by run") == [(run,) for run in runs]
    sets = ("nights", "ranks", "\u00dc/..", "\u00fc/..")
    assert small.copy.rows("select qrels from qrels order by qrels") == [(name,) for name in sets]
    documents = ("a", "b", *(f"d{at}" for at in range(1, 21)))
    assert {document for (document,) in small.copy.rows("select document from documents")} == {*documents}
    assert small.copy.rows("select topic from topics") == [("1",)]
    assert {depth for (depth,) in small.copy.rows("select depth from runs where run <> 'by rank'")} == {None}
    for path in small.site.rglob("*.*"):
        if path.is_file() and path.suffix != ".gz":
            assert "secret" not in path.read_text(encoding="utf-8"), path
    assert b"secret" not in gzip.decompress((small.site / "warehouse.duckdb.gz").read_bytes())


@pytest.mark.long
def test_no_table_has_rows_of_what_was_left_out(small: Small) -> None:
    """Keys are the same in the copy, so that each table can be asked for those of runs and judgments that are not."""
    with evalsql.open(small.database, read_only=True) as warehouse:
        keys = {
            key: {*warehouse.database.column(f"select {key} from {table}")}
            - {*small.copy.database.column(f"select {key} from {table}")}
            for key, table in (("run_id", "runs"), ("qrels_id", "qrels"), ("evaluation_id", "evaluations"))
        }
        held = {
            relation.name
            for relation in read_catalog().of_kind("tables")
            if warehouse.rows(f"select 1 from main.{relation.name} limit 1")
        }
    assert all(keys.values())
    assert {"meta_changes", "files", "topic_weights", "judged_ranks", "retrieved"} <= held
    without_keys = set()
    for relation in read_catalog().of_kind("tables"):
        own = {key for key in keys if key in relation.columns}
        for key in own:
            assert not {*small.copy.database.column(f"select {key} from main.{relation.name}")} & keys[key], (
                relation.name
            )
        if not own:
            without_keys.add(relation.name)
    files = {
        kind: {*small.copy.database.column(f"select id from files where kind = '{kind}'")} for kind in ("run", "qrels")
    }
    assert not files["run"] & keys["run_id"]
    assert not files["qrels"] & keys["qrels_id"]
    assert small.copy.rows("select * from files where kind = 'weights'") == []
    filled = {name for name in without_keys if small.copy.rows(f"select 1 from main.{name} limit 1")}
    assert filled == {"warehouse", "measures", "relations", "added_relations", "documents", "topics", "files"}


@pytest.mark.long
def test_a_ranking_that_is_not_by_score_is_held_whole_and_measures_of_one_s_own_are_in_it(small: Small) -> None:
    with evalsql.open(small.database, read_only=True) as warehouse:
        asked = "select value from tap(k := 2) where run = 'by rank'"
        tap = warehouse.rows(asked)
    assert small.copy.rows("select max(rank) from rankings where run = 'by rank'") == [(20,)]
    assert small.copy.rows(asked) == tap
    assert small.copy.rows("select value from first_grade where run = 'night1'") == [(2.0,)]
    page = (small.site / "measures" / "first_grade.html").read_text(encoding="utf-8")
    assert "Grade of the first document" in page


def test_a_baseline_that_is_several_runs_is_refused(sample: Warehouse) -> None:
    with pytest.raises(UsageError, match="stands for 2 runs: rerank-large, rerank-small; name one"):
        gather(sample, ["AP"], baseline="rerank-*")


def test_a_folder_with_something_else_is_left_alone(tmp_path: Path, sample_file: Path) -> None:
    mine = write(tmp_path / "mine" / "notes.txt", "mine")
    outcome = in_process(tmp_path, ["site", "-o", "mine", "--db", sample_file], "")
    assert outcome.returncode == 2
    assert "is not a site of evalsql" in outcome.stderr
    assert mine.read_text() == "mine"
    assert in_process(tmp_path, ["site", "--db", sample_file], "").returncode == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine"]


@pytest.mark.long
def test_the_same_call_writes_the_same_and_a_site_is_replaced_whole_or_stays(
    sample: Warehouse, sample_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = ("-m", "AP", "--depth", 5, "dense", "bm25")
    one, other = (write_site(sample_file, tmp_path / name, *few) for name in ("one", "other"))
    names, others = (
        sorted(path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()) for site in (one, other)
    )
    assert names == others
    # DuckDB leaves what it does not use of its file as the memory was.
    (copy,) = (name for name in names if "duckdb" in name and not name.endswith(".js"))
    assert [name for name in names if (one / name).read_bytes() != (other / name).read_bytes()] in ([], [copy])
    with unpacked(one, tmp_path / "1.duckdb") as first, unpacked(other, tmp_path / "2.duckdb") as second:
        for table in read_catalog().of_kind("tables"):
            asked = f"select * from main.{table.name}"
            assert first.rows(asked) == second.rows(asked), table.name
    write(tmp_path / "broken" / "duckdb-eh.wasm", "no engine")
    failed = in_process(tmp_path, ["site", "-o", "one", "--db", "one.duckdb", "dense", "--wasm", "broken"], "")
    assert failed.returncode == 2
    assert "npm pack @duckdb/duckdb-wasm@" in failed.stderr
    assert (one / "systems" / "bm25.html").exists()
    engine = bytes(3_000_000)
    digest = base64.b64encode(hashlib.sha384(engine).digest()).decode()
    monkeypatch.setattr(console_page, "_SUMS", dict.fromkeys(console_page._SUMS, f"sha384-{digest}"))
    for name in console_page._SUMS:
        write(tmp_path / "engine" / name, engine)
    words = ["site", "-o", "other", "--db", "one.duckdb", "-m", "AP", "dense", "--wasm", "engine"]
    told = in_process(tmp_path, words, "").stderr
    size = sum(path.stat().st_size for path in other.rglob("*") if path.is_file())
    assert told.startswith("wrote other: ")
    assert f", {size / 1e6:.1f} MB; " in told
    write_site(sample_file, one, "-m", "AP", "--whole", "dense")
    assert not (one / "systems" / "bm25.html").exists()
    assert not [path for path in tmp_path.iterdir() if ".part" in path.name or ".before" in path.name]
    data = console_data(one)
    assert (data["depth"], data["partial"], data["exact"]) == (None, [], [])
    with unpacked(one, tmp_path / "whole.duckdb") as held:
        asked = "select * from rankings where run = 'dense' order by topic, rank"
        assert sample.rows(asked) == held.rows(asked)


def test_a_baseline_is_evaluated_with_a_judgment_set_of_the_site(empty: Warehouse) -> None:
    for topic in ("1", "2"):
        empty.load_qrels({topic: {"d": 1}}, f"set{topic}")
        empty.load_run({topic: {"d": 1.0}}, f"run{topic}", qrels=[f"set{topic}"])
    with pytest.raises(UsageError, match="run2 is not evaluated with any of these judgment sets"):
        gather(empty, ["AP"], qrels="set1", baseline="run2")


@pytest.mark.long
def test_the_name_of_a_sites_folder_is_no_pattern(empty: Warehouse, tmp_path: Path) -> None:
    empty.load_qrels({"1": {"d": 1}}, "set")
    empty.load_run({"1": {"d": 1.0}}, "run")
    write(tmp_path / "site2" / "rows" / "runs.parquet", "another's")
    (tmp_path / "site[2]").mkdir()
    console_page.write_copy(empty.database, gather(empty, ["AP"]), tmp_path / "site[2]", None)
    with unpacked(tmp_path / "site[2]", tmp_path / "copy.duckdb") as held:
        assert held.rows("select run from runs") == [("run",)]


def test_the_baseline_and_the_first_have_marks_of_their_own() -> None:
    results: Any = SimpleNamespace(baseline="b")
    assert [SetResults.mark(results, run, place) for place, run in enumerate("abc", 1)] == [
        "system",
        "baseline",
        "mark",
    ]


def test_a_folder_without_the_engine_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=rf"{tmp_path} contains no .*\.wasm; npm pack .* fetches the package"):
        console_page.copy_engine(tmp_path, tmp_path)


@pytest.mark.parametrize(
    ("runs", "sets", "is_whole"),
    [
        ((), (), True),
        (("one-sys",), (), False),
        ((), ("first-set", "second-set"), False),
        (("one-sys",), ("first-set",), False),
    ],
)
def test_nothing_that_was_not_chosen_is_in_a_site(
    tmp_path: Path, runs: tuple[str, ...], sets: tuple[str, ...], is_whole: bool
) -> None:
    """Neither on its pages, of which the board has many systems and judgment sets, nor in its copy."""
    held_sets, held_runs = ["first-set", "second-set", "third-set"], ["one-sys", "two-sys"]
    with evalsql.open(tmp_path / "w.duckdb") as warehouse:
        for name in held_sets:
            warehouse.load_qrels({"q1": {"a": 1, "b": 0}, "q2": {"c": 1}}, name)
        for name in held_runs:
            warehouse.load_run({"q1": {"b": 2.0, "a": 1.0}, "q2": {"c": 1.0}}, name, qrels=held_sets)
            warehouse.annotate(name, meta={"secret": f"hidden-{name}"})
    options = [word for name in sets for word in ("--qrels", name)]
    written = write_site(tmp_path / "w.duckdb", tmp_path / "site", *runs, *options, "-m", "AP")
    # A report says how far other judgment sets of the same documents agree with its own.
    files = {path: path.read_bytes() for path in written.rglob("*") if path.is_file()}
    reports = b"".join(files.pop(path) for path in [*files] if path.name == "report.html")
    text = b"\n".join(gzip.decompress(each) if each[:2] == b"\x1f\x8b" else each for each in files.values())
    expected = {*(runs or held_runs), *(sets or held_sets), *(f"hidden-{name}" for name in runs or held_runs)}
    words = {*held_sets, *held_runs, *(f"hidden-{name}" for name in held_runs)}
    assert {each for each in words if each.encode() in text} == expected
    assert {each for each in words.difference(held_sets) if each.encode() in reports} == {*(runs or held_runs)}
    assert is_whole == (expected == words)
