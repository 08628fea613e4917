"""The pages of judgment sets: the first page of the site, each set's leaderboard and its list of topics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evalsql.catalog.measure_names import literal
from evalsql.phrases import counted
from evalsql.report.html import (
    MINUS,
    Column,
    answers,
    interval_text,
    link,
    links_line,
    number,
    section,
    table,
    text,
)
from evalsql.report.page import verdicts
from evalsql.report.page.page_data import size_line
from evalsql.report.site import site_parts
from evalsql.report.site.addresses import MEASURES, Links, SiteAddresses
from evalsql.report.site.site_data import DIGITS, SetResults
from evalsql.report.site.site_parts import HOME, Page

_FIRST = 10  # runs of each judgment set on the first page


def first_page(found: Sequence[SetResults], addresses: SiteAddresses, title: str) -> Page:
    """What the site holds: each judgment set with its best systems."""
    runs = {run for results in found for run in results.report.runs}
    is_only = len(found) == 1
    links = Links(addresses, "index.html")
    body = ""
    for results in found:
        report, qrels = results.report, results.qrels
        more = [
            link(addresses.of_set(qrels), f"All {counted(len(report.runs), 'system')}"),
            link(addresses.of_set(qrels, "topics"), f"All {counted(len(report.topics), 'topic')}"),
            link(addresses.of_set(qrels, "report"), "The report, with pairs, curves and doubts"),
        ]
        body += section(
            f"set-{addresses.sets[qrels]}",
            "Leaderboard" if is_only else qrels,
            "" if is_only else size_line(report),
            answers(_answers(results, links)),
            _leaderboard(results, links, _FIRST),
            links_line(more),
        )
    summary = f"{counted(len(found), 'judgment set')}, {counted(len(runs), 'system')}"
    return Page("index.html", title, size_line(found[0].report) if is_only else summary, body)


def _answers(results: SetResults, links: Links) -> Iterator[tuple[str, str, str]]:
    best = results.report.runs[0]
    for question, big, words in verdicts.answers(results.report, DIGITS):
        yield question, links.system(best) if big == best else text(big), text(words)


def _leaderboard(results: SetResults, links: Links, most: int | None = None) -> str:
    """The means of the first runs by the measures that were asked for, the first one drawn with its interval."""
    report = results.report
    first, means = report.names[0], report.means(report.names[0])
    ends = {run: results.intervals.get((first, run), (None, None)) for run in report.runs}
    scale = site_parts.scale_of(value for run in report.runs for value in (means[run], *ends[run]))
    best = report.leaderboard.with_best(report.lower, DIGITS, first=1, by=0).best
    rows = []
    for at, row in enumerate(report.leaderboard.rows[:most]):
        run = report.runs[at]
        cells = [report.leaderboard.text(row, place, DIGITS) for place in range(1, len(row))]
        bold = [f"<b>{cell}</b>" if (at, place) in best else cell for place, cell in enumerate(cells, start=1)]
        kind = "baseline" if run == report.baseline else "system" if at == 0 else "mark"
        picture = site_parts.interval(scale, means[run], *ends[run], kind)
        shown = [cell.replace("-", MINUS) for cell in bold]
        rows.append([str(at + 1), links.system(run), picture, interval_text(*ends[run], DIGITS), *shown])
    columns = [Column("", "l"), Column("system", "w"), Column(first, "p m"), Column("95% interval", "o")]
    columns += [Column(name, "n" if place < 2 else "o") for place, name in enumerate(report.names)]
    return table(f"Means of {results.qrels}", columns, rows)


def set_page(results: SetResults, addresses: SiteAddresses) -> Page:
    """The leaderboard of all runs."""
    report = results.report
    address = addresses.of_set(results.qrels)
    links = Links(addresses, address)
    sentence = (
        f"{report.names[0]} orders them. Lines are Student's intervals of the mean at 95%. The diamond is the "
        f"baseline, {report.baseline}. Best means are bold."
    )
    asked = (
        f"select run, measure, value from summary where qrels = {literal(results.qrels)} order by measure, value desc"
    )
    more = [
        link("report.html", "The report, with pairs, curves and doubts"),
        link("topics.html", "Topics"),
        links.other(MEASURES, "Measures"),
        links.query(asked, "Ask in SQL"),
    ]
    notices = "".join(f"<li>{text(each.text)}</li>" for each in report.notices)
    body = answers(_answers(results, links)) + section(
        "systems",
        "Systems",
        sentence,
        _leaderboard(results, links),
        links_line(more),
        f'<h3>To note</h3><ul class="notices">{notices}</ul>' if notices else "",
    )
    return Page(address, results.qrels, size_line(report), body, [HOME])


def topic_list(results: SetResults, addresses: SiteAddresses) -> Page:
    """All topics, with how hard they are."""
    report, first = results.report, results.report.names[0]
    address = addresses.of_set(results.qrels, "topics")
    links = Links(addresses, address)
    standings = {run: results.standings.get((first, run), {}) for run in report.runs}
    scale = site_parts.scale_of(
        end for topics in standings.values() for each in topics.values() for end in (each.lowest, each.highest)
    )
    rows = []
    for topic in report.topics:
        of_runs = [(run, topics[topic]) for run, topics in standings.items() if topic in topics]
        if not of_runs:
            continue
        run, best = min(of_runs, key=lambda pair: pair[1].place != 1)
        rows.append(
            [
                links.topic(results.qrels, topic),
                text(results.texts[topic].text) if topic in results.texts else "",
                str(len(results.documents.get(topic, ()))),
                number(best.median, DIGITS),
                site_parts.spread(scale, best.median, best.lowest, best.median, best.highest),
                number(best.value, DIGITS),
                links.system(run),
            ]
        )
    columns = [Column("topic", "w"), Column("question", "q") if results.texts else Column("", "none")]
    columns += [Column("relevant", "o"), Column("median", "n"), Column(f"{first}, all systems", "p")]
    columns += [Column("best", "o"), Column("by", "m")]
    sentence = (
        f"{first} of all systems on each topic: the line is from the least to the greatest, the circle the median."
    )
    body = section("topics", "Topics", sentence, table("Topics", columns, rows))
    above = [HOME, (results.qrels, addresses.of_set(results.qrels))]
    return Page(address, "Topics", size_line(report), body, above)
