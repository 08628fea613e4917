"""A report as one page that needs nothing else: it reads without a script, and answers more with one."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from evalsql.catalog.measure_names import Measure
from evalsql.evaluation.explanation import OF_NO_DOCUMENTS
from evalsql.phrases import counted
from evalsql.report import html
from evalsql.report.html import number, signed, table, text
from evalsql.report.page import verdicts
from evalsql.report.page.report_data import DEPTH, ReportData
from evalsql.report.page.report_formats import DIGITS, PAGE_DIGITS, WRITERS, sections
from evalsql.report.page.verdicts import Caveat, caveats, gravest, summary
from evalsql.report.table import Table, finite, short

_GRAVEST = (
    '<p class="doubted"><span class="look" aria-hidden="true">\u25b2</span> {} <a href="#doubts">What to doubt</a></p>'
)
_OF_PAIRS = ("num_documents", "agreement", "kappa")
_SCRIPTS = ("elements", "state", "marks", "narrow", "sentences", "winner", "topics", "documents", "curves", "start")


def page(report: ReportData, digits: int, above: Sequence[tuple[str, str]] = ()) -> str:
    """The whole page of a report gathered for one; ``above`` are words and addresses to link first."""
    found = [] if "doubts" in report.without else caveats(report)
    return html.page(
        "page",
        report.heading,
        "",
        [f"{name}.js" for name in _SCRIPTS],
        page_data(report, found, digits),
        size=text(size_line(report)),
        navigation=_navigation(report, above),
        answers=html.answers(map(text, answer) for answer in verdicts.answers(report, digits)),
        chosen="".join(f'<p class="note" id="chosen">{text(told)}</p>' for told in report.told("baseline")),
        gravest=_GRAVEST.format(text(words)) if (words := gravest(found)) else "",
        winner=_winner(report, digits),
        topics="" if "topics" in report.without else _topics(report, digits),
        caveats="" if "doubts" in report.without else _caveats(report, found),
        numbers=_numbers(report, digits),
        sources="" if "provenance" in report.without else _sources(report, digits),
        made=text(html.MADE),
    )


def report_text(report: ReportData, extension: str, digits: int | None) -> str:
    """The report as the extension of its file says; a page takes one that was gathered for it."""
    if extension == ".html":
        return page(report, PAGE_DIGITS if digits is None else digits)
    return WRITERS[extension](report, DIGITS if digits is None else digits)


def _navigation(report: ReportData, above: Sequence[tuple[str, str]]) -> str:
    there = {"answer": "Answer", "topics": "Topics", "doubts": "Doubts", "numbers": "Numbers", "data": "Data"}
    hidden = {"topics", "doubts"} & report.without | ({"data"} if "provenance" in report.without else set())
    links = [(words, f"#{name}") for name, words in there.items() if name not in hidden]
    return "".join(html.link(address, words) for words, address in (*above, *links))


def _winner(report: ReportData, digits: int) -> str:
    name = report.names[0]
    rows = []
    for run in report.runs:
        mean = report.means[name][run]
        compared: tuple[object, ...] = ("baseline", "", "", "", "", "")
        if pair := report.pairs.get((name, report.baseline, run)):
            interval = html.interval_text(pair.low, pair.high, digits, signed)
            sure = "yes" if pair.is_sure else "no"
            compared = (signed(pair.difference, digits), interval, sure, pair.wins, pair.ties, pair.losses)
        rows.append([text(cell) for cell in (mean.place, run, number(mean.value, digits), *compared)])
    heads = ("", "system", name, "difference", "95% interval", "sure", "won", "tied", "lost")
    return table(f"Difference to the baseline in {name}", [(head, "") for head in heads], rows)


def _topics(report: ReportData, digits: int) -> str:
    rows = [
        [
            text(each.topic),
            number(each.value, digits),
            number(each.baseline_value, digits),
            verdicts.difference_text(each.difference, digits),
            each.outcome,
        ]
        for each in report.outcomes
    ]
    heads = ("topic", report.runs[0], report.baseline, "difference", "outcome")
    sentence = f'<p class="sentence">{text(verdicts.topics_sentence(report))}</p>'
    by_topic = table("Values by topic", [(head, "") for head in heads], rows)
    body = f'<div id="topics-body">{sentence}{by_topic}</div>'
    return html.section("topics", "Where does it lose?", "", body, question=4)


def _caveats(report: ReportData, found: list[Caveat]) -> str:
    rows = []
    for caveat in found:
        mark = ("look", "\u25b2 look") if caveat.deserves_look else ("fine", "\u2713 fine")
        note = f'<p class="note">{text(caveat.note)}</p>' if caveat.note else ""
        beside = f'<span class="soft">{text(caveat.remark)}</span>'
        if caveat.picture:
            drawn = caveat.picture.svg(dict.fromkeys([report.runs[0], report.baseline]))
            colours = f'<p class="note">{verdicts.colours_sentence(report)}</p>'
            beside = f'<div id="picture-{caveat.picture.name}">{drawn}{colours}</div>'
        rows.append(
            f'<li><div class="mark"><span class="{mark[0]}">{mark[1]}</span></div><div class="claim"><p>'
            f"<b>{text(caveat.title)}</b> {text(caveat.claim)}</p>{note}</div>"
            f'<div class="picture">{beside}</div></li>'
        )
    items = f'<ul class="doubts">{"".join(rows)}</ul>'
    parts = html.read_part("marks.svg"), items
    return html.section("doubts", "What should I doubt?", summary(found), *parts, question=5)


def _numbers(report: ReportData, digits: int) -> str:
    best = report.leaderboard.with_best(report.lower, digits, first=1, by=0)
    board = best._replace(columns=["system", *report.names])
    items = "".join(f"<dt>{text(each.name)}</dt><dd>{text(measure_words(each))}</dd>" for each in report.measures)
    curves = '<div id="precision-recall"></div>' if report.rows("pr", "run") else ""
    costs, more = "", list[str]()
    for part in sections(report):
        if part.name == "costs":
            costs = "".join(f"<h3>{title}</h3>{html.figures(title, rows, digits)}" for title, rows in part.tables)
        elif part.name not in ("leaderboard", "provenance", "topics", "differences", "judges"):
            more += [_details(title, rows, digits) for title, rows in part.tables if rows.rows]
    return (
        f'{html.figures("Means by system and measure", board, digits, "board")}<div class="columns">'
        f"<div><h3>The measures in words</h3><dl>{items}</dl></div>"
        f'{curves}</div>{costs}{_judges(report)}<details class="data" id="more">'
        f"<summary>More curves and tables</summary>"
        f'<div id="more-curves"></div>{"".join(more)}</details>'
    )


def _judges(report: ReportData) -> str:
    """A heat map of how far judgment sets agree, where there are several."""
    pairs = {(row[0], row[1]): row[2:] for row in report.rows("judges", "qrels", "other", *_OF_PAIRS)}
    sets = list(dict.fromkeys(name for name, _ in pairs))
    if not sets:
        return ""

    def cell(name: str, other: str) -> str:
        num_documents, agreement, kappa = pairs.get((name, other), (0, 0, None))
        if kappa is None:
            return ""
        told = f"{name}, {other}: {html.share(agreement)} of {counted(num_documents, 'document')} have the same grade"
        ink = "system" if kappa > 0 else "baseline"
        colour = f"color-mix(in srgb, var(--{ink}) {abs(kappa) * 60:.0f}%, transparent)"
        return f'<div title="{text(told)}" style="background:{colour}">{number(kappa, 2)}</div>'

    rows = [[f"{at} {text(name)}", *(cell(name, other) for other in sets)] for at, name in enumerate(sets, start=1)]
    heads = [("judgments", "sets"), *((str(at), "heat") for at in range(1, len(sets) + 1))]
    words = "Cohen's kappa of each pair, over the documents that both judge; the sets that agree most come first."
    told = " ".join([words, *(f"{each}." for each in report.told("judges"))])
    title = "Agreement of judgment sets"
    return f'<h3>{title}</h3><p class="note">{text(told)}</p>{table(title, heads, rows)}'


def _sources(report: ReportData, digits: int) -> str:
    runs = counted(len({row[0] for row in report.tables["runs"].rows}), "run")
    of = "each with the file it was loaded from and that file's checksum"
    sentence = f"{runs} and the judgments {report.qrels}, {of}."
    judgments = _details("Judgments", report.tables["qrels"], digits)
    loaded = _details("Runs", report.tables["runs"], digits)
    return html.section("data", "Where the data comes from", sentence, judgments, loaded)


def _details(title: str, rows: Table, digits: int) -> str:
    return f'<details class="data"><summary>{text(title)}</summary>{html.figures(title, rows, digits)}</details>'


def page_data(report: ReportData, found: Sequence[Caveat], digits: int) -> dict[str, Any]:
    """Everything that the script draws from, as JSON can hold it; runs and topics are their places in lists."""
    runs, names = report.runs, report.names
    numbers = {run: at for at, run in enumerate(runs)}
    means = {name: [report.means[name][run] for run in runs] for name in names}
    values = {name: report.values(name) for name in names}
    pictures = [caveat.picture for caveat in found if caveat.picture]
    return {
        "digits": digits,
        "depth": DEPTH,
        "sentences": verdicts.SENTENCES,
        "most_named": verdicts.MOST_NAMED,
        "measures": [
            {
                "name": measure.name,
                "words": measure_words(measure),
                "lower": measure.name in report.lower,
                "range": bounds if all(map(math.isfinite, bounds := measure.relation.header.bounds)) else [],
                "facts": verdicts.measure_facts(report, measure.name, digits),
                "explained": measure.relation.family not in OF_NO_DOCUMENTS,
            }
            for measure in report.measures
        ],
        "corrected": report.corrected,
        "qrels": report.qrels,
        "runs": runs,
        "topics": [[topic, report.texts.get(topic, "")] for topic in report.topics],
        "baseline": numbers[report.baseline],
        "order": {name: [numbers[run] for run in report.order(name)] for name in names},
        "places": {name: [report.means[name][run].place for run in numbers] for name in names},
        "means": {name: [finite(mean.value) for mean in means[name]] for name in names},
        "intervals": {name: [(mean.low, mean.high) for mean in means[name]] for name in names},
        "values": {
            name: [[finite(found.get((run, topic))) for topic in report.topics] for run in runs]
            for name, found in values.items()
        },
        **_pairs(report),
        "documents": report.documents,
        "curves": _curves(report, numbers),
        "pictures": {each.name: [each.title, [each.texts.get(run) for run in runs]] for each in pictures},
    }


def _pairs(report: ReportData) -> dict[str, Any]:
    """Pairs, each once, the first run less the second; steps of Holm's procedure by baseline and run."""
    runs, pairs = report.runs, report.pairs

    def difference(name: str, one: str, other: str) -> list[Any] | None:
        pair = pairs.get((name, other, one))
        half = None if pair is None or pair.half_width is None else float(f"{pair.half_width:.10g}")
        return pair and [pair.num_topics, pair.difference, half, pair.wins, pair.losses]

    def tests_left(name: str, baseline: str, run: str) -> int:
        """Negative where the difference is not sure, 0 for the baseline itself."""
        pair = pairs.get((name, baseline, run))
        return 0 if pair is None else pair.tests_left if pair.is_sure else -pair.tests_left

    factors: dict[int, dict[int, float]] = {}
    steps = {(pair.num_topics, pair.tests_left, pair.factor) for pair in pairs.values() if pair.factor is not None}
    for num_topics, left, factor in sorted(steps):
        factors.setdefault(num_topics, {})[left] = factor
    return {
        "pairs": {
            name: [[difference(name, one, other) for other in runs[at:]] for at, one in enumerate(runs, start=1)]
            for name in report.names
        },
        "steps": {name: [[tests_left(name, base, run) for run in runs] for base in runs] for name in report.names},
        "factors": factors,
    }


def _curves(report: ReportData, numbers: Mapping[str, int]) -> dict[str, Any]:
    """Points by run; a curve of ROC stops where the run's lists stop, for what follows says nothing of it."""
    roc = report.rows("roc", "run", "fpr", "tpr", "threshold")
    shown = {
        "pr": report.rows("pr", "run", "recall", "precision"),
        "tap": report.rows("tap", "run", "threshold", "false_positives"),
        "roc": [(run, fpr, tpr) for run, fpr, tpr, score in roc if score is not None or fpr <= 0],
    }
    found: dict[str, Any] = {name: {} for name in shown if name in report.tables}
    for name, points in shown.items():
        for run, x, y in points:
            if finite(x) is not None:
                found[name].setdefault(numbers[run], []).append([short(x), short(y)])
    if "distribution" in report.tables:
        found["boxes"] = {name: {} for name in report.names}
        for measure, run, _, *quantiles in report.rows("distribution", *report.tables["distribution"].columns):
            found["boxes"][measure][numbers[run]] = quantiles
    return found


def measure_words(measure: Measure) -> str:
    return f"{measure.relation.header.title}: {measure.relation.header.definition}"


def size_line(report: ReportData) -> str:
    num_judgments, num_grades, day = report.size
    judged = f"{counted(num_judgments, 'judgment')} in {counted(num_grades, 'grade')}"
    held = f"{counted(len(report.runs), 'system')}, {counted(len(report.topics), 'topic')}, {judged}"
    return f"{held} \u00b7 loaded {day}"
