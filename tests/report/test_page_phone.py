"""The page on a phone: names that begin alike stay different, and tables that go on say so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

import evalsql
from tests.conftest import in_process, new_file
from tests.report.test_page import Watched

START = "university-of-somewhere-2026-run"
# They differ at the end, at the end before a common ending, in the middle alone, and are short.
NAMES = [
    *(f"{START}-{end}" for end in ("first", "second", "d2q.1s.lr", "d2q.2s.lr")),
    *(f"laboratory-{middle}-with-query-expansion-and-feedback" for middle in ("alpha", "beta")),
    "bm25",
]
# By system what of its name can be seen: characters whose box is inside that of everything that clips them.
SEEN = """(place) => [...document.querySelectorAll(place)].map((element) => {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let text = "";
  while (walker.nextNode()) {
    const node = walker.currentNode;
    for (let at = 0; at < node.length; at += 1) {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + 1);
      const box = range.getBoundingClientRect();
      let isSeen = box.width > 0;
      for (let above = node.parentElement; above !== element.parentElement.parentElement; above = above.parentElement) {
        const clip = above.getBoundingClientRect();
        if (getComputedStyle(above).overflowX !== "visible" && (box.right > clip.right + 1 || box.left < clip.left - 1
          || box.bottom > clip.bottom + 4)) isSeen = false;
      }
      text += isSeen ? node.data[at] : "\\u2026";
    }
  }
  return text.trim();
})"""

HINTED = """[...document.querySelectorAll('.scroll, .scroll-narrow')].filter((each) => each.checkVisibility())
.map((each) => {
  const isHinted = each.previousElementSibling.matches('.goes-on:not([hidden])');
  return isHinted === (each.scrollWidth > each.clientWidth + 1);
})"""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("phone")
    documents = [f"d{at}" for at in range(30)]
    with evalsql.open(new_file(folder).rename(folder / "evalsql.duckdb")) as warehouse:
        warehouse.load_qrels(
            {f"t{topic}": {d: at % 2 for at, d in enumerate(documents)} for topic in range(4)}, "judged"
        )
        for at, name in enumerate(NAMES):
            lists = {
                f"t{topic}": {d: float((place * (at + 2 + topic)) % 31) for place, d in enumerate(documents)}
                for topic in range(4)
            }
            warehouse.load_run(lists, name)
    assert in_process(folder, ["report", "-o", "report.html"], "").returncode == 0
    return folder / "report.html"


@pytest.fixture
def phone(browser: Browser, path: Path) -> Iterator[Watched]:
    page = browser.new_page(viewport={"width": 360, "height": 740})
    yield Watched(page, path)
    page.close()


def _hinted(page: Page) -> list[bool]:
    """For each table that can scroll, whether it says so just where it goes on, once the page has been drawn anew."""
    page.wait_for_function(f"{HINTED}.every(Boolean)")
    return list(page.evaluate(HINTED))


def test_names_that_begin_alike_are_cut_to_different_texts(phone: Watched) -> None:
    page = phone.page
    shown = page.evaluate(SEEN, "#winner tbody .name button")
    assert len(shown) == len(NAMES)
    assert len(set(shown)) == len(NAMES), shown
    assert all(text[:4] != "\u2026" * 4 and text[-1] != "\u2026" for text in shown), shown
    page.locator("tr.row button").first.click()
    assert page.locator("tr.row td.picture svg").first.evaluate("(each) => each.clientWidth") > 100
    captions = page.evaluate(SEEN, ".side caption")
    assert len(set(captions)) == 2
    titles = [button.get_attribute("aria-label") for button in page.query_selector_all("#winner tbody .name button")]
    assert titles == phone.rows()
    assert phone.complaints == []


def test_a_table_that_goes_on_says_so(phone: Watched) -> None:
    page = phone.page
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    found = _hinted(page)
    assert len(found) > 4
    assert all(found)
    assert page.is_visible("#winner .goes-on")
    region = page.locator("#winner .scroll-narrow")
    region.evaluate("(each) => each.scrollTo(each.scrollWidth, 0)")
    lost = page.locator("#winner thead th").last.bounding_box()
    assert lost
    assert lost["x"] + lost["width"] <= 360
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.set_viewport_size({"width": 1280, "height": 800})
    assert all(_hinted(page))
    assert not page.is_visible("#winner .goes-on")
    assert phone.complaints == []
