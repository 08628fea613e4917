"""Formats for documents: Markdown and LaTeX."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from io import StringIO
from typing import TextIO

from evalsql.report.table import BETTER, WORSE, Table

_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>()#+!|~])")
_SCIENTIFIC = re.compile(r"(-?\d+(?:\.\d+)?)e([+-]\d+)")
_PLAIN_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_IN_LATEX = {BETTER: r"\dagger", WORSE: r"\ddagger"}
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
_NAMED_OTHERWISE = {"\u03bb": "lambda", "\u03c2": "varsigma"}
_GREEK = {
    char: f"$\\{_NAMED_OTHERWISE.get(char) or unicodedata.name(char).split()[-1].lower()}$"
    for char in map(chr, range(0x3B1, 0x3CA))
    if char != "\u03bf"  # omicron has no sign of its own
}


def write_markdown(table: Table, stream: TextIO, digits: int) -> None:
    """A pipe table, its caption below; characters with a meaning in Markdown are escaped."""
    lines = [
        list(map(escape_markdown, table.columns)),
        ["---:" if table.is_number(at) else "---" for at in range(len(table.columns))],
        *(
            [_markdown_cell(table, text, (nth, at)) for at, text in enumerate(row)]
            for nth, row in enumerate(table.texts(digits))
        ),
    ]
    stream.writelines(f"| {' | '.join(cells)} |\n" for cells in lines)
    if table.caption:
        stream.write(f"\n{escape_markdown(table.caption)}\n\n")


def _markdown_cell(table: Table, text: str, place: tuple[int, int]) -> str:
    mark, change = table.marks.get(place, ""), table.changes.get(place, "")
    shown = text if _PLAIN_NUMBER.fullmatch(text) else escape_markdown(text)
    if place in table.best:
        shown = f"**{shown}**"
    return shown + (f"<sup>{mark}</sup>" if mark else "") + (f" ({change})" if change else "")


def write_latex(table: Table, stream: TextIO, digits: int) -> None:
    """A booktabs tabular, below what it needs."""
    write_latex_tables([table], stream, digits)


def write_latex_tables(tables: Iterable[Table], stream: TextIO, digits: int) -> None:
    """Tabulars, those with a caption as floats, below what they need."""
    body = StringIO()
    for table in tables:
        write_tabular(table, body, digits)
    stream.write(latex_needs(body.getvalue()) + body.getvalue())


def write_tabular(table: Table, stream: TextIO, digits: int) -> None:
    """A booktabs tabular, with a caption in a float.

    A column of decimals or marked numbers is two, so that the points stand below each other; changes are one more.
    """
    texts, places = table.texts(digits), range(len(table.columns))
    marked, changed = ({at for _, at in cells} for cells in (table.marks, table.changes))
    forms = []
    for at in places:
        is_split = table.is_number(at) and (at in marked or any("." in row[at] for row in texts))
        form = "r@{}l" if is_split else "r" if table.is_number(at) else "l"
        forms.append(form + ("@{\\ }r" if at in changed else ""))
    heads = [
        f"\\multicolumn{{{width}}}{{c}}{{{escape_latex(name)}}}" if (width := _width(form)) > 1 else escape_latex(name)
        for name, form in zip(table.columns, forms, strict=True)
    ]
    if table.caption:
        caption = escape_latex(table.caption)
        for mark, command in _IN_LATEX.items():
            caption = caption.replace(mark, f"${command}$")
        stream.write(f"\\begin{{table}}\n\\centering\n\\caption{{{caption}}}\n\\label{{{table.label}}}\n")
    stream.write(f"\\begin{{tabular}}{{{''.join(forms)}}}\n\\toprule\n{_latex_row(heads)}\\midrule\n")
    for nth, row in enumerate(texts):
        stream.write(_latex_row(_latex_cell(table, text, (nth, at), forms[at]) for at, text in enumerate(row)))
    stream.write("\\bottomrule\n\\end{tabular}\n" + ("\\end{table}\n" if table.caption else ""))


def _width(form: str) -> int:
    """How many columns of a tabular stand for one of the table."""
    return sum(map(form.count, "lr"))


def _latex_cell(table: Table, text: str, place: tuple[int, int], form: str) -> str:
    is_number = form.startswith("r")
    parts = (
        decimal_parts(text) if "l" in form and is_number else (latex_number(text) if is_number else escape_latex(text),)
    )
    shown = " & ".join(map(in_bold, parts) if place in table.best else parts) + _superscript(table.marks.get(place, ""))
    if _width(form) > len(parts):
        change = escape_latex(table.changes.get(place, "")).replace("-", "$-$").replace("+", "$+$")
        shown += f" & ({change})" if change else " &"
    return shown


def _superscript(marks: str) -> str:
    if not marks:
        return ""
    dagger, letters = (marks[0], marks[1:]) if marks[0] in _IN_LATEX else ("", marks)
    named = f"\\mathrm{{{letters}}}" if letters else ""
    return f"$^{{{_IN_LATEX.get(dagger, '')}{named}}}$"


def _latex_row(cells: Iterable[str]) -> str:
    return f"{' & '.join(cells)} \\\\\n"


def escape_markdown(text: str) -> str:
    """The text as Markdown shows it."""
    return _MARKDOWN.sub(r"\\\1", text).replace("\n", " ")


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
