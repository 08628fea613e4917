"""A report as one page that needs nothing else: it reads without a script, and answers more with one."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from string import Template

from evalsql.phrases import counted
from evalsql.report.page.caveats import Doubt, doubts, gravest, summary
from evalsql.report.page.figures import number, signed
from evalsql.report.page.page_data import embedded_json, facts_in_short, page_data, plain_words
from evalsql.report.page.page_queries import Evidence
from evalsql.report.page.report_data import ReportData
from evalsql.report.page.report_formats import sections
from evalsql.report.page.verdicts import Standing, cells, sentence, standing, topic_rows
from evalsql.report.table import Table

_FOLDER = Path(__file__).resolve().parent / "files"
_SCRIPTS = ("state", "marks", "narrow", "answers", "winner", "topics", "documents", "curves", "doubts", "start")
_NUMBER = ' class="number"'


def page(report: ReportData, digits: int, above: Sequence[tuple[str, str]] = ()) -> str:
    """The whole page; ``report`` has the evidence that a page shows, ``above`` names and addresses to link first."""
    if report.evidence is None:
        raise ValueError("this report was not gathered for a page")
    evidence = report.evidence
    template = Template(_read("page.html"))
    found = standing(report, evidence, digits)
    doubted = [] if "doubts" in report.without else doubts(report, evidence)
    return template.substitute(
        title=_text(report.heading),
        style=_read("page.css"),
        facts=_text(facts_in_short(report, evidence)),
        navigation=_navigation(report, above),
        answers=_answers(found),
        doubted=_doubted(doubted),
        winner=_winner(report, found, digits),
        topics="" if "topics" in report.without else _topics(report, evidence, digits),
        doubts="" if "doubts" in report.without else _doubts(report, doubted),
        numbers=_numbers(report, digits),
        sources="" if "provenance" in report.without else _sources(report, digits),
        made=_text(f"Made by evalsql {report.program_version}. Every figure here is a query of the warehouse."),
        data=embedded_json(page_data(report, evidence, digits)),
        script="\n".join(_read(f"{name}.js") for name in _SCRIPTS),
    )


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _text(text: object) -> str:
    return escape(str(text))


def _navigation(report: ReportData, above: Sequence[tuple[str, str]]) -> str:
    there = {"answer": "Answer", "topics": "Topics", "doubts": "Doubts", "numbers": "Numbers", "data": "Data"}
    hidden = {"topics", "doubts"} & report.without | ({"data"} if "provenance" in report.without else set())
    links = [(title, f"#{name}") for name, title in there.items() if name not in hidden]
    return "".join(f'<a href="{_text(address)}">{_text(title)}</a>' for title, address in (*above, *links))


def _answers(found: Standing) -> str:
    return "".join(
        f'<div class="answer"><p class="question"><span class="soft">{at}</span> {_text(question)}</p>'
        f'<p class="big">{_text(big)}</p><p>{_text(text)}</p></div>'
        for at, (question, big, text) in enumerate(found.answers, start=1)
    )


def _doubted(found: list[Doubt]) -> str:
    """The line about doubts below the answers."""
    text = gravest(found)
    if not text:
        return ""
    mark = '<span class="look" aria-hidden="true">\u25b2</span>'
    return f'<p class="doubted">{mark} {_text(text)} <a href="#doubts">What to doubt</a></p>'


def _winner(report: ReportData, found: Standing, digits: int) -> str:
    name = report.names[0]
    columns = ("", "system", name, "difference", "95% interval", "sure", "won", "tied", "lost")
    rows = [
        (
            at,
            run,
            number(report.board.rows[at - 1][1], digits),  # type: ignore[arg-type]
            signed(row.difference, digits) if row else "baseline",
            f"{signed(row.low, digits)} to {signed(row.high, digits)}" if row and row.low is not None else "",
            ("yes" if row.is_sure else "no") if row else "",
            *((row.wins, row.ties, row.losses) if row else ("", "", "")),
        )
        for at, (run, row) in enumerate(((run, found.rows.get(run)) for run in report.runs), start=1)
    ]
    return _scroll(f"Difference to the baseline in {name}", _plain_table(columns, rows))


def _topics(report: ReportData, evidence: Evidence, digits: int) -> str:
    rows = topic_rows(report)
    columns = ("topic", report.runs[0], report.baseline, "difference", "outcome")
    table = _plain_table(columns, [cells(row, digits) for row in rows])
    return (
        '<section id="topics" aria-labelledby="topics-title"><h2 id="topics-title"><span class="soft">4</span> '
        f'Where does it lose?</h2><div id="topics-body"><p class="sentence">'
        f"{_text(sentence(report, rows, evidence.texts))}</p>{_scroll('Values by topic', table)}</div></section>"
    )


def _doubts(report: ReportData, found: list[Doubt]) -> str:
    rows = []
    for doubt in found:
        mark = (
            '<span class="look">\u25b2 look</span>' if doubt.deserves_look else '<span class="fine">\u2713 fine</span>'
        )
        note = f'<p class="note">{_text(doubt.note)}</p>' if doubt.note else ""
        picture = (
            doubt.picture if doubt.picture.startswith("<svg") else f'<span class="soft">{_text(doubt.picture)}</span>'
        )
        if doubt.name:
            picture = f'<div id="picture-{doubt.name}">{picture}<p class="note">{_whose(report)}</p></div>'
        rows.append(
            f'<li><div class="mark">{mark}</div><div class="claim"><p><b>{_text(doubt.title)}</b> {_text(doubt.claim)}'
            f'</p>{note}</div><div class="picture">{picture}</div></li>'
        )
    return (
        '<section id="doubts" aria-labelledby="doubts-title"><h2 id="doubts-title"><span class="soft">5</span> What '
        f'should I doubt?</h2><p class="sentence">{_text(summary(found))}</p><ul class="doubts">{"".join(rows)}</ul>'
        "</section>"
    )


def _whose(report: ReportData) -> str:
    """Whose the coloured marks of a picture are."""
    best, baseline = report.runs[0], report.baseline
    parts = [f'Blue is <span class="is-system">{_text(best)}</span>']
    if baseline != best:
        parts.append(f'orange <span class="is-baseline">{_text(baseline)}</span>')
    others = len(report.runs) - len(parts)
    if others:
        parts.append(f"grey {counted(others, 'other system')}")
    return f"{', '.join(parts)}."


def _numbers(report: ReportData, digits: int) -> str:
    words = plain_words(report)
    parts = [_board(report, digits)]
    items = "".join(f"<dt>{_text(name)}</dt><dd>{_text(text)}</dd>" for name, text in words.items())
    curves = '<div id="precision-recall"></div>' if "pr" in report.tables else ""
    parts.append(
        f'<div class="columns"><div><h3>The measures in words</h3><dl>{items}</dl></div>{curves}</div>'
        '<details class="data" id="more"><summary>More curves and tables</summary><div id="more-curves"></div>'
    )
    for section in sections(report):
        if section.name not in ("leaderboard", "provenance", "topics", "differences"):
            parts += [_details(title, table, digits) for title, table in section.tables if table.rows]
    return "".join(parts) + "</details>"


def _board(report: ReportData, digits: int) -> str:
    words = plain_words(report)
    head = '<th scope="col" aria-sort="none"><button type="button">system</button></th>' + "".join(
        f'<th scope="col" aria-sort="{"none" if at else "descending"}"{_NUMBER}>'
        f'<button type="button" title="{_text(words[name])}">{_text(name)}</button></th>'
        for at, name in enumerate(report.names)
    )
    best = report.board.with_best(report.lower, digits, first=1, by=0).best
    body = []
    for nth, row in enumerate(report.board.rows):
        cells = [f'<th scope="row" data-value="{_text(row[0])}">{_text(row[0])}</th>']
        for place in range(1, len(report.names) + 1):
            text = report.board.text(row, place, digits)
            shown = f"<b>{text}</b>" if (nth, place) in best else text
            cells.append(f'<td{_NUMBER} data-value="{row[place]!r}">{shown}</td>')
        body.append(f'<tr data-run="{_text(row[0])}">{"".join(cells)}</tr>')
    table = f'<table id="board"><thead><tr>{head}</tr></thead>\n<tbody>{chr(10).join(body)}</tbody></table>'
    return _scroll("Means by system and measure", table)


def _sources(report: ReportData, digits: int) -> str:
    qrels, runs = report.tables["qrels"], report.tables["runs"]
    text = (
        f"{counted(len({row[0] for row in runs.rows}), 'run')} and the judgments {report.qrels}, each with the file "
        "it was loaded from and that file's checksum."
    )
    return (
        '<section id="data" aria-labelledby="data-title"><h2 id="data-title">Where the data comes from</h2>'
        f'<p class="sentence">{_text(text)}</p>'
        + _details("Judgments", qrels, digits)
        + _details("Runs", runs, digits)
        + "</section>"
    )


def _details(title: str, table: Table, digits: int) -> str:
    rows = [[table.text(row, at, digits) for at in range(len(row))] for row in table.rows]
    body = _plain_table(table.columns, rows, [table.is_number(at) for at in range(len(table.columns))])
    return f'<details class="data"><summary>{_text(title)}</summary>{_scroll(title, body)}</details>'


def _scroll(title: str, table: str) -> str:
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{_text(title)}">{table}</div>'


def _plain_table(columns: Sequence[str], rows: Sequence[Sequence[object]], numbers: Sequence[bool] = ()) -> str:
    aligned = [_NUMBER if at < len(numbers) and numbers[at] else "" for at in range(len(columns))]
    head = "".join(
        f'<th scope="col"{kind}>{_text(name)}</th>' if name else "<td></td>"
        for name, kind in zip(columns, aligned, strict=True)
    )
    body = "".join(
        "<tr>" + "".join(f"<td{kind}>{_text(cell)}</td>" for cell, kind in zip(row, aligned, strict=True)) + "</tr>\n"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>"
