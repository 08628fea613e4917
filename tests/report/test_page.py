"""The report as a page, in a browser: what it shows, what it does when asked, what it leaves alone."""

import shlex
from pathlib import Path

import numpy
import pytest
from scipy.stats import kendalltau

import evalsql
from tests.conftest import in_process
from tests.long_cases import few_of
from tests.report.conftest import Open, Watched, asked, page_data, report_of

ENDS = "(lines) => lines.map((each) => ['x1', 'y1', 'x2', 'y2'].map((end) => parseFloat(each.getAttribute(end))))"
PICTURES = "[...document.querySelectorAll('#doubts .picture')].map((each) => each.outerHTML)"


def three(value: float) -> str:
    text = f"{value:+.3f}"
    return text[1:] if not float(text) else text


@pytest.mark.long
def test_all_is_drawn_in_silence_and_without_a_network(watched: Watched, folder: Path) -> None:
    watched.page.click("#more summary")
    for place in ("#winner svg", "#topics-body svg", "#doubts svg", "#precision-recall svg", "#more-curves svg"):
        assert watched.count(place), place
    assert watched.requests == [(folder / "report.html").as_uri()]


@pytest.mark.long
def test_the_table_of_all_numbers_has_those_of_the_command_line(watched: Watched, folder: Path) -> None:
    board = {row["run"]: row for row in asked(folder, "leaderboard")}
    assert watched.rows("#board") == watched.rows() == list(board)
    heads = [text.split()[0] for text in watched.page.locator("#board thead th").all_inner_texts()][1:]
    assert heads == [name for name in next(iter(board.values())) if name not in ("qrels", "run")]
    data = page_data((folder / "report.html").read_text())
    for run, row in board.items():
        cells = watched.page.locator(f"#board tr[data-run='{run}'] td.number").all_inner_texts()
        assert cells == [f"{row[name]:.3f}" for name in heads]
        at = data["runs"].index(run)
        assert [data["means"][name][at] for name in heads] == [row[name] for name in heads]


@pytest.mark.long
def test_systems_stand_beside_the_baseline_as_compare_has_them(watched: Watched, folder: Path) -> None:
    for baseline, measure in (("bm25", "nDCG@10"), ("dense", "AP"), ("rerank-large", "P@10")):
        watched.choose(measure=measure, baseline=baseline)
        pairs = asked(folder, "compare", baseline, "-m", measure)
        assert len(pairs) == 7
        for pair in pairs:
            _, _, mean, difference, *counts = watched.cells(pair["run"])
            assert (mean, difference) == (f"{pair['mean']:.3f}", three(pair["difference"]))
            assert counts == [str(pair[name]) for name in ("wins", "ties", "losses")]
            picture = watched.page.locator(f"#winner tr[data-run='{pair['run']}'] svg")
            told = (picture.get_attribute("aria-label") or "").replace("\u2212", "-")
            assert told.endswith(", sure" if pair["p_corrected"] < 0.05 else ", not sure"), told
            assert f"{three(pair['low'])} to {three(pair['high'])}" in told
            # The thin line is wider than the interval at 95%, and leaves the baseline out just where that is sure.
            ends = "(line) => [line.getAttribute('x1'), line.getAttribute('x2')].map(parseFloat)"
            (zero, _), (low, high) = (picture.locator(line).evaluate(ends) for line in (".zero", ".wide"))
            assert (low <= zero <= high) == (pair["p_corrected"] >= 0.05)


def test_answers_and_doubts_are_the_same_with_and_without_a_script(
    opened: Open, watched: Watched, folder: Path
) -> None:
    still = opened(folder / "report.html", script=False).page
    answers = [" ".join(page.inner_text("#answers").split()) for page in (still, watched.page)]
    assert answers[0] == answers[1]
    assert "rerank-large nDCG@10 0.8" in answers[0]
    assert "Is it sure? Yes, over the baseline rerank-large less bm25: 95% interval +" in answers[0]
    assert "t test, corrected by Holm for 7 comparisons, each measure by itself." in answers[0]
    pictures = [page.evaluate(PICTURES) for page in (still, watched.page)]
    assert any("#mark-system" in each for each in pictures[0])
    assert pictures[0] == pictures[1]
    # All else that is to be read is text and tables.
    assert "rerank-large" in still.inner_text("#winner table")
    assert "T01" in still.inner_text("#topics table")
    assert still.is_visible("noscript")
    assert not still.is_visible("#controls")
    still.click("#more > summary")
    still.click("#more details:last-child summary")
    assert "0.0" in still.inner_text("#more details:last-child table")


def test_the_answers_are_about_one_system_and_name_it(watched: Watched, folder: Path) -> None:
    means = {row["run"]: row["AP"] for row in asked(folder, "leaderboard", "-m", "AP")}
    order = sorted(means, key=lambda run: -means[run])
    watched.choose(measure="AP", baseline="bm25")
    for system in (order[0], order[3], order[-1], "bm25"):
        watched.choose(system=system)
        wins, margin, sure = (each.inner_text() for each in watched.page.locator("#answers .answer").all())
        rival = order[0] if system == "bm25" else "bm25"
        asks = "Who wins?" if system == order[0] else "Where does it stand?"
        assert wins.split("\n\n")[:2] == [asks, system]
        assert system == order[0] or f"place {order.index(system) + 1} of 8, " in wins
        assert margin.split("\n\n")[1] == three(means[system] - means[rival]).replace("-", "\u2212")
        assert all(system in text and rival in text for text in (margin, sure))
    watched.choose(baseline=order[0], system=order[0])
    assert f"{order[0]} over the next, {order[1]}; it is the baseline itself." in watched.page.inner_text("#answers")


def test_rows_sort_by_mouse_and_by_keyboard(watched: Watched, folder: Path) -> None:
    board = asked(folder, "leaderboard")

    def shown(name: str) -> list[float]:
        values = {row["run"]: row[name] for row in board}
        return [values[run] for run in watched.rows("#board")]

    falling = sorted((row["P@10"] for row in board), reverse=True)
    head = watched.page.locator("#board").get_by_role("button", name="P@10")
    head.click()
    assert shown("P@10") == falling
    head.focus()
    watched.page.keyboard.press("Enter")
    assert shown("P@10") == falling[::-1]
    watched.page.locator("#winner").get_by_role("button", name="system").first.click()
    assert watched.rows() == sorted(row["run"] for row in board)


def test_the_filter_filters_charts_tables_ticks_and_pictures(watched: Watched) -> None:
    everyone = watched.rows()
    ticks = "#topics-body > table tr.row:first-child .tick"
    mark = "#picture-unjudged use[href='#mark-{}']:not([hidden])"
    marks, lines = mark.format("other"), "#picture-places .other:not([hidden]) line"
    assert [watched.count(each) for each in (ticks, marks, lines)] == [len(everyone) - 2, 6, 6 * 4]
    watched.page.locator("#show").fill("BM25-")
    assert watched.rows() == watched.rows("#board") == [run for run in everyone if "bm25-" in run]
    assert watched.page.get_by_role("status").inner_text() == "1 of 8 systems"
    assert [watched.count(each) for each in (ticks, marks, lines)] == [1, 1, 4]
    assert watched.count("#precision-recall polyline") == 3  # system and baseline stay
    note = watched.page.locator("#picture-unjudged .note")
    assert note.inner_text().endswith("grey 1 other system.")
    watched.page.locator("#show").fill("")
    assert watched.rows() == everyone
    watched.choose(others="none")
    assert [watched.count(each) for each in ("#topics-body .tick", marks, lines)] == [0, 0, 0]
    assert watched.count("#precision-recall polyline") == 2
    assert watched.count(mark.format("system")) == watched.count(mark.format("baseline")) == 1
    assert note.inner_text() == "Blue is rerank-large, orange bm25."
    watched.choose(baseline="rerank-large")
    assert note.inner_text() == "Blue is rerank-large."


def test_topics_lost_are_those_of_the_command_line(watched: Watched, folder: Path) -> None:
    watched.choose(measure="AP", system="dense", baseline="bm25")
    values = {(row["run"], row["topic"]): row["value"] for row in asked(folder, "topics", "dense", "bm25", "-m", "AP")}
    apart = {topic: values["dense", topic] - values["bm25", topic] for run, topic in values if run == "dense"}
    assert {topic: text.replace("\u2212", "-") for topic, text in watched.topics().items()} == {
        topic: three(difference) for topic, difference in apart.items()
    }
    lost = sorted((topic for topic in apart if apart[topic] < 0), key=lambda topic: apart[topic])
    sentence = watched.page.inner_text("#topics-body .sentence")
    first = f"{lost[0]}, {lost[1]} and {lost[2]}"
    assert sentence == f"dense loses to bm25 on {len(lost)} of {len(apart)} topics, most on {first}."


def test_a_topic_opens_its_documents_and_the_back_button_closes_it(watched: Watched, folder: Path) -> None:
    page = watched.page
    topic = next(iter(watched.topics()))
    page.locator(f"tr[data-topic='{topic}']").get_by_role("button", name="documents").click()
    assert f"topic={topic}" in page.url
    runs = ("rerank-large", "bm25")
    rows = [asked(folder, "explain", run, topic, "-m", "nDCG@10", "--depth", "1000") for run in runs]
    ranked = [[row for row in each if row["rank"]] for each in rows]
    for side, other in ((0, 1), (1, 0)):
        shown = page.locator(".side table").nth(side).locator("tbody tr")
        found = [row.locator("td").all_inner_texts() for row in shown.all()]
        assert [[cells[1].replace("\u2212", "-"), cells[2], cells[4]] for cells in found] == [
            ["?" if row["grade"] is None else str(row["grade"]), row["document"], f"{row['contribution']:.3f}"]
            for row in ranked[side][:20]
        ]
        elsewhere = {row["document"]: row["rank"] for row in ranked[other]}
        assert all(cells[5] in ("\u2013", str(elsewhere.get(cells[2]))) for cells in found)
    page.go_back()
    assert not page.query_selector(".side")
    page.go_forward()
    assert page.query_selector(".side")
    address = page.url
    page.reload()
    assert page.url == address
    assert page.query_selector(".side")


@pytest.mark.long
def test_a_page_without_documents_names_a_command_that_prints_them(opened: Open, tmp_path: Path) -> None:
    with evalsql.open(tmp_path / "evalsql.duckdb") as warehouse:
        for name in ("its set", "another"):
            warehouse.load_qrels({"one topic": {"a": 1, "b": 0}}, name)
        for name, score in (("ours", 3.0), ("bm25", 1.0), ("theirs", 1.5)):
            warehouse.load_run({"one topic": {"a": score, "b": 2.0}}, name, qrels=["its set", "another"])
        warehouse.report(qrels="its set", without=["documents"], output=tmp_path / "report.html")
    page = opened(tmp_path / "report.html", "#baseline=theirs").page
    page.get_by_role("button", name="documents").first.click()
    assert "The page holds no documents. This prints them" in page.inner_text("tr.opened")
    printed = in_process(tmp_path, shlex.split(page.inner_text("tr.opened code"))[1:], "")
    assert printed.returncode == 0, printed.stderr
    assert "topic one topic (its set): ours 1.0000, theirs 0.6309" in printed.stderr
    assert not page.is_visible("#chosen")
    page.select_option("#baseline", "bm25")
    assert page.inner_text("#chosen").startswith("No baseline was named, so bm25 ")


def test_the_address_keeps_the_choice(opened: Open, folder: Path) -> None:
    found = opened(folder / "report.html", "#measure=AP&baseline=dense&system=tfidf&show=r&view=mean")
    page = found.page
    chosen = [page.input_value(f"#{name}") for name in ("measure", "baseline", "system", "show")]
    assert chosen == ["AP", "dense", "tfidf", "r"]
    assert all("r" in run for run in found.rows())
    assert "Mean AP over 40 topics" in page.inner_text("#winner")
    assert "tfidf loses to dense" in page.inner_text("#topics-body")
    found.choose(baseline="bm25")
    assert "baseline=bm25" not in page.url  # it is the usual one
    page.go_back()
    assert page.input_value("#baseline") == "dense"


def unjudged_shares(folder: Path) -> list[tuple[str, float]]:
    with evalsql.open(folder / "evalsql.duckdb", read_only=True) as warehouse:
        return warehouse.rows("select run, unjudged from unjudged_by_rank where k = 10 order by unjudged desc")


def test_curves_and_doubts_have_the_figures_of_the_command_line(watched: Watched, folder: Path) -> None:
    data = page_data((folder / "report.html").read_text())
    runs = data["runs"]
    curve = {(row["run"], row["recall"]): row["precision"] for row in asked(folder, "curve", "pr", "*")}
    found = {(runs[int(at)], x): y for at, points in data["curves"]["pr"].items() for x, y in points}
    assert found == pytest.approx(curve, rel=1e-6)
    topics = {(row["run"], row["topic"]): row["value"] for row in asked(folder, "topics", "-m", "nDCG@10")}
    for at, box in data["curves"]["boxes"]["nDCG@10"].items():
        values = [value for (run, _), value in topics.items() if run == runs[int(at)]]
        assert box == pytest.approx(numpy.quantile(values, (0, 0.25, 0.5, 0.75, 1)), abs=1e-12)
    doubted = watched.page.inner_text("#doubts")
    assert "tfidf misses 1 of 40 topics" in doubted
    ((run, unjudged), *_, (_, least)) = unjudged_shares(folder)
    assert f"{least * 100:.0f}% to {unjudged * 100:.0f}% of the first 10, depending on the system." in doubted
    assert f"Most unjudged among the first 10: {run}, {unjudged * 100:.0f}%." in doubted
    board = asked(folder, "leaderboard")
    tau = kendalltau(*([round(row[name], 12) for row in board] for name in ("nDCG@10", "AP"))).statistic
    assert f"AP {tau:.2f}" in doubted
    told = watched.page.text_content("#data") or ""
    with evalsql.open(folder / "evalsql.duckdb", read_only=True) as warehouse:
        for file in warehouse.rows("select file, sha256 from files"):
            assert all(text in told for text in file)


@pytest.mark.long
def test_pictures_of_doubts_follow_the_choice(watched: Watched, folder: Path) -> None:
    shares = {run: f"{unjudged * 100:.0f}%" for run, unjudged in unjudged_shares(folder)}
    board = asked(folder, "leaderboard")

    def place(run: str, measure: str) -> int:
        values: dict[str, float] = {row["run"]: round(row[measure], 12) for row in board}
        return 1 + sum(value > values[run] for value in values.values())

    def label(name: str) -> str:
        return watched.page.get_attribute(f"#picture-{name} svg", "aria-label") or ""

    page = watched.page
    for system, baseline in (("dense", "random"), ("tfidf", "dense")):
        watched.choose(system=system, baseline=baseline)
        told = "; ".join(f"{run} {shares[run]} of the first 10" for run in (system, baseline))
        assert label("unjudged") == f"Share of unjudged documents: {told}"
        for run in (system, baseline):
            names = ("nDCG@10", "AP", "P@10", "R@100", "RR")
            *first, last = (str(place(run, name)) for name in names)
            assert f"{run} {', '.join(first)} and {last}" in label("places")
        path = page.locator("#picture-places .system line").evaluate_all(ENDS)
        assert [x for x, *_ in path] == [4, 27, 50, 73]
        assert [line[2:] for line in path[:-1]] == [line[:2] for line in path[1:]]
        said = page.inner_text("#picture-places .note")
        assert said == f"Blue is {system}, orange {baseline}, grey 6 other systems."


@pytest.mark.parametrize(("num_systems", "most"), few_of([(12, 1_500_000), (126, 5_000_000)], 0))
def test_the_page_of_many_systems_on_50_topics_stays_small(tmp_path: Path, num_systems: int, most: int) -> None:
    runs = {
        f"system {at:03}": {
            f"t{topic}": {f"d{(at * place + topic) % 97}": -float(place) for place in reversed(range(20))}
            for topic in range(50)
        }
        for at in range(num_systems)
    }
    grades = {f"t{topic}": {f"d{at}": at % 3 for at in range(97)} for topic in range(50)}
    assert report_of(tmp_path, runs, grades).stat().st_size < most
