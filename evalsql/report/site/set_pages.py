"""The first page of a site, and of each judgment set the leaderboard, the list of topics and a page a topic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evalsql.catalog.measure_names import literal
from evalsql.phrases import counted
from evalsql.report.html import MINUS, answers, interval_text, link, links_line, number, section, table, text
from evalsql.report.page import verdicts
from evalsql.report.page.html_page import size_line
from evalsql.report.site.site_data import DIGITS, FOUND_DEPTH, MOST_DOCUMENTS, TILES, RelevantDocument, SetResults
from evalsql.report.site.site_parts import HOME, MEASURES, Links, Page, scale_of, tiles

_FIRST = 10  # runs of each judgment set on the first page
_REPORT = "The report, with pairs, curves and doubts"


def first_page(found: Sequence[SetResults], links: Links, title: str) -> Page:
    """What the site holds: each judgment set with its best systems."""
    is_only = len(found) == 1
    body = ""
    for results in found:
        report, qrels = results.report, results.qrels
        more = links_line(
            links.to(links.set_page(qrels), f"All {counted(len(report.runs), 'system')}"),
            links.to(links.set_page(qrels, "topics"), f"All {counted(len(report.topics), 'topic')}"),
            links.to(links.set_page(qrels, "report"), _REPORT),
        )
        shown = answers(_answers(results, links)), _leaderboard(results, links, _FIRST), more
        name, heading = f"set-{links.sets[qrels]}", "Leaderboard" if is_only else qrels
        body += section(name, heading, "" if is_only else size_line(report), *shown)
    summary = f"{counted(len(found), 'judgment set')}, {counted(len(links.systems), 'system')}"
    return Page(HOME[1], title, size_line(found[0].report) if is_only else summary, body)


def _answers(results: SetResults, links: Links) -> Iterator[tuple[str, str, str]]:
    best = results.report.runs[0]
    for question, big, words in verdicts.answers(results.report, DIGITS):
        yield question, links.system(best) if big == best else text(big), text(words)


def _leaderboard(results: SetResults, links: Links, most: int | None = None) -> str:
    """The means of the first runs by the measures that were asked for, the first one drawn with its interval."""
    report, first = results.report, results.first
    means = results.means[first]
    scale = scale_of(value for mean in means.values() for value in (mean.value, *mean.ends))
    board = report.leaderboard.with_best(report.lower, DIGITS, first=1, by=0)
    rows = []
    for at, run in enumerate(report.runs[:most]):
        mean = means[run]
        _, *texts = [board.text(board.rows[at], place, DIGITS) for place in range(len(board.columns))]
        texts = [cell.replace("-", MINUS) for cell in texts]
        shown = [f"<b>{cell}</b>" if (at, place) in board.best else cell for place, cell in enumerate(texts, start=1)]
        picture = scale.interval(mean.value, *mean.ends, results.mark(run, at + 1))
        rows.append([str(at + 1), links.system(run), picture, interval_text(*mean.ends, DIGITS), *shown])
    columns = [("", "l"), ("system", "w"), (first, "p m"), ("95% interval", "o")]
    columns += [(name, "n" if place < 2 else "o") for place, name in enumerate(report.names)]
    return table(f"Means of {results.qrels}", columns, rows)


def set_page(results: SetResults, links: Links) -> Page:
    """The leaderboard of all runs."""
    report, qrels = results.report, results.qrels
    address = links.set_page(qrels)
    links = links.on(address)
    sentence = (
        f"{results.first} orders them. Lines are Student's intervals of the mean at 95%. The diamond is the "
        f"baseline, {report.baseline}. Best means are bold."
    )
    asked = f"select run, measure, value from summary where qrels = {literal(qrels)} order by measure, value desc"
    more = links_line(
        link("report.html", _REPORT),
        link("topics.html", "Topics"),
        links.to(MEASURES[1], MEASURES[0]),
        links.query(asked, "Ask in SQL"),
    )
    notices = "".join(f"<li>{text(each.text)}</li>" for each in report.notices)
    noted = f'<h3>To note</h3><ul class="notices">{notices}</ul>' if notices else ""
    body = section("systems", "Systems", sentence, _leaderboard(results, links), more, noted)
    return Page(address, qrels, size_line(report), answers(_answers(results, links)) + body, [HOME])


def topic_list(results: SetResults, links: Links) -> Page:
    """All topics, with how hard they are."""
    report, first, qrels = results.report, results.first, results.qrels
    address = links.set_page(qrels, "topics")
    links = links.on(address)
    found = {topic: order for topic in report.topics if (order := results.on_topic(topic))}
    scale = scale_of(end for order in found.values() for _, each in order for end in each.span)
    rows = []
    for topic, ((run, best), *_) in found.items():
        named = [links.topic(qrels, topic), text(results.text(topic)), str(len(results.documents[topic]))]
        picture = scale.spread(best.median, best.lowest, best.median, best.highest)
        rows.append([*named, number(best.median, DIGITS), picture, number(best.value, DIGITS), links.system(run)])
    question = ("question", "q") if results.texts else ("", "none")
    columns = [("topic", "w"), question, ("relevant", "o"), ("median", "n"), (f"{first}, all systems", "p")]
    sentence = (
        f"{first} of all systems on each topic: the line is from the least to the greatest, the circle the median."
    )
    shown = section("topics", "Topics", sentence, table("Topics", [*columns, ("best", "o"), ("by", "m")], rows))
    above = [HOME, (qrels, links.set_page(qrels))]
    return Page(address, "Topics", size_line(report), shown, above)


def topic_page(topic: str, results: SetResults, links: Links) -> Page:
    """A topic's words, all systems with their first documents, and the relevant documents found and missed."""
    report, qrels = results.report, results.qrels
    address = links.topic_page(qrels, topic)
    links = links.on(address)
    title, *more = results.texts.get(topic, ("", None, None))
    documents = results.documents[topic]
    relevant = counted(len(documents), "relevant document")
    body = "".join(f'<p class="sentence">{text(each)}</p>' for each in more if each and each != title)
    body += answers(_topic_answers(topic, results, links))
    sentence = (
        f"All systems by {results.first} on this topic. Tiles are the grades of their first {TILES} documents, a "
        "dash is one that nobody judged."
    )
    body += section("systems", "Systems", sentence, _systems(topic, results, links))
    if documents:
        shown, lost = documents[0].num_shown, documents[0].num_lost
        sentence = (
            f"Of {relevant}, {shown:,} {'is' if shown == 1 else 'are'} among the first {FOUND_DEPTH} of some system; "
            f"{lost:,} {'was' if lost == 1 else 'were'} retrieved by none."
        )
        body += section("documents", "Relevant documents", sentence, _documents(documents, len(report.runs)))
    of_topic = f"qrels = {literal(qrels)} and topic = {literal(topic)}"
    asked = f"select * from judgments where {of_topic} order by grade desc"
    body += links_line(links.query(asked, "Ask for all its judgments in SQL"))
    heading = f"Topic {topic}: {title}" if topic in results.texts else f"Topic {topic}"
    summary = f"{relevant} \u00b7 {report.topics.index(topic) + 1} of {counted(len(report.topics), 'topic')}"
    above = [HOME, (qrels, links.set_page(qrels)), ("Topics", links.set_page(qrels, "topics"))]
    return Page(address, heading, summary, body, above)


def _topic_answers(topic: str, results: SetResults, links: Links) -> Iterator[tuple[str, str, str]]:
    for run, best in results.on_topic(topic)[:1]:
        first = results.first
        more = f", and {best.num_same - 1} more with the same value." if best.num_same > 1 else "."
        lowest, median, highest = (number(value, DIGITS) for value in (best.lowest, best.median, best.highest))
        rank = f"{best.hardness} of {best.num_topics}, the hardest being 1"
        yield "Who is best here?", links.system(run), text(f"{first} {number(best.value, DIGITS)}{more}")
        yield "How hard is it?", median, text(f"is the median {first} of all systems: {rank}.")
        span = number(best.highest - best.lowest, DIGITS)
        yield "How far are systems apart?", span, f"from {lowest} to {highest}."


def _systems(topic: str, results: SetResults, links: Links) -> str:
    first, others = results.first, results.report.names[1:4]
    order = results.on_topic(topic)
    scale = scale_of(end for _, each in order for end in each.span)
    rows = []
    for run, each in order:
        picture = scale.interval(each.value, each.median, each.value, results.mark(run, each.place))
        grades = tiles(results.tiles.get((run, topic), ()))
        more = results.values_text(others, run, topic)
        rows.append([str(each.place), links.system(run), number(each.value, DIGITS), picture, grades, *more])
    columns = [("", "l"), ("system", "w"), (first, "n"), ("from the median", "p"), (f"first {TILES}", "t m")]
    return table("Systems", [*columns, *((name, "o") for name in others)], rows)


def _documents(documents: Sequence[RelevantDocument], num_runs: int) -> str:
    by_missed = sorted(documents, key=lambda each: each.missed_place)
    groups = {
        "Found by most": [each for each in documents if each.num_found * 2 >= num_runs],
        "Missed by most": [each for each in by_missed if each.num_found * 2 < num_runs],
    }
    columns = [("document", "id"), ("grade", "t"), (f"in the first {FOUND_DEPTH} of", "n"), ("retrieved by", "o")]
    tables = ""
    for heading, group in groups.items():
        rows = []
        for each in group[:MOST_DOCUMENTS]:
            found, rank = f"{each.num_found} of {num_runs}", "" if each.best_rank is None else str(each.best_rank)
            rows.append([text(each.document), tiles([each.grade]), found, str(each.num_ret), rank])
        if rows:
            tables += f"<div><h3>{heading}</h3>{table(heading, [*columns, ('best rank', 'n')], rows)}</div>"
    return f'<div class="columns">{tables}</div>'
