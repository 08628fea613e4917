"""HTML: how numbers and lists read, links, sections and tables of pages, and tables that fit into a notebook."""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from evalsql.errors import WarehouseError
from evalsql.report.table import Picture, Table
from evalsql.report.terminal import one_line
from evalsql.version import __version__

MINUS = "\u2212"
MADE = f"Made by evalsql {__version__}. Every figure here is a query of the warehouse."
FILES = Path(__file__).resolve().parent / "page" / "files"
NOT_IN_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_DIRECTION_MARKS = re.compile("[\u202a-\u202e\u2066-\u2069]")  # they turn text around
# Vega looks for these in objects of names, and finds what every object of JavaScript has.
_OF_OBJECTS = {
    *("constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString"),
    *("valueOf", "__proto__", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__"),
}
_SEPARATOR = " \u00b7 "
_IN_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def number(value: float | None, digits: int) -> str:
    """With a true minus."""
    return "" if value is None else f"{value:.{digits}f}".replace("-", MINUS)


def signed(value: float | None, digits: int) -> str:
    """With its sign, unless it is shown as 0."""
    if value is None:
        return ""
    text = f"{value:+.{digits}f}"
    return (text[1:] if not float(text) else text).replace("-", MINUS)


def interval_text(low: float | None, high: float | None, digits: int, form: Callable[..., str] = number) -> str:
    return "" if low is None or high is None else f"{form(low, digits)} to {form(high, digits)}"


def share(value: float) -> str:
    return f"{value * 100:.0f}%"


def in_words(count: int) -> str:
    return _IN_WORDS[count] if count < len(_IN_WORDS) else f"{count:,}"


def text(value: object) -> str:
    """Text for a page; characters that turn around what follows them stand as escapes."""
    return escape(_DIRECTION_MARKS.sub(lambda found: one_line(found.group()), str(value)))


def embedded_json(value: object) -> str:
    """JSON for a script element, in which no name can end the element."""
    try:
        written = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    except ValueError as error:
        raise WarehouseError("a figure is no finite number; evalsql check says what is wrong in the file") from error
    return written.replace("<", "\\u003c")


def drawable(part: Any) -> Any:
    """A part of a specification whose texts are only drawn: what XML cannot hold would end the process that draws."""
    if isinstance(part, dict):
        return {drawable(key): drawable(inner) for key, inner in part.items()}
    if isinstance(part, list):
        return list(map(drawable, part))
    if isinstance(part, str):
        plain = NOT_IN_XML.sub(lambda found: chr(0x2400 + ord(found[0])) if found[0] < " " else "\ufffd", part)
        return _DIRECTION_MARKS.sub("\ufffd", plain) + ("\u200b" if part in _OF_OBJECTS else "")
    return part


def read_part(name: str) -> str:
    return (FILES / name).read_text(encoding="utf-8")


def page(name: str, title: str, style: str, scripts: Sequence[str], data: object, head: str = "", **parts: str) -> str:
    """A page that needs nothing else, of the files in ``page/files``; ``parts`` go into ``name``, data to scripts."""
    framed = {"title": text(title), "style": read_part("page.css") + style, "head": head, "data": embedded_json(data)}
    body = Template(read_part(f"{name}.html")).substitute(title=text(title), **parts).rstrip("\n")
    script = "\n".join(map(read_part, scripts))
    return Template(read_part("frame.html")).substitute(framed, body=body, script=script)


def link(address: str, words: object) -> str:
    return f'<a href="{text(address)}">{text(words)}</a>'


def links_line(*links: str) -> str:
    return f'<p class="links">{_SEPARATOR.join(links)}</p>'


def section(name: str, heading: str, sentence: str, *parts: str, question: int | None = None) -> str:
    """A part of a page with its one sentence; ``question`` numbers it. The parts are HTML, the words are not."""
    numbered = f'<span class="soft">{question}</span> ' if question else ""
    first = f'<p class="sentence">{text(sentence)}</p>' if sentence else ""
    return (
        f'<section id="{name}" aria-labelledby="{name}-title"><h2 id="{name}-title">{numbered}{text(heading)}</h2>'
        f"{first}{''.join(parts)}</section>\n"
    )


def answers(found: Iterable[Iterable[str]]) -> str:
    """Questions, each with its answer in a word and a sentence, all as HTML."""
    parts = (
        f'<div class="answer"><p class="question">{question}</p><p class="big">{big}</p><p>{words}</p></div>'
        for question, big, words in found
    )
    return f'<div class="answers">{"".join(parts)}</div>\n'


def table(title: str, columns: Sequence[tuple[str, str]], rows: Iterable[Sequence[str]], name: str = "") -> str:
    """A table in a region that scrolls where the window is narrow; ``name`` is its id.

    Columns have a heading and classes; cells are HTML, and the first of a row heads it.
    """
    named = f' id="{name}"' if name else ""
    inner = f'<table class="figures"{named}>{_head_and_body(columns, rows)}</table>'
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{text(title)}">{inner}</div>\n'


def figures(title: str, shown: Table, digits: int, name: str = "") -> str:
    columns = [(head, "number" if shown.is_number(at) else "") for at, head in enumerate(shown.columns)]
    return table(title, columns, cells(shown, digits), name)


def _head_and_body(columns: Sequence[tuple[str, str]], rows: Iterable[Sequence[str]]) -> str:
    """Optional closing tags are left out, since a site has many pages."""
    kinds = [f' class="{kind}"' if " " in kind else f" class={kind}" if kind else "" for _, kind in columns]
    head = "".join(
        f"<th scope=col{kind}>{text(title)}" if title else f"<td{kind}>"
        for (title, _), kind in zip(columns, kinds, strict=True)
    )
    body = ("".join(f"<{'td' if at else 'th'}{kinds[at]}>{cell}" for at, cell in enumerate(row)) for row in rows)
    lines = "\n".join(f"<tr>{row}" for row in body)
    return f"<thead><tr>{head}</thead>\n<tbody>{lines}</tbody>"


def cells(shown: Table, digits: int) -> list[list[str]]:
    """Every cell as HTML: the best in bold, with marks behind."""

    def cell(nth: int, at: int) -> str:
        value = shown.rows[nth][at]
        if isinstance(value, Picture):
            return value.html
        words = text(one_line(shown.text(shown.rows[nth], at, digits)).strip())  # aligned texts start with blanks
        mark = shown.marks.get((nth, at))
        return (f"<b>{words}</b>" if (nth, at) in shown.best else words) + (f"<sup>{text(mark)}</sup>" if mark else "")

    return [[cell(nth, at) for at in range(len(shown.columns))] for nth in range(len(shown.rows))]


_NO_TEX = "tex2jax_ignore mathjax_ignore"  # classes, in which MathJax of notebooks looks for no TeX between dollars
_LONG = "text"  # a column of whole sentences
_WIDTH, _HEIGHT, _MARGIN = 140, 14, 4  # pixels of the picture of an interval


def in_notebook(shown: Table, digits: int) -> str:
    """The table with its style, which takes colours from the page around, so that dark notebooks need no other."""
    columns = [
        (name, "n" if shown.is_number(at) else "g" if shown.is_picture(at) else "long" if name == _LONG else "")
        for at, name in enumerate(shown.columns)
    ]
    caption = f"<caption>{text(one_line(shown.caption))}</caption>" if shown.caption else ""
    notices = "\n".join(text(one_line(each)) for each in shown.notices)
    below = f'<div class="evalsql-notes {_NO_TEX}">{notices}</div>' if notices else ""
    inner = f"{caption}\n{_head_and_body(columns, cells(shown, digits))}"
    style = f"<style>{read_part('notebook.css')}</style>"
    return f'{style}\n<table class="evalsql {_NO_TEX}">{inner}</table>\n{below}'


def bar(percent: int) -> Picture:
    return Picture(f'<div style="width:{percent}%"></div>')


def interval(
    value: float, low: float | None, high: float | None, span: tuple[float, float], *, is_sure: bool
) -> Picture:
    """A value and its interval beside a line at 0, on the scale of a span."""
    least, greatest = span
    if least == greatest:
        return Picture("")

    def x(value: float) -> str:
        return f"{_MARGIN + (_WIDTH - 2 * _MARGIN) * (value - least) / (greatest - least):.1f}"

    middle, colour = _HEIGHT / 2, "#2a7f9e" if is_sure else "#888"
    line = ""
    if low is not None and high is not None:
        line = f'<line x1="{x(low)}" x2="{x(high)}" y1="{middle}" y2="{middle}" stroke="{colour}" stroke-width="2"/>'
    return Picture(
        # Pages of notebooks make pictures as narrow as their cells, which cuts off what stands beside them.
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" style="width:{_WIDTH}px;height:{_HEIGHT}px;max-width:none" role="img" '
        f'aria-label="difference {number(value, 4)}">'
        f'<line x1="{x(0)}" x2="{x(0)}" y1="0" y2="{_HEIGHT}" stroke="currentColor" stroke-opacity=".6"/>'
        f'{line}<circle cx="{x(value)}" cy="{middle}" r="3.5" fill="{colour}"/></svg>'
    )
