"""Names that mean something to HTML, scripts, Markdown or LaTeX are text in every form of the report."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import Browser

from tests.conftest import in_process
from tests.report.conftest import NASTY
from tests.report.test_page import Watched


def test_names_are_text_on_the_page(browser: Browser, nasty: Path) -> None:
    outcome = in_process(nasty, ["report", "-o", "report.html", "--with", "roc", "--title", NASTY[0]], "")
    assert outcome.returncode == 0, outcome.stderr
    page = browser.new_page()
    found = Watched(page, nasty / "report.html")
    assert sorted(found.rows()) == sorted(NASTY)
    assert page.inner_text("h1") == NASTY[0]
    page.click("#more > summary")
    for name in NASTY:
        assert name in page.inner_text("#winner table")
        assert name in page.inner_text("#baseline")
        page.select_option("#system", name)
        assert name in page.inner_text("#topics-body")
        for topic in page.query_selector_all("tr.row button.link"):
            if topic.is_visible():
                topic.click()
                break
    assert page.query_selector("img") is None
    assert found.complaints == []
    assert found.requests == [(nasty / "report.html").as_uri()]
    page.close()


def test_names_are_text_in_markdown_latex_and_json(nasty: Path) -> None:
    for extension in ("md", "tex", "json"):
        assert in_process(nasty, ["report", "-o", f"report.{extension}"], "").returncode == 0
    markdown = (nasty / "report.md").read_text()
    assert "<script>" not in markdown.replace(r"\<", "")
    assert r"\*\*bold\*\* \| \_it\_ \[x\]\(y\)" in markdown
    latex = (nasty / "report.tex").read_text()
    assert r"100\% \textbackslash{}alpha \$x\textasciicircum{}2\$ \{a\}\_b \& \#1 \textasciitilde{}" in latex
    content = json.loads((nasty / "report.json").read_text())
    assert {row["run"] for row in content["leaderboard"]} == set(NASTY)
