"""Takes the README's picture of the report: ``python -m tests.tools.picture`` writes .github/report.png."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.conftest import ROOT
from tests.report.conftest import CHROMIUM

PICTURE = ROOT / ".github" / "report.png"
WIDTH, HEIGHT = 1200, 770


def take(page: Path) -> None:
    """Draw the first screen of a report as it is at a usual width."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        shown = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        shown.goto(page.as_uri())
        shown.wait_for_load_state("networkidle")
        shown.screenshot(path=PICTURE)
        browser.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for words in (("demo",), ("report", "-o", "report.html", "--db", "evalsql-demo.duckdb")):
            subprocess.run([sys.executable, "-m", "evalsql", *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        take(Path(folder, "report.html"))
