"""What pages are made of: how numbers and lists read, and the HTML of links, sections, answers and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import NamedTuple

MINUS = "\u2212"
SEPARATOR = " \u00b7 "
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


def listed(texts: Sequence[str]) -> str:
    """a, b and c."""
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def text(value: object) -> str:
    """Any value as HTML shows it."""
    return escape(str(value))


def link(address: str, words: object) -> str:
    return f'<a href="{escape(address)}">{text(words)}</a>'


def links_line(links: Iterable[str]) -> str:
    return f'<p class="links">{SEPARATOR.join(links)}</p>'


def section(name: str, heading: str, sentence: str, *parts: str, question: int | None = None) -> str:
    """A part of a page with its one sentence; ``question`` numbers it. The parts are HTML, the words are not."""
    numbered = f'<span class="soft">{question}</span> ' if question else ""
    first = f'<p class="sentence">{text(sentence)}</p>' if sentence else ""
    return (
        f'<section id="{name}" aria-labelledby="{name}-title"><h2 id="{name}-title">{numbered}{text(heading)}</h2>'
        f"{first}{''.join(parts)}</section>\n"
    )


def answers(found: Iterable[tuple[str, str, str]]) -> str:
    """Questions, each with its answer in a word and a sentence; the answers are HTML."""
    parts = (
        f'<div class="answer"><p class="question">{text(question)}</p><p class="big">{big}</p><p>{words}</p></div>'
        for question, big, words in found
    )
    return f'<div class="answers">{"".join(parts)}</div>\n'


class Column(NamedTuple):
    """``kind`` is classes of its cells: n for numbers, p for pictures, m, o and t for what a phone leaves out."""

    title: str
    kind: str = ""


def table(title: str, columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> str:
    """A table whose cells are HTML; the first cell of a row heads it. Tags that may be left out are: pages are many."""
    kinds = [_kind(column) for column in columns]
    head = "".join(
        f"<th scope=col{kind}>{text(column.title)}" if column.title else f"<td{kind}>"
        for column, kind in zip(columns, kinds, strict=True)
    )
    body = "\n".join(
        "<tr>" + "".join(f"<{'td' if at else 'th'}{kinds[at]}>{cell}" for at, cell in enumerate(row)) for row in rows
    )
    return scroll(title, f'<table class="figures"><thead><tr>{head}</thead>\n<tbody>{body}</tbody></table>')


def _kind(column: Column) -> str:
    return f' class="{column.kind}"' if " " in column.kind else f" class={column.kind}" if column.kind else ""


def scroll(title: str, inner: str) -> str:
    """A region that scrolls where the window is narrow."""
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{text(title)}">{inner}</div>\n'
