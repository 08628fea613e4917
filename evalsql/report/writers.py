"""Writes rows in the format asked for: aligned text, CSV, TSV, JSON, Markdown and LaTeX.

Formats for programs have values in full precision, and nulls as such; the others so many decimals.
"""

import csv
import datetime
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any, TextIO

from evalsql.errors import UsageError
from evalsql.report.table import BETTER, WORSE, Table
from evalsql.report.terminal import for_stream, one_line, write_table

EXTENSIONS = {
    ".txt": "table",
    ".csv": "csv",
    ".tsv": "tsv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".md": "markdown",
    ".tex": "latex",
}
# Where one begins: at the start, and behind what divides a text that is not the first of its line; wide signs do too.
_FORMULA = re.compile(r"(?:^|(?<=[;\t\r\n]))(?=\s*(?:[=@\uff1d\uff20\uff0b\uff0d]|[+-](?![\d.]+$)))")


def known_extension(path: Path, known: Iterable[str], what: str) -> str:
    """The extension of a file, which tells its format; raises UsageError for others than are known."""
    extension = path.suffix.lower()
    if extension not in known:
        raise UsageError(f"{path}: {what} as {', '.join(known)}")
    return extension


STREAMED = ("table", "csv", "tsv", "jsonl")  # formats of which rows can follow others


def write(table: Table, format_name: str, stream: TextIO, digits: int, after: Sequence[int] = ()) -> None:
    """Write ``table`` to ``stream``; ``digits`` decimals where people read, full precision elsewhere.

    ``after`` are the widths of columns whose heading and first rows are written already.
    """
    if stream.isatty() and format_name != "table":
        held = StringIO(newline="")
        write(table, format_name, held, digits, after)
        stream.write(for_stream(held.getvalue(), stream))
    elif format_name in ("csv", "tsv", "spreadsheet"):
        # A spreadsheet may divide text without quotes at other signs too, and what is behind them is a formula.
        quoting: Any = csv.QUOTE_NONNUMERIC if format_name == "spreadsheet" else csv.QUOTE_MINIMAL
        delimiter = "\t" if format_name == "tsv" else ","
        writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n", quoting=quoting)
        rows: Iterable[Iterable[object]] = [*([] if after else [table.columns]), *table.rows]
        writer.writerows(rows if format_name != "spreadsheet" else (map(inert, row) for row in rows))
    elif format_name == "json":
        stream.write(json_text(objects(table), indent=2))
    elif format_name == "jsonl":
        stream.writelines(map(json_text, objects(table)))
    elif format_name in DOCUMENTS:
        stream.write(DOCUMENTS[format_name]([table], digits))
    else:
        write_table(table, stream, digits, after)


def json_text(value: object, **form: Any) -> str:
    """JSON in which characters that do not print, such as those that turn text around, stand as escapes."""
    text = json.dumps(value, ensure_ascii=False, **form)
    if not text.replace("\n", "").isprintable():
        text = "".join(char if char.isprintable() or char == "\n" else json.dumps(char)[1:-1] for char in text)
    return text + "\n"


def inert(value: object) -> object:
    """A value that a spreadsheet takes for no formula."""
    return _FORMULA.sub("'", str(value)) if isinstance(value, str | dict | list) else value


def objects(table: Table) -> list[dict[str, object]]:
    """Each row by column, as JSON can hold it."""
    if len(set(table.columns)) < len(table.columns):
        raise UsageError("two columns have the same name, which JSON cannot hold; name them apart")
    return [dict(zip(table.columns, map(_exact, row), strict=True)) for row in table.rows]


def _exact(value: object) -> object:
    """What JSON has for a value; text where readers of JSON have no exact form, as of NaN, infinity and times."""
    if isinstance(value, Mapping):
        return {str(key): _exact(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_exact(inner) for inner in value]
    if isinstance(value, Decimal) and Decimal(repr(float(value))) == value:
        return float(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ")
    return value if value is None or isinstance(value, str | int) else str(value)


# Markdown


def markdown(tables: Iterable[Table], digits: int) -> str:
    """Pipe tables with their captions below; characters with a meaning in Markdown are escaped."""
    parts = []
    for table in tables:
        rows = [list(map(escape_markdown, table.columns))]
        rows.append(["---:" if table.is_number(at) else "---" for at in range(len(table.columns))])
        for nth, row in enumerate(table.texts(digits)):
            rows.append([_markdown_cell(table, text, (nth, at)) for at, text in enumerate(row)])
            if nth in table.rules:
                rows.append(["---"] * len(row))
        parts += [f"| {' | '.join(row)} |\n" for row in rows]
        if table.caption:
            parts.append(f"\n{escape_markdown(table.caption)}\n\n")
    return "".join(parts)


def _markdown_cell(table: Table, text: str, place: tuple[int, int]) -> str:
    mark, change = table.marks.get(place, ""), table.changes.get(place, "")
    shown = text if re.fullmatch(r"-?\d+(\.\d+)?", text) else escape_markdown(text)
    shown = f"**{shown}**" if place in table.best else shown
    return shown + (f"<sup>{mark}</sup>" if mark else "") + (f" ({change})" if change else "")


def escape_markdown(text: str) -> str:
    # Between dollars stands TeX, which writes a backslash as carets too.
    return one_line(re.sub(r"([\\`*_{}\[\]<>()#+!|~$^&])", r"\\\1", text).replace("\n", " "))


# LaTeX

_MARKS = {BETTER: r"\dagger", WORSE: r"\ddagger"}
_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho varsigma sigma tau "
    "upsilon phi chi psi omega"
)
_SIGNS = {
    **{char: f"\\{char}" for char in "&%$#_{}"},
    # A row that starts with a bracket or a star would be read as an argument of the line before.
    **{char: f"{{{char}}}" for char in "[]*"},
    "|": r"\textbar{}",
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    # Omicron has no sign of its own.
    **{chr(code): f"$\\{name}$" for code, name in enumerate(_GREEK.split(), start=0x3B1) if name != "omicron"},
}
_SCIENTIFIC = r"(-?\d+(?:\.\d+)?)e([+-]\d+)"
_LIGATURES = r"([-`',])(?=\1)|[?!](?=`)"  # two hyphens would become a dash
# Of the letters beyond ASCII what pdfLaTeX has at once, what it has with the fonts of T1, and what no font of it has.
_IN_PDFLATEX = r"[\u00a1-\u017e\u2013\u2014\u2018\u2019\u201c\u201d\u2020\u2021\u2022\u2026\u20ac\u2122]"
_IN_T1 = frozenset(
    "\u00ab\u00bb\u00d0\u00de\u00f0\u00fe\u0104\u0105\u0110\u0111\u0118\u0119\u012e\u012f\u014a\u014b\u0172\u0173"
)
_NOWHERE = frozenset("\u0126\u0127\u0138\u013f\u0140\u0149\u0166\u0167")


def latex(tables: Iterable[Table], digits: int) -> str:
    """Booktabs tabulars, those with a caption as floats, below what they need."""
    body = "".join(tabular(table, digits) for table in tables)
    return latex_needs(body) + body


DOCUMENTS = {"markdown": markdown, "latex": latex}


def tabular(table: Table, digits: int) -> str:
    """A booktabs tabular, with a caption in a float.

    A number is one cell, set to the right. Its marks take the room of the longest mark of the column, so that the
    digits stand below each other. Changes are a column of their own.
    """
    texts, places = table.texts(digits), range(len(table.columns))
    longest = [max((mark for (_, of), mark in table.marks.items() if of == at), key=len, default="") for at in places]
    changed = {at for _, at in table.changes}
    forms = [("r" if table.is_number(at) else "l") + "@{\\ }r" * (at in changed) for at in places]
    heads = [
        f"\\multicolumn{{{1 + (at in changed)}}}{{c}}{{{_latex_text(table, name)}}}"
        if at in changed or longest[at]
        else _latex_text(table, name)
        for at, name in enumerate(table.columns)
    ]
    rows = [heads]
    for nth, row in enumerate(texts):
        cells = [_latex_cell(table, row[at], (nth, at), longest[at]) for at in places]
        rows.append([cell + _latex_change(table, (nth, at)) * (at in changed) for at, cell in enumerate(cells)])
    head, *lines = (f"{' & '.join(row)} \\\\\n" for row in rows)
    lines = [line + "\\midrule\n" * (nth in table.rules) for nth, line in enumerate(lines)]
    head = f"\\begin{{tabular}}{{{''.join(forms)}}}\n\\toprule\n{head}\\midrule\n"
    body = f"{head}{''.join(lines)}\\bottomrule\n\\end{{tabular}}\n"
    if not table.caption:
        return body
    caption = escape_latex(table.caption)
    for name in {*table.columns, *(text for row in texts for text in row)} if table.is_raw else ():
        caption = caption.replace(escape_latex(name), name)
    for mark, command in _MARKS.items():
        caption = caption.replace(mark, f"${command}$")
    named = f"\\centering\n\\caption{{{caption}}}\n\\label{{{table.label}}}\n"
    return f"\\begin{{table}}\n{named}{body}\\end{{table}}\n"


def _latex_cell(table: Table, text: str, place: tuple[int, int], longest: str) -> str:
    shown = latex_number(text) if table.is_number(place[1]) else _latex_text(table, text)
    shown = f"\\textbf{{{shown}}}" if shown and place in table.best else shown
    mark = table.marks.get(place, "")
    if mark == longest or not shown:
        return shown + _latex_mark(mark)
    return shown + (f"\\rlap{{{_latex_mark(mark)}}}" if mark else "") + f"\\phantom{{{_latex_mark(longest)}}}"


def _latex_mark(mark: str) -> str:
    dagger, letters = (_MARKS[mark[0]], mark[1:]) if mark[:1] in _MARKS else ("", mark)
    letters = f"\\mathrm{{{letters}}}" if letters else ""
    return f"$^{{{dagger}{letters}}}$" if mark else ""


def _latex_change(table: Table, place: tuple[int, int]) -> str:
    change = escape_latex(table.changes.get(place, "")).replace("-", "$-$").replace("+", "$+$")
    return f" & ({change})" if change else " &"


def _latex_text(table: Table, text: str) -> str:
    return text if table.is_raw else escape_latex(text)


def escape_latex(text: str) -> str:
    """The text as LaTeX prints it; what ends a paragraph or is no sign is a blank."""
    signs = (_SIGNS.get(char, char if char.isprintable() else " ") for char in text)
    return re.sub(_LIGATURES, r"\g<0>{}", "".join(signs))


def latex_number(text: str) -> str:
    """A number with a minus sign in the place of a hyphen, and a power of ten in that of an exponent."""
    if scientific := re.fullmatch(_SCIENTIFIC, text):
        return f"${scientific[1]} \\cdot 10^{{{int(scientific[2])}}}$"
    if text.startswith(("-", "<")):
        return f"${text[0]}${escape_latex(text[1:])}"
    return escape_latex(text)


def latex_needs(body: str) -> str:
    """What LaTeX needs for the text: comments to stand above it."""
    beyond = {char for char in body if char > "~"}
    unusual = sorted(char for char in beyond if char in _NOWHERE or not re.match(_IN_PDFLATEX, char))
    needs = "% Needs \\usepackage{booktabs}.\n"
    if of_t1 := sorted(beyond & _IN_T1):
        needs += f"% Needs \\usepackage[T1]{{fontenc}} for {' '.join(of_t1)}\n"
    if unusual:
        needs += f"% Needs LuaLaTeX or XeLaTeX, and a font that has {' '.join(unusual)}\n"
    return needs


def latex_label(name: str) -> str:
    """What the table of a judgment set is referred to by: no sign that means something in LaTeX."""
    return f"tab:{re.sub(r'[^A-Za-z0-9]+', '-', name).strip('-') or 'means'}"
