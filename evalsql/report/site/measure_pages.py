"""A page a measure: what it is, the SQL that computes it, and who wins by it."""

from __future__ import annotations

from collections.abc import Sequence

from evalsql.catalog.header import Parameter
from evalsql.catalog.measure_names import Measure
from evalsql.catalog.relations import Catalog, Relation
from evalsql.phrases import counted
from evalsql.report.page.figures import number
from evalsql.report.site import parts
from evalsql.report.site.addresses import MEASURES, Places, query_link
from evalsql.report.site.parts import Column, Page, link, text
from evalsql.report.site.set_pages import DIGITS
from evalsql.report.site.site_data import Results


def measure_list(catalog: Catalog, found: Sequence[Results], places: Places) -> Page:
    """All measures by family."""
    shown = {measure.relation.name for results in found for measure in results.measures}
    families: dict[str, list[Relation]] = {}
    for relation in catalog.measures:
        families.setdefault(relation.family if relation.is_packaged else "own", []).append(relation)
    body = ""
    for family, relations in families.items():
        rows = [
            [
                link(places.measure(relation.name).rpartition("/")[2], relation.header.measure),
                text(relation.header.title),
                "yes" if relation.name in shown else "",
            ]
            for relation in relations
        ]
        columns = [Column("measure", "w"), Column("what it is", "words"), Column("figures here", "m")]
        heading = family.replace("_", " ").capitalize()
        body += parts.section(f"family-{family}", heading, "", parts.table(heading, columns, rows))
    facts = f"{counted(len(catalog.measures), 'measure')}, {len(shown)} with figures on these pages"
    return Page(MEASURES, "Measures", facts, body, [("Results", "index.html")])


def measure_page(relation: Relation, found: Sequence[Results], places: Places, partial: bool) -> Page:
    """One measure; ``partial`` where the site's copy of the warehouse does not hold all that it reads."""
    header = relation.header
    address = places.measure(relation.name)
    root = parts.to_root(address)
    winners = "".join(
        _winners(measure, results, places, root, is_only=len(found) == 1)
        for results in found
        for measure in results.measures
        if measure.relation.name == relation.name
    )
    better = "" if header.less_is_better else " desc"
    asked = f"select qrels, run, avg(value) as mean\nfrom {relation.name}()\ngroup by qrels, run\norder by mean{better}"
    ask = link(query_link(root, asked), "Ask for it in SQL")
    if not winners:
        winners = parts.section("winners", "Who wins by it?", "These pages have no figures of it.", f"<p>{ask}</p>")
    notes = (
        "<p>It reads whole rankings, of which the site's copy of the warehouse has the first documents only: what the "
        "console computes of it is not exact.</p>"
        if partial
        else ""
    )
    facts = [("Definition", header.definition), ("Range", header.range.replace(" ", " to "))]
    facts += [("Mean over topics", header.mean), ("Reference", header.reference), ("Other programs", header.differs)]
    listed = "".join(f"<dt>{text(name)}</dt><dd>{text(words)}</dd>" for name, words in facts if words)
    body = (
        winners
        + parts.section(
            "definition", "What it is", header.title, f"<dl>{listed}</dl>{notes}", _parameters(relation.parameters)
        )
        + parts.section(
            "sql",
            "The SQL that computes it",
            "This is the whole computation, with what it reads.",
            f'<pre class="code" tabindex="0"><code>{text(relation.body)}</code></pre><p class="links">{ask}</p>',
        )
    )
    above = [("Results", "index.html"), ("Measures", MEASURES)]
    return Page(address, header.measure, header.title, body, above)


def _parameters(parameters: Sequence[Parameter]) -> str:
    if not parameters:
        return ""
    rows = [
        [f"<code>{text(each.name)}</code>", text("" if each.default is None else each.default), text(each.meaning)]
        for each in parameters
    ]
    columns = [Column("parameter", "w"), Column("default"), Column("what it is", "q")]
    return f"<h3>Parameters</h3>{parts.table('Parameters', columns, rows)}"


def _winners(measure: Measure, results: Results, places: Places, root: str, *, is_only: bool) -> str:
    report = results.report
    first = report.names[0]
    means = results.means(measure.name)
    if not means:
        return ""
    ends = [results.intervals.get((measure.name, run), (None, None)) for run, _ in means]
    scale = parts.scale_of([mean for _, mean in means] + [end for pair in ends for end in pair])
    rows, at, before = [], 0, None
    for nth, ((run, mean), (low, high)) in enumerate(zip(means, ends, strict=True), start=1):
        at, before = (at if mean == before else nth), mean
        other = report.runs.index(run) + 1
        shown = f"{mean:.0f}" if measure.is_count else number(mean, DIGITS)
        kind = "baseline" if run == report.baseline else "system" if at == 1 else "mark"
        rows.append(
            [
                str(at),
                places.system_link(root, run),
                shown,
                parts.interval(scale, mean, low, high, kind),
                "" if low is None else f"{number(low, DIGITS)} to {number(high, DIGITS)}",
                *([] if measure.name == first else [str(other), _moved(other - at)]),
            ]
        )
    best, best_mean = means[0]
    shown = f"{best_mean:.0f}" if measure.is_count else number(best_mean, DIGITS)
    sentence = f"{best} has the best mean {measure.name}, {shown}, of {counted(len(means), 'system')}."
    columns = [
        Column("", "l"),
        Column("system", "w"),
        Column(measure.name, "n"),
        Column("", "p"),
        Column("95% interval", "o"),
    ]
    if measure.name != first:
        sentence += f" The last columns say where its order differs from that by {first}."
        columns += [Column(f"place by {first}", "o"), Column("moved", "n")]
    heading = f"Who wins by {measure.name}?" + ("" if is_only else f" \u2013 {results.qrels}")
    name = f"winners-{places.sets[results.qrels]}-{_number(results, measure)}"
    return parts.section(name, heading, sentence, parts.table(heading, columns, rows))


def _number(results: Results, measure: Measure) -> int:
    return [each.name for each in results.measures].index(measure.name)


def _moved(places: int) -> str:
    """How many places a system gains by this measure."""
    return "" if not places else f"\u2191{places}" if places > 0 else f"\u2193{-places}"
