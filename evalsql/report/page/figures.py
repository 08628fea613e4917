"""How the page writes numbers and lists, and the small pictures beside its doubts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

MINUS = "\u2212"
_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def number(value: float | None, digits: int) -> str:
    """With a true minus."""
    return "" if value is None else f"{value:.{digits}f}".replace("-", MINUS)


def signed(value: float | None, digits: int) -> str:
    """With its sign, unless it is shown as 0."""
    if value is None:
        return ""
    text = f"{value:+.{digits}f}"
    return (text[1:] if not float(text) else text).replace("-", MINUS)


def share(value: float) -> str:
    return f"{value * 100:.0f}%"


def in_words(count: int) -> str:
    return _WORDS[count] if count < len(_WORDS) else f"{count:,}"


def listed(texts: Sequence[str]) -> str:
    """a, b and c."""
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def dots(rows: Sequence[tuple[str, Sequence[tuple[float, str]]]], told: str) -> str:
    """Rows of marks between 0 and 1, each mark with its class: system, baseline or other."""
    height = 22
    parts = []
    for at, (name, marks) in enumerate(rows):
        middle = at * height + 11
        parts.append(f'<text x="0" y="{middle + 4}">{escape(name)}</text>')
        parts.append(f'<line class="grid" x1="28%" x2="98%" y1="{middle}" y2="{middle}"/>')
        parts += [_mark(28 + 70 * value, middle, kind) for value, kind in marks]
    bottom = len(rows) * height + 14
    for value in (0.0, 0.5, 1.0):
        anchor = "end" if value == 1 else "middle"
        x = 28 + 70 * value if value < 1 else 100
        parts.append(f'<text x="{x:.2f}%" y="{bottom}" text-anchor="{anchor}">{share(value)}</text>')
    return _svg(parts, bottom + 4, told)


def _mark(x: float, y: float, kind: str) -> str:
    if kind == "other":
        return f'<line class="other" x1="{x:.2f}%" x2="{x:.2f}%" y1="{y - 6}" y2="{y + 6}"/>'
    if kind == "baseline":
        return f'<svg x="{x:.2f}%" y="{y}" overflow="visible"><path class="baseline" d="M0-5L5 0L0 5L-5 0z"/></svg>'
    return f'<circle class="{kind}" cx="{x:.2f}%" cy="{y}" r="4.5"/>'


def places(measures: Sequence[str], orders: Sequence[tuple[Sequence[int], str]], told: str) -> str:
    """The place of each system by each measure, its class with it; the best on top."""
    most = max(max(order) for order, _ in orders)
    step = 92 / max(len(measures) - 1, 1)

    def y(place: int) -> float:
        return 8 + 70 * (place - 1) / max(most - 1, 1)

    parts = []
    for order, kind in orders:
        for at in range(len(measures) - 1):
            parts.append(
                f'<line class="path {kind}" x1="{4 + step * at:.1f}%" x2="{4 + step * (at + 1):.1f}%" '
                f'y1="{y(order[at]):.1f}" y2="{y(order[at + 1]):.1f}"/>'
            )
    for at, name in enumerate(measures):
        anchor = "start" if at == 0 else "end" if at == len(measures) - 1 else "middle"
        x = 0 if at == 0 else 100 if at == len(measures) - 1 else 4 + step * at
        parts.append(f'<text x="{x:.1f}%" y="96" text-anchor="{anchor}">{escape(name)}</text>')
    return _svg(parts, 102, told)


def _svg(parts: Iterable[str], height: int, told: str) -> str:
    return f'<svg class="small" role="img" aria-label="{escape(told)}" height="{height}">{"".join(parts)}</svg>'
