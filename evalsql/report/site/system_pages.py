"""A page a system: its figures, the topics on which it is behind and ahead, the others beside it, its history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evalsql.catalog.measure_names import literal
from evalsql.report.page.figures import in_words, number, signed
from evalsql.report.page.verdicts import beside
from evalsql.report.site import parts
from evalsql.report.site.addresses import Places, query_link
from evalsql.report.site.parts import Column, Page, link, text
from evalsql.report.site.set_pages import DIGITS
from evalsql.report.site.site_data import Place, Results
from evalsql.report.table import Table

_MOST_HISTORY = 200


def system_page(run: str, found: Sequence[Results], places: Places) -> Page:
    """What is known of a run, by every judgment set that evaluates it."""
    address = places.system(run)
    root = parts.to_root(address)
    body = "".join(_by_set(run, results, places, root, is_only=len(found) == 1) for results in found)
    asked = f"select * from scores where run = {literal(run)}"
    body += f'<p class="links">{link(query_link(root, asked), "Ask for all its values in SQL")}</p>'
    facts = ", ".join(
        f"{results.report.runs.index(run) + 1} of {len(results.report.runs)} by {results.qrels}" for results in found
    )
    above = [("Results", "index.html"), *([(found[0].qrels, places.of_set(found[0].qrels))] if len(found) == 1 else [])]
    return Page(address, run, facts, body, above)


def _by_set(run: str, results: Results, places: Places, root: str, *, is_only: bool) -> str:
    name = places.sets[results.qrels]
    heading = "" if is_only else f" \u2013 {results.qrels}"
    first = results.report.names[0]
    topics = results.places.get((first, run), {})
    made = parts.answers(_answers(run, results, places, root))
    made += parts.section(
        f"figures-{name}",
        f"Its figures{heading}",
        "Means over the topics with Student's interval at 95%, and the place among all systems by each measure.",
        _figures(run, results, places, root),
    )
    if topics:
        place = next(iter(topics.values()))
        sentence = (
            f"By {first} it is behind the median of all systems on {in_words(place.num_behind)} of {place.num_topics} "
            "topics. The worst come first: circle its value, line all systems, tick their median."
        )
        made += parts.section(f"topics-{name}", f"Its topics{heading}", sentence, _topics(run, results, places, root))
    if len(results.report.runs) > 1:
        sentence = (
            f"Its {first} less theirs, paired by topic, with the 95% interval. Sure is what a t test finds at 5%, "
            f"corrected for {len(results.report.runs) - 1} comparisons by Holm."
        )
        made += parts.section(
            f"others-{name}", f"Beside the others{heading}", sentence, _others(run, results, places, root)
        )
    return made + _history(run, results, places, root, name, heading)


def _answers(run: str, results: Results, places: Places, root: str) -> Iterator[tuple[str, str, str]]:
    report = results.report
    first = report.names[0]
    at = report.runs.index(run)
    mean = number(report.board.rows[at][1], DIGITS)  # type: ignore[arg-type]
    yield "Where does it stand?", f"{at + 1} of {len(report.runs)}", text(f"{first} {mean}.")
    topics = results.places.get((first, run), {})
    if topics:
        ordered = sorted(topics, key=lambda topic: (_gain(results, first, topics[topic]), topic))
        for question, topic in (("Best topic?", ordered[-1]), ("Worst topic?", ordered[0])):
            place = topics[topic]
            value, median = number(place.value, DIGITS), number(place.median, DIGITS)
            words = f"{first} {value}, median {median}, place {place.place} of {place.num_runs}"
            yield (
                question,
                link(root + places.topic(results.qrels, topic), topic),
                text(_titled(results, topic) + words),
            )


def _titled(results: Results, topic: str) -> str:
    return f"{results.texts[topic].text}: " if topic in results.texts else ""


def _gain(results: Results, measure: str, place: Place) -> float:
    gain = place.value - place.median
    return -gain if measure in results.lower else gain


def _figures(run: str, results: Results, places: Places, root: str) -> str:
    rows = []
    columns = list(results.board.columns)
    row = next(row for row in results.board.rows if row[0] == run)
    for measure in results.measures:
        value = row[columns.index(measure.name)]
        if not isinstance(value, int | float):
            continue
        means = results.means(measure.name)
        place = 1 + [mean for _, mean in means].index(value)
        low, high = results.intervals.get((measure.name, run), (None, None))
        shown = results.board.text(row, columns.index(measure.name), DIGITS).replace("-", "\u2212")
        scale = parts.scale_of([mean for _, mean in means] + [low, high])
        best = means[0][1]
        rows.append(
            [
                link(root + places.measure(measure.relation.name), measure.name),
                shown,
                "" if low is None else f"{number(low, DIGITS)} to {number(high, DIGITS)}",
                parts.interval(scale, float(value), low, high, "system"),
                str(place),
                number(best, DIGITS) if not measure.is_count else f"{best:.0f}",
            ]
        )
    return parts.table(
        "Figures",
        [
            Column("measure", "w"),
            Column("mean", "n"),
            Column("95% interval", "o"),
            Column("", "p m"),
            Column("place", "n"),
            Column("best", "o"),
        ],
        rows,
    )


def _topics(run: str, results: Results, places: Places, root: str) -> str:
    report = results.report
    first, others = report.names[0], report.names[1:4]
    topics = results.places[first, run]
    scale = parts.scale_of(end for place in topics.values() for end in (place.lowest, place.highest))
    rows = []
    for topic in sorted(topics, key=lambda topic: (_gain(results, first, topics[topic]), topic)):
        place = topics[topic]
        also = [results.places.get((name, run), {}).get(topic) for name in others]
        rows.append(
            [
                link(root + places.topic(results.qrels, topic), topic)
                + (f" <span class=soft>{text(results.texts[topic].text)}</span>" if topic in results.texts else ""),
                number(place.value, DIGITS),
                signed(place.value - place.median, DIGITS),
                parts.spread(scale, place.value, place.lowest, place.median, place.highest),
                str(place.place),
                *("" if each is None else number(each.value, DIGITS) for each in also),
            ]
        )
    columns = [Column("topic", "w"), Column(first, "n"), Column("less median", "n"), Column("", "p")]
    columns += [Column("place", "n"), *(Column(name, "o") for name in others)]
    return parts.table("Topics", columns, rows)


def _others(run: str, results: Results, places: Places, root: str) -> str:
    report = results.report
    first, evidence = report.names[0], report.evidence
    if evidence is None:
        return ""
    rows = []
    found = [(other, beside(evidence, first, other, run)) for other in report.runs if other != run]
    scale = parts.scale_of(end for _, row in found if row for end in (row.low, row.high, row.difference))
    for other, row in found:
        if row is None:
            continue
        rows.append(
            [
                str(report.runs.index(other) + 1),
                places.system_link(root, other),
                signed(row.difference, DIGITS),
                "" if row.low is None else f"{signed(row.low, DIGITS)} to {signed(row.high, DIGITS)}",
                parts.interval(scale, row.difference, row.low, row.high, "mark" if row.is_sure else "unsure"),
                "yes" if row.is_sure else "no",
                f"{row.wins}\u2013{row.ties}\u2013{row.losses}",
            ]
        )
    columns = [Column("", "l"), Column("system", "w"), Column("difference", "n"), Column("95% interval", "o")]
    columns += [Column("", "p"), Column("sure"), Column("won\u2013tied\u2013lost", "o")]
    return parts.table("Beside the others", columns, rows)


def _history(run: str, results: Results, places: Places, root: str, name: str, heading: str) -> str:
    """The loads of the same system, where systems are recorded."""
    if results.history is None:
        return ""
    at = {column: place for place, column in enumerate(results.history.columns)}
    rows = results.history.rows
    systems = {row[at["system"]] for row in rows if row[at["run"]] == run}
    loads = [row for row in rows if row[at["system"]] in systems][:_MOST_HISTORY]
    if len({row[at["run"]] for row in loads}) < 2:
        return ""
    shown = Table(results.history.columns, loads)
    measures = {measure.name: measure.relation.name for measure in results.measures}
    cells = [
        [
            places.system_link(root, str(row[at["run"]])),
            text(row[at["version"]] or ""),
            text(str(row[at["dated_at"]])[:10]),
            link(root + places.measure(measures[str(row[at["measure"]])]), row[at["measure"]]),
            number(row[at["value"]], DIGITS),  # type: ignore[arg-type]
            signed(row[at["difference"]], DIGITS),  # type: ignore[arg-type]
        ]
        for row in shown.rows
    ]
    columns = [Column("run", "w"), Column("version"), Column("date"), Column("measure")]
    columns += [Column("mean", "n"), Column("to the one before", "n")]
    sentence = "All loads of this system in the order of their dates."
    return parts.section(f"history-{name}", f"Its history{heading}", sentence, parts.table("History", columns, cells))
