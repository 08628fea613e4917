"""The printed page: no heading stands alone at the end of a sheet."""

from __future__ import annotations

import shutil
from pathlib import Path

from playwright.sync_api import Browser

from tests.conftest import in_process

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


def test_no_heading_is_parted_from_what_it_is_about(browser: Browser, sample_file: Path, tmp_path: Path) -> None:
    shutil.copy(sample_file, tmp_path / "evalsql.duckdb")
    assert in_process(tmp_path, ["report", "-o", "report.html"], "").returncode == 0
    page = browser.new_page(viewport={"width": 794, "height": 1123})
    page.goto((tmp_path / "report.html").as_uri())
    page.emulate_media(media="print")
    assert page.locator("h3").count() > 4
    assert page.evaluate(ALONE) == []
    page.close()
