"""A report as one page that needs nothing else: it reads without a script, and answers more with one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from string import Template

from evalsql.phrases import counted
from evalsql.report.html import answers, figures, interval_text, link, number, section, signed, table, text
from evalsql.report.page.caveats import Caveat, caveats, gravest, summary
from evalsql.report.page.page_data import embedded_json, measure_words, page_data, size_line
from evalsql.report.page.report_data import ReportData
from evalsql.report.page.report_formats import sections
from evalsql.report.page.verdicts import answers as verdicts
from evalsql.report.page.verdicts import colours_sentence, difference_text, topic_rows, topics_sentence
from evalsql.report.table import Table

_FOLDER = Path(__file__).resolve().parent / "files"
_SCRIPTS = ("state", "marks", "narrow", "sentences", "winner", "topics", "documents", "curves", "start")


def page(report: ReportData, digits: int, above: Sequence[tuple[str, str]] = ()) -> str:
    """The whole page of a report gathered for one; ``above`` are words and addresses to link first."""
    found = [] if "doubts" in report.without else caveats(report)
    return Template(_read("page.html")).substitute(
        title=text(report.heading),
        style=_read("page.css"),
        size=text(size_line(report)),
        navigation=_navigation(report, above),
        answers=answers((question, text(big), text(words)) for question, big, words in verdicts(report, digits)),
        gravest=_gravest(found),
        winner=_winner(report, digits),
        topics="" if "topics" in report.without else _topics(report, digits),
        caveats="" if "doubts" in report.without else _caveats(report, found),
        numbers=_numbers(report, digits),
        sources="" if "provenance" in report.without else _sources(report, digits),
        made=text(f"Made by evalsql {report.program_version}. Every figure here is a query of the warehouse."),
        data=embedded_json(page_data(report, found, digits)),
        script="\n".join(_read(f"{name}.js") for name in _SCRIPTS),
    )


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _navigation(report: ReportData, above: Sequence[tuple[str, str]]) -> str:
    there = {"answer": "Answer", "topics": "Topics", "doubts": "Doubts", "numbers": "Numbers", "data": "Data"}
    hidden = {"topics", "doubts"} & report.without | ({"data"} if "provenance" in report.without else set())
    links = [(words, f"#{name}") for name, words in there.items() if name not in hidden]
    return "".join(link(address, words) for words, address in (*above, *links))


def _gravest(found: list[Caveat]) -> str:
    """The line about caveats below the answers."""
    mark = '<span class="look" aria-hidden="true">\u25b2</span>'
    words = gravest(found)
    return f'<p class="doubted">{mark} {text(words)} <a href="#doubts">What to doubt</a></p>' if words else ""


def _winner(report: ReportData, digits: int) -> str:
    name, means = report.names[0], report.means(report.names[0])
    rows = []
    for at, run in enumerate(report.runs, start=1):
        pair = report.page.tests.pair(name, report.baseline, run)
        compared: tuple[object, ...] = ("baseline", "", "", "", "", "")
        if pair:
            interval = interval_text(*pair.ends(pair.half), digits, signed)
            sure = "yes" if pair.is_sure else "no"
            compared = (signed(pair.difference, digits), interval, sure, pair.wins, pair.ties, pair.losses)
        rows.append([text(cell) for cell in (at, run, number(means[run], digits), *compared)])
    heads = ("", "system", name, "difference", "95% interval", "sure", "won", "tied", "lost")
    return table(f"Difference to the baseline in {name}", [(head, "") for head in heads], rows)


def _topics(report: ReportData, digits: int) -> str:
    found = topic_rows(report)
    rows = []
    for row in found:
        values = (number(value, digits) for value in (row.value, row.baseline_value))
        rows.append([text(row.topic), *values, difference_text(row.difference, digits), row.outcome])
    heads = ("topic", report.runs[0], report.baseline, "difference", "outcome")
    sentence = f'<p class="sentence">{text(topics_sentence(report, found))}</p>'
    by_topic = table("Values by topic", [(head, "") for head in heads], rows)
    return section("topics", "Where does it lose?", "", f'<div id="topics-body">{sentence}{by_topic}</div>', question=4)


def _caveats(report: ReportData, found: list[Caveat]) -> str:
    rows = []
    for caveat in found:
        mark = ("look", "\u25b2 look") if caveat.deserves_look else ("fine", "\u2713 fine")
        note = f'<p class="note">{text(caveat.note)}</p>' if caveat.note else ""
        beside = f'<span class="soft">{text(caveat.remark)}</span>'
        if caveat.picture:
            drawn = caveat.picture.svg(dict.fromkeys([report.runs[0], report.baseline]))
            beside = (
                f'<div id="picture-{caveat.picture.name}">{drawn}<p class="note">{colours_sentence(report)}</p></div>'
            )
        rows.append(
            f'<li><div class="mark"><span class="{mark[0]}">{mark[1]}</span></div><div class="claim"><p>'
            f"<b>{text(caveat.title)}</b> {text(caveat.claim)}</p>{note}</div>"
            f'<div class="picture">{beside}</div></li>'
        )
    items = f'<ul class="doubts">{"".join(rows)}</ul>'
    return section("doubts", "What should I doubt?", summary(found), _read("marks.svg"), items, question=5)


def _numbers(report: ReportData, digits: int) -> str:
    best = report.leaderboard.with_best(report.lower, digits, first=1, by=0)
    board = best._replace(columns=["system", *report.names])
    items = "".join(f"<dt>{text(each.name)}</dt><dd>{text(measure_words(each))}</dd>" for each in report.measures)
    curves = '<div id="precision-recall"></div>' if "pr" in report.tables else ""
    more = [
        _details(title, rows, digits)
        for part in sections(report)
        if part.name not in ("leaderboard", "provenance", "topics", "differences")
        for title, rows in part.tables
        if rows.rows
    ]
    return (
        f'{figures("Means by system and measure", board, digits, "board")}<div class="columns">'
        f"<div><h3>The measures in words</h3><dl>{items}</dl></div>"
        f'{curves}</div><details class="data" id="more"><summary>More curves and tables</summary>'
        f'<div id="more-curves"></div>{"".join(more)}</details>'
    )


def _sources(report: ReportData, digits: int) -> str:
    runs = counted(len({row[0] for row in report.tables["runs"].rows}), "run")
    sentence = (
        f"{runs} and the judgments {report.qrels}, each with the file it was loaded from and that file's checksum."
    )
    judgments = _details("Judgments", report.tables["qrels"], digits)
    loaded = _details("Runs", report.tables["runs"], digits)
    return section("data", "Where the data comes from", sentence, judgments, loaded)


def _details(title: str, rows: Table, digits: int) -> str:
    return f'<details class="data"><summary>{text(title)}</summary>{figures(title, rows, digits)}</details>'
