"""The pages of judgment sets: the first page of the site, each set's leaderboard and its list of topics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evalsql.catalog.measure_names import literal
from evalsql.phrases import counted
from evalsql.report.page.figures import number
from evalsql.report.page.page_data import facts_in_short, topics_in_order
from evalsql.report.page.verdicts import standing
from evalsql.report.site import parts
from evalsql.report.site.addresses import MEASURES, Places, query_link
from evalsql.report.site.parts import Column, Page, link, text
from evalsql.report.site.site_data import Results

DIGITS = 3
_FIRST = 10  # runs of each judgment set on the first page


def set_facts(results: Results) -> str:
    """How much a judgment set holds, in a line."""
    if results.report.evidence is None:
        raise ValueError("this report was not gathered for a page")
    return facts_in_short(results.report, results.report.evidence)


def first_page(found: Sequence[Results], places: Places, title: str) -> Page:
    """What the site holds: each judgment set with its best systems."""
    runs = {run for results in found for run in results.report.runs}
    body = "".join(_set_in_short(results, places, len(found) == 1) for results in found)
    facts = f"{counted(len(found), 'judgment set')}, {counted(len(runs), 'system')}"
    return Page("index.html", title, set_facts(found[0]) if len(found) == 1 else facts, body)


def _set_in_short(results: Results, places: Places, is_only: bool) -> str:
    report, qrels = results.report, results.qrels
    links = " \u00b7 ".join(
        [
            link(places.of_set(qrels), f"All {counted(len(report.runs), 'system')}"),
            link(places.topic_list(qrels), f"All {counted(len(report.topics), 'topic')}"),
            link(places.report(qrels), "The report, with pairs, curves and doubts"),
        ]
    )
    name = f"set-{places.sets[qrels]}"
    return parts.section(
        name,
        "Leaderboard" if is_only else qrels,
        "" if is_only else set_facts(results),
        parts.answers(_answers(results, places, "")),
        leaderboard(results, places, "", report.runs[:_FIRST]),
        f'<p class="links">{links}</p>',
    )


def _answers(results: Results, places: Places, root: str) -> Iterator[tuple[str, str, str]]:
    if results.report.evidence is None:
        return
    best = results.report.runs[0]
    for question, big, words in standing(results.report, results.report.evidence, DIGITS).answers:
        yield question, places.system_link(root, best) if big == best else text(big), text(words)


def leaderboard(results: Results, places: Places, root: str, runs: Sequence[str]) -> str:
    """The means of runs by the measures that were asked for, the first one drawn with its interval."""
    report = results.report
    first, names = report.names[0], report.names
    scale = parts.scale_of(
        value for at, row in enumerate(report.board.rows) for value in (_mean(row[1]), *_ends(results, report.runs[at]))
    )
    best = report.board.with_best(results.lower, DIGITS, first=1, by=0).best
    rows = []
    for at, row in enumerate(report.board.rows):
        run = report.runs[at]
        if run not in runs:
            continue
        cells = [report.board.text(row, place, DIGITS).replace("-", "\u2212") for place in range(1, len(names) + 1)]
        shown = [f"<b>{cell}</b>" if (at, place) in best else cell for place, cell in enumerate(cells, start=1)]
        kind = "baseline" if run == report.baseline else "system" if at == 0 else "mark"
        low, high = _ends(results, run)
        picture = parts.interval(scale, _mean(row[1]) or 0.0, low, high, kind)
        rows.append([str(at + 1), places.system_link(root, run), picture, _interval_words(results, run), *shown])
    columns = [Column("", "l"), Column("system", "w"), Column(first, "p m"), Column("95% interval", "o")]
    columns += [Column(name, "n" if place < 2 else "o") for place, name in enumerate(names)]
    return parts.table(f"Means of {results.qrels}", columns, rows)


def _mean(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _ends(results: Results, run: str) -> tuple[float | None, float | None]:
    return results.intervals.get((results.report.names[0], run), (None, None))


def _interval_words(results: Results, run: str) -> str:
    low, high = _ends(results, run)
    return "" if low is None else f"{number(low, DIGITS)} to {number(high, DIGITS)}"


def set_page(results: Results, places: Places) -> Page:
    """The leaderboard of all runs."""
    report = results.report
    address = places.of_set(results.qrels)
    root = parts.to_root(address)
    said = (
        f"{report.names[0]} orders them. Lines are Student's intervals of the mean at 95%. The diamond is the "
        f"baseline, {report.baseline}. Best means are bold."
    )
    asked = (
        f"select run, measure, value from summary where qrels = {literal(results.qrels)} order by measure, value desc"
    )
    more = " \u00b7 ".join(
        [
            link("report.html", "The report, with pairs, curves and doubts"),
            link("topics.html", "Topics"),
            link(root + MEASURES, "Measures"),
            link(query_link(root, asked), "Ask in SQL"),
        ]
    )
    body = parts.answers(_answers(results, places, root)) + parts.section(
        "systems",
        "Systems",
        said,
        leaderboard(results, places, root, report.runs),
        f'<p class="links">{more}</p>',
        _notices([each.text for each in report.notices]),
    )
    return Page(address, results.qrels, set_facts(results), body, [("Results", "index.html")])


def _notices(notices: Sequence[str]) -> str:
    if not notices:
        return ""
    return '<h3>To note</h3><ul class="notices">' + "".join(f"<li>{text(each)}</li>" for each in notices) + "</ul>"


def topic_list(results: Results, places: Places) -> Page:
    """All topics, with how hard they are."""
    report = results.report
    first = report.names[0]
    address = places.topic_list(results.qrels)
    root = parts.to_root(address)
    standings = {run: results.places.get((first, run), {}) for run in report.runs}
    scale = parts.scale_of(
        end for found in standings.values() for place in found.values() for end in (place.lowest, place.highest)
    )
    rows = []
    for topic in topics_in_order(report):
        of_runs = [(run, found[topic]) for run, found in standings.items() if topic in found]
        if not of_runs:
            continue
        run, place = next(((run, place) for run, place in of_runs if place.place == 1), of_runs[0])
        words = results.texts.get(topic)
        relevant = len(results.documents.get(topic, ()))
        rows.append(
            [
                link(root + places.topic(results.qrels, topic), topic),
                text(words.text) if words else "",
                str(relevant),
                number(place.median, DIGITS),
                parts.spread(scale, place.median, place.lowest, place.median, place.highest),
                number(place.value, DIGITS),
                places.system_link(root, run),
            ]
        )
    columns = [
        Column("topic", "w"),
        Column("question", "q") if results.texts else Column("", "none"),
        Column("relevant", "o"),
        Column("median", "n"),
        Column(f"{first}, all systems", "p"),
        Column("best", "o"),
        Column("by", "m"),
    ]
    sentence = (
        f"{first} of all systems on each topic: the line is from the least to the greatest, the circle the median."
    )
    body = parts.section("topics", "Topics", sentence, parts.table("Topics", columns, rows))
    above = [("Results", "index.html"), (results.qrels, places.of_set(results.qrels))]
    return Page(address, "Topics", set_facts(results), body, above)
