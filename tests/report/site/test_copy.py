"""The copy of the warehouse that a site carries: what the pages show, nothing else, and the same figures."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import evalsql
from evalsql.catalog.relations import read_catalog
from tests.conftest import in_process, new_file, write
from tests.report.site.conftest import Small, unpacked, write_site


def console_data(site: Path) -> dict[str, Any]:
    text = (site / "sql.html").read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="console-data">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def values(warehouse: evalsql.Warehouse, call: str) -> list[tuple[Any, ...]]:
    return warehouse.rows(f"select qrels, run, topic, value from {call} order by all")


def same(one: list[tuple[Any, ...]], other: list[tuple[Any, ...]]) -> bool:
    """Sums of many terms may differ in their last digit from one call to the next."""
    return len(one) == len(other) and all(
        row[:3] == like[:3] and math.isclose(row[3], like[3], rel_tol=0, abs_tol=1e-12)
        for row, like in zip(one, other, strict=True)
    )


def test_measures_have_the_values_of_the_warehouse(site: Path, sample_file: Path, tmp_path: Path) -> None:
    data = console_data(site)
    assert data["depth"] == 5
    with evalsql.open(sample_file, read_only=True) as whole, unpacked(site, tmp_path / "copy.duckdb") as copy:
        assert copy.rows("select count(*) from rankings") < whole.rows("select count(*) from rankings")
        # At defaults, and at others where a measure reads nothing but judged documents.
        for relation in read_catalog().measures:
            is_exact = relation.name not in data["partial"] or any(
                call.startswith(f"{relation.name}(") for call in data["exact"]
            )
            call = f"{relation.name}()"
            assert not is_exact or same(values(whole, call), values(copy, call)), relation.name
        assert "rbp_resid" in data["partial"]
        assert not any(call.startswith("rbp_resid(") for call in data["exact"])
        assert "tap(k := 5)" in data["exact"]
        for call in ("ndcg(k := 20)", "ap(rel := 2)", "p(k := 100)", "ndcg(ties := 'worst')"):
            assert same(values(whole, call), values(copy, call)), call
        assert not same(values(whole, "tap(k := 20)"), values(copy, "tap(k := 20)"))


def test_what_is_named_as_not_exact_is_all_there_is(site: Path, sample_file: Path, tmp_path: Path) -> None:
    """Every view that has other rows in the copy is named, unless it says what the copy is."""
    partial = {*console_data(site)["partial"]}
    with evalsql.open(sample_file, read_only=True) as whole, unpacked(site, tmp_path / "copy.duckdb") as copy:
        views = [relation.name for relation in read_catalog().of_kind("reports") if not relation.parameters]
        quick = [name for name in views if name not in ("tie_effects", "tie_dependent_pairs", "litmus")]
        other = {
            name
            for name in quick
            if whole.rows(f"select * from {name} order by all") != copy.rows(f"select * from {name} order by all")
        }
    assert other - {"holdings", "inventory"} <= partial
    assert "rankings" in other


def test_only_what_the_site_shows_is_in_it(tmp_path: Path) -> None:
    database = new_file(tmp_path)
    with evalsql.open(database) as warehouse:
        warehouse.load_qrels({"1": {"a": 1, "b": 0}}, "open")
        warehouse.load_qrels({"2": {"secret document": 1}}, "secret judgments")
        warehouse.load_run({"1": {"a": 2.0, "b": 1.0}}, "shown", qrels="open")
        warehouse.load_run({"1": {"c": 2.0}, "3": {"secret too": 1.0}}, "secret run", qrels="open")
        warehouse.load_run({"2": {"secret document": 2.0}}, "secret other", qrels="secret judgments")
    site = write_site(database, tmp_path / "site", "shown", "--qrels", "open")
    with unpacked(site, tmp_path / "copy.duckdb") as copy:
        assert copy.rows("select run from runs") == [("shown",)]
        assert copy.rows("select qrels from qrels") == [("open",)]
        assert sorted(copy.rows("select document from documents")) == [("a",), ("b",)]
        assert copy.rows("select topic from topics") == [("1",)]
        assert copy.rows("select depth from runs") == [(None,)]
    for path in site.rglob("*.*"):
        if path.is_file() and path.suffix != ".gz":
            assert "secret" not in path.read_text(encoding="utf-8"), path
    assert b"secret" not in (tmp_path / "copy.duckdb").read_bytes()


def test_a_ranking_that_is_not_by_score_is_held_whole_and_measures_of_one_s_own_are_in_it(small: Small) -> None:
    with evalsql.open(small.database, read_only=True) as warehouse:
        asked = "select value from tap(k := 2) where run = 'by rank'"
        tap = warehouse.rows(asked)
    assert small.copy.rows("select max(rank) from rankings where run = 'by rank'") == [(20,)]
    assert small.copy.rows(asked) == tap
    assert small.copy.rows("select value from first_grade where run = 'night1'") == [(2.0,)]
    page = (small.site / "measures" / "first_grade.html").read_text(encoding="utf-8")
    assert "Grade of the first document" in page


def test_a_folder_with_something_else_is_left_alone(tmp_path: Path, sample_file: Path) -> None:
    mine = write(tmp_path / "mine" / "notes.txt", "mine")
    outcome = in_process(tmp_path, ["site", "-o", "mine", "--db", sample_file], "")
    assert outcome.returncode == 2
    assert "is not a site of evalsql" in outcome.stderr
    assert mine.read_text() == "mine"
    assert in_process(tmp_path, ["site", "--db", sample_file], "").returncode == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine"]


def test_the_same_call_writes_the_same_and_a_site_is_replaced_whole_or_stays(sample_file: Path, tmp_path: Path) -> None:
    one, other = (write_site(sample_file, tmp_path / name, "--depth", 5, "dense", "bm25") for name in ("one", "other"))
    names = sorted(path.relative_to(one).as_posix() for path in one.rglob("*") if path.is_file())
    assert names == sorted(path.relative_to(other).as_posix() for path in other.rglob("*") if path.is_file())
    # DuckDB leaves what it does not use of its file as the memory was.
    (copy,) = (name for name in names if "duckdb" in name and not name.endswith(".js"))
    assert [name for name in names if (one / name).read_bytes() != (other / name).read_bytes()] in ([], [copy])
    with unpacked(one, tmp_path / "1.duckdb") as first, unpacked(other, tmp_path / "2.duckdb") as second:
        for table in read_catalog().of_kind("tables"):
            asked = f"select * from main.{table.name}"
            assert first.rows(asked) == second.rows(asked), table.name
    write(tmp_path / "broken" / "duckdb-eh.wasm", "no engine")
    failed = in_process(tmp_path, ["site", "-o", "one", "--db", sample_file, "dense", "--wasm", "broken"], "")
    assert failed.returncode == 2
    assert "npm pack @duckdb/duckdb-wasm@" in failed.stderr
    assert (one / "systems" / "bm25.html").exists()
    write_site(sample_file, one, "--whole", "dense")
    assert not (one / "systems" / "bm25.html").exists()
    assert not [path for path in tmp_path.iterdir() if ".part" in path.name or ".before" in path.name]
    data = console_data(one)
    assert (data["depth"], data["partial"], data["exact"]) == (None, [], [])
    with evalsql.open(sample_file, read_only=True) as whole, unpacked(one, tmp_path / "copy.duckdb") as held:
        asked = "select * from rankings where run = 'dense' order by topic, rank"
        assert whole.rows(asked) == held.rows(asked)
