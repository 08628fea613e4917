"""The pages of a site: all there, all linked, with the figures of other programs, whatever names are called."""

from __future__ import annotations

import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from statistics import mean, median
from urllib.parse import unquote

import pytest
import pytrec_eval

from evalsql.catalog.relations import read_catalog
from evalsql.report.html import in_words
from tests.conftest import SAMPLE
from tests.report.conftest import NASTY
from tests.report.site.conftest import Small


class Parsed(HTMLParser):
    """Links, ids, scripts and the cells of tables."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.tags: list[str] = []
        self.rows: list[list[str]] = []
        self.words = ""
        self._in_cell = False
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        self.tags.append(tag)
        self.links += [given[name] or "" for name in ("href", "src") if name in given]
        if "id" in given:
            self.ids.append(given["id"] or "")
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self._in_cell = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("thead", "tbody", "table"):
            self._in_cell = False

    def handle_data(self, data: str) -> None:
        self.words += data
        if self._in_cell:
            self.rows[-1][-1] += data.strip()


@cache
def pages(folder: Path) -> dict[str, Parsed]:
    return {path.relative_to(folder).as_posix(): Parsed(path) for path in folder.rglob("*.html")}


@cache
def trec_eval(measure: str) -> dict[str, dict[str, float]]:
    """By run and topic what pytrec_eval says of the sample; 0 where a run has nothing for a topic."""
    with (SAMPLE / "qrels.txt").open() as stream:
        qrels = pytrec_eval.parse_qrel(stream)
    judge = pytrec_eval.RelevanceEvaluator(qrels, {measure})
    found = {}
    for path in sorted((SAMPLE / "runs").glob("*.run")):
        with path.open() as stream:
            values = judge.evaluate(pytrec_eval.parse_run(stream))
        found[path.stem] = {topic: next(iter(values.get(topic, {measure: 0.0}).values())) for topic in qrels}
    return found


@pytest.mark.parametrize("which", ["site", "hostile"])
def test_every_link_leads_somewhere_within_the_site(which: str, request: pytest.FixtureRequest) -> None:
    folder: Path = request.getfixturevalue(which)
    found = pages(folder)
    assert len(found) > 100
    for address, page in found.items():
        assert len(page.ids) == len(set(page.ids)), address
        for link in page.links:
            if link.startswith("data:"):
                continue
            target, _, anchor = link.partition("#")
            path = ((folder / address).parent / unquote(target)).resolve() if target else folder / address
            assert path.is_file(), f"{address}: {link}"
            assert folder.resolve() in path.resolve().parents, f"{address}: {link}"
            if anchor and not anchor.startswith("q="):
                assert anchor in found[path.resolve().relative_to(folder.resolve()).as_posix()].ids, (
                    f"{address}: {link}"
                )


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
        for link in found[address].links:
            if not link.startswith("data:") and (target := unquote(link.partition("#")[0])):
                path = ((site / address).parent / target).resolve()
                pending.append(path.relative_to(site.resolve()).as_posix())
    assert reached == found.keys()


def test_leaderboards_have_the_figures_of_trec_eval(site: Path) -> None:
    ndcg, precision = trec_eval("ndcg_cut_10"), trec_eval("map")
    for address in ("index.html", "sets/sample/index.html"):
        head, *rows = Parsed(site / address).rows
        at = {name: place for place, name in enumerate(head)}
        order = sorted(ndcg, key=lambda run: -mean(ndcg[run].values()))
        assert [row[at["system"]] for row in rows] == order
        for row in rows:
            run = row[at["system"]]
            assert float(row[at["AP"]]) == pytest.approx(mean(precision[run].values()), abs=5e-4)
            # The picture and its interval have the name of the measure too.
            assert float(row[head.index("nDCG@10", 3)]) == pytest.approx(mean(ndcg[run].values()), abs=5e-4)


def test_a_system_s_page_says_where_it_is_behind(site: Path) -> None:
    ndcg = trec_eval("ndcg_cut_10")
    rows = Parsed(site / "systems" / "dense.html").rows
    start = next(at for at, row in enumerate(rows) if row[:3] == ["topic", "nDCG@10", "less median"])
    found = {row[0]: row for row in rows[start + 1 : start + 41]}
    behind = {}
    for topic, value in ndcg["dense"].items():
        middle = median(values[topic] for values in ndcg.values())
        behind[topic] = value - middle
        place = 1 + sum(values[topic] > value + 1e-12 for values in ndcg.values())
        assert float(found[topic][1]) == pytest.approx(value, abs=5e-4)
        assert float(found[topic][2].replace("\u2212", "-")) == pytest.approx(value - middle, abs=5e-4)
        assert int(found[topic][4]) == place
    assert next(iter(found)) == min(behind, key=lambda topic: behind[topic])
    words = Parsed(site / "systems" / "dense.html").words
    count = in_words(sum(difference < -1e-12 for difference in behind.values()))
    assert f"it is behind the median of all systems on {count} of 40 topics." in words
    differences = next(at for at, row in enumerate(rows) if row[1:3] == ["system", "difference"])
    beside = {row[1]: row for row in rows[differences + 1 : differences + 8]}
    for other in set(ndcg) - {"dense"}:
        by_topic = [ndcg["dense"][topic] - ndcg[other][topic] for topic in ndcg["dense"]]
        assert float(beside[other][2].replace("\u2212", "-")) == pytest.approx(mean(by_topic), abs=5e-4)
        wins, losses = sum(each > 1e-12 for each in by_topic), sum(each < -1e-12 for each in by_topic)
        assert beside[other][-1] == f"{wins}\u2013{40 - wins - losses}\u2013{losses}"


def test_a_topic_s_page_has_the_documents_found_and_missed(site: Path) -> None:
    relevant = {}
    for line in (SAMPLE / "qrels.txt").read_text().splitlines():
        topic, _, document, grade = line.split()
        if topic == "T04" and int(grade) >= 1:
            relevant[document] = int(grade)
    first = {}
    for path in (SAMPLE / "runs").glob("*.run"):
        lines = [line.split() for line in path.read_text().splitlines()]
        scored = [(float(score), document) for topic, _, document, _, score, _ in lines if topic == "T04"]
        first[path.stem] = [document for _, document in sorted(scored, reverse=True)]
    found = {each: sum(each in ranked[:20] for ranked in first.values()) for each in relevant}
    (path,) = (site / "sets" / "sample" / "topics").glob("t04-*.html")
    page = Parsed(path)
    shown = {row[0]: row for row in page.rows if row and row[0] in relevant}
    assert shown.keys() == relevant.keys()
    for document, row in shown.items():
        assert row[1] == str(relevant[document])
        assert row[2] == f"{found[document]} of 8"
        ranks = [ranked.index(document) + 1 for ranked in first.values() if document in ranked]
        assert row[4] == (str(min(ranks)) if ranks else "")
    retrieved = {document for ranked in first.values() for document in ranked}
    among, lost = sum(count > 0 for count in found.values()), len(relevant.keys() - retrieved)
    assert re.search(rf"Of {len(relevant)} relevant documents, {among} .* of some system; {lost} ", page.words)
    tiles = next(row for row in page.rows if row[1:2] == ["dense"])[4]
    grades = {}
    for line in (SAMPLE / "qrels.txt").read_text().splitlines():
        topic, _, document, grade = line.split()
        grades[topic, document] = grade
    assert tiles == "".join(grades.get(("T04", document), "\u2013") for document in first["dense"][:10])


def test_a_topic_s_page_says_how_hard_it_is(site: Path) -> None:
    ndcg = trec_eval("ndcg_cut_10")
    medians = {topic: median(values[topic] for values in ndcg.values()) for topic in ndcg["dense"]}
    for topic in ("T04", "T12", "T23"):
        (path,) = (site / "sets" / "sample" / "topics").glob(f"{topic.lower()}-*.html")
        hardness = 1 + sum(other < medians[topic] - 1e-12 for other in medians.values())
        best = max(values[topic] for values in ndcg.values())
        same = sum(values[topic] > best - 1e-12 for values in ndcg.values()) - 1
        words = Parsed(path).words
        assert f"of all systems: {hardness} of 40, the hardest being 1." in words
        assert (f", and {same} more with the same value." in words) == (same > 0)


def test_a_measure_s_page_has_its_sql_and_its_winner(site: Path) -> None:
    page = Parsed(site / "measures" / "ap.html")
    assert read_catalog()["ap"].body in page.words
    assert "rerank-large has the best mean AP, 0.808, of 8 systems." in page.words
    without = next(each.name for each in read_catalog().measures if not each.header.in_scores and each.name != "p")
    assert "These pages have no figures of it." in Parsed(site / "measures" / f"{without}.html").words


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


def test_several_judgment_sets_are_told_apart(small: Small) -> None:
    found = {
        page: words for page in (small.site / "sets").glob("*/index.html") if "/.." in (words := Parsed(page).words)
    }
    assert len(found) == 2
    for page, words in found.items():
        rows = Parsed(page).rows
        assert rows[1][1] == ("one" if "\u00dc/.." in words else "two")
        assert rows[1][-1] == "1.000"
    of_system = Parsed(small.site / "systems" / "one.html")
    assert "\u00dc/.." in of_system.words
    assert "\u00fc/.." in of_system.words


def test_a_system_s_page_has_its_history(small: Small) -> None:
    """Two loads of a system: reciprocal ranks 1 and 1/2, the second a half below the first."""
    rows = Parsed(small.site / "systems" / "night2.html").rows
    start = next(at for at, row in enumerate(rows) if row[:2] == ["run", "version"])
    assert rows[start + 1] == ["night1", "v1", "2026-11-01", "RR", "1.000", ""]
    assert rows[start + 2] == ["night2", "v2", "2026-11-02", "RR", "0.500", "\u22120.500"]
    assert "Its history" not in Parsed(small.site / "systems" / "other.html").words
