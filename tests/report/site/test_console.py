"""The console in Chromium: its figures are the warehouse's, nothing leaves the site, whatever is asked."""

from __future__ import annotations

import csv
import io
import math
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, Route

import evalsql
from evalsql.report.site import console_page
from evalsql.report.site.console_page import about, questions
from evalsql.report.site.site_folder import SiteServer, _Handler
from tests.conftest import new_file, write
from tests.report.conftest import NASTY
from tests.report.site.conftest import Visitor, served, unpacked, write_site

COMPARED = ("ap()", "ndcg(k := 10)", "tap(k := 5)")


@pytest.fixture(scope="module")
def with_engine(sample_file: Path, wasm: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("engine") / "site"
    return write_site(sample_file, folder, "--depth", 5, "--wasm", wasm)


@pytest.fixture(scope="module")
def console(browser: Browser, with_engine: Path) -> Iterator[Visitor]:
    with served(with_engine) as server:
        visitor = Visitor(browser, server)
        visitor.go("sql.html")
        yield visitor
        visitor.page.close()


def wait(page: Page) -> str:
    page.locator("body[data-state=done], body[data-state=failed]").wait_for()
    return str(page.get_attribute("body", "data-state"))


def ask(page: Page, sql: str) -> list[list[str]]:
    """The rows of the file that readers can take with them, its head first."""
    page.fill("#sql", sql)
    page.evaluate("document.body.dataset.state = ''")
    page.click("button.run")
    assert wait(page) == "done", page.inner_text("#status")
    with page.expect_download() as download:
        page.click("a[download]")
    return list(csv.reader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8"))))


def same(shown: list[list[str]], rows: list[tuple[Any, ...]]) -> bool:
    return len(shown) == len(rows) + 1 and all(
        math.isclose(float(text), value, rel_tol=0, abs_tol=1e-12) if isinstance(value, float) else text == str(value)
        for texts, row in zip(shown[1:], rows, strict=True)
        for text, value in zip(texts, row, strict=True)
    )


@pytest.mark.parametrize("call", ["ap()", "ndcg(k := 10)", "tap(k := 5)", "ndcg(k := 20)", "rbp(p := 0.9, rel := 2)"])
def test_figures_are_those_of_the_warehouse(console: Visitor, sample_file: Path, call: str) -> None:
    asked = f"select qrels, run, topic, value from {call} order by all"
    shown = ask(console.page, asked)
    with evalsql.open(sample_file, read_only=True) as warehouse:
        rows = warehouse.rows(asked)
    assert len(rows) == 320
    assert same(shown, rows)
    assert console.page.query_selector("#doubt") is None


@pytest.mark.parametrize("at", range(10))
def test_every_question_of_the_sql_s_page_has_its_rows(
    console: Visitor, with_engine: Path, at: int, tmp_path: Path
) -> None:
    page = console.page
    button = page.locator("button.ask").nth(at)
    page.evaluate("document.body.dataset.state = ''")
    button.click()
    assert wait(page) == "done", page.inner_text("#status")
    sql = button.get_attribute("data-sql") or ""
    with page.expect_download() as download:
        page.click("a[download]")
    shown = list(csv.reader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8"))))
    with unpacked(with_engine, tmp_path / "copy.duckdb") as copy:
        rows = copy.rows(sql)
    assert rows
    # Where the order leaves a choice, either may come first.
    assert same(shown, rows) or same([shown[0], *sorted(shown[1:])], sorted(rows))
    assert len(page.query_selector_all("#results tbody tr")) == len(rows)


def test_the_address_carries_the_query(browser: Browser, with_engine: Path) -> None:
    asked = "select 'a''b' as one, 1.5 as two, null as three, '' as four, 'x\"y,z\nw' as five, run from runs limit 1"
    with served(with_engine) as server:
        visitor = Visitor(browser, server)
        page = visitor.go(f"sql.html#q={quote(asked)}")
        assert wait(page) == "done"
        assert page.input_value("#sql") == asked
        cells = page.locator("#results tbody tr").first.locator("th, td")
        texts = cells.all_text_contents()
        assert texts[0] == "a'b"
        assert 'x"y,z\nw' in texts
        assert page.locator("#results tbody a").count() == 1
        with page.expect_download() as download:
            page.click("a[download]")
        text = Path(download.value.path()).read_text(encoding="utf-8")
        assert text.startswith('one,two,three,four,five,run\na\'b,1.5,,"","x""y,z\nw",')
        page.click("text=link to this query")
        assert visitor.complaints == []
        assert visitor.elsewhere == []
        page.close()


def test_mistakes_are_told_and_work_goes_on(console: Visitor) -> None:
    page = console.page
    page.fill("#sql", "select nothing from nowhere")
    page.evaluate("document.body.dataset.state = ''")
    page.click("button.run")
    assert wait(page) == "failed"
    assert "nowhere" in page.inner_text("#status")
    assert ask(page, "select 1 as one;  ")[1:] == [["1"]]
    assert ask(page, "describe runs")[1][0] == "run_id"
    assert ask(page, "select 1 as a -- and no more")[1:] == [["1"]]


def test_what_reads_whole_rankings_is_said_to_be_inexact(console: Visitor) -> None:
    for sql, named in (
        ("select count(*) from rankings", "rankings"),
        ("from tap(k := 50)", "tap"),
        ("select * from rbp_resid() limit 3", "rbp_resid"),
    ):
        ask(console.page, sql)
        assert f"Not exact here: {named} reads whole rankings" in console.page.inner_text("#doubt")
    for sql in (
        "from tap limit 1",
        "select value from tap( k:=5 ) limit 1",
        "select 'rankings' as word from ap limit 1",
    ):
        ask(console.page, sql)
        assert console.page.query_selector("#doubt") is None, sql


def test_nothing_is_read_from_elsewhere(browser: Browser, with_engine: Path, tmp_path: Path) -> None:
    write(tmp_path / "data.csv", "a,b\n1,2\n")
    with served(with_engine) as server, served(tmp_path) as elsewhere:
        visitor = Visitor(browser, server)
        page = visitor.go("sql.html")
        ask(page, "select count(*) as runs from runs")
        assert visitor.complaints == []
        assert visitor.elsewhere == []
        for sql in (
            f"select * from read_csv('{elsewhere.address}data.csv')",
            f"from '{elsewhere.address}data.csv'",
            "install httpfs",
            "select * from read_parquet('x.parquet')",
        ):
            page.fill("#sql", sql)
            page.evaluate("document.body.dataset.state = ''")
            page.click("button.run")
            assert wait(page) == "failed", sql
        assert elsewhere.requested == []
        page.close()


def test_columns_and_relations_are_completed(console: Visitor) -> None:
    page = console.page
    page.fill("#sql", "")
    page.type("#sql", "select run from ndc")
    page.locator("#completions [role=option]").first.wait_for()
    assert "ndcg(" in page.locator("#completions").inner_text()
    page.keyboard.press("Tab")
    assert page.input_value("#sql") == "select run from ndcg("
    page.type("#sql", "k := 10) where run = 'rerank-l")
    page.locator("#completions [role=option]").first.wait_for()
    page.keyboard.press("Enter")
    assert page.input_value("#sql").endswith("run = 'rerank-large'")


def test_hostile_names_stay_text(browser: Browser, nasty: Path, wasm: Path, tmp_path: Path) -> None:
    folder = write_site(nasty / "evalsql.duckdb", tmp_path / "site", "--wasm", wasm)
    with served(folder) as server:
        visitor = Visitor(browser, server)
        page = visitor.go("sql.html")
        shown = ask(page, "select run, avg(value) as value from ap group by run order by run")
        assert [row[0] for row in shown[1:]] == sorted(NASTY)
        assert page.query_selector("#results img, #results script") is None
        assert page.locator("#results tbody a").count() == len(NASTY)
        for at in range(10):
            page.evaluate("document.body.dataset.state = ''")
            page.locator("button.ask").nth(at).click()
            assert wait(page) == "done", page.inner_text("#status")
        assert visitor.complaints == []
        assert visitor.elsewhere == []
        page.close()


def test_a_large_copy_is_fetched_in_ranges(
    browser: Browser, sample_file: Path, wasm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console_page, "MOST_WHOLE", 1000)
    folder = write_site(sample_file, tmp_path / "site", "--wasm", wasm)
    assert (folder / "warehouse.duckdb").is_file()
    with served(folder) as server:
        visitor = Visitor(browser, server)
        page = visitor.go("sql.html")
        asked = "select qrels, run, topic, value from ap() order by all"
        with evalsql.open(sample_file, read_only=True) as warehouse:
            assert same(ask(page, asked), warehouse.rows(asked))
        assert server.requested.count("/warehouse.duckdb") > 3
        assert visitor.elsewhere == []
        page.close()


class Permitting(_Handler):
    """Whoever asks may read what is sent, as from a CDN."""

    def end_headers(self) -> None:
        self.send_header("Access-Control-Allow-Origin", "*")
        super().end_headers()


def test_without_a_folder_the_engine_comes_from_its_cdn_and_is_checked(
    browser: Browser, site: Path, wasm: Path, tmp_path: Path
) -> None:
    """The network is played here: the CDN's answer is that of the package, then another.

    It leads to a copy beside the site, since 37 MB take the browser's driver half a minute.
    """
    shutil.copytree(site, tmp_path / "site")
    for is_right in (True, False):
        with served(tmp_path / "site") as server:
            server.RequestHandlerClass = Permitting
            visitor = Visitor(browser, server)
            page = visitor.page

            def answer(route: Route, *, server: SiteServer = server, added: bytes = b"" if is_right else b"\n") -> None:
                name = route.request.url.rpartition("/")[2]
                write(tmp_path / "site" / "cdn" / name, next(wasm.rglob(name)).read_bytes() + added)
                headers = {"location": f"{server.address}cdn/{name}", "access-control-allow-origin": "*"}
                route.fulfill(status=302, headers=headers)

            page.route("https://cdn.jsdelivr.net/**", answer)
            visitor.go("sql.html")
            page.click("button.run")
            assert wait(page) == ("done" if is_right else "failed")
            where = "https://cdn.jsdelivr.net/npm/@duckdb/duckdb-wasm@1.33.1-dev65.0/dist/"
            assert sorted(visitor.elsewhere) == [f"{where}duckdb-browser-eh.worker.js", f"{where}duckdb-eh.wasm"]
            page.close()


def test_trec_covid_has_the_figures_of_the_warehouse(browser: Browser, wasm: Path, real: Path, tmp_path: Path) -> None:
    folder, database = real / "trec-covid-r5", tmp_path / "covid.duckdb"
    with evalsql.open(new_file(tmp_path).rename(database)) as warehouse:
        warehouse.load_qrels(folder / "qrels.txt", "covid")
        warehouse.load_runs(sorted(map(str, (folder / "runs").iterdir()))[::5])
        calls = {call: f"select qrels, run, topic, value from {call} order by all" for call in COMPARED}
        expected = {call: warehouse.rows(asked) for call, asked in calls.items()}
    with served(write_site(database, tmp_path / "site", "--wasm", wasm)) as server:
        visitor = Visitor(browser, server)
        page = visitor.go("sql.html")
        for call, asked in calls.items():
            assert len(expected[call]) == 26 * 50
            assert same(ask(page, asked), expected[call]), call
        assert visitor.complaints == []
        assert visitor.elsewhere == []
        page.close()


def test_questions_are_about_runs_that_are_there() -> None:
    here = questions(["rerank-large", "hybrid", "bm25", "dense"])
    assert len(here) == 10
    assert "before.run = 'hybrid'" in here[2][1]
    there = questions(['A "b"', "it's", "c"])
    assert "where before.run = 'it''s' and after.run = 'A \"b\"'" in there[2][1]
    assert 'before.value as "it\'s", after.value as "A ""b"""' in there[2][1]
    assert about("from ap where run = 'bm25'", []) == "from ap where run = 'bm25'"
