"""What tests of a site share: the site of the demonstration's data, of hostile names, and DuckDB-Wasm."""

import gzip
import os
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Page

import evalsql
from evalsql import Warehouse
from evalsql.report.site.site_folder import SiteServer
from tests.conftest import in_process, made_once, new_file, write
from tests.report.conftest import Watched

OWN = """-- measure: FirstGrade
-- title: Grade of the first document
-- definition: The grade of the document at rank 1.
-- range: 0 9
-- mean: arithmetic
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cast(coalesce(ordered_ranks.grade, 0) as double) as value
from evaluated_topics
left join ordered_ranks() as ordered_ranks
    on ordered_ranks.evaluation_id = evaluated_topics.evaluation_id and ordered_ranks.rank = 1
"""
WASM = os.environ.get("EVALSQL_DUCKDB_WASM", "")


@pytest.fixture(scope="session")
def wasm() -> Path:
    """The unpacked package of DuckDB-Wasm; without it tests are skipped, unless they are demanded."""
    if not WASM and not os.environ.get("EVALSQL_DEMAND_WASM"):
        pytest.skip("EVALSQL_DUCKDB_WASM names no folder with the unpacked npm package @duckdb/duckdb-wasm")
    return Path(WASM)


def write_site(database: Path, folder: Path, *options: object, engine: bool = False) -> Path:
    """Write a site of a copy of a warehouse, whose settings it locks; with the engine where there is one."""
    database = Path(shutil.copy(database, folder.with_name(f"{folder.name}.duckdb")))
    words = [*options, *(["--wasm", WASM] if engine and WASM else [])]
    outcome = in_process(folder.parent, ["site", "-o", folder.name, "--db", database, *words], "")
    assert outcome.returncode == 0, outcome.stderr
    assert outcome.stdout == ""
    return folder


@pytest.fixture(scope="session")
def site(sample_file: Path) -> Path:
    """The site of the sample, whose readers have the first five documents of each ranking."""
    return made_once("site", lambda folder: write_site(sample_file, folder, "--depth", 5, engine=True))


@pytest.fixture(scope="session")
def hostile(nasty: Path) -> Path:
    """The site of names that mean something elsewhere."""
    database = nasty / "evalsql.duckdb"
    return made_once("hostile", lambda folder: write_site(database, folder, "--title", "<b>&", engine=True))


@contextmanager
def unpacked(site: Path, path: Path) -> Iterator[Warehouse]:
    """The copy of the warehouse that a site carries."""
    if not path.exists():
        path.write_bytes(gzip.decompress((site / "warehouse.duckdb.gz").read_bytes()))
    with evalsql.open(path, read_only=True) as warehouse:
        yield warehouse


@pytest.fixture(scope="session")
def copy(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warehouse]:
    """The copy that the sample's site carries."""
    with unpacked(site, tmp_path_factory.mktemp("copy") / "copy.duckdb") as copy:
        yield copy


class Small(NamedTuple):
    """A warehouse of what is rare: two sets of like names, loads of a system, an order not by score, an own measure.

    There is more in it, all called secret, which the site does not show.
    """

    database: Path
    site: Path
    copy: Warehouse


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Small]:
    folder = made_once("small", make_small)
    with unpacked(folder / "site", tmp_path_factory.mktemp("small") / "copy.duckdb") as copy:
        yield Small(folder / "small.duckdb", folder / "site", copy)


def make_small(folder: Path) -> None:
    folder.mkdir()
    database = new_file(folder).rename(folder / "small.duckdb")
    with evalsql.open(database) as warehouse:
        warehouse.load_qrels({"1": {"a": 1, "b": 0}}, "\u00dc/..")
        warehouse.load_qrels({"1": {"a": 0, "b": 1}}, "\u00fc/..")
        warehouse.load_run({"1": {"a": 2.0, "b": 1.0}}, "one", qrels=["\u00dc/..", "\u00fc/.."])
        warehouse.load_run({"1": {"a": 1.0, "b": 2.0}}, "two", qrels=["\u00dc/..", "\u00fc/.."])
        warehouse.load_qrels({"1": {"a": 2, "b": 0}}, "nights")
        for day, scores in enumerate(({"a": 2.0, "b": 1.0}, {"a": 1.0, "b": 2.0}), start=1):
            meta = {"system": "hybrid", "version": f"v{day}", "date": f"2026-11-0{day}"}
            warehouse.load_run({"1": scores}, f"night{day}", qrels="nights", meta=meta)
        warehouse.load_run({"1": {"a": 1.0}}, "other", qrels="nights")
        warehouse.load_qrels({"1": {f"d{at}": int(at > 15) for at in range(1, 21)}}, "ranks")
        ranked = "".join(f"1 Q0 d{at} {at} {at % 7} r\n" for at in range(1, 21))
        path = write(folder / "r.run", ranked)
        warehouse.load_runs(str(path), name="by rank", tie_rule="rank", qrels="ranks")
        warehouse.load_qrels({"2": {"secret document": 1}}, "secret judgments")
        warehouse.load_run({"1": {"a": 1.0, "secret too": 2.0}}, "secret run", qrels="nights")
        warehouse.load_run({"2": {"secret document": 2.0}}, "secret other", qrels="secret judgments")
        warehouse.load_weights({"2": 2.0}, "secret judgments")
        for name, is_set in (("secret run", False), ("secret judgments", True), ("one", False)):
            warehouse.annotate(name, meta={"note": "secret partner"}, qrels=is_set)
            warehouse.annotate(name, remove="note", qrels=is_set)
        warehouse.load_measures(write(folder / "own" / "first_grade.sql", OWN))
    sets = [word for name in ("\u00dc/..", "\u00fc/..", "nights", "ranks") for word in ("--qrels", name)]
    shown = ("one", "two", "night*", "other", "by rank", *sets)
    write_site(database, folder / "site", *shown, "-m", "RR", "--depth", 3)


def served(folder: Path) -> closing[SiteServer]:
    return closing(SiteServer(folder))


class Visitor(Watched):
    """A page of a site that is served."""

    def __init__(self, browser: Browser, server: SiteServer, **options: Any) -> None:
        super().__init__(browser.new_page(**options))
        self.server = server

    @property
    def elsewhere(self) -> list[str]:
        """What was asked of other places."""
        return [url for url in self.requests if not url.startswith((self.server.address, "blob:", "data:"))]

    def go(self, address: str) -> Page:
        self.page.goto(self.server.address + address)
        return self.page


@contextmanager
def visiting(browser: Browser, folder: Path, **options: Any) -> Iterator[Visitor]:
    """A visitor of a site, which complains of nothing and asks nothing of other places."""
    with served(folder) as server:
        visitor = Visitor(browser, server, **options)
        yield visitor
        visitor.page.close()
        assert visitor.complaints == []
        assert visitor.elsewhere == []
