"""A page a topic: its words, all systems with their first documents, the relevant documents found and missed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evalsql.catalog.measure_names import literal
from evalsql.phrases import counted
from evalsql.report.html import Column, answers, links_line, number, section, table, text
from evalsql.report.site import site_parts
from evalsql.report.site.addresses import Links, SiteAddresses
from evalsql.report.site.site_data import DIGITS, FOUND_DEPTH, MOST_DOCUMENTS, TILES, RelevantDocument, SetResults
from evalsql.report.site.site_parts import HOME, Page


def topic_page(topic: str, results: SetResults, addresses: SiteAddresses) -> Page:
    """One topic of a judgment set."""
    report, qrels = results.report, results.qrels
    address = addresses.topic(qrels, topic)
    links = Links(addresses, address)
    words = results.texts.get(topic)
    told = [each for each in words[1:] if each and each != words.text] if words else []
    documents = results.documents.get(topic, [])
    relevant = counted(len(documents), "relevant document")
    order = _standing_order(topic, results)
    body = "".join(f'<p class="sentence">{text(each)}</p>' for each in told)
    body += answers(_answers(topic, results, links, order))
    sentence = (
        f"All systems by {report.names[0]} on this topic. Tiles are the grades of their first {TILES} documents, a "
        "dash is one that nobody judged."
    )
    body += section("systems", "Systems", sentence, _systems(topic, results, links, order))
    if documents:
        shown, lost = documents[0].num_shown, documents[0].num_lost
        sentence = (
            f"Of {relevant}, {shown:,} {'is' if shown == 1 else 'are'} among the first {FOUND_DEPTH} of some system; "
            f"{lost:,} {'was' if lost == 1 else 'were'} retrieved by none."
        )
        body += section("documents", "Relevant documents", sentence, _documents(documents, len(report.runs)))
    of_topic = f"qrels = {literal(qrels)} and topic = {literal(topic)}"
    asked = f"select * from judgments where {of_topic} order by grade desc"
    body += links_line([links.query(asked, "Ask for all its judgments in SQL")])
    above = [HOME, (qrels, addresses.of_set(qrels)), ("Topics", addresses.of_set(qrels, "topics"))]
    summary = f"{relevant} \u00b7 {report.topics.index(topic) + 1} of {counted(len(report.topics), 'topic')}"
    return Page(address, f"Topic {topic}: {words.text}" if words else f"Topic {topic}", summary, body, above)


def _standing_order(topic: str, results: SetResults) -> list[str]:
    """Systems by the first measure on this topic, the best first."""
    first = results.report.names[0]
    there = [run for run in results.report.runs if topic in results.standings.get((first, run), {})]
    return sorted(there, key=lambda run: results.standings[first, run][topic].place)


def _answers(topic: str, results: SetResults, links: Links, order: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    if not order:
        return
    first = results.report.names[0]
    best = results.standings[first, order[0]][topic]
    more = f", and {best.num_same - 1} more with the same value." if best.num_same > 1 else "."
    lowest, median, highest = (number(value, DIGITS) for value in (best.lowest, best.median, best.highest))
    rank = f"{best.hardness} of {best.num_topics}, the hardest being 1"
    yield "Who is best here?", links.system(order[0]), text(f"{first} {number(best.value, DIGITS)}{more}")
    yield "How hard is it?", text(median), text(f"is the median {first} of all systems: {rank}.")
    span = number(best.highest - best.lowest, DIGITS)
    yield "How far are systems apart?", text(span), text(f"from {lowest} to {highest}.")


def _systems(topic: str, results: SetResults, links: Links, order: Sequence[str]) -> str:
    report, first, others = results.report, results.report.names[0], results.report.names[1:4]
    standings = {run: results.standings[first, run][topic] for run in order}
    scale = site_parts.scale_of(end for each in standings.values() for end in (each.lowest, each.highest))
    rows = []
    for run, each in standings.items():
        kind = "baseline" if run == report.baseline else "system" if each.place == 1 else "mark"
        rows.append(
            [
                str(each.place),
                links.system(run),
                number(each.value, DIGITS),
                site_parts.interval(scale, each.value, each.median, each.value, kind),
                site_parts.tiles(results.tiles.get((run, topic), [])),
                *results.values_text(others, run, topic),
            ]
        )
    columns = [Column("", "l"), Column("system", "w"), Column(first, "n"), Column("from the median", "p")]
    columns += [Column(f"first {TILES}", "t m"), *(Column(name, "o") for name in others)]
    return table("Systems", columns, rows)


def _documents(documents: Sequence[RelevantDocument], num_runs: int) -> str:
    by_missed = sorted(documents, key=lambda each: each.missed_place)
    groups = {
        "Found by most": [each for each in documents if each.num_found * 2 >= num_runs],
        "Missed by most": [each for each in by_missed if each.num_found * 2 < num_runs],
    }
    tables = (
        f"<div><h3>{heading}</h3>{_document_table(heading, listed[:MOST_DOCUMENTS], num_runs)}</div>"
        for heading, listed in groups.items()
        if listed
    )
    return f'<div class="columns">{"".join(tables)}</div>'


def _document_table(heading: str, documents: Sequence[RelevantDocument], num_runs: int) -> str:
    columns = [Column("document", "id"), Column("grade", "t")]
    columns += [Column(f"in the first {FOUND_DEPTH} of", "n"), Column("retrieved by", "o"), Column("best rank", "n")]
    rows = []
    for each in documents:
        best_rank = "" if each.best_rank is None else str(each.best_rank)
        found = f"{each.num_found} of {num_runs}"
        rows.append([text(each.document), site_parts.tiles([each.grade]), found, str(each.num_ret), best_rank])
    return table(heading, columns, rows)
