"""Pages in Chromium: search, phones, light and dark, and the rules of WCAG 2."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.long_cases import few_of
from tests.report.conftest import NASTY
from tests.report.site.conftest import visiting

KINDS = ("index.html", "sets/*/index.html", "sets/*/topics.html", "sets/*/topics/*.html", "systems/*.html")
MORE = ("measures/index.html", "measures/ap.html", "sql.html")


def kinds(site: Path) -> list[str]:
    """A page of each kind."""
    return [sorted(site.glob(kind))[0].relative_to(site).as_posix() for kind in (*KINDS, *MORE)]


@pytest.mark.parametrize("which", few_of(["site", "hostile"], 1))
@pytest.mark.long
def test_pages_fit_and_complain_of_nothing(browser: Browser, which: str, request: pytest.FixtureRequest) -> None:
    folder: Path = request.getfixturevalue(which)
    with visiting(browser, folder) as visitor:
        for address in kinds(folder):
            page = visitor.go(address)
            for width in (1280, 360):
                page.set_viewport_size({"width": width, "height": 900})
                assert page.evaluate("document.documentElement.scrollWidth") <= width, address


@pytest.mark.long
@pytest.mark.parametrize(("scheme", "width"), [("dark", 360), ("light", 1280)])
def test_axe_finds_nothing(browser: Browser, site: Path, axe: Callable[[Page], None], scheme: str, width: int) -> None:
    size = {"width": width, "height": 900}
    with visiting(browser, site, viewport=size, color_scheme=scheme, bypass_csp=True) as visitor:
        for address in kinds(site):
            axe(visitor.go(address))


@pytest.mark.long
def test_search_finds_systems_topics_and_measures(browser: Browser, site: Path, hostile: Path) -> None:
    for folder, searches in (
        (site, {"RERANK-l": "systems/rerank-large.html", "binary pref": "measures/bpref.html"}),
        (hostile, {NASTY[0]: ""}),
    ):
        with visiting(browser, folder) as visitor:
            for wanted, address in searches.items():
                page = visitor.go("measures/ap.html")
                page.fill("#search input", wanted)
                page.locator("#found [role=option]").first.wait_for()
                assert page.query_selector("#found img, #found script") is None
                page.keyboard.press("ArrowDown")
                with page.expect_navigation():
                    page.keyboard.press("Enter")
                assert address in page.url
                assert not page.url.endswith("measures/ap.html")


@pytest.mark.long
def test_pages_read_without_a_server_and_without_a_script(browser: Browser, site: Path) -> None:
    page = browser.new_page(java_script_enabled=False)
    page.goto((site / "index.html").as_uri())
    page.click("text=rerank-small")
    assert page.inner_text("h1") == "rerank-small"
    page.locator("#content a", has_text="T0").first.click()
    assert page.inner_text("h1").startswith("Topic T0")
    assert page.locator("#content svg").count() >= 8
    page.close()
    with_script = browser.new_page()
    with_script.goto((site / "systems" / "dense.html").as_uri())
    with_script.fill("#search input", "hybrid")
    with_script.locator("#found a").first.click()
    assert with_script.inner_text("h1") == "hybrid"
    with_script.goto((site / "sql.html").as_uri())
    with_script.click("button.run")
    with_script.locator("body[data-state=failed]").wait_for()
    assert "python -m http.server" in with_script.inner_text("#status")
    with_script.close()
