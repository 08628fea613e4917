"""A page a topic: its words, all systems with their first documents, the relevant documents found and missed."""

from __future__ import annotations

from collections.abc import Sequence

from evalsql.catalog.measure_names import literal
from evalsql.phrases import counted
from evalsql.report.page.figures import number
from evalsql.report.page.page_data import topics_in_order
from evalsql.report.site import parts
from evalsql.report.site.addresses import Places, query_link
from evalsql.report.site.parts import Column, Page, link, text
from evalsql.report.site.set_pages import DIGITS
from evalsql.report.site.site_data import FOUND_DEPTH, MOST_DOCUMENTS, TILES, Found, Results


def topic_page(topic: str, results: Results, places: Places) -> Page:
    """One topic of a judgment set."""
    address = places.topic(results.qrels, topic)
    root = parts.to_root(address)
    words = results.texts.get(topic)
    title = f"Topic {topic}: {words.text}" if words else f"Topic {topic}"
    told = [each for each in (words.description, words.narrative) if each and each != words.text] if words else []
    said = "".join(f'<p class="sentence">{text(each)}</p>' for each in told)
    documents = results.documents.get(topic, [])
    relevant = counted(len(documents), "relevant document")
    first = results.report.names[0]
    body = (
        said
        + parts.answers(_answers(topic, results, places, root))
        + parts.section(
            "systems",
            "Systems",
            f"All systems by {first} on this topic. Tiles are the grades of their first {TILES} documents, a dash is "
            "one that nobody judged.",
            _systems(topic, results, places, root),
        )
    )
    if documents:
        shown, lost = documents[0].num_shown, documents[0].num_lost
        sentence = (
            f"Of {relevant}, {shown:,} {'is' if shown == 1 else 'are'} among the first {FOUND_DEPTH} of some system; "
            f"{lost:,} {'was' if lost == 1 else 'were'} retrieved by none."
        )
        body += parts.section(
            "documents", "Relevant documents", sentence, _documents(documents, len(results.report.runs))
        )
    of_topic = f"qrels = {literal(results.qrels)} and topic = {literal(topic)}"
    asked = f"select * from judgments where {of_topic} order by grade desc"
    body += f'<p class="links">{link(query_link(root, asked), "Ask for all its judgments in SQL")}</p>'
    above = [
        ("Results", "index.html"),
        (results.qrels, places.of_set(results.qrels)),
        ("Topics", places.topic_list(results.qrels)),
    ]
    return Page(address, title, f"{relevant} \u00b7 {_neighbours(topic, results)}", body, above)


def _neighbours(topic: str, results: Results) -> str:
    order = topics_in_order(results.report)
    return f"{order.index(topic) + 1} of {counted(len(order), 'topic')}"


def _standing(topic: str, results: Results) -> list[str]:
    """Systems by the first measure on this topic, the best first."""
    first = results.report.names[0]
    there = [run for run in results.report.runs if topic in results.places.get((first, run), {})]
    return sorted(there, key=lambda run: results.places[first, run][topic].place)


def _answers(topic: str, results: Results, places: Places, root: str) -> list[tuple[str, str, str]]:
    first, order = results.report.names[0], _standing(topic, results)
    if not order:
        return []
    place = results.places[first, order[0]][topic]
    words = f"{first} {number(place.value, DIGITS)}" + (
        f", and {place.num_same - 1} more with the same value." if place.num_same > 1 else "."
    )
    rank = f"{place.hardness} of {place.num_topics}, the hardest being 1"
    spread = f"{number(place.lowest, DIGITS)} to {number(place.highest, DIGITS)}"
    return [
        ("Who is best here?", places.system_link(root, order[0]), text(words)),
        ("How hard is it?", text(number(place.median, DIGITS)), text(f"is the median {first} of all systems: {rank}.")),
        ("How far are systems apart?", text(number(place.highest - place.lowest, DIGITS)), text(f"from {spread}.")),
    ]


def _systems(topic: str, results: Results, places: Places, root: str) -> str:
    first, others = results.report.names[0], results.report.names[1:4]
    order = _standing(topic, results)
    scale = parts.scale_of(
        end
        for run in order[:1]
        for place in (results.places[first, run][topic],)
        for end in (place.lowest, place.highest)
    )
    rows = []
    for run in order:
        place = results.places[first, run][topic]
        also = [results.places.get((name, run), {}).get(topic) for name in others]
        kind = "baseline" if run == results.report.baseline else "system" if place.place == 1 else "mark"
        value = number(place.value, DIGITS)
        rows.append(
            [
                str(place.place),
                places.system_link(root, run),
                value,
                parts.interval(scale, place.value, place.median, place.value, kind),
                parts.tiles(results.tiles.get((run, topic), [])),
                *("" if each is None else number(each.value, DIGITS) for each in also),
            ]
        )
    columns = [Column("", "l"), Column("system", "w"), Column(first, "n"), Column("from the median", "p")]
    columns += [Column(f"first {TILES}", "t m"), *(Column(name, "o") for name in others)]
    return parts.table("Systems", columns, rows)


def _documents(documents: Sequence[Found], num_runs: int) -> str:
    found = [each for each in documents if each.num_found * 2 >= num_runs][:MOST_DOCUMENTS]
    by_missed = sorted(documents, key=lambda each: each.missed_place)
    missed = [each for each in by_missed if each.num_found * 2 < num_runs][:MOST_DOCUMENTS]
    return (
        '<div class="columns">'
        + "".join(
            f"<div><h3>{heading}</h3>{_document_table(heading, listed, num_runs)}</div>"
            for heading, listed in (("Found by most", found), ("Missed by most", missed))
            if listed
        )
        + "</div>"
    )


def _document_table(heading: str, documents: Sequence[Found], num_runs: int) -> str:
    columns = [Column("document", "id"), Column("grade", "t")]
    columns += [Column(f"in the first {FOUND_DEPTH} of", "n"), Column("retrieved by", "o"), Column("best rank", "n")]
    return parts.table(
        heading,
        columns,
        [
            [
                text(each.document),
                parts.tiles([each.grade]),
                f"{each.num_found} of {num_runs}",
                str(each.num_ret),
                "" if each.best_rank is None else str(each.best_rank),
            ]
            for each in documents
        ],
    )
