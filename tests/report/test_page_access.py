"""The report's page under the rules of WCAG 2 at level AA, as axe-core checks them in Chromium."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.conftest import in_process

DEMANDED = bool(os.environ.get("EVALSQL_DEMAND_AXE"))
AXE = "axe-core@4.10.3"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The text of axe-core, which npm fetches, or has in its cache."""
    folder = tmp_path_factory.mktemp("axe")
    command = ["npm", "install", "--no-save", "--prefer-offline", "--no-audit", "--no-fund", AXE]
    try:
        subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=600)
    except (OSError, subprocess.SubprocessError) as error:
        if DEMANDED:
            raise
        pytest.skip(f"npm cannot fetch {AXE}: {error}")
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory, sample_file: Path) -> Path:
    folder = tmp_path_factory.mktemp("access")
    shutil.copy(sample_file, folder / "evalsql.duckdb")
    assert in_process(folder, ["report", "-o", "report.html", "--with", "roc"], "").returncode == 0
    return folder / "report.html"


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 1280), ("light", 360), ("dark", 800)])
def test_axe_finds_nothing(browser: Browser, report: Path, axe: str, scheme: str, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
    page.goto(report.as_uri())
    page.locator("tr.row button").first.click()
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    page.evaluate(axe)
    for view in ("difference", "mean"):
        page.get_by_role("button", name=view, exact=True).first.click()
        # Each rule that passes tells one element, not thousands.
        options = {"runOnly": RULES, "resultTypes": ["violations"]}
        found = page.evaluate("(options) => axe.run(document, options)", options)
        assert found["passes"]
        told = [(each["id"], [node["html"][:160] for node in each["nodes"][:3]]) for each in found["violations"]]
        assert told == []
    page.close()
