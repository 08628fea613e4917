"""The page on paper, in the dark, and in windows of all widths: nothing is cut off, and what goes on says so."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.long_cases import few_of
from tests.report.conftest import Open, report_of

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


# Headings, and what stands between them and what they are about, after which a sheet may end.
ALONE = """[...document.querySelectorAll('h2, h3, summary')].flatMap((heading) => {
  const found = [];
  let element = heading.closest('.over') ?? heading;
  do {
    if (element.checkVisibility() && getComputedStyle(element).breakAfter !== 'avoid') found.push(element.textContent);
    element = element.nextElementSibling;
  } while (element?.matches('p, .over'));
  return found;
})"""


@pytest.fixture(scope="module")
def alike(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of systems whose names are alike."""
    documents = [f"d{at}" for at in range(30)]
    runs = {
        name: {
            f"t{topic}": {d: float((place * (at + 2 + topic)) % 31) for place, d in enumerate(documents)}
            for topic in range(4)
        }
        for at, name in enumerate(NAMES)
    }
    grades = {f"t{topic}": {d: at % 2 for at, d in enumerate(documents)} for topic in range(4)}
    return report_of(tmp_path_factory.mktemp("phone"), runs, grades)


def _hinted(page: Page) -> list[bool]:
    """For each table that can scroll, whether it says so just where it goes on, once the page has been drawn anew."""
    found = list(page.evaluate(HINTED))  # wait_for_function evaluates text, which the page forbids
    for _ in range(500):
        if all(found):
            break
        page.wait_for_timeout(20)
        found = list(page.evaluate(HINTED))
    return found


@pytest.mark.long
def test_names_are_cut_to_different_texts_and_tables_that_go_on_say_so(opened: Open, alike: Path) -> None:
    phone = opened(alike, width=360)
    page = phone.page
    shown = page.evaluate(SEEN, "#winner tbody .name button")
    assert len(set(shown)) == len(shown) == len(NAMES), shown
    assert all(text[:4] != "\u2026" * 4 and text[-1] != "\u2026" for text in shown), shown
    titles = [button.get_attribute("aria-label") for button in page.locator("#winner tbody .name button").all()]
    assert titles == phone.rows()
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    found = _hinted(page)
    assert len(found) > 4
    assert all(found)
    assert page.is_visible("#winner .goes-on")
    page.locator("#winner .scroll-narrow").evaluate("(each) => each.scrollTo(each.scrollWidth, 0)")
    assert page.locator("#winner thead th").last.evaluate("(each) => each.getBoundingClientRect().right") <= 360
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.locator("tr.row button").first.click()
    assert page.locator("tr.row td.picture svg").first.evaluate("(each) => each.clientWidth") > 100
    assert len(set(page.evaluate(SEEN, ".side caption"))) == 2
    page.set_viewport_size({"width": 1280, "height": 800})
    assert all(_hinted(page))
    assert not page.is_visible("#winner .goes-on")


@pytest.mark.long
def test_nothing_is_wider_than_the_window(opened: Open, folder: Path, nasty: Path) -> None:
    for path in (folder / "report.html", nasty / "report.html"):
        page = opened(path).page
        page.locator("tr.row button").first.click()
        for width in (360, 800, 1280):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") == width


def test_the_first_screen_names_the_gravest_doubt(opened: Open, folder: Path) -> None:
    page = opened(folder / "report.html", "#measure=AP").page
    line = page.locator(".doubted")
    for width, height in ((1280, 800), (360, 740)):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("scrollTo(0, 0)")
        assert line.evaluate("(each) => each.getBoundingClientRect().bottom") <= height
        line.get_by_role("link").click()
        assert page.evaluate("Math.abs(document.getElementById('doubts').getBoundingClientRect().top)") < height / 2
    assert page.inner_text("#doubts .sentence") == "Two things of six deserve a look."
    assert page.locator("#doubts .look").count() == 2
    assert page.inner_text("#doubts li:first-child b") == "Unjudged documents."
    told = "\u25b2 Two things of six deserve a look, first of all unjudged documents. What to doubt"
    assert line.inner_text() == told
    assert page.url.endswith("#measure=AP")
    assert page.input_value("#measure") == "AP"


@pytest.mark.long
def test_dark_light_and_print(opened: Open, folder: Path) -> None:
    page = opened(folder / "report.html", width=794).page
    for scheme, background in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(20, 24, 28)")):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == background
    page.emulate_media(media="print")
    assert not page.is_visible("nav")
    assert not page.is_visible("#show")
    assert page.is_visible("#winner table")
    # No heading is parted from what it is about.
    assert page.locator("h3").count() > 4
    assert page.evaluate(ALONE) == []


@pytest.mark.long
@pytest.mark.parametrize("view", few_of(["mean", "difference"], 1))
@pytest.mark.parametrize(
    ("scheme", "width"), few_of([("light", 360), ("dark", 1280), ("light", 1280), ("dark", 800)], 1)
)
def test_axe_finds_nothing(
    opened: Open, folder: Path, axe: Callable[[Page], None], scheme: str, width: int, view: str
) -> None:
    page = opened(folder / "report.html", width=width, scheme=scheme).page
    page.locator("tr.row button").first.click()
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    page.get_by_role("button", name=view, exact=True).first.click()
    axe(page)
