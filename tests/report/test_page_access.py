"""The report's page under the rules of WCAG 2 at level AA, as axe-core checks them in Chromium."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.long_cases import few_of
from tests.report.conftest import Watched

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


@pytest.mark.parametrize(
    ("scheme", "width"), few_of([("light", 360), ("dark", 1280), ("light", 1280), ("dark", 800)], 1)
)
def test_axe_finds_nothing(opened: Callable[..., Watched], folder: Path, axe: str, scheme: str, width: int) -> None:
    page = opened(folder / "report.html", width=width, color_scheme=scheme).page
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
