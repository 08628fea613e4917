"""A report as one page that needs nothing else: tables in its HTML, charts drawn from the data inside it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from html import escape
from operator import itemgetter
from pathlib import Path
from string import Template
from typing import Any

from evalsql.evaluation.notices import counted
from evalsql.report import charts
from evalsql.report.comparison import label
from evalsql.report.overview import Overview
from evalsql.report.sections import Section, sections
from evalsql.report.table import Table

_FOLDER = Path(__file__).resolve().parent / "pagefiles"
_NUMBER = ' class="number"'
_MOST_LABELS = 6  # systems named in a superscript; of more the number shows, and the names when it is opened
_DRAWN = 8  # runs that line charts show at first
_TABLES = ("pr", "roc", "tap", "unjudged", "distribution", "agreement")
_CHARTS: Mapping[str, Sequence[str]] = {
    "differences": ("differences",),
    "topics": ("topics",),
    "precision-recall": ("pr", "pr_levels"),
    "roc": ("roc",),
    "distribution": ("distribution",),
    "threshold": ("tap",),
    "agreement": ("agreement",),
    "unjudged": ("unjudged",),
}
_LINES = ("pr", "roc", "tap", "unjudged")
# By section its selects: name, what it lists, which run is chosen first.
_SELECTS: Mapping[str, Sequence[tuple[str, str, int]]] = {
    "differences": (("measure", "measures", 0), ("run", "runs", 0), ("baseline", "runs", 1)),
    "topics": (("measure", "measures", 0),),
    "precision-recall": (("run", "runs", 0),),
    "distribution": (("measure", "measures", 0),),
}


def page(overview: Overview, digits: int) -> str:
    """The whole page.

    Source:
        Vega, Vega-Lite and vega-embed as vl-convert brings them; the specifications are those of ``charts``.
    """
    import vl_convert

    library: str = vl_convert.javascript_bundle()  # type: ignore[call-arg]
    parts = sections(overview)
    template = Template(_read("page.html"))
    return template.substitute(
        title=_text(f"Evaluation with {overview.qrels}"),
        style=_read("page.css"),
        summary=_text(_summary(overview)),
        notices=_notices(overview),
        links="\n".join(f'<li><a href="#{part.name}">{_text(part.title)}</a></li>' for part in parts),
        sections="\n".join(_section(overview, part, digits) for part in parts),
        data=_json(_data(overview)),
        library=library.replace("</script", "<\\/script"),
        script=_read("page.js"),
    )


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _text(text: object) -> str:
    return escape(str(text))


def _json(value: object) -> str:
    """JSON in which no name can end the element."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def _summary(overview: Overview) -> str:
    held = f"{counted(len(overview.runs), 'run')}, {counted(len(overview.topics), 'topic')}"
    return f"{held}, measures {', '.join(overview.names)}; evalsql {overview.program_version}."


def _notices(overview: Overview) -> str:
    told = [line.strip() for line in overview.notices[1:]]
    if not told:
        return ""
    items = "".join(f"<li>{_text(line)}</li>" for line in told)
    return f'<aside class="notices" aria-label="Notices"><ul>{items}</ul></aside>'


def _section(overview: Overview, part: Section, digits: int) -> str:
    found = [f'<section id="{part.name}" aria-labelledby="{part.name}-title">']
    found.append(f'<h2 id="{part.name}-title">{_text(part.title)}</h2>')
    found.append(f"<p>{_text(part.text)}</p>")
    if part.name == "leaderboard":
        found.append(_board(overview, digits))
    else:
        found.append(_controls(part.name))
        found += [_figure(name) for name in _CHARTS.get(part.name, ())]
        found += [_table(title, table, digits, opened=part.name == "provenance") for title, table in part.tables]
    return "\n".join([*filter(None, found), "</section>"])


def _controls(section: str) -> str:
    labels = "".join(
        f'<label>{name} <select id="{section}-{name}" class="{kind}" data-at="{at}"></select></label>'
        for name, kind, at in _SELECTS.get(section, ())
    )
    return f'<div class="controls">{labels}</div>' if labels else ""


def _figure(name: str) -> str:
    spec = charts.blank(name)
    lines = " data-lines" if name in _LINES else ""
    told = _text(spec["description"])
    return (
        f'<figure><div class="chart" data-chart="{name}"{lines} role="img" aria-label="{told}"></div>'
        f"<figcaption>{_text(spec['title']['text'])}: {_text(spec['title']['subtitle'])}</figcaption></figure>"
    )


def _table(title: str, table: Table, digits: int, *, opened: bool) -> str:
    numbers = [table.is_number(at) for at in range(len(table.columns))]
    head = "".join(_cell("th", name, number) for name, number in zip(table.columns, numbers, strict=True))
    body = "".join(
        "<tr>" + "".join(_cell("td", table.text(row, at, digits), numbers[at]) for at in range(len(row))) + "</tr>\n"
        for row in table.rows
    )
    return (
        f'<details class="data"{" open" if opened else ""}><summary>{_text(title)}</summary>'
        f'<div class="scroll" tabindex="0" role="region" aria-label="{_text(title)}"><table>'
        f"<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div></details>"
    )


def _cell(tag: str, text: object, is_number: bool) -> str:
    scope = ' scope="col"' if tag == "th" else ""
    number = _NUMBER if is_number else ""
    return f"<{tag}{scope}{number}>{_text(text)}</{tag}>"


def _board(overview: Overview, digits: int) -> str:
    labels = {run: label(at) for at, run in enumerate(overview.runs)}
    heads = ["run", *overview.names]
    sorted_by = ["none", "descending", *["none"] * (len(overview.names) - 1)]
    head = '<th scope="col" class="draw">draw</th>' + "".join(
        f'<th scope="col" aria-sort="{order}"{_NUMBER if at else ""}><button type="button">{_text(name)}</button></th>'
        for at, (name, order) in enumerate(zip(heads, sorted_by, strict=True))
    )
    intervals = {(run, measure): (low, high) for measure, run, _, low, high in overview.tables["intervals"].rows}
    outdone = overview.comparison.outdone if overview.comparison else {}
    best = _best(overview, digits)
    body = []
    for at, row in enumerate(overview.board.rows):
        run = str(row[0])
        checked = " checked" if at < _DRAWN else ""
        cells = [
            f'<td class="draw"><input type="checkbox" aria-label="draw {_text(run)}"{checked}></td>',
            f'<th scope="row" data-value="{_text(run)}"><span class="soft">{labels[run]}</span> {_text(run)}</th>',
        ]
        for place, measure in enumerate(overview.names, start=1):
            text = overview.board.text(row, place, digits)
            worse = [labels[other] for other in overview.runs if other in outdone.get((run, measure), ())]
            shown = f'<span class="best">{text}</span>' if text == best[place] else f"<span>{text}</span>"
            interval = _interval(intervals.get((run, measure)), digits)
            cells.append(f'<td{_NUMBER} data-value="{row[place]!r}">{shown}{_worse(worse)}{interval}</td>')
        body.append(f'<tr data-run="{_text(run)}">{"".join(cells)}</tr>')
    rows = "\n".join(body)
    return (
        '<div class="controls"><label>filter <input type="search" id="filter" autocomplete="off"></label>'
        f'<span id="shown" role="status" class="soft">{len(body)} of {len(body)} runs</span></div>'
        '<div class="scroll" tabindex="0" role="region" aria-label="Leaderboard"><table>'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>"
    )


def _best(overview: Overview, digits: int) -> list[str]:
    """By column of the board the text of its best value."""
    board, texts = overview.board, [""]
    rows: Sequence[Any] = board.rows
    for at, measure in enumerate(overview.names, start=1):
        choose = min if measure in overview.lower else max
        texts.append(board.text(choose(rows, key=itemgetter(at)), at, digits))
    return texts


def _worse(labels: Sequence[str]) -> str:
    if not labels:
        return ""
    if len(labels) <= _MOST_LABELS:
        return f"<sup>{','.join(labels)}</sup>"
    number = f'<span aria-label="significantly better than {len(labels)} systems">&#9650;{len(labels)}</span>'
    return f' <details class="worse"><summary>{number}</summary>{", ".join(labels)}</details>'


def _interval(ends: tuple[Any, Any] | None, digits: int) -> str:
    if ends is None or None in ends or not all(map(math.isfinite, ends)):
        return ""
    return f'<span class="interval">[{ends[0]:.{digits}f}, {ends[1]:.{digits}f}]</span>'


def _data(overview: Overview) -> dict[str, Any]:
    """What the charts are drawn from; values by measure and run in the order of the topics."""
    places = {topic: at for at, topic in enumerate(overview.topics)}
    values: dict[str, dict[str, list[float | None]]] = {}
    for measure, run, topic, value in overview.tables["values"].rows:
        row = values.setdefault(str(measure), {}).setdefault(str(run), [None] * len(places))
        row[places[str(topic)]] = charts.finite(value)
    pr: Sequence[Any] = overview.tables["pr"].rows
    levels = sorted({recall for _, recall, *_ in pr})
    curves: dict[str, list[list[float | None] | None]] = {}
    for run, topic, _, precision in overview.tables["pr_topics"].rows:
        by_topic = curves.setdefault(str(run), [None] * len(places))
        at = places[str(topic)]
        points = by_topic[at] or []
        by_topic[at] = [*points, charts.finite(precision)]
    return {
        "measures": overview.names,
        "runs": overview.runs,
        "topics": overview.topics,
        "values": values,
        "levels": levels,
        "pr_topics": curves,
        "tables": {name: _plain(overview.tables[name]) for name in _TABLES},
        "specs": {name: charts.blank(name) for names in _CHARTS.values() for name in names},
        "config": charts.config(),
    }


def _plain(table: Table) -> dict[str, Any]:
    return {"columns": list(table.columns), "rows": [[charts.finite(value) for value in row] for row in table.rows]}
