"""A page a measure: what it is, the SQL that computes it, and who wins by it."""

from __future__ import annotations

from collections.abc import Sequence

from evalsql.catalog.header import Parameter
from evalsql.catalog.measure_names import Measure
from evalsql.catalog.relations import Catalog, Relation
from evalsql.phrases import counted
from evalsql.report.html import Column, interval_text, link, links_line, number, section, table, text
from evalsql.report.site import site_parts
from evalsql.report.site.addresses import MEASURES, Links, SiteAddresses
from evalsql.report.site.site_data import DIGITS, SetResults
from evalsql.report.site.site_parts import HOME, Page


def measure_list(catalog: Catalog, found: Sequence[SetResults], addresses: SiteAddresses) -> Page:
    """All measures by family."""
    shown = {measure.relation.name for results in found for measure in results.measures}
    families: dict[str, list[Relation]] = {}
    for relation in catalog.measures:
        families.setdefault(relation.family if relation.is_packaged else "own", []).append(relation)
    body = ""
    for family, relations in families.items():
        rows = [
            [
                link(addresses.measure(relation.name).rpartition("/")[2], relation.header.measure),
                text(relation.header.title),
                "yes" if relation.name in shown else "",
            ]
            for relation in relations
        ]
        columns = [Column("measure", "w"), Column("what it is", "words"), Column("figures here", "m")]
        heading = family.replace("_", " ").capitalize()
        body += section(f"family-{family}", heading, "", table(heading, columns, rows))
    summary = f"{counted(len(catalog.measures), 'measure')}, {len(shown)} with figures on these pages"
    return Page(MEASURES, "Measures", summary, body, [HOME])


def measure_page(
    relation: Relation, found: Sequence[SetResults], addresses: SiteAddresses, *, is_partial: bool
) -> Page:
    """One measure; ``is_partial`` where the site's copy of the warehouse does not hold all that it reads."""
    header = relation.header
    address = addresses.measure(relation.name)
    links = Links(addresses, address)
    winners = ""
    for results in found:
        of_set = "" if len(found) == 1 else f" \u2013 {results.qrels}"
        for at, measure in enumerate(results.measures):
            if measure.relation.name == relation.name:
                name = f"winners-{addresses.sets[results.qrels]}-{at}"
                winners += _winners(measure, results, links, name, f"Who wins by {measure.name}?{of_set}")
    better = "" if header.less_is_better else " desc"
    asked = f"select qrels, run, avg(value) as mean\nfrom {relation.name}()\ngroup by qrels, run\norder by mean{better}"
    ask = links.query(asked, "Ask for it in SQL")
    if not winners:
        winners = section("winners", "Who wins by it?", "These pages have no figures of it.", f"<p>{ask}</p>")
    notes = (
        "<p>It reads whole rankings, of which the site's copy of the warehouse has the first documents only: what the "
        "console computes of it is not exact.</p>"
        if is_partial
        else ""
    )
    terms = [("Definition", header.definition), ("Range", header.range.replace(" ", " to "))]
    terms += [("Mean over topics", header.mean), ("Reference", header.reference), ("Other programs", header.differs)]
    listed = "".join(f"<dt>{text(name)}</dt><dd>{text(words)}</dd>" for name, words in terms if words)
    body = (
        winners
        + section(
            "definition", "What it is", header.title, f"<dl>{listed}</dl>{notes}", _parameters(relation.parameters)
        )
        + section(
            "sql",
            "The SQL that computes it",
            "This is the whole computation, with what it reads.",
            f'<pre class="code" tabindex="0"><code>{text(relation.body)}</code></pre>',
            links_line([ask]),
        )
    )
    above = [HOME, ("Measures", MEASURES)]
    return Page(address, header.measure, header.title, body, above)


def _parameters(parameters: Sequence[Parameter]) -> str:
    if not parameters:
        return ""
    rows = [
        [f"<code>{text(each.name)}</code>", text("" if each.default is None else each.default), text(each.meaning)]
        for each in parameters
    ]
    columns = [Column("parameter", "w"), Column("default"), Column("what it is", "q")]
    return f"<h3>Parameters</h3>{table('Parameters', columns, rows)}"


def _winners(measure: Measure, results: SetResults, links: Links, name: str, heading: str) -> str:
    report, first = results.report, results.report.names[0]
    means = results.means(measure.name)
    if not means:
        return ""
    digits = 0 if measure.is_count else DIGITS
    ends = {run: results.intervals.get((measure.name, run), (None, None)) for run in means}
    scale = site_parts.scale_of([*means.values(), *(end for pair in ends.values() for end in pair)])
    places = {mean: place for place, mean in reversed([*enumerate(means.values(), start=1)])}
    rows = []
    for run, mean in means.items():
        place, other = places[mean], report.runs.index(run) + 1
        moved = f"\u2191{other - place}" if other > place else f"\u2193{place - other}" if other < place else ""
        kind = "baseline" if run == report.baseline else "system" if place == 1 else "mark"
        rows.append(
            [
                str(place),
                links.system(run),
                number(mean, digits),
                site_parts.interval(scale, mean, *ends[run], kind),
                interval_text(*ends[run], DIGITS),
                *([] if measure.name == first else [str(other), moved]),
            ]
        )
    best, best_mean = next(iter(means.items()))
    sentence = (
        f"{best} has the best mean {measure.name}, {number(best_mean, digits)}, of {counted(len(means), 'system')}."
    )
    columns = [Column("", "l"), Column("system", "w"), Column(measure.name, "n"), Column("", "p")]
    columns.append(Column("95% interval", "o"))
    if measure.name != first:
        sentence += f" The last columns say where its order differs from that by {first}."
        columns += [Column(f"place by {first}", "o"), Column("moved", "n")]
    return section(name, heading, sentence, table(heading, columns, rows))
