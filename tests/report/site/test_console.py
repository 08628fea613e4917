"""The console in Chromium: its figures are the warehouse's, nothing leaves the site, whatever is asked."""

import csv
import io
import math
import shutil
from collections.abc import Iterator, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, Route

import evalsql
from evalsql import Warehouse
from evalsql.catalog.sql_text import tokens
from evalsql.report.site import console_page
from evalsql.report.site.console_page import about, questions
from evalsql.report.site.site_folder import SiteServer, _Handler
from tests.conftest import new_file, write
from tests.long_cases import few_of
from tests.report.conftest import NASTY
from tests.report.site.conftest import Small, Visitor, served, visiting, write_site

VALUES = "select qrels, run, topic, value from {} order by all"


@pytest.fixture(scope="module")
def console(wasm: Path, browser: Browser, site: Path) -> Iterator[Page]:
    """The console of the sample's site; at the end it has complained of mistakes alone, and asked no other place."""
    with served(site) as server:
        visitor = Visitor(browser, server)
        yield visitor.go("sql.html")
        visitor.page.close()
        mistakes = ("Table with name nowhere", "oops", "syntax error")
        assert all(any(each in text for each in mistakes) for text in visitor.complaints), visitor.complaints
        assert visitor.elsewhere == []


def wait(page: Page) -> str:
    page.locator("body[data-state=done], body[data-state=failed]").wait_for()
    return str(page.get_attribute("body", "data-state"))


def run(page: Page, sql: str) -> str:
    page.fill("#sql", sql)
    page.evaluate("document.body.dataset.state = ''")
    page.click("button.run")
    return wait(page)


def taken(page: Page) -> str:
    """The file that readers can take with them."""
    with page.expect_download() as download:
        page.click("a[download]")
    return Path(download.value.path()).read_text(encoding="utf-8")


def ask(page: Page, sql: str) -> list[list[str]]:
    """The rows of that file, its head first."""
    assert run(page, sql) == "done", page.inner_text("#status")
    return list(csv.reader(io.StringIO(taken(page))))


def same(shown: list[list[str]], rows: list[tuple[Any, ...]]) -> bool:
    return len(shown) == len(rows) + 1 and all(
        math.isclose(float(text), value, rel_tol=0, abs_tol=1e-12) if isinstance(value, float) else text == str(value)
        for texts, row in zip(shown[1:], rows, strict=True)
        for text, value in zip(texts, row, strict=True)
    )


@pytest.mark.parametrize(
    "call", few_of(["ap()", "ndcg(k := 10)", "tap(k := 5)", "ndcg(k := 20)", "rbp(p := 0.9, rel := 2)"], 1)
)
def test_figures_are_those_of_the_warehouse(console: Page, sample: Warehouse, call: str) -> None:
    rows = sample.rows(VALUES.format(call))
    assert len(rows) == 320
    assert same(ask(console, VALUES.format(call)), rows)
    assert console.query_selector("#doubt") is None


@pytest.mark.long
@pytest.mark.usefixtures("wasm")
@pytest.mark.parametrize("at", range(10))
def test_every_question_of_the_sql_s_page_has_its_rows(console: Page, copy: Warehouse, at: int) -> None:
    button = console.locator("button.ask").nth(at)
    console.evaluate("document.body.dataset.state = ''")
    button.click()
    assert wait(console) == "done", console.inner_text("#status")
    shown = list(csv.reader(io.StringIO(taken(console))))
    rows = copy.rows(button.get_attribute("data-sql") or "")
    assert rows
    # Where the order leaves a choice, either may come first.
    assert same(shown, rows) or same([shown[0], *sorted(shown[1:])], sorted(rows))
    assert console.locator("#results tbody tr").count() == len(rows)


@pytest.mark.long
def test_the_address_carries_the_query(console: Page) -> None:
    asked = "select 'a''b' as one, 1.5 as two, null as three, '' as four, 'x\"y,z\nw' as five, run from runs limit 1"
    console.evaluate("document.body.dataset.state = ''")
    console.goto(f"{console.url.partition('#')[0]}#q={quote(asked)}")
    assert wait(console) == "done"
    assert console.input_value("#sql") == asked
    texts = console.locator("#results tbody tr").first.locator("th, td").all_text_contents()
    assert texts[0] == "a'b"
    assert 'x"y,z\nw' in texts
    assert console.locator("#results tbody a").count() == 1
    assert taken(console).startswith('one,two,three,four,five,run\na\'b,1.5,,"","x""y,z\nw",')
    console.click("text=link to this query")


@pytest.mark.long
def test_a_link_that_is_cut_within_a_sign_ends_nothing(console: Page) -> None:
    console.goto(f"{console.url.partition('#')[0]}#q=%E0%A4%A")
    console.reload()
    assert ask(console, "select 42 as a")[1:] == [["42"]]


@pytest.mark.long
def test_mistakes_are_told_and_work_goes_on(console: Page) -> None:
    assert run(console, "select nothing from nowhere") == "failed"
    assert "nowhere" in console.inner_text("#status")
    for lines, wrong in (
        (["select oops"], 1),
        (["select 1,", *["2,"] * 8, "oops"], 10),
        (["summarize", "select", "oops"], 3),
    ):
        assert run(console, "\n".join(lines)) == "failed"
        *_, line, caret = (console.text_content("#status") or "").splitlines()
        assert (line, caret.index("^")) == (f"LINE {wrong}: {lines[wrong - 1]}", line.index("oops"))
    assert run(console, "select * from") == "failed"
    assert console.inner_text("#status").endswith('syntax error at or near ")", at the end of the query')
    assert ask(console, "select 1 as one;  ")[1:] == [["1"]]
    assert ask(console, "describe runs")[1][0] == "run_id"
    assert ask(console, "select 1 as a -- and no more")[1:] == [["1"]]


@pytest.mark.long
def test_a_heading_sorts(console: Page) -> None:
    ask(console, "select * from (values ('b2', -1.5), ('b10', 20), ('', null), ('a', 3)) as t(name, value)")
    orders = {"value": ["20.0000", "3.0000", "\u22121.5000", ""], "name": ["a", "b2", "b10", ""]}
    for at, (name, order) in enumerate(reversed(orders.items())):
        for direction in (order, [*order[-2::-1], ""]):
            console.click(f"#results thead button:text-is('{name}')")
            cells = console.locator(f"#results tbody tr > :nth-child({2 * at + 1 if at else 1})")
            assert [text.strip() for text in cells.all_text_contents()] == direction


@pytest.mark.long
@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ("select count(*) from rankings", "rankings"),
        ("from tap(k := 50)", "tap"),
        ("select * from rbp_resid() limit 3", "rbp_resid"),
        ("from tap limit 1", ""),
        ("select value from tap( k:=5 ) limit 1", ""),
        ("select 'rankings' as word from ap limit 1", ""),
    ],
)
def test_what_reads_whole_rankings_is_said_to_be_inexact(console: Page, sql: str, named: str) -> None:
    ask(console, sql)
    told = console.locator("#doubt").all_inner_texts()
    assert len(told) == bool(named)
    assert all(f"Not exact here: {named} reads whole rankings" in text for text in told)


@pytest.mark.long
def test_nothing_is_read_from_elsewhere(wasm: Path, browser: Browser, site: Path, tmp_path: Path) -> None:
    write(tmp_path / "data.csv", "a,b\n1,2\n")
    with served(site) as server, served(tmp_path) as elsewhere:
        page = Visitor(browser, server).go("sql.html")
        for sql in (
            f"select * from read_csv('{elsewhere.address}data.csv')",
            f"from '{elsewhere.address}data.csv'",
            "install httpfs",
            "select * from read_parquet('x.parquet')",
        ):
            assert run(page, sql) == "failed", sql
        assert elsewhere.requested == []
        page.close()


@pytest.mark.long
def test_columns_and_relations_are_completed(console: Page) -> None:
    console.fill("#sql", "")
    console.type("#sql", "select run from ndc")
    console.locator("#completions [role=option]").first.wait_for()
    assert "ndcg(" in console.locator("#completions").inner_text()
    console.keyboard.press("Tab")
    assert console.input_value("#sql") == "select run from ndcg("
    console.type("#sql", "k := 10) where run = 'rerank-l")
    console.locator("#completions [role=option]").first.wait_for()
    console.keyboard.press("Enter")
    assert console.input_value("#sql").endswith("run = 'rerank-large'")


@pytest.mark.long
def test_hostile_names_stay_text(wasm: Path, browser: Browser, hostile: Path) -> None:
    with visiting(browser, hostile) as visitor:
        page = visitor.go("sql.html")
        shown = ask(page, "select run, avg(value) as value from ap group by run order by run")
        assert [row[0] for row in shown[1:]] == sorted(NASTY)
        assert page.query_selector("#results img, #results script") is None
        assert page.locator("#results tbody a").count() == len(NASTY)
        for at in range(10):
            page.evaluate("document.body.dataset.state = ''")
            page.locator("button.ask").nth(at).click()
            assert wait(page) == "done", page.inner_text("#status")


@pytest.mark.long
def test_a_large_copy_is_fetched_in_ranges(
    wasm: Path, browser: Browser, sample: Warehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console_page, "MOST_WHOLE", 1000)
    folder = write_site(Path(sample.path), tmp_path / "site", "-m", "AP", engine=True)
    assert (folder / "warehouse.duckdb").is_file()
    with visiting(browser, folder) as visitor:
        assert same(ask(visitor.go("sql.html"), VALUES.format("ap()")), sample.rows(VALUES.format("ap()")))
        assert visitor.server.requested.count("/warehouse.duckdb") > 3


class Permitting(_Handler):
    """Whoever asks may read what is sent, as from a CDN."""

    def end_headers(self) -> None:
        self.send_header("Access-Control-Allow-Origin", "*")
        super().end_headers()


@pytest.mark.long
def test_without_a_folder_the_engine_comes_from_its_cdn_and_is_checked(
    wasm: Path, browser: Browser, small: Small, tmp_path: Path
) -> None:
    """The network is played here: the CDN's answer is that of the package, then another.

    It leads to a copy beside the site, since 37 MB take the browser's driver half a minute.
    """
    shutil.copytree(small.site, tmp_path / "site")
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


@pytest.mark.long
def test_trec_covid_has_the_figures_of_the_warehouse(wasm: Path, browser: Browser, real: Path, tmp_path: Path) -> None:
    folder, database = real / "trec-covid-r5", new_file(tmp_path)
    with evalsql.open(database) as warehouse:
        warehouse.load_qrels(folder / "qrels.txt", "covid")
        warehouse.load_runs(sorted(map(str, (folder / "runs").iterdir()))[::5])
        expected = {call: warehouse.rows(VALUES.format(call)) for call in ("ap()", "ndcg(k := 10)", "tap(k := 5)")}
    with visiting(browser, write_site(database, tmp_path / "site", engine=True)) as visitor:
        page = visitor.go("sql.html")
        for call, rows in expected.items():
            assert len(rows) == 26 * 50
            assert same(ask(page, VALUES.format(call)), rows), call


def test_questions_are_about_runs_that_are_there() -> None:
    here = questions(["rerank-large", "hybrid", "bm25", "dense"])
    assert len(here) == 10
    assert questions(["bm25"], on_boards=True)[10][0] == "Who is first, and how sure is that?"
    assert "before.run = 'hybrid'" in here[2][1]
    there = questions(['A "b"', "it's", "c"])
    assert "where before.run = 'it''s' and after.run = 'A \"b\"'" in there[2][1]
    assert 'before.value as "it\'s", after.value as "A ""b"""' in there[2][1]
    assert about("from ap where run = 'bm25'", []) == "from ap where run = 'bm25'"


def test_a_name_in_a_question_stays_a_name_whatever_it_holds() -> None:
    def pieces(runs: Sequence[str]) -> list[int]:
        return [len(list(tokens(sql))) for _, sql in questions(runs, on_boards=True)]

    as_they_stand = pieces(["rerank-large", "hybrid", "bm25", "dense"])
    for names in permutations(("x as dense x", "a as bm25,", "'; select 1; --", "'hybrid'", "\\1")):
        assert pieces(names) == as_they_stand, names
