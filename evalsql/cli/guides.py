"""``evalsql help``: the guides under ``docs/``, as plain text."""

from __future__ import annotations

import difflib
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from evalsql.errors import UsageError

DOCS = Path(__file__).resolve().parent.parent / "docs"
_WIDTH = 100
_LEAST_COLUMN = 16
_ITEM = re.compile(r"(?:- |\d+\. )")
_CELL_BORDER = re.compile(r"(?<!\\)\|")


def show_guide(
    context: typer.Context,
    topic: Annotated[str | None, typer.Argument(help="A guide; without one the topics are listed.")] = None,
) -> None:
    """Print a guide, or the list of guides.

    Example: evalsql help loading
    """
    guides = {path.stem: path.read_text(encoding="utf-8") for path in sorted(DOCS.glob("*.md"))}
    if topic is None:
        width = max(map(len, guides))
        lines = [f"{name:<{width}}  {_title(text)}" for name, text in guides.items()]
        print("evalsql help TOPIC prints a guide; evalsql COMMAND --help the options of a command", file=sys.stderr)
        typer.echo("\n".join(lines))
        return
    name = topic.lower().removesuffix(".md")
    if name not in guides:
        raise UsageError(_unknown(context, name, guides))
    typer.echo(_encodable(plain_text(guides[name])))


def _title(text: str) -> str:
    return text.partition("\n")[0].removeprefix("# ")


def _unknown(context: typer.Context, topic: str, guides: Mapping[str, str]) -> str:
    """The names nearest to a topic that has no guide, the guides that speak of it, and the command that it may be."""
    root = context.find_root()
    group = root.command
    if topic in getattr(group, "list_commands", lambda _: [])(root):
        return f'there is no guide "{topic}"; evalsql {topic} --help shows the command, evalsql help lists the guides'
    near = difflib.get_close_matches(topic, guides, n=3, cutoff=0.5)
    counts = {name: text.lower().count(topic) for name, text in guides.items()}
    told = sorted((name for name in guides if counts[name]), key=lambda name: -counts[name])[:3]
    if told and not near:
        return f'there is no guide "{topic}"; guides that speak of it: {", ".join(told)}'
    near = near or list(guides)
    return f'there is no guide "{topic}"; nearest: {", ".join(near)}'


def _encodable(text: str) -> str:
    """The text as standard output can print it: an ASCII terminal gets dashes for the lines of tables."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.replace("\N{BOX DRAWINGS LIGHT HORIZONTAL}", "-").encode(encoding, "replace").decode(encoding)
    return text


def plain_text(markdown: str) -> str:
    """A guide without the marks of Markdown: code is indented, tables are aligned, paragraphs are filled."""
    parts: list[str] = []
    for is_code, text in _split_code(markdown):
        parts += [textwrap.indent(text, "    ").rstrip()] if is_code else map(_block, _blocks(text))
    return "\n\n".join(parts)


def _split_code(markdown: str) -> Iterator[tuple[bool, str]]:
    """Pieces of a guide, and whether each stands between fences."""
    for number, piece in enumerate(re.split(r"^```.*\n", markdown, flags=re.MULTILINE)):
        yield number % 2 == 1, piece


def _blocks(text: str) -> list[list[str]]:
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    return [block.strip("\n").split("\n") for block in re.split(r"\n\s*\n", text) if block.strip()]


def _block(lines: Sequence[str]) -> str:
    if heading := re.fullmatch(r"(#+) (.*)", lines[0]):
        title = _inline(heading[2])
        return f"{title}\n{('=' if heading[1] == '#' else '-') * len(title)}"
    if lines[0].startswith("|"):
        return _table(lines)
    starts = [0, *(number for number, line in enumerate(lines) if number and _ITEM.match(line))]
    items = [lines[start:end] for start, end in zip(starts, [*starts[1:], len(lines)], strict=True)]
    return "\n".join(map(_paragraph, items))


def _paragraph(lines: Sequence[str]) -> str:
    text = " ".join(line.strip() for line in lines)
    marker = _ITEM.match(text)
    indent = " " * len(marker[0]) if marker else ""
    return textwrap.fill(_inline(text), _WIDTH, subsequent_indent=indent, break_on_hyphens=False)


def _inline(text: str) -> str:
    """Text without links and bold type; backticks stay, since they show what is typed."""
    return re.sub(r"\*\*(.+?)\*\*", r"\1", re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text))


def _table(lines: Sequence[str]) -> str:
    rows = [[_inline(cell.strip()) for cell in _CELL_BORDER.split(line.strip().strip("|"))] for line in lines]
    rows = [[cell.replace("\\|", "|") for cell in row] for row in (rows[0], *rows[2:])]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    while sum(widths) + 2 * len(widths) > _WIDTH and max(widths) > _LEAST_COLUMN:
        widths[widths.index(max(widths))] -= 1
    header, *body = ("\n".join(_table_row(row, widths)) for row in rows)
    # Rows of several lines are told apart by an empty line between them.
    gap = "\n\n" if any("\n" in row for row in body) else "\n"
    rule = "  ".join("-" * width for width in widths)
    return "\n".join([header, rule, gap.join(body)])


def _table_row(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    cells = [
        textwrap.wrap(cell, width, break_on_hyphens=False) or [""] for cell, width in zip(row, widths, strict=True)
    ]
    height = max(map(len, cells))
    padded = [
        [line.ljust(width) for line in (cell + [""] * height)[:height]]
        for cell, width in zip(cells, widths, strict=True)
    ]
    return ["  ".join(parts).rstrip() for parts in zip(*padded, strict=True)]
