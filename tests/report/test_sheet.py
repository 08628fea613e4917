"""Sheets to judge in: what is judged on the page or in the table is what is loaded from it, whatever the texts hold."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Request

import evalsql
from evalsql import Warehouse
from evalsql.evaluation.judging import pool_query
from tests.conftest import Command, assert_refused, new_file, write
from tests.report.conftest import NASTY

TEXTS = ("first\nsecond", "\u05e9\u05dc\u05d5\u05dd \u0007 \u202e", "w" * 5_000, *NASTY)
JUDGED = "select topic, document, grade from judgments where qrels = ? order by all"


@pytest.fixture
def pooled(tmp_path: Path) -> Path:
    """Two topics and as many documents as there are texts, of which one is judged."""
    path = new_file(tmp_path)
    with evalsql.open(path) as warehouse:
        documents = [f"d{at}" for at in range(len(TEXTS))]
        warehouse.load_qrels({"10": {"d0": 2, "x": 0}, "9": {"d1": 1}}, "old")
        for run, sign in (("run", -1), ("other", 1)):
            listed = [(topic, name, sign * at) for topic in ("9", "10") for at, name in enumerate(documents)]
            warehouse.load_run(listed, run)
        warehouse.load_topics({"9": {"text": NASTY[0], "narrative": "what is\u2028relevant"}})
        warehouse.load_documents(
            dict(zip(documents, map("x{}".format, TEXTS), strict=True)) | {"d3": {"title": NASTY[1]}}
        )
    return path


def asked(warehouse: Warehouse) -> Sequence[tuple[str, str]]:
    """What is to be judged, in the order of the sheet: topics by number, then what most runs have first."""
    rows = warehouse.rows(pool_query(warehouse.database, depth=20, unjudged=True))
    return sorted(((topic, document) for topic, document, *_ in rows), key=lambda pair: int(pair[0]))


def watched(browser: Browser) -> tuple[Page, list[str]]:
    """A page, and what is wrong with it: errors, dialogs, and requests that leave the file."""
    page, problems = browser.new_page(), list[str]()

    def note_request(request: Request) -> None:
        problems.extend([request.url] * (not request.url.startswith(("file:", "blob:", "data:"))))

    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("dialog", lambda dialog: problems.append(dialog.message))
    page.on("request", note_request)
    return page, problems


@pytest.mark.long
def test_the_table_with_grades_loads_back(pooled: Path, command: Command, tmp_path: Path) -> None:
    how = ("pool", "--depth", 20, "--unjudged", "--db", pooled)
    done = command(*how, "--write", "s.csv")
    assert done.stdout == ""
    assert "documents to judge of 2 topics" in done.stderr
    with (tmp_path / "s.csv").open(newline="", encoding="utf-8") as stream:
        head, *rows = csv.reader(stream)
    assert head == ["topic", "topic_text", "document", "title", "text", "grade"]
    with evalsql.open(pooled, read_only=True) as warehouse:
        assert [(row[0], row[2]) for row in rows] == asked(warehouse)
    texts = {row[2]: row[4] for row in rows}
    assert (texts["d1"], texts["d2"]) == (f"x{TEXTS[1]}", "x" + "w" * 1_999 + "…")
    few = command(*how, "--write", "few.csv", "--limit", 3)
    with (tmp_path / "few.csv").open(newline="", encoding="utf-8") as stream, evalsql.open(pooled) as warehouse:
        first = warehouse.rows(pool_query(warehouse.database, depth=20, unjudged=True))[:3]
        assert sorted((row[0], row[2]) for row in csv.reader(stream))[:-1] == sorted(row[:2] for row in first)
    assert f"--limit leaves out {len(rows) - 3} documents" in few.stderr
    assert_refused(command(*how, "--contributions", "--limit", 3), "--limit is of documents to judge")
    assert not any(cell.startswith(("=", "@")) for row in rows for cell in row), "no spreadsheet reckons"
    assert_refused(command("load", "qrels", "s.csv", "--db", pooled), "s.csv: CSV: no row is judged: grade is empty")
    for at, row in enumerate(rows):
        row[-1] = "" if at % 3 else str(at % 2)
    for delimiter in ",;":
        with (tmp_path / "f.csv").open("w", newline="", encoding="utf-8-sig") as stream:
            csv.writer(stream, delimiter=delimiter).writerows([head, *rows])
        done = command("load", "qrels", "f.csv", "--name", f"new{delimiter}", "--db", pooled)
        assert f"{sum(not row[-1] for row in rows)} rows left out, not judged yet" in done.stderr
        with evalsql.open(pooled, read_only=True) as warehouse:
            found = warehouse.rows(JUDGED, [f"new{delimiter}"])
        assert found == sorted((row[0], row[2], int(row[-1])) for row in rows if row[-1])
    rows[1][-1] = "x"
    with (tmp_path / "f.csv").open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([head, *rows])
    assert_refused(command("load", "qrels", "f.csv", "--db", pooled), ': CSV: grade "x" is not a whole number')
    assert_refused(command(*how, "--write", "s.pdf"), "a sheet is written")
    assert_refused(command(*how, "--write", "s.html", "--grades", "1"), "--grades takes whole numbers")


def test_the_page_saves_what_was_judged(pooled: Path, command: Command, tmp_path: Path, browser: Browser) -> None:
    command("pool", "--depth", 20, "--unjudged", "--db", pooled, "--write", "s.html")
    with evalsql.open(pooled, read_only=True) as warehouse:
        pairs = asked(warehouse)
    page, problems = watched(browser)
    page.goto((tmp_path / "s.html").as_uri())
    assert page.locator(".asked h2").inner_text() == f"9: {NASTY[0]}"
    assert page.get_by_role("button", name="0 not relevant").is_visible()
    judged = dict[tuple[str, str], int]()
    for at, pair in enumerate(pairs):
        assert page.locator(".said .name").inner_text() == pair[1]
        place = int(pair[1][1:])
        expected = {2: "x" + "w" * 1_999 + "…", 3: NASTY[1]}.get(place, f"x{TEXTS[place]}")
        assert page.locator(".said h2" if place == 3 else ".said .text").text_content() == expected
        if at % 4 == 3:
            page.keyboard.press("ArrowRight")
        else:
            judged[pair] = at % 3
            page.keyboard.press(str(at % 3))
    page.keyboard.press("ArrowLeft")
    page.get_by_role("button", name="0 not relevant").click()
    judged[pairs[-2]] = 0
    assert f"{len(judged)} of {len(pairs)} judged, not saved yet" in page.locator("#progress").inner_text()
    with page.expect_download() as downloaded:
        page.keyboard.press("s")
    downloaded.value.save_as(tmp_path / "judged.qrels")
    assert command("load", "qrels", "judged.qrels", "--db", pooled).returncode == 0
    with evalsql.open(pooled, read_only=True) as warehouse:
        found = {(topic, document): grade for topic, document, grade in warehouse.rows(JUDGED, ["judged"])}
    assert found == judged
    page.reload()
    assert f"{len(judged)} of {len(pairs)} judged" in page.locator("#progress").inner_text(), "a reload keeps them"
    page.evaluate("localStorage.clear()")
    page.reload()
    topic, name = pairs[3]  # not judged, and no grade is not 0
    with (tmp_path / "judged.qrels").open("a") as stream:
        stream.write(json.dumps({"topic": topic, "document": name, "grade": None}) + "\n")
    page.locator("#open").set_input_files(tmp_path / "judged.qrels")
    page.locator("#progress", has_text=f"{len(judged)} were taken").wait_for()
    assert not problems
    for width in (320, 1_200):
        page.set_viewport_size({"width": width, "height": 700})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


@pytest.mark.long
def test_reports_and_sites_show_how_documents_begin(
    pooled: Path, command: Command, tmp_path: Path, browser: Browser
) -> None:
    assert command("report", "-o", "report.html", "--db", pooled).returncode == 0
    page, problems = watched(browser)
    page.goto((tmp_path / "report.html").as_uri())
    page.locator("#topics .row button, #topics .row a").first.click()
    for at in (0, 1, 3, 4, 5):
        expected = NASTY[1] if at == 3 else f"x{TEXTS[at]}".replace("\n", " ")
        page.locator(".side .id button", has_text=f"d{at}").first.click()
        assert page.locator(".words").text_content() == f"d{at} {expected}"
    assert not problems
    page.close()
    assert command("site", "-o", "site", "--db", pooled).returncode == 0
    topics = [path.read_text(encoding="utf-8") for path in (tmp_path / "site" / "sets" / "old" / "topics").iterdir()]
    assert any(">d1<small dir=auto>x\u05e9" in topic for topic in topics)


def test_names_in_a_table_to_judge_that_begin_as_formulas_are_told(command: Command, tmp_path: Path) -> None:
    with evalsql.open(tmp_path / "w.duckdb") as warehouse:
        warehouse.load_run({"t": {"=cmd": 1.0}}, "r")
    outcome = command("pool", "--write", "s.csv", "--db", tmp_path / "w.duckdb")
    assert "begin as a spreadsheet's formulas do" in outcome.stderr
    assert "\nt,,=cmd," in (tmp_path / "s.csv").read_text()


@pytest.mark.long
def test_names_that_trec_cannot_hold_are_saved_as_json(
    empty: Warehouse, command: Command, tmp_path: Path, browser: Browser
) -> None:
    from evalsql.evaluation.judging import sheet_query
    from evalsql.report.page.single_pages import sheet_page
    from evalsql.report.table import Table

    empty.load_run([("#1 <b>", name, -at) for at, name in enumerate(NASTY)], "run")
    query = sheet_query(empty.database, pool_query(empty.database, depth=20))
    page = browser.new_page()
    page.goto(write(tmp_path / "s.html", sheet_page(Table(*empty.database.table(query)), [0, 1])).as_uri())
    for _ in NASTY:
        page.get_by_role("button", name="1 relevant").click()
    with page.expect_download() as downloaded:
        page.get_by_role("button", name="Save judgments").click()
    assert downloaded.value.suggested_filename == "judged.jsonl"
    downloaded.value.save_as(tmp_path / "judged.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "judged.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {(row["topic"], row["document"], row["grade"]) for row in rows} == {("#1 <b>", name, 1) for name in NASTY}
    empty.load_qrels(tmp_path / "judged.jsonl", "judged")
    assert empty.rows("select count(*) from judgments") == [(len(NASTY),)]
    page.close()
