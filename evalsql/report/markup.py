"""Formats for documents: Markdown and LaTeX."""

from __future__ import annotations

import re
from typing import TextIO

from evalsql.report.table import Table

_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>()#+!|~])")
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
    """A booktabs tabular."""
    alignment = "".join("r" if table.is_number(at) else "l" for at in range(len(table.columns)))
    stream.write(f"\\begin{{tabular}}{{{alignment}}}\n\\toprule\n")
    _latex_row(stream, list(table.columns))
    stream.write("\\midrule\n")
    for row in table.rows:
        _latex_row(stream, [table.text(row, at, digits) for at in range(len(row))])
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


def _latex_row(stream: TextIO, cells: list[str]) -> None:
    stream.write(" & ".join(map(escape_latex, cells)) + " \\\\\n")
