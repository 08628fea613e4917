"""Formats for documents: Markdown and LaTeX."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable
from io import StringIO
from typing import Any, TextIO

from evalsql.report.table import Table

_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>()#+!|~])")
_SCIENTIFIC = re.compile(r"(-?\d+(?:\.\d+)?)e([+-]\d+)")
PACKAGES = "% Needs \\usepackage{booktabs}.\n"
_LATEX = {
    **{char: f"\\{char}" for char in "&%$#_{}"},
    # A row that starts with a bracket or a star would be read as an argument of the line before.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "|": r"\textbar{}",
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}


_LIGATURES = re.compile(r"([-`',])(?=\1)|[?!](?=`)")  # two hyphens would become a dash
# Of the letters beyond ASCII what pdfLaTeX has at once, and what it has with the fonts of T1.
_IN_PDFLATEX = re.compile(r"[\u00a1-\u017e\u2013\u2014\u2018\u2019\u201c\u201d\u2020\u2021\u2022\u2026\u20ac\u2122]")
_IN_T1 = frozenset(
    "\u00ab\u00bb\u00d0\u00de\u00f0\u00fe\u0104\u0105\u0110\u0111\u0118\u0119\u012e\u012f\u014a\u014b\u0172\u0173"
)
_NOWHERE = frozenset("\u0126\u0127\u0138\u013f\u0140\u0149\u0166\u0167")
# Alpha to omega; omicron has no sign of its own.
_GREEK_NAMES = (
    *(
        "alpha",
        "beta",
        "gamma",
        "delta",
        "epsilon",
        "zeta",
        "eta",
        "theta",
        "iota",
        "kappa",
        "lambda",
        "mu",
        "nu",
        "xi",
    ),
    *("", "pi", "rho", "varsigma", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega"),
)
_GREEK = {chr(0x3B1 + at): f"$\\{name}$" for at, name in enumerate(_GREEK_NAMES) if name}


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
    body = StringIO()
    write_tabular(table, body, digits)
    stream.write(latex_needs(body.getvalue()) + body.getvalue())


def write_tabular(table: Table, stream: TextIO, digits: int) -> None:
    """A booktabs tabular; a column of decimals is two, so that the points stand below each other."""
    texts = [[table.text(row, at, digits) for at in range(len(row))] for row in table.rows]
    columns = range(len(table.columns))
    are_numbers = [table.is_number(at) for at in columns]
    are_decimals = [are_numbers[at] and any("." in row[at] for row in texts) for at in columns]
    forms = ("r@{}l" if are_decimals[at] else "r" if are_numbers[at] else "l" for at in columns)
    stream.write(f"\\begin{{tabular}}{{{''.join(forms)}}}\n\\toprule\n")
    heads = map(escape_latex, table.columns)
    _latex_row(
        stream, [f"\\multicolumn{{2}}{{c}}{{{head}}}" if are_decimals[at] else head for at, head in enumerate(heads)]
    )
    stream.write("\\midrule\n")
    for nth, row in enumerate(texts):
        cells = []
        for at, text in enumerate(row):
            parts = (
                decimal_parts(text)
                if are_decimals[at]
                else (latex_number(text) if are_numbers[at] else escape_latex(text),)
            )
            cells += [in_bold(part) if (nth, at) in table.bold else part for part in parts]
        _latex_row(stream, cells)
    stream.write("\\bottomrule\n\\end{tabular}\n")


def _markdown_row(stream: TextIO, cells: list[str]) -> None:
    stream.write("| " + " | ".join(cells) + " |\n")


def escape_markdown(text: str) -> str:
    """The text as Markdown shows it."""
    return _MARKDOWN.sub(r"\\\1", text).replace("\n", " ")


def _is_plain_number(text: str) -> bool:
    return re.fullmatch(r"-?\d+(\.\d+)?", text) is not None


def escape_latex(text: str) -> str:
    """The text as LaTeX prints it; what ends a paragraph or is no sign is a blank."""
    signs = (_GREEK.get(char) or _LATEX.get(char, char if char.isprintable() else " ") for char in text)
    return _LIGATURES.sub(r"\g<0>{}", "".join(signs))


def latex_number(text: str) -> str:
    """A number with a minus sign in the place of a hyphen, and a power of ten in that of an exponent."""
    if scientific := _SCIENTIFIC.fullmatch(text):
        return f"${scientific[1]} \\cdot 10^{{{int(scientific[2])}}}$"
    if text.startswith(("-", "<")):
        return f"${text[0]}${escape_latex(text[1:])}"
    return escape_latex(text)


def decimal_parts(text: str) -> tuple[str, str]:
    """A number before its decimal point, and from there on."""
    if scientific := _SCIENTIFIC.fullmatch(text):
        whole, point, decimals = scientific[1].partition(".")
        return latex_number(whole), f"${point}{decimals} \\cdot 10^{{{int(scientific[2])}}}$"
    whole, point, decimals = text.partition(".")
    return latex_number(whole), point + decimals


def in_bold(text: str) -> str:
    """The text, if there is any, in bold."""
    return f"\\textbf{{{text}}}" if text else ""


def latex_needs(body: str) -> str:
    """What LaTeX needs for the text: comments to stand above it."""
    beyond = {char for char in body if char > "~"}
    unusual = sorted(char for char in beyond if char in _NOWHERE or not _IN_PDFLATEX.match(char))
    needs = PACKAGES
    if of_t1 := sorted(beyond & _IN_T1):
        needs += f"% Needs \\usepackage[T1]{{fontenc}} for {' '.join(of_t1)}\n"
    if unusual:
        needs += f"% Needs LuaLaTeX or XeLaTeX, and a font that has {' '.join(unusual)}\n"
    return needs


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
