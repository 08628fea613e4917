"""Formats for documents: Markdown and LaTeX."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable
from typing import Any, TextIO

from evalsql.report.table import Table

_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>()#+!|~])")
_SCIENTIFIC = re.compile(r"(-?\d+(?:\.\d+)?)e([+-]\d+)")
PACKAGES = "% Needs \\usepackage{booktabs}.\n"
_LATEX = {
    **{char: f"\\{char}" for char in "&%$#_{}"},
    # A row that starts with a bracket would be read as an argument of the line before.
    "[": "{[}",
    "]": "{]}",
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}


def write_markdown(table: Table, stream: TextIO, digits: int) -> None:
    """A pipe table; characters with a meaning in Markdown are escaped."""
    marks = ["---:" if table.is_number(at) else "---" for at in range(len(table.columns))]
    _markdown_row(stream, [escape_markdown(column) for column in table.columns])
    _markdown_row(stream, marks)
    for row in table.rows:
        texts = (table.text(row, at, digits) for at in range(len(row)))
        _markdown_row(stream, [text if _is_plain_number(text) else escape_markdown(text) for text in texts])


def write_latex(table: Table, stream: TextIO, digits: int) -> None:
    """A booktabs tabular, below what it needs."""
    stream.write(PACKAGES)
    write_tabular(table, stream, digits)


def write_tabular(table: Table, stream: TextIO, digits: int) -> None:
    """A booktabs tabular."""
    are_numbers = [table.is_number(at) for at in range(len(table.columns))]
    alignment = "".join("r" if is_number else "l" for is_number in are_numbers)
    stream.write(f"\\begin{{tabular}}{{{alignment}}}\n\\toprule\n")
    _latex_row(stream, map(escape_latex, table.columns))
    stream.write("\\midrule\n")
    for nth, row in enumerate(table.rows):
        texts = [table.text(row, at, digits) for at in range(len(row))]
        cells = [latex_number(text) if are_numbers[at] else escape_latex(text) for at, text in enumerate(texts)]
        _latex_row(
            stream, [f"\\textbf{{{text}}}" if (nth, at) in table.bold else text for at, text in enumerate(cells)]
        )
    stream.write("\\bottomrule\n\\end{tabular}\n")


def _markdown_row(stream: TextIO, cells: list[str]) -> None:
    stream.write("| " + " | ".join(cells) + " |\n")


def escape_markdown(text: str) -> str:
    """The text as Markdown shows it."""
    return _MARKDOWN.sub(r"\\\1", text).replace("\n", " ")


def _is_plain_number(text: str) -> bool:
    return re.fullmatch(r"-?\d+(\.\d+)?", text) is not None


def escape_latex(text: str) -> str:
    """The text as LaTeX prints it."""
    return "".join(_LATEX.get(char, char) for char in text)


def latex_number(text: str) -> str:
    """A number with a minus sign in the place of a hyphen, and a power of ten in that of an exponent."""
    if scientific := _SCIENTIFIC.fullmatch(text):
        return f"${scientific[1]} \\cdot 10^{{{int(scientific[2])}}}$"
    if text.startswith(("-", "<")):
        return f"${text[0]}${escape_latex(text[1:])}"
    return escape_latex(text)


def latex_label(name: str) -> str:
    """What the table of a judgment set is referred to by: no sign that means something in LaTeX."""
    return f"tab:{re.sub(r'[^A-Za-z0-9]+', '-', name).strip('-') or 'means'}"


def _latex_row(stream: TextIO, cells: Iterable[str]) -> None:
    stream.write(" & ".join(cells) + " \\\\\n")


def with_best(table: Table, lower: Collection[str], digits: int) -> Table:
    """A leaderboard whose best means are bold, where there are several: those that read like the best.

    ``lower`` names measures where less is better. The first two columns are judgment set and run.
    """
    bold = set()
    for group in {row[0] for row in table.rows}:
        places = [nth for nth, row in enumerate(table.rows) if row[0] == group]
        for at in range(2, len(table.columns)) if len(places) > 1 else ():
            choose = min if table.columns[at] in lower else max
            known: list[Any] = [table.rows[nth][at] for nth in places]
            known = [value for value in known if value is not None and not math.isnan(value)]
            if known:
                best = choose(known)
                text = table.text([*table.rows[places[0]][:at], best], at, digits)
                bold |= {(nth, at) for nth in places if table.text(table.rows[nth], at, digits) == text}
    return table._replace(bold=frozenset(bold))
