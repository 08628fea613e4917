"""The pages of a site: all there, all linked, with the figures of other programs, whatever names are called."""

import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from statistics import mean, median
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote

import pytest

from evalsql import Warehouse
from evalsql.catalog.measure_names import parse_measures
from evalsql.catalog.relations import read_catalog
from evalsql.literals import rows_query
from evalsql.report.html import in_words
from evalsql.report.site import pages as site_pages
from evalsql.report.site.pages import _worst_first
from evalsql.report.site.site_parts import _history
from tests.conftest import SAMPLE, write
from tests.long_cases import few_of
from tests.report.conftest import NASTY, trec_eval
from tests.report.site.conftest import Small


class Parsed(HTMLParser):
    """Links, ids, tags, words and the cells of tables."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.tags: list[str] = []
        self.rows: list[list[str]] = []
        self._words: list[str] = []
        self._in_cell = False
        self.feed(path.read_text(encoding="utf-8"))
        self.words = "".join(self._words)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attributes:
            if name in ("href", "src") and not (value or "").startswith("data:"):
                self.links.append(value or "")
            if name == "id":
                self.ids.append(value or "")
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self._in_cell = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("thead", "tbody", "table"):
            self._in_cell = False

    def handle_data(self, data: str) -> None:
        self._words.append(data)
        if self._in_cell:
            self.rows[-1][-1] += data.strip()

    def rows_below(self, *head: str) -> list[list[str]]:
        """The rows after that whose first cells, or those from the second, are these."""
        at = next(at for at, row in enumerate(self.rows) if [*head] in (row[: len(head)], row[1 : len(head) + 1]))
        return self.rows[at + 1 :]


@cache
def pages(folder: Path) -> dict[str, Parsed]:
    return {path.relative_to(folder).as_posix(): Parsed(path) for path in folder.rglob("*.html")}


def topic_page(site: Path, topic: str) -> Parsed:
    (path,) = (site / "sets" / "sample" / "topics").glob(f"{topic.lower()}-*.html")
    return pages(site)[path.relative_to(site).as_posix()]


@cache
def file_at(folder: Path, place: str, path: str) -> str:
    """The file of a site that a path leads to from one of its folders; it is within the site."""
    found = (folder / place / path).resolve()
    assert found.is_file(), f"{place}: {path}"
    return found.relative_to(folder.resolve()).as_posix()


def target(folder: Path, address: str, link: str) -> str:
    """The page, or another file, that a link of a page leads to."""
    path = unquote(link.partition("#")[0])
    return file_at(folder, address.rpartition("/")[0], path) if path else address


def number(text: str) -> float:
    return float(text.replace("\u2212", "-"))


@pytest.mark.parametrize("which", few_of(["site", "hostile"], 1))
def test_every_link_leads_somewhere_within_the_site(which: str, request: pytest.FixtureRequest) -> None:
    folder: Path = request.getfixturevalue(which)
    found = pages(folder)
    assert len(found) > 100
    anchors = {address: {*page.ids} for address, page in found.items()}
    for address, page in found.items():
        assert len(page.ids) == len(anchors[address]), address
        for link in dict.fromkeys(page.links):
            anchor = link.partition("#")[2]
            led_to = target(folder, address, link)
            assert not anchor or anchor.startswith("q=") or anchor in anchors[led_to], f"{address}: {link}"


def test_there_is_a_page_for_everything(site: Path) -> None:
    found = pages(site)
    assert {f"systems/{name}.html" for name in trec_eval("map")} == {
        each for each in found if each.startswith("systems/")
    }
    assert sum("/topics/" in each for each in found) == 40
    measures = {f"measures/{relation.name}.html" for relation in read_catalog().measures}
    assert measures | {"measures/index.html"} == {each for each in found if each.startswith("measures/")}
    assert {"index.html", "sql.html", "sets/sample/index.html", "sets/sample/report.html"} <= found.keys()
    reached, pending = set(), ["index.html"]
    while pending:
        address = pending.pop()
        if address in reached or not address.endswith(".html"):
            continue
        reached.add(address)
        pending += [target(site, address, link) for link in found[address].links]
    assert reached == found.keys()


def test_leaderboards_have_the_figures_of_trec_eval(site: Path) -> None:
    ndcg, precision = trec_eval("ndcg_cut_10"), trec_eval("map")
    for address in ("index.html", "sets/sample/index.html"):
        head, *rows = pages(site)[address].rows
        at = {name: place for place, name in enumerate(head)}
        order = sorted(ndcg, key=lambda run: -mean(ndcg[run].values()))
        assert [row[at["system"]] for row in rows] == order
        assert (
            "No baseline was named, so bm25 (place 6 of 8) was chosen: its name says bm25" in pages(site)[address].words
        )
        for row in rows:
            run = row[at["system"]]
            assert float(row[at["AP"]]) == pytest.approx(mean(precision[run].values()), abs=5e-4)
            # The picture and its interval have the name of the measure too.
            assert float(row[head.index("nDCG@10", 3)]) == pytest.approx(mean(ndcg[run].values()), abs=5e-4)


def test_a_system_s_page_says_where_it_is_behind(site: Path) -> None:
    ndcg = trec_eval("ndcg_cut_10")
    page = pages(site)["systems/dense.html"]
    found = {row[0]: row for row in page.rows_below("topic", "nDCG@10", "less median")[:40]}
    behind = {}
    for topic, value in ndcg["dense"].items():
        middle = median(values[topic] for values in ndcg.values())
        behind[topic] = value - middle
        place = 1 + sum(values[topic] > value + 1e-12 for values in ndcg.values())
        assert float(found[topic][1]) == pytest.approx(value, abs=5e-4)
        assert number(found[topic][2]) == pytest.approx(value - middle, abs=5e-4)
        assert int(found[topic][4]) == place
    assert next(iter(found)) == min(behind, key=lambda topic: behind[topic])
    count = in_words(sum(difference < -1e-12 for difference in behind.values()))
    assert f"it is behind the median of all systems on {count} of 40 topics." in page.words
    beside = {row[1]: row for row in page.rows_below("system", "difference")[:7]}
    for other in set(ndcg) - {"dense"}:
        by_topic = [ndcg["dense"][topic] - ndcg[other][topic] for topic in ndcg["dense"]]
        assert number(beside[other][2]) == pytest.approx(mean(by_topic), abs=5e-4)
        wins, losses = sum(each > 1e-12 for each in by_topic), sum(each < -1e-12 for each in by_topic)
        assert beside[other][-1] == f"{wins}\u2013{40 - wins - losses}\u2013{losses}"


def test_topics_far_behind_stand_first_where_less_is_better_too(empty: Warehouse) -> None:
    apart = {"even": 1.0, "dear": 3.0, "cheap": 0.5}
    rows = [
        ("Cost", run, topic, value, -1)
        for topic in apart
        for run, value in (("a", apart[topic]), ("b", 1.0), ("c", 1.0))
    ]
    values = {"ranked_values": rows_query("measure, run, topic, value, sign", rows)}
    places = empty.database.records(empty.database.query("topic_places", values))
    standings = {("Cost", "a"): {each.topic: each for each in places if each.run == "a"}}
    results: Any = SimpleNamespace(first="Cost", standings=standings)
    assert _worst_first("a", results) == ["dear", "even", "cheap"]


def test_a_topic_s_page_has_the_documents_found_and_missed(site: Path) -> None:
    judged = [line.split() for line in (SAMPLE / "qrels.txt").read_text().splitlines()]
    grades = {document: grade for topic, _, document, grade in judged if topic == "T04"}
    relevant = {document for document, grade in grades.items() if int(grade) >= 1}
    first = {}
    for path in (SAMPLE / "runs").glob("*.run"):
        lines = [line.split() for line in path.read_text().splitlines()]
        scored = [(float(score), document) for topic, _, document, _, score, _ in lines if topic == "T04"]
        first[path.stem] = [document for _, document in sorted(scored, reverse=True)]
    found = {each: sum(each in ranked[:20] for ranked in first.values()) for each in relevant}
    page = topic_page(site, "T04")
    shown = {row[0]: row for row in page.rows if row and row[0] in relevant}
    assert shown.keys() == relevant
    for document, row in shown.items():
        ranks = [ranked.index(document) + 1 for ranked in first.values() if document in ranked]
        assert row[1:3] == [grades[document], f"{found[document]} of 8"]
        assert row[4] == (str(min(ranks)) if ranks else "")
    retrieved = {document for ranked in first.values() for document in ranked}
    among, lost = sum(count > 0 for count in found.values()), len(relevant - retrieved)
    assert re.search(rf"Of {len(relevant)} relevant documents, {among} .* of some system; {lost} ", page.words)
    tiles = next(row for row in page.rows if row[1:2] == ["dense"])[4]
    assert tiles == "".join(grades.get(document, "\u2013") for document in first["dense"][:10])


def test_a_topic_s_page_says_how_hard_it_is(site: Path) -> None:
    ndcg = trec_eval("ndcg_cut_10")
    medians = {topic: median(values[topic] for values in ndcg.values()) for topic in ndcg["dense"]}
    for topic in ("T04", "T12", "T23"):
        hardness = 1 + sum(other < medians[topic] - 1e-12 for other in medians.values())
        best = max(values[topic] for values in ndcg.values())
        same = sum(values[topic] > best - 1e-12 for values in ndcg.values()) - 1
        words = topic_page(site, topic).words
        assert f"of all systems: {hardness} of 40, the hardest being 1." in words
        assert (f", and {same} more with the same value." in words) == (same > 0)


def test_a_measure_s_page_has_its_sql_and_its_winner(site: Path) -> None:
    page = pages(site)["measures/ap.html"]
    assert read_catalog()["ap"].body in page.words
    assert "rerank-large has the best mean AP, 0.808, of 8 systems." in page.words
    for place, *_, other, moved in pages(site)["measures/rr.html"].rows_below("system", "RR")[:8]:
        up = int(other) - int(place)
        assert moved == (f"\u2191{up}" if up > 0 else f"\u2193{-up}" if up else "")
    without = next(each.name for each in read_catalog().measures if not each.header.in_scores and each.name != "p")
    assert "These pages have no figures of it." in pages(site)[f"measures/{without}.html"].words


@pytest.mark.long
def test_hostile_names_are_text_and_their_addresses_safe(hostile: Path) -> None:
    found = pages(hostile)
    files = [path.relative_to(hostile).as_posix() for path in hostile.rglob("*") if path.is_file()]
    assert all(re.fullmatch(r"[a-z0-9._/-]+", name) for name in files)
    assert len([each for each in found if each.startswith("systems/")]) == len(NASTY)
    for address, page in found.items():
        # The only pictures are drawn in the page, and scripts are the site's own.
        assert "img" not in page.tags, address
        text = (hostile / address).read_text(encoding="utf-8")
        assert "<script>alert" not in text, address
    words = found["index.html"].words
    assert all(name in words for name in NASTY)
    assert "<b>&" in words
    index = (hostile / "search.js").read_text(encoding="utf-8")
    assert "\\u003c" in index or "<script>" in index  # the file is a script, in which this is text


@pytest.mark.long
def test_several_judgment_sets_are_told_apart(small: Small) -> None:
    found = [page for path, page in pages(small.site).items() if re.fullmatch(r"sets/[^/]+/index\.html", path)]
    found = [page for page in found if "/.." in page.words]
    assert len(found) == 2
    for page in found:
        assert page.rows[1][1] == ("one" if "\u00dc/.." in page.words else "two")
        assert page.rows[1][-1] == "1.000"
    words = pages(small.site)["systems/one.html"].words
    assert "\u00dc/.." in words
    assert "\u00fc/.." in words


@pytest.mark.long
def test_a_system_s_page_has_its_history(small: Small) -> None:
    """Two loads of a system: reciprocal ranks 1 and 1/2, the second a half below the first."""
    assert pages(small.site)["systems/night2.html"].rows_below("run", "version")[:2] == [
        ["night1", "v1", "2026-11-01", "RR", "1.000", ""],
        ["night2", "v2", "2026-11-02", "RR", "0.500", "\u22120.500"],
    ]
    assert "Its history" not in pages(small.site)["systems/other.html"].words


def test_a_long_history_has_the_newest_loads_by_every_measure(
    empty: Warehouse, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(site_pages, "_MOST_LOADS", 2)
    empty.load_qrels({"1": {"a": 1}}, "judged")
    for day in (1, 2, 3):
        meta = {"system": "hybrid", "version": f"v{day}", "date": f"2026-11-0{day}"}
        empty.load_run({"1": {"a": 1.0}}, f"night{day}", meta=meta)
    measures = parse_measures(["AP", "RR"], empty.catalog)
    asked: Any = SimpleNamespace(names=["AP", "RR"], qrels="judged", runs=["night1", "night2", "night3"])
    results: Any = SimpleNamespace(history=_history(empty, asked), shown_measures=measures)
    links: Any = SimpleNamespace(system=str, measure=lambda measure: measure.name)
    sentence, shown = site_pages._history("night1", results, links)
    page = Parsed(write(tmp_path / "history.html", shown))
    assert sentence == "The latest 2 loads of this system in the order of their dates."
    assert [(run, name) for run, _, _, name, *_ in page.rows[1:]] == [
        ("night2", "AP"),
        ("night3", "AP"),
        ("night2", "RR"),
        ("night3", "RR"),
    ]
    monkeypatch.setattr(site_pages, "_MOST_LOADS", 3)
    assert site_pages._history("night1", results, links)[0].startswith("All loads")


@pytest.mark.long
def test_equal_systems_share_a_place(small: Small) -> None:
    """By RR, night1 and other have the relevant document first, night2 has it second."""
    (path,) = [path for path in pages(small.site) if re.fullmatch(r"sets/nights[^/]*/index\.html", path)]
    places = {row[1]: row[0] for row in pages(small.site)[path].rows_below("system")[:3]}
    assert places == {"night1": "1", "other": "1", "night2": "3"}
    for run, place in places.items():
        words = pages(small.site)[f"systems/{run}.html"].words
        assert f"{place} of 3" in words
        assert ("Best topic?" in words, "Worst topic?" in words) == (True, run == "night2")  # 1 is no worst value
    assert not [
        name for name, page in pages(small.site).items() if re.search(r"--baseline,| --baseline takes", page.words)
    ]
