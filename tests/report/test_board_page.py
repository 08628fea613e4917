"""A board as a page: answers beside places counted by hand, sorting, filtering, its address, and boards of any size."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

import evalsql
from evalsql import Warehouse
from evalsql.evaluation.boards import board
from evalsql.report.page.single_pages import board_page
from tests.boards.made import load_figures, made
from tests.conftest import Command, made_once, new_file, new_warehouse, write
from tests.report.conftest import NASTY, Open, page_data

# On c0, c1 and c2 the medians are .5, .4 and .4; by the mean a and b are first with .6, c has .4.
SMALL = {
    "a": {"c0": 0.9, "c1": 0.3, "c2": 0.6},
    "b@7": {"c0": 0.5, "c1": 0.9, "c2": 0.4},
    "c": {"c0": 0.4, "c1": 0.4, "c2": 0.4},
}


def _page(warehouse: Warehouse, folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    return write(folder / "board.html", board_page(warehouse.database, board(warehouse.evaluation), NASTY[0], 3))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with new_warehouse() as warehouse:
        load_figures(warehouse, SMALL)
        load_figures(warehouse, {name: dict.fromkeys(("c0", "c1", "c2"), 0.1) for name in NASTY})
        sparse = "map_concat(meta, map {'family': 'sparse'})"
        warehouse.execute(f"update runs set meta = {sparse} where meta['system'] = 'c'")
        return _page(warehouse, tmp_path_factory.mktemp("small"))


def test_places_and_medians_are_those_of_each_collection(small: Path) -> None:
    data = page_data(small.read_text(encoding="utf-8"))
    systems = {each["name"]: each for each in data["systems"]}
    assert [(each["name"], each["median"], each["systems"]) for each in data["collections"]] == [
        (name, pytest.approx(0.1), 9) for name in ("c0", "c1", "c2")
    ]
    assert systems["a"]["places"] == [1, 3, 1]
    assert systems["b"]["places"] == [2, 1, 2]
    assert systems["c"]["places"] == [3, 2, 2]
    assert (systems["b"]["version"], systems["c"]["meta"]) == ("7", {"family": "sparse"})
    assert [systems[name]["place"] for name in "abc"] == [1, 1, 3]
    assert {systems[name]["place"] for name in NASTY} == {4}


def test_a_sure_first_place_is_one_place(empty: Warehouse, tmp_path: Path) -> None:
    load_figures(empty, {name: {f"c{each}": value for each in range(4)} for name, value in (("a", 0.9), ("b", 0.1))})
    assert "Its place is 1; it differs from every other system." in _page(empty, tmp_path).read_text(encoding="utf-8")


def test_it_reads_without_a_script(small: Path, opened: Open) -> None:
    page = opened(small, script=False).page
    answers = page.locator(".answer").all_inner_texts()
    assert answers[0].split("\n")[-1] == "mean 0.600 over 3 collections."
    assert "On 1 of 3 collections" in answers[2]
    assert "Furthest down on c1, place 3 of 9." in answers[2]
    assert page.locator("#board tbody tr").count() == len(SMALL) + len(NASTY)


def test_rows_sort_and_filter_and_the_address_says_how(small: Path, opened: Open) -> None:
    watched = opened(small)
    page = watched.page

    def names() -> list[str]:
        return page.locator("#board tbody .name button").all_inner_texts()

    assert names()[:3] == ["a", "b", "c"]
    page.locator("#board thead button", has_text="c1").click()
    assert names()[:3] == ["b", "c", "a"]
    page.locator("#board thead button", has_text="c1").click()
    assert names()[-1] == "b"
    page.fill("#show", "SPARSE")  # stands in the meta alone
    assert names() == ["c"]
    page.locator("#board tbody .name button").click()
    assert page.locator("#one-body .sentence").inner_text() == (
        "c is first on 0 of 3 collections, and furthest down on c0: place 3 of 9."
    )
    again = opened(small, page.evaluate("location.hash")).page
    assert again.locator("#board tbody .name button").all_inner_texts() == ["c"]
    assert again.locator("#board th[aria-sort]").get_attribute("aria-sort") == "ascending"


@pytest.mark.parametrize(("scheme", "width"), [("light", 1200), pytest.param("dark", 390, marks=pytest.mark.long)])
def test_axe_finds_nothing(small: Path, opened: Open, axe: Callable[[Page], None], scheme: str, width: int) -> None:
    page = opened(small, scheme=scheme, width=width).page
    axe(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.long
@pytest.mark.parametrize("size", [(40, 60), pytest.param((132, 10), marks=pytest.mark.long)])
def test_large_boards_are_drawn_whole(size: tuple[int, int], opened: Open) -> None:
    def make(folder: Path) -> None:
        with new_warehouse() as warehouse:
            load_figures(warehouse, made(5, *size))
            _page(warehouse, folder)

    page = opened(made_once(f"board-{size[0]}", make) / "board.html").page
    assert page.locator("#board tbody tr").count() == size[0]
    assert page.locator("#board tbody tr:first-child .heat").count() == size[1]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.long
def test_the_command_and_a_site_write_it(command: Command, tmp_path: Path) -> None:
    with evalsql.open(new_file().rename(tmp_path / "evalsql.duckdb")) as warehouse:
        for name in ("dev", "test"):
            warehouse.load_qrels({"1": {"a": 1, "b": 0}}, name)
        for run, score in (("one", 3.0), ("two", 1.0)):
            warehouse.load_run({"1": {"a": score, "b": 2.0}}, run, qrels=["dev", "test"])
    outcome = command("board", "-o", "board.html")
    assert (outcome.returncode, outcome.stdout) == (0, "")
    assert outcome.stderr.count("wrote board.html") == 1
    assert command("site", "-o", "site").returncode == 0
    data = page_data((tmp_path / "site" / "board.html").read_text(encoding="utf-8"))
    assert {each["name"]: each["address"] for each in data["collections"]} == {
        "dev": "sets/dev/index.html",
        "test": "sets/test/index.html",
    }
    assert all((tmp_path / "site" / each["address"]).is_file() for each in data["collections"])
    assert 'href="board.html"' in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert [each["low"] for each in data["systems"]] == [None, None]  # two collections are too few
