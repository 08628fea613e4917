"""The pages of a site: the first one, those of judgment sets and topics, and a page a system and a measure."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from evalsql.catalog.measure_names import Measure
from evalsql.catalog.relations import Relation
from evalsql.literals import literal
from evalsql.phrases import counted
from evalsql.report import html
from evalsql.report.html import MINUS, answers, interval_text, link, links_line, number, section, signed, table, text
from evalsql.report.page import verdicts
from evalsql.report.page.html_page import size_line
from evalsql.report.site import site_parts
from evalsql.report.site.site_parts import DIGITS, FOUND_DEPTH, TILES, Links, Page, SetResults, scale_of, tiles
from evalsql.report.table import value_text

_MOST_DOCUMENTS = 15  # a topic's page lists so many of those found by most, and of those missed by most
_FIRST = 10  # runs of each judgment set on the first page
_MOST_LOADS = 30
_REPORT = "The report, with pairs, curves and doubts"


def every_page(links: Links, partial: Collection[str]) -> Iterator[Page]:
    """All pages but the console; of measures that are ``partial`` the site's copy lacks some of what they read."""
    yield _first_page(links)
    for results in links.found:
        yield _set_page(results, links)
        yield _topic_list(results, links)
        yield from (_topic_page(topic, results, links) for topic in results.topics)
    for run in links.systems:
        yield _system_page(run, [each for each in links.found if run in each.runs], links)
    yield _measure_list(links)
    for each in links.catalog.measures:
        yield _measure_page(each, links, is_partial=each.name in partial)


def _first_page(links: Links) -> Page:
    found, body = links.found, ""
    is_only = len(found) == 1
    for results in found:
        qrels = results.qrels
        more = links_line(
            links.to(links.set_page(qrels), f"All {counted(len(results.runs), 'system')}"),
            links.to(links.set_page(qrels, "topics"), f"All {counted(len(results.topics), 'topic')}"),
            links.to(links.set_page(qrels, "report"), _REPORT),
        )
        why = [f'<p class="sentence">{text(told)}</p>' for told in results.told("baseline")]
        shown = answers(_answers(results, links)), *why, _leaderboard(results, links, _FIRST), more
        named = ("Leaderboard", "") if is_only else (qrels, size_line(results))
        body += section(f"set-{links.sets[qrels]}", *named, *shown)
    sizes = f"{counted(len(found), 'judgment set')}, {counted(len(links.systems), 'system')}"
    return Page(site_parts.HOME[1], links.title, size_line(found[0]) if is_only else sizes, body)


def _answers(results: SetResults, links: Links) -> Iterator[tuple[str, str, str]]:
    best = results.runs[0]
    for question, big, words in verdicts.answers(results, DIGITS):
        yield question, links.system(best) if big == best else text(big), text(words)


def _leaderboard(results: SetResults, links: Links, most: int | None = None) -> str:
    """The means of the first runs by the measures that were asked for, the first one drawn with its interval."""
    means = results.means[results.first]
    scale = scale_of(end for mean in means.values() for end in (mean.value, mean.low, mean.high))
    board = results.leaderboard.with_best(results.lower, DIGITS, first=1, by=0)
    rows = []
    for run, cells in zip(results.runs, html.cells(board, DIGITS), strict=True):
        mean = means[run]
        picture = scale.interval(mean.value, mean.low, mean.high, results.mark(run, mean.place))
        shown = [cell.replace("-", MINUS) for cell in cells[1:]]
        rows.append([str(mean.place), links.system(run), picture, interval_text(mean.low, mean.high, DIGITS), *shown])
    columns = [("", "l"), ("system", "w"), (results.first, "p m"), ("95% interval", "o")]
    columns += [(name, "n" if place < 2 else "o") for place, name in enumerate(results.names)]
    return table(f"Means of {results.qrels}", columns, rows[:most])


def _set_page(results: SetResults, links: Links) -> Page:
    qrels = results.qrels
    links = links.on(links.set_page(qrels))
    sentence = (
        f"{results.first} orders them. Lines are Student's intervals of the mean at 95%. The diamond is the "
        f"baseline, {results.baseline}. Best means are bold."
    )
    asked = f"select run, measure, value from summary where qrels = {literal(qrels)} order by measure, value desc"
    more = links_line(
        link("report.html", _REPORT),
        link("topics.html", "Topics"),
        links.to(site_parts.MEASURES[1], site_parts.MEASURES[0]),
        links.query(asked, "Ask in SQL"),
    )
    notices = "".join(f"<li>{text(each.text)}</li>" for each in results.notices)
    noted = f'<h3>To note</h3><ul class="notices">{notices}</ul>' if notices else ""
    body = section("systems", "Systems", sentence, _leaderboard(results, links), more, noted)
    return Page(links.address, qrels, size_line(results), answers(_answers(results, links)) + body, [site_parts.HOME])


def _topic_list(results: SetResults, links: Links) -> Page:
    first, qrels = results.first, results.qrels
    links = links.on(links.set_page(qrels, "topics"))
    found = {topic: order for topic in results.topics if (order := results.on_topic(topic))}
    scale = scale_of(end for order in found.values() for _, each in order for end in (each.lowest, each.highest))
    rows = []
    for topic, ((run, best), *_) in found.items():
        named = [links.topic(qrels, topic), text(results.text(topic)), str(len(results.relevant[topic]))]
        picture = scale.spread(best.median, best)
        rows.append([*named, number(best.median, DIGITS), picture, number(best.value, DIGITS), links.system(run)])
    question = ("question", "q") if results.texts else ("", "none")
    columns = [("topic", "w"), question, ("relevant", "o"), ("median", "n"), (f"{first}, all systems", "p")]
    drawn = "the line is from the least to the greatest, the circle the median"
    sentence = f"{first} of all systems on each topic: {drawn}."
    shown = section("topics", "Topics", sentence, table("Topics", [*columns, ("best", "o"), ("by", "m")], rows))
    return Page(links.address, "Topics", size_line(results), shown, [site_parts.HOME, (qrels, links.set_page(qrels))])


def _topic_page(topic: str, results: SetResults, links: Links) -> Page:
    qrels, documents = results.qrels, results.relevant[topic]
    links = links.on(links.topic_page(qrels, topic))
    title, *more = results.words.get(topic, ("", None, None))
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
        body += section("documents", "Relevant documents", sentence, _documents(documents, results))
    of_topic = f"qrels = {literal(qrels)} and topic = {literal(topic)}"
    asked = f"select * from judgments where {of_topic} order by grade desc"
    body += links_line(links.query(asked, "Ask for all its judgments in SQL"))
    heading = f"Topic {topic}: {title}" if topic in results.texts else f"Topic {topic}"
    summary = f"{relevant} \u00b7 {results.topics.index(topic) + 1} of {counted(len(results.topics), 'topic')}"
    above = [site_parts.HOME, (qrels, links.set_page(qrels)), ("Topics", links.set_page(qrels, "topics"))]
    return Page(links.address, heading, summary, body, above)


def _topic_answers(topic: str, results: SetResults, links: Links) -> Iterator[tuple[str, str, str]]:
    for run, best in results.on_topic(topic)[:1]:
        first = results.first
        more = f", and {best.num_same - 1} more with the same value." if best.num_same > 1 else "."
        lowest, median, highest = (number(value, DIGITS) for value in (best.lowest, best.median, best.highest))
        rank = f"{best.hardness} of {best.num_topics}, the hardest being 1"
        yield "Who is best here?", links.system(run), text(f"{first} {number(best.value, DIGITS)}{more}")
        yield "How hard is it?", median, text(f"is the median {first} of all systems: {rank}.")
        yield "How far are systems apart?", number(best.span, DIGITS), f"from {lowest} to {highest}."


def _systems(topic: str, results: SetResults, links: Links) -> str:
    first, others = results.first, results.names[1:4]
    order = results.on_topic(topic)
    scale = scale_of(end for _, each in order for end in (each.lowest, each.highest))
    rows = []
    for run, each in order:
        picture = scale.interval(each.value, each.median, each.value, results.mark(run, each.place))
        grades = tiles(results.tiles.get((run, topic), ()))
        more = results.values_text(others, run, topic)
        rows.append([str(each.place), links.system(run), number(each.value, DIGITS), picture, grades, *more])
    columns = [("", "l"), ("system", "w"), (first, "n"), ("from the median", "p"), (f"first {TILES}", "t m")]
    return table("Systems", [*columns, *((name, "o") for name in others)], rows)


def _documents(documents: Sequence[Any], results: SetResults) -> str:
    num_runs = len(results.runs)
    by_missed = sorted(documents, key=lambda each: each.missed_place)
    groups = {
        "Found by most": [each for each in documents if each.num_found * 2 >= num_runs],
        "Missed by most": [each for each in by_missed if each.num_found * 2 < num_runs],
    }
    columns = [("document", "id"), ("grade", "t"), (f"in the first {FOUND_DEPTH} of", "n"), ("retrieved by", "o")]
    tables = ""
    for heading, group in groups.items():
        rows = []
        for each in group[:_MOST_DOCUMENTS]:
            found, rank = f"{each.num_found} of {num_runs}", "" if each.best_rank is None else str(each.best_rank)
            rows.append([results.named(each.document), tiles([each.grade]), found, str(each.num_ret), rank])
        if rows:
            tables += f"<div><h3>{heading}</h3>{table(heading, [*columns, ('best rank', 'n')], rows)}</div>"
    return f'<div class="columns">{tables}</div>'


def _system_page(run: str, found: Sequence[SetResults], links: Links) -> Page:
    links = links.on(links.system_page(run))
    body, places = "", []
    for results in found:
        qrels = results.qrels
        places.append(f"{results.place(run)} by {qrels}")
        body += answers(_system_answers(run, results, links))
        for part, heading, sentence, shown in _sections(run, results, links):
            body += section(f"{part}-{links.sets[qrels]}", heading + _of_set(found, qrels), sentence, shown)
    body += links_line(links.query(f"select * from scores where run = {literal(run)}", "Ask for all its values in SQL"))
    above = [site_parts.HOME, *((each.qrels, links.set_page(each.qrels)) for each in found if len(found) == 1)]
    return Page(links.address, run, ", ".join(places), body, above)


def _of_set(found: Sequence[SetResults], qrels: str) -> str:
    """What a heading says of the judgment set, where there are several."""
    return f" \u2013 {qrels}" if len(found) > 1 else ""


def _system_answers(run: str, results: SetResults, links: Links) -> Iterator[tuple[str, str, str]]:
    first = results.first
    mean = number(results.means[first][run].value, DIGITS)
    yield "Where does it stand?", results.place(run), text(f"{first} {mean}.")
    topics, order = results.standings[first, run], _worst_first(run, results)
    ideal = results.shown_measures[0].relation.header.bounds[first not in results.lower]
    named = [*order[-1:], *(topic for topic in order[:1] if topics[topic].value != ideal)]
    for question, topic in zip(("Best topic?", "Worst topic?"), named, strict=False):
        each, title = topics[topic], f"{results.text(topic)}: " if topic in results.texts else ""
        values = f"{title}{first} {number(each.value, DIGITS)}, median {number(each.median, DIGITS)}"
        yield question, links.topic(results.qrels, topic), text(f"{values}, place {each.place} of {each.num_runs}")


def _sections(run: str, results: SetResults, links: Links) -> Iterator[tuple[str, str, str, str]]:
    """Name, heading, sentence and table of each part of a system's page."""
    first = results.first
    sentence = "Means over the topics with Student's interval at 95%, and the place among all systems by each measure."
    yield "figures", "Its figures", sentence, _figures(run, results, links)
    for each in [*results.standings[first, run].values()][:1]:
        sentence = (
            f"By {first} it is behind the median of all systems on {html.in_words(each.num_behind)} of "
            f"{each.num_topics} topics. The worst come first: circle its value, line all systems, tick their median."
        )
        yield "topics", "Its topics", sentence, _topics(run, results, links)
    if len(results.runs) > 1:
        sentence = (
            f"Its {first} less theirs, paired by topic, with the 95% interval. Sure is what a t test finds at 5%, "
            f"corrected by Holm for {results.corrected}."
        )
        yield "others", "Beside the others", sentence, _others(run, results, links)
    sentence, history = _history(run, results, links)
    if history:
        yield "history", "Its history", sentence, history


def _worst_first(run: str, results: SetResults) -> list[str]:
    """Topics by how far the run is behind the median of all systems."""
    topics = results.standings[results.first, run]
    return sorted(topics, key=lambda topic: (topics[topic].lag_place, topic))


def _figures(run: str, results: SetResults, links: Links) -> str:
    rows = []
    for measure in results.shown_measures:
        means = results.means.get(measure.name, {})
        if run not in means:
            continue
        mean, digits = means[run], 0 if measure.is_count else DIGITS
        scale = scale_of([*(each.value for each in means.values()), mean.low, mean.high])
        value = value_text(mean.value, measure.name, DIGITS, is_count=measure.is_count).replace("-", MINUS)
        best = number(next(iter(means.values())).value, digits)
        picture = scale.interval(mean.value, mean.low, mean.high, "system")
        drawn = [interval_text(mean.low, mean.high, DIGITS), picture]
        standing = ["", ""] if verdicts.is_about_judgments(measure) else [str(mean.place), best]
        rows.append([links.measure(measure), value, *drawn, *standing])
    columns = [("measure", "w"), ("mean", "n"), ("95% interval", "o"), ("", "p m"), ("place", "n"), ("best", "o")]
    return table("Figures", columns, rows)


def _topics(run: str, results: SetResults, links: Links) -> str:
    first, others = results.first, results.names[1:4]
    topics = results.standings[first, run]
    scale = scale_of(end for each in topics.values() for end in (each.lowest, each.highest))
    rows = []
    for topic in _worst_first(run, results):
        each = topics[topic]
        words = f" <span class=soft>{text(results.text(topic))}</span>" if topic in results.texts else ""
        values = [number(each.value, DIGITS), signed(each.from_median, DIGITS)]
        picture = scale.spread(each.value, each)
        more = results.values_text(others, run, topic)
        rows.append([links.topic(results.qrels, topic) + words, *values, picture, str(each.place), *more])
    columns = [("topic", "w"), (first, "n"), ("less median", "n"), ("", "p"), ("place", "n")]
    return table("Topics", [*columns, *((name, "o") for name in others)], rows)


def _others(run: str, results: SetResults, links: Links) -> str:
    first, runs = results.first, results.runs
    pairs = {other: results.pairs[first, other, run] for other in runs if (first, other, run) in results.pairs}
    scale = scale_of(end for pair in pairs.values() for end in (pair.low, pair.high, pair.difference))
    rows = []
    for other, pair in pairs.items():
        kind, sure = ("mark", "yes") if pair.is_sure else ("unsure", "no")
        figures = [signed(pair.difference, DIGITS), interval_text(pair.low, pair.high, DIGITS, signed)]
        picture = scale.interval(pair.difference, pair.low, pair.high, kind)
        outcomes = f"{pair.wins}\u2013{pair.ties}\u2013{pair.losses}"
        rows.append([str(results.means[first][other].place), links.system(other), *figures, picture, sure, outcomes])
    columns = [("", "l"), ("system", "w"), ("difference", "n"), ("95% interval", "o"), ("", "p"), ("sure", "")]
    return table("Beside the others", [*columns, ("won\u2013tied\u2013lost", "o")], rows)


def _history(run: str, results: SetResults, links: Links) -> tuple[str, str]:
    """A sentence and the latest loads of the same system; nothing unless systems are recorded and there are several."""
    systems = {system for system, each, *_ in results.history if each == run}
    every = [row for row in results.history if row[0] in systems]
    if len({row[1] for row in every}) < 2:
        return "", ""
    loads = [row for row in every if row[-1] <= _MOST_LOADS]
    which = "All loads" if len(loads) == len(every) else f"The latest {_MOST_LOADS} loads"
    measures = {measure.name: measure for measure in results.shown_measures}
    rows = []
    for _, each, version, dated_at, measure, value, difference, _ in loads:
        load = [links.system(each), text(version or ""), text(str(dated_at)[:10]), links.measure(measures[measure])]
        rows.append([*load, number(value, DIGITS), signed(difference, DIGITS)])
    columns = [("run", "w"), ("version", ""), ("date", ""), ("measure", ""), ("mean", "n"), ("to the one before", "n")]
    return f"{which} of this system in the order of their dates.", table("History", columns, rows)


def _measure_list(links: Links) -> Page:
    catalog = links.catalog
    shown = {measure.relation.name for results in links.found for measure in results.shown_measures}
    families: dict[str, list[list[str]]] = {}
    for relation in catalog.measures:
        header, address = relation.header, links.measure_page(relation.name).rpartition("/")[2]
        row = [link(address, header.measure), text(header.title), "yes" if relation.name in shown else ""]
        families.setdefault(relation.family if relation.is_packaged else "own", []).append(row)
    columns = [("measure", "w"), ("what it is", "words"), ("figures here", "m")]
    body = ""
    for family, rows in families.items():
        heading = family.replace("_", " ").capitalize()
        body += section(f"family-{family}", heading, "", table(heading, columns, rows))
    summary = f"{counted(len(catalog.measures), 'measure')}, {len(shown)} with figures on these pages"
    return Page(site_parts.MEASURES[1], site_parts.MEASURES[0], summary, body, [site_parts.HOME])


def _measure_page(relation: Relation, links: Links, *, is_partial: bool) -> Page:
    header, links = relation.header, links.on(links.measure_page(relation.name))
    better = "" if header.less_is_better else " desc"
    asked = f"select qrels, run, avg(value) as mean\nfrom {relation.name}()\ngroup by qrels, run\norder by mean{better}"
    ask = links.query(asked, "Ask for it in SQL")
    body = ""
    for results in links.found:
        for at, measure in enumerate(results.shown_measures):
            if measure.relation.name == relation.name and measure.name in results.means:
                heading = f"Who wins by {measure.name}?{_of_set(links.found, results.qrels)}"
                winners = _winners(measure, results, links, heading)
                body += section(f"winners-{links.sets[results.qrels]}-{at}", heading, *winners)
    body = body or section("winners", "Who wins by it?", "These pages have no figures of it.", f"<p>{ask}</p>")
    body += section("definition", "What it is", header.title, _definition(relation, is_partial=is_partial))
    sql = f'<pre class="code" tabindex="0"><code>{text(relation.body)}</code></pre>'
    sentence = "This is the whole computation, with what it reads."
    body += section("sql", "The SQL that computes it", sentence, sql, links_line(ask))
    return Page(links.address, header.measure, header.title, body, [site_parts.HOME, site_parts.MEASURES])


def _definition(relation: Relation, *, is_partial: bool) -> str:
    header = relation.header
    terms = {
        "Definition": header.definition,
        "Range": header.range.replace(" ", " to "),
        "Mean over topics": header.mean,
        "Reference": header.reference,
        "Other programs": header.differs,
    }
    items = "".join(f"<dt>{text(name)}</dt><dd>{text(words)}</dd>" for name, words in terms.items() if words)
    shown = f"<dl>{items}</dl>"
    if is_partial:
        shown += (
            "<p>It reads whole rankings, of which the site's copy of the warehouse has the first documents only: what "
            "the console computes of it is not exact.</p>"
        )
    rows = [
        [f"<code>{text(each.name)}</code>", text("" if each.default is None else each.default), text(each.meaning)]
        for each in relation.parameters
    ]
    columns = [("parameter", "w"), ("default", ""), ("what it is", "q")]
    return shown + (f"<h3>Parameters</h3>{table('Parameters', columns, rows)}" if rows else "")


def _winners(measure: Measure, results: SetResults, links: Links, heading: str) -> tuple[str, str]:
    """A sentence on who wins by a measure, and all systems in the order of it."""
    name, first, means = measure.name, results.first, results.means[measure.name]
    digits = 0 if measure.is_count else DIGITS
    scale = scale_of(end for mean in means.values() for end in (mean.value, mean.low, mean.high))
    rows = []
    for run, mean in means.items():
        place, other = mean.place, results.means[first][run].place
        moved = f"\u2191{other - place}" if other > place else f"\u2193{place - other}" if other < place else ""
        picture = scale.interval(mean.value, mean.low, mean.high, results.mark(run, place))
        interval = interval_text(mean.low, mean.high, DIGITS)
        row = [str(place), links.system(run), number(mean.value, digits), picture, interval]
        rows.append(row if name == first else [*row, str(other), moved])
    best, mean = next(iter(means.items()))
    sentence = f"{best} has the best mean {name}, {number(mean.value, digits)}, of {counted(len(means), 'system')}."
    columns = [("", "l"), ("system", "w"), (name, "n"), ("", "p"), ("95% interval", "o")]
    if name != first:
        sentence += f" The last columns say where its order differs from that by {first}."
        columns += [(f"place by {first}", "o"), ("moved", "n")]
    return sentence, table(heading, columns, rows)
