"""A page a system: its figures, the topics on which it is behind and ahead, other systems beside it, its history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evalsql.catalog.measure_names import literal
from evalsql.report.html import (
    MINUS,
    Column,
    answers,
    in_words,
    interval_text,
    links_line,
    number,
    section,
    signed,
    table,
    text,
)
from evalsql.report.site import site_parts
from evalsql.report.site.addresses import Links, SiteAddresses
from evalsql.report.site.site_data import DIGITS, SetResults
from evalsql.report.site.site_parts import HOME, Page

_MOST_HISTORY = 200


def system_page(run: str, found: Sequence[SetResults], addresses: SiteAddresses) -> Page:
    """What is known of a run, by every judgment set that evaluates it."""
    address = addresses.system(run)
    links = Links(addresses, address)
    is_only = len(found) == 1
    body = ""
    for results in found:
        heading = "" if is_only else f" \u2013 {results.qrels}"
        body += _sections(run, results, links, addresses.sets[results.qrels], heading)
    body += links_line(
        [links.query(f"select * from scores where run = {literal(run)}", "Ask for all its values in SQL")]
    )
    summary = ", ".join(
        f"{results.report.runs.index(run) + 1} of {len(results.report.runs)} by {results.qrels}" for results in found
    )
    above = [HOME, *([(found[0].qrels, addresses.of_set(found[0].qrels))] if is_only else [])]
    return Page(address, run, summary, body, above)


def _sections(run: str, results: SetResults, links: Links, name: str, heading: str) -> str:
    first, num_runs = results.report.names[0], len(results.report.runs)
    topics = results.standings.get((first, run), {})
    made = answers(_answers(run, results, links))
    made += section(
        f"figures-{name}",
        f"Its figures{heading}",
        "Means over the topics with Student's interval at 95%, and the place among all systems by each measure.",
        _figures(run, results, links),
    )
    if topics:
        each = next(iter(topics.values()))
        sentence = (
            f"By {first} it is behind the median of all systems on {in_words(each.num_behind)} of {each.num_topics} "
            "topics. The worst come first: circle its value, line all systems, tick their median."
        )
        made += section(f"topics-{name}", f"Its topics{heading}", sentence, _topics(run, results, links))
    if num_runs > 1:
        sentence = (
            f"Its {first} less theirs, paired by topic, with the 95% interval. Sure is what a t test finds at 5%, "
            f"corrected for {num_runs - 1} comparisons by Holm."
        )
        made += section(f"others-{name}", f"Beside the others{heading}", sentence, _others(run, results, links))
    history = _history(run, results, links)
    sentence = "All loads of this system in the order of their dates."
    return made + (section(f"history-{name}", f"Its history{heading}", sentence, history) if history else "")


def _answers(run: str, results: SetResults, links: Links) -> Iterator[tuple[str, str, str]]:
    report, first = results.report, results.report.names[0]
    place = f"{report.runs.index(run) + 1} of {len(report.runs)}"
    yield "Where does it stand?", place, text(f"{first} {number(report.means(first)[run], DIGITS)}.")
    topics = results.standings.get((first, run), {})
    order = _worst_first(run, results)
    for question, topic in (("Best topic?", order[-1]), ("Worst topic?", order[0])) if order else ():
        each = topics[topic]
        title = f"{results.texts[topic].text}: " if topic in results.texts else ""
        values = f"{first} {number(each.value, DIGITS)}, median {number(each.median, DIGITS)}"
        words = f"{title}{values}, place {each.place} of {each.num_runs}"
        yield question, links.topic(results.qrels, topic), text(words)


def _worst_first(run: str, results: SetResults) -> list[str]:
    """Topics by how far the run is behind the median of all systems."""
    first = results.report.names[0]
    sign = -1 if first in results.lower else 1
    topics = results.standings.get((first, run), {})
    return sorted(topics, key=lambda topic: (sign * (topics[topic].value - topics[topic].median), topic))


def _figures(run: str, results: SetResults, links: Links) -> str:
    rows = []
    board = results.leaderboard
    row = next(row for row in board.rows if row[0] == run)
    for measure in results.measures:
        means = results.means(measure.name)
        if run not in means:
            continue
        low, high = results.intervals.get((measure.name, run), (None, None))
        scale = site_parts.scale_of([*means.values(), low, high])
        best = next(iter(means.values()))
        rows.append(
            [
                links.measure(measure.relation.name, measure.name),
                board.text(row, board.columns.index(measure.name), DIGITS).replace("-", MINUS),
                interval_text(low, high, DIGITS),
                site_parts.interval(scale, means[run], low, high, "system"),
                str(1 + [*means.values()].index(means[run])),
                number(best, 0 if measure.is_count else DIGITS),
            ]
        )
    columns = [Column("measure", "w"), Column("mean", "n"), Column("95% interval", "o"), Column("", "p m")]
    return table("Figures", [*columns, Column("place", "n"), Column("best", "o")], rows)


def _topics(run: str, results: SetResults, links: Links) -> str:
    first, others = results.report.names[0], results.report.names[1:4]
    topics = results.standings[first, run]
    scale = site_parts.scale_of(end for each in topics.values() for end in (each.lowest, each.highest))
    rows = []
    for topic in _worst_first(run, results):
        each = topics[topic]
        words = f" <span class=soft>{text(results.texts[topic].text)}</span>" if topic in results.texts else ""
        rows.append(
            [
                links.topic(results.qrels, topic) + words,
                number(each.value, DIGITS),
                signed(each.value - each.median, DIGITS),
                site_parts.spread(scale, each.value, each.lowest, each.median, each.highest),
                str(each.place),
                *results.values_text(others, run, topic),
            ]
        )
    columns = [Column("topic", "w"), Column(first, "n"), Column("less median", "n"), Column("", "p")]
    return table("Topics", [*columns, Column("place", "n"), *(Column(name, "o") for name in others)], rows)


def _others(run: str, results: SetResults, links: Links) -> str:
    report = results.report
    tested = {other: report.page.tests.pair(report.names[0], other, run) for other in report.runs if other != run}
    pairs = {other: pair for other, pair in tested.items() if pair}
    scale = site_parts.scale_of(end for pair in pairs.values() for end in (*pair.ends(pair.half), pair.difference))
    rows = []
    for other, pair in pairs.items():
        low, high = pair.ends(pair.half)
        rows.append(
            [
                str(report.runs.index(other) + 1),
                links.system(other),
                signed(pair.difference, DIGITS),
                interval_text(low, high, DIGITS, signed),
                site_parts.interval(scale, pair.difference, low, high, "mark" if pair.is_sure else "unsure"),
                "yes" if pair.is_sure else "no",
                f"{pair.wins}\u2013{pair.ties}\u2013{pair.losses}",
            ]
        )
    columns = [Column("", "l"), Column("system", "w"), Column("difference", "n"), Column("95% interval", "o")]
    columns += [Column("", "p"), Column("sure"), Column("won\u2013tied\u2013lost", "o")]
    return table("Beside the others", columns, rows)


def _history(run: str, results: SetResults, links: Links) -> str:
    """The loads of the same system, where systems are recorded and there are several."""
    if results.history is None:
        return ""
    rows = [dict(zip(results.history.columns, row, strict=True)) for row in results.history.rows]
    systems = {row["system"] for row in rows if row["run"] == run}
    loads = [row for row in rows if row["system"] in systems][:_MOST_HISTORY]
    if len({row["run"] for row in loads}) < 2:
        return ""
    relations = {measure.name: measure.relation.name for measure in results.measures}
    cells = [
        [
            links.system(str(row["run"])),
            text(row["version"] or ""),
            text(str(row["dated_at"])[:10]),
            links.measure(relations[str(row["measure"])], row["measure"]),
            number(row["value"], DIGITS),  # type: ignore[arg-type]
            signed(row["difference"], DIGITS),  # type: ignore[arg-type]
        ]
        for row in loads
    ]
    columns = [Column("run", "w"), Column("version"), Column("date"), Column("measure")]
    return table("History", [*columns, Column("mean", "n"), Column("to the one before", "n")], cells)
